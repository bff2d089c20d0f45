"""Executions by method and one by one: prefill and decode, token by token."""

import tempfile
import pathlib
import unittest

import support
from support import call, framework

METHODS = support.with_record("multi_method")


def runs_of(*words):
    return support.rows(*words, "--group-by", "run")


class Methods(unittest.TestCase):
    def test_run_groups__methods_have_the_times_of_their_blocks(self):
        found = {row["method"]: row for row in support.rows(*METHODS, "--group-by", "method")}
        blocks = {row["method"]: row for row in support.rows(*METHODS)
                  if row["event"] == "Method::execute"}
        self.assertEqual(set(found), {"decode", "encode", "forward"})
        for method, row in found.items():
            for column in ("avg_ns", "p50_ns", "p90_ns", "min_ns", "max_ns", "total_ns"):
                self.assertAlmostEqual(row[column], blocks[method][column], msg=column)
            self.assertAlmostEqual(row["runs_per_s"], 1e9 / row["avg_ns"])
            self.assertIsNone(row["tokens_per_s"])
            self.assertIsNone(row["trend"])  # of five runs there is none
        self.assertAlmostEqual(sum(row["share"] for row in found.values()), 1)

    def test_run_groups__tokens_per_second(self):
        found = {row["method"]: row for row in support.rows(
            *METHODS, "--group-by", "method", "--tokens", "encode=128", "--tokens", "decode=1")}
        for method, tokens in (("encode", 128), ("decode", 1)):
            self.assertAlmostEqual(found[method]["tokens_per_s"],
                                   tokens * found[method]["runs_per_s"])
        self.assertIsNone(found["forward"]["tokens_per_s"])

    def test_run_groups__branches_of_a_method_are_one_line(self):
        found = support.rows(*support.with_record("cond"), "--group-by", "method")
        self.assertEqual([(row["method"], row["runs"]) for row in found], [("forward", 5)])

    def test_run_groups__a_trend_is_the_last_quarter_against_the_first(self):
        with tempfile.TemporaryDirectory() as folder:
            times = [1000] * 4 + [1100] * 8 + [1500] * 4
            dump = support.make_dump(pathlib.Path(folder) / "made.etdp", [
                ("Execute", [call("native_call_a.out", 0, 10, 20), framework("Method::execute", 0, t)])
                for t in times])
            row, = support.rows(dump, "--group-by", "method")
            self.assertAlmostEqual(row["trend"], 0.5)
            self.assertEqual((row["runs"], row["first_ns"], row["total_ns"]),
                             (16, 1000, sum(times)))


class Runs(unittest.TestCase):
    def test_run_groups__positions_and_sums_are_those_of_the_method(self):
        sums, positions = {}, {}
        found = runs_of(*METHODS)
        self.assertEqual(len(found), 15)
        for row in found:
            method = row["method"]
            self.assertEqual(row["number"], positions.get(method, 0))
            positions[method] = row["number"] + 1
            sums[method] = sums.get(method, 0) + row["time_ns"]
            self.assertAlmostEqual(row["cumulative_ns"], sums[method])
        self.assertEqual([row["run"] for row in found], sorted(row["run"] for row in found))
        one, = runs_of(*METHODS, "--run", str(found[3]["run"]))
        self.assertEqual(one, found[3])
        some = runs_of(*METHODS, "--top", "2")
        self.assertEqual(some, found[:2])

    def test_run_groups__a_filter_leaves_its_work(self):
        words = support.with_record("gpt_portable")
        whole, part = runs_of(*words), runs_of(*words, "--module", "blocks.0")
        tree = {tuple(row["module"]): row
                for row in support.rows(*words, "--group-by", "module")}
        self.assertEqual(len(whole), len(part))
        for left, right in zip(whole, part):
            self.assertLess(right["time_ns"], left["time_ns"])
        self.assertAlmostEqual(part[-1]["cumulative_ns"], tree[("blocks.0",)]["total_ns"])

    def test_run_groups__a_thousand_tokens(self):
        """A prompt, then tokens whose attention takes a tick more each; the trace begins late."""
        skipped, tokens = 24, 1000
        runs, told = [], [("prefill", 0, 2, 0)]
        runs.append(("Execute", [call("native_call_mm.out", 0, 100, 90100),
                                 framework("Method::execute", 0, 100000)]))
        for n in range(tokens):
            middle = 500 + n
            runs.append(("Execute", [call("native_call_bmm.out", 0, 0, middle),
                                     call("native_call_mm.out", 1, middle, middle + 2000),
                                     framework("Method::execute", 0, middle + 2500)]))
            told.append(("decode", skipped + n, 2, 0))
        with tempfile.TemporaryDirectory() as folder:
            dump = support.make_dump(pathlib.Path(folder) / "x1000.etdp", runs)
            support.add_extra(dump, support.extra_block(told))
            rates = ("--tokens", "prefill=128", "--tokens", "decode=1")
            prefill, decode = support.rows(dump, "--group-by", "method", *rates)
            found = runs_of(dump, *rates)
            attention = runs_of(dump, "--name", "bmm*")
            kernels = support.rows(dump, "--group-by", "method", "--name", "mm*")
        self.assertEqual([prefill["method"], decode["method"]], ["prefill", "decode"])
        self.assertAlmostEqual(prefill["tokens_per_s"], 128 / 100e-6)
        total = sum(3000 + n for n in range(tokens))
        self.assertEqual((decode["runs"], decode["total_ns"], decode["p50_ns"]),
                         (tokens, total, 3499.5))
        self.assertAlmostEqual(decode["tokens_per_s"], tokens / (total / 1e9))
        self.assertAlmostEqual(decode["trend"], 3874.5 / 3124.5 - 1)
        self.assertEqual(len(found), tokens + 1)
        for n, row in enumerate(found[1:]):
            self.assertEqual((row["method"], row["run"], row["number"], row["invocation"],
                              row["time_ns"]), ("decode", n + 1, n, skipped + n, 3000 + n))
            self.assertAlmostEqual(row["tokens_per_s"], 1e9 / (3000 + n))
        self.assertEqual([row["time_ns"] for row in attention if row["method"] == "decode"],
                         [500 + n for n in range(tokens)])
        by_method = {row["method"]: row for row in kernels}
        self.assertAlmostEqual(by_method["decode"]["trend"], 0)  # it is the attention that grows

    def test_run_groups__odd_words_are_refused(self):
        for words in (("--group-by", "run", "--tokens", "decode"),
                      ("--group-by", "run", "--tokens", "=2"),
                      ("--group-by", "run", "--tokens", "a=0"),
                      ("--group-by", "run", "--tokens", "a=x"), ("--tokens", "a=1"),
                      ("--group-by", "method", "--sort", "time"),
                      ("--group-by", "method", "--depth", "2")):
            done = support.inspect(*METHODS, *words)
            self.assertEqual((done.returncode, done.stdout), (support.USAGE, b""), words)


if __name__ == "__main__":
    unittest.main()

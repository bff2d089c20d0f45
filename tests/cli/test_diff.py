"""`etscope diff`: what it matches, what it says where truth is known, what it refuses."""

import csv
import io
import json
import struct
import unittest

import support
from support import by_number, call, framework


def trace(path, operators, runs=20):
    """Runs of `operators`: pairs of a kernel's name and its ticks, or a function of the run."""
    made = []
    for r in range(runs):
        now, events = 1_000_000 * (r + 1), []
        start = now
        for i, (name, ticks) in enumerate(operators):
            ticks = ticks(r) if callable(ticks) else ticks + (r * 7 + i) % 11
            events.append(call(f"native_call_{name}", i, now, now + ticks))
            now += ticks
        made.append(("Execute", [*events, framework("Method::execute", start, now + 9)]))
    return support.make_dump(path, made)


def later(ticks, by):
    """`ticks` of another recording: each has its own day."""
    return (lambda r: ticks(r) + by) if callable(ticks) else ticks + by


class InFolder(support.FolderTest):
    def trace(self, name, operators, runs=20):
        return trace(self.folder / name, operators, runs)

    def side(self, name, operators, runs=20, count=5):
        """A folder of recordings, each of which takes a tick more than the one before."""
        folder = self.folder / name
        folder.mkdir()
        for k in range(count):
            trace(folder / f"{k}.etdp", [(op, later(ticks, k)) for op, ticks in operators], runs)
        return folder

    def recorded(self, folder, *seconds):
        """Says that the recordings of a side began at these seconds, and took one each."""
        for path, second in zip(sorted(folder.iterdir()), seconds, strict=True):
            times = struct.pack("<QQ", second * 10**9, (second + 1) * 10**9)
            support.add_extra(path, support.extra_block(values=[(17, times)]))
        return folder

    def diff(self, *words):
        done = support.run("diff", *words)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return done.stdout.decode()

    def rows(self, *words):
        return support.json_rows(self.diff(*words, "--format", "json"))


BASE = [("add.out", 1000), ("mul.out", 500), ("relu.out", 200)]


class Captured(InFolder):
    def test_diff__runs_with_and_without_capture_are_not_compared(self):
        folder = support.DATA / "gpt_xnnpack"
        pair = (folder / "debug.etdp", folder / "profile.etdp")
        budget = self.folder / "budget.txt"
        budget.write_text("total p50 <= +5%\n")
        for words in (("diff", *pair), ("gate", *pair[::-1], "--budget", budget)):
            with self.subTest(words[0]):
                done = support.run(*words)
                self.assertEqual(done.returncode, support.MISMATCH)
                self.assertRegex(done.stderr.decode(), "debug.etdp: its runs captured tensors, which takes time, those "
                                 "of .*profile.etdp did not: their times cannot be compared")
        text = self.diff(*pair, "--allow-mismatch")
        self.assertTrue(text.startswith("only the runs before captured tensors, which takes time: the times cannot be "
                                        "compared\n"), text)
        self.assertTrue(self.diff(pair[0], pair[0]).startswith("identical"))


class Verdicts(InFolder):
    def test_diff__names_the_operator_that_became_slower_and_no_other(self):
        base = [("add.out", 10000), ("mul.out", 5000), ("relu.out", 2000)]
        before = self.side("a", base)
        after = self.side("b", [base[0], ("mul.out", 6000), base[2]])
        rows = self.rows(before, after)
        verdicts = {row["operator"]: row["verdict"] for row in rows}
        self.assertEqual(verdicts, {"Method::execute": "slower", "mul.out": "slower",
                                    "add.out": "same", "relu.out": "same",
                                    "(between operators)": "same"})
        self.assertEqual([row["operator"] for row in rows[:2]], ["Method::execute", "mul.out"])
        mul = rows[1]
        self.assertEqual(mul["change_ns"], 1000)
        self.assertTrue(mul["change_low_ns"] <= 1000 <= mul["change_high_ns"])
        self.assertAlmostEqual(mul["ratio"], 1000 / mul["before_ns"])
        self.assertAlmostEqual(mul["contribution"], 1)
        self.assertAlmostEqual(mul["p"], 2 / 252)
        self.assertLessEqual(mul["p"], mul["adjusted_p"])
        self.assertEqual((mul["runs_before"], mul["runs_after"]), (100, 100))
        self.assertEqual((mul["recordings_before"], mul["recordings_after"]), (5, 5))

    def test_diff__sides_that_were_not_recorded_in_turn_only_differ(self):
        base = [("add.out", 10000), ("mul.out", 5000)]
        slow = [base[0], ("mul.out", 6000)]
        turns = (self.recorded(self.side("a", base), 10, 14, 16, 22, 24),
                 self.recorded(self.side("b", slow), 12, 18, 20, 26, 28))
        self.assertEqual([row["verdict"] for row in self.rows(*turns)],
                         ["slower", "slower", "same", "same"])
        for name, first in (("earlier", 2), ("later", 30)):
            after = self.recorded(self.side(name, slow), *range(first, first + 5))
            words = [turns[0], after]
            rows = self.rows(*words)
            self.assertEqual([row["verdict"] for row in rows], ["differs", "differs", "unclear", "unclear"])
            self.assertEqual({row["reason"] for row in rows}, {
                "one side was recorded after the other, and the machine may have changed in between"})
            self.assertRegex(self.diff(*words), r"^Execute: the recordings differ by 6\.\d %.*; one side was recorded "
                             r"after the other, and the machine may have changed in between: `etscope profile "
                             r"--before` records both in turn\n")

    def test_diff__one_recording_a_side_is_no_verdict(self):
        before = self.trace("a.etdp", BASE)
        after = self.trace("b.etdp", [BASE[0], ("mul.out", 600), BASE[2]])
        verdicts = {row["operator"]: row["verdict"] for row in self.rows(before, after)}
        self.assertEqual(verdicts["Method::execute"], "differs")
        self.assertEqual(verdicts["mul.out"], "differs")
        self.assertEqual(set(verdicts.values()), {"differs", "unclear"})
        self.assertRegex(self.diff(before, after), r"(?s)^Execute: the recordings differ by .*one recording a side "
                         "cannot tell the program from the day: record 5 of each, and give the others with")

    def test_diff__copies_of_a_recording_are_one(self):
        before = self.trace("a.etdp", BASE)
        after = self.trace("b.etdp", [BASE[0], ("mul.out", 600), BASE[2]])
        more = [word for _ in range(4) for word in ("--before", before, "--after", after)]
        rows = self.rows(before, after, *more)
        self.assertEqual((rows[0]["recordings_before"], rows[0]["verdict"]), (1, "differs"))

    def test_diff__two_or_three_recordings_are_undecided(self):
        for count in (2, 3):
            before = self.side(f"a{count}", BASE, count=count)
            after = self.side(f"b{count}", [("add.out", 9000), *BASE[1:]], count=count)
            rows = self.rows(before, after)
            self.assertEqual({row["verdict"] for row in rows}, {"undecided"})
            self.assertEqual({row["change_low_ns"] for row in rows}, {None})
            self.assertEqual(rows[0]["recordings_needed"], 4)
            self.assertIn(f"about {4 - count} more of each side would", self.diff(before, after))

    def test_diff__one_slow_run_is_no_change(self):
        before = self.side("a", [("add.out", 1000)])
        after = self.side("b", [("add.out", lambda r: 90_000 if r == 3 else 1000 + r % 11)])
        self.assertEqual({row["verdict"] for row in self.rows(before, after)}, {"same"})

    def test_diff__not_known_is_not_the_same(self):
        days = (0, 61, 13, 88, 40)

        def noisy(name, shift):
            (self.folder / name).mkdir()
            for k, day in enumerate(days):
                trace(self.folder / name / f"{k}.etdp", [("add.out", 1000 + shift + day)])
            return self.folder / name
        row = self.rows(noisy("a", 0), noisy("b", 20))[1]
        self.assertGreater(row["ratio"], 0.01)
        self.assertTrue(row["change_low_ns"] < -10 and row["change_high_ns"] > 10, row)
        self.assertEqual((row["verdict"], row["reason"]),
                         ("undecided", "recordings of one side differ by more than the change"))
        row = self.rows(self.folder / "a", self.folder / "b", "--min-change", "90")[1]
        self.assertEqual(row["verdict"], "same")

    def test_diff__the_least_change_is_the_users(self):
        before = self.side("a", [("add.out", lambda r: 1000 + r % 3)])
        after = self.side("b", [("add.out", lambda r: 1020 + r % 3)])
        self.assertEqual(self.rows(before, after)[1]["verdict"], "slower")
        self.assertEqual(self.rows(before, after, "--least-change", "5%")[1]["verdict"], "same")

    def test_diff__a_change_is_inside_of_its_interval(self):
        def two(name, few, fast, slow):
            return self.trace(name, [("add.out", lambda r: fast if r < few else slow)], 40)
        before, after = two("a.etdp", 16, 9000, 10000), two("b.etdp", 22, 9990, 12000)
        for row in self.rows(before, after):
            self.assertTrue(row["change_low_ns"] <= row["change_ns"] <= row["change_high_ns"], row)
        self.assertEqual(row["verdict"], "unclear")
        self.assertIn("undecided (", self.diff(before, after))

    def test_diff__no_verdict_on_recorded_traces_contradicts_its_change(self):
        traces = sorted(support.DATA.glob("*/profile.etdp"))
        judged = 0
        for before in traces:
            for after in traces:
                for row in self.rows(before, after, "--allow-mismatch", "--no-siblings"):
                    ratio, verdict = row["ratio"], row["verdict"]
                    self.assertNotIn(verdict, ("slower", "faster"))
                    if ratio is None or verdict not in ("differs", "same"):
                        continue
                    judged += 1
                    held = {"differs": abs(ratio) >= 0.01, "same": abs(ratio) <= 0.01}
                    self.assertTrue(held[verdict], (before, after, row))
        self.assertGreater(judged, 100)

    def test_diff__whole_microseconds_of_a_delegate_are_bounds_and_ties(self):
        def delegated(name, ticks):
            return support.make_dump(self.folder / name, [
                ("Execute", [by_number(1, 0, 0, ticks), call("DELEGATE_CALL", 0, 0, ticks + 123),
                             framework("Method::execute", 0, ticks + 300)])] * 12)
        rows = self.rows(delegated("a.etdp", 5000), delegated("b.etdp", 6000))
        inner = [row for row in rows if row["depth"] == 2][0]
        self.assertEqual((inner["before_ns"], inner["before_ns_upper"]), (5000, 6000))
        self.assertEqual(inner["verdict"], "differs")
        rows = self.rows(delegated("a.etdp", 5000), delegated("b.etdp", 5000))
        self.assertEqual({row["verdict"] for row in rows}, {"same"})


    def test_diff__a_side_may_be_several_traces(self):
        paths = [self.trace(f"{ticks}.etdp", [("add.out", ticks)], 10)
                 for ticks in (1000, 1100, 1040, 1060)]
        rows = self.rows(paths[0], paths[2], "--before", paths[1], "--after", paths[3])
        row = {row["operator"]: row for row in rows}["add.out"]
        self.assertEqual((row["runs_before"], row["runs_after"], row["verdict"]), (20, 20, "undecided"))
        self.assertIn("20 runs of 2 recordings before, 20 runs of 2 recordings after",
                      self.diff(paths[0], paths[2], "--before", paths[1], "--after", paths[3]))
        lists = ["--before", paths[0], "--before", paths[1], "--after", paths[2], "--after", paths[3]]
        self.assertEqual(self.rows(*lists), rows)
        done = support.run("diff", *lists, "--brief")
        self.assertEqual(done.returncode, support.USAGE)
        self.assertIn(b"--brief needs programs", done.stderr)
        done = support.run("diff", paths[0], "-", "--before", "-")
        self.assertEqual(done.returncode, support.USAGE)


class Matching(InFolder):
    def test_diff__operators_put_in_and_taken_out_are_told_without_a_record(self):
        before = self.trace("a.etdp", BASE)
        after = self.trace("b.etdp", [BASE[0], ("tanh.out", 50), BASE[2]])
        rows = {row["operator"]: row for row in self.rows(before, after)}
        self.assertEqual(rows["tanh.out"]["kind"], "added")
        self.assertIsNone(rows["tanh.out"]["before_ns"])
        self.assertIsNone(rows["tanh.out"]["verdict"])
        self.assertEqual(rows["mul.out"]["kind"], "removed")
        self.assertIsNone(rows["mul.out"]["after_ns"])
        self.assertEqual(rows["relu.out"]["kind"], None)
        self.assertEqual({row["matched_by"] for row in rows.values()}, {"order"})

    def test_diff__kernels_that_a_delegate_took_over_are_one_line(self):
        words = [support.fixture("mlp_portable", "profile.etdp"),
                 support.fixture("mlp_xnnpack", "profile.etdp"),
                 "--etrecord", support.fixture("mlp_portable", "model.etrecord"),
                 "--etrecord-b", support.fixture("mlp_xnnpack", "model.etrecord")]
        line = [row for row in self.rows(*words) if row["kind"] == "delegated"]
        self.assertEqual(len(line), 1)
        self.assertEqual(line[0]["operator"], "6 operators -> DELEGATE_CALL XnnpackBackend")
        self.assertEqual(line[0]["operators_after"], ["DELEGATE_CALL XnnpackBackend"])
        self.assertEqual(sorted(line[0]["operators_before"]), [
            "_softmax.out", "addmm.out", "addmm.out", "permute_copy.out", "permute_copy.out",
            "relu.out"])
        self.assertEqual(line[0]["matched_by"], "handles")

    def test_diff__what_a_delegate_runs_is_matched_by_the_nodes_it_stands_for(self):
        words = []
        for model, suffix in (("conv_xnnpack", ""), ("conv_xnnpack_int8", "-b")):
            words += [f"--etrecord{suffix}", support.fixture(model, "model.etrecord"),
                      f"--program{suffix}", support.fixture(model, "model.pte")]
        rows = self.rows(support.fixture("conv_xnnpack", "profile.etdp"),
                         support.fixture("conv_xnnpack_int8", "profile.etdp"), *words)
        replaced = {row["operators_before"][0]: (row["operators_after"], row["tie"])
                    for row in rows if row["kind"] == "replaced"}
        self.assertEqual(replaced["Convolution (NHWC, F32) IGEMM #1"],
                         (["Convolution (NHWC, QC8) IGEMM #1"], "near"))
        self.assertEqual(replaced["Fully Connected (NC, F32) GEMM #1"][0],
                         ["Fully Connected (NC, QS8, QC8W) GEMM #1", "Convert (NC) #2"])

    def test_diff__every_trace_is_the_same_as_itself(self):
        for model in support.MODELS:
            dump, option, record = support.with_record(model)
            for words in ([], [option, record]):
                with self.subTest(model=model, words=words):
                    rows = self.rows(dump, dump, *words)
                    self.assertTrue(rows)
                    self.assertLessEqual({row["verdict"] for row in rows}, {"same", None})
                    self.assertEqual({row["kind"] for row in rows}, {None})
                    self.assertEqual({row["change_ns"] for row in rows}, {0})

    def test_diff__a_trace_and_itself_are_identical(self):
        path, copy = self.trace("a.etdp", BASE, 3), self.trace("b.etdp", BASE, 3)
        for other in (path, copy):
            self.assertEqual(self.diff(path, other).splitlines()[0], "identical: both sides are "
                             "the same recording; every run of every operator is equal")
        self.assertNotIn("identical", self.diff(path, self.trace("c.etdp", BASE, 4)))

    def test_diff__of_unrelated_programs_says_so_and_nothing_else(self):
        words = [support.fixture("mlp_portable", "profile.etdp"),
                 support.fixture("gpt_portable", "profile.etdp")]
        done = support.run("diff", *words)
        self.assertEqual((done.returncode, done.stdout), (support.MISMATCH, b""))
        line, = done.stderr.decode().splitlines()
        self.assertRegex(line, r": only \d+ of \d+ operators match, by handles, modules, lines or names: these look like different programs")
        self.assertRegex(self.diff(*words, "--allow-mismatch").splitlines()[0],
                         r"^only \d+ of \d+ operators match: ")
        delegates = [support.fixture("conv_xnnpack", "profile.etdp"),
                     support.fixture("mlp_xnnpack", "profile.etdp")]
        self.assertEqual(support.run("diff", *delegates).returncode, support.MISMATCH)

    def test_diff__two_builds_of_one_model_are_no_mismatch(self):
        for model in ("mlp", "gpt"):
            for builds in (("portable", "xnnpack"), ("xnnpack", "portable")):
                words = []
                for build, suffix in zip(builds, ("", "-b")):
                    words += [support.fixture(f"{model}_{build}", "profile.etdp"),
                              f"--etrecord{suffix}",
                              support.fixture(f"{model}_{build}", "model.etrecord")]
                with self.subTest(model=model, builds=builds):
                    self.assertNotIn("operators match", self.diff(*words))

    def test_diff__a_record_that_is_of_another_program_names_the_trace(self):
        before = support.fixture("mlp_portable", "profile.etdp")
        after = support.fixture("conv_xnnpack", "profile.etdp")
        done = support.inspect(before, "--etrecord", support.fixture("mlp_portable", "model.etrecord"))
        self.assertEqual(done.returncode, support.OK)
        done = support.run("diff", before, after, "--etrecord",
                           support.fixture("mlp_portable", "model.etrecord"))
        self.assertEqual(done.returncode, support.MISMATCH)
        first, note = done.stderr.decode().splitlines()
        self.assertTrue(first.startswith(f"etscope: {after}: "), first)
        self.assertIn("--etrecord-b", note)


class Shown(InFolder):
    def traces(self):
        return (self.trace("a.etdp", BASE),
                self.trace("b.etdp", [("add.out", 1400), ("mul.out", 800), ("relu.out", 201)]))

    def names(self, *words):
        return [row["operator"] for row in self.rows(*self.traces(), *words)]

    def test_diff__sorts(self):
        self.assertEqual(self.names()[:3], ["Method::execute", "add.out", "mul.out"])
        self.assertEqual(self.names("--sort", "ratio")[1:3], ["mul.out", "add.out"])
        self.assertEqual(self.names("--sort", "order")[1:], ["add.out", "mul.out", "relu.out",
                                                             "(between operators)"])
        self.assertEqual(self.names("--sort", "name")[1:], ["(between operators)", "add.out",
                                                            "mul.out", "relu.out"])
        self.assertEqual(self.names("--top", "1"), ["Method::execute", "add.out"])

    def test_diff__top_counts_parts_of_delegates(self):
        dump = support.fixture("conv_xnnpack", "profile.etdp")
        for top in (1, 2, 3):
            rows = [row for row in self.rows(dump, dump, "--top", str(top))
                    if row["block"] == "Execute" and row["operator"] != "Method::execute"]
            self.assertEqual(len(rows), top)

    def test_diff__80_columns_tell_operators_of_one_name_apart(self):
        twice = [("add.out", 1000), ("add.out", 1000)]
        before, after = self.trace("a.etdp", twice), self.trace("b.etdp", twice)
        table = self.diff(before, after, "--width", "80")
        for instruction in (0, 1):
            self.assertRegex(table, rf"(?m)^{instruction} +add\.out ")
        self.assertEqual({row["instruction"] for row in self.rows(before, after)}, {None, 0, 1})

    def test_diff__formats_agree(self):
        words = self.traces()
        rows = self.rows(*words)
        lines = [json.loads(line) for line in self.diff(*words, "-f", "jsonl").splitlines()]
        self.assertEqual(lines, rows)
        for form, separator in (("csv", ","), ("tsv", "\t")):
            read = list(csv.DictReader(io.StringIO(self.diff(*words, "-f", form)),
                                       delimiter=separator))
            self.assertEqual([row["change_ns"] for row in read],
                             [str(row["change_ns"]) for row in rows])
        table = self.diff(*words)
        self.assertIn("Execute - 20 runs before, 20 runs after, matched by names in order "
                      "of execution", table)
        self.assertRegex(table, r"mul\.out +0\.50\d +0\.80\d +\+0\.300 +"
                                r"\+5\d\.\d% +\+0\.\d+\.\.\+0\.\d+ +differs")
        self.assertIn("| &nbsp; mul.out |", self.diff(*words, "-f", "markdown"))
        self.assertIn("before_cycles", self.diff(*words, "--source-time-scale", "cycles", "-f", "csv"))

    def test_diff__clocks_that_went_backwards_are_noted_with_their_file(self):
        good = self.trace("a.etdp", BASE)
        bad = support.make_dump(self.folder / "b.etdp", [
            ("Execute", [call("native_call_add.out", 0, 0xfffffff0, 0x10),
                         framework("Method::execute", 0, 100)])])
        done = support.run("diff", good, bad)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertEqual(done.stderr.decode(), f"note: {bad}: 1 event ends before it starts: "
                         "read 1 as a wrapped 32-bit counter, 0 as lasting 0\n")

    def test_diff__load_and_execution_are_apart(self):
        rows = self.rows(*[support.fixture("mlp_portable", "profile.etdp")] * 2)
        self.assertEqual([(row["block"], row["operator"]) for row in rows[:3]], [
            ("Default", "Program::load_method"), ("Default", "Method::init"),
            ("Execute", "Method::execute")])


class Cause(InFolder):
    def test_diff__new_conversions_of_types_did_not_leave_the_delegate(self):
        words = []
        for option, name in (("--etrecord", "normalise"), ("--etrecord-b", "normalise_double")):
            program = support.DATA / "rules" / f"{name}.pte"
            done = support.run("run", program, "--runs", "2", "-o", self.folder / f"{name}.etdp")
            if done.returncode == support.UNAVAILABLE:
                self.skipTest(done.stderr.decode())
            words += [option, program.with_suffix(".etrecord")]
        traces = [self.folder / "normalise.etdp", self.folder / "normalise_double.etdp"]
        self.assertRegex(self.diff(*traces, *words), r"^forward: .*; 2 new conversions of types at make\.py:\d+; add\.out, "
                         r"sub\.out and div\.out at make\.py:\d+ left XnnpackBackend: 3 kernels[;\n]")
        words[1::2] = words[3::-2]
        self.assertRegex(self.diff(*traces[::-1], *words), r"^forward: .*; XnnpackBackend took 4 of 6 "
                         r"kernels[;\n]")


class Refused(InFolder):
    def complaint(self, code, *words):
        done = support.run("diff", *words)
        self.assertEqual((done.returncode, done.stdout), (code, b""), done.stderr)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        return lines[0]

    def test_diff__wrong_words(self):
        dump = support.fixture("mlp_portable", "profile.etdp")
        self.assertIn("diff needs two traces", self.complaint(support.USAGE, dump))
        self.assertIn("diff needs two traces", self.complaint(support.USAGE, dump, dump, dump))
        self.assertIn("standard input (-) can be read only once",
                      self.complaint(support.USAGE, "-", "-"))
        for wrong in ("", "x", "-1", "1e9", "nan", "5%%"):
            self.assertIn("--min-change takes a percentage",
                          self.complaint(support.USAGE, dump, dump, "--min-change", wrong))

    def test_diff__a_damaged_file_is_named(self):
        good = support.fixture("mlp_portable", "profile.etdp")
        bytes_ = good.read_bytes()
        for size in (0, 3, 11, 100, len(bytes_) // 2, len(bytes_) - 1):
            bad = self.folder / "cut.etdp"
            bad.write_bytes(bytes_[:size])
            for words in ((good, bad), (bad, good)):
                line = self.complaint(support.INPUT, *words)
                self.assertTrue(line.startswith(f"etscope: {bad}: "), line)
        missing = self.folder / "none.etdp"
        self.assertIn(str(missing), self.complaint(support.INPUT, good, missing))
        record = self.complaint(support.INPUT, good, good, "--etrecord-b", good)
        self.assertTrue(record.startswith(f"etscope: {good}: "), record)

    def test_diff__a_trace_that_does_not_tell_its_overhead_is_named(self):
        good = support.fixture("mlp_portable", "profile.etdp")
        self.assertIn(f"{good}: ", self.complaint(support.USAGE, good, good, "--subtract-overhead"))

    def test_diff__cycles_and_time_are_not_compared(self):
        told = self.folder / "told.etdp"  # a trace that says that it counts nanoseconds
        support.run("recover", support.DATA / "captures" / "finished.bin", "-o", told)
        good = support.fixture("mlp_portable", "profile.etdp")
        words = (good, told, "--source-time-scale", "cycles")
        self.assertIn(f"{good} counts cycles, but {told} counts time", self.complaint(support.MISMATCH, *words))
        done = support.run("summary", *words)
        self.assertEqual((done.returncode, done.stdout), (support.MISMATCH, b""))
        self.assertIn("counts cycles", done.stderr.decode())

    def test_diff__a_trace_without_events_is_refused(self):
        empty = support.make_dump(self.folder / "empty.etdp", [])
        good = support.fixture("mlp_portable", "profile.etdp")
        self.assertIn("empty.etdp: the trace has no events",
                      self.complaint(support.INPUT, good, empty))


if __name__ == "__main__":
    unittest.main()

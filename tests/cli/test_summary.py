"""`etscope summary`: several traces as one, and the spread between them."""

import statistics
import subprocess
import sys
import unittest

import support
from test_diff import BASE, InFolder


class Summary(InFolder):
    def rows(self, *words):
        done = support.run("summary", *words, "--format", "json")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return support.json_rows(done.stdout)

    def test_summary__statistics_are_over_all_runs_of_all_files(self):
        base = {"a.etdp": 1000, "b.etdp": 1100, "c.etdp": 1040}
        paths = [self.trace(name, [("add.out", ticks)], runs)
                 for (name, ticks), runs in zip(base.items(), (20, 10, 5))]
        row = [row for row in self.rows(*paths) if row["operator"] == "add.out"][0]
        times = {name: [ticks + r * 7 % 11 for r in range(runs)]
                 for (name, ticks), runs in zip(base.items(), (20, 10, 5))}
        together = sorted(sum(times.values(), []))
        self.assertEqual(row["runs"], 35)
        self.assertEqual(row["files"], [str(path) for path in paths])
        self.assertEqual(row["p50_ns"], statistics.median(together))
        self.assertEqual((row["min_ns"], row["max_ns"]), (together[0], together[-1]))
        self.assertAlmostEqual(row["p90_ns"],
                               statistics.quantiles(together, n=10, method="inclusive")[8])
        medians = [statistics.median(values) for values in times.values()]
        self.assertEqual((row["file_p50_min_ns"], row["file_p50_max_ns"]),
                         (min(medians), max(medians)))
        self.assertAlmostEqual(row["spread"],
                               (max(medians) - min(medians)) / row["p50_ns"])

    def test_summary__parts_of_the_total_sum_to_it(self):
        rows = self.rows(self.trace("a.etdp", BASE), self.trace("b.etdp", BASE))
        self.assertEqual(rows[0]["operator"], "Method::execute")
        self.assertAlmostEqual(sum(row["avg_ns"] for row in rows if row["depth"] == 1),
                               rows[0]["avg_ns"])
        self.assertAlmostEqual(sum(row["share"] for row in rows if row["depth"] == 1), 1)

    def test_summary__different_programs_are_apart_with_their_loads(self):
        words = []
        for model in ("mlp_portable", "mlp_xnnpack"):
            words += [support.fixture(model, "profile.etdp")] * 2
        records = [word for model in ("mlp_xnnpack", "mlp_portable")
                   for word in ("--etrecord", support.fixture(model, "model.etrecord"))]
        for more in ([], records):
            rows = self.rows(*words, *more)
            self.assertEqual({len(row["files"]) for row in rows}, {2})
            loads = [row for row in rows if row["operator"] == "Program::load_method"]
            self.assertEqual([len(set(row["files"])) for row in loads], [1, 1])
        self.assertEqual({row["backend"] for row in rows if row["depth"] == 1 and
                          row["operator"].startswith("DELEGATE")}, {"XnnpackBackend"})
        self.assertTrue(all(row["source"] for row in rows if row["operator"] == "addmm.out"))

    def test_summary__sorts_and_cuts(self):
        path = self.trace("a.etdp", [("relu.out", 10), ("add.out", 1000), ("mul.out", 500)])
        names = [row["operator"] for row in self.rows(path, "--top", "2")]
        self.assertEqual(names, ["Method::execute", "add.out", "mul.out"])
        names = [row["operator"] for row in self.rows(path, "--sort", "order", "--top", "2")]
        self.assertEqual(names, ["Method::execute", "relu.out", "add.out"])
        done = support.run("summary", path, self.trace("b.etdp", BASE))
        self.assertEqual(done.stderr, b"")
        self.assertIn(f"Execute - 20 runs of 1 file ({path})", done.stdout.decode())

    def many(self, count):
        path = self.trace("first.etdp", BASE, 5)
        folder = self.folder / "many"
        folder.mkdir(exist_ok=True)
        paths = [folder / f"{i:04d}.etdp" for i in range(count)]
        for copy in paths:
            copy.write_bytes(path.read_bytes())
        return folder, paths

    def test_summary__runs_with_and_without_operators_are_told_apart(self):
        frame = support.framework("Method::execute", 0, 100)
        path = support.make_dump(self.folder / "some.etdp",
                                 [("Execute", [frame]),
                                  ("Execute", [frame, support.call("x", 1, 10, 50)])])
        text = support.run("summary", path).stdout.decode()
        for kind in ("with", "without"):
            self.assertIn(f"(median of 1 run {kind} operators of 1 file, ", text)
            self.assertIn(f" - 1 run {kind} operators of 1 file (", text)
        one = support.run("summary", support.make_dump(
            self.folder / "one.etdp", [("Execute", [frame])])).stdout.decode()
        self.assertNotIn("operators of", one)

    def test_summary__takes_any_number_of_traces(self):
        folder, paths = self.many(300)
        (folder / "notes.txt").write_text("no trace")
        listed = self.folder / "list"
        listed.write_text("\n".join(map(str, paths)) + "\r\n\n")
        found = [self.rows(*words) for words in (paths, [folder], [f"@{listed}"])]
        for rows in found:
            self.assertEqual({(row["file_count"], row["runs"], row["files"] is None)
                              for row in rows}, {(300, 1500, True)})
            self.assertEqual(rows, found[0])
        self.assertEqual(self.rows(f"@{listed}", folder)[0]["file_count"], 600)
        for command in ("gate", "diff"):
            words = ["--budget", "-"] if command == "gate" else []
            done = support.run(command, folder, paths[0], *words, stdin=b"total p50 <= +5%")
            # one recording of the new side decides no limit over the base
            self.assertEqual(done.returncode, 1 if command == "gate" else support.OK, done.stderr)

    @unittest.skipIf(support.IS_EMULATED, "the emulator's memory would be measured")
    def test_summary__one_trace_at_a_time_is_in_memory(self):
        folder, paths = self.many(400)
        data = paths[0].read_bytes() + bytes(1 << 20)  # a flatbuffer ends before its file does
        for path in paths:
            path.write_bytes(data)
        code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, "
                "stdout=subprocess.DEVNULL); "
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        used = [int(subprocess.run([sys.executable, "-c", code, support.ETSCOPE, "summary", *words],
                                   check=True, capture_output=True).stdout)
                for words in (paths[:40], paths)]
        # Ten runs' worth of events would be kilobytes a trace; files would be a mebibyte.
        self.assertLess(used[1] - used[0], 360 * 4)

    def test_summary__names_what_is_wrong_with_lists_and_folders(self):
        empty, listed = self.folder / "empty", self.folder / "list"
        empty.mkdir()
        listed.write_text(f"{self.folder}/gone.etdp\n")
        for word, part in ((empty, "the folder has no ETDump"), (f"@{listed}", "gone.etdp: "),
                           (f"@{self.folder}/none", "none: "), (f"@{self.folder}/nul", "not a file name")):
            (self.folder / "nul").write_bytes(b"a\0b\n")
            done = support.run("summary", word)
            self.assertEqual((done.returncode, done.stdout), (support.INPUT, b""), done.stderr)
            self.assertIn(part, done.stderr.decode())
            self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_summary__says_which_file_is_wrong(self):
        good = self.trace("a.etdp", BASE)
        bad = self.folder / "bad.etdp"
        bad.write_bytes(good.read_bytes()[:-5])
        record = support.fixture("mlp_portable", "model.etrecord")
        for code, part, words in (
                (support.USAGE, "summary needs traces", ()),
                (support.INPUT, f"{bad}: ", (good, bad)),
                (support.MISMATCH, f"{good}: ", (good, "--etrecord", record)),
                (support.USAGE, "standard input (-) can be read only once", ("-", "-"))):
            done = support.run("summary", *words)
            if done.returncode == support.UNAVAILABLE:
                continue
            self.assertEqual((done.returncode, done.stdout), (code, b""), done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.assertIn(part, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()

"""`etscope profile`: run and inspect in one step."""

import json
import os
import re
import shutil
import subprocess
import unittest

import run_support as support
from run_support import EXAMPLES, RunTest

PROGRAMS = ("mlp/portable", "mobile_cnn/portable", "mobile_cnn/xnnpack",
            "tiny_transformer/xnnpack")


def files_of(program):
    return [EXAMPLES / f"{program}.{ending}" for ending in ("pte", "bpte", "etrecord")]


class Profile(RunTest):
    def setUp(self):
        super().setUp()
        if not support.have_records():
            self.skipTest("this build reads no ETRecord")

    def profile(self, program, *arguments, ending=1):
        """Of an example's .bpte, with its record."""
        files = files_of(program)
        words = ["profile", files[ending], "--etrecord", files[2], *arguments]
        if "tiny_transformer" in program and "--method" not in arguments:
            words += ["--method", "prefill", "--method", "decode"]
        return self.ok(*words)

    def rows_of(self, program, *arguments):
        return support.json_rows(self.profile(program, "--format", "json", *arguments).stdout)

    def runs_here(self, program):
        return "xnnpack" not in program or not support.obstacle("mlp_xnnpack")

    def test_report_is_that_of_the_kept_trace(self):
        program, bundle, record = files_of("mlp/portable")
        for ran in (program, bundle):
            self.ok("profile", ran, "--etrecord", record, "-o", "t.etdp", "--report", "now.html")
            self.ok("report", "t.etdp", "--etrecord", record, "--program", ran, "-o", "later.html")
            now = (self.folder / "now.html").read_text()
            self.assertTrue(now == (self.folder / "later.html").read_text())
            self.assertEqual(now.count(f"<li>{ran.name}: program, "), 1)
        self.assertEqual(now.count("(.bpte)"), 2)  # in the first screen and in the head

    def test_a_trace_is_kept_though_nobody_reads_the_table(self):
        path = self.folder / "t.etdp"
        reader, writer = os.pipe()
        os.close(reader)
        words = [support.ETSCOPE, "profile", files_of("mlp/portable")[0], "-o", path]
        done = subprocess.run(words, stdout=writer, stderr=subprocess.DEVNULL, timeout=60, check=False)
        os.close(writer)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual([file.name for file in self.folder.iterdir()], ["t.etdp"])
        self.assertIn("median of 10 runs", support.call("inspect", path).stdout)

    def test_report_of_a_trace_that_is_not_kept(self):
        self.profile("mlp/portable", "--report", "r.html", "--capture", "intermediates",
                     "--debug-buffer", "d.bin")
        html = (self.folder / "r.html").read_text()
        for text in ("not kept: trace, an ETDump", "d.bin: debug buffer, captured tensors",
                     "values agree"):
            self.assertIn(text, html)
        self.assertNotIn("need captured tensors", html)

    def test_report_needs_a_file_of_its_own(self):
        program = files_of("mlp/portable")[0]
        for words, reason in ((["--report", "-"], "--report needs a file"),
                              (["--report", program], "is an input of this command"),
                              (["--report", "x", "-o", "x"], "is the output of both")):
            done = support.call("profile", program, *words, cwd=self.folder)
            self.assertEqual((done.returncode, reason in done.stderr), (2, True),
                             done.stderr)

    def test_every_instruction_of_the_examples_has_its_line(self):
        for program in PROGRAMS:
            if not self.runs_here(program):
                continue
            with self.subTest(program=program):
                rows = [row for row in self.rows_of(program) if row["instruction"] is not None]
                self.assertTrue(rows)
                for row in rows:
                    self.assertIn(row["method"], ("forward", "prefill", "decode"))
                    self.assertEqual(row["runs"], 10)
                    if row["depth"] <= 1 and row["debug_handles"]:
                        self.assertTrue(row["source"], row["operator"])
                        for place in row["source"]:
                            self.assertRegex(place, r"^examples/models/\w+\.py:\d+$")

    def test_times_inside_a_run_do_not_exceed_it(self):
        for program in PROGRAMS:
            if not self.runs_here(program):
                continue
            with self.subTest(program=program):
                totals = {}
                for row in self.rows_of(program):
                    key = row["block"], row["method"]
                    if row["operator"] == "Method::execute":
                        totals[key] = row["total_ns"]
                    elif row["instruction"] is not None and row["depth"] == 1:
                        totals[key] -= row["total_ns"]
                self.assertTrue(totals)
                self.assertTrue(all(rest >= 0 for rest in totals.values()), totals)

    def test_table_is_joined_to_source_lines(self):
        if not self.runs_here("mobile_cnn/xnnpack"):
            self.skipTest(support.obstacle("mlp_xnnpack"))
        done = self.profile("mobile_cnn/xnnpack", "--runs", 4, "--inputs", "random")
        self.assertEqual(done.stderr, "")
        lines = support.below_headline(done.stdout.encode())
        tracing = r"tracing overhead about \d+\.\d us per run$"
        measured = (r"tracing overhead (\d+\.\d\.\.\d+\.\d us per run \(measured\)|about \d+\.\d us per "
                    r"run \(without the delegate's own profiler\)), shares of mid$")  # if it was too slow
        self.assertRegex(lines[0], "^Default - method forward - 1 run, " + tracing)
        self.assertTrue(any(re.match("Execute - method forward - 4 runs, " + measured, line)
                            for line in lines), lines)
        header = next(line for line in lines if line.lstrip().startswith("#"))
        for word in ("operator", "calls", "p50", "share", "source", "module", "backend"):
            self.assertIn(word, header)
        self.assertRegex(done.stdout, r"mean\.out .*examples/models/mobile_cnn\.py:\d+")
        self.assertRegex(done.stdout, r"DELEGATE_CALL XnnpackBackend .*mobile_cnn\.py:\d+")
        self.assertRegex(done.stdout, r"Convolution \(NHWC, F32\) .*XnnpackBackend")

    def test_all_formats(self):
        def records(text):
            return [line for line in text.splitlines() if line.strip()]

        program = "mlp/portable"
        rows = self.rows_of(program)
        lines = [json.loads(line) for line in
                 self.profile(program, "--format", "jsonl").stdout.splitlines()]
        self.assertEqual([row["operator"] for row in rows], [row["operator"] for row in lines])
        self.assertEqual([list(row) for row in rows], [list(row) for row in lines])
        csv = records(self.profile(program, "--format", "csv").stdout)
        self.assertEqual(len(csv), 1 + len(rows))
        self.assertTrue(csv[0].startswith("block,"), csv[0])
        upstream = records(self.profile(program, "--format", "upstream").stdout)
        self.assertEqual(upstream[0].split("\t")[1:3], ["event_block_name", "event_name"])
        tsv = records(self.profile(program, "--format", "tsv").stdout)
        self.assertEqual(tsv[0].replace("\t", ","), csv[0])
        self.assertEqual(len(tsv), 1 + len(rows))
        markdown = self.profile(program, "--format", "markdown").stdout
        self.assertRegex(markdown, r"(?m)^\|[ :|-]+\|$")
        self.assertEqual(markdown.count("addmm.out"),
                         len([row for row in rows if row["operator"] == "addmm.out"]))

    def test_groups_add_up_to_the_run(self):
        """Within the bounds of times that XNNPACK gives in whole microseconds."""
        for program in PROGRAMS:
            for group in ("op", "module", "source", "backend"):
                if not self.runs_here(program):
                    continue
                with self.subTest(program=program, group=group):
                    rows = self.rows_of(program, "--group-by", group, "--block", "1")
                    self.assertTrue(rows)
                    for method in {row["method"] for row in rows}:
                        self.check_sum([row for row in rows if row["method"] == method])

    def check_sum(self, rows):
        least = sum(row.get("self_share", row["share"]) for row in rows)  # a tree's lines nest
        most = sum(row.get("self_share_upper", row["share_upper"]) for row in rows)
        self.assertLessEqual(least, 1 + 1e-6)
        self.assertGreaterEqual(most, 1 - 1e-6)

    def test_the_kept_trace_gives_the_same_rows(self):
        for program in PROGRAMS:
            if not self.runs_here(program):
                continue
            for form in (["--format", "jsonl"], ["--format", "table"], ["--format", "upstream"],
                         ["--format", "csv", "--group-by", "module"]):
                with self.subTest(program=program, form=form):
                    shown = self.profile(program, "-o", "kept.etdp", "--runs", 3, *form).stdout
                    pte, _, record = files_of(program)
                    again = self.ok("inspect", "kept.etdp", "--etrecord", record, "--program", pte,
                                    *form).stdout
                    self.assertEqual(shown, again)

    def test_both_kinds_of_program_show_the_same_operators(self):
        names = [[row["operator"] for row in support.json_rows(
            self.profile("mlp/portable", "--format", "json", ending=ending).stdout)]
            for ending in (0, 1)]
        self.assertEqual(names[0], names[1])

    def test_warms_up_once_by_itself(self):
        self.profile("mlp/portable", "-o", "kept.etdp", "--runs", 4)
        blocks = support.trace_of(self.folder / "kept.etdp")
        self.assertEqual([name for name, _ in blocks], ["Default"] + ["Execute"] * 4)

    def test_without_a_record_there_are_operators_but_no_lines(self):
        rows = support.json_rows(self.ok("profile", EXAMPLES / "mlp" / "portable.pte", "--format",
                                  "json", "--no-siblings").stdout)
        self.assertIn("addmm.out", [row["operator"] for row in rows])
        self.assertFalse(any(row.get("source") for row in rows))

    def test_the_record_beside_the_program_is_used(self):
        done = self.ok("profile", EXAMPLES / "mlp" / "portable.pte", "--format", "json")
        self.assertRegex(done.stderr, r"note: using \S+portable\.etrecord beside the program; "
                                      r"--no-siblings ignores it")
        self.assertTrue(any(row.get("source") for row in support.json_rows(done.stdout)))

    def test_a_record_of_another_program_beside_it_is_ignored(self):
        shutil.copy(EXAMPLES / "mlp" / "portable.pte", self.folder / "model.pte")
        shutil.copy(EXAMPLES / "mobile_cnn" / "portable.etrecord", self.folder / "model.etrecord")
        done = self.ok("profile", self.folder / "model.pte", "--format", "json")
        self.assertIn("model.etrecord: it belongs to another program or cannot be read", done.stderr)
        self.assertFalse(any(row.get("source") for row in support.json_rows(done.stdout)))

    def test_a_record_of_another_program_is_refused(self):
        pte, _, _ = files_of("mlp/portable")
        _, _, other = files_of("mobile_cnn/portable")
        done = support.call("profile", pte, "--inputs", "zeros", "--etrecord", other, "-o",
                            "kept.etdp", cwd=self.folder)
        self.assertEqual(done.returncode, support.MISMATCH, done.stderr)
        self.assertIn("the ETRecord does not belong to this program", done.stderr)  # nothing ran
        self.assertEqual(list(self.folder.iterdir()), [])
        self.ok("profile", pte, "--inputs", "zeros", "--etrecord", other, "--allow-mismatch")

    def test_mistakes(self):
        pte, _, _ = files_of("mlp/portable")
        self.fails(support.USAGE, "one program", "profile")
        self.fails(support.USAGE, "trace", "profile", pte, "--tracer", "none")
        self.fails(support.USAGE, "-o needs a file", "profile", pte, "-o", "-")
        self.fails(support.USAGE, "--format", "profile", pte, "--format", "xml")
        self.fails(support.USAGE, "--runs", "profile", pte, "--runs", 0)
        self.fails(support.INPUT, "absent.etrecord", "profile", pte, "--etrecord",
                   "absent.etrecord")
        self.fails(support.UNAVAILABLE, "/nonexistent", "profile", pte,
                   ETSCOPE_ENGINE="/nonexistent")
        self.fails(support.INTERNAL, "absent", "profile", pte, "--inputs", "zeros", "-o",
                   self.folder / "absent" / "t.etdp")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()

"""The record and the program that lie beside a trace under its name."""

import pathlib
import shutil
import unittest

import support


WITHOUT = b"note: tensors have no statistics without --debug-buffer\n"


class Siblings(support.FolderTest):
    def setUp(self):
        super().setUp()
        self.trace = self.put("mlp_xnnpack", "profile.etdp", "run.etdp")

    def put(self, model, name, target):
        return shutil.copy(support.fixture(model, name), self.folder / target)

    def inspect(self, *words):
        done = support.inspect(self.trace, *words, "--format", "csv")
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return done.stdout, done.stderr.decode()

    def test_siblings__of_the_traces_name_are_used_and_named(self):
        alone, note = self.inspect()
        self.assertEqual(note, "")
        record = self.put("mlp_xnnpack", "model.etrecord", "run.etrecord")
        joined, note = self.inspect()
        self.assertNotEqual(joined, alone)
        first, rest = note.split("\n", 1)
        self.assertEqual(first,
                         f"note: using {record} beside the trace; --no-siblings ignores it")
        self.assertEqual(self.inspect("--etrecord", record), (joined, rest))
        self.assertEqual(self.inspect("--no-siblings"), (alone, ""))
        program = self.put("mlp_xnnpack", "model.pte", "run.pte")
        both, note = self.inspect()
        self.assertIn(f"using {record} and {program} beside", note)
        self.assertEqual(both, self.inspect("--etrecord", record, "--program", program)[0])
        done = support.run("annotate", self.trace)
        self.assertIn(f"using {record} and {program}", done.stderr.decode())

    def test_siblings__of_other_names_are_left_alone(self):
        alone, _ = self.inspect()
        self.put("mlp_xnnpack", "model.etrecord", "model.etrecord")
        self.assertEqual(self.inspect(), (alone, ""))

    def test_siblings__that_disagree_are_not_joined(self):
        alone, _ = self.inspect()
        other = self.put("gpt_portable", "model.etrecord", "run.etrecord")
        found, note = self.inspect()
        self.assertEqual(found, alone)
        self.assertEqual(note, f"note: ignored {other} beside the trace: it belongs to another "
                               "trace or cannot be read\n")
        (self.folder / "run.etrecord").write_bytes(b"PK")
        self.assertEqual(self.inspect()[0], alone)

    def test_siblings__the_fingerprints_program_is_found_under_any_name(self):
        (self.folder / "runs").mkdir()
        trace = self.put("quantized", "int8.etdp", "runs/7.etdp")
        alone = support.run("inspect", trace, "--no-siblings", "--format", "csv")
        self.put("mlp_portable", "model.pte", "runs/a.pte")
        record = self.put("quantized", "int8.etrecord", "runs/b.etrecord")
        done = support.run("inspect", trace, "--format", "csv")
        self.assertEqual((done.stdout, done.stderr), (alone.stdout, alone.stderr))
        program = self.put("quantized", "int8.pte", "runs/b.pte")
        done = support.run("inspect", trace, "--format", "csv")
        self.assertIn(f"note: using {record} and {program} beside the trace; --no-siblings "
                      "ignores them\n", done.stderr.decode())
        given = support.run("inspect", trace, "--etrecord", record, "--program", program,
                            "--format", "csv")
        self.assertEqual(done.stdout, given.stdout)
        here = support.run("inspect", "7.etdp", "--format", "csv", cwd=self.folder / "runs")
        self.assertIn("note: using b.etrecord and b.pte beside", here.stderr.decode())
        pathlib.Path(program).unlink()
        self.assertNotIn(b"using", support.run("inspect", trace).stderr)

    def test_siblings__of_tensors_and_the_gap(self):
        trace = self.put("quantized", "int8.etdp", "int8.etdp")
        values = self.put("quantized", "int8.bin", "int8.bin")
        for words in (("tensors", trace), ("gap", trace, "--alignment")):
            words += "--debug-buffer", values, "--format", "csv"
            alone = support.run(*words)
            record = self.put("quantized", "int8.etrecord", "int8.etrecord")
            done = support.run(*words)
            self.assertIn(f"using {record} beside", done.stderr.decode())
            given = support.run(*words, "--etrecord", record)
            self.assertEqual(done.stdout, given.stdout)
            self.assertNotEqual(done.stdout, alone.stdout)
            refused = support.run(*words, "--no-siblings")
            self.assertEqual((refused.returncode, refused.stdout),
                             (alone.returncode, alone.stdout))
            pathlib.Path(record).unlink()

    def test_siblings__debug_buffer_of_the_trace_is_used_and_named(self):
        trace = self.put("quantized", "int8.etdp", "int8.etdp")
        alone = support.run("tensors", trace, "--format", "csv")
        self.assertEqual(alone.stderr, WITHOUT)
        refused = support.run("tensors", trace, "--show", "full")
        self.assertEqual(refused.returncode, support.USAGE, refused.stderr)
        values = self.put("quantized", "int8.bin", "int8.bin")
        done = support.run("tensors", trace, "--format", "csv")
        self.assertEqual(done.stderr.decode(), f"note: using {values} beside the trace; "
                                               "--no-siblings ignores it\n")
        given = support.run("tensors", trace, "--debug-buffer", values, "--format", "csv")
        self.assertEqual((done.stdout, given.stderr), (given.stdout, b""))
        self.assertNotEqual(done.stdout, alone.stdout)
        refused = support.run("tensors", trace, "--no-siblings", "--format", "csv")
        self.assertEqual((refused.stdout, refused.stderr), (alone.stdout, WITHOUT))

    def test_siblings__debug_buffer_of_another_run_is_ignored(self):
        trace = self.put("quantized", "int8.etdp", "int8.etdp")
        alone = support.run("tensors", trace, "--format", "csv")
        whole = support.fixture("quantized", "int8.bin").read_bytes()
        for content in (b"", whole[:len(whole) // 2], whole + 64 * b"x", b"\0" * 3):
            values = self.folder / "int8.bin"
            values.write_bytes(content)
            done = support.run("tensors", trace, "--format", "csv")
            with self.subTest(size=len(content)):
                self.assertEqual(done.stdout, alone.stdout)
                self.assertEqual(done.stderr.decode(),
                                 f"note: ignored {values} beside the trace: it is not the "
                                 "trace's debug buffer\n" + WITHOUT.decode())
        values.write_bytes(whole + b"\0" * 100)  # a buffer that was larger than needed
        done = support.run("tensors", trace, "--format", "csv")
        self.assertIn("note: using", done.stderr.decode())

    def beside(self, note):
        return [line for line in note.decode().splitlines() if "--no-siblings" in line]

    def test_siblings__of_delegates(self):
        program = self.put("mlp_xnnpack", "model.pte", "model.pte")
        alone = support.run("delegates", program, "--format", "csv")
        record = self.put("mlp_xnnpack", "model.etrecord", "model.etrecord")
        given = support.run("delegates", program, "--etrecord", record, "--format", "csv")
        done = support.run("delegates", program, "--format", "csv")
        self.assertEqual(done.stdout, given.stdout)
        self.assertNotEqual(done.stdout, alone.stdout)
        self.assertEqual(done.stderr.decode(), f"note: using {record} beside the program; "
                         "--no-siblings ignores it\n" + given.stderr.decode())
        refused = support.run("delegates", program, "--no-siblings", "--format", "csv")
        self.assertEqual((refused.stdout, refused.stderr), (alone.stdout, alone.stderr))
        done = support.run("delegates", program, self.trace, "--format", "csv")
        given = support.run("delegates", program, self.trace, "--etrecord", record, "--format",
                            "csv")
        self.assertEqual(done.stdout, given.stdout)
        pathlib.Path(record).rename(self.folder / "run.etrecord")
        beside_trace = support.run("delegates", program, self.trace, "--format", "csv")
        self.assertIn(b"run.etrecord beside the trace;", beside_trace.stderr)
        self.assertEqual(beside_trace.stdout, given.stdout)

    def test_siblings__of_another_program_are_no_delegates_record(self):
        program = self.put("mlp_xnnpack", "model.pte", "model.pte")
        alone = support.run("delegates", program)
        other = self.put("gpt_xnnpack", "model.etrecord", "model.etrecord")
        done = support.run("delegates", program)
        self.assertEqual((done.returncode, done.stdout), (support.OK, alone.stdout))
        self.assertEqual(done.stderr.decode(), f"note: ignored {other}: it belongs to another program "
                         "or cannot be read\n")
        trace = self.put("gpt_portable", "profile.etdp", "other.etdp")
        done = support.run("delegates", program, trace)
        self.assertEqual(done.returncode, support.MISMATCH)
        self.assertNotIn(b"note:", done.stderr)

    def test_siblings__are_not_blamed_for_an_unknown_method(self):
        program = self.put("mlp_xnnpack", "model.pte", "model.pte")
        self.put("mlp_xnnpack", "model.etrecord", "model.etrecord")
        for command in ("cost", "memory"):
            done = support.run(command, program, "--method", "nobody")
            self.assertEqual(done.returncode, support.USAGE)
            self.assertNotIn(b"ignored", done.stderr)

    def test_siblings__of_another_program_are_ignored_in_the_same_words(self):
        program = self.put("mlp_xnnpack", "model.pte", "model.pte")
        other = self.put("gpt_xnnpack", "model.etrecord", "model.etrecord")
        for command in ("cost", "memory", "size", "delegates"):
            self.assertIn(f"note: ignored {other}: it belongs to another program or cannot be "
                          "read\n", support.run(command, program).stderr.decode())

    def pair(self, command, *words):
        """Two builds of a model, each with its record of its own name; and the same by options."""
        traces = [self.put(model, "profile.etdp", f"{model}.etdp")
                  for model in ("gpt_portable", "gpt_xnnpack")]
        alone = support.run(command, *traces, *words)
        records = [self.put(model, "model.etrecord", f"{model}.etrecord")
                   for model in ("gpt_portable", "gpt_xnnpack")]
        done = support.run(command, *traces, *words)
        given = support.run(command, *traces, "--etrecord", records[0], "--etrecord-b", records[1],
                            *words)
        refused = support.run(command, *traces, "--no-siblings", *words)
        self.assertEqual((done.returncode, done.stdout), (given.returncode, given.stdout))
        self.assertEqual((refused.returncode, refused.stdout), (alone.returncode, alone.stdout))
        self.assertEqual(self.beside(done.stderr),
                         [f"note: using {record} beside the trace; --no-siblings ignores it"
                          for record in records])
        return traces, records, alone, done

    def test_siblings__of_both_sides_of_a_difference(self):
        traces, records, alone, done = self.pair("diff", "--format", "csv", "--allow-mismatch")
        self.assertNotEqual(done.stdout, alone.stdout)
        self.assertIn(b"delegated", done.stdout)
        one = support.run("diff", *traces, "--etrecord", records[0])
        self.assertEqual(self.beside(one.stderr), [])

    def test_siblings__of_the_budgets_traces(self):
        budget = self.folder / "budget.txt"
        budget.write_text("total p50 <= +1000%\n")
        _, _, alone, done = self.pair("gate", "--budget", budget, "--undecided", "pass")
        self.assertEqual((alone.returncode, done.returncode), (support.OK, support.OK))

    def test_siblings__of_one_side_serve_both(self):
        """Two runs of a program, one of which has the record."""
        other = self.put("mlp_xnnpack", "profile.etdp", "other.etdp")
        record = self.put("mlp_xnnpack", "model.etrecord", "run.etrecord")
        program = self.put("mlp_xnnpack", "model.pte", "run.pte")
        for words in (("diff", self.trace, other), ("diff", other, self.trace)):
            done = support.run(*words, "--format", "csv")
            given = support.run(*words, "--etrecord", record, "--program", program, "--format",
                                "csv")
            self.assertEqual((done.returncode, done.stdout), (support.OK, given.stdout))
            self.assertIn(f"using {record} and {program} beside {self.trace};", done.stderr.decode())

    def test_siblings__of_one_side_that_disagree_with_the_other_are_left_out(self):
        """Operators that a program names would be others than the unnamed ones."""
        trace = self.put("map_loop", "profile.etdp", "map.etdp")
        for pair in ((self.trace, trace), (trace, self.trace)):
            words = "diff", *pair, "--allow-mismatch", "--format", "csv"
            alone = support.run(*words, "--no-siblings")
            self.put("map_loop", "model.pte", "map.pte")
            done = support.run(*words)
            self.assertEqual((done.returncode, done.stdout), (alone.returncode, alone.stdout))
            which = "first" if pair[0] == self.trace else "second"
            self.assertIn(f"no ETRecord or program fits the {which} trace", done.stderr.decode())

    def test_siblings__of_traces_that_are_summarized(self):
        record = self.put("mlp_xnnpack", "model.etrecord", "run.etrecord")
        before = self.put("mlp_xnnpack", "profile.etdp", "before.etdp")
        after = self.put("mlp_xnnpack", "profile.etdp", "zulu.etdp")
        for traces in ([self.trace], [before, self.trace, after], [self.folder]):
            words = "summary", *traces, "--format", "csv"
            done = support.run(*words)
            given = support.run(*words, "--etrecord", record)
            self.assertEqual(done.stdout, given.stdout)
            self.assertEqual(len(self.beside(done.stderr)), 1)
            self.assertIn(f"using {record} beside ", done.stderr.decode())
            self.assertNotEqual(done.stdout, support.run(*words, "--no-siblings").stdout)

    def test_siblings__of_many_traces_are_not_all_named(self):
        for i in range(9):
            self.put("mlp_xnnpack", "profile.etdp", f"{i}.etdp")
            self.put("mlp_xnnpack", "model.etrecord", f"{i}.etrecord")
        done = support.run("sql", "select count(*) from records", self.folder, "--format", "csv")
        self.assertEqual(done.stdout.split(), [b"count(*)", b"9"])
        self.assertEqual(len(self.beside(done.stderr)), 3)
        self.assertEqual(done.stderr.count(b"the same for other traces"), 1)

    def test_siblings__of_traces_that_are_queried(self):
        query = "select * from source_times"
        other = self.put("gpt_portable", "profile.etdp", "gpt.etdp")
        records = [self.put("mlp_xnnpack", "model.etrecord", "run.etrecord"),
                   self.put("gpt_portable", "model.etrecord", "gpt.etrecord")]
        words = "sql", query, self.trace, other, "--format", "csv"
        done = support.run(*words)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        given = support.run(*words, "--etrecord", records[0], "--etrecord", records[1])
        self.assertEqual(done.stdout, given.stdout)
        alone = support.run(*words, "--no-siblings")
        self.assertNotEqual(done.stdout, alone.stdout)
        mixed = support.run("sql", query, self.trace, records[0], "--format", "csv")
        self.assertEqual(self.beside(mixed.stderr), [])

    def test_siblings__that_agree_cost_one_reading(self):
        """What decides which files belong to the trace is the inspection that is shown."""
        wrong = support.run("inspect", self.trace, "--method", "nobody")
        self.assertEqual(wrong.returncode, support.USAGE)
        self.put("mlp_xnnpack", "model.etrecord", "run.etrecord")
        wrong = support.run("inspect", self.trace, "--method", "nobody")
        self.assertEqual(wrong.returncode, support.USAGE)
        self.assertIn(b"no method nobody; there are: forward", wrong.stderr)
        right = support.run("inspect", self.trace, "--method", "forward")
        self.assertIn(b"using ", right.stderr)
        cost = support.run("inspect", self.trace, "--subtract-overhead")
        self.assertNotIn(b"does not belong", cost.stderr)

    def test_siblings__upstreams_table_knows_none(self):
        plain = support.run("inspect", self.trace, "--format", "upstream")
        self.put("mlp_xnnpack", "model.etrecord", "run.etrecord")
        again = support.run("inspect", self.trace, "--format", "upstream")
        self.assertEqual((plain.stdout, again.stderr), (again.stdout, b""))

    def test_siblings__of_what_is_no_trace_nothing_is_said(self):
        """The answer is that it is no trace; a record beside it does not come first."""
        shutil.copy(support.fixture("mlp_xnnpack", "model.etrecord"), self.folder)
        for name in ("model.pte", "model.bpte", "model.etrecord"):
            path = self.put("mlp_xnnpack", name, name) if name != "model.etrecord" else self.folder / name
            done = support.inspect(path)
            self.assertEqual(done.returncode, support.INPUT)
            self.assertRegex(done.stderr.decode(), r"\Aetscope: \S+: byte 0: not an ETDump but .*\n\Z")


if __name__ == "__main__":
    unittest.main()

"""The record and the program that lie beside a trace under its name."""

import pathlib
import shutil
import tempfile
import unittest

import support


class Siblings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
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
                         f"note: using {record}, beside the trace; --no-siblings leaves it out")
        self.assertEqual(self.inspect("--etrecord", record), (joined, rest))
        self.assertEqual(self.inspect("--no-siblings"), (alone, ""))
        program = self.put("mlp_xnnpack", "model.pte", "run.pte")
        both, note = self.inspect()
        self.assertIn(f"using {record} and {program}, beside", note)
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
        self.assertEqual(note, f"note: {other}, beside the trace, does not belong to it or cannot be "
                               "read\n")
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
        self.assertIn(f"note: using {record} and {program}, beside the trace; --no-siblings leaves "
                      "them out\n", done.stderr.decode())
        given = support.run("inspect", trace, "--etrecord", record, "--program", program,
                            "--format", "csv")
        self.assertEqual(done.stdout, given.stdout)
        here = support.run("inspect", "7.etdp", "--format", "csv", cwd=self.folder / "runs")
        self.assertIn("note: using b.etrecord and b.pte,", here.stderr.decode())
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
            self.assertIn(f"using {record}, beside", done.stderr.decode())
            given = support.run(*words, "--etrecord", record)
            self.assertEqual(done.stdout, given.stdout)
            self.assertNotEqual(done.stdout, alone.stdout)
            refused = support.run(*words, "--no-siblings")
            self.assertEqual((refused.returncode, refused.stdout),
                             (alone.returncode, alone.stdout))
            pathlib.Path(record).unlink()

    def test_siblings__upstreams_table_knows_none(self):
        plain = support.run("inspect", self.trace, "--format", "upstream")
        self.put("mlp_xnnpack", "model.etrecord", "run.etrecord")
        again = support.run("inspect", self.trace, "--format", "upstream")
        self.assertEqual((plain.stdout, again.stderr), (again.stdout, b""))


if __name__ == "__main__":
    unittest.main()

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

    def test_siblings__gap_needs_no_etrecord_option(self):
        self.put("mlp_xnnpack", "debug.etdp", "run.etdp")
        words = ("gap", self.trace, "--debug-buffer", support.fixture("mlp_xnnpack", "debug.bin"),
                 "--alignment")
        done = support.run(*words)
        self.assertEqual(done.returncode, support.USAGE)
        self.assertIn("gap needs --etrecord", done.stderr.decode())
        record = self.put("mlp_xnnpack", "model.etrecord", "run.etrecord")
        done = support.run(*words)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertIn(f"note: using {record}, beside the trace", done.stderr.decode())
        self.assertEqual(support.run(*words, "--no-siblings").returncode, support.USAGE)

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

    def test_siblings__upstreams_table_knows_none(self):
        plain = support.run("inspect", self.trace, "--format", "upstream")
        self.put("mlp_xnnpack", "model.etrecord", "run.etrecord")
        again = support.run("inspect", self.trace, "--format", "upstream")
        self.assertEqual((plain.stdout, again.stderr), (again.stdout, b""))


if __name__ == "__main__":
    unittest.main()

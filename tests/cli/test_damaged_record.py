"""Records that are damaged or odd: what is said of which file."""

import pathlib
import tempfile
import unittest
import zipfile

import support

MODEL = "mlp_xnnpack"
EDGE = "edge_dialect_exported_program/forward"


class OddRecord(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.record = pathlib.Path(folder.name) / "odd.etrecord"

    def change(self, function, entry=EDGE):
        original = support.fixture(MODEL, "model.etrecord")
        with zipfile.ZipFile(original) as source:
            data = function(source.read(entry))
        support.replace_entries(original, self.record, {entry: data})

    def test_record__a_path_that_is_no_utf8_is_shown_with_a_replacement_character(self):
        self.change(lambda graph: graph.replace(b"models/zoo.py", rb"models/\udce9/zoo.py"))
        done = support.inspect(support.fixture(MODEL, "profile.etdp"), "--etrecord", self.record,
                               "--format", "json")
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertIn("models/\ufffd/zoo.py", done.stdout.decode())

    def test_record__its_damage_is_its_own_in_every_command(self):
        self.change(lambda graph: graph.replace(b'"nodes"', b'"no', 1))
        trace, debug = (support.fixture(MODEL, name) for name in ("profile.etdp", "debug.etdp"))
        record = "--etrecord", self.record
        program = support.fixture(MODEL, "model.pte")
        buffer = "--debug-buffer", support.fixture(MODEL, "debug.bin")
        for words in (("inspect", trace, *record), ("annotate", trace, *record),
                      ("inspect", trace, *record, "--tree"),
                      ("summary", trace, *record), ("diff", trace, trace, *record),
                      ("sql", "select * from operators", trace, *record),
                      ("tensors", debug, *buffer, *record), ("gap", debug, *buffer, *record),
                      ("delegates", program, trace, *record),
                      ("export", program, *record, "--to", "dot", "-o", "-")):
            done = support.run(*words)
            if done.returncode == support.UNAVAILABLE:
                continue
            with self.subTest(words=words[0]):
                said = done.stderr.decode()
                self.assertEqual(done.returncode, support.INPUT, said)
                self.assertIn(f"etscope: {self.record}: byte ", said)
                self.assertNotIn("--partial", said)

    def test_record__its_damage_is_its_own_beside_many_traces(self):
        self.change(lambda graph: graph.replace(b'"nodes"', b'"no', 1))
        traces = [support.fixture(MODEL, "profile.etdp")] * 40
        done = support.run("summary", *traces, "--etrecord", self.record)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, support.INPUT, said)
        self.assertIn(f"etscope: {self.record}: byte ", said)

    def test_record__of_two_the_damaged_one_is_named(self):
        self.change(lambda graph: graph.replace(b'"nodes"', b'"no', 1))
        whole = support.fixture(MODEL, "model.etrecord")
        trace = support.fixture(MODEL, "profile.etdp")
        done = support.run("diff", trace, trace, "--etrecord", whole, "--etrecord-b", self.record)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, support.INPUT, said)
        self.assertIn(f"etscope: {self.record}: byte ", said)

    def test_record__damage_of_its_aten_program_is_its_own(self):
        self.change(lambda graph: graph[:-1], "exported_program")
        done = support.run("gap", support.fixture(MODEL, "debug.etdp"), "--debug-buffer",
                           support.fixture(MODEL, "debug.bin"), "--etrecord", self.record)
        self.assertEqual(done.returncode, support.INPUT)
        self.assertIn(f"etscope: {self.record}: byte ", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()

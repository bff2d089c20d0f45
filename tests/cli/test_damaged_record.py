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


if __name__ == "__main__":
    unittest.main()

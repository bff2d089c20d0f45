"""Work that is on no line of the model is named for what it is, as far as files tell."""

import json
import pathlib
import tarfile
import tempfile
import unittest
import zipfile

import support
from support import DATA, fixture, replace_entries

MACHINERY = "site-packages/torch/_dynamo/functional_export.py"


def groups(model, by, trace="profile.etdp", record=None):
    record = record or fixture(model, "model.etrecord")
    done = support.inspect(fixture(model, trace), "--etrecord", record, "--program",
                           fixture(model, "model.pte"), "--group-by", by, "--format", "json")
    assert done.returncode == support.OK, done.stderr
    found = set()
    for row in json.loads(done.stdout)["rows"]:
        found.update(row[by] if isinstance(row[by], list) else [row[by]])
    return found


class Elsewhere(unittest.TestCase):
    def test_elsewhere__what_the_exporter_put_into_a_delegate(self):
        for by in ("source", "module"):
            found = groups("conv_xnnpack", by)
            self.assertIn("(XnnpackBackend, layout conversions)", found)
            self.assertNotIn("(not in the record)", found)

    def test_elsewhere__loops_and_conditions(self):
        self.assertLessEqual({"(sizes and conditions)", "(results of a loop, copied)",
                              "(a loop's slices)", "(control flow)"}, groups("map_loop", "source"))

    def test_elsewhere__a_batch_norm_alone_has_its_module(self):
        """Its convolution has no handle in the payload, but the call has one batch norm. The model
        is a bare container: the record has lines of the export's machinery alone."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            with tarfile.open(DATA / "delegates" / "sweep.tar.xz") as archive:
                archive.extractall(folder)
            rows = support.rows(folder / "avx512" / "batch_norm_alone.etdp", "--etrecord",
                                folder / "batch_norm_alone.etrecord", "--program",
                                folder / "batch_norm_alone.pte")
        (convolution,) = [row for row in rows if row["operator"].startswith("Convolution")]
        self.assertEqual(convolution["op_types"],
                         ["aten._native_batch_norm_legit_no_training.default"])
        self.assertEqual((convolution["module"], convolution["source"]), (["1"], []))

    def test_elsewhere__frames_of_the_export_are_no_line(self):
        """Where nothing else is on the stack, the module is shown."""
        record = fixture("mlp_portable", "model.etrecord")
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(record) as source:
            changed = pathlib.Path(folder) / "changed.etrecord"
            replace_entries(record, changed, {
                name: source.read(name).replace(b"models/zoo.py", MACHINERY.encode())
                .replace(b"site-packages/torch/nn", b"site-packages/torch/_dynamo/nn")
                for name in source.namelist() if name.startswith("edge") and
                name.endswith("/forward")})
            rows = support.rows(fixture("mlp_portable", "profile.etdp"), "--etrecord", changed)
            self.assertEqual({tuple(row["source"]) for row in rows}, {()})
            found = groups("mlp_portable", "source", record=changed)
        self.assertTrue(any(name.startswith("(no line in the record: ") for name in found), found)


if __name__ == "__main__":
    unittest.main()

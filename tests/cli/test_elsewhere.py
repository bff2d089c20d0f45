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


def state(program, trace, *words):
    folder = DATA / "state"
    return support.rows(folder / f"{trace}.etdp", "--etrecord", folder / f"{program}.etrecord",
                        "--program", folder / f"{program}.pte", *words)


class WriteBack(unittest.TestCase):
    """The copy that an export adds behind a method for a buffer that it changes."""

    NAME = "(write-back of mutated buffers)"

    def test_elsewhere__the_write_back_is_named_in_every_group(self):
        (copy,) = [row for row in state("cache", "cache") if row["operator"] == "copy_"]
        self.assertEqual((copy["instruction"], copy["debug_handles"], copy["source"]), (3, [], []))
        for by in "source", "file", "module", "debug_handle":
            with self.subTest(by=by):
                rows = state("cache", "cache", "--group-by", by.removeprefix("debug_"))
                (line,) = [row for row in rows if row[by] == [self.NAME]]
                self.assertEqual((line["calls"], line["mid_ns"]), (1, copy["mid_ns"]))
                self.assertNotIn(["(not in the record)"], [row[by] for row in rows])

    def test_elsewhere__the_lines_and_the_write_back_add_up(self):
        rows = [row for row in state("cache", "cache", "--group-by", "source")
                if row["block"] == "Execute"]
        self.assertEqual({row["source"][0] for row in rows},
                         {"models/make.py:51", "models/make.py:52", self.NAME,
                          "(between operators)"})
        self.assertAlmostEqual(sum(row["share"] for row in rows), 1)

    def test_elsewhere__annotate_names_it(self):
        folder = DATA / "state"
        done = support.run("annotate", folder / "cache.etdp", "--etrecord",
                           folder / "cache.etrecord", "--format", "json")
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertIn(self.NAME, [line["code"] for line in json.loads(done.stdout)["rows"]])

    def test_elsewhere__a_method_that_does_nothing_else_fits_its_record(self):
        rows = state("changed", "set", "--group-by", "source")
        self.assertEqual([row["source"] for row in rows if row["calls"]], [[self.NAME]])


class Elsewhere(unittest.TestCase):
    def test_elsewhere__what_the_exporter_put_into_a_delegate(self):
        for by in ("source", "module"):
            found = groups("conv_xnnpack", by)
            self.assertIn("(XnnpackBackend, layout conversions)", found)
            self.assertNotIn("(not in the record)", found)

    def test_elsewhere__loops_and_conditions(self):
        self.assertLessEqual({"(sizes and conditions)", "(results of a loop, copied)",
                              "(a loop's slices)", "(control flow)"}, groups("map_loop", "source"))

    def test_elsewhere__without_a_record_no_record_is_blamed(self):
        """A model may select by itself, so that is no loop's slice either."""
        for by in "source", "module", "part", "layer":
            with self.subTest(by=by):
                done = support.inspect(fixture("map_loop", "profile.etdp"), "--no-siblings", "--group-by", by)
                self.assertEqual(done.returncode, support.OK, done.stderr)
                self.assertIn(b"(no ETRecord)", done.stdout)
                self.assertNotIn(b"(not in the record)", done.stdout)
                self.assertNotIn(b"(a loop's slices)", done.stdout)
                self.assertIn(b"source lines need --etrecord model.etrecord", done.stderr)

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

"""Traces of delegates beside the ETRecord of another model with the same instructions."""

import json
import unittest
import zipfile

import run_support
import support

XNNPACK = ("conv_xnnpack", "conv_xnnpack_int8", "linear_fp32_xnnpack", "linear_int8_xnnpack", "mlp_xnnpack")


@unittest.skipUnless(run_support.have_records(), "this build reads no ETRecords")
class OtherModels(support.FolderTest):
    def inspect(self, model, record):
        return support.run("inspect", support.DATA / model / "profile.etdp", "--etrecord", record, "--format", "json")

    def test_other_models__records_of_others_are_refused(self):
        for model in XNNPACK:
            for other in XNNPACK:
                with self.subTest(model=model, other=other):
                    done = self.inspect(model, support.DATA / other / "model.etrecord")
                    self.assertEqual(done.returncode, 0 if other == model else 4, done.stderr)

    def with_handles(self, change):
        """The record of mlp_xnnpack with another map of handles."""
        changed = self.folder / "changed.etrecord"
        with zipfile.ZipFile(support.DATA / "mlp_xnnpack/model.etrecord") as record, \
                zipfile.ZipFile(changed, "w") as written:  # fmt: skip
            for name in record.namelist():
                data = record.read(name)
                if name == "debug_handle_map":
                    handles = json.loads(data)
                    handles["forward"]["0"] = change(handles["forward"]["0"])
                    data = json.dumps(handles)
                written.writestr(name, data)
        return changed

    def test_other_models__what_passes_changed_is_not_compared(self):
        """Passes after the graph was recorded add nodes with the handle of the node that they replace."""
        done = self.inspect("linear_fp32_xnnpack", self.with_handles(lambda handles: handles))
        self.assertIn(b"multiplied 1 times (convolutions, matrix products), but the record's forward has 2 such "
                      b"nodes there", done.stderr)
        done = self.inspect("linear_fp32_xnnpack", self.with_handles(lambda handles: handles + handles[:1]))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_other_models__the_graph_that_passes_gave_is_joined(self):
        folder = support.DATA / "transformed"
        done = support.run("inspect", folder / "split.etdp", "--etrecord", folder / "split.etrecord",
                           "--program", folder / "split.pte", "--format", "json")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["operator"]: row for row in json.loads(done.stdout)["rows"]}
        slices = rows["Slice (ND, X32) #3"]
        self.assertEqual(slices["module"], ["m"])
        self.assertIn("aten.slice_copy.Tensor", slices["op_types"])


if __name__ == "__main__":
    unittest.main()

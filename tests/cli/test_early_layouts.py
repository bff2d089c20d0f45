"""Files of early versions of ExecuTorch, which current runtimes do not read either, are called by their layout."""

import json
import struct
import unittest
import zipfile

import support
from large_files import vector
from support import INPUT, OK


class EarlyLayouts(support.FolderTest):
    def test_early_layouts__tensor_data_by_name(self):
        dump = support.Dump()
        dump.data = bytearray(48)
        struct.pack_into("<4s4sI", dump.data, 4, b"FT01", b"FH01", 40)
        root, references = dump.table({1: ("<I", 16), 2: ("ref", 0), 3: ("ref", 0)})
        struct.pack_into("<I", dump.data, 0, root)
        (place,) = vector(dump, references[2], 1)
        at, inner = dump.table({0: ("ref", 0), 1: ("<b", 6)})
        dump.point(place, at)
        dump.text(inner[0], "weight")
        (place,) = vector(dump, references[3], 1)
        at, _ = dump.table({0: ("<Q", 0), 1: ("<Q", 16)})
        dump.point(place, at)
        struct.pack_into("<QQQQ", dump.data, 16, 48, len(dump.data) - 48, 256, 16)
        path = self.folder / "early.ptd"
        path.write_bytes(bytes(dump.data).ljust(272, b"\0"))
        done = support.run("info", path)
        self.assertEqual(done.returncode, INPUT, done.stderr)
        self.assertIn(b"tensor data file of an early layout (ExecuTorch 0.5)", done.stderr)

    def test_early_layouts__graphs_of_2023(self):
        node = {"target": "torch.ops.aten.add.Tensor", "inputs": [], "outputs": [], "metadata": {}}
        graph = {"graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": [node]}}}
        path = self.folder / "early.etrecord"
        with zipfile.ZipFile(path, "w") as record:
            record.writestr("ETRECORD_V0", b"")
            record.writestr("edge_dialect_exported_program/forward", json.dumps(graph))
            record.writestr("edge_dialect_exported_program/forward_state_dict", b"")
            record.writestr("debug_handle_map", b"{}")
            record.writestr("delegate_map", b"{}")
        done = support.run("info", path)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertIn(done.returncode, (OK, INPUT))
        self.assertIn(b"graphs of 2023 are written so; export the model again", done.stderr)


if __name__ == "__main__":
    unittest.main()

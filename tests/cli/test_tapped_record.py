"""A record of an export with taps of executorch.devtools.intermediate_output_tap is read."""

import json
import pathlib
import tempfile
import unittest
import zipfile

import support
import target_support

MLP = support.DATA / "mlp_portable"
AFTER = {"exported_program": "linear", "edge_dialect_exported_program/forward": "aten_addmm_default"}


def tap(text, source, reducer):
    """A program's JSON with a tap behind the node `source`, which is an output, too."""
    program = json.loads(text)
    graph = program["graph_module"]["graph"]
    at = [node["name"] for node in graph["nodes"]].index(source)
    value = {"as_tensor": {"name": "tap_tensor"}}
    inputs = [{"name": "x", "kind": 1, "arg": {"as_tensor": {"name": source}}},
              {"name": "reducer_name", "kind": 1, "arg": {"as_string": reducer}}]
    graph["nodes"].insert(at + 1, {**graph["nodes"][at], "name": "tap_tensor", "inputs": inputs,
                                   "target": "torch.ops.executorch_devtools.tap.Tensor",
                                   "outputs": [value]})
    graph["tensor_values"]["tap_tensor"] = graph["tensor_values"][source]
    graph["outputs"].append(value)
    program["graph_module"]["signature"]["output_specs"].append({"user_output": {"arg": value}})
    return json.dumps(program).encode()


class TappedRecord(unittest.TestCase):
    def record(self, reducer="FULL_TENSOR"):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "tapped.etrecord"
        with zipfile.ZipFile(MLP / "model.etrecord") as source, zipfile.ZipFile(path, "w") as out:
            for name in source.namelist():
                data = source.read(name)
                out.writestr(name, tap(data, AFTER[name], reducer) if name in AFTER else data)
        return path

    def gap(self, record):
        return support.run("gap", MLP / "debug.etdp", "--etrecord", record, "--debug-buffer", MLP / "debug.bin",
                           "--allow-uncompared")

    def test_tapped_record__is_joined(self):
        columns = ("-c", "event,source,module", "-f", "csv", "--no-siblings")
        plain, tapped = (support.run("inspect", MLP / "debug.etdp", "--etrecord", record, *columns).stdout
                         for record in (MLP / "model.etrecord", self.record()))
        self.assertEqual(tapped, plain)
        self.assertIn(b"zoo.py", plain)
        done = support.run("info", self.record())
        self.assertIn(b"exported_program: 5 nodes", done.stdout)

    @unittest.skipUnless(target_support.has_engine(), "gap needs the engine")
    def test_tapped_record__values_behind_taps_are_compared(self):
        for reducer in ("FULL_TENSOR", "STATS"):
            with self.subTest(reducer):
                done = self.gap(self.record(reducer))
                self.assertEqual(done.returncode, support.OK, done.stderr)
                self.assertIn(b"all 3 values agree", done.stdout)
                self.assertIn(b"1 of 2 outputs were not compared (tap_tensor: it was not captured)", done.stdout)


if __name__ == "__main__":
    unittest.main()

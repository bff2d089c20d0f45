"""`export` of graphs: names that would be markup, or no text, in DOT and for Model Explorer."""

import json
import shutil
import subprocess
import unittest
import zipfile

import support

GRAPH = "edge_dialect_exported_program/forward"
ENTRY = 'x"}];<b>\\"\\N\\l\u0001\u001b[2J\u0085\u202e\n\\'
NODES = {"aten_addmm_default": ENTRY, "aten_relu_default": "a\u0000b", "aten_permute_copy_default": "<i>"}
METHOD = (b"forward\0", b'"<\x01\xff>\\\n\0')
OPERATOR = (b"aten::relu\0", b'\\"];}\xc3<\x1b\r/\0')


class Hostile(support.ExportTest):
    def record(self):
        """The nodes of a record with other names."""
        record = self.folder / "hostile.etrecord"
        source = support.fixture("mlp_portable", "model.etrecord")
        with zipfile.ZipFile(source) as old:
            text = old.read(GRAPH).decode()
        for before, after in NODES.items():
            self.assertIn(f'"{before}"', text)
            text = text.replace(f'"{before}"', json.dumps(after))
        support.replace_entries(source, record, {GRAPH: text.encode()})
        return record

    def program(self, *names):
        """A program whose method and an operator have other names of the same length."""
        path = self.folder / "hostile.pte"
        data = support.fixture("mlp_portable", "model.pte").read_bytes()
        for before, after in names:
            self.assertEqual(len(before), len(after))
            self.assertIn(before, data)
            data = data.replace(before, after)
        path.write_bytes(data)
        return path

    def check_text(self, text):
        for letter in text.decode():  # UTF-8
            self.assertTrue(letter == "\n" or letter >= " ", text)

    def check_collection(self, text):
        graphs = json.loads(text)["graphs"]
        for graph in graphs:
            ids = [node["id"] for node in graph["nodes"]]
            self.assertEqual(len(ids), len(set(ids)))
            for node in graph["nodes"]:
                self.assertLessEqual({edge["sourceNodeId"] for edge in node["incomingEdges"]}, set(ids))
        return graphs

    def check_dot(self, text, graphs):
        """Graphviz finds the nodes and edges of the other format."""
        if shutil.which("dot") is None:
            self.skipTest("Graphviz (dot) is missing")
        done = subprocess.run(["dot", "-Tjson0"], input=text, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        objects = json.loads(done.stdout, strict=False)
        nodes = [each for each in objects["objects"] if "nodes" not in each and "subgraphs" not in each]
        self.assertEqual(len(nodes), sum(len(graph["nodes"]) for graph in graphs))
        edges = sum(len(node["incomingEdges"]) for graph in graphs for node in graph["nodes"])
        self.assertEqual(len(objects["edges"]), edges)

    def test_hostile__names_of_a_record(self):
        text = self.export("model-explorer", self.record())
        self.check_text(text)
        graphs = [graph for graph in self.check_collection(text) if graph["id"] != "exported program"]
        ids = {node["id"] for graph in graphs for node in graph["nodes"]}
        self.assertLessEqual(set(NODES.values()), ids)
        dot = self.export("dot", self.record())
        self.check_text(dot)
        self.check_dot(dot, graphs)

    def test_hostile__names_of_a_program(self):
        program = self.program(METHOD, OPERATOR)
        text = self.export("model-explorer", program)
        self.check_text(text)
        graphs = self.check_collection(text)
        self.assertEqual(graphs[0]["id"], '"<\x01\ufffd>\\\n')
        labels = {node["label"] for node in graphs[0]["nodes"]}
        self.assertTrue(any(label.startswith('\\"];}\ufffd<\x1b\r/') for label in labels), labels)
        dot = self.export("dot", program)
        self.check_text(dot)
        self.check_dot(dot, graphs)

    def test_hostile__times_have_the_names_of_the_graphs(self):
        program = self.program(METHOD)
        trace = support.fixture("mlp_portable", "profile.etdp")
        times = json.loads(self.export("model-explorer-data", trace, "--program", program, "--allow-mismatch"))
        self.assertEqual(list(times), ['"<\x01\ufffd>\\\n'])


if __name__ == "__main__":
    unittest.main()

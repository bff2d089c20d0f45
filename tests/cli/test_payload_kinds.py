"""Payloads whose operators are not stored: what they are, how many bytes, and never "no operators"."""

import struct
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import support
from bomb_support import Bomb, delegate_calls
from support import DATA, OK

AOTI = DATA / "payload_truth" / "aoti" / "lin_standin" / "model.pte"


def qnn_context(graphs, nodes):
    """A context binary of QNN: its metadata, and records that name nodes."""
    bomb = Bomb(b"    ")
    root = bomb.root({0: ("ref", None)})
    binary, parts = bomb.table({2: ("ref", None)})
    bomb.point(root[0], binary)
    info, inner = bomb.table({1: ("ref", None), 9: ("<I", len(graphs)), 10: ("ref", None)})
    bomb.point(parts[2], info)
    bomb.text(inner[1], "v2.28.0.1")
    for place, name in zip(bomb.vector(inner[10], len(graphs)), graphs):
        for slot in (2, 0, 0):
            table, refs = bomb.table({slot: ("ref", None)})
            bomb.point(place, table)
            place = refs[slot]
        graph, refs = bomb.table({0: ("ref", None), 2: ("ref", None), 4: ("ref", None)})
        bomb.point(place, graph)
        bomb.text(refs[0], name)
        bomb.vector(refs[2], 0)
        bomb.vector(refs[4], 0)
    bomb.align(8)
    meta, blob = bytes(bomb.data), bytearray(16)
    for number, name in enumerate(nodes):
        blob += struct.pack("<III", number, 4, len(name)) + name.encode() + bytes(1)
        blob += bytes(-len(blob) % 4)
    head = struct.pack(">4I", 2, 3, 0, 1) + struct.pack(
        "<3Q", len(meta), 40 + len(meta), len(blob))
    return head + meta + bytes(blob)


def qnn_payload(context, header):
    start = struct.pack("<IqQ", 0x5678ABCD, 1, len(context))
    return start + bytes(header - len(start)) + context


class Kinds(unittest.TestCase):
    def setUp(self):
        self.folder = TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "model.pte"

    def delegates(self, backend, held):
        """What `delegates` says of a program with one call of the backend."""
        delegate_calls(self.path, 1, backend, held)
        done = support.run("delegates", self.path)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertNotIn("0 operators", done.stdout.decode())
        return done.stderr.decode()

    def info(self):
        done = support.run("info", self.path)
        self.assertEqual(done.returncode, OK, done.stderr)
        return done.stdout.decode()

    def test_qnn__tells_graphs_and_groups_names(self):
        nodes = ["aten_mul_tensor_1", "aten_mul_tensor_12", "aten_convolution_default_3",
                 "input_0"]
        for header in (20, 256):
            said = self.delegates("QnnBackend",
                                  qnn_payload(qnn_context(["kv", "prefill"], nodes), header))
            self.assertIn("a QNN context binary of 2 graphs does not keep its operators; about 4 "
                          "names of nodes: mul 2, convolution 1", said)
            self.assertIn("QNN context binary, operators not read", self.info())

    def test_qnn__other_versions_are_no_mistake(self):
        said = self.delegates("QnnBackend", qnn_payload(bytes(range(256)) * 4, 256))
        self.assertIn("a QNN context binary does not keep its operators; about 0 names", said)

    def test_qnn__sizes_that_do_not_fit_are_told(self):
        said = self.delegates("QnnBackend", qnn_payload(bytes(100), 100))
        self.assertIn("states a context binary of 100 bytes, and has 200", said)

    def test_backends__are_told_by_bytes_and_by_name(self):
        graph = bytes(4) + b"MP00" + bytes(32)
        for backend, held, kind in (
                ("MPSBackend", graph, "MPS graph"),
                ("NeuropilotBackend", struct.pack("<BIII", 1, 1, 1, 20) + bytes(20),
                 "NeuroPilot network"),
                ("EnnBackend", b"NNC" + bytes(61), "Samsung ENN network"),
                ("NeutronBackend", bytes(64), "Neutron network"),
                ("CoreAIBackend", b'{"packaging": 1}', "Core AI manifest"),
                ("CudaBackend", b"ETCUDAFQN3" + bytes(8), "AOTInductor keys")):
            with self.subTest(backend):
                self.assertIn(f"its payload ({kind}) does not tell its operators",
                              self.delegates(backend, held))
                self.assertIn(f"{kind}, operators not read", self.info())

    def test_backends__unknown_ones_are_not_read(self):
        self.assertIn("this backend's payload cannot be read",
                      self.delegates("OtherBackend", bytes(range(64))))
        self.assertIn("OtherBackend: 1, 64 B, operators not read", self.info())

    def test_aoti__library_and_weights_are_listed_apart(self):
        done = support.run("size", AOTI, "--no-siblings", "--format", "json")
        self.assertEqual(done.returncode, OK, done.stderr)
        found = {row["content"]: (row["part"], row["size_bytes"])
                 for row in support.json_rows(done.stdout)
                 if row["backend"] == "CpuStandInBackend"}
        self.assertEqual(set(found), {"compiled library", "weights", "AOTInductor keys"})
        self.assertEqual(found["AOTInductor keys"], ("delegate_payload", 150))
        self.assertEqual(found["compiled library"][0], "delegate_payload")
        self.assertEqual(found["weights"][0], "delegate_weight")
        self.assertGreater(found["compiled library"][1], 300_000)
        # 2,048 and 1,024 bytes of layers, one bias, and padding: small ones are in the library
        self.assertGreaterEqual(found["weights"][1], 2048 + 1024 + 32)


if __name__ == "__main__":
    unittest.main()

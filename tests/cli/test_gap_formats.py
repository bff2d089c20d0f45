"""`etscope gap` of models that are partly or wholly quantized or in half precision."""

import io
import json
import math
import struct
import unittest
import zipfile

import run_support as support
from support import json_rows, replace_entries
from gap_support import GapTest

TORCHAO = support.DATA / "torchao"
SCHEMES = ("8da4w", "8da8w", "int4_weights", "int8_weights")


def scheme_files(name, record=None):
    """The words that name the trace of a model that torchao quantized."""
    return (TORCHAO / f"{name}.etdp", "--etrecord", record or TORCHAO / f"{name}.etrecord",
            "--debug-buffer", TORCHAO / f"{name}.bin")


def rename_attribute(record, old, new, target):
    """Another record, whose quantized weights have an attribute of another name."""
    outer = io.BytesIO()
    with zipfile.ZipFile(record) as whole:
        saved = whole.read("exported_program_state_dict")
    with zipfile.ZipFile(io.BytesIO(saved)) as source, zipfile.ZipFile(outer, "w") as inner:
        for name in source.namelist():
            data = source.read(name)
            inner.writestr(name, data.replace(old, new) if name.endswith("data.pkl") else data)
    replace_entries(record, target, {"exported_program_state_dict": outer.getvalue()})


class Torchao(GapTest):
    """Weights of tensor subclasses: what upstream's Inspector says of the same files."""

    def check(self, rows, golden):
        for row, expected in zip(rows, golden, strict=True):
            (snr,) = expected["gap"]
            if snr is None or snr > 100:
                self.assertTrue(row["snr"] is None or row["snr"] > 100, row)
            else:
                self.assertAlmostEqual(row["snr"], snr, delta=0.1)

    def test_gap__quantized_weights_are_as_upstream_has_them(self):
        golden = json.loads((TORCHAO / "gaps.json").read_text())
        for scheme in SCHEMES:
            with self.subTest(scheme=scheme):
                rows = self.gap(*scheme_files(scheme))
                self.check([row for row in rows if row["instruction"] is not None],
                           golden[scheme]["SNR"])

    def test_gap__weights_of_an_unknown_class_leave_the_edge_program(self):
        record = self.folder / "unknown.etrecord"
        for scheme in ("8da4w", "int8_weights"):
            rename_attribute(TORCHAO / f"{scheme}.etrecord", b"qdata", b"other", record)
            known = self.gap(*scheme_files(scheme))
            done = self.ok("gap", *scheme_files(scheme, record), "--format", "json")
            self.assertEqual([row["snr"] for row in json_rows(done.stdout)],
                             [row["snr"] for row in known])
            self.assertRegex(done.stderr, r"used the edge graph; the first: the weight "
                             r"first\.weight is a torchao\.quantization\.\w+, which")

    def test_gap__beside_the_float_model_weights_are_judged_by_what_they_round_to(self):
        for scheme, tolerance, largest in (("8da4w", 0.15, r"0\.085"), ("8da8w", 0.05, r"0\.0074"),
                                           ("int8_weights", 0.05, r"0\.004\d")):
            with self.subTest(scheme=scheme):
                words = (*scheme_files(scheme), "--reference-etrecord", TORCHAO / "float.etrecord")
                self.assertRegex(self.headline(*words),
                                 rf"^all \d values agree with the other model in float64; .*the largest error is "
                                 rf"{largest} of {tolerance} allowed in ")
        words = scheme_files("8da4w")  # whose weights are rounded on both sides
        done = self.ok("gap", *words, "--reference-etrecord", words[2])
        self.assertIn("note: tolerance: int4 weights 0.05 of", done.stderr)

    def test_annotate__has_the_error_of_lines_with_quantized_weights(self):
        trace, *words = scheme_files("8da4w")
        self.assertIn("0.00306", self.ok("annotate", trace, *words).stdout)


class Mixed(GapTest):
    """Dynamic int8 layers with a float tanh between, and the model in half: tests/data/mixed."""

    folder_ = support.DATA / "mixed"

    def words_of(self, name):
        return (self.folder_ / f"{name}.etdp", "--etrecord", self.folder_ / f"{name}.etrecord",
                "--debug-buffer", self.folder_ / f"{name}.bin")

    def test_gap__a_float_operator_behind_int8_has_the_tolerance_of_int8(self):
        rows = self.gap(*self.words_of("int8"))
        self.assertEqual([row["finding"] for row in rows], ["agrees"] * 3)
        self.assertEqual([row["tolerance"] for row in rows], [0.05, 1e-5, 0.05])
        self.assertGreater(rows[1]["total_error"], 0.001)
        self.assertLess(rows[1]["own_error"], 1e-6)
        self.assertRegex(self.headline(*self.words_of("int8")), "^all 3 values agree with the program's own "
                         r"quantized graph in float64; the largest error is 0\.01\d* of 0\.05 allowed in linear_1 ")
        self.ok("verify", self.folder_ / "int8.bpte")

    def test_gap__a_float_operator_between_int8_layers_is_blamed_for_its_own_error(self):
        """3 %, less than ten times what int8 makes, but far beyond what float does."""
        words = self.words_of("int8")
        (row,) = (row for row in self.gap(*words, "--values") if row["captured"] == "tanh.out")
        data = words[-1].read_bytes()
        start = data.index(struct.pack("<f", row["runtime_intermediate_output"][0]))
        numbers = [number * 1.03 for number in struct.unpack_from("<48f", data, start)]
        changed = self.folder / "changed.bin"
        changed.write_bytes(data[:start] + struct.pack("<48f", *numbers) + data[start + 192:])
        rows = self.gap(*words[:-1], changed)
        self.assertEqual([row["finding"] for row in rows], ["agrees", "harmless", "agrees"])
        self.assertRegex(self.headline(*words[:-1], changed), "^the output agrees with .*; inside, tanh .* stands out: its own error")

    def test_gap__a_model_whose_first_value_agrees_is_not_said_to_be_another(self):
        words = self.words_of("half")
        data = bytearray(words[-1].read_bytes())
        for row in self.gap(*words, "--values")[1:]:
            start = data.index(struct.pack("<8e", *row["runtime_intermediate_output"]))
            for at in range(start + 1, start + 2 * math.prod(row["shape"]), 2):
                data[at] ^= 0x80  # the sign
        changed = self.folder / "changed.bin"
        changed.write_bytes(data)
        self.assertRegex(self.headline(*words[:-1], changed),
                         r"^tanh .* against the exported program in float64: its own error is 2;")

    def test_gap__half_and_int8_are_compared_with_the_float_model(self):
        original = ("--reference-etrecord", self.folder_ / "float.etrecord")
        self.assertRegex(self.headline(*self.words_of("half"), *original),
                         "^all 3 values agree with the other model in float64; the largest error is 0.000")
        self.assertRegex(self.headline(*self.words_of("int8"), *original),
                         r"^all 3 values agree with the other model in float64; the largest error is 0\.\d+ of "
                         r"0\.05 allowed in .*; the outputs are off by 0\.\d+, and the largest element "
                         r"of each row stays the same$")


if __name__ == "__main__":
    unittest.main()

"""etscope inspect --compare-results, against the same formulas over the fixtures' own bytes."""

import io
import math
import os
import struct
import subprocess
import tempfile
import unittest

import support
import zipfile
from pathlib import Path

ETSCOPE = os.environ["ETSCOPE"]
DATA = Path(__file__).resolve().parent.parent / "data"


def compare(model, *words, trace="debug.etdp", record=True, buffer=True):
    """The comparison alone: the operator table goes to a file."""
    folder = DATA / model
    command = [ETSCOPE, "inspect", folder / trace, "--compare-results"]
    if record:
        command += ["--etrecord", folder / "model.etrecord"]
    if buffer:
        command += ["--debug-buffer", folder / "debug.bin"]
    with tempfile.TemporaryDirectory() as outputs:
        command += ["--output", Path(outputs) / "table", *words]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows(model, *words):
    result = compare(model, "--format", "json", *words)
    assert result.returncode == 0, result.stderr
    return support.json_rows(result.stdout)


def reference(model, case):
    """float32 values of a one-output model's reference case."""
    with zipfile.ZipFile(DATA / model / "model.etrecord") as record:
        inner = zipfile.ZipFile(io.BytesIO(record.read("reference_outputs")))
    data = inner.read(f"archive/data/{case}")
    return struct.unpack(f"<{len(data) // 4}f", data)


class TestCompare(unittest.TestCase):
    def setUp(self):
        report = subprocess.run([ETSCOPE, "doctor", "--format", "json"], stdout=subprocess.PIPE)
        if not support.json_rows(report.stdout)[0]["etrecord"]:
            self.skipTest("built without ETRecord support")

    def test_compare__numbers_are_the_formulas(self):
        (row,) = rows("mlp_portable", "--case", "2")
        self.assertEqual((row["block"], row["method"], row["output"]), (1, "forward", 0))
        self.assertEqual((row["dtype"], row["shape"]), ("float32", "[2, 4]"))
        self.assertEqual(row["case"], 2)
        expected = reference("mlp_portable", 2)
        ran = support.golden("mlp_portable")["debug"][1]["run_output"][0]["data"]
        errors = [b - a for a, b in zip(expected, ran)]
        square = sum(a * a for a in expected)
        error = sum(e * e for e in errors)
        dot = sum(a * b for a, b in zip(expected, ran))
        cosine = dot / math.sqrt(square) / math.sqrt(sum(b * b for b in ran))
        self.assertAlmostEqual(row["mse"], error / 8, delta=1e-12)
        self.assertAlmostEqual(row["snr_db"], 10 * math.log10(square / error), delta=1e-6)
        self.assertAlmostEqual(row["cosine_similarity"], cosine, delta=1e-12)
        self.assertAlmostEqual(row["max_abs_error"], max(map(abs, errors)), delta=1e-12)
        self.assertEqual(row["max_abs_error_index"],
                         max(range(8), key=lambda i: abs(errors[i])))

    def test_compare__nearest_case_is_taken_where_none_is_named(self):
        for model in ("mlp_portable", "dynamic"):
            result = compare(model)
            self.assertEqual(result.returncode, 0)
            self.assertIn("case 0 (the nearest; the trace does not name one)", result.stdout)
        self.assertNotIn("nearest", compare("mlp_portable", "--case", "0").stdout)

    def test_compare__right_outputs_have_a_high_ratio(self):
        for model in ("linear_fp32_xnnpack", "map_loop", "multi_method"):
            for row in rows(model):
                self.assertGreater(row["snr_db"], 100, model)
                self.assertAlmostEqual(row["cosine_similarity"], 1, delta=1e-9)
                self.assertLess(row["mse"], 1e-12)
                self.assertEqual(row["case"], 0)

    def test_compare__every_execute_block_by_its_method(self):
        self.assertEqual([(row["block"], row["method"]) for row in rows("multi_method")],
                         [(1, "decode"), (2, "encode"), (3, "forward")])

    def test_compare__quantized_model_is_near(self):
        (row,) = rows("linear_int8_xnnpack")
        self.assertGreater(row["snr_db"], 30)
        self.assertLess(row["snr_db"], 60)

    def test_compare__table_fits_a_terminal(self):
        result = compare("mlp_portable", "--width", "80")
        self.assertEqual(result.returncode, 0)
        for line in result.stdout.splitlines():
            self.assertLessEqual(len(line), 80)
        self.assertIn("snr dB", result.stdout)

    def test_compare__what_is_missing_is_named(self):
        result = compare("mlp_portable", record=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--etrecord", result.stderr)
        result = compare("mlp_portable", buffer=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--debug-buffer", result.stderr)
        result = compare("mlp_portable", trace="profile.etdp")
        self.assertEqual(result.returncode, 4)
        self.assertIn("recorded no outputs", result.stderr)

    def test_compare__two_tables_are_not_one_document(self):
        for form in ("tsv", "csv", "json", "jsonl"):
            for words in (("--format", form, "--output=-"), ("--format", form)):
                command = [ETSCOPE, "inspect", DATA / "mlp_portable" / "debug.etdp", "--etrecord",
                           DATA / "mlp_portable" / "model.etrecord", "--debug-buffer",
                           DATA / "mlp_portable" / "debug.bin", "--compare-results", *words]
                result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn("--output FILE for the operator table", result.stderr)
        header = compare("mlp_portable", "--format", "csv").stdout.splitlines()[0]
        self.assertTrue(header.startswith("block,method,case,output"), header)

    def test_compare__reference_of_another_shape(self):
        result = compare("dynamic", "--case", "1")
        self.assertEqual(result.returncode, 4)
        self.assertIn("the shapes differ", result.stderr)
        self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main()

"""The column `why out` of `etscope delegates`: programs that each leave one thing outside of XNNPACK.

tests/data/delegation.tar.xz holds 101 programs with their ETRecords, exported with executorch 1.5.1, and
delegation.tsv, which says what the partitioner itself logged. RULES has what this project calls the rules.
"""

import csv
import pathlib
import tarfile
import tempfile
import unittest

import support
from support import DATA, OK

RULES = {
    "add_alpha": "alpha",
    "add_int32": "dtype",
    "avg_pool_ceil": "ceil_mode",
    "avg_pool_divisor": "divisor_override",
    "avg_pool_pad_counted": "count_include_pad",
    "batch_norm_3d": "rank",
    "bfloat16": "dtype",
    "cat_same_tensor": "distinct_inputs",
    "conv3d": "rank",
    "conv_weight_input": "weight_input",
    "double": "dtype",
    "dynamic_int8_fp32_only": "restricted",
    "dynamic_int8_per_tensor": "per_tensor_weight",
    "flatten_dynamic": "size symbolic_argument",
    "half_gelu": "half_gelu",
    "half_inside": "conversion",
    "int_scalar": "conversion",
    "linear_weight_input": "weight_input",
    "max_indices": "indices",
    "max_pool_ceil_dynamic": "ceil_mode",
    "max_pool_stride_over_kernel": "stride",
    "mean_channel": "dimension",
    "mean_dtype": "dtype_argument",
    "mean_no_keepdim": "keepdim",
    "mean_rank_3": "rank",
    "mm_inputs": "weight_input",
    "pad_negative": "negative_padding",
    "pow_2_float": "exponent",
    "pow_3": "exponent",
    "prelu_weight_input": "prelu_weight",
    "rms_norm": "no_rule rank",
    "slice_dynamic": "dynamic_size",
    "slice_step": "step",
    "softmax_inner_dim": "dimension",
    "static_int8_fp32_only": "restricted",
    "sub_alpha": "alpha",
    "unsqueeze_front": "dimension",
    "upsample_dynamic": "dynamic_output",
    "view_dynamic": "size symbolic_argument",
}
# Everything else that leaves a kernel outside has an operator without a rule.


class WhyOutside(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        with tarfile.open(DATA / "delegation.tar.xz") as archive:
            archive.extractall(cls.folder.name)
        cls.programs = pathlib.Path(cls.folder.name) / "delegation"
        with open(cls.programs / "delegation.tsv", encoding="utf-8") as lines:
            cls.cases = list(csv.DictReader(lines, delimiter="\t"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def rows(self, name, *words):
        done = support.run("delegates", self.programs / f"{name}.pte", "--format", "json", *words)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, OK, done.stderr)
        return support.json_rows(done.stdout)

    def test_every_case_has_its_rule(self):
        judged = set()
        for case in self.cases:
            name = case["file"]
            with self.subTest(name):
                rows = self.rows(name)
                kernels = [row for row in rows if row["kind"] == "kernel"]
                found = sorted({row["why_out_rule"] for row in kernels})
                self.assertEqual(len(kernels), int(case["kernels"]))
                if kernels:
                    self.assertEqual(" ".join(found), RULES.get(name, "no_rule"))
                    self.assertTrue(all(row["why_out"] for row in kernels))
                for row in rows:
                    if row["kind"] != "kernel":
                        self.assertIsNone(row["why_out"])
                judged.add(name)
        self.assertEqual(len(judged), 101)
        self.assertLess(set(RULES), judged)

    def test_all_failing_conditions_are_told(self):
        (row,) = [row for row in self.rows("mean_rank_3") if row["kind"] == "kernel"]
        self.assertEqual(row["why_out_kind"], "refused")
        self.assertEqual(row["why_out"], "its input has rank 3; only rank 4 is taken")
        (row,) = [row for row in self.rows("mean_no_keepdim") if row["kind"] == "kernel"]
        self.assertEqual(row["remedy"], "keepdim=True, then flatten")

    def test_without_a_record_nothing_is_claimed(self):
        for row in self.rows("erf", "--no-siblings"):
            self.assertIsNone(row["why_out"])
            self.assertIsNone(row["why_out_kind"])

    def test_table_for_people(self):
        done = support.run("delegates", self.programs / "erf.pte", "--width", "80")
        lines = done.stdout.decode().splitlines()
        self.assertTrue(lines[1].endswith("why out"), lines[1])
        self.assertEqual([line for line in lines if line.endswith("no rule")], [lines[4]])
        self.assertIn("by the rules of XnnpackPartitioner in ExecuTorch 1.5.1", lines[-1])
        self.assertLessEqual(max(map(len, lines)), 80)


if __name__ == "__main__":
    unittest.main()

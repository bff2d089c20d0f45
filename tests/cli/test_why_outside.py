"""The column `why out` of `etscope delegates`: programs that leave one thing or two outside of delegates.

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


class OtherPartitioners(unittest.TestCase):
    """Of Vulkan's partitioner the operators are known that it takes in some form."""

    PROGRAM = DATA / "payloads" / "vulkan_map.pte"

    def run_ok(self, *words):
        done = support.run(*words)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertIn(done.returncode, (OK, 1), done.stderr)
        return done.stdout

    def test_verdicts_are_of_the_partitioner_that_was_asked(self):
        rows = support.json_rows(self.run_ok("delegates", self.PROGRAM, "--format", "json"))
        self.assertEqual(
            [(row["operator"], row["why_out_kind"], row["why_out_rule"], row["remedy"])
             for row in rows if row["kind"] == "kernel"],
            [("aten::erf.out", "no_rule", "no_rule", None), ("aten::mean.out", None, None, None)])
        erf, mean = (row for row in rows if row["kind"] == "kernel")
        self.assertEqual(erf["why_out"], "no rule")
        self.assertEqual(mean["why_out"], "taken in some cases; the conditions are not known here")
        self.assertEqual({row["why_out_by"] for row in rows},
                         {None, "VulkanPartitioner in ExecuTorch 1.5.1"})

    def test_nothing_is_claimed_of_xnnpack(self):
        text = self.run_ok("delegates", self.PROGRAM).decode()
        self.assertTrue(text.rstrip().endswith(
            "why out: by the operator list of VulkanPartitioner in ExecuTorch 1.5.1"), text)
        self.assertNotIn("xnnpack", text.lower())

    def test_advice_names_the_backend(self):
        text = self.run_ok("advise", "--program", self.PROGRAM).decode()
        self.assertIn("erf.out stays outside of Vulkan: Vulkan has no such operator", text)
        self.assertIn("by the operator list of VulkanPartitioner in ExecuTorch 1.5.1", text)
        self.assertNotIn("mean.out", text)
        self.assertNotIn("xnnpack", text.lower())


if __name__ == "__main__":
    unittest.main()

"""The verdicts of `etscope gap` on models made for this: the innocent is not blamed, the wrong not comforted.

tests/data/README.md says what was planted in each.
"""

import unittest

import run_support as support
from gap_support import GapTest, unpack
from support import json_rows


class VerdictTest(GapTest):
    """`case` names an archive of tests/data/verdicts."""

    case = None

    def setUp(self):
        super().setUp()
        unpack(f"verdicts/{self.case}.tar.xz", self.folder)
        self.at = self.folder / self.case

    def words(self, trace="debug", record="model", *more):
        return (self.at / f"{trace}.etdp", "--debug-buffer", self.at / f"{trace}.bin", "--etrecord",
                self.at / f"{record}.etrecord", "--no-siblings", *more)

    def findings(self, *words):
        """[(operator, finding)] of the rows that do not simply agree."""
        return [(row["aot_ops"][-1], row["finding"]) for row in json_rows(
            support.call("gap", *words, "--format", "json").stdout) if row["finding"] != "agrees"]

    def line(self, *words):
        return support.call("gap", *words).stdout.splitlines()[0]


class Encoder(VerdictTest):
    """A healthy encoder with a dynamic length: one handle stands for an attention of 30 nodes."""

    case = "encoder"

    def words(self, *more):
        return super().words("enc", "model", "--input", self.at / "in0.npy", "--input", self.at / "in1.npy", *more)

    def test_gap__values_that_the_order_paired_are_never_guilty(self):
        self.assertEqual({finding for _, finding in self.findings(*self.words())}, {None})
        self.assertRegex(self.line(*self.words()), r"^29 values agree with the edge program in float64; 2 others may be "
                                                   r"paired with the wrong values; the largest error is 3.\de-07 in ")

    def test_gap__a_product_of_sizes_is_no_operator_of_tensors(self):
        rows = json_rows(self.ok("gap", *self.words("--alignment", "--format", "json")).stdout)
        self.assertEqual([row["edge_op"] for row in rows if row["runtime_op"] == "mul.Scalar_out"],
                         ["aten_mul_scalar", "aten_mul_scalar_1"])
        rows = json_rows(self.ok("gap", *self.words("--program", self.at / "program.pte", "--alignment", "--format", "json")).stdout)
        self.assertEqual([row["edge_op"] for row in rows if row["runtime_op"] == "mul.Scalar_out"],
                         ["aten_mul_scalar", "aten_mul_scalar_1"])


class Overflow(VerdictTest):
    """The second of three convolutions in float16 is the first beyond 65504."""

    case = "overflow"

    def test_gap__the_first_that_overflows_is_guilty(self):
        words = self.words("portable", "portable")
        self.assertRegex(self.line(*words), r"^conv2d_1 overflows float16: it reaches 5\.95e\+05 in the exported program in float64, "
                                            r"the type 65504; no value before it exceeds 3\.53e\+03; 3261 of its 4096 elements are NaN "
                                            r"or infinite on one side only")
        self.assertIn(("conv2d_1", "guilty"), self.findings(*words))

    def test_gap__of_a_partition_the_reference_tells_which(self):
        line = self.line(*self.words("xnnpack", "xnnpack"))
        self.assertRegex(line, r"^one of the 6 operators of partition 0 of XnnpackBackend \(conv2d, .*; modules c1, c2, c3\) "
                               r"overflows float16: conv2d_1 is the first that reaches 5\.95e\+05 ")


class FewRows(VerdictTest):
    """A GRU with a negated row of weights: three values were captured, which are no yardstick."""

    case = "gru"

    def test_gap__of_few_rows_the_tolerance_decides(self):
        self.assertRegex(self.line(*self.words()), r"^gru \(models/gen.py:78\) makes .* % of the outputs' error .*: its own error is 0.0051")
        self.assertEqual(self.findings(*self.words()), [("gru", "guilty"), ("linear", "off")])


class LostScales(VerdictTest):
    """XNNPACK lost the scales of int8 weights: both partitions are off by orders of magnitude."""

    case = "lost_scales"

    def test_gap__the_first_is_guilty_however_wrong_the_others_are(self):
        self.assertEqual(self.findings(*self.words())[0], ("gelu", "guilty"))
        self.assertRegex(self.line(*self.words()), r"^one of the 2 operators of partition 0 of XnnpackBackend \(linear, gelu; "
                                                   r"models/gen.py:106; .*its own error is 1.7e\+03")


class InsidePartition(VerdictTest):
    """Three convolutions in one float call, the weight of the second times 1.05."""

    case = "inside"

    def test_gap__no_single_operator_of_a_partition_is_named(self):
        text = support.call("gap", *self.words("bad", "good")).stdout
        self.assertTrue(text.startswith("one of the 5 operators of partition 0 of XnnpackBackend (conv2d, relu, conv2d_1, relu_1, "
                                        "conv2d_2; models/wrong.py:9; modules c1, c2, c3) "), text)
        self.assertIn("guilty: one of the 5 operators of partition 0", text)
        self.assertNotRegex(text, r"module c3\b")


if __name__ == "__main__":
    unittest.main()

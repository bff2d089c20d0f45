"""The verdicts of `etscope gap` on models made for this: the innocent is not blamed, the wrong not comforted.

tests/data/README.md says what was planted in each.
"""

import io
import struct
import unittest
import zipfile

import run_support as support
from gap_support import GapTest, files, unpack
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
        self.assertRegex(self.line(*self.words()), r"^29 of 31 values were compared and agree with the edge program in float64; "
                                                   r"2 may be paired with the wrong values; the largest error is 3.\de-07 in ")

    def test_gap__the_arguments_of_the_program_tell_the_nodes_of_a_handle_apart(self):
        words = self.words("--program", self.at / "program.pte")
        self.assertRegex(self.line(*words), r"^all 35 values agree with the edge program in float64; the largest error is 3.\de-07 in ")
        self.assertEqual(self.findings(*words), [])

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
                                            r"beyond the type's 65504; no value before it exceeds 3\.53e\+03; 3261 of its 4096 elements are NaN "
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


    def test_advise__weights_without_scales_are_seen_in_the_program(self):
        done = support.call("advise", self.at / "model.pte", "--no-siblings", "--fail-on", "lost_weight_scales")
        self.assertEqual(done.returncode, support.NEGATIVE)
        self.assertIn(" 1  WRONG: XNNPACK has lost the scales of the weights of 3 layers, such as FullyConnected 0.0: ", done.stdout)
        done = support.call("advise", support.DATA / "torchao" / "int4_weights.pte", "--no-siblings", "--fail-on", "lost_weight_scales")
        self.assertEqual(done.returncode, support.NEGATIVE, done.stdout)
        for healthy in ("mlp_xnnpack", "conv_xnnpack", "gpt_xnnpack", "conv_xnnpack_int8", "linear_int8_xnnpack"):
            with self.subTest(healthy=healthy):
                done = support.call("advise", support.DATA / healthy / "model.pte", "--no-siblings", "--fail-on", "wrong")
                self.assertEqual(done.returncode, support.OK, done.stdout)


class InsidePartition(VerdictTest):
    """Three convolutions in one float call, the weight of the second times 1.05."""

    case = "inside"

    def test_gap__no_single_operator_of_a_partition_is_named(self):
        text = support.call("gap", *self.words("bad", "good")).stdout
        self.assertTrue(text.startswith("one of the 5 operators of partition 0 of XnnpackBackend (conv2d, relu, conv2d_1, relu_1, "
                                        "conv2d_2; models/wrong.py:9; modules c1, c2, c3) "), text)
        self.assertIn("guilty: one of the 5 operators of partition 0", text)
        self.assertNotRegex(text, r"module c3\b")


class Shares(VerdictTest):
    """In int8, channel 4 of relu_1 is 150 times larger than the others and sets the step of all."""

    case = "activation"

    def test_gap__the_share_is_what_arrives_of_its_error_alone(self):
        words = self.words("debug", "model", "--reference-etrecord", self.at / "float.etrecord")
        rows = {row["aot_ops"][-1]: row for row in self.gap(*words)}
        shares = {name: row["share"] for name, row in rows.items() if row["share"] is not None}
        self.assertAlmostEqual(shares["relu_1"], 0.79, delta=0.02)
        self.assertAlmostEqual(shares["conv2d_2"], 0.15, delta=0.02)
        self.assertAlmostEqual(sum(shares.values()), 1, delta=0.05)  # to first order
        self.assertRegex(self.line(*words), r"^relu_1 \(models/gen2.py:86\) makes 79.1 % of the outputs' error against the other model "
                                            r"in float64: its own error is 0.02, but \d+ of 2\d channels are off by more than 0.05 of "
                                            r"their own size, half of all by 0.52; its channel 4 reaches 93 and sets the step of all, the next "
                                            r"reaches 1.07; then conv2d_2 \(models/gen2.py:86\) with 15.3 %; ")


class Coarse(VerdictTest):
    """One channel of block3.depthwise is 60 times larger: 25 of 32 channels keep at most 3 of 127 steps."""

    case = "coarse"

    def words(self, *more):
        return super().words("debug", "model", "--input", self.at / "in0.npy", "--reference-etrecord",
                             self.at / "float.etrecord", *more)

    def test_gap__a_share_above_all_is_no_share(self):
        line = self.line(*self.words())
        self.assertRegex(line, r"^one of the 2 operators that end at batch_norm_4 \(conv2d_5, batch_norm_4; models/net.py:17; modules "
                               r"block3.depthwise, block3.norm1\) adds most to the outputs' error against the other model in float64: "
                               r"its own error is 0.03, but 31 of 32 channels are off by more than 0.05 of their own size")
        self.assertRegex(line, r"; alone it would make 1.2 times that error, of which others take back a part")
        self.assertNotRegex(line, r"\b1[0-9]{2} %")


    def test_advise__measured_effect_ranks_what_to_do(self):
        text = support.call("advise", self.at / "model.pte", "--no-siblings", "--width", "1000").stdout
        self.assertRegex(text, r"WRONG: the int8 weights of 1 layer have too few steps: in \S+ \S+, 25 of 32 channels")
        self.assertRegex(text, r"do +quantize weights per channel .*; or equalize: divide channel 5 \(its batch norm, too\)")
        self.assertRegex(text, r"seen +one scale for all channels, which channel 5 sets: it reaches 127 steps, 25.4 times as far as the "
                               r"next; in Python the layer may be harmless: a batch norm behind it is folded into it")
        trace, *words = self.words()
        del words[words.index("--input"):words.index("--input") + 2]
        text = support.call("advise", trace, *words, "--program", self.at / "model.pte", "--width", "1000").stdout
        self.assertEqual(text.count("WRONG"), 1)
        self.assertRegex(text, r"(?m)^ 1  WRONG: one of the 2 operators that end at batch_norm_4 ")
        self.assertRegex(text, r"do +quantize weights per channel .*; or equalize: divide channel 5 .*path != \"block3.depthwise\"")
        self.assertNotIn("calibrate", text)


class RowOutlier(VerdictTest):
    """One row of b2.3 is 50 times larger; the head's bias hides that from the outputs."""

    case = "row_outlier"

    def test_gap__a_loud_channel_does_not_hide_the_ruin_of_the_others(self):
        words = self.words("debug", "model", "--reference-etrecord", self.at / "float.etrecord")
        self.assertRegex(self.line(*words), r"^the output agrees with the other model in float64, off by 0.0022 of 0.05 allowed, and the "
                                            r"largest element stays the same; inside, one of the 2 operators that end at batch_norm_3 "
                                            r"\(conv2d_4, batch_norm_3; modules b2.3, b2.4\) stands out: its own error is 0.042, but "
                                            r"31 of 32 channels are off by more than 0.05 of their own size, half of all by 0.37")
        self.assertNotIn("guilty", {finding for _, finding in self.findings(*words)})
        done = support.call("advise", *words, "--fail-on", "wrong")
        self.assertEqual(done.returncode, support.OK)


class Order(VerdictTest):
    """The program computes a layer norm before a gelu, the other model behind it."""

    case = "order"

    def test_gap__swapped_operators_are_said_to_be_swapped(self):
        words = self.words("debug", "model", "--reference-etrecord", self.at / "reference.etrecord")
        self.assertRegex(self.line(*words), r"^gelu \(models/gen2.py:71\) and layer_norm \(models/gen2.py:71\) are swapped: the program "
                                            r"computes layer_norm first, the other model gelu; this makes 100 % of the outputs' error ")
        self.assertEqual(dict(self.findings(*words))["linear_1"], "inherited")


class Swapped(GapTest):
    """A record, or a debug buffer, of another export of the same architecture: both are doubted, and nobody is blamed."""

    def other_weights(self, model):
        """The model's record in which each weight of the exported program is another one."""
        record = self.folder / f"{model}.etrecord"
        with zipfile.ZipFile(support.DATA / model / "model.etrecord") as old, zipfile.ZipFile(record, "w") as new:
            for name in old.namelist():
                data = old.read(name)
                new.writestr(name, self.reversed_storages(data) if name.endswith("_state_dict") else data)
        return record

    @staticmethod
    def reversed_storages(saved):
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(saved)) as old, zipfile.ZipFile(out, "w") as new:
            for info in old.infolist():
                data = old.read(info)
                if "/data/" in info.filename:
                    numbers = struct.unpack(f"<{len(data) // 4}f", data)
                    data = struct.pack(f"<{len(numbers)}f", *(-number if i % 2 else number for i, number in
                                                              enumerate(reversed(numbers))))
                new.writestr(info.filename, data)
        return out.getvalue()

    def test_gap__a_record_of_another_export_is_doubted(self):
        for model in ("mlp_portable", "mlp_xnnpack", "gpt_xnnpack", "linear_fp32_xnnpack", "conv_portable"):
            with self.subTest(model=model):
                trace, _, _, *buffer = files(model)
                words = (trace, "--etrecord", self.other_weights(model), *buffer, "--no-siblings")
                rows = json_rows(support.call("gap", *words, "--format", "json").stdout)
                self.assertNotIn("guilty", {row["finding"] for row in rows})
                self.assertRegex(support.call("gap", *words).stdout.splitlines()[0],
                                 r"^this seems to be another model .* or the debug buffer of another run.*; no operator is blamed$")


class Given(GapTest):
    """The inputs of a run are in its trace: random ones, files, test cases of every method."""

    def recorded(self, model, *inputs):
        self.ok("run", support.DATA / model / "model.pte", "--capture", "intermediates", "-o", "debug.etdp", "--debug-buffer",
                "debug.bin", *inputs)
        return ("debug.etdp", "--debug-buffer", "debug.bin", "--etrecord", support.DATA / model / "model.etrecord", "--no-siblings")

    def test_gap__takes_the_inputs_from_the_trace(self):
        for model in ("mlp_xnnpack", "conv_portable", "gpt_xnnpack"):
            for inputs in (("--inputs", "random", "--seed", "7"), ("--inputs", "ones")):
                with self.subTest(model=model, inputs=inputs):
                    words = self.recorded(model, *inputs)
                    self.assertEqual({row["finding"] for row in self.gap(*words)}, {"agrees"})
        words = self.recorded("mlp_xnnpack", "--inputs", "random")
        support.write_npy(self.folder / "zeros.npy", "<f4", (2, 16), [0.0] * 32)
        self.assertIn("had other inputs", self.headline(*words, "--input", "zeros.npy"))  # an option has the last word

    def test_gap__the_trace_of_a_test_case_needs_no_bundle(self):
        folder = support.DATA / "multi_method"
        self.ok("run", folder / "model.bpte", "--method", "decode", "--case", 0, "--capture", "intermediates", "-o", "debug.etdp",
                "--debug-buffer", "debug.bin")
        words = ("debug.etdp", "--debug-buffer", "debug.bin", "--etrecord", folder / "model.etrecord", "--no-siblings")
        self.assertEqual({row["finding"] for row in self.gap(*words)}, {"agrees"})

    def test_gap__input_takes_npz(self):
        words = self.recorded("mlp_portable", "--inputs", "ones")
        support.write_npy(self.folder / "ones.npy", "<f4", (2, 16), [1.0] * 32)
        support.write_npz(self.folder / "in.npz", [("arr_0", self.folder / "ones.npy")])
        self.assertTrue(self.headline(*words, "--input", "in.npz").startswith("all 4 values agree"))

    def test_run__inputs_etrecord_finds_the_record_beside_the_program(self):
        for name in ("model.pte", "model.etrecord"):
            (self.folder / name).write_bytes((support.DATA / "mlp_portable" / name).read_bytes())
        done = self.ok("run", "model.pte", "--inputs", "etrecord")
        self.assertIn("note: using model.etrecord beside the program", done.stderr)
        (self.folder / "model.etrecord").unlink()
        self.fails(support.USAGE, "needs --etrecord FILE; none lies beside the program", "run", "model.pte", "--inputs", "etrecord")


class Uncompared(GapTest):
    def test_gap__an_output_that_was_not_compared_is_no_pass(self):
        trace, *words = files("mlp_portable")
        (relu,) = [row for row in json_rows(self.ok("tensors", trace, *words, "--format", "json").stdout)
                   if row["operator"] == "relu.out"]
        numbers = struct.unpack_from("<64f", words[-1].read_bytes(), relu["offset"])
        support.write_npy(self.folder / "relu.npy", "<f4", (2, 32), numbers)  # of no other value
        words = (trace, *words, "--reference-npy", self.folder)
        done = support.call("gap", *words)
        self.assertEqual(done.returncode, support.NEGATIVE)
        self.assertEqual(done.stdout.splitlines()[0], "1 of 4 values was compared and agrees with the given values, bit for bit; "
                                                      "the output was not compared (softmax: the reference has no such value)")
        self.assertIn("etscope: 1 of 1 outputs was not compared: softmax: the reference has no such value; "
                                      "--allow-uncompared accepts this\n", done.stderr)
        self.assertEqual(support.call("gap", *words, "--allow-uncompared").returncode, support.OK)


if __name__ == "__main__":
    unittest.main()

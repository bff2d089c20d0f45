"""`etscope tap` and `run --capture delegates`: values from within XNNPACK, and what `gap` says of them."""

import struct
import unittest

import gap_support
import run_support as support
from run_support import DATA, UNAVAILABLE, USAGE

XNNPACK = {"conv_xnnpack": 7, "conv_xnnpack_int8": 9, "gpt_xnnpack": 40, "mlp_xnnpack": 2}


def program(model):
    return DATA / model / "model.pte"


class Tap(support.RunTest):
    def list(self, model, *words):
        return support.json_rows(self.ok("tap", program(model), "--list", "--format", "json", *words).stdout)

    def names_of_operators(self, trace):
        """What the delegates of a trace reported, in order."""
        rows = support.json_rows(self.ok("inspect", trace, "--no-siblings", "--format", "json").stdout)
        return [row["event"] for row in rows if row["block"] == "Execute" and ("(N" in row["event"] or "Unary" in row["event"])]

    def test_tap__lists_values_with_their_places(self):
        if not support.have_records():
            self.skipTest("this build reads no records")
        rows = self.list("conv_xnnpack", "--etrecord", DATA / "conv_xnnpack" / "model.etrecord")
        had = [row for row in rows if row["can_be_had"] == "yes"]
        self.assertEqual([(row["operator"], row["node"], row["shape"]) for row in had if row["node"]], [
            ("Conv2d", "aten_hardtanh_default", [1, 8, 16, 16]),
            ("DepthwiseConv2d", "aten_convolution_default_1", [1, 16, 8, 8]),
            ("Hardswish", "aten_hardswish_default", [1, 16, 8, 8]),
            ("GlobalAvgPooling2d", "aten_mean_dim", [1, 16, 1, 1]),
            ("StaticReshape", "aten_view_copy_default", [1, 16]),
        ])
        self.assertEqual({row["source"] for row in had if row["node"]}, {"models/zoo.py:21"})

    def test_tap__says_why_a_value_cannot_be_had(self):
        states = {row["operator"]: row["can_be_had"] for row in self.list("conv_xnnpack_int8")}
        self.assertEqual(states["Hardswish"], "fused with what reads it")
        self.assertEqual({row["can_be_had"] for row in self.list("linear_int8_xnnpack")},
                         {"quantized in each run; its source can be had", "given already"})

    def test_tap__refusals(self):
        tapped = self.folder / "tapped.pte"
        self.ok("tap", program("mlp_xnnpack"), "-o", tapped)
        for code, words, reason in [
            (USAGE, (program("mlp_xnnpack"),), "-o tapped.pte, or --list"),
            (USAGE, (program("conv_xnnpack_int8"), "--only", "0:4", "-o", tapped), "fused with what reads it; --fused"),
            (USAGE, (program("mlp_xnnpack"), "--only", "7:1", "-o", tapped), "no value within the delegates is 7:1"),
            (UNAVAILABLE, (program("mlp_portable"), "-o", self.folder / "x.pte"), "no value within"),
            (UNAVAILABLE, (DATA / "payloads" / "vulkan_map.pte", "-o", self.folder / "x.pte"), "VulkanBackend"),
        ]:
            with self.subTest(words):
                done = support.call("tap", *words)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(reason, done.stderr)
        done = support.call("tap", tapped, "-o", self.folder / "twice.pte")
        self.assertIn("already", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse((self.folder / "twice.pte").exists() or (self.folder / "x.pte").exists())

    def test_tap__outputs_are_those_of_the_program(self):
        """Bit for bit, with the values as arguments and as outputs; the values are the same both ways."""
        for model, count in XNNPACK.items():
            reason = support.obstacle(model)
            if reason:
                self.skipTest(reason)
            with self.subTest(model):
                case = DATA / model / "inputs" / "forward.0.0.npy"
                plain = self.folder / "plain"
                self.ok("run", program(model), "--input", case, "--outputs", plain)
                written = self.folder / "tapped.pte"
                self.ok("tap", program(model), "--as", "outputs", "-o", written)
                self.ok("run", written, "--input", case, "--outputs", self.folder / "out")
                outputs = sorted(self.folder.glob("out.*.npy"))
                self.assertEqual(len(outputs), 1 + count)
                self.assertEqual((self.folder / "out.0.npy").read_bytes(), (self.folder / "plain.0.npy").read_bytes())
                for path in outputs:
                    path.unlink()

    def test_tap__fused_values_run_other_operators(self):
        """The outputs are the same, yet XNNPACK runs three operators more."""
        reason = support.obstacle("conv_xnnpack_int8")
        if reason:
            self.skipTest(reason)
        names = {}
        for words in [(), ("--fused",)]:
            written, trace = self.folder / "tapped.pte", self.folder / "trace.etdp"
            self.ok("tap", program("conv_xnnpack_int8"), *words, "-o", written)
            self.ok("run", written, "-o", trace)
            names[words] = len(self.names_of_operators(trace))
        self.assertEqual(names[("--fused",)], names[()] + 3)

    def test_run__captures_within_delegates(self):
        for model, count in XNNPACK.items():
            reason = support.obstacle(model)
            if reason:
                self.skipTest(reason)
            with self.subTest(model):
                done = self.ok("run", DATA / model / "model.bpte", "--case", "0", "--capture", "delegates", "--strict",
                               "-o", self.folder / "t.etdp", "--debug-buffer", self.folder / "t.bin")  # fmt: skip
                self.assertIn(f"{count} values from within", done.stderr)
                self.assertIn("outputs and operators are those of the program without them", done.stderr)
                self.assertNotIn("wall time", done.stdout)

    def test_tensors__name_the_operators_within(self):
        reason = support.obstacle("conv_xnnpack")
        if reason:
            self.skipTest(reason)
        trace, values = self.folder / "t.etdp", self.folder / "t.bin"
        self.ok("run", program("conv_xnnpack"), "--capture", "delegates", "-o", trace, "--debug-buffer", values)
        words = ("tensors", trace, "--debug-buffer", values, "--no-siblings", "--format", "json")
        rows = support.json_rows(self.ok(*words, "--program", program("conv_xnnpack")).stdout)
        inside = [row["operator"] for row in rows if row["operator"].endswith("in XnnpackBackend")]
        self.assertEqual(inside[1:4], ["Conv2d in XnnpackBackend", "DepthwiseConv2d in XnnpackBackend",
                                       "Hardswish in XnnpackBackend"])  # fmt: skip
        self.assertEqual(len(inside), 7)
        rows = support.json_rows(self.ok(*words).stdout)
        self.assertEqual(sum(row["operator"].startswith("value ") for row in rows), 7)
        self.assertIn("not the model's", self.ok("inspect", trace, "--no-siblings").stderr)

    def test_run__without_values_within_says_so(self):
        reason = support.obstacle("mlp_portable")
        if reason:
            self.skipTest(reason)
        done = self.ok("run", program("mlp_portable"), "--capture", "delegates", "-o", self.folder / "t.etdp",
                       "--debug-buffer", self.folder / "t.bin")  # fmt: skip
        self.assertIn("no value within a delegate was captured", done.stderr)
        self.assertNotIn("bit for bit", done.stderr)

    def test_run__needs_a_trace_and_a_number_of_runs(self):
        words = ("--capture", "delegates", "-o", self.folder / "t.etdp", "--debug-buffer", self.folder / "t.bin")
        for command, more, reason in [("run", ("--time", "1s"), "--runs N"), ("profile", (), "is for run"),
                                      ("run", ("--tracer", "upstream"), "etscope's tracer")]:
            with self.subTest(more):
                done = support.call(command, program("mlp_xnnpack"), *words, *more)
                self.assertEqual(done.returncode, USAGE, done.stderr)
                self.assertIn(reason, done.stderr)
        done = support.call("run", program("mlp_xnnpack"), "--strict")
        self.assertIn("--strict needs --capture delegates", done.stderr)


class Gap(gap_support.GapTest):
    def capture(self, model, path=None):
        """Runs a fixture, or a program made of it, and returns the words that explain its trace to gap."""
        reason = support.obstacle(model)
        if reason:
            self.skipTest(reason)
        path = path or program(model)
        trace, values = self.folder / "t.etdp", self.folder / "t.bin"
        case = DATA / model / "inputs" / "forward.0.0.npy"
        self.ok("run", path, "--input", case, "--capture", "delegates", "-o", trace, "--debug-buffer", values)
        return (trace, "--etrecord", DATA / model / "model.etrecord", "--debug-buffer", values, "--program", path)

    def test_gap__has_a_row_for_each_operator_within(self):
        rows = self.gap(*self.capture("conv_xnnpack"))
        self.assertEqual([row["aot_ops"][-1] for row in rows],
                         ["relu6", "conv2d_1", "hardswish", "adaptive_avg_pool2d", "flatten", "linear"])
        for row in rows:
            self.assertEqual(row["finding"], "agrees")
            self.assertLess(row["own_error"], 1e-6)
            self.assertLess(row["total_error"], 1e-6)

    def test_gap__quantized_values_are_within_two_steps(self):
        rows = self.gap(*self.capture("conv_xnnpack_int8"))
        self.assertEqual({row["finding"] for row in rows}, {"agrees"})
        self.assertEqual(len(rows), 8)
        self.assertLessEqual(max(row["max_error"] for row in rows if row["dtype"] == "int8"), 2)

    def test_gap__a_planted_error_is_named_exactly(self):
        """The sign of every third weight of each layer in turn; the others are innocent."""
        guilty = {"c1.weight": "relu6", "c2.weight": "conv2d_1", "fc.weight": "linear"}
        original = program("conv_xnnpack").read_bytes()
        for layer, operator in guilty.items():
            with self.subTest(layer):
                changed = self.folder / "changed.pte"
                changed.write_bytes(self.negate_weights(original, layer))
                rows = self.gap(*self.capture("conv_xnnpack", changed), "--allow-mismatch")
                self.assertEqual([row["aot_ops"][-1] for row in rows if row["finding"] == "guilty"], [operator])
                for row in rows:
                    self.assertTrue(row["own_error"] < 1e-5 or row["finding"] == "guilty", row["aot_ops"])

    def negate_weights(self, original, layer):
        """Of the layer's weights as XNNPACK has them, which `size` tells the place of."""
        rows = support.json_rows(self.ok("size", program("conv_xnnpack"), "--format", "json", "--etrecord",
                                         DATA / "conv_xnnpack" / "model.etrecord").stdout)  # fmt: skip
        (row,) = (row for row in rows if row["name"] == layer)
        start, size = row["offset"], row["size_bytes"]
        numbers = list(struct.unpack(f"<{size // 4}f", original[start:start + size]))
        numbers[::3] = [-number for number in numbers[::3]]
        return original[:start] + struct.pack(f"<{len(numbers)}f", *numbers) + original[start + size:]

    def test_gap__without_values_within_says_how_to_get_them(self):
        reason = support.obstacle("conv_xnnpack")
        if reason:
            self.skipTest(reason)
        changed = self.folder / "changed.pte"
        changed.write_bytes(self.negate_weights(program("conv_xnnpack").read_bytes(), "c2.weight"))
        trace, values = self.folder / "t.etdp", self.folder / "t.bin"
        case = DATA / "conv_xnnpack" / "inputs" / "forward.0.0.npy"
        self.ok("run", changed, "--input", case, "--capture", "intermediates", "-o", trace, "--debug-buffer", values)
        done = support.call("gap", trace, "--etrecord", DATA / "conv_xnnpack" / "model.etrecord", "--debug-buffer", values,
                            "--program", changed, "--allow-mismatch")  # fmt: skip
        self.assertIn("`etscope run --capture delegates` tells which", done.stdout)

    def test_gap__needs_the_program_for_values_within(self):
        changed = self.folder / "changed.pte"
        changed.write_bytes(self.negate_weights(program("conv_xnnpack").read_bytes(), "c2.weight"))
        words = self.capture("conv_xnnpack", changed)
        done = support.call("gap", *words[:words.index("--program")], "--allow-mismatch", "--no-siblings")
        self.assertIn("were captured, but not compared: use --program to decide", done.stdout)

    def test_gap__of_a_program_that_was_written(self):
        """A device's runtime ran it: the program tells which values they are."""
        reason = support.obstacle("conv_xnnpack")
        if reason:
            self.skipTest(reason)
        written, trace, values = (self.folder / name for name in ("tapped.pte", "t.etdp", "t.bin"))
        self.ok("tap", program("conv_xnnpack"), "-o", written)
        self.ok("run", written, "--input", DATA / "conv_xnnpack" / "inputs" / "forward.0.0.npy", "--capture",
                "intermediates", "--tracer", "upstream", "-o", trace, "--debug-buffer", values)  # fmt: skip
        words = (trace, "--etrecord", DATA / "conv_xnnpack" / "model.etrecord", "--debug-buffer", values)
        self.assertEqual(len(self.gap(*words, "--program", written)), 6)


if __name__ == "__main__":
    unittest.main()

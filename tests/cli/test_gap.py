"""`etscope gap`: fixtures agree, a planted fault is named and no other."""

import re
import struct
import subprocess
import unittest
import xml.etree.ElementTree as tree
from pathlib import Path

import run_support as support
from gap_support import FLOAT_ORIGINAL, INT8, QUANTIZED, GapTest, files, weights_of, unpack
from run_support import INPUT, MISMATCH, NEGATIVE, USAGE
from support import json_rows

PORTABLE = ("conv_portable", "dynamic", "gpt_portable", "mlp_portable", "map_loop", "cond")
DELEGATED = ("gpt_xnnpack", "linear_fp32_xnnpack", "mlp_xnnpack")


class Random(GapTest):
    def test_gap__random_numbers_are_taken_as_they_were_captured(self):
        folder = support.DATA / "random"
        words = (folder / "random.etdp", "--etrecord", folder / "random.etrecord",
                 "--debug-buffer", folder / "random.bin")
        rows = {row["aot_ops"][0]: row for row in self.gap(*words)}
        for name, row in rows.items():
            if name in ("rand", "randn", "dropout"):
                self.assertIn("draws random numbers", row["reason"])
                self.assertIsNone(row["total_error"])
            else:
                self.assertLess(row["total_error"], 1e-6, name)
        self.assertLess({"linear", "add", "mul", "tanh", "zeros_like", "add_1"}, set(rows))


class Outputs(GapTest):
    """An attention block whose delegate calls have several outputs of one shape: tests/data/residual."""

    def setUp(self):
        super().setUp()
        unpack("residual/int8.tar.xz", self.folder)

    def residual(self, *more, debug="int8.bin"):
        """The rows of the fixture, without the program beside it."""
        return self.gap("int8.etdp", "--etrecord", "int8.etrecord", "--debug-buffer", debug, "--no-siblings", *more)

    def test_gap__a_call_has_the_dequantize_copies_that_it_uses(self):
        rows = self.residual()
        self.assertEqual({row["finding"] for row in rows}, {"agrees"})
        self.assertLess(max(row["own_error"] for row in rows), 1e-6)
        self.assertEqual([row["aot_ops"][-1] for row in rows if row["instruction"] == 5],
                         ["quantize_per_tensor_18", "dequantize_per_tensor_23"])

    def test_gap__the_residual_of_a_model_with_more_additions_has_its_pair(self):
        rows = self.residual("--reference-etrecord", "float.etrecord")
        self.assertEqual({row["finding"] for row in rows}, {"agrees"})
        self.assertEqual([row["instruction"] for row in rows if row["aot_ops"][-1].startswith("add")], [5, 11])

    def residual_values(self):
        """Where the values of the fixture are in its debug buffer, by instruction and index."""
        rows = json_rows(self.ok("tensors", "int8.etdp", "--debug-buffer", "int8.bin", "--format", "json").stdout)
        return {(row["instruction"], row["index"]): slice(row["offset"], row["offset"] + row["size_bytes"])
                for row in rows}

    def changed_residual(self, change):
        """Its debug buffer after `change(data, values)`."""
        data = bytearray((self.folder / "int8.bin").read_bytes())
        change(data, self.residual_values())
        (self.folder / "changed.bin").write_bytes(data)
        return self.folder / "changed.bin"

    @staticmethod
    def swap(data, values):
        one, two = values[7, 1], values[7, 2]  # as if the delegate had them in another order
        data[one], data[two] = data[two], data[one]

    def test_gap__outputs_of_one_shape_are_told_apart_by_who_takes_them(self):
        def index_of(*more, debug):
            return [row["index"] for row in self.residual("--alignment", *more, debug=debug)
                    if row["instruction"] == 7 and row["aot_op"] == "dequantize_per_tensor_26"]
        swapped = self.changed_residual(self.swap)
        self.assertEqual(index_of(debug="int8.bin"), [1])
        self.assertEqual(index_of(debug=swapped), [2])  # a later call took these bytes
        self.assertEqual(index_of("--program", "int8.pte", debug=swapped), [1])
        self.assertEqual({row["finding"] for row in self.residual(debug=swapped)}, {"agrees"})

    def test_gap__a_wrong_value_whose_users_are_right_is_in_doubt(self):
        def change(data, values):
            self.swap(data, values)
            data[values[11, 2]] = bytes(len(data[values[11, 2]]))  # nothing tells who took it
        rows = self.residual(debug=self.changed_residual(change))
        (row,) = [row for row in rows if row["finding"] != "agrees"]
        self.assertEqual((row["aot_ops"][-1], row["finding"]), ("dequantize_per_tensor_26", None))
        self.assertGreater(row["total_error"], 0.5)
        self.assertIn("its pairing is in doubt", row["reason"])
        line = self.headline("int8.etdp", "--etrecord", "int8.etrecord", "--debug-buffer", self.changed_residual(change))
        self.assertRegex(line, r"^10 of 11 values were compared and agree with .*; 1 may be paired with the wrong value; the largest error is "
                               r"[\d.e-]+ of 0\.05 allowed")

    def test_gap__the_float_model_is_named_where_an_operator_is_guilty(self):
        def change(data, values):
            at = values[11, 3]
            data[at] = bytes(at.stop - at.start)
        line = self.headline("int8.etdp", "--etrecord", "int8.etrecord", "--debug-buffer",
                             self.changed_residual(change), "--no-siblings")
        self.assertRegex(line, r"^one of the 3 operators of partition 4 of XnnpackBackend \(mish, linear_6, add_2; .*makes 100 % of the "
                               r"outputs' error against the program's own quantized graph .*; to see what quantization "
                               r"costs, give the float model: --reference-etrecord$")


class Fixtures(GapTest):
    def test_gap__every_fixture_agrees(self):
        for model in PORTABLE + DELEGATED:
            with self.subTest(model=model):
                rows = self.gap(*files(model))
                self.assertTrue(rows)
                self.assertEqual({row["finding"] for row in rows}, {"agrees"})
                for row in rows:
                    self.assertLess(row["total_error"], 1e-6)

    def test_gap__a_value_that_two_partitions_dequantize_is_one_output(self):
        folder = support.DATA / "shared_quantized"
        rows = self.gap(folder / "int8.etdp", "--etrecord", folder / "int8.etrecord",
                        "--debug-buffer", folder / "int8.bin")
        self.assertEqual([row["aot_ops"][-1] for row in rows],
                         ["quantize_per_tensor_1", "dequantize_per_tensor_5", "cumsum",
                          "dequantize_per_tensor_7"])
        self.assertEqual({row["finding"] for row in rows}, {"agrees"})
        self.assertLess(max(row["own_error"] for row in rows), 0.01)

    def test_gap__reads_a_pipe(self):
        words = ("--etrecord", support.DATA / "saturated" / "int8.etrecord", "--debug-buffer",
                 support.DATA / "saturated" / "int8.bin", "--format", "tsv")
        trace = support.DATA / "saturated" / "int8.etdp"
        with trace.open("rb") as file:
            piped = subprocess.run([support.ETSCOPE, "gap", "-", *map(str, words)], stdin=file, capture_output=True,
                                   text=True, check=False)
        self.assertEqual(piped.stdout, self.ok("gap", trace, *words).stdout)
        self.assertIn("relu", piped.stdout)

    def test_gap__a_program_is_told_how_to_become_a_trace(self):
        program = support.DATA / "saturated" / "int8.pte"
        done = support.call("gap", program, "--no-siblings")
        self.assertEqual(done.returncode, support.INPUT)
        self.assertEqual(done.stderr, f"etscope: {program}: byte 0: not an ETDump but an ExecuTorch program (.pte); gap reads "
                                      f"a trace with captured tensors: etscope run {program} --etrecord FILE --inputs "
                                      "etrecord --capture intermediates -o debug.etdp --debug-buffer debug.bin "
                                      "(--capture delegates: also those within calls of XNNPACK)\n")

    def test_gap__kernels_that_are_not_told_blame_no_call_of_a_delegate(self):
        model = support.DATA / "gpt_xnnpack"
        trace = (model / "debug.etdp").read_bytes().replace(b"native_call_", b"nothing_call")
        (self.folder / "unnamed.etdp").write_bytes(trace)
        words = ("unnamed.etdp", *files("gpt_xnnpack")[1:])
        told = self.gap(*words, "--program", model / "model.pte")
        untold = self.gap(*words)
        self.assertEqual({row["finding"] for row in told + untold}, {"agrees"})
        self.assertEqual((len(told), len(untold)), (26, 20))

    def test_gap__kernels_of_one_runtime_agree_bit_for_bit(self):
        self.assertEqual(self.headline(*files("gpt_portable"), "--reference-dtype", "record"),
                         "all 40 values agree with the exported program as this runtime's kernels "
                         "compute it, bit for bit")
        self.assertRegex(self.headline(*files("gpt_portable")),
                         r"^all 40 values agree with the exported program in float64; the largest error is "
                         r"[1-9.]+e-07 in \S+ \(\S+\); bit-identical to this runtime's kernels$")
        self.assertRegex(self.headline(*files("conv_portable")),
                         r"; bit-identical to this runtime's kernels in \d of 7 values$")

    def test_gap__conditions_agree_with_the_expected_output(self):
        for case, branch in ((0, "sin"), (1, "cos")):
            with self.subTest(case=case):
                words = self.record("cond", support.DATA / "cond" / "model.pte", case)
                rows = self.gap(*words, "--case", case, "--values", "--program",
                                support.DATA / "cond" / "model.bpte")
                expected = support.suites_of("cond")["forward"][case][1][0][2]
                names = [row["aot_ops"][-1] for row in rows]
                self.assertEqual(names, ["sum_1", "gt", "linear", branch, "cond"])
                self.assertEqual({row["finding"] for row in rows}, {"agrees"})
                for name in ("aot_intermediate_output", "runtime_intermediate_output"):
                    for value, other in zip(rows[-1][name], expected):
                        self.assertAlmostEqual(value, other, delta=1e-6)

    def test_gap__methods_agree_with_the_expected_output(self):
        words = (*files("multi_method"), "--program", support.DATA / "multi_method" / "model.bpte")
        for run, method in ((1, "decode"), (3, "encode"), (5, "forward")):
            with self.subTest(method=method):
                rows = self.gap(*words, "--run", run, "--values")
                expected = support.suites_of("multi_method")[method][0][1][0][2]
                self.assertEqual({row["finding"] for row in rows}, {"agrees"})
                self.assertEqual(rows[-1]["shape"], [2, 8 if method != "encode" else 6])
                for value, other in zip(rows[-1]["aot_intermediate_output"], expected):
                    self.assertAlmostEqual(value, other, delta=1e-6)

    def test_gap__in_double_a_kernels_own_rounding_shows(self):
        rows = self.gap(*files("gpt_portable"))
        self.assertEqual({row["same_bits"] for row in rows}, {1})
        self.assertEqual({row["computes_in"] for row in rows} - {"integers"}, {"float32"})
        errors = [row["own_error"] for row in rows if row["dtype"] == "float32"]
        self.assertTrue(any(error > 0 for error in errors))
        self.assertTrue(all(error < 1e-6 for error in errors))
        self.assertEqual({row["finding"] for row in rows}, {"agrees"})


class Inexact(GapTest):
    """tests/data/inexact: the kernel of cumsum adds up in bfloat16, PyTorch in float32."""

    def setUp(self):
        super().setUp()
        folder = support.DATA / "inexact"
        self.words = ("debug.etdp", "--etrecord", folder / "sums.etrecord", "--debug-buffer",
                      "debug.bin")
        self.ok("run", folder / "sums.pte", "--etrecord", folder / "sums.etrecord", "--inputs",
                "etrecord", "-o", "debug.etdp", "--capture", "intermediates", "--debug-buffer",
                "debug.bin")

    def test_gap__a_kernel_that_is_itself_inexact_is_named(self):
        rows = self.gap(*self.words)
        self.assertEqual([(row["aot_ops"][-1], row["finding"]) for row in rows],
                         [("mul", "agrees"), ("relu", "agrees"), ("cumsum", "inexact"),
                          ("div", "agrees"), ("tanh", "agrees"), ("add", "agrees")])
        self.assertEqual({row["same_bits"] for row in rows}, {1})
        self.assertGreater(rows[2]["own_error"], 0.01)
        self.assertLess(max(row["own_error"] for row in rows if row["finding"] == "agrees"), 0.003)
        self.assertRegex(self.headline(*self.words),
                         r"; but cumsum \(models/sums.py:13\) is inexact: off by 0\.01\d; "
                         r"rounding to bfloat16 explains 0\.00\d+; bit-identical to this")
        self.assertIn("bit for bit", self.headline(*self.words, "--reference-dtype", "record"))

    def test_gap__a_tolerance_that_it_breaks_blames_the_kernel(self):
        line = self.headline(*self.words, "--rms", "0.001")
        self.assertRegex(line, r"^the output agrees with .*; inside, cumsum \(models/sums.py:13\) stands out: its own error is 0.019; it makes "
                               r"77.7 % of that error of the outputs; bit-identical to this runtime's kernels")


class PlantedFaults(GapTest):
    def check(self, rows, guilty):
        named = [(row["aot_ops"][-1], row["finding"]) for row in rows
                 if row["finding"] in ("guilty", "suspect")]
        self.assertEqual(named, [(guilty, "guilty")])
        at = next(i for i, row in enumerate(rows) if row["finding"] == "guilty")
        self.assertEqual({row["finding"] for row in rows[:at]} - {"agrees"}, set())
        self.assertEqual({row["finding"] for row in rows[at + 1:]} - {"agrees", "inherited"}, set())

    def test_gap__a_weight_of_a_portable_program(self):
        for model, storage, guilty in (("mlp_portable", 0, "linear"),
                                       ("mlp_portable", 2, "linear_1"),
                                       ("gpt_portable", 5, "linear"),
                                       ("gpt_portable", 18, "linear_5"),
                                       ("gpt_portable", 28, "linear_8")):
            with self.subTest(model=model, guilty=guilty):
                self.check(self.gap(*self.plant(model, storage, 3, 0.1)), guilty)

    def test_gap__the_channel_with_the_error_is_named(self):
        for model, storage, element, channel in (
                ("conv_portable", 0, 3, "channel 0 of 8;"),  # of a convolution's kernel
                ("conv_portable", 1, 3, "channel 3 of 8;"),  # its bias
                ("conv_portable", 5, 7, "channel 7 of 16;"),
                ("gpt_portable", 7, 9, "channel 9 of 64 (dimension 2)"),
                ("gpt_portable", 10, 3, "channel 0 of 256 (dimension 2)")):
            with self.subTest(model=model, storage=storage):
                line = self.headline(*self.plant(model, storage, element, 1.0))
                self.assertRegex(line, rf"its own error is [\d.]+; 99 % of it is in {re.escape(channel)}")
        # no channel has most of it: one element of an embedding, and an element of a batch of two
        for model, storage in (("gpt_portable", 0), ("mlp_portable", 0)):
            with self.subTest(model=model, storage=storage):
                self.assertNotIn("channel", self.headline(*self.plant(model, storage, 3, 1.0)))

    def test_gap__what_would_decide_between_suspects_is_said(self):
        reason = support.obstacle("gpt_portable")
        if reason:
            self.skipTest(reason)
        program = bytearray((support.DATA / "gpt_portable" / "model.pte").read_bytes())
        for storage in (0, 1):  # two embeddings, neither computed from the other
            at = program.index(weights_of("gpt_portable")[storage])
            for row in range(4):
                struct.pack_into("<f", program, at + 256 * row, 9.0)
        (self.folder / "planted.pte").write_bytes(program)
        words = self.record("gpt_portable", "planted.pte")
        trace, _, _, _, buffer = files("gpt_portable")
        line = self.headline(*words, "--reference-trace", trace, "--reference-debug-buffer", buffer)
        self.assertIn("a comparison with the ETRecord's graph would tell their own errors", line)
        self.assertNotIn("would tell", self.headline(*words))

    def test_gap__a_weight_inside_of_a_delegate(self):
        for storage, guilty in ((4, "linear"), (10, "add_2"), (18, "add_3"), (28, "linear_8")):
            with self.subTest(guilty=guilty):
                rows = self.gap(*self.plant("gpt_xnnpack", storage, 3, 0.1))
                self.check(rows, guilty)

    def test_gap__rows_within_a_quantized_delegate_have_the_names_of_operators(self):
        model = support.DATA / "conv_xnnpack_int8"
        self.ok("run", model / "model.pte", "--etrecord", model / "model.etrecord", "--inputs",
                "etrecord", "--capture", "delegates", "-o", "in.etdp", "--debug-buffer", "in.bin")
        words = ("gap", "in.etdp", "--debug-buffer", "in.bin", "--etrecord",
                 model / "model.etrecord")
        done = self.ok(*words, "--program", model / "model.pte", "--width", "200")
        lines = [line.split() for line in done.stdout.splitlines()]
        names = {line[2]: line for line in lines if len(line) > 10}
        for name, module in (("conv2d", "c1"), ("conv2d_1", "c2"), ("linear", "fc"),
                             ("flatten", "(model)"), ("adaptive_avg_pool2d", "p")):
            self.assertIn(module, names[name], done.stdout)
        worst = re.search(r"the largest error is \S+ of \S+ allowed in (\w+)", done.stdout)[1]
        self.assertIn(worst, names)
        # What was not compared is told, and why.
        self.assertIn("note: 2 captured values were not compared (from within a delegate: no node of "
                      "the record computes this value alone; StaticTranspose in XnnpackBackend); "
                      "--alignment lists them", done.stderr)
        self.assertIn("note: 9 captured values were not compared (from within a delegate: the program "
                      "is needed to tell which value it is", self.ok(*words).stderr)

    def test_gap__a_weight_of_a_single_partition(self):
        self.check(self.gap(*self.plant("linear_fp32_xnnpack", 0, 3, 0.1)), "linear")
        self.check(self.gap(*self.plant("mlp_xnnpack", 2, 3, 0.1)), "softmax")

    def test_gap__a_weight_that_is_not_a_number(self):
        rows = self.gap(*self.plant("gpt_portable", 10, 3, float("nan")))
        self.check(rows, "linear_2")
        text = self.ok("gap", *self.plant("gpt_portable", 10, 3, float("nan"))).stdout
        self.assertRegex(text, r"worst +16 of 4096 elements are NaN or infinite on one side only, "
                               r"the first is element 0")
        self.assertNotIn("both have NaN", text)

    def test_gap__nan_on_both_sides_is_said(self):
        shape = (2, 16)
        support.write_npy(self.folder / "nan.npy", "<f4", shape, [float("nan")] + [1.0] * 31)
        self.ok("run", support.DATA / "mlp_portable" / "model.pte", "--input", "nan.npy", "-o",
                "debug.etdp", "--capture", "intermediates", "--debug-buffer", "debug.bin")
        words = ("debug.etdp", "--debug-buffer", "debug.bin", "--etrecord",
                 support.DATA / "mlp_portable" / "model.etrecord")
        self.assertEqual(self.headline(*words, "--input", "nan.npy", "--reference-dtype",
                                       "record"),
                         "all 4 values agree with the exported program as this runtime's kernels "
                         "compute it, bit for bit; both have NaN, first in linear "
                         "(models/zoo.py:16)")

    def test_gap__a_partition_is_blamed_as_one(self):
        text = self.ok("gap", *self.plant("mlp_xnnpack", 2, 3, 0.1)).stdout
        self.assertRegex(text, r"^one of the 4 operators of partition 0 of XnnpackBackend \(linear, relu, linear_1, softmax; "
                               r"models/zoo.py:16; modules l1, l2\) makes 100 % of")
        self.assertIn("  from         the model's inputs", text)

    def test_gap__the_headline_names_it(self):
        words = self.plant("mlp_portable", 2, 3, 0.1)
        lines = self.ok("gap", *words).stdout.splitlines()
        self.assertRegex(lines[0], r"^linear_1 \(models/zoo.py:16\) makes 100 % of the outputs' "
                                   r"error against the exported program in float64: its own "
                                   r"error is 0\.\d+; the outputs are off by 0\.\d+, but the largest element of each row "
                                   r"stays the same; nothing before it is off by more than "
                                   r"[\d.]+e-0[78]$")
        self.assertIn("guilty: linear_1 (models/zoo.py:16), module l2, instruction 4, event 14, "
                      "addmm.out", lines)
        self.assertIn("  from         relu", lines)

    def test_gap__another_largest_element_is_said(self):
        text = self.ok("gap", *self.plant("mlp_portable", 2, 3, 30.0)).stdout
        self.assertIn(", and in 1 of 2 rows of softmax another element is the largest;", text)

    def test_gap__the_metric_is_the_column_gap(self):
        words = self.plant("mlp_portable", 2, 3, 0.1)
        for metric, column in (("mse", "mse"), ("l1", "l1"), ("cosine", "cosine"),
                               ("max", "max_error"), ("snr", "snr")):
            for row in self.gap(*words, "--metric", metric):
                self.assertEqual(row["gap"], [row[column]])
        self.assertIn("cosine", self.ok("gap", *words, "--metric", "cosine").stdout)

    def test_gap__fail_below_decides_the_exit_code(self):
        words = self.plant("mlp_portable", 2, 3, 0.1)
        done = support.call("gap", *words, "--fail-below", "60", cwd=self.folder)
        self.assertEqual(done.returncode, NEGATIVE, done.stderr)
        self.assertIn("2 of 4 values have an SNR below 60 dB", done.stderr)
        self.ok("gap", *files("mlp_portable"), "--fail-below", "60")
        self.fails(USAGE, "--fail-below takes a number in dB", "gap", *words, "--fail-below", "x")

    def test_gap__each_time_round_a_loop_is_the_same_operator(self):
        rows = self.gap(*self.plant("map_loop", 0, 3, 0.1))
        self.assertEqual([(row["aot_ops"][-1], row["occurrence"]) for row in rows
                          if row["finding"] == "guilty"],
                         [("matmul", 0), ("matmul", 1), ("matmul", 2)])
        self.assertNotIn("suspect", {row["finding"] for row in rows})
        self.assertNotIn("more stand", self.headline("debug.etdp", "--etrecord",
                                                     support.DATA / "map_loop" / "model.etrecord",
                                                     "--debug-buffer", "debug.bin"))


class Comparators(GapTest):
    plugins = Path(support.ETSCOPE).parent.parent / "lib"

    def test_gap__a_comparator_is_one_more_column(self):
        words = self.plant("mlp_portable", 0, 3, 10)
        rows = self.gap(*words, "--comparator", self.plugins / "sign_flips.so")
        self.assertEqual([row["sign_flips"] for row in rows], [0, 0, 3 / 8, 0])
        self.assertIn("sign flips", self.ok("gap", *words, "--comparator",
                                            self.plugins / "sign_flips.so").stdout)

    def test_gap__what_a_comparator_refuses_is_said_once(self):
        done = self.ok("gap", *files("mlp_portable"), "--format", "json", "--comparator",
                       self.plugins / "comparator_refuses.so")
        self.assertEqual({row["refuses"] for row in json_rows(done.stdout)}, {None})
        self.assertEqual(done.stderr.count("comparator refuses: UNSUPPORTED"), 1)
        self.fails(USAGE, "another column is also named like comparator mse", "gap", *files("mlp_portable"),
                   "--comparator", self.plugins / "comparator_column.so")


class Int8(GapTest):
    """A model whose layer `squeeze` has no steps left for its weights."""

    words, original = INT8, FLOAT_ORIGINAL

    def test_gap__a_weight_that_sets_the_step_of_all_is_the_cause(self):
        folder = support.DATA / "quantized"
        words = ("gap", str(folder / "int8.etdp"), "--debug-buffer", str(folder / "int8.bin"),
                 "--etrecord", str(folder / "int8.etrecord"), "--reference-etrecord")
        text = support.call(*words, str(folder / "float.etrecord")).stdout
        self.assertIn("the output agrees with the other model in float64, off by 0.032 of 0.05 allowed, and the largest element stays the same; inside, "
                      "linear (models/net.py:20) stands out: its own error is 0.27; 31 % of its weights became 0: the largest, 20, sets the step "
                      "of all, 0.16",
                      text)
        weight = re.search(r"weight +quantized with one step of (\S+) for all 256 numbers: 31 % became "
                           r"0; root mean square (\S+), largest (\S+) in channel 3, in all others 0.315\n", text)
        step, rms, largest = map(float, weight.groups())
        self.assertAlmostEqual(largest / step, 127, delta=1)  # the largest takes the last step
        self.assertLess(8 * rms, largest)
        self.assertIn("\n  try          a step for each channel; or divide channel 3 by what makes it large, ", text)
        text = support.call(*words, str(folder / "int8.etrecord")).stdout
        self.assertNotIn("weights became 0", text)
        self.assertNotIn("  try ", text)

    def test_gap__a_changed_module_shifts_no_pairs(self):
        folder = support.DATA / "changed_module"
        done = support.call("gap", folder / "int8.etdp", "--reference-etrecord", folder / "float.etrecord",
                            "--format", "json")
        rows = json_rows(done.stdout)
        self.assertEqual([row["module"] for row in rows], ["gate.down", "gate", "gate.up", "head"])
        self.assertEqual({row["finding"] for row in rows}, {"agrees"})
        self.assertLess(max(row["total_error"] for row in rows), 0.02)
        self.assertIn("1 operator of the reference has no counterpart", done.stderr)

    def test_gap__a_scale_that_is_shared_with_larger_values_is_the_cause(self):
        folder = support.DATA / "joined"
        words = (folder / "int8.etdp", "--etrecord", folder / "int8.etrecord", "--debug-buffer", folder / "int8.bin",
                 "--reference-etrecord", folder / "float.etrecord")
        text = self.ok("gap", *words).stdout
        self.assertRegex(text, r"^cat \(models/net\.py:16\) gives relu \(models/net\.py:15\) too coarse a scale: a step of its "
                               r"scale is 0\.372, but it reaches only 1\.16, and what else cat takes 95; this makes 9\d\.\d % of ")
        self.assertIn("  try          bring what it takes to one range", text)
        done = self.ok("advise", *words, "--format", "json")
        self.assertIn("bring what cat takes to one range (divide what reaches 95, and multiply the weights behind it)",
                      [row["action"] for row in json_rows(done.stdout)])

    def test_gap__a_scale_that_cuts_off_what_the_operator_takes_is_the_cause(self):
        unpack("saturated/input.tar.xz", self.folder)
        words = ("input.etdp", "--debug-buffer", "input.bin", "--etrecord", "input.etrecord", "--reference-etrecord",
                 support.DATA / "saturated" / "float.etrecord")
        done = self.ok("gap", *words)
        self.assertRegex(done.stdout, r"^linear \(models/net\.py:15\) makes 99\.\d % of .*: its own error is 0\.64; 51 % of "
                                      r"the values of input 0, which it takes, are beyond its scale, -0\.578 to 0\.483: "
                                      r"they reach 2\.91;")
        self.assertRegex(done.stdout, r"  scale        of input 0 tells -0\.578 to 0\.483; of 128 numbers 31 are below and 35 "
                                      r"above: \S+ to \S+\n  try          calibrate with inputs like those of this run\n")
        self.assertIn("\nerrors are fractions of the reference's root mean square; ", done.stdout)

    def test_gap__a_scale_that_cuts_values_off_is_the_cause(self):
        folder = support.DATA / "saturated"
        words = (folder / "int8.etdp", "--debug-buffer", folder / "int8.bin", "--etrecord",
                 folder / "int8.etrecord")
        done = self.ok("gap", *words, "--reference-etrecord", folder / "float.etrecord")
        cause = re.search(r"relu \(models/net\.py:15\) makes 99\.\d % of .*; 12 % of its values are beyond its "
                          r"scale, 0 to (\S+): they reach (\S+);", done.stdout)
        highest, reached = map(float, cause.groups())
        self.assertGreater(reached, 1.5 * highest)
        scale = re.search(r"  scale        tells 0 to (\S+); of 64 numbers 0 are below and 8 above: 0 to (\S+)\n"
                          r"  try          calibrate with inputs like those of this run\n", done.stdout)
        self.assertEqual(tuple(map(float, scale.groups())), (highest, reached))
        device = re.search(r"  device +0 to (\S+),", done.stdout)
        self.assertAlmostEqual(float(device[1]), highest, places=3)  # where the device stops
        def cut_off(*more):
            return [row for row in json_rows(self.ok("gap", *words, *more, "--format", "json").stdout)
                    if row["beyond_scale"] is not None]
        (row,) = cut_off("--reference-etrecord", folder / "float.etrecord")
        self.assertEqual((row["aot_ops"], row["scale_min"], row["beyond_scale"]), (["relu"], 0, 8))
        self.assertAlmostEqual(row["scale_max"], highest, places=3)
        self.assertAlmostEqual(row["cut_off_error"], 0.26, places=2)
        self.assertEqual(cut_off(), [])  # the delegate's output is not cut off, what is inside has no row
        # without the float model, the values before they are quantized decide
        line = self.headline(*words)
        self.assertRegex(line, r"^1 value agrees .*; but relu \(models/net\.py:15\) is cut off: 12 % of its values "
                               rf"are beyond its scale, 0 to {highest}: they reach {reached}, an error of 0\.26;")

    def test_gap__an_input_beyond_its_scale_is_named(self):
        reason = support.obstacle("conv_xnnpack_int8")
        if reason:
            self.skipTest(reason)
        numbers = [(-1) ** i * (i % 97) / 8 for i in range(3 * 16 * 16)]  # calibrated with -4 to 4
        support.write_npy(self.folder / "large.npy", "<f4", (1, 3, 16, 16), numbers)
        self.ok("run", QUANTIZED / "int8.pte", "--input", "large.npy", "-o", "debug.etdp", "--capture",
                "intermediates", "--debug-buffer", "debug.bin")
        words = ("debug.etdp", "--debug-buffer", "debug.bin", "--etrecord", QUANTIZED / "int8.etrecord",
                 "--input", "large.npy")
        line = self.headline(*words)
        found = re.search(r"; but input 0 is cut off: (\d+) % of its values are beyond its scale, (\S+) to (\S+): "
                          r"they reach (\S+), an error of ([\d.]+); so (?:are|is) \d+ more;", line)
        self.assertTrue(found, line)
        percent, lowest, highest, reached, error = map(float, found.groups())
        step = (highest - lowest) / 255
        beyond = [max(number - highest, lowest - number) for number in numbers]
        cut = [over for over in beyond if over > step / 2]
        self.assertEqual(int(percent), 100 * len(cut) // len(numbers))
        self.assertEqual(abs(reached), 12)
        expected = (sum(over * over for over in cut) / sum(number * number for number in numbers)) ** 0.5
        self.assertAlmostEqual(error, expected, delta=0.01)

    def test_gap__scales_that_fit_are_no_cause(self):
        schemes = support.DATA / "schemes"
        for trace in (QUANTIZED / "int8", support.DATA / "shared_quantized" / "int8", schemes / "static",
                      schemes / "dynamic"):
            with self.subTest(trace=trace.name):
                words = (trace.with_suffix(".etdp"), "--debug-buffer", trace.with_suffix(".bin"), "--etrecord",
                         trace.with_suffix(".etrecord"))
                self.assertNotIn("beyond its scale", self.ok("gap", *words).stdout)
        for model in ("linear_int8_xnnpack", "conv_xnnpack_int8"):
            self.assertNotIn("beyond its scale", self.headline(*files(model)))
        self.assertNotIn("beyond its scale", self.headline(*self.words, *self.original))

    def test_gap__the_delegate_computes_what_the_quantized_graph_says(self):
        (row,) = self.gap(*self.words)
        self.assertEqual((row["finding"], row["same_bits"]), ("agrees", 1))
        self.assertLess(row["total_error"], 1e-7)

    def test_gap__an_agreement_with_the_quantized_graph_says_what_it_does_not_tell(self):
        for model in (self.words, files("linear_int8_xnnpack"), files("conv_xnnpack_int8")):
            with self.subTest(model=str(model[0])):
                line = self.headline(*model)
                self.assertRegex(line, "^1 value agrees with the program's own quantized graph in "
                                       "float64; ")
                self.assertTrue(line.endswith(
                    "; to see what quantization costs, give the float model: --reference-etrecord"),
                    line)
        self.assertIn("agrees with the other model in float64", self.headline(*self.words, *self.original))
        self.assertNotIn("quantiz", self.headline(*files("conv_xnnpack")))

    def test_gap__beside_the_float_model_int8_is_judged_as_int8(self):
        found = {row["aot_ops"][-1]: row["finding"] for row in self.gap(*self.words, *self.original)}
        self.assertEqual(found["linear"], "harmless")  # guilty of nothing: the output agrees
        self.assertEqual(found["relu_1"], "inherited")
        self.assertEqual({found[name] for name in ("relu", "conv2d_1", "hardswish", "linear_1")},
                         {"agrees"})
        stderr = self.ok("gap", *self.words, *self.original).stderr
        self.assertIn("note: tolerance: static int8 0.05 of", stderr)
        self.assertNotIn("float32", stderr)
        line = self.headline(*self.words, *self.original, "--rms", "0.5")
        self.assertRegex(line, r"^all 9 values agree with the other model in float64; the largest error is "
                               r"0\.2\d of 0\.5 allowed in relu_1 \(models/net\.py:20\); the outputs "
                               r"are off by 0\.03\d*, and the largest element stays the same$")

    def test_gap__what_a_quantizer_added_has_the_line_of_what_it_belongs_to(self):
        (row,) = self.gap(*self.words)
        self.assertEqual(row["aot_ops"][-1], "dequantize_per_tensor_9")
        self.assertEqual(row["source"], "models/net.py:21")

    def test_gap__the_tolerance_has_a_source_and_can_be_given(self):
        words = files("linear_int8_xnnpack")
        done = self.ok("gap", *words)
        self.assertIn("note: tolerance: dynamic int8 0.05 of the root mean square (2 steps of 8 "
                      "bits over 6 standard deviations)", done.stderr)
        for given in (("--rms", "0.001"), ("--tolerance", "dtype=float32,rms=0.001"),
                      ("--rms", "0.5", "--tolerance", "method=forward,rms=0.001")):
            with self.subTest(given=given):
                done = self.ok("gap", *words, *given, "--format", "json")
                (row,) = json_rows(done.stdout)
                self.assertEqual((row["finding"], row["tolerance"]), ("guilty", 0.001))
                self.assertIn("dynamic int8 0.001 of the root mean square (as given)", done.stderr)
        (row,) = self.gap(*words, "--tolerance", "method=other,rms=0.001")
        self.assertEqual(row["tolerance"], 0.05)
        self.fails(USAGE, "only verify has case, output, rtol and atol", "gap", *words, "--tolerance", "rtol=1")

    def test_gap__against_its_float_original_the_operator_is_named(self):
        rows = self.gap(*self.words, *self.original)
        self.assertEqual([row["aot_ops"][-1] for row in rows],
                         ["batch_norm", "relu", "conv2d_1", "hardswish", "adaptive_avg_pool2d",
                          "flatten", "linear", "relu_1", "linear_1"])
        (guilty,) = (row for row in rows if row["finding"] == "harmless")
        self.assertEqual(guilty["aot_ops"], ["linear"])
        self.assertEqual((guilty["source"], guilty["module"]), ("models/net.py:20", "squeeze"))
        self.assertGreater(guilty["own_error"], 0.2)
        self.assertNotIn("suspect", {row["finding"] for row in rows})
        self.assertEqual({row["captured"] for row in rows[:-1]}, {"(computed)"})
        self.assertEqual(rows[-1]["captured"], "XnnpackBackend")

    def test_gap__against_its_own_record_nothing_is_off(self):
        """Values behind quantize and dequantize nodes are compared with such."""
        words = (*self.words, "--reference-etrecord", self.words[2])
        self.assertEqual({row["finding"] for row in self.gap(*words)}, {"agrees"})
        self.assertRegex(self.headline(*words), "^all 9 values agree with the other model .*; to see "
                                                "what quantization costs, give the float model")

    def test_gap__the_picture_is_svg_with_a_line_for_each_operator(self):
        path = self.folder / "gap.svg"
        self.ok("gap", *self.words, *self.original, "--picture", path)
        root = tree.parse(path).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        bars = [bar.get("class") for bar in root.iter("{http://www.w3.org/2000/svg}rect")]
        legend = 3
        self.assertEqual(len([bar for bar in bars if bar == "total"]), 9 + 1)
        self.assertEqual(len([bar for bar in bars if bar == "guilty"]), 1)  # of the legend: the output agrees
        self.assertEqual(len(bars), 9 + 9 + legend)

    def test_gap__what_counts_as_rounding_is_said_where_it_is_much(self):
        self.assertRegex(self.headline(*files("linear_int8_xnnpack")),
                         r"; the largest error is 0.01 of 0.05 allowed in linear \(models/zoo.py:6\);")
        self.assertNotIn("allowed", self.headline(*files("conv_portable")))

    def test_gap__of_other_weights_no_operator_is_accused(self):
        words = (*files("conv_xnnpack_int8"), "--reference-etrecord",
                 support.DATA / "conv_xnnpack" / "model.etrecord")
        self.assertRegex(self.headline(*words),
                         r"^the reference seems to be another model than the one that ran: 0 of \d "
                         r"weights and \d of \d operators match; no operator is blamed$")
        rows = self.gap(*words)
        self.assertFalse({row["finding"] for row in rows} & {"guilty", "suspect"})

    def test_gap__the_picture_has_the_whole_headline(self):
        words = (*self.words, *self.original)
        self.ok("gap", *words, "--picture", self.folder / "gap.svg")
        texts = list(tree.parse(self.folder / "gap.svg").iter("{http://www.w3.org/2000/svg}text"))
        lines = [text.text for text in texts if text.get("font-weight") == "bold"]
        self.assertEqual(" ".join(lines), self.headline(*words))  # too long for one
        self.assertEqual(len(lines), 2)

    def test_gap__nodes_of_the_quantizer_have_no_line(self):
        rows = self.gap(*files("conv_xnnpack_int8")[:3], "--alignment")
        sources = {row["aot_op"]: row["source"] for row in rows if row["aot_op"]}
        self.assertIsNone(sources["quantize_per_tensor"])
        self.assertEqual(sources["conv2d"], "models/zoo.py:21")

    def test_gap__records_of_nothing_in_common(self):
        cond = support.DATA / "map_loop" / "model.etrecord"
        self.fails(MISMATCH, "no operator in common", "gap", *self.words, "--reference-etrecord",
                   cond)


class OtherReferences(GapTest):
    def test_gap__device_against_device(self):
        words = self.plant("mlp_portable", 2, 3, 0.1)
        trace, _, _, _, buffer = files("mlp_portable")
        rows = self.gap(*words, "--reference-trace", trace, "--reference-debug-buffer", buffer)
        self.assertEqual([row["finding"] for row in rows],
                         ["agrees", "agrees", "guilty", "inherited"])
        self.assertEqual({row["own_error"] for row in rows}, {None})
        self.assertEqual({row["computed_by"] for row in rows}, {"nothing"})
        self.fails(USAGE, "--reference-debug-buffer", "gap", *words, "--reference-trace", trace)

    def test_gap__a_trace_of_another_export_needs_its_record(self):
        trace, _, _, _, buffer = files("mlp_xnnpack")
        words = (*files("mlp_portable"), "--reference-trace", trace, "--reference-debug-buffer",
                 buffer)
        done = self.fails(MISMATCH, "does not belong to this ETRecord", "gap", *words)
        self.assertIn("name its ETRecord with --reference-etrecord", done.stderr)
        rows = self.gap(*words, "--reference-etrecord",
                        support.DATA / "mlp_xnnpack" / "model.etrecord")
        self.assertEqual(rows[-1]["aot_ops"][-1], "softmax")

    def test_gap__files_as_the_reference(self):
        rows = self.gap(*files("mlp_portable"))
        data = files("mlp_portable")[4].read_bytes()
        tensors = json_rows(self.ok("tensors", *files("mlp_portable"), "--format",
                                     "json").stdout)
        names = {row["instruction"]: row["aot_ops"][-1] for row in rows}
        for tensor in tensors:
            if tensor["instruction"] not in names or names[tensor["instruction"]] == "relu":
                continue
            count = tensor["shape"][0] * tensor["shape"][1]
            elements = list(struct.unpack_from(f"<{count}f", data, tensor["offset"]))
            if names[tensor["instruction"]] == "softmax":
                elements[3] += 0.5
            support.write_npy(self.folder / f"{names[tensor['instruction']]}.npy", "<f4",
                              tensor["shape"], elements)
        rows = self.gap(*files("mlp_portable"), "--reference-npy", self.folder)
        self.assertEqual([row["finding"] for row in rows], ["agrees", None, "agrees", "guilty"])
        self.assertEqual(rows[1]["reason"], "the reference has no such value")
        self.assertEqual(rows[3]["worst_index"], 3)
        (self.folder / "linear.npy").write_bytes(b"no array")
        done = support.call("gap", *files("mlp_portable"), "--reference-npy", self.folder)
        self.assertEqual(done.returncode, INPUT, done.stderr)
        self.assertIn("linear.npy", done.stderr)


class Alignment(GapTest):
    def alignment(self, model, *words):
        return self.gap(*files(model)[:3], "--alignment", *words)

    def test_gap__every_captured_value_is_listed(self):
        for model in support.MODELS:
            with self.subTest(model=model):
                partial = ["--partial"] if model == "types" else []
                run = ["--run", "1"] if model == "multi_method" else []
                program = support.DATA / model / "model.pte"
                words = ["--program", program, *partial, *run]
                listed = [row for row in self.alignment(model, *words)
                          if row["match"] != "not captured"]
                tensors = json_rows(self.ok("tensors", files(model)[0], *partial, *run,
                                             "--format", "json").stdout)
                self.assertEqual([row["event"] for row in listed],
                                 [row["event"] for row in tensors])
                for row in listed:
                    self.assertTrue(row["aot_op"] or row["reason"], row)
                    self.assertEqual(row["match"] == "unmatched",
                                     row["aot_op"] is None and row["match"] != "input")

    def test_gap__outputs_of_one_operator_are_told_apart(self):
        rows = [row for row in self.alignment("types", "--partial")
                if row["aot_op"] in ("topk", "split") and row["runtime_op"] != "(output)"]
        self.assertEqual([(row["aot_op"], row["output"]) for row in rows],
                         [("topk", 0), ("topk", 1), ("split", 0), ("split", 1), ("split", 2)])

    def test_gap__a_partition_hides_its_nodes(self):
        rows = self.alignment("mlp_xnnpack")
        hidden = [row["aot_op"] for row in rows if row["match"] == "not captured"]
        self.assertEqual(hidden, ["linear", "relu", "linear_1"])
        self.assertEqual({row["reason"] for row in rows if row["aot_op"] in hidden},
                         {"inside a delegate"})
        self.assertEqual([row["match"] for row in rows[:3]], ["input", "subset", "exact"])

    def test_gap__what_a_delegate_logs_from_inside_is_known_by_its_map(self):
        backend = Path(support.ETSCOPE).parent.parent / "lib" / "libdemo_backend.so"
        if not backend.exists():
            self.skipTest("the example of a backend is not built")
        self.ok("run", support.EXAMPLES / "backend" / "demo.pte", "--load-library", backend, "-o",
                "demo.etdp", "--capture", "intermediates", "--debug-buffer", "demo.bin")
        rows = self.gap("demo.etdp", "--etrecord", support.EXAMPLES / "backend" / "demo.etrecord",
                        "--alignment")
        self.assertEqual([(row["runtime_op"], row["aot_op"]) for row in rows
                          if row["instruction"] == 0 and row["match"] == "subset"],
                         [("mul_add 0", "add"), ("mul_add 1", "add_1"),
                          ("DemoBackend output", "add"), ("DemoBackend output", "add_1")])
        self.assertNotIn("unmatched", {row["match"] for row in rows})

    def test_gap__with_the_edge_program_every_step_is_one(self):
        rows = self.alignment("gpt_portable", "--reference", "edge")
        self.assertNotIn("unmatched", {row["match"] for row in rows})


if __name__ == "__main__":
    unittest.main()

"""`etscope delegates`, and what `inspect` and `profile` say about events inside of delegates."""

import json
import pathlib
import tempfile
import unittest

import run_support
import support
from support import DATA, INPUT, MISMATCH, OK, USAGE


def files(name, folder="delegates"):
    """Program, trace and record of a fixture."""
    return [DATA / folder / f"{name}.{ending}" for ending in ("pte", "etdp", "etrecord")]


def delegates(*words):
    done = support.run("delegates", *words)
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    return done


def lines(*words):
    done = delegates(*words, "--format", "json")
    assert done.returncode == OK, done.stderr
    return support.json_rows(done.stdout)


class Delegates(unittest.TestCase):
    def test_delegates__program_alone(self):
        """Nodes inside and bytes across need neither trace nor record."""
        found = lines(DATA / "conv_xnnpack" / "model.pte", "--no-siblings")
        self.assertEqual([line["operator"] for line in found], [
            "XnnpackBackend", "StaticTranspose", "Conv2d", "DepthwiseConv2d", "Hardswish",
            "GlobalAvgPooling2d", "StaticTranspose", "StaticReshape", "FullyConnected"])
        self.assertEqual({line["kind"] for line in found[1:]}, {"inside"})
        self.assertEqual(found[2]["event"], "Convolution (NHWC, F32) IGEMM #1")
        self.assertEqual(found[4]["debug_handles"], ["5"])
        self.assertEqual(found[2]["source"], [])
        self.assertNotIn("p50_ns", found[0])
        call = found[0]
        self.assertEqual((call["kind"], call["partition"], call["instruction"], call["depth"]),
                         ("delegate", 0, 0, 0))
        self.assertEqual((call["inputs"], call["outputs"], call["bytes_are"]), (1, 1, "exact"))
        self.assertIsNone(found[1]["input_bytes"])

    def test_delegates__trace_and_record(self):
        program, trace, record = files("elements")
        found = lines(program, trace, "--etrecord", record)
        rows = support.rows(trace, "--etrecord", record, "--program", program)
        calls = [line for line in found if line["kind"] == "delegate"]
        self.assertEqual([line["partition"] for line in calls], [0, 1])
        inside = [line for line in found if line["kind"] == "inside"]
        events = [row for row in rows if row["tie"]]
        self.assertEqual(len(inside), len(events))
        for line, row in zip(inside, events):
            self.assertEqual(line["event"], row["event"])
            self.assertEqual(line["delegate_nodes"], row["delegate_nodes"])
            self.assertEqual(line["debug_handles"], row["debug_handles"])
            self.assertEqual(line["source"], row["source"])
            self.assertEqual(line["p50_ns"], row["p50_ns"])
            self.assertAlmostEqual(line["share_upper"], row["share_upper"])
        linear = inside[0]
        self.assertEqual(linear["operator"], "FullyConnected + Clamp + Clamp + Clamp")
        self.assertEqual(linear["debug_handles"], ["1", "2", "3", "4"])

    def test_delegates__what_stands_between(self):
        found = [line for line in lines(DATA / "gpt_xnnpack" / "model.pte", "--calls")]
        self.assertEqual([line["instruction"] for line in found], list(range(len(found))))
        self.assertEqual(sum(line["kind"] == "delegate" for line in found), 12)
        self.assertEqual({line["kind"] for line in found}, {"delegate", "kernel"})
        split = found[28]
        self.assertEqual(split["operator"], "aten::split_with_sizes_copy.out")
        self.assertEqual(split["outputs"], 3)  # of a list
        self.assertEqual(split["input_bytes"], split["output_bytes"])

    def test_delegates__dynamic_shapes_are_bounds(self):
        found = lines(DATA / "dynamic" / "model.pte")
        self.assertEqual({line["bytes_are"] for line in found}, {"exact", "at most"})

    def test_delegates__no_times_where_the_rule_does_not_fit(self):
        program, trace, record = files("images")
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "other.etdp"
            other.write_bytes(trace.read_bytes().replace(b"Max Pooling", b"Min Pooling"))
            done = delegates(program, other, "--etrecord", record, "--format", "json")
        self.assertEqual(done.returncode, OK)
        self.assertIn(b"no times inside instruction 0: operator 7 is Max Pooling (NHWC, F32) #1 "
                      b"in the payload but Min Pooling (NHWC, F32) #1 in the trace", done.stderr)
        inside = [line for line in support.json_rows(done.stdout) if line["kind"] == "inside"]
        self.assertEqual(len(inside), 16)
        self.assertEqual({line["p50_ns"] for line in inside}, {None})

    def test_delegates__methods_and_blocks(self):
        program = DATA / "multi_method" / "model.pte"
        found = lines(program)
        self.assertEqual(list(dict.fromkeys(line["method"] for line in found)),
                         ["decode", "encode", "forward"])
        self.assertEqual({line["method"] for line in lines(program, "--method", "encode")},
                         {"encode"})
        document = json.loads(delegates(program, "--format", "json").stdout)
        self.assertEqual(document["headline"], "3 methods: 0 partitions with 0 operators, "
                                               f"{len(found)} outside")
        self.assertEqual(delegates(program).stdout.decode().splitlines()[:2], [document["headline"], ""])
        document = json.loads(delegates(program, "--method", "encode", "--format", "json").stdout)
        self.assertTrue(document["headline"].startswith("encode - 0 partitions"))
        done = delegates(program, "--method", "none")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"decode", done.stderr)

    def test_delegates__formats(self):
        program, trace, record = files("shared")
        table = delegates(program, trace, "--etrecord", record).stdout.decode()
        self.assertRegex(table, r"^forward - 2 partitions with 4 operators, 0 outside - 2 runs, "
                                r"\d+ % of the time delegated\n")
        self.assertIn("Convert + FullyConnected", table)
        tsv = delegates(program, "--format", "tsv").stdout.decode().splitlines()
        self.assertEqual(tsv[0].split("\t")[:4], ["method", "partition", "instruction", "operator"])
        self.assertEqual(len(tsv), 1 + 2 + 4)

    def test_delegates__mistakes(self):
        program, trace, record = files("shared")
        self.assertEqual(delegates().returncode, USAGE)
        self.assertEqual(delegates(program, trace, trace).returncode, USAGE)
        self.assertEqual(delegates(trace).returncode, INPUT)
        self.assertEqual(delegates(program, program).returncode, INPUT)
        other = DATA / "mlp_portable"
        self.assertEqual(delegates(program, "--etrecord", other / "model.etrecord").returncode,
                         MISMATCH)
        self.assertEqual(delegates(program, other / "profile.etdp").returncode, MISMATCH)


class Ties(unittest.TestCase):
    """Columns `tie` and `delegate_nodes` of the operator table."""

    def test_delegates__without_the_program_only_the_call_is_known(self):
        for row in support.rows(*support.with_record("conv_xnnpack")):
            if row["event"].startswith("Convolution"):
                self.assertEqual(row["tie"], "call")
                self.assertEqual(row["delegate_nodes"], [])
        table = support.inspect(*support.with_record("conv_xnnpack")).stdout.decode()
        self.assertRegex(table, r"DWConv|IGEMM #1 .*\(whole call\)")

    def test_delegates__a_map_goes_before_the_payload(self):
        with run_support.tempfile.TemporaryDirectory() as folder:
            record = run_support.Path(folder) / "map.etrecord"
            program = DATA / "mlp_xnnpack" / "model.pte"
            keys = {"Softmax (NC, F32) #1": [4], "Fully Connected (NC, F32) GEMM #1": [1, 2]}
            support.replace_entries(
                DATA / "mlp_xnnpack" / "model.etrecord", record,
                {"delegate_map": json.dumps(
                    {"forward": {"0": {"name": "XnnpackBackend", "delegate_map": keys}}})})
            rows = support.rows(DATA / "mlp_xnnpack" / "profile.etdp", "--etrecord", record,
                                "--program", program)
            ties = {row["event"]: (row["tie"], row["debug_handles"]) for row in rows if row["tie"]}
            self.assertEqual(ties, {
                "Fully Connected (NC, F32) GEMM #1": ("map", ["1", "2"]),
                "Fully Connected (NC, F32) GEMM #2": ("call", ["1", "2", "3", "4"]),
                "Softmax (NC, F32) #1": ("map", ["4"])})
            found = lines(program, "--etrecord", record)
            self.assertEqual([line["operator"] for line in found],
                             ["XnnpackBackend", *keys])


class Groups(unittest.TestCase):
    """`--group-by` of source and module, which look into delegates."""

    def groups(self, model, group_by, *words):
        return support.rows(*support.with_record(model), "--group-by", group_by, *words)

    def test_delegates__a_call_of_one_part_counts_with_its_own_time(self):
        program = ("--program", DATA / "mlp_xnnpack" / "model.pte")
        def executed(group_by):
            rows = self.groups("mlp_xnnpack", group_by, *program)
            return {str(row[group_by]): row for row in rows if row["block"] == "Execute"}
        whole = executed("backend")["XnnpackBackend"]
        parts, layers = executed("part"), executed("layer")
        self.assertEqual(set(parts), {"other", "(between operators)"})
        for column in ("avg_ns", "avg_ns_upper", "min_ns", "max_ns_upper"):
            self.assertEqual(parts["other"][column], whole[column])
        # Its events are of several layers: what is of none stays apart.
        self.assertIn("(XnnpackBackend, not reported)", str(layers))

    def test_delegates__lines_inside_of_delegates_have_their_own_time(self):
        for group_by, expected in (("source", "models/zoo.py:26"), ("module", "blocks.1.qkv")):
            with self.subTest(group_by=group_by):
                program = DATA / "gpt_xnnpack" / "model.pte"
                whole = self.groups("gpt_xnnpack", group_by)
                apart = self.groups("gpt_xnnpack", group_by, "--program", program)
                names = [row[group_by] for row in apart]
                self.assertIn([expected], names)
                self.assertIn(["(XnnpackBackend, not reported)"], names)
                self.assertTrue(all(len(name) == 1 for name in names))
                self.assertTrue(any(len(row[group_by]) > 1 for row in whole))
                total = self.groups("gpt_xnnpack", "none")
                total = next(row for row in total if row["event"] == "Method::execute")
                own = "self_ns" if group_by == "module" else "avg_ns"
                self.assertAlmostEqual(sum(row[own] for row in whole), total["avg_ns"])
                self.assertLessEqual(sum(row[own] for row in apart), total["avg_ns"] + 1)
                self.assertGreaterEqual(sum(row[own + "_upper"] for row in apart),
                                        total["avg_ns"] - 1)

    def test_delegates__exact_times_stay_exact_beside_coarse_ones(self):
        rows = self.groups("gpt_xnnpack", "source", "--program", DATA / "gpt_xnnpack" / "model.pte")
        mixed = next(row for row in rows if row["source"] == ["models/zoo.py:28"])
        events = [row for row in support.rows(*support.with_record("gpt_xnnpack"), "--program",
                                              DATA / "gpt_xnnpack" / "model.pte")
                  if row["tie"] and row["source"] == ["models/zoo.py:28"]]
        self.assertAlmostEqual(mixed["avg_ns_upper"] - mixed["avg_ns"], 1000 * len(events))
        self.assertGreater(mixed["calls"], len(events))


class QuantizedModules(unittest.TestCase):
    """What quantizes the output of a layer belongs to that layer, and to no module of its own."""

    EXPECTED = {
        "conv_xnnpack_int8/profile.etdp": [
            ("Convert (NC) #1", ["(model)"]),
            ("Convolution (NHWC, QC8) IGEMM #1", ["c1", "(model)"]),  # with the model's relu6
            ("Convolution (NHWC, QC8) IGEMM #2", ["c2"]),
            ("Mean (ND) #1", ["p"]),
            ("Static Reshape (NC) #1", ["(model)"]),
            ("Fully Connected (NC, QS8, QC8W) GEMM #1", ["fc"]),
            ("Convert (NC) #2", ["fc"]),
        ],
        "quantized/int8.etdp": [
            ("Convolution (NHWC, QS8) IGEMM #1", ["stem", "(model)"]),
            ("Convolution (NHWC, QS8) IGEMM #2", ["body"]),
            ("Convert (NC) #2", ["body"]),
            ("Fully Connected (NC, QS8) GEMM #1", ["squeeze", "(model)"]),
            ("Fully Connected (NC, QS8) GEMM #2", ["head"]),
            ("Convert (NC) #4", ["head"]),
        ],
    }

    def files(self, trace):
        stem = str(DATA / trace).removesuffix(".etdp").removesuffix("profile")
        stem += "model" if stem.endswith("/") else ""
        return DATA / trace, "--etrecord", stem + ".etrecord", "--program", stem + ".pte"

    def test_delegates__quantized_outputs_have_the_module_of_their_layer(self):
        for trace, expected in self.EXPECTED.items():
            rows = {row["operator"]: row["module"] for row in support.rows(*self.files(trace))}
            for operator, module in expected:
                with self.subTest(trace=trace, operator=operator):
                    self.assertEqual(rows[operator], module)

    def test_delegates__quantized_layers_are_lines_of_the_tree_of_modules(self):
        for trace, layers in (("conv_xnnpack_int8/profile.etdp", {"c2", "p", "fc"}),
                              ("quantized/int8.etdp", {"body", "head"})):
            rows = support.rows(*self.files(trace), "--group-by", "module")
            found = {row["module"][0] for row in rows if len(row["module"]) == 1}
            self.assertLessEqual(layers, found)


class Examples(unittest.TestCase):
    def test_delegates__every_call_of_the_examples_is_explained(self):
        """Run here, so that the runtime of this machine is asked."""
        if run_support.obstacle("mlp_xnnpack") or not run_support.have_records():
            self.skipTest("needs the engine, with XNNPACK, and ETRecords")
        calls = 0
        for program, methods in (("mobile_cnn", ["forward"]),
                                 ("tiny_transformer", ["prefill", "decode"])):
            stem = str(run_support.EXAMPLES / program / "xnnpack")
            for method in methods:
                done = run_support.call("profile", stem + ".pte", "--etrecord", stem + ".etrecord",
                                        "--method", method, "--runs", "2", "--format", "json")
                self.assertEqual(done.returncode, OK, done.stderr)
                rows = [row for row in support.json_rows(done.stdout) if row["block"] == "Execute"]
                ties = [row["tie"] for row in rows if row["tie"]]
                self.assertTrue(ties)
                self.assertEqual(set(ties), {"node"})
                calls += sum(row["event"] == "DELEGATE_CALL" for row in rows)
        self.assertEqual(calls, 32)


class WrongMap(unittest.TestCase):
    """Vulkan's map of executorch 1.5.1 names handles of operators that ran outside of its calls."""

    def test_delegates__numbers_that_are_no_handles_are_not_believed(self):
        base = DATA / "payloads" / "vulkan_map"
        done = support.run("delegates", f"{base}.pte", "--etrecord", f"{base}.etrecord", "--format",
                           "json")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, OK, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        inside = [(row["operator"], row["op_types"]) for row in rows if row["kind"] == "inside"]
        self.assertEqual(inside, [
            ("et_vk.conv_with_clamp.default", ["aten.convolution.default"]),
            ("aten.linear.default", ["aten.permute_copy.default", "aten.addmm.default"]),
            ("aten._softmax.default", ["aten._softmax.default"])])
        outside = [row["operator"] for row in rows if row["kind"] == "kernel"]
        self.assertEqual(outside, ["aten::erf.out", "aten::mean.out"])


class OtherBackends(unittest.TestCase):
    """Payloads of Core ML and OpenVINO, and the nodes of the record that they are of."""

    def modules(self, *folder):
        found = lines(DATA.joinpath("payload_truth", *folder, "model.pte"))
        return [(line["operator"], line["module"]) for line in found if line["kind"] == "inside"]

    def test_delegates__core_ml_by_debug_handles(self):
        whole = ["(model)"]
        self.assertEqual(self.modules("coreml", "res_fp16"), [
            ("cast", ["stem"]), ("conv", ["stem"]), ("relu", whole), ("conv", ["c1"]), ("relu", whole), ("conv", ["dw"]),
            ("add", whole), ("reduce_mean", whole), ("reshape", whole), ("linear", ["head"]), ("cast", ["head"])])

    def test_delegates__core_ml_without_a_map(self):
        """Several methods have no debug handles: names of operations, or of the weights that they take."""
        method = [("cast", []), ("linear", ["fc1"]), ("relu", ["(model)"]), ("linear", ["fc2"])]
        self.assertEqual(self.modules("coreml", "multi"), 2 * method)

    def test_delegates__nodes_without_names_by_their_order_or_weights(self):
        """Of kinds that the call has as often as the payload; no line is better than a wrong one."""
        for fixture, expected in (
                ("mlx/lin", ["fc1", "fc1", None, "fc2", "fc2"]),
                ("mlx/lin_int4", ["e", "", "f", "f"]),
                ("vulkan/res", ["stem", "c1", "dw", "", "", None, "", "head"]),
                ("vgf/lin_fp", [None] * 5)):
            base = DATA / "payload_truth" / fixture / "model"
            done = support.run("delegates", f"{base}.pte", "--etrecord", f"{base}.etrecord",
                               "--no-siblings", "-f", "json")
            self.assertEqual(done.returncode, OK, done.stderr)
            rows = [row for row in json.loads(done.stdout)["rows"] if row["kind"] == "inside"]
            seen = [row["module"][0].replace("(model)", "") if row["module"] else None
                    for row in rows]
            self.assertEqual(seen, expected, fixture)
            self.assertEqual({row["tie"] for row in rows if row["module"]} - {"near"}, set())
            is_said = b"does not tell which of the call's operators" in done.stderr
            self.assertEqual(is_said, not any(seen))

    def test_delegates__openvino_by_names(self):
        self.assertEqual(self.modules("openvino", "lin"),
                         [("FullyConnected", ["fc1"]), ("ReLU", ["(model)"]), ("FullyConnected", ["fc2"])])
        self.assertEqual([modules for name, modules in self.modules("openvino", "res_fp16") if "Conv" in name],
                         [["stem"], ["c1"], ["dw"]])

    def test_delegates__events_of_core_ml_are_of_its_operations(self):
        folder = DATA / "payload_truth" / "coreml" / "res_fp16"
        rows = [row for row in support.rows(folder / "made.etdp", "--etrecord", folder / "model.etrecord",
                                            "--program", folder / "model.pte") if row["tie"]]
        self.assertEqual(len(rows), 11)
        self.assertEqual([row["delegate_nodes"] for row in rows if row["event"] == "linear_0_cast_fp16:linear"],
                         [["linear"]])


if __name__ == "__main__":
    unittest.main()

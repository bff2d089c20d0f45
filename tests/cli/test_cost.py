"""`etscope cost`, and the same beside the times of a trace: what operators compute and move.

cost/flops.json has what torch.utils.flop_counter counts when the edge program of a record runs, 2
for each multiply-add of convolutions, matrix products and attention.
"""

import json
import pathlib
import tarfile
import tempfile
import unittest

import support
from support import DATA, OK, USAGE

FLOPS = json.loads((DATA / "cost" / "flops.json").read_text())
# The program counts upper bounds of dynamic shapes, PyTorch the example inputs.
DYNAMIC = {"dynamic/model": 4, "sweep/flatten_dynamic": 4, "sweep/max_pool_ceil_dynamic": 4,
           "sweep/slice_dynamic": 2, "sweep/upsample_dynamic": 36864 / 13824,
           "sweep/view_dynamic": 2}
# XNNPACK runs a batch norm that follows no convolution as a depthwise one, of 144 multiply-adds.
MORE = {"sweep/batch_norm_alone": 288}
# Published for images of 224x224; docs/cost.md compares.
KNOWN = {"mobilenet_v2": 601_548_544, "resnet50": 8_178_368_512, "vit_b_16": 35_127_656_448}


def run(*words):
    done = support.run(*words)
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == OK, done.stderr
    return done


def document(*words):
    return json.loads(run(*words, "--format", "json").stdout)


def query(text, *files):
    return document("sql", text, *files, "--no-siblings")["rows"]


def cost(*words):
    return document("cost", *words)


def of_nodes(record):
    found = query("select method, sum(2 * macs) as flops from node_costs join nodes on node = id "
                  "group by method", record)
    return {row["method"]: row["flops"] or 0 for row in found}


def of_program(program):
    found = query("select method, sum(2 * macs) as flops, sum(not_counted) as unknown "
                  "from instruction_costs where taken group by method", program)
    assert all(not row["unknown"] for row in found), found
    return {row["method"]: row["flops"] or 0 for row in found}


def calls(rows):
    """Each delegate call whose operators are all counted, with these."""
    call, inside = None, []
    for row in [*rows, {"depth": 0, "cost": None}]:
        if row["depth"] == 1:
            inside.append(row)
            continue
        if inside and call["cost"] in ("known", "at most"):
            yield call, inside
        call, inside = row, []


class Exactness(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        with tarfile.open(DATA / "delegates" / "sweep.tar.xz") as archive:
            archive.extractall(cls.folder.name, filter="data")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def file(self, name, suffix):
        folder, stem = name.split("/")
        base = pathlib.Path(self.folder.name) if folder == "sweep" else DATA / folder
        return base / f"{stem}{suffix}"

    def test_cost__nodes_count_as_pytorch_does(self):
        for name, methods in FLOPS.items():
            with self.subTest(name):
                found = of_nodes(self.file(name, ".etrecord"))
                self.assertEqual({method: found.get(method, 0) for method in methods}, methods)

    def test_cost__programs_count_as_pytorch_does(self):
        """Payloads of delegates included: what they took is what they compute."""
        compared = 0
        for name, methods in FLOPS.items():
            program = self.file(name, ".pte")
            if not program.exists():
                continue
            with self.subTest(name):
                found = of_program(program)
                for method, flops in methods.items():
                    expected = MORE.get(name, flops * DYNAMIC.get(name, 1))
                    self.assertEqual(found[method], expected)
                    compared += 1
        self.assertGreater(compared, 100)

    def test_cost__published_models(self):
        for model, flops in KNOWN.items():
            with self.subTest(model):
                self.assertEqual(FLOPS[f"cost/{model}"]["forward"], flops)

    def test_cost__delegate_computes_what_its_operators_do(self):
        """The nodes of a payload, and the nodes of the record that the call took: multiply-adds.

        Not `ops`: of a folded batch norm and of a clamp that two nodes share, the payload has fewer.
        """
        text = ("select o.instruction, macs, cost from operators o join operator_costs c "
                "on c.operator = o.id where name = 'DELEGATE_CALL'")
        compared = 0
        for trace in sorted(pathlib.Path(self.folder.name).glob("avx512/*.etdp")):
            name = f"sweep/{trace.stem}"
            by_payload = query(text, trace, "--program", self.file(name, ".pte"))
            by_record = query(text, trace, "--etrecord", self.file(name, ".etrecord"))
            for left, right in zip(by_payload, by_record, strict=True):
                if right["cost"] != "known" or left["cost"] != "known" or name in MORE:
                    continue
                compared += 1
                self.assertEqual(left, right, name)
        self.assertGreater(compared, 80)

    def test_cost__calls_are_the_sum_of_their_operators(self):
        """All arithmetic and all weights; of other bytes only what crosses the call's border."""
        equal = ("macs", "ops", "flops", "special_ops", "folded", "not_counted", "weight_bytes")
        less = ("read_bytes", "written_bytes", "moved_bytes")
        compared = fewer = 0
        programs = [*DATA.rglob("*.pte"), *pathlib.Path(self.folder.name).rglob("*.pte")]
        for program in sorted(programs):
            done = support.run("cost", program, "--no-siblings", "--format", "json")
            if done.returncode != OK:  # made to be refused
                continue
            for call, inside in calls(json.loads(done.stdout)["rows"]):
                total = {key: sum(row[key] or 0 for row in inside) for key in (*equal, *less)}
                # Several operators read one constant: the scalar 0, the weights of a convolution in two parts.
                if {"mlx", "transformed"} & set(program.parts):
                    self.assertLessEqual(call["weight_bytes"], total["weight_bytes"])
                    total["weight_bytes"] = call["weight_bytes"]
                with self.subTest(program=program.name, instruction=call["instruction"]):
                    if call["operator"] == "VgfBackend":  # operators share small constants
                        self.assertLessEqual(total["weight_bytes"] - call["weight_bytes"], 64)
                        total["weight_bytes"] = call["weight_bytes"]
                    self.assertEqual({key: call[key] for key in equal},
                                     {key: total[key] for key in equal})
                    for key in less:
                        self.assertLessEqual(call[key], total[key])
                compared += 1
                fewer += call["moved_bytes"] < total["moved_bytes"]
        self.assertGreater(compared, 150)
        self.assertGreater(fewer, 80)


class Cost(unittest.TestCase):
    def test_cost__answer_comes_first(self):
        done = run("cost", DATA / "conv_xnnpack" / "model.pte")
        self.assertEqual(
            done.stdout.decode().splitlines()[0],
            "forward: 0.135 MFLOP a run; 96 % in 2 convolutions; 9.32 operations a byte; 1 batch "
            "norm is folded into weights")

    def test_cost__rows_have_every_number(self):
        rows = cost(DATA / "mlp_xnnpack" / "model.pte", "--no-siblings")["rows"]
        self.assertEqual([row["operator"] for row in rows],
                         ["XnnpackBackend", "FullyConnected", "FullyConnected", "Softmax"])
        # 2x16 by 16x32 with a bias, and the clamp of its relu.
        expected = {"macs": 1024, "ops": 64, "flops": 2112, "special_ops": 0, "read_bytes": 128,
                    "weight_bytes": 2176, "written_bytes": 256, "moved_bytes": 2560,
                    "cost": "known", "arithmetic": "float32", "not_counted": 0, "folded": 0}
        self.assertEqual({key: rows[1][key] for key in expected}, expected)
        self.assertEqual(sum(row["macs"] for row in rows[1:]), rows[0]["macs"])
        self.assertEqual(sum(row["ops"] for row in rows[1:]), rows[0]["ops"])

    def test_cost__call_moves_what_crosses_its_border(self):
        rows = cost(DATA / "mlp_xnnpack" / "model.pte", "--no-siblings")["rows"]
        call, inside = rows[0], rows[1:]
        self.assertEqual(call["read_bytes"], inside[0]["read_bytes"])
        self.assertEqual(call["written_bytes"], inside[-1]["written_bytes"])
        self.assertEqual(call["weight_bytes"], sum(row["weight_bytes"] for row in inside))
        self.assertLess(call["moved_bytes"], sum(row["moved_bytes"] for row in inside))

    def test_cost__groups_add_up(self):
        model = DATA / "gpt_xnnpack" / "model.pte"
        whole = cost(model)["rows"]
        calls = sum(row["flops"] for row in whole if row["depth"] == 0)
        for group in ("op", "module"):
            with self.subTest(group):
                rows = cost(model, "--group-by", group)["rows"]
                self.assertEqual(sum(row["flops"] for row in rows), calls)
                flops = [row["flops"] for row in rows]
                self.assertEqual(flops, sorted(flops, reverse=True))

    def test_cost__modules_have_depth(self):
        model = DATA / "gpt_xnnpack" / "model.pte"
        deep = cost(model, "--group-by", "module")["rows"]
        shallow = cost(model, "--group-by", "module", "--depth", "1")["rows"]
        self.assertLess(len(shallow), len(deep))
        self.assertTrue(all("." not in name for row in shallow for name in row["module"]))
        self.assertEqual(sum(row["flops"] for row in shallow), sum(row["flops"] for row in deep))

    def test_cost__dynamic_shapes_are_at_most(self):
        found = cost(DATA / "dynamic" / "model.pte", "--no-siblings")
        self.assertIn("at most, as shapes are upper bounds", found["headline"])
        states = {row["operator"]: row["cost"] for row in found["rows"]}
        self.assertEqual(states["aten::addmm.out"], "at most")
        self.assertEqual(states["aten::permute_copy.out"], "known")  # of a weight

    def test_cost__of_branches_the_larger_counts(self):
        found = cost(DATA / "cond" / "model.pte", "--no-siblings")
        self.assertIn("of branches the larger counts", found["headline"])
        taken = [row["taken"] for row in found["rows"]]
        self.assertIn(0, taken)
        self.assertEqual(
            found["headline"].split(";")[0],
            f"forward: {sum(row['flops'] for row in found['rows'] if row['taken'])} FLOP a run")

    def test_cost__of_loops_one_turn_counts(self):
        found = cost(DATA / "map_loop" / "model.pte", "--no-siblings")
        self.assertIn("loops count once", found["headline"])

    def test_cost__methods_and_words(self):
        model = DATA / "multi_method" / "model.pte"
        methods = {row["method"] for row in cost(model, "--no-siblings")["rows"]}
        self.assertEqual(methods, {"decode", "encode", "forward"})
        rows = cost(model, "--no-siblings", "--method", "encode")["rows"]
        self.assertEqual({row["method"] for row in rows}, {"encode"})
        self.assertEqual(support.run("cost").returncode, USAGE)
        self.assertEqual(support.run("cost", model, "--method", "none").returncode, USAGE)
        self.assertEqual(support.run("cost", model, "--depth", "1").returncode, USAGE)

    def test_cost__of_several_methods_the_largest_leads(self):
        found = cost(DATA / "multi_method" / "model.pte")
        flops = {}
        for row in found["rows"]:
            flops[row["method"]] = flops.get(row["method"], 0) + row["flops"]
        most = max(flops, key=flops.get)
        lead = f"{len(flops)} methods; most work is in {most}: {flops[most]} FLOP a run; "
        self.assertTrue(found["headline"].startswith(lead), found["headline"])
        text = run("cost", DATA / "multi_method" / "model.pte").stdout.decode()
        self.assertEqual(text.splitlines()[:2], [found["headline"], ""])
        one = cost(DATA / "multi_method" / "model.pte", "--method", "encode")
        self.assertTrue(one["headline"].startswith("encode: "), one["headline"])

    def test_cost__top_and_sort(self):
        rows = cost(DATA / "gpt_xnnpack" / "model.pte", "--top", "3")["rows"]
        self.assertEqual(len(rows), 3)
        self.assertGreaterEqual(rows[0]["flops"], rows[1]["flops"])
        rows = cost(DATA / "gpt_xnnpack" / "model.pte", "--sort", "bytes")["rows"]
        moved = [row["moved_bytes"] for row in rows]
        self.assertEqual(moved, sorted(moved, reverse=True))


class Inspect(unittest.TestCase):
    def inspect(self, model, *words, trace="profile"):
        folder = DATA / model
        return document("inspect", folder / f"{trace}.etdp", "--program", folder / "model.pte",
                        "--etrecord", folder / "model.etrecord", "--cost", *words)["rows"]

    def test_cost__rates_are_bounds_where_times_are(self):
        rows = {row["operator"]: row for row in self.inspect("linear_fp32_xnnpack")}
        row = rows["Fully Connected (NC, F32) GEMM #1"]
        low, high = row["mid_ns"], row["mid_ns_upper"]
        self.assertLess(low, high)
        self.assertAlmostEqual(row["gflops_per_s"], row["flops"] / high)
        if low > 0:
            self.assertAlmostEqual(row["gflops_per_s_upper"], row["flops"] / low)
        self.assertEqual(row["macs"], 16 * 256 * 256)
        self.assertEqual(row["weight_bytes"], 4 * (256 * 256 + 256))
        self.assertEqual(row["read_bytes"], 4 * 16 * 256)

    def test_cost__quantized_types_are_the_payloads(self):
        rows = {row["operator"]: row for row in self.inspect("linear_int8_xnnpack")}
        row = rows["Fully Connected (NC, QDU8, F32, QC8W) GEMM #1"]
        self.assertEqual(row["arithmetic"], "int8 dynamic")
        self.assertEqual(row["macs"], 16 * 256 * 256)
        # The conversion is inside of it: 6 for each of 16x256. Weights take a byte and a scale of 4
        # a channel; the bias is float.
        self.assertEqual(row["ops"], 6 * 16 * 256)
        self.assertEqual(row["weight_bytes"], 256 * 256 + 4 * 256 + 4 * 256)

    def test_cost__whole_run_has_what_its_parts_have(self):
        for model in ("gpt_xnnpack", "gpt_portable", "conv_xnnpack_int8", "multi_method"):
            with self.subTest(model):
                rows = self.inspect(model)
                for block in {row["block_index"] for row in rows}:
                    of_block = [row for row in rows if row["block_index"] == block]
                    whole = [row for row in of_block if row["operator"] == "Method::execute"]
                    if not whole:
                        continue
                    parts = [row for row in of_block if row["depth"] == 1 and row["flops"]
                             and row["instruction"] is not None]
                    self.assertEqual(whole[0]["flops"], sum(row["flops"] for row in parts))
                    inside = [row for row in of_block if row["depth"] == 2]
                    calls = [row for row in parts if row["operator"].startswith("DELEGATE_CALL")]
                    self.assertEqual(sum(row["flops"] for row in inside if row["flops"]),
                                     sum(row["flops"] for row in calls))

    def test_cost__groups_never_add_twice(self):
        for group in ("op", "module", "source", "backend"):
            with self.subTest(group):
                rows = self.inspect("gpt_xnnpack", "--group-by", group)
                rows = [row for row in rows if row.get("depth", 0) == 0]
                self.assertEqual(sum(row["flops"] or 0 for row in rows), 3655380)

    def test_cost__loops_count_as_often_as_they_ran(self):
        rows = {row["operator"]: row for row in self.inspect("map_loop")}
        self.assertEqual(rows["mm.out"]["calls"], 3)
        self.assertEqual(rows["mm.out"]["macs"], 3 * 2 * 4 * 4)

    def test_cost__unknown_is_not_0(self):
        folder = DATA / "conv_xnnpack"
        rows = document("inspect", folder / "profile.etdp", "--cost", "--no-siblings")["rows"]
        execute = [row for row in rows if row["operator"] == "Method::execute"][0]
        self.assertIsNone(execute["flops"])
        self.assertEqual(execute["cost"], "unknown")
        self.assertGreater(execute["not_counted"], 0)
        shown = run("inspect", folder / "profile.etdp", "--cost", "--no-siblings").stdout.decode()
        self.assertIn("the work a run is unknown", shown)

    def test_cost__lines_of_source_have_costs(self):
        folder = DATA / "gpt_xnnpack"
        rows = document("annotate", folder / "profile.etdp", "--program", folder / "model.pte",
                        "--etrecord", folder / "model.etrecord", "--cost")["rows"]
        self.assertEqual(sum(row["flops"] or 0 for row in rows), 3655380)
        self.assertEqual({name for name in rows[0] if name.startswith("written")},
                         {"written_bytes"})

    def test_cost__delegates_have_costs(self):
        folder = DATA / "gpt_xnnpack"
        rows = document("delegates", folder / "model.pte", "--cost", "--no-siblings")["rows"]
        outer = sum(row["flops"] or 0 for row in rows if row["depth"] == 0)
        self.assertEqual(outer, 3655380)
        timed = document("delegates", folder / "model.pte", folder / "profile.etdp",
                         "--cost")["rows"]
        self.assertEqual([row["flops"] for row in timed], [row["flops"] for row in rows])
        rated = [row for row in timed if row["gflops_per_s"] is not None]
        self.assertGreater(len(rated), 10)
        for row in rated:
            self.assertAlmostEqual(row["gflops_per_s"] * row["mid_ns_upper"], row["flops"])

    def test_cost__counts_the_nodes_of_several_operations_once(self):
        """Core ML's map names a convolution's handle for ten operations, eight of them constants."""
        program = DATA / "payloads" / "coreml.pte"
        rows = [row for row in cost(program)["rows"] if row["kind"] == "inside"]
        self.assertEqual([row["operator"] for row in rows],
                         ["cast", "conv", "relu", "erf", "reduce_mean", "linear", "softmax", "cast"])
        whole, = [row for row in cost(program)["rows"] if row["kind"] == "delegate"]
        self.assertEqual(sum(row["flops"] for row in rows), whole["flops"])
        modules = cost(program, "--group-by", "module")["rows"]
        self.assertEqual(sum(row["operators"] for row in modules), len(rows))

    def test_cost__is_not_of_runs(self):
        done = support.run("inspect", DATA / "mlp_xnnpack" / "profile.etdp", "--group-by", "run",
                           "--cost")
        self.assertEqual(done.returncode, USAGE)
        for words in (("--tree",), ("--format", "upstream")):
            done = support.run("inspect", DATA / "mlp_xnnpack" / "profile.etdp", "--cost", *words)
            self.assertEqual(done.returncode, USAGE, words)


if __name__ == "__main__":
    unittest.main()

"""The graphs of MLX, Vulkan and the native backend are those that their exporters had
(tests/data/payload_truth): nothing missing, nothing invented."""

import json
import math
import unittest

import support
from support import DATA, OK

TRUTH = DATA / "payload_truth"
NAMES = {5: "int16", 6: "float32", 7: "float64", 15: "bfloat16", 28: "uint32", 4: "int64",
         11: "bool"}


def truth_of(name):
    return json.loads((TRUTH / name / "truth.json").read_text(encoding="utf-8"))["partitions"]


def graphs_of(name):
    """The graphs inside of delegates, as Model Explorer gets them."""
    done = support.run("export", TRUTH / name / "model.pte", "--no-siblings", "--to",
                       "model-explorer", "-o", "-")
    assert done.returncode == OK, done.stderr
    return [Graph(graph) for graph in json.loads(done.stdout)["graphs"] if "/" in graph["id"]]


class Graph:
    def __init__(self, graph):
        self.nodes = [node for node in graph["nodes"] if node["id"].startswith("n")]
        self.outputs = [node for node in graph["nodes"] if node["namespace"] == "Outputs"]
        self.inputs = [node for node in graph["nodes"] if node["namespace"] == "Inputs"]

    @staticmethod
    def notes(node, key):
        return [note["value"] for note in node["attrs"]
                if note["key"].rstrip("0123456789 ") == key]

    @staticmethod
    def shapes(node):
        return [output["attrs"][0]["value"] for output in node["outputsMetadata"]]

    @staticmethod
    def edges(node):
        """What comes in from nodes and inputs, by place."""
        return {int(edge["targetNodeInputId"]):
                (edge["sourceNodeId"], int(edge["sourceNodeOutputId"]))
                for edge in node["incomingEdges"]}


def shape(dtype, dims):
    return f"{dtype}[{','.join(map(str, dims))}]"


def weights_of(name, *files):
    """What `size` lists of weights in delegates: bytes by name."""
    done = support.run("size", TRUTH / name / "model.pte", *files, "--no-siblings", "--format",
                       "json")
    assert done.returncode == OK, done.stderr
    return {row["name"]: row["size_bytes"] for row in support.json_rows(done.stdout)
            if row["part"] == "delegate_weight"}


class Mlx:
    """The main chain of the truth, in which each write is a value of its own."""

    def __init__(self, partition):
        graph = partition["graph"]
        self.meta = graph["tensor_meta"]
        self.constants = graph["num_constant_tensors"]
        self.names = {named["slot"]["idx"]: named["name"] for named in graph["named_slots"]}
        self.bytes = partition["constants"]
        writers = {slot["idx"]: (f"input_{place}", 0)
                   for place, slot in enumerate(graph["input_map"])}
        self.nodes = []
        for instruction in graph["instruction_chains"][graph["main_chain_idx"]]["instructions"]:
            op = instruction["op"]
            tids = [(field, value["idx"]) for field, value in op.items()
                    if isinstance(value, dict) and value.get("_") == "Tid"]
            reads = [tid for field, tid in tids if field != "out"]
            self.nodes.append({
                "label": op["_"].removesuffix("Node"), "op": op,
                "edges": sorted(writers[tid] for tid in reads if tid in writers),
                "constants": [tid for tid in reads if tid < self.constants]})
            for field, tid in tids:
                if field == "out":
                    writers[tid] = (f"n{len(self.nodes) - 1}", 0)
        self.outputs = [writers[slot["idx"]] for slot in graph["output_map"]]
        self.output_shapes = [self.shape(slot["idx"]) for slot in graph["output_map"]]

    def shape(self, tensor, bits=None):
        meta = self.meta[tensor]
        dims = [dim["value"] for dim in meta["shape"]]
        if bits and meta["scalar_type"] == 28:
            return shape(f"int{bits}", [*dims[:-1], dims[-1] * 32 // bits])
        return shape(NAMES[meta["scalar_type"]], dims)

    def constant(self, node, tensor):
        size = self.bytes[self.names[tensor]]["bytes"]
        return f"{self.shape(tensor, node['op'].get('bits'))}, {size} bytes"


class PayloadGraphs(unittest.TestCase):
    maxDiff = None

    def test_mlx__has_the_instructions_of_the_main_chain(self):
        for name in ("mlx/lin", "mlx/lin_int4", "mlx/res"):
            with self.subTest(name):
                wanted = [Mlx(partition) for partition in truth_of(name)]
                found = graphs_of(name)
                self.assertEqual(len(found), len(wanted))
                for graph, truth in zip(found, wanted):
                    self.check_mlx(graph, truth)

    def check_mlx(self, graph, truth):
        self.assertEqual([node["label"] for node in graph.nodes],
                         [node["label"] for node in truth.nodes])
        for node, wanted in zip(graph.nodes, truth.nodes):
            self.assertEqual(sorted(graph.edges(node).values()), wanted["edges"], node["id"])
            self.assertEqual(sorted(graph.notes(node, "constant")),
                             sorted(truth.constant(wanted, each) for each in wanted["constants"]))
            for text in graph.shapes(node):
                self.assertRegex(text, r"^[a-z0-9]+\[[0-9,]*\]$")
        ends = [graph.edges(output)[0] for output in graph.outputs]
        self.assertEqual(ends, truth.outputs)
        nodes = {node["id"]: node for node in graph.nodes}
        self.assertEqual([graph.shapes(nodes[end[0]])[0] for end in ends], truth.output_shapes)

    def test_native__has_the_edge_programs_nodes(self):
        for name in ("native/lin", "native/res"):
            with self.subTest(name):
                (partition,), (graph,) = truth_of(name), graphs_of(name)
                calls = [node for node in partition["nodes"] if node["op"] == "call_function"]
                self.assertEqual([(node["label"], graph.notes(node, "edge node"))
                                  for node in graph.nodes],
                                 [(call["target"], [call["node"]]) for call in calls])
                places = {call["node"]: f"n{number}" for number, call in enumerate(calls)} | {
                    "x": "input_0"}
                for node, call in zip(graph.nodes, calls):
                    words = [word.strip("(),[] ") for word in call["args"].split(",")]
                    self.assertEqual(
                        [source for source, _ in graph.edges(node).values()],
                        [places[word] for word in words if word in places], node["id"])
                    self.assertEqual(len(graph.notes(node, "constant")),
                                     sum(word.startswith("p_") for word in words))
                output = next(node for node in partition["nodes"] if node["op"] == "output")
                last = output["args"].strip("()[], ")
                self.assertEqual(graph.edges(graph.outputs[0])[0], (places[last], 0))

    def test_constants__are_listed_by_their_parameters(self):
        for name in ("native/lin", "native/res", "mlx/lin", "mlx/lin_int4", "mlx/res"):
            with self.subTest(name):
                constants = truth_of(name)[0]["constants"]
                # equal bytes lie in a file once
                firsts = {each["sha256"]: key for key, each in reversed(constants.items())}
                wanted = {key.split("/")[-1]: constants[key]["bytes"] for key in firsts.values()}
                files = (TRUTH / name).glob("*.ptd")
                self.assertEqual(weights_of(name, *files), wanted)

    def test_vulkan__has_the_operators_of_the_chain(self):
        for name in ("vulkan/lin", "vulkan/lin_8da4w", "vulkan/res", "vulkan/res_fp16"):
            with self.subTest(name):
                wanted, found = truth_of(name), graphs_of(name)
                self.assertEqual(len(found), len(wanted))
                for graph, truth in zip(found, wanted):
                    self.check_vulkan(graph, truth)

    def check_vulkan(self, graph, truth):
        values, calls = truth["values"], truth["operators"]
        self.assertEqual([node["label"] for node in graph.nodes], [call["name"] for call in calls])
        makers = {value: (f"input_{place}", 0) for place, value in enumerate(truth["input_ids"])}
        for number, (node, call) in enumerate(zip(graph.nodes, calls)):
            tensors = [each for argument in call["args"][:-1] for each in self.tensors(
                values, argument)]
            results = self.tensors(values, call["args"][-1])
            self.assertEqual(list(graph.edges(node).values()),
                             [makers[each] for each in tensors if each in makers])
            self.assertEqual(graph.shapes(node), [self.vulkan_shape(values[each])
                                                  for each in results])
            constants = [values[each] for each in tensors if values[each]["constant_id"] >= 0]
            self.assertEqual(
                graph.notes(node, "constant"),
                [f"{self.vulkan_shape(each)}, "
                 f"{truth['constants'][each['constant_id']]['bytes']} bytes"
                 for each in constants])
            makers |= {each: (f"n{number}", place) for place, each in enumerate(results)}
        self.assertEqual([graph.edges(output)[0] for output in graph.outputs],
                         [makers[each] for each in truth["output_ids"]])

    def test_vulkan__memory_is_that_of_shared_objects(self):
        widths = {"FLOAT32": 4, "FLOAT16": 2, "INT32": 4, "INT8": 1, "UINT8": 1, "BOOL": 1}
        for name in ("vulkan/lin", "vulkan/lin_8da4w", "vulkan/res", "vulkan/res_fp16"):
            with self.subTest(name):
                total = 0
                for truth in truth_of(name):
                    objects = {}
                    for value in truth["values"]:
                        if value["type"] != "VkTensor" or value["mem_obj_id"] < 0:
                            continue
                        size = math.prod(value["dims"]) * widths[value["datatype"]]
                        number = value["mem_obj_id"]
                        objects[number] = max(objects.get(number, 0), size)
                    total += sum(objects.values())
                done = support.run("memory", TRUTH / name / "model.pte", "--no-siblings")
                self.assertEqual(done.returncode, OK, done.stderr)
                size = f"{total / 1024:.1f} KiB" if total >= 1024 else f"{total} B"
                self.assertIn(f"the delegates' own plan takes at least {size} on their device",
                              done.stdout.decode())

    @staticmethod
    def tensors(values, argument):
        value = values[argument]
        if value["type"] == "VkTensor":
            return [argument]
        return value["items"] if value["type"] == "ValueList" else []

    @staticmethod
    def vulkan_shape(value):
        return shape(value["datatype"].lower(), value["dims"])


if __name__ == "__main__":
    unittest.main()

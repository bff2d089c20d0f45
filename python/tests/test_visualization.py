"""etscope.visualization: what Model Explorer is given, and the report without it."""

import json
import sys
import types
import webbrowser

import pytest
from fixtures import file

from etscope import Error, parse_etrecord
from etscope.visualization import (
    ModelExplorerServer,
    visualize,
    visualize_graph,
    visualize_model_explorer,
    visualize_with_clusters,
    visualization_utils,
)


@pytest.fixture
def explorer(monkeypatch):
    """A Model Explorer that notes what it is asked for."""
    asked = []

    class Config:
        def __init__(self):
            self.reuses, self.paths = False, []

        def add_model_from_path(self, path):
            self.paths.append(path)

        def set_reuse_server(self):
            self.reuses = True

    package = types.ModuleType("model_explorer")
    package.config = Config
    package.visualize_from_config = lambda **given: asked.append(given)
    monkeypatch.setitem(sys.modules, "model_explorer", package)
    monkeypatch.setattr(visualization_utils, "_has_model_explorer", lambda: True)
    return asked


@pytest.fixture
def nothing(monkeypatch):
    """No Model Explorer, and a browser that notes addresses."""
    opened = []
    monkeypatch.setattr(visualization_utils, "_has_model_explorer", lambda: False)
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    return opened


def graphs_of(asked):
    (path,) = asked["config"].paths
    with open(path, encoding="utf-8") as stored:
        return {graph["id"]: graph["nodes"] for graph in json.load(stored)["graphs"]}


@pytest.mark.parametrize("model", ["gpt_xnnpack", "multi_method", "conv_portable", "cond"])
def test_visualize__model_explorer_gets_every_node_and_what_flows(model, explorer):
    path = file(model, "model.etrecord")
    visualize(path, no_open_in_browser=True, port=8123)
    (asked,) = explorer
    assert (asked["no_open_in_browser"], asked["port"], asked["config"].reuses) == (True, 8123, True)
    programs = parse_etrecord(path).edge_dialect_program
    programs = programs if isinstance(programs, dict) else {"forward": programs}
    graphs = graphs_of(asked)
    assert list(graphs) == list(programs)
    for name, nodes in graphs.items():
        known = {node["id"]: node for node in nodes}
        for node in programs[name].nodes:
            given = known[node.name]
            assert given["label"].endswith(node.op)  # a record leaves out "higher_order."
            stack = list(node.nn_module_stack.values())
            assert given["namespace"] == (stack[-1][0].replace(".", "/") if stack else "")
        assert sum(len(node["incomingEdges"]) for node in nodes) >= len(programs[name].nodes) - 1
        for node in nodes:
            for edge in node["incomingEdges"]:
                assert edge["sourceNodeId"] in known


def test_visualize__an_opened_record_is_shown_too(explorer):
    visualize(parse_etrecord(file("mlp_xnnpack", "model.etrecord")), reuse_server=False)
    assert explorer[0]["config"].reuses is False
    assert [node["label"] for node in graphs_of(explorer[0])["forward"]][-2:] == [
        "aten._softmax.default", "output"]  # fmt: skip


def test_visualize__without_model_explorer_a_report_is_opened(nothing, capsys):
    path = visualize(file("gpt_xnnpack", "model.etrecord"))
    (address,) = nothing
    assert address.endswith("graph.html#1/graph") and capsys.readouterr().out == ""
    with open(path, encoding="utf-8") as stored:
        page = stored.read()
    assert 'id="etscope-head"' in page and 'id="etscope-table-nodes"' in page
    path = visualize(file("gpt_xnnpack", "model.etrecord"), no_open_in_browser=True)
    assert len(nothing) == 1 and capsys.readouterr().out.startswith("The graph is in file://")


@pytest.mark.parametrize("name", ["model.pte", "model.bpte"])
def test_visualize__programs_are_shown(name, explorer):
    visualize(file("gpt_xnnpack", name), no_open_in_browser=True)
    graphs = graphs_of(explorer[0])
    assert {node["label"] for node in graphs["forward"]} > {"XnnpackBackend"}
    assert {graph for graph in graphs if "/" in graph}  # what is inside of delegates


def test_visualize__a_program_without_model_explorer(nothing):
    with open(visualize(file("gpt_xnnpack", "model.pte")), encoding="utf-8") as stored:
        assert 'id="etscope-table-instructions"' in stored.read()
    assert nothing[0].endswith("graph.html#1/graph")
    with pytest.raises(Error, match="none.pte"):
        visualize("none.pte")


class Node:
    """A node as torch.fx has it."""

    def __init__(self, name, op, target, inputs=(), **meta):
        self.name, self.op, self.target = name, op, target
        self.all_input_nodes, self.meta = list(inputs), meta


def made():
    """x -> linear -> relu -> output; partition tags and clusters."""
    x = Node("x", "placeholder", "x")
    linear = Node("linear", "call_function", "torch.ops.aten.linear.default", [x],
                  delegation_tag="a/b", cluster="linear_qdq")  # fmt: skip
    relu = Node("relu", "call_function", "aten.relu.default", [linear], delegation_tag="tag1",
                nn_module_stack={"k": ("L['self'].body.act", "ReLU")})  # fmt: skip
    nodes = [x, linear, relu, Node("output", "output", "output", [relu])]
    graph = types.SimpleNamespace(nodes=nodes)
    return types.SimpleNamespace(graph=graph, graph_signature=(), state_dict={})


def test_visualize_with_clusters__boxes_are_partitions_and_clusters(nothing, tmp_path):
    visualize_with_clusters(made(), str(tmp_path / "graph.json"))
    stored = json.loads((tmp_path / "graph.json").read_text())
    (graph,) = stored["graphs"]
    assert stored["label"] == "Executorch"
    assert [(node["id"], node["label"], node["namespace"]) for node in graph["nodes"]] == [
        ("x", "x", ""),
        ("linear", "aten.linear.default", "partition 0 (a:b)/cluster (linear_qdq)"),
        ("relu", "aten.relu.default", "partition 1 (tag1)"),
        ("output", "output", ""),
    ]
    assert [edge["sourceNodeId"] for node in graph["nodes"] for edge in node["incomingEdges"]] == [
        "x", "linear", "relu"]  # fmt: skip
    visualize_with_clusters(
        made(), str(tmp_path / "other.json"),
        get_node_partition_name=lambda node: None,
        get_node_qdq_cluster_name=lambda node: node.name[:1],
    )  # fmt: skip
    (graph,) = json.loads((tmp_path / "other.json").read_text())["graphs"]
    assert graph["nodes"][2]["namespace"] == "cluster (r)"


@pytest.mark.parametrize("depth", [1, 31, 32, 33, 500])
def test_deep_modules_share_a_group(depth, explorer):
    changed = made()
    changed.graph.nodes[2].meta["nn_module_stack"] = {"k": ("L['self']." + ".".join("m" * depth), "ReLU")}
    visualize_graph(changed, made())
    ((_, nodes),) = graphs_of(explorer[-1]).items()
    parts = nodes[2]["namespace"].split("/")
    assert len(parts) == min(depth, 32) and parts[-1].count(".") == max(0, depth - 32)


def test_visualize_graph__shows_the_graph_of_the_pass(explorer):
    changed = made().graph
    changed.nodes[2].name = "renamed"
    visualize_graph(types.SimpleNamespace(graph=changed), made(), no_open_in_browser=True)
    nodes = graphs_of(explorer[0])["forward"]
    assert [node["id"] for node in nodes] == ["x", "linear", "renamed", "output"]
    assert nodes[2]["namespace"] == "body/act"


def test_visualize__misuse_is_said(nothing, monkeypatch):
    with pytest.raises(Error, match="there is no graph to show in a int: expected an Exported"):
        visualize(3)
    with pytest.raises(Error, match="Model Explorer is not installed: pip install ai-edge-model"):
        visualize_model_explorer()
    with pytest.raises(Error, match="Model Explorer is not installed"):
        visualize_with_clusters(made())
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Error, match="model-explorer cannot be started"):
        ModelExplorerServer()


def test_visualize__programs_of_torch(nothing, tmp_path):
    torch = pytest.importorskip("torch")
    exir = pytest.importorskip("executorch.exir")
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).eval()
    program = torch.export.export(model, (torch.randn(2, 4),))
    for shown in (program, exir.to_edge(program), exir.to_edge(program).to_executorch()):
        with open(visualize(shown), encoding="utf-8") as stored:
            assert "etscope-table-nodes" in stored.read()
    visualize_with_clusters(program, str(tmp_path / "graph.json"))
    (graph,) = json.loads((tmp_path / "graph.json").read_text())["graphs"]
    assert [node["id"] for node in graph["nodes"]] == [n.name for n in program.graph.nodes]

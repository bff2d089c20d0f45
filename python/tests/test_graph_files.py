"""`etscope export` of graphs, read back by Model Explorer's own classes and by pydot."""

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import types

import dacite
import pydot
import pytest

from etscope import parse_etrecord
from fixtures import DATA

MODELS = ("gpt_xnnpack", "conv_xnnpack_int8", "cond", "multi_method", "linear_int8_xnnpack")


def explorer(name):
    """A module of Model Explorer, without the server that importing the package starts."""
    if "model_explorer" not in sys.modules:
        package = types.ModuleType("model_explorer")
        package.__path__ = list(importlib.util.find_spec("model_explorer").submodule_search_locations)
        sys.modules["model_explorer"] = package
    return importlib.import_module(f"model_explorer.{name}")


def export(format, path, *words):
    subprocess.run([os.environ["ETSCOPE"], "export", *map(str, words), "--to", format, "-o", path],
                   check=True, stderr=subprocess.PIPE)  # fmt: skip
    return path.read_text()


def files(model):
    return DATA / model / "model.pte", "--etrecord", DATA / model / "model.etrecord"


def collection(text):
    return dacite.from_dict(explorer("graph_builder").GraphCollection, json.loads(text),
                            dacite.Config(strict=True))  # fmt: skip


def check(graph, ids):
    by_id = {node.id: node for node in graph.nodes}
    assert len(by_id) == len(graph.nodes)
    for node in graph.nodes:
        keys = [attr.key for attr in node.attrs]
        assert len(keys) == len(set(keys)), keys  # of equal ones the page shows the last
        assert len(node.namespace.split("/")) <= 32
        assert set(node.subgraphIds or ()) <= ids
        for edge in node.incomingEdges:
            outputs = by_id[edge.sourceNodeId].outputsMetadata
            assert edge.sourceNodeOutputId in {output.id for output in outputs}


@pytest.mark.parametrize("model", MODELS)
def test_model_explorer_reads_programs(model, tmp_path):
    graphs = collection(export("model-explorer", tmp_path / "model.json", *files(model))).graphs
    ids = {graph.id for graph in graphs}
    assert len(ids) == len(graphs)
    for graph in graphs:
        check(graph, ids)
    calls = {node.subgraphIds[0] for graph in graphs for node in graph.nodes if node.subgraphIds}
    assert calls == {id for id in ids if "/" in id}
    sources = [attr.value for graph in graphs for node in graph.nodes for attr in node.attrs
               if attr.key == "source"]  # fmt: skip
    assert sources and all(":" in source for source in sources)


@pytest.mark.parametrize("model", MODELS)
def test_model_explorer_reads_records(model, tmp_path):
    record = DATA / model / "model.etrecord"
    graphs = collection(export("model-explorer", tmp_path / "record.json", record)).graphs
    ids = {graph.id for graph in graphs}
    assert len(ids) == len(graphs)
    opened = parse_etrecord(str(record))
    aten = [graph for graph in graphs if graph.id == "exported program"]
    assert len(aten) == (opened.exported_program is not None)
    for graph in aten:  # its nodes and what they compute are those of the package's view
        operators = [node for node in graph.nodes if node.namespace not in ("Inputs", "Outputs", "Buffers")]
        nodes = opened.exported_program.graph.nodes
        expected = [node.name for node in nodes if node.op == "call_function"]
        assert [node.id for node in operators] == [n for n in expected if n in {o.id for o in operators}]
        assert operators
    for graph in graphs:
        check(graph, ids)
        assert any(edge for node in graph.nodes for edge in node.incomingEdges)


@pytest.mark.parametrize("model", ("gpt_xnnpack", "cond"))
def test_times_belong_to_nodes(model, tmp_path):
    words = (DATA / model / "profile.etdp", "--program", *files(model))
    graphs = collection(export("model-explorer", tmp_path / "model.json", *words)).graphs
    data = json.loads(export("model-explorer-data", tmp_path / "times.json", *words))
    kind = explorer("node_data_builder").GraphNodeData
    nodes = {graph.id: {node.id for node in graph.nodes} for graph in graphs}
    for id, told in data.items():
        results = dacite.from_dict(kind, told, dacite.Config(strict=True)).results
        assert results and set(results) <= nodes[id]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("model", MODELS)
def test_pydot_reads_the_same_graphs(model, tmp_path):
    graphs = collection(export("model-explorer", tmp_path / "model.json", *files(model))).graphs
    (dot,) = pydot.graph_from_dot_data(export("dot", tmp_path / "model.dot", *files(model)))
    clusters = {cluster.get_label().strip('"'): cluster for cluster in dot.get_subgraphs()}
    assert set(clusters) == {graph.id for graph in graphs}
    for graph in graphs:
        assert len(nodes_of(clusters[graph.id])) == len(graph.nodes)
        assert len(clusters[graph.id].get_edges()) == sum(
            len(node.incomingEdges) for node in graph.nodes)  # fmt: skip


def nodes_of(cluster):
    nodes = {node.get_name() for node in cluster.get_nodes()}
    for inner in cluster.get_subgraphs():
        nodes |= nodes_of(inner)
    return nodes - {"node", "edge", "graph"}

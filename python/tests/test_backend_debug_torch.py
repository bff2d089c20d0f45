"""etscope.backend_debug beside executorch's; skipped where it is not installed."""

import copy
import importlib.util
import sys

import pytest

if not all(map(importlib.util.find_spec, ("torch", "executorch"))):
    pytest.skip("torch and executorch are not installed", allow_module_level=True)

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools import backend_debug as upstream
from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.exir.backend.utils import DelegateMappingBuilder as UpstreamBuilder

from etscope import Error, generate_etrecord, parse_etrecord
from etscope.backend_debug import (
    DelegateMappingBuilder,
    get_delegation_info,
    print_delegation_info,
)
from fixtures import EXAMPLES

pytestmark = pytest.mark.filterwarnings("ignore")
INPUTS = (torch.ones(1, 8, 16),)


class Attention(torch.nn.Module):
    """One debug handle stands for thirty nodes of it, of which XNNPACK takes some."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(16)
        self.inner = torch.nn.Linear(16, 48)
        self.outer = torch.nn.Linear(16, 16)

    def forward(self, x):
        query, key, value = self.inner(self.norm(x)).chunk(3, -1)
        y = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return torch.nn.functional.gelu(self.outer(y) + x)


@pytest.fixture(scope="module", params=["to_backend", "to_edge_transform_and_lower"])
def lowered(request, tmp_path_factory):
    """The lowered manager, and the paths of its record and program."""
    folder = tmp_path_factory.mktemp(request.param)
    exported = torch.export.export(Attention().eval(), INPUTS)
    if request.param == "to_backend":
        edge = to_edge(exported)
        kept = copy.deepcopy(edge)
        manager = edge.to_backend(XnnpackPartitioner())
        after = copy.deepcopy(manager)
        program = manager.to_executorch()
        generate_etrecord(folder / "model.etrecord", kept, program)
    else:
        manager = to_edge_transform_and_lower(
            exported, partitioner=[XnnpackPartitioner()], generate_etrecord=True
        )
        after = copy.deepcopy(manager)
        program = manager.to_executorch()
        program.get_etrecord().save(str(folder / "model.etrecord"))
    generate_etrecord(folder / "after.etrecord", after, program)
    (folder / "model.pte").write_bytes(program.buffer)
    return after, folder


def operators(info):
    """{type: counts} without getitem, which is no node of a record."""
    found = {name: (row.delegated, row.non_delegated)
             for name, row in info.delegation_by_operator.items()}  # fmt: skip
    found.pop("getitem", None)
    return found


def fields(info):
    return {**vars(info), "delegation_by_operator": {
        name: vars(row) for name, row in info.delegation_by_operator.items()}}  # fmt: skip


def test_of_a_graph_module_as_upstream(lowered):
    manager = lowered[0]
    module = manager.exported_program().graph_module
    theirs = upstream.get_delegation_info(module)
    assert theirs.num_delegated_subgraphs > 2 and theirs.num_non_delegated_nodes > 10
    for given in (module, manager.exported_program(), manager):
        ours = get_delegation_info(given)
        assert fields(ours) == fields(theirs)
        assert ours.get_summary() == theirs.get_summary()
        assert ours.get_operator_delegation_dataframe().equals(
            theirs.get_operator_delegation_dataframe()
        )
    with pytest.raises(Error, match="not for one graph"):
        get_delegation_info(module, method="forward")
    with pytest.raises(Error, match="taken for a record"):
        get_delegation_info(module, program="model.pte")
    with pytest.raises(Error, match="edge programs: forward"):
        get_delegation_info(manager, method="encode")


def test_of_a_record_what_upstream_tells_of_the_module(lowered):
    """Of its graph before it was lowered, and of the one after, which has the lowered modules."""
    manager, folder = lowered
    theirs = upstream.get_delegation_info(manager.exported_program().graph_module)
    program = folder / "model.pte"
    for name in ("model.etrecord", "after.etrecord"):
        ours = get_delegation_info(folder / name, program=program)
        assert operators(ours) == operators(theirs), name
        assert ours.num_delegated_subgraphs == theirs.num_delegated_subgraphs


def test_printed_as_upstream(lowered, capsys):
    module = lowered[0].exported_program().graph_module
    upstream.print_delegation_info(module)
    theirs = capsys.readouterr().out
    print_delegation_info(module)
    assert capsys.readouterr().out == theirs


def outcome(builder, *calls):
    """What each call returned, or that it failed; and the map."""
    found = []
    for arguments in calls:
        try:
            found.append(builder.insert_delegate_mapping_entry(**arguments))
        except Exception:
            found.append("refused")
    return found, builder.get_delegate_mapping()


@pytest.mark.parametrize("is_numbering", [False, True])
def test_maps_as_upstream(is_numbering):
    graph = to_edge(torch.export.export(Attention().eval(), INPUTS)).exported_program().graph
    nodes = list(graph.nodes)  # placeholders have no handle
    choices = [
        {"nodes": nodes}, {"nodes": nodes[-3]}, {"nodes": nodes[:1]}, {"nodes": []},
        {"handles": 3}, {"handles": [5, None, 2, 5]}, {"handles": (4, 0)},
        {"handles": [None]}, {"handles": []}, {}, {"nodes": nodes, "handles": 1},
    ]  # fmt: skip
    identifiers = [None, "a", 0, "", "a", 1]
    calls = [{**choice, "identifier": identifier}
             for identifier in identifiers for choice in choices]  # fmt: skip
    for call in range(len(calls)):
        turn = calls[call:] + calls[:call]
        ours, theirs = DelegateMappingBuilder(is_numbering), UpstreamBuilder(is_numbering)
        assert outcome(ours, *turn) == outcome(theirs, *turn)


def test_a_backend_that_builds_its_map_with_it(tmp_path, monkeypatch):
    """examples/backend, whose record is kept, with our builder in preprocess."""
    source = EXAMPLES / "backend" / "demo_partition.py"
    spec = importlib.util.spec_from_file_location("demo_partition", source)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    monkeypatch.setattr(example, "DelegateMappingBuilder", DelegateMappingBuilder)
    monkeypatch.setattr(sys, "argv", ["demo_partition.py", "--out", str(tmp_path)])
    example.main()
    kept = parse_etrecord(EXAMPLES / "backend" / "demo.etrecord")
    made = parse_etrecord(tmp_path / "demo.etrecord")
    assert made._delegate_map == kept._delegate_map
    assert get_delegation_info(made) == get_delegation_info(kept)


def test_the_delegated_graph_is_upstreams_text(lowered, capsys):
    from executorch.exir.backend.utils import format_delegated_graph as theirs

    from etscope.backend_debug import format_delegated_graph, print_delegated_graph

    manager = lowered[0]
    expected = theirs(manager.exported_program().graph_module)
    assert format_delegated_graph(manager).rstrip() == expected.rstrip()
    print_delegated_graph(manager.exported_program())
    assert capsys.readouterr().out.rstrip() == expected.rstrip()
    with pytest.raises(TypeError, match="etscope delegates"):
        format_delegated_graph("model.etrecord")

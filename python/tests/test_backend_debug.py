"""etscope.backend_debug: maps of backends, and what of a record was delegated."""

import io
import json
import zipfile

import pytest

from etscope import ETRecord, Error, parse_etrecord
from etscope.backend_debug import (
    DelegateMappingBuilder,
    DelegationBreakdown,
    get_delegation_info,
    print_delegation_info,
)
from etscope.etrecord._torch_save import archive_in, write_entry
from fixtures import DATA, EXAMPLES, file

EDGE = "edge_dialect_exported_program/forward"
DEMO = str(EXAMPLES / "backend" / "demo.etrecord")


class FxNode:
    """As much as a node of torch.fx has to do with handles."""

    def __init__(self, **meta):
        self.meta = meta


def counts(info):
    return {
        name: (row.delegated, row.non_delegated)
        for name, row in sorted(info.delegation_by_operator.items())
    }


def changed(path, change):
    """The bytes of a record whose entries {name: bytes} `change` has changed."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    out = io.BytesIO()
    with archive_in(out) as archive:
        for name, data in entries.items():
            write_entry(archive, name, data)
    return out.getvalue()


def nodes_of(entries):
    program = json.loads(entries[EDGE])
    return program, program["graph_module"]["graph"]["nodes"]


# The builder.


def test_what_users_name():
    mapping = DelegateMappingBuilder()
    assert mapping.insert_delegate_mapping_entry(handles=7, identifier="one") == "one"
    assert mapping.insert_delegate_mapping_entry(handles=[3, None, 1, 3], identifier=5) == 5
    assert mapping.insert_delegate_mapping_entry(handles=(0, 2), identifier="") == ""
    assert mapping.get_delegate_mapping() == {"one": (7,), 5: (1, 3), "": (0, 2)}


def test_what_is_numbered():
    mapping = DelegateMappingBuilder(generated_identifiers=True)
    assert [mapping.insert_delegate_mapping_entry(handles=h) for h in (4, [4, 2])] == [0, 1]
    assert mapping.get_delegate_mapping() == {0: (4,), 1: (2, 4)}


def test_nodes_of_torch_and_of_a_record_become_a_map_that_a_record_keeps():
    graph = parse_etrecord(DEMO).edge_dialect_program
    mapping = DelegateMappingBuilder()
    mapping.insert_delegate_mapping_entry(graph.nodes[:2], identifier="mul_add 0")
    mapping.insert_delegate_mapping_entry(
        [FxNode(debug_handle=4), FxNode(), FxNode(debug_handle=3)], identifier="mul_add 1"
    )
    kept = parse_etrecord(DEMO)._delegate_map["forward"]["0"]["delegate_map"]
    assert {name: tuple(handles) for name, handles in kept.items()} == (
        mapping.get_delegate_mapping()
    )  # fmt: skip


def test_the_map_that_was_returned_is_not_the_builders():
    mapping = DelegateMappingBuilder()
    mapping.insert_delegate_mapping_entry(handles=1, identifier="a")
    mapping.get_delegate_mapping().clear()
    assert mapping.get_delegate_mapping() == {"a": (1,)}


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"handles": 1}, "needs an identifier"),
        ({"handles": 1, "identifier": "there"}, "'there' has an entry already"),
        ({"identifier": "new"}, "either nodes or handles"),
        ({"handles": 1, "nodes": FxNode(debug_handle=1), "identifier": "new"}, "either nodes or"),
        ({"handles": [None], "identifier": "new"}, "'new' has no debug handle"),
        ({"handles": [], "identifier": "new"}, "'new' has no debug handle"),
        ({"nodes": [FxNode()], "identifier": "new"}, "'new' has no debug handle"),
    ],
)
def test_what_is_refused_leaves_the_map_as_it_was(arguments, message):
    mapping = DelegateMappingBuilder()
    mapping.insert_delegate_mapping_entry(handles=9, identifier="there")
    with pytest.raises(Error, match=message):
        mapping.insert_delegate_mapping_entry(**arguments)
    assert mapping.get_delegate_mapping() == {"there": (9,)}


def test_numbers_cannot_be_given_and_those_of_failed_entries_are_passed_over():
    mapping = DelegateMappingBuilder(generated_identifiers=True)
    with pytest.raises(Error, match="generated"):
        mapping.insert_delegate_mapping_entry(handles=1, identifier=0)
    with pytest.raises(Error, match="no debug handle"):
        mapping.insert_delegate_mapping_entry(handles=[])
    assert mapping.insert_delegate_mapping_entry(handles=1) == 1
    assert mapping.get_delegate_mapping() == {1: (1,)}


def test_what_is_no_node():
    with pytest.raises(TypeError, match="not int"):
        DelegateMappingBuilder().insert_delegate_mapping_entry(nodes=3, identifier="a")


# What was delegated.


@pytest.mark.parametrize("with_program", [False, True])
def test_a_record(with_program):
    program = DEMO.replace(".etrecord", ".pte") if with_program else None
    info = get_delegation_info(DEMO, program=program)
    assert info.num_delegated_subgraphs == 2
    assert (info.num_delegated_nodes, info.num_non_delegated_nodes) == (7, 1)
    assert info.delegation_by_operator == {
        "aten_mul_tensor": DelegationBreakdown("aten_mul_tensor", 3, 0),
        "aten_add_tensor": DelegationBreakdown("aten_add_tensor", 4, 0),
        "aten_relu_default": DelegationBreakdown("aten_relu_default", 0, 1),
    }
    assert info.delegation_by_operator["aten_mm_default"].delegated == 0
    assert len(info.delegation_by_operator) == 3


def test_records_graphs_and_paths_are_taken_alike():
    record = parse_etrecord(DEMO)
    expected = get_delegation_info(DEMO)
    for given in (record, record.edge_dialect_program, record.graph(EDGE)):
        assert get_delegation_info(given) == expected
    changed_record = ETRecord(export_graph_id=5)
    changed_record._edge_programs = record._edge_programs
    changed_record._debug_handle_map = record._debug_handle_map
    changed_record._delegate_map = record._delegate_map
    assert get_delegation_info(changed_record) == expected


def test_nothing_delegated():
    info = get_delegation_info(file("mlp_portable", "model.etrecord"))
    assert counts(info) == {
        "aten__softmax_default": (0, 1), "aten_addmm_default": (0, 2),
        "aten_permute_copy_default": (0, 2), "aten_relu_default": (0, 1),
    }  # fmt: skip
    assert info.num_delegated_subgraphs == 0


def test_one_of_several_methods():
    path = file("multi_method", "model.etrecord")
    with pytest.raises(Error, match="a method has to be named; edge programs: decode, encode, f"):
        get_delegation_info(path)
    with pytest.raises(Error, match="no method 'x'") as caught:
        get_delegation_info(path, method="x")
    assert caught.value.status == "NOT_FOUND" and caught.value.file == path
    for method, total in (("decode", 2), ("encode", 3), ("forward", 5)):
        assert get_delegation_info(path, method=method).num_non_delegated_nodes == total
    graph = parse_etrecord(path).edge_dialect_program["decode"]
    assert get_delegation_info(graph).num_non_delegated_nodes == 2
    with pytest.raises(Error, match="not for one graph"):
        get_delegation_info(graph, method="decode")


def test_nodes_of_one_handle_that_went_both_ways():
    """A quantised mean: the kernel between quantisation that belongs to the delegates around it."""
    path = DATA / "delegates" / "bytes.etrecord"
    info = get_delegation_info(path, program=path.with_suffix(".pte"))
    assert counts(info)["aten_mean_dim"] == (0, 1)
    assert (info.num_delegated_nodes, info.num_non_delegated_nodes) == (45, 1)
    with pytest.warns(UserWarning, match="program= tells") as warned:
        assert get_delegation_info(path).num_delegated_nodes == 45
    assert warned[0].filename == __file__


def test_types_that_only_the_program_tells():
    path = file("gpt_xnnpack", "model.etrecord")
    found = get_delegation_info(path, program=file("gpt_xnnpack", "model.pte"))
    assert counts(found)["aten_view_copy_default"] == (20, 0)
    assert counts(found)["scalar_tensor"] == (0, 4)
    with pytest.warns(UserWarning):
        guessed = get_delegation_info(path)
    assert counts(guessed) != counts(found)
    for name in ("num_delegated_subgraphs", "num_delegated_nodes", "num_non_delegated_nodes"):
        assert getattr(guessed, name) == getattr(found, name)


@pytest.mark.filterwarnings("error")
def test_each_handle_of_a_call_is_a_node():
    """Of every record that delegates: the map names handles once for each node of the call."""
    paths = [p for p in sorted(DATA.glob("*/*.etrecord")) if p.with_suffix(".pte").exists()]
    assert len(paths) > 10
    for path in paths:
        record = parse_etrecord(path)
        for method in record.methods:
            info = get_delegation_info(record, method=method, program=path.with_suffix(".pte"))
            # What transform_passes gave is what was lowered.
            of = "edge_after_transform" if path.parent.name == "transformed" else "edge_dialect_exported_program"
            graph = record.graph(f"{of}/{method}")
            calls = (record._delegate_map or {}).get(method, {})
            named = sum(len(record._debug_handle_map[method][i]) for i in calls)
            items = sum(name != node.name for node in graph.nodes for name in node.outputs)
            assert named - items <= info.num_delegated_nodes <= named, path
            assert info.num_delegated_nodes + info.num_non_delegated_nodes == len(graph.nodes)
            assert info.num_delegated_subgraphs == len(calls)


def test_a_record_that_was_made_after_lowering():
    lowered = {"original_module": {"graph_module": {"graph": {"nodes": [
        {"name": "aten_mm_default"}, {"name": "aten_mm_default_1"}]}}}}  # fmt: skip

    def lower(entries, argument):
        program, nodes = nodes_of(entries)
        call = dict(nodes[0], target="torch.ops.higher_order.executorch_call_delegate",
                    name="executorch_call_delegate", inputs=[{"name": "", "kind": 1,
                                                              "arg": argument}])  # fmt: skip
        nodes.insert(0, call)
        entries[EDGE] = json.dumps(program).encode()

    argument = {"as_string": json.dumps(lowered)}
    record = parse_etrecord(changed(DEMO, lambda entries: lower(entries, argument)))
    info = get_delegation_info(record)
    assert counts(info)["aten_mm_default"] == (2, 0) and info.num_delegated_nodes == 2
    assert info.num_delegated_subgraphs == 1 and info.num_non_delegated_nodes == 8
    no_node = json.dumps(lowered).replace('{"name": "aten_mm_default"}', "3")
    for damaged in ("{", "[1]", "{}", "[" * 100000, no_node, 1):
        damaged = {"as_int": 1} if damaged == 1 else {"as_string": damaged}
        record = parse_etrecord(changed(DEMO, lambda entries: lower(entries, damaged)))
        with pytest.raises(Error, match="lowered module cannot be read") as caught:
            get_delegation_info(record)
        assert caught.value.status == "MALFORMED"


def test_an_older_record_without_a_map_of_delegates():
    record = parse_etrecord(changed(DEMO, lambda entries: entries.pop("delegate_map")))
    assert get_delegation_info(record) == get_delegation_info(DEMO)


def test_an_order_that_no_program_tells():
    """A node of a delegate's handle that has neither kernel nor place in a call."""

    def add(entries):
        program, nodes = nodes_of(entries)
        nodes.append(dict(nodes[0], name="aten_view_copy_default"))
        entries[EDGE] = json.dumps(program).encode()

    record = parse_etrecord(changed(DEMO, add))
    with pytest.warns(UserWarning, match="types may be wrong$"):
        info = get_delegation_info(record, program=DEMO.replace(".etrecord", ".pte"))
    assert (info.num_delegated_nodes, info.num_non_delegated_nodes) == (7, 2)


def test_graphs_that_cannot_tell():
    record = parse_etrecord(DEMO)
    with pytest.raises(Error, match="is the program of no method"):
        get_delegation_info(record.exported_program)

    def forget(entries):
        program, nodes = nodes_of(entries)
        for node in nodes:
            del node["metadata"]["debug_handle"]
        entries[EDGE] = json.dumps(program).encode()

    with pytest.raises(Error, match="no debug handles") as caught:
        get_delegation_info(parse_etrecord(changed(DEMO, forget)))
    assert caught.value.status == "UNAVAILABLE"


def test_another_program():
    with pytest.raises(Error) as caught:
        get_delegation_info(DEMO, program=file("mlp_portable", "model.pte"))
    assert caught.value.status == "MISMATCH"
    with pytest.raises(FileNotFoundError):
        get_delegation_info(DEMO, program="no such file.pte")


@pytest.mark.parametrize("given", [None, 3, b"", [], object()])
def test_what_is_no_graph(given):
    with pytest.raises(TypeError, match=f"not {type(given).__name__}"):
        get_delegation_info(given)


def test_a_program_alone_has_no_graph():
    with pytest.raises(Error, match="not an ETRecord but") as caught:
        get_delegation_info(file("mlp_portable", "model.pte"))
    assert caught.value.status == "WRONG_KIND"


def test_summary_and_table(capsys):
    info = get_delegation_info(DEMO)
    assert info.get_summary().splitlines() == [
        "Total delegated subgraphs: 2", "Number of delegated nodes: 7",
        "Number of non-delegated nodes: 1"]  # fmt: skip
    frame = info.get_operator_delegation_dataframe()
    assert frame.values.tolist() == [
        ["aten_add_tensor", 4, 0], ["aten_mul_tensor", 3, 0], ["aten_relu_default", 0, 1],
        ["Total", 7, 1]]  # fmt: skip
    assert list(frame.columns) == [
        "op_type", "occurrences_in_delegated_graphs", "occurrences_in_non_delegated_graphs",
    ]  # fmt: skip
    print_delegation_info(DEMO)
    printed = capsys.readouterr().out
    assert printed.startswith(info.get_summary() + "\n╒") and "│ aten_relu_default │" in printed


def test_a_table_of_nothing():
    def empty(entries):
        program, nodes = nodes_of(entries)
        nodes.clear()
        entries[EDGE] = json.dumps(program).encode()
        entries["delegate_map"] = entries["debug_handle_map"] = b'{"forward": {}}'

    frame = get_delegation_info(
        parse_etrecord(changed(DEMO, empty))
    ).get_operator_delegation_dataframe()  # fmt: skip
    assert frame.values.tolist() == [["Total", 0, 0]]

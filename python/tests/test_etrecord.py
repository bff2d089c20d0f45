"""Records built, changed, saved and made slim, without PyTorch."""

import io
import json
import operator
import os
import tarfile
import types
import zipfile

import numpy as np
import pytest

import made
from etscope import ETRecord, Error, Inspector, generate_etrecord, parse_etrecord
from etscope._operators import Target
from etscope.etrecord import slim
from fixtures import MODELS, file


def entries(data):
    with zipfile.ZipFile(io.BytesIO(data) if isinstance(data, bytes) else data) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def saved(record, **options):
    out = io.BytesIO()
    record.save(out, **options)
    return out.getvalue()


def record_of(model, name="model"):
    return parse_etrecord(file(model, f"{name}.etrecord"))


def lowered(**maps):
    """What to_executorch() returns, as far as a record looks at it."""
    fields = dict(debug_handle_map={"forward": {0: [1, 2], 1: 3}}, delegate_map={"forward": {}},
                  instruction_id_to_num_outs_map=None)  # fmt: skip
    return types.SimpleNamespace(**{**fields, **maps})


@pytest.mark.parametrize("model", MODELS)
def test_a_record_that_is_saved_again_is_the_same(model):
    record = record_of(model)
    old, new = entries(file(model, "model.etrecord")), entries(saved(record))
    assert new == old
    assert saved(record) == saved(record_of(model))
    for field in ("_debug_handle_map", "_representative_inputs", "_reference_outputs"):
        getattr(record, field)
    assert entries(saved(record)) == old


@pytest.mark.parametrize("model", MODELS)
def test_a_slim_record_joins_like_the_whole(model, tmp_path):
    path = tmp_path / "slim.etrecord"
    slim(file(model, "model.etrecord"), path)
    small, whole = parse_etrecord(path), record_of(model)
    assert os.path.getsize(path) < os.path.getsize(file(model, "model.etrecord"))
    assert small.is_slim and not whole.is_slim
    assert small.entries.keys() == whole.entries.keys()
    dropped = {name for name in small.entries if small.entries[name] != whole.entries[name]}
    assert dropped and all(name.endswith(("_state_dict", "_constants")) for name in dropped)
    assert entries(str(path)) == {
        name: b"" if name in dropped else data
        for name, data in entries(file(model, "model.etrecord")).items()
    }
    frames = [Inspector(file(model, "profile.etdp"), etrecord=record).to_dataframe()
              for record in (small, whole)]  # fmt: skip
    assert frames[0].equals(frames[1])
    with pytest.raises(Error, match="saved without weights") as caught:
        small.state_dict(small.graph_names[-1])
    assert caught.value.status == "UNAVAILABLE"


def test_what_a_program_without_weights_keeps():
    """Empty dicts of tensors are no weights that were left out."""
    source = record_of("mlp_portable")
    program = source.edge_dialect_program
    maps = lowered()
    record = ETRecord()
    record.add_edge_dialect_program(program)
    record.add_executorch_program(maps)
    again = parse_etrecord(saved(parse_etrecord(saved(record, slim=True)), slim=True))
    name = "edge_dialect_exported_program/forward"
    assert again.entries[f"{name}_state_dict"] == 0
    assert again.entries[f"{name}_constants"] == source.entries[f"{name}_constants"] > 0


def test_weights_are_arrays():
    record = record_of("mlp_portable")
    weights = record.state_dict()
    assert weights["l1.weight"].shape == (32, 16) and weights["l1.weight"].dtype == np.float32
    assert record.state_dict("edge_dialect_exported_program/forward").keys() == weights.keys()
    assert record.constants() == {}
    with pytest.raises(Error, match="no program nothing"):
        record.state_dict("nothing")


def test_a_record_built_of_parts(tmp_path):
    source = record_of("mlp_portable")
    path = tmp_path / "new.etrecord"
    generate_etrecord(
        path, source.edge_dialect_program,
        lowered(debug_handle_map={"forward": {0: 1, 1: 1, 2: 2, 3: 3, 4: 3, 5: 4}}),
        source.exported_program, {"stage": source.edge_dialect_program},
    )  # fmt: skip
    made = entries(str(path))
    base = "edge_dialect_exported_program/forward"
    assert list(made) == [
        "ETRECORD_V0", "exported_program", "exported_program_state_dict",
        "exported_program_constants", "exported_program_example_inputs", base,
        f"{base}_state_dict", f"{base}_constants", f"{base}_example_inputs", "stage/forward",
        "stage/forward_state_dict", "stage/forward_constants", "stage/forward_example_inputs",
        "debug_handle_map", "delegate_map",
    ]  # fmt: skip
    old = entries(file("mlp_portable", "model.etrecord"))
    assert made["stage/forward"] == made[base] == old[base]
    assert json.loads(made["debug_handle_map"])["forward"]["5"] == 4
    frame = Inspector(file("mlp_portable", "profile.etdp"), etrecord=str(path)).to_dataframe()
    assert ["aten._softmax.default"] in frame["op_types"].tolist()


def test_an_unsaved_record_is_inspected_as_it_is():
    source = record_of("mlp_portable")
    record = ETRecord(edge_dialect_program=source.edge_dialect_program)
    record._debug_handle_map = {"forward": {5: 4}}
    assert record.methods == ["forward"]
    events = Inspector(file("mlp_portable", "profile.etdp"), etrecord=record).event_blocks[1].events
    found = [event.op_types for event in events if event.op_types]
    assert found and all(types == ["aten._softmax.default"] for types in found)
    source._debug_handle_map = {"forward": {5: 4}}
    changed = Inspector(file("mlp_portable", "profile.etdp"), etrecord=source).event_blocks[1]
    assert changed.events == events


def test_values_that_are_replaced_or_changed_in_place():
    record = record_of("mlp_portable")
    record.update_representative_inputs([np.arange(4, dtype="f8"), 3, 2.5, True, None])
    record._reference_outputs["forward"][1][0][0, 0] = 7
    again = parse_etrecord(saved(record))
    values = again._representative_inputs
    assert values[0].tolist() == [0, 1, 2, 3] and values[1:] == [3, 2.5, True, None]
    old = record_of("mlp_portable")._reference_outputs["forward"]
    new = again._reference_outputs["forward"]
    assert new[1][0][0, 0] == 7 and old[1][0][0, 0] != 7
    np.testing.assert_array_equal(new[0][0], old[0][0])
    record.update_reference_outputs([[np.ones(2, "i1")]])
    assert parse_etrecord(saved(record))._reference_outputs["forward"][0][0].tolist() == [1, 1]
    record._representative_inputs = None
    assert parse_etrecord(saved(record))._representative_inputs is None


BFLOAT16 = np.dtype("u2", metadata={"scalar_type": "bfloat16"})


@pytest.mark.parametrize("array", [
    np.arange(6, dtype="f4").reshape(2, 3).T, np.zeros((0, 3), "i8"), np.array(3, "i2"),
    np.array([True, False]), np.ones(2, "c8"), np.arange(3, dtype=">f8"), np.arange(4, dtype="u2"),
    np.arange(4, dtype="u8")[::2], np.ones((2, 2), "f2"), np.array([1, 2], "u1"),
    np.array([0x3F80, 0x4000], BFLOAT16),
], ids=lambda array: f"{array.dtype}{list(array.shape)}")  # fmt: skip
def test_arrays_of_every_type_are_kept(array):
    record = record_of("mlp_portable")
    record.update_representative_inputs([array])
    (value,) = parse_etrecord(saved(record))._representative_inputs
    assert value.shape == array.shape and value.dtype.itemsize == array.dtype.itemsize
    expected = array.astype(array.dtype.newbyteorder("="))
    assert value.tobytes() == expected.tobytes()


def test_values_that_cannot_be_kept():
    record = record_of("mlp_portable")
    for value in (object(), np.array(["text"]), np.array([1, None]), 1 << 3000):
        record.update_representative_inputs([value])
        with pytest.raises(Error, match="cannot be kept"):
            saved(record)


def test_a_bundle_gives_inputs_and_outputs():
    case = types.SimpleNamespace(inputs=[np.ones(2)], expected_outputs=[np.zeros(3)])
    other = types.SimpleNamespace(inputs=[np.ones(4)], expected_outputs=[np.zeros(5)])
    suite = types.SimpleNamespace(method_name="forward", test_cases=[case, other])
    bundle = types.SimpleNamespace(method_test_suites=[suite], executorch_program=lowered())
    record = ETRecord()
    record.add_edge_dialect_program(record_of("mlp_portable").edge_dialect_program)
    record.add_executorch_program(bundle)
    again = parse_etrecord(saved(record))
    assert again._representative_inputs[0].shape == (2,)
    assert [case[0].shape for case in again._reference_outputs["forward"]] == [(3,), (5,)]
    for change in (record.update_representative_inputs, record.update_reference_outputs):
        change(bundle)
    assert entries(saved(record)) == entries(saved(again))
    case.expected_outputs = []
    with pytest.raises(ValueError, match="no expected outputs"):
        record.update_reference_outputs(bundle)
    suite.test_cases = []
    with pytest.raises(ValueError, match="empty"):
        record.update_representative_inputs(bundle)
    suite.method_name = "other"
    record.update_representative_inputs(bundle)
    assert record._representative_inputs is None


def test_nothing_is_added_twice():
    record = record_of("mlp_portable")
    program = record.edge_dialect_program
    for add, value in ((record.add_exported_program, program), (record.add_exported_program, None),
                       (record.add_edge_dialect_program, program),
                       (record.add_executorch_program, lowered())):  # fmt: skip
        with pytest.raises(RuntimeError, match="already"):
            add(value)
    stage = record.copy()
    assert stage.edge_dialect_program is program and stage.graph_map == {}
    assert stage.exported_program is record.exported_program
    assert stage._debug_handle_map is stage._reference_outputs is None
    with pytest.raises(RuntimeError, match="to be saved"):
        saved(stage)
    stage.add_executorch_program(lowered())
    assert parse_etrecord(saved(stage)).export_graph_id == record.export_graph_id


def test_names_and_kinds_that_are_refused():
    record = record_of("mlp_portable")
    program = record.edge_dialect_program
    for name in ("delegate_map", "my_exported_program", "x/debug_handle_map"):
        with pytest.raises(RuntimeError, match="reserved"):
            record.add_extra_export_modules({name: program})
    for function in (ETRecord().add_edge_dialect_program, ETRecord().add_exported_program,
                     lambda value: record.add_extra_export_modules({"a": value}),
                     ETRecord().add_executorch_program):  # fmt: skip
        with pytest.raises(RuntimeError):
            function(3)
    for incomplete in (ETRecord(), ETRecord(edge_dialect_program=program),
                       ETRecord(_debug_handle_map={"forward": {}})):  # fmt: skip
        with pytest.raises(RuntimeError, match="to be saved"):
            incomplete.save("never.etrecord")
    assert not os.path.exists("never.etrecord")
    nothing = ETRecord()
    nothing.add_exported_program(None)
    nothing.add_exported_program({"encode": program})
    assert nothing.exported_program is None and nothing.methods == [] and not nothing.is_slim


def test_the_name_of_an_only_method_is_kept():
    graphs = record_of("multi_method").edge_dialect_program
    record = ETRecord(edge_dialect_program=graphs["encode"])
    maps = {"encode": {0: 1}}
    record.add_executorch_program(lowered(debug_handle_map=maps, delegate_map=maps))
    assert parse_etrecord(saved(record)).methods == ["encode"]
    several = ETRecord(edge_dialect_program=graphs, _debug_handle_map={"encode": {0: 1}})
    assert list(parse_etrecord(saved(several)).edge_dialect_program) == sorted(graphs)


def test_graphs_of_several_records_in_one():
    record = record_of("mlp_portable")
    other = record_of("conv_portable").edge_dialect_program
    record.graph_map["mine"] = other
    again = parse_etrecord(saved(record))
    assert list(again.graph_map) == ["mine/forward"]
    assert again.graph_map["mine/forward"].code == other.code


def test_saving_is_all_or_nothing(tmp_path):
    record = record_of("mlp_portable")
    path = tmp_path / "model.etrecord"
    record.save(path)
    before = path.read_bytes()
    record.update_representative_inputs([object()])
    with pytest.raises(Error):
        record.save(path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["model.etrecord"]
    with pytest.raises(OSError) as caught:
        record_of("mlp_portable").save(tmp_path / "no" / "folder.etrecord")
    assert isinstance(caught.value, Error)
    same = parse_etrecord(path)
    same.save(path)  # over the file that it is read from
    assert path.read_bytes() == before
    with open(tmp_path / "stream", "wb") as stream:
        same.save(stream)
    assert (tmp_path / "stream").read_bytes() == before


def lowered_program(state):
    """A program that was recorded after lowering: it holds its delegate's payload."""
    module = json.dumps({"backend_id": "B", "processed_bytes": "c2VjcmV0", "compile_specs": [],
                         "original_module": {}, "original_state_dict": "c2VjcmV0",
                         "original_constants": "", "named_data_store": "c2VjcmV0"})  # fmt: skip
    call = {"name": "call", "target": "torch.ops.higher_order.executorch_call_delegate",
            "inputs": [{"name": "lowered_module_0", "arg": {"as_string": module}}],
            "outputs": [], "metadata": {}}  # fmt: skip
    body = {"inputs": [], "outputs": [], "nodes": [call]}
    branch = {"name": "cond", "target": "torch.ops.higher_order.cond", "outputs": [],
              "metadata": {}, "inputs": [
                  {"name": "", "arg": {"as_graph": {"name": "true", "graph": body}}}]}  # fmt: skip
    graph = {"inputs": [], "outputs": [], "nodes": [call, branch], "limit": float("-inf")}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("ETRECORD_V0", "")
        name = "edge_dialect_exported_program/forward"
        archive.writestr(name, json.dumps({"graph_module": {"graph": graph}}))
        archive.writestr(f"{name}_state_dict", state)
        archive.writestr("debug_handle_map", '{"forward": {"0": 1}}')
    return out.getvalue()


def test_slim_records_hold_no_payload_of_delegates():
    data = lowered_program(b"")
    assert data.count(b"c2VjcmV0") == 6
    small = saved(parse_etrecord(data), slim=True)
    assert b"c2VjcmV0" not in small and small.count(b"backend_id") == 2
    assert b"-Infinity" in small
    assert parse_etrecord(small).edge_dialect_program.nodes[0].op == "executorch_call_delegate"


def test_damaged_programs_are_told_when_they_are_made_slim():
    for target in ('"nodes": [', '"inputs": []', '{"graph_module"'):
        broken = lowered_program(b"").replace(target.encode(), b"?" * len(target))
        with pytest.raises(Error):
            saved(parse_etrecord(broken), slim=True)


def test_every_cut_of_a_record_is_told(tmp_path):
    data = saved(record_of("mlp_portable"), slim=True)
    for end in range(0, len(data), 199):
        with pytest.raises(Error):
            record = parse_etrecord(data[:end])
            saved(record, slim=True)


def test_code_shows_control_characters_of_names():
    path, entry = file("mlp_portable", "model.etrecord"), "edge_dialect_exported_program/forward"
    text = entries(path)[entry]
    assert b'"aten_relu_default"' in text
    text = text.replace(b'"aten_relu_default"', b'"aten\\u001b[2J_relu"')
    graph = parse_etrecord(made.record(path, **{entry: text})).edge_dialect_program
    (node,) = graph.find(2)
    assert node.outputs == ["aten\x1b[2J_relu"]
    assert "aten\\x1b[2J_relu" in graph.code and "\x1b" not in graph.code + repr(node)


def test_nodes_of_a_lowered_program():
    path, entry = file("mlp_portable", "model.etrecord"), "edge_dialect_exported_program/forward"
    program = json.loads(entries(path)[entry])
    nodes = program["graph_module"]["graph"]["nodes"]
    (relu,) = [node for node in nodes if node["name"] == "aten_relu_default"]
    relu["inputs"].append({"name": "out", "arg": relu["inputs"][0]["arg"]})
    relu["metadata"]["debug_handle"] = "0"
    text = json.dumps(program).encode()
    graph = parse_etrecord(made.record(path, **{entry: text})).edge_dialect_program
    (node,) = [node for node in graph.graph.nodes if node.name == "aten_relu_default"]
    assert node.kwargs == {"out": node.args[0]} and len(node.args) == 1
    assert node.meta["debug_handle"] == 0


INFO = {"forward/lowered_module_0": {"tiles": [1, 2], "note": "\u00e9"}}


def test_entries_of_later_versions_are_shown_and_kept(tmp_path):
    """delegate_info of later versions is no program, as upstream's reader takes it for."""
    data = made.record(file("mlp_portable", "model.etrecord"), delegate_info=INFO, another=b"raw")
    record = parse_etrecord(data)
    assert record.delegate_info == INFO
    assert not {"delegate_info", "another"} & {*record.graph_names, *record.graph_map}
    assert record.edge_dialect_program.nodes
    record.update_representative_inputs([np.zeros((2, 16), "f4")])
    kept = entries(saved(record))
    assert kept["delegate_info"] == entries(data)["delegate_info"] and kept["another"] == b"raw"
    assert saved(record) == saved(parse_etrecord(saved(record)))
    small = parse_etrecord(saved(record, slim=True))
    assert small.delegate_info == INFO and small.is_slim
    assert parse_etrecord(file("mlp_portable", "model.etrecord")).delegate_info is None


def operator_of(module, kind, text):
    """As torch's operators look to those who do not import torch."""
    named = type(kind, (), {"__module__": module, "__str__": lambda self: text})()
    named.__name__ = text
    return named


def test_inputs_are_nested_as_they_were_given():
    (x, y), keywords = record_of("nested", "keywords")._representative_inputs
    assert x.shape == y.shape == (2, 3) and list(keywords) == ["scale"]
    cases = record_of("nested", "cases")._representative_inputs
    assert isinstance(cases, list) and [type(case) for case in cases] == [tuple, tuple]
    assert np.array_equal(cases[1][0][0], y) and np.array_equal(cases[1][0][1], x)
    record = record_of("nested", "cases")
    given = [(np.arange(3),), ([1, 2.5], {"a": True, "b": []}), ()]
    record.update_representative_inputs(given)
    again = parse_etrecord(saved(record))._representative_inputs
    assert again[0][0].tolist() == [0, 1, 2] and again[1:] == given[1:]
    with pytest.raises(Error, match='"numpy" or "torch"'):
        parse_etrecord(file("nested", "cases.etrecord"), tensors="list")


def test_plain_pickles_of_early_versions_are_read():
    record = parse_etrecord(file("versions", "pickled.etrecord"))
    inputs = record._representative_inputs
    whole = np.arange(12, dtype=np.float32).reshape(3, 4)
    for found, expected in zip(inputs, (whole, whole[1:, ::2], whole.T)):
        assert np.array_equal(found, expected)
    assert inputs[3].tolist() == [1, -2] and inputs[7].tolist() == [1, 65535]
    assert inputs[8].shape == (0, 3) and inputs[9:] == [7, 1.5, True, None]
    assert [case[0].tolist() for case in record._reference_outputs["forward"]] == [
        whole.tolist(), [1, -2]]


def test_plain_pickles_are_saved_as_later_versions_do(tmp_path):
    with tarfile.open(file("versions", "1.0.1.tar.xz")) as archive:
        archive.extract("methods.etrecord", tmp_path)
    old = parse_etrecord(tmp_path / "methods.etrecord")
    data = saved(old)
    assert all(entries(data)[name][:2] == b"PK" for name in ("representative_inputs", "reference_outputs"))
    again = parse_etrecord(data)
    assert np.array_equal(again._representative_inputs[0], old._representative_inputs[0])
    assert again._reference_outputs.keys() == {"encode", "forward"}
    assert np.array_equal(again._reference_outputs["encode"][0][0],
                          old._reference_outputs["encode"][0][0])
    assert saved(again) == data


def test_a_target_is_the_operator_that_it_names():
    graph = record_of("mlp_portable").edge_dialect_program.graph
    (relu,) = [node.target for node in graph.nodes if "relu" in node.target]
    edge = "executorch.exir.dialects.edge._ops", "EdgeOpOverload"
    assert relu == operator_of(*edge, "aten.relu.default") == relu
    assert relu != operator_of(*edge, "aten.addmm.default")
    assert relu != operator_of("torch._ops", "OpOverload", "aten.relu.default")
    assert relu == str(relu) and relu in {str(relu)} and relu != 7
    exported = record_of("mlp_portable").exported_program.graph
    wanted = operator_of("torch._ops", "OpOverload", "aten.relu.default")
    assert [node.name for node in exported.nodes if node.target == wanted] == ["relu"]
    for target, of in (
        ("memory.alloc", ("executorch.exir.memory", "function", "alloc")),
        ("executorch.exir.memory.view", ("executorch.exir.memory", "function", "view")),
        ("torch.ops.higher_order.cond", ("torch.ops.higher_order", "CondOp", "cond")),
    ):
        assert Target(target) == operator_of(*of) and Target("relu") != operator_of(*of)


def test_a_target_is_called_as_its_operator():
    assert Target("_operator.add").resolve() is operator.add
    assert Target("_operator.add")(2, 3) == 5
    for name in ("os.system", "torch.load", "torch.ops.load_library", "_operator.__add__",
                 "_operator.attrgetter", "x"):  # fmt: skip
        with pytest.raises(Error) as caught:
            Target(name).resolve()
        assert caught.value.status in ("UNSUPPORTED", "UNAVAILABLE")
    relu = record_of("mlp_portable").exported_program.graph.nodes[0]
    assert relu.op == "placeholder" and not callable(relu.target)


def test_a_graph_has_what_scripts_for_torch_look_for():
    """Of the nodes that were read, without torch."""
    graph = record_of("dynamic").edge_dialect_program
    nodes = graph.graph_module.graph.nodes
    assert graph.graph.nodes is nodes and graph.graph_module.code == graph.code
    assert [node.op for node in nodes][:5] == ["placeholder"] * 5 and nodes[-1].op == "output"
    calls = [node for node in nodes if node.op == "call_function"]
    assert [node.name for node in calls] == [node.name for node in graph.nodes]
    assert calls[0].meta["debug_handle"] == graph.nodes[0].debug_handle
    (origin,) = calls[0].meta["from_node"]
    assert origin.name == "linear" and origin.from_node[0].action == "create"
    assert origin.to_dict()["from_node"][0] == origin.from_node[0].to_dict()
    signature = graph.graph_signature
    assert signature.user_inputs == ["x"] and signature.user_outputs == [graph.outputs[0][0]]
    assert signature.inputs_to_parameters["p_l1_weight"] == "l1.weight"
    assert signature.parameters == ["l1.weight", "l1.bias", "l2.weight", "l2.bias"]
    assert signature.buffers == [] and signature.buffers_to_mutate == {}
    assert graph.range_constraints == {"s6": (2, 8)}
    assert record_of("mlp_portable").edge_dialect_program.range_constraints == {}


def test_what_was_lowered_to_executorch_is_no_graph_of_a_record():
    """As upstream: its manager has methods, too."""
    module = types.SimpleNamespace(methods={"forward"}, exported_program=lambda name: None,
                                   debug_handle_map={})  # fmt: skip
    with pytest.raises(Error, match="more cannot be a SimpleNamespace"):
        ETRecord().add_extra_export_modules({"more": module})


def test_the_damage_of_a_record_is_named_with_its_own_path(tmp_path):
    whole = file("mlp_xnnpack", "model.etrecord")
    edge = "edge_dialect_exported_program/forward"
    bad = made.record(whole, **{edge: entries(whole)[edge].replace(b'"nodes"', b'"no', 1)})
    path = tmp_path / "bäd.etrecord"
    path.write_bytes(bad)
    traces = {"etdump_path": file("mlp_xnnpack", "profile.etdp")}
    for record, name in ((path, str(path)), (parse_etrecord(path), str(path)),
                         (parse_etrecord(bad), "the ETRecord")):
        with pytest.raises(Error) as caught:
            Inspector(**traces, etrecord=record)
        assert caught.value.file == name and caught.value.offset > 0
        assert str(caught.value).startswith(f"{name}: byte ")

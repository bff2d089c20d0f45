"""Modules that scripts for upstream's tools run: sizes, CSV, graphs for viewers, schemas."""

import base64
import dataclasses
import json
import re
import subprocess
import sys
import types
import zipfile

import pytest

from etscope import Error, parse_etrecord
from etscope.bundled_program import schema, serialize
from etscope.debug_format.base_schema import OperatorNode, ValueNode
from etscope.debug_format.et_schema import RESERVED_METADATA_ARG, FXOperatorGraph
from etscope.etdump.schema_flatcc import ContainerMetadata
from etscope.etrecord._torch_save import archive_in, write_entry
from etscope.runtime import Verification
from etscope.scripts.generate_profiling_csv import generate_csv
from etscope.size_analysis_tool.size_analysis_tool import generate_model_size_information
from fixtures import EXAMPLES, file, inspect

EDGE = "edge_dialect_exported_program/forward"


# Sizes.


def test_sizes_of_a_record():
    model = parse_etrecord(file("mlp_portable", "model.etrecord")).edge_dialect_program
    found = generate_model_size_information(model, flatbuffer=bytes(5000))
    assert [(row["name"], row["num_bytes"]) for row in found["tensor_data"]] == [
        ("p_l1_weight", 2048), ("p_l2_weight", 512), ("p_l1_bias", 128), ("p_l2_bias", 16),
    ]  # fmt: skip
    assert found["tensor_data"][0] == {
        "name": "p_l1_weight", "numel": 512, "dtype": "float32", "element_size": 4,
        "shape": [32, 16], "num_bytes": 2048, "nn_module_stack": None,
    }  # fmt: skip
    assert found["delegate_blob_data"] == []
    assert found["overview"] == {
        "total_tensor_data_size": 2704, "total_delegate_blob_data_size": 0,
        "serialization_metadata_size": 2296, "model_size": 5000,
    }  # fmt: skip
    assert set(generate_model_size_information(model)["overview"]) == {
        "total_tensor_data_size", "total_delegate_blob_data_size",
    }  # fmt: skip


def lowered_record(path, payload, **changes):
    """The demo's record, the first node of which calls a delegate with this payload."""
    source = str(EXAMPLES / "backend" / "demo.etrecord")
    with zipfile.ZipFile(source) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    program = json.loads(entries[EDGE])
    module = {"backend_id": "DemoBackend", "processed_bytes": payload, **changes}
    node = program["graph_module"]["graph"]["nodes"][0]
    node["target"] = "torch.ops.higher_order.executorch_call_delegate"
    node["inputs"] = [{"name": "", "kind": 1, "arg": {"as_string": json.dumps(module)}}]
    entries[EDGE] = json.dumps(program).encode()
    with open(path, "wb") as out, archive_in(out) as archive:
        for name, data in entries.items():
            write_entry(archive, name, data)
    return parse_etrecord(str(path)).edge_dialect_program


def test_payloads_of_a_lowered_record(tmp_path):
    model = lowered_record(tmp_path / "a.etrecord", base64.b64encode(b"payload").decode())
    found = generate_model_size_information(model, {"DemoBackend": lambda data: {"first": data[0]}})
    (row,) = found["delegate_blob_data"]
    assert (row["backend_id"], row["num_bytes"], row["first"]) == ("DemoBackend", 7, ord("p"))
    assert found["overview"]["total_delegate_blob_data_size"] == 7


def test_payloads_that_were_left_out_are_not_nothing(tmp_path):
    slim = lowered_record(tmp_path / "a.etrecord", "", original_state_dict="")
    with pytest.raises(Error, match="without weights") as caught:
        generate_model_size_information(slim)
    assert caught.value.status == "UNAVAILABLE"
    with pytest.raises(Error, match="cannot be read"):
        generate_model_size_information(lowered_record(tmp_path / "b.etrecord", "no base 64!"))


class Tensor:
    """As much of a torch tensor as counts."""

    def __init__(self, *shape):
        self.shape, self.dtype = shape, "torch.float16"

    def element_size(self):
        return 2


def torch_program():
    """A program as torch has it: a parameter, a constant in a branch, and a lowered module."""
    node = types.SimpleNamespace
    lowered = node(backend_id="B", processed_bytes=b"1234")
    branch = node(graph=node(nodes=[node(op="get_attr", target="k", name="k", meta={})]), k=Tensor(3))
    nodes = [
        node(op="placeholder", name="p_w", target="p_w", meta={"nn_module_stack": {"a": "b"}}),
        node(op="placeholder", name="x", target="x", meta={}),
        node(op="get_attr", name="lowered_module_0", target="low", meta={}),
        node(op="get_attr", name="true_graph_0", target="true", meta={}),
    ]
    module = node(graph=node(nodes=nodes), low=lowered, true=branch)
    signature = node(inputs_to_parameters={"p_w": "w"}, inputs_to_buffers={})
    return node(graph_module=module, graph_signature=signature, state_dict={"w": Tensor(4, 5)})


def test_sizes_of_torchs_program():
    found = generate_model_size_information(torch_program())
    assert [(row["name"], row["dtype"], row["num_bytes"], row["nn_module_stack"])
            for row in found["tensor_data"]] == [
        ("p_w", "float16", 40, "{'a': 'b'}"), ("k", "float16", 6, None),
    ]  # fmt: skip
    assert found["delegate_blob_data"] == [
        {"name": "lowered_module_0", "backend_id": "B", "num_bytes": 4}
    ]


def run(module, *arguments, folder):
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=folder, text=True,
                          capture_output=True)  # fmt: skip


def test_the_command_of_sizes(tmp_path):
    tool = "etscope.size_analysis_tool.size_analysis_tool"
    record = file("mlp_portable", "model.etrecord")
    assert run(tool, "--etrecord_path", record, folder=tmp_path).returncode == 0
    (found,) = json.loads((tmp_path / "model_size_information.json").read_text())
    assert found["overview"]["total_tensor_data_size"] == 2704
    failed = run(tool, "--etrecord_path", "no.etrecord", folder=tmp_path)
    assert failed.returncode == 1 and failed.stderr.startswith("etscope: no.etrecord")


# CSV.


def test_the_csv_is_the_data_frames(tmp_path):
    generate_csv(file("mlp_portable", "profile.etdp"), tmp_path / "a.csv")
    expected = inspect("mlp_portable", etrecord=None).to_dataframe().to_csv()
    assert (tmp_path / "a.csv").read_text() == expected
    tool = "etscope.scripts.generate_profiling_csv"
    trace = file("mlp_portable", "profile.etdp")
    done = run(tool, f"--etdump_path={trace}", "--output=b.csv", folder=tmp_path)
    assert done.stdout == f"Generating CSV from {trace}\nSaved CSV to b.csv\n"
    assert (tmp_path / "b.csv").read_text() == expected
    failed = run(tool, folder=tmp_path)
    assert failed.returncode == 1 and "model.etdump" in failed.stderr


# Graphs.


def graph_of(model, **options):
    record = parse_etrecord(file(model, "model.etrecord"))
    return FXOperatorGraph.gen_operator_graph(record.edge_dialect_program.graph_module, **options)


def test_a_records_graph():
    graph = graph_of("mlp_portable")
    inputs, calls, outputs = graph.elements
    assert [part.graph_name for part in (graph, inputs, calls, outputs)] == [
        "base", "inputs", "forward", "outputs",
    ]  # fmt: skip
    assert [(node.name, node.output_shapes, node.dtype) for node in inputs.elements[:2]] == [
        ("p_l1_weight_", [[32, 16]], "[torch.float32]"), ("p_l1_bias_", [[32]], "[torch.float32]"),
    ]  # fmt: skip
    operators = [node for node in calls.elements if isinstance(node, OperatorNode)]
    assert [node.name for node in operators][:3] == [
        "aten_permute_copy_default_", "aten_addmm_default_", "aten_relu_default_",
    ]  # fmt: skip
    permute, addmm = operators[:2]
    assert [node.name for node in addmm.inputs] == ["p_l1_bias_", "x_", "aten_permute_copy_default_"]
    assert addmm.named_args == ["self", "mat1", "mat2"] and addmm.metadata["debug_handle"] == 1
    dims = permute.inputs[1]
    assert isinstance(dims, ValueNode) and (dims.name, dims.val) == ("dims_0", "[1, 0]")
    (output,) = outputs.elements
    assert output.inputs == [operators[-1]]
    assert "stack_trace" in addmm.metadata
    plain = graph_of("mlp_portable", skip_stack_trace=True).elements[1]
    assert all("stack_trace" not in node.metadata for node in plain.elements if node.metadata)


@pytest.mark.parametrize("model", ["conv_portable", "gpt_portable", "dynamic", "cond"])
def test_every_name_of_a_records_graph_is_found(model):
    graph = graph_of(model)
    calls = graph.elements[1].elements
    assert sum(isinstance(node, OperatorNode) for node in calls) == len(
        parse_etrecord(file(model, "model.etrecord")).edge_dialect_program.nodes
    )
    names = {node.name.rstrip("_") for part in graph.elements for node in part.elements}
    constants = [node.val for node in calls if isinstance(node, ValueNode)]
    assert not names & {str(value) for value in constants}


def fx(name, op="call_function", target="target", args=(), **meta):
    node = types.SimpleNamespace(name=name, op=op, target=target, args=args, kwargs={}, meta=meta)
    if op == "call_function":
        node.target = types.SimpleNamespace(__name__=target)
    return node


def test_torchs_graph():
    x = fx("x", "placeholder", "x")
    split = fx("split", target="aten.split.Tensor", args=(x, 2))
    first = fx("getitem", target="getitem", args=(split, 0))
    stack = {"source_fn_stack": [("l1", "Linear")], "nn_module_stack": {}}
    cat = fx("cat", target="aten.cat.default", args=([first, None, x],), **stack)
    end = fx("output", "output", "output", ([cat, None],))
    module = types.SimpleNamespace(graph=types.SimpleNamespace(nodes=[x, split, first, cat, end]))
    _, calls, outputs = FXOperatorGraph.gen_operator_graph(module).elements
    found = {node.name: node for node in calls.elements}
    assert [node.name for node in found["cat_"].inputs] == ["split_", "CONST_NONE_1", "x_"]
    assert found["CONST_0"].val == "2" and found["split_"].op == "aten.split.Tensor"
    assert outputs.elements[0].inputs == [found["cat_"], []]
    _, calls, _ = FXOperatorGraph.gen_operator_graph(module, enable_module_hierarchy=True).elements
    (group,) = [part for part in calls.elements if hasattr(part, "elements")]
    assert (group.graph_name, group.metadata) == ("l1", {"module_type": "Linear"})
    assert [node.name for node in group.elements] == ["CONST_NONE_1", "cat_"]
    assert RESERVED_METADATA_ARG("debug_handle") is RESERVED_METADATA_ARG.DEBUG_HANDLE


def test_calls_of_modules_are_refused():
    node = fx("a", "call_module", "a")
    module = types.SimpleNamespace(graph=types.SimpleNamespace(nodes=[node]))
    with pytest.raises(ValueError, match="a_: call_module"):
        FXOperatorGraph.gen_operator_graph(module)


# Schemas and enumerations.


def test_schemas_are_those_of_the_classes(tmp_path):
    for name in (serialize.BUNDLED_PROGRAM_SCHEMA_NAME, serialize.SCALAR_TYPE_SCHEMA_NAME):
        serialize.write_schema(tmp_path, name)
    text = (tmp_path / "bundled_program_schema.fbs").read_text()
    tables = dict(re.findall(r"table (\w+) \{([^}]*)\}", text))
    assert len(tables) == 8
    for name, body in tables.items():
        fields = [field.name for field in dataclasses.fields(getattr(schema, name))]
        assert re.findall(r"(\w+): ", re.sub(r"\([^)]*\)", "", body)) == fields, name
    kinds = (tmp_path / "scalar_type.fbs").read_text()
    assert "  FLOAT = 6," in kinds and "  QUINT4X2 = 16," in kinds and "COMPLEX" not in kinds
    with pytest.raises(Error, match="no schema 'x'; there are bundled_program_schema"):
        serialize.write_schema(tmp_path, "x")


def test_names_of_enumerations_and_containers():
    assert Verification.Minimal.name == "Minimal" and Verification.InternalConsistency.value == 1
    assert Verification.name.__get__(Verification.Minimal) == "Minimal"
    assert Verification.value.__get__(Verification.Minimal) == 0
    assert int(Verification.InternalConsistency) == 1
    assert Verification(0) is Verification.Minimal and len(Verification) == 2
    assert ContainerMetadata("a", "b") == ContainerMetadata(encoded_inp_str="a", encoded_out_str="b")

"""Records of PyTorch's own objects, beside executorch's; skipped where they are not installed."""

import copy
import importlib.util
import io
import json
import zipfile

import numpy as np
import pytest

from etscope import ETRecord, Error, Inspector, generate_etrecord, parse_etrecord
from etscope._operators import Target
from etscope.etrecord import slim
from fixtures import file

if not all(map(importlib.util.find_spec, ("torch", "executorch"))):
    pytest.skip("torch and executorch are not installed", allow_module_level=True)

import torch
from executorch.devtools import BundledProgram
from executorch.devtools import Inspector as UpstreamInspector
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.etrecord import generate_etrecord as upstream_generate
from executorch.devtools.etrecord import parse_etrecord as upstream_parse
from executorch.exir import to_edge

pytestmark = pytest.mark.filterwarnings("ignore")
INPUTS = (torch.ones(2, 4),)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("offset", torch.arange(3.0))

    def forward(self, x):
        return torch.relu(self.linear(x) + self.offset) * 2


def exported(methods=("forward",)):
    """The stages of an export: programs, the edge manager before lowering, the final manager."""
    torch.manual_seed(0)
    programs = {name: torch.export.export(Model().eval(), INPUTS) for name in methods}
    programs = programs if len(methods) > 1 else programs["forward"]
    edge = to_edge(programs)
    kept = copy.deepcopy(edge)
    return programs, kept, edge.to_executorch()


@pytest.fixture(scope="module")
def stages():
    return exported()


def entries(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def same_tensors(one, other):
    """Whether two torch.save payloads hold the same: their bytes have a serial number inside."""
    loaded = [torch.load(io.BytesIO(data), weights_only=True) if data else None
              for data in (one, other)]  # fmt: skip
    return repr(loaded[0]) == repr(loaded[1])


def compare(ours, theirs):
    assert list(ours) == list(theirs)
    for name in theirs:
        if name.endswith(("_state_dict", "_constants", "_example_inputs")) or name in (
            "reference_outputs", "representative_inputs"
        ):  # fmt: skip
            assert same_tensors(ours[name], theirs[name]), name
        else:
            assert ours[name] == theirs[name], name


def test_entry_by_entry_with_upstream(stages, tmp_path):
    program, edge, final = stages
    generate_etrecord(tmp_path / "ours", edge, final, program, {"stage": edge, "aten": program})
    upstream_generate(tmp_path / "theirs", edge, final, program, {"stage": edge, "aten": program})
    compare(entries(tmp_path / "ours"), entries(tmp_path / "theirs"))


def test_a_bundle(stages, tmp_path):
    program, edge, final = stages
    cases = [MethodTestCase(INPUTS, Model()(*INPUTS)) for _ in range(2)]
    bundle = BundledProgram(final, [MethodTestSuite("forward", cases)])
    generate_etrecord(tmp_path / "ours", edge, bundle, program)
    upstream_generate(tmp_path / "theirs", edge, bundle, program)
    compare(entries(tmp_path / "ours"), entries(tmp_path / "theirs"))
    record = parse_etrecord(tmp_path / "ours")
    assert [case[0].shape for case in record._reference_outputs["forward"]] == [(2, 3)] * 2
    assert record._representative_inputs[0].tolist() == INPUTS[0].tolist()


def test_several_methods(tmp_path):
    programs, edge, final = exported(("forward", "encode"))
    generate_etrecord(tmp_path / "ours", edge, final, programs)
    upstream_generate(tmp_path / "theirs", edge, final, programs)
    ours, theirs = entries(tmp_path / "ours"), entries(tmp_path / "theirs")
    compare(dict(sorted(ours.items())), dict(sorted(theirs.items())))
    assert sorted(upstream_parse(str(tmp_path / "ours")).edge_dialect_program) == [
        "encode", "forward"]  # fmt: skip


def test_each_reads_the_others(stages, tmp_path):
    program, edge, final = stages
    generate_etrecord(tmp_path / "ours", edge, final, program, {"stage": edge})
    record = upstream_parse(str(tmp_path / "ours"))
    assert torch.equal(record.exported_program.state_dict["linear.weight"],
                       program.state_dict["linear.weight"])  # fmt: skip
    assert list(record.graph_map) == ["stage/forward"]
    record.save(str(tmp_path / "theirs"))
    again = parse_etrecord(tmp_path / "theirs")
    assert again.graph_names == parse_etrecord(tmp_path / "ours").graph_names
    again.save(tmp_path / "again")
    assert entries(tmp_path / "again") == entries(tmp_path / "theirs")
    assert again.state_dict()["linear.weight"].shape == (3, 4)


def test_slim_records_are_read_by_upstream(stages, tmp_path):
    program, edge, final = stages
    generate_etrecord(tmp_path / "slim", edge, final, program, slim=True)
    generate_etrecord(tmp_path / "whole", edge, final, program)
    slim(tmp_path / "whole", tmp_path / "later")
    assert (tmp_path / "slim").read_bytes() == (tmp_path / "later").read_bytes()
    record = upstream_parse(str(tmp_path / "slim"))
    assert record.exported_program.state_dict == {} and parse_etrecord(tmp_path / "slim").is_slim
    slim(file("mlp_xnnpack", "model.etrecord"), tmp_path / "mlp")
    frames = [
        UpstreamInspector(etdump_path=file("mlp_xnnpack", "profile.etdp"), etrecord=str(record))
        .to_dataframe().drop(columns="debug_data")
        for record in (tmp_path / "mlp", file("mlp_xnnpack", "model.etrecord"))
    ]  # fmt: skip
    assert frames[0].equals(frames[1])


def test_a_record_made_after_lowering_has_no_payload_when_slim(tmp_path):
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    program = torch.export.export(Model().eval(), INPUTS)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    kept = copy.deepcopy(edge)
    generate_etrecord(tmp_path / "slim", kept, edge.to_executorch(), slim=True)
    text = entries(tmp_path / "slim")["edge_dialect_exported_program/forward"]
    (call,) = [node for node in json.loads(text)["graph_module"]["graph"]["nodes"]
               if "call_delegate" in node["target"]]  # fmt: skip
    module = json.loads(call["inputs"][0]["arg"]["as_string"])
    assert module["backend_id"] == "XnnpackBackend" and module["original_module"]
    assert module["processed_bytes"] == module["original_state_dict"] == ""
    ops = [node.op for node in parse_etrecord(tmp_path / "slim").edge_dialect_program.nodes]
    assert "executorch_call_delegate" in ops
    upstream_parse(str(tmp_path / "slim"))


def test_values_of_torch_and_numpy(stages, tmp_path):
    program, edge, final = stages
    record = ETRecord()
    record.add_edge_dialect_program(edge)
    record.add_executorch_program(final)
    record.update_representative_inputs([torch.ones(2, dtype=torch.bfloat16), np.arange(3), 4])
    record.update_reference_outputs({"forward": [[np.arange(6.0).reshape(2, 3).T]]})
    record.save(tmp_path / "ours")
    theirs = upstream_parse(str(tmp_path / "ours"))
    assert theirs._representative_inputs[0].dtype == torch.bfloat16
    assert theirs._representative_inputs[1].tolist() == [0, 1, 2]
    assert theirs._representative_inputs[2] == 4
    assert torch.equal(theirs._reference_outputs["forward"][0][0],
                       torch.arange(6.0, dtype=torch.float64).reshape(2, 3).T)  # fmt: skip
    ours = parse_etrecord(tmp_path / "ours")
    assert ours._representative_inputs[0].dtype.itemsize == 2


def test_a_program_that_is_no_edge_program(stages):
    program, edge, final = stages
    record = ETRecord()
    with pytest.raises(Error):
        record.add_edge_dialect_program(final.buffer)
    record.add_edge_dialect_program(edge.exported_program())
    record.add_executorch_program(final)
    assert record.methods == ["forward"]
    trace = file("mlp_portable", "profile.etdp")
    with pytest.raises(Error) as caught:  # of another model
        Inspector(trace, etrecord=record)
    assert caught.value.status == "MISMATCH"


def test_targets_are_the_operators_of_torch_and_executorch():
    from executorch.exir import memory
    from executorch.exir.delegate import executorch_call_delegate
    from executorch.exir.dialects._ops import ops

    for target, expected in (
        ("torch.ops.aten.add.Tensor", torch.ops.aten.add.Tensor),
        ("torch.ops.higher_order.executorch_call_delegate", executorch_call_delegate),
        ("executorch.exir.dialects.edge.ops.aten.add.Tensor", ops.edge.aten.add.Tensor),
        ("memory.alloc", memory.alloc), ("executorch.exir.memory.view", memory.view),
        ("torch._sym_sqrt", torch.sym_sqrt),
    ):  # fmt: skip
        assert Target(target) == expected and Target(target).resolve() is expected
    assert Target("torch.ops.aten.add.Tensor")(torch.ones(1), torch.ones(1)).item() == 2
    for name, status in (("torch.load", "UNSUPPORTED"), ("torch.ops.load_library", "UNSUPPORTED"),
                         ("torch.ops.aten.add", "UNSUPPORTED"), ("torch.ops.a.b.c", "NOT_FOUND"),
                         ("executorch.exir.dialects.edge.ops.aten.add.no", "NOT_FOUND"),
                         ("executorch.exir.memory.torch", "UNSUPPORTED")):  # fmt: skip
        with pytest.raises(Error) as caught:
            Target(name).resolve()
        assert caught.value.status == status, name


def test_a_graph_as_torchs_own(tmp_path):
    graph = parse_etrecord(file("mlp_portable", "model.etrecord")).exported_program
    program = graph.to_torch()
    assert isinstance(program, torch.export.ExportedProgram)
    assert [node.name for node in graph.graph.nodes] == [n.name for n in program.graph.nodes]
    for mine, other in zip(graph.graph.nodes, program.graph.nodes):
        assert mine.target == other.target and other.target == mine.target
        assert not callable(other.target) or mine.target.resolve() is other.target
        origins = [origin.to_dict() for origin in other.meta.get("from_node", ())]
        assert [origin.to_dict() for origin in mine.meta.get("from_node", ())] == origins
    theirs, ours = program.graph_signature, graph.graph_signature
    assert list(theirs.user_inputs) == ours.user_inputs
    assert dict(theirs.inputs_to_parameters) == ours.inputs_to_parameters
    slim(file("mlp_portable", "model.etrecord"), tmp_path / "slim")
    with pytest.raises(Error) as caught:
        parse_etrecord(tmp_path / "slim").exported_program.to_torch()
    assert caught.value.status == "UNAVAILABLE"

"""Records the lifetimes that executorch's memory planner gives to the tensors of the fixtures.

    python make.py FIXTURES     # folders with model.etrecord and model.pte, such as tests/data

Exports the models of the fixtures' ETRecords again with executorch 1.5.1 and writes planner.json: for each
value with a `spec.lifetime` the instructions that the nodes of its lifetime became. Methods whose
instructions or places differ from those of model.pte are left out.
"""

import json
import sys
from pathlib import Path

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools.etrecord import parse_etrecord
from executorch.exir import to_edge_transform_and_lower
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.emit import _emitter
from executorch.exir.schema import Tensor
from executorch.exir.tensor import TensorSpec


class Recorder:
    """Watches the emitter: which instructions a node becomes, and which value a spec."""

    def __init__(self):
        self.instructions = {}  # of a graph: begin and end of each node's
        self.values = {}  # of a method: number and spec, with the graph that the spec is of
        self.method = None
        self.run_node = _emitter._Emitter.run_node
        recorder = self
        _emitter._Emitter.run_node = lambda emitter, node: recorder.watch(emitter, node)

    def watch(self, emitter, node):
        begin = emitter.instruction_start_offset + len(emitter.chain.instructions)
        result = self.run_node(emitter, node)
        end = emitter.instruction_start_offset + len(emitter.chain.instructions)
        graph = self.instructions.setdefault(id(node.graph), [])
        graph.append((begin, end))
        if hasattr(emitter, "name"):  # the emitter of a method, not of a branch or loop
            self.method = emitter.name
        specs = node.meta.get("spec")
        results = result if isinstance(result, (list, tuple)) else [result]
        specs = specs if isinstance(specs, (list, tuple)) else [specs]
        for spec, value in zip(specs, results):
            if isinstance(spec, TensorSpec) and isinstance(value, _emitter._AbstractValue):
                known = self.values.setdefault(id(emitter.emitter_state), {})
                known.setdefault(value.id, (spec, id(node.graph)))
        return result

    def lifetimes(self, values):
        found = {}
        for number, (spec, graph) in sorted(values.items()):
            if spec.const or spec.mem_id is None or spec.lifetime[0] is None:
                continue
            nodes = self.instructions[graph][spec.lifetime[0]:spec.lifetime[1] + 1]
            made = [span for span in nodes if span[0] < span[1]]
            found[number] = [made[0][0], made[-1][1] - 1] if made else None
        return found


def layout(plan):
    """What lifetimes are about: places of values, and instructions."""
    places = [value.val.allocation_info if isinstance(value.val, Tensor) else None for value in plan.values]
    return places, plan.chains[0].instructions


def export(folder):
    record = parse_etrecord(str(folder / "model.etrecord"))
    programs = record.exported_program
    partitioner = [XnnpackPartitioner()] if "xnnpack" in folder.name else None
    return to_edge_transform_and_lower(programs, partitioner=partitioner).to_executorch()


def record(folder):
    recorder = Recorder()
    try:
        program = export(folder).executorch_program
    finally:
        _emitter._Emitter.run_node = recorder.run_node
    given = deserialize_pte_binary((folder / "model.pte").read_bytes())
    given = {plan.name: plan for plan in getattr(given, "program", given).execution_plan}
    methods = {}
    for plan, values in zip(program.execution_plan, recorder.values.values()):
        if layout(plan) != layout(given[plan.name]):
            print(f"{folder.name}: {plan.name} is exported in another way", file=sys.stderr)
            continue
        methods[plan.name] = recorder.lifetimes(values)
    return methods


def main(fixtures):
    found = {}
    for path in sorted(fixtures.glob("*/model.etrecord")):
        try:
            methods = record(path.parent)
        except Exception as error:
            print(f"{path.parent.name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            continue
        if methods:
            found[path.parent.name] = methods
    lines = [f"{json.dumps(model)}: {json.dumps(methods, separators=(',', ':'))}" for model, methods in found.items()]
    Path(__file__).with_name("planner.json").write_text("{" + ",\n".join(lines) + "}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""PyTorch as the reference of a gap: the record's graph, run node by node."""

from etscope._errors import Error
from etscope._library import lib, text
from etscope._tensors import value_of
from etscope.etrecord import _programs
from etscope.etrecord._reader import EDGE


def values_of(report, inputs):
    """{node: tensor, or list of tensors} of the nodes that anything was captured of."""
    values = (lib.ets_gap_value(report.pointer, i) for i in range(_count(report)))
    wanted = {text(value.node.name) for value in values if value.node}
    record = report.inspector._etrecord._open
    name = text(report.graph.name)
    program = _programs.loaded(record, name)
    buffers = {}
    edge = f"{EDGE}/{report.method}"
    if name != edge and edge in record.graph_names:
        buffers = _programs.loaded(record, edge).state_dict
    array, count, _kept = report.inputs(inputs)
    inputs = [value_of(array + i, "torch") for i in range(count)]
    return _run(program, inputs, buffers, wanted)


def _count(report):
    return lib.ets_gap_value_count(report.pointer)


def _run(program, inputs, buffers, wanted):
    """buffers: {name: tensor} as the edge program has them, which were not changed since export."""
    import torch

    found = {}

    class Interpreter(torch.fx.Interpreter):
        def run_node(self, node):
            result = super().run_node(node)
            if node.op == "call_function" and node.name in wanted:
                found[node.name] = _copied(result)
            return result

    signature = program.graph_signature
    inputs = iter(inputs)
    arguments = []
    for spec in signature.input_specs:
        if spec.kind.name == "USER_INPUT":
            arguments.append(next(inputs, None))
        else:
            arguments.append(_weight(program, buffers, spec.target))
    with torch.no_grad():
        Interpreter(program.graph_module).run(*arguments)
    return found


def _weight(program, buffers, name):
    for values in (buffers, program.state_dict, program.constants):
        if name in values:
            value = values[name]
            return value.detach().clone() if hasattr(value, "detach") else value
    raise Error(f"the record has no weight {name}", status="NOT_FOUND")


def _copied(value):
    """Tensors are copied, as later nodes may write into them."""
    if isinstance(value, (list, tuple)):
        return [_copied(each) for each in value]
    return value.detach().clone() if hasattr(value, "detach") else value

"""What of a record's graph was delegated: by the lowered modules inside, or by debug handles."""

import json
from collections import Counter, deque

from etscope._errors import Error, warn
from etscope._library import NULL, Handle, Source, call, ffi, lib, text
from etscope._program import program_of

_CALL = "executorch_call_delegate"


def count(found, graph, program):
    """Adds each operator of the graph to `found`; returns the number of delegate calls."""
    record, method = graph._owner, graph.name.partition("/")[2]
    if method not in record.methods:
        raise Error(f"{graph.name} is the program of no method; take an edge program",
                    status="UNAVAILABLE", file=record.path)  # fmt: skip
    kernels = {} if program is None else _kernels(record, method, program)
    steps = _steps(record, method, kernels)
    lowered = [node for node in graph.nodes if node.op == _CALL]
    if lowered:  # the record was made after lowering
        inside, calls = (), len(lowered)
        for node in lowered:
            for name in _lowered_names(node, record):
                found.add(name, True)
    else:
        (inside, is_sure), calls = _delegated(graph, steps), sum(step.is_call for step in steps)
        if not is_sure:
            warn("nodes of one debug handle were delegated in part: which of them is taken from "
                 "their order, so that types may be wrong"
                 + ("; program= tells" if program is None else ""))  # fmt: skip
        if calls and not inside:
            raise Error(f"{graph.name} has no debug handles of what was delegated",
                        status="UNAVAILABLE", file=record.path)  # fmt: skip
    for node in graph.nodes:
        if node.op != _CALL:
            found.add(node.name, node in inside)
    return calls


class _Step:
    """An instruction of the record's map: a delegate call, or a kernel."""

    def __init__(self, is_call, handles, operator):
        self.is_call = is_call
        self.handles = Counter(handles)  # {handle: how many nodes of it are behind the call}
        self.operator = operator  # "add", or None

    def room(self, handle):
        """How many nodes with this handle it has."""
        return self.handles[handle] if self.is_call else 1


def _steps(record, method, kernels):
    pointer, encoded = record.handle.pointer, method.encode()
    out, count_out = ffi.new("const int64_t **"), ffi.new("size_t *")
    is_list = ffi.new("int *")
    lib.ets_etrecord_mapped_instructions(pointer, encoded, out, count_out)
    steps = []
    for instruction in ffi.unpack(out[0], count_out[0]) if count_out[0] else []:
        lib.ets_etrecord_handles(pointer, encoded, instruction, out, count_out, is_list)
        handles = ffi.unpack(out[0], count_out[0]) if count_out[0] else []
        is_call = bool(is_list[0])  # also where an older record has no map of delegates
        steps.append(_Step(is_call, handles, kernels.get(instruction)))
    return steps


def _delegated(graph, steps):
    """The nodes that are in delegate calls, and whether that is sure."""
    by_handle = {}
    for step in steps:
        for handle in step.handles:
            by_handle.setdefault(handle, []).append(step)
    inside, is_sure = set(), True
    for handle, behind in by_handle.items():
        nodes, room = graph.find(handle), sum(step.room(handle) for step in behind)
        if all(step.is_call for step in behind) and room >= len(nodes):
            inside.update(nodes)
        elif any(step.is_call for step in behind):
            some, is_exact = _divided(nodes, behind, handle)
            inside.update(some)
            is_sure = is_sure and is_exact
    return inside, is_sure


def _divided(nodes, steps, handle):
    """Of nodes with one handle those in delegate calls, where others of them are not.

    A kernel has one node: the first of its operator or, where that is not known, the next in order.
    A call has as many as it names the handle; values that are taken out of a list count as well.
    The second result: no order decided, as every kernel is known and nothing remains of the rest.
    """
    kernels = Counter(step.operator for step in steps if step.operator is not None)
    left, inside = deque(), []
    for node in nodes:
        operator = _operator_of(node.op)
        if kernels[operator] > 0:
            kernels[operator] -= 1
        else:
            left.append(node)
    for step in steps:
        room = step.room(handle) if step.operator is None else 0
        while left and room > 0:
            node = left.popleft()
            room -= 1
            if step.is_call:
                inside.append(node)
                room -= sum(name != node.name for name in node.outputs)
    is_known = all(step.is_call or step.operator is not None for step in steps)
    return inside, is_known and not left


def _operator_of(name):
    """"add" of "aten.add.Tensor", "add.Tensor" and "aten::add.out": kernels have overloads of
    their own.
    """
    namespace, _, rest = name.replace("::", ".").partition(".")
    name = rest if namespace == "aten" else name.replace("::", ".")
    return name.rpartition(".")[0] or name


def _kernels(record, method, path):
    """{instruction: operator} of a program's kernel calls."""
    source = Source.of_file(path)
    out, options = ffi.new("struct ets_delegation **"), ffi.new("struct ets_delegation_options *")
    program, name = program_of(source), ffi.new("char[]", method.encode())
    options.program, options.record, options.method = program, record.handle.pointer, name
    record.source.check()
    with record.handle.lock:
        call(lib.ets_delegation_open, options, out, file=source.path)
    keeps = Handle(out[0], lib.ets_delegation_close, source, program, record.handle, name)
    found = {}
    for i in range(lib.ets_delegation_count(keeps.pointer)):
        step = lib.ets_delegation_step_at(keeps.pointer, i)
        if step.kind == lib.ETS_INSTRUCTION_KERNEL_CALL:
            found[step.instruction] = _operator_of(text(step.name) or "")
    return found


def _lowered_names(node, record):
    """The names of the operators that a delegate call stands for, as the record keeps them."""
    pointer = node._pointer
    texts = [text(pointer.inputs[i].name) for i in range(pointer.input_count)
             if pointer.inputs[i].kind == lib.ETS_ARGUMENT_STRING]  # fmt: skip
    try:
        module = json.loads(texts[0])["original_module"]
        nodes = module["graph_module"]["graph"]["nodes"]
        return [str(inner["name"]) for inner in nodes]
    except (IndexError, KeyError, TypeError, ValueError, RecursionError) as reason:
        raise Error(f"{node.name}: its lowered module cannot be read", status="MALFORMED",
                    file=record.path) from reason  # fmt: skip

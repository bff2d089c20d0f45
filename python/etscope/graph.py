"""A computation graph of an ETRecord: what torch.export knew, without torch.

    graph = inspector.get_exported_program()
    print(graph.code)
    for node in graph.find(debug_handle=3):
        print(node.name, node.op, node.source)
"""

from functools import cached_property

from etscope._library import NULL, ffi, lib, printable, text
from etscope._tensors import dtype_of, scalar_type_of

_MEMORY_FORMATS = {
    1: "torch.contiguous_format",
    2: "torch.channels_last",
    4: "torch.preserve_format",
}


class Node:
    """One operator call.

    name            "aten_add_tensor", as in the record
    op              "aten.add.Tensor", as the Inspector prints it
    target          the full name of what is called
    debug_handle    a number, or None
    stack_trace     the export's stack trace as text, innermost frame last, or None
    nn_module_stack {key: (path, type)}, outermost module first
    source          (file, line, function, code) of the user's line, or None
    inputs          [(argument's name, value)], values as Python writes them (see Graph.code)
    outputs         names of the values that it makes
    """

    def __init__(self, graph, pointer):
        self._graph = graph  # keeps the record
        self._pointer = pointer
        self.name = text(pointer.name)
        self.op = text(pointer.op)
        self.target = text(pointer.target)
        self.debug_handle = pointer.debug_handle if pointer.debug_handle > 0 else None
        self.stack_trace = text(pointer.stack_trace)

    @cached_property
    def nn_module_stack(self):
        """{key: (path, type)}, outermost module first."""
        return modules_of(self._pointer)

    @cached_property
    def source(self):
        """(file, line, function, code) of the user's line, or None."""
        frame = lib.ets_graph_user_frame(self._pointer)
        if frame == NULL:
            return None
        return text(frame.file), frame.line, text(frame.function), text(frame.code)

    @cached_property
    def inputs(self):
        """[(argument's name, value)], values as Python writes them."""
        pointer = self._pointer
        return [
            (text(pointer.inputs[i].label) or "", _written(pointer.inputs[i]))
            for i in range(pointer.input_count)
        ]

    @cached_property
    def outputs(self):
        """Names of the values that it makes."""
        return [
            name for i in range(self._pointer.output_count)
            for name in _names(self._pointer.outputs[i])
        ]  # fmt: skip

    def __repr__(self):
        return printable(f"<Node {self.name}: {self.op}>")


class Value:
    """What a value is, as far as the graph knows: dtype ("float32" or None), shape or None."""

    def __init__(self, pointer):
        self.name = text(pointer.name)
        self.dtype = self.shape = None
        if pointer.scalar_type >= 0:
            self.dtype = text(lib.ets_scalar_type_name(pointer.scalar_type))
            texts = pointer.size_texts
            self.shape = tuple(
                (text(texts[i]) if texts != NULL else None) or pointer.sizes[i]
                for i in range(pointer.rank)
            )

    @property
    def numpy_dtype(self):
        """The dtype that arrays of this value have (docs/python.md), or None."""
        import numpy as np

        return None if self.dtype is None else np.dtype(dtype_of(scalar_type_of(self.dtype)))

    def __str__(self):
        if self.dtype is None:
            return ""
        return f"{self.dtype}[{', '.join(str(size) for size in self.shape)}]"

    def __repr__(self):
        return printable(f"<Value {self.name}: {self}>")


class Graph:
    """One program of an ETRecord: `nodes` in the file's order, `inputs` and `outputs` by name."""

    def __init__(self, pointer, owner):
        self._pointer = pointer  # const struct ets_graph *
        self._owner = owner
        self.name = text(pointer.name)
        self.dialect = text(pointer.dialect)

    @cached_property
    def nodes(self):
        """Every Node, in the file's order."""
        return [Node(self, self._pointer.nodes + i) for i in range(self._pointer.node_count)]

    @cached_property
    def inputs(self):
        """[(name, source)]: the parameter's, buffer's or constant's name; None for a user input."""
        found = []
        for i in range(self._pointer.input_count):
            item = self._pointer.inputs[i]
            names = _names(item.argument)
            found.append((names[0] if names else _written(item.argument), text(item.source)))
        return found

    @cached_property
    def outputs(self):
        """[(name, target)]: the name of the buffer that the output is kept in, else None."""
        found = []
        for i in range(self._pointer.output_count):
            item = self._pointer.outputs[i]
            found.append((_written(item.argument), text(item.target)))
        return found

    @cached_property
    def values(self):
        """{name: Value} of all tensors and symbols."""
        pointers = (self._pointer.values[i] for i in range(self._pointer.value_count))
        return {value.name: value for value in map(Value, pointers)}

    @cached_property
    def subgraphs(self):
        """The bodies of branches and loops, of every depth."""
        count = self._pointer.subgraph_count
        return [Graph(self._pointer.subgraphs[i], self._owner) for i in range(count)]

    @cached_property
    def _by_handle(self):
        found = {}
        for node in self.nodes:
            if node.debug_handle is not None:
                found.setdefault(node.debug_handle, []).append(node)
        return found

    @cached_property
    def _by_name(self):
        return {node.name: node for node in reversed(self.nodes)}

    def find(self, debug_handle):
        """The nodes with this debug handle, in graph order; several are normal, [] for none."""
        return list(self._by_handle.get(debug_handle, ()))

    def node(self, name):
        """The node of this name. Raises KeyError."""
        return self._by_name[name]

    @cached_property
    def graph(self):
        """The nodes as torch.fx lists them, placeholders and output included, without torch."""
        from etscope._fx_view import graph_of

        return graph_of(self)

    @cached_property
    def graph_module(self):
        """An object with `graph` and `code`, where scripts for torch.export look for them."""
        from etscope._fx_view import FxGraphModule

        return FxGraphModule(self.graph, self.code)

    @cached_property
    def graph_signature(self):
        """What inputs and outputs are: user_inputs, inputs_to_parameters, buffers_to_mutate..."""
        from etscope._fx_view import signature_of

        return signature_of(self)

    @cached_property
    def range_constraints(self):
        """{symbol of a dynamic size: (least, largest)}; None if there is no bound."""
        stored = self._owner.json(self.name) or {}
        ranges = stored.get("range_constraints") if isinstance(stored, dict) else None
        if not isinstance(ranges, dict):
            return {}
        return {name: (limits.get("min_val"), limits.get("max_val"))
                for name, limits in ranges.items() if isinstance(limits, dict)}  # fmt: skip

    def to_torch(self):
        """torch's ExportedProgram of this program, by executorch's reader.

        That reader unpickles weights with torch, which the rest of this package never does: call it
        for records that you trust (SECURITY.md). Raises Error: UNAVAILABLE if torch or
        executorch is not installed, or the weights were left out.
        """
        from etscope.etrecord._programs import loaded

        return loaded(self._owner, self.name)

    @cached_property
    def code(self):
        """The graph as text that reads like Python: one line a call, with handle and source.

        Bodies of branches and loops follow as functions of their own.
        """
        bodies = [graph._function(graph.name) for graph in self.subgraphs]
        return "\n".join([self._function("forward"), *bodies])

    def _function(self, title):
        parameters = ", ".join(self._typed(name) for name, _ in self.inputs)
        lines = [f"def {title}({parameters}):"]
        for node in self.nodes:
            arguments = ", ".join(
                f"{label}={value}" if label and i >= 2 else value
                for i, (label, value) in enumerate(node.inputs)
            )
            left = ", ".join(self._typed(name) for name in node.outputs) or "_"
            notes = []
            if node.debug_handle is not None:
                notes.append(f"handle {node.debug_handle}")
            if node.source is not None:
                notes.append(f"{node.source[0]}:{node.source[1]}")
            note = f"  # {', '.join(notes)}" if notes else ""
            lines.append(f"    {left} = {node.op}({arguments}){note}")
        lines.append(f"    return ({', '.join(name for name, _ in self.outputs)},)")
        return "\n".join(map(printable, lines)) + "\n"

    def _typed(self, name):
        value = self.values.get(name)
        kind = str(value) if value is not None else ""
        return f"{name}: {kind}" if kind else name

    def __str__(self):
        return self.code

    def __repr__(self):
        return printable(f"<Graph {self.name}: {self._pointer.node_count} nodes>")


def modules_of(node):
    """{key: (path, type)} of a struct ets_graph_node, outermost first."""
    found = {}
    for i in range(node.module_count):
        module = node.modules[i]
        found[text(module.key)] = (text(module.path), text(module.type))
    return found


def _names(argument):
    """The names of the values in an argument: of a tensor, of a list of them."""
    if argument.kind in (lib.ETS_ARGUMENT_TENSOR, lib.ETS_ARGUMENT_SYMBOL):
        return [text(argument.name)]
    if argument.kind == lib.ETS_ARGUMENT_LIST:
        return [name for i in range(argument.item_count) for name in _names(argument.items[i])]
    return []


def _written(argument):
    """An argument as Python would write it."""
    kind = argument.kind
    if kind == lib.ETS_ARGUMENT_NONE:
        return "None"
    if kind == lib.ETS_ARGUMENT_INT:
        return str(argument.int_value)
    if kind == lib.ETS_ARGUMENT_BOOL:
        return str(bool(argument.int_value))
    if kind == lib.ETS_ARGUMENT_FLOAT:
        return repr(argument.float_value)
    if kind == lib.ETS_ARGUMENT_STRING:
        return repr(text(argument.name))
    if kind == lib.ETS_ARGUMENT_SCALAR_TYPE:
        return text(lib.ets_scalar_type_name(argument.int_value)) or "None"
    if kind == lib.ETS_ARGUMENT_MEMORY_FORMAT:
        return _MEMORY_FORMATS.get(argument.int_value, "None")
    if kind == lib.ETS_ARGUMENT_LAYOUT:
        return f"layout {argument.int_value}"
    if kind == lib.ETS_ARGUMENT_DEVICE:
        return repr(text(argument.name))
    if kind == lib.ETS_ARGUMENT_LIST:
        return f"[{', '.join(_written(argument.items[i]) for i in range(argument.item_count))}]"
    return text(argument.name) or "None"


__all__ = ["Graph", "Node", "Value"]

"""A program's graph as groups of operators. Mirrors `executorch.devtools.debug_format.et_schema`.

    from etscope.debug_format.et_schema import FXOperatorGraph

    graph = FXOperatorGraph.gen_operator_graph(record.edge_dialect_program.graph_module)
    inputs, calls, outputs = graph.elements

Graph modules are those of an ETRecord's programs, and torch's, which need no import of torch here.
"""

from __future__ import annotations

import warnings
from enum import Enum

from etscope.debug_format.base_schema import Node, OperatorGraph, OperatorNode, ValueNode


class RESERVED_METADATA_ARG(Enum):
    """Keys of metadata, and titles of tables, that viewers know."""

    DEBUG_HANDLE = "debug_handle"
    MODULE_STACK = "nn_module_stack"
    SOURCE_FN_STACK = "source_fn_stack"
    MODULE_TYPE = "module_type"
    PROFILE_START_TIME = "profile_start_time"
    PROFILE_END_TIME = "profile_end_time"
    LOAD_START_TIME = "load_start_time"
    LOAD_END_TIME = "load_end_time"
    MEMORY_USAGE = "memory_usage"
    DEBUG_ENTRY = "debug_entry"
    STACK_TRACE = "stack_trace"
    DEBUG_DATA = "debug_data"
    METRICS_KEYWORD = "metrics"
    PROFILE_SUMMARY_COLDSTART = "Coldstart"
    PROFILE_SUMMARY_AVERAGE = "Average"
    PROFILE_SUMMARY_P90 = "P90"
    PROFILE_SUMMARY_P10 = "P10"
    PROFILE_SUMMARY_MIN = "Min"
    PROFILE_SUMMARY_MAX = "Max"
    AGGREGATED_OP_TABLE = "Aggregated op stats"
    RUN_SUMMARY_INDIVIDUAL_RUNS_TABLE = "Run summary individual stats"
    RUN_SUMMARY_TABLE = "Aggregated run summary stats"
    OP_INSTANCE_SUMMARY_TABLE = "Individual op stats"
    TABLES_KEYWORD = "tables"
    KV_KEYWORD = "kv"
    MODEL_LOAD_TIME_KEY = "Model load time (ms)"


class FXOperatorGraph(OperatorGraph):
    """The groups "inputs", "forward" and "outputs" of a graph, in this order, in `elements`."""

    @staticmethod
    def gen_operator_graph(model, skip_stack_trace=False, enable_module_hierarchy=False):
        """The FXOperatorGraph of a graph module.

        skip_stack_trace: leaves stack traces out of the nodes' metadata.
        enable_module_hierarchy: groups calls by the modules that made them, where nodes have a
            source_fn_stack, which torch's graphs have and ETRecords do not.
        Calls of modules and methods, which exported graphs do not have, are a ValueError.
        """
        build = _Build(not skip_stack_trace, enable_module_hierarchy)
        for node in model.graph.nodes:
            build.add(node)
        return build.graph()


def _target_name(node):
    target = node.target
    return str(target) if isinstance(target, str) else getattr(target, "__name__", str(target))


def _is(node, *names):
    """Whether a node calls one of these helper functions, which are no operators."""
    return node.op == "call_function" and _target_name(node).rpartition(".")[2] in names


def _node_name(node):
    """Names end in "_": viewers fold those that differ in a number at their end only."""
    if _is(node, "getitem") and hasattr(node.args[0], "name"):
        node = node.args[0]
    return node.name + "_"


class _Build:
    """The nodes of a graph that is read from its first node to its last."""

    def __init__(self, with_traces, with_modules):
        self._keys = ["debug_handle", *["stack_trace"] * with_traces, "nn_module_stack"]
        self._with_modules = with_modules
        self._nodes, self._inputs, self._outputs = {}, {}, {}
        self._same_as = set()  # names of memory that a call writes its output to
        self._modules = {}
        self._constants = 0
        self._is_record, self._by_text = False, {}

    def add(self, node):
        """Adds one node of the graph; `getitem` and reserved memory are part of others."""
        if _is(node, "getitem", "alloc"):
            return
        name, outputs = _node_name(node), getattr(node, "outputs", None)
        self._is_record = outputs is not None  # arguments are texts there
        shapes, dtypes = _described(node.meta.get("val") if outputs is None else outputs)
        metadata = {key: node.meta[key] for key in self._keys if key in node.meta}
        if node.op in ("placeholder", "get_attr"):
            made = ValueNode(name, None, shapes, metadata, dtype=dtypes)
            if node.op == "placeholder":
                self._inputs[name] = made
        elif node.op == "output":
            made = ValueNode(name, self._results(node), shapes, metadata, dtype=dtypes)
            self._outputs[name] = made
        elif node.op == "call_function":
            made = self._call(node, name, shapes, metadata)
        else:
            raise ValueError(f"{name}: {node.op} is in no exported graph")
        self._nodes[name] = made
        if self._is_record:
            self._by_text.update({value.name: made for value in outputs} or {node.name: made})

    def _results(self, node):
        """The nodes that the graph returns: fx has them in a list, a record one by one."""
        results = node.args[0] if node.args and isinstance(node.args[0], (list, tuple)) else node.args
        return [each for result in results for each in (self._input(node, result, "CONST") or [[]])]

    def _call(self, node, name, shapes, metadata):
        schema = getattr(node.target, "_schema", None)
        named = [argument.name for argument in schema.arguments] if schema is not None else []
        named = named or list(getattr(node, "labels", ()))
        inputs = []
        for i, argument in enumerate(self._arguments(node)):
            inputs += self._input(node, argument, (named[i:] or [""])[0] or "CONST")
        made = OperatorNode(name, inputs, shapes, metadata, named, op=_target_name(node))
        self._group(node, made)
        for key, argument in node.kwargs.items():
            self._keyword(made, key, argument)
        return made

    def _arguments(self, node):
        """Those by position; of functionalized calls by name."""
        if _target_name(node).startswith("auto_functionalized"):
            return tuple(node.kwargs.values())
        return node.args

    def _keyword(self, made, key, argument):
        """Memory that a call writes to has the name of the call; others have no place here."""
        if hasattr(argument, "name") and _is(argument, "alloc"):
            if key == "out":
                self._nodes[_node_name(argument)] = made
                self._same_as.add(_node_name(argument))
        elif not (key.startswith("out") and isinstance(argument, str)):
            warnings.warn(f"{made.name}: the argument {key} by name is left out", stacklevel=5)

    def _input(self, node, argument, label):
        """The nodes of one argument; numbers and texts become nodes of their own."""
        if argument is None or (hasattr(argument, "op") and _is(argument, "alloc")):
            return []
        if hasattr(argument, "op"):
            return [self._found(argument)]
        if self._is_record and isinstance(argument, str):
            return self._written(node, argument, label)
        if isinstance(argument, (list, tuple)):
            return self._list(node, list(argument), label)
        return [self._constant(node, label, str(argument))]

    def _list(self, node, items, label):
        found = []
        for item in items:
            if isinstance(item, (int, float)):
                return [self._constant(node, label, items)]  # numbers are one constant
            found += self._input(node, item, label) if item is not None else [
                self._constant(node, "CONST_NONE", str(items))
            ]  # fmt: skip
        return found

    def _constant(self, node, label, value):
        made = ValueNode(f"{label}_{self._constants}", val=value)
        self._constants += 1
        self._nodes[made.name] = made
        self._group(node, made)
        return made

    def _written(self, node, argument, label):
        """As _input, of an argument's text in an ETRecord."""
        if argument == "None":
            return []
        items = argument[1:-1].split(", ") if argument.startswith("[") else [argument]
        if not any(item in self._by_text for item in items):
            return [self._constant(node, label, argument)]
        return [self._by_text.get(item) or self._constant(node, "CONST_NONE", argument)
                for item in items]  # fmt: skip

    def _found(self, argument):
        name = _node_name(argument)
        if name not in self._nodes:
            raise ValueError(f"{name} is used before it is made")
        return self._nodes[name]

    def _group(self, node, made: Node):
        stack = node.meta.get("source_fn_stack")
        if self._with_modules and stack is not None and "nn_module_stack" in node.meta:
            name, kind = stack[-1][:2]
            kind = kind if isinstance(kind, str) else kind.__name__
            self._modules.setdefault((name, kind), []).append(made)

    def graph(self):
        """All of it in groups."""
        groups = [OperatorGraph(name, nodes, {"module_type": kind})
                  for (name, kind), nodes in self._modules.items()]  # fmt: skip
        grouped = {id(node) for nodes in self._modules.values() for node in nodes}
        ends = {*map(id, self._inputs.values()), *map(id, self._outputs.values())}
        calls = [node for name, node in self._nodes.items()
                 if node is not None and name == node.name and id(node) not in grouped | ends
                 and name not in self._same_as]  # fmt: skip
        return FXOperatorGraph("base", [
            FXOperatorGraph("inputs", list(self._inputs.values())),
            FXOperatorGraph("forward", calls + groups),
            FXOperatorGraph("outputs", list(self._outputs.values())),
        ])  # fmt: skip


def _described(value):
    """The shapes and dtypes of what a node makes; (None, "") if torch did not keep them."""
    values = value if isinstance(value, (list, tuple)) else [value]
    if not values or not all(getattr(each, "dtype", None) is not None
                             and getattr(each, "shape", None) is not None for each in values):
        return None, ""
    dtypes = [each.dtype if not isinstance(each.dtype, str) else f"torch.{each.dtype}"
              for each in values]  # fmt: skip
    return [list(each.shape) for each in values], f"[{', '.join(map(str, dtypes))}]"

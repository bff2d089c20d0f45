"""A record's graph by the attributes that scripts for torch.export know, without torch.

    program = inspector.get_exported_program()
    for node in program.graph_module.graph.nodes:
        print(node.op, node.name, node.target, node.meta.get("debug_handle"))

Values are names and texts: what torch's objects would compute with is in Graph.to_torch(). The
target of a call equals the operator that it names, torch's and the edge dialect's:

    [node for node in program.graph.nodes if node.target == torch.ops.aten.add.Tensor]
"""

import dataclasses
import json
import re
from typing import Any, Dict, List, Optional, Tuple

from etscope._library import lib
from etscope._operators import Target

# Where kernels of out variants write to, which torch takes by name alone.
_OUT = re.compile(r"out\d*")


@dataclasses.dataclass
class NodeSource:
    """What a node was made from: the node of an earlier graph, and the pass that did it."""

    name: str
    target: str
    graph_id: int
    pass_name: str
    action: str
    from_node: List["NodeSource"]

    @classmethod
    def listed(cls, stored):
        """Of what a record keeps of a node, its JSON. None if that is nothing of the kind."""
        try:
            stored = json.loads(stored) if isinstance(stored, str) else stored
            return [cls(**{**source, "from_node": cls.listed(source["from_node"])})
                    for source in stored]  # fmt: skip
        except (ValueError, TypeError, KeyError, RecursionError):
            return None

    def to_dict(self):
        """All of it as dicts and lists."""
        return dataclasses.asdict(self)


@dataclasses.dataclass
class FxNode:
    """One node. op: "placeholder", "call_function" or "output".

    target   the full name of what is called, a Target: it equals torch's operator, and
             target.resolve() is that operator; of a placeholder its own name, as text
    args     the arguments' texts, as in Graph.code
    kwargs   {"out": text} of a program that was lowered; records do not tell which of the others
             were given by name, so that these are in args
    meta     debug_handle, stack_trace, nn_module_stack, from_node, as far as the record has them
    outputs  the values that it makes (etscope.graph.Value); torch has a getitem node for each of several
    labels   the names of `args` in the operator's schema
    """

    name: str
    op: str
    target: str
    args: Tuple[str, ...] = ()
    kwargs: Dict[str, str] = dataclasses.field(default_factory=dict)
    meta: Dict[str, Any] = dataclasses.field(default_factory=dict)
    type: Optional[type] = None
    outputs: Tuple[Any, ...] = dataclasses.field(default=(), repr=False)
    labels: Tuple[str, ...] = dataclasses.field(default=(), repr=False)

    def __str__(self):
        return self.name


@dataclasses.dataclass
class FxGraph:
    """nodes: placeholders, calls and the output, in their order."""

    nodes: List[FxNode]


@dataclasses.dataclass
class FxGraphModule:
    """graph, and code: its text."""

    graph: FxGraph
    code: str


@dataclasses.dataclass
class GraphSignature:
    """What inputs and outputs of a graph are; names as ExportGraphSignature has them."""

    user_inputs: List[str]
    user_outputs: List[str]
    inputs_to_parameters: Dict[str, str]
    inputs_to_buffers: Dict[str, str]
    inputs_to_lifted_tensor_constants: Dict[str, str]
    buffers_to_mutate: Dict[str, str]

    @property
    def parameters(self):
        """The parameters' names in the model."""
        return list(self.inputs_to_parameters.values())

    @property
    def buffers(self):
        """The buffers' names in the model."""
        return list(self.inputs_to_buffers.values())

    @property
    def lifted_tensor_constants(self):
        """The constants' names in the model."""
        return list(self.inputs_to_lifted_tensor_constants.values())


def graph_of(graph):
    """The FxGraph of an etscope.graph.Graph."""
    values = graph.values
    nodes = [FxNode(name, "placeholder", name, outputs=_known(values, [name]))
             for name, _ in graph.inputs]  # fmt: skip
    metadata = _metadata(graph)
    for node in graph.nodes:
        stored = metadata.get(node.name, {})
        handle = node.debug_handle
        if handle is None and "debug_handle" in stored:
            handle = 0  # torch's way to say that there is none
        meta = {"debug_handle": handle, "stack_trace": node.stack_trace,
                "nn_module_stack": node.nn_module_stack or None,
                "from_node": NodeSource.listed(stored.get("from_node"))}  # fmt: skip
        meta = {key: value for key, value in meta.items() if value is not None}
        named = {label: value for label, value in node.inputs if _OUT.fullmatch(label)}
        given = [(label, value) for label, value in node.inputs if label not in named]
        nodes.append(FxNode(
            node.name, "call_function", Target(node.target), tuple(value for _, value in given),
            named, meta, outputs=_known(values, node.outputs),
            labels=tuple(label for label, _ in given),
        ))  # fmt: skip
    outputs = tuple(name for name, _ in graph.outputs)
    return FxGraph([*nodes, FxNode("output", "output", "output", outputs)])


def _known(values, names):
    return tuple(values[name] for name in names if name in values)


def _metadata(graph):
    """{node's name: what the record's JSON keeps of it}; of a subgraph nothing."""
    try:
        nodes = graph._owner.json(graph.name)["graph_module"]["graph"]["nodes"]
        return {node["name"]: node["metadata"] for node in nodes
                if isinstance(node["metadata"], dict)}  # fmt: skip
    except (AttributeError, KeyError, TypeError):
        return {}


def signature_of(graph):
    """The GraphSignature of an etscope.graph.Graph."""
    found = {role: {} for role in ("PARAMETER", "BUFFER", "CONSTANT")}
    roles = {getattr(lib, "ETS_INPUT_" + role): role for role in found}
    user_inputs, user_outputs, mutated = [], [], {}
    for i, (name, source) in enumerate(graph.inputs):
        role = roles.get(graph._pointer.inputs[i].role)
        if role is not None:
            found[role][name] = source
        elif graph._pointer.inputs[i].role == lib.ETS_INPUT_USER:
            user_inputs.append(name)
    for i, (name, target) in enumerate(graph.outputs):
        role = graph._pointer.outputs[i].role
        if role == lib.ETS_OUTPUT_BUFFER_MUTATION:
            mutated[name] = target
        elif role == lib.ETS_OUTPUT_USER:
            user_outputs.append(name)
    return GraphSignature(user_inputs, user_outputs, found["PARAMETER"], found["BUFFER"],
                          found["CONSTANT"], mutated)  # fmt: skip

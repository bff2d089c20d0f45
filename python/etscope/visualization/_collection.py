"""Graphs of torch.fx as a graph collection, the file that Model Explorer reads.

Nodes keep their names. A namespace is the path of a node's module, by "/". The format: the classes
Graph and GraphNode of Model Explorer's graph_builder.py.
"""

import os
import re

from etscope._errors import Error
from etscope._library import NULL, call, ffi, lib
from etscope._opened import opened_program

_MOST_MODULES = 32  # ETS_GRAPH_MOST_MODULES: the last group is the rest of a longer path
_NAME = re.compile(r"\w+")
_EDGE = re.compile(r"<EdgeOpOverload: ([\w.]+)>")
_NAMESPACE = re.compile(r"^(torch\.ops|executorch\.exir\.dialects\.edge\._?ops)\.")


def collection_of(graphs, label="Executorch"):
    """{"label", "graphs"} of {name: graph}; the graph of a collection that is made by graph_of."""
    found = [{"id": name, "nodes": nodes} for name, nodes in graphs.items()]
    return {"label": label, "graphs": found}


def nodes_of(graph, namespace=None):
    """A list of the nodes of a torch.fx graph, or of etscope's of a record.

    namespace   of a node, such as "partition 0/cluster (a)"; default: that of its module
    """
    nodes = list(graph.nodes)
    names = {node.name for node in nodes}
    of_node = namespace or _module_of
    return [_node_of(node, names, of_node(node)) for node in nodes]


def write_program_graph(program, path):
    """Writes the collection of a .pte or .bpte: `etscope export --to model-explorer`."""
    source, pointer = opened_program(program)
    title = ffi.new("char[]", os.path.basename(os.fsencode(source.path)))
    told = ffi.new("struct ets_graph_source *", {"title": title, "program": pointer})
    output = ffi.new("struct ets_output **")
    call(lib.ets_output_open, os.fsencode(path), output, file=os.fspath(path))
    try:
        call(lib.ets_graph_write, output[0], lib.ETS_GRAPH_MODEL_EXPLORER, told, NULL,
             ffi.new("enum ets_graph_file *"), file=source.path)  # fmt: skip
    except Error:
        lib.ets_output_discard(output[0])
        raise
    call(lib.ets_output_commit, output[0], file=os.fspath(path))


def _node_of(node, names, namespace):
    edges = [{"sourceNodeId": name, "sourceNodeOutputId": "0", "targetNodeInputId": str(i)}
             for i, name in enumerate(_inputs_of(node, names))]  # fmt: skip
    shape = _shape_of(node)
    outputs = [{"id": "0", "attrs": [{"key": "tensor_shape", "value": shape}]}] if shape else []
    label = node.name if node.op in ("placeholder", "output") else _target_of(node)
    return {"id": node.name, "label": label, "namespace": namespace, "attrs": _attributes(node),
            "incomingEdges": edges, "outputsMetadata": outputs}  # fmt: skip


def _target_of(node):
    """ "aten.add.Tensor" """
    said = str(node.target)
    edge = _EDGE.match(said)
    return edge.group(1) if edge else _NAMESPACE.sub("", said)


def _inputs_of(node, names):
    """Names of the nodes that it reads, in the order of its arguments."""
    if hasattr(node, "all_input_nodes"):
        return [source.name for source in node.all_input_nodes]
    texts = [*node.args, *node.kwargs.values()]  # as a record's graph has them
    found = [name for text in texts for name in _NAME.findall(str(text)) if name in names]
    return list(dict.fromkeys(found))


def _module_of(node):
    if node.op in ("placeholder", "output"):
        return "Inputs" if node.op == "placeholder" else "Outputs"
    stack = node.meta.get("nn_module_stack") or {}
    path = next(reversed(list(stack.values())), ("", ""))[0] if stack else ""
    parts = re.sub(r"^L\['self'\]\.?", "", str(path)).split(".")
    last = _MOST_MODULES - 1
    return "/".join(parts if len(parts) <= last else [*parts[:last], ".".join(parts[last:])])


def _shape_of(node):
    """ "float32[1,16]"; of several tensors each; "" for what is none."""
    value = node.meta.get("val")
    values = value if isinstance(value, (list, tuple)) else [value]
    return ", ".join(
        f"{str(each.dtype).replace('torch.', '')}[{','.join(map(str, each.shape))}]"
        for each in values
        if hasattr(each, "shape") and hasattr(each, "dtype")
    )


def _attributes(node):
    told = {"target": None if node.op in ("placeholder", "output") else _target_of(node)}
    for key in ("debug_handle", "delegation_tag"):
        told[key.replace("_", " ")] = node.meta.get(key) or None
    trace = str(node.meta.get("stack_trace") or "").strip().splitlines()
    files = [line.strip() for line in trace if line.strip().startswith("File ")]
    told["source"] = files[-1] if files else None
    return [{"key": key, "value": str(value)} for key, value in told.items() if value is not None]

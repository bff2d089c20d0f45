"""What a model's tensors and delegate payloads take. Mirrors upstream's module of this name.

    python -m etscope.size_analysis_tool.size_analysis_tool --etrecord_path model.etrecord

writes a list with the answer for each graph that was added to the ETRecord (where none was, for the
edge dialect's) to model_size_information.json.
`etscope size` and etscope.program.size account for every byte of a program's file instead.
"""

import argparse
import base64
import binascii
import json
import math
import sys

from etscope._errors import Error
from etscope.etrecord import parse_etrecord
from etscope.graph import Graph

_CALL = "executorch_call_delegate"


def generate_model_size_information(model, delegate_deserializers=None, flatbuffer=None):
    """What a program's parameters, buffers and delegate payloads take: a dict that json can write.

    model: a program of an ETRecord (etscope.graph.Graph), or torch's ExportedProgram.
    delegate_deserializers: {backend: function of a payload's bytes that returns a dict}, whose
        entries are added to that payload's.
    flatbuffer: bytes of the program's file; then "overview" has its size, too, and what in it is
        neither tensors nor payloads.

    Keys: "tensor_data" and "delegate_blob_data", the largest first, and "overview", their sums.
    Raises Error (UNAVAILABLE) for ETRecords without weights that say how large their payloads are.
    """
    read = _of_record if isinstance(model, Graph) else _of_torch
    tensors, payloads = read(model)
    tensors.sort(key=lambda row: row["num_bytes"], reverse=True)
    blobs = [_payload_row(*payload, delegate_deserializers or {}) for payload in payloads]
    blobs.sort(key=lambda row: row["num_bytes"], reverse=True)
    overview = {
        "total_tensor_data_size": sum(row["num_bytes"] for row in tensors),
        "total_delegate_blob_data_size": sum(row["num_bytes"] for row in blobs),
    }
    if flatbuffer is not None:
        overview["serialization_metadata_size"] = len(flatbuffer) - sum(overview.values())
        overview["model_size"] = len(flatbuffer)
    return {"tensor_data": tensors, "delegate_blob_data": blobs, "overview": overview}


def _payload_row(name, backend, payload, deserializers):
    row = {"name": name, "backend_id": backend, "num_bytes": len(payload)}
    if backend in deserializers:
        row.update(deserializers[backend](payload))
    return row


def _tensor_row(name, dtype, element_size, shape, module_stack):
    count = math.prod(shape)
    return {"name": name, "numel": count, "dtype": dtype, "element_size": element_size,
            "shape": list(shape), "num_bytes": count * element_size,
            "nn_module_stack": module_stack}  # fmt: skip


def _of_record(graph):
    """Parameters and buffers that a record's graph takes, and the payloads of its calls."""
    signature = graph.graph_signature
    tensors = []
    for name in (*signature.inputs_to_parameters, *signature.inputs_to_buffers):
        value = graph.values.get(name)
        if value is None or value.dtype is None or not all(
            isinstance(size, int) for size in value.shape
        ):  # fmt: skip
            continue  # no tensor, or one whose size the graph does not know
        tensors.append(_tensor_row(name, value.dtype, value.numpy_dtype.itemsize, value.shape, None))
    graphs = [graph, *graph.subgraphs]
    calls = [node for part in graphs for node in part.nodes if node.op == _CALL]
    return tensors, [_lowered_payload(node) for node in calls]


def _lowered_payload(node):
    """(name, backend, payload) of a delegate call, whose first argument is the lowered module."""
    from etscope._library import lib, text

    pointer = node._pointer
    stored = [text(pointer.inputs[i].name) for i in range(pointer.input_count)
              if pointer.inputs[i].kind == lib.ETS_ARGUMENT_STRING]  # fmt: skip
    try:
        module = json.loads(stored[0])
        payload = base64.b64decode(module["processed_bytes"], validate=True)
        backend = str(module["backend_id"])
    except (IndexError, KeyError, TypeError, ValueError, RecursionError, binascii.Error) as reason:
        raise Error(f"{node.name}: its lowered module cannot be read", status="MALFORMED") from reason
    if not payload and module.get("original_state_dict") == "":
        raise Error("this ETRecord was saved without weights and payloads", status="UNAVAILABLE")
    return node.name, backend, payload


def _of_torch(program):
    """As _of_record, of torch's ExportedProgram, without importing torch."""
    tensors, payloads = [], []
    signature = program.graph_signature
    names = {**getattr(signature, "inputs_to_buffers", {}),
             **getattr(signature, "inputs_to_parameters", {})}  # fmt: skip
    for node in program.graph_module.graph.nodes:
        if node.op == "placeholder" and node.name in names:
            _add_tensor(tensors, node, program.state_dict.get(names[node.name]))
    _add_attributes(program.graph_module, tensors, payloads)
    return tensors, payloads


def _add_attributes(module, tensors, payloads):
    """What `get_attr` nodes name: tensors, bodies of branches and loops, lowered modules."""
    for node in module.graph.nodes:
        if node.op != "get_attr":
            continue
        found = getattr(module, node.target)
        if hasattr(found, "processed_bytes"):
            payloads.append((node.name, found.backend_id, bytes(found.processed_bytes)))
        elif hasattr(found, "graph"):
            _add_attributes(found, tensors, payloads)
        else:
            _add_tensor(tensors, node, found)


def _add_tensor(tensors, node, tensor):
    if not hasattr(tensor, "element_size"):
        return  # a buffer that is not kept, or no tensor
    stack = node.meta.get("nn_module_stack")
    tensors.append(_tensor_row(node.name, str(tensor.dtype).replace("torch.", ""),
                               tensor.element_size(), tuple(tensor.shape),
                               None if stack is None else str(stack)))  # fmt: skip


def _models(record):
    """The graphs that were added to a record; where none was, the edge dialect's."""
    added = list((record.graph_map or {}).values())
    edge = record.edge_dialect_program
    return added or list(edge.values() if isinstance(edge, dict) else [edge] if edge else [])


def main(arguments=None):
    """The command. Returns the process's exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m etscope.size_analysis_tool.size_analysis_tool",
        description="Write what the tensors and payloads of an ETRecord's graphs take",
    )
    parser.add_argument("--etrecord_path", required=True, help="the ETRecord")
    parser.add_argument("--output_path", default="model_size_information.json",
                        help="the JSON file to write (%(default)s)")  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        found = [generate_model_size_information(model)
                 for model in _models(parse_etrecord(options.etrecord_path))]  # fmt: skip
        with open(options.output_path, "w", encoding="utf-8") as file:
            json.dump(found, file)
    except (Error, OSError) as error:
        print(f"etscope: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

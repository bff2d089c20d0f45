"""Removes weights from a program's entries; keeps graphs, maps and test cases."""

import json

_CALL = "torch.ops.higher_order.executorch_call_delegate"


def without_blobs(text):
    """A program's JSON without its delegates' payloads (recorded after lowering, it has some)."""
    if _CALL.encode() not in bytes(text):
        return text
    program = json.loads(bytes(text))
    _strip(program["graph_module"]["graph"])
    return json.dumps(program).encode()


def _strip(graph):
    for node in graph["nodes"]:
        for given in node["inputs"]:
            argument = given["arg"]
            if "as_graph" in argument:
                _strip(argument["as_graph"]["graph"])
        if node["target"] == _CALL and "as_string" in node["inputs"][0]["arg"]:
            argument = node["inputs"][0]["arg"]
            argument["as_string"] = _stripped(argument["as_string"])


def _stripped(text):
    """A lowered module's JSON without its payload and tensors; what it was made from stays."""
    module = json.loads(text)
    module.update(processed_bytes="", original_state_dict="", original_constants="",
                  named_data_store=None)  # fmt: skip
    return json.dumps(module)

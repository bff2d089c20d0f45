"""Module and source line of a row, from the nodes of the ETRecord's graph that are behind it.

A row of one module has this module, a row of several is given to none of them:

* A delegate call, and an event of which only the call is known, is of the module that holds all of
  its modules: "blocks.3" for blocks.3.a and blocks.3.b, "(model)" for those of the whole model.
* An operator that was fused from a few nodes has what `inspect` prints, "c.0 +1": c.0 and one more.

Lines are "zoo.py:65", or "zoo.py:65 +6" for that one and six more.
"""

import os

from etscope._library import NULL, ffi, lib, text

MODEL = "(model)"  # of several modules without a common one

# Types of "modules" that are no class of the model: a node with only such a one was put in by a pass
# over the graph, as quantization does with its conversions.
_WRAPPERS = ("torch.fx.graph_module.GraphModule", "torch.export._trace.")


class Origins:
    """Those of the rows of one inspection; lists of nodes that rows share are read once.

    has_wide_calls  whether any call was of several modules
    """

    def __init__(self):
        self._lists, self.has_wide_calls = {}, False

    def of_row(self, row, is_call):
        """(module, line) of a struct ets_row; "" where it is not known. `is_call`: of a whole delegate call."""
        key = (int(ffi.cast("uintptr_t", row.nodes)), row.node_count)
        if key not in self._lists:
            self._lists[key] = _places([row.nodes[i].node for i in range(row.node_count)])
        modules, lines = self._lists[key]
        if not is_call or len(modules) < 2:
            return _first(modules), _first(lines)
        self.has_wide_calls = True
        return _holder(modules), _first(lines)


def _places(nodes):
    """(modules, lines) of nodes, each once and in their order. That of a pass's node counts if no other has one."""
    modules, of_passes, lines = {}, {}, {}
    for node in nodes:
        path = text(lib.ets_graph_module_path(node))
        if path is not None:
            (of_passes if _is_of_a_pass(node) else modules)[path] = None
        frame = lib.ets_graph_user_frame(node)
        if frame != NULL:
            lines[f"{text(frame.file)}:{frame.line}"] = None
    return list(modules or of_passes), list(lines)


def _is_of_a_pass(node):
    return node.module_count == 1 and (text(node.modules[0].type) or "").startswith(_WRAPPERS)


def _first(names):
    if len(names) < 2:
        return names[0] if names else ""
    return f"{names[0] or MODEL} +{len(names) - 1}"


def _holder(modules):
    """The path that all begin with."""
    return ".".join(os.path.commonprefix([path.split(".") for path in modules])) or MODEL

"""Taps of graphs. A drop-in for `executorch.devtools.intermediate_output_tap`.

    from etscope.intermediate_output_tap import STATS, select_by_op_type, tap_compare

    frame, specs = tap_compare(model, inputs, [XnnpackPartitioner()],
                               rules=(select_by_op_type("aten.linear.default"), STATS))

Selectors, reducers and the comparison need neither PyTorch nor executorch: selectors also take the
nodes of an ETRecord's graph, reducers NumPy arrays. What changes torch's graphs and exports them again
is executorch's own, and an Error where executorch has no taps. A tapped export is another program
than the one that is measured; `etscope run --capture delegates` and `etscope tap` give the values
of the .pte itself.
"""

from etscope.intermediate_output_tap._compare import compare_aot_runtime_dataframe
from etscope.intermediate_output_tap._graphs import (
    find_tap_nodes, is_tap_node, strip_taps_, tap_compare, tap_intermediate_outputs_,
)  # fmt: skip
from etscope.intermediate_output_tap._reducers import (
    FULL_TENSOR, STATS, StatReducer, get_reducer,
)  # fmt: skip
from etscope.intermediate_output_tap._selectors import (
    NodeSelector, select_all, select_all_call_function, select_any, select_by_module_class,
    select_by_module_path, select_by_op_type, select_not,
)  # fmt: skip
from etscope.intermediate_output_tap._spec import TapRule, TapSpec

__all__ = [
    "FULL_TENSOR", "NodeSelector", "STATS", "StatReducer", "TapRule", "TapSpec",
    "compare_aot_runtime_dataframe", "find_tap_nodes", "get_reducer", "is_tap_node", "select_all",
    "select_all_call_function", "select_any", "select_by_module_class", "select_by_module_path",
    "select_by_op_type", "select_not", "strip_taps_", "tap_compare", "tap_intermediate_outputs_",
]  # fmt: skip

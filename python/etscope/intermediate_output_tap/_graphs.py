"""What changes graphs of torch, which executorch does: with the selectors and reducers given here."""

import importlib
from typing import Any, List, Optional, Tuple

from etscope._errors import Error
from etscope.intermediate_output_tap._reducers import StatReducer
from etscope.intermediate_output_tap._spec import TapRules, TapSpec


def upstream():
    """executorch's module. Raises Error where it is not there."""
    try:
        return importlib.import_module("executorch.devtools.intermediate_output_tap")
    except ImportError as reason:
        raise Error(
            "taps of torch's graphs need torch and an executorch that has them (1.5): "
            f"{reason}; `etscope tap MODEL.pte` taps the program without either",
            status="UNAVAILABLE",
        ) from reason


def tap_intermediate_outputs_(
    ep: Any, rules: TapRules = None, *, max_taps: Optional[int] = None, error_on_empty: bool = True
) -> Tuple[Any, List[TapSpec]]:
    """Makes the nodes that the rules select further outputs of torch's ExportedProgram, in place.

    Returns the program and the specs of its taps. Lower it, call strip_taps_, then to_executorch.
    """
    theirs = upstream()
    rules = _rules_for(theirs, rules)
    program, specs = theirs.tap_intermediate_outputs_(
        ep, rules, max_taps=max_taps, error_on_empty=error_on_empty
    )
    return program, _specs_of(specs)


def strip_taps_(edge_manager: Any) -> None:
    """Replaces the taps of a lowered EdgeProgramManager by their reducers, in place."""
    upstream().strip_taps_(edge_manager)


def tap_compare(
    model: Any, example_inputs: Tuple[Any, ...], partitioner: Optional[list] = None, *,
    rules: TapRules = None, error_on_empty: bool = True,
):  # fmt: skip
    """Exports the model with taps, runs model and program, and compares: (DataFrame, specs).

    The program that runs is made for this: it has the taps' operators and outputs.
    """
    theirs = upstream()
    rules = _rules_for(theirs, rules)
    frame, specs = theirs.tap_compare(
        model, example_inputs, partitioner, rules=rules, error_on_empty=error_on_empty
    )
    return frame, _specs_of(specs)


def is_tap_node(n: Any) -> bool:
    """Whether a node of an exported graph is a tap."""
    return n.op == "call_function" and _is_tap(n.target)


def find_tap_nodes(gm: Any) -> List[Any]:
    """The taps of a graph, of the exported or the lowered program, in their order."""
    return [node for node in gm.graph.nodes if is_tap_node(node)]


def _is_tap(target):
    return "executorch_devtools.tap.Tensor" in str(target)


def _rules_for(theirs, rules):
    """With executorch's reducers: it takes no other class."""
    if rules is None:
        return None
    if isinstance(rules, tuple) and len(rules) == 2 and callable(rules[0]):
        rules = [rules]
    return [(selector, _reducer_for(theirs, reducer)) for selector, reducer in rules]


def _reducer_for(theirs, reducer):
    if not isinstance(reducer, StatReducer):
        return reducer
    if reducer.name in ("FULL_TENSOR", "STATS"):
        return theirs.get_reducer(reducer.name)
    return theirs.StatReducer(reducer.name, reducer.fields, reducer.emit, reducer.eager)


def _specs_of(specs):
    return [TapSpec(**vars(spec)) for spec in specs]

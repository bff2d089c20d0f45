"""What is known of a tap."""

import dataclasses
from typing import Optional, Sequence, Tuple, Union

from etscope.intermediate_output_tap._reducers import StatReducer
from etscope.intermediate_output_tap._selectors import NodeSelector

# Which nodes are tapped, and what is kept of each.
TapRule = Tuple[NodeSelector, Union[str, StatReducer]]


@dataclasses.dataclass(frozen=True)
class TapSpec:
    """A tapped node of the exported graph, and its place among the flat outputs of the program."""

    node_name: str
    op_target: str
    output_index: int
    reducer_name: str
    fields: Tuple[str, ...]
    stack_trace: Optional[str] = None
    module_path: Optional[str] = None
    module_class: Optional[str] = None


TapRules = Union[Sequence[TapRule], TapRule, None]

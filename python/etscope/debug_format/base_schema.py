"""A graph for viewers: nodes with their inputs, in groups. Mirrors upstream's base_schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union


@dataclass
class Node:
    """inputs: the nodes that it takes; output_shapes: None if they are not known."""

    name: str
    inputs: Optional[List[Node]] = None
    output_shapes: Optional[List[List[int]]] = None
    metadata: Optional[Dict[str, Any]] = None
    named_args: Optional[List[str]] = None


@dataclass
class OperatorGraph:
    """A group: its nodes, and groups in it."""

    graph_name: str
    elements: List[Union[Node, OperatorGraph]]
    metadata: Optional[Dict[str, Any]] = None


@dataclass
class ValueNode(Node):
    """An input, output, weight or constant; val: of a constant what it is."""

    dtype: str = ""
    val: Optional[Any] = None


@dataclass
class OperatorNode(Node):
    """A call; op: the operator's name."""

    op: Optional[str] = None

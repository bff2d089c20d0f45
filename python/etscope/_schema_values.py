"""Plain numbers as the schemas of traces and of bundled programs hold them."""

from dataclasses import dataclass


@dataclass
class Int:
    """A plain int."""

    int_val: int


@dataclass
class Bool:
    """A plain bool."""

    bool_val: bool


@dataclass
class Double:
    """A plain float."""

    double_val: float

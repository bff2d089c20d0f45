"""The base class of comparators, where upstream has it."""

from etscope.inspector.numerical_comparator._base import (
    DebugHandle,
    IntermediateOutputMapping,
    NumericalComparatorBase,
)

__all__ = ["DebugHandle", "IntermediateOutputMapping", "NumericalComparatorBase"]

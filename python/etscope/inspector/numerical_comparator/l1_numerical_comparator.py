"""L1Comparator, where upstream has it."""

from etscope.inspector.numerical_comparator._standard import L1Comparator

__all__ = ["L1Comparator"]

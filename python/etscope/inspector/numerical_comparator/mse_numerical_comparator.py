"""MSEComparator, where upstream has it."""

from etscope.inspector.numerical_comparator._standard import MSEComparator

__all__ = ["MSEComparator"]

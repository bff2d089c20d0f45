"""SNRComparator, where upstream has it."""

from etscope.inspector.numerical_comparator._standard import SNRComparator

__all__ = ["SNRComparator"]

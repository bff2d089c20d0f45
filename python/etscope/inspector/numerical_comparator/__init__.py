"""Distances between intermediate outputs.

Mirrors `executorch.devtools.inspector.numerical_comparator`.

A distance of your own is a class with one method:

    from etscope import numerics
    from etscope.inspector.numerical_comparator import NumericalComparatorBase, mapping_of

    class Cosine(NumericalComparatorBase):
        def element_compare(self, a, b):
            return numerics.compare(a, b).cosine_similarity

    frame = inspector.calculate_numeric_gap(Cosine())
    print(frame[["aot_ops", "gap"]])

Without a trace, of values of your own:

    frame = Cosine().compare(mapping_of({(3,): (expected, found)}), {(3,): ["add"]}, {})
"""

from etscope.inspector.numerical_comparator._base import (
    DebugHandle,
    IntermediateOutputMapping,
    NumericalComparatorBase,
    mapping_of,
)
from etscope.inspector.numerical_comparator._standard import (
    L1Comparator,
    MSEComparator,
    SNRComparator,
    comparator_for,
)

__all__ = [
    "DebugHandle",
    "IntermediateOutputMapping",
    "L1Comparator",
    "MSEComparator",
    "NumericalComparatorBase",
    "SNRComparator",
    "comparator_for",
    "mapping_of",
]

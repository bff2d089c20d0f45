"""The base class of distances between intermediate outputs."""

import abc
import functools
from collections.abc import Sequence
from typing import Any, Dict, Tuple

from etscope._errors import Error

DebugHandle = Tuple[int, ...]
# {(debug handle, reference value): (debug handle, value at run time)}
IntermediateOutputMapping = Dict[Tuple[DebugHandle, Any], Tuple[DebugHandle, Any]]

# The columns of a comparison's table, in their order.
COLUMNS = (
    "aot_debug_handle", "aot_ops", "aot_intermediate_output", "runtime_ops",
    "runtime_debug_handle", "runtime_intermediate_output", "gap",
)  # fmt: skip


class NumericalComparatorBase(abc.ABC):
    """A distance between what a model should compute and what it did.

    Subclasses define `element_compare`, and may define `preprocessing`. `inspector` is the
    Inspector that compares; it is set automatically if missing.
    """

    def __init__(self, inspector=None):
        self._inspector = inspector

    @property
    def inspector(self):
        """The Inspector whose outputs are compared, or None."""
        return self._inspector

    @inspector.setter
    def inspector(self, value):
        self._inspector = value

    def preprocessing(self, mapping):
        """What is compared instead of `mapping`; here: the mapping itself.

        For values that need another layout or scale first. Takes and returns {(debug handle,
        reference value): (debug handle, value at run time)}: handles are tuples of int; values are
        arrays, numbers or tuples of them. Arrays in keys need a hash; mapping_of gives them one.
        """
        return mapping

    @abc.abstractmethod
    def element_compare(self, a, b):
        """The distance, a float, from the reference value `a` to `b`, the value at run time."""

    def compare(self, mapping, aot_debug_handle_to_op_names, runtime_debug_handle_to_op_names):
        """Preprocesses, compares each pair, and returns a data frame with a row for each.

        mapping                           as `preprocessing` takes it; mapping_of makes one
        aot_debug_handle_to_op_names      {debug handle: [names in the reference graph]}
        runtime_debug_handle_to_op_names  {debug handle: [names at run time]}

        Columns: aot_debug_handle, aot_ops, aot_intermediate_output, runtime_ops,
        runtime_debug_handle, runtime_intermediate_output and gap, a list with one distance for each
        tensor. Pairs where a value is None, and references of several tensors, have no row. Raises
        TypeError and ValueError if `preprocessing` gives something else, and ValueError where
        one value is a sequence and the other is not, or of another length.
        """
        import pandas as pd

        mapping = self.preprocessing(mapping)
        _check(mapping)
        rows = []
        for (aot_handle, reference), (runtime_handle, value) in mapping.items():
            if reference is None or value is None:
                continue
            if isinstance(reference, Sequence) and len(reference) > 1:
                continue
            aot_ops = _names(aot_handle, aot_debug_handle_to_op_names)
            runtime_ops = _names(runtime_handle, runtime_debug_handle_to_op_names)
            try:
                gap = self._distances(reference, value)
            except Error as reason:
                places = (", ".join(ops) for ops in (aot_ops, runtime_ops))
                reason.message = f"{' against '.join(places)}: {reason.message}"
                raise
            row = (aot_handle, aot_ops, reference, runtime_ops, runtime_handle, value, gap)
            rows.append(dict(zip(COLUMNS, row)))
        return pd.DataFrame(rows)

    def _distances(self, a, b):
        if not isinstance(a, Sequence) and not isinstance(b, Sequence):
            return [self.element_compare(a, b)]
        if not isinstance(a, Sequence) or not isinstance(b, Sequence):
            raise ValueError("one of the outputs is a sequence of tensors, the other is not")
        if len(a) != len(b):
            raise ValueError(f"an output of {len(a)} tensors and one of {len(b)}")
        return [self.element_compare(x, y) for x, y in zip(a, b)]


def mapping_of(pairs):
    """The mapping that `compare` takes, of {debug handle: (reference value, value at run time)}.

    Arrays become views that can stand in the keys of a dict, lists become tuples.

        import numpy as np
        mapping = mapping_of({(1,): (np.zeros(3), np.ones(3))})

    Instead of a dict also an iterable of its items, in which a handle may come several times.
    """
    items = pairs.items() if isinstance(pairs, dict) else pairs
    return {
        (handle, _hashable(reference)): (handle, _hashable(value))
        for handle, (reference, value) in items
    }


def _hashable(value):
    import numpy as np

    if isinstance(value, (list, tuple)):
        return tuple(_hashable(each) for each in value)
    return value.view(_array_class()) if type(value) is np.ndarray else value


@functools.lru_cache(maxsize=None)
def _array_class():
    """ndarray with a hash: an object is equal to itself alone, as a torch tensor is in a dict."""
    import numpy as np

    class IntermediateOutput(np.ndarray):
        __hash__ = object.__hash__

    return IntermediateOutput


def _names(handle, names_of_handles):
    """The names of all operators whose handles are part of `handle`."""
    wanted = set(handle)
    found = (names for key, names in names_of_handles.items() if wanted.issuperset(key))
    return [name for names in found for name in names]


def _check(mapping):
    if not isinstance(mapping, dict):
        raise TypeError(f"preprocessing() must return a dict, not a {type(mapping).__name__}")
    for item in mapping.items():
        for half, what in zip(item, ("key", "value")):
            if not isinstance(half, tuple) or len(half) != 2:
                raise ValueError(f"preprocessing() gave a {what} that is no tuple of two: "
                                 "(debug handle, output) is needed")  # fmt: skip
            handle = half[0]
            if not isinstance(handle, tuple) or not all(isinstance(n, int) for n in handle):
                raise ValueError(f"preprocessing() gave a {what} whose debug handle is no tuple of "
                                 f"int: {handle!r}")  # fmt: skip

"""The distances that have a name: MSE, L1, SNR."""

from collections.abc import Sequence

from etscope import numerics
from etscope.inspector.numerical_comparator._base import NumericalComparatorBase


def _gap(a, b):
    assert not isinstance(a, Sequence) and not isinstance(b, Sequence)
    return numerics.gap(a, b)


class MSEComparator(NumericalComparatorBase):
    """Mean squared error; NaN for tensors without elements. numerics.gap tells of NaNs."""

    def element_compare(self, a, b):
        return _gap(a, b).mse


class L1Comparator(NumericalComparatorBase):
    """Sum of absolute errors."""

    def element_compare(self, a, b):
        return _gap(a, b).l1


class SNRComparator(NumericalComparatorBase):
    """Signal to noise in dB; infinite where nothing differs, NaN if both are 0."""

    def element_compare(self, a, b):
        return _gap(a, b).snr


_NAMED = {"MSE": MSEComparator, "L1": L1Comparator, "SNR": SNRComparator}


def comparator_for(distance, inspector=None):
    """The comparator that `distance` names or is, which then knows the Inspector.

    distance: "MSE", "L1" or "SNR" in any case, or an object of a class of your own. Raises
    ValueError for an unknown name, TypeError for anything else.
    """
    if not isinstance(distance, str):
        if isinstance(distance, type) or not hasattr(distance, "compare"):
            raise TypeError(f"a distance is a name or an object of a class derived from "
                            f"NumericalComparatorBase, not {distance!r}")  # fmt: skip
        if distance.inspector is None:
            distance.inspector = inspector
        return distance
    name = distance.strip().upper()
    if name not in _NAMED:
        raise ValueError(f"there is no distance {distance!r}: use {', '.join(_NAMED)}, or an "
                         "object of a class derived from NumericalComparatorBase")  # fmt: skip
    return _NAMED[name](inspector)

"""Distances as upstream's comparator classes: its rules for pairs, its numbers, users' classes."""

import math

import numpy as np
import pytest

from etscope import Error, numerics
from etscope.inspector.numerical_comparator import (
    L1Comparator,
    MSEComparator,
    NumericalComparatorBase,
    SNRComparator,
    comparator_for,
    mapping_of,
)

A, B = np.float32([1, 2, 3, 4]), np.float32([1, 2.5, 3, 3])


def test_the_three_distances():
    assert MSEComparator().element_compare(A, B) == 1.25 / 4
    assert L1Comparator().element_compare(A, B) == 1.5
    assert math.isclose(SNRComparator().element_compare(A, B), 10 * math.log10(30 / 1.25))
    assert SNRComparator().element_compare(A, A) == math.inf
    assert math.isnan(SNRComparator().element_compare(0.0, 0.0))
    assert SNRComparator().element_compare(0.0, 1.0) == -math.inf
    nothing = np.zeros(0)
    assert math.isnan(MSEComparator().element_compare(nothing, nothing))
    assert L1Comparator().element_compare(nothing, nothing) == 0


def test_nans_and_infinities_count_as_upstreams():
    mse, l1 = MSEComparator().element_compare, L1Comparator().element_compare
    assert mse([1.0, 2.0][0], np.nan) == 1  # a NaN counts as 0
    assert l1(np.array([1.0, np.nan]), np.array([2.0, 5.0])) == 6
    assert l1(np.array([1.0, np.inf]), np.array([1.0, 0.0])) == math.inf
    assert math.isnan(l1(np.array([np.inf]), np.array([np.inf])))
    largest = np.finfo(np.float64).max
    assert l1(np.array([np.nan, np.inf]), np.array([0.0, 0.0])) == largest


def test_shapes_are_broadcast():
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert L1Comparator().element_compare(rows, np.float32(1)) == np.abs(rows - 1).sum()
    assert MSEComparator().element_compare(rows, rows[0]) == np.square(rows - rows[0]).mean()
    with pytest.raises(ValueError):
        MSEComparator().element_compare(rows, rows[:, :2])


@pytest.mark.parametrize("comparator", [MSEComparator, L1Comparator, SNRComparator])
def test_sequences_are_no_elements(comparator):
    with pytest.raises(AssertionError):
        comparator().element_compare([1.0], [1.0])


def test_rows_and_columns():
    pairs = {
        (1, 2): (A, B),
        (3,): (None, B),
        (4,): (A, None),
        (5,): ([A, A], [B, B]),  # a reference of several tensors
        (6,): ([A], [B]),
        (7,): (2.0, 4),
    }
    frame = MSEComparator().compare(
        mapping_of(pairs),
        {(1,): ["permute"], (2,): ["addmm", "relu"], (1, 9): ["other"], (6,): ["split"]},
        {(1, 2): ["native_call_addmm.out"], (7,): ["native_call_add.out"]},
    )
    assert list(frame.columns) == [
        "aot_debug_handle", "aot_ops", "aot_intermediate_output", "runtime_ops",
        "runtime_debug_handle", "runtime_intermediate_output", "gap",
    ]  # fmt: skip
    assert frame["aot_debug_handle"].tolist() == [(1, 2), (6,), (7,)]
    assert frame["runtime_debug_handle"].tolist() == [(1, 2), (6,), (7,)]
    assert frame["aot_ops"].tolist() == [["permute", "addmm", "relu"], ["split"], []]
    assert frame["runtime_ops"].tolist() == [
        ["native_call_addmm.out"], [], ["native_call_add.out"],
    ]  # fmt: skip
    assert frame["gap"].tolist() == [[0.3125], [0.3125], [4]]
    assert np.array_equal(frame["runtime_intermediate_output"][0], B)
    assert len(MSEComparator().compare({}, {}, {})) == 0


@pytest.mark.parametrize("reference, value", [(A, [B]), ([A], B), ([A], [B, B])])
def test_sequences_match_sequences_of_their_length(reference, value):
    with pytest.raises(ValueError):
        MSEComparator().compare(mapping_of({(1,): (reference, value)}), {}, {})


class Dequantized(NumericalComparatorBase):
    """A class of a user's: other values, another distance."""

    def preprocessing(self, mapping):
        scale = self.inspector.scale
        return {key: (handle, value * scale) for key, (handle, value) in mapping.items()}

    def element_compare(self, a, b):
        return numerics.compare(a, b).max_abs_error


class Stub:
    scale = 0.5


def test_a_class_of_ones_own():
    codes = (B * 2).astype(np.int8)
    comparator = comparator_for(Dequantized(), Stub())
    frame = comparator.compare(mapping_of({(1,): (A, codes)}), {}, {})
    assert frame["gap"].tolist() == [[1.0]]
    known = Stub()
    assert comparator_for(Dequantized(known), Stub()).inspector is known
    with pytest.raises(TypeError):
        NumericalComparatorBase()


@pytest.mark.parametrize(
    "mapping, error",
    [
        ([], TypeError),
        ({(1,): ((1,), 2.0)}, ValueError),
        ({((1,), 2.0): 3.0}, ValueError),
        ({(1, 2.0): ((1,), 2.0)}, ValueError),
        ({((1,), 2.0): ((1.5,), 2.0)}, ValueError),
    ],
)
def test_preprocessing_is_checked(mapping, error):
    class Wrong(MSEComparator):
        def preprocessing(self, given):
            return mapping

    with pytest.raises(error, match="preprocessing"):
        Wrong().compare({}, {}, {})


def test_distances_by_name():
    inspector = Stub()
    for name, kind in (("mse", MSEComparator), (" L1 ", L1Comparator), ("Snr", SNRComparator)):
        comparator = comparator_for(name, inspector)
        assert type(comparator) is kind and comparator.inspector is inspector
    with pytest.raises(ValueError, match="'cosine'"):
        comparator_for("cosine")


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    pairs = {(1,): (torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0], dtype=torch.bfloat16))}
    frame = L1Comparator().compare(mapping_of(pairs), {}, {})
    assert frame["gap"].tolist() == [[2.0]]


def test_shapes_that_cannot_be_compared_are_told_with_the_operators():
    mapping = mapping_of({(1,): (np.zeros((2, 4)), np.zeros((8, 4)))})
    with pytest.raises(Error, match=r"^mm against addmm.out: .*\(2, 4\) and \(8, 4\)") as caught:
        MSEComparator().compare(mapping, {(1,): ["mm"]}, {(1,): ["addmm.out"]})
    assert caught.value.status == "MISMATCH"

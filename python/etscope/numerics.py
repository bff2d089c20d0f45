"""How far two tensors lie apart: the comparators of the C library, at the speed of memory.

    import numpy as np
    from etscope import numerics

    expected = np.linspace(-1, 1, 1000, dtype=np.float32)
    found = expected * np.float32(1.0001)
    result = numerics.compare(expected, found)
    print(f"{result.snr_db:.0f} dB, off by at most {result.max_abs_error:.2g}")
    print(numerics.closeness(expected, found, rtol=1e-3, atol=0).all_close)

Arguments are NumPy arrays, torch tensors, numbers or lists of them, of one shape; scalar types and
layouts may differ. Types that NumPy has not are taken as the package gives them out (ml_dtypes, or
bits whose dtype says what they are). Nothing is copied but arrays with negative strides. Sums are
taken in double precision, with compensation. Indices count elements in row-major order. All
functions raise etscope.Error: status "MISMATCH" where the shapes differ or only one is complex,
"UNSUPPORTED" for types that are no numbers.
"""

from etscope._errors import Error
from etscope._library import call, ffi, lib
from etscope._values import array_and_type, tensor_of_array

__all__ = [
    "Closeness", "Comparison", "Gap", "Steps", "TopK", "Ulps", "closeness", "compare", "gap",
    "steps", "top_k", "ulps",
]  # fmt: skip


class _Result:
    """Named numbers; equal to another result of the same numbers, NaNs included."""

    __slots__ = ()

    def __init__(self, *values):
        for name, value in zip(self.__slots__, values):
            setattr(self, name, value)

    def __repr__(self):
        values = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({values})"

    def __eq__(self, other):
        return type(self) is type(other) and repr(self) == repr(other)

    __hash__ = None

    def as_dict(self):
        """{name: number}, in the order of the fields."""
        return {name: getattr(self, name) for name in self.__slots__}


class Comparison(_Result):
    """The result of `compare`.

    count                    pairs of numbers; a complex element is two
    finite_count             pairs that the sums and means are over: both are finite
    unequal_count            pairs of unlike numbers; -0 and 0 are alike, two NaNs as well
    broken_count             of these, the pairs with a NaN or an infinity
    first_broken_index       None: there is none
    reference_nan_count, reference_inf_count, other_nan_count, other_inf_count
    mse, rmse                mean of (other - reference)**2, and its root
    mean_abs_error           mean of |other - reference|
    sum_abs_error            its sum, which ExecuTorch calls L1
    max_abs_error            its maximum (Linf)
    max_abs_error_index      of the first such pair; None: nothing differs
    mean_rel_error           |other - reference| / max(|reference|, |other|, 1e-8)
    max_rel_error, max_rel_error_index
    snr_db                   10 * log10(sum of reference**2 / sum of (other - reference)**2)
    cosine_similarity
    types_differ             the scalar types are two, whose numbers were compared
    layouts_differ           the strides are others

    Means, snr_db and cosine_similarity are NaN if no pair is finite or broken_count is not 0.
    snr_db is infinite where nothing differs, and NaN if the reference is all 0 besides.
    """

    __slots__ = (
        "count", "finite_count", "unequal_count", "broken_count", "first_broken_index",
        "reference_nan_count", "reference_inf_count", "other_nan_count", "other_inf_count",
        "mse", "rmse", "mean_abs_error", "sum_abs_error", "max_abs_error", "max_abs_error_index",
        "mean_rel_error", "max_rel_error", "max_rel_error_index", "snr_db", "cosine_similarity",
        "types_differ", "layouts_differ",
    )  # fmt: skip


class Closeness(_Result):
    """What `closeness` found.

    count           pairs of numbers; a complex element is two
    outside_count   of these, not close
    first_index     of the first that is not close; None: all are
    worst_index     of the pair that is farthest off
    worst_excess    its |actual - expected| / (atol + rtol * |expected|)
    """

    __slots__ = ("count", "outside_count", "first_index", "worst_index", "worst_excess")

    @property
    def all_close(self):
        """True if no pair is outside the tolerance."""
        return self.outside_count == 0


class Ulps(_Result):
    """Distances in units in the last place over the pairs of finite numbers.

    count, max, max_index (of the first such pair; None: nothing differs), mean (NaN: no pairs)
    """

    __slots__ = ("count", "max", "max_index", "mean")


class TopK(_Result):
    """Whether rows along the last dimension have the same largest numbers.

    row_count, first_agrees (rows whose largest is at the same place), all_agree (rows whose k
    largest are at the same places, in any order), overlap (mean share of the k places that both
    have), first_unlike (the first row that does not agree at all k; None: all do)
    """

    __slots__ = ("row_count", "first_agrees", "all_agree", "overlap", "first_unlike")


class Steps(_Result):
    """Errors in quantization steps, over the pairs of finite numbers.

    count, equal, one_off, two_off (pairs whose error is 0, 1, 2 steps, rounded), max, max_index
    (None: nothing differs), mean (NaN: no pairs)
    """

    __slots__ = ("count", "equal", "one_off", "two_off", "max", "max_index", "mean")


class Gap(_Result):
    """What ExecuTorch's Inspector.calculate_numeric_gap gives for a pair: count, mse, l1, snr."""

    __slots__ = ("count", "mse", "l1", "snr")


def _run(function, reference, other, *arguments):
    """Calls a comparator of two tensors. Returns its result, a struct of the type `result`."""
    *arguments, result = arguments
    first = tensor_of_array(*array_and_type(reference))
    second = tensor_of_array(*array_and_type(other))
    out = ffi.new(result)
    call(function, first.tensor, second.tensor, *arguments, out)
    return out


def compare(reference, other):
    """Compares two tensors in one pass. Returns a Comparison.

        result = compare([1.0, 2.0], [1.0, 2.5])
        result.mse, result.max_abs_error_index     # (0.125, 1)
    """
    sums = _run(lib.ets_comparison_of, reference, other, "struct ets_comparison *")
    return Comparison(
        sums.count, sums.finite_count, sums.unequal_count, sums.broken_count,
        sums.first_broken_index if sums.broken_count else None,
        sums.reference_nan_count, sums.reference_infinite_count,
        sums.other_nan_count, sums.other_infinite_count,
        lib.ets_comparison_mse(sums), lib.ets_comparison_rmse(sums), lib.ets_comparison_l1(sums),
        sums.error_absolute_sum, sums.max_error,
        sums.max_error_index if sums.max_error else None,
        lib.ets_comparison_mean_relative(sums), sums.max_relative_error,
        sums.max_relative_error_index if sums.max_relative_error else None,
        lib.ets_comparison_snr(sums), lib.ets_comparison_cosine(sums),
        bool(sums.types_differ), bool(sums.layouts_differ),
    )  # fmt: skip


def closeness(expected, actual, rtol=1e-5, atol=1e-8, equal_nan=True):
    """Which numbers are close: |actual - expected| <= atol + rtol * |expected|.

    Returns a Closeness. Infinities are close to themselves alone. Two NaNs are close, unless
    equal_nan is False.

        closeness([1.0, 2.0], [1.0, 2.5], rtol=0.1).outside_count     # 1
    """
    tolerance = ffi.new("struct ets_tolerance *", (rtol, atol, not equal_nan))
    out = _run(lib.ets_closeness_of, expected, actual, tolerance, "struct ets_closeness *")
    is_off = out.outside_count > 0
    return Closeness(
        out.count, out.outside_count, out.first_index if is_off else None,
        out.worst_index if is_off else None, out.worst_excess,
    )  # fmt: skip


def ulps(reference, other):
    """Distances in units in the last place between two tensors of one floating type. Returns Ulps.

    Raises etscope.Error for other types ("UNSUPPORTED") and for two types ("MISMATCH").

        import numpy as np
        ulps(np.float32([1]), np.nextafter(np.float32([1]), 2)).max     # 1
    """
    out = _run(lib.ets_ulps_of, reference, other, "struct ets_ulps *")
    return Ulps(out.count, out.max, out.max_index if out.max else None, out.mean)


def top_k(reference, other, k=1):
    """Whether both have the same k largest numbers in each row. Returns a TopK.

    A NaN is larger than every number, as in torch.topk. k is 1 to 64.

        top_k([[1.0, 3.0, 2.0]], [[1.0, 2.0, 3.0]], k=2).overlap     # 1.0
    """
    # C would take any k modulo 2**32.
    k = k if 0 <= k <= 0xFFFFFFFF else 0
    out = _run(lib.ets_top_k_of, reference, other, k, "struct ets_top_k *")
    all_agree = out.all_agree == out.row_count
    return TopK(
        out.row_count, out.first_agrees, out.all_agree, out.overlap,
        None if all_agree else out.first_unlike,
    )  # fmt: skip


def steps(reference, other, step=1.0):
    """Errors counted in quantization steps. Returns Steps.

    step: the scale of the quantization for floating point, 1 for integers.

        steps([0.0, 1.0], [0.1, 1.2], step=0.1).one_off     # 1
    """
    out = _run(lib.ets_steps_of, reference, other, step, "struct ets_steps *")
    return Steps(
        out.count, *out.within, out.max, out.max_index if out.max else None, out.mean
    )  # fmt: skip


def gap(reference, other):
    """What ExecuTorch's Inspector calls the gap of a pair, over all pairs. Returns a Gap.

    Where a tensor holds a NaN, its NaNs count as 0 and its infinities as the largest double; where
    it holds none, infinities stay. l1 is a sum. Shapes that NumPy can broadcast are.

        gap([1.0, 2.0], [1.0, 4.0])     # Gap(count=2, mse=2.0, l1=2.0, snr=0.9691...)
    """
    import numpy as np

    (first, first_type), (second, second_type) = array_and_type(reference), array_and_type(other)
    if first.shape != second.shape:
        try:
            first, second = np.broadcast_arrays(first, second)
        except ValueError as reason:
            raise Error(f"tensors of the shapes {first.shape} and {second.shape} cannot be "
                        "compared", status="MISMATCH") from reason  # fmt: skip
    left, right = tensor_of_array(first, first_type), tensor_of_array(second, second_type)
    out = ffi.new("struct ets_gap *")
    call(lib.ets_gap_of, left.tensor, right.tensor, out)
    return Gap(out.count, out.mse, out.l1, lib.ets_gap_snr(out))

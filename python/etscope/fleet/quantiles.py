"""Sketches of times, and their quantiles, in the bytes of KLL of Apache DataSketches (doubles, k = 200).

    data = sketch([([3.0, 1.0, 2.0], None)])      # of times; or of values with weights
    merged_quantiles([data, other], (0.5, 0.9))

A sketch has items that stand for 1, 2, 4, ... times each. Up to 200 times it has all of them. Of more,
each item is the middle of the times that it stands for, in their order: no rank is off by more than half
of an item. DataSketches' own sketches choose at random, and differ each time; these depend on the times alone.
Quantiles are of the items of all sketches together, so that their order does not matter, and nothing is lost.
"""

import functools
import struct

import numpy as np

from etscope._errors import Error

K, _M = 200, 8  # of KLL: what the top level has at most, and the least that a level has
_FAMILY, _EMPTY, _SORTED, _SINGLE = 15, 1, 2, 4
_DOUBLE = np.dtype("<f8")
_HEAD = struct.Struct("<BBBBHBB")  # ints of the head, version, family, flags, k, m, 0
_WHOLE = struct.Struct("<BBBBHBBQHBB")  # and number of times, least k, number of levels, 0
_LEVELS_AT = 18  # in these
_SAMPLE, _MARGIN = 2048, 96  # values that tell where a rank is, and how many of them it may be off
_SPREAD = 0.6180339887498949  # multiples of it, modulo 1, are spread evenly


def _capacity(levels):
    """The most items of a sketch with so many levels."""
    return sum(max(_M, ((2 * K << depth) // 3**depth + 1) >> 1) for depth in range(levels))


_CAPACITIES = [_capacity(levels) for levels in range(62)]


def sketch(pieces):
    """The bytes of a sketch of pieces: (times, None), or (values, whole numbers of times for each)."""
    values, weights = _joined(pieces)
    if len(values) and np.isnan(values[-1]):  # they have no place in an order
        kept = np.searchsorted(values, np.nan)
        values, weights = values[:kept], weights if weights is None else weights[:kept]
    count = len(values) if weights is None else int(weights.sum())
    if count == 0:
        return _HEAD.pack(2, 1, _FAMILY, _EMPTY, K, _M, 0)
    if count == 1:
        return _HEAD.pack(2, 2, _FAMILY, _SORTED | _SINGLE, K, _M, 0) + values.tobytes()
    head, ranks = _plan(count)
    items = values[ranks if weights is None else np.searchsorted(np.cumsum(weights), ranks, "right")]
    return b"".join((head, values[:1].tobytes(), values[-1:].tobytes(), items.tobytes()))


def _joined(pieces):
    """(values in their order, how many times each is there, or None: once)."""
    if not pieces:
        return np.zeros(0, _DOUBLE), None
    values = np.concatenate([values for values, _ in pieces]).astype(_DOUBLE, copy=False)
    if all(weights is None for _, weights in pieces):
        return np.sort(values), None
    weights = np.concatenate([np.ones(len(each), np.int64) if weights is None else weights for each, weights in pieces])
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    return values[order], weights[order]


@functools.lru_cache(1024)
def _plan(count):
    """Of a sketch of so many times its bytes before the extremes, and the rank of each item."""
    top = next(top for top in range(61) if (count >> top) + top <= _CAPACITIES[top + 1])
    sizes = _sizes(count, top)
    # Of an even number of times, the lower and the upper middle in turns.
    ranks = np.cumsum(sizes) - sizes + sizes // 2 - ((np.arange(len(sizes)) & 1) * (sizes > 1))
    order = np.argsort(sizes, kind="stable")
    begins = np.searchsorted(sizes[order], np.left_shift(1, np.arange(top + 1))) + (_CAPACITIES[top + 1] - len(sizes))
    head = _WHOLE.pack(5, 1, _FAMILY, _SORTED, K, _M, 0, count, K, top + 1, 0)
    return head + begins.astype("<u4").tobytes(), ranks[order]


def _sizes(count, top):
    """How many times each item stands for: 2^top each, in their middle what is left, as powers of two."""
    whole = count >> top
    left = [1 << digit for digit in reversed(range(top)) if count >> digit & 1]
    return np.array([1 << top] * (whole // 2) + left + [1 << top] * (whole - whole // 2), np.int64)


def items_of(data):
    """(values, weights) of a sketch, DataSketches' own too. Raises Error: the bytes are no such sketch."""
    data = bytes(data)
    try:
        _, _, family, flags, _, _, _ = _HEAD.unpack_from(data)
        if family != _FAMILY:
            raise ValueError
        if flags & _EMPTY:
            return np.zeros(0, _DOUBLE), np.zeros(0, np.int64)
        if flags & _SINGLE:
            return np.frombuffer(data, _DOUBLE, 1, _HEAD.size), np.ones(1, np.int64)
        at = _WHOLE.size + 4 * data[_LEVELS_AT]
        items = np.frombuffer(data, _DOUBLE, -1, at)[2:]  # after the least and the most
        return items, _weights(data[:at], len(items))
    except (struct.error, ValueError, IndexError):
        raise Error("a sketch of the data set is damaged", status="MALFORMED") from None


@functools.lru_cache(4096)
def _weights(head, count):
    """How many times each of `count` items stands for. Raises ValueError."""
    levels = head[_LEVELS_AT]
    begins = np.frombuffer(head, "<u4", levels, _WHOLE.size).astype(np.int64)
    sizes = np.diff(begins, append=begins[0] + count)
    weights = np.repeat(np.left_shift(1, np.arange(levels)), sizes)
    if len(weights) != count or int(weights.sum()) != _WHOLE.unpack_from(head)[7]:
        raise ValueError
    return weights


def merged(sketches):
    """The bytes of one sketch of all times."""
    return sketch([items_of(data) for data in sketches])


def merged_quantiles(sketches, ranks):
    """A value for each rank, the first with more than this part of the times at or below it; None without data."""
    items = [items_of(data) for data in sketches]
    values = np.concatenate([values for values, _ in items]) if items else np.zeros(0)
    if not len(values):
        return [None] * len(ranks)
    weights = np.concatenate([weights for _, weights in items])
    count = int(weights.sum())
    return [_value_at(values, weights, min(int(rank * count), count - 1)) for rank in ranks]


def _value_at(values, weights, rank):
    """The first value, in their order, with more than `rank` times at or below it."""
    if len(values) > 4 * _SAMPLE:
        below, values, weights = _near(values, weights, rank)
        rank -= below
    order = np.argsort(values, kind="stable")
    return float(values[order[np.searchsorted(np.cumsum(weights[order]), rank, "right")]])


def _near(values, weights, rank):
    """(how many times the smaller values left out stand for, values and weights of the others): to sort
    all of many takes most of the time of a question. A sample tells where the rank is, and they are counted.
    """
    which = (np.arange(_SAMPLE) * _SPREAD % 1 * len(values)).astype(np.int64)
    which = which[np.argsort(values[which])]
    reached = np.cumsum(weights[which])
    place = np.searchsorted(reached, rank / weights.sum() * reached[-1])
    ends = np.clip([place - _MARGIN, place + _MARGIN], 0, _SAMPLE - 1)
    lower = -np.inf if ends[0] == 0 else values[which[ends[0]]]
    upper = np.inf if ends[1] == _SAMPLE - 1 else values[which[ends[1]]]
    below, inside = int(weights[values < lower].sum()), (values >= lower) & (values <= upper)
    if below <= rank < below + int(weights[inside].sum()):
        return below, values[inside], weights[inside]
    return 0, values, weights

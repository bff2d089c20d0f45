from enum import Enum


class TimeScale(Enum):
    """What times are counted in. Cycles are never converted."""

    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"
    CYCLES = "cycles"


_PER_SECOND = {
    TimeScale.NS: 1000000000,
    TimeScale.US: 1000000,
    TimeScale.MS: 1000,
    TimeScale.S: 1,
    TimeScale.CYCLES: 1,
}


def scale_factor(source, target):
    """How many source units are one target unit."""
    return _PER_SECOND[source] / _PER_SECOND[target]


def elapsed(start, end):
    """Ticks from start to end on a counter that may have wrapped at 2^32, once.

    On a wider counter an event that ends before it starts took 0.
    """
    if start <= end:
        return end - start
    return end + 2**32 - start if start < 2**32 else 0

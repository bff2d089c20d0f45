"""Summaries that merge: per operator, device, build and day its count, sum, extremes and a sketch.

The sketch is that of quantiles.py. Merging sums reads no trace again. docs/fleet.md, "What a row of
summaries means", is the contract of both writers: traces and device summaries.
"""

import numpy as np

from etscope.fleet.quantiles import sketch

UNNAMED = "(unnamed)"  # an operator whose name was lost: "" is that of runs
OF_RUN = {"operator": "", "instruction": -1, "kind": "run", "backend": "", "module": "", "source": ""}


def counted_runs(reading):
    """For each run of a trace_tables.Reading whether it counts: one after warm-up.

    Where a tracer records operators in some runs only, these count, and of other runs those of methods
    that never have operators: to record operators takes time, and shares are of what they took. Runs
    without operators whose method is not known can be of any.
    """
    counted, has = ~reading.runs["warm_up"], reading.has_operators
    if has.all() or not has[counted].any():
        return counted
    methods = reading.runs["method"]
    with_operators = {"", *(methods[i] for i in np.flatnonzero(counted & has))}
    return counted & (has | [method not in with_operators for method in methods])


class Steady:
    """The times of a trace's runs that count: of the runs themselves by method, then of the operators.

    places   what they are of, dicts of dataset.PLACE; that of runs is of kind "run"
    times    an array for each place; places without a steady run are left out
    count, sum, least, most, median   arrays with an item for each place
    """

    def __init__(self, reading):
        self.places, pieces = [], []
        runs = reading.runs
        counted = counted_runs(reading)
        methods = np.array(runs["method"], object)
        for method in dict.fromkeys(runs["method"]):
            self.places.append({"method": method, **OF_RUN})
            pieces.append(runs["time_ns"][counted & (methods == method)])
        counts = [len(piece) for piece in pieces]
        operators = reading.operators
        steady = ~operators["warm_up"]
        counts += np.bincount(operators["place"][steady], minlength=len(reading.places)).tolist()
        times = np.concatenate([*pieces, operators["time_ns"][steady]])
        self.places += reading.places
        self.places = [place for place, count in zip(self.places, counts) if count]
        self.count = np.array([count for count in counts if count], np.int64)
        self._describe(times, np.cumsum(self.count) - self.count)

    def _describe(self, times, starts):
        self.times = [times[start : start + count] for start, count in zip(starts.tolist(), self.count.tolist())]
        self.sum, self.least, self.most, self.median = (np.zeros(len(starts)) for _ in range(4))
        for count in np.unique(self.count):
            # Places of equally many times are rows of one array, which NumPy describes at once.
            which = np.flatnonzero(self.count == count)
            rows = times[starts[which][:, None] + np.arange(count)]
            self.sum[which], self.median[which] = rows.sum(axis=1), np.median(rows, axis=1)
            self.least[which], self.most[which] = rows.min(axis=1), rows.max(axis=1)


class Summary:
    """One row of the table summaries; `add` takes the times of another trace, of a place of Steady."""

    def __init__(self):
        self.traces = self.count = 0
        self.sum, self.least, self.most = 0.0, np.inf, -np.inf
        self._pieces = []  # of the sketch

    def add(self, steady, place):
        times = steady.times[place]
        self._add(len(times), float(steady.sum[place]), steady.least[place], steady.most[place])
        self._pieces.append((times, None))

    def add_row(self, row):
        """Adds what a device summed up: a device_summaries.DeviceRow."""
        self._add(row.count, row.sum, row.least, row.most)
        self._pieces.append((row.middles, times_of(row.counts, row.count)))

    def _add(self, count, sum_, least, most):
        self.traces += 1
        self.count += count
        self.sum += sum_
        self.least, self.most = min(self.least, least), max(self.most, most)

    def values(self):
        return {"traces": self.traces, "count": self.count, "sum_ns": self.sum,
                "min_ns": float(self.least), "max_ns": float(self.most), "sketch": sketch(self._pieces)}  # fmt: skip


def times_of(weights, count):
    """How many of `count` times each weight stands for: they add up to it."""
    ends = np.rint(np.cumsum(weights) / weights.sum() * count).astype(np.int64)
    return np.diff(ends, prepend=0)

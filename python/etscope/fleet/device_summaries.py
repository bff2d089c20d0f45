"""What devices send when whole traces are too much: summaries that the tracer itself writes.

    told = device_summaries.read(data)        # of a file by ets_trace_summary_write
    told.facts["runs"], told.rows[0].place["operator"], told.rows[0].middles

A device counts times in buckets of a quarter octave; here each counts with the middle of its bucket
between the least and the most time, which is off by 12.5 % at most, except for times that are more
than 16 times the row's first time, or less than a 16th. Count, sum and extremes are exact.
docs/SPEC.md, "Summaries".
"""

import numpy as np

from etscope._errors import Error
from etscope._library import NULL, Source, call, ffi, lib, text
from etscope.fleet.dataset import PLACE
from etscope.fleet.summaries import OF_RUN, UNNAMED
from etscope.fleet.trace_tables import hexadecimal

MOST_BYTES = 1 << 20  # 8,000 operators
_BARE = "bare_run"  # the kind of runs in which no operator was recorded
_MOST_INT64 = (1 << 63) - 1


class DeviceRow:
    """An operator's times on the device: `place` by dataset.PLACE; `counts` of times around `middles`.

    `counts` are proportions of `count`, the number of runs, where the device sampled its times.
    """

    def __init__(self, row):
        self.place = _place(row)
        self.count, self.sum = row.count, float(row.sum_ns)
        self.least, self.most = float(row.min_ns), float(row.max_ns)
        starts = np.array(list(row.starts), np.float64)
        self.counts = np.array(list(row.buckets), np.int64)
        # The part of each bucket in which times can be, which are whole nanoseconds.
        lower, upper = starts[:-1].copy(), starts[1:] - 1
        lower[0], upper[-1] = min(lower[0], self.least), max(upper[-1], self.most)
        lower, upper = (np.clip(ends, self.least, self.most) for ends in (lower, upper))
        self.middles = (lower + upper) / 2


class DeviceSummary:
    """facts {"kind", "program", "runs", "events", "lost_events"}, rows: DeviceRow, `labels` and `is_sampled`.

    labels      {"start", "sequence", "lost_values"}: what the file tells and no column has
    is_sampled  whether runs were left out that have no operators, beside others of their method that have
    """

    def __init__(self, facts, rows, labels, is_sampled=False):
        self.facts, self.rows, self.labels, self.is_sampled = facts, rows, labels, is_sampled

    has_origins = True  # a device knows no ETRecord: there is nothing to be missed
    unknown_methods = 0


def is_summary(data):
    """Whether a file's bytes begin as a summary's do."""
    return lib.ets_kind_sniff(Source.of_buffer(data).bytes) == lib.ETS_KIND_SUMMARY


def read(data):
    """The DeviceSummary of a file's bytes. Raises Error."""
    if len(data) > MOST_BYTES:
        raise Error(f"a summary of {len(data):,} bytes; {MOST_BYTES:,} are the most", status="LIMIT")
    source, file = Source.of_buffer(data), ffi.new("struct ets_summary_file *")
    call(lib.ets_summary_file_open, source.bytes, file)
    if file.lost_events > _MOST_INT64:
        raise Error(f"{file.lost_events:,} lost events are more than can be", status="MALFORMED")
    row, rows = ffi.new("struct ets_summary_row *"), []
    for index in range(file.row_count):
        lib.ets_summary_file_row(file, index, row)
        rows.append(DeviceRow(row))
    _check(rows)
    whole = _counted(rows, file.has_operators)
    program = hexadecimal(file.fingerprint)
    labels = {"start": file.start, "sequence": file.sequence, "lost_values": file.lost_values}
    return DeviceSummary({"kind": "summary", "program": f"#{program}" if file.is_hashed and program else program,
                          "runs": file.runs, "events": 0, "lost_events": file.lost_events},
                         whole, {name: str(value) for name, value in labels.items()},
                         len(whole) < len(rows))  # fmt: skip


def _counted(rows, has_operators):
    """As summaries.counted_runs: where a method has operators in some runs, these count; where in none, all do.

    A report can be of fewer runs than the device records operators in once: nothing of it counts.
    """
    with_operators = {row.place["method"] for row in rows if row.place["kind"] == "run"}
    if has_operators and not with_operators:
        return []
    if with_operators:
        with_operators.add("")  # runs of what is not known can be of any
    counted = [row for row in rows if row.place["kind"] != _BARE or row.place["method"] not in with_operators]
    for row in counted:
        if row.place["kind"] == _BARE:
            row.place["kind"] = "run"
    return counted


def _check(rows):
    """Each place once, and the runs of each method: shares are of them, and counts of no more."""
    seen, runs = set(), {row.place["method"]: row.count for row in rows if row.place["kind"] == "run"}
    for number, row in enumerate(rows):
        place = tuple(row.place.values())
        if place in seen:
            raise Error(f"row {number} is of the same operator as an earlier one", status="MALFORMED")
        seen.add(place)
        if row.place["kind"] != _BARE and row.count > runs.get(row.place["method"], 0):
            raise Error(f"row {number} counts {row.count:,} runs of its method, which has"
                        f" {runs.get(row.place['method'], 0):,}", status="MALFORMED")  # fmt: skip


def _name(given, hash_):
    """The name, or "#" and its hash; "" of what has no name."""
    if given.data == NULL:
        return f"#{hash_:016x}" if hash_ else ""
    return text(given)


def _place(row):
    method, kind = _name(row.method, row.method_hash), text(lib.ets_summary_kind_name(row.kind))
    if kind in ("run", _BARE):
        return {"method": method, **OF_RUN, "kind": kind}
    values = (method, _name(row.name, row.name_hash) or UNNAMED, row.instruction, kind, "", "", "")
    return dict(zip(PLACE, values))

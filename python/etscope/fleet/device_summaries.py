"""What devices send when whole traces are too much: summaries that the tracer itself writes.

    told = device_summaries.read(data)        # of a file by ets_trace_summary_write
    told.facts["runs"], told.rows[0].place["operator"], told.rows[0].times

A device counts times in buckets of a quarter octave; here each counts with the middle of its bucket
between the least and the most time, which is off by 12.5 % at most. Count, sum and extremes are
exact. docs/SPEC.md, "Summaries".
"""

import numpy as np

from etscope._errors import Error
from etscope._library import NULL, Source, call, ffi, lib, text
from etscope.fleet.dataset import PLACE
from etscope.fleet.summaries import OF_RUN
from etscope.fleet.trace_tables import hexadecimal

MOST_BYTES = 1 << 20  # 8,000 operators


class DeviceRow:
    """An operator's times on the device: `place` by dataset.PLACE, `times` from its buckets."""

    def __init__(self, row):
        self.place = _place(row)
        self.count, self.sum = row.count, float(row.sum_ns)
        self.least, self.most = float(row.min_ns), float(row.max_ns)
        starts = np.array(list(row.starts), np.float64)
        self._counts = np.array(list(row.buckets), np.int64)
        # Of the part of each bucket in which times can be.
        bounds = np.clip(starts, self.least, self.most)
        self._middles = (bounds[:-1] + bounds[1:]) / 2

    @property
    def times(self):
        """As many as the buckets count, up to 2 million: made when they are asked for."""
        return np.repeat(self._middles, self._counts)


class DeviceSummary:
    """facts {"kind", "program", "runs", "events", "lost_events"} and rows: DeviceRow."""

    def __init__(self, facts, rows):
        self.facts, self.rows = facts, rows

    has_origins = True  # a device knows no ETRecord: there is nothing to be missed


def is_summary(data):
    """Whether a file's bytes begin as a summary's do."""
    return lib.ets_kind_sniff(Source.of_buffer(data).bytes) == lib.ETS_KIND_SUMMARY


def read(data):
    """The DeviceSummary of a file's bytes. Raises Error."""
    if len(data) > MOST_BYTES:
        raise Error(f"a summary of {len(data):,} bytes; {MOST_BYTES:,} are the most", status="LIMIT")
    source, file = Source.of_buffer(data), ffi.new("struct ets_summary_file *")
    call(lib.ets_summary_file_open, source.bytes, file)
    row, rows = ffi.new("struct ets_summary_row *"), []
    for index in range(file.row_count):
        lib.ets_summary_file_row(file, index, row)
        rows.append(DeviceRow(row))
    return DeviceSummary({"kind": "summary", "program": hexadecimal(file.fingerprint), "runs": file.runs,
                          "events": 0, "lost_events": file.lost_events + file.lost_values}, rows)  # fmt: skip


def _name(given, hash_):
    """The name, or "#" and its hash; "" where the device knew none."""
    if given.data == NULL:
        return f"#{hash_:016x}"
    return text(given)


def _place(row):
    method, kind = _name(row.method, row.method_hash), text(lib.ets_summary_kind_name(row.kind))
    if kind == "run":
        return {"method": method, **OF_RUN}
    values = (method, _name(row.name, row.name_hash), row.instruction, kind, "", "", "")
    return dict(zip(PLACE, values))

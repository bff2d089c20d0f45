"""The rows of several traces, as the tables of a data set.

    for part in batch_tables.of([(trace, reading), ...])["operators"]: ...   # a pyarrow.Table

A trace is a row of the table traces. Tables come in parts, each made when it is asked for: large ones
are never in memory as a whole. Texts are numbers: a part has each once, in the dictionary of its columns.
"""

import numpy as np
import pyarrow as pa

from etscope.fleet import arrow_arrays
from etscope.fleet.dataset import KEY, PLACE, SCHEMAS
from etscope.fleet.device_summaries import DeviceSummary
from etscope.fleet.summaries import Steady, Summary

MOST_ROWS = 1 << 17  # a part with so many rows takes no further trace


class _Columns:
    """Columns of a part of one table, in pieces."""

    def __init__(self, name):
        self._schema, self._texts, self.rows = SCHEMAS[name], _Texts(), 0
        self._pieces = {column: [] for column in self._schema.names}

    def add(self, count, /, **columns):
        """`count` rows: arrays, or lists. Of a column of texts an array has numbers of texts, and a
        text alone is that of all rows.
        """
        self.rows += count
        for name, values in columns.items():
            if isinstance(values, str):
                values = np.full(count, self._texts.number(values), np.int32)
            elif isinstance(values, list) and self._schema.field(name).type == pa.string():
                values = self.numbers(values)
            self._pieces[name].append(values)

    def numbers(self, texts):
        own = {text: self._texts.number(text) for text in dict.fromkeys(texts)}
        return np.array([own[text] for text in texts], np.int32)

    def table(self):
        return pa.table([self._column(field) for field in self._schema], self._schema.names)

    def _column(self, field):
        pieces = self._pieces[field.name]
        if field.type == pa.string():
            pieces = [arrow_arrays.of_array(numbers, pa.int32()) for numbers in pieces]
            dictionary = self._texts.array()
            return pa.chunked_array([pa.DictionaryArray.from_arrays(each, dictionary, safe=False) for each in pieces])
        return pa.chunked_array([
            (arrow_arrays.of_array if isinstance(each, np.ndarray) else arrow_arrays.of_values)(each, field.type)
            for each in pieces])  # fmt: skip


class _Texts:
    """Each text once; its number is its place."""

    def __init__(self):
        self._numbers, self._array = {}, None

    def number(self, text):
        return self._numbers.setdefault(text, len(self._numbers))

    def array(self):
        """To be asked for when all texts have their number."""
        if self._array is None or len(self._array) < len(self._numbers):
            self._array = arrow_arrays.of_values(list(self._numbers), pa.string())
        return self._array


class _Trace:
    """What the rows of one trace are made from."""

    def __init__(self, trace, reading):
        self.key = {name: trace[name] for name in KEY}
        self.named = {"trace": trace["trace"], **self.key}
        self.reading, self.steady = reading, Steady(reading)


def of(traces):
    """{table: iterator of pyarrow.Tables} of [(row of the table traces, trace_tables.Reading or DeviceSummary)].

    A table without rows has no part.
    """
    own = [_Trace(*each) for each in traces if not isinstance(each[1], DeviceSummary)]
    devices = [each for each in traces if isinstance(each[1], DeviceSummary)]
    parts = {name: _parts(name, own, add) for name, add in _ADDS.items()}
    return {"traces": _traces([trace for trace, _ in traces]), **parts, "summaries": _summaries(own, devices)}


def _parts(name, traces, add):
    columns = _Columns(name)
    for trace in traces:
        add(columns, trace)
        if columns.rows >= MOST_ROWS:
            yield columns.table()
            columns = _Columns(name)
    if columns.rows:
        yield columns.table()


def _traces(rows):
    columns = _Columns("traces")
    columns.add(len(rows), **{name: [row[name] for row in rows] for name in SCHEMAS["traces"].names})
    yield columns.table()


def _add_runs(columns, trace):
    columns.add(len(trace.reading.runs["run"]), **trace.named, **trace.reading.runs)


def _told(columns, things, names=PLACE):
    """Arrays for columns of what is told of each thing: dicts."""
    return {name: np.array([each[name] for each in things], np.int32) if name == "instruction"
            else columns.numbers([each[name] for each in things]) for name in names}  # fmt: skip


def _add_operators(columns, trace):
    values = dict(trace.reading.operators)
    counts = np.bincount(values.pop("place"), minlength=len(trace.reading.places))
    told = {name: np.repeat(each, counts) for name, each in _told(columns, trace.reading.places).items()}
    columns.add(len(values["run"]), **trace.named, **told, **values)


def _add_events(columns, trace):
    if trace.reading.events is None:
        return
    values = dict(trace.reading.events)
    name = values.pop("name")
    told = _told(columns, trace.reading.names, ("method", "name", "instruction", "kind"))
    columns.add(len(name), **trace.named, **values, **{column: each[name] for column, each in told.items()})


def _add_measured(columns, trace):
    """The median of each place's steady runs."""
    steady = trace.steady
    columns.add(len(steady.places), **trace.named, **_told(columns, steady.places),
                time_ns=steady.median, runs=steady.count)  # fmt: skip


_ADDS = {"runs": _add_runs, "operators": _add_operators, "measured": _add_measured, "events": _add_events}


def _summaries(traces, devices):
    summaries = {}
    for trace in traces:
        for number, place in enumerate(trace.steady.places):
            _summary(summaries, trace.key, place).add(trace.steady, number)
    for row, reading in devices:
        for device_row in reading.rows:
            _summary(summaries, {name: row[name] for name in KEY}, device_row.place).add_row(device_row)
    if not summaries:
        return
    columns, groups = _Columns("summaries"), sorted(summaries)
    told = {name: [group[number] for group in groups] for number, name in enumerate((*KEY, *PLACE))}
    values = [summaries[group].values() for group in groups]
    columns.add(len(groups), **told, **{name: [each[name] for each in values] for name in values[0]})
    yield columns.table()


def _summary(summaries, key, place):
    """The Summary of a place, made if there is none."""
    group = (*key.values(), *place.values())
    if group not in summaries:
        summaries[group] = Summary()
    return summaries[group]

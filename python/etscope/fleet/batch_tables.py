"""The rows of several traces, as the tables of a data set.

    tables = batch_tables.of([(trace, reading), ...])   # trace: a row of the table traces

Texts are numbers until the very end: each is in a table once, in the dictionary of its column.
"""

import numpy as np
import pyarrow as pa

from etscope.fleet.dataset import KEY, PLACE, SCHEMAS
from etscope.fleet.device_summaries import DeviceSummary
from etscope.fleet.summaries import Summary, steady_times


class _Columns:
    """Columns of one table, in pieces. A text column takes numbers of texts."""

    def __init__(self, name, texts):
        self._schema, self._texts = SCHEMAS[name], texts
        self._pieces = {column: [] for column in self._schema.names}

    def add(self, count, /, **columns):
        """`count` rows; a text alone is that of all of them."""
        for name, values in columns.items():
            if isinstance(values, str):
                values = np.full(count, self._texts.number(values), np.int32)
            self._pieces[name].append(values)

    def table(self):
        return pa.table([self._column(field) for field in self._schema], self._schema.names)

    def _column(self, field):
        pieces = self._pieces[field.name]
        if field.type == pa.string():
            numbers = np.concatenate(pieces) if pieces else np.zeros(0, np.int32)
            return pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), self._texts.array())
        if pieces and isinstance(pieces[0], np.ndarray):
            return pa.array(np.concatenate(pieces), field.type)
        return pa.array([value for piece in pieces for value in piece], field.type)


class _Texts:
    """Each text once; its number is its place."""

    def __init__(self):
        self._numbers, self._array = {}, None

    def number(self, text):
        return self._numbers.setdefault(text, len(self._numbers))

    def numbers(self, texts):
        return np.array([self.number(text) for text in texts], np.int32)

    def array(self):
        """To be asked for when all texts have their number."""
        if self._array is None or len(self._array) < len(self._numbers):
            self._array = pa.array(self._numbers, pa.string())
        return self._array


def of(traces):
    """{table: pyarrow.Table} of [(row of the table traces, trace_tables.Reading or DeviceSummary)]."""
    texts = _Texts()
    columns = {name: _Columns(name, texts) for name in SCHEMAS if name != "traces"}
    summaries = {}
    for trace, reading in traces:
        key = {name: trace[name] for name in KEY}
        if isinstance(reading, DeviceSummary):
            for row in reading.rows:
                _summary(summaries, key, row.place).add_row(row)
            continue
        _add_runs(columns["runs"], texts, trace["trace"], key, reading.runs)
        _add_operators(columns["operators"], texts, trace["trace"], key, reading)
        _add_events(columns["events"], texts, trace["trace"], key, reading)
        _add_measured(columns["measured"], texts, trace["trace"], key, reading, summaries)
    _add_summaries(columns["summaries"], texts, summaries)
    rows = pa.Table.from_pylist([trace for trace, _ in traces], SCHEMAS["traces"])
    return {"traces": rows, **{name: each.table() for name, each in columns.items()}}


def _add_runs(columns, texts, trace, key, runs):
    numbers = {name: values for name, values in runs.items() if name != "method"}
    columns.add(len(runs["run"]), trace=trace, **key, method=texts.numbers(runs["method"]), **numbers)


def _told(texts, things, names=PLACE):
    """Columns of what is told of each thing: dicts."""
    return {name: np.array([each[name] for each in things], np.int32) if name == "instruction"
            else texts.numbers([each[name] for each in things]) for name in names}  # fmt: skip


def _add_operators(columns, texts, trace, key, reading):
    values = dict(reading.operators)
    place = values.pop("place")
    told = {name: each[place] for name, each in _told(texts, reading.places).items()}
    columns.add(len(place), trace=trace, **key, **told, **values)


def _add_events(columns, texts, trace, key, reading):
    if reading.events is None:
        return
    values = dict(reading.events)
    name = values.pop("name")
    told = _told(texts, reading.names, ("method", "name", "instruction", "kind"))
    columns.add(len(name), trace=trace, **key, **values,
                **{column: each[name] for column, each in told.items()})


def _add_measured(columns, texts, trace, key, reading, summaries):
    """The median of each place's steady runs; the same times go to the summaries."""
    steady = steady_times(reading)
    told = _told(texts, [place for place, _ in steady])
    columns.add(len(steady), trace=trace, **key, **told,
                time_ns=np.array([np.median(times) for _, times in steady], np.float64),
                runs=np.array([len(times) for _, times in steady], np.int64))  # fmt: skip
    for place, times in steady:
        _summary(summaries, key, place).add(times)


def _summary(summaries, key, place):
    """The Summary of a place, made if there is none."""
    group = (*key.values(), *place.values())
    if group not in summaries:
        summaries[group] = Summary()
    return summaries[group]


def _add_summaries(columns, texts, summaries):
    groups = sorted(summaries)
    names = (*KEY, *PLACE)
    for number, name in enumerate(names):
        told = [group[number] for group in groups]
        columns.add(len(groups), **{name: told if name == "instruction" else texts.numbers(told)})
    values = [summaries[group].values() for group in groups]
    for name in ("traces", "count", "sum_ns", "min_ns", "max_ns", "sketch"):
        columns.add(len(groups), **{name: [each[name] for each in values]})

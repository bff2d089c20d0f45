"""Upstream's numeric gap: its rows and columns, by any comparator."""

import contextlib

from etscope._errors import Error, warn
from etscope._library import call, ffi, lib, text
from etscope._tensors import array_of, convert
from etscope.etrecord._reader import ATEN
from etscope.inspector import _gap
from etscope.inspector.numerical_comparator import comparator_for, mapping_of

_OUTPUTS = ("aot_intermediate_output", "runtime_intermediate_output")


def upstream_frame(inspector, distance, is_lenient, graph, inputs, run):
    """The DataFrame of Inspector.calculate_numeric_gap."""
    comparator = comparator_for(distance, inspector)
    with _opened(inspector, is_lenient, graph, run) as report:
        pairs = _Pairs(report, inputs)
    frame = comparator.compare(mapping_of(pairs.values), pairs.aot_names, pairs.runtime_names)
    for column in (column for column in _OUTPUTS if column in frame):
        frame[column] = _series([_plain(value) for value in frame[column]], frame)
    if len(frame) and "aot_ops" in frame:
        traces = [{op: pairs.traces.get(op) for op in ops} for ops in frame["aot_ops"]]
        frame["stacktraces"] = _series(traces, frame)
        if not any(any(found.values()) for found in traces):
            warn("the reference graph has no stack traces: all of the column stacktraces is None")
    return frame


@contextlib.contextmanager
def _opened(inspector, is_lenient, graph, run):
    """The report on the graph that upstream would take. Raises Error if it would not go on."""
    default = None if graph in (None, ATEN) else graph
    with contextlib.ExitStack() as stack:
        report = stack.enter_context(_gap.opened(inspector, default, run))
        reason = report.why_not_aten
        if reason is not None and is_lenient:
            try:
                report, reason = stack.enter_context(_gap.opened(inspector, ATEN, run)), None
            except Error:
                if graph == ATEN:
                    raise
        if reason is not None and graph == ATEN:
            raise Error(
                f"{ATEN} cannot be the reference: {reason}. disable_debug_handle_valdiation=True "
                "compares what can be found; without reference_graph the edge program is taken",
                status="MISMATCH", file=report.file,
            )  # fmt: skip
        yield report
        if reason is not None:
            warn(f"compared with the edge program: {reason}")


class _Pairs:
    """Upstream's pairs, with their values copied.

    values         [(debug handle, (reference value, value at run time))] in upstream's order
    aot_names      {debug handle: [names of nodes]}
    runtime_names  {debug handle: [names of events]}
    traces         {name of a node: stack trace or None}
    """

    def __init__(self, report, inputs):
        self._report = report
        self._debug_values = report.inspector._view.debug_values
        self._tensors = report.inspector._tensors
        out, count = ffi.new("const struct ets_gap_pair **"), ffi.new("uint32_t *")
        call(lib.ets_gap_upstream_pairs, report.pointer, out, count, file=report.file)
        self.aot_names, self.runtime_names, self.traces = {}, {}, {}
        pairs = [out[0][i] for i in range(count[0])]
        handles = [self._add_names(pair) for pair in pairs]
        found = self._evaluate(pairs, inputs)
        self.values = [(handles[i], found[i]) for i in sorted(found)]
        self._warn_of_missing([pair for i, pair in enumerate(pairs) if i not in found])

    def _add_names(self, pair):
        handle = tuple(ffi.unpack(pair.handles, pair.handle_count))
        nodes = [pair.aot_ops[i] for i in range(pair.aot_op_count)]
        names = [text(node.name) for node in nodes]
        self.aot_names[handle] = names
        self.runtime_names[handle] = [
            text(pair.runtime_ops[i]) for i in range(pair.runtime_op_count)
        ]
        self.traces.update(zip(names, (text(node.stack_trace) for node in nodes)))
        return handle

    def _evaluate(self, pairs, inputs):
        """{number of a pair: (reference value, value at run time)}"""
        found, failures = {}, []

        def observe(context, number, reference, device, error):
            found[number] = self._values(pairs[number], reference)
            return lib.ETS_OK

        observer = ffi.callback(
            "ets_gap_pair_observer *", observe, error=lib.ETS_NO_MEMORY,
            onerror=lambda kind, failure, trace: failures.append(failure),
        )  # fmt: skip
        try:
            self._report.evaluate(
                lambda how, error: lib.ets_gap_upstream_evaluate(
                    self._report.pointer, how, observer, ffi.NULL, error
                ),
                inputs,
            )
        except Error:
            if failures:
                raise failures[0] from None
            raise
        return found

    def _values(self, pair, reference):
        payload_at = self._report.inspector._view.payload_at
        value = self._debug_values.at(payload_at[pair.event])
        expected = array_of(reference)
        if isinstance(value, (bool, int, float)):
            return expected.item(), value
        expected = convert(expected, self._tensors)
        if not pair.is_list:
            return expected, value
        return (expected,), tuple(value) if isinstance(value, list) else (value,)

    def _warn_of_missing(self, pairs):
        if pairs:
            names = ", ".join(text(pair.node.name) for pair in pairs)
            warn(f"left out rows in which one of the two values is missing ({names}); "
                 "numeric_gap() says why")  # fmt: skip


def _plain(value):
    """Converts values for users, without the internal array class of keys."""
    import numpy as np

    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.view(np.ndarray) if isinstance(value, np.ndarray) else value


def _series(values, frame):
    import pandas as pd

    return pd.Series(values, index=frame.index, dtype=object)

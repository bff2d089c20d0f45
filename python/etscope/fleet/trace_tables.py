"""One trace as rows of the data set's tables: runs, and operators per run.

The C library reads the trace, and its events come as Arrow columns; they are grouped by run and row
by pyarrow, so that no Python code sees an event.
"""

import pyarrow as pa
import pyarrow.compute as pc

from etscope import Inspector
from etscope._library import NULL, ffi, lib, text
from etscope.fleet.dataset import SCHEMAS

# Nanoseconds of a tick. Cycles have no unit: a trace that counts them needs --source-time-scale.
_TICK_NS = {
    lib.ETS_UNIT_NS: 1.0, lib.ETS_UNIT_US: 1e3, lib.ETS_UNIT_MS: 1e6, lib.ETS_UNIT_S: 1e9,
}  # fmt: skip
_WHOLE = "Method::execute"


class NoUnit(ValueError):
    """The trace counts ticks of a clock whose unit is not known."""


def read(data, **options):
    """({"runs", "operators"} as pyarrow tables without keys, facts) of a trace's bytes.

    Raises Error as Inspector does, and NoUnit.
    """
    inspector = Inspector(etdump_data=data, **options)
    pointer = inspector._view.handle.pointer
    tick = _TICK_NS.get(lib.ets_inspection_tick_unit(pointer, NULL))
    if tick is None:
        raise NoUnit("its clock counts cycles, whose length the trace does not tell")
    events = pa.table(inspector.events)
    profile = events.filter(pc.equal(events["kind"], "profile"))
    whole = profile.filter(pc.equal(profile["name"], _WHOLE))
    tables = {"runs": _runs(inspector, whole, profile, tick),
              "operators": _operators(pointer, profile, whole, tick)}  # fmt: skip
    return tables, {"runs": tables["runs"].num_rows, "events": events.num_rows}


def _runs(inspector, whole, profile, tick):
    phases = inspector.by_run()
    warm = set(phases.loc[phases["phase"] == "warm-up", "run"].tolist())
    runs = whole["run"].to_pylist()
    counts = profile.group_by("run").aggregate([("row", "count")])
    calls = dict(zip(counts["run"].to_pylist(), counts["row_count"].to_pylist()))
    times = [ticks * tick for ticks in whole["ticks"].to_pylist()]
    start = [start * tick for start in whole["start"].to_pylist()]
    return pa.table({
        "method": pa.array([method or "" for method in whole["method"].to_pylist()], pa.string()),
        "run": pa.array(runs, pa.int32()), "start_ns": pa.array(start, pa.float64()),
        "time_ns_lower": times, "time_ns": times, "time_ns_upper": times,
        "unreported_ns": pa.nulls(len(runs), pa.float64()),
        "calls": pa.array([calls.get(run, 0) for run in runs], pa.int64()),
        "warm_up": pa.array([run in warm for run in runs], pa.bool_()),
    })  # fmt: skip


def _operators(pointer, profile, whole, tick):
    """A row for each run and operator: its calls and their time."""
    sums = profile.group_by(["run", "row"]).aggregate([("ticks", "sum"), ("ticks", "count")])
    sums = sums.filter(pc.is_in(sums["run"], whole["run"].combine_chunks()))
    told = {row: _row_of(pointer, row) for row in pc.unique(sums["row"]).to_pylist()}
    told = {row: each for row, each in told.items() if each is not None}
    rows = pa.array(told, pa.uint32())
    sums = sums.filter(pc.is_in(sums["row"], rows))
    which = pc.index_in(sums["row"], rows)
    run = pc.index_in(sums["run"], whole["run"].combine_chunks())

    def of_row(name, type):
        return pa.array([each[name] for each in told.values()], type).take(which)

    calls = pc.cast(sums["ticks_count"], pa.int64())
    lower = pc.multiply(pc.cast(sums["ticks_sum"], pa.float64()), tick)
    steps = pc.multiply(of_row("quantum", pa.float64()), tick)
    upper = pc.add(lower, pc.multiply(steps, pc.cast(calls, pa.float64())))
    methods = pa.array([method or "" for method in whole["method"].to_pylist()], pa.string())
    schema = SCHEMAS["operators"]
    return pa.table({
        "method": methods.take(run), "run": pc.cast(sums["run"], pa.int32()),
        **{name: of_row(name, schema.field(name).type)
           for name in ("operator", "instruction", "kind", "backend", "module", "source")},
        "calls": calls, "time_ns_lower": lower,
        "time_ns": pc.multiply(pc.add(lower, upper), 0.5), "time_ns_upper": upper,
    })  # fmt: skip


def _row_of(pointer, index):
    """What a row is; None for one that encloses others and is no delegate call."""
    row = lib.ets_inspection_row(pointer, index)
    name = text(row.name)
    if row.chain == -1 or name == "OPERATOR_CALL":
        return None
    inside = bool(row.is_delegated) or row.delegate_id >= 0 or bool(text(row.delegate_name))
    kind = "delegate_call" if name == "DELEGATE_CALL" else (
        "delegate_event" if inside else "operator")  # fmt: skip
    backend = "" if row.backend == NULL else ffi.string(row.backend).decode("utf-8", "replace")
    module, source = _place(row)
    return {"operator": name[len("native_call_"):] if name.startswith("native_call_") else name,
            "instruction": row.instruction, "kind": kind, "backend": backend, "module": module,
            "source": source, "quantum": float(row.quantum_ticks)}  # fmt: skip


def _place(row):
    """Module and "file:line" of its first node that has a line; "" where it is not known."""
    for i in range(row.node_count):
        node = row.nodes[i].node
        frame = lib.ets_graph_user_frame(node)
        if frame != NULL:
            return text(lib.ets_graph_module_path(node)) or "", f"{text(frame.file)}:{frame.line}"
    return "", ""

"""One trace as arrays: its runs, the time of each operator in each run, and what each operator is.

    reading = trace_tables.read(data, etrecord=record)
    reading.runs["time_ns"]                 # an item for each run
    reading.operators["time_ns"]            # an item for each operator and run, operator by operator
    reading.places[reading.operators["place"][0]]["operator"]

The C library reads the trace. NumPy adds its columns up as they lie in the library's memory, so that
no Python code sees an event, and no text is made for one.
"""

import hashlib

import numpy as np

from etscope._library import NO_INDEX, NULL, Handle, Source, call, ffi, lib, text
from etscope.fleet.dataset import PLACE
from etscope.fleet.origins import Origins
from etscope.fleet.summaries import UNNAMED

# Nanoseconds of a tick. Cycles have no unit: a trace that counts them needs --source-time-scale.
_TICK_NS = {
    lib.ETS_UNIT_NS: 1.0, lib.ETS_UNIT_US: 1e3, lib.ETS_UNIT_MS: 1e6, lib.ETS_UNIT_S: 1e9,
}  # fmt: skip
UNITS = {"ns": lib.ETS_UNIT_NS, "us": lib.ETS_UNIT_US, "ms": lib.ETS_UNIT_MS, "s": lib.ETS_UNIT_S,
         "cycles": lib.ETS_UNIT_CYCLES}  # fmt: skip
_STAGES = {lib.ETS_STAGE_PREFILL: "prefill", lib.ETS_STAGE_DECODE: "decode", lib.ETS_STAGE_ENCODE: "encode"}
_WHOLE = "Method::execute"
_TYPES = {"run": np.uint32, "kind": np.uint8, "start": np.uint64, "end": np.uint64}


class NoUnit(ValueError):
    """The trace counts ticks of a clock whose unit is not known."""


class Reading:
    """A trace's content. All arrays are copies.

    facts      {"kind": "trace", "program": fingerprint in hexadecimal or "", "runs", "events", "lost_events"}
    places     [{column of dataset.PLACE: value}]: the operators
    runs       {"method": list, "run", "start_ns", "time_ns", "calls", "warm_up": arrays}
    operators  {"place", "run", "calls", "time_ns_lower", "time_ns", "time_ns_upper", "warm_up"}:
               arrays, sorted by place, then by run
    names      [{"method", "name", "instruction", "kind"}]: what is logged; empty without events
    events     {"name", "run", "start_ns", "time_ns"}: arrays with an item for each timed event, in
               order of logging; `name` is a place in `names`; None without events
    unknown_methods  how many methods without a name were told apart by their operators
    has_wide_calls   whether delegate calls are of several modules

    Runs whose begin a ring overwrote are left out: without their start, sums would be too small.
    """

    labels = {}

    def __init__(self, facts, places, runs, operators, names=(), events=None, unknown_methods=0,
                 has_wide_calls=False):  # fmt: skip
        self.facts, self.places, self.runs, self.operators = facts, places, runs, operators
        self.names, self.events, self.unknown_methods = names, events, unknown_methods
        self.has_wide_calls = has_wide_calls

    @property
    def has_origins(self):
        """Whether the ETRecord tells of any operator where it is from."""
        return any(place["module"] or place["source"] for place in self.places)

    @property
    def has_operators(self):
        """For each item of `runs` whether operators were recorded in it."""
        has = np.zeros(self.runs["run"].max(initial=-1) + 1, bool)
        has[self.operators["run"]] = True
        return has[self.runs["run"]]


def read(data, *, etrecord=None, unit="ns", with_events=False):
    """The Reading of a trace's bytes. `etrecord` is open; `unit` is of traces that do not tell theirs.

    Raises Error as Inspector does, and NoUnit.
    """
    source = Source.of_buffer(data)
    options = {"tick_unit": UNITS[unit]}
    if etrecord is not None:
        options["record"] = etrecord._handle.pointer
    out = ffi.new("struct ets_inspection **")
    call(lib.ets_inspection_open, source.bytes, ffi.new("struct ets_inspect_options *", options), out)
    handle = Handle(out[0], lib.ets_inspection_close, source, etrecord)
    return _read(handle.pointer, with_events)


def _read(inspection, with_events):
    tick = _TICK_NS.get(lib.ets_inspection_tick_unit(inspection, NULL))
    if tick is None:
        raise NoUnit("its clock counts cycles, whose length the trace does not tell:"
                     " --source-time-scale tells it")  # fmt: skip
    columns, durations = _columns(inspection)
    rows = [_Row(inspection, i) for i in range(lib.ets_inspection_row_count(inspection))]
    events, bounds = _events_of_rows(inspection, len(rows))
    blocks, is_cut = _runs_of(inspection)
    warm_up = _warm_up(inspection, blocks)
    methods, unknown = _methods(inspection, rows, {block for block, cut in zip(blocks, is_cut.tolist()) if not cut})
    runs = _runs([methods[block] for block in blocks], rows, events, bounds, columns, durations, is_cut, warm_up, tick)
    origins = Origins()
    places, operators = _operators(methods, origins, rows, events, bounds, columns, durations,
                                   np.unique(runs["run"]), warm_up, tick)  # fmt: skip
    facts = {"kind": "trace", **_facts(inspection), "runs": len(runs["run"]), "events": len(columns["run"])}
    names, logged = (), None
    if with_events:
        names, logged = _logged(methods, rows, events, bounds, columns, durations, tick)
    return Reading(facts, places, runs, operators, names, logged, unknown, origins.has_wide_calls)


class _Row:
    """A row of the inspection with its texts, each of which is asked for once."""

    def __init__(self, inspection, index):
        self.of = row = lib.ets_inspection_row(inspection, index)
        self.block, self.instruction = row.block, row.instruction
        self.name = text(row.name) or ""
        self.kind = _kind(row, self.name)


def _array(pointer, count, type):
    if not count:
        return np.zeros(0, type)
    return np.frombuffer(ffi.buffer(pointer, count * np.dtype(type).itemsize), type)


def _columns(inspection):
    """The library's columns of events, and how long each took in ticks, as ets_inspection_ticks."""
    table = lib.ets_inspection_events(inspection)
    columns = {name: _array(getattr(table, name), table.count, type) for name, type in _TYPES.items()}
    start, end = columns["start"], columns["end"]
    durations = end - start
    odd = np.flatnonzero(end < start)
    wrapped = start[odd] <= 0xFFFFFFFF
    durations[odd] = np.where(wrapped, end[odd] + np.uint64(1 << 32) - start[odd], 0)
    return columns, durations


def _events_of_rows(inspection, row_count):
    """(events of all rows, row by row; where each row's begin)."""
    if row_count == 0:
        return np.zeros(0, np.uint32), np.zeros(1, np.int64)
    events, count = ffi.new("const uint32_t **"), ffi.new("uint32_t *")
    counts = []
    for row in range(row_count):
        lib.ets_inspection_row_events(inspection, row, events, count)
        if row == 0:
            first = events[0]
        counts.append(count[0])
    bounds = np.concatenate([[0], np.cumsum(counts)])
    return _array(first, int(bounds[-1]), np.uint32), bounds


def _runs_of(inspection):
    """(the block of each run, whether a ring overwrote its begin or it was lost, as the extra block tells)."""
    runs = [lib.ets_inspection_run(inspection, run) for run in range(lib.ets_inspection_run_count(inspection))]
    return [run.block for run in runs], np.array([bool(run.is_partial) for run in runs], bool)


def _warm_up(inspection, blocks):
    """For each run whether it is one of its block's first, slow ones."""
    is_warm_up, left = [], {}
    phases = ffi.new("struct ets_run_phases *")
    for block in blocks:
        if block not in left:
            total = lib.ets_inspection_total_row(inspection, block)
            if total != NO_INDEX:
                call(lib.ets_run_phases_of_row, inspection, total, NULL, phases)
            left[block] = 0 if total == NO_INDEX else phases.warm_up
        is_warm_up.append(left[block] > 0)
        left[block] -= left[block] > 0
    return np.array(is_warm_up, bool)


def _method(inspection, block):
    """The method that a block executes, by the trace or by the ETRecord; "" if it is not known.

    Prefill and decode of a language model are told apart as in headlines: "forward decode".
    """
    found = lib.ets_inspection_block(inspection, block)
    is_known = found.method_state == lib.ETS_METHOD_FOUND or found.is_method_named
    method = (text(found.method) or "") if is_known else ""
    return " ".join(filter(None, (method, _STAGES.get(found.stage))))


def _methods(inspection, rows, whole):
    """(the method of each block, number of those without a name that are told apart).

    Where several blocks execute something unknown, their operators tell them apart: the method is
    then "block " and a hash of these, which is the same in other traces. One alone is "", and so is
    what has no operators: a tracer can leave these out of some runs. `whole` are the blocks of runs
    that have their begin.
    """
    names = [_method(inspection, block) for block in range(lib.ets_inspection_block_count(inspection))]
    unknown = {row.block: set() for row in rows if row.name == _WHOLE and row.block in whole and not names[row.block]}
    if len(unknown) < 2:
        return names, 0
    for row in rows:
        if row.block in unknown and row.kind in ("operator", "delegate_call"):
            unknown[row.block].add(f"{row.of.chain} {row.instruction} {row.name}")
    unknown = {block: operators for block, operators in unknown.items() if operators}
    hashes = {block: hashlib.sha256("\n".join(sorted(operators)).encode()).hexdigest()[:8]
              for block, operators in unknown.items()}  # fmt: skip
    count = len(set(hashes.values()))
    if count < 2:
        return names, 0
    for block, hash_ in hashes.items():
        names[block] = f"block {hash_}"
    return names, count


def _runs(methods, rows, events, bounds, columns, durations, is_cut, warm_up, tick):
    """Of those that executed a method; `methods` has that of each run."""
    whole = [events[bounds[i] : bounds[i + 1]] for i, row in enumerate(rows) if row.name == _WHOLE]
    whole = np.sort(np.concatenate(whole)) if whole else np.zeros(0, np.uint32)
    whole = whole[~is_cut[columns["run"][whole]]]
    run = columns["run"][whole]
    calls = np.bincount(columns["run"][columns["kind"] == lib.ETS_EVENT_PROFILE], minlength=len(warm_up))
    return {"method": [methods[each] for each in run.tolist()], "run": run.astype(np.int32),
            "start_ns": columns["start"][whole] * tick, "time_ns": durations[whole] * tick,
            "calls": calls[run].astype(np.int64), "warm_up": warm_up[run]}  # fmt: skip


def _operators(methods, origins, rows, events, bounds, columns, durations, whole_runs, warm_up, tick):
    """([what each operator is], its time in each run that executed a method)."""
    numbers, places = {}, []
    place_of_row = np.full(len(rows), -1, np.int32)
    quantum, scale = np.zeros(len(rows)), np.ones(len(rows))
    for i, row in enumerate(rows):
        place = _place(methods, origins, row)
        if place is None:
            continue
        # Rows of several blocks can be of one operator.
        place_of_row[i] = numbers.setdefault(tuple(place.values()), len(places))
        if place_of_row[i] == len(places):
            places.append(place)
        scale[i] = _scale(row.of)
        quantum[i] = row.of.quantum_ticks
    is_whole = np.zeros(len(warm_up), bool)
    is_whole[whole_runs] = True
    row, events = _events_of_places(place_of_row, events, np.diff(bounds))
    run = columns["run"][events]
    if not is_whole.all():
        keep = np.flatnonzero(is_whole[run])
        row, events, run = row[keep], events[keep], run[keep]
    if len(numbers) < np.count_nonzero(place_of_row >= 0):
        order = np.argsort(place_of_row[row], kind="stable")
        row, events, run = row[order], events[order], run[order]
    ticks = durations[events]
    is_first = np.ones(len(row), bool)
    is_first[1:] = (row[1:] != row[:-1]) | (run[1:] != run[:-1])
    first = np.flatnonzero(is_first)
    calls = np.diff(first, append=len(row)).astype(np.int32)
    if len(first) < len(row):
        ticks, row, run = np.add.reduceat(ticks, first), row[first], run[first]
    lower = ticks * scale[row] * tick
    upper = lower + quantum[row] * scale[row] * tick * calls if quantum.any() else lower
    return places, {
        "place": place_of_row[row], "run": run.astype(np.int32), "calls": calls, "time_ns_lower": lower,
        "time_ns": lower if upper is lower else (lower + upper) / 2, "time_ns_upper": upper,
        "warm_up": warm_up[run],
    }  # fmt: skip


def _events_of_places(place_of_row, events, counts):
    """(the row of each event, these events) of the rows that are of a place, row by row."""
    is_place = place_of_row >= 0
    rows = np.flatnonzero(is_place).astype(np.int32)
    return np.repeat(rows, counts[rows]), events[np.repeat(is_place, counts)]


def _logged(methods, rows, events, bounds, columns, durations, tick):
    """(names, events) of a Reading. Times of a clock that is not known are left out."""
    has_time = np.array([not _has_unknown_clock(row.of) for row in rows], bool)
    row = np.repeat(np.arange(len(rows)), np.diff(bounds))
    order = np.argsort(events, kind="stable")
    order = order[has_time[row[order]]] if len(rows) else order
    row, event = row[order], events[order]
    scale = np.array([_scale(each.of) for each in rows], np.float64)
    names = [{"method": methods[each.block], "name": each.name or UNNAMED,
              "instruction": each.instruction, "kind": each.kind} for each in rows]  # fmt: skip
    return names, {"name": row, "run": columns["run"][event].astype(np.int32),
                   "start_ns": columns["start"][event] * tick,
                   "time_ns": durations[event] * (scale[row] * tick)}  # fmt: skip


def _has_unknown_clock(row):
    """Or one that measures no times: counters, and estimates."""
    timeless = (lib.ETS_CLOCK_UNKNOWN, lib.ETS_CLOCK_ESTIMATED, lib.ETS_CLOCK_COUNTED)
    return row.clock != NULL and row.clock.state in timeless


def _scale(row):
    """Ticks of the trace in a tick of the row's clock."""
    return row.clock.scale if row.clock != NULL and row.clock.state == lib.ETS_CLOCK_FITTED else 1.0


def _kind(row, name):
    """runtime and operator_call enclose others; the other kinds are those of operators."""
    if row.chain == -1:
        return "runtime"
    if name in ("OPERATOR_CALL", "DELEGATE_CALL"):
        return name.lower()
    inside = bool(row.is_delegated) or row.delegate_id >= 0 or bool(text(row.delegate_name))
    return "delegate_event" if inside else "operator"


def _place(methods, origins, row):
    """What a row is, by dataset.PLACE.

    None for one that encloses others and is no delegate call, and for one whose clock is not known.
    """
    if row.kind in ("runtime", "operator_call") or _has_unknown_clock(row.of):
        return None
    is_call = row.kind == "delegate_call" or row.of.tie == lib.ETS_TIE_CALL
    module, source = origins.of_row(row.of, is_call)
    values = (methods[row.block], row.name.removeprefix("native_call_") or UNNAMED, row.instruction, row.kind,
              text(row.of.backend) or "", module, source)  # fmt: skip
    return dict(zip(PLACE, values))


def hexadecimal(bytes_):
    """A struct ets_bytes as text; "" if it is absent."""
    return "" if bytes_.data == NULL else bytes(ffi.buffer(bytes_.data, bytes_.size)).hex()


def _facts(inspection):
    """What the extra block tells: which program ran, and how many events were lost."""
    facts = lib.ets_inspection_trace(inspection)
    if facts == NULL:
        return {"program": "", "lost_events": 0}
    return {"program": hexadecimal(facts.fingerprint), "lost_events": facts.state.dropped + facts.state.overwritten}

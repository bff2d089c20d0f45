"""What a program computes and moves: operations, bytes, and their ratio, by operator.

    from etscope.cost import Cost

    cost = Cost("model.pte", etrecord="model.etrecord")
    print(cost.headline)
    print(cost.by_module(depth=2))

Counted from shapes, without running the program; docs/cost.md has the conventions. With a trace,
Cost(inspector) has the same beside the times, and Cost(inspector, machine="machine.json") what a
machine's roofs say of them (docs/machine.md). NumPy and pandas are imported by the methods that
give a DataFrame.
"""

import dataclasses
import math
import os
from typing import List, Optional

from etscope._errors import Error
from etscope._library import NO_INDEX, NULL, Handle, call, ffi, lib, text
from etscope._opened import opened_program, opened_source

__all__ = ["Cost", "OperatorCost"]


@dataclasses.dataclass(frozen=True)
class OperatorCost:
    """The work of an operator when it runs once; of a row of a trace, in one run.

    Numbers are None where the operator cannot be counted, and then `reason` says why. `state` is
    "known"; "at most" if upper bounds stood for dynamic sizes; "example" if those of the export's
    inputs did; "partial" if some of what it encloses is not counted; "unknown"; None for events of
    the framework that run no operator.
    """

    name: str
    method: Optional[str]
    instruction: Optional[int]
    inside: Optional[int]  # number within its delegate call; None: the instruction itself
    taken: bool  # part of the total: on the path through the method that computes most
    state: Optional[str]
    reason: Optional[str]
    arithmetic: Optional[str]  # "float32", "int8", "int8 dynamic"...
    flops: Optional[int]  # 2 * macs + ops
    macs: Optional[int]  # multiply-adds of convolutions, matrix products, attention
    ops: Optional[int]  # all other arithmetic
    special_ops: Optional[int]  # of these, evaluations of exp, erf, tanh and the like
    read_bytes: Optional[int]
    weight_bytes: Optional[int]
    written_bytes: Optional[int]
    not_counted: int  # operators that are in no number
    folded: int  # batch norms whose work is in weights
    source: List[str]
    module: List[str]
    # With a machine, of rows that it judges; else None.
    verdict: Optional[str] = None  # "compute-bound", "memory-bound", "below the roof"...
    verdict_reason: Optional[str] = None  # why it is "unknown"
    roof: Optional[str] = None  # what bounds it: "compute", "bandwidth", "call"
    level: Optional[str] = None  # the cache that holds its bytes
    bound_ns: Optional[float] = None  # what it takes in a run at the roof
    of_roof: Optional[float] = None  # the bound's share of its shortest time, and
    of_roof_upper: Optional[float] = None  # the upper end, where the clock is coarse
    saved_ns: Optional[float] = None  # what a run would save; of an enclosing row all inside of it

    @property
    def moved_bytes(self):
        """All bytes that must move, None where they are not known."""
        if self.flops is None:
            return None
        return self.read_bytes + self.weight_bytes + self.written_bytes

    @property
    def intensity(self):
        """Operations per byte; None where either is not known, or no byte moves."""
        known = self.state in ("known", "at most", "example")
        return self.flops / self.moved_bytes if known and self.moved_bytes else None


_ROOF_NAMES = ("verdict", "verdict_reason", "roof", "level")
_ROOF_NUMBERS = ("bound_ns", "of_roof", "of_roof_upper", "saved_ns")
_NUMBERS = ("flops", "macs", "ops", "special_ops", "read_bytes", "weight_bytes", "written_bytes")


def _known(number):
    return None if math.isnan(number) else number


def _roofs(reader):
    """[(name, whether it is a bandwidth, operations or bytes in a second)] of the machine."""
    count = ffi.new("uint32_t *")
    roofs = lib.ets_cost_reader_roofs(reader, count)
    return [(text(roofs[i].name), bool(roofs[i].is_bandwidth), roofs[i].rate)
            for i in range(count[0])]  # fmt: skip


def _operator(row):
    numbers = {name: getattr(row, name) if row.has_numbers else None for name in _NUMBERS}
    return OperatorCost(
        name=text(row.name),
        method=text(row.method),
        instruction=None if row.instruction < 0 else row.instruction,
        inside=None if row.unit == NO_INDEX else row.unit,
        taken=bool(row.is_taken),
        state=text(row.state),
        reason=text(row.reason),
        arithmetic=text(row.arithmetic),
        **numbers,
        not_counted=row.not_counted,
        folded=row.folded,
        source=[text(row.sources[i]) for i in range(row.source_count)],
        module=[text(row.modules[i]) for i in range(row.module_count)],
        **{name: text(getattr(row, name)) for name in _ROOF_NAMES},
        **{name: _known(getattr(row, name)) for name in _ROOF_NUMBERS},
    )


class Cost:
    """The work of a program's methods, or of the rows of a trace.

    program   path or bytes of a .pte or .bpte; or an Inspector, whose rows are then counted
    etrecord  path of the ETRecord, or an ETRecord: adds source lines and modules
    method    only this method
    machine   of an Inspector: path or bytes of a file that `etscope machine --save` wrote, to hold
              its rows against
    threads   how many threads ran, for `machine`; None: the most that were measured

    An Inspector needs program= or etrecord= of its own; without both, everything is unknown.

    Raises Error: NOT_FOUND for a method that is not in the program, or threads that the machine
    was not measured with; MISMATCH for a record of another program; and those of reading a file.
    """

    def __init__(self, program, etrecord=None, method=None, machine=None, threads=None):
        from etscope.inspector import Inspector

        if isinstance(program, Inspector):
            if etrecord is not None or method is not None:
                raise Error("an Inspector has its own etrecord and methods",
                            status="INVALID_ARGUMENT")  # fmt: skip
            self._read_inspector(program, machine, threads)
            return
        if machine is not None or threads is not None:
            raise Error("machine= and threads= need a trace: pass an Inspector",
                        status="INVALID_ARGUMENT")  # fmt: skip
        source, parsed = opened_program(program)
        record, path = NULL, None
        keeps = [source, parsed]
        if etrecord is not None:
            from etscope.etrecord import parse_etrecord

            if isinstance(etrecord, (str, os.PathLike)):
                path, etrecord = os.fspath(etrecord), parse_etrecord(os.fspath(etrecord))
            record = etrecord._handle.pointer
            keeps.append(etrecord)
        name = NULL if method is None else ffi.new("char[]", method.encode())
        out = ffi.new("struct ets_cost_reader **")
        try:
            call(lib.ets_cost_reader_program, parsed, record, name, out, file=source.path)
        except Error as error:
            if error.status == "MISMATCH" and path is not None:
                error.file = path
            raise
        self._read(Handle(out[0], lib.ets_cost_reader_close, *keeps))

    @classmethod
    def of_inspector(cls, inspector, machine=None, threads=None):
        """The work of the rows of a trace, each in one run of its block, with their times."""
        return cls(inspector, machine=machine, threads=threads)

    def _read_inspector(self, inspector, machine, threads):
        trace, path, given = inspector._view.handle, None, NULL
        if machine is not None:
            source = opened_source(machine)
            path = source.path
            given = ffi.new("struct ets_cost_machine *", {"file": source.bytes,
                                                          "threads": threads or 0})  # fmt: skip
        out = ffi.new("struct ets_cost_reader **")
        with trace.lock:
            call(lib.ets_cost_reader_inspection, trace.pointer, given, out, file=path)
        self._read(Handle(out[0], lib.ets_cost_reader_close, trace), trace)
        self._has_machine = machine is not None

    def _read(self, handle, trace=None):
        count = lib.ets_cost_reader_count(handle.pointer)
        rows = [lib.ets_cost_reader_row(handle.pointer, i) for i in range(count)]
        self.headline = text(lib.ets_cost_reader_headline(handle.pointer))
        self._roofs = _roofs(handle.pointer)
        self.operators = [_operator(row) for row in rows]
        self._times = None if trace is None else [_times(trace, row.row) for row in rows]

    def __repr__(self):
        return f"<Cost: {self.headline}>"

    def _total(self, name):
        counted = (getattr(operator, name) for operator in self.operators if self._is_part(operator))
        return sum(number for number in counted if number is not None)

    def _is_part(self, operator):
        if self._times is not None:
            raise Error("a trace has several runs; take the rows of one block",
                        status="INVALID_ARGUMENT")  # fmt: skip
        return operator.taken and operator.inside is None

    @property
    def flops(self):
        """Of one run of each method: the sum over what is counted. See `not_counted`."""
        return self._total("flops")

    @property
    def macs(self):
        return self._total("macs")

    @property
    def moved_bytes(self):
        return self._total("moved_bytes")

    @property
    def not_counted(self):
        """Operators that are in none of the sums."""
        return self._total("not_counted")

    def to_dataframe(self):
        """A row for each operator; calls of delegates are followed by what they run inside."""
        import pandas

        fields = [field.name for field in dataclasses.fields(OperatorCost)]
        columns = {
            name: [getattr(operator, name) for operator in self.operators]
            for name in [*fields, "moved_bytes", "intensity"]
        }
        for name in (*_NUMBERS, "moved_bytes", "instruction", "inside"):
            columns[name] = pandas.array(columns[name], dtype="Int64")
        if self._times is not None:
            for name in ("method", "inside", "taken", "source", "module"):
                del columns[name]  # these are the trace's
        if self._times is None or not self._has_machine:
            for name in (*_ROOF_NAMES, *_ROOF_NUMBERS):
                del columns[name]
        if self._times is not None:
            for name in self._times[0] if self._times else ():
                columns[name] = [times[name] for times in self._times]
        frame = pandas.DataFrame(columns)
        if self._times is not None and len(frame):
            frame["gflops_per_s"] = frame["flops"].astype("Float64") / frame["p50_ns"]
            frame["gbytes_per_s"] = frame["moved_bytes"].astype("Float64") / frame["p50_ns"]
        return frame

    def _leaves(self):
        """Each operator once: of a delegate call what it runs inside, where that is known."""
        rows = [operator for operator in self.operators if operator.taken]
        calls = {(row.method, row.instruction) for row in rows if row.inside is not None}
        return [row for row in rows
                if row.inside is not None or (row.method, row.instruction) not in calls]  # fmt: skip

    def _grouped(self, key, name):
        import pandas

        groups = {}
        for operator in self._leaves():
            group = groups.setdefault(key(operator), dict.fromkeys(
                ("operators", "flops", "macs", "moved_bytes", "not_counted"), 0))  # fmt: skip
            group["operators"] += 1
            for number in ("flops", "macs", "moved_bytes", "not_counted"):
                group[number] += getattr(operator, number) or 0
        frame = pandas.DataFrame([{name: key, **group} for key, group in groups.items()])
        return frame.sort_values("flops", ascending=False, ignore_index=True) if len(frame) else frame

    def by_operator(self):
        """A row for each kind of operator, the most expensive first."""
        return self._grouped(lambda operator: operator.name, "operator")

    def by_module(self, depth=None):
        """A row for each module, or list of modules; with `depth` only so many levels."""

        def key(operator):
            paths = [".".join(path.split(".")[:depth]) for path in operator.module]
            return ", ".join(dict.fromkeys(paths)) or "(no module)"

        return self._grouped(key, "module")


def _times(trace, row):
    """Of a row: its block, its calls in a run, and its time in a run in nanoseconds."""
    inspected = lib.ets_inspection_row(trace.pointer, row)
    statistics = ffi.new("struct ets_statistics *")
    with trace.lock:
        call(lib.ets_inspection_row_statistics, trace.pointer, row, NO_INDEX, statistics)
    unit = lib.ets_inspection_tick_unit(trace.pointer, NULL)
    scale = {lib.ETS_UNIT_NS: 1, lib.ETS_UNIT_US: 1e3, lib.ETS_UNIT_MS: 1e6, lib.ETS_UNIT_S: 1e9}
    is_known = unit in scale and not lib.ets_row_has_own_clock(inspected)
    return {
        "block": inspected.block,
        "depth": inspected.depth,
        "calls": inspected.calls_per_run,
        "p50_ns": statistics.p50 * scale[unit] if is_known else float("nan"),
        "resolution_ns": inspected.quantum_ticks * scale.get(unit, float("nan")),
    }

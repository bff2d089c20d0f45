"""One dump, joined with its record, as columns: what events and data frames are made of."""

import contextlib
from functools import cached_property

from etscope._library import NULL, Handle, call, ffi, lib, text
from etscope._program import program_of
from etscope._tensors import DebugValues
from etscope.graph import modules_of
from etscope.inspector import _frame
from etscope.inspector._time import TimeScale, elapsed

_UNITS = {
    TimeScale.NS: lib.ETS_UNIT_NS,
    TimeScale.US: lib.ETS_UNIT_US,
    TimeScale.MS: lib.ETS_UNIT_MS,
    TimeScale.S: lib.ETS_UNIT_S,
    TimeScale.CYCLES: lib.ETS_UNIT_CYCLES,
}

_EVENT_BYTES = ffi.sizeof("struct ets_upstream_event")
_FRAMEWORK = ("Method::init", "Program::load_method", "Method::execute")


class View:
    """The dump's blocks, times in the target scale.

    `program` is a Source or None; `options` are the library's own: method, partial, allow_mismatch.
    """

    def __init__(self, dump, record, program, source_scale, target_scale, **options):
        keeps = [dump]
        fields = {"tick_unit": _UNITS[source_scale]}
        if program is not None:
            fields["program"] = program_of(program)
            keeps += [program, fields["program"]]
        for name, value in options.items():
            if isinstance(value, str):
                value = ffi.new("char[]", value.encode("utf-8", "surrogateescape"))
                keeps.append(value)
            fields[name] = NULL if value is None else value
        self._record = record
        if record is not None:
            fields["record"] = record._handle.pointer
            keeps.append(record)
        out = ffi.new("struct ets_inspection **")
        view = ffi.new("const struct ets_upstream_view **")
        with contextlib.nullcontext() if record is None else record._handle.lock:
            call(
                lib.ets_inspection_open, dump.bytes,
                ffi.new("struct ets_inspect_options *", fields), out, file=dump.path,
            )  # fmt: skip
            self.handle = Handle(out[0], lib.ets_inspection_close, *keeps)
            unit = lib.ets_inspection_tick_unit(out[0], NULL)
            call(
                lib.ets_inspection_mended_view, out[0], unit, _UNITS[target_scale], view,
                file=dump.path,
            )  # fmt: skip
        self.program = fields.get("program", NULL)  # struct ets_program *
        self.source_scale = next(scale for scale in TimeScale if _UNITS[scale] == unit)
        self.dump = dump
        self.ties_delegates = program is not None  # events of delegates are those of its payloads
        self.graph = None  # nodes are looked up in this Graph, not in the edge program
        self.converter = None  # of delegates' times
        self.debug_values = None
        self.blocks = [Block(self, view[0].blocks[i]) for i in range(view[0].block_count)]
        self._nodes = {}

    @property
    @contextlib.contextmanager
    def lock(self):
        """Held while a view of the library's is built, which may read the record."""
        with contextlib.ExitStack() as locks:
            if self._record is not None:
                locks.enter_context(self._record._handle.lock)
            locks.enter_context(self.handle.lock)
            yield

    def read_debug_data(self, buffer, tensors):
        """Sets where captured tensors come from: a Source, or None."""
        dump = lib.ets_inspection_dump(self.handle.pointer)
        self.debug_values = DebugValues(dump, buffer, self.dump.path, tensors)

    @cached_property
    def payload_at(self):
        return lib.ets_inspection_events(self.handle.pointer).payload_at

    def node(self, pointer):
        """(key, op, stack trace, modules) of a struct ets_graph_node."""
        address = int(ffi.cast("uintptr_t", pointer))
        if address not in self._nodes:
            self._nodes[address] = (
                text(pointer.name) + "_",
                text(pointer.op),
                text(pointer.stack_trace),
                modules_of(pointer) or None,
            )
        return self._nodes[address]

    def nodes_with(self, handle):
        """The same for all nodes of the other graph with this debug handle."""
        return [
            (node.name + "_", node.op, node.stack_trace, node.nn_module_stack or None)
            for node in self.graph.find(handle)
        ]


class Block:
    """Columns of one block; each list has an item for each event, in the block's order."""

    def __init__(self, view, pointer):
        self._view = view
        self._pointer = pointer
        self.name = text(pointer.name)
        self.method = text(pointer.method)
        self.bundled_input_index = pointer.bundled_input_index
        self.run_count = pointer.run_count
        self._events = [pointer.events[i] for i in range(pointer.event_count)]

    @cached_property
    def names(self):
        return [text(event.name) for event in self._events]

    @cached_property
    def is_delegated(self):
        return [bool(event.is_delegated) for event in self._events]

    @cached_property
    def identifiers(self):
        return [
            event.delegate_id if event.delegate_id != -1 else text(event.delegate_identifier)
            for event in self._events
        ]

    @cached_property
    def backends(self):
        return [text(event.backend) for event in self._events]

    @cached_property
    def instructions(self):
        return [e.instruction if e.instruction != -1 else None for e in self._events]

    @cached_property
    def num_outputs(self):
        return [event.num_outputs for event in self._events]

    @cached_property
    def _tied(self):
        """For each event of a delegate its struct ets_row where a program was given; else None."""
        view, found = self._view, [None] * len(self._events)
        if not view.ties_delegates:
            return found
        rows = lib.ets_inspection_events(view.handle.pointer).row
        for i, event in enumerate(self._events):
            if event.is_delegated and event.sample_count:
                row = lib.ets_inspection_row(view.handle.pointer, rows[event.samples[0]])
                found[i] = row if row.tie != lib.ETS_TIE_NONE else None
        return found

    @cached_property
    def ties(self):
        """How an event of a delegate was identified: "node", "call"...; None."""
        return [None if row is None else text(lib.ets_tie_name(row.tie)) for row in self._tied]

    @cached_property
    def has_own_clock(self):
        return [row is not None and bool(lib.ets_row_has_own_clock(row)) for row in self._tied]

    @cached_property
    def handles(self):
        return [self._handles(i) for i in range(len(self._events))]

    def _handles(self, i):
        event, row = self._events[i], self._tied[i]
        if row is not None:
            return ffi.unpack(row.handles, row.handle_count) if row.handle_count else []
        if event.handles == NULL:
            return None
        if event.handles_are_list:
            return ffi.unpack(event.handles, event.handle_count)
        return event.handles[0]

    @cached_property
    def start_times(self):
        return [
            ffi.unpack(event.start_time, event.sample_count) if event.sample_count else None
            for event in self._events
        ]

    @cached_property
    def calls(self):
        return [
            ffi.unpack(event.calls, event.sample_count) if event.sample_count else None
            for event in self._events
        ]

    @cached_property
    def raw(self):
        return [
            self._converted(i) if self._is_converted(i)
            else ffi.unpack(event.raw, event.sample_count) if event.sample_count
            else None
            for i, event in enumerate(self._events)
        ]  # fmt: skip

    @cached_property
    def statistics(self):
        """{name: array}: views of the library's own numbers, NaN if there are no times."""
        import numpy as np

        count = len(self._events)
        found = {}
        memory = ffi.buffer(self._pointer.events, count * _EVENT_BYTES) if count else b""
        for name in _frame.STATISTICS:
            field = "mean" if name == "avg" else name
            at = ffi.offsetof("struct ets_upstream_event", "statistics", field)
            found[name] = np.ndarray((count,), "f8", memory, at if count else 0, (_EVENT_BYTES,))
        converted = [i for i in range(count) if self._is_converted(i)]
        if converted:
            from etscope.inspector._events import PerfData

            found = {name: values.copy() for name, values in found.items()}
            for i in converted:
                times = PerfData(self.raw[i])
                for name in _frame.STATISTICS:
                    found[name][i] = getattr(times, name)
        return found

    def _is_converted(self, i):
        return (
            self._view.converter is not None
            and self.is_delegated[i]
            and self._events[i].sample_count > 0
        )

    def _converted(self, i):
        """A delegate's times by the user's function, which gets the name and raw ticks."""
        event, name, convert = self._events[i], self.names[i], self._view.converter
        ends = lib.ets_inspection_events(self._view.handle.pointer).end
        times = []
        for k in range(event.sample_count):
            start, end = event.start_time[k], ends[event.samples[k]]
            if end < start:
                end = start + elapsed(start, end)
            start, end = convert(name, start), convert(name, end)
            times.append(end - start)
        return times

    @cached_property
    def _nodes(self):
        """For each event its nodes, in the order of its handles."""
        view = self._view
        found = []
        for i, event in enumerate(self._events):
            row, handles = self._tied[i], self.handles[i]
            if view.graph is None and row is not None:
                nodes = [view.node(row.nodes[k].node) for k in range(row.node_count)]
            elif view.graph is None:
                nodes = [view.node(event.nodes[k]) for k in range(event.node_count)]
            elif self.names[i] in _FRAMEWORK or handles is None:
                nodes = []
            else:
                handles = handles if isinstance(handles, list) else [handles]
                nodes = [node for handle in handles for node in view.nodes_with(handle)]
            found.append(nodes)
        return found

    @cached_property
    def op_types(self):
        return [
            [text(event.op_types[k]) for k in range(event.op_type_count)]
            if self._view.graph is None and row is None
            else [node[1] for node in nodes]
            for event, row, nodes in zip(self._events, self._tied, self._nodes)
        ]

    @cached_property
    def stack_traces(self):
        return [{node[0]: node[2] for node in nodes} for nodes in self._nodes]

    @cached_property
    def module_hierarchy(self):
        return [{node[0]: node[3] for node in nodes} for nodes in self._nodes]

    @cached_property
    def metadatas(self):
        """What delegates attached: [] or a list of bytes, "" where a run has none."""
        return [
            [self._metadata(event.samples[k]) for k in range(event.sample_count)]
            if event.has_metadata
            else []
            for event in self._events
        ]

    def _metadata(self, sample):
        found = lib.ets_inspection_metadata(self._view.handle.pointer, sample)
        return bytes(ffi.buffer(found.data, found.size)) if found.size else ""

    @cached_property
    def debug_data(self):
        return [self._values(e.debug_events, e.debug_event_count) for e in self._events]

    @cached_property
    def run_output(self):
        return self._values(self._pointer.outputs, self._pointer.output_count)

    @property
    def has_tensors(self):
        """Whether the dump refers to tensors of a debug buffer."""
        lists = [(e.debug_events, e.debug_event_count) for e in self._events]
        lists.append((self._pointer.outputs, self._pointer.output_count))
        return any(
            self._view.debug_values.is_tensor(self._view.payload_at[events[k]])
            for events, count in lists
            for k in range(count)
        )

    def _values(self, events, count):
        if count == 0:
            return []
        self._view.dump.check()
        payload_at = self._view.payload_at
        return [self._view.debug_values.at(payload_at[events[k]]) for k in range(count)]

    def columns(self):
        """{column: list or array} of the table."""
        return {
            "event_block_name": [self.name] * len(self._events),
            "event_name": self.names,
            "raw": self.raw,
            **self.statistics,
            "op_types": [_frame.shortened(op_types) for op_types in self.op_types],
            "delegate_debug_identifier": self.identifiers,
            "stack_traces": self.stack_traces,
            "module_hierarchy": self.module_hierarchy,
            "is_delegated_op": self.is_delegated,
            "delegate_backend_name": self.backends,
            "debug_data": self.debug_data,
            "start_time": self.start_times,
        }

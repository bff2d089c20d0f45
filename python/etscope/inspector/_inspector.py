"""Inspector: a dump and its record as blocks of events."""

from functools import cached_property
from typing import IO, Any, Callable, Dict, List, Optional, Union

from etscope._errors import Error, warn
from etscope._library import Source
from etscope._tensors import check_tensors, convert
from etscope.etrecord._record import as_etrecord
from etscope.inspector import _frame
from etscope.inspector._compare import nearest_case
from etscope.inspector._events import Event, EventBlock, PerfData
from etscope.inspector._explore import Explored
from etscope.inspector._export import Exported
from etscope.inspector._plots import Pictured
from etscope.inspector._time import TimeScale, scale_factor
from etscope.inspector._view import View

EDGE_DIALECT_GRAPH_KEY = "edge_dialect_graph_module"


class Inspector(Explored, Exported, Pictured):
    """What a program did when it ran, and which parts of its graph that was.

        inspector = Inspector(etdump_path="trace.etdp", etrecord="model.etrecord")
        for block in inspector.event_blocks:
            for event in block.events:
                if event.perf_data is not None:
                    print(block.name, event.name, event.perf_data.p50, event.op_types)

    etdump_path, etdump_data       the trace: a path, or its bytes; exactly one of them
    etrecord                       an ETRecord, its path, or ExecuTorch's own ETRecord object
    source_time_scale              what the trace counts in; the runtime's default clock is NS. A
                                   trace that says it itself (of etscope's tracer) is believed
    target_time_scale              what all times are given in
    debug_buffer_path              the captured tensors; without it they are None
    delegate_metadata_parser       [bytes or ""] of an event -> list of texts, or dict of columns
    delegate_time_scale_converter  (event name, ticks) -> time; else delegates count as all others
    enable_module_hierarchy        print_data_tabular and save_data_to_tsv have a column
                                   module_hierarchy, too: the paths of the operators' modules
    reference_graph_name           the graph whose nodes events are tied to: the edge program, or a
                                   name of the record's graph_map

    Beyond upstream's:

    program         path of the .pte or .bpte that ran, which identifies events inside delegates:
                    events of XNNPACK then have operators, handles, stack traces and modules of
                    their own, `events` their lines, and find_total_for_module counts them one by
                    one
    method          the method that ran, if the trace fits several
    partial         read a damaged trace as far as it is intact
    allow_mismatch  continue if trace and ETRecord disagree
    subtract_overhead  take off what etscope's tracer measured that it took itself
    tensors         "numpy" or "torch": what captured tensors are handed out as

    Raises Error: an OSError where a file cannot be opened, else a ValueError and RuntimeError with
    status (MALFORMED, TRUNCATED, WRONG_KIND, MISMATCH...), offset and file. Raises TypeError for
    arguments of other types.
    """

    def __init__(
        self,
        etdump_path: Optional[str] = None,
        etdump_data: Optional[bytes] = None,
        etrecord: Optional[Any] = None,
        source_time_scale: TimeScale = TimeScale.NS,
        target_time_scale: TimeScale = TimeScale.MS,
        debug_buffer_path: Optional[str] = None,
        delegate_metadata_parser: Optional[Callable[[List[Any]], Any]] = None,
        delegate_time_scale_converter: Optional[Callable[[str, Any], Any]] = None,
        enable_module_hierarchy: bool = False,
        reference_graph_name: str = EDGE_DIALECT_GRAPH_KEY,
        *,
        program: Optional[str] = None,
        method: Optional[str] = None,
        partial: bool = False,
        allow_mismatch: bool = False,
        subtract_overhead: bool = False,
        tensors: str = "numpy",
    ) -> None:
        self._source_time_scale = TimeScale(source_time_scale)
        self._target_time_scale = TimeScale(target_time_scale)
        if (etdump_path is None) == (etdump_data is None):
            raise Error("give exactly one of etdump_path and etdump_data")
        check_tensors(tensors)
        self._etrecord = as_etrecord(etrecord)
        dump = Source.of_file(etdump_path) if etdump_data is None else Source.of_buffer(etdump_data)
        ran = None if program is None else Source.of_file(program)
        self._view = View(
            dump, self._etrecord, ran, self._source_time_scale, self._target_time_scale,
            method=method, partial=int(bool(partial)), allow_mismatch=int(bool(allow_mismatch)),
            subtract_overhead=int(bool(subtract_overhead)),
        )  # fmt: skip
        self._source_time_scale = self._view.source_scale
        self._view.converter = delegate_time_scale_converter
        self._view.graph = self._reference_graph(reference_graph_name)
        buffer = None if debug_buffer_path is None else Source.of_file(debug_buffer_path)
        self._view.read_debug_data(buffer, tensors)
        self._program, self._buffer, self._tensors = ran, buffer, tensors
        self._asked = {"source_time_scale": source_time_scale, "method": method,
                       "partial": partial, "subtract_overhead": subtract_overhead}  # fmt: skip
        self._has_warned = False
        self._parser = delegate_metadata_parser
        self._prints_modules = bool(enable_module_hierarchy)

    def _reference_graph(self, name):
        if self._etrecord is None or name == EDGE_DIALECT_GRAPH_KEY:
            return None
        graph = self._etrecord.graph_map.get(name)
        if graph is None:
            known = ", ".join([EDGE_DIALECT_GRAPH_KEY, *self._etrecord.graph_map])
            raise Error(f"the record has no graph {name!r}; it has {known}",
                        status="NOT_FOUND", file=self._etrecord.path)  # fmt: skip
        return graph

    def __repr__(self):
        blocks = [f"{block.name} x{block.run_count}" for block in self._view.blocks]
        record = "no record" if self._etrecord is None else repr(self._etrecord)
        return f"<Inspector: {', '.join(blocks) or 'no blocks'}; {record}>"

    @cached_property
    def event_blocks(self) -> List[EventBlock]:
        """The blocks, made when they are first asked for; tables follow changes to them."""
        return [self._block(block) for block in self._view.blocks]

    def _block(self, block):
        columns = zip(
            block.names, block.raw, block.op_types, block.identifiers, block.handles,
            block.num_outputs, block.stack_traces, block.module_hierarchy, block.is_delegated,
            block.backends, block.metadatas, block.debug_data, block.instructions,
            block.start_times, block.calls, block.ties, block.has_own_clock,
        )  # fmt: skip
        self._warn_of_missing_buffer(block)
        events = [
            Event(
                name=name,
                perf_data=None if raw is None else PerfData(raw),
                op_types=op_types,
                delegate_debug_identifier=identifier,
                debug_handles=handles,
                num_outputs=num_outputs,
                stack_traces=stack_traces,
                module_hierarchy=module_hierarchy,
                is_delegated_op=is_delegated,
                delegate_backend_name=backend,
                _delegate_debug_metadatas=metadatas,
                debug_data=debug_data,
                _instruction_id=instruction,
                _delegate_metadata_parser=self._parser,
                _delegate_time_scale_converter=self._view.converter,
                _start_time=start_times,
                calls=calls,
                tie=tie,
                _has_own_clock=has_own_clock,
            )
            for (
                name, raw, op_types, identifier, handles, num_outputs, stack_traces,
                module_hierarchy, is_delegated, backend, metadatas, debug_data, instruction,
                start_times, calls, tie, has_own_clock,
            ) in columns
        ]  # fmt: skip
        return EventBlock(
            name=block.name,
            events=events,
            source_time_scale=self._source_time_scale,
            target_time_scale=self._target_time_scale,
            bundled_input_index=block.bundled_input_index,
            run_output=block.run_output,
            reference_output=self._as_asked(self._reference_output(block)),
        )

    def _warn_of_missing_buffer(self, block):
        if self._buffer is None and block.has_tensors and not self._has_warned:
            self._has_warned = True
            warn("the trace refers to captured tensors; without debug_buffer_path they are None")

    def _as_asked(self, values):
        """A list of values with torch tensors for arrays, where these were asked for."""
        if values is None or self._tensors == "numpy":
            return values
        return [convert(value, "torch") if hasattr(value, "__array_interface__") else value
                for value in values]  # fmt: skip

    def _reference_output(self, block):
        """What the record says that the block's program should give.

        The trace may name the test case; where it does not, the record's only case is it, or the
        one that the recorded outputs are nearest to.
        """
        record = self._etrecord
        method = block.method
        if record is None or method is None or record._reference_outputs is None:
            return None
        cases = record._reference_outputs.get(method, [])
        if block.bundled_input_index >= 0:
            index = block.bundled_input_index
            return cases[index] if index < len(cases) else None
        if len(cases) == 1:
            return cases[0]
        return nearest_case(cases, block.run_output) if block.run_output else None

    def to_dataframe(self, include_units: bool = True, include_delegate_debug_data: bool = False):
        """A pandas.DataFrame with one row for each event of each block.

        Columns: docs/python.md. include_units: the statistics' names end in " (ms)".
        include_delegate_debug_data: adds what delegates attached, as the parser returned it.
        """
        units = _frame.unit_suffix(self._target_time_scale) if include_units else ""
        if "event_blocks" in self.__dict__ or include_delegate_debug_data:
            blocks = self.event_blocks
            tables = [_frame.columns_of_events(block.name, block.events) for block in blocks]
        else:
            blocks = self._view.blocks
            for block in blocks:
                self._warn_of_missing_buffer(block)
            tables = [block.columns() for block in blocks]
        metadata = None
        if include_delegate_debug_data:
            events = (event for block in blocks for event in block.events)
            metadata = [event.delegate_debug_metadatas for event in events]
        return _frame.build(_frame.joined(tables), units, metadata)

    @cached_property
    def events(self):
        """Every event of the trace, without merging, for readers of Apache Arrow.

            pyarrow.table(inspector.events)
            polars.DataFrame(inspector.events)

        Columns: etscope/experimental/arrow.h and docs/python.md. Times are in raw ticks.
        """
        from etscope._arrow import EventTable

        return EventTable(self._view.handle)

    def memory_to_dataframe(self):
        """Who took how much memory: planned buffers, allocators, delegates, heap, the process.

        The rows of `etscope inspect --memory`, whose columns docs/columns.md describes; bytes that
        are not known are missing. attrs["headline"] has a sentence for each method. Raises Error if
        the run was not counted (`etscope run --memory`).
        """
        from etscope.inspector._memory import owners_frame

        return owners_frame(self._view.handle)

    def allocations_to_dataframe(self, each: bool = False):
        """The trace's allocation events, added up by allocator or (`each`) one by one.

        The rows of `etscope inspect --allocations`; docs/columns.md describes the columns.
        """
        from etscope.inspector._memory import allocations_frame

        return allocations_frame(self._view.handle, each)

    @property
    def headline(self) -> List[str]:
        """The sentences that `etscope inspect` begins with: the time per run and how sure it is,
        what delegates and kernels take of it, the most expensive places. Empty if nothing ran.
        """
        from etscope.inspector._headline import headline

        return headline(self._view)

    def __str__(self) -> str:
        return "\n".join(self.headline)

    def _repr_html_(self):
        from etscope.inspector import _html

        return _html.of_inspector(self)

    def report(
        self,
        path: str,
        *,
        source: bool = True,
        tensors: bool = True,
        max_size: Optional[int] = None,
    ) -> None:
        """Writes one HTML file that shows trace and model in a browser, without network.

            Inspector(etdump_path="trace.etdp", etrecord="model.etrecord",
                      program="model.pte").report("report.html")

        It is the file that `etscope report` writes of the same files and options, which
        docs/report.md describes; captured tensors are compared where the engine is installed.
        Its first screen names what is missing and the option of `etscope report` that gives it.

        source    False: without the texts of source lines
        tensors   False: without what captured tensors hold
        max_size  bytes of the file: parts are left out, events first, until it is small enough

        Raises Error: the file cannot be written, or it would be too large (LIMIT).
        """
        from etscope.inspector._report import write_report

        write_report(self, path, source, tensors, max_size)

    def print_data_tabular(
        self,
        file: Optional[IO[str]] = None,
        include_units: bool = True,
        include_delegate_debug_data: bool = False,
    ) -> None:
        """Prints the table to `file` (default: standard output); in a notebook, shows it.

        Without the columns raw, delegate_debug_identifier, stack_traces, module_hierarchy (but see
        enable_module_hierarchy) and debug_data, and without OPERATOR_CALL rows, the frames around
        operators.
        """
        _frame.show(self._printed(include_units, include_delegate_debug_data), file)

    def save_data_to_tsv(
        self,
        file: Union[str, IO[str]],
        include_units: bool = True,
        include_delegate_debug_data: bool = False,
    ) -> None:
        """Writes the printed table, separated by tabs, to a path or an open text file.

        An apostrophe stands before a text that a spreadsheet would run, as "=A1".
        """
        table = self._printed(include_units, include_delegate_debug_data)
        _frame.for_spreadsheets(table).to_csv(file, sep="\t")

    def _printed(self, include_units, include_delegate_debug_data):
        frame = self.to_dataframe(include_units, include_delegate_debug_data)
        return _frame.for_printing(frame, self._prints_modules)

    def find_total_for_module(self, module_name: str, unit: Optional[TimeScale] = None) -> float:
        """The average time per run of all operators inside a module.

        module_name: a path, with all below it ("layers.0", "layers", "" for the whole model), or a
        module's key in the record ("L__self__"). All calls of the module count. The time is in the
        target time scale, or in `unit`. OPERATOR_CALL events, which frame others, do not count.

        An operator or delegate call that is partly inside the module counts in full, as upstream
        has it. With Inspector(..., program=...), of such a delegate call only its operators inside
        the module count, as far as they are known.

        A name that is in no module gives 0 and a warning with the nearest names. Raises Error for
        a unit that the target scale cannot be converted to (cycles).
        """
        from etscope.inspector._module_times import nearest, total_inside

        total = sum(total_inside(block, module_name) for block in self.event_blocks)
        if total == 0 and module_name not in self._known_modules:
            warn(f"no operator is inside a module {module_name!r}"
                 + nearest(module_name, self._known_modules))  # fmt: skip
        if unit is None:
            return total
        unit = TimeScale(unit)
        if (unit is TimeScale.CYCLES) != (self._target_time_scale is TimeScale.CYCLES):
            raise Error("cycles cannot be converted to time, nor time to cycles")
        return total / scale_factor(self._target_time_scale, unit)

    @cached_property
    def _known_modules(self):
        """Names that find_total_for_module knows: of the events, and of the record's graphs."""
        from etscope.inspector._module_times import names_in

        events = (event for block in self.event_blocks for event in block.events)
        stacks = [stack for event in events for stack in event.module_hierarchy.values()]
        for graph in (self._etrecord._edge_programs or {}).values() if self._etrecord else ():
            stacks += [node.nn_module_stack for node in graph.nodes]
        return names_in(stacks)

    def get_op_list(
        self, event_block: str, show_delegated_ops: Optional[bool] = True
    ) -> Dict[str, List[Event]]:
        """{operator of the graph: its events} of the blocks with that name.

        show_delegated_ops: also events of delegates and calls of them.
        """
        found: Dict[str, List[Event]] = {}
        for block in self.event_blocks:
            if block.name != event_block:
                continue
            for event in block.events:
                is_delegate = event.is_delegated_op or event.delegate_backend_name is not None
                if is_delegate and not show_delegated_ops:
                    continue
                for op in dict.fromkeys(event.op_types):
                    found.setdefault(op, []).append(event)
        return found

    def calculate_numeric_gap(
        self,
        distance,
        disable_debug_handle_valdiation: bool = False,
        reference_graph: Optional[str] = None,
        *,
        inputs: Optional[List[Any]] = None,
        run: Optional[int] = None,
    ):
        """How far captured outputs lie from what the record's graph gives: upstream's rows.

            inspector = Inspector(etdump_path="debug.etdp", etrecord="model.etrecord",
                                  debug_buffer_path="debug.bin")
            frame = inspector.calculate_numeric_gap("SNR")
            print(frame[["aot_ops", "runtime_ops", "gap"]])

        distance         "MSE" (mean squared error), "L1" (sum of absolute errors) or "SNR" (dB), in
                         any case, or an object of a class of your own (numerical_comparator)
        disable_debug_handle_valdiation
                         take the exported program although handles of some edge nodes do not lead
                         back to it; their rows are missing then
        reference_graph  "exported_program", "edge_dialect_exported_program" or a name of the
                         record's graph_map ("a" is "a/forward"). None: the exported program, or
                         with a warning the edge program where handles do not lead back
        inputs           beyond upstream's: one value for each input of the model, where they were
                         others than the record's representative ones (of forward) or those of
                         the test case in a bundled program
        run              beyond upstream's: a number of a run, whose method is compared; None: the
                         first that captured anything, of forward where it did

        Returns a pandas.DataFrame with upstream's rows in upstream's order, and its columns:
        aot_debug_handle and runtime_debug_handle (tuples), aot_ops and runtime_ops (lists of
        names), aot_intermediate_output and runtime_intermediate_output (arrays, torch tensors with
        Inspector(tensors="torch"), or tuples of one), gap (a list with one number), stacktraces
        ({name: text or None}). It has no columns where there are no rows.

        The reference is evaluated by the runtime's own kernels, for which the engine is needed, and
        agrees with PyTorch's within rounding. Each call begins with the record's buffers. Which
        rows there are is upstream's choice, and operators with several outputs are not among them:
        `numeric_gap` has all values, and says whose error it is.

        Raises Error: no record, no debug buffer, nothing captured, no representative inputs,
        UNAVAILABLE without the engine, NOT_FOUND for another graph, MISMATCH if handles do not
        lead back to the graph that is asked for. TypeError: a distance of another type.
        """
        from etscope.inspector._upstream_gap import upstream_frame

        return upstream_frame(
            self, distance, disable_debug_handle_valdiation, reference_graph, inputs, run
        )

    def numeric_gap(
        self,
        reference=None,
        *,
        inputs: Optional[List[Any]] = None,
        run: Optional[int] = None,
        use_double: bool = True,
    ):
        """Compares every captured value with its reference; finds the one that is wrong.

            frame = inspector.numeric_gap()
            print(frame.attrs["finding"])      # "all 4 values agree with the exported program in ..."
            print(frame[["operator", "own_error", "total_error", "finding"]])

        reference   what the captured values are compared with:
                    None: the record's exported program on `inputs`, by the runtime's kernels
                    a str: another of its graphs ("edge", or a name of graph_map), or "torch":
                    the exported program by PyTorch, where torch and executorch are installed
                    an ETRecord: of another model, such as the float original of a quantized one
                    an Inspector: what another trace captured, device against device
                    a dict {node: array, or a list of arrays of a node with several outputs}, or
                    a pathlib.Path of a folder with files NODE.npy (NODE.N.npy)
        inputs      one value for each input of the model; None: of the record or the test case
        run         the number of a run; None: the first that captured anything, of forward where
                    it did
        use_double  True: compute the reference in float64, which tells whether a kernel is right;
                    the column same_bits tells which values are those of the runtime's kernels.
                    False: compute it in the record's types, as the runtime's kernels do

        Returns a pandas.DataFrame with a row for each value of the reference that was captured, in
        the order of evaluation. Errors are relative: root of the mean square of the difference over
        that of the reference (0.01 are 40 dB). total_error: from the model's inputs on; own_error:
        of this operator, or partition, alone, from what the device had for its inputs; NaN where
        it is not known, as for references that are given or of "torch". finding: "agrees",
        "inherited", "guilty", "suspect", "off", "inexact", "harmless" or None, with a `reason`.
        docs/python.md has all columns, docs/numerics.md the rules. attrs:

            finding   the verdict in one sentence
            guilty    what is known of the guilty operator, some lines of text, or None
            tolerances  what the values were judged by, and where that comes from
            notes     what was done in another way than asked, a list of str; also warned of

        Raises Error as calculate_numeric_gap, and MISMATCH if nothing has the reference's shape
        or no operator a pair. Only an evaluated reference needs the engine.
        """
        from etscope.inspector._numeric_gap import gap_frame

        return gap_frame(self, reference, inputs, run, use_double)

    @cached_property
    def op_graph_dict(self):
        """{name: etscope.graph.Graph} of what events can be tied to; None without a record.

        The edge program is "edge_dialect_graph_module", others have their names of the record's
        graph_map. Upstream's values are graphs of its own with the same nodes.
        """
        if self._etrecord is None:
            return None
        graphs = dict(self._etrecord.graph_map or {})
        if self._etrecord.edge_dialect_program is not None:
            graphs[EDGE_DIALECT_GRAPH_KEY] = self._etrecord.edge_dialect_program
        return graphs

    def write_tensorboard_artifact(self, path: str) -> None:
        """Writes an event file into the folder `path`, which is made if it is missing.

        `tensorboard --logdir path` shows the time of each run and of its longest calls as scalars,
        how the runs are distributed, and the headline as text: `etscope export --to tensorboard`.
        The file of an earlier call is replaced. Upstream's method writes nothing.

        Raises Error: the file cannot be written.
        """
        from etscope.inspector._export import write_tensorboard

        write_tensorboard(self, path)

    def get_vgf_neural_statistics(self) -> List[Dict[str, Any]]:
        """The records that Arm's VGF backend attached to its events, blobs decoded.

        Raises ValueError for a record that is damaged.
        """
        from etscope.inspector.vgf_neural_statistics import (
            parse_vgf_neural_statistics_delegate_metadata as parse,
        )

        events = (event for block in self.event_blocks for event in block.events)
        return [record for event in events for record in parse(event.raw_delegate_debug_metadatas)]

    def get_exported_program(self, graph: Optional[str] = None):
        """The record's edge program, or the graph of a name, as an etscope.graph.Graph.

        None if there is no record or no such graph. A record of several methods: {method:
        Graph}. "exported_program" is the ATen program.
        """
        if self._etrecord is None:
            warn("there is no exported program without an ETRecord")
            return None
        if graph is None:
            return self._etrecord.edge_dialect_program
        return self._etrecord.graph(graph)


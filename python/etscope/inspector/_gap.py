"""A gap report of the C library (gap.h): one run's captured values beside a record's graph."""

import contextlib
import threading

from etscope._errors import Error
from etscope._library import NO_INDEX, NULL, Handle, call, ffi, lib, text
from etscope._values import value_of_input
from etscope.runtime._engine import engine

_EVALUATION_FLOOR = 2 << 30

# A comparison locks several objects: one of them at a time, so that no two wait for each other.
_comparing = threading.RLock()


@contextlib.contextmanager
def opened(inspector, graph=None, run=None):
    """The Report of an Inspector's run on a graph.

    run: None is the first that captured anything, of the method forward where it did: records have
    inputs of it alone. Inspection and record are locked until the end of the block. Raises Error.
    """
    record, view = inspector._etrecord, inspector._view
    if record is None:
        raise Error("values are compared with the graph of an ETRecord: give the Inspector one, as "
                    "etrecord=", status="NOT_FOUND")  # fmt: skip
    if inspector._buffer is None:
        raise Error("the captured tensors are missing: give the Inspector their file, as "
                    "debug_buffer_path=", status="NOT_FOUND", file=view.dump.path)  # fmt: skip
    for source in (view.dump, record._open, inspector._buffer):
        source.check()
    with _comparing, record._handle.lock, view.handle.lock:
        yield Report(inspector, graph, _run_of_forward(view) if run is None else run)


def _run_of_forward(view):
    """The first run of forward with captured values; NO_INDEX where there is none."""
    pointer = view.handle.pointer
    values = ffi.new("struct ets_captured_values *")
    value, nothing = ffi.new("struct ets_captured_value *"), ffi.new("struct ets_bytes *")
    for number in range(lib.ets_inspection_block_count(pointer)):
        block = lib.ets_inspection_block(pointer, number)
        if block.method_state != lib.ETS_METHOD_FOUND or text(block.method) != "forward":
            continue
        wanted = {"block": number, "run": NO_INDEX, "event": NO_INDEX}
        wanted = ffi.new("struct ets_captured_filter *", wanted)
        lib.ets_captured_values_init(values, pointer, nothing[0], wanted)
        if lib.ets_captured_values_next(values, value):
            return value.run
    return NO_INDEX


class Report:
    """What is in the report of one run. It is used inside `opened` alone."""

    def __init__(self, inspector, graph, run, pictures=0):
        record, view = inspector._etrecord, inspector._view
        self.inspector = inspector
        self.file = record.path
        name = NULL if graph is None else ffi.new("char[]", graph.encode("utf-8", "replace"))
        options = ffi.new("struct ets_gap_options *", {
            "inspection": view.handle.pointer, "record": record._handle.pointer,
            "debug_buffer": inspector._buffer.bytes, "run": run,
            "reference": name, "pictures": pictures,
        })  # fmt: skip
        out = ffi.new("struct ets_gap_report **")
        try:
            call(lib.ets_gap_open, options, out, file=view.dump.path)
        except Error as error:
            if graph is not None and error.status == "NOT_FOUND" and not _knows(record, graph):
                names = ", ".join(record.graph_names)
                error.message, error.file = f"no graph {graph!r}; the record has {names}", self.file
            raise
        self._kept = [view.handle, record, options, name]
        self._handle = Handle(out[0], lib.ets_gap_close, self._kept)
        self.pointer = out[0]

    def keep(self, borrowed):
        """Keeps what the report borrows from alive."""
        self._kept.append(borrowed)

    @property
    def method(self):
        """The method that ran."""
        return text(lib.ets_gap_method(self.pointer))

    @property
    def why_not_aten(self):
        """Why the reference is the edge program, where none was asked for; else None."""
        return text(lib.ets_gap_reference_reason(self.pointer))

    @property
    def graph(self):
        """The reference's const struct ets_graph *."""
        return lib.ets_gap_reference(self.pointer)

    def evaluate(self, function, inputs=None, use_double=False):
        """Calls function(how, error), which evaluates; `inputs` None: those that it ran with."""
        values, count, kept = self.inputs(inputs)
        how = ffi.new("struct ets_gap_evaluation *", {
            "engine": engine(), "inputs": values, "input_count": count,
            "use_double": int(use_double), "memory_limit": self._memory_limit(),
        })  # fmt: skip
        call(function, how, file=self.file)
        del kept

    def _memory_limit(self):
        """Bytes that an evaluation may take, as on the command line: small files ask for little."""
        inspector = self.inspector
        sources = inspector._view.dump, inspector._etrecord._open.source, inspector._buffer
        return _EVALUATION_FLOOR + 256 * sum(source.bytes.size for source in sources)

    def inputs(self, inputs=None):
        """(struct ets_value array, their number, what must live as long): as given, or of the run.

        Raises Error (NOT_FOUND) if they are not known.
        """
        if inputs is not None:
            return _given(inputs)
        run = lib.ets_inspection_run(
            self.inspector._view.handle.pointer, lib.ets_gap_run(self.pointer)
        )
        told, is_forward = run.bundled_input_index, self.method == "forward"
        program = self.inspector._program
        if (told >= 0 or not is_forward) and program is not None and (
            lib.ets_bundle_sniff(program.bytes)
        ):
            return _of_case(program, self.method, max(told, 0))
        if not is_forward:
            raise Error(f"an ETRecord has inputs of the method forward alone, and {self.method} "
                        "ran: give inputs=, or the Inspector a bundled program, as program=",
                        status="NOT_FOUND", file=self.file)  # fmt: skip
        return self._of_record()

    def _of_record(self):
        record = self.inspector._etrecord._handle
        values, count = ffi.new("const struct ets_value **"), ffi.new("size_t *")
        try:
            call(lib.ets_etrecord_representative_inputs, record.pointer, values, count,
                 file=self.file)  # fmt: skip
        except Error as error:
            if error.status == "NOT_FOUND":
                error.message = "the record has no representative inputs: give inputs="
            raise
        return values[0], min(count[0], lib.ets_gap_input_count(self.pointer)), record


def _knows(record, graph):
    names = record.graph_names
    return graph in (*names, "aten", "edge") or f"{graph}/forward" in names


def _given(inputs):
    anything = ffi.new("struct ets_engine_value_info *")
    anything.kind = lib.ETS_VALUE_NONE
    values, kept = ffi.new("struct ets_value[]", len(inputs)), []
    for i, value in enumerate(inputs):
        try:
            found, borrowed = value_of_input(value, anything)
        except Error as reason:
            raise Error(f"input {i}: {reason}", status=reason.status) from reason
        values[i] = found[0]
        kept.append(borrowed)
    return values, len(inputs), kept


def _of_case(program, method, number):
    program.check()
    # Suite and case point at the bundle: it lives as long as they are used.
    bundle, suite = ffi.new("struct ets_bundle *"), ffi.new("struct ets_bundle_suite *")
    call(lib.ets_bundle_init, bundle, program.bytes, file=program.path)
    call(lib.ets_bundle_find_suite, bundle, method.encode(), suite, file=program.path)
    if number >= suite.case_count:
        raise Error(f"{method} has {suite.case_count} test cases; the trace is of number {number}",
                    status="NOT_FOUND")  # fmt: skip
    case = ffi.new("struct ets_bundle_case *")
    lib.ets_bundle_case(suite, number, case)
    values = ffi.new("struct ets_value[]", case.input_count)
    for i in range(case.input_count):
        lib.ets_bundle_input(case, i, values + i)
    return values, case.input_count, (program, bundle)

"""The report of an Inspector for a browser: what `etscope report` writes of the same files."""

import contextlib
import os

from etscope import __version__
from etscope._errors import Error
from etscope._library import ADVICE, NO_INDEX, NULL, Handle, call, ffi, lib
from etscope._opened import opened_program
from etscope._program import program_of
from etscope._tables import filled
from etscope.inspector._gap import Report, _comparing


@contextlib.contextmanager
def _unchanged(inspector):
    """Holds the files of an Inspector, which must be as they were opened."""
    record, view = inspector._etrecord, inspector._view
    for source in (view.dump, record._open if record is not None else None, inspector._program,
                   inspector._buffer):  # fmt: skip
        if source is not None:
            source.check()
    with contextlib.ExitStack() as locks:
        locks.enter_context(_comparing)
        if record is not None:
            locks.enter_context(record._handle.lock)
        locks.enter_context(view.handle.lock)
        yield


def write_report(inspector, path, has_source=True, has_tensors=True, max_size=None):
    """Writes the HTML file. What it says is missing names options of `etscope report`."""
    path = os.fspath(path)
    with _unchanged(inspector):
        gap, reason, option = _compared(inspector, lib.ETS_GAP_MOST_PICTURES)
        source, kept = _page_source(inspector, gap, reason, option)
        if not has_source:
            source.left_out[lib.ETS_PAGE_SOURCE] = kept.text("no --no-source")
        if not has_tensors:
            source.left_out[lib.ETS_PAGE_TENSORS] = kept.text("no --no-tensors")
        if max_size is None:
            _write(source, path)
        else:
            _write_within(source, kept, path, max_size)
        del kept


def _write_within(source, kept, path, max_size):
    """Leaves out part by part until the file is small enough."""
    part = f"{path}.{os.getpid()}.part"
    try:
        for number in range(lib.ETS_PAGE_PART_COUNT + 1):
            try:
                _write(source, part)
                size = os.path.getsize(part)
            except Error as error:
                if error.status != "LIMIT" or number == lib.ETS_PAGE_PART_COUNT:
                    raise
                size = None
            if size is not None and size <= max_size:
                os.replace(part, path)
                return
            if number < lib.ETS_PAGE_PART_COUNT and source.left_out[number] == NULL:
                source.left_out[number] = kept.text("a larger --max-size")
        raise Error(f"max_size {max_size} is too small: without all that can be left out, the "
                    f"report takes {size} bytes", status="LIMIT", file=path)  # fmt: skip
    finally:
        with contextlib.suppress(OSError):
            os.remove(part)


def _with_program(inspector):
    """(Inspector, path): with the program beside the trace, a.pte or a.bpte of a.etdp, and if it
    has no ETRecord with a.etrecord. Without a program that fits: (inspector, None)."""
    trace = inspector._view.dump.path
    if trace is None or inspector._program is not None:
        return inspector, None
    stem, _ = os.path.splitext(trace)
    record = inspector._etrecord
    if record is None and os.path.isfile(f"{stem}.etrecord"):
        record = f"{stem}.etrecord"
    buffer = None if inspector._buffer is None else inspector._buffer.path
    for program in (f"{stem}.pte", f"{stem}.bpte"):
        if not os.path.isfile(program):
            continue
        with contextlib.suppress(Error):  # another program's, or not readable
            found = type(inspector)(trace, etrecord=record, debug_buffer_path=buffer,
                                    program=program, **inspector._asked)  # fmt: skip
            return found, program
    return inspector, None


def advice(inspector, all):
    """(Table of `etscope advise`, notes): with the program beside the trace if none was given."""
    inspector, program = _with_program(inspector)
    table, reason = _advice(inspector, all)
    notes = [] if program is None else [f"using {program} beside the trace"]
    return table, notes if reason is None else [*notes, reason]


def _advice(inspector, all):
    with _unchanged(inspector):
        gap, reason, _ = _compared(inspector)
        kept = _Kept()
        table = filled(lib.ets_advice_table_of, _sources(inspector, gap, kept), int(all))
    return table, reason if inspector._buffer is not None else None


def _compared(inspector, pictures=0):
    """(Report of the captured values or None, why they are not compared, the option that helps)."""
    if inspector._buffer is None:
        return None, None, "--debug-buffer"
    if inspector._etrecord is None:
        return None, "the graph to compare with is in the ETRecord", "--etrecord"
    try:
        report = Report(inspector, None, NO_INDEX, pictures)
        report.evaluate(
            lambda how, error: lib.ets_gap_evaluate(report.pointer, how, error), use_double=True
        )
        return report, None, None
    except Error as error:
        option = "--engine" if error.status == "UNAVAILABLE" else "etscope gap"
        return None, error.message, option


class _Kept(list):
    """Memory of C structs that point at each other."""

    def new(self, kind, value):
        self.append(ffi.new(kind, value))
        return self[-1]

    def text(self, value):
        return NULL if value is None else self.new("char[]", os.fsencode(value))

    def input(self, role, name, source):
        kind = "captured tensors" if role == "debug buffer" else None
        told = lib.ets_kind_name(lib.ets_kind_sniff(source.bytes)) if kind is None else NULL
        return {"role": self.text(role), "path": self.text(source.path or name),
                "kind": self.text(kind) if kind else told, "bytes": source.bytes.size}  # fmt: skip


def _sources(inspector, gap, kept):
    """struct ets_study_sources * of the Inspector's files and the report of its captured values;
    what it points at is added to kept."""
    view, record = inspector._view, inspector._etrecord
    program, buffer = inspector._program, inspector._buffer
    trace = {"path": kept.text(view.dump.path or "trace"), "inspection": view.handle.pointer,
             "record": NO_INDEX if record is None else 0,
             "program": NO_INDEX if program is None else 0}  # fmt: skip
    if buffer is not None:
        trace["debug_buffer"] = buffer.bytes
    sources = {"traces": kept.new("struct ets_study_trace[]", [trace]), "trace_count": 1,
               "words": ADVICE}  # fmt: skip
    if gap is not None:
        kept.append(gap)
        sources["gaps"] = kept.new("const struct ets_gap_report *[]", [gap.pointer])
    if record is not None:
        told = {"path": kept.text(record.path or "record"), "record": record._handle.pointer}
        sources["records"] = kept.new("struct ets_study_record[]", [told])
        sources["record_count"] = 1
    if program is not None:
        told = {"path": kept.text(program.path), "program": program_of(program)}
        kept.append(told)
        sources["programs"] = kept.new("struct ets_study_program[]", [told])
        sources["program_count"] = 1
    return kept.new("struct ets_study_sources *", sources)


def _page_source(inspector, gap, reason, option):
    """(struct ets_page_source *, what it points at)."""
    kept, view, record = _Kept(), inspector._view, inspector._etrecord
    program, buffer = inspector._program, inspector._buffer
    inputs = [kept.input("trace", "trace", view.dump)]
    if record is not None and record._open is not None:
        inputs.append(kept.input("record", "record", record._open.source))
    if program is not None:
        inputs.append(kept.input("program", "program", program))
    if buffer is not None:
        inputs.append(kept.input("debug buffer", "debug buffer", buffer))
    options = [NULL] * lib.ETS_MISSING_COUNT
    options[lib.ETS_MISSING_RECORD] = NULL if record is not None else kept.text("--etrecord")
    options[lib.ETS_MISSING_PROGRAM] = NULL if program is not None else kept.text("--program")
    options[lib.ETS_MISSING_DEBUG_BUFFER] = kept.text(option)
    options[lib.ETS_MISSING_MACHINE] = kept.text("--machine")
    options[lib.ETS_MISSING_BEFORE] = kept.text("--before")
    why = None if reason is None else f"captured values are not compared: {reason}"
    return kept.new("struct ets_page_source *", {
        "sources": _sources(inspector, gap, kept),
        "inputs": kept.new("struct ets_page_input[]", inputs), "input_count": len(inputs),
        "writer": kept.text(f"etscope {__version__}"), "missing_options": options,
        "gap_reason": kept.text(why),
    }), kept  # fmt: skip


def write_record_report(record, path):
    """Writes the report of an ETRecord alone: its graph and what advice sees in it."""
    kept = _Kept()
    with record._open.handle.lock:
        told = {"path": kept.text(record.path or "record"), "record": record._handle.pointer}
        sources = {"records": kept.new("struct ets_study_record[]", [told]), "record_count": 1}
        given = kept.input("record", "record", record._open.source)
        _write_alone(kept, sources, given, lib.ETS_MISSING_PROGRAM, "--program", path)


def write_program_report(program, path):
    """Writes the report of a .pte or .bpte alone."""
    kept = _Kept()
    source, pointer = opened_program(program)
    told = {"path": kept.text(source.path), "program": pointer}
    sources = {"programs": kept.new("struct ets_study_program[]", [told]), "program_count": 1}
    given = kept.input("program", "program", source)
    _write_alone(kept, sources, given, lib.ETS_MISSING_RECORD, "--etrecord", path)


def _write_alone(kept, sources, given, missing, option, path):
    """The report of one file; `option` would add what is missing."""
    options = [NULL] * lib.ETS_MISSING_COUNT
    options[missing] = kept.text(option)
    _write(kept.new("struct ets_page_source *", {
        "sources": kept.new("struct ets_study_sources *", sources),
        "inputs": kept.new("struct ets_page_input[]", [given]), "input_count": 1,
        "writer": kept.text(f"etscope {__version__}"), "missing_options": options,
    }), os.fspath(path))  # fmt: skip


def _write(source, path):
    page, output = ffi.new("struct ets_page **"), ffi.new("struct ets_output **")
    call(lib.ets_page_open, source, NULL, page)
    handle = Handle(page[0], lib.ets_page_close)
    call(lib.ets_output_open, os.fsencode(path), output, file=path)
    try:
        call(lib.ets_page_write_html, handle.pointer, output[0])
    except Error:
        lib.ets_output_discard(output[0])
        raise
    call(lib.ets_output_commit, output[0], file=path)

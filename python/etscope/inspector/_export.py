"""Traces as files of other tools: what `etscope export` writes of the same files."""

import os

from etscope._errors import Error, warn
from etscope._library import NULL, call, ffi, lib, text
from etscope._program import program_of


class Exported:
    """The methods of an Inspector that write files for other tools."""

    def to_perfetto(self, path) -> None:
        """Writes the events for https://ui.perfetto.dev: `etscope export --to perfetto`.

        Raises Error: the file cannot be written.
        """
        _write(self, path, lib.ETS_EXPORT_PERFETTO)

    def to_chrome(self, path) -> None:
        """The same as JSON of Chrome's trace viewer: `etscope export --to chrome`."""
        _write(self, path, lib.ETS_EXPORT_CHROME)

    def to_parquet(self, path) -> None:
        """Writes `events` as a Parquet file, with pyarrow.

        The file's metadata has etscope.version, and etscope.unit, the unit of start, end and ticks.
        """
        _write_parquet(self, path)


def write_tensorboard(inspector, path):
    """The event file in a folder of TensorBoard, by which it knows such files."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as reason:
        raise Error(reason.strerror or str(reason), status="IO", file=os.fspath(path)) from reason
    name = "events.out.tfevents.0.etscope"
    _write(inspector, os.path.join(path, name), lib.ETS_EXPORT_TENSORBOARD)


def _write(inspector, path, format):
    from etscope.inspector._report import _unchanged

    path = os.fspath(path)
    name = ffi.new("char[]", os.path.basename(os.fsencode(inspector._view.dump.path or "trace")))
    output = ffi.new("struct ets_output **")
    with _unchanged(inspector):
        program = NULL if inspector._program is None else program_of(inspector._program)
        record = NULL if inspector._etrecord is None else inspector._etrecord._handle.pointer
        trace = ffi.new("struct ets_export_trace *",
                        {"name": name, "inspection": inspector._view.handle.pointer,
                         "program": program, "record": record})  # fmt: skip
        missing = ffi.new("struct ets_export_missing *")
        call(lib.ets_output_open, os.fsencode(path), output, file=path)
        try:
            call(lib.ets_export_write, output[0], format, trace, 1, NULL, missing)
        except Error:
            lib.ets_output_discard(output[0])
            raise
        call(lib.ets_output_commit, output[0], file=path)
    if missing.graph_count > 0:
        warn(f"the graph is left out: {text(ffi.string(missing.reason.message))}")


def _write_parquet(inspector, path):
    import pyarrow
    import pyarrow.parquet

    from etscope import __version__

    table = pyarrow.table(inspector.events)
    facts = {"etscope.version": __version__, "etscope.unit": inspector._source_time_scale.value}
    table = table.replace_schema_metadata({key: str(value) for key, value in facts.items()})
    temporary = f"{os.fspath(path)}.{os.getpid()}"
    try:
        pyarrow.parquet.write_table(table, temporary)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise

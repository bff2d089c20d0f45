import io
import json
import os
from functools import cached_property

from etscope._errors import Error
from etscope._library import NULL, Handle, Source, call, ffi, lib, text
from etscope._tensors import value_of
from etscope.graph import Graph


def parse_etrecord(etrecord_path):
    """Opens an ETRecord; `etrecord_path` is a path or the file's bytes.

    Maps are read at once, graphs and tensors when they are asked for. Raises Error (WRONG_KIND,
    TRUNCATED, MALFORMED, UNSUPPORTED, LIMIT), an OSError where the file cannot be opened.
    """
    if isinstance(etrecord_path, (str, os.PathLike)):
        return ETRecord(Source.of_file(etrecord_path))
    return ETRecord(Source.of_buffer(etrecord_path))


def as_etrecord(record):
    """An ETRecord of what users have: one, a path, or ExecuTorch's own object (it can save itself).

    None stays None. Raises TypeError for anything else.
    """
    if record is None or isinstance(record, ETRecord):
        return record
    if isinstance(record, (str, os.PathLike)):
        return parse_etrecord(record)
    if type(record).__name__ == "ETRecord" and hasattr(record, "save"):
        file = io.BytesIO()
        record.save(file)
        return ETRecord(Source.of_buffer(file.getvalue()))
    raise TypeError(f"an ETRecord or the path of one is expected, not {type(record).__name__}")


class ETRecord:
    """An open record. Attributes have upstream's names; programs are etscope.graph.Graph objects.

    edge_dialect_program       the Graph of the only method, or {method: Graph} of several
    exported_program           the Graph of the ATen program, or None
    graph_map                  {name: Graph} of all others, as "edge_after_transform/forward"
    export_graph_id            the number that ties both together, or None
    methods                    names of the methods that the record knows
    _debug_handle_map, _delegate_map, _instruction_id_to_num_outs_map   as the record stores them:
                               {method: {"instruction": ...}}, None where it has none
    _representative_inputs     [value], None where there are none
    _reference_outputs         {method: [[value] of each test case]}, None where there are none

    Values are NumPy arrays (docs/python.md says of which dtypes), int, float, bool or None.
    """

    def __init__(self, source):
        self._source = source
        out = ffi.new("struct ets_etrecord **")
        call(lib.ets_etrecord_open, source.bytes, NULL, out, file=source.path)
        self._handle = Handle(out[0], lib.ets_etrecord_close, source)

    @property
    def path(self):
        """The file's path; None for a record in memory."""
        return self._source.path

    @cached_property
    def methods(self):
        pointer = self._handle.pointer
        count = lib.ets_etrecord_method_count(pointer)
        return [text(lib.ets_etrecord_method_name(pointer, i)) for i in range(count)]

    @cached_property
    def entries(self):
        """{entry's name: bytes} of the zip file."""
        pointer = self._handle.pointer
        found = {}
        for i in range(lib.ets_etrecord_entry_count(pointer)):
            entry = lib.ets_etrecord_entry(pointer, i)
            found[text(entry.name)] = entry.size
        return found

    @cached_property
    def edge_dialect_program(self):
        graphs = {}
        for method in self.methods:
            graph = self._graph(lib.ets_etrecord_edge_graph, method.encode())
            if graph is not None:
                graphs[method] = graph
        return next(iter(graphs.values()), None) if len(graphs) < 2 else graphs

    @cached_property
    def exported_program(self):
        return self._graph(lib.ets_etrecord_aten_graph)

    @cached_property
    def graph_names(self):
        """All names that graph() knows."""
        names = []
        while True:
            name = lib.ets_etrecord_graph_name(self._handle.pointer, len(names))
            if name == NULL:
                return names
            names.append(text(name))

    def graph(self, name):
        """The Graph of that name ("a" is short for "a/forward"), or None."""
        return self._graph(lib.ets_etrecord_graph, name.encode("utf-8", "surrogateescape"))

    @cached_property
    def graph_map(self):
        own = ("exported_program", "edge_dialect_exported_program")
        names = [name for name in self.graph_names if name.split("/")[0] not in own]
        return {name: self.graph(name) for name in names}

    @property
    def export_graph_id(self):
        return lib.ets_etrecord_export_graph_id(self._handle.pointer) or None

    @cached_property
    def _debug_handle_map(self):
        return self._json("debug_handle_map")

    @cached_property
    def _delegate_map(self):
        return self._json("delegate_map")

    @cached_property
    def _instruction_id_to_num_outs_map(self):
        return self._json("instruction_id_to_num_outs_map")

    @cached_property
    def _representative_inputs(self):
        return self._values(lib.ets_etrecord_representative_inputs)

    @cached_property
    def _reference_outputs(self):
        found = {}
        for method in self.methods:
            count = ffi.new("size_t *")
            self._call(lib.ets_etrecord_reference_case_count, method.encode(), count)
            cases = [
                self._values(lib.ets_etrecord_reference_outputs, method.encode(), case)
                for case in range(count[0])
            ]
            if cases:
                found[method] = cases
        return found or None

    def _call(self, function, *arguments):
        self._source.check()
        with self._handle.lock:
            call(function, self._handle.pointer, *arguments, file=self.path)

    def _graph(self, function, *arguments):
        out = ffi.new("const struct ets_graph **")
        try:
            self._call(function, *arguments, out)
        except Error as error:
            if error.status == "NOT_FOUND":
                return None
            raise
        return Graph(out[0], self._handle)

    def _values(self, function, *arguments):
        values, count = ffi.new("const struct ets_value **"), ffi.new("size_t *")
        try:
            self._call(function, *arguments, values, count)
        except Error as error:
            if error.status == "NOT_FOUND":
                return None
            raise
        return [value_of(values[0][i]) for i in range(count[0])]

    def _json(self, entry):
        if entry not in self.entries:
            return None
        out = ffi.new("struct ets_bytes *")
        self._call(lib.ets_etrecord_entry_bytes, entry.encode(), out)
        try:
            return json.loads(ffi.unpack(ffi.cast("const char *", out.data), out.size) or b"null")
        except (ValueError, RecursionError) as reason:
            raise Error(f"{entry}: {reason}", status="MALFORMED", file=self.path) from reason

    def __repr__(self):
        return f"<ETRecord {self.path or 'in memory'}: {', '.join(self.methods)}>"

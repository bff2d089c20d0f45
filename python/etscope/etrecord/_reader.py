"""What a record's file holds, read when it is asked for."""

import json
import os
from functools import cached_property

from etscope._errors import Error
from etscope._library import NULL, Handle, call, ffi, lib, text
from etscope._tensors import value_of
from etscope.graph import Graph

EDGE = "edge_dialect_exported_program"
ATEN = "exported_program"
SIDE_FILES = ("_state_dict", "_constants", "_example_inputs")


class OpenRecord:
    """The file of a record. Nothing in it changes; ETRecord is what may be built upon it."""

    def __init__(self, source, tensors="numpy"):
        self.source = source
        self._tensors = tensors
        out = ffi.new("struct ets_etrecord **")
        call(lib.ets_etrecord_open, source.bytes, NULL, out, file=source.path)
        name = ffi.new("char[]", os.fsencode(source.path)) if source.path is not None else NULL
        lib.ets_etrecord_set_name(out[0], name)
        self.handle = Handle(out[0], lib.ets_etrecord_close, source, name)

    @property
    def path(self):
        """The file's path; None for a record in memory."""
        return self.source.path

    def check(self):
        """Raises Error if the file has changed since it was opened."""
        self.source.check()

    @cached_property
    def methods(self):
        pointer = self.handle.pointer
        count = lib.ets_etrecord_method_count(pointer)
        return [text(lib.ets_etrecord_method_name(pointer, i)) for i in range(count)]

    @cached_property
    def entries(self):
        """{entry's name: bytes} of the zip file."""
        pointer = self.handle.pointer
        found = {}
        for i in range(lib.ets_etrecord_entry_count(pointer)):
            entry = lib.ets_etrecord_entry(pointer, i)
            found[text(entry.name)] = entry.size
        return found

    def unknown_entries(self):
        """Names of the entries that nothing here reads: those of later versions."""
        known = {"ETRECORD_V0", "export_graph_id", "debug_handle_map", "delegate_map",
                 "instruction_id_to_num_outs_map", "reference_outputs", "representative_inputs"}
        for name in self.graph_names:
            known.update((name, *(name + suffix for suffix in SIDE_FILES)))
        return [name for name in self.entries if name not in known and not name.endswith("/")]

    def edge_programs(self):
        """{method: Graph}"""
        found = {}
        for method in self.methods:
            graph = self._graph(lib.ets_etrecord_edge_graph, method.encode())
            if graph is not None:
                found[method] = graph
        return found

    def aten_program(self):
        return self._graph(lib.ets_etrecord_aten_graph)

    @cached_property
    def graph_names(self):
        """All names that graph() knows."""
        names = []
        while True:
            name = lib.ets_etrecord_graph_name(self.handle.pointer, len(names))
            if name == NULL:
                return names
            names.append(text(name))

    def graph(self, name):
        """The Graph of that name ("a" is short for "a/forward"), or None."""
        return self._graph(lib.ets_etrecord_graph, name.encode("utf-8", "surrogateescape"))

    def other_programs(self):
        """{name: Graph} of those that are neither edge programs nor the ATen program."""
        names = [name for name in self.graph_names if name.split("/")[0] not in (ATEN, EDGE)]
        return {name: self.graph(name) for name in names}

    def export_graph_id(self):
        return lib.ets_etrecord_export_graph_id(self.handle.pointer) or None

    def representative_inputs(self):
        """The values, in the lists, tuples and dicts that they were saved in; None without any."""
        values = self._values(lib.ets_etrecord_representative_inputs)
        if not values:
            return values
        nests, count = ffi.new("const struct ets_nest **"), ffi.new("size_t *")
        self._call(lib.ets_etrecord_representative_nests, nests, count)
        return _nested((nests[0][i] for i in range(count[0])), iter(values))[1]

    def reference_outputs(self):
        """{method: [[value] of each test case]}, or None."""
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

    def named_values(self, entry):
        """{name: value} of a torch.save entry that is a dict; objects are None."""
        values, count = ffi.new("const struct ets_named_value **"), ffi.new("size_t *")
        self._call(lib.ets_etrecord_named_values, entry.encode(), values, count)
        found = {text(values[0][i].name): value_of(values[0][i].value, self._tensors)
                 for i in range(count[0])}
        return found

    def is_empty(self, entry):
        """Whether a torch.save entry holds no values."""
        values, count = ffi.new("const struct ets_named_value **"), ffi.new("size_t *")
        self._call(lib.ets_etrecord_named_values, entry.encode(), values, count)
        return count[0] == 0

    def has_weights(self, program):
        """Whether the weights of the program of that name are there."""
        return bool(lib.ets_etrecord_has_weights(self.handle.pointer, program.encode()))

    def bytes_of(self, entry):
        """A view of an entry's bytes, checked, valid as long as this object."""
        out = ffi.new("struct ets_bytes *")
        self._call(lib.ets_etrecord_entry_bytes, entry.encode(), out)
        return memoryview(ffi.buffer(out.data, out.size) if out.size else b"")

    def json(self, entry):
        """An entry's JSON, or None if the record has no such entry."""
        if entry not in self.entries:
            return None
        try:
            return json.loads(bytes(self.bytes_of(entry)) or b"null")
        except (ValueError, RecursionError) as reason:
            raise Error(f"{entry}: {reason}", status="MALFORMED", file=self.path) from reason

    def _call(self, function, *arguments):
        self.source.check()
        with self.handle.lock:
            call(function, self.handle.pointer, *arguments, file=self.path)

    def _graph(self, function, *arguments):
        out = ffi.new("const struct ets_graph **")
        try:
            self._call(function, *arguments, out)
        except Error as error:
            if error.status == "NOT_FOUND":
                return None
            raise
        return Graph(out[0], self)

    def _values(self, function, *arguments):
        values, count = ffi.new("const struct ets_value **"), ffi.new("size_t *")
        try:
            self._call(function, *arguments, values, count)
        except Error as error:
            if error.status == "NOT_FOUND":
                return None
            raise
        return [value_of(values[0][i], self._tensors) for i in range(count[0])]


def _nested(nests, values):
    """(key, value) of the next of `nests` with all that it holds; `values` are its leaves."""
    nest = next(nests)
    items = [_nested(nests, values) for _ in range(nest.count)]
    if nest.kind == lib.ETS_NEST_DICT:
        return text(nest.key), dict(items)
    found = [item for _, item in items]
    if nest.kind == lib.ETS_NEST_TUPLE:
        found = tuple(found)
    return text(nest.key), next(values) if nest.kind == lib.ETS_NEST_VALUE else found

"""Writes an ETDump of runs and events given as dicts."""

from etscope._errors import Error
from etscope._library import call, ffi, lib

_NO_NAME = 0xFFFFFFFF


def dump(runs):
    """The bytes of an ETDump, with size prefix.

    runs: [(name, [event], bundled input index, [allocator's name])]. An event is {field of struct
    ets_etdump_record: value}: names are str or bytes, metadata bytes; "tensors" has (scalar type,
    sizes, strides, offset) of each tensor. Raises Error.
    """
    return _Writer(runs).write()


class _Writer:
    def __init__(self, runs):
        self._runs = runs
        self._numbers = {}  # of the names
        self._keeps = []
        self._failures = []
        for name, events, _, allocators in runs:
            for text in (name, *allocators):
                self._number(text)
            for event in events:
                self._number(event.get("name"))
                self._number(event.get("delegate_name"))

    def _number(self, name):
        if name is None:
            return _NO_NAME
        name = name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
        return self._numbers.setdefault(name, len(self._numbers))

    def write(self):
        fields = ffi.new("struct ets_etdump_source *")
        fields.names = names = ffi.new("struct ets_etdump_name[]", max(1, len(self._numbers)))
        for i, name in enumerate(self._numbers):
            self._keeps.append(ffi.new("char[]", name))
            names[i].text = {"data": self._keeps[-1], "size": len(name)}
        fields.name_count, fields.run_count = len(self._numbers), len(self._runs)
        for name in ("run", "event", "allocator", "tensor"):
            callback = ffi.callback(
                ffi.typeof(getattr(fields, name)), getattr(self, "_" + name),
                error=lib.ETS_INVALID_ARGUMENT,
                onerror=lambda kind, failure, trace: self._failures.append(failure),
            )  # fmt: skip
            self._keeps.append(callback)
            setattr(fields, name, callback)
        size = ffi.new("size_t *")
        try:
            call(lib.ets_etdump_writer_size, fields, size)
            buffer = ffi.new("uint8_t[]", size[0])
            call(lib.ets_etdump_write_buffer, fields, buffer, len(buffer), size)
        except Error:
            if self._failures:
                raise Error(f"no file can hold this: {self._failures[0]}") from self._failures[0]
            raise
        return bytes(ffi.buffer(buffer, size[0]))

    def _run(self, context, run, out):
        name, events, index, allocators = self._runs[run]
        out.name, out.bundled_input_index = self._number(name), index
        out.event_count, out.allocator_count = len(events), len(allocators)
        return lib.ETS_OK

    def _allocator(self, context, run, index, name_out):
        name_out[0] = self._number(self._runs[run][3][index])
        return lib.ETS_OK

    def _event(self, context, run, index, out):
        for field, value in self._runs[run][1][index].items():
            if field == "tensors":
                out.tensor_count = len(value)
                continue
            if field in ("name", "delegate_name"):
                value = self._number(value)
            elif field == "metadata":
                self._keeps.append(ffi.from_buffer("uint8_t[]", value))
                value = {"data": self._keeps[-1], "size": len(value)}
            setattr(out, field, value)
        return lib.ETS_OK

    def _tensor(self, context, run, event, index, tensor, offset):
        scalar_type, sizes, strides, offset[0] = self._runs[run][1][event]["tensors"][index]
        tensor.scalar_type, tensor.rank = scalar_type, len(sizes)
        tensor.sizes[0 : len(sizes)] = sizes
        tensor.strides[0 : len(sizes)] = strides
        return lib.ETS_OK

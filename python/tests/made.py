"""Traces and records made for a test: traces by the library's own writer, records by zipfile."""

import io
import json
import struct
import zipfile

from etscope._library import call, ffi, lib

NO_NAME = 0xFFFFFFFF


def profile(name=None, start=0, end=0, instruction=0, chain=0, **more):
    """An event with times; delegate_id, delegate_name and metadata are a delegate's."""
    return dict(kind=lib.ETS_EVENT_PROFILE, name=name, start_ticks=start, end_ticks=end,
                instruction=instruction, chain=chain, **more)  # fmt: skip


def framework(name, start, end):
    return profile(name, start, end, instruction=0, chain=-1)


def debug(value, instruction=0, chain=0, is_output=False, name=None):
    """An event with a value: a number, or (scalar type, sizes, strides, offset) of a tensor."""
    event = dict(kind=lib.ETS_EVENT_DEBUG, name=name, instruction=instruction, chain=chain,
                 is_output=int(is_output))  # fmt: skip
    if isinstance(value, tuple):
        return dict(event, value_type=lib.ETS_DEBUG_TENSOR, tensor=value)
    if isinstance(value, float):
        return dict(event, value_type=lib.ETS_DEBUG_DOUBLE, double_value=value)
    return dict(event, value_type=lib.ETS_DEBUG_INT, int_value=value)


def dump(*runs):
    """The bytes of an ETDump of runs [(name, [event]), ...]; a third item is the bundled index."""
    texts, keeps = [], []

    def number(name):
        if name is None:
            return NO_NAME
        name = name if isinstance(name, bytes) else name.encode()
        if name not in texts:
            texts.append(name)
        return texts.index(name)

    for run in runs:
        number(run[0])
        for event in run[1]:
            number(event.get("name"))
            number(event.get("delegate_name"))
    names = ffi.new("struct ets_etdump_name[]", max(1, len(texts)))
    for i, name in enumerate(texts):
        keeps.append(ffi.new("char[]", name))
        names[i].text = {"data": keeps[-1], "size": len(name)}

    def get_run(context, run, out):
        out.name = number(runs[run][0])
        out.bundled_input_index = runs[run][2] if len(runs[run]) > 2 else -1
        out.event_count = len(runs[run][1])
        return lib.ETS_OK

    def get_event(context, run, index, out):
        for field, value in runs[run][1][index].items():
            if field in ("name", "delegate_name"):
                value = number(value)
            elif field == "metadata":
                keeps.append(ffi.from_buffer("uint8_t[]", value))
                value = {"data": keeps[-1], "size": len(value)}
            if field != "tensor":
                setattr(out, field, value)
        return lib.ETS_OK

    def get_tensor(context, run, event, index, tensor, offset):
        scalar_type, sizes, strides, offset[0] = runs[run][1][event]["tensor"]
        tensor.scalar_type, tensor.rank = scalar_type, len(sizes)
        tensor.sizes[0 : len(sizes)] = sizes
        tensor.strides[0 : len(sizes)] = strides
        return lib.ETS_OK

    fields = ffi.new("struct ets_etdump_source *")
    fields.names, fields.name_count, fields.run_count = names, len(texts), len(runs)
    for name, function in (("run", get_run), ("event", get_event), ("tensor", get_tensor)):
        keeps.append(ffi.callback(ffi.typeof(getattr(fields, name)), function))
        setattr(fields, name, keeps[-1])
    size = ffi.new("size_t *")
    call(lib.ets_etdump_writer_size, fields, size)
    buffer = ffi.new("uint8_t[]", size[0])
    call(lib.ets_etdump_write_buffer, fields, buffer, len(buffer), size)
    return bytes(ffi.buffer(buffer, size[0]))


def record(path, **changes):
    """The bytes of the record at `path` with some entries changed.

    A change is named after its entry; None removes it, bytes replace it, anything else as JSON.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            data = changes.pop(entry, old.read(entry))
            if data is not None:
                new.writestr(entry, data if isinstance(data, bytes) else json.dumps(data))
        for entry, data in changes.items():
            new.writestr(entry, data if isinstance(data, bytes) else json.dumps(data))
    return out.getvalue()


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)

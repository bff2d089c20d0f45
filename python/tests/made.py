"""Traces and records made for a test: traces by the library's own writer, records by zipfile."""

import io
import json
import struct
import zipfile

from etscope._library import lib
from etscope.etdump._writer import dump as write


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
        return dict(event, value_type=lib.ETS_DEBUG_TENSOR, tensors=[value])
    if isinstance(value, float):
        return dict(event, value_type=lib.ETS_DEBUG_DOUBLE, double_value=value)
    return dict(event, value_type=lib.ETS_DEBUG_INT, int_value=value)


def dump(*runs):
    """The bytes of an ETDump of runs [(name, [event]), ...]; a third item is the bundled index."""
    return write([(run[0], run[1], run[2] if len(run) > 2 else -1, []) for run in runs])


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

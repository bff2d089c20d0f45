"""Arrow's PyCapsule interface over the C library's stream."""

import atexit
import ctypes

from etscope._library import NULL, call, ffi, lib

_NAME = b"arrow_array_stream"
_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_SetDestructor.argtypes = [ctypes.c_void_p, ctypes.c_void_p]

# Streams in capsules: the memory of each struct, by the address of its capsule.
_open = {}


def _release(stream):
    if stream.release != NULL:  # or its consumer has it
        stream.release(stream)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _close(capsule):
    """A capsule's end."""
    _release(_open.pop(capsule))


@atexit.register
def _close_all():
    """Closes capsules that outlive the interpreter, which can call no Python function by then."""
    for capsule, stream in _open.items():
        _api.PyCapsule_SetDestructor(capsule, None)
        _release(stream)


class EventTable:
    """A table that hands itself out as an Arrow stream; each consumer gets a copy of its own."""

    def __init__(self, handle):
        self._handle = handle  # of the inspection

    def __arrow_c_stream__(self, requested_schema=None):
        stream = ffi.new("struct ArrowArrayStream *")
        with self._handle.lock:
            call(lib.ets_arrow_events, self._handle.pointer, NULL, stream)
        address = int(ffi.cast("uintptr_t", stream))
        capsule = _api.PyCapsule_New(address, _NAME, ctypes.cast(_close, ctypes.c_void_p))
        _open[id(capsule)] = stream
        return capsule

    def __len__(self):
        return lib.ets_inspection_events(self._handle.pointer).count

    def __repr__(self):
        return f"<EventTable: {len(self)} events>"

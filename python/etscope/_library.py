"""Calls the C library, and manages the ownership of what it returns.

    out = ffi.new("struct ets_etrecord **")
    call(lib.ets_etrecord_open, source.bytes, NULL, out, file=source.path)
    record = Handle(out[0], lib.ets_etrecord_close, source)

Three rules keep Python from ever reading memory that is gone: what must be closed lives in a
Handle; a Handle keeps the objects that its C object borrows from; what is handed to users is
copied, or keeps the Handle. Declarations come from the public headers (declare.py).
"""

import os
import sys
import threading

from etscope._declarations import ffi
from etscope._errors import Error, FileError, MissingFileError

_suffix = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")
lib = ffi.dlopen(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libetscope" + _suffix))

NULL = ffi.NULL
NO_INDEX = 0xFFFFFFFF
NO_OFFSET = 0xFFFFFFFFFFFFFFFF


def call(function, *arguments, file=None, error_class=Error):
    """Calls a function that returns a status and takes a struct ets_error last; raises Error."""
    error = ffi.new("struct ets_error *")
    if function(*arguments, error) != lib.ETS_OK:
        raise error_class(
            text(ffi.string(error.message)) + _advice(error.advice),
            status=ffi.string(lib.ets_status_name(error.status)).decode(),
            offset=None if error.offset == NO_OFFSET else error.offset,
            file=file if error.file == NULL else os.fsdecode(ffi.string(error.file)),
        )


# What to write in Python against what the library says is wrong: the one table of it.
_WORDS = {
    "METHOD": "Inspector(method=)",
    "INPUTS": "inputs=",
    "CAPTURE": "Runtime.load_program(enable_etdump=True, debug_buffer_size=...)",
    "CAPTURE_AGAIN": "Runtime.load_program(enable_etdump=True, debug_buffer_size=...)",
    "RECOVER": "`etscope recover`",
    "PROGRAM": "Inspector(program=)",
    "FLOAT_MODEL": "reference=",
    "STEADY": "steady=True",
    "MODULES": "by_module()",
    "REFUSED": "`etscope advise`",
}
_words = {getattr(lib, f"ETS_ADVICE_{name}"): ffi.new("char[]", word.encode())
          for name, word in _WORDS.items()}  # fmt: skip
ADVICE = ffi.new("struct ets_advice_words *")
for _code, _word in _words.items():
    ADVICE.of[_code] = _word


def _advice(code):
    """The clause behind the message of an error that says what would help."""
    return written(lib.ets_advice_print, code, ADVICE.of[code])


def written(function, *arguments):
    """What a function writes into a buffer."""
    room = 4096
    buffer = ffi.new("char[]", room)
    size = function(*arguments, buffer, room)
    return text(bytes(ffi.buffer(buffer, min(size, room - 1))))


def text(value):
    """The str of bytes, of a `const char *` or of a struct ets_text; None if it is absent.

    Bytes that are no UTF-8 are written as \\xNN, so that any text can be printed.
    """
    if not isinstance(value, bytes):
        if ffi.typeof(value).kind == "struct":
            value = ffi.unpack(value.data, value.size) if value.data != NULL else None
        else:
            value = ffi.string(value) if value != NULL else None
        if value is None:
            return None
    return value.decode("utf-8", "backslashreplace")


def printable(value):
    """A str with its control characters written out, so that a terminal shows and does not act."""
    if value.isprintable():
        return value
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in value
    )


class Handle:
    """Owns a C object: closes it when nobody needs it, and keeps what it borrows until then.

    C objects belong to one thread at a time: whoever calls a function that changes one (reads a
    graph on demand, builds a view) holds `lock`.
    """

    def __init__(self, pointer, close, *borrowed):
        self.pointer = pointer
        self.lock = threading.RLock()
        self._close = close
        self._borrowed = borrowed

    def __del__(self):
        self._close(self.pointer)


class Source:
    """Bytes that the library reads: a file's, mapped, or those of an object in memory.

    A mapped file that another process cuts short would end the interpreter, so that whoever reads
    the mapping after it was opened calls check() first, and hands out copies only.
    """

    def __init__(self, bytes_, path=None, keeps=None, mark=None):
        self.bytes = bytes_  # struct ets_bytes
        self.path = path
        self._keeps = keeps
        self._mark = mark

    @classmethod
    def of_file(cls, path):
        """Maps a file. Raises Error, which is an OSError here."""
        path = os.fspath(path)
        encoded = os.fsencode(path)
        if b"\0" in encoded:
            raise FileError("a path with a NUL byte", file=repr(path))
        name = os.fsdecode(encoded)
        out = ffi.new("struct ets_file **")
        call(
            lib.ets_file_open, encoded, out, file=name,
            error_class=FileError if os.path.exists(name) else MissingFileError,
        )  # fmt: skip
        handle = Handle(out[0], lib.ets_file_close)
        return cls(lib.ets_file_bytes(out[0]), name, handle, _mark(name))

    @classmethod
    def of_buffer(cls, data):
        """Borrows any object with a contiguous buffer: bytes, bytearray, mmap, an array."""
        try:
            view = ffi.from_buffer("uint8_t[]", data)
        except (TypeError, BufferError) as reason:
            raise TypeError(f"expected bytes, not {type(data).__name__}") from reason
        bytes_ = ffi.new("struct ets_bytes *", {"data": view, "size": len(view)})
        return cls(bytes_[0], keeps=(view, bytes_))

    def check(self):
        """Raises Error if the file was modified since it was opened.

        A file that was replaced or removed stays readable while it is open.
        """
        now = _mark(self.path) if self._mark is not None else None
        if now is not None and now[:2] == self._mark[:2] and now != self._mark:
            raise Error("the file has changed since it was opened; open it again",
                        status="IO", file=self.path)  # fmt: skip


def _mark(path):
    """Device, inode, size and time of a file; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)

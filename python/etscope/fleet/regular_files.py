"""Reads files that were found somewhere: only regular ones, and no more of them than is allowed.

    data = regular_files.read("trace.etdp", 1 << 20)   # raises OSError, or Error with status LIMIT
    data, digest = regular_files.Room().read_hashed("trace.etdp", 1 << 20)

A pipe would wait for a writer for ever, and a file that claims to be huge would fill the memory.
"""

import errno
import hashlib
import os
import stat

from etscope._errors import Error

_STEP = 1 << 18
_MOST_KEPT = 32 << 20  # bytes of a Room


def read(path, most_bytes):
    """The bytes of the file at `path`."""
    with _opened(path, most_bytes) as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise _too_large(len(data), most_bytes)
    return data


def _opened(path, most_bytes):
    _check(os.stat(path), path, most_bytes)  # first: opening a device can do something
    # What is a pipe by now is opened without waiting, and refused.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = open(descriptor, "rb")
    try:
        _check(os.fstat(descriptor), path, most_bytes)
    except BaseException:
        file.close()
        raise
    return file


class Room:
    """Memory that files are read into, one after the other."""

    def __init__(self):
        self._bytes = bytearray(_STEP)

    def read_hashed(self, path, most_bytes):
        """(the bytes of the file at `path`, their SHA-256). The bytes are gone when the next file is read."""
        hash_, size = hashlib.sha256(), 0
        with _opened(path, most_bytes) as file:
            self._take(os.fstat(file.fileno()).st_size)
            while count := file.readinto(memoryview(self._bytes)[size : size + _STEP]):
                hash_.update(memoryview(self._bytes)[size : size + count])  # while it is in the processor's cache
                size += count
                if size > most_bytes:
                    raise _too_large(size, most_bytes)
                if size == len(self._bytes):  # it grows while it is read
                    self._bytes = self._bytes + bytes(size)
        return memoryview(self._bytes)[:size].toreadonly(), hash_.hexdigest()

    def _take(self, size):
        """Has memory for a file of `size`, and a byte more. That of a large file is given back after it."""
        if size >= len(self._bytes) or len(self._bytes) > max(_MOST_KEPT, size + 1):
            self._bytes = bytearray(size + 1)


def _check(status, path, most_bytes):
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise Error("not a regular file", status="WRONG_KIND")
    if status.st_size > most_bytes:
        raise _too_large(status.st_size, most_bytes)


def _too_large(size, most_bytes):
    return Error(f"{size:,} bytes; at most {most_bytes:,} are read", status="LIMIT")

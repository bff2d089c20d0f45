"""Reads files that were found somewhere: only regular ones, and no more of them than is allowed.

    data = regular_files.read("trace.etdp", 1 << 20)   # raises OSError, or Error with status LIMIT

A pipe would wait for a writer for ever, and a file that claims to be huge would fill the memory.
"""

import errno
import os
import stat

from etscope._errors import Error


def read(path, most_bytes):
    """The bytes of the file at `path`."""
    _check(os.stat(path), path, most_bytes)  # first: opening a device can do something
    # What is a pipe by now is opened without waiting, and refused.
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
        _check(os.fstat(file.fileno()), path, most_bytes)
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise _too_large(len(data), most_bytes)
    return data


def _check(status, path, most_bytes):
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise Error("not a regular file", status="WRONG_KIND")
    if status.st_size > most_bytes:
        raise _too_large(status.st_size, most_bytes)


def _too_large(size, most_bytes):
    return Error(f"{size:,} bytes; at most {most_bytes:,} are read", status="LIMIT")

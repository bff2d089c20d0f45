"""The one exception of the package, and how a C status becomes one."""

import contextlib
import functools
import os
import sys
import warnings


def warn(message):
    """A UserWarning that points at the caller's line, however deep in the package it arises."""
    inner = (os.path.dirname(os.path.abspath(__file__)), contextlib.__file__, functools.__file__)
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(inner):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level + 1)


class Error(ValueError, RuntimeError):
    """An operation failed; the message says why.

    Code written for ExecuTorch's own tools catches ValueError or RuntimeError: this is both. Where
    a file cannot be opened it is an OSError as well.

    status   a name of etscope/base.h: "MALFORMED", "TRUNCATED", "MISMATCH", "NOT_FOUND", ...
    offset   the byte in the input where the reason lies, or None
    file     the path of the file concerned, or None
    message  the reason alone; str() has all of it: "trace.etdp: byte 100: the size prefix ..."
    """

    def __init__(self, message, status="INVALID_ARGUMENT", offset=None, file=None):
        super().__init__(message)
        self.message = message
        self.status = status
        self.offset = offset
        self.file = file

    def __str__(self):
        file = "" if self.file is None else f"{self.file or repr(self.file)}: "
        offset = "" if self.offset is None else f"byte {self.offset}: "
        return file + offset + self.message

    def __reduce__(self):
        return type(self), (self.message, self.status, self.offset, self.file)


class FileError(Error, OSError):
    """An Error of opening a file, for code that catches OSError."""


class MissingFileError(Error, FileNotFoundError):
    """An Error of opening a file that is not there, for code that catches FileNotFoundError."""


class MissingNameError(Error, KeyError):
    """An Error of a name that is not there, for code that catches KeyError."""


class RefusedError(Error, AssertionError):
    """An Error of test cases that a bundle cannot hold, for code that catches AssertionError."""

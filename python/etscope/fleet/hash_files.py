"""Hashes of the traces that a checkpoint stands for, in files that are searched and not read.

A file is the SHA-256 of each trace, 32 bytes each, sorted. A search reads a few pages of a local
file; files of other stores are read once.
"""

import mmap

import numpy as np

from etscope._errors import Error

SIZE = 32


class HashFiles:
    """Whether a trace is in any of the files: `"f3ae..." in files`."""

    def __init__(self, fs, root):
        self._fs, self._root, self._files = fs, root, {}

    def open(self, names):
        """Searches in these files from now on."""
        self._files = {name: self._files[name] if name in self._files else self._data(name) for name in names}

    def _data(self, name):
        path = f"{self._root}/{name}"
        if is_local(self._fs):
            with open(path, "rb") as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        else:
            data = self._fs.cat_file(path)
        if len(data) % SIZE:
            raise Error(f"{path}: {len(data):,} bytes are not a list of hashes of {SIZE} bytes", status="MALFORMED")
        return data

    def __contains__(self, name):
        digest = bytes.fromhex(name)
        return any(_is_in(data, digest) for data in self._files.values())


def _is_in(data, digest):
    low, high = 0, len(data) // SIZE
    while low < high:
        middle = (low + high) // 2
        found = data[middle * SIZE : (middle + 1) * SIZE]
        if found == digest:
            return True
        low, high = (middle + 1, high) if found < digest else (low, middle)
    return False


def is_local(fs):
    return "file" in (fs.protocol if isinstance(fs.protocol, tuple) else (fs.protocol,))


def sorted_hashes(names, files=()):
    """The bytes of a file with the hashes `names`, in hexadecimal, and those of other files' bytes."""
    data = b"".join([bytes.fromhex("".join(names)), *files])
    # Of NumPy's types this one compares bytes; the zeros that it leaves out at the end sort the same.
    return np.unique(np.frombuffer(data, f"S{SIZE}")).tobytes()

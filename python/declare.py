"""Writes the module through which cffi knows the C library, from the library's own headers.

    python3 declare.py COMPILER INCLUDE_FOLDER OUTPUT

The preprocessor expands the public headers, without the system's, and cffi turns them into a
module of tables: nothing is declared twice, and importing it parses no C.
"""

import pathlib
import subprocess
import sys
import tempfile

import cffi

HEADERS = [
    "arrow", "bundle", "bundle_writer", "comparators", "data_file", "delegates", "engine", "etdump",
    "etdump_writer", "etrecord", "export", "gap", "gap_table", "inspect", "kind", "npy", "numerics",
    "program", "table", "verify",
]  # fmt: skip


def expand(compiler, include_folder):
    """The declarations of the public headers, as one text of plain C."""
    lines = "".join(f'#include "etscope/{name}.h"\n' for name in HEADERS)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stddef.h", "stdint.h"):  # cffi knows these types
            pathlib.Path(folder, name).touch()
        # As a compiler without attributes would read them.
        options = ["-E", "-P", "-nostdinc", "-D_WIN32", "-U__GNUC__", "-I", folder]
        command = [compiler, *options, "-I", include_folder, "-x", "c", "-"]
        text = subprocess.run(
            command, input=lines, stdout=subprocess.PIPE, check=True, universal_newlines=True
        ).stdout
        return without_bodies(text)


def without_bodies(text):
    """The text without inline functions, which the library does not export."""
    while True:
        start = text.find("static inline ")
        if start < 0:
            return text
        end, depth = text.index("{", start) + 1, 1
        while depth > 0:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[:start] + text[end:]


def main():
    compiler, include_folder, output = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(expand(compiler, include_folder))
    ffi.set_source("etscope._declarations", None)
    pathlib.Path(output).parent.mkdir(parents=True, exist_ok=True)
    ffi.emit_python_code(output)


if __name__ == "__main__":
    main()

"""Writes the module through which cffi knows the C library, from the library's own headers.

    python3 declare.py COMPILER PROJECT OUTPUT

The preprocessor expands the headers, without the system's, and cffi turns them into a module of
tables: nothing is declared twice, and importing it parses no C.
"""

import pathlib
import subprocess
import sys
import tempfile

import cffi

HEADERS = [
    "etscope/bundle.h", "etscope/engine.h", "etscope/etdump.h", "etscope/etrecord.h",
    "etscope/experimental/arrow.h", "etscope/experimental/comparators.h",
    "etscope/experimental/delegates.h", "etscope/experimental/gap.h",
    "etscope/experimental/row_filter.h", "etscope/file.h",
    "etscope/inspect.h", "etscope/numerics.h", "etscope/program.h", "etscope/verify.h",
    "format/program_lists.h", "format/summary_file.h",
    "gap/upstream_pairs.h", "inspect/upstream/upstream_view.h", "numerics/upstream_gap.h",
    "host/output.h", "output/export/export_files.h",
    "output/graph/graph_files.h", "output/page/page.h",
    "output/table/account_table.h", "output/table/advice_table.h", "output/table/operator_table.h",
    "output/table/program_tables.h", "output/table/run_table.h",
    "output/table/table.h", "output/table/trace_tables.h", "output/table/upstream_tsv.h",
    "output/text/formula_text.h",
    "record/numpy.h", "trace/etdump_writer.h",
    "views/advice_words.h", "views/allocation_events.h", "views/allocation_owners.h",
    "views/cost_reader.h", "views/gap_headline.h", "views/headline.h",
]  # fmt: skip


def expand(compiler, project):
    """The declarations of the headers, as one text of plain C."""
    lines = "".join(f'#include "{name}"\n' for name in HEADERS)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stdbool.h", "stddef.h", "stdint.h"):  # cffi knows these types
            pathlib.Path(folder, name).touch()
        # As a compiler without attributes would read them.
        options = ["-E", "-P", "-nostdinc", "-D_WIN32", "-U__GNUC__", "-I", folder]
        folders = ["-I", f"{project}/include", "-I", f"{project}/src"]
        command = [compiler, *options, *folders, "-x", "c", "-"]
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
    compiler, project, output = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(expand(compiler, project))
    ffi.set_source("etscope._declarations", None)
    pathlib.Path(output).parent.mkdir(parents=True, exist_ok=True)
    ffi.emit_python_code(output)


if __name__ == "__main__":
    main()

"""What a program file consists of, and what differs between two.

    from etscope import program

    sizes = program.size("model.pte", etrecord="model.etrecord")
    print(sizes)                                          # the answer in a sentence
    print(sizes.to_dataframe().groupby("module")["size_bytes"].sum())
    changes = program.compare("before.pte", "after.pte")
    print(len(changes) == 0 or changes)
"""

from etscope._library import NULL, ffi, lib
from etscope._opened import opened_program, opened_record, opened_source
from etscope._tables import filled

__all__ = ["compare", "size"]


def size(file, etrecord=None):
    """Where the bytes of a .pte, .bpte or .ptd are, as a Table: each byte counts in one row.

    file: a path, or the bytes.
    etrecord: path of the export's ETRecord, for names and modules.

    Rows have the columns of `etscope size` (docs/columns.md). Raises Error for damaged files.
    """
    source = opened_source(file)
    with opened_record(etrecord) as record:
        return filled(lib.ets_size_table_of, source.bytes, record, file=source.path,
                      etrecord=etrecord)  # fmt: skip


def compare(before, after, etrecord=None, etrecord_after=None):
    """What differs between two programs, as a Table; without rows they are equal in content.

    before, after: paths, or bytes, of .pte or .bpte files.
    etrecord, etrecord_after: paths of their ETRecords: with both, instructions are matched by their
        debug handles.

    Rows have the columns of `etscope diff` for programs (docs/columns.md). Raises Error for damaged
    files.
    """
    sources, pointers = zip(opened_program(before), opened_program(after))
    programs = ffi.new("struct ets_program *[2]", pointers)
    with opened_record(etrecord) as first, opened_record(etrecord_after) as second:
        records = ffi.new("struct ets_etrecord *[2]", (first, second))
        _check(pointers[0], first, etrecord)
        _check(pointers[1], second, etrecord_after)
        return filled(lib.ets_program_difference_of, programs, records, file=sources[0].path)


def _check(pointer, record, path):
    """Raises Error of `path` if it is another program's ETRecord: the program beside itself is equal."""
    if path is None:
        return
    programs = ffi.new("struct ets_program *[2]", (pointer, pointer))
    records = ffi.new("struct ets_etrecord *[2]", (record, NULL))
    filled(lib.ets_program_difference_of, programs, records, etrecord=path)

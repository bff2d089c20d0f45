"""Files that functions take: paths or bytes of programs, paths of ETRecords."""

import contextlib
import os

from etscope._library import NULL, Source
from etscope._program import program_of


def opened_source(given):
    """The Source of a path, or of an object with bytes."""
    if isinstance(given, (str, os.PathLike)):
        return Source.of_file(given)
    return Source.of_buffer(given)


def opened_program(given):
    """(Source, struct ets_program *) of a .pte or .bpte; the struct borrows the source's bytes."""
    source = opened_source(given)
    return source, program_of(source)


@contextlib.contextmanager
def opened_record(path):
    """The struct ets_etrecord * of a path, or NULL of None, while the block runs."""
    if path is None:
        yield NULL
        return
    from etscope.etrecord._reader import OpenRecord

    record = OpenRecord(Source.of_file(path))
    with record.handle.lock:
        yield record.handle.pointer

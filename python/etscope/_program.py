"""A program that is read: .pte, or the one inside a .bpte."""

from etscope._errors import Error
from etscope._library import call, ffi, lib


def program_of(source):
    """The struct ets_program of a .pte or .bpte, which borrows the source's bytes."""
    program, bytes_, start = ffi.new("struct ets_program *"), source.bytes, 0
    if lib.ets_bundle_sniff(bytes_):
        bundle = ffi.new("struct ets_bundle *")
        call(lib.ets_bundle_init, bundle, bytes_, file=source.path)
        bytes_, start = bundle.program, bundle.program_offset
    try:
        call(lib.ets_program_init, program, bytes_, file=source.path)
    except Error as error:
        if error.offset is not None:
            error.offset += start  # in the file
        raise
    return program

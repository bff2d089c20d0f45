"""Bundled programs as files (.bpte)."""

import io

from etscope.bundled_program.core import BundledProgram


def serialize_from_bundled_program_to_flatbuffer(bundled_program):
    """The bytes of a .bpte. Equal bundles are equal bytes.

    Raises Error: MISMATCH for cases that are not of the program, LIMIT over 2 GB.
    """
    out = io.BytesIO()
    bundled_program._write(out.write)
    return out.getvalue()


def deserialize_from_flatbuffer_to_bundled_program(flatbuffer, tensors="numpy"):
    """The BundledProgram of a .bpte's bytes: values are NumPy arrays, or with "torch" tensors.

    It can be changed and written again; `executorch_program` and `program` are the program's bytes.
    Cases are compared with the program when it is written, not here. Raises Error: WRONG_KIND,
    TRUNCATED, MALFORMED, UNSUPPORTED.
    """
    return BundledProgram._read(flatbuffer, tensors)

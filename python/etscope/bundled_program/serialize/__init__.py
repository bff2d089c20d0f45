"""Bundled programs as files (.bpte), and as JSON of their schema."""

import io
import os

from etscope._dataclass_json import from_json, to_json
from etscope._errors import Error
from etscope.bundled_program import _schema_forms, schema
from etscope.bundled_program._schema_files import SCHEMA_TEXTS
from etscope.bundled_program.core import BundledProgram

BUNDLED_PROGRAM_SCHEMA_NAME = "bundled_program_schema"
SCALAR_TYPE_SCHEMA_NAME = "scalar_type"


def write_schema(d, schema_name):
    """Writes the FlatBuffers schema of bundled programs, for flatc: SCHEMA_NAME.fbs in folder `d`.

    schema_name: BUNDLED_PROGRAM_SCHEMA_NAME, which includes the other, or SCALAR_TYPE_SCHEMA_NAME.
    Nothing in this package needs the file. Raises Error (NOT_FOUND) for another name.
    """
    if schema_name not in SCHEMA_TEXTS:
        raise Error(f"no schema {schema_name!r}; there are {', '.join(SCHEMA_TEXTS)}",
                    status="NOT_FOUND")  # fmt: skip
    with open(os.path.join(d, schema_name + ".fbs"), "w", encoding="ascii", newline="\n") as file:
        file.write(SCHEMA_TEXTS[schema_name])


def serialize_from_bundled_program_to_flatbuffer(bundled_program):
    """The bytes of a .bpte. Equal bundles are equal bytes.

    bundled_program: a BundledProgram, also upstream's of that name, or a schema.BundledProgram.
    Raises Error: MISMATCH for cases that are not of the program, LIMIT over 2 GB.
    """
    out = io.BytesIO()
    _ours(bundled_program)._write(out.write)
    return out.getvalue()


def deserialize_from_flatbuffer_to_bundled_program(flatbuffer, tensors="numpy"):
    """The BundledProgram of a .bpte's bytes: values are NumPy arrays, or with "torch" tensors.

    It can be changed and written again; `executorch_program` and `program` are the program's bytes.
    Cases are compared with the program when it is written, not here. Raises Error: WRONG_KIND,
    TRUNCATED, MALFORMED, UNSUPPORTED.
    """
    return BundledProgram._read(flatbuffer, tensors)


def serialize_from_bundled_program_to_json(bundled_program):
    """The JSON of a schema.BundledProgram, as BundledProgram.serialize_to_schema gives it."""
    return to_json(bundled_program)


def deserialize_from_json_to_bundled_program(program_json):
    """The schema.BundledProgram of JSON. Raises Error (MALFORMED)."""
    return from_json(program_json, schema.BundledProgram)


def convert_to_flatbuffer(program_json):
    """The bytes of a .bpte, of the JSON of its schema. Raises Error."""
    return serialize_from_bundled_program_to_flatbuffer(
        deserialize_from_json_to_bundled_program(program_json)
    )


def convert_from_flatbuffer(program_flatbuffer):
    """The JSON, as bytes, of a .bpte's bytes. Raises Error."""
    return to_json(_schema_forms.schema_of(program_flatbuffer)).encode()


def _ours(bundle):
    if isinstance(bundle, BundledProgram):
        return bundle
    if hasattr(bundle, "serialize_to_schema"):  # upstream's
        path = getattr(bundle, "_pte_file_path", None)
        return BundledProgram(bundle.executorch_program, _schema_forms.copied_suites(bundle), path)
    if hasattr(bundle, "method_test_suites") and hasattr(bundle, "program"):
        return BundledProgram(*_schema_forms.program_and_suites(bundle))
    raise TypeError(f"a BundledProgram is expected, not a {type(bundle).__name__}")

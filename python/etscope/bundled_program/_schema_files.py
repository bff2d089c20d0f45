"""The file format of bundled programs as FlatBuffers schemas, which flatc compiles.

The names, types, order and alignments are the format's; what each field means is in
etscope.bundled_program.schema.
"""

from etscope.scalar_type import ScalarType

# Numbers that the format's enumeration leaves out: no runtime has kernels for them.
_LEFT_OUT = ("COMPLEX32", "COMPLEX64", "COMPLEX128", "BITS1x8", "BITS2x4", "BITS4x2", "BITS8")


def _scalar_types():
    members = [f"  {member.name.upper()} = {member.value}" for member in ScalarType
               if member.name not in _LEFT_OUT]  # fmt: skip
    return ("namespace executorch_flatbuffer;\n\nenum ScalarType : byte {\n"
            + ",\n".join(members) + "\n}\n")  # fmt: skip


_BUNDLED_PROGRAM = """\
include "scalar_type.fbs";
namespace bundled_program_flatbuffer;

table Int { int_val: long; }
table Bool { bool_val: bool; }
table Double { double_val: double; }

table Tensor {
  scalar_type: executorch_flatbuffer.ScalarType;
  sizes: [int];
  data: [ubyte] (force_align: 16);
  dim_order: [ubyte];
}

union ValueUnion { Tensor, Int, Bool, Double }
table Value { val: ValueUnion; }

table BundledMethodTestCase {
  inputs: [Value];
  expected_outputs: [Value];
}

table BundledMethodTestSuite {
  method_name: string;
  test_cases: [BundledMethodTestCase];
}

table BundledProgram {
  version: uint;
  method_test_suites: [BundledMethodTestSuite];
  program: [ubyte] (force_align: 32);
}

root_type BundledProgram;
file_identifier "BP08";
file_extension "bpte";
"""

# {a schema's name: its text}
SCHEMA_TEXTS = {"bundled_program_schema": _BUNDLED_PROGRAM, "scalar_type": _scalar_types()}

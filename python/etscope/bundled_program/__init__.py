"""A program together with inputs and expected outputs. Mirrors `executorch.devtools`' module.

    from etscope.bundled_program import BundledProgram, MethodTestCase, MethodTestSuite
    from etscope.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer

    cases = [MethodTestCase([array], [expected])]
    bundle = BundledProgram("model.pte", [MethodTestSuite("forward", cases)])
    with open("model.bpte", "wb") as file:
        file.write(serialize_from_bundled_program_to_flatbuffer(bundle))

Files are those of ExecuTorch 1.5.1 (BP08, version 2): its runtime, `etscope verify` and
`etscope run` take them. Neither torch nor executorch is needed.
"""

from etscope.bundled_program.config import MethodTestCase, MethodTestSuite
from etscope.bundled_program.core import BundledProgram
from etscope.bundled_program.serialize import (
    deserialize_from_flatbuffer_to_bundled_program, serialize_from_bundled_program_to_flatbuffer,
)  # fmt: skip

__all__ = [
    "BundledProgram", "MethodTestCase", "MethodTestSuite",
    "deserialize_from_flatbuffer_to_bundled_program",
    "serialize_from_bundled_program_to_flatbuffer",
]  # fmt: skip

"""A bundled program as its file holds it. Mirrors `executorch.devtools.bundled_program.schema`.

Scripts rarely need these classes: etscope.bundled_program has arrays instead of bytes.
"""

from dataclasses import dataclass
from typing import List, Union

from etscope._schema_values import Bool, Double, Int
from etscope.scalar_type import ScalarType


@dataclass
class Tensor:
    """data: the elements, those of the last dimension of dim_order beside each other."""

    scalar_type: ScalarType
    sizes: List[int]
    data: bytes
    dim_order: List[int]


ValueUnion = Union[Tensor, Int, Double, Bool]


@dataclass
class Value:
    """One input or expected output."""

    val: ValueUnion


@dataclass
class BundledMethodTestCase:
    """One call of a method."""

    inputs: List[Value]
    expected_outputs: List[Value]


@dataclass
class BundledMethodTestSuite:
    """All test cases of a method."""

    method_name: str
    test_cases: List[BundledMethodTestCase]


@dataclass
class BundledProgram:
    """A whole file; program: the bytes of a .pte."""

    version: int
    method_test_suites: List[BundledMethodTestSuite]
    program: bytes


__all__ = [
    "Bool", "BundledMethodTestCase", "BundledMethodTestSuite", "BundledProgram", "Double", "Int",
    "ScalarType", "Tensor", "Value", "ValueUnion",
]  # fmt: skip

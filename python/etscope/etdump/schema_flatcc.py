"""An ETDump as its file holds it. Mirrors `executorch.devtools.etdump.schema_flatcc`.

Scripts rarely need these classes: the Inspector has events with times, operators and arrays.
"""

from dataclasses import dataclass
from enum import Enum
from typing import List, Optional

from etscope._schema_values import Bool, Double, Int
from etscope.scalar_type import ScalarType


@dataclass
class Tensor:
    """offset: of the bytes in the debug buffer; -1: none."""

    scalar_type: ScalarType
    sizes: List[int]
    strides: List[int]
    offset: Optional[int]


@dataclass
class TensorList:
    """Several tensors."""

    tensors: List[Tensor]


@dataclass
class Null:
    """No value."""


@dataclass
class Float:
    """A plain float of 32 bits."""

    float_val: float


@dataclass
class String:
    """A text."""

    string_val: str


@dataclass
class ContainerMetadata:
    """The Python containers of a method's arguments and results, as pytree writes them."""

    encoded_inp_str: str
    encoded_out_str: str


class ValueType(Enum):
    """What Value.val may be; in the order of the file's numbers."""

    NULL = "Null"
    INT = "Int"
    BOOL = "Bool"
    FLOAT = "Float"
    DOUBLE = "Double"
    TENSOR = "Tensor"
    TENSOR_LIST = "TensorList"
    STRING = "String"


@dataclass
class Value:
    """A captured value: val, the value of a ValueType, names the field that holds it."""

    val: str
    tensor: Optional[Tensor] = None
    tensor_list: Optional[TensorList] = None
    int_value: Optional[Int] = None
    float_value: Optional[Float] = None
    double_value: Optional[Double] = None
    bool_value: Optional[Bool] = None
    output: Optional[Bool] = None


@dataclass
class DebugEvent:
    """A value that was captured. chain_index: 2**64 - 1 outside any instruction."""

    name: Optional[str]
    chain_index: int
    instruction_id: int
    delegate_debug_id_int: Optional[int]
    delegate_debug_id_str: Optional[str]
    debug_entry: Value


class PROFILE_EVENT_ENUM(Enum):
    """Names of events that are no operators."""

    RUN_MODEL = "Method::execute"
    OPERATOR_CALL = "OPERATOR_CALL"
    DELEGATE_CALL = "DELEGATE_CALL"
    LOAD_MODEL = "Program::load_method"


@dataclass
class ProfileEvent:
    """Something that took time. chain_index: -1 outside any instruction."""

    name: Optional[str]
    chain_index: int
    instruction_id: int
    delegate_debug_id_int: Optional[int]
    delegate_debug_id_str: Optional[str]
    delegate_debug_metadata: Optional[bytes]
    start_time: int
    end_time: int


@dataclass
class AllocationEvent:
    """Memory that was taken. allocator_id: counts the run's allocators from 1."""

    allocator_id: int
    allocation_size: int


@dataclass
class Allocator:
    """Whose allocations are logged."""

    name: str


@dataclass
class Event:
    """One of the three."""

    profile_event: Optional[ProfileEvent]
    allocation_event: Optional[AllocationEvent]
    debug_event: Optional[DebugEvent]


@dataclass
class RunData:
    """One load or execution."""

    name: str
    bundled_input_index: Optional[int]
    allocators: Optional[List[Allocator]]
    events: Optional[List[Event]]


@dataclass
class ETDumpFlatCC:
    """A whole file."""

    version: int
    run_data: List[RunData]

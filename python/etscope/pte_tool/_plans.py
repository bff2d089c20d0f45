"""The methods of a program as diff_pte compares them: operators, values, constants."""

import dataclasses
from collections import Counter
from typing import Any, Dict, List, Optional

from etscope._library import NULL, ffi, lib, text
from etscope._tensors import array_of
from etscope.schema import (
    AllocationDetails, DeviceType, ExtraTensorInfo, TensorDataLocation, TensorShapeDynamism,
)  # fmt: skip
from etscope.scalar_type import ScalarType

# {kind: its name in a program's file}
_KINDS = {
    getattr(lib, "ETS_EVALUE_" + kind): name
    for kind, name in (
        ("UNKNOWN", "Unknown"), ("NULL", "Null"), ("INT", "Int"), ("BOOL", "Bool"),
        ("DOUBLE", "Double"), ("TENSOR", "Tensor"), ("STRING", "String"), ("INT_LIST", "IntList"),
        ("DOUBLE_LIST", "DoubleList"), ("BOOL_LIST", "BoolList"), ("TENSOR_LIST", "TensorList"),
        ("OPTIONAL_TENSOR_LIST", "OptionalTensorList"),
    )
}  # fmt: skip


@dataclasses.dataclass
class OperatorUsage:
    """An instruction that has a value as its argument `arg_index`: a kernel, or delegate:NAME."""

    name: str
    arg_index: int


@dataclasses.dataclass
class PlanValue:
    """A value: its kind by the schema's name, the field that holds it, and what it is.

    tensor: of a tensor {field: value} as in the file; array: its constant or initial value.
    """

    kind: str
    field: Optional[str] = None
    content: Any = None
    tensor: Optional[Dict[str, Any]] = None
    array: Any = None


@dataclasses.dataclass
class Plan:
    """A method."""

    name: str
    operators: Counter
    delegates: Counter
    arenas: List[int]
    values: List[PlanValue]
    instruction_count: int
    usages: Dict[int, List[OperatorUsage]]


def plans_of(program):
    """The Plan of each method of a struct ets_program *, in file order."""
    method = ffi.new("struct ets_method *")
    plans = []
    for i in range(program.method_count):
        lib.ets_program_method(program, i, method)
        plans.append(_plan(method))
    return plans


def _plan(method):
    operator, delegate = ffi.new("struct ets_operator *"), ffi.new("struct ets_delegate *")
    arena = ffi.new("struct ets_planned_arena *")
    operators, delegates, arenas = Counter(), Counter(), [0]  # arena 0 is never used
    for i in range(method.operator_count):
        lib.ets_method_operator(method, i, operator)
        operators[_dotted(operator)] += 1
    for i in range(method.delegate_count):
        lib.ets_method_delegate(method, i, delegate)
        delegates[text(delegate.id) or ""] += 1
    for i in range(method.arena_count):
        lib.ets_method_arena(method, i, arena)
        arenas.append(arena.bytes)
    values = [_value(method, i) for i in range(method.value_count)]
    count, usages = _usages(method)
    return Plan(text(method.name) or "", operators, delegates, arenas, values, count, usages)


def _dotted(named):
    name, overload = text(named.name) or "", text(named.overload)
    return f"{name}.{overload}" if overload else name


def _usages(method):
    """The number of instructions, and {value: [OperatorUsage]} of kernels and delegate calls."""
    chain, step = ffi.new("struct ets_chain *"), ffi.new("struct ets_instruction *")
    count, usages = 0, {}
    for c in range(method.chain_count):
        lib.ets_method_chain(method, c, chain)
        count += chain.instruction_count
        for i in range(chain.instruction_count):
            lib.ets_chain_instruction(chain, i, step)
            if step.kind == lib.ETS_INSTRUCTION_KERNEL_CALL:
                name = _dotted(step)
            elif step.kind == lib.ETS_INSTRUCTION_DELEGATE_CALL:
                name = f"delegate:{text(step.name)}"
            else:
                continue
            for k in range(step.argument_count):
                index = lib.ets_instruction_argument(step, k)
                usages.setdefault(index, []).append(OperatorUsage(name, k))
    return count, usages


def _value(method, index):
    value = ffi.new("struct ets_evalue *")
    lib.ets_method_value(method, index, value)
    kind = _KINDS.get(value.kind, "Unknown")
    if kind == "Tensor":
        return _tensor(value)
    if kind == "Int":
        return PlanValue(kind, "int_val", value.int_value)
    if kind == "Bool":
        return PlanValue(kind, "bool_val", bool(value.int_value))
    if kind == "Double":
        return PlanValue(kind, "double_val", value.double_value)
    if kind == "String":
        return PlanValue(kind, "string_val", text(value.string))
    if kind.endswith("List"):
        return PlanValue(kind, "items", [_item(value, kind, i) for i in range(value.item_count)])
    return PlanValue(kind)


def _item(value, kind, index):
    if kind == "DoubleList":
        return lib.ets_evalue_double(value, index)
    if kind == "BoolList":
        return bool(lib.ets_evalue_bool(value, index))
    return lib.ets_evalue_item(value, index)


def _tensor(value):
    stored, tensor = value.tensor, value.tensor.tensor
    order = ffi.new("uint8_t[]", max(tensor.rank, 1))
    lib.ets_evalue_dim_order(value, order)
    allocation = None
    if stored.memory_id > 0:
        allocation = AllocationDetails(stored.memory_id, stored.memory_offset & 0xFFFFFFFF,
                                       stored.memory_offset >> 32)  # fmt: skip
    fields = {
        "scalar_type": ScalarType(tensor.scalar_type),
        "sizes": list(tensor.sizes[0 : tensor.rank]),
        "dim_order": list(order)[: tensor.rank],
        "requires_grad": bool(stored.requires_grad),
        "data_buffer_idx": stored.data_buffer_idx,
        "allocation_info": allocation,
        "shape_dynamism": TensorShapeDynamism(stored.dynamism),
        "extra_tensor_info": _extra(stored),
    }
    array = array_of(tensor) if tensor.data != NULL else None
    return PlanValue("Tensor", tensor=fields, array=array)


def _extra(stored):
    """The ExtraTensorInfo; None where it would say nothing."""
    is_external = stored.place in (lib.ETS_PLACE_EXTERNAL_CONSTANT, lib.ETS_PLACE_EXTERNAL_STATE)
    extra = ExtraTensorInfo(
        fully_qualified_name=text(stored.qualified_name),
        location=TensorDataLocation(int(is_external)),
        device_type=_device(stored.device_type),
        device_index=stored.device_index,
    )
    return None if extra == ExtraTensorInfo() else extra


def _device(number):
    """A DeviceType; the number itself of a newer writer."""
    return DeviceType(number) if number in list(DeviceType) else number

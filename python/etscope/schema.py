"""Parts of a program's schema by the names of `executorch.exir.schema`, as diff_pte shows them.

A program itself is read by etscope.program and the Inspector, which need none of these.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Optional

from etscope.etdump.schema_flatcc import ContainerMetadata


@dataclass
class AllocationDetails:
    """Where a planned tensor is: memory_id counts arenas from 1."""

    memory_id: int
    memory_offset_low: int
    memory_offset_high: int

    @property
    def memory_offset(self) -> int:
        """The offset in the arena, of its two halves of 32 bits."""
        return self.memory_offset_high << 32 | self.memory_offset_low


class TensorShapeDynamism(IntEnum):
    """Whether sizes are fixed, upper bounds, or without bound."""

    STATIC = 0
    DYNAMIC_BOUND = 1
    DYNAMIC_UNBOUND = 2


class TensorDataLocation(IntEnum):
    """Where a constant's bytes are: in the program, or in a file beside it."""

    SEGMENT = 0
    EXTERNAL = 1


class DeviceType(IntEnum):
    """Where a tensor's memory is."""

    CPU = 0
    CUDA = 1


@dataclass
class ExtraTensorInfo:
    """What only some tensors have: a name, a file of their own, another device."""

    mutable_data_segments_idx: int = 0
    fully_qualified_name: Optional[str] = None
    location: TensorDataLocation = TensorDataLocation.SEGMENT
    device_type: DeviceType = DeviceType.CPU
    device_index: int = 0


__all__ = [
    "AllocationDetails", "ContainerMetadata", "DeviceType", "ExtraTensorInfo",
    "TensorDataLocation", "TensorShapeDynamism",
]  # fmt: skip

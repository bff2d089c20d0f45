"""The names that scripts import from ``executorch.devtools.inspector._inspector_utils``.

    from etscope.inspector._inspector_utils import DebugHandle, TimeScale, convert_to_float_tensor

A comparator written for ExecuTorch's ``NumericalComparatorBase`` needs ``convert_to_float_tensor``.
Names not listed here belong to the inside of ExecuTorch's Inspector.
"""

from typing import Any, Tuple

from etscope.inspector._compare import compare_results
from etscope.inspector._time import TimeScale

__all__ = ["DebugHandle", "TimeScale", "compare_results", "convert_to_float_tensor"]

DebugHandle = Tuple[int, ...]


def convert_to_float_tensor(input_data: Any) -> "torch.Tensor":  # noqa: F821
    """A number or a tensor as a float64 tensor on the CPU, detached, with 0 for NaN and the largest
    numbers for infinities where there is a NaN, as ExecuTorch has it.

    Needs PyTorch. Raises AssertionError for a sequence, ValueError for what is no number.
    """
    from collections.abc import Sequence

    import torch

    assert not isinstance(input_data, Sequence), "a sequence is no tensor"
    try:
        tensor = torch.as_tensor(input_data, dtype=torch.float64)
    except Exception as error:
        raise ValueError(f"cannot convert {type(input_data).__name__} to a tensor: {error}") from error
    tensor = tensor.detach().cpu().double()
    return torch.nan_to_num(tensor) if torch.isnan(tensor).any() else tensor

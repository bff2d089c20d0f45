"""Names that scripts for ExecuTorch import from its inspector's inner modules."""

from typing import Tuple

import pytest

from etscope.inspector import TimeScale, _inspector_utils, compare_results


def test_names_are_those_of_the_inspector():
    assert _inspector_utils.TimeScale is TimeScale
    assert _inspector_utils.compare_results is compare_results
    assert _inspector_utils.DebugHandle == Tuple[int, ...]


def test_numbers_become_float64_tensors():
    torch = pytest.importorskip("torch")
    convert = _inspector_utils.convert_to_float_tensor
    assert convert(3).dtype == torch.float64
    found = convert(torch.tensor([1.0, float("nan")], requires_grad=True))
    assert found.tolist() == [1.0, 0.0] and not found.requires_grad
    with pytest.raises(AssertionError):
        convert([1, 2])
    with pytest.raises(ValueError):
        convert(object())

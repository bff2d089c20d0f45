"""Test cases: what goes into a method, and what should come out."""

import dataclasses
import importlib.util
from typing import Sequence, Union

from etscope._errors import RefusedError
from etscope._values import is_torch

# What inputs and expected outputs may be nested in.
DataContainer = Union[list, tuple, dict]


class MethodTestCase:
    """One call of a method.

    inputs            what the method takes, in its order: NumPy arrays, torch tensors, int, float,
                      bool, or lists, tuples and dicts of them, which are flattened
    expected_outputs  what it should give, likewise; None if nothing is expected. An output that
                      is nothing is None

    Both attributes are flat lists; expected_outputs is empty if nothing is expected. Raises
    Error, an AssertionError too, for a value of another type.
    """

    def __init__(self, inputs, expected_outputs=None):
        self.inputs = _flat(inputs)
        self.expected_outputs = [] if expected_outputs is None else _flat(expected_outputs)
        for what, values in (("input", self.inputs), ("expected output", self.expected_outputs)):
            for index, value in enumerate(values):
                if not _is_possible(value) and (what == "input" or value is not None):
                    raise RefusedError(
                        f"{what} {index} is of type {type(value).__name__}; a bundle holds arrays, "
                        f"tensors, int, float and bool"
                    )

    def __repr__(self):
        return (f"MethodTestCase({len(self.inputs)} inputs, "
                f"{len(self.expected_outputs)} expected outputs)")  # fmt: skip


@dataclasses.dataclass
class MethodTestSuite:
    """All test cases of one method."""

    method_name: str
    test_cases: Sequence[MethodTestCase]


def _flat(values):
    """The leaves of nested containers, dicts in the order of their items."""
    if isinstance(values, dict):
        values = values.values()
    elif not isinstance(values, (list, tuple)):
        return [values]
    return [leaf for value in values for leaf in _flat(value)]


def _is_possible(value):
    return isinstance(value, (bool, int, float)) or is_torch(value) or hasattr(value, "__array__")


def __getattr__(name):
    """Upstream's names of types, made when they are asked for: they need NumPy, and torch's Tensor
    where torch is installed.

    ConfigValue       one value
    MethodInputType   what goes into a method
    MethodOutputType  what comes out
    """
    if name == "ConfigValue":
        import numpy as np

        return Union[(*_tensor_types(), np.ndarray, int, bool, float)]
    if name == "MethodInputType":
        return Sequence[__getattr__("ConfigValue")]
    if name == "MethodOutputType":
        import numpy as np

        return Sequence[Union[(*_tensor_types(), np.ndarray)]]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _tensor_types():
    if importlib.util.find_spec("torch") is None:
        return ()
    import torch

    return (torch.Tensor,)

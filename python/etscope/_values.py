"""Python's values as the C library's: arrays, torch tensors, numbers, None."""

import numbers

from etscope._errors import Error
from etscope._library import NULL, ffi, lib
from etscope._tensors import STORED_AS, scalar_type_of


def is_torch(value):
    """Whether it is a torch tensor; torch itself is not imported for the question."""
    return type(value).__module__.split(".")[0] == "torch" and hasattr(value, "data_ptr")


def value_of_input(value, expected):
    """(struct ets_value *, what must live as long) of an input; `expected` is its value info.

    An `expected` of kind NONE says nothing: an array without dimensions stays a tensor then.
    """
    found = ffi.new("struct ets_value *")
    held = getattr(found, "as")
    if is_torch(value):
        array, scalar_type = _array_of_torch(value)
    elif hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
        array, scalar_type = _array_of(value, expected)
    else:
        _set_plain(found, held, value, expected)
        return found, None
    if array.ndim == 0 and expected.kind not in (lib.ETS_VALUE_TENSOR, lib.ETS_VALUE_NONE):
        _set_plain(found, held, array.item(), expected)
        return found, None
    found.kind = lib.ETS_VALUE_TENSOR
    _set_tensor(held.tensor, array, scalar_type)
    return found, array


class TensorOfArray:
    """A struct ets_tensor, and the array that it borrows from."""

    def __init__(self, array):
        self.tensor = ffi.new("struct ets_tensor *")
        self.array = array


def array_and_type(value):
    """(an array that C can read in place, number of its scalar type) of an array or a tensor."""
    if is_torch(value):
        array, scalar_type = _array_of_torch(value)
        return _with_c_strides(array), scalar_type
    return _array_of(value, ffi.new("struct ets_value *"))


def tensor_of_array(array, scalar_type):
    """A TensorOfArray, for C to read as long as it lives."""
    found = TensorOfArray(array)
    _set_tensor(found.tensor, array, scalar_type)
    return found


def _set_plain(found, held, value, expected):
    if value is None:
        found.kind = lib.ETS_VALUE_NONE
    elif isinstance(value, bool):
        found.kind, held.bool_value = lib.ETS_VALUE_BOOL, int(value)
    elif isinstance(value, numbers.Integral) and expected.kind != lib.ETS_VALUE_DOUBLE:
        if not -(2**63) <= value < 2**63:
            raise Error(f"{value} does not fit into 64 bits")
        found.kind, held.int_value = lib.ETS_VALUE_INT, int(value)
    elif isinstance(value, numbers.Real):
        found.kind, held.double_value = lib.ETS_VALUE_DOUBLE, float(value)
    else:
        raise Error(f"an input is an array, a tensor, a number or None, not a "
                    f"{type(value).__name__}")  # fmt: skip


def _array_of(value, expected):
    """An array that C can read in place, and the number of its scalar type."""
    import numpy as np

    array = np.asarray(value)
    scalar_type = scalar_type_of(array)
    if expected.kind == lib.ETS_VALUE_TENSOR and "scalar_type" not in (array.dtype.metadata or {}):
        wanted = expected.tensor.scalar_type
        # The bits of a type that NumPy has not, as such outputs come without ml_dtypes.
        if STORED_AS.get(_name(wanted)) == array.dtype.name:
            scalar_type = wanted
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    return _with_c_strides(array), scalar_type


def _with_c_strides(array):
    """The array, or a copy where C has no such strides."""
    if any(stride < 0 or stride % array.itemsize for stride in array.strides):
        return array.copy()
    return array


def _array_of_torch(tensor):
    """The tensor's memory as an array of plain integers where NumPy has no such type."""
    import torch

    if tensor.is_meta:
        raise Error("a tensor of the device meta has no values", status="UNSUPPORTED")
    if tensor.layout is not torch.strided:
        raise Error(f"a tensor of the layout {tensor.layout} cannot be taken in: its to_dense() can",
                    status="UNSUPPORTED")  # fmt: skip
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
    name = str(tensor.dtype).split(".")[-1]
    scalar_type = scalar_type_of(name)
    if name.startswith(("bfloat16", "float8")):
        tensor = tensor.view(torch.uint8 if tensor.element_size() == 1 else torch.int16)
    try:
        return tensor.numpy(), scalar_type
    except TypeError as reason:
        raise Error(f"tensors of {name} cannot be taken in", status="UNSUPPORTED") from reason


def _set_tensor(tensor, array, scalar_type):
    if array.ndim > len(tensor.sizes):
        raise Error(f"a tensor of {array.ndim} dimensions; {len(tensor.sizes)} are possible")
    tensor.scalar_type = scalar_type
    tensor.rank = array.ndim
    reach = 0
    for i, (size, stride) in enumerate(zip(array.shape, array.strides)):
        tensor.sizes[i] = size
        tensor.strides[i] = stride // array.itemsize
        reach += (size - 1) * stride
    address = array.__array_interface__["data"][0]
    tensor.data = ffi.cast("const void *", address) if array.size else NULL
    tensor.data_bytes = reach + array.itemsize if array.size else 0


def _name(scalar_type):
    return ffi.string(lib.ets_scalar_type_name(scalar_type)).decode()

"""Tensors and values of the C library as Python's: arrays, numbers, None.

NumPy has no bfloat16 and no 8-bit floats. Where ml_dtypes is installed its types are used. Where it
is not, an array holds the elements' bits as unsigned integers, and its dtype says what they are:

    array.dtype.metadata["scalar_type"]   # "bfloat16"
"""

from etscope._errors import Error
from etscope._library import NULL, call, ffi, lib, text

# Types that NumPy holds by their bits or by their stored integers.
STORED_AS = {
    "complex32": "uint32", "qint8": "int8", "quint8": "uint8", "qint32": "int32",
    "bfloat16": "uint16", "quint4x2": "uint8", "quint2x4": "uint8", "bits1x8": "uint8",
    "bits2x4": "uint8", "bits4x2": "uint8", "bits8": "uint8", "bits16": "uint16",
    "float8_e5m2": "uint8", "float8_e4m3fn": "uint8", "float8_e5m2fnuz": "uint8",
    "float8_e4m3fnuz": "uint8",
}  # fmt: skip


def dtype_of(scalar_type):
    """The NumPy dtype of a scalar type's number."""
    import numpy as np

    name = text(lib.ets_scalar_type_name(scalar_type))
    if name is None:
        raise Error(f"{scalar_type} is no scalar type", status="UNSUPPORTED")
    if name not in STORED_AS:
        return np.dtype(name)
    try:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
    except (ImportError, AttributeError):
        return np.dtype(STORED_AS[name], metadata={"scalar_type": name})


def scalar_type_of(array):
    """The number of an array's scalar type, or of a type by its name."""
    name = array
    if not isinstance(array, str):
        name = (array.dtype.metadata or {}).get("scalar_type", array.dtype.name)
    number = 0
    while lib.ets_scalar_type_name(number) != NULL:
        if text(lib.ets_scalar_type_name(number)) == name:
            return number
        number += 1
    raise Error(f"tensors cannot be of {name}", status="UNSUPPORTED")


def array_of(tensor):
    """A copy of a struct ets_tensor with its own layout (its strides, where it has no gaps).

    A tensor whose elements share memory (strides of 0) becomes a read-only array that shares, too.
    """
    import numpy as np

    dtype = dtype_of(tensor.scalar_type)
    shape = tuple(tensor.sizes[0 : tensor.rank])
    try:
        if 0 in shape or tensor.data == NULL:
            return np.zeros(shape, dtype)
        strides = tuple(n * dtype.itemsize for n in tensor.strides[0 : tensor.rank])
        data = ffi.buffer(tensor.data, tensor.data_bytes)
        array = np.ndarray(shape, dtype, data, strides=strides)
        if array.size * dtype.itemsize <= tensor.data_bytes:
            return array.copy(order="K")
        return np.ndarray(shape, dtype, bytes(data), strides=strides)
    except (ValueError, MemoryError) as reason:
        raise Error(f"a tensor of shape {shape}: {reason}", status="LIMIT") from reason


def torch_of(array):
    """The same values as a torch tensor; bfloat16 and 8-bit floats become torch's own."""
    import torch

    name = (array.dtype.metadata or {}).get("scalar_type", array.dtype.name)
    if not array.flags.writeable:
        array = array.copy()
    if not name.startswith(("bfloat16", "float8")):
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(f"u{array.dtype.itemsize}")).view(getattr(torch, name))


def value_of(value, tensors="numpy"):
    """The Python value of a struct ets_value; None for what the library does not hand out."""
    if value.kind == lib.ETS_VALUE_TENSOR:
        return convert(array_of(getattr(value, "as").tensor), tensors)
    if value.kind == lib.ETS_VALUE_INT:
        return getattr(value, "as").int_value
    if value.kind == lib.ETS_VALUE_BOOL:
        return bool(getattr(value, "as").bool_value)
    if value.kind == lib.ETS_VALUE_DOUBLE:
        return getattr(value, "as").double_value
    return None


def check_tensors(tensors):
    """Raises Error if `tensors` is no kind of array that values can be handed out as."""
    if tensors not in ("numpy", "torch"):
        raise Error(f'tensors is "numpy" or "torch", not {tensors!r}')


def convert(array, tensors):
    return torch_of(array) if tensors == "torch" else array


class DebugValues:
    """What a dump's debug events hold, read from the debug buffer on demand."""

    def __init__(self, dump, buffer, file, tensors):
        self._dump = dump  # const struct ets_etdump *
        self._buffer = buffer  # Source or None
        self._file = file
        self._tensors = tensors
        self._known = {}

    def at(self, payload_at):
        """The value of the event with this payload. A tensor is None without a debug buffer."""
        if payload_at not in self._known:
            self._known[payload_at] = self._read(payload_at)
        return self._known[payload_at]

    def is_tensor(self, payload_at):
        types = (lib.ETS_DEBUG_TENSOR, lib.ETS_DEBUG_TENSOR_LIST)
        return self._header(payload_at).type in types

    def _header(self, payload_at):
        value = ffi.new("struct ets_debug_value *")
        lib.ets_etdump_debug_value(self._dump, payload_at, value)
        return value

    def _read(self, payload_at):
        value = self._header(payload_at)
        if not value.is_present:
            return None
        if value.type == lib.ETS_DEBUG_INT:
            return value.int_value
        if value.type == lib.ETS_DEBUG_BOOL:
            return bool(value.int_value)
        if value.type in (lib.ETS_DEBUG_FLOAT, lib.ETS_DEBUG_DOUBLE):
            return value.double_value
        if value.type == lib.ETS_DEBUG_TENSOR:
            return self._tensor(value, 0)
        if value.type == lib.ETS_DEBUG_TENSOR_LIST:
            return [self._tensor(value, i) for i in range(value.tensor_count)]
        return None

    def _tensor(self, value, index):
        if self._buffer is None:
            return None
        tensor, offset = ffi.new("struct ets_tensor *"), ffi.new("int64_t *")
        call(lib.ets_etdump_tensor, self._dump, value, index, tensor, offset, file=self._file)
        if offset[0] == -1 and 0 not in tensor.sizes[0 : tensor.rank]:
            return None  # described without its bytes
        self._buffer.check()
        call(
            lib.ets_etdump_tensor_data, self._buffer.bytes, offset[0], tensor,
            file=self._buffer.path,
        )  # fmt: skip
        return convert(array_of(tensor), self._tensors)

"""Writes what torch.save writes, of NumPy arrays and without torch.

A zip of a pickle (data.pkl) and of the arrays' bytes (data/0, data/1, ...). The pickle is spelled
out here, in the few opcodes that torch.load(weights_only=True) and the C library read.
"""

import io
import struct

from etscope._errors import Error

_STORAGES = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
    "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte",
    "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
# Types without a storage class of their own are bytes with a dtype.
_TYPED = ("uint16", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz",
          "float8_e4m3fnuz")  # fmt: skip


def dumps(value):
    """The bytes of nested lists, tuples and dicts of arrays, numbers, texts and None.

    With a torch tensor inside it is torch's own torch.save that writes.
    """
    if _has_torch(value):
        return _torch_dumps(value)
    pickler = _Pickler()
    pickler.add(value)
    out = io.BytesIO()
    with archive_in(out) as archive:
        write_entry(archive, "archive/data.pkl", b"\x80\x02" + bytes(pickler.code) + b".")
        write_entry(archive, "archive/byteorder", b"little")
        for number, data in enumerate(pickler.storages):
            write_entry(archive, f"archive/data/{number}", data)
        write_entry(archive, "archive/version", b"3\n")
    return out.getvalue()


def archive_in(file):
    """A new zip archive, to be closed. zipfile takes long to import, and readers do without."""
    import zipfile

    return zipfile.ZipFile(file, "w")


def write_entry(archive, name, data):
    """Adds an entry as upstream does, stored, but of a fixed date: equal records, equal bytes."""
    import zipfile

    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)


def _has_torch(value):
    if isinstance(value, dict):
        return any(map(_has_torch, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_torch, value))
    return type(value).__module__.split(".")[0] == "torch"


def _torch_dumps(value):
    import torch

    out = io.BytesIO()
    torch.save(_as_torch(value), out)
    return out.getvalue()


def _as_torch(value):
    """The same with torch tensors for the arrays between them."""
    from etscope._tensors import torch_of

    if isinstance(value, dict):
        return {key: _as_torch(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_as_torch, value))
    return torch_of(value) if hasattr(value, "__array_interface__") else value


class _Pickler:
    def __init__(self):
        self.code = bytearray()
        self.storages = []

    def add(self, value):
        code = self.code
        if hasattr(value, "__array_interface__") and getattr(value, "ndim", 0) == 0:
            if not isinstance(value, _ndarray()):
                value = value.item()  # a NumPy number
        if value is None:
            code += b"N"
        elif isinstance(value, bool):
            code += b"\x88" if value else b"\x89"
        elif isinstance(value, int):
            self._add_int(value)
        elif isinstance(value, float):
            code += b"G" + struct.pack(">d", value)
        elif isinstance(value, str):
            text = value.encode("utf-8", "surrogatepass")
            code += b"X" + struct.pack("<I", len(text)) + text
        elif isinstance(value, list):
            self._add_items(b"](", value, b"e")
        elif isinstance(value, tuple):
            self._add_items(b"(", value, b"t")
        elif isinstance(value, dict):
            pairs = [part for pair in value.items() for part in pair]
            self._add_items(b"}(", pairs, b"u")
        elif isinstance(value, _ndarray()):
            self._add_array(value)
        else:
            raise Error(f"a {type(value).__name__} cannot be kept in a record")

    def _add_items(self, begin, items, end):
        self.code += begin
        for item in items:
            self.add(item)
        self.code += end

    def _add_int(self, value):
        if -(2**31) <= value < 2**31:
            self.code += b"J" + struct.pack("<i", value)
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
            if len(data) > 255:
                raise Error("an integer of more than 255 bytes cannot be kept in a record")
            self.code += b"\x8a" + bytes([len(data)]) + data

    def _add_global(self, module, name):
        self.code += b"c" + f"{module}\n{name}\n".encode()

    def _add_array(self, array):
        name = (array.dtype.metadata or {}).get("scalar_type", array.dtype.name)
        if name not in _STORAGES and name not in _TYPED:
            raise Error(f"arrays of {name} cannot be kept in a record", status="UNSUPPORTED")
        data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        version = "v2" if name in _STORAGES else "v3"
        self._add_global("torch._utils", f"_rebuild_tensor_{version}")
        self.code += b"("
        self._add_storage(name, len(data) if version == "v3" else array.size)
        self.add(0)
        self.add(array.shape)
        self.add(tuple(_strides(array.shape)))
        self.add(False)
        self._add_global("collections", "OrderedDict")
        self.code += b")R"
        if version == "v3":
            self._add_global("torch", name)
        self.code += b"tR"
        self.storages.append(data)

    def _add_storage(self, name, count):
        self.code += b"("
        self.add("storage")
        if name in _STORAGES:
            self._add_global("torch", _STORAGES[name] + "Storage")
        else:
            self._add_global("torch.storage", "UntypedStorage")
        self.add(str(len(self.storages)))
        self.add("cpu")
        self.add(count)
        self.code += b"tQ"


def _ndarray():
    import numpy

    return numpy.ndarray


def _strides(shape):
    """Row-major strides in elements."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return reversed(strides)

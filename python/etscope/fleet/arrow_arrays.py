"""Arrow's arrays over NumPy's memory: nothing is copied, and pandas is not imported.

    arrow_arrays.of_array(np.arange(3.0), pa.float64())
    arrow_arrays.of_values(["a", "b"], pa.string())

pyarrow.array asks pandas, where it is installed, whether it knows a value: its import takes half a
second and 50 MB of each process.
"""

import datetime

import numpy as np
import pyarrow as pa

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MICROSECOND = datetime.timedelta(microseconds=1)
_MOST_OFFSET = (1 << 31) - 1


def of_array(values, type_):
    """The numbers, or truth values, of a NumPy array."""
    if type_ == pa.bool_():
        bits = np.packbits(values, bitorder="little")
        return pa.Array.from_buffers(type_, len(values), [None, pa.py_buffer(bits)])
    values = np.ascontiguousarray(values, type_.to_pandas_dtype())
    return pa.Array.from_buffers(type_, len(values), [None, pa.py_buffer(values)])


def of_values(values, type_):
    """A list of texts, bytes, numbers, truth values, lists of pairs of texts, or times, which can be None."""
    if type_ == pa.string():
        return _of_bytes([value.encode() for value in values], type_)
    if type_ == pa.binary():
        return _of_bytes(values, type_)
    if pa.types.is_map(type_):
        pairs = [pair for value in values for pair in value]
        return pa.MapArray.from_arrays(of_array(_offsets(values), pa.int32()),
                                       of_values([key for key, _ in pairs], pa.string()),
                                       of_values([told for _, told in pairs], pa.string()))  # fmt: skip
    if pa.types.is_timestamp(type_):
        return _of_times(values, type_)
    return of_array(np.array(values, np.bool_ if type_ == pa.bool_() else type_.to_pandas_dtype()), type_)


def _offsets(things):
    """Where each of several things begins if they lie one behind the other, and where the last ends."""
    offsets = np.zeros(len(things) + 1, np.int64)
    np.cumsum([len(thing) for thing in things], out=offsets[1:])
    if offsets[-1] > _MOST_OFFSET:
        raise OverflowError(f"{offsets[-1]:,} bytes of texts are more than a column holds")
    return offsets.astype(np.int32)


def _of_bytes(values, type_):
    buffers = [None, pa.py_buffer(_offsets(values)), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(type_, len(values), buffers)


def _of_times(values, type_):
    is_known = np.packbits(np.array([value is not None for value in values], bool), bitorder="little")
    counts = np.array([0 if value is None else (value - _EPOCH) // _MICROSECOND for value in values], np.int64)
    return pa.Array.from_buffers(type_, len(values), [pa.py_buffer(is_known), pa.py_buffer(counts)])

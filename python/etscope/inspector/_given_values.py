"""Values that are given as the reference of a gap: arrays by the names of nodes, or .npy files."""

import os

from etscope._errors import Error
from etscope._library import Source, call, ffi, lib, text
from etscope._values import array_and_type, tensor_of_array


def compare_values(report, values):
    """values: {node: array, or list of arrays}"""

    def find(value):
        found = values.get(text(value.node.name))
        if isinstance(found, (list, tuple)):
            found = found[value.output] if value.output < len(found) else None
        elif value.output > 0:
            found = None
        return None if found is None else tensor_of_array(*array_and_type(found))

    _compare(report, find)


def compare_folder(report, folder):
    """folder: of files NODE.npy, or NODE.N.npy of nodes with several outputs."""
    if not os.path.isdir(folder):
        raise Error("no such folder", status="NOT_FOUND", file=os.fspath(folder))

    def find(value):
        node = value.node
        name = text(node.name)
        if "/" in name:  # it comes from a file, and leads nowhere else
            return None
        is_single = node.output_count == 1 and node.outputs[0].kind == lib.ETS_ARGUMENT_TENSOR
        path = os.path.join(folder, f"{name}.npy" if is_single else f"{name}.{value.output}.npy")
        return _TensorOfFile(path) if os.path.exists(path) else None

    _compare(report, find)


class _TensorOfFile:
    """A struct ets_tensor, and the .npy file that it borrows from."""

    def __init__(self, path):
        self.source = Source.of_file(path)
        self.tensor = ffi.new("struct ets_tensor *")
        call(lib.ets_npy_read, self.source.bytes, self.tensor, file=path)


def _compare(report, find):
    """`find` gives what has a `tensor` for a const struct ets_gap_value *, or None."""
    failures, kept = [], []

    def look_up(context, value, tensor_out):
        if value.occurrence > 0 or failures:
            return 0
        found = find(value)
        kept[:] = [found]
        if found is None:
            return 0
        tensor_out[0] = found.tensor[0]
        return 1

    callback = ffi.callback(
        "ets_gap_lookup *", look_up, error=0,
        onerror=lambda kind, failure, trace: failures.append(failure),
    )  # fmt: skip
    call(lib.ets_gap_compare, report.pointer, callback, ffi.NULL)
    if failures:
        raise failures[0]

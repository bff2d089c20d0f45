"""Arrow's arrays and the memory that files are read into: the same as by plainer ways."""

import datetime
import hashlib
import subprocess
import sys

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

from etscope._errors import Error
from etscope.fleet import arrow_arrays, regular_files
from etscope.fleet.dataset import SCHEMAS

UTC = datetime.timezone.utc
TIMES = [datetime.datetime(1, 1, 1, tzinfo=UTC), None, datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
         datetime.datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)]  # fmt: skip
PAIRS = [[("room", "cold"), ("", "é")], [], [("a", "")], []]
VALUES = {
    "path": ["é\0", "", "a" * 300, "b"], "bytes": [0, -(1 << 63), (1 << 63) - 1, 5],
    "time": TIMES, "labels": PAIRS, "etrecord": [True, False, False, True],
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_arrays_are_those_of_pyarrow(name):
    type_ = SCHEMAS["traces"].field(name).type
    for values in (VALUES[name], VALUES[name] * 5, []):
        made = arrow_arrays.of_values(values, type_)
        made.validate(full=True)
        assert made.equals(pa.array(values, type_))


def test_arrays_of_numpy_are_not_copied():
    values = np.arange(5, dtype=np.float64)
    made = arrow_arrays.of_array(values, pa.float64())
    values[0] = 7
    assert made.to_pylist() == [7, 1, 2, 3, 4]
    assert arrow_arrays.of_array(values.astype(np.uint32), pa.int64()).to_pylist() == [7, 1, 2, 3, 4]
    assert arrow_arrays.of_array(values > 2, pa.bool_()).to_pylist() == [True, False, False, True, True]
    assert arrow_arrays.of_values([b"", b"\0\xff"], pa.binary()).to_pylist() == [b"", b"\0\xff"]


@pytest.mark.parametrize("value, type_", [(1 << 63, pa.int64()), ("\ud800", pa.string())])
def test_values_that_a_column_cannot_hold_are_errors(value, type_):
    with pytest.raises((ArithmeticError, ValueError)):
        arrow_arrays.of_values([value], type_)


def test_columns_that_are_too_long_are_errors(monkeypatch):
    monkeypatch.setattr(arrow_arrays, "_MOST_OFFSET", 3)
    assert arrow_arrays.of_values(["ab", "c"], pa.string()).to_pylist() == ["ab", "c"]
    with pytest.raises(OverflowError, match="4 bytes"):
        arrow_arrays.of_values(["ab", "cd"], pa.string())


def test_reading_traces_does_not_import_pandas():
    code = ("import sys\nfrom etscope.fleet import arrow_arrays, batch_tables, commits, ingest\nimport pyarrow as pa\n"
            "arrow_arrays.of_values(['a'], pa.string()), arrow_arrays.of_values([None], pa.timestamp('us', 'UTC'))\n"
            "print('pandas' in sys.modules)")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_files_are_read_one_after_the_other_into_the_same_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(regular_files, "_STEP", 4)
    monkeypatch.setattr(regular_files, "_MOST_KEPT", 16)
    room, path = regular_files.Room(), tmp_path / "file"
    for size in (0, 3, 4, 5, 16, 40, 17, 8, 1):
        content = bytes(range(size))
        path.write_bytes(content)
        data, digest = room.read_hashed(str(path), 40)
        assert data == content and digest == hashlib.sha256(content).hexdigest()
        assert len(data.obj) <= max(16, size) + 1
    path.write_bytes(bytes(41))
    with pytest.raises(Error, match="41 bytes; at most 40"):
        room.read_hashed(str(path), 40)


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(regular_files, "_STEP", 4)
    path = tmp_path / "file"
    path.write_bytes(b"0123456789" * 3)
    monkeypatch.setattr(regular_files.Room, "_take", lambda room, size: None)  # as if it had been small before
    data, digest = regular_files.Room().read_hashed(str(path), 100)
    assert data == b"0123456789" * 3 and digest == hashlib.sha256(data).hexdigest()
    with pytest.raises(Error, match="at most 20"):
        regular_files.Room().read_hashed(str(path), 20)

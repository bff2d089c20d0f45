"""The event table as an Arrow stream, and what takes it: pyarrow, DuckDB, polars."""

import gc
import subprocess
import sys

import pytest

from etscope import Inspector
from fixtures import DATA, file, inspect
from made import debug, dump, profile

pyarrow = pytest.importorskip("pyarrow")


def test_every_event_is_a_row():
    inspector = inspect("map_loop")
    table = pyarrow.table(inspector.events)
    table.validate(full=True)
    assert table.num_rows == len(inspector.events)
    assert table.column_names == [
        "run", "run_name", "block", "method", "row", "parent", "kind", "name", "chain",
        "instruction", "delegate_id", "delegate_name", "start", "end", "ticks", "allocator",
        "bytes", "backend", "kernel", "module", "file", "line", "operation", "metadata",
    ]  # fmt: skip
    rows = table.to_pylist()
    assert {row["kind"] for row in rows} == {"profile"}
    totals = {row["run"]: row["ticks"] for row in rows if row["name"] == "Method::execute"}
    inner = [row for row in rows if row["name"] == "OPERATOR_CALL"]
    assert all(rows[row["parent"]]["run"] == row["run"] for row in inner)
    for run, total in totals.items():
        assert 0 < sum(row["ticks"] for row in inner if row["run"] == run) < total


def test_rows_carry_what_the_record_knows():
    rows = pyarrow.table(inspect("mlp_portable").events).to_pylist()
    relu = [row for row in rows if row["name"] == "native_call_relu.out"]
    assert len(relu) == 5
    assert relu[0]["method"] == "forward" and relu[0]["file"] == "models/zoo.py"
    assert relu[0]["line"] == 16 and relu[0]["instruction"] is not None
    init = [row for row in rows if row["name"] == "Method::init"]
    assert init[0]["method"] is None and init[0]["chain"] is None and init[0]["line"] is None


def test_delegates_debug_values_and_other_bytes():
    events = [
        profile(None, 5, 9, delegate_id=3),
        profile(None, 2**32 - 1, 9, delegate_name="softmax"),
        debug(7, instruction=1),
        profile(b"\xffop", 0, 1, instruction=2),
    ]
    table = pyarrow.table(Inspector(etdump_data=dump(("Execute", events))).events)
    table.validate(full=True)
    first, second, third, fourth = table.to_pylist()
    assert (first["delegate_id"], first["name"], first["ticks"]) == (3, None, 4)
    assert (second["delegate_name"], second["ticks"]) == ("softmax", 10)
    assert (third["kind"], third["start"], third["row"]) == ("debug", None, None)
    assert fourth["name"] == "\ufffdop"


def test_allocations():
    table = pyarrow.table(Inspector(file("made", "allocations.etdp")).events)
    allocations = [row for row in table.to_pylist() if row["kind"] == "allocation"]
    assert allocations and all(row["bytes"] > 0 and row["start"] is None for row in allocations)


def test_an_empty_trace_is_an_empty_table():
    table = pyarrow.table(Inspector(etdump_data=dump()).events)
    assert table.num_rows == 0 and len(table.column_names) == 24


def test_columns_outlive_everything():
    inspector = inspect("mlp_portable")
    name = pyarrow.table(inspector.events).column("name")
    unused = inspector.events.__arrow_c_stream__()
    del inspector, unused
    gc.collect()
    assert "Method::execute" in name.to_pylist()


def test_a_stream_may_outlive_the_interpreter():
    """Nobody has taken it, and its capsule is the last thing to go."""
    script = (
        "import sys\n"
        "from etscope import Inspector\n"
        "events = Inspector(sys.argv[1]).events\n"
        "sys.kept = [events.__arrow_c_stream__() for _ in range(3)]\n"
        "kept = events.__arrow_c_stream__()\n"
    )
    done = subprocess.run([sys.executable, "-c", script, file("mlp_portable", "profile.etdp")],
                          stderr=subprocess.PIPE)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


def test_pandas_through_arrow():
    frame = pyarrow.table(inspect("gpt_xnnpack").events).to_pandas()
    assert frame["kind"].unique().tolist() == ["profile"]
    assert frame.groupby("backend", observed=True)["ticks"].sum()["XnnpackBackend"] > 0


def delegated(model):
    """(events, ticks) of XNNPACK's events."""
    rows = pyarrow.table(inspect(model).events).to_pylist()
    ticks = [row["ticks"] for row in rows if row["backend"] == "XnnpackBackend"]
    return len(ticks), sum(ticks)


def test_duckdb_asks_the_stream():
    duckdb = pytest.importorskip("duckdb")
    events = inspect("gpt_xnnpack").events
    query = "select count(*), sum(ticks) from events where backend = 'XnnpackBackend'"
    for _ in range(2):  # each query reads a stream of its own
        assert duckdb.sql(query).fetchall()[0] == delegated("gpt_xnnpack")
    assert len(events) == duckdb.sql("select count(*) from events").fetchall()[0][0]


def test_polars_reads_the_stream():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(inspect("gpt_xnnpack").events)
    inner = frame.filter(polars.col("backend") == "XnnpackBackend")
    assert (len(inner), inner["ticks"].sum()) == delegated("gpt_xnnpack")
    assert frame["start"].null_count() == 0 and frame["line"].null_count() > 0


@pytest.mark.parametrize("reader, version, count", [
    ("duckdb", "2", 'duckdb.sql("select count(*) from events").fetchall()[0][0]'),
    ("polars", "1", "len(polars.DataFrame(events))"),
])  # fmt: skip
def test_pyarrow_is_not_needed_for_it(reader, version, count):
    pytest.importorskip(reader, version)
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        f"import {reader}\n"
        "from etscope import Inspector\n"
        "events = Inspector(sys.argv[1]).events\n"
        f"assert {count} == len(events) > 0\n"
    )
    trace = str(DATA / "mlp_portable" / "profile.etdp")
    subprocess.run([sys.executable, "-c", script, trace], check=True)

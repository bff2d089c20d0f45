"""A trace's arrays and a batch's tables: made traces whose numbers are known."""

import statistics

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
from extra_block import DECODE, PREFILL, run, tokens, with_extra
from made import dump, framework, profile

from etscope.fleet import batch_tables, trace_tables
from etscope.fleet.dataset import SCHEMAS


def a_run(start, slow=1):
    """Operator 1 once, operator 2 twice, 4 us in all."""
    return ("run", [
        framework("Method::execute", start, start + 4000 * slow),
        profile("native_call_add.out", start + 10, start + 10 + 1000 * slow, 1, 3),
        profile("native_call_mul.out", start + 1500 * slow, start + 1600 * slow, 2, 3),
        profile("native_call_mul.out", start + 1700 * slow, start + 1900 * slow, 2, 3),
    ])  # fmt: skip


def test_times_of_a_run_add_up_by_operator():
    reading = trace_tables.read(dump(*(a_run(10_000 * i) for i in range(3))))
    assert reading.facts == {"kind": "trace", "program": "", "lost_events": 0, "runs": 3, "events": 12}
    assert [(each["operator"], each["instruction"], each["kind"]) for each in reading.places] == \
        [("add.out", 1, "operator"), ("mul.out", 2, "operator")]  # fmt: skip
    found = reading.operators
    assert found["place"].tolist() == [0, 0, 0, 1, 1, 1] and found["run"].tolist() == [0, 1, 2] * 2
    assert found["calls"].tolist() == [1] * 3 + [2] * 3
    assert found["time_ns"].tolist() == [1000] * 3 + [300] * 3
    assert reading.runs["time_ns"].tolist() == [4000] * 3
    assert reading.runs["start_ns"].tolist() == [0, 10_000, 20_000] and reading.runs["calls"].tolist() == [4] * 3


def test_slow_first_runs_are_warm_up():
    runs = [a_run(100_000 * i, 5 if i < 2 else 1) for i in range(20)]
    reading = trace_tables.read(dump(*runs))
    assert reading.runs["warm_up"].tolist() == [True] * 2 + [False] * 18
    assert reading.operators["warm_up"].tolist() == ([True] * 2 + [False] * 18) * 2
    tables = whole([(trace_row("a"), reading)])
    for name in ("measured", "summaries"):
        assert {(row["kind"], row["operator"]) for row in tables[name].to_pylist()} == \
            {("run", ""), ("operator", "add.out"), ("operator", "mul.out")}  # fmt: skip
    assert {row["operator"]: row["time_ns"] for row in tables["measured"].to_pylist()} == \
        {"": 4000, "add.out": 1000, "mul.out": 300}  # fmt: skip
    for row in tables["summaries"].to_pylist():
        assert row["count"] == 18 and row["min_ns"] == row["max_ns"] == row["sum_ns"] / 18


def test_prefill_and_decode_are_methods_of_their_own():
    runs = [a_run(100_000 * i, 50 if i == 0 else 1) for i in range(20)]
    entries = [run(i, "forward") for i in range(20)]
    entries += [tokens(i, "forward", *((PREFILL, 8, 0) if i == 0 else (DECODE, 1, 7 + i))) for i in range(20)]
    reading = trace_tables.read(with_extra(dump(*runs), *entries))
    assert reading.runs["method"] == ["forward prefill"] + ["forward decode"] * 19
    # A long prompt is no warm-up of the tokens behind it.
    assert not reading.runs["warm_up"].any()
    assert {(each["method"], each["operator"]) for each in reading.places} == \
        {(f"forward {stage}", name) for stage in ("prefill", "decode") for name in ("add.out", "mul.out")}  # fmt: skip


def test_a_unit_of_ticks_is_asked_for_and_counters_wrap():
    runs = [("run", [framework("Method::execute", (1 << 32) - 100, 900)])] * 2
    assert trace_tables.read(dump(*runs)).runs["time_ns"].tolist() == [1000, 1000]
    assert trace_tables.read(dump(*runs), unit="us").runs["time_ns"].tolist() == [1e6, 1e6]
    with pytest.raises(trace_tables.NoUnit, match="--source-time-scale"):
        trace_tables.read(dump(*runs), unit="cycles")


@pytest.mark.parametrize("runs", [
    [],
    [("run", [])],
    [("load", [framework("Program::load_method", 0, 10)])],
    [("run", [profile("native_call_add.out", 0, 5, 1, 3)])],
], ids=["no run", "no event", "a load", "no whole"])  # fmt: skip
def test_what_did_not_execute_a_method_has_no_rows(runs):
    reading = trace_tables.read(dump(*runs))
    assert reading.facts["runs"] == 0 and len(reading.operators["run"]) == 0
    tables = whole([(trace_row("a"), reading)])
    assert {name: table.num_rows for name, table in tables.items()} == \
        {**dict.fromkeys(SCHEMAS, 0), "traces": 1}  # fmt: skip


def whole(traces):
    """{table: pyarrow.Table} of a batch, its parts together."""
    parts = {name: list(own) for name, own in batch_tables.of(traces).items()}
    return {name: pa.concat_tables([part.unify_dictionaries() for part in own]) if own else SCHEMAS[name].empty_table()
            for name, own in parts.items()}  # fmt: skip


def trace_row(name, **changes):
    row = {"trace": name, "kind": "trace", "path": name, "bytes": 1, "program": "p", "model": "", "device": "d", "build": "1",
           "time": None, "day": "unknown", "labels": [], "runs": 1, "events": 1, "lost_events": 0,
           "etrecord": False, "etscope_version": "0"}  # fmt: skip
    return {**row, **changes}


@pytest.mark.parametrize("most_rows", [1, 7, 1000])
def test_a_batch_holds_the_rows_of_its_traces(monkeypatch, most_rows):
    first, second = (trace_tables.read(dump(*(a_run(10_000 * i, slow) for i in range(3)))) for slow in (1, 3))
    monkeypatch.setattr(batch_tables, "MOST_ROWS", most_rows)
    tables = whole([(trace_row("a"), first), (trace_row("b"), second), (trace_row("c", device="e"), second)])
    for name, table in tables.items():
        assert table.schema.names == SCHEMAS[name].names
    rows = tables["operators"].to_pylist()
    assert len(rows) == 18 and {row["trace"] for row in rows} == {"a", "b", "c"}
    assert [row["time_ns"] for row in rows if row["trace"] == "b"] == [3000] * 3 + [900] * 3
    for row in tables["summaries"].to_pylist():
        times = [each["time_ns"] for each in rows
                 if (each["device"], each["operator"]) == (row["device"], row["operator"])]  # fmt: skip
        if row["kind"] == "run":
            times = [4000.0] * 3 * (row["device"] == "d") + [12000.0] * 3
        assert (row["count"], row["sum_ns"]) == (len(times), sum(times))
        assert row["traces"] == (2 if row["device"] == "d" else 1)
    assert statistics.mean(row["runs"] for row in tables["measured"].to_pylist()) == 3


def test_blocks_of_one_operator_count_together():
    """Two paths through a method that is known: the same operator is a row of each block of the inspection."""
    short = ("run", [framework("Method::execute", 0, 4000), profile("native_call_add.out", 1, 501, 1, 3)])
    told = [run(number, "forward") for number in range(3)]
    reading = trace_tables.read(with_extra(dump(a_run(0), short, a_run(10_000)), *told))
    assert len(reading.places) == 2
    own = reading.operators["place"] == 0
    assert sorted(reading.operators["time_ns"][own].tolist()) == [500, 1000, 1000]
    (row,) = [row for row in whole([(trace_row("a"), reading)])["measured"].to_pylist()
              if row["operator"] == "add.out"]  # fmt: skip
    assert (row["time_ns"], row["runs"]) == (1000, 3)

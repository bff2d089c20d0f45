"""Spark, DuckDB and a plain loop answer the same questions alike."""

import math
import os
import pathlib
import runpy
import shutil
import sys
from statistics import median

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fixtures import file

pytest.importorskip("pyspark", reason="Spark is large: make test-long installs it")
pytest.importorskip("duckdb")
if not shutil.which("java") and not os.environ.get("JAVA_HOME"):
    pytest.skip("no Java", allow_module_level=True)

from etscope import Inspector  # noqa: E402
from etscope.fleet import outliers, questions, regressions  # noqa: E402
from etscope.fleet.compaction import compact  # noqa: E402
from etscope.fleet.duck import Duck  # noqa: E402
from etscope.fleet.filters import Filter  # noqa: E402
from etscope.fleet.spark import Spark  # noqa: E402
from fleet_made import Fleet  # noqa: E402

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "fleet"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    made = Fleet(4, devices=10, traces=4, runs=2,
                 times=lambda device, build, operator: 1.2 if build == "1.3" and operator[7] == "4" else 1)  # fmt: skip
    made.folder = made.write(tmp_path_factory.mktemp("fleet") / "set")
    return made


@pytest.fixture(scope="module")
def engines(fleet):
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
               .config("spark.sql.shuffle.partitions", "2").config("spark.sql.session.timeZone", "UTC")
               .getOrCreate())  # fmt: skip
    yield Duck(fleet.folder), Spark(fleet.folder, session=session)
    session.stop()


def alike(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(alike, a, b))
    return a == b


@pytest.mark.parametrize("ask", [
    lambda engine: questions.query(engine, "select count(distinct trace) as n from runs"),
    questions.coverage,
    lambda engine: questions.traces_by(engine, "build", Filter("day=2026-11-05"), "aten.op4.default"),
    lambda engine: questions.coverage(engine, "label.room=warm,build=1.3"),
    lambda engine: regressions.regressions(engine, "build=1.2", "build=1.3"),
    lambda engine: regressions.regressions(engine, "build=1.2", "build=1.3", by="name"),
    outliers.outliers, questions.top, questions.trend,
    lambda engine: questions.trend(engine, by="build", operator="aten.op4.default"),
], ids=["query", "coverage", "traces", "filter", "regressions", "by name", "outliers", "top", "trend",
        "trend of an operator"])  # fmt: skip
def test_answers_are_equal(engines, ask):
    duck, spark = (ask(engine) for engine in engines)
    if isinstance(duck, dict):
        assert duck == spark and duck
    else:
        assert duck.sentence == spark.sentence and alike(duck.rows, spark.rows)


def test_answers_of_a_compacted_data_set_are_equal(fleet, engines, tmp_path):
    folder = fleet.write(tmp_path / "set", commits=3)
    compact(folder, grace=0)
    spark = Spark(folder, session=engines[1].session)
    try:
        for ask in (questions.coverage, lambda engine: questions.top(engine, by="device")):
            duck = ask(engines[0])
            found = ask(spark)
            assert duck.sentence == found.sentence and len(duck.rows) == len(found.rows) > 1
            for a, b in zip(duck.rows, found.rows):
                assert alike(a, b)
    finally:
        Spark(fleet.folder, session=engines[1].session)  # views belong to the session


def test_a_plain_loop_gives_the_same(fleet, engines):
    warm = {(row["trace"], row["run"]) for row in fleet.tables["runs"] if row["warm_up"]}
    times = {}
    for row in fleet.tables["operators"]:
        if (row["trace"], row["run"]) not in warm:
            times.setdefault((row["trace"], row["instruction"]), []).append(row["time_ns"])
    expected = {key: median(each) for key, each in times.items()}
    for engine in engines:
        rows = engine.sql("select trace, instruction, time_ns from measured where kind <> 'run'").to_pylist()
        assert {(row["trace"], row["instruction"]): row["time_ns"] for row in rows} == expected


def test_executors_parse_what_the_inspector_does(engines, tmp_path):
    from etscope import Inspector
    from etscope.fleet.spark_traces import read_traces
    from fixtures import file

    bad = tmp_path / "bad.etdp"
    bad.write_bytes(b"no trace")
    paths = [file("gpt_xnnpack", "profile.etdp"), file("conv_xnnpack_int8", "profile.etdp"), bad]
    rows = read_traces(engines[1].session, paths, tasks=2).toArrow().to_pylist()
    for path in map(str, paths[:2]):
        expected = pa.table(Inspector(etdump_path=path).events).to_pylist()
        found = [row for row in rows if row["path"] == path]
        assert len(found) == len(expected) > 0
        for name in expected[0]:
            assert [row[name] for row in found] == [row[name] for row in expected], name
    (refused,) = [row for row in rows if row["error"]]
    assert refused["path"] == str(bad) and "bad.etdp" in refused["error"]


def test_the_example_counts_events(engines, tmp_path, monkeypatch):
    """In this session, which it ends, so it comes last: another would take half a minute to start."""
    path = file("gpt_xnnpack", "profile.etdp")
    monkeypatch.setattr(sys, "argv", ["events_by_operation.py", str(tmp_path / "out"), str(path)])
    runpy.run_path(str(EXAMPLES / "events_by_operation.py"), run_name="__main__")
    counts = pq.read_table(tmp_path / "out").to_pylist()
    assert sum(row["count"] for row in counts) == pa.table(Inspector(etdump_path=path).events).num_rows

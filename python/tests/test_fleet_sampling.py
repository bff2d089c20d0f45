"""Traces whose tracer recorded operators in some runs only: shares and values are of these runs."""

import pathlib
import struct
import zlib

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from extra_block import run, with_extra
from fixtures import file
from made import dump, framework, profile
from test_fleet_ingest import read

from etscope import Error
from etscope.fleet import batch_tables, commits, device_summaries, ingest, questions, trace_tables
from etscope.fleet.duck import Duck
from etscope.fleet.regressions import regressions
from etscope.fleet.summaries import counted_runs

BARE, WHOLE, OPERATOR = 800, 1000, 250  # ns of a run without operators, one with them, and the operator
NOTE = "1 trace has operators in some runs only: summaries and medians are of these runs"


def bare(start):
    return ("Execute", [framework("Method::execute", start, start + BARE)])


def with_operator(start, name="add.out"):
    return ("Execute", [profile(f"native_call_{name}", start + 10, start + 10 + OPERATOR, 1, 3),
                        framework("Method::execute", start, start + WHOLE)])  # fmt: skip


def runs_of(every, runs=24, start=0):
    """As a tracer that records operators in each so many runs; 0: in none."""
    return [(with_operator if every and i % every == 0 else bare)(start + 2000 * i) for i in range(runs)]


def tables(data):
    row = {"trace": "a", "kind": "trace", "path": "", "bytes": 1, "model": "", "device": "", "build": "", "day": "d",
           "time": None, "labels": [], "etrecord": False, "etscope_version": ""}  # fmt: skip
    reading = trace_tables.read(data)
    parts = batch_tables.of([({**row, **reading.facts}, reading)])
    return reading, {name: [row for part in each for row in part.to_pylist()] for name, each in parts.items()}


def measured(data):
    return {(row["method"], row["operator"]): (row["time_ns"], row["runs"]) for row in tables(data)[1]["measured"]}


def counts_of(tmp_path, *dumps):
    for number, data in enumerate(dumps):
        (tmp_path / f"{number}.etdp").write_bytes(data)
    commits.prepare(str(tmp_path / "set"))
    counts = ingest.Reader(str(tmp_path / "set")).ingest(ingest.files_of([str(tmp_path)]))
    return ingest._told_of(counts, [], [], None)


@pytest.mark.parametrize("every", [1, 4, 8])
def test_values_are_of_the_runs_with_operators(every):
    reading, found = tables(dump(*runs_of(every)))
    assert reading.unknown_methods == 0 and [row["method"] for row in found["runs"]] == [""] * 24
    assert measured(dump(*runs_of(every))) == {("", ""): (WHOLE, 24 // every), ("", "add.out"): (OPERATOR, 24 // every)}
    assert {row["operator"]: row["count"] for row in found["summaries"]} == {"": 24 // every, "add.out": 24 // every}


def test_without_any_operator_all_runs_count():
    data = dump(*runs_of(0))
    assert measured(data) == {("", ""): (BARE, 24)} and counted_runs(trace_tables.read(data)).all()


@pytest.mark.parametrize("by", ["operator", "module", "backend"])
def test_shares_are_of_the_runs_with_operators(tmp_path, by):
    assert counts_of(tmp_path, dump(*runs_of(8)))["notes"] == [NOTE]
    answer = questions.top(Duck(str(tmp_path / "set")), by=by)
    assert [(row["share"], row["count"]) for row in answer.rows] == [(OPERATOR / WHOLE, 3)]
    assert answer.sentence.endswith("takes most: 25.0 % of 3 us in 3 runs of 1 trace")
    assert len(read(tmp_path / "set", "runs")) == 24


def test_nothing_is_noted_of_runs_that_do_not_differ(tmp_path):
    assert counts_of(tmp_path, dump(*runs_of(0)), dump(*runs_of(1)))["notes"] == []


def test_another_sampling_rate_is_no_regression(tmp_path):
    for build, every in (("eighth", 8), ("full", 1)):
        (tmp_path / build).mkdir()
        for number in range(12):
            (tmp_path / build / f"{number}.etdp").write_bytes(dump(*runs_of(every, start=number)))
    commits.prepare(str(tmp_path / "set"))
    for build in ("eighth", "full"):
        reader = ingest.Reader(str(tmp_path / "set"), given={"build": build, "labels": {}})
        reader.ingest(ingest.files_of([str(tmp_path / build)]))
    rows = regressions(Duck(str(tmp_path / "set")), "build=eighth", "build=full").rows
    assert {(row["name"], row["verdict"]) for row in rows} == {("(run)", "same"), ("add.out", "same")}


def test_a_method_that_never_has_operators_counts_whole():
    runs = [*runs_of(4, 8), *runs_of(0, 8, 50_000)]
    data = with_extra(dump(*runs), *(run(i, "forward" if i < 8 else "setup") for i in range(16)))
    assert measured(data) == {("forward", ""): (WHOLE, 2), ("forward", "add.out"): (OPERATOR, 2), ("setup", ""): (BARE, 8)}


def test_runs_without_operators_are_of_no_method_among_several_unknown():
    """They can be of either: no value is made of them."""
    reading, found = tables(dump(*runs_of(2, 8), *(with_operator(50_000 + 2000 * i, "mul.out") for i in range(4))))
    assert reading.unknown_methods == 2
    methods = {row["operator"]: row["method"] for row in found["measured"] if row["operator"]}
    assert all(method.startswith("block ") for method in methods.values())
    assert [row["method"] for row in found["runs"]] == [methods["add.out"], ""] * 4 + [methods["mul.out"]] * 4
    assert {row["method"] for row in found["measured"]} == set(methods.values())


HEAD, ROW = 120, 128
RUN, OPERATORS, BARE_RUN = 0, 1, 4  # kinds of rows
HAS_OPERATORS = 2


def summary(*kinds, flags=HAS_OPERATORS, bare_method=None):
    """That of docs, with rows of runs without operators, each 600 of 100 us; or without some kinds of rows."""
    data = pathlib.Path(file("summaries", "named.etsum")).read_bytes()
    count, = struct.unpack_from("<I", data, 12)
    rows = [data[HEAD + ROW * i : HEAD + ROW * (i + 1)] for i in range(count)]
    own = [row for row in rows if min(struct.unpack_from("<H", row, 62)[0], OPERATORS) in kinds]
    if BARE_RUN in kinds:
        bare = bytearray(next(row for row in rows if row[62] == RUN))
        struct.pack_into("<QQQI", bare, 16, 600 * 100_000, 100_000, 100_000, 600)
        struct.pack_into("<H", bare, 62, BARE_RUN)
        if bare_method == "":
            struct.pack_into("<Q", bare, 8, 0)
            struct.pack_into("<I", bare, 48, 0xFFFFFFFF)
            struct.pack_into("<H", bare, 58, 0)
        own.append(bytes(bare))
    head, texts = bytearray(data[:HEAD]), data[HEAD + ROW * count : -4]
    struct.pack_into("<II", head, 8, HEAD + ROW * len(own) + len(texts) + 4, len(own))
    struct.pack_into("<I", head, 32, flags)
    body = bytes(head) + b"".join(own) + texts
    return body + struct.pack("<I", zlib.crc32(body))


def answer_of(tmp_path, *summaries, **options):
    for number, data in enumerate(summaries):
        (tmp_path / f"{number}.etsum").write_bytes(data)
    commits.prepare(str(tmp_path / "set"))
    counts = ingest.Reader(str(tmp_path / "set")).ingest(ingest.files_of([str(tmp_path)]))
    notes = [note for note in ingest._told_of(counts, [], [], None)["notes"] if "operators in some" in note]
    return questions.top(Duck(str(tmp_path / "set")), **options), notes


@pytest.mark.parametrize("bare_method", [None, ""])
def test_shares_of_summaries_are_of_the_runs_with_operators(tmp_path, bare_method):
    """As if the others had not been; also where the device does not tell their method."""
    folders = [tmp_path / name for name in ("whole", "sampled")]
    for folder in folders:
        folder.mkdir()
    expected, no_notes = answer_of(folders[0], summary(RUN, OPERATORS))
    answer, notes = answer_of(folders[1], summary(RUN, OPERATORS, BARE_RUN, bare_method=bare_method))
    assert len(expected.rows) == 5 and sum(row["share"] for row in expected.rows) == pytest.approx(1)
    assert (answer.rows, answer.sentence) == (expected.rows, expected.sentence) and no_notes == []
    assert notes == [NOTE]


def test_a_report_between_two_samples_counts_nowhere(tmp_path):
    answer, notes = answer_of(tmp_path, summary(RUN, OPERATORS), summary(BARE_RUN))
    assert sum(row["share"] for row in answer.rows) == pytest.approx(1) and "in 200 runs of 2 traces" in answer.sentence
    assert notes == [NOTE]
    assert [row["runs"] for row in read(tmp_path / "set", "traces").to_pylist()] == [200, 200]


def test_all_runs_of_a_device_without_operators_count(tmp_path):
    answer, notes = answer_of(tmp_path, summary(BARE_RUN, flags=0), by="method")
    assert [(row["method"], row["count"], row["share"]) for row in answer.rows] == [("forward", 600, 1)] and notes == []


def test_operators_of_runs_that_have_none_are_a_contradiction():
    with pytest.raises(Error, match="row 0 counts 200 runs of its method, which has 0"):
        device_summaries.read(summary(OPERATORS, BARE_RUN))


def test_summaries_of_an_earlier_version_are_refused():
    """They do not tell which runs had operators."""
    data = bytearray(summary(RUN, OPERATORS))
    data[7] = 2
    with pytest.raises(Error, match="a summary of version 2; this etscope reads version 3"):
        device_summaries.read(bytes(data))

"""What a row of the table summaries means, whoever wrote it: docs/fleet.md has the contract."""

import pathlib
import struct
import time
import zlib

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")
pytest.importorskip("datasketches")  # which reads the sketches here

from datasketches import kll_doubles_sketch
from extra_block import fingerprint, run, with_extra
from fixtures import file
from made import dump, framework, profile
from test_fleet_ingest import read

from etscope import Error
from etscope.fleet import device_summaries, ingest, questions
from etscope.fleet.dataset import KEY, PLACE
from etscope.fleet.duck import Duck
from etscope.fleet.quantiles import sketch
from etscope.fleet.summaries import UNNAMED, Summary, times_of

NAMED, HASHED = (pathlib.Path(file("summaries", name)) for name in ("named.etsum", "hashed.etsum"))
HEAD, ROW = 120, 128
PROGRAM = bytes(range(8))
OPERATORS = (("convolution.out", 800000), ("relu.out", 40000), ("convolution.out", 500000),
             ("mean.out", 30000), ("addmm.out", 90000))  # fmt: skip


def changed(path=NAMED, *changes):
    """A summary's bytes with fields changed: (format, place, value)."""
    data = bytearray(path.read_bytes())
    for format, at, value in changes:
        struct.pack_into(format, data, at, value)
    struct.pack_into("<I", data, len(data) - 4, zlib.crc32(data[:-4]))
    return bytes(data)


def of_program(path=NAMED, program=PROGRAM):
    return changed(path, ("<I", 36, len(program)), (f"<{len(program)}s", 56, program))


def same_runs(methods=("forward",) * 202):
    """The runs that examples/tracing/device_summary.c adds up, as a trace."""
    noise, now, runs = 1, 0, []
    for number, _ in enumerate(methods):
        slow, begin, events = 4 if number < 2 else 1, now, []
        for instruction, (name, ns) in enumerate(OPERATORS):
            noise = (noise * 1664525 + 1013904223) % (1 << 32)
            took = ns * slow + ns * slow * (noise >> 24) // 2048
            events.append(profile(f"native_call_{name}", now, now + took, instruction))
            now += took
        runs.append(("Execute", [*events, framework("Method::execute", begin, now)]))
    told = [run(number, method) for number, method in enumerate(methods)]
    return with_extra(dump(*runs), fingerprint(PROGRAM), *told)


def check_contract(rows, most_traces):
    """The contract, for rows of one data set; those of several commits add up."""
    groups = {}
    for row in rows:
        assert 1 <= row["traces"] <= most_traces and row["count"] >= row["traces"]
        assert 0 <= row["min_ns"] <= row["sum_ns"] / row["count"] * (1 + 1e-9)
        assert row["sum_ns"] / row["count"] <= row["max_ns"] * (1 + 1e-9)
        sketch = kll_doubles_sketch.deserialize(row["sketch"])
        assert sketch.n == row["count"] and sketch.k == 200
        assert row["min_ns"] <= sketch.get_min_value() and sketch.get_max_value() <= row["max_ns"]
        is_run = row["kind"] == "run"
        assert is_run == (row["operator"] == "")
        if is_run:
            assert row["instruction"] == -1 and not row["backend"] + row["module"] + row["source"]
        else:
            assert row["kind"] in ("operator", "delegate_call", "delegate_event")
            assert not row["operator"].startswith("native_call_") and row["operator"] != "OPERATOR_CALL"
        group = groups.setdefault(tuple(row[name] for name in (*KEY, "method")), {})
        place = tuple(row[name] for name in PLACE)
        group[place] = group.get(place, 0) + row["count"]
    for counts in groups.values():
        (runs,) = [count for place, count in counts.items() if place[PLACE.index("kind")] == "run"]
        assert max(counts.values()) == runs


def summaries_of(tmp_path, name, *files, **options):
    folder = tmp_path / f"{name}_in"
    folder.mkdir()
    for number, (ending, data) in enumerate(files):
        (folder / f"{number}.{ending}").write_bytes(data)
    ingest.commits.prepare(str(tmp_path / name))
    paths = ingest.files_of([str(folder)])
    counts = ingest.Reader(str(tmp_path / name), **options).ingest(paths)  # without the start of a process
    assert (counts["added"], counts["refused"]) == (len(files), 0)
    notes = ingest._told_of(counts, paths, [], None)["notes"]
    return read(tmp_path / name, "summaries").to_pylist(), notes


def test_both_writers_keep_the_contract_and_tell_the_same(tmp_path):
    """The same runs, as a trace and as the device's summary of them."""
    of_trace, _ = summaries_of(tmp_path, "trace", ("etdp", same_runs()))
    of_device, _ = summaries_of(tmp_path, "device", ("etsum", of_program()))
    for rows in (of_trace, of_device):
        check_contract(rows, 1)
    key = (*KEY, *PLACE)
    told = {tuple(row[name] for name in key): row for row in of_trace}
    assert set(told) == {tuple(row[name] for name in key) for row in of_device} and len(told) == 6
    for row in of_device:
        other = told[tuple(row[name] for name in key)]
        for name in ("traces", "count", "sum_ns", "min_ns", "max_ns"):
            assert row[name] == other[name], (row["operator"], name)
        for rank in (0.1, 0.5, 0.9):
            exact, near = (kll_doubles_sketch.deserialize(each["sketch"]) for each in (other, row))
            assert 0.875 <= near.get_quantile(rank) / exact.get_quantile(rank) <= 1.125


@pytest.mark.parametrize("model", ["gpt_xnnpack", "multi_method", "cond", "conv_xnnpack_int8"])
@pytest.mark.parametrize("with_record", [False, True])
def test_recorded_traces_keep_the_contract(tmp_path, model, with_record):
    pair = [("etdp", pathlib.Path(file(model, f"{name}.etdp")).read_bytes()) for name in ("profile", "debug")]
    record = {"etrecord": file(model, "model.etrecord")} if with_record else {}
    rows, _ = summaries_of(tmp_path, "set", *pair, **record)
    check_contract(rows, 2)


def test_hashed_summaries_keep_the_contract(tmp_path):
    rows, _ = summaries_of(tmp_path, "set", ("etsum", of_program(HASHED)))
    check_contract(rows, 1)
    assert {row["program"] for row in rows} == {"#" + PROGRAM.hex()}  # not that of a trace


@pytest.mark.parametrize("is_first", [True, False])
def test_summaries_take_backend_and_module_of_traces(tmp_path, is_first, monkeypatch):
    """Of a trace in the same ingest, or in an earlier one; else the limit is noted."""
    from etscope.fleet import trace_tables

    monkeypatch.setattr(trace_tables.Origins, "of_row", lambda self, row, is_call: (f"net.{row.instruction}", "net.py:3"))
    dataset = str(tmp_path / "set")
    trace, summary = tmp_path / "a.etdp", tmp_path / "b.etsum"
    trace.write_bytes(same_runs())
    summary.write_bytes(of_program())
    reader_of = [[str(trace)], [str(summary)]] if is_first else [[str(trace), str(summary)]]
    ingest.commits.prepare(dataset)
    for paths in reader_of:
        assert ingest.Reader(dataset).ingest(paths)["without_places"] == 0
    rows = read(dataset, "summaries").to_pylist()
    check_contract(rows, 2)
    assert {row["module"] for row in rows if row["kind"] != "run"} == {f"net.{i}" for i in range(5)}
    answer = questions.top(Duck(dataset), limit=100)
    assert len(answer.rows) == 5 and all(row["count"] == 400 for row in answer.rows)


def test_a_summary_of_an_unknown_program_is_noted(tmp_path):
    _, notes = summaries_of(tmp_path, "set", ("etdp", same_runs()), ("etsum", of_program(program=b"another1")))
    assert notes == ["backend and module of operators are not known in 1 summary of 1: add a trace of the"
                     " same program first"]  # fmt: skip


def test_a_method_without_a_name_is_empty(tmp_path):
    rows = device_summaries.read(NAMED.read_bytes()).rows
    changes = [change for i in range(len(rows)) for change in (
        ("<Q", HEAD + ROW * i + 8, 0), ("<I", HEAD + ROW * i + 48, 0xFFFFFFFF), ("<H", HEAD + ROW * i + 58, 0))]  # fmt: skip
    changes += [("<Q", HEAD + ROW, 0), ("<I", HEAD + ROW + 44, 0xFFFFFFFF), ("<H", HEAD + ROW + 56, 0)]
    found = device_summaries.read(changed(NAMED, *changes)).rows
    assert {row.place["method"] for row in found} == {""}
    assert [row.place["operator"] for row in found][:2] == ["", UNNAMED]


def test_late_times_weigh_as_early_ones():
    """The buckets of a device that sampled 1 of 8 times count as all of its runs."""
    values, weights, count = np.array([1e6, 2e6]), np.array([37500, 12500]), 400_001
    counts = times_of(weights, count)
    assert counts.tolist() == [300_001, 100_000]
    found = kll_doubles_sketch.deserialize(sketch([(values, counts)]))
    other = kll_doubles_sketch(200)
    other.update(np.full(count, 3e6))
    other.merge(found)
    assert other.n == 2 * count
    assert [other.get_quantile(rank) for rank in (0.2, 0.45, 0.6)] == [1e6, 2e6, 3e6]


@pytest.mark.parametrize("count", [1, 2, 199, 1999, 2000, 2001, 65_535, 3_999_999, 1 << 22, (1 << 32) - 1])
def test_a_sketch_of_any_count_has_the_ranks_of_its_weights(count):
    chance = np.random.default_rng(count)
    values = np.sort(chance.uniform(1e3, 1e6, 32))
    weights = chance.integers(0, 100, 32)
    counts = times_of(weights, count)
    assert counts.sum() == count and (abs(counts - weights * (count / weights.sum())) <= 1).all()
    found = kll_doubles_sketch.deserialize(sketch([(values, counts)]))
    assert found.n == count
    for value, up_to in zip(values, np.cumsum(counts)):
        if found.get_min_value() <= value < found.get_max_value():
            assert abs(found.get_rank(float(value), True) - up_to / count) <= 0.005


def test_a_summary_takes_a_fraction_of_a_second_whatever_it_counts():
    """8,000 rows of 32 x 65,535 times took 12 minutes of a core."""
    data = NAMED.read_bytes()
    count = (len(data) - HEAD - 4) // ROW
    row = bytearray(data[HEAD + ROW : HEAD + 2 * ROW])
    row[64:128] = struct.pack("<H", 65535) * 32
    struct.pack_into("<I", row, 40, 32 * 65535)
    head, rows = bytearray(data[:HEAD]), bytearray(data[HEAD : HEAD + ROW])
    struct.pack_into("<I", rows, 40, 32 * 65535)
    number = 300
    for instruction in range(number):
        struct.pack_into("<i", row, 52, instruction)
        rows += row
    texts = data[HEAD + count * ROW : -4]
    struct.pack_into("<II", head, 8, HEAD + len(rows) + len(texts) + 4, number + 1)
    body = bytes(head) + bytes(rows) + texts
    told = device_summaries.read(body + struct.pack("<I", zlib.crc32(body)))
    start = time.process_time()
    for each in told.rows:
        summary = Summary()
        summary.add_row(each)
        summary.values()
    took = (time.process_time() - start) / len(told.rows)
    assert took < 0.02, f"{took * 8000:.0f} s for 8,000 rows"


def test_times_beyond_the_buckets_are_within_the_extremes():
    row = HEAD + ROW
    told = device_summaries.read(changed(NAMED, ("<Q", row + 24, 1), ("<Q", row + 16, 10**12),
                                         ("<Q", row + 32, 10**11)))  # fmt: skip
    found = told.rows[1]
    assert found.middles[0] < 1e5 < 1e9 < found.middles[-1] and len(found.middles) == 32
    assert (np.diff(found.middles) >= 0).all() and found.counts.sum() == 200


def test_losses_and_repeated_reports_are_noted(tmp_path):
    """Three files of the same report: the first cumulative, the last repeated with more runs."""
    few = changed(NAMED, ("<I", 28, 800))
    _, notes = summaries_of(tmp_path, "set", ("etsum", NAMED.read_bytes()), ("etsum", few))
    assert "800 times found no row in 1 summary of 2: the devices need more rows" in notes
    assert any(note.startswith("1 report arrived more than once with different content, such as 0 of start 1 of"
                               " an unknown device") for note in notes)  # fmt: skip
    labels = [dict(row["labels"]) for row in read(tmp_path / "set", "traces").to_pylist()]
    assert [each["lost_values"] for each in labels] == ["0", "800"]
    assert {(each["start"], each["sequence"]) for each in labels} == {("1", "0")}


@pytest.mark.parametrize("change, reason", [
    (("<H", HEAD + 62, 1), "row 0 counts 200 runs of its method, which has 0"),  # no row of runs
    (("<I", HEAD + 40, 100), "contradicts itself"),  # more times in buckets than runs
    (("<I", HEAD + ROW + 40, 300), "row 1 counts 300 runs of its method, which has 200"),
    (("<Q", 40, 1 << 63), "9,223,372,036,854,775,808 lost events"),
])  # fmt: skip
def test_a_summary_that_breaks_the_contract_is_refused(tmp_path, change, reason):
    (tmp_path / "bad.etsum").write_bytes(changed(NAMED, change))
    with pytest.raises(Error, match=reason):
        device_summaries.read((tmp_path / "bad.etsum").read_bytes())
    (tmp_path / "good.etdp").write_bytes(same_runs())
    ingest.commits.prepare(str(tmp_path / "set"))
    counts = ingest.Reader(str(tmp_path / "set")).ingest(ingest.files_of([str(tmp_path)]))
    assert (counts["added"], counts["known"], counts["refused"]) == (1, 0, 1)
    assert len(questions.top(Duck(str(tmp_path / "set"))).rows) == 5


def test_an_operator_that_is_there_twice_is_refused():
    data = NAMED.read_bytes()
    twice = data[:HEAD] + data[HEAD : HEAD + 2 * ROW] + data[HEAD + ROW : HEAD + 2 * ROW] + data[HEAD + 3 * ROW :]
    body = twice[:-4]
    with pytest.raises(Error, match="row 2 is of the same operator as an earlier one"):
        device_summaries.read(body + struct.pack("<I", zlib.crc32(body)))

"""Summaries that devices write, in a data set beside traces."""

import math
import pathlib
import shutil
import struct
import zlib

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from fixtures import file

from etscope import Error
from etscope.fleet import device_summaries, questions
from etscope.fleet.command import main
from etscope.fleet.duck import Duck

NAMED, HASHED = (pathlib.Path(file("summaries", name)) for name in ("named.etsum", "hashed.etsum"))
# examples/tracing/device_summary.c: least nanoseconds of an operator; they take up to an eighth more.
EXAMPLE = {0: ("convolution.out", 800000), 1: ("relu.out", 40000), 2: ("convolution.out", 500000),
           3: ("mean.out", 30000), 4: ("addmm.out", 90000)}  # fmt: skip


def test_rows_are_what_the_device_counted():
    told = device_summaries.read(NAMED.read_bytes())
    assert told.facts == {"kind": "summary", "program": "", "runs": 200, "events": 0, "lost_events": 0}
    rows = {row.place["instruction"]: row for row in told.rows}
    assert set(rows) == {*EXAMPLE, -1} and rows[-1].place["kind"] == "run"
    assert told.labels == {"start": "1", "sequence": "0", "lost_values": "0"}
    for instruction, (name, least) in EXAMPLE.items():
        row = rows[instruction]
        assert (row.place["operator"], row.place["method"], row.place["kind"]) == (name, "forward", "operator")
        assert row.count == row.counts.sum() == 200
        assert least <= row.least <= row.sum / 200 <= row.most <= least * 1.125
        assert all(least <= time <= least * 1.125 for time in row.middles[row.counts > 0])
    assert math.isclose(sum(rows[i].sum for i in EXAMPLE), rows[-1].sum)


def test_hashed_names_are_shown_as_hashes():
    places = [row.place for row in device_summaries.read(HASHED.read_bytes()).rows]
    names = {place["instruction"]: place["operator"] for place in places}
    assert names[0] == names[2] and names[0].startswith("#") and len(names[0]) == 17
    assert len({place["method"] for place in places}) == 1 and names[-1] == ""


def test_a_damaged_summary_is_an_error():
    data = bytearray(NAMED.read_bytes())
    data[200] ^= 1
    with pytest.raises(Error, match="checksum"):
        device_summaries.read(bytes(data))


def test_a_row_without_times_and_a_huge_file_are_errors():
    data = bytearray(NAMED.read_bytes())
    data[120 + 64 : 120 + 128] = bytes(64)
    data[-4:] = struct.pack("<I", zlib.crc32(data[:-4]))
    with pytest.raises(Error, match="row 0 contradicts itself"):
        device_summaries.read(bytes(data))
    with pytest.raises(Error, match="1,048,576 are the most"):
        device_summaries.read(bytes(NAMED.read_bytes()).ljust((1 << 20) + 1, b"\0"))


def test_ingest_adds_summaries_beside_traces(tmp_path, capsys):
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(NAMED, folder / "a.etsum")
    shutil.copy(file("mlp_portable", "profile.etdp"), folder / "b.etdp")
    (folder / "cut.etsum").write_bytes(NAMED.read_bytes()[:300])
    words = ["ingest", str(folder), "-o", str(tmp_path / "set"), "--label", "device=board"]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("traces: 2 added, 0 known, 1 refused")
    engine = Duck(str(tmp_path / "set"))
    kinds = engine.sql("select kind, runs from traces order by kind").to_pylist()
    assert [row["kind"] for row in kinds] == ["summary", "trace"] and kinds[0]["runs"] == 200
    rows = {row["instruction"]: row for row in questions.top(engine, "device=board", limit=100).rows
            if row["method"] == "forward" and row["count"] == 200}  # fmt: skip
    for instruction, (name, least) in EXAMPLE.items():
        row = rows[instruction]
        assert row["operator"] == name
        assert least <= row["p50_ns"] <= row["p90_ns"] <= row["max_ns"] <= least * 1.125
    assert main([*words[:-1], "device=other"]) == 0  # known by content
    assert capsys.readouterr().out.startswith("traces: 0 added, 2 known")


def test_what_compares_traces_says_that_summaries_are_left_out(tmp_path):
    from etscope.fleet.outliers import outliers
    from etscope.fleet.regressions import regressions

    for build, summary, model in (("1", NAMED, "mlp_portable"), ("2", HASHED, "mlp_xnnpack")):
        assert main(["ingest", str(summary), file(model, "profile.etdp"), "-o", str(tmp_path / "set"),
                     "--label", f"build={build}"]) == 0  # fmt: skip
    engine = Duck(str(tmp_path / "set"))
    for answer in (regressions(engine, "build=1", "build=2"), outliers(engine)):
        assert "2 summaries of devices are left out: they have no single traces" in answer.notes

"""etscope-fleet ingest: every trace once and whole, whatever happens."""

import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("fsspec")

import pyarrow as pa
import pyarrow.parquet as pq
from fixtures import file

from etscope import Error, Inspector
from etscope.fleet import commits, ingest, removal, side_information, trace_tables
from etscope.fleet.command import main
from etscope.fleet.dataset import PLACE, SCHEMAS, snapshot
from etscope.fleet.quantiles import merged_quantiles
from etscope.fleet.summaries import OF_RUN

MODELS = ("gpt_xnnpack", "mlp_portable", "mlp_xnnpack", "multi_method", "conv_xnnpack", "cond")
METHODS = ("several methods without a name are told apart by their operators in 2 traces: --etrecord or the tracer"
           " names them")  # fmt: skip
KEPT = "{} what the data set has of {}: {} not used for {}; to change that, ingest into a new data set"
PATTERN = "{device}/{build}/{time}_{_}.etdp"


def read(dataset, table, columns=None):
    files = snapshot(str(dataset))[table]
    parts = [pq.ParquetFile(path).read(columns) for path in files]
    return pa.concat_tables(parts) if parts else SCHEMAS[table].empty_table()


@pytest.fixture
def traces(tmp_path):
    """Traces of two devices and two days, one of them twice."""
    for number, model in enumerate(MODELS):
        folder = tmp_path / "traces" / ("pixel" if number % 2 else "watch") / f"1.{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(file(model, "profile.etdp"), folder / f"2026112{number % 2}T010203Z_{model}.etdp")
    shutil.copy(file("cond", "profile.etdp"), folder / "20261125T000000Z_again.etdp")
    return tmp_path / "traces"


def test_the_tables_are_those_of_the_inspector(traces, tmp_path):
    counts = ingest.ingest([str(traces)], str(tmp_path / "set"), name_pattern=PATTERN, batch=2, workers=1)
    example = "by the name pattern, watch/1.0/20261120T010203Z_{}.etdp has device=watch, build=1.0, time=20261120T010203Z"
    assert counts == {"added": len(MODELS), "known": 1, "refused": 0, "reasons": [],
                      "notes": [example.format(MODELS[0]), KEPT.format("1 known trace keeps", "it", "--name-pattern is", "it"),
                                METHODS]}  # fmt: skip
    told = {row["path"]: row for row in read(tmp_path / "set", "traces").to_pylist()}
    runs, operators = (read(tmp_path / "set", name).to_pylist() for name in ("runs", "operators"))
    for path, row in told.items():
        assert path.split(os.sep)[-3:-1] == [row["device"], row["build"]]
        assert row["day"] in ("2026-11-20", "2026-11-21", "2026-11-25")
        frame = Inspector(path).by_run()
        own = [run for run in runs if run["trace"] == row["trace"]]
        assert [run["time_ns"] for run in own] == frame["time_ns"].tolist()
        assert [run["run"] for run in own] == frame["run"].tolist()
        events = pa.table(Inspector(path).events).to_pylist()
        for run in own:
            expected = sum(
                event["ticks"] for event in events
                if event["run"] == run["run"] and event["kind"] == "profile"
                and event["chain"] not in (None, -1) and event["name"] != "OPERATOR_CALL"
            )  # fmt: skip
            found = [each for each in operators
                     if (each["trace"], each["run"]) == (row["trace"], run["run"])]  # fmt: skip
            assert sum(each["time_ns_lower"] for each in found) == pytest.approx(expected)
            assert all(each["time_ns_lower"] <= each["time_ns"] <= each["time_ns_upper"] for each in found)


def test_summaries_merge_to_those_of_all_rows(traces, tmp_path):
    ingest.ingest([str(traces)], str(tmp_path / "set"), name_pattern=PATTERN, batch=1, workers=1)
    summaries = read(tmp_path / "set", "summaries").to_pylist()
    rows = [row for row in read(tmp_path / "set", "operators").to_pylist() if not row["warm_up"]]
    assert sum(each["count"] for each in summaries if each["kind"] != "run") == len(rows)
    for kind in ("operator", "delegate_event"):
        own = [each for each in summaries if each["kind"] == kind]
        times = sorted(row["time_ns"] for row in rows if row["kind"] == kind)
        assert sum(each["sum_ns"] for each in own) == pytest.approx(sum(times))
        assert min(each["min_ns"] for each in own) == times[0]
        assert max(each["max_ns"] for each in own) == times[-1]
        ranks = (0.1, 0.5, 0.9)
        for rank, value in zip(ranks, merged_quantiles([each["sketch"] for each in own], ranks)):
            below = sum(time < value for time in times)
            upto = sum(time <= value for time in times)
            assert below <= rank * len(times) <= upto  # few times: exact


def test_measured_and_summaries_leave_warm_up_out(traces, tmp_path):
    """Beside a plain loop over the rows of operators and runs."""
    ingest.ingest([str(traces)], str(tmp_path / "set"), name_pattern=PATTERN, workers=1)
    steady = {}
    for table in ("operators", "runs"):
        for row in read(tmp_path / "set", table).to_pylist():
            if not row["warm_up"]:
                key = (row["trace"], *(row.get(name, OF_RUN.get(name)) for name in PLACE))
                steady.setdefault(key, []).append(row["time_ns"])
    measured = read(tmp_path / "set", "measured").to_pylist()
    found = {(row["trace"], *(row[name] for name in PLACE)): row for row in measured}
    assert len(found) == len(measured) and set(found) == set(steady)
    for key, times in steady.items():
        assert found[key]["time_ns"] == statistics.median(times) and found[key]["runs"] == len(times)


def test_events_on_wish_are_those_of_the_inspector(traces, tmp_path):
    ingest.ingest([str(traces)], str(tmp_path / "none"), workers=1)
    assert snapshot(str(tmp_path / "none"))["events"] == []
    assert main(["ingest", str(traces), "-o", str(tmp_path / "set"), "--events"]) == 0
    rows = read(tmp_path / "set", "events").to_pylist()
    told = read(tmp_path / "set", "traces").to_pylist()
    assert len(told) == len(MODELS)
    for trace in told:
        expected = [(event["run"], event["name"] or event["delegate_name"], event["start"], event["ticks"])
                    for event in pa.table(Inspector(trace["path"]).events).to_pylist()
                    if event["kind"] == "profile"]  # fmt: skip
        own = [row for row in rows if row["trace"] == trace["trace"]]
        assert [(row["run"], row["start_ns"], row["time_ns"]) for row in own] == \
            [(run, start, ticks) for run, _, start, ticks in expected]  # fmt: skip
        assert {row["kind"] for row in own} <= {"runtime", "operator_call", "delegate_call", "delegate_event", "operator"}
        calls = sum(row["kind"] in ("delegate_call", "delegate_event", "operator") for row in own)
        operators = read(tmp_path / "set", "operators").to_pylist()
        assert calls == sum(row["calls"] for row in operators if row["trace"] == trace["trace"])


def test_a_second_ingest_adds_only_what_is_new(traces, tmp_path):
    first = sorted(traces.rglob("*.etdp"))[:2]
    dataset = str(tmp_path / "set")
    ingest.ingest([str(path) for path in first], dataset)
    counts = ingest.ingest([str(traces)], dataset, workers=1)
    assert counts["added"] == len(MODELS) - 2 and counts["known"] == 3
    hashes = read(dataset, "traces")["trace"].to_pylist()
    assert len(hashes) == len(set(hashes)) == len(MODELS)


def test_what_cannot_be_read_is_set_aside_with_the_reason(traces, tmp_path):
    data = pathlib.Path(file("mlp_xnnpack", "profile.etdp")).read_bytes()
    (traces / "cut.etdp").write_bytes(data[:1000])
    (traces / "empty.etdp").write_bytes(b"")
    shutil.copy(file("mlp_xnnpack", "model.etrecord"), traces / "record.etdp")
    (traces / "beside.etdp").write_bytes(pathlib.Path(file("conv_portable", "profile.etdp")).read_bytes())
    (traces / "beside.json").write_text("[1, 2")
    (traces / "gone.etdp").symlink_to(traces / "nowhere")
    counts = ingest.ingest([str(traces)], str(tmp_path / "set"), workers=1)
    assert [counts[name] for name in ("added", "known", "refused")] == [len(MODELS), 1, 5]
    assert len(counts["reasons"]) == 5 and "beside.json: " in counts["reasons"][0]
    said = {}
    for path in (tmp_path / "set" / "refused").iterdir():
        refused = json.loads(path.read_text())
        said[os.path.basename(refused["path"])] = refused["reason"]
    assert "announces" in said["cut.etdp"]
    assert "beside.json" in said["beside.etdp"]
    assert "No such file" in said["gone.etdp"]
    assert set(said) == {"cut.etdp", "empty.etdp", "record.etdp", "beside.etdp", "gone.etdp"}


def test_two_ingests_at_once_add_each_trace_once(traces, tmp_path):
    dataset = str(tmp_path / "set")
    commits.prepare(dataset)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(ingest.ingest([str(traces)], dataset, batch=1, workers=1)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(each["added"] for each in found) == len(MODELS)
    hashes = read(dataset, "traces")["trace"].to_pylist()
    assert sorted(hashes) == sorted(set(hashes)) and len(hashes) == len(MODELS)
    runs = read(dataset, "runs", ["trace", "run"]).to_pylist()
    assert len(runs) == len({(row["trace"], row["run"]) for row in runs})
    assert removal.clean(dataset) == 0


def test_a_killed_ingest_loses_and_doubles_nothing(traces, tmp_path):
    """A reader sees whole commits at any time; the last ingest completes the data set. Kills are spread
    over the time that an ingest takes, most of which is its start."""
    dataset = str(tmp_path / "set")
    script = (f"from etscope.fleet.ingest import ingest\nif __name__ == '__main__':\n"
              f"    ingest([{str(traces)!r}], {dataset!r}, batch=2, workers=1)\n")  # fmt: skip
    (tmp_path / "run.py").write_text(script)
    (tmp_path / "once.py").write_text(script.replace(dataset, str(tmp_path / "once")))

    def begin(name):
        return subprocess.Popen([sys.executable, tmp_path / name], start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip

    start = time.monotonic()
    assert begin("once.py").wait() == 0
    took, before, kills = time.monotonic() - start, 0, 6
    for number in range(kills):
        process = begin("run.py")
        time.sleep(took * (number + 0.5) / kills)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if os.path.exists(f"{dataset}/etscope-fleet.json"):
            hashes = read(dataset, "traces")["trace"].to_pylist()
            assert len(hashes) == len(set(hashes)) >= before
            before = len(hashes)
    ingest.ingest([str(traces)], dataset, workers=1)
    hashes = read(dataset, "traces")["trace"].to_pylist()
    assert len(hashes) == len(set(hashes)) == len(MODELS)
    runs = set(read(dataset, "runs", ["trace"])["trace"].to_pylist())
    assert runs == set(hashes)
    removal.clean(dataset)
    assert len(read(dataset, "traces")) == len(MODELS) and removal.clean(dataset) == 0


def test_an_object_store_by_fsspec(traces, monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").store.clear()
    commits.prepare("memory://set")
    found, known, refused = ingest.Reader("memory://set").read(ingest.files_of([str(traces)]))
    assert (len(found), len(known), refused) == (len(MODELS), 1, [])
    hashes = {trace["trace"] for trace, _ in found}
    assert set(commits.commit_batch("memory://set", found)) == hashes
    assert commits.commit_batch("memory://set", found) == []
    known = commits.Known("memory://set")
    assert (known.last, known.hashes) == (1, hashes)
    files = snapshot("memory://set")
    assert files["traces"] and files["summaries"]
    with pytest.raises(Error, match="not empty"):
        fsspec.filesystem("memory").pipe("/other/file", b"x")
        commits.prepare("memory://other")


def test_times_at_the_ends_of_the_calendar(traces, tmp_path, capsys):
    first, second = sorted(traces.rglob("*.etdp"))[:2]
    first.with_suffix(".json").write_text('{"time": "0001-01-01T00:00:00+14:00"}')
    second.with_suffix(".json").write_text('{"time": "0001-01-02T00:00:00+01:00"}')
    assert main(["ingest", str(first), str(second), "-o", str(tmp_path / "set")]) == 0
    assert "0001-01-01T00:00:00+14:00\" is no time" in capsys.readouterr().out
    assert read(tmp_path / "set", "traces")["day"].to_pylist() == ["0001-01-01"]


@pytest.mark.parametrize("words", [["top", "--dataset", "x", "-n", "-1"],
                                   ["compact", "--dataset", "x", "--grace", "nan"]])  # fmt: skip
def test_numbers_below_the_least_are_refused(words, capsys):
    with pytest.raises(SystemExit):
        main(words)
    assert f"invalid number of at least {int(words[0] == 'ingest')} value: '{words[-1]}'" in capsys.readouterr().err


def test_a_reading_process_that_is_ended_is_said(traces, tmp_path, capsys, monkeypatch):
    import concurrent.futures

    def broken(self):
        raise concurrent.futures.process.BrokenProcessPool("ended abruptly")

    monkeypatch.setattr(concurrent.futures.Future, "result", broken)
    assert main(["ingest", str(traces), "-o", str(tmp_path / "set"), "--workers", "1"]) == 2
    said = capsys.readouterr().err
    assert "a process that reads traces ended" in said and said.count("\n") == 1


def test_side_information_has_an_order(tmp_path):
    trace = tmp_path / "watch" / "2.0" / "1732410000_x.etdp"
    trace.parent.mkdir(parents=True)
    pattern = side_information.pattern_of("{device}/{build}/{time}_{room}.etdp")
    found = side_information.read(str(trace), pattern)
    assert found == {"device": "watch", "build": "2.0", "time": "1732410000", "model": "",
                     "labels": {"room": "x"}}  # fmt: skip
    (trace.parent / "1732410000_x.json").write_text('{"device": "band", "labels": {"room": "cold", "a": 1}}')
    found = side_information.read(str(trace), pattern, {"build": "3", "labels": {"a": "2"}})
    assert (found["device"], found["build"]) == ("band", "3")
    assert found["labels"] == {"room": "cold", "a": "2"}
    for text in ("2026-11-24T01:02:03Z", "20261124T010203Z", "2026-11-24T02:02:03+01:00"):
        assert side_information.time_of(text).timestamp() == 1795482123
    assert side_information.time_of("1732410000").year == 2024
    with pytest.raises(Error, match="is no time"):
        side_information.time_of("yesterday")
    with pytest.raises(Error, match="names device twice"):
        side_information.pattern_of("{device}/{device}")
    (trace.parent / "1732410000_x.json").write_text('{"device": "band", "room": "warm", "shift": 2}')
    assert side_information.read(str(trace))["labels"] == {"room": "warm", "shift": "2"}
    (trace.parent / "1732410000_x.json").write_text('{"rooms": ["warm"]}')
    with pytest.raises(Error, match="no list or object"):
        side_information.read(str(trace))


@pytest.mark.parametrize("pattern", ["{device/{_}.etdp", "device}/{_}.etdp", "{}/{_}.etdp", "{a b}.etdp"])
def test_a_name_pattern_that_is_none_is_an_error(pattern):
    with pytest.raises(Error, match="every { needs"):
        side_information.pattern_of(pattern)


def test_traces_of_one_day_come_together():
    pattern = side_information.pattern_of("{device}/{time}_{_}.etdp")
    paths = ["/a/2026-11-02_1.etdp", "/a/2026-11-03_2.etdp", "/b/2026-11-02T03:04:05_3.etdp", "/c/later_4.etdp", "/d.etdp"]
    assert side_information.by_day(paths, pattern) == [paths[i] for i in (3, 4, 0, 2, 1)]
    assert side_information.by_day(paths, None) == paths


def test_a_name_pattern_that_does_not_match_is_said(traces, tmp_path, capsys):
    words = ["ingest", str(traces), "-o", str(tmp_path / "set"), "--name-pattern"]
    assert main([*words, "{device}-{build}.etdp"]) == 2
    assert "matches none of 7 names, such as" in capsys.readouterr().err
    assert main([*words, "pixel/{build}/{_}.etdp"]) == 0
    assert "note: the name pattern does not match 3 of 7 names, such as" in capsys.readouterr().out


def test_what_a_name_pattern_tells_is_shown(traces, tmp_path, capsys):
    """A pattern can match other parts of a name than meant, and names that are no column are labels."""
    words = ["ingest", str(traces), "-o", str(tmp_path / "set"), "--name-pattern"]
    assert main([*words, "{label.mode}/{build}/{night}T{_}.etdp"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1].startswith("note: by the name pattern, ") and ".etdp has mode=" in said[1] and "night=2026" in said[1]
    assert said[2] == "note: mode, night of the name pattern are labels: only device, build, time, model are columns"
    assert not any("did you mean" in line for line in said)
    assert dict(read(tmp_path / "set", "traces").to_pylist()[0]["labels"])["mode"] in ("pixel", "watch")


def test_a_label_like_a_column_of_json_is_noted(tmp_path, capsys):
    shutil.copy(file("mlp_portable", "profile.etdp"), tmp_path / "a.etdp")
    (tmp_path / "a.json").write_text('{"Device": "pixel", "labels": {"room": "cold", "buidl": 7, "mode": "fast"}}')
    assert main(["ingest", str(tmp_path / "a.etdp"), "-o", str(tmp_path / "set"), "--label", "label.mode=slow"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "note: the label Device is no column: did you mean device?",
        "note: the label buidl is no column: did you mean build?"]  # fmt: skip
    labels = {"room": "cold", "Device": "pixel", "buidl": "7", "mode": "slow"}
    assert dict(read(tmp_path / "set", "traces").to_pylist()[0]["labels"]) == labels


MISTYPED = [("devcie", "device"), ("devise", "device"), ("Device", "device"), ("DEVICES", "device"), ("buidl", "build"),
            ("uild", "build"), ("tim", "time"), ("xtime", "time"), ("mode", "model"), ("Modle", "model")]  # fmt: skip


@pytest.mark.parametrize("name, column", MISTYPED)
def test_a_name_like_a_column_is_refused_before_anything_is_stored(traces, tmp_path, capsys, name, column):
    for words in (["--name-pattern", f"{{{name}}}/{{_}}/{{_}}.etdp"], ["--label", f"{name}=x"]):
        assert main(["ingest", str(traces), "-o", str(tmp_path / "set"), *words]) == 2
        assert capsys.readouterr().err == (f"etscope-fleet: {name} is no column: did you mean {column}?"
                                           f" If it is a label, write label.{name}; nothing was added\n")  # fmt: skip
        assert not (tmp_path / "set").exists()


@pytest.mark.parametrize("name", ["room", "night", "dev", "builder", "timing", "site", "modem1", "d", "label.tile"])
def test_other_names_are_labels(name):
    assert side_information.name_of(name) == name.removeprefix("label.")


@pytest.mark.parametrize("words, reason", [
    (["--label", "device="], "--label device= has no value, such as of a variable that is not set; nothing was added"),
    (["--label", "room="], "--label room= has no value, such as of a variable that is not set; nothing was added"),
    (["--label", "label.device=x"], "label.device: device is a column, no label; nothing was added"),
    (["--name-pattern", "{label.time}.etdp"], "label.time: time is a column, no label; nothing was added"),
    (["--name-pattern", "{room}/{label.room}.etdp"], 'the name pattern "{room}/{label.room}.etdp" names room twice'),
    (["--name-pattern", "{label.}.etdp"], "every { needs a name of letters, digits and _, and a }"),
])  # fmt: skip
def test_labels_that_cannot_be_are_refused(traces, tmp_path, capsys, words, reason):
    assert main(["ingest", str(traces), "-o", str(tmp_path / "set"), *words]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.endswith(f"{reason}\n") and not (tmp_path / "set").exists()


def test_what_known_traces_keep_is_said(tmp_path, capsys):
    """Whatever is told of them later is not used, which must not look as if it were."""
    (tmp_path / "watch").mkdir()
    shutil.copy(file("mlp_portable", "profile.etdp"), tmp_path / "watch/1.etdp")
    words = ["ingest", str(tmp_path / "watch"), "-o", str(tmp_path / "set")]
    assert main(words) == 0 and main(words) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["traces: 0 added, 1 known, 0 refused"]
    told = ["--name-pattern", "{device}/{build}.etdp", "--label", "room=cold", "--etrecord",
            file("conv_xnnpack", "model.etrecord")]  # fmt: skip
    assert main([*words, *told]) == 0
    note = KEPT.format("1 known trace keeps", "it", "--name-pattern, --label and --etrecord are", "it")
    assert " ".join(capsys.readouterr().out.split()) == f"traces: 0 added, 1 known, 0 refused note: {note}"
    shutil.copy(file("mlp_portable", "debug.etdp"), tmp_path / "watch/2.etdp")
    assert main([*words, *told[:2]]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert " watch/2.etdp has device=watch, build=2 note: " in said and said.endswith(
        KEPT.format("1 known trace keeps", "it", "--name-pattern is", "it"))  # fmt: skip
    assert [row["device"] for row in read(tmp_path / "set", "traces").to_pylist()] == ["", "watch"]


def test_a_refusal_ends_when_the_trace_is_added(traces, tmp_path):
    trace = sorted(traces.rglob("*.etdp"))[0]
    beside = trace.with_suffix(".json")
    beside.write_text('{"time": "yesterday"}')
    dataset = tmp_path / "set"
    assert ingest.ingest([str(trace)], str(dataset))["refused"] == 1
    (noted,) = (dataset / "refused").iterdir()
    beside.write_text('{"time": "2026-11-24"}')
    assert ingest.ingest([str(trace)], str(dataset))["added"] == 1 and not noted.exists()
    shutil.rmtree(dataset / "refused")  # it is made again
    (traces / "bad.etdp").write_bytes(b"bad")
    assert ingest.ingest([str(traces / "bad.etdp")], str(dataset))["refused"] == 1


@pytest.mark.parametrize("mended", ["profile.etdp", "debug.etdp"])
def test_a_refusal_ends_when_the_file_is_mended(tmp_path, mended):
    """By a trace that is new, or one that the data set has."""
    dataset, folder = tmp_path / "set", tmp_path / "in"
    folder.mkdir()
    assert ingest.ingest([file("mlp_portable", "debug.etdp")], str(dataset), workers=1)["added"] == 1
    whole = pathlib.Path(file("mlp_portable", mended)).read_bytes()
    (folder / "other.etdp").write_bytes(b"bad")
    for cut in (100, 1000):  # another damage takes the place of the first
        (folder / "a.etdp").write_bytes(whole[:cut])
        assert ingest.ingest([str(folder)], str(dataset), workers=1)["refused"] == 2
        assert len(list((dataset / "refused").iterdir())) == 2
    (folder / "a.etdp").write_bytes(whole)
    counts = ingest.ingest([str(folder)], str(dataset), workers=1)
    assert (counts["added"] + counts["known"], counts["refused"]) == (1, 1)
    (left,) = (dataset / "refused").iterdir()
    assert json.loads(left.read_text())["path"] == str(folder / "other.etdp")


def test_an_ingest_that_begins_beside_another_finds_its_head(tmp_path, monkeypatch):
    dataset, asked = str(tmp_path / "set"), []
    real = commits.is_there
    commits.prepare(dataset)
    monkeypatch.setattr(commits, "is_there", lambda url: bool(asked) and real(url) or asked.append(url))
    commits.prepare(dataset)  # it saw none, then finds the folder full
    assert len(asked) == 1


def test_what_has_no_effect_is_said(traces, tmp_path, capsys):
    words = ["ingest", str(traces), "-o", str(tmp_path / "set"), "--events"]
    (traces / "bad.etdp").write_bytes(b"bad")
    assert main(words) == 0
    assert f"refused {traces / 'bad.etdp'}: " in capsys.readouterr().out
    assert main(words) == 0
    assert "--events is not used for" in capsys.readouterr().out
    assert main(["ingest", str(traces / "nowhere"), "-o", str(tmp_path / "set")]) == 2
    assert "nowhere: no such file or folder" in capsys.readouterr().err


@pytest.mark.parametrize("by", ["module", "backend"])
def test_a_delegate_counts_once(tmp_path, by):
    """Its events are inside its call: with both, shares would add up to more than a run."""
    pytest.importorskip("duckdb")
    from etscope.fleet import questions
    from etscope.fleet.duck import Duck

    models = ("mlp_xnnpack", "gpt_xnnpack")
    for model in models:
        ingest.ingest([file(model, "profile.etdp")], str(tmp_path / "set"),
                      etrecord=file(model, "model.etrecord"), workers=1)  # fmt: skip
    duck = Duck(str(tmp_path / "set"))
    inside = duck.sql("select count(*) as n from summaries where kind = 'delegate_event'").to_pylist()[0]["n"]
    rows = questions.top(duck, by=by, limit=1000).rows
    assert inside > len(models) and 0.5 < sum(row["share"] for row in rows) <= 1


def test_an_etrecord_that_tells_nothing_is_said(tmp_path, monkeypatch):
    reader = ingest.Reader(str(tmp_path / "set"), etrecord=file("mlp_portable", "model.etrecord"))
    commits.prepare(str(tmp_path / "set"))
    assert reader.ingest([file("mlp_portable", "profile.etdp")])["without_record"] == 0
    monkeypatch.setattr(trace_tables.Reading, "has_origins", False)
    counts = reader.ingest([file("mlp_portable", "debug.etdp"), file("conv_xnnpack", "profile.etdp")])
    assert (counts["added"], counts["without_record"], counts["refused"]) == (1, 1, 1)
    told = ingest._told_of(counts, ["a", "b"], [], "r.etrecord")
    assert told["notes"] == ["r.etrecord tells no module and no line of 1 trace of 1; is it of another program?"]
    rows = read(tmp_path / "set", "traces").to_pylist()
    assert [row["etrecord"] for row in rows] == [True, False]


def test_the_command_says_what_it_did(traces, tmp_path, capsys):
    words = ["ingest", str(traces), "-o", str(tmp_path / "set"), "--label", "build=9", "--label", "room=cold"]
    assert main(words) == 0
    assert capsys.readouterr().out == f"traces: {len(MODELS)} added, 1 known, 0 refused\nnote: " + (
        KEPT.format("1 known trace keeps", "it", "--label is", "it") + f"\nnote: {METHODS}\n")
    assert main([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "added": 0, "known": len(MODELS) + 1, "refused": 0, "reasons": [],
        "notes": [KEPT.format(f"{len(MODELS) + 1} known traces keep", "them", "--label is", "them")]}  # fmt: skip
    rows = read(tmp_path / "set", "traces").to_pylist()
    assert {row["build"] for row in rows} == {"9"} and rows[0]["labels"] == [("room", "cold")]
    assert main(["clean", "--dataset", str(tmp_path / "set")]) == 0
    assert capsys.readouterr().out == "0 files that no reader needs removed\n"
    assert main(["ingest", str(traces), "-o", str(traces)]) == 2
    assert "the folder is not empty, and no data set" in capsys.readouterr().err

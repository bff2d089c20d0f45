"""etscope-fleet among files and words that nobody expected: one line, and the rest goes on."""

import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import shutil
import signal
import threading
import time

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from extra_block import run, with_extra
from fixtures import file
from made import dump, framework, profile
from test_fleet_ingest import read

from etscope import Error
from etscope.etrecord._record import as_etrecord
from etscope.fleet import ingest, questions, regular_files, trace_tables
from etscope.fleet.command import main
from etscope.fleet.duck import Duck

GOOD = file("mlp_portable", "profile.etdp")


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch, request):
    """To start another process takes most of the time; one test needs it."""
    if "killed" not in request.node.name:
        monkeypatch.setattr(ingest.concurrent.futures, "ProcessPoolExecutor", lambda count, context, *begin:
                            concurrent.futures.ThreadPoolExecutor(1, "", *begin))  # fmt: skip


def ingested(folder, dataset, capsys, *words):
    code = main(["ingest", str(folder), "-o", str(dataset), "--workers", "1", *words])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return code, said.out.splitlines(), said.err


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    shutil.copy(GOOD, tmp_path / "in/good.etdp")
    return tmp_path / "in"


def bad_time(folder):
    shutil.copy(file("mlp_portable", "debug.etdp"), folder / "bad.etdp")
    (folder / "bad.json").write_text('{"time": "0001-01-01T00:00:00+14:00"}')


def huge(folder):
    with open(folder / "bad.etdp", "wb") as out:
        out.truncate(ingest.MOST_TRACE_BYTES + 1)


def pipe(folder):
    os.mkfifo(folder / "bad.etdp")


def pipe_beside(folder):
    shutil.copy(file("mlp_portable", "debug.etdp"), folder / "bad.etdp")
    os.mkfifo(folder / "bad.json")


def huge_beside(folder):
    shutil.copy(file("mlp_portable", "debug.etdp"), folder / "bad.etdp")
    with open(folder / "bad.json", "wb") as out:
        out.truncate(1 << 40)


@pytest.mark.parametrize("make, reason", [
    (bad_time, '"0001-01-01T00:00:00+14:00" is no time'), (huge, "at most 1,073,741,824 are read"),
    (pipe, "not a regular file"), (pipe_beside, "not a regular file"), (huge_beside, "at most 1,048,576 are read"),
])  # fmt: skip
def test_a_bad_file_is_set_aside_and_the_good_one_added(folder, tmp_path, capsys, make, reason):
    make(folder)
    code, lines, _ = ingested(folder, tmp_path / "set", capsys)
    assert code == 0 and lines[0].startswith("traces: 1 added, 0 known, 1 refused")
    assert lines[1].startswith(f"refused {folder}/bad.etdp: ") and reason in lines[1]
    (refused,) = (tmp_path / "set/refused").iterdir()
    assert reason in json.loads(refused.read_text())["reason"]


@pytest.mark.parametrize("failure", [MemoryError(), RecursionError("deep"), KeyError("x"), OverflowError("int too big")])
def test_whatever_a_file_does_the_others_are_added(folder, tmp_path, monkeypatch, failure):
    shutil.copy(file("mlp_portable", "debug.etdp"), folder / "bad.etdp")
    real = trace_tables.read

    def read_or_fail(data, **options):
        if data == (folder / "bad.etdp").read_bytes():
            raise failure
        return real(data, **options)

    monkeypatch.setattr(trace_tables, "read", read_or_fail)
    ingest.commits.prepare(str(tmp_path / "set"))
    counts = ingest.Reader(str(tmp_path / "set")).ingest(ingest.files_of([str(folder)]))
    assert (counts["added"], counts["refused"]) == (1, 1)
    assert counts["reasons"][0].startswith(f"{folder}/bad.etdp: {type(failure).__name__}")


def test_rows_that_cannot_be_are_of_one_file(folder, tmp_path, monkeypatch):
    """What is found only when the batch is written."""
    shutil.copy(file("mlp_portable", "debug.etdp"), folder / "bad.etdp")
    real = trace_tables.read

    def read_odd(data, **options):
        reading = real(data, **options)
        if data == (folder / "bad.etdp").read_bytes():
            reading.facts["lost_events"] = 1 << 63
        return reading

    monkeypatch.setattr(trace_tables, "read", read_odd)
    ingest.commits.prepare(str(tmp_path / "set"))
    counts = ingest.Reader(str(tmp_path / "set")).ingest(ingest.files_of([str(folder)]))
    assert (counts["added"], counts["known"], counts["refused"]) == (1, 0, 1)
    assert [row["path"] for row in read(tmp_path / "set", "traces").to_pylist()] == [f"{folder}/good.etdp"]


@pytest.mark.parametrize("chain", [-1, 3])
def test_an_event_without_a_name_is_unnamed(folder, tmp_path, capsys, chain):
    """The runtime's own, and an operator's."""
    events = [framework("Method::execute", 0, 1000), profile(None, 10, 500, 1, chain)]
    (folder / "unnamed.etdp").write_bytes(dump(("run", events)))
    code, lines, _ = ingested(folder, tmp_path / "set", capsys, "--events")
    assert code == 0 and lines[0] == "traces: 2 added, 0 known, 0 refused"
    assert [row["time_ns"] for row in read(tmp_path / "set", "events").to_pylist() if row["name"] == "(unnamed)"] == [490]
    operators = [row["time_ns"] for row in read(tmp_path / "set", "operators").to_pylist() if row["operator"] == "(unnamed)"]
    assert operators == ([490] if chain == 3 else [])


@pytest.mark.parametrize("failure", [AttributeError("no such thing"), KeyError("x")])
def test_whatever_makes_no_rows_the_others_are_added(folder, tmp_path, monkeypatch, failure):
    shutil.copy(file("mlp_portable", "debug.etdp"), folder / "bad.etdp")
    real = ingest.commits.commit_batch

    def commit_or_fail(dataset, traces, known):
        if any(trace["path"].endswith("bad.etdp") for trace, _ in traces):
            raise failure
        return real(dataset, traces, known)

    monkeypatch.setattr(ingest.commits, "commit_batch", commit_or_fail)
    ingest.commits.prepare(str(tmp_path / "set"))
    counts = ingest.Reader(str(tmp_path / "set")).ingest(ingest.files_of([str(folder)]))
    assert (counts["added"], counts["refused"]) == (1, 1)
    assert counts["reasons"][0].startswith(f"{folder}/bad.etdp: {type(failure).__name__}")


def test_what_became_a_pipe_after_it_was_looked_at_is_not_waited_for(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(regular_files.os, "stat", lambda path: os.lstat(GOOD))
    with pytest.raises(Error, match="not a regular file"):
        regular_files.read(str(tmp_path / "pipe"), 1000000)


WRONG_WORDS = (
    (["--workers", "-1"], "-1 processes cannot work"),
    (["--workers", "0"], "0 processes cannot work"),
    (["--name-pattern", "{1a}.etdp"], "a name begins with no digit"),
    (["--etrecord", "nowhere.etrecord"], "nowhere.etrecord"),
)


@pytest.mark.parametrize("words, reason", WRONG_WORDS)
def test_wrong_words_are_one_line_and_make_no_data_set(folder, tmp_path, capsys, words, reason):
    code = main(["ingest", str(folder), "-o", str(tmp_path / "set"), *words])
    said = capsys.readouterr().err
    assert code == 2 and said.count("\n") == 1 and reason in said
    assert not (tmp_path / "set").exists()


def test_sources_without_traces_make_no_data_set(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "list.txt").write_text("\n")
    for source in ("nosuch", "empty", "list.txt"):
        code, _, said = ingested(tmp_path / source, tmp_path / "set", capsys)
        assert code == 2 and said.count("\n") == 1 and source in said
        assert not (tmp_path / "set").exists()


def test_a_list_holds_names_of_any_bytes(folder, tmp_path, capsys):
    shutil.copy(file("mlp_portable", "debug.etdp"), os.path.join(os.fsencode(folder), b"caf\xe9.etdp"))
    (tmp_path / "list.txt").write_bytes(os.fsencode(folder) + b"/caf\xe9.etdp\n" + os.fsencode(folder) + b"/a\0b.etdp\n")
    code, lines, _ = ingested(tmp_path / "list.txt", tmp_path / "set", capsys)
    assert code == 0 and lines[0].startswith("traces: 1 added, 0 known, 1 refused")
    assert read(tmp_path / "set", "traces").to_pylist()[0]["path"] == f"{folder}/caf\\xe9.etdp"


def test_folders_are_searched_whole(folder, tmp_path, capsys):
    """Hidden folders and files, endings in capitals, links, and one that leads back."""
    (folder / ".hidden").mkdir()
    shutil.copy(file("mlp_portable", "debug.etdp"), folder / ".hidden/.a.ETDP")
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(file("conv_portable", "profile.etdp"), tmp_path / "elsewhere/b.EtDump")
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    (folder / "back").symlink_to(folder)
    code, lines, _ = ingested(folder, tmp_path / "set", capsys)
    assert (code, lines) == (0, ["traces: 3 added, 0 known, 0 refused"])


def test_a_folder_that_cannot_be_listed_is_noted(folder, tmp_path, monkeypatch, capsys):
    real = os.scandir

    def scandir(path):
        if os.fspath(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return real(path)

    (folder / "locked").mkdir()
    monkeypatch.setattr(os, "scandir", scandir)
    code, lines, _ = ingested(folder, tmp_path / "set", capsys)
    assert code == 0
    assert lines[1:] == [f"note: 1 folder could not be listed, such as {folder}/locked: Permission denied"]
    code, _, said = ingested(folder / "locked", tmp_path / "none", capsys)
    assert code == 2 and "Permission denied" in said and not (tmp_path / "none").exists()


def test_paths_are_absolute(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    code, lines, _ = ingested("good.etdp", tmp_path / "set", capsys, "--name-pattern", "{room}/{device}.etdp")
    assert code == 0 and len(lines) == 3  # with notes on the pattern
    (row,) = read(tmp_path / "set", "traces").to_pylist()
    assert (row["path"], row["device"], dict(row["labels"])) == (f"{folder}/good.etdp", "good", {"room": "in"})


def test_a_killed_worker_is_one_line(folder, tmp_path, capsys):
    def kill():
        while not (children := multiprocessing.active_children()):
            time.sleep(0.001)
        os.kill(children[0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    code, _, said = ingested(folder, tmp_path / "set", capsys)
    killer.join()
    assert code == 2 and said.count("\n") == 1 and "what is committed stays: begin again" in said


FORBIDDEN = (
    "copy (select 1) to '{out}'", "explain analyze copy (select 1) to '{out}'", "explain copy (select 1) to '{out}'",
    "EXPLAIN /* */ ANALYZE copy (select 1) to '{out}'", "explain analyze explain analyze copy (select 1) to '{out}'",
    "explain -- \nanalyze copy (select 1) to '{out}'", "/**/ explain analyze copy (select 1) to '{out}'",
    "explain analyze select 1; copy (select 1) to '{out}'", "explain (analyze) copy (select 1) to '{out}'",
    "attach '{out}' as other", "set threads = 1", "create table t as select 1", "export database '{out}'", "",
)  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    dataset = str(tmp_path_factory.mktemp("hostile") / "set")
    ingest.ingest([GOOD], dataset, workers=1)
    return Duck(dataset)


@pytest.mark.parametrize("text", FORBIDDEN)
def test_a_question_is_one_select(engine, tmp_path, text):
    with pytest.raises(Error):
        questions.query(engine, text.format(out=tmp_path / "out.csv"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["select 1 as one", "explain select 1", "explain analyze select 1",
                                  "with x as (select 1) select * from x", "describe traces"])  # fmt: skip
def test_what_is_a_select_is_answered(engine, text):
    assert questions.query(engine, text).rows


def test_errors_of_values_are_one_line(engine):
    with pytest.raises(Error, match="Could not convert string") as error:
        questions.query(engine, "select cast(path as int) from traces")
    assert "\n" not in str(error.value)


def executes(name, start, slow=1, instruction=3):
    return ("Execute", [profile(f"native_call_{name}", start, start + 500 * slow, instruction),
                        framework("Method::execute", start, start + 1000 * slow)])  # fmt: skip


def test_methods_without_a_name_are_told_apart():
    """Each keeps its own times; in another trace, each has the same name."""
    first = trace_tables.read(dump(*(executes(name, 10_000 * i, slow) for i in range(6)
                                     for name, slow in (("add.out", 1), ("mul.out", 4)))))  # fmt: skip
    methods = dict(zip(first.runs["time_ns"].tolist(), first.runs["method"]))
    assert first.unknown_methods == 2 and set(methods) == {1000, 4000}
    assert all(method.startswith("block ") for method in methods.values()) and len(set(methods.values())) == 2
    assert {place["operator"]: place["method"] for place in first.places} == \
        {"add.out": methods[1000], "mul.out": methods[4000]}  # fmt: skip
    second = trace_tables.read(dump(executes("mul.out", 0, 4), executes("add.out", 9000)))
    assert second.runs["method"] == [methods[4000], methods[1000]]
    alone = trace_tables.read(dump(executes("add.out", 0)))
    assert alone.runs["method"] == [""] and alone.unknown_methods == 0


def test_methods_without_a_name_are_noted(folder, tmp_path, capsys):
    shutil.copy(file("multi_method", "profile.etdp"), folder / "three.etdp")
    _, lines, _ = ingested(folder, tmp_path / "set", capsys)
    assert lines[1:] == ["note: several methods without a name are told apart by their operators in 1 trace:"
                         " --etrecord or the tracer names them"]  # fmt: skip
    rows = read(tmp_path / "set", "summaries").to_pylist()
    assert len({row["method"] for row in rows if row["kind"] == "run"}) == 4


def test_blocks_of_a_known_method_count_together():
    """A condition with two branches: one method, and each operator once."""
    record = as_etrecord(file("cond", "model.etrecord"))
    reading = trace_tables.read(pathlib.Path(file("cond", "profile.etdp")).read_bytes(), etrecord=record)
    assert set(reading.runs["method"]) == {"forward"} and reading.unknown_methods == 0
    places = [tuple(place.values()) for place in reading.places]
    pairs = list(zip(reading.operators["place"].tolist(), reading.operators["run"].tolist()))
    assert len(set(places)) == len(places) and len(set(pairs)) == len(pairs)


def test_runs_cut_by_a_ring_do_not_count():
    """As in a device's summary: a run whose begin was overwritten has too small sums."""
    runs = [executes("add.out", 10_000 * i) for i in range(4)]
    runs[0][1].pop(0)  # overwritten; the run's own event ended later
    whole = trace_tables.read(with_extra(dump(*runs), *(run(i, "forward") for i in range(4))))
    assert whole.facts["runs"] == 4
    cut = trace_tables.read(with_extra(dump(*runs), *(run(i, "forward", i == 0) for i in range(4))))
    assert cut.facts["runs"] == 3 and cut.runs["run"].tolist() == [1, 2, 3]
    assert cut.operators["run"].tolist() == [1, 2, 3] and set(cut.runs["method"]) == {"forward"}
    unnamed = trace_tables.read(with_extra(dump(*runs), *(run(i, "", i == 0) for i in range(4))))
    assert unnamed.runs["method"] == [""] * 3 and unnamed.unknown_methods == 0

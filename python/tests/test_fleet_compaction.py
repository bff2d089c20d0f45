"""etscope-fleet compact: equal answers from fewer files, whatever else happens meanwhile."""

import json
import math
import os
import random
import threading
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")
fsspec = pytest.importorskip("fsspec")

import pyarrow as pa
import pyarrow.parquet as pq
from fleet_made import Fleet
from test_fleet_faults import check_snapshot, check_whole, complete, write_traces

from etscope import Error
from etscope.fleet import commits, compaction, hash_files, ingest, outliers, questions, regressions, removal
from etscope.fleet.command import main
from etscope.fleet.compaction import compact, groups_of, merged_summaries
from etscope.fleet.dataset import KEY, PLACE, SCHEMAS, Log, snapshot
from etscope.fleet.duck import Duck
from etscope.fleet.quantiles import merged_quantiles

QUESTIONS = {
    "query": lambda engine: questions.query(engine, "select * from operators order by trace, run, instruction"),
    "traces": lambda engine: questions.query(engine, "select * from traces order by trace"),
    "coverage": questions.coverage,
    "label": lambda engine: questions.coverage(engine, "label.room=warm,build=1.3"),
    "regressions": lambda engine: regressions.regressions(engine, "build=1.2", "build=1.3", limit=None),
    "outliers": outliers.outliers,
    "top": lambda engine: questions.top(engine, limit=1000),
    "top of devices": lambda engine: questions.top(engine, by="device"),
    "trend": questions.trend,
    "trend of an operator": lambda engine: questions.trend(engine, by="build", operator="aten.op4.default"),
}
OF_SKETCHES = ("p50_ns", "p90_ns")


def alike(a, b, name=""):
    if isinstance(a, float) and isinstance(b, float):
        return name in OF_SKETCHES or math.isclose(a, b, rel_tol=1e-12)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key], key) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(alike, a, b))
    return a == b


def count(dataset):
    return sum(len(files) for files in snapshot(dataset).values())


def _planted(device, build, operator):
    """A regression, and a device that is off."""
    return (1.2 if build == "1.3" and operator == "aten.op4.default" else 1) * \
        (20 if device == "dev3" and operator == "aten.op7.default" else 1)  # fmt: skip


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """A data set of 20 commits, its answers, and what it was before it was compacted."""
    made = Fleet(4, devices=14, traces=6, runs=3, days=3, times=_planted)
    made.folder = made.write(tmp_path_factory.mktemp("fleet") / "set", commits=20)
    duck = Duck(made.folder)
    made.before = {name: ask(duck) for name, ask in QUESTIONS.items()}
    made.reader, made.files = duck, count(made.folder)
    made.counts = compact(made.folder)
    return made


@pytest.mark.parametrize("name", QUESTIONS)
def test_answers_stay(fleet, name):
    assert count(fleet.folder) * 2 < fleet.files
    before, after = fleet.before[name], QUESTIONS[name](Duck(fleet.folder))
    assert len(before.rows) > 0 and alike(before.rows, after.rows)
    if name not in ("trend", "trend of an operator"):
        assert before.sentence == after.sentence
    again = QUESTIONS[name](fleet.reader)  # began before, and its files are still there
    assert alike(before.rows, again.rows)


def test_quantiles_stay_within_the_error_of_sketches(fleet):
    """Sketches of few times are exact, whether they are merged before or when a question is asked."""
    times = [row["time_ns"] for row in fleet.tables["operators"] if not row["warm_up"] and row["instruction"] == 4]
    sketches = [row["sketch"] for row in Duck(fleet.folder).sql(
        "select sketch from summaries where instruction = 4").to_pylist()]  # fmt: skip
    for rank in (0.1, 0.5, 0.9):
        (value,) = merged_quantiles(sketches, [rank])
        assert abs(sum(time <= value for time in times) / len(times) - rank) < 2 * 0.0133


def test_the_counts_are_told(fleet):
    assert fleet.counts == {"commits": 20, "before": fleet.files, "after": count(fleet.folder), "removed": 0}


def test_replaced_files_stay_as_long_as_readers_may_need_them(tmp_path, monkeypatch, capsys):
    dataset = Fleet(1, devices=2, traces=4, days=2).write(tmp_path / "set", commits=4)
    reader = Duck(dataset)
    assert main(["compact", "--dataset", dataset]) == 0
    assert "4 commits compacted: " in capsys.readouterr().out
    files = {path for path in Path(dataset).rglob("*.*") if path.is_file()}
    now = compaction.time.time()
    monkeypatch.setattr(removal.time, "time", lambda: now + 3500)
    assert main(["compact", "--dataset", dataset]) == 0
    assert capsys.readouterr().out == "nothing to compact; 0 files removed\n"
    assert len(questions.coverage(reader).rows) == 4
    monkeypatch.setattr(removal.time, "time", lambda: now + 3700)
    gone = compact(dataset)["removed"]
    assert gone == len(files) - count(dataset) - 3 > 4  # the head, the checkpoint and the hashes
    assert len(questions.coverage(Duck(dataset)).rows) == 4
    assert removal.clean(dataset) == 0
    with pytest.raises(Error, match="if a compaction replaced this file since, ask again"):
        questions.coverage(reader)


def test_compacted_is_compacted_again(tmp_path):
    """Day after day: files stay few, no trace is lost, none is added twice, few bytes are written again."""
    dataset = str(tmp_path / "set")
    traces = ingest.files_of([str(write_traces(tmp_path / "traces", 60))])
    for number in range(0, 60, 6):
        complete(traces[: number + 6], dataset, batch=1)
        compact(dataset, grace=0)
        assert len(check_whole(dataset)) == number + 6
        assert len(commits.Known(dataset).hashes) == 0
        assert count(dataset) <= 5 * 6 and len(Log(dataset).read()) == 0
        assert len(os.listdir(f"{dataset}/commits")) == 0 and len(os.listdir(f"{dataset}/checkpoints")) == 1
    assert ingest.ingest([str(tmp_path / "traces")], dataset, workers=1)["known"] == 60
    assert removal.clean(dataset) == 0


def test_large_files_are_left_alone():
    assert list(groups_of([(1, "a"), (2, "b"), (1, "c")], 100)) == [["a", "c", "b"]]
    assert list(groups_of([(200, "a"), (1, "b"), (1, "c")], 100)) == [["b", "c"]]
    assert list(groups_of([(90, "a"), (1, "b"), (1, "c")], 100)) == [["b", "c"], ["a"]]
    assert list(groups_of([(60, "a"), (60, "b"), (50, "c")], 100)) == [["c"], ["a"], ["b"]]
    sizes, written = [], 0
    for number in range(1000):  # each a file of 1 byte, compacted at once
        groups = list(groups_of([(size, str(at)) for at, size in enumerate([*sizes, 1])], 10_000))
        sizes = [sum([*sizes, 1][int(name)] for name in group) for group in groups]
        written += sum(size for size, group in zip(sizes, groups) if len(group) > 1)
    assert sum(sizes) == 1000 and len(sizes) <= 8 and written < 10 * 1000


def test_many_at_once(tmp_path):
    """Two ingests, two compactions and a reader."""
    folder = write_traces(tmp_path / "traces", 60)
    dataset = str(tmp_path / "set")
    commits.prepare(dataset)
    paths, errors = ingest.files_of([str(folder)]), []

    def caught(function):
        def run():
            try:
                function()
            except Exception as error:
                errors.append(error)
                raise

        return threading.Thread(target=run)

    def add():
        reader = ingest.Reader(dataset)
        for batch in ingest.batches_of(paths, 2):
            reader.ingest(batch)

    writers = [caught(add) for _ in range(2)]

    def merge():
        while any(writer.is_alive() for writer in writers):
            compact(dataset)
        compact(dataset)

    mergers = [caught(merge) for _ in range(2)]
    for thread in writers + mergers:
        thread.start()
    seen, looks = set(), 0
    while any(thread.is_alive() for thread in mergers):
        found = check_snapshot(dataset)
        assert found >= seen
        seen, looks = found, looks + 1
    for thread in writers + mergers:
        thread.join()
    assert not errors and looks > 1
    assert len(check_whole(dataset)) == 60 and Log(dataset).read() == []
    removal.clean(dataset)
    assert len(check_whole(dataset)) == 60


def test_of_two_compactions_one_wins(tmp_path, monkeypatch):
    dataset = Fleet(1, devices=2, traces=4, days=2).write(tmp_path / "set", commits=4)
    inner = compaction._Merging.checkpoint
    others = []

    def checkpoint(self):
        monkeypatch.setattr(compaction._Merging, "checkpoint", inner)
        others.append(compact(dataset))
        return inner(self)

    monkeypatch.setattr(compaction._Merging, "checkpoint", checkpoint)
    assert compact(dataset)["commits"] == 0 and others[0]["commits"] == 4
    named = {name for name in snapshot(dataset)["runs"]}
    assert len(Duck(dataset).sql("select distinct trace from runs")) == 16
    assert {str(path) for path in Path(dataset, "runs").rglob("*") if len(path.stem) == 32} == named


def test_a_writer_that_slept_takes_no_number_of_a_removed_commit(tmp_path, monkeypatch):
    """Its commit is void: no reader sees it, and it commits again."""
    dataset = str(tmp_path / "set")
    paths = ingest.files_of([str(write_traces(tmp_path / "traces", 12))])
    complete(paths[:2], dataset, batch=1)
    sleeper, write, reads = ingest.Reader(dataset), commits._write, []

    def slept(*arguments):
        monkeypatch.setattr(commits, "_write", write)
        complete(paths[2:8], dataset, batch=1)
        compact(dataset, grace=0)
        assert os.listdir(f"{dataset}/commits") == []
        return write(*arguments)

    def created(fs, root, name, value):
        is_new = create(fs, root, name, value)
        if name.startswith("commits/"):
            reads.append((name, is_new, len(check_whole(dataset))))
            assert (value["hashes"][0] in commits.Known(dataset)) == (name != void or len(reads) < 2)
        return is_new

    create, void = commits.create, "commits/00000003.json"
    monkeypatch.setattr(commits, "_write", slept)
    monkeypatch.setattr(commits, "create", created)
    told = sleeper.ingest(paths[8:9])
    assert told["added"] == 1
    assert reads[-2:] == [("commits/00000003.json", True, 8), ("commits/00000009.json", True, 9)]
    assert len(check_whole(dataset)) == 9 and removal.clean(dataset) == 0


def test_a_long_ingest_goes_on_behind_a_compaction(tmp_path):
    dataset = str(tmp_path / "set")
    paths = ingest.files_of([str(write_traces(tmp_path / "traces", 12))])
    complete(paths[:2], dataset, batch=1)
    reader = ingest.Reader(dataset)
    complete(paths[2:8], dataset, batch=1)
    compact(dataset, grace=0)
    told = reader.ingest(paths)
    assert (told["added"], told["known"]) == (4, 8) and len(check_whole(dataset)) == 12


def test_a_checkpoint_that_is_removed_while_it_is_read(tmp_path):
    dataset = Fleet(1, devices=2, traces=4, days=2).write(tmp_path / "set", commits=4)
    log = Log(dataset)
    newest = log._newest
    compact(dataset)

    def late():
        found = newest()
        if found == 1 and log.number == 0:
            Fleet(2, devices=1, traces=1)._commit(dataset, 5, {f"{1:064x}"})
            compact(dataset, grace=0)
        return found

    log._newest = late
    log.read()
    assert log.number == 2 and log.checkpoint["last"] == 5


def test_an_object_store(tmp_path):
    store = fsspec.filesystem("memory")
    commits.prepare("memory://compacted")
    paths = ingest.files_of([str(write_traces(tmp_path / "traces", 12))])
    complete(paths, "memory://compacted", batch=1)
    before = questions.coverage(Duck("memory://compacted"))
    told = compact("memory://compacted", grace=0)
    assert told["commits"] == 12 and told["after"] * 2 < told["before"] and told["removed"] > told["before"] / 2
    assert questions.coverage(Duck("memory://compacted")).rows == before.rows
    assert ingest.Reader("memory://compacted").ingest(paths)["known"] == 12
    assert removal.clean("memory://compacted") == 0
    store.pipe("/compacted/runs/day=unknown/left.parquet", b"")
    assert removal.clean("memory://compacted") == 1


def test_files_of_a_later_version_stay(tmp_path):
    dataset = Fleet(1, devices=1, traces=3, days=1).write(tmp_path / "set", commits=6)
    files = sorted(Path(dataset, "runs").rglob("*.parquet"))
    late = pq.read_table(files[0], partitioning=None)
    pq.write_table(late.append_column("heat", pa.array([1.0] * len(late))), files[0])
    early = pq.read_table(files[1], partitioning=None)
    pq.write_table(early.drop_columns(["calls"]), files[1])
    query = "select trace, run, heat, calls from runs order by trace, run"
    before = Duck(dataset).sql(query)
    compact(dataset, grace=0)
    assert files[0].exists() and Duck(dataset).sql(query) == before


def test_a_missing_file_is_said_and_nothing_changes(tmp_path, capsys):
    dataset = Fleet(1, devices=2, traces=4, days=2).write(tmp_path / "set", commits=4)
    next(iter(Path(dataset, "summaries").rglob("*.parquet"))).unlink()
    files = {path for path in Path(dataset).rglob("*") if path.is_file()}
    assert main(["compact", "--dataset", dataset]) == 2
    said = capsys.readouterr().err
    assert "the file is missing, and a commit names it; nothing was changed" in said and said.count("\n") == 1
    assert {path for path in Path(dataset).rglob("*") if path.is_file()} == files
    assert main(["compact", "--dataset", str(tmp_path / "none")]) == 2
    assert "no data set" in capsys.readouterr().err


def test_summaries_of_one_place_become_one_row(fleet):
    before = [row for commit in range(20) for row in _summaries_of(fleet, commit)]
    table = merged_summaries(pa.Table.from_pylist(before, SCHEMAS["summaries"]))
    groups = {}
    for row in before:
        groups.setdefault(tuple(row[name] for name in (*KEY, *PLACE)), []).append(row)
    assert table.num_rows == len(groups) < len(before)
    for row in table.to_pylist():
        own = groups[tuple(row[name] for name in (*KEY, *PLACE))]
        assert [row["traces"], row["count"]] == [sum(each[name] for each in own) for name in ("traces", "count")]
        assert row["sum_ns"] == pytest.approx(sum(each["sum_ns"] for each in own), rel=1e-12)
        assert row["min_ns"] == min(each["min_ns"] for each in own)
        assert row["max_ns"] == max(each["max_ns"] for each in own)
        sketches = [each["sketch"] for each in own]
        assert merged_quantiles([row["sketch"]], [0.5]) == merged_quantiles(sketches, [0.5])  # few: exact


def _summaries_of(fleet, commit):
    traces = [row["trace"] for row in fleet.tables["traces"]]
    return fleet._summaries(set(traces[commit::20]))


def test_hashes_are_found():
    chance = random.Random(3)
    hashes = [chance.randbytes(32) for _ in range(1000)]
    hashes += [bytes(32), b"\xff" * 32, hashes[0][:30] + bytes(2), hashes[0][:28] + bytes(4)]
    data = hash_files.sorted_hashes([each.hex() for each in hashes[:500]], [b"".join(hashes[400:])])
    assert data == b"".join(sorted(set(hashes)))
    store = fsspec.filesystem("memory")
    store.pipe("/hashes/a", data)
    files = hash_files.HashFiles(store, "/hashes")
    assert bytes(32).hex() not in files
    files.open(["a"])
    assert all(each.hex() in files for each in hashes)
    assert not any(chance.randbytes(32).hex() in files for _ in range(100))
    store.pipe("/hashes/b", data[:-1])
    with pytest.raises(Error, match="are not a list of hashes"):
        files.open(["b"])


def test_the_command_says_what_it_did(tmp_path, capsys):
    dataset = Fleet(1, devices=2, traces=4, days=2).write(tmp_path / "set", commits=4)
    assert main(["compact", "--dataset", dataset, "--grace", "0", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["commits"] == 4 and told["removed"] >= told["before"] - told["after"] > 0


def test_a_store_that_loses_its_answer_creates_once(tmp_path, monkeypatch):
    """Asked again, it says that the file is there: it is the own one, and its files stay."""
    store = fsspec.filesystem("memory")
    commits.prepare("memory://twice")
    pipe = type(store).pipe_file

    def twice(self, path, value, mode="overwrite", **options):
        pipe(self, path, value, mode=mode, **options)
        if mode == "create":
            pipe(self, path, value, mode=mode, **options)

    monkeypatch.setattr(type(store), "pipe_file", twice)
    paths = ingest.files_of([str(write_traces(tmp_path / "traces", 4))])
    reader = ingest.Reader("memory://twice")
    assert [reader.ingest([path])["added"] for path in paths] == [1] * 4
    assert compact("memory://twice")["commits"] == 4
    assert questions.coverage(Duck("memory://twice")).sentence.startswith("4 traces")


def test_files_of_a_checkpoint_stay_if_its_creation_fails_late(tmp_path, monkeypatch):
    dataset = Fleet(1, devices=2, traces=4, days=2).write(tmp_path / "set", commits=4)
    create = compaction.create

    def late(*arguments):
        create(*arguments)
        raise OSError("the connection was lost")

    monkeypatch.setattr(compaction, "create", late)
    assert main(["compact", "--dataset", dataset]) == 2
    assert Log(dataset).read() == [] and len(questions.coverage(Duck(dataset)).rows) == 4


@pytest.mark.parametrize("ask", [["compact"], ["coverage"], ["top"]])
def test_damage_is_said_in_one_line(tmp_path, capsys, ask):
    dataset = Fleet(1, devices=2, traces=4, days=2).write(tmp_path / "set", commits=4)
    for table in ("traces", "summaries"):
        next(iter(Path(dataset, table).rglob("*.parquet"))).write_bytes(b"PAR1" * 1000)
    assert main([*ask, "--dataset", dataset]) == 2
    said = capsys.readouterr().err
    assert said.startswith("etscope-fleet: ") and said.count("\n") == 1 and ".parquet" in said
    Path(dataset, "commits", "00000002.json").write_text("{")
    assert main([*ask, "--dataset", dataset]) == 2
    assert 'commits/00000002.json: no JSON object with "files": the file is damaged\n' in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../precious", "runs/../../precious", "/precious", "commits/00000001.json"])
def test_no_file_beside_the_tables_is_read_or_removed(tmp_path, capsys, name):
    dataset = Fleet(1, devices=1, traces=2, days=1).write(tmp_path / "set", commits=2)
    (tmp_path / "precious").write_text("x")
    path = Path(dataset, "commits", "00000002.json")
    commit = json.loads(path.read_text())
    path.write_text(json.dumps({**commit, "files": {"runs": [name]}}))
    for job in ("compact", "clean", "coverage"):
        assert main([job, "--dataset", dataset]) == 2
        assert "which is no file of a table" in capsys.readouterr().err
    assert (tmp_path / "precious").exists()

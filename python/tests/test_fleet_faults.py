"""etscope-fleet ingest when disks are full, processes die and files are not what they seem."""

import errno
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import pytest

pytest.importorskip("pyarrow")
fsspec = pytest.importorskip("fsspec")

import pyarrow as pa
import pyarrow.parquet as pq
from fixtures import file
from fsspec.implementations.local import LocalFileSystem
from made import dump, framework, profile

from etscope.fleet import commits, compaction, ingest, removal
from etscope.fleet.command import main
from etscope.fleet.dataset import SCHEMAS, Log, snapshot

# `make test-long` kills it 200 times.
KILLS = int(os.environ.get("ETSCOPE_FLEET_KILLS", "200" if os.environ.get("ETSCOPE_LONG") else "40"))


def write_traces(folder, count):
    """Small traces, each of its own times and day."""
    folder.mkdir()
    for number in range(count):
        events = [framework("Method::execute", 0, 1000 + number), profile("native_call_add.out", 1, 500 + number, 1, 3)]
        path = folder / f"dev{number % 3}_1.{number % 2}_2026-11-{1 + number % 4:02d}_{number}.etdp"
        path.write_bytes(dump(("run", events), ("run", events)))
    return folder


def rows(dataset, table):
    parts = [pq.read_table(path, partitioning=None) for path in snapshot(str(dataset))[table]]
    return pa.concat_tables(parts).to_pylist() if parts else []


def check_whole(dataset):
    """Each trace once, with all of its rows in every table; returns the hashes."""
    hashes = [row["trace"] for row in rows(dataset, "traces")]
    assert len(hashes) == len(set(hashes))
    for table in ("runs", "operators", "measured"):
        assert {row["trace"] for row in rows(dataset, table)} == set(hashes)
    assert len(rows(dataset, "runs")) == 2 * len(hashes)
    assert sum(row["traces"] for row in rows(dataset, "summaries") if row["kind"] == "run") == len(hashes)
    return set(hashes)


def complete(paths, dataset, batch=5):
    """As ingest does, in this process: starting others would take most of the time."""
    commits.prepare(dataset)
    reader = ingest.Reader(dataset)
    for part in ingest.batches_of(paths, batch):
        reader.ingest(part)


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    return write_traces(tmp_path_factory.mktemp("faults") / "traces", 24)


@pytest.fixture(scope="module")
def all_hashes(traces, tmp_path_factory):
    dataset = str(tmp_path_factory.mktemp("faults") / "clean")
    assert ingest.ingest([str(traces)], dataset, workers=1)["added"] == 24
    return check_whole(dataset)


KILLED = """
import os, random, signal, sys, time
from etscope.fleet import batch_tables, commits, compaction, ingest, summaries
import pandas, pyarrow.parquet  # as late imports would take all of the time

sources, folder, kills, is_compacting = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "compact"


def begin(dataset):
    child = os.fork()
    if child == 0:
        commits.prepare(dataset)
        reader = ingest.Reader(dataset)
        for batch in ingest.batches_of(ingest.files_of([sources]), 2):
            if is_compacting:
                compaction.compact(dataset, grace=os.getpid() % 2 * 3600)
            reader.ingest(batch)
        os._exit(0)
    return child


start = time.monotonic()
os.waitpid(begin(f"{folder}/whole"), 0)
length = time.monotonic() - start  # kills come at all steps, however busy the machine is
chance, number, killed = random.Random(7), 0, 0
while killed < kills:
    child = begin(f"{folder}/set{number}")
    time.sleep(chance.uniform(0.0, length / 2))
    os.kill(child, signal.SIGKILL)
    if os.waitpid(child, 0)[1] == 0:  # it was done before
        number += 1
    else:
        killed += 1
commits.prepare(f"{folder}/set{number}")  # the last kill may have come before
print(number + 1)
"""


@pytest.mark.parametrize("job, kills", [("ingest", KILLS), ("compact", KILLS // 2)])
def test_hundreds_of_kills_lose_and_double_nothing(traces, all_hashes, tmp_path, job, kills):
    """Kills at random moments of an ingest, and of compactions, that go on from where the last ones ended."""
    done = subprocess.run([sys.executable, "-c", KILLED, traces, tmp_path, str(kills), job],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    count = int(done.stdout)
    assert count + 1 == len(list(tmp_path.iterdir())) > 1
    leftovers = 0
    for number in range(count):
        dataset = str(tmp_path / f"set{number}")
        assert check_whole(dataset) <= all_hashes
        complete(ingest.files_of([str(traces)]), dataset)
        assert check_whole(dataset) == all_hashes
        if job == "compact":
            compaction.compact(dataset, grace=0)
            assert check_whole(dataset) == all_hashes
        leftovers += removal.clean(dataset)
        assert check_whole(dataset) == all_hashes and removal.clean(dataset) == 0
        check_no_other_files(dataset)
    assert leftovers > 0, "no kill came between the files of a batch and its commit"


def check_no_other_files(dataset):
    """Every file of the data set is one that its newest state needs."""
    log = Log(dataset)
    needed = {path for paths in snapshot(dataset).values() for path in paths}
    needed.update(f"{dataset}/commits/{number:08d}.json" for number, _ in log.read())
    needed.update(f"{dataset}/{name}" for name in log.checkpoint["hash_files"])
    if log.number:
        needed.add(f"{dataset}/checkpoints/{log.number:08d}.json")
    needed.add(f"{dataset}/etscope-fleet.json")
    assert {str(path) for path in pathlib.Path(dataset).rglob("*") if path.is_file()} == needed


class Failing:
    """Makes the n-th change of a file fail as a full disk does: creation, writes, links."""

    def __init__(self, monkeypatch, at):
        self.count, self.at, self.is_on = 0, at, True
        for owner, name in ((LocalFileSystem, "open"), (LocalFileSystem, "makedirs"), (os, "link"), (os, "fsync")):
            monkeypatch.setattr(owner, name, self._failing(getattr(owner, name)))
        monkeypatch.setattr(pq.ParquetWriter, "write_table", self._failing(pq.ParquetWriter.write_table))

    def _failing(self, function):
        def call(*arguments, **named):
            if self.is_on:
                self.count += 1
                if self.count == self.at:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return function(*arguments, **named)

        return call


def test_a_disk_that_is_full_at_any_step_harms_nothing(traces, tmp_path):
    """Every step fails once: an error that says so, and the next ingest completes the data set."""
    paths = ingest.files_of([str(traces)])[:4]
    at = 0
    while True:
        at += 1
        dataset = str(tmp_path / f"set{at}")
        with pytest.MonkeyPatch.context() as patch:
            failing = Failing(patch, at)
            try:
                commits.prepare(dataset)
                ingest.Reader(dataset).ingest(paths)
            except OSError as error:
                assert error.errno == errno.ENOSPC
            failing.is_on = False
        if os.path.exists(f"{dataset}/etscope-fleet.json"):
            assert len(check_whole(dataset)) in (0, 4)
        complete(paths, dataset)
        assert len(check_whole(dataset)) == 4
        if failing.count < at:
            break
    assert at > 20


def test_a_disk_that_is_full_at_any_step_of_a_compaction_harms_nothing(traces, tmp_path):
    """The data set stays whole, and the next compaction completes what was begun."""
    ready = str(tmp_path / "ready")
    complete(ingest.files_of([str(traces)])[:6], ready, batch=2)
    hashes = check_whole(ready)
    at = 0
    while True:
        at += 1
        dataset = str(tmp_path / f"set{at}")
        shutil.copytree(ready, dataset)
        with pytest.MonkeyPatch.context() as patch:
            failing = Failing(patch, at)
            try:
                compaction.compact(dataset, grace=0)
            except OSError as error:
                assert error.errno == errno.ENOSPC
            failing.is_on = False
        assert check_whole(dataset) == hashes
        compaction.compact(dataset, grace=0)
        removal.clean(dataset)
        assert check_whole(dataset) == hashes
        check_no_other_files(dataset)
        if failing.count < at:
            break
    assert at > 10


def test_a_full_disk_is_said_in_one_line(traces, tmp_path, capfd):
    full = tmp_path / "full"
    full.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48k", "etscope-test", full],
                             capture_output=True, text=True, check=False)  # fmt: skip
    if mounted.returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    try:
        assert main(["ingest", str(traces), "-o", str(full / "set"), "--workers", "1"]) == 2
        said = capfd.readouterr().err
        assert said.count("\n") == 1 and "No space left on device" in said and "begin again" in said
        assert len(check_whole(full / "set")) in range(24)
        subprocess.run(["mount", "-o", "remount,size=4m", full], check=True)
        assert main(["ingest", str(traces), "-o", str(full / "set"), "--workers", "1"]) == 0
        assert len(check_whole(full / "set")) == 24
    finally:
        # Lazily: processes that other threads of this one just started may hold its files a moment longer.
        subprocess.run(["umount", "--lazy", full], check=True)


def test_files_that_are_not_what_they_seem(traces, tmp_path, capsys):
    own = tmp_path / "own"
    own.mkdir()
    data = next(traces.iterdir()).read_bytes()
    (own / "devA_1_2026-11-01_1.etdp").write_bytes(data)
    (own / "devB_1_2026-11-01_1.etdp").write_bytes(data)  # swapped: another device's name
    (own / "empty.etdp").write_bytes(b"")
    (own / "folder.etdp").mkdir()
    (own / "link.etdp").symlink_to(tmp_path / "nowhere")
    (own / "cut.etdp").write_bytes(data[: len(data) // 2])
    (own / "program.etdp").write_bytes(pathlib.Path(file("mlp_portable", "model.pte")).read_bytes())
    assert main(["ingest", str(own), "-o", str(tmp_path / "set"), "--name-pattern",
                 "{device}_{build}_{time}_{_}.etdp"]) == 0  # fmt: skip
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"traces: 1 added, 1 known, 5 refused: see {tmp_path}/set/refused"
    assert len(told) == 9 and f"refused {own}/folder.etdp: Is a directory" in told
    assert sum("1 known trace keeps what the data set has of it: --name-pattern" in line for line in told) == 1
    refused = [json.loads(path.read_text()) for path in (tmp_path / "set/refused").iterdir()]
    reasons = {os.path.basename(each["path"]): each["reason"] for each in refused}
    assert set(reasons) == {"empty.etdp", "folder.etdp", "link.etdp", "cut.etdp", "program.etdp"}
    assert all(reasons.values()) and all("\n" not in reason for reason in reasons.values())
    assert [row["device"] for row in rows(tmp_path / "set", "traces")] == ["devA"]


def test_names_that_are_no_text_are_kept_readable(traces, tmp_path, capsys):
    own = tmp_path / "own"
    own.mkdir()
    name = os.path.join(os.fsencode(own), b"dev\xff_1_2026-11-01_1.etdp")
    pathlib.Path(os.fsdecode(name)).write_bytes(next(traces.iterdir()).read_bytes())
    pathlib.Path(os.fsdecode(name[:-5] + b"2.etdp")).write_bytes(b"none")
    pathlib.Path(os.fsdecode(name[:-5] + b".json")).write_text('{"build": "\\ud800", "labels": {"\\udfff": "x"}}')
    assert main(["ingest", str(own), "-o", str(tmp_path / "set"), "--name-pattern",
                 "{device}_{build}_{time}_{_}.etdp"]) == 0  # fmt: skip
    assert capsys.readouterr().out.startswith("traces: 1 added, 0 known, 1 refused")
    (row,) = rows(tmp_path / "set", "traces")
    assert row["device"] == "dev\\udcff" and row["path"].endswith("dev\\xff_1_2026-11-01_1.etdp")
    assert row["build"] == "\\ud800" and row["labels"] == [("\\udfff", "x")]


def test_a_reader_sees_whole_commits_only(traces, all_hashes, tmp_path):
    """While two ingests write: what was seen once stays, and every trace comes with all its rows."""
    dataset = str(tmp_path / "set")
    commits.prepare(dataset)
    readers = [ingest.Reader(dataset) for _ in range(2)]
    paths = ingest.files_of([str(traces)])

    def add(reader):
        for batch in ingest.batches_of(paths, 3):
            reader.ingest(batch)

    writers = [threading.Thread(target=add, args=(reader,)) for reader in readers]
    for writer in writers:
        writer.start()
    before, looks = set(), 0
    while any(writer.is_alive() for writer in writers):
        seen = check_snapshot(dataset)
        assert seen >= before
        before, looks = seen, looks + 1
    for writer in writers:
        writer.join()
    assert check_whole(dataset) == all_hashes and looks > 0


def check_snapshot(dataset):
    """Of one state of the data set: the hashes of its traces, and that all tables agree."""
    files = snapshot(dataset)
    seen = {}
    for table in ("traces", "runs", "operators", "measured"):
        parts = [pq.read_table(path, columns=["trace"], partitioning=None) for path in files[table]]
        seen[table] = {trace for part in parts for trace in part["trace"].to_pylist()}
    assert seen["traces"] == seen["runs"] == seen["operators"] == seen["measured"]
    assert set(files) == set(SCHEMAS)
    return seen["traces"]

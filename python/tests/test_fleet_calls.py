"""etscope-fleet when a system call fails, or the process ends there: each open, read, write, sync and map in turn.

A process that has imported everything forks for each fault. The child loads the library of
tests/faults, which counts and fails calls from then on, and works in this one process: no other can
be started under its filter. test_fleet_faults.py has faults of Python's functions, and random kills.
"""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("pyarrow")

from test_fleet_faults import check_whole, complete, write_traces

from etscope.fleet import compaction, ingest, removal

LIBRARY = os.environ.get("FAULTY_CALLS")
pytestmark = pytest.mark.skipif(LIBRARY is None, reason="this build has no library that makes calls fail")

IS_LONG = bool(os.environ.get("ETSCOPE_LONG"))
MOST = 10_000 if IS_LONG else 6  # calls of a kind that fail: the first ones, and others evenly
FAULTS = (("open", "24"), ("read", "5"), ("map", "12"), ("sync", "5"), ("write", "28"), ("write", "28+"),
          ("open", "kill"), ("write", "kill"), ("sync", "kill"))  # fmt: skip
TRACES = 4

# One line of JSON for each child: the fault, how many calls of the kind there are, how it ended, what it said.
FAULTY = """
import ctypes, json, os, shutil, sys, tempfile
import pandas, pyarrow.acero, pyarrow.parquet  # as late imports would make most of the calls
from etscope.fleet import ask_command, batch_tables, command, commits, compaction, ingest, quantiles

library, job, sources, ready, folder, most, faults = sys.argv[1:]
KINDS = ("allocate", "read", "write", "map", "open", "rename", "sync", "truncate")


def work(dataset):
    if job != "ingest":
        return command.main([job, "--dataset", dataset])
    try:
        commits.prepare(dataset)
        reader = ingest.Reader(dataset)
        for batch in ingest.batches_of(ingest.files_of([sources]), 2):
            reader.ingest(batch)
        return 0
    except OSError as error:
        print(f"etscope-fleet: {error}", file=sys.stderr)
        return 2


def child(dataset, kind, at, ends, sums, told):
    os.dup2(told, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.environ.update(FAULTY_CALL=kind, FAULTY_AT=str(at), FAULTY_WITH=ends, FAULTY_SUMS=sums)
    ctypes.CDLL(library)
    try:
        code = work(dataset)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        code = 99
    os._exit(code)


def run(dataset, kind="write", at=0, ends="28"):
    if ready:
        shutil.copytree(ready, dataset)
    with tempfile.TemporaryFile() as told, tempfile.NamedTemporaryFile() as sums:
        sums.write(bytes(8 * len(KINDS)))
        sums.flush()
        process = os.fork()
        if process == 0:
            child(dataset, kind, at, ends, sums.name, told.fileno())
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        told.seek(0)
        counts = memoryview(open(sums.name, "rb").read()).cast("Q")
        return {"dataset": dataset, "kind": kind, "at": at, "ends": ends, "code": code,
                "said": told.read().decode(errors="replace"), "sums": dict(zip(KINDS, counts))}


def numbers(count):
    if count <= int(most):
        return range(1, count + 1)
    first = int(most) // 2
    return [*range(1, first + 1), *(first + 1 + i * (count - first - 1) // (first - 1) for i in range(first))]


healthy = run(f"{folder}/healthy")
print(json.dumps(healthy))
for number, (kind, ends) in enumerate(json.loads(faults)):
    for at in numbers(healthy["sums"][kind]):
        print(json.dumps(run(f"{folder}/set{number}_{at}", kind, at, ends)))
"""


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    return write_traces(tmp_path_factory.mktemp("calls") / "traces", TRACES)


@pytest.fixture(scope="module")
def all_hashes(traces, tmp_path_factory):
    dataset = str(tmp_path_factory.mktemp("calls") / "clean")
    complete(ingest.files_of([str(traces)]), dataset)
    return check_whole(dataset)


def outcomes(job, traces, ready, folder):
    """The healthy run, and those with a fault."""
    done = subprocess.run([sys.executable, "-c", FAULTY, LIBRARY, job, traces, ready, folder, str(MOST), json.dumps(FAULTS)],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    healthy, *runs = map(json.loads, done.stdout.splitlines())
    if healthy["code"] == 77:
        pytest.skip("this system has no seccomp filters")
    assert healthy["code"] == 0 and healthy["said"] == ""
    assert healthy["sums"]["write"] > 1 and healthy["sums"]["open"] > 1
    return healthy, runs


def check_end(run):
    """A kill ends the process; any other fault does no harm, or is said in one line.

    Where memory is wanting, Python and Arrow can fail as they like: only the data set is judged.
    """
    if run["kind"] == "map":
        return
    if run["ends"] == "kill":
        assert run["code"] == -9, str(run)
    elif run["code"] != 0:
        assert run["code"] == 2, str(run)
        assert run["said"].startswith("etscope-fleet: ") and len(run["said"].splitlines()) == 1, run


def test_any_call_of_an_ingest_fails(traces, all_hashes, tmp_path):
    _, runs = outcomes("ingest", traces, "", str(tmp_path))
    failed = 0
    for run in runs:
        check_end(run)
        failed += run["code"] == 2
        dataset = run["dataset"]
        if os.path.exists(f"{dataset}/etscope-fleet.json"):
            assert check_whole(dataset) <= all_hashes, run
        complete(ingest.files_of([str(traces)]), dataset)
        assert check_whole(dataset) == all_hashes, run
        removal.clean(dataset)
        assert check_whole(dataset) == all_hashes and removal.clean(dataset) == 0
    assert failed > len(FAULTS)


@pytest.mark.parametrize("job", ["compact", "clean"])
def test_any_call_of_a_compaction_and_of_a_removal_fails(traces, all_hashes, tmp_path, job):
    ready = str(tmp_path / "ready")
    complete(ingest.files_of([str(traces)]), ready, batch=1)
    if job == "clean":
        compaction.compact(ready)  # which leaves what it replaced
    _, runs = outcomes(job, traces, ready, str(tmp_path))
    for run in runs:
        check_end(run)
        dataset = run["dataset"]
        assert check_whole(dataset) == all_hashes, run
        compaction.compact(dataset, grace=0)
        removal.clean(dataset)
        assert check_whole(dataset) == all_hashes and removal.clean(dataset) == 0

"""Ctrl-C goes to all processes of a terminal: one line, and the data set stays whole."""

import os
import signal
import subprocess
import sys
import time

import pytest

# Signals come at different moments of each machine, and are waited for.
if not os.environ.get("ETSCOPE_LONG"):
    pytest.skip("waits for processes that are interrupted: make test-long", allow_module_level=True)
pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from test_fleet_faults import check_whole, write_traces

from etscope.fleet import ingest
from etscope.fleet.command import main

STOPPED = "etscope-fleet: stopped; the data set is whole: the command can be run again\n"
BEGUN = "import sys\nfrom etscope.fleet.command import main\nif __name__ == '__main__':\n    print(flush=True)\n"


def begin(folder, *words, before=""):
    """The command, once it has begun, in processes of its own, as a terminal has them."""
    script = folder / "begin.py"
    script.write_text(before + BEGUN + f"    sys.exit(main({list(map(str, words))!r}))\n")
    process = subprocess.Popen([sys.executable, script], start_new_session=True, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    process.stdout.readline()
    return process


def wait_for(path, process):
    while not path.exists() and process.poll() is None:
        time.sleep(0.001)


NOTED = "import pathlib\nfrom etscope.fleet.duck import Duck\nask = Duck._answer\n" \
    "def noted(*words):\n    pathlib.Path({!r}).touch()\n    return ask(*words)\nDuck._answer = noted\n"
# Of operators that compute for long before they give a first row, and of one that never ends to read.
LONG = ["select sum(a.range * b.range) from range(10000000) a, range(10000000) b",
        "select count(*) from (select distinct a.range * b.range as n from range(100000) a, range(100000) b) t",
        "select max(n) from (select row_number() over (order by a.range * b.range % 1009) as n"
        " from range(100000) a, range(10000) b) t",
        "with recursive t(n) as (select 1 union all select n + 1 from t where n > 0) select n from t",
        "select * from range(10000000) a, range(10000000) b"]  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes have no groups here")
@pytest.mark.parametrize("until, times", [
    ("etscope-fleet.json", 1), ("commits/00000001.json", 1), ("commits/00000001.json", 2)])  # fmt: skip
def test_an_interrupted_ingest_is_one_line(tmp_path, until, times):
    count, dataset = 3 * ingest.MOST_FILES, tmp_path / "set"
    process = begin(tmp_path, "ingest", write_traces(tmp_path / "in", count), "-o", dataset, "--workers", "1")
    wait_for(dataset / until, process)
    for _ in range(times):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.05 * (times > 1))
    said = process.communicate()
    assert said == ("", STOPPED) and process.returncode == 130
    if (dataset / "commits/00000001.json").exists():
        assert ingest.MOST_FILES <= len(check_whole(dataset)) < count
    assert main(["ingest", str(tmp_path / "in"), "-o", str(dataset), "--workers", "1"]) == 0
    assert len(check_whole(dataset)) == count


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes have no groups here")
@pytest.mark.parametrize("question, after", [(LONG[0], 0), *((question, 0.3) for question in LONG)])
def test_an_interrupted_question_is_one_line(tmp_path, question, after):
    ingest.ingest([str(write_traces(tmp_path / "in", 1))], str(tmp_path / "set"), workers=1)
    process = begin(tmp_path, "query", question, "--dataset", tmp_path / "set",
                    before=NOTED.format(str(tmp_path / "asked")))  # fmt: skip
    wait_for(tmp_path / "asked", process)
    time.sleep(after)
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=60) == ("", STOPPED) and process.returncode == 130
    assert time.monotonic() - start < 10

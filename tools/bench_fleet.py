"""Measures etscope-fleet: ingest of large and of many traces, and questions, against targets.

    build/python-venv/bin/python tools/bench_fleet.py [--traces 1000] [--folder DIR]

Makes the traces: recorded runs (tests/data/gpt_portable), repeated to 100,000 events with other times,
of 20 devices and 2 builds; 1,000 of them are 7 GB. Needs a Python with etscope[fleet], which `make test`
installs in build/python-venv. Times are of whole processes, but for the questions, which are timed
behind Python's start. docs/fleet.md shows the results.
"""

import argparse
import io
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bench

INGEST_SECONDS, INGEST_BYTES = 30, 500e6  # of 1,000 traces of 100,000 events, by two processes
READ_SPEED = 300e6  # bytes a second
ASK_SECONDS, MERGE_SECONDS = 1.0, 10.0
GROWTH = (10, 100, 1000, 10_000)  # traces of 1,067 events
COMMITS, TRACES_OF_COMMIT = 4000, 4  # before compaction; traces of 1,067 events
WORKERS = 2
PATTERN = "{device}/{build}/{time}_{_}.etdp"


class Traces:
    """The recorded runs, `copies` over, each time with other times."""

    def __init__(self, copies):
        data = (bench.DATA / "profile.etdp").read_bytes()
        file = io.BytesIO()
        bench.repeat_runs(data, copies, file.write)
        self.data = file.getvalue()
        size = len(data) + -len(data) % 16
        first = len(self.data) - copies * size
        runs = [np.array(places) for places in bench.places_of_times(data) if places]
        self.runs = [places + first + copy * size for copy in range(copies) for places in runs]

    def varied(self, seed):
        """The bytes with each stretch between two times at 0.8 to 1.6 of itself."""
        random = np.random.default_rng(seed)
        data = np.frombuffer(bytearray(self.data), np.uint8)
        for places in self.runs:
            at = places[:, None] + np.arange(8)
            times, order = np.unique(data[at].copy().view("<u8").ravel(), return_inverse=True)
            steps = (np.diff(times) * random.uniform(0.8, 1.6, len(times) - 1)).astype("u8")
            times = (times[0] + np.concatenate([[0], np.cumsum(steps)])).astype("<u8")
            data[at] = times[order].view(np.uint8).reshape(-1, 8)
        return data

    def write(self, folder, count):
        """Paths of `count` traces."""
        paths = []
        for number in range(count):
            own = folder / f"device{number % 20}" / ("1.2" if number // 20 % 2 == 0 else "1.3")
            own.mkdir(parents=True, exist_ok=True)
            paths.append(own / f"2026-11-{1 + number % 24:02d}_{number}.etdp")
            self.varied(number).tofile(paths[-1])
        return paths


def ingest(paths, folder):
    """(seconds, seconds of processors, bytes of memory of all processes at most) of an ingest."""
    (folder / "traces.txt").write_text("".join(f"{path}\n" for path in paths))
    shutil.rmtree(folder / "set", ignore_errors=True)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "etscope.fleet.command", "ingest", folder / "traces.txt", "-o",
                    folder / "set", "--name-pattern", PATTERN, "--workers", str(WORKERS)],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used, after.ru_maxrss * 1024 * (WORKERS + 1)


def read_speed(path):
    """Bytes a second of a core that the C library reads a dump with, and joins its events: a median."""
    from etscope._library import Source, call, ffi, lib

    source, options = Source.of_buffer(path.read_bytes()), ffi.new("struct ets_inspect_options *", {})
    seconds = []
    for _ in range(9):
        out, start = ffi.new("struct ets_inspection **"), time.process_time()
        call(lib.ets_inspection_open, source.bytes, options, out)
        seconds.append(time.process_time() - start)
        lib.ets_inspection_close(out[0])
    return path.stat().st_size / float(np.median(seconds))


def ask(folder):
    """[(question, seconds, target)]"""
    from etscope.fleet import duck, outliers, questions, regressions

    rows = []

    def timed(name, function, target=None):
        function()  # what is imported late
        start = time.perf_counter()
        answer = function()
        rows.append((name, time.perf_counter() - start, target))
        return answer

    engine = timed("open the data set", lambda: duck.Duck(str(folder / "set")))
    timed("top", lambda: questions.top(engine), ASK_SECONDS)
    timed("top --limit 0: all sketches merged", lambda: questions.top(engine, limit=1_000_000), MERGE_SECONDS)
    timed("regressions", lambda: regressions.regressions(engine, "build=1.2", "build=1.3"), ASK_SECONDS)
    timed("outliers", lambda: outliers.outliers(engine), ASK_SECONDS)
    return rows


def run(*words):
    """Seconds of a command, with the start of its process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "etscope.fleet.command", *map(str, words)], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    return time.perf_counter() - start


def compact(folder):
    """Shows what commands take before and after compaction of many commits."""
    from etscope.fleet.ingest import ingest

    *paths, first, second = Traces(1).write(folder / "commits", COMMITS * TRACES_OF_COMMIT + 2)
    dataset = folder / "many"
    (folder / "traces.txt").write_text("".join(f"{path}\n" for path in paths))
    ingest([str(folder / "traces.txt")], str(dataset), name_pattern=PATTERN, batch=TRACES_OF_COMMIT, workers=WORKERS)
    for when, trace in (("before", first), ("after", second)):
        show(f"{COMMITS} commits, {when} compaction: top", f"{run('top', '--dataset', dataset):.1f} s")
        seconds = run("regressions", "build=1.2", "build=1.3", "--dataset", dataset)
        show("  regressions", f"{seconds:.1f} s")
        show("  ingest of one trace", f"{run('ingest', trace, '-o', dataset, '--workers', 1):.1f} s")
        if when == "before":
            show("compaction", f"{run('compact', '--dataset', dataset):.1f} s")


def outcome(value, target):
    return "" if target is None else "met" if value <= target else f"MISSED: {target:g}"


def show(name, value, note=""):
    print(f"{name:<52} {value:>10}  {note}".rstrip())


def main():
    parser = argparse.ArgumentParser(description="Measures etscope-fleet.")
    parser.add_argument("--traces", type=int, default=1000, help="traces of 100,000 events (default 1,000)")
    parser.add_argument("--folder", help="where the traces are made (7 GB); default: a temporary folder")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=words.folder) as folder:
        folder = Path(folder)
        paths = Traces(94).write(folder / "large", words.traces)
        size = sum(path.stat().st_size for path in paths)
        seconds, used, memory = ingest(paths, folder)
        show(f"ingest of {words.traces} x 100,000 events", f"{seconds:.1f} s",
             outcome(seconds, INGEST_SECONDS if words.traces == 1000 else None))  # fmt: skip
        show("  processor time of a trace", f"{used / words.traces * 1e3:.0f} ms")
        show("  bytes of traces in a second and core", f"{size / used / 1e6:.0f} MB")
        show("  memory of all processes, at most", f"{memory / 1e6:.0f} MB", outcome(memory, INGEST_BYTES))
        speed = read_speed(paths[0])
        show("reading a dump, on one core", f"{speed / 1e6:.0f} MB/s",
             "met" if speed >= READ_SPEED else f"MISSED: {READ_SPEED / 1e6:.0f} MB/s")  # fmt: skip
        for name, asked, target in ask(folder):
            show(name, f"{asked:.2f} s", outcome(asked, target))
        shutil.rmtree(folder / "large")
        paths = Traces(1).write(folder / "small", GROWTH[-1])
        for count in GROWTH:
            seconds, used, _ = ingest(paths[:count], folder)
            show(f"ingest of {count} x 1,067 events", f"{seconds:.1f} s", f"{used / count * 1e3:.1f} ms of processor a trace")
        shutil.rmtree(folder / "small")
        compact(folder)


if __name__ == "__main__":
    main()

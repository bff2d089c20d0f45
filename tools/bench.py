"""Measures how long etscope takes, and how much memory, to read a trace of 1,000 runs.

    python3 tools/bench.py build/bin/etscope [--repeat 5]

The trace is tests/data/gpt_portable/profile_x1000.etdp.xz, 14.8 MB unpacked. A line tells the
command, the median and the least of its wall times, and its largest resident set.
"""

import argparse
import lzma
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "tests" / "data" / "gpt_portable"


def run(command):
    """Returns the wall seconds and the peak bytes of one run; ends the program if it fails."""
    with open(os.devnull, "wb") as sink:
        start = time.perf_counter()
        child = os.posix_spawnp(
            command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, sink.fileno(), 1)]
        )
        _, status, usage = os.wait4(child, 0)
        seconds = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        sys.exit(f"{' '.join(command)} ended with {code}")
    return seconds, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("etscope", help="the program to measure")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each command (5)")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "profile_x1000.etdp"
        trace.write_bytes(lzma.open(DATA / "profile_x1000.etdp.xz").read())
        record = str(DATA / "model.etrecord")
        for name, arguments in [
            ("inspect", [str(trace)]),
            ("inspect --etrecord", [str(trace), "--etrecord", record]),
            ("inspect --etrecord --format tsv",
             [str(trace), "--etrecord", record, "--format", "tsv"]),
        ]:
            command = [options.etscope, "inspect", *arguments]
            samples = [run(command) for _ in range(options.repeat)]
            seconds = [sample[0] for sample in samples]
            peak = max(sample[1] for sample in samples)
            print(
                f"{name:32} median {statistics.median(seconds):.3f} s,"
                f" least {min(seconds):.3f} s, {peak / 1e6:.1f} MB"
            )


if __name__ == "__main__":
    main()

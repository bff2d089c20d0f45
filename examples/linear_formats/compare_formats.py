"""Measures a program in several number formats and compares them in one table.

    python examples/linear_formats/compare_formats.py [FOLDER] [--rounds N] [--runs N] [--read]

For each FORMAT.pte of the folder, with FORMAT.etrecord beside it, it writes FORMAT.etdump (the
trace; FORMAT.2.etdump and so on in further rounds) and FORMAT.csv (the Inspector's table). --read
compares the traces that are there. Needs the Python package, and to measure the command `etscope`,
which ETSCOPE may name.

A process is faster or slower than the next one as a whole, by where its memory lies and what else
the machine does. So the formats are measured in turn, each round in processes of its own, and a
round gives one median and one ratio to the first format. The middle of what rounds give lies
between the least and the largest of N with a probability of 1 - 2 / 2^N: 97 % for six rounds.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from etscope import Inspector
from etscope.inspector import TimeScale

FORMATS = ("fp32", "fp16", "int8", "int4")  # the first is what the others are compared with
ETSCOPE = os.environ.get("ETSCOPE", "etscope")
WARM_UP = 20


def measure(program, number, runs):
    """Runs a program in a process of its own and keeps the trace beside it."""
    trace = program.with_suffix(".etdump" if number == 1 else f".{number}.etdump")
    command = [ETSCOPE, "run", program, "--runs", runs, "--warmup", WARM_UP, "--threads", 1,
               "-o", trace]  # fmt: skip
    done = subprocess.run(
        list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        universal_newlines=True,
    )  # fmt: skip
    if done.returncode != 0:
        print(done.stderr, end="", file=sys.stderr)
        sys.exit(done.returncode)


def traces(program):
    """The traces of a program, in the order of the rounds."""
    found = program.parent.glob(f"{program.stem}.*etdump")
    return sorted(found, key=lambda path: (len(path.name), path.name))


def open_trace(program, trace):
    record = program.with_suffix(".etrecord")
    return Inspector(etdump_path=trace, etrecord=record, target_time_scale=TimeScale.US)


def save_table(program):
    with open(program.with_suffix(".csv"), "w", encoding="utf-8") as table:
        open_trace(program, traces(program)[0]).save_data_to_tsv(table)


def read(program, trace):
    """(what computes the linear layer, the median time of a run in us)."""
    (block,) = (
        block for block in open_trace(program, trace).event_blocks if block.name == "Execute"
    )
    (gemm,) = (event.name for event in block.events if "GEMM" in event.name)
    (whole,) = (event for event in block.events if event.name == "Method::execute")
    return gemm, whole.perf_data.p50


def compare(folder):
    """The table as lists of texts: a header, then for each format what ran, file, time, savings."""
    rows, base_size, base = [], None, None
    for name in FORMATS:
        program = Path(folder, f"{name}.pte")
        size = program.stat().st_size
        gemms, medians = zip(*(read(program, trace) for trace in traces(program)))
        medians = np.array(medians)
        if base is None:
            base_size, base = size, medians
        saved = 100 * (1 - medians / base)
        rows.append([
            name, gemms[0], f"{size / 1024:.1f}", f"{100 * (1 - size / base_size):.0f} %",
            f"{np.median(medians):.1f}", f"{medians.min():.1f}..{medians.max():.1f}",
            f"{np.median(saved):.0f} %", f"{saved.min():.0f}..{saved.max():.0f} %",
        ])  # fmt: skip
    level = f"{100 * (1 - 2 / 2 ** len(base)):.0f} % sure"
    return [["format", "computed by", "KiB", "saved", "us", level, "saved", level], *rows]


def show(table):
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        cells = [cell.ljust(width) if i < 2 else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]  # fmt: skip
        print("  ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parent)
    parser.add_argument("--rounds", type=int, default=6, help="processes for each format")
    parser.add_argument("--runs", type=int, default=50, help="runs in each process")
    parser.add_argument("--read", action="store_true", help="measure nothing")
    options = parser.parse_args()
    programs = [options.folder / f"{name}.pte" for name in FORMATS]
    if not options.read:
        if shutil.which(ETSCOPE) is None:
            parser.error(f"no command {ETSCOPE}; ETSCOPE may name it, --read needs none")
        for program in programs:
            for trace in traces(program):
                trace.unlink()
        for number in range(1, options.rounds + 1):
            for program in programs:
                measure(program, number, options.runs)
        for program in programs:
            save_table(program)
    show(compare(options.folder))


if __name__ == "__main__":
    main()

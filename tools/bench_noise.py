"""Measures how often `diff` reports a change where there is none, and how often it finds one.

    python3 tools/bench_noise.py build/bin/etscope [--tries 200] [--recordings 40] [--markdown]

Synthetic recordings have 20 operators and 20 runs each. All operators of a recording share one
factor, the spread between recordings; runs are correlated (each remembers 0.7 of the one before).
Then a program is recorded here, each time in a new process, and the recordings are divided at random.
A whole-run verdict is `slower` or `faster` of Method::execute; a table has one if any of its rows
says so. docs/benchmarks.md explains the table.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))
from support import call, framework, make_dump  # noqa: E402

OPERATORS, RUNS = 20, 20
VERDICTS = ("slower", "faster")
PROGRAM = ROOT / "tests" / "data" / "gpt_xnnpack" / "model.pte"


def record(path, random, spread, slowdown):
    """One recording: `slowdown` is of the whole program."""
    made, drift = [], 0.0
    day = max(0.2, random.gauss(1, spread)) * (1 + slowdown)
    own = [max(0.2, random.gauss(1, spread / 2)) for _ in range(OPERATORS)]
    for r in range(RUNS):
        drift = 0.7 * drift + random.gauss(0, 0.01)
        start = now = 100_000_000 * (r + 1)
        events = []
        for i in range(OPERATORS):
            ticks = 20_000 * (i + 1) * day * own[i] * (1 + drift) * random.gauss(1, 0.005)
            events.append(call(f"native_call_op{i}.out", i, now, now + int(ticks)))
            now += int(ticks)
        made.append(("Execute", [*events, framework("Method::execute", start, now + 900)]))
    make_dump(path, made)


def compare(etscope, before, after):
    """(whole-run verdict, any verdict in the table)"""
    words = [etscope, "diff", before[0], after[0], "--no-siblings", "--format", "json"]
    for option, paths in (("--before", before[1:]), ("--after", after[1:])):
        for path in paths:
            words += [option, path]
    done = subprocess.run(words, capture_output=True, check=True)
    rows = json.loads(done.stdout)["rows"]
    whole = any(row["operator"] == "Method::execute" and row["verdict"] in VERDICTS for row in rows)
    return whole, any(row["verdict"] in VERDICTS for row in rows)


def of_100(found, tries):
    return f"{100 * found / tries:.1f}"


def synthetic(etscope, folder, spread, slowdown, side, tries, random):
    whole = table = 0
    for _ in range(tries):
        paths = [[folder / f"{s}{k}.etdp" for k in range(side)] for s in "ab"]
        for s in range(2):
            for path in paths[s]:
                record(path, random, spread, slowdown * s)
        found = compare(etscope, *paths)
        whole += found[0]
        table += found[1]
    return of_100(whole, tries), of_100(table, tries)


def recorded(etscope, folder, count, side, tries, random):
    paths = [folder / f"r{k:03}.etdp" for k in range(count)]
    for path in paths:
        subprocess.run([etscope, "run", PROGRAM, "--runs", "20", "--warmup", "2", "-o", path],
                       capture_output=True, check=True)
    results = []
    for order in ("random", "in order"):
        whole = table = number = 0
        starts = range(0, count - 2 * side + 1) if order == "in order" else range(tries)
        for start in starts:
            chosen = (paths[start:start + 2 * side] if order == "in order"
                      else random.sample(paths, 2 * side))
            found = compare(etscope, chosen[:side], chosen[side:])
            whole, table, number = whole + found[0], table + found[1], number + 1
        results.append((order, of_100(whole, number), of_100(table, number), number))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("etscope")
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--recordings", type=int, default=40, help="of the program; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    failed = False
    print("| recordings | change | a side | tries | whole run, of 100 | any row, of 100 | target |")
    print("|---|---:|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = [(spread, 0.0, side) for spread in (0, 0.01, 0.02, 0.05) for side in (4, 5, 10)]
        cases += [(0.01, 0.05, 5), (0.02, 0.05, 5), (0.02, 0.05, 10)]
        for spread, slowdown, side in cases:
            whole, table = synthetic(arguments.etscope, folder, spread, slowdown, side, arguments.tries, random)
            target = "at most 5" if slowdown == 0 else "at least 80" if spread == 0.01 else ""
            failed |= target == "at most 5" and max(float(whole), float(table)) > 5
            failed |= target == "at least 80" and float(whole) < 80
            print(f"| synthetic, spread {100 * spread:g} % | {'none' if slowdown == 0 else '+5 %'} | {side} |"
                  f" {arguments.tries} | {whole} | {table} | {target} |", flush=True)
        if arguments.recordings > 0:
            for order, whole, table, number in recorded(arguments.etscope, folder, arguments.recordings, 5,
                                                        arguments.tries, random):
                failed |= max(float(whole), float(table)) > 5
                print(f"| {arguments.recordings} of gpt_xnnpack, {order} | none | 5 | {number} | {whole} | {table} |"
                      " at most 5 |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Checks the roofs of `etscope machine` on this machine: do they repeat, and is nothing above them?

    python3 tools/bench_roofs.py build/bin/etscope [--times 2] [--runs 50] [MODEL.pte...]

Measures the machine several times and compares each line of its table with the first measurement.
Then runs programs (default: all of tests/data and examples) with each number of threads and holds
their operators against the best roof that was measured. A measurement that was marked as busy, or a time
that did not repeat, is counted apart. Ends with 1 where an operator is above 105 % of its roof, or where
times that were not marked are more than 10 % apart.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APART, ABOVE = 0.10, 1.05


def run(*words):
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def measure(etscope, path):
    done = run(etscope, "machine", "--save", path, "--format", "json")
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    lines = json.loads(done.stdout)["rows"]
    machine = json.loads(path.read_text())
    return machine, {(line["threads"], line["program"], line["level"]): line for line in lines}


def rate(line):
    return line["gflops_per_s"] or line["gbytes_per_s"] or 1e9 / line["time_ns"]


def compare(measured):
    """How many lines of all later measurements are within a tenth of the first; which are not."""
    (first_machine, first), bad = measured[0], 0
    for number, (machine, lines) in enumerate(measured[1:], 2):
        close = marked = 0
        for key, line in lines.items():
            apart = abs(rate(line) / rate(first[key]) - 1) if key in first else 0
            is_marked = max(line["spread"] or 0, (first.get(key) or line)["spread"] or 0) > APART
            close += apart <= APART
            marked += apart > APART and is_marked
            if apart > APART:
                print(f"  {key}: {100 * apart:.0f} % apart{', marked' if is_marked else ''}")
        is_busy = machine.get("busy", False) or first_machine.get("busy", False)
        print(f"measurement {number}: {close} of {len(lines)} lines within 10 % of the first, "
              f"{marked} of the others marked{'; busy' if is_busy else ''}")
        bad += 0 if is_busy else len(lines) - close - marked
    return bad


def best(machines):
    """The first machine with the shortest time of each roof in any of them."""
    shortest = {}
    for machine in machines:
        for roof in machine["roofs"]:
            key = roof["program"], roof["threads"], roof["working_set_bytes"]
            if key not in shortest or roof["time_ns"] < shortest[key]["time_ns"]:
                shortest[key] = roof
    return {**machines[0], "roofs": list(shortest.values())}


def hold(etscope, models, threads, machine, runs):
    """Operators above the roof with so many threads, and how many were held against it."""
    judged, highest, above = 0, (0, ""), []
    for model in models:
        done = run(etscope, "profile", model, "--runs", runs, "--threads", threads, "--machine", machine,
                   "--format", "json")
        if done.returncode != 0:
            continue  # made to be refused, or needs inputs
        for row in json.loads(done.stdout)["rows"]:
            name = f"{model}: {row['operator']}"
            if row["of_roof"] is not None:
                judged += 1
                highest = max(highest, (row["of_roof"], name))
            elif (row["verdict_reason"] or "").startswith("faster than the measured roof"):
                above.append(f"{name}: {100 * row['bound_ns'] / row['min_ns_upper']:.0f} %")
    print(f"{threads} thread{'s' if threads > 1 else ''}: {judged} operators below, the highest "
          f"{100 * highest[0]:.0f} % ({highest[1]}); {len(above)} above 105 %")
    for line in above:
        print(f"  {line}")
    return len(above)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("etscope")
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--runs", type=int, default=50)
    options = parser.parse_args()
    models = options.models or sorted(
        path for folder in ("tests/data", "examples") for path in (ROOT / folder).rglob("*.pte"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "machine.json"
        measured = [measure(options.etscope, path) for _ in range(options.times)]
        print(f"load {os.getloadavg()[0]:.1f}, {len(measured[0][1])} lines")
        bad = compare(measured)
        machine = best([machine for machine, _ in measured])
        path.write_text(json.dumps(machine))
        for threads in sorted({roof["threads"] for roof in machine["roofs"]}):
            bad += hold(options.etscope, models, threads, path, options.runs)
    sys.exit(1 if bad > 0 else 0)


main()

"""Measures what etscope takes in time and memory, against targets and against upstream.

    python3 tools/bench.py build/bin/etscope [--repeat 20] [--markdown]

Each line is a whole process, from its start to its end: the median and the least of its wall times
and its largest resident set. Needs a C compiler for bench/stopwatch.c, which does the measuring.
ETSCOPE_UPSTREAM_PYTHON names a Python with executorch; the same is then asked of its Inspector,
and its figures are shown as multiples of ours. docs/benchmarks.md explains the lines.
"""

import argparse
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data" / "gpt_portable"
DATA_EVENTS = 1067  # of its profile.etdp
EXAMPLE = ROOT / "examples" / "mobile_cnn"

SMALL_TARGET = (0.010, 12e6)  # seconds, bytes
RECORD_TARGET = (0.120, 64e6)
LARGE_TARGET = (0.150, 64e6)
HUGE_TARGET = (6.0, 2e9)
DIFF_TARGET = (0.500, 128e6)
IMPORT_TARGET = (0.060, None)  # beyond Python itself
FRAME_TARGET = (0.250, 150e6)  # beyond the import of pandas
MEMORY_TARGET = (0.050, 32e6)
SIZE_TARGET = (0.100, 30e6)
REPORT_TARGET = (2.0, 500e6)
REPORT_BYTES = {"5 runs, record, program": 500e3, "1 million events, record, program": 30e6}
EXPORT_TARGETS = {"perfetto": 0.300, "chrome": 0.500}  # of 200,000 events; 5 times that of a million
EXPORT_BYTES = 60  # an event in Perfetto's format
GAP_TARGET = (0.400, 400e6)  # MobileNet v2: 84 MB of captured tensors

INSPECTOR = """
import sys
from executorch.devtools import Inspector
Inspector(etdump_path=sys.argv[1], etrecord=(sys.argv + [None])[2]).print_data_tabular()
"""

NUMERIC_GAP = """
import sys
from executorch.devtools import Inspector
trace, record, debug_buffer = sys.argv[1:]
inspector = Inspector(etdump_path=trace, etrecord=record, debug_buffer_path=debug_buffer)
print(inspector.calculate_numeric_gap("MSE").to_string())
"""

PYTHON_TABLE = """
import sys
import pandas
from etscope import Inspector
Inspector(etdump_path=sys.argv[1], etrecord=sys.argv[2]).to_dataframe()
"""


class Bench:
    """The measuring program, the inputs, and the lines so far."""

    def __init__(self, etscope, repeat, folder):
        self.etscope, self.repeat, self.folder = os.path.abspath(etscope), repeat, Path(folder)
        self.upstream_python = os.environ.get("ETSCOPE_UPSTREAM_PYTHON")
        self.rows = []
        self.notes = []
        self.stopwatch = str(self.folder / "stopwatch")
        self.compile(self.stopwatch, ROOT / "bench" / "stopwatch.c")
        empty = self.folder / "empty.c"
        empty.write_text("int main(void) { return 0; }\n")
        self.compile(self.folder / "empty", empty)

    def compile(self, output, source):
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-std=c11", "-O2", "-o", output, source], check=True)

    def measure(self, command, repeat=None):
        """Returns median and least wall seconds, and the largest resident set in bytes."""
        return summary(self.samples(command, repeat))

    def measure_in_turn(self, commands, repeat):
        """The same of each command; what else the machine does meanwhile falls on all of them."""
        rounds = [[self.samples(command, 1) for command in commands] for _ in range(repeat)]
        return [summary([sample for (sample,) in samples]) for samples in zip(*rounds)]

    def samples(self, command, repeat=None):
        """Wall nanoseconds and resident kilobytes of each run."""
        done = subprocess.run(
            [self.stopwatch, str(repeat or self.repeat), *map(str, command)],
            stdout=subprocess.PIPE, text=True, check=False,
        )
        if done.returncode != 0:
            sys.exit(f"failed: {' '.join(map(str, command))}")
        return [tuple(map(int, line.split())) for line in done.stdout.splitlines()]

    def add(self, name, command, target=None, upstream=None, repeat=None):
        """Measures one line, and upstream's `upstream`: a Python script and its arguments."""
        self.measure(command, 1)  # files into the page cache
        measured = self.measure(command, repeat)
        self.add_row(name, measured, target, upstream)
        return measured

    def add_row(self, name, measured, target=None, upstream=None):
        row = [name, show_time(measured[0]), show_time(measured[1]), show_bytes(measured[2])]
        row += verdict(measured[0], measured[2], target)
        if self.upstream_python:
            row += self.ratios(measured, upstream)
        self.rows.append(row)

    def add_difference(self, name, more, less, target):
        """A line of what one command takes beyond another: the least times and the memory."""
        seconds, size = more[1] - less[1], more[2] - less[2]
        row = [name, "", show_time(seconds), show_bytes(size), *verdict(seconds, size, target)]
        self.rows.append(row + ["", ""] * bool(self.upstream_python))

    def ratios(self, measured, upstream):
        if upstream is None:
            return ["", ""]
        seconds, _, size = self.measure([self.upstream_python, "-c", *upstream], 1)
        return [f"{show_time(seconds)} ({seconds / measured[0]:.0f}x)",
                f"{show_bytes(size)} ({size / measured[2]:.0f}x)"]

    def inspect(self, name, *arguments, **keywords):
        return self.add(name, [self.etscope, "inspect", *arguments], **keywords)

    def can_run(self):
        command = [self.etscope, "run", DATA / "model.pte"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def summary(samples):
    seconds = [ns / 1e9 for ns, _ in samples]
    return statistics.median(seconds), min(seconds), max(kb for _, kb in samples) * 1024


def verdict(seconds, size, target):
    """Two cells: a target of seconds and bytes (None: any), and whether it is met."""
    if target is None:
        return ["", ""]
    is_met = seconds <= target[0] and (target[1] is None or size <= target[1])
    limit = show_time(target[0]) + ("" if target[1] is None else f", {show_bytes(target[1])}")
    return [limit, "met" if is_met else "MISSED"]


def show_time(seconds):
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def show_bytes(size):
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def read_once(path):
    """Seconds to copy a file's bytes out of the page cache: the least of ten."""
    buffer = bytearray(path.stat().st_size)
    least = float("inf")
    for _ in range(10):
        with open(path, "rb", buffering=0) as file:
            start = time.perf_counter()
            file.readinto(buffer)
            least = min(least, time.perf_counter() - start)
    return least


def bench_small(bench):
    record, program = DATA / "model.etrecord", DATA / "model.pte"
    small = DATA / "profile.etdp"
    bench.add("an empty C program", [bench.folder / "empty"])
    bench.inspect("5 runs", small, target=SMALL_TARGET, upstream=[INSPECTOR, small])
    bench.inspect("5 runs, record", small, "--etrecord", record, target=SMALL_TARGET,
                  upstream=[INSPECTOR, small, record])
    bench.inspect("5 runs, program", small, "--program", program)
    bench.add("info: an ETRecord", [bench.etscope, "info", record])
    bench.add("info: a program", [bench.etscope, "info", program])


def bench_large(bench):
    record, large = DATA / "model.etrecord", bench.folder / "profile_x1000.etdp"
    with open(large, "wb") as file:
        repeat_runs((DATA / "profile.etdp").read_bytes(), 200, file.write)
    bench.inspect("1,000 runs", large)
    measured = bench.inspect("1,000 runs, record", large, "--etrecord", record,
                             target=RECORD_TARGET, upstream=[INSPECTOR, large, record])
    bench.inspect("1,000 runs, record, upstream's table", large, "--etrecord", record,
                  "--format", "upstream",
                  target=LARGE_TARGET)
    bench.inspect("1,000 runs, record, by source line", large, "--etrecord", record,
                  "--group-by", "source", target=LARGE_TARGET)
    bench.add("diff of 2 x 1,000 runs, record",
              [bench.etscope, "diff", large, large, "--etrecord", record], target=DIFF_TARGET)
    once, size = read_once(large), large.stat().st_size
    bench.notes.append(
        f"Copying the {size / 1e6:.1f} MB of 1,000 runs out of the page cache takes"
        f" {show_time(once)} ({size / once / 1e9:.1f} GB/s); the table with the record takes"
        f" {measured[1] / once:.0f} times that, {measured[1] / size * 1e9:.2f} ns a byte.")


def places_of_times(data):
    """Where the start and end times of events stand in a size-prefixed ETDump, run by run."""
    def follow(at):
        return at + struct.unpack_from("<I", data, at)[0]

    def field(table, index):
        vtable = table - struct.unpack_from("<i", data, table)[0]
        size = struct.unpack_from("<H", data, vtable)[0]
        offset = struct.unpack_from("<H", data, vtable + 4 + 2 * index)[0] \
            if 4 + 2 * index < size else 0
        return table + offset if offset else None

    def items(at):
        vector = follow(at)
        count = struct.unpack_from("<I", data, vector)[0]
        return [follow(vector + 4 + 4 * i) for i in range(count)]

    runs = []
    for run in items(field(follow(4), 1)):  # ETDump.run_data
        events = items(field(run, 3))  # RunData.events
        profiles = [follow(place) for place in (field(event, 0) for event in events) if place]
        runs.append([place for profile in profiles
                     for place in (field(profile, 6), field(profile, 7)) if place])
    return runs


def vary_times(data, runs, random):
    """The same runs with other times: each stretch between two times takes 0.8 to 1.6 of itself."""
    data = bytearray(data)
    for places in runs:
        if not places:
            continue
        times = {place: struct.unpack_from("<Q", data, place)[0] for place in places}
        ordered, varied = sorted(set(times.values())), {}
        now = before = ordered[0]
        for time in ordered:
            now += int((time - before) * random.uniform(0.8, 1.6))
            varied[time], before = now, time
        for place, time in times.items():
            struct.pack_into("<Q", data, place, varied[time])
    return data


def repeat_runs(data, times, write, varied=False):
    """
    The runs of a size-prefixed ETDump, `times` over: its bytes copied behind a vector of all.
    `varied`: each copy with other times.
    """
    root = 4 + struct.unpack_from("<I", data, 4)[0]
    vtable = root - struct.unpack_from("<i", data, root)[0]
    field = root + struct.unpack_from("<H", data, vtable + 6)[0]
    vector = field + struct.unpack_from("<I", data, field)[0]
    count = struct.unpack_from("<I", data, vector)[0]
    places = [vector + 4 + 4 * run for run in range(count)]
    runs = [at + struct.unpack_from("<I", data, at)[0] for at in places]
    body, first = data + bytes(-len(data) % 16), 36  # where the vector's first offset stands
    start = first + 4 * count * times
    start += -start % 16
    head = struct.pack("<II4sHHHHiIII", start + len(body) * times - 4, 16, b"ED00", 8, 12, 4, 8,
                       8, 0, 4, count * times)
    targets = [start + copy * len(body) + run for copy in range(times) for run in runs]
    offsets = [target - (first + 4 * i) for i, target in enumerate(targets)]
    write((head + struct.pack(f"<{len(offsets)}I", *offsets)).ljust(start, b"\0"))
    places, random = places_of_times(data) if varied else [], Random(1)
    for _ in range(times):
        write(vary_times(body, places, random) if varied else body)


def bench_events(bench):
    """From 0.2 to 10 million events, the recorded runs repeated; after bench_large."""
    record, large = DATA / "model.etrecord", bench.folder / "profile_x1000.etdp"
    seconds, data = {}, large.read_bytes()
    seconds[1000] = bench.inspect("growth: 0.2 million events", large, "--etrecord", record)[1]
    for times, name, target in ((10, "2.1", None), (47, "10", HUGE_TARGET)):
        path = bench.folder / f"events{times}.etdp"
        with open(path, "wb") as file:
            repeat_runs(data, times, file.write)
        name = f"growth: {name} million events, {show_bytes(path.stat().st_size)}"
        seconds[times * 1000] = bench.inspect(name, path, "--etrecord", record, target=target,
                                              repeat=5)[1]
        path.unlink()
    bench.notes.append(f"Each further run of 213 events costs {per_run(seconds)} runs.")


def bench_export(bench):
    """200,000 and a million events for the viewers of traces."""
    data = (DATA / "profile.etdp").read_bytes()
    record = ["--etrecord", DATA / "model.etrecord"]
    inputs = {"": [], ", record": record,
              ", record, program": [*record, "--program", DATA / "model.pte"]}
    for name, times, factor in (("200,000 events", 188, 1), ("1 million events", 940, 5)):
        path, output = bench.folder / "export.etdp", bench.folder / "export.out"
        with open(path, "wb") as file:
            repeat_runs(data, times, file.write)
        for format, seconds in EXPORT_TARGETS.items():
            for joined, words in inputs.items():
                bench.add(f"export to {format}: {name}{joined}",
                          [bench.etscope, "export", path, *words, "--to", format, "-o", output],
                          target=(seconds * factor, None), repeat=5)
                size = output.stat().st_size / (times * DATA_EVENTS)
                note = f"{format}: {size:.1f} bytes an event of {name}{joined}"
                if format == "perfetto":
                    outcome = "met" if size <= EXPORT_BYTES else "MISSED"
                    note += f", target {EXPORT_BYTES}: {outcome}"
                bench.notes.append(note + ".")
        path.unlink()


def bench_report(bench):
    """Reports of a small trace and of growing ones; the file counts as well as time and memory."""
    inputs = ["--etrecord", DATA / "model.etrecord", "--program", DATA / "model.pte"]
    output = bench.folder / "report.html"
    for name, times in (("5 runs", 1), ("100,000 events", 94), ("1 million events", 940)):
        path = bench.folder / "report.etdp"
        with open(path, "wb") as file:
            repeat_runs((DATA / "profile.etdp").read_bytes(), times, file.write, varied=True)
        name += ", record, program"
        command = [bench.etscope, "report", path, *inputs, "-o", output]
        bench.add(f"report: {name}", command, target=REPORT_TARGET if times > 100 else None,
                  repeat=5)
        size, limit = output.stat().st_size, REPORT_BYTES.get(name)
        outcome = "" if limit is None else (
            f", target {show_bytes(limit)}: {'met' if size <= limit else 'MISSED'}")
        bench.notes.append(f"The report of {name} is {show_bytes(size)}{outcome}.")


def bench_python(bench):
    """The Python package, as the tests installed it; after bench_large, whose trace it reads."""
    python = ROOT / "build" / "python-venv" / "bin" / "python"
    command = [python, "-c", "from etscope import Inspector"]
    if not python.exists() or subprocess.run(command, capture_output=True).returncode != 0:
        bench.notes.append("The Python package is left out: make test installs it.")
        return
    record, large = DATA / "model.etrecord", bench.folder / "profile_x1000.etdp"
    scripts = {
        "nothing": [""],
        "import etscope": ["import etscope"],
        "from etscope import Inspector": ["from etscope import Inspector"],
        "import pandas": ["import pandas"],
        "1,000 runs, record, data frame": [PYTHON_TABLE, large, record],
    }
    commands = [[python, "-c", *script] for script in scripts.values()]
    bench.measure_in_turn(commands, 1)  # files into the page cache
    measured = bench.measure_in_turn(commands, max(5, bench.repeat // 4))
    for name, one in zip(scripts, measured):
        upstream = [INSPECTOR, large, record] if "runs" in name else None
        bench.add_row(f"Python: {name}", one, upstream=upstream)
    bare, etscope, inspector, pandas, table = measured
    bench.add_difference("Python: import etscope, beyond nothing", etscope, bare, IMPORT_TARGET)
    bench.add_difference("Python: the Inspector, beyond nothing", inspector, bare, IMPORT_TARGET)
    bench.add_difference("Python: data frame, beyond pandas", table, pandas, FRAME_TARGET)


def bench_gap(bench):
    """Captured values against the reference: a small program, and one with 84 MB of them."""
    if not bench.can_run():
        bench.notes.append("The numeric gap is left out: there is no engine here.")
        return
    bench.add("gap: GPT, 0.8 MB captured", [
        bench.etscope, "gap", DATA / "debug.etdp", "--etrecord", DATA / "model.etrecord",
        "--program", DATA / "model.bpte", "--debug-buffer", DATA / "debug.bin"])
    folder = ROOT / "build" / "mobilenet"
    program, record = folder / "model.pte", folder / "model.etrecord"
    trace, captured = folder / "debug.etdp", folder / "debug.bin"
    if not program.exists():
        if not bench.upstream_python:
            bench.notes.append("MobileNet's numeric gap is left out: ETSCOPE_UPSTREAM_PYTHON names"
                               " no Python with torch and executorch, which export it.")
            return
        export = [bench.upstream_python, ROOT / "bench" / "mobilenet.py", folder]
        subprocess.run(export, capture_output=True, check=True)
    subprocess.run([bench.etscope, "run", program, "--etrecord", record, "--inputs", "etrecord",
                    "--capture", "intermediates", "-o", trace, "--debug-buffer", captured],
                   capture_output=True, check=True)
    command = [bench.etscope, "gap", trace, "--etrecord", record, "--debug-buffer", captured]
    name = f"gap: MobileNet v2, {show_bytes(captured.stat().st_size)} captured"
    bench.add(name, command, target=GAP_TARGET, repeat=7,
              upstream=[NUMERIC_GAP, trace, record, captured])
    bench.add(name + ", f64", [*command, "--reference-dtype", "f64"], repeat=7)
    mapped = sum(path.stat().st_size for path in (record, captured))
    bench.notes.append(f"Of the gap's memory up to {show_bytes(mapped)} are the mapped files.")


def per_run(seconds):
    """What a further run costs, from each size to the next."""
    sizes = sorted(seconds)
    return ", ".join(
        f"{(seconds[high] - seconds[low]) / (high - low) * 1e6:.0f} us from {low:,} to {high:,}"
        for low, high in zip(sizes, sizes[1:]))


def write_differing(path, runs):
    """A trace whose runs have all another operator, so that each is a block of its own."""
    def event(name, chain, run):
        return {"profile_event": {"name": name, "chain_index": chain, "instruction_id": 0,
                                  "start_time": run * 10, "end_time": run * 10 + 5}}

    blocks = [{"name": "Execute", "events": [event(f"operator_{run}", 0, run),
                                             event("Method::execute", -1, run)]}
              for run in range(runs)]
    source = path.with_suffix(".json")
    source.write_text(json.dumps({"run_data": blocks}))
    schema = ROOT / "tests" / "data" / "schema" / "etdump.fbs"
    subprocess.run(["flatc", "--binary", "--size-prefixed", "-o", path.parent, schema, source],
                   check=True)


def write_plan(path, instructions):
    """A program of that many kernels, each with a result that others read, also as a view."""
    slots = 128

    def tensor(number):  # odd ones are results, and the even ones behind them their views
        place = (number + 1) // 2
        return {"val_type": "Tensor", "val": {
            "scalar_type": 6, "sizes": [16, 16 + place % 48], "dim_order": [0, 1],
            "allocation_info": {"memory_id": 1, "memory_offset_low": place % slots * 4096}}}

    def kernel(number):
        result = 2 * number + 1
        reads = [max(0, 2 * number - back) for back in (0, 1, 1 + number % 200)]
        return {"instr_args_type": "KernelCall",
                "instr_args": {"op_index": 0, "args": [*reads, result, result]}}

    value = {"execution_plan": [{
        "name": "forward", "values": [tensor(number) for number in range(2 * instructions)],
        "inputs": [0], "outputs": [2 * instructions - 1],
        "operators": [{"name": "aten::add", "overload": "out"}], "delegates": [],
        "chains": [{"instructions": [kernel(number) for number in range(instructions)]}],
        "non_const_buffer_sizes": [0, slots * 4096]}]}
    source = path.with_suffix(".json")
    source.write_text(json.dumps(value))
    schema = ROOT / "tests" / "data" / "schema" / "program.fbs"
    subprocess.run(["flatc", "--binary", "-o", path.parent, schema, source], check=True)
    path.with_suffix(".bin").rename(path)


def bench_memory(bench):
    if shutil.which("flatc") is None:
        bench.notes.append("Memory plans are left out: flatc is not installed.")
        return
    path = bench.folder / "plan.pte"
    write_plan(path, 5000)
    bench.add("memory: 5,000 instructions, 10,000 values, first 20",
              [bench.etscope, "memory", path, "--top", "20"], MEMORY_TARGET)
    bench.add("memory: the same, all as JSON",
              [bench.etscope, "memory", path, "--format", "json"])


def bench_size(bench):
    """Programs of 2 GB, almost all of it holes: only what is needed is read."""
    sys.path.insert(0, str(ROOT / "tests" / "cli"))
    from large_files import grow_last_segment, make_data_file

    program, data = bench.folder / "large.pte", bench.folder / "large.ptd"
    grow_last_segment(ROOT / "tests" / "data" / "gpt_xnnpack" / "model.pte", program, 2 << 30)
    make_data_file(data, [(f"layer{i}.weight", 8 << 20) for i in range(256)])
    for command in ("size", "info"):
        for path in (program, data):
            bench.add(f"{command}: 2 GB {path.suffix}", [bench.etscope, command, path],
                      SIZE_TARGET)


def bench_differing(bench):
    if shutil.which("flatc") is None:
        bench.notes.append("Runs that all differ are left out: flatc is not installed.")
        return
    for options in ([], ["--group-by", "op"]):
        seconds = {}
        for runs in (100, 1000, 10000):
            path = bench.folder / f"differing{runs}.etdp"
            if not path.exists():
                write_differing(path, runs)
            name = " ".join([f"growth: {runs:,} runs that all differ", *options])
            seconds[runs] = bench.inspect(name, path, *options, repeat=5)[1]
        bench.notes.append(" ".join(["Each further run that differs costs", per_run(seconds),
                                     "runs", *(["with", *options] if options else [])]) + ".")


def bench_running(bench):
    if not bench.can_run():
        bench.notes.append("Growth and profile are left out: there is no engine here.")
        return
    record, seconds = DATA / "model.etrecord", {}
    for runs in (1, 10, 100, 1000):
        path = bench.folder / f"{runs}.etdp"
        subprocess.run([bench.etscope, "run", DATA / "model.bpte", "--runs", str(runs), "-o", path],
                       capture_output=True, check=True)
        name = f"growth: {runs:,} run{'s' if runs > 1 else ''}, {show_bytes(path.stat().st_size)}"
        seconds[runs] = bench.inspect(name, path, "--etrecord", record)[1]
    bench.notes.append(f"Each further run costs {per_run(seconds)} runs.")
    bench.add("profile: mobile_cnn, 10 runs, XNNPACK", [
        bench.etscope, "profile", EXAMPLE / "xnnpack.bpte", "--etrecord",
        EXAMPLE / "xnnpack.etrecord"])


def print_table(rows, header, is_markdown):
    if is_markdown:
        print("| " + " | ".join(header) + " |")
        print("|" + "|".join(["---"] + ["---:"] * (len(header) - 1)) + "|")
        for row in rows:
            print("| " + " | ".join(row) + " |")
        return
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("etscope", help="the program to measure")
    parser.add_argument("--repeat", type=int, default=20, help="runs of each command (20)")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    options = parser.parse_args()
    if shutil.which(os.environ.get("CC", "cc")) is None:
        sys.exit("bench: a C compiler is needed for bench/stopwatch.c")

    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.etscope, options.repeat, folder)
        bench_small(bench)
        bench_large(bench)
        bench_events(bench)
        bench_export(bench)
        bench_report(bench)
        bench_python(bench)
        bench_running(bench)
        bench_gap(bench)
        bench_differing(bench)
        bench_memory(bench)
        bench_size(bench)
    header = ["figure", "median", "least", "memory", "target", ""]
    if bench.upstream_python:
        header += ["upstream", "memory"]
    print_table(bench.rows, header, options.markdown)
    print()
    for note in bench.notes:
        print(note)


if __name__ == "__main__":
    main()

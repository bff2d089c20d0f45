"""Measures what etscope costs beside language models: `generate`, large traces, records and programs.

    python3 tools/bench_llm.py build/bin/etscope [--repeat 20] [--rounds 100] [--megabytes 1000]
        [--markdown] [MODEL.pte...]

Every figure is a ratio of two measurements of this run, which took turns. MODELs are measured as those
that come with it; they need a cache, and inputs tokens and position in this order. Needs flatc, a C
compiler, the engine, and room for the large record (1 GB) in the folder of temporary files, or
--folder. docs/benchmarks.md explains the lines. Ends with 1 where a target is missed.
"""

import argparse
import ctypes
import mmap
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import ROOT, Bench, print_table, show_bytes, show_time
from llm_files import modules, write_program, write_record

sys.path.insert(0, str(ROOT / "tests" / "cli"))
from large_files import grow_last_segment, make_data_file  # noqa: E402

SMALL = ROOT / "tests" / "data" / "llama" / "kv_sdpa.pte"
LAYERS, WIDTH, CONTEXT = 28, 256, 64
UNTRACED, TRACED = 1.02, 1.05
LEAST_STEP = 1e6  # ns; shorter steps have no target with a trace: events cost as much in every model
TRACE_TOKENS, TRACE_SECONDS = 2000, 0.2
GROWTH = 1.10  # "does not grow", as a ratio
PROGRAM_BYTES = 4 << 30
READ = 0.05  # of a file, what the system reads ahead included


class Ratios(Bench):
    """Lines of a figure, what it is held against, their ratio and its limit."""

    def __init__(self, etscope, repeat, folder):
        super().__init__(etscope, repeat, folder)
        self.is_missed = False

    def line(self, name, figure, beside, ratio, limit=None):
        is_met = limit is None or ratio <= limit
        self.is_missed |= not is_met
        shown = ["", ""] if limit is None else [f"{limit:.2f}", "met" if is_met else "MISSED"]
        self.rows.append([name, figure, beside, f"{ratio:.3f}", *shown])

    def grow(self, name, large, small, files):
        """Both commands in turn: time, memory, and what of `files` was read."""
        self.measure_in_turn([large, small], 1)
        big, little = self.measure_in_turn([large, small], self.repeat)
        self.line(f"{name}: time", show_time(big[1]), show_time(little[1]), big[1] / little[1], GROWTH)
        self.line(f"{name}: memory", show_bytes(big[2]), show_bytes(little[2]), big[2] / little[2], GROWTH)
        read = sum(bytes_in_cache(path, large) for path in files)
        size = sum(path.stat().st_size for path in files)
        self.line(f"{name}: read", show_bytes(read), show_bytes(size), read / size, READ)


def bytes_in_cache(path, command):
    """How much of a file the system has read for the command, read-ahead included."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        size = path.stat().st_size
        pages = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))()
        mapped = mmap.mmap(file.fileno(), size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        view = ctypes.c_char.from_buffer(mapped)
        libc = ctypes.CDLL(None, use_errno=True)
        failed = libc.mincore(ctypes.c_void_p(ctypes.addressof(view)), ctypes.c_size_t(size), pages)
        del view
        mapped.close()
        if failed:
            sys.exit(f"mincore: {os.strerror(ctypes.get_errno())}")
        return mmap.PAGESIZE * sum(page & 1 for page in pages)


def bench_steps(bench, models, rounds):
    """A decode step of `generate` beside the plain loop's."""
    for name, model in models:
        done = subprocess.run([bench.steps, model, str(rounds)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{model}: {done.stderr}")
        plain, ours, traced, upstream = map(float, done.stdout.split())
        shown = [show_step(ns) for ns in (plain, ours, traced, upstream)]
        bench.line(f"a step of {name}", shown[1], shown[0], ours / plain, UNTRACED)
        bench.line(f"a step of {name}, traced", shown[2], shown[0], traced / plain,
                   TRACED if plain >= LEAST_STEP else None)
        bench.line(f"a step of {name}, traced, beside ETDumpGen", shown[2], shown[3], traced / upstream, 1)


def show_step(ns):
    return f"{ns / 1e3:.1f} us" if ns < 1e6 else f"{ns / 1e6:.2f} ms"


def bench_trace(bench):
    path = bench.folder / "tokens.etdp"
    subprocess.run([bench.steps, "--trace", path, str(TRACE_TOKENS), SMALL], check=True,
                   stderr=subprocess.DEVNULL)
    for name, words in (("", []), (", by run", ["--group-by", "run"])):
        command = [bench.etscope, "inspect", path, *words]
        bench.measure(command, 1)
        seconds = bench.measure(command)[0]
        bench.line(f"inspect {TRACE_TOKENS:,} tokens of 2 layers{name}", show_time(seconds),
                   show_time(TRACE_SECONDS), seconds / TRACE_SECONDS, 1)
    path.unlink()


def bench_record(bench, program, megabytes):
    """The record of a model of 28 layers, with weights of 1 GB and with tiny ones."""
    trace = bench.folder / "record.etdp"
    subprocess.run([bench.steps, "--trace", trace, "20", program], check=True, stderr=subprocess.DEVNULL)
    count = 2 * 4 * (1 + len(modules(LAYERS)))
    width = int((megabytes * 1e6 / count) ** 0.5) // 16 * 16
    large, small = bench.folder / "large.etrecord", bench.folder / "small.etrecord"
    write_record(large, LAYERS, width)
    write_record(small, LAYERS, 16)
    size = show_bytes(large.stat().st_size)
    for words in ([], ["--group-by", "layer"]):
        commands = [[bench.etscope, "inspect", trace, "--etrecord", record, *words] for record in (large, small)]
        bench.grow(" ".join([f"inspect with a record of {size}", *words]), *commands, [large])
    large.unlink()


def bench_programs(bench):
    program, data = bench.folder / "large.pte", bench.folder / "large.ptd"
    small = bench.folder / "small.ptd"
    grow_last_segment(SMALL, program, PROGRAM_BYTES)
    names = [f"layers.{i}.weight" for i in range(256)]
    make_data_file(data, [(name, PROGRAM_BYTES // 256) for name in names])
    make_data_file(small, [(name, 256) for name in names])
    for command in ("size", "memory", "info"):
        for large, little in ((program, SMALL), (data, small)):
            if command == "memory" and large is data:
                continue  # it is of programs
            bench.grow(f"{command} of a 4 GB {large.suffix}", [bench.etscope, command, large],
                       [bench.etscope, command, little], [large])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("etscope", help="the program to measure")
    parser.add_argument("models", nargs="*", type=Path, help="further models whose steps are measured")
    parser.add_argument("--repeat", type=int, default=20, help="runs of each command (20)")
    parser.add_argument("--rounds", type=int, default=100, help="generations of each model (100)")
    parser.add_argument("--megabytes", type=int, default=1000, help="of the large record (1000)")
    parser.add_argument("--folder", help="for files that are removed at the end")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    options = parser.parse_args()
    if shutil.which("flatc") is None:
        sys.exit("bench-llm: flatc makes the model of 28 layers: make setup installs it")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if shutil.disk_usage(folder).free < 3e6 * options.megabytes:
            sys.exit(f"bench-llm: {folder} has too little room for a record of {options.megabytes} MB")
        bench = Ratios(options.etscope, options.repeat, folder)
        bench.steps = str(Path(options.etscope).parent / "bench_generation")
        program = bench.folder / "layers.pte"
        write_program(program, LAYERS, WIDTH, CONTEXT)
        models = [("2 layers, XNNPACK", SMALL), ("28 layers", program),
                  *((path.name, path) for path in options.models)]
        bench_steps(bench, models[:1] + models[2:], options.rounds)
        bench_steps(bench, models[1:2], max(1, options.rounds // 5))
        bench_trace(bench)
        bench_record(bench, program, options.megabytes)
        bench_programs(bench)
    print_table(bench.rows, ["figure", "etscope", "beside", "ratio", "limit", ""], options.markdown)
    sys.exit(1 if bench.is_missed else 0)


if __name__ == "__main__":
    main()

"""Code, constants, memory and stack of the tracer on each target, as a table.

    python3 tests/bare_metal/footprint.py [--out build/bare_metal]

Compiles libetscope_trace and small programs over it with clang and lld (bare_metal.mk). What a
program takes is what the linker kept of the library for it, without the program, the caller's
buffers and a C library. Ends with 1 where a bound of targets.py is exceeded.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from stack_depth import Graph
from targets import BOUNDS, Bounds

ROOT = Path(__file__).resolve().parents[2]
# What is needed, and Debian's package that has it.
TOOLS = {"clang": "clang", "ld.lld": "lld", "llvm-ar": "llvm", "llvm-objdump": "llvm",
         "make": "make"}

NOT_RECORDING = ("ets_trace_write", "ets_trace_write_buffer", "ets_trace_dump_size",
                 "ets_trace_measure_cost")
RECORDING_FILES = ("recorder", "trace_counts", "trace_filter", "trace_names", "trace_payload",
                   "trace_setup", "trace_stream", "trace_tensors", "trace_values")

LIBRARY_SECTION = re.compile(
    r"^\s*[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+\s+\S*libetscope_trace\.a\(\w+\.o\):\((\.\w+)")


def missing_tools(tools=None):
    """Packages of which something is not there."""
    return sorted({package for tool, package in (tools or TOOLS).items()
                   if shutil.which(tool) is None})


def build(target, out, goal="footprint"):
    """Builds for `target` below `out`; returns the folder."""
    folder = Path(out).resolve() / target
    subprocess.run(["make", "-s", f"-j{os.cpu_count() or 1}",
                    "-f", str(ROOT / "tests/bare_metal/bare_metal.mk"),
                    f"TARGET={target}", f"OUT={folder}", goal], check=True)
    return folder


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def linked_sections(map_file):
    """Bytes of the library's sections in a linked program, by kind."""
    sizes = {}
    for line in map_file.read_text().splitlines():
        if match := LIBRARY_SECTION.match(line):
            sizes[match[2]] = sizes.get(match[2], 0) + int(match[1], 16)
    return sizes


def archive_sections(archive):
    sizes = {}
    for line in run("llvm-objdump", "-h", str(archive)).splitlines():
        fields = line.split()
        if len(fields) >= 3 and fields[0].isdigit():
            kind = re.match(r"\.?\w*", fields[1])[0]
            sizes[kind] = sizes.get(kind, 0) + int(fields[2], 16)
    return sizes


def struct_size(folder, name):
    listing = run("llvm-objdump", "-t", str(folder / "tests/bare_metal/struct_sizes.o"))
    return next(int(line.split()[-2], 16) for line in listing.splitlines()
                if line.endswith(f" {name}"))


def library_objects(folder):
    return sorted((folder / "src").glob("*/*.o"))


def deepest_recording(graph):
    names = [name for file in RECORDING_FILES for name in graph.files[file]
             if name.startswith("ets_trace_") and name not in NOT_RECORDING]
    return max((graph.deepest(name) for name in names), key=lambda each: each[0])


class Footprint:
    """What one target takes."""

    def __init__(self, target, out):
        folder = build(target, out)
        self.stream = linked_sections(folder / "footprint_stream.elf.map")
        self.ring = linked_sections(folder / "footprint_ring.elf.map")
        self.everything = archive_sections(folder / "libetscope_trace.a")
        graph = Graph(library_objects(folder))
        self.record_stack = deepest_recording(graph)
        self.reduce_stack = graph.deepest("ets_tensor_statistics_of")
        self.write_stack = graph.deepest("ets_trace_write")
        self.cost_stack = graph.deepest("ets_trace_measure_cost")
        self.trace = struct_size(folder, "trace_bytes")
        self.thread = struct_size(folder, "thread_bytes")

    def numbers(self):
        """In the order and meaning of the bounds."""
        return Bounds(*(each.get(".text", 0) + each.get(".rodata", 0)
                        for each in (self.stream, self.ring, self.everything)),
                      self.record_stack[0], self.reduce_stack[0], self.write_stack[0],
                      self.cost_stack[0], self.trace, self.thread)

    def static_bytes(self):
        return sum(self.everything.get(kind, 0) for kind in (".data", ".bss"))

    def exceeded(self, bounds):
        return [f"{name}: {is_now} bytes, of {most} at most"
                for name, is_now, most in zip(Bounds._fields, self.numbers(), bounds)
                if is_now > most]


HEADINGS = ("target", "stream .text", ".rodata", "ring+ETDump .text", ".rodata", "all .text",
            ".rodata", ".data+.bss", "ets_trace", "ets_trace_thread", "record", "reduce", "write", "cost")


def row(target, footprint):
    cells = [target]
    for sizes in (footprint.stream, footprint.ring, footprint.everything):
        cells += [sizes.get(".text", 0), sizes.get(".rodata", 0)]
    return cells + [footprint.static_bytes(), footprint.trace, footprint.thread,
                    footprint.record_stack[0], footprint.reduce_stack[0],
                    footprint.write_stack[0], footprint.cost_stack[0]]


def print_table(footprints, out=sys.stdout):
    rows = [HEADINGS] + [row(*each) for each in footprints.items()]
    widths = [max(len(str(line[i])) for line in rows) for i in range(len(HEADINGS))]
    print("bytes at -Os; what the linker keeps of the tracer for a program of each kind, its "
          "structs, the deepest stack", file=out)
    for line in rows:
        print("  ".join(str(cell).rjust(width) if i else str(cell).ljust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))), file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=ROOT / "build/bare_metal", help="where builds go")
    parser.add_argument("--chains", action="store_true", help="also print who takes the stack")
    arguments = parser.parse_args()
    if packages := missing_tools():
        print("the footprint is not measured: it needs the packages " + " ".join(packages))
        return 0
    footprints = {target: Footprint(target, arguments.out) for target in BOUNDS}
    print_table(footprints)
    failures = 0
    for target, footprint in footprints.items():
        if arguments.chains:
            for depth, chain in (footprint.record_stack, footprint.write_stack):
                print(f"{target}: {depth} bytes of stack: {' > '.join(chain)}")
        for line in footprint.exceeded(BOUNDS[target]):
            print(f"{target}: {line}", file=sys.stderr)
            failures = 1
    return failures


if __name__ == "__main__":
    sys.exit(main())

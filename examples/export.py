"""Exports an example model for the ExecuTorch runtime.

    python examples/export.py --model mobile_cnn --backend xnnpack --out build/mobile_cnn

writes three files to the folder, named after the backend:

    xnnpack.pte       the program
    xnnpack.bpte      the program with test cases: inputs and the outputs of the eager model
    xnnpack.etrecord  what the program was made from: graphs, weights, source lines, debug handles
"""

import argparse
import io
import re
import sys
import zipfile
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import (
    serialize_from_bundled_program_to_flatbuffer,
)
from executorch.exir import to_edge_transform_and_lower

from models import MODELS

PARTITIONERS = {
    "portable": lambda: [],
    "xnnpack": lambda: [XnnpackPartitioner()],
}
ROOT = Path(__file__).resolve().parent.parent


def export(methods, backend):
    """Returns the ExecuTorch program, which has its record with it, and the test suites."""
    programs, partitioners, suites = {}, {}, []
    for name, (module, cases) in methods.items():
        programs[name] = torch.export.export(module, cases[0])
        partitioners[name] = PARTITIONERS[backend]()
        with torch.no_grad():
            tested = [MethodTestCase(inputs, module(*inputs)) for inputs in cases]
        suites.append(MethodTestSuite(name, tested))
    edge = to_edge_transform_and_lower(programs, partitioner=partitioners, generate_etrecord=True)
    return edge.to_executorch(), suites


def shorten(path):
    """A path that is the same on every machine."""
    if "site-packages/" in path:
        return "site-packages/" + path.rsplit("site-packages/", 1)[1]
    if Path(path).is_relative_to(ROOT):
        return Path(path).relative_to(ROOT).as_posix()
    return Path(path).name


def shorten_stack_traces(program):
    for module in program.graph_module.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for node in module.graph.nodes:
            if trace := node.meta.get("stack_trace"):
                node.meta["stack_trace"] = re.sub(
                    r'(?<=File ")[^"]+', lambda match: shorten(match[0]), trace
                )


def record_bytes(record):
    edge = record.edge_dialect_program
    programs = list(edge.values()) if isinstance(edge, dict) else [edge]
    if record.exported_program is not None:
        programs.append(record.exported_program)
    for program in programs:
        shorten_stack_traces(program)
    saved, packed = io.BytesIO(), io.BytesIO()
    record.save(saved)
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(packed, "w") as target:
        for name in source.namelist():  # graphs are JSON: deflated, they take a tenth
            target.writestr(zipfile.ZipInfo(name), source.read(name), zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


def check_no_machine_paths(record):
    """Stops if an entry of the record holds a path that exists only on this machine."""
    local = [str(path).encode() for path in (ROOT, Path.home(), Path(sys.prefix))]
    with zipfile.ZipFile(io.BytesIO(record)) as entries:
        for name in entries.namelist():
            data = entries.read(name)
            for path in local:
                if path in data:
                    sys.exit(f"{name} holds the path {path.decode()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=sorted(MODELS), required=True)
    parser.add_argument("--backend", choices=sorted(PARTITIONERS), required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder for the three files")
    options = parser.parse_args()

    program, suites = export(MODELS[options.model](), options.backend)
    bundle = BundledProgram(program, suites)
    record = program.get_etrecord()
    record.update_reference_outputs(bundle)
    record.update_representative_inputs(bundle)
    record = record_bytes(record)
    check_no_machine_paths(record)

    options.out.mkdir(parents=True, exist_ok=True)
    files = {
        "pte": program.buffer,
        "bpte": serialize_from_bundled_program_to_flatbuffer(bundle),
        "etrecord": record,
    }
    for suffix, data in files.items():
        path = options.out / f"{options.backend}.{suffix}"
        path.write_bytes(data)
        print(f"{path}  {len(data):,} bytes")


if __name__ == "__main__":
    main()

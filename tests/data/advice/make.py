"""Exports the pairs of twins.py, and measures what following advice saves.

    OMP_NUM_THREADS=1 python tests/data/advice/make.py ETSCOPE FOLDER [NAME...]

ETSCOPE is the command; programs and traces are written to FOLDER. NAME: only these pairs, which are
neither packed nor written down. Needs torch 2.15.0, torchao and executorch 1.5.1.

Each pair runs in turns, before and after, ROUNDS times; what was saved in a round is the difference
of the medians of RUNS runs. savings.tsv has a line for each pair: of the round in the middle what
advice promised and what was measured, and the quartiles of what all rounds saved. twins.tar.xz has
the programs of KEPT, their records without weights, and the two traces of that round.
"""

import io
import json
import statistics
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import executorch.kernels.quantized  # noqa: F401, the out variants of quantize and dequantize
import torch
from executorch.backends.xnnpack.partition.config.xnnpack_config import ConfigPrecisionType
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.backends.xnnpack.utils.configs import get_transform_passes
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes.constant_prop_pass import constant_prop_pass
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

FOLDER = Path(__file__).resolve().parent
DATA = FOLDER.parent
sys.path.append(str(DATA))
from fixture_files import pack_record
from twins import regular, twins

ROUNDS, RUNS, WARMUP = 25, 10, 30
# Pairs of which twins.tar.xz has the files; of the others only the numbers are kept.
KEPT = {
    "constant_ramp", "dequantized", "expanded", "portable", "without_record", "state", "layout",
    "twice", "guarded", "softmax", "pool_counted", "squeeze", "split", "norm", "activation",
    "channels", "many", "island",
}
UNREAD = ("from_node", "torch_fn", "source_fn_stack")  # of the metadata of nodes
MACHINE = DATA / "machines/epyc.json"
RECORDS = ("name\tkind\tpromised_us\tpromised_upper_us\tbefore_us\tafter_us\tsaved_us\t"
           "quartile_us\tquartile_upper_us")
PARTITIONERS = {
    "xnnpack": lambda: [XnnpackPartitioner()],
    "float": lambda: [XnnpackPartitioner(config_precisions=ConfigPrecisionType.FP32)],
    "bfloat16": lambda: [XnnpackPartitioner(enable_bf16=True)],
    "none": lambda: [],
}


def quantize(model, inputs):
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def lower(program, partition="xnnpack", transform=False, constants=False, reinplace=False,
          edge_constants=False):
    """The ExecuTorch program of an exported one, as the options of a remedy say."""
    if constants:
        program = constant_prop_pass(program)
    edge = to_edge_transform_and_lower(
        program, partitioner=PARTITIONERS[partition](),
        transform_passes=get_transform_passes() if transform else None, generate_etrecord=True)
    if edge_constants:
        constant_prop_pass(edge.exported_program())
    return edge.to_executorch(ExecutorchBackendConfig(run_reinplace_pass=reinplace))


def slim(record):
    """Without weights, inputs, the program before lowering, and where nodes come from, which the
    advice of these pairs does not ask for; stored, so that what records share is packed once."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(record)) as source, zipfile.ZipFile(packed, "w") as target:
        for name in source.namelist():
            if name.startswith("exported_program") or name.endswith(("_state_dict", "_inputs")):
                continue
            data = source.read(name)
            if data[:1] == b"{" and name.startswith("edge_dialect"):
                graph = json.loads(data)
                for node in graph["graph_module"]["graph"]["nodes"]:
                    for key in UNREAD:
                        node["metadata"].pop(key, None)
                data = json.dumps(graph).encode()
            target.writestr(zipfile.ZipInfo(name), data)
    return packed.getvalue()


def store(path, program, source=FOLDER):
    saved = io.BytesIO()
    program.get_etrecord().save(saved)
    Path(f"{path}.pte").write_bytes(program.buffer)
    Path(f"{path}.etrecord").write_bytes(pack_record(saved.getvalue(), source))


def save(path, model, inputs, quantized=False, record=True, **options):
    model = regular(model)
    model = quantize(model, inputs) if quantized else model
    store(path, lower(torch.export.export(model, inputs), **options))
    if not record:
        Path(f"{path}.etrecord").unlink()


def median(etscope, path, trace):
    """Runs a program; the median of its runs in microseconds."""
    words = [etscope, "run", f"{path}.pte", "--runs", RUNS, "--warmup", WARMUP, "--threads", 1,
             "--trace", trace]
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
    shown = subprocess.run([etscope, "inspect", trace, "--no-siblings", "--format", "json"],
                           check=True, capture_output=True)
    (total,) = [row for row in json.loads(shown.stdout)["rows"]
                if row["operator"] == "Method::execute"]
    return total["p50_ns"] / 1e3


def measure(etscope, before, after, count=ROUNDS):
    """What each round measured, the one that saved the median in front; its traces are kept."""
    rounds = []
    for number in range(count):
        times = [median(etscope, path, f"{path}.{number}.etdp") for path in (before, after)]
        rounds.append((times[0] - times[1], *times, number))
    rounds.sort()
    middle = rounds[count // 2]
    for path in (before, after):
        Path(f"{path}.{middle[3]}.etdp").rename(f"{path}.etdp")
        for number in range(count):
            Path(f"{path}.{number}.etdp").unlink(missing_ok=True)
    return middle, [each[0] for each in rounds]


def advise(etscope, path):
    words = [etscope, "advise", f"{path}.etdp", "--program", f"{path}.pte", "--machine", MACHINE,
             "--threads", 1, "--format", "json"]
    done = subprocess.run([str(word) for word in words], check=True, capture_output=True)
    return json.loads(done.stdout)["rows"]


def find_advice(etscope, path):
    """The advice for a program that saves time, by a trace of it."""
    median(etscope, path, f"{path}.etdp")
    return [row for row in advise(etscope, path) if row["saving_ns_upper"] is not None]


def promise(etscope, path, kind, action=""):
    """The range of all findings of a kind, in microseconds."""
    found = [row for row in advise(etscope, path) if row["kind"] == kind and action in row["action"]]
    return [sum(row[end] for row in found) / 1e3 for end in ("saving_ns", "saving_ns_upper")]


def pack(out, names):
    """Files of one kind stand together, where they are alike."""
    files = [out / f"{name}.{side}.{kind}" for kind in ("etrecord", "pte", "etdp")
             for name in names for side in ("before", "after")]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path in files:
            if not path.exists():
                continue
            data = path.read_bytes()
            data = slim(data) if path.suffix == ".etrecord" else data
            entry = tarfile.TarInfo(f"twins/{path.name}")
            entry.size, entry.mtime = len(data), 1767225600
            archive.addfile(entry, io.BytesIO(data))
    words = ["xz", "--lzma2=preset=9e,lc=0,lp=2,dict=64MiB", "--stdout"]
    done = subprocess.run(words, input=packed.getvalue(), capture_output=True, check=True)
    (FOLDER / "twins.tar.xz").write_bytes(done.stdout)


def main():
    etscope, out, only = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    out.mkdir(parents=True, exist_ok=True)
    lines, names = [], []
    for name, kind, *pair in twins():
        if only and name not in only:
            continue
        paths = [out / f"{name}.{side}" for side in ("before", "after")]
        for path, (model, inputs, options) in zip(paths, pair):
            save(path, model, inputs, **options)
        (saved, before, after, _), all_saved = measure(etscope, *paths)
        low, _, high = statistics.quantiles(all_saved)
        numbers = (*promise(etscope, paths[0], kind), before, after, saved, low, high)
        lines.append("\t".join([name, kind, *(f"{number:.2f}" for number in numbers)]))
        if name in KEPT:
            names.append(name)
        print(lines[-1], flush=True)
    if only:
        return
    pack(out, names)
    (FOLDER / "savings.tsv").write_text("\n".join([RECORDS, *lines]) + "\n")


if __name__ == "__main__":
    main()

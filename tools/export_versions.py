"""Exports small models with the executorch of the Python that runs this, for tests/data/versions.

    python tools/export_versions.py FOLDER

Needs torch, torchao and executorch, of any version from 1.0 on. FOLDER gets for each model NAME.pte,
NAME.etrecord with inputs and reference outputs, NAME.bpte with one test case a method, and
NAME.own.etdp: two runs of each method in that version's own runtime, if it records. made.json has the
versions, the runtime's largest difference from PyTorch, and why something could not be made: a
stage that fails does not stop the others.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import sys
import traceback
from pathlib import Path

import torch
from torch.export import Dim, export

DATA = Path(__file__).resolve().parents[1] / "tests/data"
sys.path[:0] = [str(DATA), str(DATA / "versions")]
import small_models  # noqa: E402
from fixture_files import pack_record  # noqa: E402

PACKAGES = ("executorch", "torch", "torchao", "flatbuffers")
RUNS = 2
MOST_MESSAGE = 160  # characters


class Stages:
    """What failed in which stage, and why."""

    def __init__(self):
        self.failed = {}

    def attempt(self, name, function, *arguments):
        try:
            return function(*arguments)
        except Exception as error:  # noqa: BLE001: any failure of any version is an answer
            lines = str(error).strip().splitlines() or [""]
            self.failed[name] = f"{type(error).__name__}: {lines[0]}"[:MOST_MESSAGE]
            traceback.print_exc()
            return None


def partitioner():
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    return XnnpackPartitioner()


def quantized(model, inputs):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer, get_symmetric_quantization_config)
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(export(model, inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def seeded(model):
    torch.manual_seed(0)
    return model().eval()


def method(model, *inputs, **options):
    """The exported program of a method, its inputs and what PyTorch computes of them."""
    with torch.no_grad():
        return export(model, inputs, **options), inputs, model(*inputs)


def models():
    """Name and function that gives methods and partitioners of each model."""
    torch.manual_seed(1)
    vectors, images = torch.randn(2, 12), torch.randn(1, 3, 8, 8)
    few, pairs = torch.randn(2, 8), torch.randn(2, 6)
    batch = Dim("batch", min=1, max=8)

    def portable():
        return {"forward": method(seeded(small_models.Classifier), vectors)}, []

    def xnnpack():
        return {"forward": method(seeded(small_models.Images), images)}, [partitioner()]

    def int8():
        model = quantized(seeded(small_models.Images), (images,))
        return {"forward": method(model, images)}, [partitioner()]

    def mixed():
        return {"forward": method(seeded(small_models.Mixed), few)}, [partitioner()]

    def dynamic():
        return {"forward": method(seeded(small_models.Classifier), vectors,
                                  dynamic_shapes=({0: batch},))}, []

    def methods():
        encode = method(seeded(small_models.Encoder), pairs)
        return {"encode": encode, "forward": method(small_models.Decoder(), pairs, pairs)}, []

    return {each.__name__: each for each in (portable, xnnpack, int8, mixed, dynamic, methods)}


def lowered(made, partitioners):
    from executorch.exir import to_edge_transform_and_lower
    programs = {name: each[0] for name, each in made.items()}
    if list(programs) == ["forward"]:
        programs = programs["forward"]
    return to_edge_transform_and_lower(
        programs, partitioner=partitioners, generate_etrecord=True).to_executorch()


def bundled(program, made):
    from executorch.devtools import BundledProgram
    from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
    return BundledProgram(program, [
        MethodTestSuite(name, [MethodTestCase(inputs=inputs, expected_outputs=[expected])])
        for name, (_, inputs, expected) in made.items()])


def write_bundle(bundle, path):
    from executorch.devtools.bundled_program.serialize import (
        serialize_from_bundled_program_to_flatbuffer)
    path.write_bytes(serialize_from_bundled_program_to_flatbuffer(bundle))


def write_record(record, path):
    saved = path.with_suffix(".saved")
    record.save(str(saved))
    path.write_bytes(pack_record(saved.read_bytes(), DATA / "versions"))
    saved.unlink()


def add_values(record, bundle):
    record.update_representative_inputs(bundle)
    record.update_reference_outputs(bundle)


def largest_difference(program, made):
    from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
    module = _load_for_executorch_from_buffer(program.buffer)
    largest = 0.0
    for name, (_, inputs, expected) in made.items():
        (actual,) = module.run_method(name, inputs)
        largest = max(largest, float((actual - expected).abs().max()))
    return largest


def write_trace(program, made, path):
    from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
    module = _load_for_executorch_from_buffer(program.buffer, enable_etdump=True)
    for name, (_, inputs, _) in made.items():
        for _ in range(RUNS):
            module.run_method(name, inputs)
    module.write_etdump_result_to_file(str(path))
    if not path.exists():
        raise RuntimeError("the runtime of this wheel records no events")


def export_model(name, build, folder, stages):
    """What the runtime's outputs differ from PyTorch's, at most; None if that is not known."""
    def stage(what, function, *arguments):
        return stages.attempt(f"{name}: {what}", function, *arguments)

    built = stage("export", build)
    program = built and stage("lower", lowered, *built)
    if not program:
        return None
    made = built[0]
    (folder / f"{name}.pte").write_bytes(program.buffer)
    bundle = stage("bundle", bundled, program, made)
    if bundle:
        stage("bundle", write_bundle, bundle, folder / f"{name}.bpte")
    record = stage("record", program.get_etrecord)
    if record:
        if bundle:
            stage("record's values", add_values, record, bundle)
        stage("record", write_record, record, folder / f"{name}.etrecord")
    stage("trace", write_trace, program, made, folder / f"{name}.own.etdp")
    return stage("run", largest_difference, program, made)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    stages = Stages()
    differences = {name: export_model(name, build, folder, stages)
                   for name, build in models().items()}
    packages = {name: importlib.metadata.version(name) for name in PACKAGES}
    made = {"packages": packages, "python": "%d.%d" % sys.version_info[:2],
            "largest_difference": differences, "failed": stages.failed}
    (folder / "made.json").write_text(json.dumps(made, indent=1) + "\n")
    print(json.dumps(made, indent=1))


main()

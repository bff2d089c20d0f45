"""Makes the fixtures: one linear layer in static and in dynamic int8 for XNNPACK, of the same weights.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

The traces are etscope's, for both names:

    etscope run static.bpte --etrecord static.etrecord --inputs etrecord --capture intermediates \\
        -o static.etdp --debug-buffer static.bin
"""

import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer, get_symmetric_quantization_config)
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import (
    serialize_from_bundled_program_to_flatbuffer)
from executorch.exir import to_edge_transform_and_lower
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record


def main(folder):
    torch.manual_seed(0)
    model, inputs = torch.nn.Sequential(torch.nn.Linear(24, 16)).eval(), (torch.randn(3, 24),)
    for is_dynamic in (False, True):
        name = "dynamic" if is_dynamic else "static"
        config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=is_dynamic)
        prepared = prepare_pt2e(torch.export.export(model, inputs).module(),
                                XNNPACKQuantizer().set_global(config))
        with torch.no_grad():
            prepared(*inputs)
            quantized = convert_pt2e(prepared)
            edge = to_edge_transform_and_lower(torch.export.export(quantized, inputs),
                                               partitioner=[XnnpackPartitioner()],
                                               generate_etrecord=True)
            program = edge.to_executorch()
            record = program.get_etrecord()
            record.update_representative_inputs([list(inputs)])
            save_record(record, folder / f"{name}.etrecord", Path(__file__).parent)
            case = MethodTestCase(list(inputs), [quantized(*inputs)])
        bundle = BundledProgram(program, [MethodTestSuite("forward", [case])])
        (folder / f"{name}.bpte").write_bytes(serialize_from_bundled_program_to_flatbuffer(bundle))


main(Path(sys.argv[1]))

"""Makes the fixtures: two linear layers in dynamic int8 with a float tanh between them, and the float original.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

The traces are etscope's: etscope run int8.bpte --etrecord int8.etrecord --inputs etrecord
--capture intermediates -o int8.etdp --debug-buffer int8.bin
"""

import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import (
    XnnpackDynamicallyQuantizedPartitioner)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer, get_symmetric_quantization_config)
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import (
    serialize_from_bundled_program_to_flatbuffer)
from executorch.exir import to_edge_transform_and_lower
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(24, 16)
        self.second = nn.Linear(16, 4)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))


def save(model, inputs, partitioners, folder, name):
    edge = to_edge_transform_and_lower(torch.export.export(model, inputs, strict=True),
                                       partitioner=partitioners, generate_etrecord=True)
    program = edge.to_executorch()
    record = program.get_etrecord()
    record.update_representative_inputs([list(inputs)])
    save_record(record, folder / f"{name}.etrecord", Path(__file__).parent)
    case = MethodTestCase(list(inputs), [model(*inputs)])
    bundle = BundledProgram(program, [MethodTestSuite("forward", [case])])
    (folder / f"{name}.bpte").write_bytes(serialize_from_bundled_program_to_flatbuffer(bundle))


def main(folder):
    torch.manual_seed(0)
    model, inputs = Net().eval(), (torch.randn(3, 24),)
    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=True)
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(),
                            XNNPACKQuantizer().set_global(config))
    prepared(*inputs)
    with torch.no_grad():
        save(convert_pt2e(prepared), inputs, [XnnpackDynamicallyQuantizedPartitioner()], folder, "int8")
        half = Net().eval().half()
        half.load_state_dict({key: value.half() for key, value in model.state_dict().items()})
        save(half, (inputs[0].half(),), [], folder, "half")
        save(model, inputs, [], folder, "float")


main(Path(sys.argv[1]))

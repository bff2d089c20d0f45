"""Makes the fixture: a small model in float32, and in int8 for XNNPACK with a scale that is too small.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

The scale of the first relu is a third of what calibration found, as if that had seen smaller inputs:
numbers above a third of its range are cut off. In input.pte it is the scale of the model's input, a sixth.
FOLDER gets float.etrecord, int8.etrecord, int8.pte, input.etrecord and input.pte; the traces are then recorded by

    etscope run int8.pte -o int8.etdp --capture intermediates --debug-buffer int8.bin \\
        --etrecord int8.etrecord --inputs etrecord

and likewise with `input` in place of `int8`; input.tar.xz has that trace, tensors and record (with stored entries).
"""

import copy
import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer, get_symmetric_quantization_config)
from executorch.exir import to_edge, to_edge_transform_and_lower
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_tested

MODEL = '''
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(32, 16)
        self.second = nn.Linear(16, 16)
        self.third = nn.Linear(16, 8)

    def forward(self, x):
        x = F.relu(self.first(x))
        x = F.relu(self.second(x))
        return self.third(x)
'''


def make_model():
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    torch.manual_seed(0)
    model = names["Net"]().eval()
    return model


def shrink_scale(quantized, name, factor):
    """Of a node, where it is quantized and where it is dequantized."""
    first = next(node for node in quantized.graph.nodes if node.name == name)
    quantize = next(user for user in first.users if "quantize" in user.name)
    for node in (quantize, *quantize.users):
        node.args = (node.args[0], node.args[1] / factor, *node.args[2:])
    quantized.recompile()


def main():
    folder = Path(sys.argv[1])
    model = make_model()
    inputs = (torch.randn(4, 32),)
    program = to_edge(torch.export.export(model, inputs), generate_etrecord=True).to_executorch()
    save_tested(program, inputs, model, folder / "float.etrecord")

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    for _ in range(8):
        prepared(torch.randn(4, 32))
    prepared(*inputs)
    for name, cut, factor in (("int8", "relu", 3), ("input", "x", 6)):
        quantized = convert_pt2e(copy.deepcopy(prepared))
        shrink_scale(quantized, cut, factor)
        program = to_edge_transform_and_lower(
            torch.export.export(quantized, inputs), partitioner=[XnnpackPartitioner()],
            generate_etrecord=True).to_executorch()
        save_tested(program, inputs, quantized, folder / f"{name}.etrecord")
        (folder / f"{name}.pte").write_bytes(program.buffer)


main()

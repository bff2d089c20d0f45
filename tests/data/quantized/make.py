"""Makes the fixture: a small model in float32, and quantized to int8 for XNNPACK.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

One weight of `squeeze` is 100 times the others, where its input is always zero: it changes nothing
in float32. But weights are quantized per tensor, and the others of that layer have no steps left.
FOLDER gets float.etrecord, int8.etrecord and int8.pte; the trace is then recorded by

    etscope run int8.pte -o int8.etdp --capture intermediates --debug-buffer int8.bin \\
        --etrecord int8.etrecord --inputs etrecord
"""

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
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.body = nn.Conv2d(8, 16, 3, padding=1, stride=2)
        self.squeeze = nn.Linear(16, 16)
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = F.relu(self.norm(self.stem(x)))
        x = F.hardswish(self.body(x))
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        x = F.relu(self.squeeze(x))
        return self.head(x)
'''


def make_model():
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    torch.manual_seed(0)
    model = names["Net"]().eval()
    with torch.no_grad():
        model.norm.running_mean.normal_(0, 0.1)
        model.norm.running_var.uniform_(0.5, 1.5)
        model.body.weight.mul_(3)
        model.body.bias[5] = -20
        model.squeeze.weight[3, 5] = 20
    return model


def main():
    folder = Path(sys.argv[1])
    model = make_model()
    inputs = (torch.randn(1, 3, 16, 16),)
    exported = torch.export.export(model, inputs)
    program = to_edge(exported, generate_etrecord=True).to_executorch()
    save_tested(program, inputs, model, folder / "float.etrecord")

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    for _ in range(8):
        prepared(torch.randn(1, 3, 16, 16))
    prepared(*inputs)
    quantized = convert_pt2e(prepared)
    program = to_edge_transform_and_lower(
        torch.export.export(quantized, inputs), partitioner=[XnnpackPartitioner()],
        generate_etrecord=True).to_executorch()
    save_tested(program, inputs, quantized, folder / "int8.etrecord")
    (folder / "int8.pte").write_bytes(program.buffer)


main()

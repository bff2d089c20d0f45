"""Makes the fixture: a small model in float32 and in int8 for XNNPACK, with a scale that values of two sizes share.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

`cat` joins the result of a relu and a buffer that reaches 95; the quantizer gives both one scale. FOLDER gets
float.etrecord, int8.etrecord and int8.pte; the trace is then recorded by

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
        self.first = nn.Linear(16, 16)
        self.second = nn.Linear(20, 8)
        self.register_buffer("place", torch.linspace(0, 95, 16).view(4, 4))

    def forward(self, x):
        x = F.relu(self.first(x))
        x = torch.cat([x, self.place], 1)
        return self.second(x)
'''


def make_model():
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    torch.manual_seed(0)
    model = names["Net"]().eval()
    with torch.no_grad():
        model.second.weight[:, 16:] = 0
    return model


def main():
    folder = Path(sys.argv[1])
    model = make_model()
    inputs = (torch.randn(4, 16),)
    program = to_edge(torch.export.export(model, inputs), generate_etrecord=True).to_executorch()
    save_tested(program, inputs, model, folder / "float.etrecord")
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    prepared(*inputs)
    quantized = convert_pt2e(prepared)
    program = to_edge_transform_and_lower(
        torch.export.export(quantized, inputs), partitioner=[XnnpackPartitioner()],
        generate_etrecord=True).to_executorch()
    save_tested(program, inputs, quantized, folder / "int8.etrecord")
    (folder / "int8.pte").write_bytes(program.buffer)


main()

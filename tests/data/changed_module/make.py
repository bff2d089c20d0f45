"""Makes the fixture: a small float model, and its int8 version in which one module was rewritten.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

The float original computes a running sum with cumsum, the program with a product: a linear layer
more, in front of three that both have. FOLDER gets float.etrecord, int8.etrecord and int8.pte; the
trace is then recorded by

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


class Sum(nn.Module):
    def __init__(self, is_rewritten):
        super().__init__()
        self.is_rewritten = is_rewritten
        self.tril = nn.Parameter(torch.tril(torch.ones(8, 8)), requires_grad=False)

    def forward(self, x):
        return F.linear(x, self.tril) if self.is_rewritten else torch.cumsum(x, -1)


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Linear(8, 8)
        self.up = nn.Linear(8, 8)

    def forward(self, x):
        return self.up(F.relu(self.down(x)))


class Net(nn.Module):
    def __init__(self, is_rewritten):
        super().__init__()
        self.sum = Sum(is_rewritten)
        self.gate = Gate()
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.gate(self.sum(x)))
'''


def make_model(is_rewritten):
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    torch.manual_seed(0)
    return names["Net"](is_rewritten).eval()


def main():
    folder = Path(sys.argv[1])
    torch.manual_seed(1)
    inputs = (torch.randn(4, 8),)
    model = make_model(False)
    exported = torch.export.export(model, inputs)
    program = to_edge(exported, generate_etrecord=True).to_executorch()
    save_tested(program, inputs, model, folder / "float.etrecord")
    model = make_model(True)
    quantizer = XNNPACKQuantizer().set_global(
        get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    for _ in range(16):
        prepared(torch.randn(4, 8))
    prepared(*inputs)
    quantized = convert_pt2e(prepared)
    program = to_edge_transform_and_lower(torch.export.export(quantized, inputs),
                                          partitioner=[XnnpackPartitioner()],
                                          generate_etrecord=True).to_executorch()
    save_tested(program, inputs, quantized, folder / "int8.etrecord")
    (folder / "int8.pte").write_bytes(program.buffer)


if __name__ == "__main__":
    main()

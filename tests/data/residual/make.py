"""Makes the fixture: a small attention block in int8 for XNNPACK, whose layer norm stays in a kernel.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

The delegate call behind the masked scores has two outputs of one shape: the residual in int8 for the next
delegate call, and dequantized for the layer norm. It also has one of the copies of a dequantize node, the others
of which an earlier call has. The int8 model adds a small number, an addition more than the float model has.
FOLDER gets float.etrecord, int8.etrecord and int8.pte; the trace is then recorded by

    etscope run int8.pte -o int8.etdp --capture intermediates --debug-buffer int8.bin \\
        --etrecord int8.etrecord --inputs etrecord

and all of it is packed into int8.tar.xz, the records with stored entries.
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


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(8, 8)
        self.key = nn.Linear(8, 8)
        self.value = nn.Linear(8, 8)
        self.out = nn.Linear(8, 8)
        self.register_buffer("far", torch.ones(6, 6).triu(2).bool(), persistent=False)

    def split(self, x):
        return x.view(6, 2, 4).permute(1, 0, 2)

    def forward(self, x):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.bmm(q, k.transpose(1, 2)) * 0.5
        y = torch.bmm(scores.masked_fill(self.far, -1e4).softmax(-1), v)
        return self.out(y.permute(1, 0, 2).reshape(1, 6, 8))


class Block(nn.Module):
    def __init__(self, shift):
        super().__init__()
        self.norm1 = nn.LayerNorm(8)
        self.attention = Attention()
        self.norm2 = nn.LayerNorm(8)
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)
        self.shift = shift

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attention(y if self.shift == 0 else y + self.shift)
        return x + self.down(F.mish(self.up(self.norm2(x))))


class Net(nn.Module):
    def __init__(self, shift=0):
        super().__init__()
        self.embed = nn.Linear(4, 8)
        self.block = Block(shift)

    def forward(self, x):
        return self.block(self.embed(x))
'''


def main():
    folder = Path(sys.argv[1])
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    torch.manual_seed(0)
    model = names["Net"]().eval()
    changed = names["Net"](0.001).eval()
    changed.load_state_dict(model.state_dict())
    inputs = (torch.randn(1, 6, 4),)
    program = to_edge(torch.export.export(model, inputs), generate_etrecord=True).to_executorch()
    save_tested(program, inputs, model, folder / "float.etrecord")

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(changed, inputs).module(), quantizer)
    prepared(*inputs)
    quantized = convert_pt2e(prepared)
    program = to_edge_transform_and_lower(
        torch.export.export(quantized, inputs), partitioner=[XnnpackPartitioner()],
        generate_etrecord=True).to_executorch()
    save_tested(program, inputs, quantized, folder / "int8.etrecord")
    (folder / "int8.pte").write_bytes(program.buffer)


main()

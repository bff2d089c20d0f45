"""Makes the fixture: a kernel that is itself inexact in bfloat16.

    python make.py FOLDER        (a Python with torch and executorch)

The portable kernel of cumsum adds up in the tensor's own type; PyTorch adds in float32 and rounds
once. Everything else in the model rounds once. FOLDER gets sums.pte and sums.etrecord, with the
inputs; the expected outputs are PyTorch's, in sums.bpte.
"""

import sys
from pathlib import Path

import torch
from executorch.devtools.bundled_program.serialize import (
    serialize_from_bundled_program_to_flatbuffer)
from executorch.exir import to_edge

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_tested

MODEL = '''
import torch
from torch import nn


class Sums(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(256) + 0.5)

    def forward(self, x):
        x = torch.relu(x * self.scale)
        y = torch.cumsum(x, -1)
        return torch.tanh(y / 64) + x
'''


def main():
    folder, names = Path(sys.argv[1]), {}
    exec(compile(MODEL, "models/sums.py", "exec"), names)
    torch.manual_seed(0)
    model = names["Sums"]().eval().to(torch.bfloat16)
    inputs = (torch.rand(2, 256).to(torch.bfloat16),)
    program = to_edge(torch.export.export(model, inputs), generate_etrecord=True).to_executorch()
    bundle = save_tested(program, inputs, model, folder / "sums.etrecord")
    (folder / "sums.pte").write_bytes(program.buffer)
    (folder / "sums.bpte").write_bytes(serialize_from_bundled_program_to_flatbuffer(bundle))


main()

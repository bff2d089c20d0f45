"""Makes the fixture: programs for XNNPACK with a softmax over the last dimension behind a convolution.

    python make_softmax.py FOLDER        (a Python with torch and executorch)

XNNPACK of ExecuTorch 1.5.1 computes those of permuted, sliced and padded over channels, and those of
joined and reshaped as they are written. The maker runs them and checks that this is so.
"""

import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record

MODEL = '''
import torch
from torch import nn
from torch.nn import functional as F

WAYS = {
    "permuted": lambda x: x.permute(0, 3, 1, 2).permute(0, 2, 3, 1),
    "sliced": lambda x: x[:, :, 1:3, :],
    "padded": lambda x: F.pad(x, (1, 1, 1, 1)),
    "joined": lambda x: torch.cat([x, x], 1),
    "reshaped": lambda x: x.reshape(1, 2, 2, 8),
}


class Net(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.layer = nn.Conv2d(2, 2, 3, padding=1)
        self.way = way

    def forward(self, x):
        return WAYS[self.way](self.layer(x)).softmax(-1) * 2.0
'''
RIGHT = {"joined", "reshaped"}


def main(folder):
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    for way in names["WAYS"]:
        torch.manual_seed(0)
        model, inputs = names["Net"](way).eval(), (torch.randn(1, 2, 4, 4),)
        manager = to_edge_transform_and_lower(
            torch.export.export(model, inputs), partitioner=[XnnpackPartitioner()],
            generate_etrecord=True).to_executorch()
        (output,) = Runtime.get().load_program(manager.buffer).load_method("forward").execute(list(inputs))
        is_right = bool((output - model(*inputs)).abs().max() < 1e-5)
        assert is_right == (way in RIGHT), way
        (folder / f"{way}.pte").write_bytes(manager.buffer)
        save_record(manager.get_etrecord(), folder / f"{way}.etrecord")


main(Path(sys.argv[1]))

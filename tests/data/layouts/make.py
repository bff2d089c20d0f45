"""Exports programs in channels_last that fail, or compute wrong values, in ExecuTorch 1.5.1: make.py FOLDER."""
import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from torch import nn

MODELS = {
    "one_channel": (nn.Conv2d(1, 8, 3, padding=1), 1),
    "log_softmax": (nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.LogSoftmax(1)), 3),
    "group_norm": (nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(4, 8)), 3),
}

for name, (model, channels) in MODELS.items():
    inputs = (torch.randn(1, channels, 16, 16).to(memory_format=torch.channels_last),)
    program = to_edge_transform_and_lower(torch.export.export(model.eval(), inputs),
                                          partitioner=[XnnpackPartitioner()]).to_executorch()
    (Path(sys.argv[1]) / f"{name}.pte").write_bytes(program.buffer)

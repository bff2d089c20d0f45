"""Exports a program in channels_last that computes wrong values in ExecuTorch 1.5.1: make.py FILE.pte.xz"""
import lzma
import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.LogSoftmax(1)).eval()
inputs = (torch.randn(1, 3, 16, 16).to(memory_format=torch.channels_last),)
program = to_edge_transform_and_lower(torch.export.export(model, inputs),
                                      partitioner=[XnnpackPartitioner()]).to_executorch()
Path(sys.argv[1]).write_bytes(lzma.compress(program.buffer, preset=9 | lzma.PRESET_EXTREME))

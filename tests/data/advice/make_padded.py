"""Makes the fixture: int8 programs for XNNPACK that pad before a convolution, and before a pool.

    python make_padded.py FOLDER        (a Python with torch, torchao and executorch)

The pool is not quantized, so the padding before it takes float and gives int8: XNNPACK of ExecuTorch
1.5.1 refuses pool.pte ("Failed to create StaticConstantPad node"). It runs conv.pte, and mean.pte,
in which a convolution of equal weights computes the pool.
"""

import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer, get_symmetric_quantization_config)
from executorch.exir import to_edge_transform_and_lower
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record

MODEL = '''
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.way = way
        self.first = nn.Conv2d(2, 4, 3)
        self.second = nn.Conv2d(4, 4, 3)
        if way == "mean":
            self.mean = nn.Parameter(torch.full((4, 1, 3, 3), 1 / 9), requires_grad=False)

    def forward(self, x):
        x = self.first(x)
        if self.way == "mean":
            return self.second(F.conv2d(x, self.mean, stride=2, padding=1, groups=4))
        x = F.pad(x, (1, 1, 1, 1))
        if self.way == "pool":
            x = F.avg_pool2d(x, 3, 2)
        return self.second(x)
'''


def main(folder):
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    for way in ("pool", "conv", "mean"):
        torch.manual_seed(0)
        model, inputs = names["Net"](way).eval(), (torch.randn(1, 2, 12, 12),)
        quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
        prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
        prepared(*inputs)
        program = torch.export.export(convert_pt2e(prepared), inputs)
        manager = to_edge_transform_and_lower(
            program, partitioner=[XnnpackPartitioner()], generate_etrecord=True).to_executorch()
        (folder / f"{way}.pte").write_bytes(manager.buffer)
        save_record(manager.get_etrecord(), folder / f"{way}.etrecord")


main(Path(sys.argv[1]))

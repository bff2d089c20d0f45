"""Makes the fixture: an int8 program for XNNPACK with an elu written as sums, between two convolutions.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

XNNPACK's runtime makes one look-up table of neg, relu, neg and exp. The relu of the other summand lies
between these nodes in the payload, and runs before the table. The trace is then recorded by

    etscope run elu.pte --etrecord elu.etrecord --runs 3 -o elu.etdp
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
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(2, 4, 3)
        self.second = nn.Conv2d(4, 4, 3)

    def forward(self, x):
        x = self.first(x)
        x = F.relu(x) + torch.exp(-F.relu(-x)) - 1.0
        return self.second(x)
'''


def main(folder):
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    torch.manual_seed(0)
    model, inputs = names["Net"]().eval(), (torch.randn(1, 2, 12, 12),)
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    prepared(*inputs)
    program = torch.export.export(convert_pt2e(prepared), inputs)
    manager = to_edge_transform_and_lower(
        program, partitioner=[XnnpackPartitioner()], generate_etrecord=True).to_executorch()
    (folder / "elu.pte").write_bytes(manager.buffer)
    save_record(manager.get_etrecord(), folder / "elu.etrecord")


main(Path(sys.argv[1]))

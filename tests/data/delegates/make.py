"""Makes the programs of this folder: every rule by which XNNPACK's runtime drops or joins nodes.

    python tests/data/delegates/make.py

Needs torch and executorch. Their traces are of `etscope run FILE.pte --runs 2 --trace FILE.etdp`.
"""

import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge_transform_and_lower
from torch import nn
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
from torchao.quantization.granularity import PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record

FOLDER = Path(__file__).resolve().parent


class Images(nn.Module):
    """Convolutions and what stands behind them."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.pointwise = nn.Conv2d(8, 4, 1)
        self.strided = nn.Conv2d(8, 4, 1, stride=2)
        self.up = nn.ConvTranspose2d(4, 4, 2, stride=2)
        self.prelu = nn.PReLU(num_parameters=4)

    def forward(self, x):
        x = torch.relu(self.first(x))
        y = self.depthwise(x)
        left = torch.sigmoid(y) + nn.functional.relu6(y)  # two readers: the clamp stays
        pooled = nn.functional.max_pool2d(left, 2)
        small = nn.functional.avg_pool2d(self.pointwise(left), 2)
        joined = torch.cat([pooled, small, self.strided(left)], 1)
        up = self.prelu(self.up(small))
        return joined.mean((2, 3)), nn.functional.interpolate(
            up, scale_factor=2, mode="bilinear", align_corners=False
        )


class Elements(nn.Module):
    """Element-wise operators, clamps behind them, and what is only a change of shape."""

    def __init__(self):
        super().__init__()
        self.line = nn.Linear(16, 16)

    def forward(self, x, y):
        a = self.line(x).clamp(-2, 2).clamp(-1, 1).clamp(-0.5, 0.5)  # all inside the linear
        b = torch.relu(x + y)  # an addition with a clamp: two events
        c = x.clamp(0, 3)
        d = torch.tanh(a) * torch.exp(-b.abs()) - torch.maximum(c, y) / (b * b + 1)
        e = torch.minimum(torch.sqrt(c + 1), torch.rsqrt(b + 1)) + torch.floor(d).ceil()
        f = nn.functional.gelu(e) + torch.sin(d) + torch.cos(d) + torch.log(b + 1)
        g = nn.functional.leaky_relu(f, 0.1) + nn.functional.hardswish(f)
        h = nn.functional.pad(g, (1, 2)).permute(1, 0).reshape(-1, 4)
        i = torch.softmax(torch.cat([h[1:3], h[4:6]], 0), 1)
        return torch.bmm(i.unsqueeze(0), i.unsqueeze(0)), g * g


class Bytes(nn.Module):
    """For 8-bit quantisation: what keeps its values as bytes, and what goes through floats."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.pointwise = nn.Conv2d(8, 8, 1)
        self.line = nn.Linear(8, 4)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)

    def forward(self, x):
        x = self.depthwise(torch.relu(self.first(x)))
        pooled = nn.functional.max_pool2d(self.pointwise(x) + x, 2)
        half = torch.cat([pooled, pooled * pooled], 1)[:, :8]
        return self.line(half.mean((2, 3))), self.up(pooled), nn.functional.avg_pool2d(half, 2)


class Shared(nn.Module):
    """Two linear layers that read one dynamically quantised value."""

    def __init__(self):
        super().__init__()
        self.left = nn.Linear(32, 8)
        self.right = nn.Linear(32, 8)

    def forward(self, x):
        return torch.relu(self.left(x)) + self.right(x)


def quantize(model, inputs, is_dynamic):
    quantizer = XNNPACKQuantizer().set_global(
        get_symmetric_quantization_config(is_per_channel=True, is_dynamic=is_dynamic)
    )
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def save(name, model, inputs, partitioner):
    edge = to_edge_transform_and_lower(
        torch.export.export(model, inputs), partitioner=[partitioner], generate_etrecord=True
    )
    program = edge.to_executorch()
    (FOLDER / f"{name}.pte").write_bytes(program.buffer)
    save_record(program.get_etrecord(), FOLDER / f"{name}.etrecord", FOLDER)


def main():
    torch.manual_seed(0)
    images = (torch.randn(1, 3, 16, 16),)
    save("images", Images().eval(), images, XnnpackPartitioner())
    half = (images[0].half(),)
    save("images_fp16", Images().eval().half(), half, XnnpackPartitioner())
    elements = (torch.randn(4, 16), torch.randn(4, 16))
    save("elements", Elements().eval(), elements, XnnpackPartitioner())
    shared = (torch.randn(4, 32),)
    save("shared", quantize(Shared().eval(), shared, True), shared, XnnpackPartitioner())
    save("bytes", quantize(Bytes().eval(), images, False), images, XnnpackPartitioner())
    nibbles = nn.Sequential(nn.Linear(64, 32), nn.ReLU()).eval()
    quantize_(
        nibbles,
        Int8DynamicActivationIntxWeightConfig(
            weight_dtype=torch.int4, weight_granularity=PerGroup(32)
        ),
    )
    save("nibbles", nibbles, (torch.randn(4, 64),), XnnpackPartitioner())


if __name__ == "__main__":
    main()

"""Exports a model of the class of MobileNet v2 on portable kernels, for tools/bench.py.

    python3 bench/mobilenet.py FOLDER

writes model.pte and model.etrecord, with one image of noise as the record's inputs. Needs torch and
executorch. The weights are random: what the model says means nothing, what it takes is the same.
"""

import sys
from pathlib import Path

import torch
from executorch.exir import to_edge_transform_and_lower
from torch import nn

# What the widths grow by inside of a block, channels, blocks, stride of the first.
STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
          (6, 320, 1, 1)]


def convolution(inputs, outputs, kernel=3, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs), nn.ReLU6())


class Block(nn.Module):
    """Widens the channels, filters each by itself, and narrows them again."""

    def __init__(self, inputs, outputs, stride, growth):
        super().__init__()
        width = inputs * growth
        self.is_residual = stride == 1 and inputs == outputs
        self.widen = convolution(inputs, width, 1) if growth > 1 else nn.Identity()
        self.filter = convolution(width, width, 3, stride, width)
        self.narrow = nn.Sequential(nn.Conv2d(width, outputs, 1, bias=False),
                                    nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.narrow(self.filter(self.widen(x)))
        return x + y if self.is_residual else y


class MobileNet(nn.Module):
    def __init__(self):
        super().__init__()
        channels, blocks = 32, []
        for growth, outputs, count, stride in STAGES:
            for i in range(count):
                blocks.append(Block(channels, outputs, stride if i == 0 else 1, growth))
                channels = outputs
        self.first = convolution(3, 32, 3, 2)
        self.blocks = nn.Sequential(*blocks)
        self.last = convolution(channels, 1280, 1)
        self.classifier = nn.Linear(1280, 1000)

    def forward(self, x):
        x = self.last(self.blocks(self.first(x)))
        x = nn.functional.adaptive_avg_pool2d(x, (1, 1))
        return self.classifier(torch.flatten(x, 1))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model, image = MobileNet().eval(), torch.randn(1, 3, 224, 224)
    exported = torch.export.export(model, (image,), strict=False)
    program = to_edge_transform_and_lower(exported, generate_etrecord=True).to_executorch()
    record = program.get_etrecord()
    record.update_representative_inputs([image])
    record.save(str(folder / "model.etrecord"))
    (folder / "model.pte").write_bytes(program.buffer)  # last: it tells that all is there


if __name__ == "__main__":
    main()

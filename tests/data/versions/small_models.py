"""The models that tools/export_versions.py exports with each version of ExecuTorch.

Records name the lines of this file: changing it changes what the tests expect of new exports.
"""

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(12, 16)
        self.output = nn.Linear(16, 4)

    def forward(self, x):
        x = torch.relu(self.hidden(x))
        x = self.output(x)
        return torch.softmax(x, 1)


class Block(nn.Module):
    def __init__(self, before, after):
        super().__init__()
        self.convolution = nn.Conv2d(before, after, 3, padding=1)
        self.norm = nn.BatchNorm2d(after)

    def forward(self, x):
        x = self.norm(self.convolution(x))
        return torch.relu(x)


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block(3, 4)
        self.second = Block(4, 6)
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        x = self.second(self.first(x))
        x = x.mean((2, 3))
        return self.head(x)


class Mixed(nn.Module):
    """XNNPACK takes the linear layers; erf stays outside, between two partitions."""

    def __init__(self):
        super().__init__()
        self.before = nn.Linear(8, 8)
        self.after = nn.Linear(8, 4)

    def forward(self, x):
        x = torch.relu(self.before(x))
        x = torch.erf(x)
        return self.after(x)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Linear(6, 6)

    def forward(self, x):
        return torch.tanh(self.weight(x)) + x


class Decoder(nn.Module):
    def forward(self, x, y):
        return torch.sigmoid(x * y)

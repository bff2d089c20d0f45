"""A multilayer perceptron with two hidden layers: the smallest program with something to see."""

import torch
from torch import nn

INPUTS = 32
HIDDEN = 48
CLASSES = 10


class Mlp(nn.Module):
    """A row of numbers in, the probability of each class out."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(INPUTS, HIDDEN)
        self.second = nn.Linear(HIDDEN, HIDDEN)
        self.last = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x):
        x = torch.relu(self.first(x))
        x = x + torch.relu(self.second(x))
        return torch.softmax(self.last(x), dim=-1)


def build():
    torch.manual_seed(0)
    model = Mlp().eval()
    cases = [(torch.randn(1, INPUTS),) for _ in range(2)]
    return {"forward": (model, cases)}

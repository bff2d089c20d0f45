"""Exports add.pte and bfloat16.pte (torch 2.15 and executorch 1.5.1).

    python make.py
"""

import pathlib

import torch
from executorch.exir import to_edge_transform_and_lower


class Add(torch.nn.Module):
    def forward(self, x, y):
        return x + y


class Scale(torch.nn.Module):
    """Takes one value of each kind."""

    def forward(self, x, n: int, flag: bool, factor: float):
        return x * factor + n if flag else x


def main():
    models = {
        "add": (Add(), (torch.ones(2, 2), torch.ones(2, 2))),
        "bfloat16": (Scale(), (torch.ones(2, 3, dtype=torch.bfloat16), 3, True, 0.5)),
    }
    for name, (model, inputs) in models.items():
        program = to_edge_transform_and_lower(torch.export.export(model, inputs)).to_executorch()
        pathlib.Path(__file__).with_name(f"{name}.pte").write_bytes(program.buffer)


if __name__ == "__main__":
    main()

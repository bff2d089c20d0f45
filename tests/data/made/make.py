"""Exports add.pte, bfloat16.pte and divide.pte (torch 2.15 and executorch 1.5.1).

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


class Multiply(torch.nn.Module):
    def forward(self, x, y):
        return (x + y) * y


def main():
    models = {
        "add": (Add(), (torch.ones(2, 2), torch.ones(2, 2))),
        "bfloat16": (Scale(), (torch.ones(2, 3, dtype=torch.bfloat16), 3, True, 0.5)),
        "divide": (Multiply(), (torch.ones(4, dtype=torch.int64), torch.ones(4, dtype=torch.int64))),
    }
    for name, (model, inputs) in models.items():
        program = to_edge_transform_and_lower(torch.export.export(model, inputs)).to_executorch()
        buffer = bytes(program.buffer)
        if name == "divide":  # whose kernel crashes where it divides integers by zero
            buffer = buffer.replace(b"aten::mul", b"aten::div")
        pathlib.Path(__file__).with_name(f"{name}.pte").write_bytes(buffer)


if __name__ == "__main__":
    main()

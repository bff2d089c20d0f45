"""Makes two.pte: two methods that are one delegate call each, with the same operators in another order;
and vulkan.pte, a linear layer for a backend whose payload is not understood.

    python tests/data/payloads/make.py

Needs torch and executorch. The traces are of `etscope run two.pte --method NAME --tracer upstream
--runs 2 --trace NAME.etdp`, NAME `up` and `down`: ExecuTorch's tracer does not tell which method ran.
`two.etrecord` is the export's.
"""

import sys
from pathlib import Path

import torch
from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record

FOLDER = Path(__file__).resolve().parent


class Up(nn.Module):
    def forward(self, x):
        return torch.tanh(torch.sigmoid(x))


class Down(nn.Module):
    def forward(self, x):
        return torch.sigmoid(torch.tanh(x))


def make_vulkan():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 8), nn.ReLU()).eval()
    program = torch.export.export(model, (torch.randn(2, 16),))
    edge = to_edge_transform_and_lower(program, partitioner=[VulkanPartitioner()])
    (FOLDER / "vulkan.pte").write_bytes(edge.to_executorch().buffer)


def main():
    make_vulkan()
    torch.manual_seed(0)
    example = (torch.randn(1, 4),)
    programs = {name: torch.export.export(module.eval(), example)
                for name, module in (("up", Up()), ("down", Down()))}
    edge = to_edge_transform_and_lower(
        programs, partitioner={name: [XnnpackPartitioner()] for name in programs},
        generate_etrecord=True)
    manager = edge.to_executorch()
    (FOLDER / "two.pte").write_bytes(manager.buffer)
    save_record(manager.get_etrecord(), FOLDER / "two.etrecord", FOLDER)


if __name__ == "__main__":
    main()

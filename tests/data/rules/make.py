"""Exports the programs of this folder; needs torch and executorch.

    python make.py

max_pool1d   becomes max_pool2d_with_indices, which XNNPACK's partitioner does not take
poisson, log_normal   draw from a buffer: not the same in every run
"""

import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record

HERE = Path(__file__).resolve().parent


class Noise(torch.nn.Module):
    def __init__(self, draw):
        super().__init__()
        self.draw = draw
        self.register_buffer("rate", torch.rand(16, 32) + 1)
        self.linear = torch.nn.Linear(32, 32)

    def forward(self, x):
        noise = self.draw(self.rate)
        return self.linear(x) + noise + torch.sum(noise)


MODELS = {
    "max_pool1d": (torch.nn.MaxPool1d(2), torch.randn(2, 4, 16), [XnnpackPartitioner()]),
    "poisson": (Noise(torch.poisson), torch.randn(16, 32), []),
    "log_normal": (Noise(lambda rate: rate.clone().log_normal_()), torch.randn(16, 32), []),
}

for name, (model, x, partitioners) in MODELS.items():
    edge = to_edge_transform_and_lower(torch.export.export(model.eval(), (x,)), partitioner=partitioners,
                                       generate_etrecord=True,
                                       compile_config=EdgeCompileConfig(_check_ir_validity=False))
    program = edge.to_executorch(ExecutorchBackendConfig(do_quant_fusion_and_const_prop=False))
    HERE.joinpath(f"{name}.pte").write_bytes(program.buffer)
    save_record(program.get_etrecord(), HERE / f"{name}.etrecord", HERE)

"""Exports the programs of this folder; needs torch and executorch.

    python make.py [NAME]

max_pool1d   becomes max_pool2d_with_indices, which XNNPACK's partitioner does not take
dynamic_peak          its planned memory is that of the upper bound of a dimension
poisson, log_normal   draw from a buffer: not the same in every run
softplus              two lines become three operators each that XNNPACK lacks
custom_operator       an operator of an own library between two layers
one_line              group norm, erf and reciprocal on one line, and a weight that is viewed before a convolution
normalise, normalise_double   the same but for the type of a buffer
distances             to all rows of a table, by a broadcast
lstm_cell             its layers are addmm with a transposed weight, which XNNPACK takes only if that is a constant
"""

import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower

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


class Softplus(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = (torch.nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        x = self.second(torch.nn.functional.mish(self.first(x)))
        x = torch.log1p(torch.exp(x)) * torch.where(x > 0.5, x, x * x)
        return self.third(x)


class OneLine(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(4, 4, 1)
        self.weight = torch.nn.Parameter(torch.rand(16))

    def forward(self, x):
        x = torch.erf(torch.nn.functional.group_norm(self.first(x), 2)) + torch.reciprocal(x)
        return torch.nn.functional.conv2d(x, self.weight.view(4, 4, 1, 1))


class Normalise(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.register_buffer("mean", torch.rand(1, 4, 1, 1, dtype=dtype))
        self.conv = torch.nn.Conv2d(4, 4, 1)

    def forward(self, x):
        return self.conv(((x - self.mean) / (self.mean + 1)).type_as(x))


class Distances(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.rand(64, 8))

    def forward(self, x):
        delta = x.unsqueeze(1) - self.table
        return torch.sum(delta * delta, -1)


library = torch.library.Library("planted", "DEF")
library.define("fused(Tensor x) -> Tensor")
library.define("fused.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
library.impl("fused", lambda x: x.sin(), "CompositeExplicitAutograd")
library.impl("fused.out", lambda x, *, out: out.copy_(x.sin()), "CompositeExplicitAutograd")


class Custom(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.second(torch.ops.planted.fused(self.first(x)))


MODELS = {
    "max_pool1d": (torch.nn.MaxPool1d(2), torch.randn(2, 4, 16), [XnnpackPartitioner()]),
    "poisson": (Noise(torch.poisson), torch.randn(16, 32), []),
    "log_normal": (Noise(lambda rate: rate.clone().log_normal_()), torch.randn(16, 32), []),
    "softplus": (Softplus(), torch.randn(4, 4), [XnnpackPartitioner()]),
    "custom_operator": (Custom(), torch.randn(4, 4), [XnnpackPartitioner()]),
    "distances": (Distances(), torch.randn(128, 8), [XnnpackPartitioner()]),
    "normalise": (Normalise(torch.float32), torch.randn(1, 4, 8, 8), [XnnpackPartitioner()]),
    "normalise_double": (Normalise(torch.float64), torch.randn(1, 4, 8, 8), [XnnpackPartitioner()]),
    "one_line": (OneLine(), torch.randn(1, 4, 8, 8), [XnnpackPartitioner()]),
    "dynamic_peak": (torch.nn.ReLU(), torch.randn(4, 64), []),  # planned for 512 rows
    "lstm_cell": (torch.nn.LSTMCell(2, 4), torch.randn(1, 2), XnnpackPartitioner()),  # the older way
}

for name, (model, x, partitioners) in MODELS.items():
    if sys.argv[1:] not in ([], [name]):
        continue
    rows = {0: torch.export.Dim("rows", max=512)} if name == "dynamic_peak" else {}
    exported = torch.export.export(model.eval(), (x,), dynamic_shapes=(rows,) if rows else None)
    if isinstance(partitioners, list):
        edge = to_edge_transform_and_lower(exported, partitioner=partitioners, generate_etrecord=True,
                                           compile_config=EdgeCompileConfig(_check_ir_validity=False))
    else:
        edge = to_edge(exported, generate_etrecord=True).to_backend(partitioners)
    program = edge.to_executorch(ExecutorchBackendConfig(do_quant_fusion_and_const_prop=False))
    HERE.joinpath(f"{name}.pte").write_bytes(program.buffer)
    save_record(program.get_etrecord(), HERE / f"{name}.etrecord", HERE)

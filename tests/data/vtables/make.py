"""Exports the programs of this folder; needs torch, executorch and flatbuffers 25.9.23.

    pip install --no-deps --target older flatbuffers==25.9.23
    PYTHONPATH=older python3 make.py

xnnpack.bpte                  a bundled program for XNNPACK, one case
portable.pte, portable.ptd  the same with portable kernels and weights in a data file

flatbuffers before 25.12 for Python shares vtables among tables of different sizes.
"""
import pathlib
import shutil
import tempfile

import flatbuffers
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import (
    serialize_from_bundled_program_to_flatbuffer)
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower

HERE = pathlib.Path(__file__).resolve().parent


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3, padding=1)
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        y = torch.relu(self.conv(x)).mean((2, 3))
        z = torch.softmax(self.linear(y), -1) * 2 + 0.5
        self.total.add_(z.sum(0))
        return z, torch.topk(z, 2)[0], self.total + 1


def lower(model, inputs, partitioners, **options):
    exported = torch.export.export(model, inputs, strict=True)
    edge = to_edge_transform_and_lower(exported, partitioner=partitioners)
    return edge.to_executorch(ExecutorchBackendConfig(**options))


def main():
    assert flatbuffers.__version__ == "25.9.23", flatbuffers.__version__
    torch.manual_seed(0)
    model, inputs = Model().eval(), (torch.randn(1, 3, 8, 8),)
    portable = lower(model, inputs, [], external_constants=True)
    HERE.joinpath("portable.pte").write_bytes(portable.buffer)
    with tempfile.TemporaryDirectory() as folder:
        portable.write_tensor_data_to_file(folder)
        for path in pathlib.Path(folder).glob("*.ptd"):
            shutil.copyfile(path, HERE / "portable.ptd")
    delegated = lower(model, inputs, [XnnpackPartitioner()])
    case = MethodTestCase(inputs=list(inputs), expected_outputs=list(model(*inputs)))
    bundle = BundledProgram(delegated, [MethodTestSuite("forward", [case])])
    HERE.joinpath("xnnpack.bpte").write_bytes(serialize_from_bundled_program_to_flatbuffer(bundle))


if __name__ == "__main__":
    main()

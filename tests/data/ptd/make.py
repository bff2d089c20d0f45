"""Exports the programs of this folder; needs torch and executorch.

    python3 make.py

external.pte, external.ptd   weights in a data file, a buffer with a start value
traces.pte                   a stack trace for every instruction, a list of optional tensors
"""
import linecache
import pathlib
import shutil
import tempfile

import torch
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = '''
import torch


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("count", torch.arange(3).float())

    def forward(self, x):
        y = self.linear(x) + self.count
        self.count.add_(1.0)
        return y


class Resize(torch.nn.Module):
    def forward(self, x):
        columns = x[:, torch.tensor([1, 0])]
        image = columns.reshape(1, 1, 2, 2)
        return torch.nn.functional.interpolate(image, scale_factor=[2.0, 2.0], mode="nearest")
'''


def load(name):
    """The models under a file name of their own, as traces keep it."""
    linecache.cache[name] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), name)
    scope = {"__name__": "models"}
    exec(compile(SOURCE, name, "exec"), scope)
    return scope


def export(model, inputs, name, **options):
    exported = torch.export.export(model.eval(), inputs, strict=False)
    edge = to_edge(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    program = edge.to_executorch(ExecutorchBackendConfig(**options))
    HERE.joinpath(name + ".pte").write_bytes(program.buffer)
    with tempfile.TemporaryDirectory() as folder:
        program.write_tensor_data_to_file(folder)
        for path in pathlib.Path(folder).glob("*.ptd"):
            shutil.copyfile(path, HERE / (name + ".ptd"))


models = load("models/small.py")
torch.manual_seed(0)
export(models["Resize"](), (torch.randn(2, 3),), "traces", emit_stacktrace=True)
export(models["Counter"](), (torch.randn(2, 4),), "external", external_constants=True,
       emit_mutable_buffer_names=True, passes=[InitializedMutableBufferPass(["count"])])

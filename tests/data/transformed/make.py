"""Writes split.pte and split.etrecord: an export whose transform_passes split each convolution in two.

    python make.py

ExecuTorch records the edge program before these passes, and what came out of them as edge_after_transform.
Paths of the machine are taken out of the record afterwards; split.etdp is from `etscope profile`.
"""

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.dialects._ops import ops
from executorch.exir.pass_base import ExportPass

CONVOLUTION, SLICE, CAT = (ops.edge.aten.convolution.default, ops.edge.aten.slice_copy.Tensor,
                           ops.edge.aten.cat.default)  # fmt: skip


class SplitConvolutions(ExportPass):
    """Half of the batch each."""

    def call_operator(self, op, args, kwargs, meta):
        call = super().call_operator
        if op != CONVOLUTION:
            return call(op, args, kwargs, meta)
        half = args[0].data.shape[0] // 2
        parts = [call(SLICE, (args[0], 0, at, at + half), {}, meta) for at in (0, half)]
        return call(CAT, ([call(op, (part, *args[1:]), kwargs, meta) for part in parts], 0), {}, meta)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l = torch.nn.Conv2d(3, 4, 3)
        self.m = torch.nn.Conv2d(4, 4, 3)

    def forward(self, x):
        return self.m(torch.relu(self.l(x)))


exported = torch.export.export(Model().eval(), (torch.randn(4, 3, 12, 12),))
program = to_edge_transform_and_lower(
    exported, transform_passes=[SplitConvolutions()], partitioner=[XnnpackPartitioner()],
    generate_etrecord=True).to_executorch()  # fmt: skip
with open("split.pte", "wb") as file:
    file.write(program.buffer)
program.get_etrecord().save("split.etrecord")

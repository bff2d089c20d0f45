"""Writes src/cli/machine/machine_programs.c: the programs that `etscope machine` runs.

    OMP_NUM_THREADS=1 python3 tools/make_machine_programs.py

Needs torch, torchao and executorch 1.5.1. Each program is exported as ExecuTorch's users export theirs
and written as base64; what repeats, as weights do, is written once. Weights repeat after 64 numbers:
the speed of a dense product does not depend on them.
"""

import base64
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from torch.export import Dim, export
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

SIDE = 512  # of the matrices
MOST_ELEMENTS = 1 << 26  # of the vectors
READ_CHANNELS, READ_SIDE = 64, 16  # of an image that is read
CALLS = 8  # of a chain
PERIODS = (1, 2, 4, 8, 32, 64, 128, 256)  # bytes after which something may repeat
LEAST_SAVED = 24  # bytes, by writing what repeats once

TARGET = Path(__file__).resolve().parent.parent / "src/cli/machine/machine_programs.c"


class Linear(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(SIDE, SIDE, bias=False)
        row = ((torch.arange(64) - 31.5) / 640).repeat(SIDE // 64)
        self.linear.weight.data = row.repeat(SIDE, 1).contiguous()

    def forward(self, x):
        return self.linear(x)


class Add(torch.nn.Module):
    def forward(self, x, y):
        return x + y


class Copy(torch.nn.Module):
    def forward(self, x):
        return x.clone()


class InPlace(torch.nn.Module):
    """XNNPACK writes the result of abs over its input: nobody else reads that."""

    def forward(self, x):
        return x.neg().abs().neg()


class Read(torch.nn.Module):
    """Of images that lie as XNNPACK wants them; writes a number for 256 that it reads."""

    def forward(self, x):
        return x.mean((2, 3), keepdim=True)


class Chain(torch.nn.Module):
    """As many instructions: a subtraction is not merged with the one before."""

    def forward(self, x, y):
        for _ in range(CALLS):
            x = x - y
        return x


def quantized(matrix, is_dynamic):
    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=is_dynamic)
    module = export(Linear().eval(), (matrix,)).module()
    module = prepare_pt2e(module, XNNPACKQuantizer().set_global(config))
    module(matrix)
    return export(convert_pt2e(module), (matrix,))


def programs():
    """Name, exported program and partitioner of each."""
    matrix = torch.linspace(-1, 1, SIDE * SIDE).reshape(SIDE, SIDE)
    vector = torch.ones(1024)
    four = torch.ones(4)
    length = Dim("length", min=2, max=MOST_ELEMENTS)
    delegate = [XnnpackPartitioner()]
    yield "float32", export(Linear().eval(), (matrix,)), delegate
    yield "float16", export(Linear().half().eval(), (matrix.half(),)), delegate
    yield "int8", quantized(matrix, False), delegate
    yield "int8_dynamic", quantized(matrix, True), delegate
    yield "add", export(Add(), (vector, vector.clone()),
                        dynamic_shapes=({0: length}, {0: length})), delegate
    yield "copy", export(Copy(), (vector,), dynamic_shapes=({0: length},)), []
    yield "in_place", export(InPlace(), (vector,), dynamic_shapes=({0: length},)), delegate
    images = torch.ones(2, READ_CHANNELS, READ_SIDE, READ_SIDE).to(memory_format=torch.channels_last)
    count = Dim("count", min=2, max=MOST_ELEMENTS // images[0].numel())
    yield "read", export(Read(), (images,), dynamic_shapes=({0: count},)), delegate
    yield "kernel", export(Chain(), (four, four.clone())), []
    yield "delegate", export(Chain(), (four, four.clone())), [
        XnnpackPartitioner(per_op_mode=True)]


def lower(program, partitioner):
    """Inputs stay where the caller has them, so that no run begins with a copy."""
    edge = to_edge_transform_and_lower(program, partitioner=partitioner)
    planning = MemoryPlanningPass(alloc_graph_input=False)
    return bytes(edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planning)).buffer)


def repeats(data, at, period):
    count = 1
    while data[at + count * period : at + (count + 1) * period] == data[at : at + period]:
        count += 1
    return count


def pieces(data):
    """Pairs of bytes and how often they stand there."""
    at = begin = 0
    while at < len(data):
        saved, period = max(((repeats(data, at, each) - 1) * each, each) for each in PERIODS)
        if saved >= LEAST_SAVED:
            if at > begin:
                yield data[begin:at], 1
            yield data[at : at + period], saved // period + 1
            begin = at + saved + period
            at = begin
        else:
            at += 1
    if at > begin:
        yield data[begin:at], 1


def written(name, data):
    parts, size = [], 0
    for piece, count in pieces(data):
        text = base64.b64encode(piece).decode()
        size += len(text)
        lines = [f'"{text[at:at + 92]}"' for at in range(0, len(text), 92)]
        parts.append("    {%s, %d}," % ("\n     ".join(lines), count))
    print(f"{name}: {len(data)} bytes in {size} characters")
    body = "\n".join(parts)
    return f"static const struct cli_program_piece {name}[] = {{\n{body}\n}};\n"


def main():
    arrays, rows = [], []
    for name, program, partitioner in programs():
        data = lower(program, partitioner)
        arrays.append(written(name, data))
        rows.append(f"    [ETS_ROOF_{name.upper()}] = {{{name}, COUNT({name}), {len(data)}}},")
    table = "\n".join(rows)
    TARGET.write_text(f"""\
/* The programs that `etscope machine` runs. Written by tools/make_machine_programs.py. */
#include "cli/machine/machine_programs.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* clang-format off */
{chr(10).join(arrays)}
/* clang-format on */

const struct cli_packed_program cli_machine_programs[ETS_ROOF_PROGRAMS] = {{
{table}
}};
""")


main()

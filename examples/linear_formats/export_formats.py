"""Exports one linear layer in four number formats: fp32, fp16, int8, int4.

    python examples/linear_formats/export_formats.py --out examples/linear_formats

writes FORMAT.pte and FORMAT.etrecord for each. Needs torch, executorch, torchao and etscope.
"""

import argparse
import io
import sys
from pathlib import Path

import torch
from etscope import parse_etrecord
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge_transform_and_lower
from torch import nn
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
from torchao.quantization.granularity import PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from export import check_no_machine_paths, record_bytes  # noqa: E402

ROWS, WIDTH = 32, 256


class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.line(x)


def fp32(model, x):
    return model, x


def fp16(model, x):
    return model.half(), x.half()


def int8(model, x):
    """Weights of 8 bits, one scale per output channel; inputs are quantised while it runs."""
    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=True)
    quantizer = XNNPACKQuantizer().set_global(config)
    prepared = prepare_pt2e(torch.export.export(model, (x,)).module(), quantizer)
    prepared(x)
    return convert_pt2e(prepared), x


def int4(model, x):
    """Weights of 4 bits, one scale for each 32 of them; inputs are quantised while it runs."""
    config = Int8DynamicActivationIntxWeightConfig(
        weight_dtype=torch.int4, weight_granularity=PerGroup(32)
    )
    quantize_(model, config)
    return model, x


def record_without_weights(record):
    """Only the graph is needed to tell which lines the time goes to."""
    slim = io.BytesIO()
    parse_etrecord(record_bytes(record)).save(slim, slim=True)
    return slim.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for the eight files")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for convert in (fp32, fp16, int8, int4):
        torch.manual_seed(0)  # the same weights and inputs in each format
        model, x = convert(Linear().eval(), torch.randn(ROWS, WIDTH))
        edge = to_edge_transform_and_lower(
            torch.export.export(model, (x,)),
            partitioner=[XnnpackPartitioner()],
            generate_etrecord=True,
        )
        program = edge.to_executorch()
        files = {"pte": program.buffer, "etrecord": record_without_weights(program.get_etrecord())}
        check_no_machine_paths(files["etrecord"])
        for suffix, data in files.items():
            path = options.out / f"{convert.__name__}.{suffix}"
            path.write_bytes(data)
            print(f"{path.name}  {len(data):,} bytes")


if __name__ == "__main__":
    main()

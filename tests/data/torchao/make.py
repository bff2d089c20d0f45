"""Makes the fixtures: one small model, its weights quantized by torchao in several ways.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

For each scheme FOLDER gets a program (.pte), its record, the trace of one run with its tensors
(.etdp, .bin), recorded by upstream's runtime, and in gaps.json the rows of upstream's numeric gap.
"""

import json
import math
import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools import Inspector
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime
from torchao.quantization import (
    Int8DynamicActivationIntxWeightConfig, Int8WeightOnlyConfig, IntxWeightOnlyConfig, quantize_)
from torchao.quantization.granularity import PerAxis, PerGroup

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record, save_trace

METRICS = ("MSE", "L1", "SNR")
XNNPACK = (XnnpackPartitioner,)
SCHEMES = {
    "8da4w": (XNNPACK, Int8DynamicActivationIntxWeightConfig(
        weight_dtype=torch.int4, weight_granularity=PerGroup(32))),
    "8da8w": (XNNPACK, Int8DynamicActivationIntxWeightConfig(
        weight_dtype=torch.int8, weight_granularity=PerAxis(0))),
    "int4_weights": (XNNPACK, IntxWeightOnlyConfig(
        weight_dtype=torch.int4, granularity=PerGroup(32))),
    "int8_weights": ((), Int8WeightOnlyConfig()),
    "float": ((), None),  # what the others are made from: its record alone
}

MODEL = '''
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 64)
        self.second = nn.Linear(64, 32, bias=False)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)) + 1)
'''


def rows(frame):
    """None stands for infinity."""
    return [{"aot_debug_handle": row.aot_debug_handle, "aot_ops": row.aot_ops,
             "runtime_ops": row.runtime_ops,
             "gap": [each if math.isfinite(each) else None for each in map(float, row.gap)]}
            for row in frame.itertuples()]


def main():
    folder = Path(sys.argv[1])
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    golden = {}
    for name, (partitioners, config) in SCHEMES.items():
        torch.manual_seed(0)
        model = names["Net"]().eval()
        if config is not None:
            quantize_(model, config)
        inputs = (torch.randn(3, 64),)
        program = to_edge_transform_and_lower(
            torch.export.export(model, inputs), partitioner=[each() for each in partitioners],
            generate_etrecord=True).to_executorch()
        record = program.get_etrecord()
        record._representative_inputs = list(inputs)
        record._reference_outputs = {"forward": [[model(*inputs)]]}
        path = folder / name
        save_record(record, f"{path}.etrecord")
        if config is None:
            continue
        Path(f"{path}.pte").write_bytes(program.buffer)
        loaded = Runtime.get().load_program(
            f"{path}.pte", enable_etdump=True, debug_buffer_size=1 << 16)
        loaded.load_method("forward").execute(inputs)
        save_trace(loaded, f"{path}.etdp", f"{path}.bin")
        inspector = Inspector(etdump_path=f"{path}.etdp", etrecord=f"{path}.etrecord",
                              debug_buffer_path=f"{path}.bin")
        golden[name] = {metric: rows(inspector.calculate_numeric_gap(metric)) for metric in METRICS}
    (folder / "gaps.json").write_text(json.dumps(golden) + "\n")


with torch.no_grad():
    main()

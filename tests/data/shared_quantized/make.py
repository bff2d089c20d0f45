"""Makes the fixture: a small model, quantized to int8 for XNNPACK, in which two partitions take one int8 value.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

The sum of `skip` is in another partition than the convolution, since cumsum stays outside. Both dequantize the
value that leaves the first partition: the edge graph has a node for each, the partition has one output.
FOLDER gets int8.etrecord and int8.pte; the trace is then recorded by

    etscope run int8.pte -o int8.etdp --capture intermediates --debug-buffer int8.bin \\
        --etrecord int8.etrecord --inputs etrecord
"""

import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer, get_symmetric_quantization_config)
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.exir import to_edge_transform_and_lower
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record

MODEL = '''
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3, padding=1)
        self.body = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        x = F.relu(self.stem(x))
        return x + torch.cumsum(self.body(x), -1)
'''


def main():
    folder = Path(sys.argv[1])
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    torch.manual_seed(0)
    model = names["Net"]().eval()
    inputs = (torch.randn(1, 1, 4, 4),)
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    prepared(*inputs)
    quantized = convert_pt2e(prepared)
    program = to_edge_transform_and_lower(
        torch.export.export(quantized, inputs), partitioner=[XnnpackPartitioner()],
        generate_etrecord=True).to_executorch()
    with torch.no_grad():
        expected = [quantized(*inputs)]
    bundle = BundledProgram(program, [MethodTestSuite("forward", [
        MethodTestCase(inputs=inputs, expected_outputs=expected)])])
    record = program.get_etrecord()
    record.update_representative_inputs(bundle)
    save_record(record, folder / "int8.etrecord")
    (folder / "int8.pte").write_bytes(program.buffer)


main()

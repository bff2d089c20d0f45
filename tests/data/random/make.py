"""Makes the fixture: records of models whose numbers no reference can compute.

    python make.py FOLDER        (a Python with torch and executorch)

random.etrecord draws random numbers, uses them, and uses the shape of some alone; random.etdp and
random.bin are a run of it on upstream's runtime. complex.etrecord has a Fourier transform.
"""

import sys
from pathlib import Path

import torch
from executorch.exir import to_edge
from executorch.runtime import Runtime

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record, save_trace

FOLDER = Path(sys.argv[1])


class Random(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        noisy = self.linear(x) + torch.rand(2, 4)
        dropped = torch.nn.functional.dropout(noisy, 0.5, True)
        return torch.tanh(dropped * 2), torch.zeros_like(torch.randn(3, 4)) + x[0]


class Complex(torch.nn.Module):
    def forward(self, x):
        return torch.relu(torch.fft.irfft(torch.fft.rfft(x)))


def export(model, inputs, path):
    program = to_edge(torch.export.export(model, inputs), generate_etrecord=True).to_executorch()
    record = program.get_etrecord()
    record._representative_inputs = list(inputs)
    save_record(record, path, Path(__file__).resolve().parent)
    return program


def main():
    torch.manual_seed(0)
    inputs = (torch.randn(2, 4),)
    program = export(Random().eval(), inputs, FOLDER / "random.etrecord")
    loaded = Runtime.get().load_program(
        program.buffer, enable_etdump=True, debug_buffer_size=1 << 14)
    loaded.load_method("forward").execute(inputs)
    save_trace(loaded, FOLDER / "random.etdp", FOLDER / "random.bin")
    export(Complex(), inputs, FOLDER / "complex.etrecord")


with torch.no_grad():
    main()

"""Makes the fixture: records of models whose numbers no reference can compute.

    python make.py FOLDER        (a Python with torch and executorch)

random.etrecord draws random numbers, uses them, and uses the shape of some alone; random.etdp and
random.bin are a run of it on upstream's runtime. complex.etrecord has a Fourier transform.
"""

import sys
import tempfile
import zipfile
from pathlib import Path

import torch
from executorch.exir import to_edge
from executorch.runtime import Runtime

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
    with tempfile.NamedTemporaryFile() as raw:
        record.save(raw.name)
        with zipfile.ZipFile(raw.name) as source, zipfile.ZipFile(path, "w") as target:
            for name in source.namelist():
                data = source.read(name)
                if data[:1] == b"{":  # stack traces
                    for folder, shown in ((Path(torch.__file__).parents[1], b"site-packages"),
                                          (Path(__file__).resolve().parent, b"models")):
                        data = data.replace(str(folder).encode(), shown)
                target.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    return program


def main():
    torch.manual_seed(0)
    inputs = (torch.randn(2, 4),)
    program = export(Random().eval(), inputs, FOLDER / "random.etrecord")
    loaded = Runtime.get().load_program(
        program.buffer, enable_etdump=True, debug_buffer_size=1 << 14)
    loaded.load_method("forward").execute(inputs)
    loaded.write_etdump_result_to_file(str(FOLDER / "random.etdp"), str(FOLDER / "random.bin"))
    debug = (FOLDER / "random.bin").read_bytes().rstrip(b"\0")
    (FOLDER / "random.bin").write_bytes(debug + bytes(-len(debug) % 64))
    export(Complex(), inputs, FOLDER / "complex.etrecord")


with torch.no_grad():
    main()

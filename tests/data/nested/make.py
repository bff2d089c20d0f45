"""Makes the fixture: a program with a list and a keyword as arguments, and records of its inputs.

    python make.py FOLDER        (a Python with torch and executorch)

FOLDER gets model.pte, records whose representative inputs are written in different ways (as
arguments and keywords, as a list of two cases, with more values than there are inputs), and
expected.bin, the output of eager PyTorch. Upstream's numeric gap must take each of them.
"""

import sys
import tempfile
from pathlib import Path

import torch
from executorch.devtools import Inspector
from executorch.exir import to_edge
from executorch.runtime import Runtime

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record

FOLDER = Path(sys.argv[1])


class Net(torch.nn.Module):
    def forward(self, pair, *, scale):
        return torch.relu(pair[0] * scale + pair[1])


def main():
    torch.manual_seed(0)
    model = Net().eval()
    x, y, scale = torch.randn(2, 3), torch.randn(2, 3), torch.randn(1)
    program = to_edge(torch.export.export(model, ([x, y],), {"scale": scale}),
                      generate_etrecord=True).to_executorch()
    (FOLDER / "model.pte").write_bytes(program.buffer)
    expected = model([x, y], scale=scale)
    (FOLDER / "expected.bin").write_bytes(expected.numpy().tobytes())
    cases = [([x, y], {"scale": scale}), ([y, x], {"scale": scale})]
    forms = {"keywords": cases[0], "cases": cases, "surplus": [x, y, scale, scale, x]}
    for name, inputs in forms.items():
        record = program.get_etrecord()
        record._representative_inputs = inputs
        save_record(record, FOLDER / f"{name}.etrecord", Path(__file__).resolve().parent)
        with tempfile.TemporaryDirectory() as folder:
            trace, debug = f"{folder}/t.etdp", f"{folder}/t.bin"
            loaded = Runtime.get().load_program(
                FOLDER / "model.pte", enable_etdump=True, debug_buffer_size=1 << 14)
            loaded.load_method("forward").execute([x, y, scale])
            loaded.write_etdump_result_to_file(trace, debug)
            inspector = Inspector(etdump_path=trace, etrecord=str(FOLDER / f"{name}.etrecord"),
                                  debug_buffer_path=debug)
            assert len(inspector.calculate_numeric_gap("SNR")) == 3, name


with torch.no_grad():
    main()

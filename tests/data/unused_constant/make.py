"""Makes the fixture: a program with a buffer that forward does not use, and its twin without that buffer.

    python make.py FOLDER        (a Python with torch and executorch)
"""

import sys
from pathlib import Path

import torch
from executorch.exir import to_edge_transform_and_lower

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record

MODEL = '''
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, has_table):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("shift", torch.randn(8))
        if has_table:
            self.register_buffer("table", torch.randn(16, 32))

    def forward(self, x):
        return torch.cumsum(self.layer(x) + self.shift, -1)
'''


def main(folder):
    names = {}
    exec(compile(MODEL, "models/net.py", "exec"), names)
    for name, has_table in (("table", True), ("twin", False)):
        torch.manual_seed(0)
        program = torch.export.export(names["Net"](has_table).eval(), (torch.randn(1, 8),))
        manager = to_edge_transform_and_lower(program, generate_etrecord=True).to_executorch()
        (folder / f"{name}.pte").write_bytes(manager.buffer)
        save_record(manager.get_etrecord(), folder / f"{name}.etrecord")


main(Path(sys.argv[1]))

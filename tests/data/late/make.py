"""Makes the fixture: a program with `linear` where its record has mm and addmm.

    python make.py ETSCOPE     (a Python with torch and executorch; etscope with its engine)

ConvertToLinearPass runs after the record was made, as export_llama does it, so its instructions have no debug
handle. The model has two products of one shape without a name between them (query and key), a bias, and a matmul that stays mm.
"""

import subprocess
import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack._passes.convert_to_linear import ConvertToLinearPass
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record

HERE = Path(__file__).resolve().parent
SOURCE = '''
import torch


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query = torch.nn.Linear(8, 8, bias=False)
        self.key = torch.nn.Linear(8, 8, bias=False)

    def forward(self, x):
        scores = torch.softmax(torch.mm(self.query(x), self.key(x).t()), -1)
        return torch.mm(scores, x)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(16, 8)
        self.attention = Attention()
        self.head = torch.nn.Linear(8, 4)

    def forward(self, tokens):
        return self.head(self.attention(self.embedding(tokens)))
'''


def load(folder):
    path = Path(folder) / "late.py"
    path.write_text(SOURCE)
    sys.path.insert(0, str(folder))
    import late
    return late.Model()


def main(etscope, folder):
    torch.manual_seed(0)
    model, inputs = load(folder).eval(), (torch.tensor([3, 1, 4, 15]),)
    edge = to_edge_transform_and_lower(torch.export.export(model, inputs, strict=True),
                                       generate_etrecord=True)
    program = edge.to_executorch(ExecutorchBackendConfig(passes=[ConvertToLinearPass()]))
    HERE.joinpath("linear.pte").write_bytes(program.buffer)
    record = program.get_etrecord()
    record.update_representative_inputs([list(inputs)])
    save_record(record, HERE / "linear.etrecord", folder)
    subprocess.run([etscope, "run", HERE / "linear.pte", "-o", HERE / "linear.etdp", "--runs", "3", "--inputs", "etrecord", "--etrecord",
                    HERE / "linear.etrecord"], check=True)


if __name__ == "__main__":
    import tempfile
    with tempfile.TemporaryDirectory() as made:
        main(sys.argv[1], made)

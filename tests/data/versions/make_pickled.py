"""Makes pickled.etrecord: inputs and outputs as records of ExecuTorch 1.0 to 1.2 keep them.

    python tests/data/versions/make_pickled.py

Needs torch. Those versions call pickle.dumps; later ones torch.save. Tensors of all kinds of storages,
views of one storage, and what is not a tensor.
"""

import pickle
import zipfile
from pathlib import Path

import torch

FOLDER = Path(__file__).resolve().parent
STAMP = (1980, 1, 1, 0, 0, 0)


def values():
    whole = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    return [whole, whole[1:, ::2], whole.t(), torch.tensor([1, -2]), torch.tensor([True, False]),
            torch.tensor([0.5, -1.5], dtype=torch.bfloat16), torch.tensor(2.5, dtype=torch.float64),
            torch.tensor([1, 65535], dtype=torch.uint16), torch.empty(0, 3), 7, 1.5, True, None]


def main():
    entries = {"ETRECORD_V0": b"", "debug_handle_map": b'{"forward": {"0": [1]}}',
               "delegate_map": b'{"forward": {}}',
               "representative_inputs": pickle.dumps(values()),
               "reference_outputs": pickle.dumps({"forward": [[values()[0]], [values()[3]]]})}
    with zipfile.ZipFile(FOLDER / "pickled.etrecord", "w") as record:
        for name, data in entries.items():
            record.writestr(zipfile.ZipInfo(name, STAMP), data, zipfile.ZIP_DEFLATED, 9)


main()

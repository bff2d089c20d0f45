"""What the makers of fixtures share: records without the paths of this machine, debug buffers."""

import io
import zipfile
from pathlib import Path

import torch

PACKAGES = str(Path(torch.__file__).parents[1]) + "/"


def pack_record(saved, models=None):
    """The bytes of a saved record, deflated. Stack traces say site-packages/..., and models/... of
    files in the folder `models`; other machine paths are refused."""
    folders = {PACKAGES: "site-packages/", **({f"{Path(models).resolve()}/": "models/"} if models else {})}
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved)) as source, zipfile.ZipFile(packed, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if data[:1] == b"{":  # a graph in JSON; the rest is weights and tensors
                for folder, shown in folders.items():
                    data = data.replace(folder.encode(), shown.encode())
            for place in (PACKAGES, f"{Path.home()}/", f"{Path(__file__).resolve().parents[2]}/"):
                assert place.encode() not in data, f"{name} holds the path {place}"
            target.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


def save_record(record, path, models=None):
    saved = io.BytesIO()
    record.save(saved)
    Path(path).write_bytes(pack_record(saved.getvalue(), models))


def save_tested(program, inputs, model, path):
    """The record of a program with inputs, and what the model gives for them, which as a bundled program
    is returned."""
    from executorch.devtools import BundledProgram
    from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
    with torch.no_grad():
        expected = [model(*inputs)]
    bundle = BundledProgram(program, [MethodTestSuite("forward", [
        MethodTestCase(inputs=inputs, expected_outputs=expected)])])
    record = program.get_etrecord()
    record.update_representative_inputs(bundle)
    save_record(record, path)
    return bundle


def save_trace(loaded, trace, debug):
    """The ETDump and debug buffer of a program that ExecuTorch's Python runtime ran; of the zeros
    at the end of the buffer as many as fill up 64 bytes."""
    loaded.write_etdump_result_to_file(str(trace), str(debug))
    used = Path(debug).read_bytes().rstrip(b"\0")
    Path(debug).write_bytes(used + bytes(-len(used) % 64))

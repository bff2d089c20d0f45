"""etscope.runtime beside PyTorch and executorch; skipped where they are not installed."""

import importlib.util
import os
import subprocess
import sys

import pytest

from etscope import Error
from etscope.runtime import Runtime
from fixtures import DATA, file

if not all(map(importlib.util.find_spec, ("torch", "executorch"))):
    pytest.skip("torch and executorch are not installed", allow_module_level=True)
try:
    Runtime.get()
except Error as error:
    pytest.skip(str(error), allow_module_level=True)

ADD = DATA / "made" / "add.pte"

SCRIPT = """
import sys
order, program = sys.argv[1:]
if order == "theirs first":
    import executorch.runtime
from etscope.runtime import Runtime
ours = Runtime.get()
if order == "ours first":
    import executorch.runtime
import executorch.kernels.quantized
import torch
theirs = executorch.runtime.Runtime.get()
assert theirs.operator_registry.operator_names == ours.operator_registry.operator_names
inputs = [torch.rand(2, 16)]
programs = [runtime.load_program(program, enable_etdump=True) for runtime in (ours, theirs, ours)]
results = [each.load_method("forward").execute(inputs)[0] for each in programs]
assert results[0].dtype == torch.float32
assert torch.equal(results[0], results[1]) and torch.equal(results[0], results[2])
# Each side hears what ExecuTorch says about its own calls.
unknown = open(program, "rb").read().replace(b"aten::relu", b"aten::rulu")
for runtime in (ours, theirs) if b"aten::rulu" in unknown else ():
    try:
        runtime.load_program(unknown).load_method("forward")
    except RuntimeError as error:
        print(error, "|", file=sys.stderr)
with open("/proc/self/maps") as maps:
    print(len({line.split()[-1] for line in maps if "libexecutorch.so" in line}), "copy")
"""


def run(script, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs Linux's /proc")
@pytest.mark.parametrize("order", ["ours first", "theirs first"])
@pytest.mark.parametrize("model", ["mlp_portable", "mlp_xnnpack"])
def test_one_copy_of_the_runtime_in_either_order(order, model):
    done = run(SCRIPT, order, file(model, "model.pte"))
    assert done.stdout == "1 copy\n"
    if model == "mlp_portable":
        ours, theirs = done.stderr.split(" |\n")[:2]
        assert ours.endswith("no kernel is registered for aten::rulu.out")
        assert "Missing operator" not in ours and "Missing operator: [2] aten::rulu.out" in theirs


def test_tensors_in_tensors_out():
    import numpy as np
    import torch

    method = Runtime.get().load_program(ADD).load_method("forward")
    ones = torch.ones(2, 2, requires_grad=True)
    (output,) = method.execute([ones, torch.arange(4.0).reshape(2, 2).t()])
    assert torch.equal(output, torch.tensor([[1.0, 3.0], [2.0, 4.0]]))
    assert isinstance(method.execute([ones, np.ones((2, 2), "f4")])[0], torch.Tensor)
    assert isinstance(method.execute([ones, ones], tensors="numpy")[0], np.ndarray)
    arrays = [np.ones((2, 2), "f4")] * 2
    assert isinstance(method.execute(arrays)[0], np.ndarray)
    assert isinstance(method.execute(arrays, tensors="torch")[0], torch.Tensor)


def test_bfloat16_tensors():
    import torch

    method = Runtime.get().load_program(DATA / "made" / "bfloat16.pte").load_method("forward")
    (output,) = method.execute([torch.full((2, 3), 4.0, dtype=torch.bfloat16), 3, True, 0.5])
    assert output.dtype == torch.bfloat16 and output.tolist() == [[5.0] * 3] * 2
    with pytest.raises(Error, match="complex32"):
        method.execute([torch.zeros(2, 3, dtype=torch.complex32), 3, True, 0.5])


# A script for executorch.runtime, with every call that its documentation of ETDump shows.
TRACED = """
import pathlib, sys
import torch
from executorch.runtime import Method, Program, Runtime

path, trace, captured = sys.argv[1:]
runtime: Runtime = Runtime.get()
program: Program = runtime.load_program(
    pathlib.Path(path), enable_etdump=True, debug_buffer_size=int(1e7)
)
method: Method = program.load_method("forward")
print(method.execute((torch.ones(2, 2), torch.ones(2, 2))))
program.write_etdump_result_to_file(trace, captured)
"""


def test_a_script_with_the_import_replaced(tmp_path):
    trace, captured = str(tmp_path / "trace.etdp"), str(tmp_path / "captured.bin")
    done = run(TRACED.replace("executorch.runtime", "etscope.runtime"), str(ADD), trace, captured)
    assert done.stdout == "[tensor([[2., 2.],\n        [2., 2.]])]\n"
    from etscope import Inspector

    inspector = Inspector(trace, debug_buffer_path=captured)
    assert inspector.event_blocks[1].run_output[0].tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_inputs_without_dense_values_are_named():
    import torch

    method = Runtime.get().load_program(file("made", "add.pte")).load_method("forward")
    ones = torch.ones(2, 2)
    for tensor, why in ((ones.to("meta"), "device meta has no values"),
                        (ones.to_sparse(), r"layout torch.sparse_coo .*to_dense\(\)")):  # fmt: skip
        with pytest.raises(Error, match=f"input 1: .*{why}"):
            method.execute([ones, tensor])

"""llama:: operators without PyTorch, and libraries that register kernels."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from etscope import Error
from etscope.runtime import Runtime
from fixtures import DATA

try:
    ON_DEMAND = Runtime.get().operator_registry.on_demand
except Error as error:
    pytest.skip(str(error), allow_module_level=True)

MODEL = DATA / "llama" / "kv_sdpa.pte"
GREEDY = json.loads((DATA / "llama" / "greedy.json").read_text())
with_llama = pytest.mark.skipif(ON_DEMAND.reason is not None, reason=f"no llama:: kernels: {ON_DEMAND.reason}")


def logits_of_each_step(method):
    """The logits after the prompt and after each of the expected tokens."""
    tokens = [GREEDY["prompt"], *([token] for token in GREEDY["greedy"][:-1])]
    position = 0
    for each in tokens:
        (logits,) = method.execute([np.array([each]), np.array([position])], tensors="numpy")
        position += len(each)
        yield logits.ravel()


@with_llama
def test_greedy_tokens_are_those_of_upstream():
    """Up to a step at which two tokens are too close for another processor's rounding."""
    compared = 0
    for expected, logits in zip(
        GREEDY["greedy"], logits_of_each_step(Runtime.get().load_program(MODEL).load_method("forward"))
    ):
        second, first = np.sort(logits)[-2:]
        if first - second <= 1e-3 * abs(first):
            break
        assert logits.argmax() == expected, f"token {compared}"
        compared += 1
    assert compared >= 20


@with_llama
def test_kernels_are_there_and_not_registered():
    assert {"llama::custom_sdpa.out", "llama::update_cache.out"} <= ON_DEMAND.names
    assert not ON_DEMAND.names & Runtime.get().operator_registry.operator_names
    assert os.path.exists(ON_DEMAND.library)


@with_llama
def test_pytorch_is_not_loaded():
    script = f"""
import sys, numpy
from etscope.runtime import Runtime
method = Runtime.get().load_program({str(MODEL)!r}).load_method("forward")
method.execute([numpy.array([[3, 17]]), numpy.array([0])], tensors="numpy")
assert "torch" not in sys.modules
assert "libtorch" not in open("/proc/self/maps").read()
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@with_llama
@pytest.mark.parametrize("tracer", ["etscope", "upstream"])
def test_traces_have_the_kernels(tracer, tmp_path):
    from etscope import Inspector

    program = Runtime.get().load_program(MODEL, enable_etdump=True, tracer=tracer)
    program.load_method("forward").execute([np.array([[3]]), np.array([0])], tensors="numpy")
    program.write_etdump_result_to_file(tmp_path / "trace.etdp", None)
    names = {event.name for block in Inspector(tmp_path / "trace.etdp").event_blocks
             for event in block.events}  # fmt: skip
    assert any("custom_sdpa" in name for name in names)
    assert any("update_cache" in name for name in names)


def test_libraries_that_are_none(tmp_path):
    runtime = Runtime.get()
    with pytest.raises(Error, match="none.so does not exist") as caught:
        runtime.load_library(tmp_path / "none.so")
    assert caught.value.status == "NOT_FOUND"
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(Error, match="cannot load the library: .*text.so") as caught:
        runtime.load_library(str(tmp_path / "text.so"))
    assert caught.value.status == "RUNTIME"


BACKEND = os.path.join(os.path.dirname(os.environ.get("ETSCOPE_ENGINE", "")), "libdemo_backend.so")


@pytest.mark.skipif(not os.path.exists(BACKEND), reason="the demo backend is built with the engine alone")
def test_library_with_a_backend():
    script = f"""
import numpy
from etscope.runtime import Runtime
runtime = Runtime.get()
assert runtime.load_library({BACKEND!r}) == (0, 1)
assert "DemoBackend" in runtime.backend_registry.registered_backend_names
assert runtime.load_library({BACKEND!r}) == (0, 0)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


# Registers one of the kernels as a library of the user's does, and runs the model.
REGISTERED = """
import ctypes, sys, numpy
from etscope.runtime import Runtime
runtime = Runtime.get()
(path,) = {line.split()[-1] for line in open("/proc/self/maps") if line.endswith("libexecutorch.so\\n")}
register = ctypes.CDLL(path)._ZN10executorch7runtime16register_kernelsENS0_4SpanIKNS0_6KernelEEE
calls = []
function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
own = function(lambda context, stack, size: calls.append(size))
name = b"llama::update_cache.out"
kernel = (ctypes.c_void_p * 3)(ctypes.cast(name, ctypes.c_void_p), None, ctypes.cast(own, ctypes.c_void_p))
assert register(ctypes.byref(kernel), ctypes.c_size_t(1)) == 0
method = runtime.load_program(sys.argv[1]).load_method("forward")
method.execute([numpy.array([[3, 17]]), numpy.array([0])], tensors="numpy")
print(len(calls))
"""


@with_llama
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc")
def test_registered_kernel_is_taken_before_the_copy():
    done = subprocess.run([sys.executable, "-c", REGISTERED, str(MODEL)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4\n"  # keys and values of two layers


# Orders of what one process may do; the original library registers the same kernels, and a kernel
# that is registered twice would end the process.
ORDERS = ["etscope torch etscope", "etscope operators etscope upstream", "torch etscope operators etscope",
          "operators etscope upstream", "operators upstream etscope"]  # fmt: skip
SCRIPT = """
import sys
path, order = sys.argv[1:]

def etscope():
    import numpy
    from etscope.runtime import Runtime
    method = Runtime.get().load_program(path).load_method("forward")
    inputs = [numpy.array([[3, 17]]), numpy.array([0])]
    return int(method.execute(inputs, tensors="numpy")[0].argmax())

def torch():
    import torch

def operators():
    import torch, executorch.extension.llm.custom_ops.custom_ops
    cache = torch.zeros(1, 4, 2, 16)
    torch.ops.llama.update_cache(torch.ones(1, 1, 2, 16), cache, 1)
    assert cache.sum() == 32

def upstream():
    import torch, executorch.kernels.quantized
    from executorch.runtime import Runtime
    method = Runtime.get().load_program(path).load_method("forward")
    return int(method.execute([torch.tensor([[3, 17]]), torch.tensor([0])])[0].argmax())

assert len({each for each in (globals()[step]() for step in order.split()) if each is not None}) == 1
"""


@with_llama
@pytest.mark.parametrize("order", ORDERS)
def test_beside_pytorch_in_every_order(order):
    pytest.importorskip("torch")
    pytest.importorskip("executorch")
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(MODEL), order], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True)  # fmt: skip
    assert done.returncode == 0, done.stderr

"""Runs programs. Mirrors `executorch.runtime`, with NumPy arrays where there is no PyTorch.

    from etscope.runtime import Runtime

    runtime = Runtime.get()
    program = runtime.load_program("model.pte", enable_etdump=True)
    outputs = program.load_method("forward").execute([array])
    program.write_etdump_result_to_file("trace.etdp", None)

The runtime is ExecuTorch's own: the libraries of the installed executorch, or what ETSCOPE_ENGINE
was built over (docs/python.md, "Running programs").
"""

from etscope.runtime._bundled import BundledModule
from etscope.runtime._metadata import MethodMeta, TensorInfo
from etscope.runtime._runtime import (
    BackendRegistry, KernelsOnDemand, Method, OperatorRegistry, Program, Runtime, Verification,
)  # fmt: skip

__all__ = [
    "BackendRegistry", "BundledModule", "KernelsOnDemand", "Method", "MethodMeta", "OperatorRegistry",
    "Program", "Runtime", "TensorInfo", "Verification",
]  # fmt: skip

"""Runs a program three times and keeps its trace, with what every operator put out.

    python trace_runtime.py PROGRAM TRACE

`etscope.runtime` has the names of `executorch.runtime`: with the import replaced, scripts for that
run here, with NumPy arrays instead of torch tensors where there is no torch.
"""

import os
import sys

import numpy as np

from etscope import Inspector
from etscope.runtime import Runtime


def main():
    path, trace = sys.argv[1:]
    debug = os.path.splitext(trace)[0] + ".bin"

    runtime = Runtime.get()
    program = runtime.load_program(path, enable_etdump=True, debug_buffer_size=int(1e7))
    forward = program.load_method("forward")
    inputs = [np.ones(info.sizes(), info.numpy_dtype)
              for info in map(forward.metadata.input_tensor_meta,
                              range(forward.metadata.num_inputs()))]  # fmt: skip
    for _ in range(3):
        outputs = forward.execute(inputs)
    program.write_etdump_result_to_file(trace, debug)
    print(f"{len(outputs)} outputs, {outputs[0].dtype} {outputs[0].shape}")

    inspector = Inspector(trace, debug_buffer_path=debug)
    for event in inspector.event_blocks[-1].events:
        if event.name.startswith("native_call_"):
            print(f"{event.name} {event.perf_data.p50:.4f} ms")


if __name__ == "__main__":
    main()

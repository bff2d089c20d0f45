"""Records what executorch's generate_memory_trace makes of models, beside the graphs that it reads.

    python make.py FIXTURES     # folders with a model.etrecord, such as tests/data

Takes the exported programs of the fixtures' ETRecords, lowers them again with executorch 1.5.1 and
writes one golden.json.xz: for each model and method the planned graph, and the traces with the default
arguments, with offsets, and without metadata.
"""

import json
import lzma
import sys
import tempfile
from pathlib import Path

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools.etrecord import parse_etrecord
from executorch.exir import to_edge_transform_and_lower
from executorch.util.activation_memory_profiler import generate_memory_trace

MODELS = ["mlp_portable", "conv_portable", "cond", "dynamic", "types", "gpt_xnnpack"]
OPTIONS = {"default": {}, "offsets": {"enable_memory_offsets": True}, "bare": {"ommit_metadata": True}}


def planned_graph(graph):
    """What generate_memory_trace reads of a graph; equal numbers of specs are the same object."""
    numbers = {}

    def spec_of(spec):
        if spec is None:
            return None
        return {
            "number": numbers.setdefault(id(spec), len(numbers)),
            "shape": list(spec.shape),
            "itemsize": spec.dtype.itemsize,
            "const": spec.const,
            "lifetime": spec.lifetime,
            "mem_id": spec.mem_id,
            "mem_offset": spec.mem_offset,
        }

    def node_of(node):
        specs = node.meta.get("spec")
        stack = node.meta.get("nn_module_stack")
        return {
            "name": node.name,
            "op": node.op,
            "target": str(node.target),
            "memory": node.target.__name__
            if getattr(node.target, "__module__", None) == "executorch.exir.memory"
            else None,
            "spec": [spec_of(s) for s in specs] if isinstance(specs, (list, tuple)) else spec_of(specs),
            "module": list(stack.values())[-1][0] if stack else None,
            "stack_trace": node.meta.get("stack_trace"),
        }

    return [node_of(node) for node in graph.nodes]


def main(fixtures):
    golden = []
    for model in MODELS:
        record = parse_etrecord(str(fixtures / model / "model.etrecord"))
        partitioner = [XnnpackPartitioner()] if model.endswith("xnnpack") else None
        lowered = to_edge_transform_and_lower(record.exported_program, partitioner=partitioner)
        manager = lowered.to_executorch()
        for method in sorted(manager.methods):
            traces = {}
            for name, options in OPTIONS.items():
                with tempfile.NamedTemporaryFile(suffix=".json") as file:
                    generate_memory_trace(manager, file.name, method_name=method, **options)
                    traces[name] = Path(file.name).read_text()
            graph = planned_graph(manager.exported_program(method).graph)
            golden.append({"model": model, "method": method, "graph": graph, "traces": traces})
    text = json.dumps(golden, indent=0).encode()
    Path(__file__).with_name("golden.json.xz").write_bytes(lzma.compress(text, preset=9))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

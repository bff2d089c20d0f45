"""The planned memory of a program as a trace for chrome://tracing or Perfetto.

    from etscope.util.activation_memory_profiler import generate_memory_trace

    manager = edge.to_executorch()                      # executorch's ExecutorchProgramManager
    generate_memory_trace(manager, "memory.json", enable_memory_offsets=True)

Same arguments and same file as executorch.util.activation_memory_profiler (executorch 1.5.1), without
importing torch. The trace repurposes the format's fields: a thread is a step of the planned graph, a
process a memory id; `ts` is a byte offset and `dur` a number of bytes, which viewers show as
microseconds.
"""

import dataclasses
import json
import math
from typing import Any, Dict, Iterator, List, Optional


@dataclasses.dataclass
class Allocation:
    """A tensor that is alive at a step. Sizes are in bytes, without the planner's alignment."""

    name: str
    op_name: str
    memory_id: int
    memory_offset: int
    size_bytes: int
    fqn: str
    file_and_line_num: str


@dataclasses.dataclass
class MemoryTimeline:
    """The tensors that are alive at one step, in the order of the graph."""

    allocations: List[Allocation] = dataclasses.field(default_factory=list)


def _is_memory_operator(target: Any, *names: str) -> bool:
    """executorch.exir.memory holds the functions that reserve memory in a planned graph."""
    return (
        getattr(target, "__module__", None) == "executorch.exir.memory"
        and getattr(target, "__name__", None) in names
    )


def _specs(node) -> Iterator[Any]:
    """The TensorSpecs of a node: one, or one for each output."""
    specs = node.meta.get("spec")
    if isinstance(specs, (list, tuple)):
        for spec in specs:
            if spec is not None:
                yield spec
    elif specs is not None:
        yield specs


def _module_path(node) -> str:
    stack = node.meta.get("nn_module_stack")
    return list(stack.values())[-1][0] if stack else ""


def create_tensor_allocation_info(graph) -> List[Optional[MemoryTimeline]]:
    """The timeline of a planned torch.fx graph: one entry for each node, None if nothing is alive.

    Constants and tensors without planned memory are left out. A tensor counts once, at the first
    node that has it. Raises TypeError for a tensor whose lifetime is not known.
    """
    timeline: List[Optional[MemoryTimeline]] = [None] * len(graph.nodes)
    seen = set()
    for node in graph.nodes:
        if node.op == "output" or _is_memory_operator(node.target, "alloc", "view"):
            continue
        for spec in _specs(node):
            if spec.mem_id is None or spec.const or id(spec) in seen:
                continue
            seen.add(id(spec))
            allocation = Allocation(
                node.name,
                node.target,
                spec.mem_id,
                spec.mem_offset,
                math.prod(spec.shape) * spec.dtype.itemsize,
                _module_path(node),
                node.meta.get("stack_trace"),
            )
            first, last = spec.lifetime
            for step in range(first, last + 1):
                timeline[step] = timeline[step] or MemoryTimeline()
                timeline[step].allocations.append(allocation)
    return timeline


def _events(
    timeline: List[Optional[MemoryTimeline]], with_offsets: bool, without_metadata: bool
) -> List[Dict[str, Any]]:
    events = []
    for row, step in enumerate(step for step in timeline if step is not None):
        bytes_before = 0
        for allocation in step.allocations:
            metadata = {
                "op_name": str(allocation.op_name),
                "Memory ID": allocation.memory_id,
                "fqn": str(allocation.fqn),
                "source": str(allocation.file_and_line_num),
                "bytes": allocation.size_bytes,
            }
            events.append(
                {
                    "name": allocation.name,
                    "cat": "memory_allocation",
                    "ph": "X",
                    "ts": int(allocation.memory_offset) if with_offsets else bytes_before,
                    "dur": int(allocation.size_bytes),
                    "pid": int(allocation.memory_id),
                    "tid": row,
                    "args": {} if without_metadata else metadata,
                }
            )
            bytes_before += allocation.size_bytes
    return events


def generate_memory_trace(
    executorch_program_manager,
    chrome_trace_filename: str,
    enable_memory_offsets: bool = False,
    method_name: str = "forward",
    ommit_metadata: bool = False,
) -> None:
    """Writes the planned memory of a method to `chrome_trace_filename`, as Chrome trace JSON.

    executorch_program_manager: an ExecutorchProgramManager, as to_executorch() returns it.
    enable_memory_offsets: place each tensor at its offset; otherwise the tensors of a step follow one
        another, whatever their memory id.
    method_name: the method to show.
    ommit_metadata: leave out operator, module, source and bytes. (Upstream's spelling.)

    Raises ValueError for another type, and for a method whose memory was not planned.
    """
    if not hasattr(executorch_program_manager, "exported_program"):
        raise ValueError(
            "generate_memory_trace takes the ExecutorchProgramManager that to_executorch() returns, not "
            f"{type(executorch_program_manager).__name__}"
        )
    graph = executorch_program_manager.exported_program(method_name).graph
    if not any(_is_memory_operator(node.target, "alloc") for node in graph.nodes):
        raise ValueError(
            f"method {method_name!r} has no planned memory: no operator allocates any outside "
            "delegates, or the program was not lowered by to_executorch()"
        )
    events = _events(create_tensor_allocation_info(graph), enable_memory_offsets, ommit_metadata)
    with open(chrome_trace_filename, "w", encoding="ascii") as file:
        json.dump({"traceEvents": events}, file, indent=2)

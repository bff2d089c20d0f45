"""The half of the demo backend that runs at export: what it takes, and the payload with its map.

    python examples/backend/demo_partition.py --out examples/backend

exports a small model that the backend takes most of, as demo.pte and demo.etrecord. Needs torch
2.15.0 and executorch 1.5.1.
"""

import argparse
import io
import re
import struct
from pathlib import Path

import torch
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.canonical_partitioners.pattern_op_partitioner import (
    generate_partitions_from_list_of_nodes,
)
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.backend.utils import DelegateMappingBuilder
from executorch.exir.dialects._ops import ops
from torch.fx.passes.operator_support import OperatorSupportBase

ADD, MUL, MUL_ADD = 0, 1, 2
KINDS = {ops.edge.aten.add.Tensor: ADD, ops.edge.aten.mul.Tensor: MUL}
NAMES = ("add", "mul", "mul_add")


def takes(node):
    """Additions and multiplications of float tensors of one shape."""
    if node.op != "call_function" or node.target not in KINDS or node.kwargs:
        return False
    values = [getattr(part, "meta", {}).get("val") for part in (*node.args, node)]
    return all(
        isinstance(value, torch.Tensor)
        and value.dtype == torch.float32
        and value.shape == values[0].shape
        for value in values
    )


class Support(OperatorSupportBase):
    def is_node_supported(self, submodules, node):
        return takes(node)


class DemoBackend(BackendDetails):
    """Its name is that under which demo_backend.cc registers."""

    @staticmethod
    def preprocess(edge_program, compile_specs):
        nodes = list(edge_program.graph.nodes)
        results = nodes[-1].args[0]
        arguments = [node for node in nodes if node.op == "placeholder"] + list(results)
        numbers = {node: index for index, node in enumerate(arguments)}
        calls = [node for node in nodes if node.op == "call_function"]
        for node in calls:
            numbers.setdefault(node, len(numbers))

        mapping = DelegateMappingBuilder(generated_identifiers=False)
        operators, texts, fused = b"", b"", set()
        for index, node in enumerate(calls):
            if node in fused:
                continue
            kind, behind, values = KINDS[node.target], [node], list(node.args)
            reader = next(iter(node.users))
            if kind == MUL and len(node.users) == 1 and KINDS.get(reader.target) == ADD:
                kind, behind = MUL_ADD, [node, reader]  # one operator for the two
                values += [part for part in reader.args if part is not node] or [node]
                fused.add(reader)
            # A sum of this product and of what comes later cannot be done here yet.
            if kind == MUL_ADD and any(part in calls[index:] for part in values):
                kind, behind, values = MUL, [node], values[:2]
                fused.discard(reader)
            name = f"{NAMES[kind]} {len(operators) // 24}"
            mapping.insert_delegate_mapping_entry(nodes=behind, identifier=name)
            inputs = [numbers[part] for part in values] + [0] * (3 - len(values))
            operators += struct.pack("<6I", kind, *inputs, numbers[behind[-1]], len(texts))
            texts += name.encode() + b"\0"

        header = struct.pack("<4s3I", b"DEMO", len(arguments), len(numbers), len(operators) // 24)
        return PreprocessResult(
            processed_bytes=header + operators + texts,
            debug_handle_map=mapping.get_delegate_mapping(),
        )


class DemoPartitioner(Partitioner):
    def partition(self, exported_program):
        tags = {}
        partitions = generate_partitions_from_list_of_nodes(
            exported_program.graph_module, op_support=Support()
        )
        for partition in partitions:
            tag = f"demo{partition.id}"
            tags[tag] = DelegationSpec(DemoBackend.__name__, [])
            for node in partition.nodes:
                node.meta["delegation_tag"] = tag
        return PartitionResult(tagged_exported_program=exported_program, partition_tags=tags)


class Model(torch.nn.Module):
    def forward(self, x, y):
        scaled = x * y + x
        mixed = scaled * scaled + y
        bounded = torch.relu(mixed)  # stays outside: two partitions
        return bounded * x + y + scaled


def shorten(program):
    for node in program.graph_module.graph.nodes:
        if trace := node.meta.get("stack_trace"):
            node.meta["stack_trace"] = re.sub(r'(?<=File ")[^"]*/', "examples/backend/", trace)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for the two files")
    options = parser.parse_args()
    inputs = (torch.randn(4, 64), torch.randn(4, 64))
    program = to_edge_transform_and_lower(
        torch.export.export(Model(), inputs),
        partitioner=[DemoPartitioner()],
        generate_etrecord=True,
    ).to_executorch()
    record = program.get_etrecord()
    shorten(record.edge_dialect_program)
    shorten(record.exported_program)
    buffer = io.BytesIO()
    record.save(buffer)
    assert str(Path.home()).encode() not in buffer.getvalue()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "demo.pte").write_bytes(program.buffer)
    (options.out / "demo.etrecord").write_bytes(buffer.getvalue())


if __name__ == "__main__":
    main()

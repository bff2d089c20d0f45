"""Makes large language models for benchmarks, without PyTorch: a program, and an ETRecord of it.

The model is a stack of layers, each of seven products with the names of Llama's (attention.wq, ...), between
an embedding and a head. The program computes with one small matrix for all products, so that it fits
flatc; the record's weights are of any size, and are random.
"""

import json
import os
import random
import struct
import subprocess
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ["attention.wq", "attention.wk", "attention.wv", "attention.wo",
         "feed_forward.w1", "feed_forward.w2", "feed_forward.w3"]
FLOAT, LONG = 6, 4  # of the runtime
HEADER = 32  # that tells where segments are
RECORD_FLOAT, STRIDED = 7, 7  # of records


def modules(layers):
    """The module of each product, in order."""
    return [*(f"layers.{i}.{part}" for i in range(layers) for part in PARTS), "output"]


class Values:
    """The values of a program as they are added."""

    def __init__(self):
        self.items, self.planned = [], 16

    def add(self, kind, **value):
        self.items.append({"val_type": kind, "val": value})
        return len(self.items) - 1

    def tensor(self, scalar_type, sizes, constant=0):
        size, item = 8 if scalar_type == LONG else 4, {"scalar_type": scalar_type, "sizes": sizes,
                                                       "dim_order": list(range(len(sizes)))}
        if constant:
            return self.add("Tensor", data_buffer_idx=constant, **item)
        offset = self.planned
        for length in sizes:
            size *= length
        self.planned += -(-size // 16) * 16
        return self.add("Tensor", allocation_info={"memory_id": 1, "memory_offset_low": offset}, **item)


def forward(layers, width):
    values = Values()
    tokens, position = values.tensor(LONG, [1, 1]), values.tensor(LONG, [1])
    weight, minus, no = (values.tensor(FLOAT, [width, width], constant=1),
                         values.add("Int", int_val=-1), values.add("Bool", bool_val=False))
    zero, x = values.add("Int", int_val=0), values.tensor(FLOAT, [1, 1, width])
    kernels = [(0, [weight, tokens, minus, no, no, x, x])]
    row = values.tensor(FLOAT, [1, width])
    kernels.append((1, [x, zero, zero, row, row]))
    for _ in modules(layers):
        product = values.tensor(FLOAT, [1, width])
        kernels.append((2, [row, weight, product, product]))
        row = product
    names = [("aten::embedding", "out"), ("aten::select_copy", "int_out"), ("aten::mm", "out")]
    return {
        "name": "forward", "values": values.items, "inputs": [tokens, position], "outputs": [row],
        "operators": [{"name": name, "overload": overload} for name, overload in names],
        "delegates": [], "non_const_buffer_sizes": [0, values.planned],
        "chains": [{"instructions": [
            {"instr_args_type": "KernelCall", "instr_args": {"op_index": operator, "args": arguments}}
            for operator, arguments in kernels]}]}


def constant(name, number):
    return {"name": name, "values": [{"val_type": "Int", "val": {"int_val": number}}], "inputs": [],
            "outputs": [0], "operators": [], "delegates": [], "chains": [{"instructions": []}],
            "non_const_buffer_sizes": [0]}


def write_program(path, layers, width, context):
    """A program that takes a token and a position; the vocabulary is as large as the width."""
    draw = random.Random(1)
    bound = (3 / width) ** 0.5  # the size of numbers stays as it is
    weight = struct.pack(f"<{width * width}f", *(draw.uniform(-bound, bound) for _ in range(width * width)))
    program = {"execution_plan": [forward(layers, width), constant("get_max_context_len", context)],
               "segments": [{"offset": 0, "size": len(weight)}],
               "constant_segment": {"segment_index": 0, "offsets": [0, 0]}}
    source = path.with_suffix(".json")
    source.write_text(json.dumps(program))
    schema = ROOT / "tests" / "data" / "schema" / "program.fbs"
    subprocess.run(["flatc", "--binary", "-o", path.parent, schema, source], check=True)
    made = path.with_suffix(".bin")
    data = made.read_bytes()
    made.unlink()
    source.unlink()
    size = len(data) + HEADER
    base = -(-size // 128) * 128
    root, = struct.unpack_from("<I", data)
    header = struct.pack("<4sIQQQ", b"eh00", HEADER, size, base, len(weight))
    whole = struct.pack("<I", root + HEADER) + data[4:8] + header + data[8:]
    path.write_bytes(whole.ljust(base, b"\0") + weight)


def meta(sizes):
    strides = [1] * len(sizes)
    for i in range(len(sizes) - 1, 0, -1):
        strides[i - 1] = strides[i] * sizes[i]
    return {"dtype": RECORD_FLOAT, "sizes": [{"as_int": size} for size in sizes], "requires_grad": False,
            "device": {"type": "cpu"}, "strides": [{"as_int": stride} for stride in strides],
            "storage_offset": {"as_int": 0}, "layout": STRIDED}


def reference(name):
    return {"as_tensor": {"name": name}}


def exported(layers, width, is_edge):
    """The exported program of either dialect: a product for each module."""
    prefix = "executorch.exir.dialects.edge.ops.aten." if is_edge else "torch.ops.aten."
    tensors, nodes, specs, inputs = {"tokens": meta([1, 1])}, [], [], []

    def parameter(module):
        name = "p_" + module.replace(".", "_") + "_weight"
        tensors[name] = meta([width, width])
        inputs.append(reference(name))
        specs.append({"parameter": {"arg": {"name": name}, "parameter_name": module + ".weight"}})
        return name

    def node(name, operator, arguments, module, sizes):
        metadata = {"nn_module_stack": f"L__self__,,llm.Model;L__self__{module},{module},llm.Linear",
                    "stack_trace": f'  File "models/llm.py", line {10 + len(nodes) % 8}, in forward\n    x\n'}
        if is_edge:
            metadata["debug_handle"] = str(len(nodes) + 1)
        tensors[name] = meta(sizes)
        nodes.append({"name": name, "target": f"{prefix}{operator}", "outputs": [reference(name)],
                      "inputs": [{"name": key, "arg": value} for key, value in arguments],
                      "metadata": metadata})
        return name

    x = node("embedding", "embedding.default", [("weight", reference(parameter("tok_embeddings"))),
                                                ("indices", reference("tokens"))],
             "tok_embeddings", [1, 1, width])
    x = node("select", "select_copy.int" if is_edge else "select.int",
             [("self", reference(x)), ("dim", {"as_int": 0}), ("index", {"as_int": 0})], "", [1, width])
    for module in modules(layers):
        x = node("mm_" + module.replace(".", "_"), "mm.default",
                 [("self", reference(x)), ("mat2", reference(parameter(module)))], module, [1, width])
    specs.append({"user_input": {"arg": reference("tokens")}})
    graph = {"inputs": [*inputs, reference("tokens")], "outputs": [reference(x)], "nodes": nodes,
             "tensor_values": tensors, "sym_int_values": {}, "sym_bool_values": {},
             "is_single_tensor_return": False, "custom_obj_values": {}}
    signature = {"input_specs": specs, "output_specs": [{"user_output": {"arg": reference(x)}}]}
    return {"graph_module": {"graph": graph, "signature": signature, "module_call_graph": []},
            "opset_version": {"aten": 10}, "range_constraints": {},
            "schema_version": {"major": 5, "minor": 4}, "dialect": "",
            "verifiers": ["EDGE" if is_edge else "TRAINING"]}


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def number(value):
    return b"J" + struct.pack("<i", value)


def state_pickle(names, width):
    """What torch.save writes for a dict of square float tensors."""
    data = b"\x80\x02}("
    for key, name in enumerate(names):
        storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text(str(key)) + text("cpu") + \
            number(width * width) + b"tQ"
        shape = number(width) * 2 + b"\x86" + number(width) + number(1) + b"\x86"
        data += text(name) + b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(0) + shape + \
            b"\x89ccollections\nOrderedDict\n)RtR"
    return data + b"u."


def write_state(record, name, names, width):
    """A torch.save archive in an entry of the record; its weights are random bytes."""
    chunk = os.urandom(4 * 16 * width)
    with record.open(name, "w", force_zip64=True) as entry, zipfile.ZipFile(entry, "w") as archive:
        archive.writestr("archive/data.pkl", state_pickle(names, width))
        archive.writestr("archive/byteorder", "little")
        for key in range(len(names)):
            with archive.open(f"archive/data/{key}", "w") as storage:
                for _ in range(width // 16):
                    storage.write(chunk)
        archive.writestr("archive/version", "3\n")


def write_record(path, layers, width):
    """The ETRecord of write_program's model; 2 times 4 * width**2 bytes for each of its modules.

    The width is a multiple of 16.
    """
    names = [f"{module}.weight" for module in ["tok_embeddings", *modules(layers)]]
    handles = {str(i): i + 1 for i in range(2 + len(modules(layers)))}
    with zipfile.ZipFile(path, "w") as record:
        record.writestr("ETRECORD_V0", "")
        for base, is_edge in (("exported_program", False), ("edge_dialect_exported_program/forward", True)):
            record.writestr(base, json.dumps(exported(layers, width, is_edge)))
            write_state(record, base + "_state_dict", names, width)
            write_state(record, base + "_constants", [], width)
            record.writestr(base + "_example_inputs", "")
        record.writestr("debug_handle_map", json.dumps({"forward": handles}))
        record.writestr("delegate_map", json.dumps({"forward": {}}))
        record.writestr("instruction_id_to_num_outs_map", json.dumps({"forward": {}}))
        record.writestr("export_graph_id", "1")

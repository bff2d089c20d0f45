"""Makes the records of this folder: what evaluating a graph has to get right beside kernels.

    python tests/data/reference/make.py

Needs torch and executorch. Each record has representative inputs, and the outputs of eager PyTorch
on them as reference outputs. What evaluation does not read is left out: stack traces, module paths.
"""

import io
import json
import zipfile
from pathlib import Path

import torch
from executorch.exir import to_edge_transform_and_lower
from torch import nn
from torch.utils import _pytree

FOLDER = Path(__file__).resolve().parent
UNREAD = ("stack_trace", "nn_module_stack", "torch_fn", "source_fn_stack")


class Cache(nn.Module):
    """Buffers that change in place, and attention over them: a cache of keys, a counter."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(8, 4))
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
        self.line = nn.Linear(4, 4)

    def forward(self, x, place):
        self.keys.index_copy_(0, place, self.line(x))
        self.count.add_(1)
        return torch.softmax(x @ self.keys.T, -1) @ self.keys + self.count


class Views(nn.Module):
    """Views that are written, of a buffer and of what was computed."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(8, 4))

    def forward(self, x):
        self.rows[2:4].copy_(x)
        self.rows[0].add_(1.0)
        y = torch.relu(x)
        flat = y.view(-1)
        flat.mul_(2)
        y[1].zero_()
        return self.rows.sum(0) * 2, y + 1, nn.functional.gelu(flat)


class Chosen(nn.Module):
    """A size that is taken out of a tensor."""

    def forward(self, x, count):
        size = count.item()
        torch._check(size >= 0)
        torch._check(size <= 8)
        return x.narrow(0, 0, size) * 2, torch.zeros(size) + 1


class Sizes(nn.Module):
    """Sizes that are computed from those of the input, which is even."""

    def forward(self, x):
        half = x.shape[0] // 2
        rows = torch.cat([x.reshape(half, -1), x.reshape(half, -1) + half], 0)
        return rows, torch.zeros(half + 1) + half, nn.functional.pad(x, (0, 1))


class Recurrent(nn.Module):
    """One operator of three outputs, two of them of one shape, and a hundred nodes of an edge."""

    def __init__(self):
        super().__init__()
        self.cells = nn.LSTM(3, 4)

    def forward(self, x):
        y, (hidden, cell) = self.cells(x)
        return y.tanh(), hidden * 2, cell * 3


class Last(nn.Module):
    """The same, of which the last row is used alone: nothing tells the other outputs apart."""

    def __init__(self):
        super().__init__()
        self.cells = nn.LSTM(3, 4)

    def forward(self, x):
        y, _ = self.cells(x)
        return y[-1].tanh()


class Constants(nn.Module):
    """Inputs that are no tensors."""

    def forward(self, x, factor=3, absent=None, shift=0.5):
        return x * factor + shift


class Mixed(nn.Module):
    """Operators that an edge program takes apart."""

    def __init__(self):
        super().__init__()
        self.layer = nn.LayerNorm(8)
        self.group = nn.GroupNorm(2, 8)
        self.batch = nn.BatchNorm1d(8)
        self.conv = nn.Conv1d(8, 8, 3, padding=1)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        f = nn.functional
        x = f.silu(self.group(f.gelu(self.layer(x))))
        x = f.gelu(self.batch(self.conv(x)), approximate="tanh")
        y, weights = self.attention(x, x, x)
        z = f.scaled_dot_product_attention(y, x, x, is_causal=True)
        return f.mish(f.elu(z)), f.softplus(weights).logsumexp(1), f.hardsigmoid(x).var(1)


def smaller(record):
    """The record without what evaluation does not read."""
    result = io.BytesIO()
    with zipfile.ZipFile(record) as source, zipfile.ZipFile(result, "w") as target:
        for entry in source.infolist():
            data = source.read(entry)
            if data[:1] == b"{" and b'"graph_module"' in data:
                program = json.loads(data)
                strip(program["graph_module"]["graph"])
                data = json.dumps(program, separators=(",", ":")).encode()
            packed = len(data) > 4096
            target.writestr(
                zipfile.ZipInfo(entry.filename),
                data,
                zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED,
            )
    return result.getvalue()


def strip(graph):
    for node in graph["nodes"]:
        for key in UNREAD:
            node["metadata"].pop(key, None)
        for argument in node["inputs"]:
            if "as_graph" in argument["arg"]:
                strip(argument["arg"]["as_graph"]["graph"])


def save(name, model, inputs, dynamic_shapes=None):
    model.eval().requires_grad_(False)
    program = torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes, strict=False)
    lowered = to_edge_transform_and_lower(program, generate_etrecord=True).to_executorch()
    record = lowered.get_etrecord()
    outputs = _pytree.tree_leaves(model(*inputs))  # which changes the ATen program's buffers
    record.update_representative_inputs(_pytree.tree_leaves(inputs))
    record.update_reference_outputs([outputs])
    buffer = io.BytesIO()
    record.save(buffer)
    (FOLDER / f"{name}.etrecord").write_bytes(smaller(buffer))


def tensor(name):
    return {"as_tensor": {"name": name}}


def described(sizes, number):
    """A TensorMeta of the serialized program; `number` is its dtype."""
    return {
        "dtype": number,
        "sizes": [{"as_int": size} for size in sizes],
        "requires_grad": False,
        "device": {"type": "cpu"},
        "strides": [],
        "storage_offset": {"as_int": 0},
        "layout": 7,
    }


def node(name, target, inputs, outputs):
    arguments = [{"name": label, "arg": argument} for label, argument in inputs]
    return {
        "name": name,
        "target": f"torch.ops.{target}",
        "inputs": arguments,
        "outputs": [{"as_tensors": [{"name": output} for output in outputs]}],
        "metadata": {},
    }


def graph(inputs, outputs, nodes, values):
    return {
        "inputs": [tensor(name) for name in inputs],
        "outputs": [tensor(name) for name in outputs],
        "nodes": nodes,
        "tensor_values": values,
        "sym_int_values": {},
        "sym_bool_values": {},
    }


def body(name, inner):
    return ("", {"as_graph": {"name": name, "graph": inner}})


def tensors(*names):
    return ("", {"as_tensors": [{"name": name} for name in names]})


def write(name, inner):
    program = {
        "schema_version": {"major": 5, "minor": 4},
        "verifiers": ["TRAINING"],
        "graph_module": {
            "graph": inner,
            "signature": {
                "input_specs": [{"user_input": {"arg": arg}} for arg in inner["inputs"]],
                "output_specs": [{"user_output": {"arg": arg}} for arg in inner["outputs"]],
            },
        },
    }
    (FOLDER / f"{name}.json").write_text(json.dumps(program, separators=(",", ":")))


def write_loops():
    """What this version of ExecuTorch writes into no record yet."""
    row, rows, number = described([3], 7), described([4, 3], 7), described([], 5)
    add = node(
        "sum", "aten.add.Tensor", [("self", tensor("carry")), ("other", tensor("x"))], ["sum"]
    )
    scaled = node(
        "scaled", "aten.mul.Tensor", [("self", tensor("sum")), ("other", tensor("by"))], ["scaled"]
    )
    names = ("carry", "x", "by", "sum", "scaled")
    step = graph(names[:3], names[3:], [add, scaled], dict.fromkeys(names, row))
    scan = node(
        "scan",
        "higher_order.scan",
        [body("step", step), tensors("first"), tensors("xs"), tensors("factor")],
        ["last", "all"],
    )
    values = {"first": row, "xs": rows, "factor": row, "last": row, "all": rows}
    write("scan", graph(("first", "xs", "factor"), ("last", "all"), [scan], values))

    below = node(
        "below", "aten.lt.Scalar", [("self", tensor("i")), ("other", {"as_int": 5})], ["below"]
    )
    question = graph(
        ("i", "x"), ("below",), [below], {"i": number, "x": row, "below": described([], 12)}
    )
    count = node(
        "next", "aten.add.Scalar", [("self", tensor("i")), ("other", {"as_int": 1})], ["next"]
    )
    twice = node(
        "twice", "aten.mul.Scalar", [("self", tensor("x")), ("other", {"as_int": 2})], ["twice"]
    )
    values = {"i": number, "x": row, "next": number, "twice": row}
    turn = graph(("i", "x"), ("next", "twice"), [count, twice], values)
    loop = node(
        "loop",
        "higher_order.while_loop",
        [body("question", question), body("turn", turn), tensors("i", "x"), tensors()],
        ["count", "result"],
    )
    values = {"i": number, "x": row, "count": number, "result": row}
    write("while", graph(("i", "x"), ("count", "result"), [loop], values))

    truth = described([], 12)
    same = graph(("a",), ("a",), [], {"a": truth})
    endless = node(
        "loop",
        "higher_order.while_loop",
        [body("question", same), body("turn", same), tensors("a"), tensors()],
        ["b"],
    )
    write("endless", graph(("a",), ("b",), [endless], {"a": truth, "b": truth}))


def main():
    torch.manual_seed(0)
    save("cache", Cache(), (torch.randn(1, 4), torch.tensor([3])))
    save("views", Views(), (torch.randn(2, 4),))
    save("chosen", Chosen(), (torch.randn(8, 3), torch.tensor(5)))
    half = torch.export.Dim("half", min=1, max=8)
    save("sizes", Sizes(), (torch.randn(4, 6),), ({0: 2 * half},))
    save("recurrent", Recurrent(), (torch.randn(3, 2, 3),))
    save("constants", Constants(), (torch.randn(2, 3), 3, None, 0.5))
    save("mixed", Mixed(), (torch.randn(2, 8, 8),))
    save("last", Last(), (torch.randn(3, 2, 3),))
    write_loops()


if __name__ == "__main__":
    main()

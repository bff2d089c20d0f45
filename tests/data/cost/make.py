"""Makes the records of this folder, and what PyTorch counts for them and for the other fixtures.

    OMP_NUM_THREADS=1 python tests/data/cost/make.py

Needs torch and executorch. Each record holds the edge program of a model of known cost, without
weights, stack traces and module paths. flops.json has what torch.utils.flop_counter counts when the
edge program of a record runs: 2 for each multiply-add of convolutions and matrix products.
"""

import io
import json
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401, the operators of quantized records
from executorch.devtools import parse_etrecord
from executorch.exir import to_edge
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

FOLDER = Path(__file__).resolve().parent
DATA = FOLDER.parent
UNREAD = ("stack_trace", "nn_module_stack", "torch_fn", "source_fn_stack", "from_node")


def conv(inputs, outputs, kernel, stride=1, groups=1, act=nn.ReLU6):
    layers = [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    return nn.Sequential(*layers, *([act()] if act else []))


class Inverted(nn.Module):
    """MobileNet v2's block: widen, depthwise, narrow."""

    def __init__(self, inputs, outputs, stride, widen):
        super().__init__()
        inner = inputs * widen
        self.adds = stride == 1 and inputs == outputs
        self.body = nn.Sequential(
            *([conv(inputs, inner, 1)] if widen > 1 else []),
            conv(inner, inner, 3, stride, groups=inner),
            conv(inner, outputs, 1, act=None),
        )

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


class MobileNet(nn.Module):
    def __init__(self):
        super().__init__()
        layers, last = [conv(3, 32, 3, 2)], 32
        for widen, outputs, count, stride in (
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
            (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
        ):  # fmt: skip
            for i in range(count):
                layers.append(Inverted(last, outputs, stride if i == 0 else 1, widen))
                last = outputs
        self.features = nn.Sequential(*layers, conv(last, 1280, 1))
        self.classes = nn.Linear(1280, 1000)

    def forward(self, x):
        return self.classes(self.features(x).mean((2, 3)))


class Bottleneck(nn.Module):
    """ResNet-50's block, with the stride in the 3x3 convolution (v1.5)."""

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.body = nn.Sequential(
            conv(inputs, width, 1, act=nn.ReLU),
            conv(width, width, 3, stride, act=nn.ReLU),
            conv(width, 4 * width, 1, act=None),
        )
        same = stride == 1 and inputs == 4 * width
        self.skip = nn.Identity() if same else conv(inputs, 4 * width, 1, stride, act=None)

    def forward(self, x):
        return torch.relu(self.body(x) + self.skip(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        layers, last = [conv(3, 64, 7, 2, act=nn.ReLU), nn.MaxPool2d(3, 2, 1)], 64
        for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for i in range(count):
                layers.append(Bottleneck(last, width, stride if i == 0 else 1))
                last = 4 * width
        self.features = nn.Sequential(*layers)
        self.classes = nn.Linear(last, 1000)

    def forward(self, x):
        return self.classes(self.features(x).mean((2, 3)))


class Encoder(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.body = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        n, steps, width = x.shape
        split = self.qkv(self.first(x)).view(n, steps, 3, self.heads, width // self.heads)
        q, k, v = split.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(mixed.transpose(1, 2).reshape(n, steps, width))
        return x + self.body(self.second(x))


class ViT(nn.Module):
    """ViT-B/16: 196 patches of 16x16 and a class token, 12 layers of 768."""

    def __init__(self, width=768, layers=12, heads=12):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.zeros(1, 197, width))
        self.layers = nn.Sequential(*[Encoder(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.classes = nn.Linear(width, 1000)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.classes(self.norm(self.layers(x))[:, 0])


class Recurrent(nn.Module):
    """Two layers of 64 units, 10 steps of 2 sequences."""

    def __init__(self):
        super().__init__()
        self.body = nn.LSTM(32, 64, 2)

    def forward(self, x):
        return self.body(x)[0]


def strip(graph):
    for node in graph["nodes"]:
        node["metadata"] = {k: v for k, v in node["metadata"].items() if k not in UNREAD}


def smaller(saved):
    """A record without what counting does not read."""
    packed = io.BytesIO()
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(packed, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if data[:1] == b"{" and b'"graph_module"' in data:
                program = json.loads(data)
                strip(program["graph_module"]["graph"])
                program["graph_module"]["module_call_graph"] = []
                data = json.dumps(program, separators=(",", ":")).encode()
            elif name.endswith(("_state_dict", "_constants", "_example_inputs")):
                data = b""
            if name.startswith("exported_program"):
                continue
            target.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


def inputs_of(program):
    """Zeros of the shapes that the program was exported with."""
    user = set(program.graph_signature.user_inputs)
    for node in program.graph.nodes:
        if node.op == "placeholder" and node.name in user:
            value = node.meta["val"]
            if isinstance(value, torch.Tensor):
                yield torch.zeros([int(size) for size in value.shape], dtype=value.dtype)
            else:
                yield value


def count(program):
    """Flops of an edge program by operator, and in all."""
    module = program.module()
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), counter:
        module(*inputs_of(program))
    return counter.get_total_flops()


def save(name, model, x):
    model.eval().requires_grad_(False)
    edge = to_edge(torch.export.export(model, (x,), strict=False), generate_etrecord=True)
    flops = count(edge.exported_program())
    buffer = io.BytesIO()
    edge.to_executorch().get_etrecord().save(buffer)
    (FOLDER / f"{name}.etrecord").write_bytes(smaller(buffer))
    return {"forward": flops}


def count_record(path):
    """By method; those that PyTorch cannot run are left out."""
    record, counts = parse_etrecord(str(path)), {}
    programs = {"forward": record.edge_dialect_program}
    for key, value in (record.graph_map or {}).items():
        if key.startswith("edge_dialect_exported_program/"):
            programs[key.split("/")[1]] = value
    if isinstance(record.edge_dialect_program, dict):
        programs = record.edge_dialect_program
    for method, program in programs.items():
        try:
            counts[method] = count(program)
        except Exception as error:
            print(f"{path.name} {method}: {type(error).__name__}: {error}"[:160], file=sys.stderr)
    return counts


def main():
    torch.manual_seed(0)
    image = torch.zeros(1, 3, 224, 224)
    counts = {
        "cost/mobilenet_v2": save("mobilenet_v2", MobileNet(), image),
        "cost/resnet50": save("resnet50", ResNet(), image),
        "cost/vit_b_16": save("vit_b_16", ViT(), image),
        "cost/lstm": save("lstm", Recurrent(), torch.zeros(10, 2, 32)),
    }
    for path in sorted(DATA.glob("*/*.etrecord")):
        if path.parent != FOLDER:
            counts[f"{path.parent.name}/{path.stem}"] = count_record(path)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(DATA / "delegates" / "sweep.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        for path in sorted(Path(folder).glob("*.etrecord")):
            counts[f"sweep/{path.stem}"] = count_record(path)
    text = json.dumps({k: v for k, v in counts.items() if v}, indent=0)
    (FOLDER / "flops.json").write_text(text + "\n")


if __name__ == "__main__":
    main()

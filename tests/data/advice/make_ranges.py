"""Measures by how much what advice saves differs from the time of what goes away: ranges.tsv.

    python tests/data/advice/make_ranges.py ETSCOPE FOLDER

ETSCOPE is the command; programs and traces are written to FOLDER. Needs torch 2.15.0 and executorch
1.5.1. Each pair of models (what advice is about, and what follows it) is recorded ROUNDS times, each
time in a new process and in random order, with one thread and with two.
ranges.tsv has a line for each pair and number of threads: the medians over the rounds of what advice
said of the trace before, and of both runs; and the quartiles of what the rounds saved.
"""

import json
import random
import statistics
import subprocess
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from torch import nn

ROUNDS, RUNS, WARMUP = 12, 60, 20
HERE = Path(__file__).resolve().parent
COLUMNS = ("name", "threads", "stated_us", "stated_upper_us", "before_us", "after_us", "saved_us",
           "quartile_us", "quartile_upper_us")


class Between(nn.Module):
    """Two layers with something in between."""

    def __init__(self, between, size):
        super().__init__()
        self.between = between
        self.first, self.second = nn.Linear(size, size), nn.Linear(size, size)
        self.ones = nn.Parameter(torch.tril(torch.ones(size, size)))

    def forward(self, x):
        return self.second(self.between(self.first(x), self.ones))


class Image(nn.Module):
    def __init__(self, end):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1)
        self.end, self.head = end, nn.Linear(16, 10)
        self.area = nn.Parameter(torch.full((16, 1, 3, 3), 1 / 9))

    def forward(self, x):
        x = self.second(torch.relu(self.first(x)))
        return self.head(torch.flatten(self.end(x, self.area), 1))


class Attention(nn.Module):
    def __init__(self, attend):
        super().__init__()
        self.attend, self.split, self.join = attend, nn.Linear(64, 192), nn.Linear(64, 64)

    def forward(self, x):
        q, k, v = self.split(x).view(1, -1, 3, 4, 16).permute(2, 0, 3, 1, 4)
        return self.join(self.attend(q, k, v).transpose(1, 2).reshape(1, -1, 64))


def softplus(x, _):
    return torch.relu(x) + torch.log(1.0 + torch.exp(-torch.abs(x)))


def thrice(step):
    return lambda x, ones: step(step(step(x, ones), ones), ones)


def attention(q, k, v):
    return torch.softmax(q @ k.transpose(-1, -2) * torch.tensor(0.25), -1) @ v


IMAGE = (torch.randn(1, 3, 32, 32),)
BETWEEN = {  # size, rows, before, after
    "softplus": (128, 64, lambda x, _: F.softplus(x), softplus),
    "softplus, three times": (128, 64, thrice(lambda x, _: F.softplus(x)), thrice(softplus)),
    "cumsum": (128, 64, lambda x, _: torch.cumsum(x, -1), lambda x, ones: F.linear(x, ones)),
    "elu": (512, 64, lambda x, _: F.elu(x),
            lambda x, _: torch.relu(x) + torch.exp(-torch.relu(-x)) - 1.0),
    "where": (256, 64, lambda x, _: torch.where(x > 0, x, x * 0.1), lambda x, _: F.leaky_relu(x, 0.1)),
    "pow(x, 3)": (256, 64, lambda x, _: x**3, lambda x, _: x * x * x),
    "reciprocal": (128, 64, lambda x, _: torch.reciprocal(x + 3.0),
                   lambda x, _: torch.tensor(1.0) / (x + 3.0)),
}


def pairs():
    """(name, model and partitioner before, the same after, inputs)"""
    xnnpack, none = [XnnpackPartitioner()], []
    for name, (size, count, before, after) in BETWEEN.items():
        yield (name, (Between(before, size), xnnpack), (Between(after, size), xnnpack),
               (torch.randn(count, size),))
    yield ("mean without keepdim", (Image(lambda x, _: x.mean((2, 3))), xnnpack),
           (Image(lambda x, _: x.mean((2, 3), keepdim=True)), xnnpack), IMAGE)
    yield ("pool that counts its padding",
           (Image(lambda x, _: F.avg_pool2d(x, 3, 2, 1)[:, :, :1, :1]), xnnpack),
           (Image(lambda x, area: F.conv2d(x, area, stride=2, padding=1, groups=16)[:, :, :1, :1]),
            xnnpack), IMAGE)
    yield ("attention", (Attention(F.scaled_dot_product_attention), xnnpack),
           (Attention(attention), xnnpack), (torch.randn(1, 64, 64),))
    image = Image(lambda x, _: x.mean((2, 3), keepdim=True))
    yield "convolutions as kernels", (image, none), (image, xnnpack), IMAGE
    for size, count in (256, 32), (32, 4):
        model = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, size))
        yield (f"{count} x {size} as kernels", (model, none), (model, xnnpack),
               (torch.randn(count, size),))


def export(path, model, partitioners, inputs):
    edge = to_edge_transform_and_lower(torch.export.export(model.eval(), inputs),
                                       partitioner=partitioners, generate_etrecord=True)
    program = edge.to_executorch()
    path.with_suffix(".pte").write_bytes(program.buffer)
    program.get_etrecord().save(str(path.with_suffix(".etrecord")))


def run(*words):
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)


def record(etscope, path, threads):
    """The median run in microseconds."""
    words = [etscope, "profile", path.with_suffix(".pte"), "--no-siblings", "--runs", str(RUNS),
             "--warmup", str(WARMUP), "-o", path.with_suffix(".etdp"), *threads]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    rows = run(etscope, "inspect", path.with_suffix(".etdp"), "--no-siblings", "--format", "json")["rows"]
    return next(row["p50_ns"] for row in rows if row["operator"] == "Method::execute") / 1e3


def measure(etscope, path, threads):
    """What advice says of the trace before, and the two runs."""
    sides = {side: path / side for side in ("before", "after")}
    runs = {side: record(etscope, sides[side], threads)
            for side in random.sample(list(sides), 2)}
    rows = run(etscope, "advise", sides["before"].with_suffix(".etdp"), "--format", "json")["rows"]
    timed = [row for row in rows if row["saving_ns_upper"]]
    least = max(row["saving_ns"] for row in timed) / 1e3
    most = min(sum(row["saving_ns_upper"] for row in timed) / 1e3, runs["before"])
    return least, most, runs["before"], runs["after"]


def main():
    etscope, folder = sys.argv[1], Path(sys.argv[2]).resolve()
    torch.manual_seed(0)
    with open(HERE / "ranges.tsv", "w", encoding="utf-8") as table:
        print(*COLUMNS, sep="\t", file=table)
        for number, (name, before, after, inputs) in enumerate(pairs()):
            path = folder / str(number)
            path.mkdir(parents=True, exist_ok=True)
            export(path / "before", *before, inputs)
            export(path / "after", *after, inputs)
            for threads in ("1", "2"):
                rounds = [measure(etscope, path, ["--threads", threads]) for _ in range(ROUNDS)]
                middle = [statistics.median(column) for column in zip(*rounds)]
                saved = [line[2] - line[3] for line in rounds]
                low, _, high = statistics.quantiles(saved, n=4)
                print(name, threads, *(f"{value:.2f}" for value in
                                       (*middle, statistics.median(saved), low, high)),
                      sep="\t", file=table, flush=True)


if __name__ == "__main__":
    main()

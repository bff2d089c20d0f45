"""Pairs of models: one of each does what a kind of advice is about, in the lines that end with the
word planted; the other one follows the advice. SAME: both are one model, exported in another way."""

import executorch.exir  # noqa: F401, the operators quantized_decomposed
import torch
import torch.nn.functional as F
from torch import nn

ROWS, WIDTH = 64, 128
quantized = torch.ops.quantized_decomposed


def regular(module):
    """Weights that repeat: they take no room when they are packed, and as long to compute with."""
    for i, weight in enumerate(module.parameters()):
        count = weight.numel()
        numbers = ((torch.arange(count) + 7 * i) % 64 - 31.5) / 640
        weight.data = numbers.reshape(weight.shape).to(weight.dtype)
    return module.eval()


class Between(nn.Module):
    """The work in question between two linear layers, which XNNPACK always takes."""

    def __init__(self, work, middle=WIDTH):
        super().__init__()
        self.before, self.work, self.after = nn.Linear(WIDTH, WIDTH), work, nn.Linear(middle, WIDTH)

    def forward(self, x):
        y = self.before(x)
        z = self.work(y)  # planted
        return self.after(z)


class AfterConv(nn.Module):
    def __init__(self, work, channels=8):
        super().__init__()
        self.conv, self.work = nn.Conv2d(3, channels, 3, padding=1), work

    def forward(self, x):
        y = self.conv(x)
        return self.work(y)  # planted


class Reordered(nn.Module):
    """Rows in another order behind the first of two linear layers, or before both."""

    def __init__(self, is_moved):
        super().__init__()
        self.a, self.b, self.is_moved = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), is_moved

    def forward(self, x):
        if self.is_moved:
            return self.b(self.a(torch.cat([x[::2], x[1::2]])))
        y = self.a(x)
        z = torch.cat([y[::2], y[1::2]])  # planted
        return self.b(z)


class TwoConvs(nn.Module):
    def __init__(self, work):
        super().__init__()
        self.a, self.b = nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.work = work

    def forward(self, x):
        y = self.a(x)  # planted: a transpose before
        z = self.work(y)  # planted
        return self.b(z)


def ramp(t):
    return t + (torch.arange(WIDTH, dtype=torch.float32) * 0.01).sin().expand(ROWS, WIDTH)


def twice(t):
    return torch.erf(t) + torch.erf(t) * 0.5


def once(t):
    shared = torch.erf(t)
    return shared + shared * 0.5


def write(t):
    return quantized.quantize_per_tensor(t, 0.05, 3, -128, 127, torch.int8)


def read(t):
    return quantized.dequantize_per_tensor(t, 0.05, 3, -128, 127, torch.int8)


def float_inside(t):
    return write(read(t).permute(1, 0))


def bytes_inside(t):
    return t.permute(1, 0)


class Matmul(nn.Module):
    def forward(self, x, y):
        return torch.matmul(x, y)  # planted


class Guarded(nn.Module):
    def forward(self, q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # planted


class Unguarded(nn.Module):
    def forward(self, q, k, v, mask):
        scale = q.shape[-1] ** -0.25
        q = torch.ops.aten.mul.Scalar(q, scale)
        k = torch.ops.aten.mul.Scalar(k.transpose(-2, -1), scale)
        return torch.matmul(torch.softmax(torch.matmul(q, k) + mask, -1), v)


def softmax_inner(t):
    return torch.softmax(t, 0)


def softmax_permuted(t):
    return torch.softmax(t.permute(1, 0), -1).permute(1, 0)


def power_float(t):
    return torch.pow(t, 2.0)


def power_integer(t):
    return torch.pow(t, 2)


def power_three(t):
    return torch.pow(t, 3)


def multiplied(t):
    return t * t * t


def add_alpha(t):
    return torch.add(t, t, alpha=2)


def add_scaled(t):
    return t + t * 2.0


def mean_plain(t):
    return t.mean((2, 3))


def mean_kept(t):
    return t.mean((2, 3), keepdim=True).flatten(1)


def pool_counted(t):
    return F.avg_pool2d(t, 3, 2, 1)


def pool_uncounted(t):
    return F.avg_pool2d(t, 3, 2, 1, count_include_pad=False)


def pool_ceil(t):
    return F.avg_pool2d(t, 2, 2, ceil_mode=True)


def pool_floor(t):
    return F.avg_pool2d(t, 2, 2)


def pool_divisor(t):
    return F.avg_pool2d(t, 2, 2, divisor_override=3)


def pool_multiplied(t):
    return F.avg_pool2d(t, 2, 2) * (4 / 3)


def new_first(t):
    return t.unsqueeze(1) * 2.0


def viewed_first(t):
    return t.view(ROWS, 1, WIDTH) * 2.0


def scalar(t):
    return torch.ops.aten.mul.Scalar(t, 0.5)


def tensor(t):
    return t * torch.tensor(0.5)


def chunked(t):
    return torch.cat(t.chunk(2, -1)[::-1], -1)


def sliced(t):
    return torch.cat([t[:, WIDTH // 2:], t[:, :WIDTH // 2]], -1)


def selected(t):
    return t.view(ROWS // 2, 2, WIDTH)[:, 1]


def slice_viewed(t):
    return t.view(ROWS // 2, 2, WIDTH)[:, 1:].view(ROWS // 2, WIDTH)


def squeezed(t):
    return t.view(ROWS, 1, WIDTH).squeeze(1)


def viewed(t):
    return t.view(ROWS, 1, WIDTH).view(ROWS, WIDTH)


def nearest(t):
    return F.interpolate(t, scale_factor=2, mode="nearest")


def bilinear(t):
    return F.interpolate(t, scale_factor=2, mode="bilinear")


def elu(t):
    return F.elu(t)


def leaky(t):
    return F.leaky_relu(t)


def pool_two(t):
    return F.adaptive_avg_pool2d(t, 2)


def pool_fixed(t):
    return F.avg_pool2d(t, 16)


def erf(t):
    return torch.erf(t)


def sigmoid(t):
    return torch.sigmoid(t)


class Products(nn.Module):
    def forward(self, x, w):
        return torch.relu(x @ w)  # planted


class BatchedProducts(nn.Module):
    def forward(self, x, w):
        return torch.relu(torch.bmm(x.view(1, ROWS, WIDTH), w.view(1, WIDTH, WIDTH)))


class Prelu(nn.Module):
    def forward(self, x, w):
        return F.prelu(torch.sigmoid(x) - 0.5, w)  # planted


class PreluParameter(nn.Module):
    def __init__(self):
        super().__init__()
        self.prelu = nn.PReLU(8)

    def forward(self, x, w):
        return self.prelu(torch.sigmoid(x) - 0.5)


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))  # planted


class Half(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.a(x)  # planted


class State(nn.Module):
    """A cache of which each run writes one row."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(1, 512, WIDTH))

    def forward(self, x, at):
        torch.ops.aten.index_put_(self.cache, [None, at], x)  # planted
        return torch.relu(x) + self.cache[:, :1]


class NormBehind(nn.Module):
    def __init__(self, is_alone):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.is_alone = is_alone

    def forward(self, x):
        if self.is_alone:
            return self.norm(torch.relu(self.conv(x)))  # planted
        return torch.relu(self.norm(self.conv(x)))


class Activation(nn.Module):
    def __init__(self, is_fused):
        super().__init__()
        self.line, self.is_fused = nn.Linear(WIDTH, WIDTH), is_fused

    def forward(self, x):
        y = self.line(x)
        z = torch.relu(y)  # planted
        return z - torch.sigmoid(z if self.is_fused else y)


class Channels(nn.Module):
    """Convolutions of few output channels, which fill little of XNNPACK's blocks, or one of all."""

    def __init__(self, is_joined):
        super().__init__()
        self.is_joined = is_joined
        self.parts = nn.ModuleList([nn.Conv2d(32, 4, 3, padding=1) for _ in range(8)])
        self.whole = nn.Conv2d(32, 32, 3, padding=1)

    def forward(self, x):
        if self.is_joined:
            return self.whole(x)
        return [part(x) for part in self.parts]  # planted


class Many(nn.Module):
    """Small operators one by one, or one of all."""

    def __init__(self, is_stacked):
        super().__init__()
        self.is_stacked = is_stacked

    def forward(self, *inputs):
        if self.is_stacked:
            return torch.erf(torch.cat(inputs))
        return torch.cat([torch.erf(each) for each in inputs])  # planted


def rows(count=ROWS):
    return (torch.linspace(-2, 2, count * WIDTH).reshape(count, WIDTH),)


def image(channels=3, side=32):
    count = channels * side * side
    return (torch.linspace(-2, 2, count).reshape(1, channels, side, side),)


def last(channels, side):
    return (image(channels, side)[0].to(memory_format=torch.channels_last),)


def heads(*sizes):
    count = 1
    for size in sizes:
        count *= size
    return torch.linspace(-1, 1, count).reshape(sizes)


def eights():
    return tuple(heads(8) for _ in range(8))


ATTENTION = (heads(1, 4, 64, 32), heads(1, 4, 64, 32), heads(1, 4, 64, 32),
             torch.full((64, 64), float("-inf")).triu(1))


def between(before, after, **options):
    return (Between(before), rows()), (Between(after), rows())


def behind(before, after, channels=8):
    return (AfterConv(before, channels), image()), (AfterConv(after, channels), image())


class Function(nn.Module):
    def __init__(self, work):
        super().__init__()
        self.work = work

    def forward(self, *inputs):
        return self.work(*inputs)  # planted


def twins():
    """NAME: kind, (model, inputs, options) of before and of after."""
    same = {
        "constant_ramp": ("constant_work", Between(ramp), rows(), {}, {"constants": True}),
        "dequantized": ("weights_dequantized", Stack(), rows(),
                        {"quantized": True, "partition": "float"}, {"quantized": True}),
        "expanded": ("empty_expand", Matmul(), (heads(1, 4, 64, 64), heads(1, 4, 64, 64)), {},
                     {"transform": True}),
        "portable": ("nothing_delegated", Stack(), rows(), {"partition": "none"}, {}),
        "without_record": ("products_as_kernels", Stack(), rows(),
                           {"partition": "none", "record": False}, {"record": False}),
        "state": ("state_copied", State(), (heads(1, 1, WIDTH), torch.tensor([3])), {}, {"reinplace": True}),
        "bfloat16": ("refused_by_partitioner", Half().bfloat16(), (rows()[0].bfloat16(),), {},
                     {"partition": "bfloat16"}),
    }
    for name, (kind, model, inputs, before, after) in same.items():
        yield name, kind, (model, inputs, before), (model, inputs, after)
    layout = TwoConvs(sigmoid)
    yield "layout", "layout_transposes", (layout, image(8, 64), {}), (layout, last(8, 64), {})
    pairs = {
        "twice": ("computed_twice", between(twice, once)),
        "guarded": ("attention_guard", ((Guarded(), ATTENTION), (Unguarded(), ATTENTION))),
        "softmax": ("refused_by_partitioner", between(softmax_inner, softmax_permuted)),
        "power_float": ("refused_by_partitioner", between(power_float, power_integer)),
        "power_three": ("refused_by_partitioner", between(power_three, multiplied)),
        "alpha": ("refused_by_partitioner", between(add_alpha, add_scaled)),
        "mean": ("refused_by_partitioner", behind(mean_plain, mean_kept)),
        "pool_counted": ("refused_by_partitioner", behind(pool_counted, pool_uncounted)),
        "pool_ceil": ("refused_by_partitioner", behind(pool_ceil, pool_floor)),
        "pool_divisor": ("refused_by_partitioner", behind(pool_divisor, pool_multiplied)),
        "new_first": ("refused_by_partitioner", between(new_first, viewed_first)),
        "products": ("refused_by_partitioner", ((Products(), (heads(64, 128), heads(128, 128))),
                                                (BatchedProducts(), (heads(64, 128), heads(128, 128))))),
        "prelu": ("refused_by_partitioner", ((Prelu(), (*image(8), heads(8))),
                                             (PreluParameter(), (*image(8), heads(8))))),
        "scalar": ("no_rule_of_partitioner", between(scalar, tensor)),
        "chunk": ("no_rule_of_partitioner", between(chunked, sliced)),
        "select": ("no_rule_of_partitioner", between(selected, slice_viewed)),
        "squeeze": ("no_rule_of_partitioner", between(squeezed, viewed)),
        "nearest": ("no_rule_of_partitioner", behind(nearest, bilinear)),
        "elu": ("no_rule_of_partitioner", between(elu, leaky)),
        "pool_two": ("no_rule_of_partitioner", behind(pool_two, pool_fixed)),
        "split": ("split_by_kernel", ((Reordered(False), rows()), (Reordered(True), rows()))),
        "norm": ("batch_norm_alone", ((NormBehind(True), image(8)), (NormBehind(False), image(8)))),
        "activation": ("activation_not_fused", ((Activation(False), rows(1024)), (Activation(True), rows(1024)))),
        "channels": ("below_roof", ((Channels(False), last(32, 48)), (Channels(True), last(32, 48)))),
        "many": ("small_operators", ((Many(False), eights()), (Many(True), eights()))),
    }
    for name, (kind, (before, after)) in pairs.items():
        yield name, kind, (*before, {}), (*after, {})
    bytes_in, plain = (write(rows()[0]),), {"partition": "none"}
    yield ("island", "float_island", (Function(float_inside), bytes_in, plain),
           (Function(bytes_inside), bytes_in, plain))

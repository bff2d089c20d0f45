"""A causal transformer of two layers as a program with two methods.

prefill reads a whole prompt; decode reads one more token. The keys and values of all tokens
read so far (the cache) go in and out as plain tensors, so no call depends on an earlier one.
"""

import math

import torch
from torch import nn

VOCABULARY = 64
WIDTH = 24
HEADS = 2
HEAD_WIDTH = WIDTH // HEADS
LAYERS = 2
PROMPT = 16
CONTEXT = 32


class RmsNorm(nn.Module):
    """Divides each token's vector by its root mean square."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        mean_square = (x * x).mean(dim=-1, keepdim=True)
        return x * torch.rsqrt(mean_square + 1e-5) * self.weight


class Attention(nn.Module):
    """Attention of the given tokens to all tokens in the cache, which gains the given ones."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, WIDTH, bias=False)
        self.value = nn.Linear(WIDTH, WIDTH, bias=False)
        self.output = nn.Linear(WIDTH, WIDTH, bias=False)

    def split(self, x):
        """[batch, tokens, width] -> [batch, heads, tokens, head width]"""
        batch, tokens, _ = x.shape
        return x.view(batch, tokens, HEADS, HEAD_WIDTH).transpose(1, 2)

    def forward(self, x, positions, keys, values):
        keys = keys.index_copy(2, positions, self.split(self.key(x)))
        values = values.index_copy(2, positions, self.split(self.value(x)))

        # A token sees itself and what came before it, not the unused rest of the cache.
        visible = torch.arange(CONTEXT) <= positions.unsqueeze(1)
        scores = self.split(self.query(x)) @ keys.transpose(2, 3)
        scores = scores / math.sqrt(HEAD_WIDTH)
        scores = torch.where(visible, scores, -1e9)
        weights = torch.softmax(scores, dim=-1)

        mixed = weights @ values
        mixed = mixed.transpose(1, 2).reshape(x.shape)
        return self.output(mixed), keys, values


class FeedForward(nn.Module):
    """The gated unit that follows attention."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
        self.up = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
        self.down = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def forward(self, x):
        gate = self.gate(x)
        gate = gate * torch.sigmoid(gate)
        return self.down(gate * self.up(x))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm = RmsNorm()
        self.attention = Attention()
        self.feed_forward_norm = RmsNorm()
        self.feed_forward = FeedForward()

    def forward(self, x, positions, keys, values):
        y, keys, values = self.attention(self.attention_norm(x), positions, keys, values)
        x = x + y
        x = x + self.feed_forward(self.feed_forward_norm(x))
        return x, keys, values


class Transformer(nn.Module):
    """Tokens in; the scores of the token that follows the last of them, and the cache, out."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = RmsNorm()
        self.scores = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens, positions, keys, values):
        x = self.tokens(tokens) + self.positions(positions)
        new_keys, new_values = [], []
        for index, layer in enumerate(self.layers):
            x, layer_keys, layer_values = layer(x, positions, keys[index], values[index])
            new_keys.append(layer_keys)
            new_values.append(layer_values)
        x = self.norm(x[:, -1])
        return self.scores(x), torch.stack(new_keys), torch.stack(new_values)


class Prefill(nn.Module):
    """Reads a prompt into an empty cache."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        empty = torch.zeros(LAYERS, 1, HEADS, CONTEXT, HEAD_WIDTH)
        return self.model(tokens, torch.arange(PROMPT), empty, empty)


class Decode(nn.Module):
    """Reads one token at the given position."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, token, position, keys, values):
        return self.model(token, position, keys, values)


def build():
    torch.manual_seed(0)
    model = Transformer().eval()
    prefill, decode = Prefill(model), Decode(model)
    prompts = [(torch.randint(VOCABULARY, (1, PROMPT)),) for _ in range(2)]
    steps = []
    with torch.no_grad():
        for prompt in prompts:
            # Each decode case goes on where the prompt of the same number ended.
            scores, keys, values = prefill(*prompt)
            token = scores.argmax(dim=-1, keepdim=True)
            steps.append((token, torch.tensor([PROMPT]), keys, values))
    return {"prefill": (prefill, prompts), "decode": (decode, steps)}

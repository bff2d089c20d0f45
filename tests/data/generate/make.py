"""Makes the fixture: small language models, one for each way in which a program takes tokens.

    python make.py FOLDER     (a Python with torch and executorch)

FOLDER gets models.tar.xz: the programs, and tokens.json with the greedy tokens that upstream's runtime
gives for each (prompt, tokens). All have one layer of random weights, a vocabulary of 64, and but for
`whole`, `fixed` and `speech` a cache of 32 positions.

cached    one method; tokens [1, N], the first position [1]; logits of the last token
places    the same in bfloat16 with the positions [N] of all tokens, logits of all, no constant methods
steps     one token for each call, a position [1]
two       prefill_forward of 8 tokens, decode_forward of one; one cache for both
apart     the same without share_mutable_buffers: a cache for each
silent    `cached`, whose use_kv_cache returns false
whole     no cache: the whole sequence [1, N], logits of all tokens
fixed     no cache: exactly 8 tokens
speech    an encoder, and a decoder without cache that takes what the encoder gives
outside   `cached` with its weights in outside.ptd
nothing   two inputs that say nothing of tokens
rounded   `cached`, whose weights are rounded to 15 steps of each row, as 4 bits would have them
larger    `cached` with a vocabulary of 65

quality.json has 24 tokens, and for each of 1 to 23 what NumPy gives for `rounded` beside `cached` from the
logits of upstream's runtime: the KL divergence, both best tokens, both negative log-likelihoods.
"""

import io
import json
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy
import torch
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass
from executorch.runtime import Runtime
from torch.export import Dim, export

VOCABULARY, WIDTH, HEADS, CONTEXT, PROMPT = 64, 32, 2, 32, [3, 17, 9, 4, 50, 11, 7, 42]
NEW = 12
METADATA = {"get_max_context_len": CONTEXT, "get_max_seq_len": CONTEXT, "use_kv_cache": True,
            "get_vocab_size": VOCABULARY, "get_n_layers": 1, "get_bos_id": 1, "get_eos_ids": [2]}


class Layer(torch.nn.Module):
    """Attention and a product, with a cache of keys and values or without."""

    def __init__(self, has_cache, dtype=torch.float32, vocabulary=VOCABULARY):
        super().__init__()
        torch.manual_seed(7)
        self.tokens = torch.nn.Embedding(vocabulary, WIDTH)
        self.places = torch.nn.Embedding(CONTEXT, WIDTH)
        self.norm = torch.nn.LayerNorm(WIDTH)
        self.query, self.key, self.value, self.out = (torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.head = torch.nn.Linear(WIDTH, vocabulary)
        if has_cache:
            for name in ("k_cache", "v_cache"):
                self.register_buffer(name, torch.zeros(1, CONTEXT, HEADS, WIDTH // HEADS))
        self.to(dtype)

    def split(self, x):
        return x.view(1, -1, HEADS, WIDTH // HEADS)

    def logits(self, tokens, positions, has_cache=True, memory=None):
        x = self.tokens(tokens) + self.places(positions)
        y = self.norm(x)
        keys, values = self.split(self.key(y)), self.split(self.value(y))
        known = positions
        if has_cache:
            self.k_cache[:, positions] = keys
            self.v_cache[:, positions] = values
            keys, values, known = self.k_cache, self.v_cache, torch.arange(CONTEXT)
        mask = known[None, :] <= positions[:, None]
        mask = torch.where(mask, 0.0, -1e9).to(x.dtype)
        scores = self.split(self.query(y)).transpose(1, 2) @ keys.transpose(1, 2).transpose(2, 3)
        weights = torch.softmax(scores * 0.25 + mask, -1)
        x = x + self.out((weights @ values.transpose(1, 2)).transpose(1, 2).reshape(1, -1, WIDTH))
        if memory is not None:
            x = x + memory.mean(1, keepdim=True)
        return self.head(self.norm(x) * 4)


class Cached(Layer):
    def forward(self, tokens, position):
        return self.logits(tokens, position + torch.arange(tokens.shape[1]))[:, -1]


def rounded(model):
    """Every row of every matrix as whole multiples, -7 to 7, of one number."""
    for name, weight in model.named_parameters():
        if weight.dim() == 2:
            step = weight.abs().amax(1, keepdim=True) / 7
            weight.copy_(torch.round(weight / step) * step)
    return model


class Places(Layer):
    def forward(self, tokens, positions):
        return self.logits(tokens, positions)


class Steps(Layer):
    def forward(self, tokens, position):
        return self.logits(tokens, position)[:, -1]


class Whole(Layer):
    def forward(self, tokens):
        return self.logits(tokens, torch.arange(tokens.shape[1]), has_cache=False)


class Decoder(Layer):
    def forward(self, tokens, memory):
        return self.logits(tokens, torch.arange(tokens.shape[1]), has_cache=False, memory=memory)


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(16, WIDTH)

    def forward(self, sound):
        return torch.relu(self.layer(sound))


class Nothing(torch.nn.Module):
    def forward(self, left, right):
        return left + right


def outside(methods, constants):
    """The program, and the data file of its weights."""
    made = to_edge(methods, constant_methods=constants,
                   compile_config=EdgeCompileConfig(_check_ir_validity=False)).to_executorch(
        ExecutorchBackendConfig(external_constants=True, memory_planning_pass=MemoryPlanningPass(
            alloc_graph_input=False)))
    with tempfile.TemporaryDirectory() as folder:
        made.write_tensor_data_to_file(folder)
        data, = Path(folder).iterdir()
        return made.buffer, data.read_bytes()


def program(methods, constants=None, shares=False):
    edge = to_edge(methods, constant_methods=constants,
                   compile_config=EdgeCompileConfig(_check_ir_validity=False))
    planning = MemoryPlanningPass(alloc_graph_input=False, share_mutable_buffers=shares)
    return edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planning)).buffer


def numbers(count, start=0):
    return torch.arange(start, start + count)


def cached_methods(model):
    several = Dim("several", max=CONTEXT - 1)
    return {"forward": export(model.eval(), (torch.tensor([PROMPT]), torch.tensor([0])), strict=True,
                              dynamic_shapes=({1: several}, None))}


def write_twins(files):
    files["rounded"] = program(cached_methods(rounded(Cached(True))), METADATA)
    files["larger"] = program(cached_methods(Cached(True, vocabulary=VOCABULARY + 1)),
                              {**METADATA, "get_vocab_size": VOCABULARY + 1})


def log_softmax(row):
    row = row.astype(numpy.float64) - row.max()
    return row - numpy.log(numpy.exp(row).sum())


def quality(model, reference):
    """What `etscope quality` is to say, token by token."""
    tokens = [(7 * i * i + 3 * i + 1) % VOCABULARY for i in range(24)]
    rows = {"tokens": tokens, "kl": [], "best": [], "reference_best": [], "nll": [], "reference_nll": []}
    loaded = [Runtime.get().load_program(data) for data in (model, reference)]
    methods = [each.load_method("forward") for each in loaded]
    for position, token in enumerate(tokens[:-1]):
        q, p = (log_softmax(each.execute([torch.tensor([[token]]), torch.tensor([position])])[0]
                            .reshape(-1).numpy()) for each in methods)
        rows["kl"].append(float((numpy.exp(p) * (p - q)).sum()))
        rows["best"].append(int(q.argmax()))
        rows["reference_best"].append(int(p.argmax()))
        rows["nll"].append(float(-q[tokens[position + 1]]))
        rows["reference_nll"].append(float(-p[tokens[position + 1]]))
    return rows


def write(files):
    several = Dim("several", max=CONTEXT - 1)
    prompt = torch.tensor([PROMPT])
    one = torch.tensor([[3]])
    first = torch.tensor([0])
    cached = cached_methods(Cached(True))
    files["cached"] = program(cached, METADATA)
    write_twins(files)
    files["silent"] = program(cached, {**METADATA, "use_kv_cache": False})
    files["places"] = program(
        {"forward": export(Places(True, torch.bfloat16).eval(), (prompt, numbers(8)), strict=True,
                           dynamic_shapes=({1: several}, {0: several}))})
    files["steps"] = program({"forward": export(Steps(True).eval(), (one, first), strict=True)}, METADATA)
    both = Cached(True).eval()
    methods = {"prefill_forward": export(both, (prompt, first), strict=True),
               "decode_forward": export(both, (one, first), strict=True)}
    files["two"] = program(methods, METADATA, shares=True)
    files["apart"] = program(methods, METADATA)
    files["whole"] = program(
        {"forward": export(Whole(False).eval(), (prompt,), strict=True,
                           dynamic_shapes=({1: Dim("length", max=CONTEXT)},))},
        {**METADATA, "use_kv_cache": False})
    files["fixed"] = program({"forward": export(Whole(False).eval(), (prompt,), strict=True)})
    memory = torch.zeros(1, 5, WIDTH)
    files["speech"] = program(
        {"encoder": export(Encoder().eval(), (torch.zeros(1, 5, 16),), strict=True),
         "decoder": export(Decoder(False).eval(), (prompt, memory), strict=True,
                           dynamic_shapes=({1: Dim("length", max=CONTEXT)}, None))})
    files["outside"], weights = outside(cached, METADATA)
    files["nothing"] = program(
        {"forward": export(Nothing().eval(), (torch.zeros(2, 2), torch.zeros(2, 2)), strict=True)})
    return weights


def greedy(name, data):
    loaded = Runtime.get().load_program(data)
    methods = {each: loaded.load_method(each) for each in loaded.method_names
               if each in ("forward", "prefill_forward", "decode_forward")}
    sequence, tokens = list(PROMPT), []

    def run(method, new, position):
        new = torch.tensor([new])
        places = {"places": [numbers(new.shape[1], position)], "whole": []}.get(name, [torch.tensor([position])])
        out = methods[method].execute([new, *places])[0]
        return int(out.reshape(-1, VOCABULARY)[-1].float().argmax())

    first, later = ("prefill_forward", "decode_forward") if name == "two" else ("forward", "forward")
    if name == "steps":
        for position, token in enumerate(PROMPT):
            token = run(first, [token], position)
    else:
        token = run(first, PROMPT, 0)
    for step in range(NEW):
        tokens.append(token)
        sequence.append(token)
        token = run(later, sequence if name == "whole" else [token],
                    0 if name == "whole" else len(PROMPT) + step)
    return tokens


def main():
    files = {}
    with torch.no_grad():
        weights = write(files)
    expected = {name: {"prompt": PROMPT, "tokens": greedy(name, data)} for name, data in files.items()
                if name in ("cached", "places", "steps", "two", "whole")}
    print({name: len(data) for name, data in files.items()}, expected)
    entries = {f"{name}.pte": data for name, data in files.items()}
    entries["outside.ptd"] = weights
    entries["quality.json"] = (json.dumps(quality(files["rounded"], files["cached"])) + "\n").encode()
    entries["tokens.json"] = (json.dumps(expected) + "\n").encode()
    with tarfile.open(Path(sys.argv[1]) / "models.tar.xz", "w:xz", preset=9) as archive:
        for name, data in sorted(entries.items()):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


if __name__ == "__main__":
    main()

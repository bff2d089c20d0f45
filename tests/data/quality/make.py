"""Makes models.tar.xz: a Llama of two layers in float and in 8da4w, and what NumPy says of its layers.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

float.etrecord is the record of the float model, 4bit.pte and 4bit.etrecord are the same weights in 8da4w
(groups of 32, embedding of 4 bits); 4bit.slim.etrecord has no weights. layers.json has 24 tokens and mean KL
divergences (float || changed) in nats, computed by a Llama in NumPy and float64 (`logits` below) in which
one layer has other weights: `present`, those of 4bit.pte, and each scheme's, rounded as torchao rounds
them. `together` has all present ones.
"""

import io
import json
import os
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy
import torch
from executorch.examples.models.llama.export_llama_lib import build_args_parser, export_llama
from executorch.extension.llm.export.config.llm_config import LlmConfig
from torchao.quantization import IntxWeightOnlyConfig, quantize_
from torchao.quantization.granularity import PerAxis, PerGroup

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import pack_record

DIM, HIDDEN, HEADS, KEPT, VOCABULARY, LAYERS, THETA, EPS = 64, 128, 4, 2, 64, 2, 10000.0, 1e-5
SIZES = {"dim": DIM, "n_layers": LAYERS, "n_heads": HEADS, "n_kv_heads": KEPT, "vocab_size": VOCABULARY,
         "hidden_dim": HIDDEN, "multiple_of": 32, "norm_eps": EPS, "rope_theta": THETA}
COMMON = ("--model llama3 --max_seq_length 32 --max_context_length 32 --generate_etrecord -kv "
          "--use_sdpa_with_kv_cache -X -d fp32")
MODELS = {"float": "", "4bit": "--xnnpack-extended-ops -qmode 8da4w -G 32 -E 4,32"}
SCHEMES = {"int4": (4, 0), "int4_g128": (4, 128), "int4_g64": (4, 64), "int4_g32": (4, 32), "int8": (8, 0)}
TOKENS = [(7 * i * i + 3 * i + 1) % VOCABULARY for i in range(24)]


def weights():
    torch.manual_seed(0)
    narrow = DIM * KEPT // HEADS

    def coarse(numbers):
        """Whole 256ths, which take less room."""
        return torch.round(numbers * 256) / 256

    def matrix(rows, columns, size=1.0):
        return coarse(size * torch.randn(rows, columns) / columns ** 0.5)

    def norm():
        return torch.ones(DIM) + 0.1 * torch.randn(DIM)

    found = {"tok_embeddings": coarse(torch.randn(VOCABULARY, DIM)), "norm": norm(), "output": matrix(VOCABULARY, DIM)}
    for i in range(LAYERS):
        found |= {f"layers.{i}.{name}": value for name, value in {
            "attention.wq": matrix(DIM, DIM), "attention.wk": matrix(narrow, DIM),
            "attention.wv": matrix(narrow, DIM), "attention.wo": matrix(DIM, DIM),
            "feed_forward.w1": matrix(HIDDEN, DIM), "feed_forward.w3": matrix(HIDDEN, DIM),
            "feed_forward.w2": matrix(DIM, HIDDEN, 2.0), "attention_norm": norm(), "ffn_norm": norm()}.items()}
    return found


def export(folder, name, options):
    (folder / "sizes.json").write_text(json.dumps(SIZES))
    torch.save({f"{key}.weight": value for key, value in weights().items()}, folder / "weights.pth")
    arguments = build_args_parser().parse_args([
        *COMMON.split(), *options.split(), "-c", f"{folder}/weights.pth", "-p", f"{folder}/sizes.json",
        "-o", str(folder), "-n", f"{name}.pte"])
    export_llama(LlmConfig.from_args(arguments))
    return (folder / f"{name}.pte").read_bytes(), stored(pack_record((folder / "etrecord.bin").read_bytes()))


def stored(record, has_weights=True):
    """The record with plain entries, which xz packs better; without weights those have no bytes."""
    plain = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(record)) as source, zipfile.ZipFile(plain, "w") as target:
        for name in source.namelist():
            is_left_out = not has_weights and name.endswith(("_state_dict", "_constants"))
            target.writestr(zipfile.ZipInfo(name), b"" if is_left_out else source.read(name))
    return plain.getvalue()


def rms_norm(x, weight):
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + EPS) * weight


def rotate(x):
    """Pairs of neighbours, by the token's position."""
    size = x.shape[-1]
    angles = numpy.arange(len(x))[:, None] / THETA ** (numpy.arange(0, size, 2) / size)
    cos, sin = numpy.cos(angles)[:, None], numpy.sin(angles)[:, None]
    even, odd = x[..., 0::2], x[..., 1::2]
    return numpy.stack([even * cos - odd * sin, even * sin + odd * cos], -1).reshape(x.shape)


def logits(w, tokens):
    x = w["tok_embeddings"][tokens]
    count, size = len(tokens), DIM // HEADS
    mask = numpy.where(numpy.tri(count, dtype=bool), 0, -numpy.inf)
    for i in range(LAYERS):
        at = f"layers.{i}."
        y = rms_norm(x, w[at + "attention_norm"])
        query = rotate((y @ w[at + "attention.wq"].T).reshape(count, HEADS, size))
        key = rotate((y @ w[at + "attention.wk"].T).reshape(count, KEPT, size))
        value = (y @ w[at + "attention.wv"].T).reshape(count, KEPT, size)
        key, value = (each.repeat(HEADS // KEPT, 1) for each in (key, value))
        scores = numpy.einsum("qhd,khd->hqk", query, key) / size ** 0.5 + mask
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        x = x + numpy.einsum("hqk,khd->qhd", scores, value).reshape(count, DIM) @ w[at + "attention.wo"].T
        y = rms_norm(x, w[at + "ffn_norm"])
        gate = y @ w[at + "feed_forward.w1"].T
        x = x + (gate / (1 + numpy.exp(-gate)) * (y @ w[at + "feed_forward.w3"].T)) @ w[at + "feed_forward.w2"].T
    return rms_norm(x, w["norm"]) @ w["output"].T


def log_softmax(rows):
    rows = rows - rows.max(-1, keepdims=True)
    return rows - numpy.log(numpy.exp(rows).sum(-1, keepdims=True))


def divergence(reference, model):
    """Of what predicts a token of the text: not of the last one."""
    p, q = log_softmax(reference)[:-1], log_softmax(model)[:-1]
    return float((numpy.exp(p) * (p - q)).sum(-1).mean())


def rounded(weight, bits, group):
    """By torchao itself."""
    layer = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=False)
    layer.weight = torch.nn.Parameter(torch.tensor(weight, dtype=torch.float32))
    quantize_(layer, IntxWeightOnlyConfig(weight_dtype=getattr(torch, f"int{bits}"),
                                          granularity=PerGroup(group) if group else PerAxis(0)))
    return layer.weight.dequantize().detach().double().numpy()


def present(record):
    """The weights of the quantized program by layer, from its record."""
    with zipfile.ZipFile(io.BytesIO(record)) as file:
        state = torch.load(io.BytesIO(file.read("exported_program_state_dict")), weights_only=False)
    found, ending = {}, ".parametrizations.weight.original0"
    for name, integers in state.items():
        if name.endswith(ending):
            scales = state[name[:-1] + "1"].bfloat16().float()  # as XNNPACK has them
            scales = scales.repeat_interleave(integers.shape[1] // scales.shape[1], 1)
            found[name.removesuffix(ending)] = (integers.float() * scales).double().numpy()
    packed, scales = state["tok_embeddings.weight"], state["tok_embeddings.scales"]
    integers = torch.stack([packed >> 4, packed & 15], -1).reshape(VOCABULARY, DIM).float() - 8
    scales = scales.reshape(VOCABULARY, -1).repeat_interleave(DIM // scales.reshape(VOCABULARY, -1).shape[1], 1)
    return found | {"tok_embeddings": (integers * scales).double().numpy()}


def brute_force(record):
    own = {name: value.double().numpy() for name, value in weights().items()}
    clean = logits(own, TOKENS)
    quantized = present(record)

    def change(**changed):
        return divergence(clean, logits(own | changed, TOKENS))

    layers = {}
    for name, weight in own.items():
        if weight.ndim != 2:
            continue
        layers[name] = {"present": change(**{name: quantized[name]})}
        for scheme, (bits, group) in SCHEMES.items():
            if weight.shape[1] % (group or 1) == 0:
                layers[name][scheme] = change(**{name: rounded(weight, bits, group)})
    return {"tokens": TOKENS, "layers": layers, "together": change(**quantized)}


def main():
    archive = Path(sys.argv[1]).resolve() / "models.tar.xz"
    files = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)  # where the export writes
        for model, options in MODELS.items():
            files[f"{model}.pte"], files[f"{model}.etrecord"] = export(folder, model, options)
    del files["float.pte"]
    files["4bit.slim.etrecord"] = stored(files["4bit.etrecord"], has_weights=False)
    files["layers.json"] = (json.dumps(brute_force(files["4bit.etrecord"]), indent=1) + "\n").encode()
    print({name: len(data) for name, data in files.items()})
    with tarfile.open(archive, "w:xz", preset=9) as tar:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main()

"""Makes steps.tar.xz: a small Llama in 8da4w with a cache, and traces of three of its steps.

    python make.py FOLDER        (a Python with torch, torchao and executorch)

steps.pte, its record, and steps.etdump with tensors (steps.bin) are of upstream's runtime: a prompt
of 5 tokens, then two tokens of its own. scaled.* is the same model but for the scale of attention,
which is wrong: its traces with the record of steps are a planted fault of llama::custom_sdpa.
INPUTS of tests/cli/test_gap_language.py are what the runs were given; making fails where the model
takes other tokens.
"""

import io
import json
import os
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

import executorch.extension.llm.custom_ops.custom_ops  # noqa: F401
import executorch.kernels.quantized  # noqa: F401
import torch
from executorch.examples.models.llama.export_llama_lib import build_args_parser, export_llama
from executorch.examples.models.llama.source_transformation import sdpa
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.runtime import Runtime

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import pack_record, save_trace

SIZES = {"dim": 32, "n_layers": 1, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 32,
         "hidden_dim": 64, "multiple_of": 32, "norm_eps": 1e-05, "rope_theta": 10000.0}
INPUTS = (([3, 17, 9, 4, 25], 0), ([3], 5), ([14], 6))
OPTIONS = ("--model llama3 --max_seq_length 16 --max_context_length 16 --generate_etrecord -kv "
           "--use_sdpa_with_kv_cache -X --xnnpack-extended-ops -qmode 8da4w -G 32 -E 4,32 -d fp32")


def weights():
    torch.manual_seed(0)
    dim, hidden, kept = SIZES["dim"], SIZES["hidden_dim"], SIZES["dim"] // 2

    def matrix(rows, columns):
        return torch.randn(rows, columns) / columns ** 0.5

    def norm():
        return torch.ones(dim) + 0.1 * torch.randn(dim)

    first = {"tok_embeddings.weight": torch.randn(32, dim), "norm.weight": norm(),
             "output.weight": matrix(32, dim)}
    layer = {"attention.wq": matrix(dim, dim), "attention.wk": matrix(kept, dim),
             "attention.wv": matrix(kept, dim), "attention.wo": matrix(dim, dim),
             "feed_forward.w1": matrix(hidden, dim), "feed_forward.w3": matrix(hidden, dim),
             "feed_forward.w2": matrix(dim, hidden), "attention_norm": norm(), "ffn_norm": norm()}
    return first | {f"layers.0.{name}.weight": value for name, value in layer.items()}


class Scaled:
    """torch, whose custom_sdpa has a scale of 1/2."""

    def __getattr__(self, name):
        return self if name in ("ops", "llama") else getattr(torch, name)

    @staticmethod
    def custom_sdpa(query, key, value, start, mask, dropout, is_causal):
        return torch.ops.llama.custom_sdpa(query, key, value, start, mask, dropout, is_causal, 0.5)


def export(folder, name):
    (folder / "sizes.json").write_text(json.dumps(SIZES))
    torch.save(weights(), folder / "weights.pth")
    arguments = build_args_parser().parse_args([
        *OPTIONS.split(), "-c", f"{folder}/weights.pth", "-p", f"{folder}/sizes.json",
        "-o", str(folder), "-n", f"{name}.pte"])
    export_llama(LlmConfig.from_args(arguments))


def trace(folder, name):
    program = Runtime.get().load_program(folder / f"{name}.pte", enable_etdump=True,
                                         debug_buffer_size=400000)
    method = program.load_method("forward")
    for tokens, position in INPUTS:
        outputs = method.execute([torch.tensor([tokens]), torch.tensor([position])])
        print(name, "takes", outputs[0].argmax().item())
    save_trace(program, folder / f"{name}.etdump", folder / f"{name}.bin")


def main():
    archive = Path(sys.argv[1]).resolve() / "steps.tar.xz"
    with TemporaryDirectory() as name, tarfile.open(archive, "w:xz") as tar:
        folder = Path(name)
        os.chdir(folder)  # where the export writes
        export(folder, "steps")
        record = folder / "etrecord.bin"
        (folder / "steps.etrecord").write_bytes(pack_record(record.read_bytes()))
        record.unlink()
        sdpa.torch = Scaled()
        export(folder, "scaled")
        record.unlink()
        for each in ("steps", "scaled"):
            trace(folder, each)
        for path in sorted(folder.glob("s*[ed]*.*")):
            if path.suffix in (".pte", ".etrecord", ".etdump", ".bin"):
                entry = tarfile.TarInfo(path.name)
                entry.size = path.stat().st_size
                tar.addfile(entry, io.BytesIO(path.read_bytes()))


if __name__ == "__main__":
    main()

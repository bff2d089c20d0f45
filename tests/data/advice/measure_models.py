"""Follows the advice for all models at hand that an export can follow by itself, and measures it.

    OMP_NUM_THREADS=1 python tests/data/advice/measure_models.py ETSCOPE FOLDER [NAME...]

The models are those of examples/, and all records of tests/data that hold their exported program;
also the pairs of tests/data/delegation.tar.xz, whose delegation.tsv names the program that is
delegated. Each is exported again as it is; for each kind of REMEDIES that `etscope advise` finds,
it is exported once more as the remedy says. Both are measured as make.py measures pairs, in ROUNDS rounds. models.tsv
has what was promised and measured; the files stay in FOLDER.
"""

import csv
import statistics
import sys
import tarfile
from pathlib import Path

import torch
from executorch.devtools import parse_etrecord
from executorch.exir import to_edge_transform_and_lower  # noqa: F401, the operators of records

from make import DATA, FOLDER, RECORDS, find_advice, lower, measure, promise, store

EXAMPLES = DATA.parents[1] / "examples"
sys.path.append(str(EXAMPLES))
from models import MODELS

ROUNDS = 9
# Kind of advice, what its action says, and what the export does then: options of make.lower, and
# of the inputs.
REMEDIES = (
    ("nothing_delegated", "XnnpackPartitioner", {"partition": "xnnpack"}),
    ("layout_transposes", "channels_last", {"channels_last": True}),
    ("empty_expand", "get_transform_passes", {"transform": True}),
    ("constant_work", "program of to_edge", {"edge_constants": True}),
    ("constant_work", "exported program", {"constants": True}),
    ("state_copied", "run_reinplace_pass", {"reinplace": True}),
)


# Kinds that the programs of delegation.tsv were made for; of several the first is meant.
DELEGATED = ("refused_by_partitioner", "no_rule_of_partitioner", "empty_expand", "constant_work",
             "weights_dequantized")


def example_models():
    for name, make in MODELS.items():
        for method, (module, cases) in make().items():
            for partition in ("none", "xnnpack"):
                program = torch.export.export(module.eval(), cases[0])
                yield f"examples/{name}.{method}.{partition}", program, partition


def fixture_models():
    for path in sorted(DATA.glob("*/*.etrecord")):
        if not path.with_suffix(".pte").exists():
            continue
        try:
            program = parse_etrecord(str(path)).exported_program
        except Exception as error:
            print(f"{path.parent.name}/{path.stem}: {str(error)[:70]!r}", file=sys.stderr)
            continue
        if isinstance(program, torch.export.ExportedProgram) and program.example_inputs is not None:
            is_delegated = b"XnnpackBackend" in path.with_suffix(".pte").read_bytes()
            name = path.parent.name + ("" if path.stem == "model" else f".{path.stem}")
            yield f"tests/{name}", program, "xnnpack" if is_delegated else "none"


def follow(program, partition, channels_last=False, **options):
    if channels_last:
        inputs = [each.to(memory_format=torch.channels_last) if each.dim() == 4 else each
                  for each in program.example_inputs[0]]
        program = torch.export.export(program.module(), tuple(inputs))
    return lower(program, **{"partition": partition, **options})


def compare(etscope, name, kind, words, paths):
    """The numbers of the findings of a kind whose action has these words."""
    (saved, before, after, _), all_saved = measure(etscope, *paths, ROUNDS)
    low, _, high = statistics.quantiles(all_saved)
    numbers = (*promise(etscope, paths[0], kind, words), before, after, saved, low, high)
    line = "\t".join([name, kind, *(f"{number:.2f}" for number in numbers)])
    print(line, flush=True)
    return line


def models(etscope, out, only):
    for name, program, partition in [*example_models(), *fixture_models()]:
        if only and name not in only:
            continue
        path = out / name.replace("/", "_")
        try:
            store(path, follow(program, partition), EXAMPLES)
            found = find_advice(etscope, path)
        except Exception as error:
            print(f"{name}: {str(error)[:200]!r}", file=sys.stderr)
            continue
        for kind, words, options in REMEDIES:
            if not any(row["kind"] == kind and words in row["action"] for row in found):
                continue
            other = Path(f"{path}.{kind}.{next(iter(options))}")
            try:
                store(other, follow(program, **{"partition": partition, **options}), EXAMPLES)
                # The pass on the program of to_edge removes what it would remove earlier, too.
                of = "" if "edge_constants" in options else words
                yield compare(etscope, name, kind, of, (path, other))
            except Exception as error:
                print(f"{name}, {kind}: {str(error)[:200]!r}", file=sys.stderr)


def delegation(etscope, out, only):
    with tarfile.open(DATA / "delegation.tar.xz") as archive:
        archive.extractall(out)
    folder = out / "delegation"
    with open(folder / "delegation.tsv", encoding="utf-8") as lines:
        cases = [case for case in csv.DictReader(lines, delimiter="\t") if case["remedy"] != "-"]
    for case in cases:
        if only and f"delegation/{case['file']}" not in only:
            continue
        path = folder / case["file"]
        kinds = {row["kind"] for row in find_advice(etscope, path) if row["confidence"] != "low"}
        for kind in [kind for kind in DELEGATED if kind in kinds][:1]:
            yield compare(etscope, f"delegation/{case['file']}", kind, "", (path, folder / case["remedy"]))


def main():
    etscope, out, only = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    out.mkdir(parents=True, exist_ok=True)
    lines = [*models(etscope, out, only), *delegation(etscope, out, only)]
    head = RECORDS.replace("name", "model", 1)
    if not only:
        (FOLDER / "models.tsv").write_text("\n".join([head, *lines]) + "\n")


if __name__ == "__main__":
    main()

"""What the tests share: the recorded files of the C tests (tests/data/README.md)."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
EXAMPLES = ROOT / "examples"

MODELS = sorted(path.parent.name for path in DATA.glob("*/golden.json"))
assert len(MODELS) == 14, "cmake unpacks the largest models: make build"


def file(model, name):
    return str(DATA / model / name)


def golden(model):
    return json.loads((DATA / model / "golden.json").read_text())


def inspect(model, dump="profile", **options):
    """An Inspector over a fixture with its record and, for debug dumps, its debug buffer."""
    from etscope import Inspector

    options.setdefault("etrecord", file(model, "model.etrecord"))
    if dump == "debug":
        options.setdefault("debug_buffer_path", file(model, "debug.bin"))
    return Inspector(etdump_path=file(model, f"{dump}.etdp"), **options)

"""Names and signatures beside upstream's own; skipped where executorch is not installed."""

import importlib
import importlib.util
import inspect
import json
import sys
from unittest import mock

import pytest

from fixtures import DATA
from upstream_homes import HOMES

if not all(map(importlib.util.find_spec, ("torch", "executorch"))):
    pytest.skip("torch and executorch are not installed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")

# What docs/compatibility.md says is not there.
ABSENT = set()

# Made by the package only, from what only it has.
NOT_CONSTRUCTED = ("BackendRegistry", "Method", "MethodMeta", "OperatorRegistry", "Program",
                   "Runtime")  # fmt: skip

EMPTY = repr(inspect.Parameter.empty)
PAIRS = [(home, theirs, name) for home, (theirs, names) in HOMES.items() for name in names]


def upstream_module(name):
    """Its visualization asks for a module that Model Explorer 0.1.34 has under another name."""
    if "visualization" in name:
        for part in ("", ".config", ".pytorch_exported_program_adater_impl"):
            sys.modules.setdefault("model_explorer" + part, mock.MagicMock())
    return importlib.import_module(name)


def parameters(function):
    """[(name, kind, default or None)], or None where there is no signature to compare (C++)."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    return [
        (p.name, p.kind, "<lambda>" if inspect.isfunction(p.default) else repr(p.default))
        for p in signature.parameters.values()
    ]


def assert_accepts(ours, theirs, name):
    """Whether each call of theirs is one of ours: more parameters of ours have defaults."""
    upstream, found = parameters(theirs), parameters(ours)
    if upstream is None:
        return
    for expected, parameter in zip(upstream, found):
        assert parameter[:2] == expected[:2], name
        default = expected[2]
        if "TextIOWrapper" in default:
            default = "None"  # upstream's is what sys.stdout was at the time of the import
        if default != EMPTY and "<factory>" not in default:
            assert parameter[2] == default, name
    assert len(found) >= len(upstream), name
    assert EMPTY not in [default for _, _, default in found[len(upstream) :]], name


@pytest.mark.parametrize("home, theirs, name", PAIRS)
def test_what_upstream_takes_is_taken(home, theirs, name):
    ours = getattr(importlib.import_module(home), name)
    upstream = getattr(upstream_module(theirs), name)
    if inspect.ismodule(upstream):
        assert inspect.ismodule(ours)
        return
    if name in ("TimeScale", "Verification"):
        members, expected = ours.__members__.items(), upstream.__members__.items()
        assert {n: m.value for n, m in members} == {n: m.value for n, m in expected}
        return
    if name not in NOT_CONSTRUCTED:
        assert_accepts(ours, upstream, name)
    if not inspect.isclass(upstream):
        return
    for member in (member for member in dir(upstream) if not member.startswith("_")):
        title = f"{name}.{member}"
        if title in ABSENT and not hasattr(ours, member):
            continue
        assert hasattr(ours, member), title
        if inspect.isroutine(getattr(upstream, member)):
            assert_accepts(getattr(ours, member), getattr(upstream, member), title)


@pytest.mark.parametrize(
    "home", ["etscope", "etscope.inspector", "etscope.etrecord", "etscope.backend_debug",
             "etscope.intermediate_output_tap"]
)  # fmt: skip
def test_every_name_that_upstream_exports_is_compared(home):
    theirs, names = HOMES[home]
    assert sorted(upstream_module(theirs).__all__) == sorted(names)
    assert set(names) <= set(importlib.import_module(home).__all__)


def test_events_and_blocks_have_upstreams_fields():
    import dataclasses

    import etscope.inspector
    import executorch.devtools.inspector as upstream

    for name in ("Event", "EventBlock"):
        ours, theirs = (
            [field.name for field in dataclasses.fields(getattr(module, name))]
            for module in (etscope.inspector, upstream)
        )
        assert ours[: len(theirs)] == theirs


def test_recorded_names_are_upstreams():
    from executorch.extension.pybindings import portable_lib

    known = json.loads((DATA / "names" / "portable_lib.json").read_text())
    starts = ("BundledModule", "ExecuTorch", "_create", "_dump", "_get", "_is", "_load", "_reset")
    assert {name for name in dir(portable_lib) if name.startswith(starts)} <= set(known)
    for name, members in known.items():
        assert set(members or ()) <= set(dir(getattr(portable_lib, name))), name

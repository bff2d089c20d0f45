"""Names that scripts for upstream's tools import or call."""

import importlib
import json
import sys
from typing import get_args

import numpy as np
import pytest

from etscope import Error
from etscope.inspector import compare_results
from fixtures import DATA, inspect

NAMES = {
    "etscope.bundled_program.config": (
        "ConfigValue", "DataContainer", "MethodInputType", "MethodOutputType",
    ),
    "etscope.inspector.numerical_comparator.l1_numerical_comparator": ("L1Comparator",),
    "etscope.inspector.numerical_comparator.mse_numerical_comparator": ("MSEComparator",),
    "etscope.inspector.numerical_comparator.snr_numerical_comparator": ("SNRComparator",),
    "etscope.inspector.numerical_comparator.numerical_comparator_base": (
        "IntermediateOutputMapping", "NumericalComparatorBase",
    ),
    "etscope.inspector.vgf_neural_statistics": ("SCHEMA", "SCHEMA_VERSION"),
}  # fmt: skip


@pytest.mark.parametrize("module", NAMES)
def test_names_are_there(module):
    for name in NAMES[module]:
        assert getattr(importlib.import_module(module), name) is not None


def test_portable_lib_has_upstreams_names():
    from etscope.runtime import portable_lib

    upstream = json.loads((DATA / "names" / "portable_lib.json").read_text())
    for name, members in upstream.items():
        ours = getattr(portable_lib, name)
        assert callable(ours)
        for member in members or ():
            assert hasattr(next(iter(ours)) if name == "Verification" else ours, member), member


def test_types_of_test_cases():
    from etscope.bundled_program.config import ConfigValue, DataContainer

    assert get_args(DataContainer) == (list, tuple, dict)
    assert isinstance(np.zeros(1), get_args(ConfigValue))
    assert isinstance(1.5, get_args(ConfigValue)) and not isinstance("", get_args(ConfigValue))
    with pytest.raises(ImportError):
        from etscope.bundled_program.config import Nothing  # noqa: F401


def test_a_plot_without_matplotlib_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Error, match=r"matplotlib.*pip install 'etscope\[plot\]'") as caught:
        compare_results([np.zeros(2)], [np.ones(2)], plot=True)
    assert caught.value.status == "UNAVAILABLE" and capsys.readouterr().out == ""


def test_graphs_of_an_inspector():
    inspector = inspect("mlp_portable")
    graph = inspector.op_graph_dict["edge_dialect_graph_module"]
    assert graph.nodes[0].name == inspector.get_exported_program().nodes[0].name
    assert inspect("mlp_portable", etrecord=None).op_graph_dict is None

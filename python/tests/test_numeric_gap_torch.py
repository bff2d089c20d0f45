"""The numeric gap beside upstream's own; skipped where it is missing, or the engine is."""

import importlib.util
import math

import numpy as np
import pytest

from etscope import Error
from etscope.runtime import Runtime
from fixtures import MODELS, file, golden, inspect

if not all(map(importlib.util.find_spec, ("torch", "executorch"))):
    pytest.skip("torch and executorch are not installed", allow_module_level=True)
try:
    Runtime.get()
except Error as error:
    pytest.skip(str(error), allow_module_level=True)

import torch
from executorch.devtools import Inspector as UpstreamInspector
from executorch.devtools.inspector.numerical_comparator import (
    NumericalComparatorBase as UpstreamBase,
)

from etscope.inspector.numerical_comparator import NumericalComparatorBase

pytestmark = pytest.mark.filterwarnings("ignore")

COMPARED = [
    model for model in MODELS if isinstance((golden(model).get("gap") or {}).get("MSE"), list)
]
LISTS = ("aot_debug_handle", "aot_ops", "runtime_ops", "runtime_debug_handle", "stacktraces")


@pytest.fixture(params=COMPARED)
def both(request):
    names = ("debug.etdp", "model.etrecord", "debug.bin")
    etdump, record, buffer = (file(request.param, name) for name in names)
    upstream = UpstreamInspector(
        etdump_path=etdump, etrecord=record, debug_buffer_path=buffer
    )
    return inspect(request.param, "debug", tensors="torch"), upstream


def check_outputs(ours, theirs):
    if isinstance(theirs, (list, tuple)):
        assert type(ours) is type(theirs) and len(ours) == len(theirs)
        assert all(check_outputs(*pair) is None for pair in zip(ours, theirs))
    else:
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def check_gaps(distance, ours, theirs, reference):
    power = np.square(np.float64(reference)).mean()
    if distance == "MSE":
        assert abs(ours - theirs) <= 1e-9 * power
    elif distance == "L1":
        assert abs(ours - theirs) <= 1e-6 * np.abs(np.float64(reference)).sum()
    elif theirs > 100 or math.isnan(theirs):
        assert not ours <= 100
    else:
        assert abs(ours - theirs) < 0.1


@pytest.mark.parametrize("graph", [None, "edge_dialect_exported_program"])
@pytest.mark.parametrize("distance", ["MSE", "L1", "SNR"])
def test_the_frames_are_equal(both, distance, graph):
    ours, theirs = (each.calculate_numeric_gap(distance, reference_graph=graph) for each in both)
    assert list(ours.columns) == list(theirs.columns) and len(ours) == len(theirs) > 0
    for name in LISTS:
        assert ours[name].tolist() == theirs[name].tolist()
    for one, other in zip(ours.itertuples(), theirs.itertuples()):
        check_outputs(one.aot_intermediate_output, other.aot_intermediate_output)
        check_outputs(one.runtime_intermediate_output, other.runtime_intermediate_output)
        check_gaps(distance, one.gap[0], other.gap[0], other.aot_intermediate_output)


@pytest.mark.parametrize("base", [NumericalComparatorBase, UpstreamBase])
def test_a_comparator_written_for_upstream(base):
    class MaxAbsoluteError(base):
        def preprocessing(self, mapping):
            assert self.inspector is inspector
            return mapping

        def element_compare(self, a, b):
            return torch.max(torch.abs(a - b)).item()

    inspector = inspect("mlp_portable", "debug", tensors="torch")
    frame = inspector.calculate_numeric_gap(MaxAbsoluteError())
    assert len(frame) == 4 and all(0 <= gap[0] < 1e-5 for gap in frame["gap"])


@pytest.mark.parametrize("model", [model for model in MODELS if model != "types"])
def test_pytorch_as_the_reference(model):
    frame = inspect(model, "debug").numeric_gap("torch")
    known = frame[frame["reason"].isna()]
    assert len(known) > 0 and set(known["finding"]) == {"agrees"}
    assert frame["own_error"].isna().all()
    inside = frame[~frame["reason"].isna()]  # of branches and loops PyTorch shows the result alone
    assert len(inside) == {"cond": 2, "map_loop": 9}.get(model, 0)


def test_given_inputs():
    """Inputs given as torch tensors are the same as the record's own."""
    inspector = inspect("mlp_portable", "debug")
    inputs = [torch.from_numpy(value) for value in inspector._etrecord._representative_inputs]
    given, own = inspector.numeric_gap("torch", inputs=inputs), inspector.numeric_gap("torch")
    assert given["total_error"].tolist() == own["total_error"].tolist()

"""What golden.json does not hold, beside upstream's Inspector; skipped where it is not installed.

Attributes that came later, the columns of tables and their types, and the printed text.
"""

import importlib.util
import io

import pytest

from fixtures import MODELS, file, inspect

if not all(map(importlib.util.find_spec, ("torch", "executorch"))):
    pytest.skip("torch and executorch are not installed", allow_module_level=True)

from executorch.devtools import Inspector as UpstreamInspector

pytestmark = pytest.mark.filterwarnings("ignore")

# "Methods" and "loops" of docs/compatibility.md.
MODELS = [model for model in MODELS if model not in ("multi_method", "map_loop")]
ATTRIBUTES = ("num_outputs", "raw_delegate_debug_metadatas", "delegate_debug_metadatas",
              "start_time", "_delegate_debug_metadatas")  # fmt: skip


@pytest.fixture(scope="module", params=MODELS)
def both(request):
    paths = [file(request.param, name) for name in ("profile.etdp", "model.etrecord")]
    upstream = UpstreamInspector(etdump_path=paths[0], etrecord=paths[1])
    return inspect(request.param), upstream


def test_attributes(both):
    for ours, theirs in zip(*(inspector.event_blocks for inspector in both)):
        for scale in ("source_time_scale", "target_time_scale"):
            assert getattr(ours, scale).value == getattr(theirs, scale).value
        for event, expected in zip(ours.events, theirs.events):
            for name in ATTRIBUTES:
                assert getattr(event, name) == getattr(expected, name), (event.name, name)


@pytest.mark.parametrize("include", [True, False])
def test_tables(both, include):
    frame, expected = (inspector.to_dataframe(include, include) for inspector in both)
    assert list(frame.columns) == list(expected.columns)
    assert list(frame.dtypes) == list(expected.dtypes)
    texts = [io.StringIO(), io.StringIO()]
    for inspector, text in zip(both, texts):
        inspector.print_data_tabular(text, include, include)
    assert texts[0].getvalue() == texts[1].getvalue()


def test_time_of_the_whole_model(both):
    """By the one key that upstream's records have for a module: the others are numbers."""
    times = [inspector.find_total_for_module("L__self__") for inspector in both]
    assert times[0] == pytest.approx(times[1], rel=1e-12)

"""What a trace tells of memory, as data frames."""

import pytest

pytest.importorskip("pandas")

from etscope import Inspector  # noqa: E402
from etscope._errors import Error  # noqa: E402
from fixtures import DATA, inspect  # noqa: E402

COUNTED = DATA / "memory" / "counted.etdp"


def test_owners_of_a_counted_trace():
    frame = Inspector(etdump_path=COUNTED).memory_to_dataframe()
    held = frame[~frame.owner.isin(["process", "heap"])].set_index("owner")
    assert list(held.index) == ["program", "method", "planned", "temporary"]
    assert held.held_bytes.to_dict() == {
        "program": 4744, "method": 5086, "planned": 912, "temporary": 96,
    }  # fmt: skip
    assert held.operator["temporary"] == "topk.values" and held.part["planned"] == "memory id 1"
    assert held.runs["temporary"] == 2 and held.isna().method["program"]
    assert 0.7 < held.share["method"] < 0.9
    process = frame[frame.owner == "process"]
    assert list(process.part) == [
        "before load", "after load", "before runs", "after first run", "at the end",
    ]  # fmt: skip
    (headline,) = frame.attrs["headline"]
    assert headline.startswith("forward takes ") and "planned 912 B" in headline


def test_a_trace_that_was_not_counted():
    inspector = inspect("mlp_portable")
    with pytest.raises(Error, match="has no memory counts"):
        inspector.memory_to_dataframe()
    for each in (False, True):
        frame = inspector.allocations_to_dataframe(each)
        assert len(frame) == 0 and frame.attrs["headline"] == ["the trace has no allocation events"]

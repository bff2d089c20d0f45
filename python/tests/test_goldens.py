"""Every attribute of every event, against what upstream's Inspector said of the same files.

Where the package differs on purpose, a line here names the trap of docs/compatibility.md.
"""

import math

import numpy as np
import pytest

from etscope.inspector import TimeScale
from fixtures import MODELS, golden, inspect

FRAMEWORK = ("Method::init", "Program::load_method", "Method::execute")
# Fixtures whose golden has blocks, and how many events they hold in all.
CASES = [
    (model, dump)
    for model in MODELS
    for dump in ("profile", "debug")
    if f"{dump}_upstream_error" not in golden(model)
]
GOLDEN_EVENTS = 1114


def same_value(value, expected):
    if expected is None or isinstance(expected, (int, float, bool)):
        return value == expected and type(value) is type(expected)
    if isinstance(expected, list):
        return len(value) == len(expected) and all(map(same_value, value, expected))
    # "Strides ignored": upstream shows a tensor's memory; memory order is what both agree on.
    assert isinstance(value, np.ndarray)
    assert f"torch.{value.dtype}" == expected["dtype"]
    assert list(value.shape) == expected["shape"]
    found = value.ravel(order="K")[: len(expected["data"])].tolist()
    return all(
        not math.isfinite(one) if other is None else one == other
        for one, other in zip(found, expected["data"])
    )


def check_times(event, expected, is_repeated):
    if expected["raw"] is None:
        assert event.perf_data is None and event.start_time is None
        return
    assert len(event.perf_data.raw) == len(event.calls) == len(expected["raw"])
    if is_repeated:
        # "Loops": upstream keeps the last of several equal signatures in a run.
        assert all(calls > 1 for calls in event.calls)
        assert all(mine > last for mine, last in zip(event.perf_data.raw, expected["raw"]))
        assert all(mine < last for mine, last in zip(event.start_time, expected["start_time"]))
        return
    assert event.calls == [1] * len(expected["raw"])
    assert event.perf_data.raw == expected["raw"]
    assert event.start_time == expected["start_time"]
    for name in ("p10", "p50", "p90", "avg", "min", "max"):
        assert getattr(event.perf_data, name) == pytest.approx(expected[name], rel=1e-9, abs=0)


def check_join(event, expected, strings):
    if expected["name"] in FRAMEWORK:
        # "Framework events": logged as instruction 0 of chain -1, they share its handles upstream.
        assert event.debug_handles is None and event._instruction_id is None
    else:
        assert event.debug_handles == expected["debug_handles"]
        assert event._instruction_id == expected["instruction_id"]
    traces = {node: strings[n] if n is not None else None
              for node, n in expected["stack_traces"].items()}  # fmt: skip
    modules = {node: strings[n] for node, n in expected["module_hierarchy"].items()}
    assert event.stack_traces == traces
    assert {node: str(stack) for node, stack in event.module_hierarchy.items()} == modules
    assert list(event.stack_traces) == list(traces)


def is_repeated(model, event):
    return model == "map_loop" and max(event.calls or [1]) > 1


@pytest.mark.parametrize("model, dump", CASES)
def test_event_attributes(model, dump):
    expected_all = golden(model)
    blocks = inspect(model, dump).event_blocks
    expected_blocks = expected_all[dump]
    assert [block.name for block in blocks] == [block["name"] for block in expected_blocks]
    for block, expected_block in zip(blocks, expected_blocks):
        assert block.bundled_input_index == expected_block["bundled_input_index"]
        assert block.target_time_scale is TimeScale.MS
        assert same_value(block.run_output, expected_block["run_output"])
        assert len(block.events) == len(expected_block["events"])
        for event, expected in zip(block.events, expected_block["events"]):
            assert event.name == expected["name"]
            assert event.op_types == expected["op_types"]
            assert event.delegate_debug_identifier == expected["delegate_debug_identifier"]
            assert event.is_delegated_op is expected["is_delegated_op"]
            assert event.delegate_backend_name == expected["delegate_backend_name"]
            check_times(event, expected, is_repeated(model, event))
            check_join(event, expected, expected_all["strings"])
            assert same_value(event.debug_data, expected["debug_data"])


def test_all_goldens_are_compared():
    count = sum(len(block["events"]) for model, dump in CASES for block in golden(model)[dump])
    assert count == GOLDEN_EVENTS


@pytest.mark.parametrize("model, dump", CASES)
def test_table_of_columns_is_the_table_of_events(model, dump):
    """A table made straight from the columns, and one made from Event objects."""
    from pandas.testing import assert_frame_equal

    fast, slow = inspect(model, dump), inspect(model, dump)
    assert slow.event_blocks
    drop = ["debug_data"]
    first, second = fast.to_dataframe(), slow.to_dataframe()
    assert "event_blocks" not in fast.__dict__
    assert_frame_equal(first.drop(columns=drop), second.drop(columns=drop), rtol=1e-12)
    for one, other in zip(first["debug_data"], second["debug_data"]):
        assert len(one) == len(other) and all(map(np.array_equal, one, other))

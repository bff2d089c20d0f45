"""Events of delegates with a program's help, and find_total_for_module."""

import pytest

from etscope import Inspector
from etscope.inspector import Event, EventBlock, PerfData
from etscope.inspector._module_times import total_inside
from fixtures import EXAMPLES, inspect

CNN = EXAMPLES / "mobile_cnn"


def inspector_of(**options):
    return Inspector(CNN / "xnnpack.etdump", etrecord=CNN / "xnnpack.etrecord", **options)


def delegated(inspector):
    return [event for block in inspector.event_blocks for event in block.events
            if event.is_delegated_op]  # fmt: skip


def test_delegates_have_no_operators_without_a_program():
    """As upstream."""
    events = delegated(inspector_of())
    assert events
    assert not any(event.op_types or event.module_hierarchy or event.tie for event in events)


def test_delegates_have_what_inspect_shows():
    events = delegated(inspector_of(program=CNN / "xnnpack.pte"))
    conv = events[3]
    assert conv.name == "Convolution (NHWC, F32) IGEMM #1"
    assert conv.tie == "node"
    assert conv.op_types == [
        "aten.convolution.default", "aten._native_batch_norm_legit_no_training.default",
    ]  # fmt: skip
    assert conv.debug_handles == [3, 4]
    assert "blocks.py" in conv.stack_traces["aten_convolution_default_"]
    stack = conv.module_hierarchy["aten_convolution_default_"]
    assert [path for path, _ in stack.values()] == ["", "stem", "stem.conv"]
    frame = inspector_of(program=CNN / "xnnpack.pte").to_dataframe()
    rows = frame[frame["event_name"] == conv.name]
    assert rows["op_types"].tolist() == [conv.op_types]


def test_a_module_inside_a_delegate_has_its_own_time():
    """Without a program it gets the whole call's."""
    whole = inspector_of().find_total_for_module("stem")
    inspector = inspector_of(program=CNN / "xnnpack.pte")
    stem = inspector.find_total_for_module("stem")
    names = ("Convolution (NHWC, F32) IGEMM #1", "HardSwish (NC) #1")
    expected = sum(e.perf_data.avg for e in delegated(inspector) if e.name in names)
    assert 0 < stem < whole / 10
    assert stem == pytest.approx(expected)
    assert inspector.find_total_for_module("") == inspector_of().find_total_for_module("")


def test_a_prefix_counts_all_below_it():
    """A container is no module of its own in torch's stacks where it is not called."""
    inspector = inspect("gpt_xnnpack")
    blocks = [inspector.find_total_for_module(f"blocks.{i}") for i in range(2)]
    assert inspector.find_total_for_module("blocks") >= max(blocks) > 0


def test_an_unknown_module_is_said_with_the_nearest():
    with pytest.warns(UserWarning, match="no operator is inside a module 'classifer.hidden'; "
                                         "the nearest: 'classifier.hidden'"):  # fmt: skip
        assert inspector_of().find_total_for_module("classifer.hidden") == 0


def event(name, time, *paths, **fields):
    hierarchy = {
        f"node_{i}_": {"top": ("", "Top"), f"key_{i}": (path, "Linear")}
        for i, path in enumerate(paths)
    }
    return Event(name, PerfData([time]), module_hierarchy=hierarchy, **fields)


def test_all_calls_of_a_module_count():
    """torch names the second call of `shared` "shared@1"."""
    block = EventBlock("Execute", [event("a", 1.0, "shared"), event("b", 2.0, "shared@1"),
                                   event("c", 4.0, "shared@1.inner"),
                                   event("d", 8.0, "shared2")])  # fmt: skip
    assert total_inside(block, "shared") == 7
    assert total_inside(block, "shared.inner") == 4
    assert total_inside(block, "shared@1") == 2
    assert total_inside(block, "") == 15


def call(**first):
    of_call = {"_instruction_id": 3}
    second = {"tie": "near"} if first else {}
    operators = [event("x", 1.0, "a", is_delegated_op=True, **of_call, **first),
                 event("y", 2.0, "b", is_delegated_op=True, **of_call, **second)]  # fmt: skip
    return EventBlock("Execute", [event("DELEGATE_CALL", 10.0, "a", "b", **of_call), *operators])


def test_a_call_wholly_inside_counts_as_a_whole():
    block = call(tie="node")
    assert [total_inside(block, name) for name in ("a", "b", "")] == [1, 2, 10]


@pytest.mark.parametrize("inner", [{"tie": "call"}, {"tie": "node", "_has_own_clock": True}])
def test_a_call_counts_in_full_where_its_operators_are_not_known(inner):
    block = call(**inner)
    assert [total_inside(block, name) for name in ("a", "b")] == [10, 10]


def test_call_and_operators_both_count_without_a_program():
    """As upstream, whose delegate map may have given the operators their nodes."""
    assert [total_inside(call(), name) for name in ("a", "b")] == [11, 12]

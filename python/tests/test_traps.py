"""What upstream's Inspector gets wrong or cannot read (docs/compatibility.md), done right."""

import math
import struct
import sys

import numpy as np
import pytest

from etscope import Error, Inspector, parse_etrecord
from etscope._library import lib
from etscope.inspector import TimeScale
from made import debug, dump, floats, framework, profile, record
from fixtures import file, golden, inspect

NAN = float("nan")


def inspect_made(*runs, **options):
    return Inspector(etdump_data=dump(*runs), **options)


def events_of(inspector, block=0):
    return {event.name: event for event in inspector.event_blocks[block].events}


def test_allocation_events_are_read():
    inspector = Inspector(etdump_path=file("made", "allocations.etdp"))
    assert len(inspector.event_blocks) > 0
    inspector.to_dataframe()


def test_a_dump_without_size_prefix_is_read():
    with open(file("mlp_portable", "profile.etdp"), "rb") as stream:
        data = stream.read()
    bare = Inspector(etdump_data=data[4:])
    assert [b.name for b in bare.event_blocks] == ["Default", "Execute"]


def test_every_method_of_a_record_is_joined():
    """Upstream: 'dict' object has no attribute 'graph_module'."""
    inspector = inspect("multi_method")
    programs = inspector.get_exported_program()
    assert sorted(programs) == ["decode", "encode", "forward"]
    executed = [block for block in inspector.event_blocks if block.name == "Execute"]
    assert len(executed) == 3
    for block in executed:
        for event in block.events:
            if event.name.startswith("native_call"):
                assert event.op_types and event.debug_handles is not None


def test_a_record_of_another_method_name_is_joined():
    """Upstream asks for "forward" alone: KeyError."""
    blocks = [
        [e.op_types for e in block.events] for block in inspect("mlp_portable").event_blocks
    ]
    path = file("mlp_portable", "model.etrecord")
    maps = parse_etrecord(path)
    edge = "edge_dialect_exported_program/"
    import zipfile

    changes = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith(edge):
                changes[name] = None
                changes[name.replace("forward", "generate")] = archive.read(name)
    renamed = record(
        path,
        debug_handle_map={"generate": maps._debug_handle_map["forward"]},
        delegate_map={"generate": maps._delegate_map["forward"]},
        instruction_id_to_num_outs_map={
            "generate": maps._instruction_id_to_num_outs_map["forward"]
        },
        **changes,
    )
    other = inspect("mlp_portable", etrecord=parse_etrecord(renamed))
    assert [[e.op_types for e in block.events] for block in other.event_blocks] == blocks


@pytest.mark.parametrize("entry", ["instruction_id_to_num_outs_map", "delegate_map"])
def test_older_records_without_a_map_are_joined(entry):
    """Upstream: TypeError for a record without instruction_id_to_num_outs_map."""
    old = parse_etrecord(record(file("mlp_portable", "model.etrecord"), **{entry: None}))
    assert getattr(old, f"_{entry}") is None
    inspector = inspect("mlp_portable", etrecord=old)
    event = events_of(inspector, 1)["native_call_relu.out"]
    assert event.op_types == ["aten.relu.default"] and event.num_outputs == 1


def test_the_nearest_reference_output_where_no_case_is_told():
    """Upstream takes the last case for index -1, and gives one to the Default block, too."""
    inspector = inspect("dynamic", "debug")
    cases = inspector._etrecord._reference_outputs["forward"]
    assert len(cases) > 1
    default, *executed = inspector.event_blocks
    assert default.reference_output is None
    for block in executed:
        (output,), (reference,) = block.run_output, block.reference_output
        assert output.shape == reference.shape
        assert np.allclose(output, reference, atol=1e-5)


def test_a_told_case_is_taken_and_one_too_many_is_none():
    """Upstream: IndexError for an index beyond the record's cases."""
    trace = dump(
        *(("Execute", mlp_events(), index) for index in (0, 7)),
    )
    inspector = Inspector(etdump_data=trace, etrecord=file("mlp_portable", "model.etrecord"))
    first, second = inspector.event_blocks
    assert (first.bundled_input_index, second.bundled_input_index) == (0, 7)
    assert first.reference_output is not None and second.reference_output is None


def mlp_events():
    """One run of mlp_portable, from its own trace: names and instructions."""
    events = []
    for event in inspect("mlp_portable").event_blocks[1].events:
        if event._instruction_id is None:
            events.append(framework(event.name, 0, 1000))
        else:
            events.append(profile(event.name, 10, 20, instruction=event._instruction_id))
    return events


def delegate_trace(*identifiers):
    """A run of mlp_xnnpack's only call whose delegate reports these identifiers."""
    inner = [
        profile(None, 10 * i, 10 * i + 5, delegate_name=name)
        if isinstance(name, str)
        else profile(None, 10 * i, 10 * i + 5, delegate_id=name)
        for i, name in enumerate(identifiers)
    ]
    frames = [profile("DELEGATE_CALL", 0, 100), framework("Method::execute", 0, 101)]
    return dump(("Execute", inner + frames))


def test_delegate_identifiers_match_exactly():
    """Upstream gives "10" the entry of any key inside of it: "0", "1", whichever is last."""
    entries = {"10": [2, 3], "1": [1], "0": [4]}
    mapped = record(
        file("mlp_xnnpack", "model.etrecord"),
        delegate_map={"forward": {"0": {"name": "MyBackend", "delegate_map": entries}}},
    )
    inspector = Inspector(
        etdump_data=delegate_trace(10, 1, "10", "210"), etrecord=parse_etrecord(mapped)
    )
    by_identifier = [
        (e.delegate_debug_identifier, e.debug_handles)
        for e in inspector.event_blocks[0].events
        if e.is_delegated_op
    ]
    assert by_identifier == [(10, [2, 3]), (1, [1]), ("10", [2, 3]), ("210", None)]
    event = inspector.event_blocks[0].events[0]
    assert event.op_types == ["aten.relu.default", "aten.linear.default"]
    assert event.delegate_backend_name == "MyBackend"


def test_repeated_operators_are_added_up():
    """Upstream keeps the last of several equal events of a run."""
    run = ("Execute", [profile("a", 0, 1_000_000), profile("a", 2_000_000, 7_000_000)])
    event = events_of(inspect_made(run, run))["a"]
    assert event.perf_data.raw == [6.0, 6.0]
    assert event.calls == [2, 2]
    assert event.start_time == [0, 0]


def test_a_loop_is_not_longer_than_what_runs_it():
    inspector = inspect("map_loop")
    for block in inspector.event_blocks[1:]:
        events = {}
        for event in block.events:
            events.setdefault(event.name, []).append(event)
        (total,) = events["Method::execute"]
        spent = sum(event.perf_data.avg for event in events["OPERATOR_CALL"])
        assert 0.3 * total.perf_data.avg < spent < total.perf_data.avg


def test_a_32_bit_clock_wraps_at_its_end():
    """Upstream is a tick short, and makes seconds out of nothing for delegates."""
    start, end = 2**32 - 100, 50
    inspector = inspect_made(
        ("Execute", [profile("a", start, end), profile(None, start, end, delegate_name="b")]),
        target_time_scale=TimeScale.NS,
    )
    events = events_of(inspector)
    assert events["a"].perf_data.raw == [150.0]
    assert events["b"].perf_data.raw == [150.0]


def test_a_clock_that_goes_backwards_gives_zero():
    """Upstream: ValueError for times beyond 32 bits."""
    inspector = inspect_made(("Execute", [profile("a", 2**40, 5)]))
    assert events_of(inspector)["a"].perf_data.raw == [0.0]


def test_strides_are_followed():
    values = floats(1, 2, 3, 4)
    tensor = (lib.ETS_SCALAR_FLOAT, [2, 2], [1, 2], 0)
    inspector = with_buffer([("Execute", [debug(tensor)])], values)
    (array,) = inspector.event_blocks[0].events[0].debug_data
    assert array.tolist() == [[1, 3], [2, 4]]


def with_buffer(runs, data, **options):
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".bin") as buffer:
        buffer.write(data)
        buffer.flush()
        inspector = Inspector(etdump_data=dump(*runs), debug_buffer_path=buffer.name, **options)
        inspector.event_blocks  # read while the file is there
        return inspector


def test_runs_with_different_or_nan_values_are_read():
    """Upstream: AssertionError, also for two equal NaNs."""
    runs = [
        ("Execute", [debug((lib.ETS_SCALAR_FLOAT, [2], [1], at)),
                     debug((lib.ETS_SCALAR_FLOAT, [2], [1], at), chain=-1, is_output=True)])
        for at in (0, 8, 0)
    ]  # fmt: skip
    (block,) = with_buffer(runs, floats(NAN, 1, 2, 3)).event_blocks
    for values in (block.run_output, block.events[0].debug_data):
        assert np.array_equal(values, np.array([[NAN, 1]], "f4"), equal_nan=True)


def test_infinities_and_other_bytes_are_read():
    """Upstream's way through JSON fails on both."""
    inspector = inspect_made(
        ("Execute", [debug(math.inf), debug(NAN, instruction=1), profile(b"\xffop", 0, 1, 2)])
    )
    first, second, third = inspector.event_blocks[0].events
    assert first.debug_data == [math.inf] and math.isnan(second.debug_data[0])
    assert third.name == r"\xffop"


def test_a_block_without_events_is_an_empty_table():
    """Upstream: "No objects to concatenate"."""
    empty = ("Execute", [])
    for trace in (dump(), dump(empty), dump(empty, ("Execute", [profile("a")]))):
        inspector = Inspector(etdump_data=trace)
        frame = inspector.to_dataframe()
        assert len(frame.columns) == 17
        assert len(frame) == sum(len(block.events) for block in inspector.event_blocks)
        for block in inspector.event_blocks:
            assert len(block.to_dataframe().columns) == 17


def test_only_operator_call_itself_is_left_out_of_print(capsys):
    """Upstream drops every name that has OPERATOR_CALL inside."""
    inspector = inspect_made(
        ("Execute", [profile("OPERATOR_CALL"), profile("MY_OPERATOR_CALL_2", instruction=1)])
    )
    inspector.print_data_tabular()
    assert "MY_OPERATOR_CALL_2" in capsys.readouterr().out
    assert list(inspector.to_dataframe()["event_name"]) == ["OPERATOR_CALL", "MY_OPERATOR_CALL_2"]


def test_modules_are_found_by_path():
    """Upstream looks at keys, which are object numbers: "l1" gives 0."""
    inspector = inspect("mlp_portable")
    events = events_of(inspector, 1)
    first = inspector.find_total_for_module("l1")
    assert 0 < first < events["Method::execute"].perf_data.avg
    assert inspector.find_total_for_module("l") == 0
    whole = inspector.find_total_for_module("L__self__")
    assert whole == inspector.find_total_for_module("")
    assert whole > first + inspector.find_total_for_module("l2")
    assert inspector.find_total_for_module("l1", unit=TimeScale.US) == pytest.approx(first * 1000)
    with pytest.raises(Error, match="cycles"):
        inspector.find_total_for_module("l1", unit=TimeScale.CYCLES)


def test_a_record_of_another_program_is_refused():
    """Upstream joins whatever has the same numbers."""
    other = file("conv_portable", "model.etrecord")
    with pytest.raises(Error) as caught:
        inspect("mlp_portable", etrecord=other)
    assert caught.value.status == "MISMATCH"
    forced = inspect("mlp_portable", etrecord=other, allow_mismatch=True)
    assert len(forced.event_blocks) == 2


def test_a_damaged_dump_is_read_as_far_as_it_is_whole():
    """Upstream's writer garbles a dump at a float16 tensor; its reader crashes there."""
    assert "debug_upstream_error" in golden("types")
    with pytest.raises(Error) as caught:
        inspect("types", "debug", etrecord=None)
    assert caught.value.status == "MALFORMED" and caught.value.offset is not None
    assert caught.value.file.endswith("debug.etdp")
    partial = inspect("types", "debug", etrecord=None, partial=True)
    assert sum(len(block.events) for block in partial.event_blocks) > 10


@pytest.mark.parametrize("with_ml_dtypes", [True, False])
@pytest.mark.parametrize(
    "scalar_type, data, expected",
    [
        ("HALF", struct.pack("<2e", 1.5, -2), [1.5, -2]),
        ("BFLOAT16", struct.pack("<2H", 0x3FC0, 0xC000), [1.5, -2]),
        ("UINT32", struct.pack("<2I", 1, 2**32 - 1), [1, 2**32 - 1]),
        ("UINT64", struct.pack("<2Q", 1, 2**64 - 1), [1, 2**64 - 1]),
        ("BOOL", b"\1\0", [True, False]),
        ("QINT8", b"\1\xff", [1, -1]),
        ("COMPLEX_FLOAT", struct.pack("<4f", 1, 2, 3, 4), [1 + 2j, 3 + 4j]),
    ],
)
def test_tensors_of_every_type(scalar_type, data, expected, with_ml_dtypes, monkeypatch):
    """Upstream knows neither bfloat16 nor the larger unsigned integers."""
    if with_ml_dtypes:
        pytest.importorskip("ml_dtypes")
    else:
        monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    number = getattr(lib, f"ETS_SCALAR_{scalar_type}")
    inspector = with_buffer([("Execute", [debug((number, [2], [1], 0))])], data)
    (array,) = inspector.event_blocks[0].events[0].debug_data
    scalar_type = (array.dtype.metadata or {}).get("scalar_type")
    assert scalar_type != "bfloat16" or not with_ml_dtypes
    if scalar_type == "bfloat16":
        assert array.dtype == np.uint16
        array = (array.astype("u4") << 16).view("f4")
    assert array.tolist() == expected


def test_a_tensor_that_was_logged_without_its_bytes_is_none():
    """As etscope's tracer logs them where it has nowhere to put the bytes: offset -1."""
    tensor = (lib.ETS_SCALAR_FLOAT, [2], [1], -1)
    inspector = with_buffer([("Execute", [debug(tensor)])], floats(1, 2))
    assert inspector.event_blocks[0].events[0].debug_data == [None]


def test_a_debug_buffer_that_is_too_short_is_told():
    tensor = (lib.ETS_SCALAR_FLOAT, [2], [1], 4)
    with pytest.raises(Error) as caught:
        with_buffer([("Execute", [debug(tensor)])], floats(1, 2))
    assert caught.value.status == "TRUNCATED" and caught.value.file.endswith(".bin")


def test_without_a_debug_buffer_tensors_are_none():
    """Upstream makes zeros of them."""
    with pytest.warns(UserWarning, match="debug_buffer_path"):
        inspector = inspect("mlp_portable", "debug", debug_buffer_path=None)
        event = events_of(inspector, 1)["native_call_relu.out"]
    assert event.debug_data == [None]
    assert inspector.event_blocks[1].run_output == [None]


def test_a_profile_needs_no_debug_buffer(recwarn):
    """Upstream warns each time."""
    inspect("mlp_portable").print_data_tabular()
    assert not recwarn.list

"""ETDump files as objects of their schema."""

import pytest

from etscope import Error, Inspector
from etscope.etdump import schema_flatcc as flatcc
from etscope.etdump.serialize import deserialize_from_etdump_flatcc as deserialize
from etscope.etdump.serialize import serialize_to_etdump_flatcc as serialize
from fixtures import DATA

# Upstream's writer garbled the one of half-precision tensors.
MODELS = sorted(path.parent.name for path in DATA.glob("*/debug.etdp"))
MODELS.remove("types")


@pytest.mark.parametrize("model", MODELS)
def test_what_is_read_is_written_again(model):
    data = (DATA / model / "debug.etdp").read_bytes()
    etdump = deserialize(data)
    assert deserialize(serialize(etdump)) == etdump
    assert deserialize(data[4:], size_prefixed=False) == etdump


def test_events_are_the_inspectors():
    path = DATA / "mlp_portable" / "debug.etdp"
    etdump = deserialize(path.read_bytes())
    assert [run.name for run in etdump.run_data][:2] == ["Default", "Execute"]
    names = {event.profile_event.name for event in etdump.run_data[1].events if event.profile_event}
    with pytest.warns(UserWarning, match="debug_buffer_path"):
        block = Inspector(path).event_blocks[1]
    assert names == {event.name for event in block.events}
    (output,) = (event.debug_event.debug_entry for event in etdump.run_data[1].events
                 if event.debug_event and event.debug_event.debug_entry.output)  # fmt: skip
    assert output.val == "Tensor" and output.tensor.sizes == [2, 4]
    assert output.tensor.scalar_type is flatcc.ScalarType.FLOAT


def value(**fields):
    event = flatcc.DebugEvent("v", 2**64 - 1, 0, -1, None, flatcc.Value(**fields))
    return flatcc.Event(None, None, event)


def test_every_kind_of_event_and_value():
    tensor = flatcc.Tensor(flatcc.ScalarType.INT, [2, 3], [3, 1], 64)
    profile = flatcc.ProfileEvent("op", 0, 3, 5, None, b"meta", 10, 20)
    events = [
        flatcc.Event(profile, None, None),
        flatcc.Event(None, flatcc.AllocationEvent(1, 2**40), None),
        value(val="Int", int_value=flatcc.Int(-3)),
        value(val="Bool", bool_value=flatcc.Bool(True)),
        value(val="Float", float_value=flatcc.Float(0.5)),
        value(val="Double", double_value=flatcc.Double(0.1)),
        value(val="Tensor", tensor=tensor, output=flatcc.Bool(True)),
        value(val="TensorList", tensor_list=flatcc.TensorList([tensor, tensor])),
    ]
    run = flatcc.RunData("Execute", 2, [flatcc.Allocator("planned")], events)
    etdump = flatcc.ETDumpFlatCC(0, [run, flatcc.RunData("Default", -1, None, None)])
    assert deserialize(serialize(etdump)) == etdump
    assert Inspector(etdump_data=serialize(etdump)).event_blocks[0].name == "Execute"


def test_what_no_file_can_hold():
    run = flatcc.RunData("Execute", -1, None, [value(val="Int")])
    for etdump in (flatcc.ETDumpFlatCC(7, []), flatcc.ETDumpFlatCC(0, [run])):
        with pytest.raises(Error):
            serialize(etdump)
    with pytest.raises(Error) as caught:
        deserialize(b"ED00" * 8)
    assert caught.value.status in ("WRONG_KIND", "MALFORMED", "TRUNCATED")

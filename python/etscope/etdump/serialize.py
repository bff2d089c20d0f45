"""ETDump files as objects of their schema's classes, and back.

    from etscope.etdump.serialize import deserialize_from_etdump_flatcc

    with open("trace.etdp", "rb") as file:
        etdump = deserialize_from_etdump_flatcc(file.read())
    print([event.profile_event.name for event in etdump.run_data[0].events if event.profile_event])
"""

from etscope._errors import Error
from etscope._library import NULL, Source, call, ffi, lib, text
from etscope.etdump import schema_flatcc as flatcc
from etscope.etdump._writer import dump
from etscope.scalar_type import ScalarType

_TYPES = list(flatcc.ValueType)


def deserialize_from_etdump_flatcc(data, size_prefixed=True):
    """The ETDumpFlatCC of a file's bytes. Of etscope's extra block nothing is in these classes.

    size_prefixed: not needed, files say it themselves. Raises Error: WRONG_KIND, TRUNCATED,
    MALFORMED, UNSUPPORTED.
    """
    source, view = Source.of_buffer(data), ffi.new("struct ets_etdump *")
    call(lib.ets_etdump_init, view, source.bytes)
    return flatcc.ETDumpFlatCC(view.version, [_run(view, i) for i in range(view.run_count)])


def _run(view, index):
    run, event = ffi.new("struct ets_etdump_run *"), ffi.new("struct ets_etdump_event *")
    lib.ets_etdump_run(view, index, run)
    allocators = [flatcc.Allocator(text(lib.ets_etdump_allocator_name(view, run, i)) or "")
                  for i in range(run.allocator_count)]  # fmt: skip
    events = []
    for i in range(run.event_count):
        lib.ets_etdump_event(view, run, i, event)
        events.append(_event(view, event))
    return flatcc.RunData(text(run.name) or "", run.bundled_input_index, allocators or None,
                          events if run.has_events else None)  # fmt: skip


def _event(view, event):
    profile = allocation = debug = None
    ids = (event.delegate_id, text(event.delegate_name))
    if event.kind == lib.ETS_EVENT_PROFILE:
        metadata = event.metadata
        profile = flatcc.ProfileEvent(
            text(event.name), event.chain, event.instruction, *ids,
            bytes(ffi.buffer(metadata.data, metadata.size)) if metadata.data != NULL else None,
            event.start_ticks, event.end_ticks,
        )  # fmt: skip
    elif event.kind == lib.ETS_EVENT_ALLOCATION:
        allocation = flatcc.AllocationEvent(event.allocator, event.allocated_bytes)
    elif event.kind == lib.ETS_EVENT_DEBUG:
        debug = flatcc.DebugEvent(text(event.name), event.chain % 2**64, event.instruction, *ids,
                                  _value(view, event.payload_at))  # fmt: skip
    return flatcc.Event(profile, allocation, debug)


def _value(view, payload_at):
    value = ffi.new("struct ets_debug_value *")
    lib.ets_etdump_debug_value(view, payload_at, value)
    if not 0 <= value.type < len(_TYPES):
        raise Error(f"a value of the kind {value.type}, which is not known", status="UNSUPPORTED")
    kind = _TYPES[value.type]
    found = flatcc.Value(kind.value, output=flatcc.Bool(True) if value.is_output else None)
    if not value.is_present:
        return found
    if kind is flatcc.ValueType.INT:
        found.int_value = flatcc.Int(value.int_value)
    elif kind is flatcc.ValueType.BOOL:
        found.bool_value = flatcc.Bool(bool(value.int_value))
    elif kind is flatcc.ValueType.FLOAT:
        found.float_value = flatcc.Float(value.double_value)
    elif kind is flatcc.ValueType.DOUBLE:
        found.double_value = flatcc.Double(value.double_value)
    elif kind is flatcc.ValueType.TENSOR:
        found.tensor = _tensor(view, value, 0)
    elif kind is flatcc.ValueType.TENSOR_LIST:
        found.tensor_list = flatcc.TensorList(
            [_tensor(view, value, i) for i in range(value.tensor_count)]
        )
    return found


def _tensor(view, value, index):
    tensor, offset = ffi.new("struct ets_tensor *"), ffi.new("int64_t *")
    call(lib.ets_etdump_tensor, view, value, index, tensor, offset)
    return flatcc.Tensor(ScalarType(tensor.scalar_type), list(tensor.sizes[0 : tensor.rank]),
                         list(tensor.strides[0 : tensor.rank]), offset[0])  # fmt: skip


def serialize_to_etdump_flatcc(etdump):
    """The bytes of an ETDump file, with its size prefix (upstream's function writes none).

    etdump: an ETDumpFlatCC, also upstream's of that name. Of a Value the field that `val` names is
    written. Raises Error for what a file cannot hold.
    """
    if etdump.version != 0:
        raise Error(f"version {etdump.version} of the schema is not known", status="UNSUPPORTED")
    return dump([
        (run.name, [_record(event) for event in run.events or ()],
         -1 if run.bundled_input_index is None else run.bundled_input_index,
         [allocator.name for allocator in run.allocators or ()])
        for run in etdump.run_data
    ])  # fmt: skip


def _record(event):
    """{field of struct ets_etdump_record: value}"""
    if event.allocation_event is not None:
        allocation = event.allocation_event
        return {"kind": lib.ETS_EVENT_ALLOCATION, "allocator": allocation.allocator_id,
                "allocated_bytes": allocation.allocation_size}  # fmt: skip
    found = event.profile_event or event.debug_event
    if found is None:
        raise Error("an event has neither times, nor a value, nor an allocation")
    chain = found.chain_index
    record = {
        "kind": lib.ETS_EVENT_PROFILE, "name": found.name,
        "chain": chain - 2**64 if chain >= 2**63 else chain, "instruction": found.instruction_id,
        "delegate_id": -1 if found.delegate_debug_id_int is None else found.delegate_debug_id_int,
        "delegate_name": found.delegate_debug_id_str,
    }  # fmt: skip
    if event.profile_event is not None:
        if found.delegate_debug_metadata is not None:
            record["metadata"] = bytes(found.delegate_debug_metadata)
        return {**record, "start_ticks": found.start_time, "end_ticks": found.end_time}
    return {**record, "kind": lib.ETS_EVENT_DEBUG, **_value_fields(found.debug_entry)}


def _value_fields(value):
    kind = flatcc.ValueType(getattr(value.val, "value", value.val))
    fields = {"value_type": _TYPES.index(kind),
              "is_output": int(value.output is not None and value.output.bool_val)}  # fmt: skip
    try:
        if kind is flatcc.ValueType.INT:
            fields["int_value"] = value.int_value.int_val
        elif kind is flatcc.ValueType.BOOL:
            fields["int_value"] = int(value.bool_value.bool_val)
        elif kind is flatcc.ValueType.FLOAT:
            fields["float_value"] = value.float_value.float_val
        elif kind is flatcc.ValueType.DOUBLE:
            fields["double_value"] = value.double_value.double_val
        elif kind is flatcc.ValueType.TENSOR:
            fields["tensors"] = [_tensor_fields(value.tensor)]
        elif kind is flatcc.ValueType.TENSOR_LIST:
            fields["tensors"] = list(map(_tensor_fields, value.tensor_list.tensors))
    except AttributeError as reason:
        raise Error(f"a value of {kind.value} does not hold one") from reason
    return fields


def _tensor_fields(tensor):
    offset = -1 if tensor.offset is None else tensor.offset
    return int(tensor.scalar_type), list(tensor.sizes), list(tensor.strides), offset

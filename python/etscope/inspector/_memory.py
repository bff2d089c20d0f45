"""The memory counts of a trace, as data frames: the rows of `etscope inspect --memory` and
`--allocations`."""

from etscope._errors import Error
from etscope._library import NO_INDEX, NULL, ffi, lib, text, written
from etscope.inspector._arena import Arena

_UNKNOWN = 0xFFFFFFFFFFFFFFFF
_PHASES = (None, "load", "run")


def owners_frame(handle):
    """One row for each owner, and for each moment of the process; attrs["headline"]: a sentence for
    each method."""
    with handle.lock, Arena() as arena:
        view = ffi.new("struct ets_allocation_owners *")
        if not lib.ets_allocation_owners_collect(arena, handle.pointer, view):
            raise MemoryError("out of memory for the memory counts of the trace")
        if view.method_count == 0:
            raise Error("the trace has no memory counts; `etscope run MODEL --memory -o FILE` "
                        "records it")  # fmt: skip
        files = [view.items[i] for i in range(view.count) if view.items[i].method == NO_INDEX]
        rows = [_owner(handle, item) for item in files]
        headlines = []
        for number in range(view.method_count):
            method = view.methods[number]
            headlines.append(written(lib.ets_allocation_headline, view, number))
            rows += [_owner(handle, view.items[method.first + i]) for i in range(method.count)]
            rows += [_moment(moment) for moment in method.process if moment != NULL]
        return _build(rows, headlines)


def _build(rows, headlines):
    import pandas as pd

    frame = pd.DataFrame(rows).convert_dtypes()
    frame.attrs["headline"] = headlines
    return frame


def _amount(value):
    return None if value == _UNKNOWN else value


def _part(held):
    if held.owner == lib.ETS_MEMORY_PLANNED:
        return f"memory id {held.index + 1}{', shared' if held.is_shared else ''}"
    if held.owner in (lib.ETS_MEMORY_METHOD, lib.ETS_MEMORY_TEMPORARY):
        default = "runtime" if held.owner == lib.ETS_MEMORY_METHOD else "kernels"
        return text(held.backend) or default
    return text(lib.ets_stack_threads_name(held))


def _owner(handle, item):
    held = item.held
    is_allocator = held.owner in (lib.ETS_MEMORY_METHOD, lib.ETS_MEMORY_TEMPORARY)
    is_inside = held.chain >= 0
    is_stack = held.owner == lib.ETS_MEMORY_STACK
    return {
        "method": text(held.method),
        "owner": text(lib.ets_memory_owner_name(held.owner)),
        "part": _part(held),
        "phase": _PHASES[held.phase],
        "held_bytes": _amount(held.bytes),
        "share": item.share if item.share == item.share else None,
        "touched_bytes": _amount(held.touched),
        "allocations": _amount(held.count) if is_allocator else None,
        "runs": held.runs if held.phase == lib.ETS_MEMORY_RUN else None,
        "alignment": held.alignment or None,
        "instruction": held.instruction if is_inside else None,
        "threads": held.count if is_stack else None,
        "processor": text(held.processor),
        "operator": _operator(handle, item.row),
        "file_bytes": None,
        "heap_bytes": None,
    }


def _moment(moment):
    return {
        "method": text(moment.method),
        "owner": "process",
        "part": text(lib.ets_memory_moment_name(moment.moment)),
        "held_bytes": _amount(moment.resident),
        "file_bytes": _amount(moment.of_files),
        "heap_bytes": _amount(moment.heap),
    }


def _operator(handle, row):
    if row == NO_INDEX:
        return None
    return text(lib.ets_row_operator(lib.ets_inspection_row(handle.pointer, row)))


def allocations_frame(handle, each):
    """One row for each allocator of a block, or for each allocation event."""
    with handle.lock, Arena() as arena:
        view = ffi.new("struct ets_allocation_events *")
        if not lib.ets_allocation_events_collect(arena, handle.pointer, view):
            raise MemoryError("no memory for the trace's allocations")
        if each:
            rows = [_allocation(handle, view, view.items[i]) for i in range(view.count)]
        else:
            uses = (view.allocators[i] for i in range(view.allocator_count))
            rows = [_allocator(handle, use) for use in uses]
        return _build(rows, [written(lib.ets_allocation_events_headline, view)])


def _place(handle, use):
    block = lib.ets_inspection_block(handle.pointer, use.block)
    return {
        "block": text(block.name),
        "method": text(block.method),
        "allocator": text(use.name) or f"#{use.number}",
        "number": use.number,
    }


def _allocator(handle, use):
    return {
        **_place(handle, use),
        "runs": use.runs,
        "allocations": use.count,
        "current_bytes": use.current,
        "peak_bytes": use.peak,
        "instruction_peak_bytes": use.step_peak,
        "largest_bytes": use.largest,
        "total_bytes": use.total,
    }


def _allocation(handle, view, item):
    return {
        "event": item.event,
        "run": item.run,
        **_place(handle, view.allocators[item.allocator]),
        "taken_bytes": item.bytes,
        "current_bytes": item.current,
        "instruction": item.instruction if item.chain >= 0 else None,
        "operator": _operator(handle, item.row),
    }

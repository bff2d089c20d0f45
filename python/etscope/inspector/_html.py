"""What a notebook shows of an Inspector, a block or an event: short, and names are never markup."""

import html

from etscope._library import printable

_MOST_ROWS = 20


def _escaped(value):
    return html.escape(printable(str(value)))


def of_inspector(inspector):
    """The headline, and the blocks."""
    lines = "".join(f"<li>{_escaped(line)}</li>" for line in inspector.headline)
    view = inspector._view
    rows = [{"block": block.name, "method": block.method or "", "runs": block.run_count,
             "events": len(block.names)} for block in view.blocks]  # fmt: skip
    return f"<p><b>Inspector</b></p><ul>{lines}</ul>{_table(rows)}"


def of_block(block):
    """The events that take most."""
    times = [event for event in block.events
             if _has_times(event) and event.name != "OPERATOR_CALL"]  # fmt: skip
    times.sort(key=lambda event: event.perf_data.p50, reverse=True)
    column = f"p50 ({block.target_time_scale.value})"
    rows = [{
        "event": event.name, column: f"{event.perf_data.p50:.6g}",
        "runs": len(event.perf_data.raw), "operators": _list(event.op_types),
        "backend": event.delegate_backend_name or "",
    } for event in times[:_MOST_ROWS]]  # fmt: skip
    shown = f", the {_MOST_ROWS} with the longest median" if len(times) > _MOST_ROWS else ""
    head = f"<b>EventBlock {_escaped(block.name)}</b>: {len(block.events)} events{shown}"
    return f"<p>{head}</p>{_table(rows)}"


def of_event(event):
    """Its fields that say anything."""
    fields = {"times": "", "operators": _list(event.op_types, 20)}
    if _has_times(event):
        times = event.perf_data
        fields["times"] = (f"p50 {times.p50:.6g}, p10 {times.p10:.6g}, p90 {times.p90:.6g}, "
                           f"{len(times.raw)} runs")  # fmt: skip
    fields["backend"] = event.delegate_backend_name or ""
    fields["debug handles"] = "" if event.debug_handles is None else event.debug_handles
    fields["modules"] = _list(_modules(event), 20)
    fields["captured"] = f"{len(event.debug_data)} values" if event.debug_data else ""
    rows = [{"field": name, "value": value} for name, value in fields.items() if value != ""]
    return f"<p><b>Event {_escaped(event.name)}</b></p>{_table(rows)}"


def _has_times(event):
    return event.perf_data is not None and len(event.perf_data.raw) > 0


def _modules(event):
    stacks = [list((stack or {}).values()) for stack in event.module_hierarchy.values()]
    return list(dict.fromkeys(stack[-1][0] or "(model)" for stack in stacks if stack))


def _list(names, most=3):
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + more


def _table(rows):
    """A data frame's own table, which notebooks style and sort."""
    import pandas as pd

    if not rows:
        return ""
    frame = pd.DataFrame([{name: _cut(printable(str(value))) for name, value in row.items()}
                          for row in rows])  # fmt: skip
    return frame.to_html(index=False, border=0, escape=True, max_rows=None)


def _cut(text, most=200):
    return text if len(text) <= most else text[: most - 1] + "…"

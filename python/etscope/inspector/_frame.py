"""Tables: columns into data frames, and data frames onto the screen."""

import sys

from etscope._declarations import ffi
from etscope._library import lib, printable

STATISTICS = ("p10", "p50", "p90", "avg", "min", "max")

# Columns that are attributes of events as they stand.
ATTRIBUTES = ("delegate_debug_identifier", "stack_traces", "module_hierarchy", "is_delegated_op",
              "delegate_backend_name", "debug_data", "start_time")  # fmt: skip

# The columns of a table in their order.
COLUMNS = ("event_block_name", "event_name", "raw", *STATISTICS, "op_types", *ATTRIBUTES)

NOT_PRINTED = ["raw", "delegate_debug_identifier", "stack_traces", "module_hierarchy", "debug_data"]


def unit_suffix(scale):
    return f" ({scale.value})"


def shortened(names):
    """The list itself, or, from five on, its ends as text."""
    if len(names) < 5:
        return names
    return f"['{names[0]}', '{names[1]}' ... '{names[-1]}'] ({len(names)} total)"


def columns_of_events(block_name, events):
    """{column: list}, from Event objects."""
    times = [event.perf_data for event in events]
    columns = {
        "event_block_name": [block_name] * len(events),
        "event_name": [event.name for event in events],
        "raw": [time.raw if time else None for time in times],
    }
    for name in STATISTICS:
        columns[name] = [getattr(time, name) if time else None for time in times]
    columns["op_types"] = [shortened(event.op_types) for event in events]
    for name in ATTRIBUTES:
        columns[name] = [getattr(event, name) for event in events]
    return columns


def joined(tables):
    """One table of several {column: list or array}."""
    return {name: [value for table in tables for value in table[name]] for name in COLUMNS}


def build(columns, units="", metadata=None):
    """The data frame of {column: list or array}.

    `metadata`: a list (a column of its own), a dict (a column for each key) or nothing for each
    row; other types, and keys that are columns already, raise ValueError.
    """
    import numpy as np
    import pandas as pd

    data = {}
    for name in COLUMNS:
        values = columns[name]
        if name in STATISTICS:
            data[name + units] = np.asarray(values, dtype=np.float64)
        elif name == "is_delegated_op":
            data[name] = values
        elif name in ("event_block_name", "event_name"):
            data[name] = pd.Series(values, dtype=None if len(values) else object)
        else:
            data[name] = _column(values)
    frame = pd.DataFrame(data)
    if metadata is not None and any(metadata):
        more = _metadata_frame(metadata)
        for name in frame.columns.intersection(more.columns):
            raise ValueError(f"delegate metadata has the key {name!r}, a column of the table")
        frame = pd.concat([frame, more], axis=1)
    return frame


def _column(values):
    """A pandas.Series whose elements are the values themselves, lists and None, too."""
    import numpy as np
    import pandas as pd

    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return pd.Series(array, dtype=object)


def _metadata_frame(metadata):
    import pandas as pd

    rows = []
    for value in metadata:
        if not value:
            rows.append({})
        elif isinstance(value, list):
            rows.append({"delegate_debug_metadata": value})
        elif isinstance(value, dict):
            rows.append(value)
        else:
            raise ValueError(f"delegate metadata is a {type(value).__name__}, not a list or a dict")
    return pd.DataFrame(rows)


def for_printing(frame, with_modules=False):
    """What is printed: without bulky columns and without the frames around operators.

    Of modules there are the paths, where they are asked for.
    """
    kept = frame[frame["event_name"] != "OPERATOR_CALL"].reset_index(drop=True)
    modules = kept["module_hierarchy"]
    kept = kept.drop(columns=NOT_PRINTED)
    if with_modules:
        paths = _column([shortened(_innermost(hierarchy)) for hierarchy in modules])
        kept.insert(kept.columns.get_loc("op_types") + 1, "module_hierarchy", paths)
    return kept


def _innermost(hierarchy):
    """The paths of the modules {node: {key: (path, type)}} that nodes stand in, each once."""
    paths = [path for stack in hierarchy.values() for path, _ in list((stack or {}).values())[-1:]]
    return [path or "(model)" for path in dict.fromkeys(paths)]


def show(frame, file=None):
    """Shows a frame: as a styled one in a notebook, else as a grid of text.

    Names come from files: their control characters are shown, and so is what would be HTML.
    """
    frame = frame.copy()
    for name in _texts(frame):
        frame[name] = _column(
            [printable(value) if isinstance(value, str) else value for value in frame[name]]
        )
    if file is None and _in_notebook():
        from IPython.display import display

        display(_styled(frame))
        return
    from tabulate import tabulate

    numbers = frame.select_dtypes("float")
    if numbers.isna().any(axis=None):  # an event without times has empty cells
        frame[numbers.columns] = numbers.astype(object).where(numbers.notna(), None)
    print(tabulate(frame, headers="keys", tablefmt="fancy_grid"), file=file or sys.stdout)


def for_spreadsheets(frame):
    """What is written to a file: a spreadsheet runs no text of it, and a terminal acts on none.

    An apostrophe stands before a formula, which is what the command line takes for one (SECURITY.md).
    """
    frame = frame.copy()
    for name in _texts(frame):
        frame[name] = _column(
            [_harmless(value) if isinstance(value, str) else value for value in frame[name]]
        )
    frame.columns = [_harmless(name) if isinstance(name, str) else name for name in frame.columns]
    return frame


def _harmless(text):
    """The text as a cell: with the apostrophe of the command line, on one line."""
    data = text.encode("utf-8", "surrogatepass")
    kept = ffi.new("char[]", data)
    is_formula = lib.ets_is_formula({"data": kept, "size": len(data)})
    return printable("'" + text if is_formula else text)


def _texts(frame):
    """The columns that are not numbers."""
    return [name for name in frame.columns if frame[name].dtype.kind not in "biuf"]


def _in_notebook():
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ != "TerminalInteractiveShell"


def _styled(frame):
    import html

    try:
        style = frame.style
    except (AttributeError, ImportError):  # pandas styles through jinja2
        return frame
    style.format(lambda value: html.escape(str(value)), subset=_texts(frame))
    return style.set_table_styles([{"selector": "td", "props": [("font-size", "12px")]}])

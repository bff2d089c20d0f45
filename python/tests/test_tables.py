"""Tables: upstream's TSV files byte for byte, the printed grid, data frames and their columns."""

import io
import pathlib
import re

import numpy as np
import pytest

from etscope import Inspector
from etscope.inspector import TimeScale, _frame
from fixtures import DATA, MODELS, file, inspect
from made import dump, profile

# "Loops": upstream's map_loop table has the last iteration alone.
TABLES = [path for model in MODELS if model != "map_loop" for path in sorted((DATA / model).glob("*.tsv"))]


def table_of(path):
    model, dump = path.parent.name, path.name.split(".")[0]
    record = None if "norecord" in path.name else file(model, "model.etrecord")
    return inspect(model, dump, etrecord=record, debug_buffer_path=None)


@pytest.mark.filterwarnings("ignore:the trace refers")
@pytest.mark.parametrize("path", TABLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_tsv_is_upstreams(path, tmp_path):
    inspector = table_of(path)
    inspector.save_data_to_tsv(str(tmp_path / "by_path.tsv"))
    stream = io.StringIO()
    inspector.save_data_to_tsv(stream)
    assert stream.getvalue().encode() == path.read_bytes()
    assert (tmp_path / "by_path.tsv").read_bytes() == path.read_bytes()


def test_columns_and_units():
    inspector = inspect("mlp_xnnpack")
    plain = [
        "event_block_name", "event_name", "raw", "p10", "p50", "p90", "avg", "min", "max",
        "op_types", "delegate_debug_identifier", "stack_traces", "module_hierarchy",
        "is_delegated_op", "delegate_backend_name", "debug_data", "start_time",
    ]  # fmt: skip
    with_units = [f"{c} (ms)" if c in plain[3:9] else c for c in plain]
    assert list(inspector.to_dataframe().columns) == with_units
    assert list(inspector.to_dataframe(include_units=False).columns) == plain
    assert list(inspector.event_blocks[0].to_dataframe().columns) == plain
    assert list(inspector.event_blocks[0].to_dataframe(include_units=True).columns) == with_units


def test_cells_have_the_types_of_upstreams():
    frame = inspect("mlp_xnnpack").to_dataframe(include_units=False)
    row = frame[frame["event_name"] == "DELEGATE_CALL"].iloc[0]
    assert isinstance(row["raw"], list) and isinstance(row["raw"][0], float)
    assert isinstance(row["start_time"], list) and isinstance(row["start_time"][0], int)
    assert row["op_types"] == ["aten.linear.default", "aten.relu.default", "aten.linear.default",
                               "aten._softmax.default"]  # fmt: skip
    assert isinstance(row["stack_traces"], dict) and isinstance(row["module_hierarchy"], dict)
    assert frame["p50"].dtype == np.float64 and frame["is_delegated_op"].dtype == bool
    assert frame["delegate_debug_identifier"].iloc[0] is None


def test_five_and_more_op_types_are_shortened():
    frame = inspect("gpt_xnnpack").to_dataframe()
    texts = [cell for cell in frame["op_types"] if isinstance(cell, str)]
    assert texts and all(text.endswith(" total)") and " ... " in text for text in texts)


def test_the_module_hierarchy_is_printed_where_it_is_enabled(tmp_path, capsys):
    inspector = inspect("gpt_portable", enable_module_hierarchy=True)
    inspector.print_data_tabular()
    assert " module_hierarchy " in capsys.readouterr().out
    inspector.save_data_to_tsv(str(tmp_path / "table.tsv"))
    rows = [line.split("\t") for line in (tmp_path / "table.tsv").read_text().splitlines()]
    place = rows[0].index("module_hierarchy")
    assert rows[0][place - 1] == "op_types"
    cells = [row[place] for row in rows[1:]]
    assert "['blocks.0.ln1']" in cells and "['(model)']" in cells and "[]" in cells
    other = inspect("gpt_portable")
    other.save_data_to_tsv(str(tmp_path / "other.tsv"))
    without = [row[:place] + row[place + 1 :] for row in rows]
    expected = (tmp_path / "other.tsv").read_text().splitlines()
    assert without == [line.split("\t") for line in expected]


def test_printed_grid(capsys):
    inspect("linear_fp32_xnnpack").print_data_tabular()
    printed = capsys.readouterr().out
    assert printed.startswith("╒════╤")
    assert "│ DELEGATE_CALL" in printed and "OPERATOR_CALL" not in printed
    header = printed.splitlines()[1]
    cells = [cell.strip() for cell in header.strip("│").split("│")]
    assert cells == [
        "", "event_block_name", "event_name", "p10 (ms)", "p50 (ms)", "p90 (ms)", "avg (ms)",
        "min (ms)", "max (ms)", "op_types", "is_delegated_op", "delegate_backend_name",
        "start_time",
    ]  # fmt: skip


def test_printing_to_a_stream():
    stream = io.StringIO()
    inspect("mlp_portable").print_data_tabular(stream, include_units=False)
    assert "p10 (ms)" not in stream.getvalue() and "native_call_relu.out" in stream.getvalue()


def test_a_notebook_shows_the_same_frame(monkeypatch):
    """With an IPython kernel running the frame is displayed, not printed."""
    import sys
    import types

    shown = []
    shell = type("ZMQInteractiveShell", (), {})()
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    display = types.ModuleType("IPython.display")
    display.display = shown.append
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    inspector = inspect("mlp_portable")
    inspector.print_data_tabular()
    (frame,) = shown
    frame = getattr(frame, "data", frame)  # a Styler, where jinja2 is installed
    assert list(frame["event_name"])[:2] == ["Method::init", "Program::load_method"]
    assert "raw" not in frame.columns


def test_names_of_a_file_are_shown_not_interpreted(capsys):
    """No terminal sequences and no HTML: names are what some file says."""
    pytest.importorskip("jinja2")
    events = [
        profile("a\x1b[31m\nb", 0, 1, instruction=1),
        profile(None, 0, 1, instruction=2, delegate_name="<script>x</script>", metadata=b"<i>"),
    ]
    inspector = Inspector(etdump_data=dump(("<b>", events)))
    inspector.print_data_tabular()
    printed = capsys.readouterr().out
    assert "a\\x1b[31m\\nb" in printed and "\x1b" not in printed
    frame = _frame.for_printing(inspector.to_dataframe(include_delegate_debug_data=True))
    assert frame["event_name"][0] == "a\x1b[31m\nb"
    html = _frame._styled(frame).to_html()
    assert "&lt;script&gt;" in html and "[b&#x27;&lt;i&gt;&#x27;]" in html
    assert not {"<script>", "<b>", "<i>"} & set(re.findall("<.*?>", html))


def test_a_parser_may_not_name_a_column_of_the_table():
    events = [profile(None, 0, 1, delegate_name="d", metadata=b"m")]
    inspector = Inspector(etdump_data=dump(("Execute", events)),
                          delegate_metadata_parser=lambda _: {"op_types": 1})  # fmt: skip
    with pytest.raises(ValueError, match="'op_types'"):
        inspector.to_dataframe(include_delegate_debug_data=True)


def test_tables_follow_changes_to_the_events():
    inspector = inspect("mlp_portable")
    before = len(inspector.to_dataframe())
    block = inspector.event_blocks[1]
    block.events = [event for event in block.events if event.name != "OPERATOR_CALL"]
    block.events[0].name = "renamed"
    frame = inspector.to_dataframe()
    assert len(frame) < before and "renamed" in list(frame["event_name"])


def test_times_in_other_units():
    in_ms = inspect("mlp_portable").to_dataframe(include_units=False)
    in_us = inspect("mlp_portable", target_time_scale=TimeScale.US).to_dataframe()
    assert np.allclose(in_us["avg (us)"], in_ms["avg"] * 1000, rtol=1e-12)
    ticks = inspect(
        "mlp_portable", source_time_scale=TimeScale.CYCLES, target_time_scale=TimeScale.CYCLES
    ).to_dataframe()
    assert np.allclose(ticks["avg (cycles)"], in_ms["avg"] * 1e6, rtol=1e-12)


def test_a_trace_without_events():
    """Upstream: "No objects to concatenate"."""
    empty = pathlib.Path(DATA, "made")
    for name in ("no_runs", "no_events"):
        frame = Inspector(etdump_path=str(empty / f"{name}.etdp")).to_dataframe()
        assert len(frame) == 0 and len(frame.columns) == 17

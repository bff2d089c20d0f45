"""ExecuTorch's documentation, followed step by step with the import replaced."""

import subprocess
import sys

import pytest

from fixtures import file, inspect

SCRIPT = """
import os
import sys
from etscope.inspector import Inspector

base = os.path.splitext(sys.argv[1])[0]
inspector = Inspector(etrecord=base + ".etrecord", etdump_path=base + ".etdump")
inspector.print_data_tabular(include_delegate_debug_data=True, include_units=False)
with open(base + ".csv", "w", encoding="utf-8") as table:
    inspector.save_data_to_tsv(table)
"""


def test_a_script_that_derives_all_names_from_the_program(tmp_path):
    """.etrecord, .etdump and .csv beside the .pte, as the tutorial of linear models has them."""
    for ours, theirs in (("model.etrecord", "etrecord"), ("profile.etdp", "etdump")):
        target = tmp_path / f"linear.{theirs}"
        target.symlink_to(file("linear_fp32_xnnpack", ours))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, str(tmp_path / "linear.pte")],
        stdout=subprocess.PIPE, universal_newlines=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert "Fully Connected (NC, F32) GEMM #1" in done.stdout and "(ms)" not in done.stdout
    lines = (tmp_path / "linear.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t")[:4] == ["", "event_block_name", "event_name", "p10 (ms)"]
    (delegate,) = [line for line in lines if "\tDELEGATE_CALL\t" in line]
    assert "['aten.linear.default']" in delegate and "XnnpackBackend" in delegate


def test_walking_blocks_and_events():
    inspector = inspect("mlp_portable")
    raw = None
    for event_block in inspector.event_blocks:
        if event_block.name == "Execute":
            for event in event_block.events:
                if event.name == "Method::execute":
                    raw = event.perf_data.raw
    assert len(raw) == 5 and all(time > 0 for time in raw)


def test_every_documented_field():
    inspector = inspect("mlp_xnnpack", "debug")
    for block in inspector.event_blocks:
        for name in ("name", "events", "source_time_scale", "target_time_scale",
                     "bundled_input_index", "run_output", "reference_output"):  # fmt: skip
            getattr(block, name)
        for event in block.events:
            assert event.raw_delegate_debug_metadatas == event._delegate_debug_metadatas == []
            assert event.delegate_debug_metadatas == []
            assert event._delegate_metadata_parser is None
            assert event._delegate_time_scale_converter is None
            assert event.start_time == event._start_time
            assert event.perf_data.min <= event.perf_data.p50 <= event.perf_data.max


def test_the_exported_program():
    inspector = inspect("mlp_portable")
    program = inspector.get_exported_program()
    assert program is inspector.get_exported_program()
    assert program.code.startswith("def forward(")
    event = next(e for e in inspector.event_blocks[1].events if e.name == "native_call_relu.out")
    (node,) = program.find(event.debug_handles)
    assert node.op == "aten.relu.default" and node.name + "_" in event.stack_traces
    assert node.stack_trace == event.stack_traces[node.name + "_"]
    assert node.nn_module_stack == event.module_hierarchy[node.name + "_"]
    assert node.source[0] == "models/zoo.py"
    assert inspector.get_exported_program("exported_program").node("relu").op == "relu.default"
    assert inspector.get_exported_program("no such graph") is None
    with pytest.warns(UserWarning, match="ETRecord"):
        assert inspect("mlp_portable", etrecord=None).get_exported_program() is None


def test_operators_and_their_events():
    inspector = inspect("mlp_xnnpack")
    operators = inspector.get_op_list("Execute")
    assert sorted(operators) == ["aten._softmax.default", "aten.linear.default",
                                 "aten.relu.default"]  # fmt: skip
    assert [event.name for event in operators["aten.linear.default"]] == ["DELEGATE_CALL"]
    assert inspector.get_op_list("Execute", show_delegated_ops=False) == {}
    assert inspector.get_op_list("Default") == {}


@pytest.mark.parametrize("module", ["etscope", "etscope.inspector"])
def test_names_are_where_upstream_has_them(module):
    import importlib

    home = importlib.import_module(module)
    upstream = {
        "etscope": ["BundledProgram", "ETRecord", "Inspector", "generate_etrecord", "inspector",
                    "parse_etrecord"],
        "etscope.inspector": ["Event", "EventBlock", "Inspector", "PerfData", "TimeScale",
                              "compare_results", "parse_vgf_neural_statistics_delegate_metadata",
                              "parse_vgf_neural_statistics_metadata"],
    }  # fmt: skip
    for name in upstream[module]:
        assert getattr(home, name) is not None and name in home.__all__ and name in dir(home)

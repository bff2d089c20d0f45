"""The Inspector's own behaviour: arguments, callbacks, errors, laziness, the command line."""

import gc
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import etscope
from etscope import Error, Inspector, parse_etrecord
from etscope.inspector import PerfData, TimeScale, compare_results
from etscope.inspector.vgf_neural_statistics import parse_vgf_neural_statistics_metadata
from made import dump, profile
from fixtures import MODELS, ROOT, file, inspect

TRACE = file("mlp_xnnpack", "profile.etdp")


def trace_bytes():
    with open(TRACE, "rb") as stream:
        return stream.read()


def metadata_trace():
    return dump(
        *(
            (
                "Execute",
                [
                    profile(None, 1000, 3000 + i, delegate_name="add", metadata=b"m%d" % i),
                    profile("plain", 0, 5000, instruction=1),
                ],
            )
            for i in range(2)
        )
    )


def test_a_trace_in_memory_is_the_trace_of_a_path():
    by_path, by_data = Inspector(TRACE), Inspector(etdump_data=trace_bytes())
    assert by_path.event_blocks == by_data.event_blocks
    assert Inspector(etdump_data=bytearray(trace_bytes())).event_blocks == by_data.event_blocks


def test_what_is_shown_of_objects_is_short():
    inspector = inspect("mlp_xnnpack")
    text = repr(inspector)
    for block in inspector.event_blocks:
        runs = len(block.events[0].perf_data.raw)
        assert f"{block.name} x{runs}" in text
    assert "ETRecord" in text and "forward" in text
    assert repr(Inspector(TRACE)).endswith("; no record>")
    times = PerfData([1.0, 4.0, 2.0])
    assert repr(times) == "PerfData(p50=2, 3 runs)"
    assert repr(PerfData([0.25])) == "PerfData(p50=0.25, 1 run)"
    assert repr(PerfData([])) == "PerfData(0 runs)"


def test_the_headline_is_what_the_command_line_begins_with():
    for model in ("gpt_xnnpack", "mlp_portable", "multi_method"):
        with_record = Inspector(file(model, "profile.etdp"), etrecord=file(model, "model.etrecord"))
        assert len(with_record.headline) == 3
        assert str(with_record) == "\n".join(with_record.headline)
    assert with_record.headline[0].startswith("decode: 1.87 us per run (median of 5 runs, ")
    assert Inspector(etdump_data=dump(("Load", [profile("x", 0, 5, instruction=1)]))).headline == []


def test_one_source_of_the_trace_is_needed():
    for arguments in ({}, {"etdump_path": TRACE, "etdump_data": trace_bytes()}):
        with pytest.raises(ValueError, match="exactly one"):
            Inspector(**arguments)


def test_cycles_are_not_converted():
    for scales in ((TimeScale.CYCLES, TimeScale.MS), (TimeScale.NS, TimeScale.CYCLES)):
        with pytest.raises(RuntimeError, match="cycles"):
            Inspector(TRACE, source_time_scale=scales[0], target_time_scale=scales[1])


def test_a_trace_that_knows_its_unit_is_believed():
    path = str(ROOT / "fuzz" / "corpus" / "trace_stream" / "extra_block.etdp")
    inspector = Inspector(path, source_time_scale=TimeScale.US)
    assert inspector.event_blocks[0].source_time_scale is TimeScale.NS
    event = inspector.event_blocks[0].events[0]
    assert event.perf_data.raw == [pytest.approx(1e-5)]
    with pytest.raises(Error, match="cycles"):
        Inspector(path, source_time_scale=TimeScale.CYCLES, target_time_scale=TimeScale.CYCLES)
    with pytest.raises(Error, match="subtracted"):
        Inspector(path, subtract_overhead=True)


def test_warnings_point_at_the_callers_line():
    inspector = inspect("mlp_portable", "debug", debug_buffer_path=None)
    with pytest.warns(UserWarning) as caught:
        inspector.event_blocks
    assert caught[0].filename == __file__


def test_arguments_of_other_types():
    with pytest.raises(TypeError):
        Inspector(TRACE, etrecord=7)
    with pytest.raises(TypeError):
        Inspector(etdump_data="text")
    with pytest.raises(TypeError):
        Inspector(7)
    with pytest.raises(ValueError):
        Inspector(TRACE, source_time_scale="hours")
    with pytest.raises(ValueError):
        Inspector(TRACE, tensors="lists")


def test_errors_tell_status_offset_and_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        Inspector(str(tmp_path / "no.etdp"))
    assert isinstance(caught.value, Error) and caught.value.status == "NOT_FOUND"
    with pytest.raises(OSError):
        Inspector(str(tmp_path))
    short = tmp_path / "short.etdp"
    short.write_bytes(trace_bytes()[:-100])
    with pytest.raises(Error) as caught:
        Inspector(str(short))
    error = caught.value
    assert isinstance(error, ValueError) and isinstance(error, RuntimeError)
    assert error.status in ("TRUNCATED", "MALFORMED") and error.file == str(short)
    assert isinstance(error.offset, int) and str(short) in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.status, copy.offset, copy.file, str(copy)) == (
        error.status, error.offset, error.file, str(error))  # fmt: skip
    with pytest.raises(Error) as caught:
        Inspector(file("mlp_xnnpack", "model.pte"))
    assert caught.value.status == "WRONG_KIND"
    with pytest.raises(Error):
        Inspector(TRACE + "\0")
    with pytest.raises(Error) as caught:
        Inspector(TRACE, etrecord=file("mlp_xnnpack", "model.etrecord"),
                  reference_graph_name="none")  # fmt: skip
    assert caught.value.status == "NOT_FOUND" and "edge_dialect_graph_module" in str(caught.value)


def test_the_converter_gets_names_and_ticks():
    calls = []

    def convert(name, ticks):
        calls.append((name, ticks))
        return ticks / 1000

    inspector = Inspector(etdump_data=metadata_trace(), delegate_time_scale_converter=convert)
    frame = inspector.to_dataframe(include_units=False)
    delegated, plain = frame.iloc[0], frame.iloc[1]
    assert delegated["raw"] == [2.0, pytest.approx(2.001)]
    assert delegated["avg"] == pytest.approx(2.0005) and delegated["p10"] > 2.0
    assert plain["raw"] == [0.005, 0.005]
    assert calls[:2] == [("add", 1000), ("add", 3000)]
    event = inspector.event_blocks[0].events[0]
    assert event.perf_data.raw == delegated["raw"]
    assert event._delegate_time_scale_converter is convert


def test_metadata_and_its_parser():
    plain = Inspector(etdump_data=metadata_trace())
    event = plain.event_blocks[0].events[0]
    assert event.raw_delegate_debug_metadatas == event.delegate_debug_metadatas == [b"m0", b"m1"]
    frame = plain.to_dataframe(include_delegate_debug_data=True)
    assert frame["delegate_debug_metadata"].iloc[0] == [b"m0", b"m1"]
    parsed = Inspector(
        etdump_data=metadata_trace(),
        delegate_metadata_parser=lambda blobs: {"first": blobs[0].decode(), "count": len(blobs)},
    )
    frame = parsed.to_dataframe(include_delegate_debug_data=True)
    assert list(frame.columns)[-2:] == ["first", "count"]
    assert frame["first"].iloc[0] == "m0" and frame["count"].iloc[0] == 2
    assert frame["first"].isna().iloc[1]
    wrong = Inspector(etdump_data=metadata_trace(), delegate_metadata_parser=lambda blobs: 1)
    with pytest.raises(ValueError, match="int"):
        wrong.to_dataframe(include_delegate_debug_data=True)
    without = inspect("mlp_xnnpack").to_dataframe(include_delegate_debug_data=True)
    assert "delegate_debug_metadata" not in without.columns


def test_another_reference_graph():
    """A graph_map entry instead of the edge program."""
    record = parse_etrecord(file("mlp_portable", "model.etrecord"))
    record.graph_map = {"mine/forward": record.edge_dialect_program}
    mine = inspect("mlp_portable", etrecord=record, reference_graph_name="mine/forward")
    usual = inspect("mlp_portable")
    assert mine.event_blocks == usual.event_blocks
    assert [e.op_types for e in mine.event_blocks[1].events if e.op_types]


def test_compare_results_in_full_precision(capsys):
    reference = [np.ones(4, "f4"), 3]
    output = [np.full(4, 1.05, "f4"), 3]
    results = compare_results(reference, output)
    assert results["mse"] == [pytest.approx(0.0025, rel=1e-5), None]
    assert results["snr"][0] == pytest.approx(26.0206, abs=1e-3)
    assert results["cosine_similarity"][0] == pytest.approx(1)
    assert "0.0025" in capsys.readouterr().out
    assert compare_results(reference, reference, ["snr"])["snr"] == [np.inf, None]
    with pytest.raises(ValueError):
        compare_results(reference, [np.ones(5, "f4"), 3])
    with pytest.raises(ValueError):
        compare_results(None, output)
    with pytest.raises(ValueError, match="unknown"):
        compare_results(reference, output, ["nothing"])


def test_recorded_outputs_are_the_references():
    block = inspect("mlp_portable", "debug").event_blocks[1]
    results = compare_results(block.reference_output, block.run_output)
    assert results["mse"][0] < 1e-12


def test_events_outlive_the_inspector(tmp_path):
    inspector = inspect("conv_portable", "debug")
    blocks, graph = inspector.event_blocks, inspector.get_exported_program()
    arrays = [array for event in blocks[1].events for array in event.debug_data]
    sums = [array.sum() for array in arrays]
    del inspector
    gc.collect()
    assert [array.sum() for array in arrays] == sums
    assert graph.nodes[0].inputs and graph.code and graph.subgraphs == []


def test_a_file_that_is_cut_while_open_is_told(tmp_path):
    copy = tmp_path / "trace.etdp"
    with open(file("mlp_portable", "debug.etdp"), "rb") as stream:
        copy.write_bytes(stream.read())
    inspector = Inspector(str(copy), debug_buffer_path=file("mlp_portable", "debug.bin"))
    with open(copy, "r+b") as stream:
        stream.truncate(100)
    with pytest.raises(Error, match="changed"):
        inspector.event_blocks
    replaced = tmp_path / "replaced.etdp"
    replaced.write_bytes(trace_bytes())
    inspector = Inspector(str(replaced))
    os.unlink(replaced)
    assert len(inspector.event_blocks) == 2


def test_a_record_that_can_save_itself():
    """ExecuTorch's own ETRecord object, by what it offers."""

    class ETRecord:
        def save(self, file):
            with open(saved, "rb") as stream:
                file.write(stream.read())

    saved = file("mlp_portable", "model.etrecord")
    inspector = inspect("mlp_portable", etrecord=ETRecord())
    assert inspector.event_blocks == inspect("mlp_portable").event_blocks
    assert inspector._etrecord.path is None


def vgf_record(**changes):
    blob = {"available": True, "encoding": "base64", "data": "AQID"}
    segment = {"name": "s0", "statistics_info": blob, "debug_database": {"available": False}}
    record = {"schema": "executorch.vgf.neural_statistics", "schema_version": 1,
              "segments": [segment]}  # fmt: skip
    return json.dumps({**record, **changes}).encode()


def vgf_trace(*metadata):
    events = [profile(None, i, i + 1, delegate_id=i, metadata=m) for i, m in enumerate(metadata)]
    return Inspector(etdump_data=dump(("Execute", events)))


def test_statistics_of_the_vgf_backend():
    inspector = vgf_trace(vgf_record(), b"of another backend", b'{"schema": "another"}')
    (record,) = inspector.get_vgf_neural_statistics()
    (segment,) = record["segments"]
    assert segment["statistics_info"]["raw_data"] == b"\1\2\3"
    assert segment["debug_database"]["raw_data"] == b"" and segment["name"] == "s0"
    reasons = {"Malformed VGF neural statistics": vgf_record()[:-5],
               "Unsupported VGF .* schema version": vgf_record(schema_version=2)}  # fmt: skip
    for reason, data in reasons.items():
        with pytest.raises(ValueError, match=reason):
            parse_vgf_neural_statistics_metadata(data)
    damaged = [vgf_record()[:-5], vgf_record(schema_version=2), vgf_record(segments=[1]),
               vgf_record(segments=7)]  # fmt: skip
    for blob in ({"encoding": "none"}, {"encoding": "base64", "data": "?"}):
        damaged.append(vgf_record(segments=[{"statistics_info": {"available": True, **blob}}]))
    for metadata in damaged:
        with pytest.raises(ValueError):
            vgf_trace(metadata).get_vgf_neural_statistics()


def run_cli(*arguments, code=0):
    command = [sys.executable, "-m", "etscope.inspector.inspector_cli", *arguments]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done


def test_command_line(tmp_path):
    table = tmp_path / "table.tsv"
    done = run_cli(
        "--etdump_path", file("mlp_portable", "debug.etdp"),
        "--etrecord_path", file("mlp_portable", "model.etrecord"),
        "--debug_buffer_path", file("mlp_portable", "debug.bin"),
        "--source_time_scale", "ns", "--target_time_scale", "us",
        "--tsv_path", str(table), "--compare_results",
    )  # fmt: skip
    assert "p10 (us)" in done.stdout and "native_call_relu.out" in done.stdout
    assert "cosine_similarity" in done.stdout and done.stderr == ""
    assert table.read_text().startswith("\tevent_block_name\t")
    failed = run_cli("--etdump_path", "missing.etdp", code=1)
    assert failed.stderr.startswith("etscope: missing.etdp: ") and failed.stderr.count("\n") == 1
    run_cli("--etdump_path", TRACE, "--source_time_scale", "weeks", code=2)


def test_import_is_light():
    """NumPy, pandas and torch come when they are needed."""
    code = """
import sys, time
start = time.process_time()
import etscope
spent = time.process_time() - start
inspector = etscope.Inspector(sys.argv[1])
inspector.event_blocks[0].events[0].name
heavy = {"numpy", "pandas", "torch", "tabulate"} & set(sys.modules)
assert not heavy, heavy
inspector.to_dataframe()
assert "pandas" in sys.modules and "torch" not in sys.modules
assert spent < 0.06, spent
"""
    subprocess.run([sys.executable, "-c", code, TRACE], check=True)


@pytest.mark.parametrize("model", MODELS)
def test_records_of_every_model(model):
    record = parse_etrecord(file(model, "model.etrecord"))
    programs = record.edge_dialect_program
    for program in programs.values() if isinstance(programs, dict) else [programs]:
        assert program.nodes and program.code.count("\n") > len(program.nodes)
        for node in program.nodes:
            assert node in program.find(node.debug_handle) or node.debug_handle is None
        assert all(name in program.values for node in program.nodes for name in node.outputs)
    assert record.exported_program.nodes
    assert record._representative_inputs and record._reference_outputs
    assert isinstance(record.export_graph_id, int)
    assert sorted(record._debug_handle_map) == record.methods


def test_version_and_unknown_names():
    assert etscope.__version__ == "0.1.0"
    with pytest.raises(AttributeError):
        etscope.nothing


def test_modules_are_there_without_importing_each():
    script = """
import etscope
for name in etscope._MODULES:
    assert name in dir(etscope) and getattr(etscope, name).__name__ == "etscope." + name
assert not hasattr(etscope, "numpy")
"""
    subprocess.run([sys.executable, "-c", script], check=True)

"""Inspector.report: the file that `etscope report` writes."""

import os
import subprocess

import pytest

from etscope import Error, Inspector
from fixtures import file
from made import dump, profile

ETSCOPE = os.environ.get("ETSCOPE", "etscope")


def written(path, *words):
    done = subprocess.run([ETSCOPE, "report", *words, "-o", path], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return path.read_bytes()


@pytest.mark.parametrize("model", ["gpt_xnnpack", "conv_xnnpack_int8", "multi_method"])
@pytest.mark.parametrize("ending", ["pte", "bpte"])
def test_report_is_that_of_the_command(model, ending, tmp_path):
    trace, record = file(model, "profile.etdp"), file(model, "model.etrecord")
    program = file(model, f"model.{ending}")
    inspector = Inspector(etdump_path=trace, etrecord=record, program=program)
    inspector.report(tmp_path / "python.html")
    same = written(tmp_path / "command.html", trace, "--etrecord", record, "--program", program)
    assert (tmp_path / "python.html").read_bytes() == same


def test_report_compares_captured_values(tmp_path):
    trace, buffer = file("gpt_xnnpack", "debug.etdp"), file("gpt_xnnpack", "debug.bin")
    record = file("gpt_xnnpack", "model.etrecord")
    inspector = Inspector(etdump_path=trace, etrecord=record, debug_buffer_path=buffer)
    inspector.report(str(tmp_path / "python.html"))
    html = (tmp_path / "python.html").read_bytes()
    if b"captured values are not compared" in html:
        pytest.skip("no engine")
    same = written(tmp_path / "command.html", trace, "--etrecord", record, "--debug-buffer", buffer)
    assert html == same


def test_report_leaves_out_what_the_command_leaves_out(tmp_path):
    trace, record = file("gpt_xnnpack", "profile.etdp"), file("gpt_xnnpack", "model.etrecord")
    inspector = Inspector(etdump_path=trace, etrecord=record)
    words = (trace, "--etrecord", record, "--no-siblings")
    whole = len(written(tmp_path / "whole.html", *words))
    cases = (
        ({"source": False}, ["--no-source"]),
        ({"tensors": False}, ["--no-tensors"]),
        ({"max_size": whole - 1}, ["--max-size", str(whole - 1)]),
    )
    for options, more in cases:
        inspector.report(tmp_path / "python.html", **options)
        html = (tmp_path / "python.html").read_bytes()
        assert html == written(tmp_path / "command.html", *words, *more)
        assert len(html) <= whole
    with pytest.raises(Error, match="max_size 1000 is too small"):
        inspector.report(tmp_path / "small.html", max_size=1000)
    assert not (tmp_path / "small.html").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "command.html", "python.html", "whole.html"]  # fmt: skip


def test_report_of_a_trace_in_memory_says_what_is_missing(tmp_path):
    trace = dump(("Execute", [profile("x", 0, 5, instruction=1)]))
    Inspector(etdump_data=trace).report(tmp_path / "r.html")
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    for words in ("<h1>trace</h1>", "need the ETRecord: --etrecord", "trace: trace, an ETDump"):
        assert words in html


def test_report_that_cannot_be_written(tmp_path):
    inspector = Inspector(etdump_path=file("mlp_portable", "profile.etdp"))
    with pytest.raises(Error, match="nowhere"):
        inspector.report(tmp_path / "nowhere" / "r.html")
    assert list(tmp_path.iterdir()) == []

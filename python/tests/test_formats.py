"""examples/linear_formats: four formats of one layer, measured and compared."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from etscope import parse_etrecord
from fixtures import EXAMPLES

FOLDER = EXAMPLES / "linear_formats"
UNAVAILABLE = 6  # docs/exit-codes.md
GEMMS = {
    "fp32": "Fully Connected (NC, F32) GEMM #1",
    "fp16": "Fully Connected (NC, F16) GEMM #1",
    "int8": "Fully Connected (NC, QDU8, F32, QC8W) GEMM #1",
    "int4": "Fully Connected (NC, QDU8, F32, QB4W) GEMM #1",
}


def compare(folder, *options):
    return subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / "compare_formats.py"), str(folder), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, encoding="utf-8",
    )  # fmt: skip


def test_the_page_shows_what_the_traces_give():
    done = compare(FOLDER, "--read")
    assert done.returncode == 0, done.stderr
    shown = re.findall(r"^    (?!python)(.*)$", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert shown == done.stdout.splitlines()


@pytest.mark.parametrize("name", GEMMS)
def test_tables_name_what_computes_the_layer(name):
    lines = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]
    assert [row["event_name"] for row in rows] == [
        "Method::init", "Program::load_method", GEMMS[name], "DELEGATE_CALL", "Method::execute",
    ]  # fmt: skip
    assert rows[2]["is_delegated_op"] == "True" and "aten.linear.default" in rows[3]["op_types"]
    assert {row["delegate_backend_name"] for row in rows[2:4]} == {"XnnpackBackend"}


@pytest.mark.parametrize("name", GEMMS)
def test_records_say_that_their_weights_were_left_out(name):
    assert parse_etrecord(FOLDER / f"{name}.etrecord").is_slim


def test_measuring_and_comparing(tmp_path):
    for path in FOLDER.glob("*"):
        if path.suffix in (".pte", ".etrecord"):
            shutil.copy(path, tmp_path)
    (tmp_path / "fp32.3.etdump").write_bytes(b"of rounds that are no more")
    if "ETSCOPE" not in os.environ:
        pytest.skip("ETSCOPE names no command to run programs with")
    done = compare(tmp_path, "--rounds", "2", "--runs", "3")
    if done.returncode == UNAVAILABLE:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    header, *rows = done.stdout.splitlines()
    assert header.count("50 % sure") == 2
    assert len(rows) == len(GEMMS)
    for row, name in zip(rows, GEMMS):
        # A processor may have other kernels for the same format; the page's are of one with VNNI.
        kind = r"Q[DP]U?8, F32, Q[BC]\dW" if "int" in name else r"P?F(16|32)"
        assert re.match(rf"{name} +Fully Connected \(NC, {kind}\) [A-Za-z]+ #1 ", row), row
        size = (FOLDER / f"{name}.pte").stat().st_size
        saved = 100 * (1 - size / (FOLDER / "fp32.pte").stat().st_size)
        place = r"[\d.]+ +[\d.]+\.\.[\d.]+ +-?\d+ % +-?\d+\.\.-?\d+ %$"
        assert re.search(rf" {size / 1024:.1f} +{saved:.0f} % +{place}", row), row
    files = {path.name for path in tmp_path.iterdir()}
    assert files == {
        f"{name}{suffix}" for name in GEMMS
        for suffix in (".pte", ".etrecord", ".etdump", ".2.etdump", ".csv")
    }  # fmt: skip


def test_a_command_that_fails_or_is_not_there(tmp_path, monkeypatch):
    shutil.copy(FOLDER / "fp32.pte", tmp_path)
    monkeypatch.setenv("ETSCOPE", shutil.which("false"))
    done = compare(tmp_path)
    assert done.returncode == 1 and done.stderr == ""
    monkeypatch.setenv("ETSCOPE", str(tmp_path / "etscope"))
    done = compare(tmp_path)
    assert done.returncode == 2 and "error: no command" in done.stderr

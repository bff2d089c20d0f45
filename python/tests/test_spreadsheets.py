"""What the package writes for spreadsheets runs nothing there, as what the command line writes."""

import csv
import io
import json
import os
import subprocess

import pytest

from etscope import Inspector

NAMES = ["=HYPERLINK(1)", "+1+cmd", "-2+3", "@SUM(1)", "\u202egpj.exe", "\x1b[2J", "\uff1d1", "-5", "a\tb",
         "-1\n", "+", "-", "-1.5", "+.", "\n=1", "\r=1", "\t=1", "\x01=1", "\uff0b1", "\uff0d1", "\uff201", "1-2",
         "-\u0661", " =1", "'=1", "plain"]


@pytest.fixture
def trace(tmp_path):
    events = [{"name": name, "ph": "X", "ts": 10 * i, "dur": 5, "pid": 1, "tid": 1}
              for i, name in enumerate(NAMES)]
    profile, dump = tmp_path / "hostile.json", tmp_path / "hostile.etdp"
    profile.write_text(json.dumps({"traceEvents": events}))
    subprocess.run([os.environ["ETSCOPE"], "import", profile, "-o", dump], check=True, capture_output=True)
    return dump


def test_names_of_a_trace_are_no_formulas(trace, tmp_path):
    Inspector(etdump_path=str(trace)).save_data_to_tsv(str(tmp_path / "table.tsv"))
    with open(tmp_path / "table.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    names = [row[2] for row in rows[1:]]
    for name in ("'=HYPERLINK(1)", "'+1+cmd", "'-2+3", "'@SUM(1)", "'\uff1d1", "-5"):
        assert name in names
    assert all(cell.isprintable() for row in rows for cell in row)


def test_a_formula_is_what_the_command_line_takes_for_one(trace, tmp_path):
    Inspector(etdump_path=str(trace)).save_data_to_tsv(str(tmp_path / "table.tsv"))
    command = subprocess.run([os.environ["ETSCOPE"], "inspect", trace, "--format", "upstream"], check=True,
                             capture_output=True).stdout.decode()
    python = (tmp_path / "table.tsv").read_text(encoding="utf-8")
    names = [[row[2] for row in csv.reader(io.StringIO(text, newline=""), delimiter="\t")][1:]
             for text in (python, command)]
    assert len(names[0]) == len(names[1]) == len(NAMES) + 1  # the run
    for ours, theirs in zip(*names):  # in place of a character that a terminal obeys stand two different things
        assert ours.startswith("'") == theirs.startswith("'"), (ours, theirs)


def test_metadata_of_a_delegate_is_no_formula(tmp_path):
    from fixtures import file

    inspector = Inspector(etdump_path=file("mlp_xnnpack", "profile.etdp"),
                          delegate_metadata_parser=lambda data: {"=A1": "=B1+C1"})
    inspector.save_data_to_tsv(str(tmp_path / "table.tsv"), include_delegate_debug_data=True)
    text = (tmp_path / "table.tsv").read_text()
    assert not any(cell.startswith("=") for line in text.splitlines() for cell in line.split("\t"))

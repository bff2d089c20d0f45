"""examples/model_to_answer.ipynb: shows what it gives, on its own traces and on new ones."""

import json
import os
import re
import shutil
import subprocess

import pytest

from etscope import Error
from etscope.runtime import Runtime
from fixtures import DATA, EXAMPLES

pytest.importorskip("IPython")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

import notebooks  # noqa: E402

PATH = EXAMPLES / "model_to_answer.ipynb"
UNAVAILABLE = 6  # docs/exit-codes.md


@pytest.fixture
def notebook():
    """Without the cell that evaluates a graph where there is no engine to do so."""
    found = json.loads(PATH.read_text(encoding="utf-8"))
    if not has_engine():
        cells = [cell for cell in found["cells"] if "numeric_gap" not in "".join(cell["source"])]
        assert len(cells) == len(found["cells"]) - 1
        found["cells"] = cells
    return found


def has_engine():
    try:
        return Runtime.get() is not None
    except Error:
        return False


@pytest.fixture(autouse=True)
def profile_of_no_user(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))


def outputs(notebook):
    return [notebooks.words(output)
            for cell in notebooks.code_cells(notebook) for output in cell["outputs"]]  # fmt: skip


def said(notebook):
    return [" ".join(words) for words in outputs(notebook)]


def test_it_shows_what_it_gives(notebook):
    shown = outputs(notebook)
    assert len(shown) >= len(notebooks.code_cells(notebook))
    notebooks.run(notebook, EXAMPLES)
    assert outputs(notebook) == shown


def test_tables_are_styled(notebook):
    imports, *others = notebooks.code_cells(notebook)
    (cell,) = (cell for cell in others if "print_data_tabular" in "".join(cell["source"]))
    cell["outputs"] = []
    notebooks.run({"cells": [imports, cell]}, EXAMPLES)
    (output,) = cell["outputs"]
    html = "".join(output["data"]["text/html"])
    assert "font-size: 12px" in html and "<table" in html
    assert "Fully Connected (NC, QDU8, F32, QC8W) GEMM #1" in html and "XnnpackBackend" in html


def test_no_path_of_a_machine_is_in_it():
    text = PATH.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(home|root|tmp|usr|Users|work)/|site-packages", text)


def test_with_a_trace_of_this_machine(notebook, tmp_path):
    examples = tmp_path / "examples"
    (command,) = re.findall(r"^    etscope (.*)$", "".join(notebook["cells"][0]["source"]), re.M)
    if "ETSCOPE" not in os.environ:
        pytest.skip("ETSCOPE names no command to run programs with")
    for folder in ("mobile_cnn", "linear_formats"):
        shutil.copytree(EXAMPLES / folder, examples / folder)
    shutil.copytree(DATA / "machines", tmp_path / "tests" / "data" / "machines")
    (examples / "mobile_cnn" / "xnnpack.etdump").unlink()
    done = subprocess.run(
        [os.environ["ETSCOPE"], *command.split()], cwd=examples,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
    )  # fmt: skip
    if done.returncode == UNAVAILABLE:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    before = said(notebook)
    notebooks.run(notebook, examples)
    after = said(notebook)
    assert len(after) == len(before)
    assert re.match("forward: .* per run .*most expensive modules", after[0])
    assert "Execute forward 30 42" in after[1]
    assert "DELEGATE_CALL XnnpackBackend" in after[4] and "mean.out" in after[4]
    assert "examples/models/blocks.py:18" in after[5]
    assert "body.0" in after[6] and "classifier" in after[6]
    pictures = [text for text in after if text.startswith("<Figure size")]
    assert len(pictures) == (5 if has_engine() else 4)
    assert after[-1] == before[-1]

"""docs/python.md: every example runs, in order, and prints what the page says."""

import contextlib
import io
import re
import shutil

import pytest

from fixtures import EXAMPLES, ROOT, file

PAGE = (ROOT / "docs" / "python.md").read_text()
BLOCKS = re.findall(r"^```(python|text)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_print_what_the_page_says(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    pytest.importorskip("duckdb")
    pytest.importorskip("matplotlib").use("Agg")
    for name in ("profile.etdp", "debug.etdp", "debug.bin", "model.etrecord", "model.pte"):
        shutil.copy(file("mlp_portable", name), tmp_path)
    for name in ("demo.etrecord", "demo.pte"):
        shutil.copy(EXAMPLES / "backend" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    names, printed = {}, None
    assert len(BLOCKS) > 10
    for kind, text in BLOCKS:
        if kind == "python" and re.search("etscope.runtime|numeric_gap", text) and not has_engine():
            printed = None
        elif kind == "text" and printed is not None:
            # A long output may be given by its beginning.
            assert printed.startswith(text.rstrip("\n")), f"printed:\n{printed}\nexpected:\n{text}"
        elif kind == "python":
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream):
                exec(compile(text, "docs/python.md", "exec"), names)
            printed = stream.getvalue()


def has_engine():
    from etscope import Error
    from etscope.runtime import Runtime

    try:
        return Runtime.get() is not None
    except Error:
        return False

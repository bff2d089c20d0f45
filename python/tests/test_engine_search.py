"""Where etscope.runtime finds its engine, and what it says where there is none."""

import subprocess
import sys
import types

import pytest

from etscope import Error
from etscope.runtime import _engine


def message_of(environment, code="Runtime.get()"):
    script = f"""
import os
os.environ.pop("ETSCOPE_ENGINE", None)
os.environ.update({environment!r})
from etscope.runtime import Runtime
from etscope import Error
try:
    {code}
except Error as error:
    print(error.status, error)
"""
    return subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout  # fmt: skip


def test_a_named_engine_must_be_one(tmp_path):
    found = message_of({"ETSCOPE_ENGINE": str(tmp_path / "none.so")})
    assert found.startswith("UNAVAILABLE ETSCOPE_ENGINE: engine")
    (tmp_path / "text.so").write_text("no library")
    found = message_of({"ETSCOPE_ENGINE": str(tmp_path / "text.so")})
    assert found.startswith("UNAVAILABLE cannot load the engine")


def test_without_an_engine_it_is_told_what_to_do():
    if _engine._own_engine() is not None:
        pytest.skip("the package has an engine of its own")
    found = message_of({})
    if found:  # else one is installed beside Python
        assert found.startswith("UNAVAILABLE the ExecuTorch engine is not installed")
        assert "python -m etscope.doctor --install-engine installs it" in found


def test_another_version_than_the_engines_is_refused(monkeypatch):
    import importlib.metadata

    built_for = types.SimpleNamespace(RUNTIME_VERSION="1.5.1")
    monkeypatch.setitem(sys.modules, "etscope_engine", built_for)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1.6.0")
    with pytest.raises(Error, match="built for executorch 1.5.1, and 1.6.0 is installed") as caught:
        _engine._check_version()
    assert caught.value.status == "MISMATCH"
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1.5.1+cpu")
    _engine._check_version()

"""python -m etscope.doctor: what is installed, and how it gets an engine."""

import json
import subprocess
import sys

import pytest

from etscope import Error, doctor
from fixtures import ROOT


def test_it_says_what_is_installed():
    found = subprocess.run([sys.executable, "-m", "etscope.doctor"], stdout=subprocess.PIPE,
                           universal_newlines=True)  # fmt: skip
    words = [line.split()[0] for line in found.stdout.splitlines()]
    llama = ["llama"] if found.returncode == 0 else []
    assert words[: 3 + len(llama)] == ["etscope", "engine", *llama, "executorch"]
    engine = found.stdout.splitlines()[1]
    if found.returncode == 0:
        assert "ExecuTorch 1.5.1, " in engine and " kernels, XnnpackBackend" in engine
    else:
        assert engine.endswith("python -m etscope.doctor --install-engine installs it")


class Pip:
    """Takes the place of pip and of what it notes."""

    def __init__(self, monkeypatch, noted, versions):
        self.calls = []
        self.versions = {"etscope": "0.1.0", **versions}
        text = json.dumps({"url": noted, "dir_info": {}}) if noted else None
        distribution = type("Distribution", (), {"read_text": lambda self, name: text})
        monkeypatch.setattr(doctor.importlib.metadata, "distribution", lambda name: distribution())
        monkeypatch.setattr(doctor, "_version", self.versions.get)
        monkeypatch.setattr(doctor, "_pip", self.install)
        monkeypatch.setattr("etscope.runtime._engine._runtime_folder",
                            lambda: "/site/executorch/lib" if "executorch" in self.versions else None)

    def install(self, *arguments, **environment):
        self.calls.append((arguments, environment))
        if arguments[-1].startswith("executorch=="):
            self.versions["executorch"] = arguments[-1].split("==")[1]


def test_executorch_is_installed_first_where_it_is_missing(monkeypatch):
    pip = Pip(monkeypatch, ROOT.as_uri(), {})
    doctor.install_engine()
    assert pip.calls == [
        (("--no-deps", "executorch==1.5.1"), {}),
        (("--no-deps", "--force-reinstall", str(ROOT)), {"EXECUTORCH_ROOT": "/site/executorch"}),
    ]


def test_an_executorch_that_is_there_stays(monkeypatch):
    pip = Pip(monkeypatch, None, {"executorch": "1.5.1"})
    doctor.install_engine(str(ROOT))
    assert [arguments[-1] for arguments, _ in pip.calls] == [str(ROOT)]


@pytest.mark.parametrize("noted", [None, "file:///no/such/folder", "https://example.org/etscope"])
def test_a_source_that_is_gone_has_to_be_named(monkeypatch, noted):
    pip = Pip(monkeypatch, noted, {})
    with pytest.raises(Error, match="name its folder: python -m etscope.doctor --install-engine"):
        doctor.install_engine()
    assert not pip.calls


def test_it_installs_what_the_project_is_built_with():
    assert f"version={doctor.EXECUTORCH_VERSION}\n" in (ROOT / "tools/fetch_runtime.sh").read_text()

"""The program that the package brings, by both of its names."""

import pathlib
import subprocess
import sys

import pytest
from fixtures import DATA

NAMES = ([sys.executable, "-m", "etscope"], [pathlib.Path(sys.executable).with_name("etscope")])


def call(name, *words):
    return subprocess.run([*name, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", NAMES, ids=("module", "script"))
def test_all_commands_are_there(name):
    done = call(name, "inspect", DATA / "mlp_portable" / "profile.etdp", "--format", "tsv")
    assert done.returncode == 0 and done.stdout.startswith("block\t"), done.stderr
    assert "usage: etscope COMMAND" in call(name, "--help").stdout
    assert call(name, "no-such-command").returncode == 2


def test_the_engine_is_found_beside_it():
    pytest.importorskip("etscope_engine")
    done = call(NAMES[1], "run", DATA / "mlp_portable" / "model.pte", "--inputs", "ones", "-o", "-")
    assert done.returncode == 0, done.stderr

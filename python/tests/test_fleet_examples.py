"""examples/fleet, run as their heads say."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

pytest.importorskip("duckdb")

from fleet_made import Fleet  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "examples/fleet"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    slow = Fleet(2, devices=4, traces=8, runs=2,
                 times=lambda device, build, operator: 1.3 if build == "1.3" and operator == "aten.op4.default" else 1)  # fmt: skip
    return slow.write(tmp_path_factory.mktemp("fleet") / "set")


def nightly(tmp_path, *words):
    command = tmp_path / "etscope-fleet"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m etscope.fleet.command "$@"\n')
    command.chmod(0o755)
    return subprocess.run(["sh", str(EXAMPLES / "nightly.sh"), *words], capture_output=True, text=True, check=False,
                          env=dict(os.environ, PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}"))  # fmt: skip


def test_a_night_tells_what_became_slower(dataset, tmp_path):
    done = nightly(tmp_path, dataset, str(tmp_path / "out"), "build=1.2", "build=1.3")
    assert done.returncode == 1, done.stderr
    assert "aten.op4.default" in done.stdout
    assert json.loads((tmp_path / "out/outliers.json").read_text())["rows"] == []
    assert (tmp_path / "out/fleet.html").stat().st_size > 10_000


def test_a_night_without_regressions_is_0(dataset, tmp_path):
    done = nightly(tmp_path, dataset, str(tmp_path / "out"), "build=1.3", "build=1.2")
    assert done.returncode == 0, done.stderr


def test_a_night_that_cannot_ask_is_2(dataset, tmp_path):
    done = nightly(tmp_path, dataset, str(tmp_path / "out"), "build=1.2", "build=9")
    assert done.returncode == 2 and "selects no trace" in done.stderr


def test_the_first_steps_print_what_the_page_says(tmp_path):
    section = (ROOT / "docs/fleet.md").read_text(encoding="utf-8").partition("## First steps")[2]
    commands, printed = re.findall(r"^```(?:sh|text)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[:2]
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    told = ""
    for line in commands.splitlines():
        words = shlex.split(line)
        done = subprocess.run([sys.executable, "-m", "etscope.fleet.command", *words[1:]], cwd=tmp_path, text=True,
                              capture_output=True, check=True, env=dict(os.environ, COLUMNS="100"))  # fmt: skip
        assert words[0] == "etscope-fleet"
        told += done.stdout
    assert told == printed

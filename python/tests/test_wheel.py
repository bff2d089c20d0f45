"""The wheels that tools/make_wheel.py packs: what is in them, and that they work where nothing else is."""

import os
import pathlib
import re
import subprocess
import sys
import venv
import zipfile

import pytest
from fixtures import DATA, ROOT

VERSION = re.search(r"etscope VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
TOOL = ROOT / "tools" / "make_wheel.py"


@pytest.fixture(scope="module")
def wheel():
    folder = os.environ.get("ETSCOPE_WHEELS")
    found = list(pathlib.Path(folder).glob("etscope-*.whl")) if folder else []
    if not found:
        pytest.skip("ETSCOPE_WHEELS names no wheel; ctest packs one")
    return found[0]


def pip(*arguments):
    return subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments],
                          capture_output=True, text=True, check=False)  # fmt: skip


def fresh(folder, *wheels):
    """The bin/ of a new environment with the wheels and nothing else."""
    venv.create(folder, with_pip=False)
    done = pip("--python", folder / "bin" / "python", "install", "--no-deps", "--no-index", *wheels)
    if "no such option: --python" in done.stderr:
        pytest.skip("pip is older than 22.3")
    assert done.returncode == 0, done.stderr
    return folder / "bin"


def ask(program, *words, **environment):
    """Without a compiler or another etscope on the path; nothing is compiled that pip did not install."""
    environment = {"PATH": "", "HOME": "", "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run([*program, *words], capture_output=True, text=True, check=False, env=environment)


def test_the_program_works_in_a_fresh_environment(wheel, tmp_path):
    folder = fresh(tmp_path / "env", wheel)
    trace = DATA / "mlp_portable" / "profile.etdp"
    for program in ([folder / "etscope"], [folder / "python", "-m", "etscope"]):
        done = ask(program, "inspect", trace, "--etrecord", DATA / "mlp_portable" / "model.etrecord")
        assert done.returncode == 0 and "addmm.out" in done.stdout, done.stderr
    assert ask([folder / "etscope"], "--version").stdout.startswith(f"etscope {VERSION}")
    listed = pip("--python", folder / "python", "uninstall", "--yes", "etscope")
    assert listed.returncode == 0, listed.stderr
    site = next((folder.parent / "lib").glob("python*/site-packages"))
    assert not list(site.glob("etscope*"))


def test_its_names_and_metadata(wheel):
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        about = opened.read(f"etscope-{VERSION}.dist-info/METADATA").decode()
    assert {"etscope/etscope", "etscope/libetscope.so", "etscope/_declarations.py", "etscope/__main__.py",
            f"etscope-{VERSION}.dist-info/LICENSE"} <= set(names)  # fmt: skip
    modules = {path.relative_to(ROOT / "python").as_posix() for path in (ROOT / "python/etscope").rglob("*")
               if path.is_file() and "__pycache__" not in path.parts}  # fmt: skip
    assert {"etscope/fleet/page.js", "etscope/runtime/_engine.py"} <= modules <= set(names)
    assert f"Version: {VERSION}\n" in about and "Requires-Dist: numpy>=1.21\n" in about
    assert f'Requires-Dist: etscope-engine=={VERSION} ; extra == "engine"\n' in about
    assert not [name for name in names if "__pycache__" in name or "engine.so" in name]


def test_the_same_files_make_the_same_wheel(wheel, tmp_path):
    platform = wheel.stem.split("-")[-1]
    done = subprocess.run([sys.executable, TOOL, "etscope", wheel.parents[1], "--output", tmp_path,
                           "--platform", platform], capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.skipif(os.environ.get("ETSCOPE_LONG") != "1", reason="compiles everything: make test-long")
def test_pip_install_of_the_source_has_the_same_files(wheel, tmp_path):
    site = tmp_path / "site"
    done = pip("install", "--no-build-isolation", "--no-deps", "--target", site, ROOT)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(wheel) as opened:
        expected = {name for name in opened.namelist() if name.startswith("etscope/")}
    found = {path.relative_to(site).as_posix() for path in (site / "etscope").rglob("*")
             if path.is_file() and "__pycache__" not in path.parts}  # fmt: skip
    assert found == expected
    done = subprocess.run([sys.executable, "-m", "etscope", "inspect", DATA / "mlp_portable" / "profile.etdp"],
                          env={**os.environ, "PYTHONPATH": str(site)}, capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 0 and "kernel calls" in done.stdout, done.stderr

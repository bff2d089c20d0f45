"""The wheel etscope-engine, and how `python -m etscope.doctor --install-engine` completes it."""

import fnmatch
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest
from fixtures import EXAMPLES, ROOT
from test_wheel import VERSION, ask, fresh, pip, wheel  # noqa: F401

BUILD = pathlib.Path(os.environ.get("ETSCOPE_ENGINE", "/none")).parents[1]
RUNTIME = BUILD / "runtime" / "executorch"


@pytest.fixture(scope="module")
def engine_wheel(tmp_path_factory):
    if not (RUNTIME / "lib" / "libexecutorch.so").exists():
        pytest.skip("the engine's runtime is not in the build folder")
    folder = tmp_path_factory.mktemp("wheels")
    subprocess.run([sys.executable, ROOT / "tools" / "make_wheel.py", "etscope-engine", BUILD, "--output",
                    folder], check=True)  # fmt: skip
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def runtime_wheel(engine_wheel, tmp_path_factory):
    """A wheel with the libraries of the fetched runtime, as executorch's has them."""
    path = tmp_path_factory.mktemp("runtime") / "executorch.whl"
    with zipfile.ZipFile(path, "w") as made:
        for file in [*(RUNTIME / "lib").glob("*.so"), *(RUNTIME / "extension").rglob("*.so")]:
            made.write(file, f"executorch/{file.relative_to(RUNTIME)}")
        made.writestr("executorch/exir/__init__.py", "")
    return path


@pytest.fixture(scope="module")
def environment(wheel, engine_wheel, runtime_wheel, tmp_path_factory):  # noqa: F811
    """bin/ of an environment with both wheels and their dependencies, and the digest of `runtime_wheel`."""
    folder = fresh(tmp_path_factory.mktemp("one") / "env", wheel, engine_wheel)
    site = site_of(folder)
    (site / "dependencies.pth").write_text(os.path.dirname(os.path.dirname(pytest.__file__)) + "\n")
    note = site / "etscope_engine" / "runtime_wheel.py"
    digest = hashlib.sha256(runtime_wheel.read_bytes()).hexdigest()
    lines = note.read_text().splitlines()
    note.write_text("\n".join(f'SHA256 = "{digest}"' if line.startswith("SHA256") else line for line in lines))
    return folder


def site_of(folder):
    return next((folder.parent / "lib").glob("python*/site-packages"))


def doctor(folder, *words, **environment):
    return ask([folder / "python", "-m", "etscope.doctor"], *words, **environment)


def test_its_names(engine_wheel):
    with zipfile.ZipFile(engine_wheel) as opened:
        names = {name for name in opened.namelist() if ".dist-info/" not in name}
        note = opened.read("etscope_engine/runtime_wheel.py").decode()
    stand_ins = {name for name in names if "stand_ins" in name}  # none where llama:: kernels are left out
    assert names - stand_ins == {f"etscope_engine/{name}" for name in (
        "__init__.py", "libetscope_engine.so", "llama_operators.py", "runtime_wheel.py")}  # fmt: skip
    for line in note.splitlines()[2:]:
        value = line.split('"')[1]
        assert value in (ROOT / "tools" / "fetch_runtime.sh").read_text(), line


def test_another_file_is_refused(environment, runtime_wheel, tmp_path):
    other = tmp_path / "other.whl"
    other.write_bytes(runtime_wheel.read_bytes() + b"\n")
    done = doctor(environment, "--install-engine", "--from", other)
    assert done.returncode == 1 and f"{other}: has SHA-256 " in done.stderr
    assert "the wheel of executorch 1.5.1 for cp311 and manylinux" in done.stderr
    missing = doctor(environment, "--install-engine", "--from", tmp_path / "none.whl")
    assert missing.returncode == 1 and "none.whl: No such file" in missing.stderr
    assert not list((site_of(environment) / "etscope_engine").glob("*executorch*"))


def test_without_network_a_file_is_asked_for(environment):
    done = doctor(environment, "--install-engine", PIP_NO_INDEX="1", PIP_CONFIG_FILE=os.devnull)
    assert done.returncode == 1
    assert "pip could not download executorch 1.5.1 (see above); fetch its wheel for cp311 and " in done.stderr
    assert done.stderr.endswith("python -m etscope.doctor --install-engine --from FILE\n")


@pytest.mark.parametrize("page", ["README.md", "docs/install.md"])
def test_the_pages_name_both_wheels(wheel, engine_wheel, page):  # noqa: F811
    (pattern,) = re.findall(r"^    pip install (?:\./)?(etscope\S*\.whl)", (ROOT / page).read_text(), re.M)
    for name, system in ((wheel.name, "manylinux_2_17_x86_64.manylinux2014"), (engine_wheel.name, "manylinux_2_28")):
        released = re.sub(r"-linux_\w+\.whl$", f"-{system}_x86_64.whl", name)
        assert fnmatch.fnmatch(released, pattern), released
    assert "python -m etscope.doctor --install-engine" in (ROOT / page).read_text()


def test_it_runs_programs_once_it_has_the_runtime(environment, runtime_wheel, tmp_path):
    program = [environment / "etscope", "run", EXAMPLES / "mobile_cnn" / "xnnpack.pte", "-o",
               tmp_path / "trace.etdp"]  # fmt: skip
    before = ask(program)
    assert before.returncode == 6
    assert before.stderr.endswith("python -m etscope.doctor says how to install it\n"), before.stderr
    said = doctor(environment)
    assert said.returncode == 1 and "python -m etscope.doctor --install-engine installs it\n" in said.stdout
    done = doctor(environment, "--install-engine", "--from", runtime_wheel)
    assert done.returncode == 0 and "XnnpackBackend" in done.stdout, done.stdout + done.stderr
    assert "llama::custom_sdpa.out" in done.stdout
    assert ask(program).returncode == 0
    site = site_of(environment)
    assert not (site / "executorch").exists() and not list((site / "etscope_engine").glob("*qnn*"))
    again = doctor(environment, "--install-engine", "--from", runtime_wheel)
    assert again.returncode == 0, again.stderr
    gone = pip("--python", environment / "python", "uninstall", "--yes", "etscope-engine")
    assert gone.returncode == 0, gone.stderr
    assert not list((site / "etscope_engine").glob("*.so"))


def test_an_executorch_of_that_version_is_used(environment, engine_wheel):
    assert pip("--python", environment / "python", "install", "--no-deps", "--no-index", engine_wheel
               ).returncode == 0  # fmt: skip
    site = site_of(environment)
    (site / "executorch").symlink_to(RUNTIME)
    about = site / "executorch-1.5.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: executorch\nVersion: 1.5.1\n")
    done = doctor(environment, "--install-engine")
    assert done.returncode == 0 and "XnnpackBackend" in done.stdout, done.stdout + done.stderr
    assert (site / "etscope_engine" / "libexecutorch.so").exists()


def test_from_needs_the_wheel_of_the_engine(wheel, tmp_path):  # noqa: F811
    folder = fresh(tmp_path / "env", wheel)
    done = doctor(folder, "--install-engine", "--from", wheel)
    assert done.returncode == 1
    assert done.stderr == ("etscope.doctor: --from needs the wheel etscope-engine: "
                           "pip install 'etscope[engine]'\n")  # fmt: skip
    done = doctor(folder, "--install-engine")
    assert "the wheel etscope-engine is not installed (pip install 'etscope[engine]')" in done.stderr
    assert doctor(folder, "--from", wheel).returncode == 2
    assert VERSION in wheel.name

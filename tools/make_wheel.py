#!/usr/bin/env python3
"""Packs a wheel from what a build folder has: no compiler runs, and the same files make the same bytes.

    tools/make_wheel.py etscope BUILD [--platform TAG] [--output FOLDER]
    tools/make_wheel.py etscope-engine BUILD [--platform TAG] [--output FOLDER]

etscope         the Python modules, the library and the program (target etscope_python of BUILD)
etscope-engine  the engine alone, with what `python -m etscope.doctor --install-engine` needs to know

Neither wheel depends on Python's ABI: the library is opened by cffi. TAG is the platform of the
wheel's name, by default linux_ and this machine's processor. Prints the wheel's path.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import platform
import re
import stat
import subprocess
import sys
import tempfile
import zipfile

try:
    import tomllib
except ImportError:  # before Python 3.11
    from pip._vendor import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # that a zip knows
COMPONENTS = {"etscope": "python", "etscope-engine": "python_engine"}


def version():
    """The one place that has it."""
    found = re.search(r"^project\(etscope VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)
    return found[1]


def staged(build, component, folder):
    """{name in the wheel: path} of what the build installs for a component."""
    subprocess.run(["cmake", "--install", build, "--component", component, "--prefix", folder],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}


def modules():
    """{name in the wheel: path} of the modules, and of what they read."""
    package = ROOT / "python" / "etscope"
    return {path.relative_to(package.parent).as_posix(): path for path in package.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts}  # fmt: skip


def engine_notes(processor):
    """{name in the wheel: text} of what installs the engine's runtime: one list of digests has it."""
    fields = subprocess.run([ROOT / "tools" / "fetch_runtime.sh", "--wheel", processor], check=True,
                            stdout=subprocess.PIPE, universal_newlines=True).stdout.split()  # fmt: skip
    names = ("VERSION", "PYTHON_VERSION", "PLATFORM", "SHA256")
    lines = ['"""The wheel of executorch whose libraries the engine runs on."""', ""]
    lines += [f'{key} = "{value}"' for key, value in zip(names, fields)]
    copier = (ROOT / "tools" / "llama_operators.py").read_text(encoding="utf-8")
    return {"etscope_engine/runtime_wheel.py": "\n".join(lines) + "\n",
            "etscope_engine/llama_operators.py": copier}  # fmt: skip


def requirement(text, extra):
    """A line of METADATA; etscope's own engine has etscope's version."""
    name = text + (f"=={version()}" if text == "etscope-engine" else "")
    return f"Requires-Dist: {name}" + (f' ; extra == "{extra}"' if extra else "")


def metadata(name):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version()}",
             f"Requires-Python: {project['requires-python']}", "License: BSD-3-Clause",
             "License-File: LICENSE", "License-File: NOTICE"]  # fmt: skip
    if name == "etscope-engine":
        lines += ["Summary: Runs ExecuTorch programs for etscope, over ExecuTorch's libraries", "",
                  "Needs ExecuTorch's libraries: `python -m etscope.doctor --install-engine` fetches them."]
        return "\n".join(lines) + "\n"
    lines += [f"Summary: {project['description']}", "Description-Content-Type: text/markdown"]
    lines += [requirement(each, None) for each in project["dependencies"]]
    for extra, wanted in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(requirement(each, extra) for each in wanted)]
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text(encoding="utf-8")


def scripts(name):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if name != "etscope":
        return {}
    lines = ["[console_scripts]", *(f"{key} = {value}" for key, value in project["scripts"].items())]
    return {"entry_points.txt": "\n".join(lines) + "\n"}


class Wheel:
    """A zip with the digests of its files in RECORD."""

    def __init__(self, path, about):
        self.about, self.record = about, []
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)

    def add(self, name, data, is_executable=False):
        info = zipfile.ZipInfo(name, FIRST_DAY)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (stat.S_IFREG | (0o755 if is_executable else 0o644)) << 16
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self):
        name = f"{self.about}/RECORD"
        info = zipfile.ZipInfo(name, FIRST_DAY)
        info.external_attr = (stat.S_IFREG | 0o644) << 16
        self.zip.writestr(info, "\n".join([*self.record, f"{name},,"]) + "\n")
        self.zip.close()


def write(path, name, files, texts, tag):
    about = f"{name.replace('-', '_')}-{version()}.dist-info"
    wheel = Wheel(path, about)
    for each in sorted({*files, *texts}):
        if each in texts:
            wheel.add(each, texts[each].encode())
        else:
            is_program = os.access(files[each], os.X_OK) and not files[each].is_relative_to(ROOT / "python")
            wheel.add(each, files[each].read_bytes(), is_program)
    tags = "".join(f"Tag: py3-none-{each}\n" for each in tag.split("-")[-1].split("."))
    notices = {each: (ROOT / each).read_text(encoding="utf-8") for each in ("LICENSE", "NOTICE")}
    about_texts = {"METADATA": metadata(name), **notices, **scripts(name),
                   "WHEEL": f"Wheel-Version: 1.0\nGenerator: etscope\nRoot-Is-Purelib: false\n{tags}"}
    for each in sorted(about_texts):
        wheel.add(f"{about}/{each}", about_texts[each].encode())
    wheel.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=sorted(COMPONENTS))
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--platform", default=f"linux_{platform.machine()}")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    output = options.output or options.build / "wheels"
    output.mkdir(parents=True, exist_ok=True)
    tag = f"py3-none-{options.platform}"
    path = output / f"{options.name.replace('-', '_')}-{version()}-{tag}.whl"
    with tempfile.TemporaryDirectory() as folder:
        files = staged(options.build, COMPONENTS[options.name], pathlib.Path(folder))
        if not files:
            sys.exit(f"make_wheel: {options.build} has nothing for {options.name}")
        texts = {}
        if options.name == "etscope":
            files.update(modules())
        else:
            processor = re.search(r"(x86_64|aarch64)$", options.platform)
            texts = engine_notes(processor[1] if processor else platform.machine())
        part = path.with_suffix(".part")
        write(part, options.name, files, texts, tag)
    part.replace(path)
    print(path)


if __name__ == "__main__":
    main()

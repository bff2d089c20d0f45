"""Checks what works in this Python, and installs the engine.

    python -m etscope.doctor                    # what is installed and what is missing
    python -m etscope.doctor --install-engine   # makes programs run, and gaps computable

The engine runs programs and evaluates graphs. It is compiled for the executorch that is installed:
`pip install .` leaves it out where there is none.
"""

import argparse
import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request

from etscope._errors import Error

EXECUTORCH_VERSION = "1.5.1"  # that engines are tested with; tools/fetch_runtime.sh has it, too


def main(arguments=None):
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m etscope.doctor", description="Shows what of etscope works here.",
    )  # fmt: skip
    parser.add_argument(
        "--install-engine", nargs="?", const="", metavar="SOURCE",
        help="install ExecuTorch's libraries where they are missing (pip, without dependencies), "
             "and etscope again with an engine over them. SOURCE: the folder of etscope's source, "
             "where it is no longer the one that etscope was installed from",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        if options.install_engine is not None:
            install_engine(options.install_engine or None)
    except Error as error:
        print(f"etscope.doctor: {error}", file=sys.stderr)
        return 1
    found, works = report()
    print(found)
    return 0 if works else 1


def install_engine(source=None):
    """Installs executorch where it is missing, and etscope again, with an engine over it.

    source: the folder of etscope's source; None: the one that it was installed from. Raises Error
    with what to do.
    """
    source = _source(source)
    if _version("executorch") is None:
        _pip("--no-deps", f"executorch=={EXECUTORCH_VERSION}")
        importlib.invalidate_caches()
    from etscope.runtime._engine import _runtime_folder

    libraries = _runtime_folder()
    if libraries is None:
        raise Error("executorch is installed, but holds no lib/libexecutorch: its wheel of "
                    f"version {EXECUTORCH_VERSION} does", status="UNAVAILABLE")  # fmt: skip
    _pip("--no-deps", "--force-reinstall", source, EXECUTORCH_ROOT=os.path.dirname(libraries))


def _source(given):
    """The folder of etscope's source: `given`, or the one that pip noted."""
    folder = given
    if folder is None:
        noted = importlib.metadata.distribution("etscope").read_text("direct_url.json")
        url = urllib.parse.urlsplit(json.loads(noted)["url"] if noted else "")
        folder = urllib.request.url2pathname(url.path) if url.scheme == "file" else ""
    if not folder or not os.path.exists(os.path.join(folder, "python/etscope/doctor.py")):
        where = f"{folder} holds" if folder else "it is not noted where etscope was installed from:"
        raise Error(f"{where} no source of etscope; name its folder: "
                    "python -m etscope.doctor --install-engine SOURCE",
                    status="NOT_FOUND")  # fmt: skip
    return os.path.abspath(folder)


def _pip(*arguments, **environment):
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *arguments]
    print("+", *command[1:], flush=True)
    if subprocess.run(command, env={**os.environ, **environment}, check=False).returncode != 0:
        raise Error("pip failed (see above); in an environment without pip: python -m ensurepip",
                    status="UNAVAILABLE")  # fmt: skip


def report():
    """(lines that say what is installed and what is missing, whether the engine works).

    In a process of its own: an engine that was just installed is not this process's.
    """
    script = ("from etscope.runtime import Runtime; runtime = Runtime.get(); "
              "print(f'ExecuTorch {runtime.version}, '"
              "f'{len(runtime.operator_registry.operator_names)} kernels, '"
              "+ ', '.join(runtime.backend_registry.registered_backend_names)); "
              "found = runtime.operator_registry.on_demand; "
              "print(found.reason or ', '.join(sorted(found.names)))")  # fmt: skip
    tried = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, universal_newlines=True)  # fmt: skip
    works = tried.returncode == 0
    reason = (tried.stderr.strip().splitlines() or [f"ended with {tried.returncode}"])[-1]
    found = tried.stdout.splitlines() if works else [reason]
    lines = [f"etscope      {_version('etscope')}, {os.path.dirname(os.path.abspath(__file__))}",
             f"engine       {found[0]}"]  # fmt: skip
    lines.extend(f"llama        {each}" for each in found[1:])
    uses = {"executorch": "saves PyTorch's programs in records", "torch": "torch tensors",
            "matplotlib": "plots", "ml_dtypes": "bfloat16 and 8-bit floats",
            "pyarrow": "tables of all events"}  # fmt: skip
    for name, use in uses.items():
        lines.append(f"{name:<12} {_version(name) or f'not installed ({use})'}")
    return "\n".join(lines), works


def _version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())

"""Checks what works in this Python, and installs the engine.

    python -m etscope.doctor                    # what is installed and what is missing
    python -m etscope.doctor --install-engine   # makes programs run, and gaps computable
    python -m etscope.doctor --install-engine --from executorch-1.5.1-...whl    # without network

The engine runs programs and evaluates graphs. The wheel etscope-engine has it, and lacks the libraries of
ExecuTorch, which are fetched from executorch's wheel. Without that wheel it is compiled, for the
executorch that is installed: `pip install .` leaves it out where there is none.
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

from etscope import _engine_runtime
from etscope._errors import Error

EXECUTORCH_VERSION = "1.5.1"  # that engines are tested with; tools/fetch_runtime.sh has it, too


def main(arguments=None):
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m etscope.doctor", description="Shows what of etscope works here.",
    )  # fmt: skip
    parser.add_argument(
        "--install-engine", nargs="?", const="", metavar="SOURCE",
        help="install what the engine needs: beside the wheel etscope-engine, the libraries of "
             "executorch's wheel, whose SHA-256 is checked. Without that wheel, executorch where it is "
             "missing (pip, without dependencies), and etscope again with an engine compiled for it. "
             "SOURCE: the folder of etscope's source, where it is no longer the one that etscope was "
             "installed from",
    )  # fmt: skip
    parser.add_argument("--from", dest="wheel", metavar="FILE",
                        help="with --install-engine: executorch's wheel, instead of downloading it")  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        if options.install_engine is not None:
            install_engine(options.install_engine or None, options.wheel)
        elif options.wheel is not None:
            parser.error("--from needs --install-engine")
    except Error as error:
        print(f"etscope.doctor: {error}", file=sys.stderr)
        return 1
    found, works = report()
    print(found)
    return 0 if works else 1


def install_engine(source=None, wheel=None):
    """Installs ExecuTorch's libraries beside the wheel etscope-engine. Without that wheel installs
    executorch where it is missing, and etscope again, with an engine over it.

    source: the folder of etscope's source, to compile the engine; None: the one that etscope was
    installed from. wheel: the path of executorch's wheel; None: pip downloads it. Raises Error with what
    to do.
    """
    folder = _engine_runtime.engine_folder() if source is None else None
    if folder is not None:
        _engine_runtime.install(folder, wheel)
        return
    if wheel is not None:
        raise Error("--from needs the wheel etscope-engine: pip install 'etscope[engine]'",
                    status="NOT_FOUND")  # fmt: skip
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
        raise Error("the wheel etscope-engine is not installed (pip install 'etscope[engine]'), and to "
                    f"compile an engine, {where} no source of etscope; name its folder: "
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

"""Finds the engine and, for the package's own, the libraries of ExecuTorch that it runs on.

Kernels register themselves when their library is loaded, and ExecuTorch ends a process in which one
registers twice. So there must be one copy of its libraries, whoever comes first: the engine or
`import executorch.runtime`. The dynamic loader takes a library that is loaded for every other of
the same name; so the installed executorch's are loaded here, before the engine asks for them.
"""

import functools
import importlib.util
import os
import sys

from etscope._errors import Error
from etscope._library import NULL, call, ffi, lib

_NAMES = [
    "executorch", "executorch_threadpool", "executorch_etdump", "executorch_kernels_optimized",
    "executorch_kernels_quantized", "executorch_backend_xnnpack",
]  # fmt: skip
_SUFFIX = ".dylib" if sys.platform == "darwin" else ".so"


@functools.lru_cache(maxsize=1)
def engine():
    """The `const struct ets_engine *` of this process, opened when it is first needed.

    Looked for: the file named by ETSCOPE_ENGINE, the package's own, an installed one. Raises Error
    (UNAVAILABLE, MISMATCH) with what to do.
    """
    own = None if os.environ.get("ETSCOPE_ENGINE") else _own_engine()
    keeps = _load_runtime() if own else []
    library, found = ffi.new("struct ets_engine_library **"), ffi.new("const struct ets_engine **")
    try:
        call(lib.ets_engine_open, os.fsencode(own) if own else NULL, library, found)
    except Error as error:
        if error.status == "UNAVAILABLE" and not os.environ.get("ETSCOPE_ENGINE"):
            error.message = _told_what_to_do(error.message)
        raise
    _kept.append((library, keeps))  # for the life of the process, as the registrations are
    return found[0]


def _told_what_to_do(message):
    """The message of an engine that is missing, with what it is for and the command that helps."""
    missing = "the ExecuTorch engine is not installed"
    message = message.replace(missing, f"{missing}, which runs programs and evaluates graphs", 1)
    return message.replace("python -m etscope.doctor says how to install it",
                           "python -m etscope.doctor --install-engine installs it")  # fmt: skip


_kept = []


def _own_engine():
    """The engine that is installed as etscope_engine, of the wheel of that name or of a build; or None."""
    found = importlib.util.find_spec("etscope_engine")
    for folder in (found and found.submodule_search_locations) or ():
        path = os.path.join(folder, "libetscope_engine" + _SUFFIX)
        if os.path.exists(path):
            return path
    return None


def _runtime_folder():
    """lib/ of the installed executorch, which is not imported; None if there is none."""
    found = importlib.util.find_spec("executorch")
    for folder in (found and found.submodule_search_locations) or ():
        if os.path.exists(os.path.join(folder, "lib", "libexecutorch" + _SUFFIX)):
            return os.path.join(folder, "lib")
    return None


def _load_runtime():
    """Loads the installed executorch's libraries, for the engine that was built for its version."""
    folder = _runtime_folder()
    if folder is None:
        return []
    _check_version()
    paths = [os.path.join(folder, f"lib{name}{_SUFFIX}") for name in _NAMES]
    with _silenced():
        return [ffi.dlopen(path, ffi.RTLD_NOW) for path in paths if os.path.exists(path)]


def _check_version():
    import importlib.metadata

    from etscope_engine import RUNTIME_VERSION

    try:
        installed = importlib.metadata.version("executorch").split("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return
    if installed != RUNTIME_VERSION and RUNTIME_VERSION != "unknown":
        raise Error(
            f"etscope's engine was built for executorch {RUNTIME_VERSION}, and {installed} is "
            "installed: install etscope again from source, or name an engine in ETSCOPE_ENGINE",
            status="MISMATCH",
        )


class _silenced:
    """Keeps the libraries' notes about the machine off standard error while they are loaded."""

    def __enter__(self):
        self._saved = os.dup(2)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 2)
        os.close(nothing)

    def __exit__(self, *_):
        os.dup2(self._saved, 2)
        os.close(self._saved)

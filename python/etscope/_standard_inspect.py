"""Loads Python's own module `inspect`, whatever the folder of a script has under that name.

A page of Arm's about ExecuTorch's Inspector tells its readers to save the script as `inspect.py`. Python looks for
modules in a script's folder first, so `dataclasses`, NumPy and pandas would import the script, again and
instead. This module is imported before anything that needs `inspect`, and imports nothing that does.
"""

import os
import sys
from importlib.machinery import PathFinder

_FOLDER = os.path.dirname(os.__file__)


def _is_standard(module):
    path = getattr(module, "__file__", None)
    return path is None or os.path.dirname(os.path.abspath(path)) == os.path.abspath(_FOLDER)


def load():
    """Puts the standard module into sys.modules, unless it is there."""
    loaded = sys.modules.get("inspect")
    if loaded is not None and _is_standard(loaded):
        return
    spec = PathFinder.find_spec("inspect", [_FOLDER])
    if spec is None or spec.loader is None:
        return
    module = type(sys)("inspect")
    module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, spec.origin
    sys.modules["inspect"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules["inspect"]
        raise


load()

"""Profiles and debugs ExecuTorch programs. A drop-in for `executorch.devtools`.

    from etscope import Inspector

    inspector = Inspector(etdump_path="trace.etdp", etrecord="model.etrecord")
    inspector.print_data_tabular()

    etscope.inspector        Inspector, its blocks and events, comparing values
    etscope.etrecord         reading, building and changing ETRecords
    etscope.graph            what their programs are: graphs of plain objects
    etscope.cost             what programs compute and move
    etscope.numerics         comparing arrays and tensors
    etscope.bundled_program  programs with test cases
    etscope.runtime          running programs, where the engine is installed
    etscope.memory           planned memory: tensors, lifetimes, other plans
    etscope.program          where a program's bytes are; what differs between two
    etscope.intermediate_output_tap  taps of torch's graphs
    etscope.backend_debug    for those who write backends: what was delegated

docs/python.md has examples of all. NumPy and pandas are imported when they are first needed, PyTorch
never, unless torch's own objects are handed in.
"""

import importlib

import etscope._standard_inspect  # first: a script may be named inspect.py  # noqa: F401
from etscope._errors import Error

TYPE_CHECKING = False  # typing itself takes as long to import as all of this
if TYPE_CHECKING:
    from etscope import inspector, numerics
    from etscope.bundled_program import BundledProgram
    from etscope.etrecord import ETRecord, generate_etrecord, parse_etrecord
    from etscope.inspector import Inspector, diff

__all__ = [
    "BundledProgram", "ETRecord", "Error", "Inspector", "diff", "generate_etrecord", "inspector",
    "numerics", "parse_etrecord",
]  # fmt: skip

_HOMES = {
    "BundledProgram": "etscope.bundled_program",
    "ETRecord": "etscope.etrecord",
    "generate_etrecord": "etscope.etrecord",
    "parse_etrecord": "etscope.etrecord",
    "Inspector": "etscope.inspector",
    "diff": "etscope.inspector",
}
_MODULES = (
    "backend_debug", "bundled_program", "cost", "etrecord", "graph", "inspector", "memory",
    "numerics", "program", "runtime",
)  # fmt: skip

Error.__module__ = "etscope"


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module("etscope." + name)
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("etscope")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'etscope' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__, *_MODULES})

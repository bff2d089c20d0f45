"""Scripts as upstream's pages and examples have them: what they import, and what they are called."""

import importlib
import subprocess
import sys

import pytest

from fixtures import DATA

# What the scripts of executorch 1.5.1 (examples, backends, extension) import from executorch.devtools.
IMPORTS = {
    "": ("BundledProgram", "Inspector", "generate_etrecord", "parse_etrecord"),
    "backend_debug": ("get_delegation_info", "print_delegation_info"),
    "bundled_program.config": ("MethodTestCase", "MethodTestSuite"),
    "bundled_program.core": ("BundledProgram",),
    "bundled_program.serialize": (
        "deserialize_from_flatbuffer_to_bundled_program",
        "serialize_from_bundled_program_to_flatbuffer",
    ),
    "etdump.schema_flatcc": ("ETDumpFlatCC",),
    "etrecord": ("ETRecord", "generate_etrecord", "parse_etrecord"),
    "etrecord._etrecord": ("ETRecord",),
    "inspector": ("Event", "EventBlock", "Inspector", "PerfData", "TimeScale", "compare_results"),
    "inspector._inspector": ("Event", "EventBlock", "Inspector", "PerfData"),
    "inspector._inspector_utils": ("DebugHandle", "TimeScale", "convert_to_float_tensor"),
    "inspector.numerical_comparator": ("L1Comparator", "MSEComparator", "SNRComparator"),
    "inspector.numerical_comparator.numerical_comparator_base": ("NumericalComparatorBase",),
    "inspector.numerical_comparator.snr_numerical_comparator": ("SNRComparator",),
    "visualization": ("visualize",),
    "visualization.visualization_utils": ("visualize_graph",),
}

# A learning path of Arm's has readers save such a script as inspect.py.
SCRIPT = """import os
import sys
from etscope.inspector import Inspector
if len(sys.argv) < 2:
    sys.exit(1)
base = os.path.splitext(sys.argv[1])[0]
inspector = Inspector(etrecord=base + ".etrecord", etdump_path=base + ".etdump")
inspector.print_data_tabular(include_delegate_debug_data=True, include_units=False)
with open(base + ".csv", "w", encoding="utf-8") as file:
    inspector.save_data_to_tsv(file)
import inspect
print("standard", inspect.signature(os.path.splitext))
"""


@pytest.mark.parametrize("module", IMPORTS)
def test_names_of_scripts_are_there(module):
    home = importlib.import_module("etscope" + ("." + module if module else ""))
    for name in IMPORTS[module]:
        assert getattr(home, name) is not None


@pytest.fixture
def folder(tmp_path):
    for target, source in ("model.etdump", "profile.etdp"), ("model.etrecord", "model.etrecord"):
        (tmp_path / target).write_bytes((DATA / "mlp_portable" / source).read_bytes())
    (tmp_path / "inspect.py").write_text(SCRIPT)
    return tmp_path


def run(folder, *words):
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False)


def test_a_script_named_inspect_runs_once(folder):
    done = run(folder, "inspect.py", "model.pte")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.count("native_call_addmm.out") == 2
    assert "standard (p)" in done.stdout
    assert (folder / "model.csv").read_text().startswith("\tevent_block_name")


def test_a_script_beside_such_a_file_runs(folder):
    (folder / "other.py").write_text("from etscope import Inspector\nimport dataclasses, numpy, pandas\n"
                                     "print(len(Inspector(etdump_path='model.etdump').event_blocks))\n")
    done = run(folder, "other.py")
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr

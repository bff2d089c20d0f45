"""What the tests of `etscope run` and `profile` share: the binary, fixtures, independent readers.

ETSCOPE names the binary, ETSCOPE_UPSTREAM_PYTHON a Python with executorch to check traces with.
"""

import functools
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

from support import FolderTest, below_headline, json_rows, write_opened_page

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
EXAMPLES = ROOT / "examples"
ETSCOPE = os.path.abspath(os.environ.get("ETSCOPE", ROOT / "build" / "bin" / "etscope"))

OK, NEGATIVE, USAGE, INPUT, MISMATCH, RUNTIME, UNAVAILABLE, INTERNAL = range(8)

# Fixture: its methods, in the order of profile.etdp, each with the number of its cases.
MODELS = {
    "cond": {"forward": 2},
    "conv_portable": {"forward": 2},
    "conv_xnnpack": {"forward": 2},
    "conv_xnnpack_int8": {"forward": 2},
    "dynamic": {"forward": 2},
    "gpt_portable": {"forward": 2},
    "gpt_xnnpack": {"forward": 2},
    "linear_fp32_xnnpack": {"forward": 1},
    "linear_int8_xnnpack": {"forward": 1},
    "map_loop": {"forward": 1},
    "mlp_portable": {"forward": 3},
    "mlp_xnnpack": {"forward": 3},
    "multi_method": {"decode": 1, "encode": 1, "forward": 1},
    "types": {"forward": 1},
}

# Scalar type of the runtime: NumPy's name, struct's format.
SCALARS = {
    0: ("|u1", "B"), 1: ("|i1", "b"), 2: ("<i2", "h"), 3: ("<i4", "i"), 4: ("<i8", "q"),
    5: ("<f2", "e"), 6: ("<f4", "f"), 7: ("<f8", "d"), 11: ("|b1", "?"),
}


def call(*arguments, cwd=None, stdin=None, text=True, **environment):
    """Runs etscope; its output is text unless `text` is false."""
    return subprocess.run(
        [ETSCOPE, *map(str, arguments)], cwd=cwd, input=stdin, capture_output=True, text=text,
        env={**os.environ, "LC_ALL": "C.UTF-8", **environment}, timeout=120, check=False,
    )


@functools.lru_cache(maxsize=None)
def obstacle(model):
    """Why a fixture cannot run here, or None."""
    done = call("run", DATA / model / "model.pte")
    missing = done.returncode == UNAVAILABLE or "is not registered" in done.stderr
    return done.stderr.strip() if missing else None


def doctor():
    """What `etscope doctor` finds."""
    return json_rows(call("doctor", "--format", "json").stdout)[0]


def on_demand():
    """Of it, the kernels that are loaded for programs which name them."""
    return doctor()["engine"]["kernels_on_demand"]


def have_records():
    """Whether this build reads ETRecords."""
    done = call("info", DATA / "mlp_portable" / "model.etrecord")
    return done.returncode != UNAVAILABLE


def inputs_of(model, method, case):
    """Its .npy files, in the order of the arguments."""
    folder = DATA / model / "inputs"
    found = folder.glob(f"{method}.{case}.*.npy")
    return sorted(found, key=lambda path: int(path.name.split(".")[2]))


def read_npy(path):
    """Returns NumPy's type name, the shape and the flat elements of a .npy file."""
    data = Path(path).read_bytes()
    magic, major = data[:6], data[6]
    assert magic == b"\x93NUMPY" and major == 1, path
    (length,) = struct.unpack_from("<H", data, 8)
    header = eval(data[10 : 10 + length].decode("latin1"), {"__builtins__": {}})
    assert header["fortran_order"] is False or len(header["shape"]) < 2, header
    count = 1
    for size in header["shape"]:
        count *= size
    code = {name: code for name, code in SCALARS.values()}[header["descr"]]
    elements = struct.unpack_from(f"<{count}{code}", data, 10 + length)
    return header["descr"], header["shape"], elements


def write_npy(path, descr, shape, elements):
    code = {name: code for name, code in SCALARS.values()}[descr]
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1")
    Path(path).write_bytes(data + struct.pack(f"<{len(elements)}{code}", *elements))


def write_npz(path, arrays, packed=False):
    """`arrays`: a name and a .npy file each, in this order."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if packed else 0) as archive:
        for name, file in arrays:
            archive.write(file, name + ".npy")


def flatc(schema, path):
    """A FlatBuffer as flatc reads it, with a schema of tests/data/schema."""
    if shutil.which("flatc") is None:
        raise unittest.SkipTest("flatc is missing (package flatbuffers-compiler)")
    options = ["--json", "--raw-binary", "--strict-json"]
    if schema == "etdump.fbs":
        options.append("--size-prefixed")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["flatc", *options, "-o", folder, DATA / "schema" / schema, "--", path],
            capture_output=True, text=True, check=False,
        )
        if done.returncode != 0:
            raise AssertionError(f"flatc does not read {path}: {done.stdout}{done.stderr}")
        (json_path,) = Path(folder).iterdir()
        return json.loads(json_path.read_text())


def trace_of(path):
    """The blocks of an ETDump as flatc reads them: (name, events), an event is a dictionary."""
    dump = flatc("etdump.fbs", path)
    assert dump.get("version", 0) == 0
    return [(run["name"], run.get("events", [])) for run in dump["run_data"]]


# Element types of XNNPACK's operators: which of them are used depends on the processor.
VARIANTS = {"QDU8": "QD8", "QP8": "QD8", "PQS8": "QS8", "PF32": "F32", "PF16": "F16"}


def on_any_processor(name):
    """"Fully Connected (NC, QD8, F32, QC8W)" of "Fully Connected (NC, QDU8, F32, QC8W) GEMM #1":
    what XNNPACK calls an operator, without what the processor decides."""
    found = re.fullmatch(r"(.* \()([A-Z0-9, ]+)\).*", name or "")
    if not found:
        return name
    types = [VARIANTS.get(part, part) for part in found[2].split(", ")]
    return f"{found[1]}{', '.join(types)})"


def identity(event):
    """What an event is, without its times: kind, name, chain, instruction, delegate's id."""
    kind, fields = next(iter(event.items()))
    return (
        kind, fields.get("name"), fields.get("chain_index", 0), fields.get("instruction_id", -1),
        fields.get("delegate_debug_id_int", -1),
        on_any_processor(fields.get("delegate_debug_id_str")),
    )


def identities(path):
    return [(name, [identity(event) for event in events]) for name, events in trace_of(path)]


def elements_of(tensor):
    """Type name, shape and row-major elements of a bundled tensor."""
    descr, code = SCALARS[tensor["scalar_type"]]
    sizes = tensor.get("sizes", [])
    assert tensor.get("dim_order", []) == list(range(len(sizes)))
    data = bytes(tensor.get("data", []))
    elements = struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
    return descr, tuple(sizes), elements


@functools.lru_cache(maxsize=None)
def suites_of(model):
    """A .bpte's cases as flatc reads them, by method: a list of (inputs, expected outputs)."""
    program = flatc("bundled_program.fbs", DATA / model / "model.bpte")
    return {
        suite["method_name"]: [
            tuple([elements_of(value["val"]) for value in case[part]]
                  for part in ("inputs", "expected_outputs"))
            for case in suite["test_cases"]
        ]
        for suite in program["method_test_suites"]
    }


def step_of(values):
    """The greatest step that all are multiples of; 1e-4 is above the rounding of floats."""
    step = 0.0
    for value in values:
        low, high = step, abs(value)
        while low > 1e-4:
            low, high = abs(high - low * round(high / low)), low
        step = high
    return step


def tolerance_of(model, inputs, expected):
    """How far outputs may be off; tests/unit/engine/test_engine_fixtures.c says why."""
    if model == "conv_xnnpack_int8":
        return 1.001 * step_of(expected[2])
    if model == "linear_int8_xnnpack":
        values = inputs[0][2]
        return (max(*values, 0) - min(*values, 0)) / 255
    return 1e-5 if expected[0].startswith("<f") else 0


class RunTest(FolderTest):
    """A test in a folder of its own, `self.folder`."""

    needs = "mlp_portable"  # the fixture that must run here

    def setUp(self):
        reason = obstacle(self.needs)
        if reason:
            self.skipTest(reason)
        super().setUp()

    def ok(self, *arguments, **keywords):
        """Runs etscope in the test's folder; it must succeed."""
        done = call(*arguments, cwd=self.folder, **keywords)
        self.assertEqual(done.returncode, OK, done.stderr)
        return done

    def fails(self, code, part, *arguments, **keywords):
        """It must fail with `code` and say `part` in the one line of its complaint."""
        done = call(*arguments, cwd=self.folder, **keywords)
        self.assertEqual(done.returncode, code, done.stderr)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("etscope: "), lines[0])
        self.assertIn(part, lines[0])
        self.assertEqual(done.stdout, "")
        return done

    def rows(self, *arguments):
        """`inspect --format json` of a trace, as rows."""
        return json_rows(self.ok("inspect", *arguments, "--format", "json").stdout)

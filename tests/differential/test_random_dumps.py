"""ETDumps of random calls of the tracer and of random records, beside what other readers find in them.

WRITE_DUMPS writes them, compares them with etscope's reader, and says what was given. READ_DUMPS is
FlatBuffers' own verifier and reader, where its headers are installed. ExecuTorch's own reader gets
fewer, because it is slow; ETSCOPE_UPSTREAM_PYTHON names a Python with executorch, if this one has none.
"""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = HERE.parent / "data" / "schema" / "etdump.fbs"
IS_LONG = bool(os.environ.get("ETSCOPE_LONG")) and not os.environ.get("ETSCOPE_EMULATED")
COUNT = 8000 if IS_LONG else 400
UPSTREAM_COUNT = 3000 if IS_LONG else 40
BATCH = 200

# What a reader leaves out has its default of the schema.
EVENT = {"chain_index": 0, "instruction_id": -1, "delegate_debug_id_int": -1, "start_time": 0, "end_time": 0,
         "allocator_id": 0, "allocation_size": 0}  # fmt: skip


def enumeration(name):
    """The values of an enumeration of the schema by their names."""
    (body,) = re.findall(rf"enum {name} : byte {{(.*?)}}", SCHEMA.read_text(), re.S)
    return {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", body)}


SCALAR_TYPES, VALUE_TYPES = enumeration("ScalarType"), enumeration("ValueType")


def hex_of(text):
    return None if text is None else text.encode().hex()


def read_tensor(tensor):
    scalar_type = tensor.get("scalar_type") or 0
    return {"scalar_type": SCALAR_TYPES.get(scalar_type, scalar_type), "sizes": tensor.get("sizes") or [],
            "strides": tensor.get("strides") or [], "offset": tensor.get("offset") or 0}  # fmt: skip


def read_value(value):
    kind = VALUE_TYPES[value.get("val") or "Null"]
    of = [(value.get(key) or {}).get(field) or 0
          for key, field in (("int_value", "int_val"), ("bool_value", "bool_val"),
                             ("float_value", "float_val"), ("double_value", "double_val"))]  # fmt: skip
    number = of[3] if kind == VALUE_TYPES["Double"] else of[2]
    tensors = [value["tensor"]] if value.get("tensor") else (value.get("tensor_list") or {}).get("tensors") or []
    return {"value_type": kind, "is_output": int((value.get("output") or {}).get("bool_val") or 0),
            "int_value": int(of[0] or of[1]), "double_bits": struct.unpack("<Q", struct.pack("<d", number))[0],
            "tensors": [read_tensor(each) for each in tensors]}  # fmt: skip


def read_event(event):
    """An event as flatc or upstream read it, in the words of what was given."""
    ((kind, fields),) = [(key.split("_")[0], value) for key, value in event.items() if value is not None]
    fields = {**EVENT, **fields}
    metadata = fields.get("delegate_debug_metadata")
    chain = fields["chain_index"]
    return {
        "kind": kind, "name": hex_of(fields.get("name")),
        "delegate_name": hex_of(fields.get("delegate_debug_id_str")),
        "metadata": None if metadata is None else bytes(metadata).hex(),
        "chain": chain - 2**64 if chain >= 2**63 else chain,
        "instruction": fields["instruction_id"], "delegate_id": fields["delegate_debug_id_int"],
        "start": fields["start_time"], "end": fields["end_time"], "allocator": fields["allocator_id"],
        "allocated_bytes": fields["allocation_size"], **read_value(fields.get("debug_entry") or {}),
    }  # fmt: skip


def read_runs(dump):
    assert dump.get("version", 0) == 0
    return [{"name": hex_of(run["name"]),
             "bundled_input_index": run.get("bundled_input_index", -1),
             "allocators": [hex_of(each["name"]) for each in run.get("allocators") or []],
             "events": [read_event(each) for each in run.get("events") or []]}
            for run in dump.get("run_data", [])]  # fmt: skip


def take_bytes(runs, given, debug_buffer):
    """Replaces offsets by the bytes there, where bytes were given."""
    for run, given_run in zip(runs, given):
        for event, given_event in zip(run["events"], given_run["events"]):
            for tensor, given_tensor in zip(event["tensors"], given_event["tensors"]):
                if "bytes" not in given_tensor:
                    continue
                offset, size = tensor.pop("offset"), len(given_tensor["bytes"]) // 2
                is_there = offset == -1 if size == 0 else 0 <= offset <= len(debug_buffer) - size
                tensor["bytes"] = debug_buffer[offset : offset + size].hex() if is_there and size else ""
                assert is_there, (offset, size, len(debug_buffer))


class RandomDumps(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        done = subprocess.run([os.environ["WRITE_DUMPS"], cls.folder, str(COUNT)], capture_output=True, text=True,
                              check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr
        cls.kinds = dict(re.findall(r"^(.*): (\d+)$", done.stdout, re.M))

    def given(self, number):
        return json.loads((self.folder / f"{number}.json").read_text())

    def plain(self, count):
        """Numbers of dumps that text can pass on."""
        return [number for number in range(count) if self.given(number)["is_plain"]]

    def compare(self, number, runs):
        given = self.given(number)["runs"]
        take_bytes(runs, given, (self.folder / f"{number}.bin").read_bytes())
        if runs != given:
            self.assertEqual(runs, given, f"dump {number}")

    def files(self, numbers):
        for start in range(0, len(numbers), BATCH):
            batch = numbers[start : start + BATCH]
            yield batch, [str(self.folder / f"{number}.etdp") for number in batch]

    def test_random_dumps__etscope_reads_what_was_given(self):
        self.assertEqual(len(self.kinds), 7, self.kinds)
        self.assertEqual(sum(map(int, self.kinds.values())), COUNT)

    def test_random_dumps__flatc_reads_what_was_given(self):
        if shutil.which("flatc") is None:
            self.skipTest("flatc is missing (package flatbuffers-compiler)")
        numbers = self.plain(COUNT)
        for batch, files in self.files(numbers):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(["flatc", "--json", "--strict-json", "--raw-binary", "--size-prefixed", "-o", folder,
                                SCHEMA, "--", *files], check=True)  # fmt: skip
                for number in batch:
                    self.compare(number, read_runs(json.loads((pathlib.Path(folder) / f"{number}.json").read_text())))
        self.assertGreater(len(numbers), COUNT * 3 // 4)

    def test_random_dumps__flatbuffers_verifies_and_reads_what_was_given(self):
        if not os.environ.get("READ_DUMPS"):
            self.skipTest("FlatBuffers' headers are missing (package libflatbuffers-dev)")
        compared = 0
        for batch, files in self.files(list(range(COUNT))):
            done = subprocess.run([os.environ["READ_DUMPS"], *files], capture_output=True, text=True, check=True)
            for number, line in zip(batch, done.stdout.splitlines(), strict=True):
                self.compare(number, json.loads(line))
                compared += 1
        self.assertEqual(compared, COUNT)

    def test_random_dumps__executorch_reads_what_was_given(self):
        python = os.environ.get("ETSCOPE_UPSTREAM_PYTHON")
        if python is None and importlib.util.find_spec("executorch") is None:
            self.skipTest("executorch is missing: its own reader of ETDumps was not compared")
        compared = 0
        for batch, files in self.files(self.plain(UPSTREAM_COUNT)):
            done = subprocess.run([python or sys.executable, HERE / "read_upstream.py", *files], capture_output=True,
                                  text=True, check=False)  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr[-4000:])
            for number, line in zip(batch, done.stdout.splitlines()[1:], strict=True):
                self.compare(number, read_runs(json.loads(line)))
                compared += 1
        self.assertGreater(compared, UPSTREAM_COUNT * 3 // 4)


if __name__ == "__main__":
    unittest.main()

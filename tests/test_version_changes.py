"""tools/version_changes.py on versions made up, and the lines of tools/wheel_facts.py on a schema."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import new_executorch
import version_changes as changes
import wheel_facts
from version_changes import BREAKS, LACKS, NEW, OTHER, UNKNOWN

JOINED = "mixed: forward joined"
WHEEL = {"schemas": {"program": {"file identifier": "ET12", "table A": "x:int y:[byte]",
                                 "enum E": "ONE=1 THREE=3", "union U": "A B"}},
         "names": {"m": {"Inspector": "path=None, scale=1", "Inspector.rows": "self", "PI": "-"}},
         "partitioner": ["add.Tensor"], "places": ["backends/xnnpack", "devtools/inspector"],
         "unread": {}}


def wheel(**parts):
    return {**WHEEL, **parts}


def schema(**tables):
    return wheel(schemas={"program": {**WHEEL["schemas"]["program"],
                                      **{name.replace("_", " "): text for name, text in tables.items()}}})


class Facts(unittest.TestCase):
    def check(self, found, expected, *told):
        self.assertEqual(list(changes.of_facts(found, expected)), list(told))

    def test_version_changes__none(self):
        self.check({JOINED: ["a | b.py:1 | m"]}, {JOINED: ["a | b.py:1 | m"]})

    def test_version_changes__a_lost_line_breaks(self):
        self.check({JOINED: ["  a | - | - | -"]}, {JOINED: ["  a | b.py:1 | m | t"]},
                   (BREAKS, "mixed: forward joined:\n    - a | b.py:1 | m | t\n    + a | - | - | -"))

    def test_version_changes__another_line_does_not(self):
        self.check({JOINED: ["a | b.py:2 | m"]}, {JOINED: ["a | b.py:1 | m"]},
                   (OTHER, "mixed: forward joined:\n    - a | b.py:1 | m\n    + a | b.py:2 | m"))
        self.check({JOINED: ["b", "a"]}, {JOINED: ["a", "b"]},
                   (OTHER, "mixed: forward joined: in another order"))

    def test_version_changes__verdicts_and_failures_break(self):
        self.check({"a: verified": ["forward | 0 | 0 | different"], "a: record": ["unread: damaged"]},
                   {"a: verified": ["forward | 0 | 0 | close"], "a: record": ["entries"]},
                   (BREAKS, "a: verified:\n    - forward | 0 | 0 | close\n"
                            "    + forward | 0 | 0 | different"),
                   (BREAKS, "a: record:\n    - entries\n    + unread: damaged"))

    def test_version_changes__models_share_a_line(self):
        self.check({"c: more": ["x"]}, {"a: size": ["1"], "b: size": ["1"]},
                   (BREAKS, "a, b: there is no size"), (NEW, "c: more: x"))

    def test_version_changes__stages_that_failed(self):
        made = {"failed": {"a: lower": "KeyError: x", "b: lower": "KeyError: x"},
                "largest_difference": {"c": 0.5, "d": 1e-7, "a": None}}
        self.assertEqual(list(changes.of_making(made, {"c": 1e-7, "d": 1e-7, "a": 1e-7})), [
            (BREAKS, "lower of a, b: KeyError: x"),
            (OTHER, "c: its own runtime is 0.5 off PyTorch, was 1e-07")])


class Wheels(unittest.TestCase):
    def check(self, found, *told):
        self.assertEqual(list(changes.of_wheel(found, WHEEL)), list(told))

    def test_version_changes__same_wheel(self):
        self.check(WHEEL)

    def test_version_changes__fields_behind_are_new(self):
        self.check(schema(table_A="x:int y:[byte] z:long"),
                   (NEW, "schema of program: table A has z:long"))
        self.check(schema(enum_E="ONE=1 TWO=2 THREE=3"), (NEW, "schema of program: enum E has TWO=2"))
        self.check(schema(table_B="x:int"), (NEW, "schema of program: table B x:int"))

    def test_version_changes__fields_between_and_other_types_break(self):
        self.check(schema(table_A="x:int z:long y:[byte]"),
                   (BREAKS, "schema of program: table A has another order: x:int z:long y:[byte]"),
                   (NEW, "schema of program: table A has z:long"))
        self.check(schema(table_A="x:long y:[byte]"),
                   (BREAKS, "schema of program: table A no longer has x:int"),
                   (NEW, "schema of program: table A has x:long"))
        self.check(schema(union_U="B A"),
                   (BREAKS, "schema of program: union U has another order: B A"))

    def test_version_changes__names_and_parameters(self):
        self.check(wheel(names={"m": {"Inspector": "path=None, scale=2", "tap": "self", "PI": "-"}}),
                   (LACKS, "m: Inspector takes scale=2, took scale=1"), (LACKS, "m: tap(self)"),
                   (OTHER, "m: no longer has Inspector.rows"))

    def test_version_changes__a_class_of_two_modules_is_told_once(self):
        names = {**WHEEL["names"]["m"], "New": "x"}
        self.check(wheel(names={"m": names, "n": {"New": "x"}}), (LACKS, "m: New(x)"))

    def test_version_changes__places(self):
        self.check(wheel(places=["backends/new", "backends/xnnpack"]),
                   (NEW, "the wheel has backends/new"),
                   (OTHER, "the wheel no longer has devtools/inspector"))

    def test_version_changes__partitioner_and_what_is_not_known(self):
        self.check(wheel(partitioner=["add.Tensor", "erf.default"]),
                   (NEW, "XNNPACK's partitioner takes erf.default"))
        self.check(wheel(partitioner=[], unread={"XNNPACK's partitioner": "KeyError: x"}),
                   (UNKNOWN, "XNNPACK's partitioner: KeyError: x"))


class Answer(unittest.TestCase):
    def test_version_changes__one_sentence_comes_first(self):
        found = [(NEW, "table A has z:long"), (BREAKS, "a: there is no size"), (NEW, "B"), (LACKS, "tap")]
        self.assertEqual(list(new_executorch.told("1.6.0", "1.5.1", found)), [
            "executorch 1.6.0 breaks 1 thing that works with 1.5.1; the drop-in lacks 1 of its names and "
            "parameters; new: 2, otherwise different: 0, not compared: 0.",
            "\ndoes not work (1):", "  a: there is no size",
            "\nthe drop-in lacks (1):", "  tap",
            "\nis new, and etscope does not know it (2):", "  table A has z:long", "  B"])

    def test_version_changes__nothing(self):
        self.assertEqual(list(new_executorch.told("1.5.2", "1.5.1", [])), [
            "executorch 1.5.2 breaks nothing that works with 1.5.1; the drop-in lacks 0 of its names and "
            "parameters; new: 0, otherwise different: 0, not compared: 0."])


class Mistakes(unittest.TestCase):
    """Nothing is installed or exported, and 1 stays the status of what breaks."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def etscope(self, answer):
        program = self.folder / "etscope"
        program.write_text(f"#!/bin/sh\necho '{answer}'\n")
        program.chmod(0o755)
        return program

    def check(self, told, *words):
        done = subprocess.run([sys.executable, new_executorch.__file__, *map(str, words)],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        (line,) = done.stderr.splitlines()
        self.assertTrue(line.startswith(f"not tried: {told}"), line)

    def test_new_executorch__what_is_no_etscope(self):
        self.check("[Errno 2] No such file or directory: 'none'", "--etscope", "none")
        for answer in ("", "[]", '{"rows": []}'):
            self.check("--etscope: ", "--etscope", self.etscope(answer))
        self.check(f"--etscope: {self.folder}/etscope cannot run programs or read ETRecords",
                   "--etscope", self.etscope('{"rows": [{"ready": false, "etrecord": true}]}'))

    def test_new_executorch__a_folder_of_another_export(self):
        etscope = self.etscope('{"rows": [{"ready": true, "etrecord": true}]}')
        self.check(f"--keep: {self.folder} is not empty", "--etscope", etscope, "--keep", self.folder)

    def test_new_executorch__what_is_no_python(self):
        etscope = self.etscope('{"rows": [{"ready": true, "etrecord": true}]}')
        self.check("[Errno 2] No such file or directory: 'none'", "--etscope", etscope, "--python", "none")


class Schemas(unittest.TestCase):
    def test_wheel_facts__reads_a_schema(self):
        text = """
            // table Old { x:int; }
            namespace n;
            file_identifier "ET12";
            enum E : byte { A = 0, /* B */ C = 2, }
            union U { First, Second: Alias }
            table T { x: int (id: 0); y: [ ubyte ] (force_align: 16); z: E = C; }
            struct S { a: float; }
            root_type T;"""
        self.assertEqual(wheel_facts.schema_tables(text), {
            "file identifier": "ET12", "enum E": "A=0 C=2", "union U": "First Second:Alias",
            "table T": "x:int y:[ubyte] z:E=C", "struct S": "a:float"})

    def test_wheel_facts__reads_parameters(self):
        def function(a, b=1, *rest, c="x", d=object(), **more):
            """Is not called."""

        self.assertEqual(wheel_facts.signature(function), "a, b=1, *rest, c='x', d=..., **more")
        self.assertEqual(wheel_facts.signature(3), "-")


if __name__ == "__main__":
    unittest.main()

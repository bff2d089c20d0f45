"""Exports of ExecuTorch 1.0 to 1.5 (tests/data/versions): what etscope reads of each.

expected.json has all facts of the newest version, and of each other one those that differ. make.py
beside it writes it; a difference here is either a mistake or goes there and into
docs/compatibility.md.
"""

import json
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

import run_support
import support
import version_facts

FOLDER = support.DATA / "versions"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
NEWEST = next(iter(EXPECTED))
MODELS = ("dynamic", "int8", "methods", "mixed", "portable", "xnnpack")


def unpacked(test, version):
    """A folder with the exports of a version."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    with tarfile.open(FOLDER / f"{version}.tar.xz") as archive:
        archive.extractall(folder.name)
    return Path(folder.name)


def expected(version, is_computed):
    facts = EXPECTED[NEWEST]
    if version != NEWEST:
        facts = version_facts.applied(EXPECTED[version], facts)
    return {name: lines for name, lines in facts.items()
            if version_facts.is_computed(name) == is_computed}


@unittest.skipUnless(run_support.have_records(), "this build reads no ETRecords")
class Versions(unittest.TestCase):
    maxDiff = None

    def check(self, kinds, is_computed):
        for version in EXPECTED:
            with self.subTest(version):
                found = version_facts.facts(unpacked(self, version), kinds)
                self.assertEqual(found, expected(version, is_computed))

    def test_versions__are_read(self):
        self.check(version_facts.READ, False)

    def test_versions__compute_what_they_did(self):
        reason = run_support.obstacle("mlp_xnnpack")
        if reason:
            self.skipTest(reason)
        self.check(version_facts.COMPUTED, True)

    def test_versions__were_all_made(self):
        """Each with the packages it names; traces only where its runtime records."""
        for version in EXPECTED:
            folder = unpacked(self, version)
            made = json.loads((folder / "made.json").read_text())
            self.assertEqual(made["packages"]["executorch"], version)
            for model in MODELS:
                self.assertLess(made["largest_difference"][model], 1e-3)
                for end in (".pte", ".bpte", ".etrecord"):
                    self.assertTrue((folder / f"{model}{end}").is_file(), (version, model, end))
            traces = sorted(path.name for path in folder.glob("*.own.etdp"))
            self.assertEqual(traces, [f"{model}.own.etdp" for model in MODELS]
                             if version == NEWEST else [])
            failed = {} if traces else {
                f"{model}: trace": "RuntimeError: the runtime of this wheel records no events"
                for model in MODELS}
            self.assertEqual(made["failed"], failed)
        wheel = json.loads((FOLDER / "wheel.json").read_text())
        self.assertEqual(wheel["executorch"], NEWEST)  # tools/new_executorch.py compares with both

    def test_versions__agree_on_operators_lines_and_modules(self):
        """Of the models whose graphs all versions export alike."""
        found = {version: version_facts.facts(unpacked(self, version), [version_facts.joined_facts])
                 for version in EXPECTED}
        for model in ("dynamic", "mixed", "portable", "xnnpack"):
            name = f"{model}: forward joined"
            newest = found[NEWEST][name]
            self.assertGreaterEqual(sum("models/small_models.py:" in line for line in newest), 5)
            for version, facts in found.items():
                self.assertEqual(facts[name], newest, version)

    def test_versions__methods_without_a_graph_are_noted(self):
        program = unpacked(self, "1.1.0") / "methods.pte"
        note = "the record has no graph of method encode, and no lines of its operators"
        for command in ("cost", "memory", "delegates"):
            with self.subTest(command):
                words = (command, program, "--etrecord", program.with_suffix(".etrecord"))
                self.assertIn(f"{note}: ExecuTorch 1.2 and later record those of all methods",
                              " ".join(version_facts.document(*words)["notes"]))
                self.assertNotIn(note, " ".join(
                    version_facts.document(*words, "--method", "forward")["notes"]))

    def test_versions__a_record_without_any_graph_is_of_no_known_version(self):
        program = unpacked(self, NEWEST) / "portable.pte"
        notes = version_facts.document("memory", program, "--etrecord",
                                       FOLDER / "pickled.etrecord")["notes"]
        self.assertEqual(notes[0], "the record has no graph of method forward, and no lines of its "
                                   "operators")
        self.assertNotIn("ExecuTorch 1.2", " ".join(notes))

    def test_versions__info_tells_of_methods_without_a_graph(self):
        record = unpacked(self, "1.1.0") / "methods.etrecord"
        methods = version_facts.document("info", record)["rows"][0]["methods"]
        self.assertEqual([(each["name"], each["has_graph"]) for each in methods],
                         [("encode", False), ("forward", True)])
        shown = " ".join(support.run("info", record).stdout.decode().split())
        self.assertEqual(shown.count("graph none, and no lines of its operators: ExecuTorch 1.2 and "
                                     "later record those of all methods"), 1)

    def test_versions__inputs_of_plain_pickles_are_those_of_the_bundle(self):
        folder = unpacked(self, "1.0.1")
        for name in ("portable", "mixed"):
            base = folder / name
            with zipfile.ZipFile(f"{base}.etrecord") as record:
                self.assertEqual(record.read("representative_inputs")[:1], b"\x80")
            values = support.json_rows(support.run("dump", f"{base}.etrecord", "--bytes").stdout)[0]
            bundle = support.run("dump", f"{base}.bpte", "--bytes").stdout.decode()
            self.assertIn(f'"{values["representative_inputs"][0]["data"]}"', bundle)
            outputs = values["methods"][0]["reference_outputs"]
            self.assertIn(f'"{outputs[0][0]["data"]}"', bundle)


@unittest.skipUnless(run_support.have_records(), "this build reads no ETRecords")
class OtherExports(unittest.TestCase):
    """Records of another export of the same network, whose instructions are the same."""

    def done(self, folder, command, model, record, *words):
        program, trace = folder / f"{model}.pte", folder / f"{model}.forward.etdp"
        files = [program]
        if command in ("inspect", "annotate"):
            files = [trace, "--program", program]
        if command == "inspect a trace":
            command, files = "inspect", [trace]
        return support.run(command, *files, "--etrecord", folder / f"{record}.etrecord", *words)

    def test_versions__float_record_of_an_int8_program_is_refused(self):
        for version in EXPECTED:
            folder = unpacked(self, version)
            for command in ("inspect a trace", "inspect", "annotate", "delegates", "memory", "cost"):
                with self.subTest(version=version, command=command):
                    done = self.done(folder, command, "int8", "xnnpack")
                    self.assertEqual(done.returncode, 4, done.stderr)
                    self.assertRegex(done.stderr, rb"delegate of instruction 0 (computes in int8|"
                                                  rb"ran Convolution \(NHWC, QC8\) \w+ #\d), but the "
                                                  rb"record's forward does not quantize")
                    self.assertEqual(done.stdout, b"")

    def test_versions__int8_record_of_a_float_program_is_refused(self):
        folder = unpacked(self, NEWEST)
        handle = rb"has debug handle \d+, which the record's forward does not have there"
        floats = rb"computed in floats, but the record's forward quantizes there"
        for command, reason in (("inspect a trace", floats), ("inspect", floats),
                                ("delegates", handle), ("memory", handle), ("cost", handle)):
            with self.subTest(command):
                done = self.done(folder, command, "xnnpack", "int8")
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertRegex(done.stderr, rb"delegate of instruction \d+ " + reason)

    def test_versions__another_export_is_read_without_its_lines_if_asked(self):
        done = self.done(unpacked(self, NEWEST), "inspect", "int8", "xnnpack", "--allow-mismatch")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"is not joined: the delegate of instruction 0 ran Convolution", done.stderr)
        self.assertNotIn(b"small_models.py", done.stdout)

    def test_versions__own_records_are_read(self):
        for version in EXPECTED:
            folder = unpacked(self, version)
            for model in MODELS:
                for command in ("inspect a trace", "inspect", "delegates", "memory", "cost"):
                    with self.subTest(version=version, model=model, command=command):
                        done = self.done(folder, command, model, model)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        self.assertNotIn(b"another export", done.stderr)


class Unreadable(support.FolderTest):
    def test_versions__info_says_why_an_entry_is_not_read(self):
        record = self.folder / "damaged.etrecord"
        pickle = zipfile.ZipFile(FOLDER / "pickled.etrecord").read("reference_outputs")
        support.replace_entries(FOLDER / "pickled.etrecord", record, {
            "reference_outputs": pickle.replace(b"M\xe9\x03.", b"M\xea\x03.", 1),
            "representative_inputs": b"\x80\x04N"})
        done = support.run("info", record)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, support.OK, done.stderr)
        shown = " ".join(done.stdout.decode().split())
        self.assertIn("inputs unreadable: representative_inputs: pickle opcode", shown)
        self.assertIn("references unreadable: reference_outputs: a pickled storage is of an "
                      "unknown version", shown)
        row = support.json_rows(support.run("info", record, "--format", "json").stdout)[0]
        self.assertIsNone(row["representative_inputs"])
        self.assertFalse(row["methods"][0]["has_graph"])
        self.assertIn("graph none, and no lines of its operators delegates", shown)
        self.assertIsNone(row["methods"][0]["reference_case_count"])


if __name__ == "__main__":
    unittest.main()

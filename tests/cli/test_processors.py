"""What a processor changes in a trace changes no answer.

XNNPACK names its operators by the micro-kernels that a processor has, and converts 16-bit floats
where it has none. delegates/sweep.tar.xz holds programs of one or a few operators with a record, and
a trace of each on three processors: with AVX-512 and VNNI, with AVX2, with SSE4 alone.
"""

import json
import pathlib
import re
import struct
import tarfile
import tempfile
import unittest

import support
from support import DATA, OK, fixture, run

SWEEP = DATA / "delegates" / "sweep.tar.xz"
PROCESSORS = ("avx512", "avx2", "sse4")
# XNNPACK computes 16-bit floats as 32-bit ones on some processors: conversions come and go.
CONVERTED = {"bfloat16_enabled", "half", "half_gelu", "half_inside"}
DYNAMIC = "linear_int8_xnnpack"  # recorded on a processor with VNNI: QDU8


def other_processor(trace, target):
    """A copy of a trace as a processor without VNNI gives it."""
    data = bytearray(trace.read_bytes())
    for found in re.finditer(rb"Fully Connected \(NC, QDU8, [^\0]*", bytes(data)):
        at, name = found.start(), found.group()
        assert struct.unpack_from("<I", data, at - 4) == (len(name),)
        struct.pack_into("<I", data, at - 4, len(name) - 1)
        data[at : at + len(name)] = name.replace(b"QDU8", b"QD8") + b"\0"
    assert data != trace.read_bytes()
    target.write_bytes(data)
    return target


def answer(*words):
    done = run(*words)
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == OK, (words, done.stderr)
    return support.json_rows(done.stdout)


class TwoProcessors(support.FolderTest):
    """Events of one payload node are one operator, with and without record and program."""

    def setUp(self):
        super().setUp()
        self.trace = fixture(DYNAMIC, "profile.etdp")
        self.other = other_processor(self.trace, self.folder / "other.etdp")
        record, program = fixture(DYNAMIC, "model.etrecord"), fixture(DYNAMIC, "model.pte")
        self.files = [[], ["--program", program],
                      ["--etrecord", record], ["--etrecord", record, "--program", program]]

    def test_processors__summary_is_of_one_block(self):
        for words in self.files:
            rows = answer("summary", self.trace, self.other, *words, "--format", "json")
            executed = [row for row in rows if row["block"] == "Execute"]
            self.assertEqual({row["runs"] for row in executed}, {10})
            (gemm,) = [row for row in executed if row["operator"].startswith("Fully")]
            self.assertEqual(gemm["operator"], "Fully Connected (NC, QDU8, F32, QC8W) GEMM #1")

    def test_processors__diff_matches_them(self):
        for words in self.files:
            rows = answer("diff", self.trace, self.other, *words, "--format", "json")
            (gemm,) = [row for row in rows if "Fully" in row["operator"]]
            self.assertIsNone(gemm["kind"])
            self.assertEqual((gemm["runs_before"], gemm["runs_after"]), (5, 5))

    def test_processors__gate_holds_one_against_the_other(self):
        budget = self.folder / "budget.txt"
        budget.write_text("operator *Fully* p50 <= +5000%\n")
        for words in self.files:
            done = run("gate", self.trace, self.other, *words, "--budget", budget,
                       "--format", "json")
            if done.returncode == support.UNAVAILABLE:
                self.skipTest(done.stderr.decode())
            (line,) = support.json_rows(done.stdout)
            self.assertEqual((line["base_ns"], line["new_ns"]), (4000, 4000))

    def test_processors__ties_are_the_same(self):
        words = self.files[-1]
        names = ("operator", "event")
        rows = [[{key: value for key, value in row.items()
                  if key not in names and not key.endswith("_upper")}
                 for row in support.rows(trace, *words)] for trace in (self.trace, self.other)]
        self.assertEqual(*rows)
        self.assertIn("node", {row["tie"] for row in rows[0]})


class Sweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        with tarfile.open(SWEEP) as archive:
            archive.extractall(cls.folder)
        cls.names = sorted(path.stem for path in cls.folder.glob("*.pte"))
        assert len(cls.names) == 98

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def files(self, name):
        return ("--etrecord", self.folder / f"{name}.etrecord",
                "--program", self.folder / f"{name}.pte")

    def test_processors__every_program_is_explained(self):
        """Its record is accepted, and each event of a delegate is known by its nodes."""
        for name in self.names:
            for processor in PROCESSORS:
                with self.subTest(name=name, processor=processor):
                    rows = support.rows(self.folder / processor / f"{name}.etdp",
                                        *self.files(name))
                    inside = [row for row in rows if row["backend"] == "XnnpackBackend"
                              and row["event"] != "DELEGATE_CALL"]
                    self.assertNotIn("call", {row["tie"] for row in inside})
                    self.assertNotIn(None, {row["tie"] for row in inside})
                    self.assertEqual({row["method"] for row in rows if row["instruction"] is not
                                      None}, {"forward"})
                    self.assertFalse([row for row in rows if row["operator"].startswith("Invalid")])

    def test_processors__every_record_is_accepted_alone(self):
        for name in self.names:
            with self.subTest(name=name):
                support.rows(self.folder / "avx512" / f"{name}.etdp", *self.files(name)[:2])

    def test_processors__traces_of_a_program_are_one(self):
        for name in self.names:
            if name in CONVERTED:
                continue
            with self.subTest(name=name):
                traces = [self.folder / processor / f"{name}.etdp" for processor in PROCESSORS]
                rows = answer("summary", *traces, "--format", "json")
                self.assertEqual({row["runs"] for row in rows}, {len(PROCESSORS)})

    def test_processors__with_the_program_added_conversions_make_no_other_block(self):
        """A processor that needs no conversion spent no time on it."""
        for name in CONVERTED:
            for files in self.files(name), self.files(name)[2:]:
                with self.subTest(name=name, files=files):
                    traces = [self.folder / processor / f"{name}.etdp" for processor in PROCESSORS]
                    rows = answer("summary", *traces, *files, "--format", "json")
                    self.assertEqual({row["runs"] for row in rows}, {len(PROCESSORS)})
                    added = [row for row in rows if row["operator"].startswith("Convert")]
                    self.assertEqual(len(added), 2)
                    alone = support.rows(traces[2], "--no-siblings")
                    for row, same in zip(added, (row for row in alone if row["operator"].startswith(
                                                 "Convert")), strict=True):
                        least = same["min_ns"] if name == "bfloat16_enabled" else 0
                        self.assertLessEqual(row["min_ns"], least)
                        self.assertEqual(row["max_ns"], same["max_ns"])

    def test_processors__without_the_program_a_note_says_what_may_be_one(self):
        for name in sorted(CONVERTED - {"bfloat16_enabled"}):
            with self.subTest(name=name):
                traces = [self.folder / processor / f"{name}.etdp" for processor in
                          ("avx512", "sse4")]
                done = run("summary", *traces, "--format", "json")
                self.assertEqual(done.returncode, OK, done.stderr)
                document = json.loads(done.stdout)
                self.assertEqual({row["runs"] for row in document["rows"]}, {1})
                self.assertEqual(document["notes"], [
                    f"{traces[0]} and {traces[1]} differ here only in conversions and float widths, "
                    "which XNNPACK may choose by the processor: use --program to decide"])

    def test_processors__other_programs_are_not_said_to_be_one(self):
        traces = [self.folder / "avx512" / f"{name}.etdp" for name in ("half", "half_inside")]
        done = run("summary", *traces, "--format", "json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["notes"]), (OK, []))

    def test_processors__added_conversions_are_no_other_operator(self):
        for name in CONVERTED:
            with self.subTest(name=name):
                traces = [self.folder / processor / f"{name}.etdp" for processor in PROCESSORS]
                for other in traces[1:]:
                    rows = answer("diff", traces[0], other, *self.files(name), "--format", "json")
                    self.assertEqual([row["operator"] for row in rows if row["kind"]
                                      and not row["operator"].startswith("Convert (NC)")], [])


if __name__ == "__main__":
    unittest.main()

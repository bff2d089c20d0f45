"""Shapes of generated inputs: --shape, the example of the record, the upper bound, and what is said of them."""

import pathlib
import tempfile
import unittest

import support
from support import OK, USAGE

PROGRAM = support.fixture("dynamic", "model.pte")
RECORD = support.fixture("dynamic", "model.etrecord")
NOTE = "input 0{} has a dynamic shape and is {}, {}; --shape 0=... chooses another"


class InputShapes(unittest.TestCase):
    def run_model(self, *words, program=PROGRAM):
        done = support.run("run", program, "--print-outputs", "summary", "--inputs", "random", *words)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_input_shapes__the_upper_bound_is_said(self):
        code, out, notes = self.run_model()
        self.assertEqual(code, OK, notes)
        self.assertIn("float32 [8, 4]", out)
        self.assertIn(NOTE.format("", "8x16", "its upper bound"), notes)

    def test_input_shapes__the_record_has_an_example(self):
        code, out, notes = self.run_model("--etrecord", RECORD)
        self.assertEqual(code, OK, notes)
        self.assertIn("float32 [2, 4]", out)
        self.assertIn(NOTE.format(" (x)", "2x16", "as in the export"), notes)

    def test_input_shapes__a_shape_that_is_given_needs_no_note(self):
        for words in (["--shape", "0=3x16"], ["--etrecord", RECORD, "--shape", "x=3x16"]):
            code, out, notes = self.run_model(*words)
            self.assertEqual(code, OK, notes)
            self.assertIn("float32 [3, 4]", out)
            self.assertNotIn("dynamic", notes)

    def test_input_shapes__mistakes(self):
        fixed = support.fixture("mlp_portable", "model.pte")
        for program, value, message in (
                (PROGRAM, "0=9x16", "does not fit input 0 of forward, which is at most 8x16"),
                (PROGRAM, "0=3", "does not fit input 0 of forward, which is at most 8x16"),
                (PROGRAM, "1=3x16", "forward has no such input; it has 1"),
                (PROGRAM, "y=3x16", "forward has no such input; it has 1"),
                (fixed, "0=1x16", "does not fit input 0 of forward, which is always 2x16"),
                (fixed, "0:1x16", "--shape takes an input and its sizes, such as 0=1x8"),
                (fixed, "0=1x-3", "--shape takes an input and its sizes, such as 0=1x8"),
                (fixed, "0=", "--shape takes an input and its sizes, such as 0=1x8")):
            code, _, notes = self.run_model("--shape", value, program=program)
            self.assertEqual(code, USAGE, notes)
            self.assertIn(message, notes)

    def costs_of(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "t.etdp"
            code, _, notes = self.run_model("-o", trace, *words)
            self.assertEqual(code, OK, notes)
            done = support.run("inspect", trace, "--cost", "--program", PROGRAM, "--etrecord",
                               RECORD, "--format", "json")
            self.assertEqual(done.returncode, OK, done.stderr)
            rows = support.json_rows(done.stdout)
            bounds = support.run("inspect", trace, "--cost", "--program", PROGRAM,
                                 "--no-siblings", "--format", "json")
        kernels = [row for row in rows if row["flops"] and row["instruction"] is not None]
        of_bounds = [row for row in support.json_rows(bounds.stdout)
                     if row["flops"] and row["instruction"] is not None]
        return kernels, of_bounds

    def test_input_shapes__costs_are_of_the_shapes_that_ran(self):
        kernels, bounds = self.costs_of("--shape", "0=3x16")
        self.assertEqual(len(kernels), 4)
        for row, bound in zip(kernels, bounds):
            self.assertEqual((row["cost"], bound["cost"]), ("known", "at most"))
            self.assertAlmostEqual(row["flops"], bound["flops"] * 3 / 8)
        kernels, bounds = self.costs_of("--shape", "0=8x16")
        for row, bound in zip(kernels, bounds):
            self.assertEqual((row["cost"], row["flops"]), ("known", bound["flops"]))

    def test_input_shapes__profile_takes_them_too(self):
        with tempfile.TemporaryDirectory() as folder:
            done = support.run("profile", PROGRAM, "--shape", "0=1x16", "--no-siblings", "-r", "2",
                               "-o", pathlib.Path(folder, "t.etdp"))
            if done.returncode == support.UNAVAILABLE:
                self.skipTest(done.stderr.decode())
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertNotIn(b"dynamic shape", done.stderr)


if __name__ == "__main__":
    unittest.main()

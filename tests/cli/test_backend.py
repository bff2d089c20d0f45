"""A backend of the user's own: examples/backend, loaded by `--load-library`."""

import importlib.util
import sys
import unittest
from pathlib import Path

import run_support as support
from run_support import EXAMPLES, ETSCOPE, RunTest

LIBRARY = Path(ETSCOPE).parent.parent / "lib" / "libdemo_backend.so"
PROGRAM = EXAMPLES / "backend" / "demo.pte"
RECORD = EXAMPLES / "backend" / "demo.etrecord"
SHAPE = (4, 64)


@unittest.skipUnless(LIBRARY.exists(), "the demo backend is built with the engine alone")
class Backend(RunTest):
    def rows_with(self, tracer, *arguments):
        done = self.ok("profile", PROGRAM, "--load-library", LIBRARY, "--runs", "3",
                       "--tracer", tracer, "--format", "json", *arguments)
        return [row for row in support.json_rows(done.stdout) if row["block"] == "Execute"]

    def test_backend__results_are_right(self):
        x = [i / 8 - 9 for i in range(256)]
        y = [3 - i / 16 for i in range(256)]
        for name, values in (("x", x), ("y", y)):
            support.write_npy(self.folder / f"{name}.npy", "<f4", SHAPE, values)
        done = self.ok("run", PROGRAM, "--load-library", LIBRARY, "--input", self.folder / "x.npy",
                       "--input", self.folder / "y.npy", "--outputs", self.folder / "out")
        self.assertIn("1 backend", done.stderr)
        written = list(self.folder.glob("out.*.npy"))
        self.assertEqual(len(written), 1)
        _, shape, elements = support.read_npy(written[0])
        self.assertEqual(tuple(shape), SHAPE)
        for a, b, found in zip(x, y, elements):
            scaled = a * b + a
            expected = max(scaled * scaled + b, 0) * a + b + scaled
            self.assertAlmostEqual(found, expected, delta=1e-4 * max(1, abs(expected)))

    def python(self, *lines):
        """An executable that answers what `--python` asks a Python."""
        path = self.folder / "python"
        path.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
        path.chmod(0o755)
        return path

    def test_backend__of_the_python_that_is_named(self):
        python = self.python("echo 'a warning' >&2", f"echo 'etscope-library={LIBRARY}'")
        for command in ("run", "profile"):
            done = self.ok(command, PROGRAM, "--python", python)
            self.assertIn(f"{LIBRARY}: 0 kernels and 1 backends added", done.stderr)

    def test_backend__a_python_that_has_none(self):
        python = self.python("echo 'torch is not installed in it' >&2", "exit 1")
        self.fails(support.RUNTIME, f"--python {python}: torch is not installed in it",
                   "run", PROGRAM, "--python", python)
        self.fails(support.RUNTIME, "it names no library",
                   "run", PROGRAM, "--python", self.python("exit 0"))
        self.fails(support.RUNTIME, "--python /nonexistent: No such file or directory",
                   "run", PROGRAM, "--python", "/nonexistent")

    def test_backend__the_question_is_python(self):
        """Of Pythons without torch; the modules of the working directory are not asked."""
        (self.folder / "torch").mkdir()
        (self.folder / "torch" / "__init__.py").write_text("")
        done = support.call("run", PROGRAM, "--python", sys.executable, cwd=self.folder)
        if importlib.util.find_spec("torch"):
            self.skipTest("this Python has torch")
        self.assertEqual(done.returncode, support.RUNTIME, done.stderr)
        self.assertIn("torch is not installed in it", done.stderr)

    def test_backend__events_have_the_operators_of_the_map(self):
        if not support.have_records():
            self.skipTest("this build reads no ETRecord")
        for tracer in ("etscope", "upstream"):
            with self.subTest(tracer=tracer):
                rows = self.rows_with(tracer, "--etrecord", RECORD)
                inside = [(row["event"], row["tie"], row["op_types"], row["backend"])
                          for row in rows if row["tie"]]
                mul, add = "aten.mul.Tensor", "aten.add.Tensor"
                self.assertEqual(inside, [
                    ("mul_add 0", "map", [mul, add], "DemoBackend"),
                    ("mul_add 1", "map", [mul, add], "DemoBackend"),
                    ("mul_add 0", "map", [mul, add], "DemoBackend"),
                    ("add 1", "map", [add], "DemoBackend")])
                for row in rows:
                    if row["tie"]:
                        self.assertEqual(len(row["source"]), 1)
                        self.assertRegex(row["source"][0], r"^examples/backend/.*\.py:\d+$")

    def test_backend__without_a_record_events_keep_their_names(self):
        rows = [row for row in self.rows_with("etscope", "--no-siblings") if row["tie"]]
        self.assertEqual([row["event"] for row in rows],
                         ["mul_add 0", "mul_add 1", "mul_add 0", "add 1"])
        self.assertEqual({row["tie"] for row in rows}, {"call"})

    def test_backend__delegates_by_the_map(self):
        if not support.have_records():
            self.skipTest("this build reads no ETRecord")
        trace = self.folder / "trace.etdp"
        self.ok("run", PROGRAM, "--load-library", LIBRARY, "--runs", "3", "-o", trace)
        done = self.ok("delegates", PROGRAM, trace, "--etrecord", RECORD, "--format", "json")
        found = support.json_rows(done.stdout)
        self.assertEqual([line["operator"] for line in found],
                         ["DemoBackend", "mul_add 0", "mul_add 1", "aten::relu.out",
                          "DemoBackend", "mul_add 0", "add 1"])
        for line in found:
            self.assertGreaterEqual(line["p50_ns"], 0)
        self.assertEqual((found[0]["inputs"], found[0]["outputs"]), (2, 2))

    def test_backend__intermediates_are_captured_when_asked_for(self):
        trace = self.folder / "debug.etdp"
        for capture, parts in (("outputs", 1), ("intermediates", 14)):
            self.ok("run", PROGRAM, "--load-library", LIBRARY, "--capture", capture, "-o", trace,
                    "--debug-buffer", self.folder / "debug.bin")
            done = self.ok("info", trace)
            self.assertRegex(done.stdout, rf"debug tensors +{parts},")

    def test_backend__a_missing_backend_is_named(self):
        self.fails(support.RUNTIME, "DemoBackend", "run", PROGRAM)


if __name__ == "__main__":
    unittest.main()

"""`memory --write`: a smaller program, which gives the same outputs."""

import unittest

import run_support as support
from run_support import DATA, NEGATIVE, USAGE

# Fixture: what is planned before and after.
PLANNED = {
    "conv_portable": ("28.0 KiB", "20.0 KiB"),
    "gpt_portable": ("100.0 KiB", "88.0 KiB"),
    "gpt_xnnpack": ("38.1 KiB", "32.1 KiB"),
    "cond": ("128 B", "96 B"),
    "map_loop": ("320 B", "288 B"),
    "multi_method": ("960 B", "912 B"),
}


def program(model):
    return DATA / model / "model.pte"


class WriteSmaller(support.RunTest):
    def outputs(self, path, model, method, case, name):
        """The bytes of what a method of a program gives on the inputs of a case, in two runs."""
        words = [word for file in support.inputs_of(model, method, case) for word in ("--input", file)]
        self.ok("run", path, "--method", method, *words, "--runs", 2, "--outputs", self.folder / name)
        return [file.read_bytes() for file in sorted(self.folder.glob(f"{name}.*.npy"))]

    def assert_same_outputs(self, model, written):
        for method, cases in support.MODELS[model].items():
            for case in range(cases):
                with self.subTest(model, method=method, case=case):
                    was = self.outputs(program(model), model, method, case, f"was-{method}-{case}")
                    now = self.outputs(written, model, method, case, f"now-{method}-{case}")
                    self.assertTrue(was)
                    self.assertEqual(was, now)

    def test_memory__is_smaller_and_outputs_are_equal(self):
        for model, (before, after) in PLANNED.items():
            with self.subTest(model):
                written = self.folder / f"{model}.pte"
                original = program(model).read_bytes()
                done = self.ok("memory", program(model), "--what-if", "--write", written)
                self.assertIn(f"{after} planned instead of {before}", done.stderr)
                self.assertEqual(program(model).read_bytes(), original)
                self.assertIn(after, self.ok("memory", written, "--no-siblings").stdout.split("\n")[0])
                if support.obstacle(model):
                    self.assertIn("not compared", done.stderr)
                    continue
                self.assertIn("equal bit for bit", done.stderr)
                self.assert_same_outputs(model, written)

    def test_memory__the_record_still_belongs_to_it(self):
        if not support.have_records():
            self.skipTest("this build reads no records")
        written = self.folder / "smaller.pte"
        self.ok("memory", program("conv_portable"), "--write", written)
        record = DATA / "conv_portable" / "model.etrecord"
        words = ("--columns", "value,source", "--sort", "value", "--format", "csv")
        was = self.ok("memory", program("conv_portable"), "--etrecord", record, *words).stdout
        self.assertEqual(self.ok("memory", written, "--etrecord", record, *words).stdout, was)

    def test_memory__refusals(self):
        for code, words, reason in [
            (NEGATIVE, (program("mlp_portable"), "--write"), "no smaller plan was found"),
            (NEGATIVE, (DATA / "plans" / "cases.pte", "--write"), "has mistakes"),
            (USAGE, (program("mlp_portable"), "--seed", "1"), "--seed needs --write"),
            (USAGE, ("-", "--write"), "standard input"),
        ]:
            with self.subTest(words):
                written = self.folder / "x.pte"
                done = support.call("memory", *words, *([written] if words[-1] == "--write" else []))
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(reason, done.stderr)
                self.assertFalse(written.exists())

    def test_memory__never_over_the_original(self):
        copy = self.folder / "model.pte"
        copy.write_bytes(program("conv_portable").read_bytes())
        done = support.call("memory", copy, "--write", copy)
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertEqual(copy.read_bytes(), program("conv_portable").read_bytes())


if __name__ == "__main__":
    unittest.main()

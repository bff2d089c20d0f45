"""`memory --write` and `size --write`: a smaller program, which gives the same outputs."""

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

    def test_memory__a_mistake_in_the_inputs_writes_nothing(self):
        reason = support.obstacle("conv_portable")
        if reason:
            self.skipTest(reason)
        written = self.folder / "smaller.pte"
        done = support.call("memory", support.DATA / "conv_portable" / "model.pte", "--write", written, "--input",
                            self.folder / "missing.npy")  # fmt: skip
        self.assertEqual(done.returncode, support.INPUT, done.stderr)
        self.assertFalse(written.exists())

    def test_memory__never_over_the_original(self):
        copy = self.folder / "model.pte"
        copy.write_bytes(program("conv_portable").read_bytes())
        done = support.call("memory", copy, "--write", copy)
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertEqual(copy.read_bytes(), program("conv_portable").read_bytes())

    def test_size__leaves_out_what_nothing_reads(self):
        table = DATA / "unused_constant" / "table.pte"
        written = self.folder / "smaller.pte"
        done = self.ok("size", table, "--no-siblings", "--write", written)
        self.assertIn("2368 bytes instead of 4416 (1 constant that nothing reads is gone)", done.stderr)
        self.assertRegex(done.stderr, "1 output of 1 method is equal bit for bit|not compared")
        self.assertEqual(written.stat().st_size, 2368)
        self.assertNotIn("that nothing reads", self.ok("size", written, "--no-siblings").stdout)
        self.ok("info", written)
        if not support.have_records():
            return
        self.ok("size", written, "--etrecord", table.with_suffix(".etrecord"))

    def assert_equal_data_is_kept_once(self, first, second):
        """Two items of a program are made equal; then one copy of them is enough."""
        model = "gpt_xnnpack"
        rows = [row for row in support.json_rows(self.ok("size", program(model), "--no-siblings", "--top", 0,
                                                         "--format", "json").stdout)
                if (row["size_bytes"] or 0) > 4096]
        one, other = next((a, b) for i, a in enumerate(rows) for b in rows[:i] + rows[i + 1:]
                          if a["size_bytes"] == b["size_bytes"] and (a["part"], b["part"]) == (first, second))
        size = one["size_bytes"]
        changed = bytearray(program(model).read_bytes())
        changed[other["offset"]:other["offset"] + size] = changed[one["offset"]:one["offset"] + size]
        twice = self.folder / "twice.pte"
        twice.write_bytes(changed)
        written = self.folder / "once.pte"
        done = self.ok("size", twice, "--write", written)
        self.assertIn("1 equal segment shares a copy", done.stderr)
        self.assertLessEqual(written.stat().st_size, len(changed) - size + 128)
        self.assertEqual(twice.read_bytes(), bytes(changed))
        if support.obstacle(model):
            return
        self.assertIn("equal bit for bit", done.stderr)
        self.assertEqual(self.outputs(twice, model, "forward", 0, "was"), self.outputs(written, model, "forward", 0, "now"))

    def test_size__equal_weights_share_a_copy(self):
        self.assert_equal_data_is_kept_once("delegate_weight", "delegate_weight")

    def test_size__tied_weights_share_a_copy(self):
        self.assert_equal_data_is_kept_once("constant", "delegate_weight")

    def test_both__one_after_the_other(self):
        first, second = self.folder / "first.pte", self.folder / "second.pte"
        source = DATA / "unused_constant" / "table.pte"
        self.ok("size", source, "--no-siblings", "--write", first)
        done = support.call("memory", first, "--write", second)
        self.assertIn(done.returncode, (0, NEGATIVE), done.stderr)
        tapped = self.folder / "tapped.pte"
        self.ok("tap", program("mlp_xnnpack"), "-o", tapped)
        for command in ("size", "memory"):
            done = support.call(command, tapped, "--write", second)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("hands out values from within its delegates", done.stderr)

    def test_both__never_a_program_that_computes_something_else(self):
        """Of every program here: states, loops, branches, several methods, other backends."""
        written = self.folder / "smaller.pte"
        for path in sorted(DATA.glob("**/*.pte")):
            for command in ("memory", "size"):
                done = support.call(command, path, "--no-siblings", "--write", written)
                with self.subTest(path=path, command=command):
                    self.assertNotIn("computes something else", done.stderr)
                    self.assertNotIn("please report", done.stderr)
                    self.assertEqual(done.returncode == 0, written.exists(), done.stderr)
                    if written.exists():
                        self.assertLessEqual(written.stat().st_size if command == "size" else 0, path.stat().st_size)
                        self.ok("info", written)
                        written.unlink()

    def test_size__refusals(self):
        for code, words, reason in [
            (NEGATIVE, (program("conv_portable"),), "nothing can be left out"),
            (USAGE, (program("conv_portable"), DATA / "ptd" / "external.ptd"), "takes one program"),
            (support.INPUT, (DATA / "ptd" / "external.ptd",), ""),
        ]:
            with self.subTest(words):
                written = self.folder / "x.pte"
                done = support.call("size", *words, "--write", written)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(reason, done.stderr)
                self.assertFalse(written.exists())


if __name__ == "__main__":
    unittest.main()

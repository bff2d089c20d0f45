"""`etscope gap` of language models: attention with a cache, and a state that flows from run to run."""

import unittest

import run_support as support
from gap_support import GapTest, unpack

# What tests/data/language/make.py gave to the runs: tokens and the position of the first.
INPUTS = (([3, 17, 9, 4, 25], 0), ([3], 5), ([14], 6))


class Language(GapTest):
    def setUp(self):
        super().setUp()
        unpack("language/steps.tar.xz", self.folder)

    def words(self, name, run, given=None):
        """Run 0 of the trace loads the method."""
        tokens, position = INPUTS[run - 1 if given is None else given]
        support.write_npy(self.folder / "tokens.npy", "<i8", (1, len(tokens)), tokens)
        support.write_npy(self.folder / "position.npy", "<i8", (1,), [position])
        return (f"{name}.etdump", "--debug-buffer", f"{name}.bin", "--etrecord", "steps.etrecord",
                "--program", f"{name}.pte", "--run", run, "--input", "tokens.npy", "position.npy")

    def notes(self, *words):
        return self.ok("gap", *words).stderr

    def test_language__every_value_of_every_run_agrees(self):
        for run in (1, 2, 3):
            words = self.words("steps", run)
            self.assertRegex(self.headline(*words), "^all 38 values agree with the program's own ")
            rows = self.gap(*words)
            self.assertEqual({row["finding"] for row in rows}, {"agrees"})
            attention = next(row for row in rows if row["captured"] == "llama::custom_sdpa.out")
            self.assertLess(attention["own_error"], 1e-6)

    def test_language__a_later_run_starts_with_the_caches_of_the_earlier_ones(self):
        self.assertNotIn("earlier", self.notes(*self.words("steps", 1)))
        self.assertIn("note: the reference starts with the buffers that 1 earlier run left\n",
                      self.notes(*self.words("steps", 2)))
        self.assertIn("note: the reference starts with the buffers that 2 earlier runs left\n",
                      self.notes(*self.words("steps", 3)))

    def test_language__attention_with_a_wrong_scale_is_blamed_in_every_run(self):
        for run in (1, 2, 3):
            words = self.words("scaled", run)
            guilty = [row for row in self.gap(*words) if row["finding"] == "guilty"]
            self.assertEqual([row["captured"] for row in guilty], ["llama::custom_sdpa.out"], run)

    def test_language__inputs_of_another_run_are_nobodys_fault(self):
        words = self.words("steps", 3, given=1)
        self.assertRegex(self.headline(*words), "^this seems to be a run with other inputs ")
        self.assertNotIn("guilty", [row["finding"] for row in self.gap(*words)])
        done = support.call("gap", *self.words("steps", 3, given=0), cwd=self.folder)
        self.assertEqual(done.returncode, support.MISMATCH)
        self.assertIn("the run had different inputs than the reference", done.stderr)


class State(GapTest):
    """tests/data/state/cache: relu of the mean of a buffer and the input, which goes to the buffer."""

    def capture(self, name, *words):
        folder = support.DATA / "state"
        self.ok("run", folder / f"{name}.pte", "--inputs", "ones", "--capture", "intermediates",
                "-o", "debug.etdp", "--debug-buffer", "debug.bin", *words)
        return ("debug.etdp", "--debug-buffer", "debug.bin", "--etrecord",
                folder / f"{name}.etrecord")

    def test_state__flows_between_methods_that_share_it(self):
        words = self.capture("changed", "-m", "set_state", "-m", "get_double")
        program = ("--program", support.DATA / "state" / "changed.pte")
        headline = self.headline(*words, "--run", "3", *program)
        self.assertRegex(headline, "^all 3 values agree with the edge program")
        headline = self.headline(*words, "--run", "3", "--no-siblings")
        self.assertRegex(headline, "^earlier runs may have changed the buffers of this run, and "
                         "method set_state may have changed them, too; ")

    def test_state__flows_through_captured_values(self):
        words = self.capture("cache", "--runs", "4")
        runs = sorted({row["run"] for row in support.json_rows(
            self.ok("tensors", *words[:3], "--format", "json").stdout)})
        self.assertGreater(len(runs), 1)
        for run in runs:
            self.assertRegex(self.headline(*words, "--run", run), "^(all|both) .*values agree ")


if __name__ == "__main__":
    unittest.main()

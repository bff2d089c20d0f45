"""A generation as test cases: `bundle --expect-from-run --in-turn`, then `verify --in-turn`."""

import unittest

import language_support
from language_support import LanguageTest, program
from run_support import NEGATIVE, OK, USAGE, write_npy

setUpModule, tearDownModule = language_support.setUpModule, language_support.tearDownModule


class GenerationCases(LanguageTest):
    def setUp(self):
        super().setUp()
        self.words = []
        for position, tokens in ((0, [3, 17, 9, 4]), (4, [50]), (5, [11])):
            names = [self.folder / f"{kind}{position}.npy" for kind in ("tokens", "position")]
            write_npy(names[0], "<i8", (1, len(tokens)), tokens)
            write_npy(names[1], "<i8", (1,), [position])
            self.words += ["--new-case", *names]
        self.bundle = self.folder / "steps.bpte"

    def test_steps_are_verified_in_turn(self):
        self.call(OK, "bundle", program("cached"), *self.words, "--expect-from-run", "--in-turn", "-o", self.bundle)
        done = self.call(OK, "verify", self.bundle, "--in-turn")
        self.assertTrue(done.stdout.startswith("PASS 3 of 3 test cases"), done.stdout)
        done = self.call(OK, "verify", self.bundle, "--in-turn", "--method", "forward")
        self.assertTrue(done.stdout.startswith("PASS 3 of 3 test cases"), done.stdout)
        # Each on an empty cache, the later ones give something else.
        done = self.call(NEGATIVE, "verify", self.bundle)
        self.assertTrue(done.stdout.startswith("FAIL 1 of 3 test cases"), done.stdout)

    def test_cases_by_themselves_are_as_before(self):
        self.call(OK, "bundle", program("cached"), *self.words, "--expect-from-run", "-o", self.bundle)
        self.call(OK, "verify", self.bundle)
        self.call(NEGATIVE, "verify", self.bundle, "--in-turn")

    def test_in_turn_needs_a_run(self):
        done = self.call(USAGE, "bundle", program("cached"), *self.words, "--in-turn", "-o", self.bundle)
        self.assertEqual(self.only_error(done), "etscope: --in-turn needs --expect-from-run")


if __name__ == "__main__":
    unittest.main()

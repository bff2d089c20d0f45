"""Runs that become slower over time: what every command says of them first."""

import json
import unittest

import support
from support import call, framework

SENTENCE = "runs{} get slower over time: the last third takes {} times the first (40 runs)"


class Traces(support.FolderTest):
    def trace(self, name, step, first=100_000):
        """40 runs, each `step` nanoseconds longer than the one before."""
        runs = []
        for number in range(40):
            start, end = number * 10**9, number * 10**9 + first + number * step
            runs.append(("Execute", [call("native_call_add.out", 0, start + 10, end - 10),
                                     framework("Method::execute", start, end)]))
        return support.make_dump(self.folder / f"{name}.etdp", runs)

    def setUp(self):
        super().setUp()
        self.grows, self.rests = self.trace("grows", 100_000), self.trace("rests", 0)
        self.sinks = self.trace("sinks", -20_000, 1_000_000)
        self.said = SENTENCE.format("{}", 4.86)

    def lines(self, *words, codes=(0,)):
        done = support.run(*words)
        self.assertIn(done.returncode, codes, done.stderr)
        return done.stdout.decode().splitlines()


class Drift(Traces):
    def test_drift__is_the_first_line_of_inspect_and_summary(self):
        for command in ("inspect", "summary"):
            first, second = self.lines(command, self.grows)[:2]
            self.assertEqual(first, f"Execute: {self.said.format('')}: the median below describes neither")
            self.assertRegex(second, r"^Execute: 2\.05 ms per run ")
            self.assertNotIn("over time", self.lines(command, self.rests)[0])

    def test_drift__runs_that_get_faster(self):
        for command in ("inspect", "summary"):
            self.assertIn("runs get faster over time: the last third takes ",
                          self.lines(command, self.sinks)[0])

    def test_drift__of_several_recordings_says_of_how_many(self):
        first = self.lines("summary", self.grows, self.rests)[0]
        self.assertEqual(first, "Execute: in 1 of 2 recordings, runs drift over time, at most so that the last "
                         "third takes 4.86 times the first (40 runs): the median below describes neither")

    def test_drift__of_a_side_is_the_first_line_of_diff(self):
        end = ": medians describe neither third"
        first, second = self.lines("diff", self.rests, self.grows)[:2]
        self.assertEqual(first, f"Execute: {self.said.format(' after')}{end}")
        self.assertIn("Execute: the recordings differ", second)
        first = self.lines("diff", self.grows, self.rests)[0]
        self.assertEqual(first, f"Execute: {self.said.format(' before')}{end}")
        other = self.trace("other", 100_001)
        first = self.lines("diff", self.grows, other)[0]
        self.assertEqual(first, f"Execute: {self.said.format(' before')}; {self.said.format(' after')}{end}")

    def test_drift__is_in_the_first_line_of_gate(self):
        budget = self.folder / "budget.txt"
        budget.write_text("total p50 <= 1s\n")
        first = self.lines("gate", self.rests, self.grows, "--budget", budget)[0]
        self.assertIn(": 1 check, 0 failed; worst: ", first)
        self.assertTrue(first.endswith(f"; {self.said.format(' after')}: medians describe neither third"), first)
        self.assertNotIn("over time", self.lines("gate", self.rests, self.rests, "--budget", budget)[0])

    def test_drift__comes_before_advice(self):
        first = self.lines("advise", self.grows)[0]
        self.assertEqual(first, f"Execute: {self.said.format('')}; cannot say what to change: the program was "
                         "not given")
        self.assertNotIn("over time", self.lines("advise", self.rests)[0])
        headline = json.loads(support.run("advise", self.grows, "--format", "json").stdout)["headline"]
        self.assertEqual(headline, first)

    def test_drift__warm_up_that_is_left_out_is_counted(self):
        self.assertIn("(40 runs)", self.lines("summary", "--steady", self.grows)[0])


class Units(Traces):
    """One unit in a sentence, however far apart its times lie."""

    def test_units__of_a_sentence_are_one(self):
        for words in (("inspect", self.grows), ("summary", self.grows), ("summary", self.grows, self.rests),
                      ("diff", self.rests, self.grows), ("diff", self.grows, self.rests)):
            for line in self.lines(*words):
                if not line.startswith("Execute: "):
                    continue
                units = set(support.UNIT_OF_TIME.findall(line))
                self.assertLessEqual(len(units), 1, line)


if __name__ == "__main__":
    unittest.main()

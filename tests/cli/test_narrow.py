"""What tables keep in a terminal of 80 columns, and what short options are in every command."""

import re
import unittest

import support


def table(*words):
    """The lines of a table in 80 columns."""
    done = support.run(*words, env={"COLUMNS": "80"})
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == support.OK, done.stderr
    return done.stdout.decode().splitlines()


def head(lines, first):
    return next(line.split() for line in reversed(lines) if first in line.split()[:3])


class Narrow(unittest.TestCase):
    def setUp(self):
        self.trace = support.fixture("gpt_xnnpack", "profile.etdp")
        self.program = support.fixture("gpt_xnnpack", "model.pte")
        self.record = support.fixture("gpt_xnnpack", "model.etrecord")

    def test_narrow__instructions_are_kept(self):
        for words in (("inspect", self.trace, "--etrecord", self.record, "--program", self.program),
                      ("inspect", self.trace, "--tree", "--etrecord", self.record),
                      ("delegates", self.program), ("cost", self.program)):
            with self.subTest(words=words):
                lines = table(*words)
                self.assertIn("#", head(lines, "operator"))
                self.assertLessEqual(max(map(len, lines[1:])), 80)

    def test_narrow__delegates_say_why(self):
        self.assertEqual(head(table("delegates", self.program), "operator"),
                         ["part", "#", "operator", "source", "why", "out"])

    def test_narrow__differences_keep_the_source(self):
        lines = table("diff", self.trace, support.fixture("gpt_portable", "profile.etdp"),
                      "--etrecord", self.record,
                      "--etrecord-b", support.fixture("gpt_portable", "model.etrecord"))
        self.assertIn("source", head(lines, "operator"))
        self.assertTrue(any(re.search(r"DELEGATE_CA.rators .*differs +./zoo.py:29", line)
                            for line in lines), lines)
        self.assertTrue(any(" 3 -> 15 operators " in line for line in lines), lines)

    def test_narrow__annotated_code_has_half_of_the_width(self):
        lines = table("annotate", self.trace, "--etrecord", self.record, "--program", self.program)
        at = next(line.index("code") for line in lines if line.endswith("line  code"))
        self.assertLessEqual(at, 40)

    def test_narrow__annotated_errors_fit(self):
        folder = support.DATA / "quantized"
        lines = table("annotate", folder / "int8.etdp", "--debug-buffer", folder / "int8.bin", "--etrecord",
                      folder / "int8.etrecord", "--program", folder / "int8.pte", "--reference-etrecord",
                      folder / "float.etrecord")
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertEqual(head(lines, "own"), ["mid", "us", "own", "finding", "line", "code"])

    def test_narrow__summaries_tell_delegate_calls_apart(self):
        lines = [line.split() for line in table("summary", self.trace)]
        numbers = [line[0] for line in lines if line[1:2] == ["DELEGATE_CALL"]]
        self.assertEqual(len(numbers), 12)
        self.assertEqual(len(set(numbers)), 12)


class ShortOptions(unittest.TestCase):
    def options(self):
        overview = support.run("--help").stdout.decode()
        for command in re.findall(r"^  (\w+) +\S", overview, re.MULTILINE):
            text = support.run("help", command).stdout.decode()
            yield command, re.findall(r"^ +(--[a-z0-9-]+)(?:, (-[a-z]))?\b|^ +(-[a-z]), (--[a-z0-9-]+)",
                                      text, re.MULTILINE)

    def test_short_options__are_the_same_in_every_command(self):
        everywhere = {"--all": "-a", "--method": "-m", "--output": "-o", "--format": "-f",
                      "--top": "-n", "--sort": "-s", "--columns": "-c"}
        count = 0
        for command, options in self.options():
            for long, short in ((a or d, b or c) for a, b, c, d in options):
                if long not in everywhere or (command, long) == ("profile", "--output"):
                    continue  # profile's -o is its trace
                with self.subTest(command=command, option=long):
                    self.assertEqual(short, everywhere[long])
                count += 1
        self.assertGreater(count, 50)

    def test_short_options__take_a_value_without_a_space(self):
        trace = support.fixture("gpt_xnnpack", "profile.etdp")
        apart = support.run("inspect", trace, "-n", 3)
        self.assertEqual(support.run("inspect", trace, "-n3").stdout, apart.stdout)
        self.assertEqual(support.run("inspect", trace, "-fcsv").stdout,
                         support.run("inspect", trace, "--format", "csv").stdout)
        refused = support.run("inspect", trace, "-q3")
        self.assertEqual(refused.returncode, support.USAGE)
        self.assertIn("inspect has no option -q3", refused.stderr.decode())


if __name__ == "__main__":
    unittest.main()

"""What delegates attach to their events, in the operator table and in SQL."""

import csv
import io
import pathlib
import tempfile
import unittest

import support
from support import OK, by_number, call, framework, run


def attached(identifier, start, metadata):
    return {**by_number(identifier, 0, start, start + 10), "metadata": metadata}


class Metadata(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def trace(self, *of_runs):
        """A call of a delegate in each run, whose events have these metadata."""
        runs = []
        for metadata in of_runs:
            events = [attached(i, 100 + 20 * i, data) for i, data in enumerate(metadata)]
            runs.append(("Execute", [*events, call("DELEGATE_CALL", 0, 90, 990),
                                     framework("Method::execute", 80, 1000)]))
        return support.make_dump(self.folder / "trace.etdp", runs)

    def metadata(self, trace, *words):
        return [row["metadata"] for row in support.rows(trace, "--no-siblings", *words)
                if row["operator"].isdigit()]

    def shown(self, trace, *words):
        done = support.inspect(trace, "--no-siblings", *words)
        self.assertEqual(done.returncode, OK, done.stderr)
        return done.stdout.decode()

    def test_metadata__is_a_column_where_a_row_has_any(self):
        trace = self.trace([b"tile=7x7", b""])
        heading, *lines = self.shown(trace).split("\n\n", 1)[1].splitlines()[1:]
        self.assertIn("metadata", heading)
        self.assertEqual([line.split()[-1] for line in lines if "tile" in line], ["tile=7x7"])
        self.assertEqual(self.metadata(trace), [["tile=7x7"], []])
        without = self.trace([b"", b""])
        self.assertNotIn("metadata", self.shown(without))
        self.assertEqual(self.metadata(without), [[], []])

    def test_metadata__of_several_runs_is_listed_once_each(self):
        trace = self.trace([b"warm"], [b"cold"], [b"warm"])
        self.assertEqual(self.metadata(trace), [["warm", "cold"]])
        self.assertEqual(self.metadata(trace, "--run", "1"), [["cold"]])
        self.assertIn("warm +1", self.shown(trace))
        (line,) = [row for row in csv.DictReader(io.StringIO(self.shown(trace, "--format", "csv")))
                   if row["operator"] == "0"]
        self.assertEqual(line["metadata"], "warm, cold")

    def test_metadata__that_is_no_text_is_a_size(self):
        cases = {b"\x01\x02\x03": "(3 bytes)", b"\0": "(byte 0)", b"a\0": "a", b"a\0b": "(3 bytes)",
                 b"\xff\xfe": "(2 bytes)", b"\x1b[31mred": "(8 bytes)", b"x" * 4096: "x" * 4096,
                 b"x" * 4097: "(4097 bytes)", "\u202eabc".encode(): "(6 bytes)",
                 "größe 3\t{\n}".encode(): "größe 3\t{\n}"}
        trace = self.trace(cases)
        self.assertEqual(self.metadata(trace), [[text] for text in cases.values()])
        for words in (), ("--format", "tsv"), ("--format", "markdown"):
            self.assertNotIn("\x1b", self.shown(trace, *words))

    def test_metadata__sql_says_the_same(self):
        trace = self.trace([b"warm", b"\x01"], [b"cold", b"\x02"])
        done = run("sql", "select metadata from operators where delegated = 1 order by id", trace,
                   "--format", "json")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual([row["metadata"] for row in support.json_rows(done.stdout)],
                         ["warm, cold", "(byte 1), (byte 2)"])


if __name__ == "__main__":
    unittest.main()

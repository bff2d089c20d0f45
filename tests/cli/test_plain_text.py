"""Text of files is inert: nothing of it steers a terminal, a spreadsheet or a line of a log."""

import csv
import io
import re
import subprocess
import unittest

import support
from support import call, on_a_terminal

# What a terminal or an editor would obey: controls but tab and line feed, C1, directions, line ends.
ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]")
NAMES = ["\033[2J\033]0;title\007", "\033]52;c;AAAA\007", "carriage\rreturn", b"raw \xff\x9b2J", "\u009b31m",
         "\u202egpj.exe", "\u2066a\u2069", "line\u2028end\u2029", "\u20ac \U0001f3bc"]
FORMULAS = ["=1+1", "\n=1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\uff1d1+1"]


class PlainText(support.FolderTest):
    def dump(self, names):
        events = [call(name, i, 10 * i, 10 * i + 5) for i, name in enumerate(names)]
        return support.make_dump(self.folder / "made.etdp", [("B\033[2J", events)])

    def commands(self, path):
        for form in ("table", "markdown", "tsv", "csv", "json", "jsonl"):
            yield "inspect", path, "--format", form
            yield "inspect", path, "--group-by", "op", "--format", form
            yield "inspect", path, "--tree", "--format", form
            yield "summary", path, "--format", form
            yield "diff", path, path, "--format", form
            yield "sql", "select * from operators", path, "--format", form
        yield "inspect", path, "--top", "2", "--format", "tsv"
        yield "inspect", path, "--block", "\033[2J\u009b\u202e"
        yield "info", path
        yield "info", path, "--format", "json"

    def test_text__nothing_of_a_file_steers_a_terminal(self):
        path = self.dump(NAMES)
        ran = 0
        for words in self.commands(path):
            data, code = on_a_terminal(*words)
            if code == support.UNAVAILABLE:
                continue
            ran += 1
            with self.subTest(words=words[0:1] + words[2:]):
                text = data.decode()  # strictly UTF-8
                text = re.sub("\033\\[(?:[012]|(?:1;)?3[123]|30;46|22;39;49)?m", "", text)  # our own
                found = ACTIVE.search(text)
                self.assertIsNone(found, found and text[max(0, found.start() - 40):found.end() + 9])
        self.assertGreater(ran, 20)

    def test_text__files_are_utf8_and_text_formats_are_plain(self):
        path = self.dump(NAMES)
        for words in self.commands(path):
            done = support.run(*words)
            for stream in (done.stdout, done.stderr):
                text = stream.decode()
                if words[-1] not in ("tsv", "csv"):
                    self.assertIsNone(ACTIVE.search(text), words)

    def test_text__json_is_escaped_and_exact(self):
        done = support.inspect(self.dump(NAMES), "--format", "json")
        expected = [name.decode(errors="replace") if isinstance(name, bytes) else name
                    for name in NAMES]
        self.assertEqual([row["event"] for row in support.json_rows(done.stdout)], expected)
        self.assertIn(rb"\u202e", done.stdout)
        self.assertIn(rb"\u009b", done.stdout)

    def test_text__no_cell_of_csv_is_a_formula(self):
        names = [*FORMULAS, "-1.5", "- ", "plain"]
        for form, separator in (("csv", ","), ("tsv", "\t")):
            done = support.inspect(self.dump(names), "--format", form, "--all")
            table = list(csv.reader(io.StringIO(done.stdout.decode(), newline=""),
                                    delimiter=separator))
            column = table[0].index("event")
            self.assertEqual([row[column] for row in table[1:]],
                             ["'" + name for name in FORMULAS] + ["-1.5", "'- ", "plain"])
            for row in table[1:]:
                for cell in row:
                    self.assertNotRegex(cell, "^[=@\t\r]|^[-+](?![0-9.]+(e[-+]?[0-9]+)?$)")


if __name__ == "__main__":
    unittest.main()

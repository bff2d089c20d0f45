"""Texts of a trace in every file that export writes: nothing in them controls who reads it."""

import csv
import io
import json
import re
import unittest

from support import OK, ExportTest, run

# Formulas, marks that change the direction of text, separators of lines, terminal sequences.
NAMES = ["=HYPERLINK(1)", "+1+cmd", "-2+3", "@SUM(1)", "\u202egpj.exe", "\u2066a\u2069",
         "line\u2028end\u2029", "\x1b[2J\u009b", "\uff1d1", "-5", "quote\"comma,"]
ACTIVE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
FORMULA = re.compile("^[=+@\t\r\uff1d\uff0b\uff0d\uff20-]")


class ExportEscapes(ExportTest):
    def setUp(self):
        super().setUp()
        events = [{"name": name, "ph": "X", "ts": 10 * i, "dur": 5, "pid": 1, "tid": 1, "cat": name}
                  for i, name in enumerate(NAMES)]
        profile = self.folder / "hostile.json"
        profile.write_text(json.dumps({"traceEvents": events}))
        self.trace = self.folder / "hostile.etdp"
        done = run("import", profile, "-o", self.trace)
        self.assertEqual(done.returncode, OK, done.stderr)

    def test_no_text_controls_its_reader(self):
        for form in ("chrome", "speedscope", "jsonl", "csv", "folded"):
            with self.subTest(form=form):
                text = self.export(form, self.trace).decode()
                self.assertIsNone(ACTIVE.search(text))
                if form in ("chrome", "speedscope"):
                    self.assertIn("gpj.exe", repr(json.loads(text)))

    def test_csv_has_no_formulas(self):
        text = self.export("csv", self.trace).decode()
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        found = [cell for cell in cells if FORMULA.match(cell) and not re.match(r"^[-+][\d.]+$", cell)]
        self.assertEqual(found, [])
        for name in ("'=HYPERLINK(1)", "'@SUM(1)", "'-2+3", "-5"):
            self.assertIn(name, cells)

    def test_tables_have_no_formulas_and_no_marks(self):
        for form, separator in (("upstream", "\t"), ("tsv", "\t"), ("csv", ",")):
            done = run("inspect", self.trace, "--format", form)
            self.assertEqual(done.returncode, OK, done.stderr)
            text = done.stdout.decode()
            self.assertIsNone(ACTIVE.search(text))
            cells = [cell for row in csv.reader(io.StringIO(text), delimiter=separator) for cell in row]
            for name in ("'=HYPERLINK(1)", "'+1+cmd", "'@SUM(1)", "'-2+3", "-5"):
                self.assertIn(name, cells)


if __name__ == "__main__":
    unittest.main()

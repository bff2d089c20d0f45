"""Every output that names source lines names those that annotate does, with their own text."""

import json
import re
import unittest

from support import DATA, OK, ExportTest, json_rows, run

EXAMPLES = DATA.parent.parent / "examples"

# Records whose operators come from several files, and whose longest file is not the first.
FILES = {"mobile_cnn": EXAMPLES / "mobile_cnn" / "xnnpack",
         "gpt_xnnpack": DATA / "gpt_xnnpack" / "model"}
PLACE = re.compile(r"([\w./-]+\.py):(\d+)")


class LinesEverywhere(ExportTest):
    def setUp(self):
        super().setUp()
        if run("info", FILES["mobile_cnn"].with_suffix(".etrecord")).returncode != OK:
            self.skipTest("this build reads no records")

    maxDiff = None

    def words(self, name):
        base = FILES[name]
        trace = base.with_suffix(".etdump")
        if not trace.exists():
            trace = base.parent / "profile.etdp"
        return (trace, "--etrecord", base.with_suffix(".etrecord"), "--program",
                base.with_suffix(".pte"))

    def rows(self, command, name, *words):
        done = run(command, *self.words(name), *words, "--format", "json")
        self.assertEqual(done.returncode, OK, done.stderr)
        return json_rows(done.stdout)

    def known(self, name):
        """The lines of the record's nodes: name of the file and number."""
        done = run("dump", FILES[name].with_suffix(".etrecord"))
        self.assertEqual(done.returncode, OK, done.stderr)
        found = set()

        def walk(value):
            if isinstance(value, dict):
                if isinstance(value.get("file"), str) and isinstance(value.get("line"), int):
                    found.add((value["file"].rsplit("/", 1)[-1], value["line"]))
                value = list(value.values())
            if isinstance(value, list):
                for each in value:
                    walk(each)

        walk(json.loads(done.stdout))
        self.assertTrue(found)
        return found

    def test_the_page_has_the_lines_of_annotate(self):
        for name in FILES:
            with self.subTest(name=name):
                done = run("report", *self.words(name), "--format", "json")
                self.assertEqual(done.returncode, OK, done.stderr)
                table = json.loads(done.stdout)["tables"]["lines"]
                mine = [dict(zip(table, row)) for row in zip(*table.values())]
                annotated = self.rows("annotate", name)
                self.assertEqual(*(sorted(map(repr, map(self.line, rows)))
                                   for rows in (mine, annotated)))

    @staticmethod
    def line(row):
        """What both have of a line; annotate indents code as the file does."""
        code = row["code"].strip() if row["code"] else None
        numbers = [None if row[column] is None else round(float(row[column]), 12)
                   for column in ("calls", "written_bytes", "share")]
        return (row["file"], row["line"], code, *numbers)

    def test_every_view_names_lines_of_the_record(self):
        """A file beside the number of another file's line would be none of the record's."""
        views = [("inspect", "--format", "json"), ("inspect", "--format", "table"),
                 ("inspect", "--group-by", "source", "--format", "json"),
                 ("sql", "select name, source from operators", "--format", "json"),
                 ("sql", "select source, time from source_times", "--format", "json"),
                 ("report", "--format", "json"), ("advise", "--all", "--format", "json"),
                 ("export", "--to", "chrome", "-o", "-"), ("export", "--to", "speedscope", "-o", "-"),
                 ("export", "--to", "model-explorer", "-o", "-"), ("export", "--to", "dot", "-o", "-"),
                 ("cost", "--format", "json"),
                 ("memory", "--format", "json"), ("size", "--format", "json")]
        for name in FILES:
            known = self.known(name)
            trace, *model = self.words(name)
            for command, *words in views:
                with self.subTest(name=name, view=(command, *words)):
                    query = words[:1] if command == "sql" else []
                    rest = words[len(query):]
                    of_program = command in ("cost", "memory", "size")
                    files = [model[-1], *model[:2]] if of_program else [trace, *model]
                    done = run(command, *query, *files, *rest)
                    self.assertEqual(done.returncode, OK, done.stderr)
                    shown = {(file.rsplit("/", 1)[-1], int(line))
                             for file, line in PLACE.findall(done.stdout.decode())}
                    self.assertLessEqual(shown, known)


if __name__ == "__main__":
    unittest.main()

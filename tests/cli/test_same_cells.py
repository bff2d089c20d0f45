"""What the catalogue has gives the same cells under the same names in tables, JSON, SQL and reports."""

import csv
import io
import json
import unittest

import support
from support import DATA, OK, UNAVAILABLE

ONLY_ADVISE = {"check"}  # a command, which only `advise` words
FIXTURES = [tuple(path for path in (trace, *(trace.parent / f"model.{kind}" for kind in ("etrecord", "pte")))
                  if path.is_file()) for trace in sorted(DATA.glob("*/profile.etdp"))]
PROGRAMS = [(DATA / "payloads" / "vulkan.pte",), (DATA / "gpt_portable" / "model.pte",)]


def output(*words):
    done = support.run(*words)
    if done.returncode == UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == OK, (words, done.stderr)
    return done.stdout.decode()


def sql(files, query):
    return support.json_rows(output("sql", query, *files, "--format", "json", "--no-siblings"))


def written(value):
    """The value of a relation, a table or JSON as one text: lists are written, nothing is ""."""
    if isinstance(value, list):
        numbers = all(isinstance(item, int) for item in value)
        return f"[{','.join(map(str, value))}]" if numbers and value else ", ".join(map(str, value))
    if value is None or value == "[]":
        return ""
    return repr(float(value)) if isinstance(value, (int, float)) else str(value)


def as_text(value, cell):
    """A cell of a TSV file, as written() writes the value beside it."""
    if isinstance(value, (int, float)):
        return repr(float(cell))
    numbers = isinstance(value, list) and value and all(isinstance(item, int) for item in value)
    return f"[{cell.replace(', ', ',')}]" if numbers else cell


def with_options(words, paths):
    for path in paths:
        words += ["--etrecord" if path.suffix == ".etrecord" else "--program", path]
    return words


class TestFindingsCells(unittest.TestCase):
    def compare(self, files):
        trace, *rest = files
        words = ["advise", "--all", "--no-siblings"]
        is_program = trace.suffix == ".pte"
        given = with_options(["--program", trace] if is_program else [trace], rest)
        rows = support.json_rows(output(*words, *given, "--format", "json"))
        text = output(*words, *given, "--format", "tsv")
        for row, line in zip(rows, csv.DictReader(io.StringIO(text), delimiter="\t"), strict=True):
            self.assertEqual(list(row), list(line))
            for name, value in row.items():
                self.assertEqual(written(value), as_text(value, line[name]).lstrip("'"), (files, name))
        names = [name for name in (rows[0] if rows else ()) if name not in ONLY_ADVISE]
        if not names:
            return
        has_unit = not any("_cycles" in name for name in names)
        asked = [name if has_unit else name.replace("_cycles", "") for name in names]
        chosen = ", ".join(f'"{name}"' for name in asked)
        same = sql(files, f"select {chosen} from findings order by id")
        listed = sql(files, "select * from findings order by id")
        report = json.loads(output("report", *files, "--format", "json", "--no-siblings", "-o", "-"))
        table = report["tables"].get("findings", {})
        self.assertEqual(len(rows), len(same))
        for i, row in enumerate(rows):
            cells = {name: written(row[name]) for name in names}
            self.assertEqual(cells, dict(zip(names, map(written, same[i].values()))), files)
            for name, value in listed[i].items():
                self.assertEqual(written(value), written(table[name][i]), (files, name))
            for name in set(report["findings"][i]) & set(cells):
                self.assertEqual(cells[name], written(report["findings"][i][name]), (files, name))

    def test_all_fixtures(self):
        self.assertGreater(len(FIXTURES), 10)
        for files in FIXTURES + PROGRAMS:
            with self.subTest(files=[str(path) for path in files]):
                self.compare(files)

    def test_names_of_earlier_versions_are_known_and_not_listed(self):
        files = DATA / "gpt_xnnpack" / "profile.etdp", DATA / "gpt_xnnpack" / "model.etrecord"
        rows = sql(files, "select source_lines, source, saving, saving_ns from findings")
        for row in rows:
            self.assertEqual(row["source_lines"], len((row["source"] or "").split(", ")) if row["source"] else 0)
            self.assertEqual(row["saving"], row["saving_ns"])
        self.assertNotIn("source_lines", sql(files, "select * from findings limit 1")[0])


class TestOperatorCells(unittest.TestCase):
    """Rows of `inspect` are those of `operators`, wherever both have a column of a name."""

    RELATED = {"block_index": "block", "block": None, "method": None}  # in `blocks`

    def compare(self, files):
        shown = support.json_rows(output("inspect", *with_options([files[0]], files[1:]), "--all", "--no-siblings", "--format", "json"))
        found = sql(files, "select o.*, b.id as block_number from operators o join blocks b on b.id = o.block")
        self.assertEqual(len(shown), len(found))
        left = {}
        for row in found:
            instruction = None if row["delegated"] else row["instruction"]
            left.setdefault((row["block"], row["event"], instruction, row["depth"]), []).append(row)
        compared = set()
        for row in shown:
            same = left[row["block_index"], row["event"], row["instruction"], row["depth"]].pop(0)
            for name, value in row.items():
                asked = name.replace("_ns", "").replace("_cycles", "")
                if asked in self.RELATED or asked not in same or name == "instruction":
                    continue
                value = [int(item) for item in value] if name == "debug_handles" else value
                self.assertEqual(written(value), written(same[asked]), (files, row["operator"], name))
                compared.add(name)
        return compared

    def test_all_fixtures(self):
        compared = set()
        for files in FIXTURES:
            with self.subTest(files=[str(path) for path in files]):
                compared |= self.compare(files)
        self.assertGreater(len(compared), 28)


class TestMemoryCells(unittest.TestCase):
    NAMES = ("method", "value", "kind", "size_bytes", "size_is", "memory_id", "offset", "first", "last",
             "lifetime", "lifetime_is", "producer", "readers", "view_of")

    def test_all_programs(self):
        programs = sorted(DATA.glob("*/model.pte"))
        self.assertGreater(len(programs), 10)
        for path in programs:
            shown = support.json_rows(output("memory", path, "--all", "--format", "json"))
            found = sql([path], f"select {', '.join(self.NAMES)} from memory_tensors")
            same = {(row["method"], row["value"]): row for row in found}
            self.assertEqual(len(shown), len(same), path)
            for row in shown:
                other = same[row["method"], row["value"]]
                self.assertEqual({name: written(row[name]) for name in self.NAMES},
                                 {name: written(other[name]) for name in self.NAMES}, path)

    def test_names_of_tables_are_known_and_not_listed(self):
        (row,) = sql([DATA / "gpt_portable" / "model.pte"], "select * from memory_tensors limit 1")
        self.assertIn("memory_offset", row)
        self.assertNotIn("offset", row)


if __name__ == "__main__":
    unittest.main()

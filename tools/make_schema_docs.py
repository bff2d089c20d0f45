"""Writes what documents say of columns from the catalogue, which `etscope sql --schema` tells.

    python3 tools/make_schema_docs.py ETSCOPE [--check]

docs/sql.md has all tables and views, docs/columns.md those columns that tables of commands have, too,
web/src/document/entities.ts the types of rows of these tables in the document of a report. With --check, nothing is written: ends with 1 if a document is stale.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Table of `etscope help columns` -> where docs/columns.md describes its columns.
DESCRIBED = {"findings": "findings", "operators": "operators", "memory_tensors": "tensors"}
TYPED = ("findings",)  # tables of SQL whose rows the page has a type for
IN_ROWS = "with `--group-by {}`"
BEGIN, END = "<!-- columns of {}: make docs writes them -->", "<!-- end of columns -->"


def schema(etscope, form):
    done = subprocess.run([etscope, "sql", "--schema", "--format", form], stdout=subprocess.PIPE,
                          check=True)
    return done.stdout.decode("utf-8")


def sql_document(text, etscope):
    """All behind the line that says where the list is from."""
    head, line = re.search(r"(.*\n)(`etscope sql --schema` prints this list.*?\n)\n", text, re.S).groups()
    return head + line + "\n" + schema(etscope, "markdown")


def column_rows(rows):
    """A line for each column of a table: times have their unit in the name."""
    for row in rows:
        unit = f" ({row['unit']})" if row["unit"] and row["unit"] != "bytes" else ""
        meaning = re.sub(r"([|*_\\])", r"\\\1", row["meaning"])
        name = f"{row['column']}, {row['column']}_upper" if row["has_upper"] else row["column"]
        in_rows = f" ({IN_ROWS.format(' or '.join(row['group_by']))})" if row["group_by"] and row["group_by"] != ["none"] else ""
        yield f"| {name} | {meaning}{unit}{in_rows} |\n"


def columns_document(text, etscope):
    done = subprocess.run([etscope, "help", "columns", "--format", "json"], stdout=subprocess.PIPE, check=True)
    rows = json.loads(done.stdout)["rows"]
    for table, mark in DESCRIBED.items():
        begin = BEGIN.format(mark)
        lines = "".join(column_rows(row for row in rows if row["table"] == table))
        made = f"{begin}\n\n| column | what it is |\n|---|---|\n{lines}\n{END}"
        text = re.sub(re.escape(begin) + ".*?" + re.escape(END), lambda _: made, text, flags=re.S)
    return text


def types_document(_, etscope):
    """An interface for each table whose columns are in the catalogue; any cell may be null."""
    types = {"INTEGER": "number", "REAL": "number", "TEXT": "string"}
    rows = json.loads(schema(etscope, "json"))["rows"]
    text = "/* Rows of tables of the document: make docs writes them from the catalogue. */\n"
    for table in TYPED:
        text += f"\nexport interface {table.title()}Row {{\n"
        for row in rows:
            if row["table"] == table:
                text += f"    {row['column']}: {types[row['type']]} | null;\n"
        text += "}\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("etscope")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stale = []
    for name, make in (("docs/sql.md", sql_document), ("docs/columns.md", columns_document),
                       ("web/src/document/entities.ts", types_document)):
        path = ROOT / name
        old = path.read_text(encoding="utf-8") if path.is_file() else None
        new = make(old, options.etscope)
        if new == old:
            continue
        stale.append(name)
        if not options.check:
            path.write_text(new, encoding="utf-8")
    if options.check and stale:
        print(f"make docs writes another {', '.join(stale)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

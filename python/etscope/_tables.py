"""Tables that the C library fills: a headline, and rows of named cells."""

import json
import os

from etscope._errors import Error
from etscope._library import NULL, Handle, call, ffi, lib, text


class Table:
    """A table: what it says in a sentence, and its rows.

    headline   the sentence that the command line prints first
    columns    names, with units: "size_bytes"
    rows       a dict for each row: texts, numbers, lists or None
    notes      lines that say what was assumed or left out

    len(), iteration and indexing go over the rows; str() is the headline.
    """

    def __init__(self, headline, columns, rows, notes):
        self.headline = headline
        self.columns = columns
        self.rows = rows
        self.notes = notes

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    def __str__(self):
        return self.headline

    def __repr__(self):
        return f"<{len(self.rows)} rows: {self.headline}>"

    def to_dataframe(self):
        """The rows as a pandas.DataFrame, with the columns in their order."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=self.columns)

    def _repr_html_(self):
        return self.to_dataframe()._repr_html_()


def filled(fill, *arguments, file=None, etrecord=None):
    """The Table that `fill`, a function of the C library, makes: fill(table, *arguments, error).

    An Error names `file`, or where the two do not belong together the path `etrecord`.
    """
    out = ffi.new("struct ets_table **")
    call(lib.ets_table_open, NULL, out)
    table = Handle(out[0], lib.ets_table_close)
    try:
        call(fill, table.pointer, *arguments, file=file)
    except Error as error:
        if error.status == "MISMATCH" and etrecord is not None:
            error.file = os.fspath(etrecord)
        raise
    rows = _rows(table.pointer)
    columns = list(rows[0]) if rows else _columns(table.pointer)
    return Table(text(lib.ets_table_heading(table.pointer)), columns, rows, _notes(table.pointer))


def _columns(table):
    """The names of columns, each once: one for people and one for machines may share a name."""
    found = []
    while (name := lib.ets_table_column_name(table, len(found))) != NULL:
        found.append(text(name))
    return list(dict.fromkeys(found))


def _rows(table):
    data, size = ffi.new("char **"), ffi.new("size_t *")
    call(lib.ets_table_to_json, table, data, size)
    try:
        return json.loads(ffi.unpack(data[0], size[0]).decode())
    finally:
        lib.ets_output_free(data[0])


def _notes(table):
    row, note, found = ffi.new("uint32_t *"), ffi.new("struct ets_text *"), []
    while lib.ets_table_next_note(table, row, note):
        found.append(text(note[0]))
    return found

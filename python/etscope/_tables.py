"""Tables that the C library fills: a headline, and rows of named cells."""

import json
import os

from etscope._errors import Error
from etscope._library import ADVICE, NULL, Handle, call, ffi, lib, text


class Table:
    """A table: what it says in a sentence, and its rows.

    headline   the sentence that the command line prints first
    columns    names, with units: "size_bytes"
    rows       a dict for each row: texts, numbers, lists or None
    notes      lines that say what was assumed or left out

    len(), iteration and indexing go over the rows; str() is the headline.
    """

    def __init__(self, headline, kinds, rows, notes, leads=()):
        self.headline = headline
        self.columns = list(kinds)
        self.rows = rows
        self.notes = notes
        self._kinds = kinds  # {column: enum ets_column_kind}
        self._leads = leads  # the headline in sentences, where there are several

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
        """The rows as a pandas.DataFrame, with the columns in their order; attrs["notes"] are the
        notes.

        Times and other real numbers are float64 (NaN: not known), counts and bytes Int64, texts and
        lists objects.
        """
        import pandas as pd

        columns = {name: _column([row[name] for row in self.rows], kind)
                   for name, kind in self._kinds.items()}  # fmt: skip
        frame = pd.DataFrame(columns, index=range(len(self.rows)))
        frame.attrs["notes"] = list(self.notes)
        return frame

    def _repr_html_(self):
        return self.to_dataframe()._repr_html_()


def filled(fill, *arguments, file=None, etrecord=None):
    """The Table that `fill`, a function of the C library, makes: fill(table, *arguments, error).

    An Error names `file`, or where the two do not belong together the path `etrecord`.
    """
    out = ffi.new("struct ets_table **")
    call(lib.ets_table_open, NULL, out)
    table = Handle(out[0], lib.ets_table_close)
    lib.ets_table_set_words(table.pointer, ADVICE)
    try:
        call(fill, table.pointer, *arguments, file=file)
    except Error as error:
        if error.status == "MISMATCH" and etrecord is not None:
            error.file = os.fspath(etrecord)
        raise
    pointer = table.pointer
    return Table(text(lib.ets_table_heading(pointer)), _kinds(pointer), _rows(pointer),
                 _notes(pointer), _leads(pointer))  # fmt: skip


_REAL = (lib.ETS_COLUMN_REAL, lib.ETS_COLUMN_TIME, lib.ETS_COLUMN_TICKS, lib.ETS_COLUMN_SHARE)
_WHOLE = (lib.ETS_COLUMN_INTEGER, lib.ETS_COLUMN_BYTES)


def _column(values, kind):
    import pandas as pd

    if kind in _REAL:
        return pd.Series(values, dtype="float64")
    if kind in _WHOLE and all(value is None or isinstance(value, int) for value in values):
        return pd.array(values, dtype="Int64")
    return pd.Series(values, dtype="object")


def _kinds(table):
    """{name of a column: its kind} of what machine formats write."""
    room = 128
    name, kind, found = ffi.new("char[]", room), ffi.new("enum ets_column_kind *"), {}
    while lib.ets_table_field(table, len(found), name, room, kind):
        found[text(name)] = kind[0]
    return found


def _leads(table):
    """The lines above the table: the answer in sentences."""
    found = []
    while (line := text(lib.ets_table_lead(table, len(found)))) is not None:
        found.append(line)
    return found


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

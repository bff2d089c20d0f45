"""Answers for people and programs: a sentence and a table that fits the terminal, or JSON."""

import datetime
import decimal
import json
import math
import os
import re
import shutil
import sys
import textwrap

LEAST_WIDTH = 12  # of a text column that is cut
CUT = ("cut", "list")
_KEPT = "\u00a0"  # a space at which no line ends


class Answer:
    """A sentence that answers, rows of named values, and notes on what they do not tell.

    columns  [(name in JSON, heading, how it is written)]; "cut" columns may be cut at their start, "list" at their end
    spare    names of columns that narrow tables go without, first those that are missed least
    keys     how many columns, the first ones, tell what a row is of: they are shown even if empty in every row
    is_whole whether all columns are: somebody asked for just these
    """

    def __init__(self, sentence, columns, rows, notes=(), spare=(), keys=1, is_whole=False):
        self.sentence, self.columns, self.rows, self.notes = sentence, columns, rows, list(notes)
        self.spare, self.is_whole, self.keys = spare, is_whole, len(columns) if is_whole else keys

    def as_json(self):
        return {"sentence": self.sentence, "rows": self.rows, "notes": self.notes}


def plain(text):
    """Text without what would steer a terminal."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in str(text))


def number(least, type_=int):
    """For an option: a number of at least so much."""

    def parse(text):
        value = type_(text)
        if not value >= least:
            raise ValueError(text)
        return value

    parse.__name__ = f"number of at least {least}"  # argparse says: invalid ... value
    return parse


def counted(count, noun):
    """ "1 trace", "2,000 traces" """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def left_out_rows(shown, count):
    """Notes of a table that has the first of its rows."""
    return [f"the first {shown:,} of {count:,} rows; --limit 0 shows all"] if shown < count else []


def duration(ns):
    if ns is None:
        return "-"
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(ns) >= scale:
            return f"{ns / scale:.3g} {unit}" if ns / scale < 1000 else f"{ns / scale:,.0f} {unit}"
    return f"{ns:.3g} ns"


def percent(share):
    return "-" if share is None else f"{100 * share:.1f} %"


def change(ratio):
    return "?" if ratio is None else f"{100 * (ratio - 1):+.1f} %"


def change_range(ends):
    lower, upper = ends
    return f"{change(lower)} to {change(upper)}"


def probability(p):
    return "-" if p is None else f"{p:.3f}" if p >= 0.001 else f"{p:.0e}"


def _number(value):
    """Of a decimal, which is SQL's sum of integers: an int if it is one."""
    return int(value) if value == value.to_integral_value() else float(value)


def _text(value):
    if value is None:
        return "-"
    if isinstance(value, decimal.Decimal):
        value = _number(value)
    if isinstance(value, float):
        return f"{value:,.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return plain(value) or "-"


WRITERS = {"text": _text, "cut": _text, "list": _text, "number": _text, "time": duration, "share": percent,
           "change": change, "range": change_range, "p": probability}  # fmt: skip


def terminal_width():
    columns = os.environ.get("COLUMNS", "")
    told = int(columns) if columns.isascii() and columns.isdigit() else 0
    return max(told or shutil.get_terminal_size((200, 24)).columns, 20)


def _fit(widths, columns, width):
    """Narrows the widest columns that may be cut until a line fits."""
    while sum(widths) + 2 * (len(widths) - 1) > width:
        able = [i for i, column in enumerate(columns)
                if column[2] in CUT and widths[i] > LEAST_WIDTH]  # fmt: skip
        if not able:
            break
        widths[max(able, key=lambda i: widths[i])] -= 1
    return widths


def _cut(text, width, how):
    if len(text) <= width:
        return text
    return text[:width - 3] + "..." if how == "list" else "..." + text[len(text) - width + 3:]


def folded(text, out=None):
    """A text in lines of the terminal's width; as it is where no terminal shows it."""
    if not os.environ.get("COLUMNS") and not (out or sys.stdout).isatty():
        return text
    whole = re.sub(r"(?<=\d) (?=%|[num]?s\b)", _KEPT, text)  # a number and its unit
    lines = textwrap.fill(whole, terminal_width(), break_long_words=False, break_on_hyphens=False)
    return lines.replace(_KEPT, " ")


def as_table(answer, width, fold=str):
    """`fold` divides the sentence and notes into lines."""
    lines = [fold(plain(answer.sentence))]
    # A column that says nothing in any row takes no room.
    texts = {name: [WRITERS[how](row[name]) for row in answer.rows]
             for name, _, how in answer.columns}  # fmt: skip
    columns = [column for number, column in enumerate(answer.columns)
               if number < answer.keys or any(each != "-" for each in texts[column[0]])]  # fmt: skip
    if columns and (answer.rows or answer.is_whole):  # those of a query tell its columns
        for spare in [None, *answer.spare]:
            columns = [column for column in columns if column[0] != spare]
            widths = [max([len(heading), *map(len, texts[name])]) for name, heading, _ in columns]
            widths = _fit(widths, columns, width)
            if sum(widths) + 2 * (len(widths) - 1) <= width:
                break
        lines.append("")
        for row in range(-1, len(answer.rows)):
            cells = []
            for (name, heading, how), size in zip(columns, widths):
                cell = _cut(heading if row < 0 else texts[name][row], size, how)
                cells.append(cell.ljust(size) if how in ("text", *CUT) else cell.rjust(size))
            lines.append("  ".join(cells).rstrip())
    lines += [""] * bool(answer.notes) + [fold(plain(f"note: {note}")) for note in answer.notes]
    return "\n".join(lines) + "\n"


def _for_json(value):
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, decimal.Decimal):
        return _number(value)
    return str(value)


def _finite(value):
    """JSON has no infinity and no NaN: null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, (list, tuple)) else value


def to_json(document, **options):
    return json.dumps(_finite(document), default=_for_json, allow_nan=False, **options)


def show(answer, format, out=None):
    out = out or sys.stdout
    if format == "json":
        out.write(to_json(answer.as_json(), indent=1) + "\n")
    else:
        out.write(as_table(answer, terminal_width(), lambda text: folded(text, out)))

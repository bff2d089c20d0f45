"""Filters of traces, and sums, as SQL that DuckDB and Spark read alike."""

import difflib
import re

from etscope._errors import Error

COLUMNS = ("trace", "path", "program", "model", "device", "build", "day")


def sum_of(column):
    """SQL: the sum of times, the same in whatever order engines add them; to a thousandth of a nanosecond.

    A damaged trace can tell any time: 30 billion years are the most, of which a hundred million add up.
    """
    return f"cast(sum(cast(least({column}, 1e27) as decimal(38, 3))) as double)"


def left_out(engine, *filters):
    """A note if these filters also select summaries of devices, which cannot be compared by trace."""
    condition = " or ".join(f"({each.condition})" for each in filters)
    parameters = {name: value for each in filters for name, value in each.parameters.items()}
    count = engine.sql(f"select count(*) as n from traces where kind = 'summary' and ({condition})",
                       **parameters).to_pylist()[0]["n"]  # fmt: skip
    if not count:
        return []
    return [f"{count:,} {'summary' if count == 1 else 'summaries'} of devices"
            f" {'is' if count == 1 else 'are'} left out: they have no single traces"]  # fmt: skip


def _pairs(text):
    """What stands between commas; `\\,` is a comma of a value, and `\\\\` a backslash."""
    pairs = [re.sub(r"\\([,\\])", r"\1", pair) for pair in re.findall(r"(?:^|,)((?:[^,\\]|\\.|\\$)*)", text)]
    return pairs if text else []


class Filter:
    """Traces by what they are of: "build=1.3", "build=1.3,device=pixel", "label.room=cold".

    `condition` is SQL over the table traces with parameters, `parameters` their values, `columns` the
    names that are filtered by.
    """

    def __init__(self, text, name="f"):
        self.text, self.parameters, self.columns, parts = text, {}, [], []
        for number, pair in enumerate(_pairs(text)):
            column, equals, value = pair.partition("=")
            column = column.strip()
            if not equals or not (column in COLUMNS or column.startswith("label.")):
                like = difflib.get_close_matches(column.lower(), COLUMNS, 1, 0.7) if equals else []
                meant = f"; did you mean {like[0]}?" if like else ""
                raise Error(f'"{pair}" is not a filter: write COLUMN=VALUE with {", ".join(COLUMNS)}'
                            f" or label.NAME{meant}", status="INVALID_ARGUMENT")  # fmt: skip
            self.columns.append(column)
            parameter = f"{name}{number}"
            self.parameters[parameter] = value
            if column.startswith("label."):
                self.parameters[parameter + "key"] = column[len("label."):]
                column = f"labels[:{parameter}key]"
            parts.append(f"{column} = :{parameter}")
        self.condition = " and ".join(parts) or "true"

    def within(self, columns="trace"):
        """SQL: the traces that this filter selects."""
        return f"select {columns} from traces where {self.condition}"

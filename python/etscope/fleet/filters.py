"""Filters of traces, as SQL that DuckDB and Spark read alike."""

from etscope._errors import Error

COLUMNS = ("trace", "path", "program", "model", "device", "build", "day")


class Filter:
    """Traces by what they are of: "build=1.3", "build=1.3,device=pixel", "label.room=cold".

    `condition` is SQL over the table traces with parameters, `parameters` their values.
    """

    def __init__(self, text, name="f"):
        self.text, self.parameters, parts = text, {}, []
        for number, pair in enumerate(text.split(",") if text else []):
            column, equals, value = pair.partition("=")
            column = column.strip()
            if not equals or not (column in COLUMNS or column.startswith("label.")):
                raise Error(f'"{pair}" is not a filter: write COLUMN=VALUE with {", ".join(COLUMNS)}'
                            " or label.NAME", status="INVALID_ARGUMENT")  # fmt: skip
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

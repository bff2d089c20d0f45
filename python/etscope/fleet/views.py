"""SQL that DuckDB and Spark read alike: views over the tables of a data set, and filters of traces.

`measured` is what questions compare: one value for each trace and operator, the median of its runs
without warm-up, because runs of one trace are not independent. The run itself is kind 'run'.
"""

from etscope._errors import Error

MEASURED = """
select o.trace, o.program, o.device, o.build, o.day, o.method, o.instruction, o.operator, o.kind,
       o.backend, o.module, o.source, median(o.time_ns) as time_ns, count(*) as runs
from operators o
join runs r on r.trace = o.trace and r.method = o.method and r.run = o.run
where not r.warm_up
group by o.trace, o.program, o.device, o.build, o.day, o.method, o.instruction, o.operator, o.kind,
         o.backend, o.module, o.source
union all
select trace, program, device, build, day, method, -1, '', 'run', '', '', '',
       median(time_ns), count(*)
from runs where not warm_up
group by trace, program, device, build, day, method
"""

VIEWS = {"measured": MEASURED}

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

"""Questions that SQL answers: query, top, trend, coverage. Each gives an Answer.

top and trend read summaries alone, whose sketches merge: their quantiles are off by the rank error
that the sketch states, everything else is exact.
"""

import difflib

from etscope.fleet.show import Answer, counted, duration, percent
from etscope.fleet.quantiles import merged_quantiles
from etscope.fleet.filters import Filter

QUANTILES = (0.5, 0.9)
RUN = "operator = '' and instruction = -1"


def kind_of(type_):
    import pyarrow as pa

    is_number = pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_)
    return "number" if is_number else "cut"


def query(engine, text, limit=None):
    """The rows of any SQL over traces, runs, operators, summaries, events and measured."""
    table = engine.sql(text)
    if table is None:
        return Answer("done", [], [])
    rows = table.slice(0, limit).to_pylist() if limit is not None else table.to_pylist()
    columns = [(field.name, field.name, kind_of(field.type)) for field in table.schema]
    count = counted(table.num_rows, "row")
    return Answer(count + (f", the first {len(rows):,}" if len(rows) < table.num_rows else ""),
                  columns, rows, is_whole=True)  # fmt: skip


def _group_filter(filter):
    """Summaries have no trace: filters by the columns that they share with traces."""
    allowed = ("program", "device", "build", "day")
    names = [part.partition("=")[0].strip() for part in filter.text.split(",") if part]
    others = [name for name in names if name not in allowed]
    if others:
        from etscope._errors import Error

        raise Error(f"summaries are not kept by {others[0]}: filter by {', '.join(allowed)},"
                    " or ask `query` of the table measured", status="INVALID_ARGUMENT")  # fmt: skip
    return filter.condition


def top(engine, where="", by="operator", limit=20):
    """Where the time of a fleet goes: operators (or modules, backends, devices) by their sum."""
    filter = Filter(where)
    condition = _group_filter(filter)
    keys = {"operator": "method, instruction, operator, kind, backend, module",
            "module": "module", "backend": "backend"}.get(by, by)  # fmt: skip
    inner = RUN if by in ("device", "build", "program", "method") else f"not ({RUN})"
    outer = "" if by in ("operator", "device", "build", "program", "method") else \
        " and kind not in ('delegate_event')"  # fmt: skip
    total = engine.sql(f"select sum(sum_ns) as ns, sum(traces) as traces, sum(count) as runs"
                       f" from summaries where {RUN} and {condition}", **filter.parameters).to_pylist()[0]
    rows = engine.sql(
        f"select {keys}, sum(sum_ns) as sum_ns, sum(count) as count, min(min_ns) as min_ns,"
        f" max(max_ns) as max_ns, array_agg(sketch) as sketches from summaries"
        f" where {inner} and {condition}{outer} group by {keys}"
        f" order by sum_ns desc, {keys} limit {int(limit)}", **filter.parameters).to_pylist()  # fmt: skip
    for row in rows:
        row["share"] = row["sum_ns"] / total["ns"] if total["ns"] else None
        row["p50_ns"], row["p90_ns"] = merged_quantiles(row.pop("sketches"), QUANTILES)
    names = [(key.strip(), key.strip(), "cut") for key in keys.split(",") if key.strip() != "instruction"]
    if by == "operator":
        names = [("operator", "operator", "cut"), ("instruction", "at", "number"),
                 ("kind", "kind", "text"), ("backend", "backend", "cut"),
                 ("module", "module", "cut"), ("method", "method", "text")]  # fmt: skip
    columns = names + [("share", "of runs", "share"), ("sum_ns", "sum", "time"),
                       ("count", "runs", "number"), ("p50_ns", "p50", "time"),
                       ("p90_ns", "p90", "time"), ("max_ns", "max", "time")]  # fmt: skip
    if not rows:
        return Answer("no runs: the filter selects none" if where else "no runs in this data set",
                      columns, [])  # fmt: skip
    first = rows[0]
    name = first["operator"] if by == "operator" else first[by] or f"what has no {by}"
    sentence = (f"{name} takes most: {percent(first['share'])} of {duration(total['ns'])} in"
                f" {counted(total['runs'], 'run')} of {counted(total['traces'], 'trace')}")  # fmt: skip
    notes = ["delegate events are inside their delegate calls: shares add up to more than 100 %"] \
        if by == "operator" and len({row["kind"] for row in rows} & {"delegate_call", "delegate_event"}) > 1 else []
    if by == "module" and not any(row["module"] for row in rows):
        notes.append("no module is known: `etscope-fleet ingest --etrecord` tells them")
    return Answer(sentence, columns, rows, notes, ("method", "max_ns", "count", "kind", "backend"))


def _alike(engine, operator):
    """ "; did you mean ...?" with names of the data set's operators."""
    rows = engine.sql(f"select distinct operator from summaries where not ({RUN})").to_pylist()
    names = difflib.get_close_matches(operator, [row["operator"] for row in rows], 3, 0.5)
    return f"; did you mean {' or '.join(names)}?" if names else "; `etscope-fleet top` lists them"


def trend(engine, where="", by="day", operator=None):
    """How long runs (or one operator) took, day by day or build by build."""
    filter = Filter(where)
    condition = _group_filter(filter)
    what = RUN if operator is None else "operator = :operator"
    parameters = dict(filter.parameters, **({} if operator is None else {"operator": operator}))
    rows = engine.sql(
        f"select {by}, sum(traces) as traces, sum(count) as runs, count(distinct device) as devices,"
        f" min(min_ns) as min_ns, max(max_ns) as max_ns, sum(sum_ns) / sum(count) as mean_ns,"
        f" array_agg(sketch) as sketches from summaries where {what} and {condition}"
        f" group by {by} order by {by}", **parameters).to_pylist()  # fmt: skip
    for row in rows:
        row["p50_ns"], row["p90_ns"] = merged_quantiles(row.pop("sketches"), QUANTILES)
    columns = [(by, by, "cut"), ("traces", "traces", "number"), ("devices", "devices", "number"),
               ("runs", "runs", "number"), ("p50_ns", "p50", "time"), ("p90_ns", "p90", "time"),
               ("mean_ns", "mean", "time"), ("min_ns", "min", "time"), ("max_ns", "max", "time")]  # fmt: skip
    if not rows and operator is not None:
        return Answer(f"no operator {operator}{_alike(engine, operator)}", columns, [])
    if not rows:
        return Answer("no runs: nothing to follow", columns, [])
    first, last = rows[0], rows[-1]
    name = "a run" if operator is None else operator
    sentence = f"p50 of {name}: {duration(first['p50_ns'])} in {by} {first[by]}"
    if len(rows) > 1:
        sentence += f", {duration(last['p50_ns'])} in {by} {last[by]}"
    notes = ["devices differ between rows: a change can be theirs; `regressions` compares within"
             " devices"] if len({row["devices"] for row in rows}) > 1 else []  # fmt: skip
    return Answer(sentence, columns, rows, notes)


def coverage(engine, where="", limit=None):
    """Which devices and builds are seen, how often, and when last."""
    filter = Filter(where)
    rows = engine.sql(
        f"select device, build, count(*) as traces, sum(runs) as runs, sum(lost_events) as lost_events,"
        f" min(day) as first_day, max(day) as last_day from traces where {filter.condition}"
        f" group by device, build order by device, build", **filter.parameters).to_pylist()  # fmt: skip
    devices, builds = {row["device"] for row in rows}, {row["build"] for row in rows}
    missing = len(devices) * len(builds) - len(rows)
    total = sum(row["traces"] for row in rows)
    sentence = (f"{counted(total, 'trace')} of {counted(len(devices), 'device')}"
                f" and {counted(len(builds), 'build')}")  # fmt: skip
    if len(rows) > 1:
        pairs = len(devices) * len(builds)
        sentence += f"; {len(rows):,} of {pairs:,} pairs are seen" if missing else f"; all {pairs:,} pairs are seen"
    columns = [("device", "device", "cut"), ("build", "build", "cut"), ("traces", "traces", "number"),
               ("runs", "runs", "number"), ("lost_events", "lost events", "number"),
               ("first_day", "first", "text"), ("last_day", "last", "text")]  # fmt: skip
    return Answer(sentence, columns, rows[:limit])

"""Questions that SQL answers: query, top, trend, coverage. Each gives an Answer.

top and trend read summaries alone, whose sketches add up: their quantiles are off by what these are,
everything else is exact. The same data set gives the same answer, in whatever order engines read it.
"""

import difflib
import re

from etscope.fleet.show import Answer, counted, duration, left_out_rows, percent
from etscope.fleet.quantiles import merged_quantiles
from etscope.fleet.filters import Filter, sum_of

QUANTILES = (0.5, 0.9)
RUN = "operator = '' and instruction = -1"
UNKNOWN = "unknown"  # the day of traces that tell no time
NO_MODULE = "(unknown)"  # of operators that no ETRecord tells of


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
    others = [name for name in filter.columns if name not in allowed]
    if others:
        from etscope._errors import Error

        raise Error(f"summaries are not kept by {others[0]}: filter by {', '.join(allowed)},"
                    " or ask `query` of the table measured", status="INVALID_ARGUMENT")  # fmt: skip
    return filter.condition


def natural(text):
    """A key by which 1.9 comes before 1.10."""
    return [int(part) if i % 2 else part for i, part in enumerate(re.split(r"(\d+)", text))]


def build_order(engine):
    """A key of builds: by the first day they were seen, then naturally; those of no known day are last."""
    rows = engine.sql(f"select build, min(case when day <> '{UNKNOWN}' then day end) as first"
                      " from traces group by build").to_pylist()  # fmt: skip
    first = {row["build"]: row["first"] for row in rows}
    return lambda build: (first.get(build) is None, first.get(build) or "", natural(build))


def traces_by(engine, by, filter, operator=None):
    """{value of `by`: traces}; with an operator, of traces in which it was seen.

    A summary of a device tells no single traces: it counts where its program, device, build and day
    have the operator. The table summaries cannot tell: a trace is in the rows of several methods and operators.
    """
    parameters, seen = filter.parameters, "true"
    if operator is not None:
        parameters = dict(parameters, operator=operator)
        seen = ("trace in (select trace from measured where operator = :operator) or kind = 'summary' and"
                " (program, device, build, day) in"
                " (select program, device, build, day from summaries where operator = :operator)")  # fmt: skip
    rows = engine.sql(f"select {by} as name, count(*) as traces from traces where {filter.condition}"
                      f" and ({seen}) group by {by}", **parameters).to_pylist()  # fmt: skip
    return {row["name"]: row["traces"] for row in rows}


def undated_note(count):
    return [f"{counted(count, 'trace')} {'tells' if count == 1 else 'tell'} no day"] if count else []


# What has no module or backend, in the words of `inspect`.
_MODULE = "case when module <> '' then module when source <> '' then '(model)' else '{unknown}' end"
_BACKEND = "case when backend <> '' then backend when kind = 'operator' then 'portable' else 'delegate' end"
_TOP_KEYS = {
    "operator": {"method": "method", "instruction": "instruction", "operator": "operator", "kind": "kind",
                 "backend": "backend", "module": _MODULE.format(unknown="")},
    "name": {"operator": "operator", "kind": "kind", "backend": "backend"},
    "module": {"module": _MODULE.format(unknown=NO_MODULE)},
    "backend": {"backend": _BACKEND},
}  # fmt: skip
_OF_RUNS = ("device", "build", "program", "method")
_TIMES = ("name", "module", "backend")  # of these a run has several operators, and counts once for each


def _top_rows(engine, filter, by, limit):
    """(the sums of all runs and the number of all rows, the rows that take most)."""
    condition, keys = _group_filter(filter), _TOP_KEYS.get(by, {by: by})
    inner = RUN if by in _OF_RUNS else f"not ({RUN})"
    # Beside their calls, events of delegates would count twice.
    outer = "and kind <> 'delegate_event'" if by in ("module", "backend") else ""
    named = ", ".join(f"{value} as {name}" for name, value in keys.items())
    total = engine.sql(f"select {sum_of('sum_ns')} as ns, sum(count) as runs from summaries"
                       f" where {RUN} and {condition}", **filter.parameters).to_pylist()[0]  # fmt: skip
    total["traces"] = sum(traces_by(engine, "kind", filter).values())
    of = f"from summaries where {inner} and {condition} {outer} group by {', '.join(keys.values())}"
    rows = engine.sql(
        f"select {named}, {sum_of('sum_ns')} as sum_ns, sum(count) as count, min(min_ns) as min_ns,"
        f" max(max_ns) as max_ns, array_agg(sketch) as sketches {of}"
        f" order by sum_ns desc, {', '.join(keys)} limit {int(limit)}", **filter.parameters).to_pylist()  # fmt: skip
    total["rows"] = len(rows)
    if len(rows) == limit:
        total["rows"] = engine.sql(f"select count(*) as n from (select 1 {of}) g",
                                   **filter.parameters).to_pylist()[0]["n"]  # fmt: skip
    for row in rows:
        row["share"] = _share(row["sum_ns"], total)
        row["p50_ns"], row["p90_ns"] = merged_quantiles(row.pop("sketches"), QUANTILES)
    return total, rows


def _share(ns, total):
    return ns / total["ns"] if total["ns"] else None


def _top_columns(by):
    names = [("operator" if by == "name" else by, "operator" if by == "name" else by, "cut")]
    if by == "operator":
        names += [("instruction", "at", "number"), ("kind", "kind", "text"), ("backend", "backend", "cut"),
                  ("module", "module", "cut"), ("method", "method", "text")]  # fmt: skip
    if by == "name":
        names += [("kind", "kind", "text"), ("backend", "backend", "cut")]
    return names + [("share", "of runs", "share"), ("sum_ns", "sum", "time"),
                    ("count", "times" if by in _TIMES else "runs", "number"), ("p50_ns", "p50", "time"),
                    ("p90_ns", "p90", "time"), ("max_ns", "max", "time")]  # fmt: skip


def _top_notes(rows, by):
    notes = []
    if len({row.get("kind") for row in rows} & {"delegate_call", "delegate_event"}) > 1:
        notes.append("delegate events are inside their delegate calls: shares add up to more than 100 %")
    if by == "module" and all(row["module"] == NO_MODULE for row in rows):
        notes.append("no module is known: `etscope-fleet ingest --etrecord` of traces tells them, in a new data set:"
                     " known traces are not read again")  # fmt: skip
    return notes


def _operator_told(row):
    """A call is named by its backend, too: all backends' calls have one name."""
    return row["operator"] + (f" of {row['backend']}" if row["kind"] == "delegate_call" and row["backend"] else "")


def _most(engine, filter, by, rows, total):
    """What takes most, and its share. Of operators, all of one name, as `--by name` adds them up."""
    first = rows[0]
    if by != "operator":
        name = _operator_told(first) if by == "name" else first[by]
        name = f"what has no known {by}" if name in ("", NO_MODULE) else name
        return f"{name} takes most: {percent(first['share'])}", ""
    keys, name = (", ".join(_TOP_KEYS[each].values()) for each in ("operator", "name"))
    found = engine.sql(
        f"select {name}, {sum_of('ns')} as ns, count(*) as places, max(ns) as most from"
        f" (select {name}, {sum_of('sum_ns')} as ns from summaries"
        f" where not ({RUN}) and {_group_filter(filter)} group by {keys}) g"
        f" group by {name} order by ns desc, {name} limit 1", **filter.parameters).to_pylist()[0]  # fmt: skip
    told = f"{_operator_told(found)} takes most: {percent(_share(found['ns'], total))}"
    if found["places"] == 1:
        return told, ""
    return told, f", in {found['places']:,} instructions (the longest: {percent(_share(found['most'], total))})"


def top(engine, where="", by="operator", limit=20):
    """Where the time of a fleet goes: operators (or modules, backends, devices) by their sum."""
    filter = Filter(where)
    total, rows = _top_rows(engine, filter, by, limit)
    columns = _top_columns(by)
    if not rows:
        return Answer("no runs: the filter selects none" if where else "no runs in this data set",
                      columns, [])  # fmt: skip
    most, places = _most(engine, filter, by, rows, total)
    sentence = (f"{most} of {duration(total['ns'])} in {counted(total['runs'], 'run')} of"
                f" {counted(total['traces'], 'trace')}{places}")  # fmt: skip
    notes = _top_notes(rows, by) + left_out_rows(len(rows), total["rows"])
    return Answer(sentence, columns, rows, notes, ("method", "max_ns", "count", "kind", "backend"))


def _alike(engine, operator):
    """ "; did you mean ...?" with names of the data set's operators."""
    rows = engine.sql(f"select distinct operator from summaries where not ({RUN})").to_pylist()
    names = difflib.get_close_matches(operator, [row["operator"] for row in rows], 3, 0.5)
    return f"; did you mean {' or '.join(names)}?" if names else "; `etscope-fleet top` lists them"


def _trend_rows(engine, filter, by, operator):
    """A row for each day or build, in their order, and the traces of no known day among them."""
    condition = _group_filter(filter)
    what, parameters = RUN, filter.parameters
    if operator is not None:
        what, parameters = "operator = :operator", dict(parameters, operator=operator)
    rows = engine.sql(
        f"select {by}, sum(count) as count, count(distinct device) as devices,"
        f" min(min_ns) as min_ns, max(max_ns) as max_ns, {sum_of('sum_ns')} / sum(count) as mean_ns,"
        f" array_agg(sketch) as sketches from summaries where {what} and {condition}"
        f" group by {by}", **parameters).to_pylist()  # fmt: skip
    traces = traces_by(engine, by, filter, operator)
    for row in rows:
        row["traces"] = traces.get(row[by], 0)
        row["p50_ns"], row["p90_ns"] = merged_quantiles(row.pop("sketches"), QUANTILES)
    undated = sum(row["traces"] for row in rows if by == "day" and row[by] == UNKNOWN)
    order = build_order(engine) if by == "build" else str
    rows = sorted((row for row in rows if by != "day" or row[by] != UNKNOWN), key=lambda row: order(row[by]))
    return rows, undated


def trend(engine, where="", by="day", operator=None):
    """How long runs (or one operator) took, day by day or build by build."""
    rows, undated = _trend_rows(engine, Filter(where), by, operator)
    # An operator that stands at several instructions has several times in a run.
    columns = [(by, by, "cut"), ("traces", "traces", "number"), ("devices", "devices", "number"),
               ("count", "runs" if operator is None else "times", "number"),
               ("p50_ns", "p50", "time"), ("p90_ns", "p90", "time"),
               ("mean_ns", "mean", "time"), ("min_ns", "min", "time"), ("max_ns", "max", "time")]  # fmt: skip
    notes = undated_note(undated)
    if not rows:
        if undated:
            return Answer("no day is known: nothing to follow; `--by build` may", columns, [], notes)
        if operator is not None:
            return Answer(f"no operator {operator}{_alike(engine, operator)}", columns, [])
        return Answer("no runs: nothing to follow", columns, [])
    first, last = rows[0], rows[-1]
    name = "a run" if operator is None else operator
    sentence = f"p50 of {name}: {duration(first['p50_ns'])} in {by} {first[by]}"
    if len(rows) > 1:
        sentence += f", {duration(last['p50_ns'])} in {by} {last[by]}"
    if len({row["devices"] for row in rows}) > 1:
        notes.append("devices differ between rows: a change can be theirs; `regressions` compares within"
                     " devices")  # fmt: skip
    return Answer(sentence, columns, rows, notes)


def coverage(engine, where="", limit=None):
    """Which devices and builds are seen, how often, and when last."""
    filter = Filter(where)
    day = f"case when day <> '{UNKNOWN}' then day end"
    rows = engine.sql(
        f"select device, build, count(*) as traces, sum(runs) as runs, sum(lost_events) as lost_events,"
        f" min({day}) as first_day, max({day}) as last_day, count(*) - count({day}) as undated"
        f" from traces where {filter.condition} group by device, build", **filter.parameters).to_pylist()  # fmt: skip
    order = build_order(engine)
    rows.sort(key=lambda row: (natural(row["device"]), order(row["build"])))
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
    return Answer(sentence, columns, rows[:limit], undated_note(sum(row["undated"] for row in rows)), keys=2)

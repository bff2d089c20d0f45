"""Which device or build is off, in which operator.

The unit is a device: of each operator, the median over its traces of the log of each trace's time.
An operator is measured relative to its device (less the median over its other operators),
so that a slow device is off as a whole, in the row of the run, and not in every operator. A device
is then held against all others of the same program: its distance from their median in units of
their spread (1.4826 MAD) and its own uncertainty. The chance of such a distance is that of Student's
t with 0.3 (n - 1) degrees of freedom, a bit less than a MAD of n values is worth; Holm's method
corrects for all operators and devices. Builds likewise, less what their devices are off.
"""

import math

from etscope.fleet.regressions import ALPHA, holm
from etscope.fleet.show import Answer, change, counted
from etscope.fleet.filters import Filter, left_out

LEAST_TRACES = 3  # of a device, to be judged
LEAST_GROUPS = 10  # devices of a program: the spread of fewer is too uncertain
_MAD_WORTH = 0.3  # degrees of freedom for each device; the MAD's efficiency is 0.37

_LOCATIONS = """
select program, {group} as name, method, instruction, operator, kind, module,
       max(backend) as backend, max(source) as source, count(*) as traces,
       median(v) as location, array_agg(v) as logs
from ({values}) t group by program, {group}, method, instruction, operator, kind, module
order by program, method, instruction, operator, kind, module, name
"""
# Programs that are not known are told apart by their models.
_TIMES = """
select device, build, method, instruction, operator, kind, module, backend, source,
       case when program = '' then model else program end as program, ln(greatest(time_ns, 1.0)) as x
from measured join (select trace as id, model from traces) t on id = trace where trace in ({traces})
"""
_VALUES = "select *, x as v from (" + _TIMES + ") m"
_LESS_DEVICE = """
select *, x - median(x) over (partition by program, device, method, instruction, operator, kind, module)
       as v from (""" + _TIMES + ") m"
_KEY = ("program", "method", "instruction", "operator", "kind", "module")


def _spread(values, numpy):
    return 1.4826 * float(numpy.median(numpy.abs(values - numpy.median(values))))


def _relative(rows, numpy):
    """Takes from each operator of a device (or build) the median over its other operators."""
    centers, own = {}, {}
    for row in rows:
        centers.setdefault(tuple(row[name] for name in _KEY), []).append(row["location"])
    for row in rows:
        row["off"] = row["location"] - float(numpy.median(centers[tuple(row[name] for name in _KEY)]))
        if row["kind"] != "run":
            own.setdefault((row["program"], row["name"]), []).append(row)
    for each in own.values():
        offs = numpy.array([row["off"] for row in each])
        for i, row in enumerate(each):
            # Of the others: with its own the middle would be narrower than the tails.
            row["off"] -= float(numpy.median(numpy.delete(offs, i))) if len(each) > 1 else 0.0
    return rows


def _distances(rows, group, numpy):
    """Of one operator, each device's distance from the others: [(t, degrees, row)]."""
    offs = numpy.array([row["off"] for row in rows])
    spread, center = _spread(offs, numpy), float(numpy.median(offs))
    for row in rows:
        own = 1.2533 * _spread(numpy.asarray(row["logs"], float), numpy) / math.sqrt(row["traces"])
        scale = math.hypot(spread, own)
        row["ratio"] = math.exp(row["off"] - center)
        row["t"] = (row["off"] - center) / scale if scale > 0 else 0.0
        row["degrees"] = _MAD_WORTH * (len(rows) - 1)
        row["group"] = group
    return rows


def _judged(engine, group, filter, numpy):
    """Rows with t of all groups that can be judged, and how many cannot."""
    values = (_VALUES if group == "device" else _LESS_DEVICE).format(traces=filter.within())
    rows = engine.sql(_LOCATIONS.format(group=group, values=values), **filter.parameters).to_pylist()
    enough = [row for row in rows if row["traces"] >= LEAST_TRACES]
    names = {row["name"] for row in rows}
    operators = {}
    for row in _relative(enough, numpy):
        operators.setdefault(tuple(row[name] for name in _KEY), []).append(row)
    judged = [row for each in operators.values() if len(each) >= LEAST_GROUPS
              for row in _distances(each, group, numpy)]  # fmt: skip
    return judged, sorted(names - {row["name"] for row in judged})


def outliers(engine, where="", least_change=0.05, alpha=ALPHA, limit=20):
    import numpy
    from scipy.special import stdtr

    filter = Filter(where)
    rows, notes = [], []
    for group in ("device", "build"):
        judged, left = _judged(engine, group, filter, numpy)
        rows += judged
        if left:
            shown = ", ".join(left[:5]) + (", ..." if len(left) > 5 else "")
            notes.append(f"undecided: {counted(len(left), group)} ({shown}): a program"
                         f" needs {LEAST_GROUPS} {group}s with {LEAST_TRACES} traces each")  # fmt: skip
    for row in rows:
        row["p"] = float(2 * stdtr(row["degrees"], -abs(row["t"])))
    is_found = holm([row["p"] for row in rows], alpha)
    off = [row for row, found in zip(rows, is_found)
           if found and abs(math.log(row["ratio"])) >= math.log1p(least_change)]  # fmt: skip
    off.sort(key=lambda row: (row["p"], row["name"]))
    for row in off:
        row["label"] = row["operator"] or "(run)"
        row["instruction"] = None if row["instruction"] < 0 else row["instruction"]
        for name in ("logs", "location", "off"):
            row.pop(name)
    if rows:
        notes.append(f"{counted(len(rows), 'comparison')} of one value for each trace; Holm's correction: the chance of"
                     f" any false finding is at most {100 * alpha:g} % if devices vary normally; less"
                     f" than {100 * least_change:g} % is not listed")  # fmt: skip
    notes += left_out(engine, filter)
    columns = [("group", "what", "text"), ("name", "name", "cut"), ("label", "operator", "cut"),
               ("instruction", "at", "number"), ("backend", "backend", "cut"),
               ("module", "module", "cut"), ("ratio", "off by", "change"), ("p", "p", "p"),
               ("traces", "traces", "number")]  # fmt: skip
    return Answer(_sentence(off, rows), columns, off[:limit], notes, ("traces", "backend"))


def _sentence(off, rows):
    if not rows:
        return "undecided: too few devices and builds to tell which is off"
    if not off:
        names = len({(row["group"], row["name"]) for row in rows})
        return f"none of {names:,} devices and builds is off"
    names = list(dict.fromkeys(f"{row['group']} {row['name']}" for row in off))
    first = [row for row in off if (row["group"], row["name"]) == (off[0]["group"], off[0]["name"])]
    operators = [row for row in first if row["kind"] != "run"]
    told = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    worst = max(operators or first, key=lambda row: abs(math.log(row["ratio"])))
    backends = {row["backend"] for row in operators}
    alone = len(operators) > 1 and len(backends) == 1 and backends.pop()
    return (f"{told} {'is' if len(names) == 1 else 'are'} off; most {worst['name']} in"
            f" {worst['label']}: {change(worst['ratio'])}" + (f", all in {alone}" if alone else ""))  # fmt: skip

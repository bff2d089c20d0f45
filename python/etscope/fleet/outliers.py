"""Which device or build is off, in which operator.

The unit is a device: of each operator, the median over its traces of the log of each trace's time.
An operator is measured relative to its device (less the median over its other operators),
so that a slow device is off as a whole, in the row of the run, and not in every operator. A device
is then held against all others of the same program: its distance from their median in units of its
own uncertainty and their spread.

The own uncertainty is the spread of the operator's traces, pooled over devices, by the square root of
the device's number of traces. The spread of devices is what must be added, so that the distances in
these units have the MAD of a normal distribution; well-known devices weigh more. A scale is half a
percent at least, and the clock's quantum. The chance of a distance is that of Student's t with
0.3 (n - 1) degrees of freedom, a bit less than a MAD of n values is worth; n is the number of devices of
equal weight. Holm's method corrects for all operators and devices. Builds likewise, less what their
devices are off.

_locations (SQL) gives a row for each operator and device, judge decides, outliers makes words of it.
"""

import functools
import math

from etscope.fleet.regressions import ALPHA, holm
from etscope.fleet.show import Answer, change, counted, left_out_rows
from etscope.fleet.filters import Filter, left_out

LEAST_TRACES = 3  # of a device, to be judged
LEAST_GROUPS = 10  # devices of a program: the spread of fewer is too uncertain
LEAST_SCALE = 0.005  # of a log: where devices are more alike than that, half a percent is not off
_MAD_WORTH = 0.3  # degrees of freedom for each device; the MAD's efficiency is 0.37
_POOL_WORTH = 4  # differences of a device's own that the pooled spread counts as
_MEDIAN_COST = math.pi / 2  # variance of a median, in units of that of a mean

_LOCATIONS = """
select program, {group} as name, method, instruction, operator, kind, module,
       max(backend) as backend, max(source) as source, count(*) as traces,
       median(v) as location, array_agg(v) as logs, median(time_ns) as typical_ns
from ({values}) t group by program, {group}, method, instruction, operator, kind, module
order by program, method, instruction, operator, kind, module, name
"""
# Programs that are not known are told apart by their models.
_TIMES = """
select device, build, method, instruction, operator, kind, module, backend, source, time_ns,
       case when program = '' then model else program end as program, ln(greatest(time_ns, 1.0)) as x
from measured join (select trace as id, model from traces) t on id = trace where trace in ({traces})
"""
_VALUES = "select *, x as v from (" + _TIMES + ") m"
_LESS_DEVICE = """
select *, x - median(x) over (partition by program, device, method, instruction, operator, kind, module)
       as v from (""" + _TIMES + ") m"
_TICKS = """
select case when program = '' then model else program end as program, method, instruction, operator, kind, module,
       cast(max(time_ns_upper - time_ns_lower) as double) as wide,
       cast(max((time_ns_upper - time_ns_lower) / calls) as double) as tick
from operators join (select trace as id, model from traces) t on id = trace
where trace in ({traces}) group by 1, method, instruction, operator, kind, module
"""
_KEY = ("program", "method", "instruction", "operator", "kind", "module")


def _key(row):
    return tuple(row[name] for name in _KEY)


def _normal_spread(distances, numpy):
    """The standard deviation of a normal distribution whose distances have this median."""
    return 1.4826 * float(numpy.median(distances))


def _weighted_median(values, weights, numpy):
    order = numpy.argsort(values, kind="stable")
    reached = numpy.cumsum(weights[order])
    return float(values[order][numpy.searchsorted(reached, reached[-1] / 2)])


def _differences(logs, numpy):
    """Between traces of one device, in an order that has nothing to do with their times.

    Unlike distances from a median, those of 3 traces are as long as those of 30.
    """
    return numpy.abs(numpy.diff(numpy.sort(numpy.asarray(logs, float))[_shuffled(len(logs))])) / math.sqrt(2)


@functools.lru_cache(256)
def _shuffled(count):
    import numpy

    return numpy.random.default_rng(count).permutation(count)


def _uncertain(rows, numpy):
    """Sets "own", the variance of each location: of one operator, all devices."""
    differences = [_differences(row["logs"], numpy) for row in rows]
    pooled = _normal_spread(numpy.concatenate(differences), numpy) ** 2
    for row, each in zip(rows, differences):
        own = _normal_spread(each, numpy) ** 2
        variance = (_POOL_WORTH * pooled + len(each) * own) / (_POOL_WORTH + len(each))
        row["own"] = _MEDIAN_COST * variance / row["traces"]


def _relative(rows, numpy):
    """Takes from each operator of a device (or build) the median over its other operators."""
    operators, own = {}, {}
    for row in rows:
        operators.setdefault(_key(row), []).append(row)
    for each in operators.values():
        center, typical = (float(numpy.median([row[name] for row in each])) for name in ("location", "typical_ns"))
        _uncertain(each, numpy)
        for row in each:
            row["off"], row["least_ns"] = row["location"] - center, max(1.0, min(row["typical_ns"], typical))
            if row["kind"] != "run":
                own.setdefault((row["program"], row["name"]), []).append(row)
    for each in own.values():
        if len(each) < 2:
            continue
        offs, variances = (numpy.array([row[name] for row in each]) for name in ("off", "own"))
        middle = _MEDIAN_COST * float(numpy.median(variances)) / (len(each) - 1)
        for i, row in enumerate(each):
            # Of the others: with its own the middle would be narrower than the tails.
            row["off"] -= float(numpy.median(numpy.delete(offs, i)))
            row["own"] += middle
    return operators


def _standardized(offs, own, spread, numpy):
    """Distances from the weighted median in units of own uncertainty and spread, and the weights."""
    weights = 1 / (spread + own)
    return (offs - _weighted_median(offs, weights, numpy)) * numpy.sqrt(weights), weights


def _spread_of_devices(offs, own, numpy):
    """The variance that makes the standardized distances those of a normal distribution; 0: none is needed."""

    def is_too_wide(spread):
        distances, weights = _standardized(offs, own, spread, numpy)
        return 1.4826 * _weighted_median(numpy.abs(distances), weights, numpy) > 1

    if not is_too_wide(0.0):
        return 0.0
    lower, upper = 0.0, (8 * float(numpy.ptp(offs))) ** 2
    for _ in range(30):
        middle = (lower + upper) / 2
        lower, upper = (middle, upper) if is_too_wide(middle) else (lower, middle)
    return upper


def _distances(rows, group, numpy):
    """Of one operator, each device's distance from the others: "ratio", "scale", "degrees"."""
    offs = numpy.array([row["off"] for row in rows])
    # Where all traces are equal, nothing is known of their spread: far below any scale that counts.
    own = numpy.maximum(numpy.array([row["own"] for row in rows]), (LEAST_SCALE / 1000) ** 2)
    spread = _spread_of_devices(offs, own, numpy)
    distances, weights = _standardized(offs, own, spread, numpy)
    # What traces of a device have in common makes medians differ less than their spread says.
    shrunken = min(1.0, 1.4826 * _weighted_median(numpy.abs(distances), weights, numpy)) if spread == 0 else 1.0
    equal = float(weights.sum() ** 2 / (weights**2).sum())
    center = _weighted_median(offs, weights, numpy)
    for row, weight in zip(rows, weights):
        row["away"], row["scale"] = float(row["off"] - center), shrunken / math.sqrt(weight)
        row["ratio"], row["group"] = math.exp(row["away"]), group
        row["degrees"] = max(_MAD_WORTH * (equal - 1), 0.1)
    return rows


def judged_rows(rows, group):
    """The rows that can be judged, with their distance: of enough devices, with enough traces each."""
    import numpy

    enough = [row for row in rows if row["traces"] >= LEAST_TRACES]
    return [row for each in _relative(enough, numpy).values() if len(each) >= LEAST_GROUPS
            for row in _distances(each, group, numpy)]  # fmt: skip


def _set_p(row, quantum=0.0):
    from scipy.special import stdtr

    # Of a uniform distribution: two devices that are alike can be a quantum apart.
    coarse = quantum / math.sqrt(12) / row["least_ns"]
    row["t"] = row["away"] / math.hypot(row["scale"], max(LEAST_SCALE, coarse))
    row["p"] = float(2 * stdtr(row["degrees"], -abs(row["t"])))


def judge(rows, quantum_of=lambda row: 0.0, least_change=0.05, alpha=ALPHA):
    """The rows that are off. `quantum_of(row)` is asked only for these: in ns, it makes p larger."""
    found = rows
    for quantum in (lambda row: 0.0, quantum_of):
        for row in found:
            _set_p(row, quantum(row))
        found = [row for row, is_found in zip(rows, holm([row["p"] for row in rows], alpha)) if is_found]
    return [row for row in found if abs(row["away"]) >= math.log1p(least_change)]


def _locations(engine, group, filter):
    values = (_VALUES if group == "device" else _LESS_DEVICE).format(traces=filter.within())
    return engine.sql(_LOCATIONS.format(group=group, values=values), **filter.parameters).to_pylist()


def _quanta(engine, filter):
    """A function of the clock's quantum in a row's time. The table operators is read if it is called."""
    wide, ticks = {}, {}

    def read():
        for row in engine.sql(_TICKS.format(traces=filter.within()), **filter.parameters).to_pylist():
            wide[_key(row)] = row["wide"]
            if row["kind"] != "delegate_event":
                ticks[row["program"]] = max(ticks.get(row["program"], 0.0), row["tick"])

    def quantum_of(row):
        if not wide:
            read()
        return ticks.get(row["program"], 0.0) if row["kind"] == "run" else wide.get(_key(row), 0.0)

    return quantum_of


def outliers(engine, where="", least_change=0.05, alpha=ALPHA, limit=20):
    filter = Filter(where)
    rows, notes = [], []
    for group in ("device", "build"):
        located = _locations(engine, group, filter)
        judged = judged_rows(located, group)
        rows += judged
        left = sorted({row["name"] for row in located} - {row["name"] for row in judged})
        if left:
            shown = ", ".join(left[:5]) + (", ..." if len(left) > 5 else "")
            notes.append(f"undecided: {counted(len(left), group)} ({shown}): a program"
                         f" needs {LEAST_GROUPS} {group}s with {LEAST_TRACES} traces each")  # fmt: skip
    off = judge(rows, _quanta(engine, filter), least_change, alpha)
    off.sort(key=lambda row: (row["p"], row["name"]))
    if rows:
        notes.append(f"{counted(len(rows), 'comparison')} of one value for each trace; Holm's correction: the chance of"
                     f" any false finding is at most {100 * alpha:g} % if devices vary normally; less"
                     f" than {100 * least_change:g} % is not listed")  # fmt: skip
    notes += left_out_rows(len(off[:limit]), len(off)) + left_out(engine, filter)
    return Answer(_sentence(off, rows), COLUMNS, [_row(each) for each in off[:limit]], notes, ("traces", "backend"))


COLUMNS = [("group", "what", "text"), ("name", "name", "cut"), ("label", "operator", "cut"),
           ("instruction", "at", "number"), ("backend", "backend", "cut"), ("module", "module", "cut"),
           ("ratio", "off by", "change"), ("p", "p", "p"), ("traces", "traces", "number")]  # fmt: skip
_SHOWN = (*_KEY, "name", "backend", "source", "traces", "ratio", "t", "degrees", "group", "p")


def _label(row):
    return row["operator"] or "(run)"


def _row(found):
    return dict({name: found[name] for name in _SHOWN}, label=_label(found),
                instruction=None if found["instruction"] < 0 else found["instruction"])  # fmt: skip


def _sentence(off, rows):
    if not rows:
        return "undecided: too few devices and builds to tell which is off"
    if not off:
        names = len({(row["group"], row["name"]) for row in rows})
        return f"none of {names:,} devices and builds is off"
    names = list(dict.fromkeys(f"{row['group']} {row['name']}" for row in off))
    first = [row for row in off if (row["group"], row["name"]) == (off[0]["group"], off[0]["name"])]
    operators, runs = ([row for row in first if (row["kind"] == "run") == is_run] for is_run in (False, True))
    told = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    worst = max(operators or runs, key=lambda row: abs(math.log(row["ratio"])))
    most = f"most {worst['name']} in"
    if operators and runs:  # operators are relative to each other: how long the device takes is another question
        most = f"{worst['name']} in (run): {change(runs[0]['ratio'])}; its operator that is off most is"
    backends = {row["backend"] for row in operators}
    alone = len(operators) > 1 and len(backends) == 1 and backends.pop()
    return (f"{told} {'is' if len(names) == 1 else 'are'} off; {most}"
            f" {_label(worst)}: {change(worst['ratio'])}" + (f", all in {alone}" if alone else ""))  # fmt: skip

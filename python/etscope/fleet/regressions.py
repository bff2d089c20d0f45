"""Which operators became slower or faster from one set of traces to another.

Each trace gives one value for each operator, the median of its runs. Within each device the values
of NEW are ranked among those of BASE (Mann-Whitney, ranks.py); the rank sums of all devices add up to
the operator's. Half of ALPHA goes to these sums, half to single devices, so that what only one device
has is found, too. Holm's method corrects both halves: whatever depends on what, the chance of any
false finding is at most ALPHA.

The change is the median of the ratios of all pairs NEW / BASE of one device (Hodges-Lehmann), its
95 % interval the pairs at the ranks where the same test turns (not corrected for many operators).

compared_rows (SQL) gives values, judge decides, _row makes rows of that, _sentence and _notes words.
"""

import math
from statistics import NormalDist, median

from etscope._errors import Error
from etscope.fleet.filters import Filter, left_out, sum_of
from etscope.fleet.ranks import Ranks, Shift
from etscope.fleet.show import Answer, change, change_range, counted, left_out_rows

ALPHA = 0.05
MOST_VALUES = 64  # of a device and side, for the change: more are thinned to as many quantiles

_SIDES = """
with sides as (
  select trace, program, model, device, 0 as side from traces
  where kind = 'trace' and ({base})
  union all select trace, program, model, device, 1 from traces where kind = 'trace' and ({new}))
"""
_COMPARED = _SIDES + """
, compared as (
  select {unit} as unit, m.method, {instruction} as instruction, m.operator, m.kind, m.module,
         m.device, m.trace, s.side, max(m.backend) as backend, max(m.source) as source,
         {sum} as v
  from measured m join sides s on s.trace = m.trace
  group by {unit}, m.method, {instruction_key}m.operator, m.kind, m.module, m.device, m.trace, s.side)
select unit, method, instruction, operator, kind, module, device, max(backend) as backend,
       max(source) as source, cast(sum(1 - side) as bigint) as base, cast(sum(side) as bigint) as new,
       array_agg(v) filter (where side = 0) as base_values,
       array_agg(v) filter (where side = 1) as new_values
from compared
group by unit, method, instruction, operator, kind, module, device
order by unit, method, instruction, operator, kind, module, device
"""
KEY = ("unit", "method", "instruction", "operator", "kind", "module")
VERDICTS = ("slower", "faster", "undecided", "same")


def holm(ps, alpha):
    """For each p whether it is significant at `alpha` after Holm's correction."""
    found = [False] * len(ps)
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        if ps[i] > alpha / (len(ps) - rank):
            break
        found[i] = True
    return found


def _thinned(values, numpy):
    logs = numpy.sort(numpy.log(numpy.maximum(numpy.asarray(values, float), 1.0)))
    if len(logs) <= MOST_VALUES:
        return logs
    return numpy.quantile(logs, (numpy.arange(MOST_VALUES) + 0.5) / MOST_VALUES)


def _interval_share(rows):
    """Of the pairs, which share lies below the 95 % interval of the change; <= 0: it is open.

    Of values that do not tie: ties are the clock's, and make nothing better known.
    """
    variance = sum(row["base"] * row["new"] * (row["base"] + row["new"] + 1) / 12 for row in rows)
    pairs = sum(row["base"] * row["new"] for row in rows)
    return 0.5 - (NormalDist().inv_cdf(0.975) * math.sqrt(variance) + 0.5) / pairs


def ratio_interval(rows):
    """(lower, change, upper) of the pairs' ratios of devices with both sides; an open end is None."""
    import numpy

    pairs, weights = [], []
    for row in rows:
        base, new = (_thinned(row[side], numpy) for side in ("base_values", "new_values"))
        pairs.append(numpy.subtract.outer(new, base).ravel())
        weights.append(numpy.full(pairs[-1].size, row["base"] * row["new"] / pairs[-1].size))
    pairs, weights = numpy.concatenate(pairs), numpy.concatenate(weights)
    order = numpy.argsort(pairs)
    shares = (numpy.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    share = _interval_share(rows)
    at = lambda s: float(numpy.exp(numpy.interp(s, shares, pairs[order])))  # noqa: E731
    return at(share) if share > 0 else None, at(0.5), at(1 - share) if share > 0 else None


def _sides(base, new):
    texts = {"base": base.condition, "new": new.condition}
    return texts, {**base.parameters, **new.parameters}


def _sides_found(engine, base, new):
    """How many programs are on both sides, and traces on each. Raises Error: a side has none."""
    texts, parameters = _sides(base, new)
    found = engine.sql(_SIDES.format(**texts) + """
        select count(distinct trace) as traces, count(*) as rows,
               count(distinct case when side = 0 then trace end) as base,
               count(distinct case when side = 1 then trace end) as new,
               (select count(*) from (select program from sides where program <> ''
                  group by program having count(distinct side) = 2) p) as programs
        from sides""", **parameters).to_pylist()[0]  # fmt: skip
    if found["rows"] != found["traces"]:
        raise Error(f'BASE "{base.text}" and NEW "{new.text}" share'
                    f" {found['rows'] - found['traces']:,} traces", status="INVALID_ARGUMENT")  # fmt: skip
    for side, filter in (("base", base), ("new", new)):
        if not found[side]:
            only = f" but {note}" if (note := "".join(left_out(engine, filter))) else ""
            raise Error(f'{side.upper()} "{filter.text}" selects no trace{only}; `etscope-fleet coverage`'
                        " lists devices and builds", status="NOT_FOUND")  # fmt: skip
    return found


def compared_rows(engine, base, new, by):
    """A row for each operator and device, with the values of both sides."""
    texts, parameters = _sides(base, new)
    if by == "instruction":
        program = "case when m.program = '' then s.model else m.program end"
        parts = {"unit": program, "instruction": "m.instruction", "instruction_key": "m.instruction, "}
    else:
        parts = {"unit": "s.model", "instruction": "-1", "instruction_key": ""}
    return engine.sql(_COMPARED.format(**texts, **parts, sum=sum_of("m.time_ns")), **parameters).to_pylist()


class Finding:
    """A verdict on an operator, and what it was judged by.

    rows      those of the devices that were judged; p and the change are of these
    devices   that show the change alone
    compared  number of devices with both sides, judged here or not
    """

    def __init__(self, name, verdict, rows, p, ends, devices, compared, too_few=False):
        self.name, self.verdict, self.rows, self.p, self.ends = name, verdict, rows, p, ends
        self.devices, self.compared, self.too_few = devices, compared, too_few


class _Operator:
    """Of one operator the devices that have both sides, and the tests of their ranks."""

    def __init__(self, name, rows):
        self.name, self.rows = name, [row for row in rows if row["base"] and row["new"]]
        self.alone = [Shift([Ranks(row["base_values"], row["new_values"])]) for row in self.rows]
        self.shift = Shift([rank for each in self.alone for rank in each.ranks])
        self.is_found = False  # by the sum over the devices
        self.found_alone = [False] * len(self.rows)

    def only(self, is_up):
        """Places of the devices that were found alone, and went this way."""
        return [i for i, found in enumerate(self.found_alone) if found and self.alone[i].is_up == is_up]

    def without(self, places):
        """The rows of the other devices, the places of these, and their sum."""
        left = [i for i in range(len(self.rows)) if i not in places]
        return [self.rows[i] for i in left], left, Shift([rank for i in left for rank in self.alone[i].ranks])


def judge(groups, least_change=0.01, alpha=ALPHA):
    """The findings on {operator: its rows by device}: one or, if devices went both ways, two for each."""
    operators = [_Operator(name, rows) for name, rows in groups.items()]
    operators = [each for each in operators if each.rows]
    for each, found in zip(operators, holm([each.shift.p() for each in operators], alpha / 2)):
        each.is_found = found
    pairs = [(each, i) for each in operators for i in range(len(each.rows))]
    for (each, i), found in zip(pairs, holm([each.alone[i].p() for each, i in pairs], alpha / 2)):
        each.found_alone[i] = found
    least_needed = alpha / 2 / max(len(operators), 1)
    return [finding for each in operators for finding in _findings(each, least_change, least_needed, alpha)]


def _findings(operator, least_change, least_needed, alpha):
    changed = [found for is_up in (True, False)
               if (found := _changed(operator, is_up, least_change, alpha)) is not None]  # fmt: skip
    if changed:
        return changed
    ends = ratio_interval(operator.rows)
    lower, _, upper = ends
    is_same = lower is not None and math.log(lower) >= -math.log1p(least_change) and \
        math.log(upper) <= math.log1p(least_change)  # fmt: skip
    verdict = "same" if is_same else "undecided"
    too_few = not is_same and operator.shift.least_p() > least_needed
    return [Finding(operator.name, verdict, operator.rows, operator.shift.p(), ends, [], len(operator.rows), too_few)]


def _changed(operator, is_up, least_change, alpha):
    """The finding that an operator became slower (is_up) or faster, or None.

    By all devices, less those that were found to have gone the other way; else by those that were
    found alone.
    """
    away = lambda ends: (math.log(ends[1]) if is_up else -math.log(ends[1])) >= math.log1p(least_change)  # noqa: E731
    verdict = "slower" if is_up else "faster"
    if operator.is_found and operator.shift.is_up == is_up:
        rows, places, shift = operator.without(operator.only(not is_up))
        if rows and away(ends := ratio_interval(rows)):
            carriers = _carriers(operator, places, is_up, alpha)
            return Finding(operator.name, verdict, rows, shift.p(), ends, carriers, len(operator.rows))
    places = operator.only(is_up)
    rows = [operator.rows[i] for i in places]
    if not rows or not away(ends := ratio_interval(rows)):
        return None
    # Each was found at its own p: all of them hold at the largest.
    return Finding(operator.name, verdict, rows, max(operator.alone[i].p() for i in places), ends,
                   [row["device"] for row in rows], len(operator.rows))  # fmt: skip


def _carriers(operator, places, is_up, alpha):
    """The devices that show the change alone, by Holm's method among the operator's."""
    shown = holm([operator.alone[i].p() for i in places], alpha)
    return [operator.rows[i]["device"] for i, found in zip(places, shown)
            if (found or operator.found_alone[i]) and operator.alone[i].is_up == is_up]  # fmt: skip


def _row(finding):
    key = dict(zip(KEY, finding.name))
    devices, weights = finding.devices, [row["base"] + row["new"] for row in finding.rows]
    changes = [median(row["new_values"]) - median(row["base_values"]) for row in finding.rows]
    carried_by = f"{len(devices)} of {finding.compared}: {', '.join(map(_named, devices))}" if devices else ""
    return dict(
        key, instruction=None if key["instruction"] < 0 else key["instruction"],
        backend=finding.rows[0]["backend"], source=finding.rows[0]["source"],
        name=key["operator"] or "(run)", verdict=finding.verdict, change=finding.ends[1],
        change_95=[finding.ends[0], finding.ends[2]], p=finding.p,
        change_ns=sum(each * weight for each, weight in zip(changes, weights)) / sum(weights),
        base=sum(row["base"] for row in finding.rows), new=sum(row["new"] for row in finding.rows),
        devices=devices, judged_devices=len(finding.rows), device_count=finding.compared, carried_by=carried_by,
        too_few_traces=finding.too_few)  # fmt: skip


def _named(device):
    return device or "of no name"


def regressions(engine, base, new, least_change=0.01, alpha=ALPHA, by=None, limit=20):
    base, new = Filter(base, "b"), Filter(new, "n")
    sides = _sides_found(engine, base, new)
    chosen = by or ("instruction" if sides["programs"] else "name")
    groups = {}
    for row in compared_rows(engine, base, new, chosen):
        groups.setdefault(tuple(row[name] for name in KEY), []).append(row)
    rows = [_row(finding) for finding in judge(groups, least_change, alpha)]
    rows.sort(key=lambda row: (VERDICTS.index(row["verdict"]), row["kind"] != "run", row["p"],
                               -abs(math.log(row["change"] or 1))))  # fmt: skip
    one_sided = [name for name, each in groups.items() if not any(row["base"] and row["new"] for row in each)]
    count = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in VERDICTS}
    notes = [*_method_notes(sides, least_change, alpha), *_matching_notes(chosen, sides["programs"], one_sided),
             *_row_notes(rows)]  # fmt: skip
    shown = max(limit, count["slower"] + count["faster"]) if limit is not None else None
    notes += left_out_rows(len(rows[:shown]), len(rows)) + left_out(engine, base, new)
    return Answer(_sentence(rows, base, new), COLUMNS, rows[:shown], notes, ("base", "new", "p", "module"))


COLUMNS = [("verdict", "verdict", "text"), ("name", "operator", "cut"), ("instruction", "at", "number"),
           ("module", "module", "cut"), ("change", "change", "change"), ("change_95", "interval", "range"),
           ("p", "p", "p"), ("base", "base", "number"), ("new", "new", "number"),
           ("carried_by", "devices", "list")]  # fmt: skip


def _sentence(rows, base, new):
    """Whether runs became slower and by how much, the operator that makes most of it, and how many changed."""
    sides = f"{new.text} against {base.text}"
    if not rows:
        return f"{sides}: no device has an operator on both sides"
    runs = [row for row in rows if row["kind"] == "run"]
    operators = [row for row in rows if row["kind"] != "run"]
    told = [*_runs_told(runs, operators), _counts_told("operators", operators)]
    return f"{sides}: " + "; ".join(filter(None, told))


def _counts_told(what, rows):
    count = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in VERDICTS}
    return f"{what}: " + ", ".join(f"{number} {verdict}" for verdict, number in count.items()) if rows else ""


def _runs_told(runs, operators):
    """Of the method that changed most, in nanoseconds; of the others how many became slower."""
    if not runs:
        return []
    changed = [row for row in runs if row["verdict"] in ("slower", "faster")]
    first = max(changed or runs, key=lambda row: abs(row["change_ns"]))
    own = [row for row in runs if _method_of(row) == _method_of(first)]
    others = [row for row in runs if _method_of(row) != _method_of(first)]
    what = f"runs of {first['method']}" if others and first["method"] else "runs"
    told = [_run_told(what, row) + _cause(row, operators) for row in own]
    return [*told, _counts_told("other methods or programs", others)]


def _method_of(row):
    return row["unit"], row["method"]


def _run_told(what, row):
    interval = change_range(row["change_95"])
    if row["verdict"] == "undecided":
        return f"whether {what} became slower is undecided ({interval})"
    if row["verdict"] == "same":
        return f"{what} take as long as before ({interval})"
    return f"{what} are {row['verdict']}: {change(row['change'])} ({interval}) {_where(row)}"


def _where(row):
    devices = row["devices"]
    names = f" ({', '.join(map(_named, devices))})" if 0 < len(devices) <= 3 else ""
    if len(devices) == row["judged_devices"]:
        return f"on {len(devices)} of {counted(row['device_count'], 'device')}{names}"
    alone = f", on {len(devices)} alone{names}" if devices else ""
    return f"over {counted(row['judged_devices'], 'device')} together{alone}"


def _cause(run, operators):
    """The operator that makes the largest part of how runs changed, if it changed in the same direction."""
    if run["verdict"] not in ("slower", "faster"):
        return ""
    same_way = [row for row in operators if _method_of(row) == _method_of(run) and row["verdict"] == run["verdict"]]
    # Events of a delegate are inside its call, and name what the call cannot: if they make most of it.
    calls = [row for row in same_way if row["kind"] != "delegate_event"] or same_way
    if not calls:
        return ", and no operator alone shows it"
    cause = max(calls, key=lambda row: abs(row["change_ns"]))
    least = abs(cause["change_ns"]) / 2
    inside = [row for row in same_way if row["kind"] == "delegate_event" and cause["kind"] == "delegate_call"
              and row["instruction"] == cause["instruction"] and abs(row["change_ns"]) > least]  # fmt: skip
    cause = max(inside, key=lambda row: abs(row["change_ns"]), default=cause)
    part = cause["change_ns"] / run["change_ns"] if run["change_ns"] else 0
    of_it = "most of it" if part > 0.5 else "the largest part of it"
    where = "" if _where(cause) == _where(run) else f" {_where(cause)}"
    return f", {of_it} in {cause['name']}: {change(cause['change'])}{where}"


def _method_notes(sides, least_change, alpha):
    return [f"{sides['base']:,} and {sides['new']:,} traces; one value for each trace, ranked within"
            f" devices; Holm's correction, the chance of any false finding is at most"
            f" {100 * alpha:g} %; intervals are of 95 % each",
            f"same: the interval lies within {100 * least_change:g} %; undecided: it does not, and no"
            " shift is shown"]  # fmt: skip


def _matching_notes(chosen, programs, one_sided):
    notes = []
    if chosen == "name":
        why = "" if programs else "no program is on both sides: "
        notes.append(f"{why}operators are matched by model, name and module")
    if one_sided:
        names = list(dict.fromkeys(name[3] or "(run)" for name in one_sided))
        notes.append(f"{counted(len(one_sided), 'operator')} {'is' if len(one_sided) == 1 else 'are'} on one"
                     f" side only, or on no device of both sides: {', '.join(names[:3])}"
                     + (", ..." if len(names) > 3 else ""))  # fmt: skip
    return notes


def _row_notes(rows):
    notes = []
    if too_few := sum(row["too_few_traces"] for row in rows):
        notes.append(f"{too_few} undecided: too few traces for any shift to show; collect more")
    ways = {}
    for row in rows:
        if row["verdict"] in ("slower", "faster"):
            ways.setdefault(tuple(row[name] for name in KEY), []).append(row["name"])
    both = [names[0] for names in ways.values() if len(names) > 1]
    if both:
        notes.append(f"slower on some devices and faster on others, with a row for each: {', '.join(both[:3])}"
                     + (", ..." if len(both) > 3 else ""))  # fmt: skip
    return notes

"""Which operators became slower or faster from one set of traces to another.

Each trace gives one value for each operator, the median of its runs. Within each device the values
of NEW are ranked among those of BASE (Mann-Whitney, normal approximation with correction for ties
and continuity); the statistics of all devices add up to the operator's. Half of ALPHA goes to these
sums, half to single devices, so that what only one device has is found, too. Holm's method corrects
both halves: whatever depends on what, the chance of any false finding is at most ALPHA.

The change is the median of the ratios of all pairs NEW / BASE of one device (Hodges-Lehmann), its
95 % interval the pairs at the ranks where the same test turns (not corrected for many operators).
"""

import math
from statistics import NormalDist

from etscope._errors import Error
from etscope.fleet.show import Answer, change, counted
from etscope.fleet.filters import Filter, left_out

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
         sum(m.time_ns) as v
  from measured m join sides s on s.trace = m.trace
  group by {unit}, m.method, {instruction_key}m.operator, m.kind, m.module, m.device, m.trace, s.side),
ranked as (
  select *, rank() over (partition by unit, method, instruction, operator, kind, module, device
                         order by v) as place,
         count(*) over (partition by unit, method, instruction, operator, kind, module, device, v)
           as equal
  from compared)
select unit, method, instruction, operator, kind, module, device, max(backend) as backend,
       max(source) as source, cast(sum(1 - side) as bigint) as base, cast(sum(side) as bigint) as new,
       cast(sum(side * (place + (equal - 1) / 2.0)) as double) as places,
       cast(sum(equal * equal - 1) as double) as ties,
       array_agg(v) filter (where side = 0) as base_values,
       array_agg(v) filter (where side = 1) as new_values
from ranked
group by unit, method, instruction, operator, kind, module, device
order by unit, method, instruction, operator, kind, module, device
"""


def holm(ps, alpha):
    """For each p whether it is significant at `alpha` after Holm's correction."""
    found = [False] * len(ps)
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        if ps[i] > alpha / (len(ps) - rank):
            break
        found[i] = True
    return found


class Shift:
    """Mann-Whitney's U summed over devices, against its mean and variance."""

    def __init__(self, rows):
        self.above = self.pairs = self.variance = 0.0
        for row in rows:
            base, new = row["base"], row["new"]
            if not base or not new:
                continue
            count = base + new
            self.above += row["places"] - new * (new + 1) / 2
            self.pairs += base * new
            self.variance += base * new / 12 * (count + 1 - row["ties"] / (count * (count - 1)))

    def p(self, above=None):
        away = abs((self.above if above is None else above) - self.pairs / 2) - 0.5
        if self.variance <= 0 or away <= 0:
            return 1.0
        return math.erfc(away / math.sqrt(2 * self.variance))

    def least_p(self):
        """Of complete separation: what these numbers of traces can show at most."""
        return self.p(above=0.0)

    def interval_share(self):
        """Of the pairs, which share lies below the 95 % interval of the change; <= 0: it is open."""
        if not self.pairs:
            return -1.0
        away = NormalDist().inv_cdf(0.975) * math.sqrt(self.variance) + 0.5
        return 0.5 - away / self.pairs


def _thinned(values, numpy):
    logs = numpy.sort(numpy.log(numpy.maximum(numpy.asarray(values, float), 1.0)))
    if len(logs) <= MOST_VALUES:
        return logs
    return numpy.quantile(logs, (numpy.arange(MOST_VALUES) + 0.5) / MOST_VALUES)


def ratio_interval(rows):
    """(lower, change, upper) of the pairs' ratios; an open end is None."""
    import numpy

    pairs, weights = [], []
    for row in rows:
        if row["base"] and row["new"]:
            base, new = (_thinned(row[side], numpy) for side in ("base_values", "new_values"))
            pairs.append(numpy.subtract.outer(new, base).ravel())
            weights.append(numpy.full(pairs[-1].size, row["base"] * row["new"] / pairs[-1].size))
    if not pairs:
        return None, None, None
    pairs, weights = numpy.concatenate(pairs), numpy.concatenate(weights)
    order = numpy.argsort(pairs)
    shares = (numpy.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    share = Shift(rows).interval_share()
    at = lambda s: float(numpy.exp(numpy.interp(s, shares, pairs[order])))  # noqa: E731
    return at(share) if share > 0 else None, at(0.5), at(1 - share) if share > 0 else None


def _sides(base, new):
    texts = {"base": base.condition, "new": new.condition}
    return texts, {**base.parameters, **new.parameters}


def _matching(engine, base, new):
    """How operators are matched, after a look at the programs of both sides."""
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
    return "instruction" if found["programs"] else "name", found


def compared_rows(engine, base, new, by):
    """A row for each operator and device: U's parts and the values themselves."""
    texts, parameters = _sides(base, new)
    if by == "instruction":
        program = "case when m.program = '' then s.model else m.program end"
        parts = {"unit": program, "instruction": "m.instruction", "instruction_key": "m.instruction, "}
    else:
        parts = {"unit": "s.model", "instruction": "-1", "instruction_key": ""}
    return engine.sql(_COMPARED.format(**texts, **parts), **parameters).to_pylist()


def _judge(row, rows, is_found, found_devices, least_change):
    """The verdict on one operator, the change and who carries it."""
    lower, middle, upper = ratio_interval(rows)
    away = lambda ratio: ratio is not None and abs(math.log(ratio)) >= math.log1p(least_change)  # noqa: E731
    if found_devices and not (is_found and away(middle)):
        only = [each for each in rows if each["device"] in found_devices]
        ends = ratio_interval(only)
        if away(ends[1]):
            return "slower" if ends[1] > 1 else "faster", ends, [each["device"] for each in only]
    if is_found and away(middle):
        carriers = []
        for each in rows:
            own = Shift([each])
            if own.pairs and own.p() <= 0.05 and (own.above > own.pairs / 2) == (middle > 1):
                carriers.append(each["device"])
        return "slower" if middle > 1 else "faster", (lower, middle, upper), carriers
    within = lower is not None and -math.log1p(least_change) <= math.log(lower) and \
        math.log(upper) <= math.log1p(least_change)  # fmt: skip
    return "same" if within else "undecided", (lower, middle, upper), []


def regressions(engine, base, new, least_change=0.01, alpha=ALPHA, by=None, limit=20):
    base, new = Filter(base, "b"), Filter(new, "n")
    chosen, sides = _matching(engine, base, new)
    by = by or chosen
    groups = {}
    key = ("unit", "method", "instruction", "operator", "kind", "module")
    for row in compared_rows(engine, base, new, by):
        groups.setdefault(tuple(row[name] for name in key), []).append(row)
    both = {name: rows for name, rows in groups.items() if Shift(rows).pairs}
    shifts = [Shift(rows) for rows in both.values()]
    found = holm([shift.p() for shift in shifts], alpha / 2)
    pairs = [(name, row) for name, rows in both.items() for row in rows if row["base"] and row["new"]]
    found_pairs = holm([Shift([row]).p() for _, row in pairs], alpha / 2)
    on_devices = {}
    for (name, row), is_found in zip(pairs, found_pairs):
        if is_found:
            on_devices.setdefault(name, []).append(row["device"])
    answers, too_few = [], 0
    for (name, rows), shift, is_found in zip(both.items(), shifts, found):
        verdict, ends, carriers = _judge(name, rows, is_found, on_devices.get(name, []), least_change)
        is_too_few = verdict == "undecided" and shift.least_p() > alpha / 2 / len(both)
        too_few += is_too_few
        compared = [row for row in rows if row["base"] and row["new"]]
        answers.append(dict(
            dict(zip(key, name)), instruction=None if name[2] < 0 else name[2],
            backend=rows[0]["backend"], source=rows[0]["source"],
            name=name[3] or "(run)", verdict=verdict, change=ends[1], change_95=[ends[0], ends[2]],
            p=shift.p(), base=sum(row["base"] for row in compared),
            new=sum(row["new"] for row in compared), devices=carriers, device_count=len(compared),
            carried_by=f"{len(carriers)} of {len(compared)}: {', '.join(map(_named, carriers))}" if carriers else "",
            too_few_traces=is_too_few))  # fmt: skip
    order = {"slower": 0, "faster": 1, "undecided": 2, "same": 3}
    answers.sort(key=lambda row: (order[row["verdict"]], row["p"], -abs(math.log(row["change"] or 1))))
    answer = _answer(answers, sides, base, new, by, least_change, alpha, limit,
                     [name for name in groups if name not in both], too_few)  # fmt: skip
    answer.notes.extend(left_out(engine, base, new))
    return answer


def _carriers(row):
    names = f" ({', '.join(map(_named, row['devices']))})" if 0 < len(row["devices"]) <= 3 else ""
    return f"{len(row['devices'])} of {counted(row['device_count'], 'device')}{names}"


def _named(device):
    return device or "of no name"


def _answer(rows, sides, base, new, by, least_change, alpha, limit, one_sided, too_few):
    count = {verdict: sum(row["verdict"] == verdict for row in rows)
             for verdict in ("slower", "faster", "undecided", "same")}  # fmt: skip
    operators = [row for row in rows if row["verdict"] == "slower" and row["kind"] != "run"] or \
        [row for row in rows if row["verdict"] == "slower"]  # fmt: skip
    told = ", ".join(f"{number} {verdict}" for verdict, number in count.items())
    sentence = f"{new.text} against {base.text}: {told if rows else 'no device has an operator on both sides'}"
    if operators:
        worst = max(operators, key=lambda row: row["change"])
        sentence += f"; most {worst['name']}: {change(worst['change'])} on {_carriers(worst)}"
    notes = [f"{sides['base']:,} and {sides['new']:,} traces; one value for each trace, ranked within"
             f" devices; Holm's correction, the chance of any false finding is at most"
             f" {100 * alpha:g} %; intervals are of 95 % each",
             f"same: the interval lies within {100 * least_change:g} %; undecided: it does not, and no"
             " shift is shown"]  # fmt: skip
    if by == "name":
        notes.append("no program is on both sides: operators are matched by model, name and module")
    if too_few:
        notes.append(f"{too_few} undecided: too few traces for any shift to show; collect more")
    if one_sided:
        names = list(dict.fromkeys(name[3] or "(run)" for name in one_sided))
        notes.append(f"{counted(len(one_sided), 'operator')} {'is' if len(one_sided) == 1 else 'are'} on one"
                     f" side only, or on no device of both sides: {', '.join(names[:3])}"
                     + (", ..." if len(names) > 3 else ""))  # fmt: skip
    shown = max(limit, count["slower"] + count["faster"]) if limit is not None else None
    if shown is not None and len(rows) > shown:
        notes.append(f"the first {shown} of {len(rows)} rows; --limit 0 shows all")
    columns = [("verdict", "verdict", "text"), ("name", "operator", "cut"),
               ("instruction", "at", "number"), ("module", "module", "cut"),
               ("change", "change", "change"), ("change_95", "interval", "range"), ("p", "p", "p"),
               ("base", "base", "number"), ("new", "new", "number"),
               ("carried_by", "devices", "list")]  # fmt: skip
    return Answer(sentence, columns, rows[:shown], notes, ("base", "new", "p", "module"))

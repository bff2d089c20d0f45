"""etscope-fleet query, top, regressions, outliers, trend, coverage: on data sets of made times."""

import contextlib
import io
import json
import math
import types
from statistics import median

import pytest

pytest.importorskip("duckdb")

from etscope import Error  # noqa: E402
from etscope.fleet import outliers, page, questions, regressions, show  # noqa: E402
from etscope.fleet.command import main  # noqa: E402
from etscope.fleet.duck import Duck  # noqa: E402
from fleet_made import OPERATORS, Fleet  # noqa: E402

FALSE_SEEDS = 11  # of 100 at a chance of 5 %: more come up in 1 of 230 trials


def planted(device, build, operator):
    if build == "1.3" and operator == "aten.op4.default":
        return 1.15
    if build == "1.3" and operator == "aten.op7.default" and device == "dev2":
        return 1.6
    return 5.0 if device == "dev9" and operator == "aten.op2.default" else 1.0


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    made = Fleet(3, devices=14, traces=12, runs=3, times=planted)
    made.folder = made.write(tmp_path_factory.mktemp("fleet") / "set")
    return made


@pytest.fixture(scope="module")
def duck(fleet):
    return Duck(fleet.folder)


def command(*words, columns="200"):
    """What the command gives; in this process, as another would take most of the time to start."""
    said, complained = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", columns)
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            try:
                code = main([str(word) for word in words])
            except SystemExit as end:
                code = end.code
    return types.SimpleNamespace(returncode=code, stdout=said.getvalue(), stderr=complained.getvalue())


def test_query_counts_traces(fleet, duck):
    answer = questions.query(duck, "select count(distinct trace) as n from runs")
    assert answer.rows == [{"n": len(fleet.tables["traces"])}] and answer.sentence == "1 row"


def test_measured_is_the_median_of_a_traces_runs(fleet, duck):
    trace = fleet.tables["traces"][5]["trace"]
    times = [row["time_ns"] for row in fleet.tables["operators"]
             if row["trace"] == trace and row["instruction"] == 4 and row["run"] > 0]  # fmt: skip
    rows = duck.sql("select time_ns, runs from measured where trace = :t and instruction = 4",
                    t=trace).to_pylist()  # fmt: skip
    assert rows == [{"time_ns": median(times), "runs": 3}]


def test_top_adds_up_and_quantiles_are_within_the_rank_error(fleet, duck):
    rows = questions.top(duck, limit=100).rows
    assert len(rows) == len(OPERATORS)
    for row in rows:
        times = sorted(each["time_ns"] for each in fleet.tables["operators"]
                       if each["instruction"] == row["instruction"] and not each["warm_up"])  # fmt: skip
        assert math.isclose(row["sum_ns"], sum(times)) and row["count"] == len(times)
        for rank, value in ((0.5, row["p50_ns"]), (0.9, row["p90_ns"])):
            error = 0.0166 * len(times) + 1  # k = 200: at 99 %, of any rank at once
            assert abs(sum(time <= value for time in times) - rank * len(times)) <= error
    assert [row["sum_ns"] for row in rows] == sorted((r["sum_ns"] for r in rows), reverse=True)


@pytest.mark.parametrize("by, count", [("operator", len(OPERATORS)), ("module", 4), ("device", 14)])
def test_rows_that_are_left_out_are_said(fleet, by, count):
    words = ("top", "--by", by, "--dataset", fleet.folder, "-f", "json", "-n")
    cut = json.loads(command(*words, "2").stdout)
    assert len(cut["rows"]) == 2 and f"the first 2 of {count} rows; --limit 0 shows all" in cut["notes"]
    for limit in (count, count + 1, 0):
        answer = json.loads(command(*words, str(limit)).stdout)
        assert len(answer["rows"]) == count and not any("--limit" in note for note in answer["notes"])


def test_operators_of_one_name_add_up(tmp_path):
    """Twelve instructions of four names: the longest instruction is not of the name that takes most."""
    operators = [(f"aten.op{i % 4}.default", i, "net", "", 5e5 if i == 0 else 1e5 * (i % 4)) for i in range(12)]
    duck = Duck(Fleet(4, devices=2, traces=2, runs=3, operators=operators).write(tmp_path / "set"))
    each, names = questions.top(duck), questions.top(duck, by="name")
    assert each.rows[0]["operator"] == "aten.op0.default" and len(each.rows) == 12 and len(names.rows) == 4
    for row in names.rows:
        own = [other for other in each.rows if other["operator"] == row["operator"]]
        assert math.isclose(row["share"], sum(other["share"] for other in own)) and row["count"] == 3 * own[0]["count"]
        assert min(other["p50_ns"] for other in own) <= row["p50_ns"] <= max(other["p90_ns"] for other in own)
    share, longest = names.rows[0]["share"], max(row["share"] for row in each.rows if "op3" in row["operator"])
    assert each.sentence.startswith(f"aten.op3.default takes most: {100 * share:.1f} % of ")
    assert each.sentence.endswith(f"in 3 instructions (the longest: {100 * longest:.1f} %)")
    assert names.sentence == each.sentence.partition(", in 3 ")[0]
    assert ("count", "times", "number") in names.columns and names.columns[0][1] == "operator"


def test_calls_of_several_backends_do_not_add_up(tmp_path):
    calls = [("DELEGATE_CALL", i, "net", backend, 3e5) for i, backend in enumerate(("XnnpackBackend", "CoreMLBackend"))]
    operators = [*calls, ("aten.op.default", 2, "net", "", 5e5)]
    duck = Duck(Fleet(4, devices=2, traces=2, runs=3, operators=operators).write(tmp_path / "set"))
    assert questions.top(duck).sentence.startswith("aten.op.default takes most: ")
    assert questions.top(duck, by="name").sentence == questions.top(duck).sentence
    duck = Duck(Fleet(4, devices=2, traces=2, runs=3, operators=calls[:1]).write(tmp_path / "one"))
    assert questions.top(duck).sentence.startswith("DELEGATE_CALL of XnnpackBackend takes most: ")
    assert questions.top(duck, by="name").sentence == questions.top(duck).sentence


def test_what_has_no_module_or_backend_has_the_words_of_inspect(tmp_path):
    def change(row):
        if row.get("instruction") == 0:
            row.update(module="")
        if row.get("instruction") == 1:
            row.update(module="", source="", backend="")

    duck = made_set(tmp_path, change)[1]()
    module = questions.top(duck, by="module")
    assert {row["module"] for row in module.rows} == {"net.block0", "(model)", "(unknown)"} and not module.notes
    assert {row["backend"] for row in questions.top(duck, by="backend").rows} == {"portable", "delegate", "XnnpackBackend"}
    assert {row["module"] for row in questions.top(duck).rows} == {"net.block0", "(model)", ""}


@pytest.mark.parametrize("by", ["module", "backend", "device", "build", "program", "method"])
def test_a_table_says_what_its_rows_are_of(tmp_path, by):
    """Also where nobody told it."""
    no_names = dict.fromkeys((by, "source", "module", "backend"), "")
    folder = made_set(tmp_path, lambda row: row.update(no_names), devices=1)[1]()
    said = show.as_table(questions.top(folder, by=by), 100).splitlines()
    assert said[2].startswith(by) and "nothing" not in said[0]
    if by in ("device", "build"):
        assert show.as_table(questions.coverage(folder), 100).splitlines()[2].startswith("device")
    if by == "module":
        assert said[0].startswith("what has no known module takes most") and said[3].startswith("(unknown)") and "`etscope-fleet ingest --etrecord`" in said[-1]


def test_outliers_that_are_left_out_are_said(duck):
    """At a chance of errors that lists many."""
    every = outliers.outliers(duck, least_change=0, alpha=0.9)
    first = outliers.outliers(duck, least_change=0, alpha=0.9, limit=1)
    assert first.rows == every.rows[:1] and not any("--limit" in note for note in every.notes)
    assert f"the first 1 of {len(every.rows)} rows; --limit 0 shows all" in first.notes


def test_planted_regressions_are_found(duck):
    answer = regressions.regressions(duck, "build=1.2", "build=1.3")
    found = {row["name"]: row for row in answer.rows if row["verdict"] != "undecided"}
    slower = {name: row for name, row in found.items() if row["verdict"] == "slower"}
    assert set(slower) - {"(run)"} == {"aten.op4.default", "aten.op7.default"}
    broad, single = slower["aten.op4.default"], slower["aten.op7.default"]
    assert broad["change_95"][0] <= 1.15 <= broad["change_95"][1] and len(broad["devices"]) > 7
    assert single["devices"] == ["dev2"] and abs(single["change"] - 1.6) < 0.1
    assert (single["base"], single["new"], single["device_count"]) == (12, 12, 14) and single["p"] < 1e-5
    assert answer.sentence.startswith("build=1.3 against build=1.2: runs are slower: +")
    assert f"most of it in aten.op4.default: {show.change(broad['change'])} on " in answer.sentence
    assert answer.sentence.endswith("; operators: 2 slower, 0 faster, 7 undecided, 3 same")


def test_devices_that_went_both_ways_have_a_row_each(tmp_path):
    def both_ways(device, build, operator):
        at = build == "1.10" and operator == "aten.op4.default"
        return {"dev2": 1.5, "dev3": 0.65}.get(device, 1.0) if at else 1.0

    made = Fleet(3, devices=6, traces=14, runs=1, builds=("1.9", "1.10"), operators=OPERATORS[:6], times=both_ways)
    answer = regressions.regressions(Duck(made.write(tmp_path / "set")), "build=1.9", "build=1.10")
    found = [(row["verdict"], row["devices"], row["base"]) for row in answer.rows if row["name"] == "aten.op4.default"]
    assert found == [("slower", ["dev2"], 14), ("faster", ["dev3"], 14)]
    assert any("faster on others, with a row for each: (run), aten.op4.default" in note for note in answer.notes)


def headline(folder, times, change=lambda row: None, **options):
    made = Fleet(2, **{"devices": 3, "traces": 14, "runs": 1, "operators": OPERATORS[:7], "times": times, **options})
    for rows in made.tables.values():
        for row in rows:
            change(row)
    sentence = regressions.regressions(Duck(made.write(folder / "set")), "build=1.2", "build=1.3").sentence
    return sentence.removeprefix("build=1.3 against build=1.2: ")


def times_by(**ratios):
    """Of the operators of the new build."""
    return lambda device, build, operator: ratios.get(operator.split(".")[1], 1.0) if build == "1.3" else 1.0


def test_the_headline_names_what_makes_most_of_a_run(tmp_path):
    """Not what changed by most, nor what went the other way: op5 takes 6 times as long as op0, op6 7 times."""
    said = headline(tmp_path, times_by(op0=2.0, op5=1.5, op6=0.9))
    assert said.startswith("runs are slower: +") and ", most of it in aten.op5.default: +" in said
    assert "%; operators: 2 slower, 1 faster, " in said and said.count("on 3 of 3 devices (dev0, dev1, dev2)") == 1


def test_the_headline_says_that_runs_became_faster(tmp_path):
    said = headline(tmp_path, times_by(op0=1.2, op5=0.5))
    assert said.startswith("runs are faster: -") and ", most of it in aten.op5.default: -" in said


def test_the_headline_of_runs_that_did_not_change(tmp_path):
    """Though operators did: what one lost, another one won."""
    said = headline(tmp_path, times_by(op5=1.1, op2=0.8), traces=40)
    assert said.startswith(("runs take as long as before (-", "whether runs became slower is undecided (-"))
    assert "; operators: 1 slower, 1 faster, " in said and "op5" not in said


def test_the_headline_of_what_no_operator_shows(tmp_path):
    def change(row):
        if "run" in row and "operator" not in row and row["build"] == "1.3":
            row["time_ns"] *= 1.3

    said = headline(tmp_path, times_by(), change)
    assert said.startswith("runs are slower: +") and ", and no operator alone shows it; operators: 0 slower" in said


def test_the_headline_of_devices_that_went_both_ways(tmp_path):
    said = headline(tmp_path, lambda device, build, operator: {"dev1": 2.0, "dev2": 0.5}.get(device, 1.0)
                    if build == "1.3" and operator == "aten.op5.default" else 1.0)  # fmt: skip
    slower, faster, _ = said.split("; ")
    assert slower.startswith("runs are slower: +") and slower.count("on 1 of 3 devices (dev1)") == 1
    assert faster.startswith("runs are faster: -") and faster.count("on 1 of 3 devices (dev2)") == 1


def found(name, kind, change_ns, verdict="slower", **values):
    return {"name": name, "kind": kind, "change_ns": change_ns, "verdict": verdict, "change": 1.5, "unit": "p",
            "change_95": [1.4, 1.6], "method": "forward", "instruction": 3, "devices": ["d"], "judged_devices": 1,
            "device_count": 1, **values}  # fmt: skip


@pytest.mark.parametrize("inside, named", [(60, "Convolution #1"), (40, "DELEGATE_CALL")])
def test_an_event_that_makes_most_of_its_call_is_named(inside, named):
    operators = [found("DELEGATE_CALL", "delegate_call", 100), found("add.out", "operator", 90, instruction=4),
                 found("Convolution #1", "delegate_event", inside),
                 found("Convolution #9", "delegate_event", 500, method="other")]  # fmt: skip
    (said, _) = regressions._runs_told([found("(run)", "run", 300)], operators)
    assert said == ("runs are slower: +50.0 % (+40.0 % to +60.0 %) on 1 of 1 device (d), the largest part of it in"
                    f" {named}: +50.0 %")  # fmt: skip


def test_of_several_methods_the_one_that_changed_most_is_told():
    runs = [found("(run)", "run", 300), found("(run)", "run", 900, "same", method="encode"),
            found("(run)", "run", 400, method="decode", devices=[], judged_devices=4, device_count=5)]  # fmt: skip
    told = regressions._runs_told(runs, [found("add.out", "operator", 500)])
    assert told == ["runs of decode are slower: +50.0 % (+40.0 % to +60.0 %) over 4 devices together, and no operator"
                    " alone shows it", "other methods or programs: 1 slower, 0 faster, 0 undecided, 1 same"]  # fmt: skip


def test_matching_by_name_does_not_deny_a_common_program(duck):
    notes = regressions.regressions(duck, "build=1.2", "build=1.3", by="name").notes
    assert "operators are matched by model, name and module" in notes


def test_the_planted_device_is_found(duck):
    answer = outliers.outliers(duck)
    assert [(row["group"], row["name"], row["operator"]) for row in answer.rows] == [
        ("device", "dev9", "aten.op2.default")
    ]
    assert abs(answer.rows[0]["ratio"] - 5) < 1.5 and answer.rows[0]["module"] == "net.block0"
    assert answer.sentence.startswith("device dev9 is off; most dev9 in aten.op2.default: +")
    assert any("2 builds" in note for note in answer.notes)  # too few to be judged


def test_clean_data_has_no_more_false_findings_than_stated(tmp_path):
    false = {"regressions": 0, "outliers": 0}
    for seed in range(100):
        made = Fleet(seed, devices=10, traces=3, runs=1, operators=OPERATORS[:5], days=1)
        duck = Duck(made.write(tmp_path / str(seed)))
        rows = regressions.regressions(duck, "build=1.2", "build=1.3", least_change=0).rows
        false["regressions"] += any(row["verdict"] in ("slower", "faster") for row in rows)
        false["outliers"] += bool(outliers.outliers(duck, least_change=0).rows)
    assert max(false.values()) <= FALSE_SEEDS, false


@pytest.mark.parametrize("models", [("a", "a"), ("a", "b")])
def test_unknown_programs_are_told_apart_by_their_models(tmp_path, models):
    """Two devices run something else: they are off only if it is said to be the same model."""
    made = Fleet(5, devices=24, traces=4, runs=2, builds=("1",), operators=OPERATORS[:6],
                 times=lambda device, build, operator: 20 if device in ("dev3", "dev4") and "op2" in operator else 1)  # fmt: skip
    for rows in made.tables.values():
        for row in rows:
            row["program"] = ""
    for row in made.tables["traces"]:
        row["model"] = models[row["device"] in ("dev3", "dev4")]
    duck = Duck(made.write(tmp_path / "set"))
    found = {(row["name"], row["operator"]) for row in outliers.outliers(duck).rows}
    assert found == ({("dev3", OPERATORS[2][0]), ("dev4", OPERATORS[2][0])} if models == ("a", "a") else set())


def test_operators_of_unknown_programs_are_compared_within_their_model(tmp_path):
    """Beside a known program, by whose instructions operators are matched."""
    made = Fleet(6, devices=4, traces=6, runs=2, operators=OPERATORS[:3])
    unknown = {row["trace"] for row in made.tables["traces"] if row["device"] != "dev0"}
    for rows in made.tables.values():
        for row in rows:
            row["program"] = "" if row["trace"] in unknown else "p0"
    for row in made.tables["traces"]:
        if row["trace"] in unknown:
            row["model"] = "old" if row["build"] == "1.2" else "new"
    duck = Duck(made.write(tmp_path / "set"))
    rows = regressions.regressions(duck, "build=1.2", "build=1.3", limit=None).rows
    assert {(row["base"], row["new"]) for row in rows} == {(6, 6)}


def test_ranks_are_those_of_scipy(duck):
    stats = pytest.importorskip("scipy.stats")
    from etscope.fleet.filters import Filter
    from etscope.fleet.ranks import Ranks, Shift

    rows = regressions.compared_rows(duck, Filter("build=1.2", "b"), Filter("build=1.3", "n"),
                                     "instruction")  # fmt: skip
    assert len(rows) == 14 * (len(OPERATORS) + 1)
    for row in rows[::11]:
        ranks = Ranks(row["base_values"], row["new_values"])
        method = "exact" if max(ranks.sizes) == 1 else "asymptotic"
        expected = stats.mannwhitneyu(row["new_values"], row["base_values"], method=method)
        assert ranks.above == expected.statistic
        assert method == "asymptotic" or math.isclose(Shift([ranks]).p(), min(expected.pvalue, 1))


def test_holm_stops_at_the_first_that_is_not():
    assert regressions.holm([0.04, 0.001, 0.03, 0.01], 0.05) == [False, True, False, True]
    assert regressions.holm([], 0.05) == []


def test_too_few_traces_are_undecided(duck):
    answer = regressions.regressions(duck, "build=1.2,device=dev1,day=2026-11-06", "build=1.3,device=dev1")
    assert {row["verdict"] for row in answer.rows} == {"undecided"}
    assert any("too few traces" in note for note in answer.notes)


def test_the_same_traces_on_both_sides_are_an_error(duck):
    with pytest.raises(Error, match="share 168 traces"):
        regressions.regressions(duck, "build=1.2", "")


@pytest.mark.parametrize("filter, message", [
    ("speed=1", "is not a filter: .* or label.NAME$"), ("build", "is not a filter: .* or label.NAME$"),
    ("bild=1.2", "label.NAME; did you mean build[?]$"), ("Device=x", "label.NAME; did you mean device[?]$"),
])  # fmt: skip
def test_a_filter_that_is_none_is_an_error(duck, filter, message):
    with pytest.raises(Error, match=message):
        questions.coverage(duck, filter)


def test_a_filter_is_no_sql(duck):
    assert questions.coverage(duck, "device=x' or 'a'='a").rows == []
    assert len(questions.coverage(duck, "label.room=warm,device=dev1").rows) == 2
    assert questions.coverage(duck, "label.room=cold").rows == []


def test_answers_without_rows_have_no_heading(duck):
    """But for a query, whose columns are what was asked for."""
    none = [questions.top(duck, "device=x"), questions.coverage(duck, "device=x"), questions.trend(duck, operator="x")]
    assert all(len(show.as_table(answer, 100).splitlines()) == 1 for answer in none)
    query = questions.query(duck, "select device from traces where device = 'x'")
    assert show.as_table(query, 100).splitlines() == ["0 rows", "", "device"]


def test_coverage_and_trend(fleet, duck):
    answer = questions.coverage(duck)
    assert answer.sentence.startswith("336 traces of 14 devices and 2 builds; all 28 pairs")
    assert sum(row["traces"] for row in answer.rows) == 336
    days = questions.trend(duck).rows
    assert sum(row["traces"] for row in days) == 336 and len(days) == 20
    builds = questions.trend(duck, by="build", operator="aten.op4.default").rows
    assert builds[1]["p50_ns"] > builds[0]["p50_ns"]


def made_set(folder, change, **options):
    """A small data set whose rows `change` has changed."""
    made = Fleet(7, **{"devices": 3, "traces": 2, "runs": 2, "operators": OPERATORS[:3], **options})
    for rows in made.tables.values():
        for row in rows:
            change(row)
    return made, lambda: Duck(made.write(folder / "set"))


def test_a_trace_of_two_methods_counts_once(tmp_path):
    made, write = made_set(tmp_path, lambda row: None)
    for table in ("runs", "operators"):
        made.tables[table] += [dict(row, method="second") for row in made.tables[table]]
    duck = write()
    answer = questions.top(duck)
    assert answer.sentence.startswith("aten.op2.default of XnnpackBackend takes most: 50.0 % of ")
    assert answer.sentence.endswith("in 48 runs of 12 traces, in 2 instructions (the longest: 25.0 %)")
    assert {row["count"] for row in answer.rows} == {24}
    assert [(row["traces"], row["count"]) for row in questions.trend(duck, by="build").rows] == [(6, 24)] * 2
    assert [row["traces"] for row in page.distributions(duck, "device")] == [4, 4, 4]
    (module,) = (answer := questions.top(duck, by="module")).rows
    assert module["count"] == 3 * 48 and ("count", "times", "number") in answer.columns
    answer = questions.trend(duck, by="build", operator="aten.op1.default")
    assert [(row["traces"], row["count"]) for row in answer.rows] == [(6, 24)] * 2
    assert ("count", "times", "number") in answer.columns


def test_unknown_days_are_left_out_of_first_last_and_trends(tmp_path):
    def change(row):
        if row["device"] == "dev1" or row["trace"].endswith("1"):
            row["day"] = "unknown"

    duck = made_set(tmp_path, change)[1]()
    rows = questions.coverage(duck).rows
    days = {(row["device"], row["build"]): (row["first_day"], row["last_day"], row["undated"]) for row in rows}
    assert days["dev0", "1.2"] == ("2026-11-03", "2026-11-03", 1)
    assert days["dev1", "1.2"] == (None, None, 2)
    assert "5 traces tell no day" in questions.coverage(duck).notes
    answer = questions.trend(duck)
    assert [row["day"] for row in answer.rows] == sorted(f"2026-11-{day:02d}" for day in (3, 4, 5, 10, 11, 12, 13))
    assert "5 traces tell no day" in answer.notes
    answer = questions.trend(duck, "device=dev1")
    assert answer.rows == [] and answer.sentence == "no day is known: nothing to follow; `--by build` may"


@pytest.mark.parametrize("time", [1e300, float("inf"), float("nan")])
def test_a_time_that_cannot_be_ends_no_question(tmp_path, time):
    def change(row):
        if row.get("instruction") == 0 and row["trace"].endswith("1"):
            row["time_ns"] = time

    duck = made_set(tmp_path, change)[1]()
    assert [row["instruction"] for row in questions.top(duck).rows] == [0, 2, 1]
    assert questions.trend(duck, by="build", operator="aten.op0.default").rows
    assert regressions.regressions(duck, "build=1.2", "build=1.3").rows


@pytest.mark.parametrize("days, expected", [
    ({}, ["1.2", "1.9", "1.10"]),
    ({"1.9": "2026-11-02", "1.10": "2026-11-01"}, ["1.10", "1.9", "1.2"]),
    ({"1.9": "2026-11-01", "1.10": "2026-11-01", "1.2": "2026-11-05"}, ["1.9", "1.10", "1.2"]),
])  # fmt: skip
def test_builds_are_in_the_order_they_were_seen_then_naturally(tmp_path, days, expected):
    change = lambda row: row.update(day=days.get(row["build"], "unknown"))  # noqa: E731
    duck = made_set(tmp_path, change, builds=("1.10", "1.9", "1.2"))[1]()
    assert [row["build"] for row in questions.trend(duck, by="build").rows] == expected
    assert [row["build"] for row in questions.coverage(duck, "device=dev1").rows] == expected
    assert [row["name"] for row in page.distributions(duck, "build")] == expected


def test_a_value_with_a_comma_can_be_selected(tmp_path):
    change = lambda row: row.update(device="a,b\\c" if row["device"] == "dev1" else "a")  # noqa: E731
    duck = made_set(tmp_path, change)[1]()
    rows = questions.coverage(duck, r"build=1.2,device=a\,b\c").rows
    assert [(row["device"], row["build"]) for row in rows] == [("a,b\\c", "1.2")]
    assert questions.top(duck, r"device=a\,b\\c").rows


@pytest.mark.parametrize("columns", ["60", "80", "100"])
def test_text_is_folded_at_the_terminals_width(fleet, columns):
    words = ("regressions", "build=1.2", "build=1.3", "--dataset", fleet.folder)
    text = command(*words, columns=columns).stdout
    told, notes = text.split("\n\n")[0], text.split("\n\n")[2:]
    for part in (told, *notes):
        assert max(map(len, part.splitlines())) <= int(columns) and "\n%" not in part
    document = json.loads(command(*words, "-f", "json").stdout)
    assert told.replace("\n", " ") == document["sentence"] and told.count("\n") >= 2
    assert " ".join("\n\n".join(notes).split()) == " ".join(f"note: {note}" for note in document["notes"])
    assert show.as_table(show.Answer("a " * 200, [], []), 80) == "a " * 200 + "\n"  # no terminal


def test_no_name_steers_the_terminal():
    said = show.as_table(show.Answer("\x1b[2Jop takes most", [("n", "n", "cut")], [{"n": "\x1b[2J"}], ["\x1b]0;x"]), 80)
    assert "\x1b" not in said and said.startswith("\\x1b[2Jop takes most")


def test_no_error_steers_the_terminal(fleet):
    said = command("coverage", "--where", "a\x1b[2J", "--dataset", fleet.folder)
    assert said.returncode == 2 and "\x1b" not in said.stderr and "\\x1b[2J" in said.stderr


def test_the_help_of_a_page_says_what_is_limited():
    assert "reports, 0 for all" in " ".join(command("page", "--help").stdout.split())


@pytest.mark.parametrize("columns", ["80", "200"])
@pytest.mark.parametrize("words", [["top"], ["trend"], ["coverage"], ["outliers"],
                                   ["regressions", "build=1.2", "build=1.3"]])  # fmt: skip
def test_tables_fit_the_terminal(fleet, words, columns):
    done = command(*words, "--dataset", fleet.folder, columns=columns)
    assert done.returncode == 0, done.stderr
    table = done.stdout.split("\n\n")[1].splitlines()
    assert len(table) > 1 and max(map(len, table)) <= int(columns)


def test_json_is_the_answer(fleet):
    done = command("regressions", "build=1.2", "build=1.3", "--dataset", fleet.folder, "-f", "json")
    document = json.loads(done.stdout)
    assert set(document) == {"sentence", "rows", "notes"} and document["rows"][0]["verdict"] == "slower"


def test_errors_are_one_line(fleet, tmp_path):
    for words in (["query", "select nothing from nowhere", "--dataset", fleet.folder],
                  ["top", "--dataset", str(tmp_path / "none")],
                  ["top", "--where", "model=a", "--dataset", fleet.folder]):  # fmt: skip
        done = command(*words)
        assert done.returncode == 2 and done.stderr.startswith("etscope-fleet: ")
        assert done.stderr.count("\n") == 1 and not done.stdout


def test_devices_are_not_compared_with_one_another(duck):
    answer = regressions.regressions(duck, "device=dev1", "device=dev2")
    assert answer.rows == [] and "no device has an operator on both sides" in answer.sentence


@pytest.mark.parametrize("sql", ["copy (select 1) to '{0}'", "select 1; copy (select 1) to '{0}'",
                                 "attach '{0}'", "set threads = 1", ""])  # fmt: skip
def test_a_query_only_asks(duck, tmp_path, sql):
    with pytest.raises(Error, match="write one SELECT"):
        questions.query(duck, sql.format(tmp_path / "x"))
    assert not list(tmp_path.iterdir())


def test_sums_are_numbers_and_empty_columns_are_shown(fleet, duck):
    answer = questions.query(duck, "select sum(runs) as runs, null as none from traces")
    assert json.loads(show.to_json(answer.as_json()))["rows"] == [
        {"runs": sum(row["runs"] for row in fleet.tables["traces"]), "none": None}]  # fmt: skip
    assert show.as_table(answer, 80).splitlines()[2].split() == ["runs", "none"]


def test_an_unknown_operator_is_answered_with_a_near_one(duck):
    assert questions.trend(duck, operator="aten.op4.defualt").sentence.startswith(
        "no operator aten.op4.defualt; did you mean aten.op4.default")  # fmt: skip


def test_names_do_not_steer_the_terminal():
    answer = show.Answer("s", [("a", "a", "cut")], [{"a": "x\x1b[2Jy\n"}])
    assert "\x1b" not in show.as_table(answer, 80) and "\\x1b[2Jy\\x0a" in show.as_table(answer, 80)

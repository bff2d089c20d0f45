"""Tables of an Inspector: the rows and headlines of the command line, for every trace here."""

import json
import math
import os
import pathlib
import subprocess
import warnings

import pytest

import etscope
from etscope import Error, Inspector, memory
from fixtures import DATA, EXAMPLES, file, inspect
from made import dump, framework, profile

pytest.importorskip("pandas")
import pandas as pd  # noqa: E402

ETSCOPE = os.environ.get("ETSCOPE", "etscope")
TRACES = sorted([*DATA.glob("*/*.etdp"), *EXAMPLES.glob("*/*.etdump")])
CNN = EXAMPLES / "mobile_cnn"


def models(trace):
    """(record, program) beside a trace, where they are its own."""
    name = trace.name.split(".")[0]
    for stem in (name, "model"):
        found = [trace.with_name(f"{stem}.{ending}") for ending in ("etrecord", "pte")]
        if any(path.exists() for path in found):
            return [str(path) if path.exists() else None for path in found]
    return None, None


def words(trace):
    record, program = models(trace)
    chosen = ["--etrecord", record] if record else []
    return chosen + (["--program", program] if program else [])


def opened(trace):
    record, program = models(trace)
    return Inspector(str(trace), etrecord=record, program=program)


def told(*arguments):
    """The document of a command; None where it fails."""
    command = [ETSCOPE, *map(str, arguments), "--format", "json"]
    done = subprocess.run(command, capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def plain(value):
    """A cell as JSON has it; lists that stand for a group are one text."""
    if isinstance(value, (list, tuple)):
        return value
    return None if value is None or value is pd.NA or value != value else value


def check(frame, document, group=None):
    assert list(frame.columns) == list(document["rows"][0]) if document["rows"] else True
    assert len(frame) == len(document["rows"])
    for name in frame.columns:
        given = [plain(value) for value in frame[name]]
        expected = [row[name] for row in document["rows"]]
        if name == group:
            expected = [", ".join(v) if isinstance(v, list) else v for v in expected]
        assert given == expected, name


def ids(traces):
    return [str(pathlib.Path(trace.parent.name, trace.name)) for trace in traces]


# What advice is called here, and on the command line.
WORDS = {"steady=True": "--steady", "by_module()": "--group-by module",
         "Inspector(method=)": "--method"}  # fmt: skip
READABLE = [trace for trace in TRACES if trace.parent.name + trace.name != "typesdebug.etdp"]


@pytest.mark.parametrize("trace", READABLE, ids=ids(READABLE))
def test_tables_are_those_of_the_command(trace):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inspector = opened(trace)
    command = ("inspect", trace, "--no-siblings", *words(trace))
    for frame, group, options in (
        (inspector.by_module(), "module", ["--group-by", "module"]),
        (inspector.by_module(1, steady=True), "module",
         ["--group-by", "module", "--depth", "1", "--steady"]),
        (inspector.by_source(), "source", ["--group-by", "source"]),
        (inspector.by_backend(), "backend", ["--group-by", "backend"]),
        (inspector.by_run(), None, ["--group-by", "run"]),
        (inspector.by_run(steady=True), None, ["--group-by", "run", "--steady"]),
        (inspector.tree(), None, ["--tree"]),
        (inspector.tree(steady=True), None, ["--tree", "--steady"]),
    ):  # fmt: skip
        document = told(*command, *options)
        check(frame, document, group)
        assert ". ".join(frame.attrs["headline"]) == (document["headline"] or "")
        for note in frame.attrs["notes"]:
            for word, option in WORDS.items():
                note = note.replace(word, option)
            assert note in document["notes"]
    assert inspector.headline == inspector.by_module().attrs["headline"]


PAIRS = [
    (EXAMPLES / "linear_formats" / "fp32.etdump", EXAMPLES / "linear_formats" / "int8.etdump"),
    (EXAMPLES / "linear_formats" / "fp32.etdump", EXAMPLES / "linear_formats" / "fp32.2.etdump"),
    *((DATA / f"{name}_portable" / "profile.etdp", DATA / f"{name}_xnnpack" / "profile.etdp")
      for name in ("mlp", "conv", "gpt")),
    *((DATA / name / "profile.etdp", DATA / name / "profile.etdp")
      for name in ("cond", "dynamic", "map_loop", "types")),
]  # fmt: skip


@pytest.mark.parametrize("before, after", PAIRS)
@pytest.mark.parametrize("sort, change, steady", [("change", 0.01, False), ("order", 0.2, True)])
def test_diff_is_that_of_the_command(before, after, sort, change, steady):
    of_after = [word + "-b" if word.startswith("--") else word for word in words(after)]
    document = told("diff", before, after, *words(before), *of_after, "--no-siblings",
                    "--sort", sort, "--min-change", 100 * change,
                    *(["--steady"] if steady else []))  # fmt: skip
    frame = opened(before).diff(opened(after), sort=sort, min_change=change, steady=steady)
    check(frame, document)
    until = "the program from the day: "  # then the command line says what to type
    assert ". ".join(frame.attrs["headline"]).partition(until)[:2] == document["headline"].partition(until)[:2]


RECORDINGS = [EXAMPLES / "linear_formats" / f"{name}.etdump" for name in ("fp32", "fp32.2")]


def several(folder, first, count=5):
    """Recordings of one program whose runs take about `first` nanoseconds."""
    paths = []
    for k in range(count):
        took = first + 100 * k
        runs = [("Execute", [profile("native_call_add.out", run * 10**6, run * 10**6 + took + run % 3),
                             framework("Method::execute", run * 10**6, run * 10**6 + took + 10 + run % 3)])
                for run in range(8)]  # fmt: skip
        paths.append(folder / f"{first}-{k}.etdp")
        paths[-1].write_bytes(dump(*runs))
    return paths


def test_several_recordings_decide_as_the_command_does(tmp_path):
    before, after = several(tmp_path, 20_000), several(tmp_path, 30_000)
    document = told("diff", before[0], after[0], *(word for path in before[1:] for word in ("--before", path)),
                    *(word for path in after[1:] for word in ("--after", path)))  # fmt: skip
    frame = etscope.diff([Inspector(path) for path in before], [Inspector(path) for path in after])
    check(frame, document)
    assert ". ".join(frame.attrs["headline"]) == document["headline"]
    assert dict(zip(frame.operator, frame.verdict))["Method::execute"] == "slower"
    mixed = Inspector(before[0]).diff([Inspector(path) for path in after])
    assert dict(zip(mixed.operator, mixed.verdict))["Method::execute"] == "undecided"
    one = Inspector(before[0]).diff(Inspector(after[0]))
    assert dict(zip(one.operator, one.verdict))["Method::execute"] == "differs"


def test_a_side_without_recordings_is_refused():
    inspector = Inspector(RECORDINGS[0])
    with pytest.raises(Error, match="a recording of each side") as caught:
        etscope.diff([], inspector)
    assert caught.value.status == "INVALID_ARGUMENT"
    for wrong in ("trace.etdp", 7, [RECORDINGS[0]]):
        with pytest.raises(TypeError, match="diff compares Inspectors, not a"):
            etscope.diff(inspector, wrong)


def test_different_programs_are_compared_only_if_asked():
    mlp, gpt = (Inspector(file(name, "profile.etdp")) for name in ("mlp_xnnpack", "gpt_portable"))
    with pytest.raises(Error, match="different programs") as caught:
        mlp.diff(gpt)
    assert caught.value.status == "MISMATCH"
    assert len(mlp.diff(gpt, allow_mismatch=True)) > 50


@pytest.mark.parametrize("wrong, message", [
    ({"sort": "time"}, "sort is one of change, ratio, order, name, not 'time'"),
    ({"min_change": 11}, "min_change is from 0 to 10, not 11"),
    ({"min_change": math.nan}, "not nan"),
])  # fmt: skip
def test_wrong_arguments_of_diff(wrong, message):
    inspector = Inspector(file("mlp_portable", "profile.etdp"))
    with pytest.raises(Error, match=message):
        inspector.diff(inspector, **wrong)
    with pytest.raises(TypeError, match="not a str"):
        inspector.diff("trace.etdp")


@pytest.mark.parametrize("depth", [0, 65, -1])
def test_a_depth_that_no_tree_has(depth):
    with pytest.raises(Error, match=f"from 1 to 64, not {depth}"):
        inspect("gpt_portable").by_module(depth)


def test_types_do_not_depend_on_the_rows():
    """A whole number of nanoseconds is a float, an unknown instruction no float."""
    full = inspect("mlp_portable")
    empty = Inspector(etdump_data=dump(("Default", [])))
    for name in ("by_module", "by_source", "by_backend", "by_run", "tree"):
        frame, none = getattr(full, name)(), getattr(empty, name)()
        assert len(frame) > len(none) == 0
        assert dict(frame.dtypes) == dict(none.dtypes)
    tree = full.tree()
    assert str(tree.instruction.dtype) == "Int64" and str(tree.mid_ns.dtype) == "float64"


def test_self_times_add_up_to_the_run():
    tree = inspect("gpt_xnnpack").tree()
    run = tree[tree.block == "Execute"]
    assert run.self_ticks.sum() == run.ticks.iloc[0]


def test_a_trace_of_cycles_has_no_nanoseconds():
    trace = dump(("Execute", [profile("x", 0, 9, instruction=1)]))
    from etscope.inspector import TimeScale

    inspector = Inspector(etdump_data=trace, source_time_scale=TimeScale.CYCLES,
                          target_time_scale=TimeScale.CYCLES)  # fmt: skip
    assert inspector.by_run().time_cycles.tolist() == [9]
    assert "mid_cycles_upper" in inspector.by_module() and "mid_ns" not in inspector.by_module()


def test_warm_up_and_outliers_of_runs():
    frame = opened(CNN / "xnnpack.etdump").by_run()
    assert frame.phase[0] == "warm-up" and list(frame.phase[1:]).count("warm-up") == 0
    assert sorted(frame.run[frame.phase == "outlier"]) == [3, 20, 21, 24]
    steady = opened(CNN / "xnnpack.etdump").by_run(steady=True)
    assert list(steady.run) == list(frame.run[1:])


@pytest.mark.parametrize("model", ["gpt_xnnpack", "cond", "multi_method"])
def test_live_bytes_are_those_of_the_command(model):
    program, record = file(model, "model.pte"), file(model, "model.etrecord")
    table = memory.steps(program, etrecord=record)
    check(table.to_dataframe(), told("memory", program, "--etrecord", record, "--steps"))
    assert max(row["live_bytes"] for row in table) > 0


@pytest.mark.parametrize("trace", READABLE, ids=ids(READABLE))
def test_advice_is_that_of_the_command(trace):
    given = words(trace)
    if "--program" not in given:  # Python takes the one beside the trace
        beside = (trace.with_suffix(".pte"), trace.with_suffix(".bpte"))
        given += next((["--program", path] for path in beside if path.exists()), [])
    document = told("advise", trace, *given, "--no-siblings", "--all")
    if document is None:
        pytest.skip("the command does not read it")
    frame = opened(trace).advise(all=True)
    assert frame.attrs["headline"] == [document["headline"]]
    rows = document["rows"]
    assert not rows or list(frame.columns) == list(rows[0])
    for name in frame.columns:
        if name == "check":
            continue  # commands, which name files
        cells = [plain(value) for value in frame[name]], [row[name] for row in rows]
        if name in ("sentence", "evidence"):  # each tells how to ask for more in its own words
            cells = [[(cell or "").split(";")[0] for cell in side] for side in cells]
        assert cells[0] == cells[1], name


def test_only_what_has_advice_is_shown_unless_all_is_asked_for():
    inspector = opened(DATA / "gpt_xnnpack" / "profile.etdp")
    shown = inspector.advise()
    assert (shown.action.notna() | (shown.kind == "expensive_operator")).all()
    assert len(inspector.advise()) < len(inspector.advise(all=True))
    assert " things to do; " in inspector.advise().attrs["headline"][0]


def test_advice_takes_the_program_beside_the_trace(tmp_path):
    source = DATA / "late" / "linear"
    files = {end: tmp_path / f"linear{end}" for end in (".etdp", ".pte", ".etrecord")}
    files[".etdp"].write_bytes(source.with_suffix(".etdp").read_bytes())
    alone = Inspector(str(files[".etdp"])).advise()
    assert "program" not in " ".join(alone.attrs["notes"])
    files[".pte"].write_bytes((DATA / "conv_portable" / "model.pte").read_bytes())
    other = Inspector(str(files[".etdp"])).advise()
    assert list(other.kind) == list(alone.kind)  # of another program
    for end in (".pte", ".etrecord"):
        files[end].write_bytes(source.with_suffix(end).read_bytes())
    found = Inspector(str(files[".etdp"])).advise()
    assert found.attrs["notes"] == [f"using {files['.pte']} beside the trace"]
    assert "products_as_kernels" in set(found.kind) - set(alone.kind)
    given = Inspector(str(files[".etdp"]), etrecord=str(files[".etrecord"]),
                      program=str(files[".pte"])).advise()  # fmt: skip
    assert found.attrs["headline"] == given.attrs["headline"]
    data = Inspector(etdump_data=files[".etdp"].read_bytes()).advise()
    assert data.attrs["headline"] == alone.attrs["headline"]

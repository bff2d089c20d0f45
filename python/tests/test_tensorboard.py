"""Event files, read back by TensorBoard's own reader."""

import html
import json
import os
import re
import subprocess
import zipfile

import pyarrow
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugin_util import markdown_to_safe_html

from etscope import Error, Inspector
from fixtures import MODELS, file, inspect


def read(folder):
    (path,) = folder.iterdir()
    events = EventAccumulator(str(path), size_guidance={"scalars": 0, "histograms": 0})
    return events.Reload()


@pytest.mark.parametrize("model", ["gpt_xnnpack", "cond", "multi_method", "mlp_portable"])
def test_runs_are_those_of_the_inspector(model, tmp_path):
    inspector = Inspector(etdump_path=file(model, "profile.etdp"))
    inspector.write_tensorboard_artifact(str(tmp_path / "log"))
    events = read(tmp_path / "log")
    found = [
        [event.value for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"] if tag.endswith("/run (us)")
    ]  # fmt: skip
    expected = [
        [1000 * time for time in event.perf_data.raw]
        for block in inspector.event_blocks for event in block.events
        if event.name == "Method::execute"
    ]  # fmt: skip
    assert len(found) == len(expected) > 0
    for times, wanted in zip(found, expected):
        assert times == pytest.approx(wanted, rel=1e-6)  # floats of 32 bits
    for tag, wanted in zip(events.Tags()["histograms"], expected):
        (histogram,) = events.Histograms(tag)
        told = histogram.histogram_value
        assert (told.num, told.min, told.max) == pytest.approx(
            (len(wanted), min(wanted), max(wanted)))  # fmt: skip
        assert sum(told.bucket) == len(wanted)
    assert re.sub(r"\\(\W|_)", r"\1", headline_of(events)).startswith(inspector.headline[0])


def headline_of(events):
    (text,) = events.Tensors("headline/text_summary")
    return text.tensor_proto.string_val[0].decode()


@pytest.mark.parametrize("name", ["profile.etdp", "debug.etdp"])
@pytest.mark.parametrize("model", ["mlp_portable", "gpt_xnnpack", "multi_method"])
def test_wall_times_are_those_of_whole_runs(model, name, tmp_path):
    """Also where the first event of a run is a captured value, which has no time."""
    inspector = Inspector(etdump_path=file(model, name))
    inspector.write_tensorboard_artifact(tmp_path)
    events = read(tmp_path)
    rows = [row for row in pyarrow.table(inspector.events).to_pylist() if row["kind"] == "profile"]
    began = min(row["start"] for row in rows)
    expected = [row["start"] - began for row in rows if row["name"] == "Method::execute"]
    found = [event.wall_time for tag in events.Tags()["scalars"] if tag.endswith("/run (us)")
             for event in events.Scalars(tag)]  # fmt: skip
    assert sorted(found) == pytest.approx([start / 1e9 for start in sorted(expected)], abs=1e-12)
    calls = [event.wall_time for tag in events.Tags()["scalars"] if "#" in tag
             for event in events.Scalars(tag)]  # fmt: skip
    assert set(calls) <= set(found)


def test_calls_have_their_times(tmp_path):
    inspector = inspect("mlp_portable")
    inspector.write_tensorboard_artifact(tmp_path / "log")
    events = read(tmp_path / "log")
    calls = [tag for tag in events.Tags()["scalars"] if "#" in tag]
    assert len(calls) == 6 and len(set(calls)) == 6
    assert all(len(events.Scalars(tag)) == 5 for tag in calls)


@pytest.mark.parametrize("model", MODELS)
def test_every_fixture_is_read(model, tmp_path):
    inspect(model).write_tensorboard_artifact(tmp_path)
    tags = read(tmp_path).Tags()
    assert tags["scalars"] and tags["tensors"] == ["headline/text_summary"]


def test_traces_of_one_name_stay_apart(tmp_path):
    (tmp_path / "log").mkdir()
    done = subprocess.run(
        [os.environ["ETSCOPE"], "export", file("mlp_portable", "profile.etdp"),
         file("mlp_xnnpack", "profile.etdp"), "--to", "tensorboard",
         "-o", tmp_path / "log" / "x.tfevents"], check=False, stderr=subprocess.PIPE)  # fmt: skip
    assert done.returncode == 0, done.stderr
    tags = read(tmp_path / "log").Tags()["scalars"]
    assert {tag.split("/")[0] for tag in tags} == {"profile.etdp", "profile.etdp (2)"}


IMAGE = "![x](http://evil.example/x.png)"
MARKUP = [IMAGE, "<img src=http://evil.example/x.png>", "[a](http://evil.example)", "# big", "- item", "1. first",
          "~~~", "&#33;&lt;b>", "```", "    code", "a | b", "__bold__ *it* \\", "\x1b[2J\u0085"]  # fmt: skip


@pytest.mark.parametrize("name", MARKUP)
def test_names_are_no_markup(name, tmp_path):
    """Names of methods and backends in the headline, which TensorBoard reads as Markdown."""
    trace = tmp_path / "hostile.json"
    common = {"ph": "X", "pid": 1, "tid": 1}
    trace.write_text(json.dumps({"metadata": {"exporter": "etscope"}, "traceEvents": [
        {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": name}},
        {**common, "ts": 0, "dur": 90, "name": "Method::execute", "cat": "runtime", "args": {"run": 0}},
        {**common, "ts": 0, "dur": 80, "name": name, "cat": "kernel", "args": {"run": 0, "instruction": 0}},
    ]}))  # fmt: skip
    folder = tmp_path / "log"
    folder.mkdir()
    done = subprocess.run([os.environ["ETSCOPE"], "export", trace, "--to", "tensorboard",
                           "-o", folder / "x.tfevents"], check=False, stderr=subprocess.PIPE)  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = headline_of(read(folder))
    shown = markdown_to_safe_html(said)
    assert re.fullmatch(r"(<p>[^<>]*</p>\s*)+", shown), (said, shown)
    clean = re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", name).strip()
    assert html.unescape(shown).count(clean) >= 2, (said, shown)
    if name == IMAGE:
        assert "\\!\\[x\\](http://evil.example/x.png)" in said


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Error, match="file"):
        inspect("mlp_portable").write_tensorboard_artifact(tmp_path / "file")


# ---- graphs ----


def graph_of(model, folder, *words):
    """GraphDef and {node: nanoseconds}."""
    folder.mkdir(exist_ok=True)
    path = folder / "events.out.tfevents.1"
    done = subprocess.run(
        [os.environ["ETSCOPE"], "export", file(model, "profile.etdp"), *map(str, words),
         "--to", "tensorboard", "-o", path], check=False, stderr=subprocess.PIPE)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return told_graph(read(folder))


def told_graph(events):
    if not events.Tags()["graph"]:
        assert events.Tags()["run_metadata"] == []
        return None, {}
    times = {}
    for tag in events.Tags()["run_metadata"]:
        (device,) = events.RunMetadata(tag).step_stats.dev_stats
        for node in device.node_stats:
            assert node.node_name not in times and node.all_start_micros == 1
            assert node.all_end_rel_micros == max(1, (node.all_end_rel_nanos + 500) // 1000)
            times[node.node_name] = node.all_end_rel_nanos
    return events.Graph(), times


def check_graph(graph, times):
    """What TensorBoard takes for granted."""
    names = [node.name for node in graph.node]
    known = set(names)
    assert len(known) == len(names) and set(times) <= known
    for node in graph.node:
        assert re.fullmatch(r"[A-Za-z0-9_.\-]+(/[A-Za-z0-9_.\-]+)*", node.name), node.name
        for taken in node.input:
            source, _, output = taken.partition(":")
            assert source in known and (not output or output.isdigit())


def files(model, *names):
    options = {"model.pte": "--program", "model.etrecord": "--etrecord"}
    return [word for name in names for word in (options[name], file(model, name))]


@pytest.mark.parametrize("names", [("model.pte",), ("model.etrecord",), ("model.pte", "model.etrecord")])
@pytest.mark.parametrize("model", ["gpt_xnnpack", "gpt_portable", "cond", "multi_method", "conv_xnnpack"])
def test_graphs_have_the_times_of_the_runs(model, names, tmp_path):
    graph, times = graph_of(model, tmp_path, *files(model, *names))
    check_graph(graph, times)
    assert times
    done = subprocess.run(
        [os.environ["ETSCOPE"], "sql", """select o.p50, b.method from operators o
         join blocks b on b.id = o.block join operators p on p.id = o.parent
         where p.name = 'Method::execute'""", file(model, "profile.etdp"), "--program",
         file(model, "model.pte"), "--etrecord", file(model, "model.etrecord"), "--format", "json"],
        check=True, capture_output=True)  # fmt: skip
    expected = {}
    for row in json.loads(done.stdout)["rows"]:
        expected[row["method"]] = expected.get(row["method"], 0) + row["p50"]
    for method, total in expected.items():
        found = sum(ns for name, ns in times.items() if name.startswith(f"{method}/"))
        if model != "cond" and "model.pte" in names or model in ("gpt_xnnpack", "conv_xnnpack"):
            assert found == pytest.approx(total, rel=1e-3, abs=2 * len(times))
        else:  # constants that the edge program folds, and branches, have no node
            assert 0 < found <= total + len(times)


def test_a_graph_shows_modules_lines_and_shapes(tmp_path):
    graph, _ = graph_of("gpt_portable", tmp_path, *files("gpt_portable", "model.pte", "model.etrecord"))
    (node,) = [node for node in graph.node if node.name == "forward/blocks/0/qkv/addmm.out.i6"]
    assert node.op == "aten::addmm.out"
    assert node.attr["source"].s == b"models/zoo.py:26" and node.attr["module"].s == b"blocks.0.qkv"
    (shape,) = node.attr["_output_shapes"].list.shape
    assert [dim.size for dim in shape.dim] == [16, 192]


def test_without_program_and_record_there_is_no_graph(tmp_path):
    assert graph_of("mlp_portable", tmp_path, "--no-siblings") == (None, {})


HOSTILE = {
    "aten_permute_copy_default": "x/y", "aten_addmm_default": "x:y",
    "aten_permute_copy_default_1": "^//.. \\u0000\\ud83d\\ude00\\\"<b>", "aten_addmm_default_1": "z" * 5000,
    "aten_relu_default": "/" * 300,
}  # fmt: skip


def test_hostile_names_are_paths(tmp_path):
    record = tmp_path / "hostile.etrecord"
    with zipfile.ZipFile(file("mlp_portable", "model.etrecord")) as old, zipfile.ZipFile(record, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith("program/forward"):
                text = data.decode()
                for before, after in HOSTILE.items():
                    assert f'"{before}"' in text
                    text = text.replace(f'"{before}"', f'"{after}"')
                data = text.encode()
            new.writestr(name, data)
    graph, times = graph_of("mlp_portable", tmp_path / "log", "--etrecord", record, "--no-siblings")
    check_graph(graph, times)
    names = {node.name.split("/")[-1] for node in graph.node}
    assert {"x_y", "z" * 199} <= names
    assert any(re.fullmatch(r"x_y-\d+", name) for name in names)
    assert len(graph.node) > len(HOSTILE)


def test_graphs_are_bounded(tmp_path):
    """Of many traces, those whose graphs exceed the limit are left out; their scalars stay."""
    count = 150
    path = tmp_path / "x.tfevents"
    trace = file("gpt_xnnpack", "profile.etdp")
    words = [trace] * count + files("gpt_xnnpack", "model.pte", "model.etrecord")
    done = subprocess.run([os.environ["ETSCOPE"], "export", *words, "--to", "tensorboard", "-o", path],
                          check=False, stderr=subprocess.PIPE)  # fmt: skip
    assert done.returncode == 0, done.stderr
    (note,) = done.stderr.decode().splitlines()
    assert re.fullmatch(r"note: the graphs of \d+ traces are left out, the first that of profile.etdp: the file would "
                        "have more than 20000 nodes, too many for TensorBoard", note)  # fmt: skip
    events = read(tmp_path)
    graph, times = told_graph(events)
    check_graph(graph, times)
    assert 19000 < len(graph.node) <= 20000
    traces = {node.name.split("/")[0] for node in graph.node}
    assert len(graph.node) % len(traces) == 0
    assert len({tag.split("/")[0] for tag in events.Tags()["scalars"]}) == count


def test_a_graph_that_cannot_be_read_is_told(tmp_path):
    record = tmp_path / "damaged.etrecord"
    with zipfile.ZipFile(file("mlp_portable", "model.etrecord")) as old, zipfile.ZipFile(record, "w") as new:
        for name in old.namelist():
            if not name.startswith("edge_dialect_exported_program"):
                new.writestr(name, old.read(name))
    folder = tmp_path / "log"
    folder.mkdir()
    done = subprocess.run([os.environ["ETSCOPE"], "export", file("mlp_portable", "profile.etdp"), "--etrecord", record,
                           "--no-siblings", "--allow-mismatch", "--to", "tensorboard", "-o", folder / "x.tfevents"],
                          check=False, stderr=subprocess.PIPE)  # fmt: skip
    assert done.returncode == 0, done.stderr
    notes = [line for line in done.stderr.decode().splitlines() if "graph is left out" in line]
    assert len(notes) == 1 and notes[0].startswith("note: profile.etdp: its graph is left out: "), done.stderr
    assert told_graph(read(folder)) == (None, {})
    inspector = Inspector(etdump_path=file("mlp_portable", "profile.etdp"), etrecord=str(record))
    with pytest.warns(UserWarning, match="the graph is left out: "):
        inspector.write_tensorboard_artifact(tmp_path / "again")


def test_the_inspector_writes_the_same_graph(tmp_path):
    names = "model.pte", "model.etrecord"
    expected, times = graph_of("gpt_xnnpack", tmp_path / "cli", *files("gpt_xnnpack", *names))
    for record in (None, file("gpt_xnnpack", "model.etrecord")):
        folder = tmp_path / f"{record is None}"
        inspector = Inspector(etdump_path=file("gpt_xnnpack", "profile.etdp"), etrecord=record,
                              program=file("gpt_xnnpack", "model.pte"))  # fmt: skip
        inspector.write_tensorboard_artifact(folder)
        graph, found = told_graph(read(folder))
        check_graph(graph, found)
        assert record is None or (graph, found) == (expected, times)

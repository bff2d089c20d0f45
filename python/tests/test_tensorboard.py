"""Event files, read back by TensorBoard's own reader."""

import os
import subprocess

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

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
    (text,) = events.Tensors("headline/text_summary")
    assert text.tensor_proto.string_val[0].decode().startswith(inspector.headline[0])


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


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Error, match="file"):
        inspect("mlp_portable").write_tensorboard_artifact(tmp_path / "file")

"""etscope-fleet: what is of several modules or lines is given to none of them."""

import pathlib
import types

import pytest

pytest.importorskip("pyarrow")

from fixtures import file

from etscope.etrecord._record import as_etrecord
from etscope.fleet import ingest, origins, trace_tables
from etscope.fleet.command import main


def reading_of(model):
    record = as_etrecord(file(model, "model.etrecord"))
    return trace_tables.read(pathlib.Path(file(model, "profile.etdp")).read_bytes(), etrecord=record)


@pytest.mark.parametrize("modules, holder", [
    (["blocks.3.a", "blocks.3.b"], "blocks.3"),
    (["blocks.3", "blocks.3.b"], "blocks.3"),
    (["blocks.3.a", "blocks.30.a"], "blocks"),
    (["a", "b", "a.c"], "(model)"),
    (["a", ""], "(model)"),
    (["", "a"], "(model)"),
])  # fmt: skip
def test_a_call_is_of_the_module_around_its_modules(monkeypatch, modules, holder):
    monkeypatch.setattr(origins, "_places", lambda nodes: (modules, []))
    row = types.SimpleNamespace(nodes=origins.NULL, node_count=0)
    assert origins.Origins().of_row(row, True) == (holder, "")


@pytest.mark.parametrize("names, told", [
    ([], ""), (["c.0"], "c.0"), ([""], ""), (["c.0", "c.1", ""], "c.0 +2"), (["", "c"], "(model) +1"),
])  # fmt: skip
def test_what_was_fused_has_the_words_of_inspect(monkeypatch, names, told):
    monkeypatch.setattr(origins, "_places", lambda nodes: (names, ["zoo.py:3", "zoo.py:4"]))
    row, found = types.SimpleNamespace(nodes=origins.NULL, node_count=0), origins.Origins()
    assert found.of_row(row, False) == (told, "zoo.py:3 +1") and not found.has_wide_calls


@pytest.mark.parametrize("model", ["mlp_xnnpack", "conv_xnnpack_int8"])
def test_a_call_over_the_whole_model_is_of_no_module(model):
    reading = reading_of(model)
    assert reading.has_wide_calls and {place["kind"] for place in reading.places} == {"delegate_call", "delegate_event"}
    assert {place["module"] for place in reading.places} == {"(model)"}


def test_calls_of_a_block_are_of_the_block():
    calls = {place["instruction"]: (place["module"], place["source"].rpartition("/")[2])
             for place in reading_of("gpt_xnnpack").places if place["kind"] == "delegate_call"}  # fmt: skip
    assert calls[27] == ("blocks.0.qkv", "zoo.py:26") and calls[67] == ("head", "zoo.py:36")
    assert calls[29] == calls[34] == ("blocks.0", "zoo.py:27 +1") and calls[65] == ("blocks.1", "zoo.py:29")


def test_kernels_have_a_module_of_their_own():
    reading = reading_of("mlp_portable")
    assert [place["module"] for place in reading.places] == ["l1", "l1", "", "l2", "l2", ""]
    assert not reading.has_wide_calls


@pytest.mark.parametrize("model, module", [("mlp_xnnpack", "(model)"), ("mlp_portable", "l1")])
def test_top_and_the_note_say_so(tmp_path, capsys, model, module):
    pytest.importorskip("duckdb")
    counts = ingest.ingest([file(model, "profile.etdp")], str(tmp_path / "set"),
                           etrecord=file(model, "model.etrecord"), workers=1)  # fmt: skip
    notes = [note for note in counts["notes"] if note.startswith("1 trace has delegate calls over several modules")]
    assert len(notes) == (module == "(model)") and all("`etscope inspect --program`" in note for note in notes)
    assert main(["top", "--dataset", str(tmp_path / "set"), "--by", "module"]) == 0
    assert capsys.readouterr().out.startswith(f"{module} takes most")

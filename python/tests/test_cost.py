"""etscope.cost beside the command line: the same numbers, as objects and data frames."""

import json
import os
import subprocess

import pytest
from fixtures import DATA

from etscope import Error, Inspector
from etscope.cost import Cost

MODEL = DATA / "conv_xnnpack" / "model.pte"
RECORD = DATA / "conv_xnnpack" / "model.etrecord"


def test_cost__is_that_of_the_command():
    done = subprocess.run(
        [os.environ.get("ETSCOPE", "etscope"), "cost", MODEL, "--etrecord", RECORD, "-f", "json"],
        stdout=subprocess.PIPE, check=True)  # fmt: skip
    document = json.loads(done.stdout)
    cost = Cost(MODEL, etrecord=RECORD)
    assert cost.headline == document["headline"]
    assert [operator.name for operator in cost.operators] == [
        row["operator"] for row in document["rows"]
    ]
    for operator, row in zip(cost.operators, document["rows"]):
        for name in ("flops", "macs", "ops", "special_ops", "read_bytes", "weight_bytes",
                     "written_bytes", "moved_bytes", "arithmetic", "module", "source", "folded"):  # fmt: skip
            assert getattr(operator, name) == row[name], name
        assert operator.state == row["cost"]


def test_cost__sums_count_no_operator_twice():
    cost = Cost(MODEL)
    call, inside = cost.operators[0], cost.operators[1:]
    assert cost.flops == call.flops == sum(operator.flops for operator in inside)
    assert cost.moved_bytes == call.moved_bytes < sum(o.moved_bytes for o in inside)
    assert cost.not_counted == 0
    assert call.intensity == pytest.approx(call.flops / call.moved_bytes)


def test_cost__groups_are_data_frames():
    cost = Cost(MODEL, etrecord=str(RECORD))
    frame = cost.to_dataframe()
    assert list(frame["flops"]) == [operator.flops for operator in cost.operators]
    by_operator, by_module = cost.by_operator(), cost.by_module(depth=1)
    assert by_operator["operator"][0] == "Conv2d"
    assert by_operator["flops"].sum() == by_module["flops"].sum() == cost.flops


def test_cost__trace_has_rates():
    inspector = Inspector(etdump_path=str(DATA / "conv_portable" / "profile.etdp"),
                          program=str(DATA / "conv_portable" / "model.pte"))  # fmt: skip
    cost = Cost.of_inspector(inspector)
    assert "0.142 MFLOP a run" in cost.headline
    frame = cost.to_dataframe().set_index("name")
    row = frame.loc["addmm.out"]
    assert row["flops"] == 320
    assert row["gflops_per_s"] == pytest.approx(320 / row["p50_ns"])
    with pytest.raises(Error, match="several runs"):
        cost.flops


MACHINE = {
    "etscope_machine": 1, "cpu": "Made", "cores": 1, "caches": [],
    "roofs": [{"program": program, "threads": 1, "working_set_bytes": 10**8, "work": work,
               "time_ns": time, "runs": 50}
              for program, work, time in (("float32", 3, 1), ("add", 5, 1), ("kernel", 1, 2000))],
}  # fmt: skip


def test_cost__an_inspector_against_a_machine(tmp_path):
    folder, path = DATA / "gpt_portable", tmp_path / "machine.json"
    path.write_text(json.dumps(MACHINE))
    done = subprocess.run(
        [os.environ.get("ETSCOPE", "etscope"), "inspect", folder / "profile.etdp", "--program",
         folder / "model.pte", "--etrecord", folder / "model.etrecord", "--machine", path, "-f",
         "json"],
        stdout=subprocess.PIPE, check=True)  # fmt: skip
    document = json.loads(done.stdout)
    inspector = Inspector(etdump_path=str(folder / "profile.etdp"),
                          program=str(folder / "model.pte"),
                          etrecord=str(folder / "model.etrecord"))  # fmt: skip
    for machine in (path, path.read_bytes()):
        cost = Cost(inspector, machine=machine)
        assert document["headline"].endswith(cost.headline.splitlines()[0])
        names = ("verdict", "verdict_reason", "roof", "level", "bound_ns", "of_roof")
        found = sorted(str([getattr(o, name) for name in names])
                       for o in cost.operators if o.verdict is not None)  # fmt: skip
        expected = sorted(str([row[name] for name in names])
                          for row in document["rows"] if row["verdict"] is not None)  # fmt: skip
        assert found == expected
    frame = cost.to_dataframe()
    whole = frame[frame["name"] == "Method::execute"].iloc[0]
    row = next(row for row in document["rows"] if row["operator"] == "Method::execute")
    assert whole["saved_ns"] == pytest.approx(row["mid_ns"] - row["at_roof_ns"])
    assert "verdict" not in Cost(inspector).to_dataframe()


def test_cost__mistakes_of_machines(tmp_path):
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(MACHINE))
    inspector = Inspector(etdump_path=str(DATA / "conv_portable" / "profile.etdp"))
    with pytest.raises(Error, match="not measured with 3 threads") as error:
        Cost(inspector, machine=path, threads=3)
    assert error.value.file == str(path)
    with pytest.raises(Error, match="no measured machine"):
        Cost(inspector, machine=b"{}")
    with pytest.raises(Error, match="holds no roof"):
        Cost(inspector, machine=json.dumps({**MACHINE, "roofs": []}).encode())
    with pytest.raises(Error, match="need a trace"):
        Cost(MODEL, machine=path)
    with pytest.raises(Error, match="its own"):
        Cost(inspector, etrecord=RECORD)


def test_cost__takes_what_is_open():
    from etscope.etrecord import parse_etrecord

    cost = Cost(MODEL.read_bytes(), etrecord=parse_etrecord(str(RECORD)))
    assert cost.headline == Cost(MODEL, etrecord=RECORD).headline


def test_cost__methods_and_mistakes():
    model = DATA / "multi_method" / "model.pte"
    assert {operator.method for operator in Cost(model, method="encode").operators} == {"encode"}
    with pytest.raises(Error) as error:
        Cost(model, method="none")
    assert error.value.status == "NOT_FOUND"
    with pytest.raises(Error) as error:
        Cost(MODEL, etrecord=DATA / "gpt_xnnpack" / "model.etrecord")
    assert error.value.status == "MISMATCH"


def test_cost__unknown_is_none():
    inspector = Inspector(etdump_path=str(DATA / "conv_portable" / "profile.etdp"))
    cost = Cost.of_inspector(inspector)
    kernels = [operator for operator in cost.operators if operator.name == "addmm.out"]
    assert kernels[0].flops is None
    assert kernels[0].state == "unknown"

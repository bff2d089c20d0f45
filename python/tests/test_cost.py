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

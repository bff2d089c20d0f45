"""Inspector.numeric_gap: errors, findings and what can be the reference."""

import importlib.util
import pathlib

import numpy as np
import pytest

from etscope import Error, Inspector, parse_etrecord
from etscope.runtime import Runtime
from fixtures import DATA, MODELS, file, inspect

try:
    Runtime.get()
except Error as error:
    pytest.skip(str(error), allow_module_level=True)

READABLE = [model for model in MODELS if model != "types"]  # a dump that is damaged on purpose
MLP = ["linear", "relu", "linear_1", "softmax"]


def buffer_with_wrong_relu(folder):
    frame = inspect("mlp_portable", "debug").calculate_numeric_gap("MSE")
    relu = frame["runtime_intermediate_output"][1]
    data = (DATA / "mlp_portable" / "debug.bin").read_bytes()
    assert data.count(relu.tobytes()) == 1
    path = folder / "wrong.bin"
    path.write_bytes(data.replace(relu.tobytes(), (relu * 2).tobytes()))
    return str(path)


@pytest.mark.parametrize("model", READABLE)
def test_what_was_recorded_agrees(model):
    frame = inspect(model, "debug").numeric_gap()
    assert len(frame) > 0 and frame["finding"].tolist() == ["agrees"] * len(frame)
    assert "agree" in frame.attrs["finding"]
    assert frame.attrs["guilty"] is None and frame.attrs["notes"] == []
    assert not (frame["own_error"] > frame["threshold"]).any()  # NaN: has to be exact


def test_columns_of_a_row():
    row = inspect("mlp_portable", "debug").numeric_gap().iloc[0]
    assert (row.operator, row.aot_ops, row.runtime_debug_handle) == ("linear", ["linear"], (1,))
    assert (row.runtime_ops, row.captured) == (["native_call_addmm.out"], "addmm.out")
    assert (row.instruction, row.output, row.occurrence) == (1, 0, 0)
    assert (row["shape"], row["dtype"], row.match) == ((2, 32), "float32", "overlap")
    assert (row.source, row.module) == ("models/zoo.py:16", "l1")
    assert (row.ancestors, row.reason, row.computed_by) == ([], None, "kernel")
    assert row["min"] == pytest.approx(row.reference_min, rel=1e-5)


def test_rows_that_upstream_has_not():
    """Each output of split, each time round a loop, the branch that was taken."""
    split = inspect("gpt_xnnpack", "debug").numeric_gap().query("operator == 'split'")
    assert split["output"].tolist() == [0, 1, 2]
    tanh = inspect("map_loop", "debug").numeric_gap().query("operator == 'tanh'")
    assert tanh["occurrence"].tolist() == [0, 1, 2]
    assert inspect("cond", "debug").numeric_gap()["operator"].tolist() == [
        "sum_1", "gt", "linear", "sin", "cond",
    ]  # fmt: skip


def test_the_operator_that_is_wrong_is_named(tmp_path):
    inspector = inspect("mlp_portable", "debug", debug_buffer_path=buffer_with_wrong_relu(tmp_path))
    frame = inspector.numeric_gap()
    assert frame["operator"].tolist() == MLP
    assert frame["finding"][1] == "harmless" and frame["own_error"][1] == pytest.approx(1, rel=1e-4)
    assert frame["total_error"][0] < 1e-6
    assert "; inside, relu (models/zoo.py:16) stands out" in frame.attrs["finding"]  # the output agrees
    assert "worst" in frame.attrs["guilty"]


def test_a_float_original_of_a_quantized_model():
    folder = DATA / "quantized"
    inspector = Inspector(folder / "int8.etdp", etrecord=folder / "int8.etrecord",
                          debug_buffer_path=folder / "int8.bin")  # fmt: skip
    assert inspector.numeric_gap()["finding"].tolist() == ["agrees"]
    frame = inspector.numeric_gap(parse_etrecord(folder / "float.etrecord"))
    (guilty,) = frame.query("finding == 'harmless'").itertuples()
    assert (guilty.operator, guilty.module, guilty.captured) == ("linear", "squeeze", "(computed)")
    assert frame.attrs["finding"].startswith("the output agrees with the other model in float64, off by 0.032 of 0.05")


def test_doubles_show_a_kernels_rounding():
    frame = inspect("mlp_portable", "debug").numeric_gap(use_double=True)
    assert 1e-9 < frame["own_error"][0] < 1e-6


def test_another_trace_as_the_reference(tmp_path):
    right = inspect("mlp_portable", "debug")
    wrong = inspect("mlp_portable", "debug", debug_buffer_path=buffer_with_wrong_relu(tmp_path))
    frame = wrong.numeric_gap(right)
    assert frame["finding"].tolist() == ["agrees", "harmless", "agrees", "agrees"]
    assert frame["own_error"].isna().all()
    assert right.numeric_gap(right)["total_error"].tolist() == [0] * 4


def values_of(inspector):
    frame = inspector.calculate_numeric_gap("MSE")
    return dict(zip(MLP, frame["runtime_intermediate_output"]))


def test_arrays_as_the_reference():
    inspector = inspect("mlp_portable", "debug")
    values = values_of(inspector)
    assert inspector.numeric_gap(values)["total_error"].tolist() == [0] * 4
    frame = inspector.numeric_gap({"relu": [values["relu"] * 3], "softmax": values["relu"]})
    rows = frame.set_index("operator")
    assert rows["reason"]["linear"] == "the reference has no such value"
    assert rows["total_error"]["relu"] == pytest.approx(2 / 3)
    assert rows["reason"]["softmax"] == "captured as [2, 4], but [2, 32] in the reference"
    with pytest.raises(Error):
        inspector.numeric_gap({"relu": np.array(["text"])})


def test_files_as_the_reference(tmp_path):
    inspector = inspect("mlp_portable", "debug")
    for name, value in values_of(inspector).items():
        np.save(tmp_path / f"{name}.npy", value)
    assert inspector.numeric_gap(tmp_path)["total_error"].tolist() == [0] * 4
    (tmp_path / "relu.npy").write_bytes(b"no array")
    with pytest.raises(Error, match="relu.npy") as caught:
        inspector.numeric_gap(tmp_path)
    assert caught.value.status == "WRONG_KIND"
    with pytest.raises(Error, match="no such folder"):
        inspector.numeric_gap(pathlib.Path(tmp_path / "none"))


def test_other_inputs_are_noted():
    record = parse_etrecord(file("mlp_portable", "model.etrecord"))
    (value,) = record._representative_inputs
    frame = inspect("mlp_portable", "debug").numeric_gap(inputs=[value + 1])
    assert frame["finding"][0] != "agrees"


def test_the_edge_program_where_the_exported_one_is_of_another_method():
    inspector = inspect("multi_method", "debug", program=file("multi_method", "model.bpte"))
    with pytest.warns(UserWarning, match="compared with the edge program") as warned:
        frame = inspector.numeric_gap(run=1)
    assert frame.attrs["notes"] == [str(each.message) for each in warned]
    assert frame["operator"].tolist() == ["aten_permute_copy_default", "aten_addmm_default"]
    assert frame["finding"].tolist() == ["agrees"] * 2


def test_what_cannot_be_a_reference():
    inspector = inspect("mlp_portable", "debug")
    with pytest.raises(TypeError, match="a reference is the name of a graph"):
        inspector.numeric_gap(1)
    with pytest.raises(Error, match="no graph 'other'"):
        inspector.numeric_gap("other")
    if importlib.util.find_spec("executorch") is None:
        with pytest.raises(Error, match="needs torch and executorch") as caught:
            inspector.numeric_gap("torch")
        assert caught.value.status == "UNAVAILABLE"

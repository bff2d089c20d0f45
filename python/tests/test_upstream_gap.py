"""calculate_numeric_gap beside what upstream gave for the same files; skipped without an engine."""

import concurrent.futures
import importlib.util
import json
import math
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from etscope import Error, Inspector, numerics, parse_etrecord
from etscope._library import ffi, lib
from etscope.inspector import _gap
from etscope.inspector.numerical_comparator import NumericalComparatorBase
from etscope.runtime import Runtime
from fixtures import DATA, MODELS, file, golden, inspect
from made import record

try:
    Runtime.get()
except Error as error:
    pytest.skip(str(error), allow_module_level=True)

COLUMNS = [
    "aot_debug_handle", "aot_ops", "aot_intermediate_output", "runtime_ops",
    "runtime_debug_handle", "runtime_intermediate_output", "gap", "stacktraces",
]  # fmt: skip
COMPARED = [
    model for model in MODELS if isinstance((golden(model).get("gap") or {}).get("MSE"), list)
]
GOLDEN_ROWS = 70
DECODE = 1  # a run of multi_method
MLP_ROWS = [["linear"], ["relu"], ["linear_1"], ["softmax"]]
ATEN, EDGE = "exported_program", "edge_dialect_exported_program"


def check_output(value, expected):
    assert type(value) is np.ndarray
    assert f"torch.{value.dtype}" == expected["dtype"] and list(value.shape) == expected["shape"]
    found = value.ravel()[: len(expected["data"])]
    np.testing.assert_allclose(found, expected["data"], rtol=1e-4, atol=1e-5)


def check_gap(distance, gap, expected, reference):
    """golden.json has 10 decimals, and null for infinities."""
    power = float(np.mean(np.square(np.float64(reference))))
    if distance == "MSE":
        assert abs(gap - expected) <= 1e-9 * (power + expected) + 1e-10
    elif distance == "L1":
        assert abs(gap - expected) <= 1e-6 * np.abs(np.float64(reference)).sum() + 1e-10
    elif expected is None or expected > 100:
        assert not gap <= 100
    else:
        assert abs(gap - expected) < 0.1


@pytest.mark.parametrize("distance", ["MSE", "L1", "SNR"])
@pytest.mark.parametrize("model", COMPARED)
def test_rows_and_numbers_are_upstreams(model, distance):
    frame = inspect(model, "debug").calculate_numeric_gap(f" {distance.lower()} ")
    rows = golden(model)["gap"][distance]
    assert list(frame.columns) == COLUMNS and len(frame) == len(rows)
    for row, expected in zip(frame.itertuples(), rows):
        handle = tuple(expected["aot_debug_handle"])
        assert row.aot_debug_handle == row.runtime_debug_handle == handle
        assert row.aot_ops == expected["aot_ops"] and row.runtime_ops == expected["runtime_ops"]
        assert row.stacktraces == expected["stacktraces"]
        check_output(row.runtime_intermediate_output, expected["runtime_intermediate_output"])
        check_output(row.aot_intermediate_output, expected["aot_intermediate_output"])
        assert len(row.gap) == len(expected["gap"]) == 1
        check_gap(distance, row.gap[0], expected["gap"][0], row.aot_intermediate_output)


@pytest.mark.parametrize("scheme", ["8da4w", "8da8w", "int4_weights", "int8_weights"])
def test_rows_of_weights_that_torchao_quantized_are_upstreams(scheme):
    path = DATA / "torchao" / scheme
    inspector = Inspector(
        f"{path}.etdp", etrecord=f"{path}.etrecord", debug_buffer_path=f"{path}.bin"
    )
    goldens = json.loads((DATA / "torchao" / "gaps.json").read_text())[scheme]
    for distance, rows in goldens.items():
        frame = inspector.calculate_numeric_gap(distance)
        assert len(frame) == len(rows)
        for row, expected in zip(frame.itertuples(), rows):
            assert list(row.aot_debug_handle) == expected["aot_debug_handle"]
            assert row.aot_ops == expected["aot_ops"] and row.runtime_ops == expected["runtime_ops"]
            check_gap(distance, row.gap[0], expected["gap"][0], row.aot_intermediate_output)


def leaves(values):
    """What lists, tuples and dicts hold, dicts in the order of their items."""
    if isinstance(values, dict):
        values = values.values()
    elif not isinstance(values, (list, tuple)):
        return [values]
    return [leaf for value in values for leaf in leaves(value)]


@pytest.mark.parametrize("form", ["keywords", "cases", "surplus"])
def test_inputs_in_lists_and_dicts_are_their_leaves(form, tmp_path):
    folder = DATA / "nested"
    record = parse_etrecord(folder / f"{form}.etrecord")
    inputs = leaves(record._representative_inputs)[:3]
    program = Runtime.get().load_program(
        folder / "model.pte", enable_etdump=True, debug_buffer_size=10**5
    )
    (output,) = program.load_method("forward").execute(inputs)
    assert output.tobytes() == (folder / "expected.bin").read_bytes()
    paths = tmp_path / "t.etdp", tmp_path / "t.bin"
    program.write_etdump_result_to_file(*paths)
    inspector = Inspector(paths[0], etrecord=record, debug_buffer_path=paths[1])
    assert [row[0] for row in inspector.calculate_numeric_gap("MSE")["gap"]] == [0, 0, 0]


def test_all_golden_rows_are_compared():
    assert sum(len(golden(model)["gap"]["MSE"]) for model in COMPARED) == GOLDEN_ROWS


class RootMeanSquare(NumericalComparatorBase):
    def element_compare(self, a, b):
        return numerics.compare(a, b).rmse


class FirstRow(NumericalComparatorBase):
    """Compares the first row of each output, and says at which operators it was asked."""

    def preprocessing(self, mapping):
        self.ran = self.inspector.event_blocks[1].name
        return {
            (handle, reference[:1].view()): (other, value[:1])
            for (handle, reference), (other, value) in mapping.items()
        }

    def element_compare(self, a, b):
        assert a.shape[0] == b.shape[0] == 1
        return float(np.abs(a - b).max())


def test_a_distance_of_ones_own():
    inspector = inspect("mlp_portable", "debug")
    frame = inspector.calculate_numeric_gap(RootMeanSquare())
    assert frame["aot_ops"].tolist() == MLP_ROWS and list(frame.columns) == COLUMNS
    squares = inspector.calculate_numeric_gap("MSE")["gap"]
    assert [gap[0] ** 2 for gap in frame["gap"]] == pytest.approx([gap[0] for gap in squares])


def test_preprocessing_sees_the_inspector_and_changes_what_is_compared():
    comparator = FirstRow()
    frame = inspect("mlp_portable", "debug").calculate_numeric_gap(comparator)
    assert comparator.ran == "Execute"
    assert [value.shape[0] for value in frame["aot_intermediate_output"]] == [1] * 4
    assert all(type(value) is np.ndarray for value in frame["runtime_intermediate_output"])
    assert all(gap[0] < 1e-6 for gap in frame["gap"])


def test_what_is_no_distance():
    inspector = inspect("mlp_portable", "debug")
    with pytest.raises(ValueError, match="no distance 'MAE'"):
        inspector.calculate_numeric_gap("MAE")
    for distance in (1, None, RootMeanSquare):
        with pytest.raises(TypeError, match="a distance is a name or an object"):
            inspector.calculate_numeric_gap(distance)


def test_a_wrong_output_shows(tmp_path):
    right = inspect("mlp_portable", "debug").calculate_numeric_gap("MSE")
    relu = right["runtime_intermediate_output"][1]
    data = (DATA / "mlp_portable" / "debug.bin").read_bytes()
    assert data.count(relu.tobytes()) == 1
    buffer = tmp_path / "debug.bin"
    buffer.write_bytes(data.replace(relu.tobytes(), (relu + 2).tobytes()))
    inspector = inspect("mlp_portable", "debug", debug_buffer_path=str(buffer))
    wrong = inspector.calculate_numeric_gap("MSE")
    assert wrong["gap"][1][0] == pytest.approx(4, rel=1e-5)
    assert [wrong["gap"][i] for i in (0, 2, 3)] == [right["gap"][i] for i in (0, 2, 3)]


@pytest.mark.parametrize("name", [EDGE, "edge", f"{EDGE}/forward"])
def test_the_edge_program_as_the_reference(name):
    frame = inspect("mlp_portable", "debug").calculate_numeric_gap("SNR", reference_graph=name)
    assert frame["aot_ops"][0] == ["aten_permute_copy_default", "aten_addmm_default"]
    assert all(not gap[0] <= 100 for gap in frame["gap"])


def test_multi_output_operators_have_rows_of_the_exported_program_alone():
    """Upstream drops what gives several tensors: layer_norm does in the edge program."""
    inspector = inspect("gpt_portable", "debug")
    aten, edge = (
        [op for ops in inspector.calculate_numeric_gap("L1", reference_graph=name)["aot_ops"]
         for op in ops]
        for name in (ATEN, EDGE)
    )  # fmt: skip
    assert any(op.startswith("layer_norm") for op in aten)
    assert not any("layer_norm" in op for op in edge)


def test_a_call_does_not_depend_on_those_before():
    inspector = inspect("gpt_portable", "debug")
    first, second = (inspector.calculate_numeric_gap("L1") for _ in range(2))
    assert first["gap"].tolist() == second["gap"].tolist()


def test_conditions_are_compared():
    """Upstream: KeyError 'debug_handle'."""
    frame = inspect("cond", "debug").calculate_numeric_gap("SNR")
    assert frame["aot_ops"].tolist() == [["sum_1"], ["gt"]]
    assert [gap[0] > 100 or math.isnan(gap[0]) for gap in frame["gap"]] == [True, True]


def input_of(method):
    return [np.load(DATA / "multi_method" / "inputs" / f"{method}.0.0.npy")]


def test_methods_are_not_mixed_up():
    """Upstream: AttributeError; and handles of one method are those of others, too."""
    inspector = inspect("multi_method", "debug")
    frame = inspector.calculate_numeric_gap("SNR")
    assert frame["runtime_ops"].tolist() == [
        ["native_call_addmm.out"], ["native_call_tanh.out"], ["native_call_addmm.out"],
    ]  # fmt: skip
    assert all(not gap[0] <= 100 for gap in frame["gap"])
    with pytest.raises(Error, match="inputs of the method forward alone, and decode ran") as caught:
        inspector.calculate_numeric_gap("SNR", run=DECODE)
    assert caught.value.status == "NOT_FOUND"
    with pytest.warns(UserWarning, match="the ATen program is of another method|edge program"):
        frame = inspector.calculate_numeric_gap("SNR", run=DECODE, inputs=input_of("decode"))
    assert len(frame) == 1 and not frame["gap"][0][0] <= 100
    bundled = inspect("multi_method", "debug", program=file("multi_method", "model.bpte"))
    with pytest.warns(UserWarning, match="edge program"):
        again = bundled.calculate_numeric_gap("SNR", run=DECODE)
    assert again["gap"].tolist() == frame["gap"].tolist()


@pytest.mark.parametrize("entry", [f"{EDGE}/forward", "exported_program", "debug_handle_map"])
def test_damage_in_the_record_is_blamed_on_it(entry, tmp_path):
    damaged = tmp_path / "damaged.etrecord"
    damaged.write_bytes(record(file("mlp_portable", "model.etrecord"), **{entry: b'{"x'}))
    with pytest.raises(Error) as caught:
        inspect("mlp_portable", "debug", etrecord=str(damaged)).calculate_numeric_gap("MSE")
    assert caught.value.file == str(damaged) and entry in str(caught.value)


class Reusing:
    """The library, which meets other bundles where one was given up too early."""

    def __getattr__(self, name):
        return getattr(lib, name)

    def ets_bundle_case(self, suite, number, case):
        others = [ffi.new("struct ets_bundle *") for _ in range(1000)]
        assert suite.bundle not in others
        lib.ets_bundle_case(suite, number, case)


def test_a_bundle_lives_as_long_as_its_cases(monkeypatch):
    monkeypatch.setattr(_gap, "lib", Reusing())
    bundled = inspect("multi_method", "debug", program=file("multi_method", "model.bpte"))
    with pytest.warns(UserWarning, match="edge program"):
        assert len(bundled.calculate_numeric_gap("SNR", run=DECODE)) == 1


def lossy_record():
    """Of mlp_portable; one node of the edge program does not lead back to the exported one."""
    path, entry = file("mlp_portable", "model.etrecord"), f"{EDGE}/forward"
    with zipfile.ZipFile(path) as archive:
        program = json.loads(archive.read(entry))
    nodes = program["graph_module"]["graph"]["nodes"]
    (relu,) = (node for node in nodes if "relu" in node["target"])
    assert relu["metadata"].pop("from_node")
    return parse_etrecord(record(path, **{entry: program}))


def test_handles_that_do_not_lead_back():
    inspector = inspect("mlp_portable", "debug", etrecord=lossy_record())
    with pytest.warns(UserWarning, match="compared with the edge program: some") as warned:
        frame = inspector.calculate_numeric_gap("MSE")
    assert [each.filename for each in warned] == [__file__]
    assert frame["aot_ops"][1] == ["aten_relu_default"]
    with pytest.raises(Error, match="exported_program cannot be the reference: some") as caught:
        inspector.calculate_numeric_gap("MSE", reference_graph=ATEN)
    assert caught.value.status == "MISMATCH"
    for name in (None, ATEN):
        frame = inspector.calculate_numeric_gap("MSE", True, name)
        assert frame["aot_ops"].tolist() == [["linear"], ["linear_1"], ["softmax"]]


def test_the_disabled_check_without_an_exported_program():
    old = parse_etrecord(record(file("mlp_portable", "model.etrecord"), exported_program=None))
    inspector = inspect("mlp_portable", "debug", etrecord=old)
    with pytest.warns(UserWarning, match="edge program: the record has no ATen program"):
        frame = inspector.calculate_numeric_gap("MSE", True)
    assert frame["aot_ops"][1] == ["aten_relu_default"]
    for is_disabled in (False, True):
        with pytest.raises(Error, match="no ATen program|no graph 'exported_program'"):
            inspector.calculate_numeric_gap("MSE", is_disabled, ATEN)


def without_inputs():
    return record(file("mlp_portable", "model.etrecord"), representative_inputs=None)


FAILURES = [
    ({"etrecord": None}, {}, "NOT_FOUND", "give the Inspector one, as etrecord="),
    ({"debug_buffer_path": None}, {}, "NOT_FOUND", "give the Inspector their file, as debug_buff"),
    ({}, {"reference_graph": "none"}, "NOT_FOUND", "no graph 'none'; the record has .*exported_pr"),
    ({}, {"inputs": []}, "INVALID_ARGUMENT", "input"),
    ({}, {"inputs": [np.zeros((2, 3), "f4")]}, "INVALID_ARGUMENT", "input"),
    ({}, {"inputs": ["text"]}, "INVALID_ARGUMENT", "input 0: an input is an array"),
    ({}, {"run": 99}, "NOT_FOUND", "run 99 captured no values"),
]


@pytest.mark.filterwarnings("ignore:the trace refers")
@pytest.mark.parametrize("options, arguments, status, message", FAILURES)
def test_what_is_missing_is_said(options, arguments, status, message):
    inspector = inspect("mlp_portable", "debug", **options)
    with pytest.raises(Error, match=message) as caught:
        inspector.calculate_numeric_gap("MSE", **arguments)
    assert caught.value.status == status and "\n" not in str(caught.value)


def test_a_record_without_inputs():
    inspector = inspect("mlp_portable", "debug", etrecord=parse_etrecord(without_inputs()))
    with pytest.raises(Error, match="no representative inputs: give inputs=") as caught:
        inspector.calculate_numeric_gap("MSE")
    assert caught.value.status == "NOT_FOUND"
    inputs = parse_etrecord(file("mlp_portable", "model.etrecord"))._representative_inputs
    assert inspector.calculate_numeric_gap("MSE", inputs=inputs)["aot_ops"].tolist() == MLP_ROWS


def test_a_trace_that_captured_nothing():
    inspector = inspect("mlp_portable", debug_buffer_path=file("mlp_portable", "debug.bin"))
    with pytest.raises(Error, match=r"captured no values; Runtime\.load_program\(") as caught:
        inspector.calculate_numeric_gap("MSE")
    assert caught.value.status == "NOT_FOUND"


def test_without_an_engine_it_is_said_how_to_get_one():
    script = f"""
import os
os.environ["ETSCOPE_ENGINE"] = "/nowhere/engine.so"
from etscope import Error, Inspector
inspector = Inspector({file("mlp_portable", "debug.etdp")!r},
                      etrecord={file("mlp_portable", "model.etrecord")!r},
                      debug_buffer_path={file("mlp_portable", "debug.bin")!r})
try:
    inspector.calculate_numeric_gap("MSE")
except Error as error:
    print(error.status, error)
"""
    found = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True,
                           universal_newlines=True).stdout  # fmt: skip
    assert found.startswith("UNAVAILABLE") and "ETSCOPE_ENGINE: engine" in found


def test_threads_compare_with_each_others_records():
    inspectors = [inspect("mlp_portable", "debug"), inspect("mlp_xnnpack", "debug")]
    expected = [each.calculate_numeric_gap("L1")["gap"].tolist() for each in inspectors]

    def compare(number):
        inspectors[number % 2].numeric_gap(inspectors[1 - number % 2])
        return inspectors[number % 2].calculate_numeric_gap("L1")["gap"].tolist()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(compare, range(16))) == expected * 8


def test_what_fails_while_values_are_taken_is_raised():
    if importlib.util.find_spec("torch") is not None:
        pytest.skip("torch is installed")
    with pytest.raises(ModuleNotFoundError, match="torch"):
        inspect("mlp_portable", "debug", tensors="torch").calculate_numeric_gap("SNR")


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    frame = inspect("mlp_portable", "debug", tensors="torch").calculate_numeric_gap("SNR")
    for name in ("aot_intermediate_output", "runtime_intermediate_output"):
        assert all(type(value) is torch.Tensor for value in frame[name])
    plain = inspect("mlp_portable", "debug").calculate_numeric_gap("SNR")
    assert frame["gap"].tolist() == plain["gap"].tolist()

"""Taps: numbers and rows as upstream gave them; beside upstream itself where it is installed."""

import importlib.util
import math
import types

import numpy as np
import pytest

from etscope import Error, parse_etrecord
from etscope.intermediate_output_tap import (
    FULL_TENSOR, STATS, StatReducer, TapSpec, _graphs, compare_aot_runtime_dataframe,
    find_tap_nodes, get_reducer, select_all, select_all_call_function, select_any,
    select_by_module_class, select_by_module_path, select_by_op_type, select_not, tap_compare,
)  # fmt: skip
from fixtures import file

HAS_TAPS = all(map(importlib.util.find_spec, ("torch", "executorch")))

VALUES = np.array([[0.0, -1.5, 2.25, 4.0], [0.5, -0.125, 0.0, -3.0]], np.float32)


def named(target):
    def function():
        pass

    function.__name__ = target
    return function


def node(name, target, stack=(), op="call_function", users=()):
    stack = {str(i): entry for i, entry in stack}
    return types.SimpleNamespace(name=name, op=op, target=target, users=list(users),
                                 meta={"nn_module_stack": stack} if stack else {})  # fmt: skip


# The model, its layer and the layer's norm; the last node is the model's alone.
LAYER = [(0, ("", "Model")), (1, ("layers.0", "my.pkg.Layer"))]
LAST = node("add", "aten.add.Tensor", LAYER[:1])
OUT = node("mul", "aten.mul.Tensor", LAYER, users=[LAST])
NORM = node("norm", "aten.rms_norm.default", [*LAYER, (2, ("layers.0.norm", type("Norm", (), {})))],
            users=[OUT])  # fmt: skip
ITEM = node("getitem", named("getitem"))
INPUT = node("x", "x", op="placeholder")
NODES = [INPUT, ITEM, NORM, OUT, LAST]


@pytest.mark.parametrize("selector, expected", [
    (select_all_call_function(), "norm mul add"),
    (select_all_call_function(exclude=("aten.mul.Tensor",)), "getitem norm add"),
    (select_by_op_type("mul.Tensor", "aten.add.Tensor"), "mul add"),
    (select_by_module_path("layers.*"), "mul"),
    (select_by_module_path("layers.0"), "mul"),
    (select_by_module_path("layers.?", output_only=False), "norm mul"),
    (select_by_module_path("LAYERS.0"), ""),
    (select_by_module_class("Layer", "Norm"), "mul"),
    (select_by_module_class("Norm"), "norm"),
    (select_by_module_class("Model", output_only=False), "norm mul add"),
    (select_any(select_by_op_type("add.Tensor"), select_by_module_class("Norm")), "norm add"),
    (select_any(), ""),
    (select_all(), "x getitem norm mul add"),
    (select_all(select_all_call_function(), select_not(select_by_op_type("Tensor"))), "norm"),
])  # fmt: skip
def test_selectors(selector, expected):
    assert " ".join(n.name for n in NODES if selector(n)) == expected


@pytest.mark.parametrize(
    "make", [select_by_op_type, select_by_module_path, select_by_module_class]
)
def test_a_selector_of_nothing_is_an_error(make):
    with pytest.raises(ValueError, match=make.__name__):
        make()


def test_nodes_of_a_record():
    graph = parse_etrecord(file("mlp_portable", "model.etrecord")).edge_dialect_program
    nodes = graph.graph_module.graph.nodes
    linear = select_by_op_type("aten.addmm.default")
    inside = select_by_module_path("*l1", output_only=False)
    assert len([n for n in nodes if linear(n)]) == 2
    assert [n.name for n in nodes if select_all(linear, inside)(n)] == ["aten_addmm_default"]
    with pytest.raises(Error, match="output_only=False"):
        [n for n in nodes if select_by_module_path("*l1")(n)]


def test_numbers_of_a_value():
    expected = [-3.0, 4.0, 0.265625, 4.0, 1.421875, 2.00042724609375, 2.0179855823516846, 11.375,
                5.7077250480651855, 0.0, 0.0, 2.0, 4.0]  # fmt: skip
    found = STATS.eager(VALUES)
    assert found.dtype == np.float32 and len(STATS.fields) == len(found)
    assert found == pytest.approx(expected, rel=1e-6)
    of_integers = [-150.0, 149.0, -0.5, 150.0, 75.0, 86.60205841064453, 86.60350036621094, 22500.0,
                   1500.0167236328125, 0.0, 0.0, 1.0, 149.0]  # fmt: skip
    integers = STATS.eager(np.arange(-150, 150, dtype=np.int32))
    assert integers == pytest.approx(of_integers, rel=1e-6)
    broken = dict(zip(STATS.fields, STATS.eager(np.array([np.nan, np.inf, 0, 1]))))
    assert (broken["nan_count"], broken["inf_count"], broken["zero_count"]) == (1, 1, 1)
    assert math.isnan(broken["max"])
    with pytest.raises(ValueError, match="without elements"):
        STATS.eager(np.empty(0))
    assert FULL_TENSOR.eager(VALUES) is VALUES
    assert FULL_TENSOR.emit(None, "node") == "node"


def test_reducers_by_name():
    assert get_reducer("STATS") is STATS and get_reducer("FULL_TENSOR") is FULL_TENSOR
    own = StatReducer("OWN", ("p",), None, None)
    assert get_reducer(own) is own
    with pytest.raises(ValueError, match="no reducer 'stats'"):
        get_reducer("stats")


def test_rows_beside_each_other():
    specs = [TapSpec("a", "aten.x", 0, "FULL_TENSOR", ()),
             TapSpec("b", "aten.y", 1, "OWN", ("p", "q"), module_path="m", module_class="M"),
             TapSpec("c", "aten.z", 2, "OWN", ())]  # fmt: skip
    aot = [VALUES, np.array([1.0, 2.0]), [3, [4.5]]]
    frame = compare_aot_runtime_dataframe(specs, aot, [VALUES + np.float32(0.01), [1.5], 3])
    rows = frame.to_dict("records")
    assert rows[0]["sqnr_db"] == pytest.approx(46.10410690307617, rel=1e-6)
    assert (rows[0]["aot_numel"], rows[0]["rt_numel"]) == (8, 8)
    assert [rows[1][name] for name in ("aot_p", "rt_p", "aot_q", "module_path")] == [1, 1.5, 2, "m"]
    assert math.isnan(rows[1]["rt_q"])
    assert [rows[2][name] for name in ("aot_v0", "aot_v1", "rt_v0")] == [3, 4.5, 3]
    same = compare_aot_runtime_dataframe(specs[:1], aot, aot)
    assert same["sqnr_db"][0] == math.inf


def test_taps_of_a_graph():
    tap = node("tap", "<EdgeOpOverload: executorch_devtools.tap.Tensor>: schema = ...")
    module = types.SimpleNamespace(graph=types.SimpleNamespace(nodes=[*NODES, tap]))
    assert find_tap_nodes(module) == [tap]


def test_what_to_do_without_upstream(monkeypatch):
    def missing(name):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(_graphs.importlib, "import_module", missing)
    for call in (lambda: tap_compare(None, ()), lambda: STATS.emit(None, None)):
        with pytest.raises(Error, match="etscope tap MODEL.pte") as raised:
            call()
        assert raised.value.status == "UNAVAILABLE"


@pytest.mark.skipif(not HAS_TAPS, reason="torch and executorch are not installed")
@pytest.mark.filterwarnings("ignore")
def test_beside_upstream():
    torch = pytest.importorskip("torch")
    pandas = pytest.importorskip("pandas")
    theirs = pytest.importorskip("executorch.devtools.intermediate_output_tap")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
    inputs = (torch.randn(2, 8),)
    selector = select_by_op_type("linear.default")
    for rules, same in ((None, None), ((selector, FULL_TENSOR), (selector, "FULL_TENSOR"))):
        frame, specs = tap_compare(model.eval(), inputs, rules=rules)
        expected, their_specs = theirs.tap_compare(model, inputs, rules=same)
        pandas.testing.assert_frame_equal(frame, expected)
        assert [vars(spec) for spec in specs] == [vars(spec) for spec in their_specs]
        flat = [inputs[0]] * (1 + len(specs))
        noisy = [value + 0.01 for value in flat]
        pandas.testing.assert_frame_equal(
            compare_aot_runtime_dataframe(specs, flat, noisy),
            theirs.compare_aot_runtime_dataframe(their_specs, flat, noisy), rtol=1e-5,
        )  # fmt: skip
    for value in (torch.randn(37, 11), torch.randn(500).half(), torch.arange(9)):
        assert torch.equal(STATS.eager(value), theirs.STATS.eager(value))

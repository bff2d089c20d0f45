"""generate_memory_trace, entry by entry beside what executorch 1.5.1 wrote for the same graphs."""

import json
import lzma
from types import SimpleNamespace

import pytest

from etscope.util.activation_memory_profiler import generate_memory_trace
from fixtures import DATA

GOLDEN = json.loads(lzma.open(DATA / "memory_traces" / "golden.json.xz").read())
OPTIONS = {"default": {}, "offsets": {"enable_memory_offsets": True}, "bare": {"ommit_metadata": True}}


class Target:
    """A graph's target: a name to print, and a function of executorch.exir.memory or none."""

    def __init__(self, text, memory):
        self.text = text
        self.__name__ = memory
        self.__module__ = "executorch.exir.memory" if memory else "torch"

    def __str__(self):
        return self.text


def graph_of(nodes):
    specs = {}

    def spec_of(told):
        if told is None:
            return None
        told = dict(told, dtype=SimpleNamespace(itemsize=told["itemsize"]))
        return specs.setdefault(told["number"], SimpleNamespace(**told))

    def node_of(told):
        spec = told["spec"]
        meta = {"spec": [spec_of(s) for s in spec] if isinstance(spec, list) else spec_of(spec)}
        if told["module"] is not None:
            meta["nn_module_stack"] = {"inner": (told["module"], "Module")}
        meta["stack_trace"] = told["stack_trace"]
        target = Target(told["target"], told["memory"])
        return SimpleNamespace(name=told["name"], op=told["op"], target=target, meta=meta)

    return SimpleNamespace(nodes=[node_of(node) for node in nodes])


class Manager:
    def __init__(self, methods):
        self.graphs = methods

    def exported_program(self, method_name="forward"):
        return SimpleNamespace(graph=self.graphs[method_name])


def test_golden_has_models():
    assert {g["model"] for g in GOLDEN} >= {"mlp_portable", "cond", "types", "gpt_xnnpack"}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda g: f"{g['model']}-{g['method']}")
def test_trace_is_upstreams(golden, options, tmp_path):
    manager = Manager({golden["method"]: graph_of(golden["graph"])})
    path = tmp_path / "trace.json"
    generate_memory_trace(manager, str(path), method_name=golden["method"], **OPTIONS[options])
    assert path.read_text() == golden["traces"][options]


def test_other_types_are_refused(tmp_path):
    with pytest.raises(ValueError, match="ExecutorchProgramManager"):
        generate_memory_trace(b"program", str(tmp_path / "trace.json"))


def test_unplanned_graphs_are_refused(tmp_path):
    node = SimpleNamespace(name="x", op="placeholder", target="x", meta={})
    manager = Manager({"forward": SimpleNamespace(nodes=[node])})
    with pytest.raises(ValueError, match="no planned memory"):
        generate_memory_trace(manager, str(tmp_path / "trace.json"))
    assert not (tmp_path / "trace.json").exists()

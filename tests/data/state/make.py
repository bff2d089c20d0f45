"""Makes the fixture: programs whose methods keep one buffer, shared by all or each its own.

    python make.py FOLDER ETSCOPE     (a Python with torch and executorch; etscope with its engine)

FOLDER gets shared.pte, whose memory is planned with share_mutable_buffers, and own.pte, without it;
constant.pte is shared.pte with a method that returns a constant and has no planned memory;
changed.pte and its record have a method that reads the state which another sets, by operators;
set.etdp is a trace of its set_state, which does nothing but write the state back. cache.pte, its
record and a trace of five runs keep the mean of what went in, in a buffer of 8 floats; stepped.etdp
is one of four runs on ones, with tensors (stepped.bin).
Upstream's runtime gives for set_state(5), get_state(), forward(1), get_state() on them what
EXPECTED says; making fails where it does not.
"""

import subprocess
import sys
from pathlib import Path

import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass
from executorch.runtime import Runtime

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fixture_files import save_record

EXPECTED = {"shared": [5.0, 12.0, 6.0], "constant": [5.0, 12.0, 6.0], "own": [0.0, 2.0, 0.0]}


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(1))

    def add(self, x):
        return self.state.add_(x) * 2

    def set_state(self, value):
        self.state.copy_(value)

    def get_state(self):
        return self.state

    def get_double(self):
        return torch.relu(self.state * 2)


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(8))

    def forward(self, x):
        self.cache.copy_((self.cache + x) * 0.5)
        return torch.relu(self.cache)


def export(model, method, inputs):
    model.forward = method
    return torch.export.export(model, inputs, strict=True)


def main():
    folder = Path(sys.argv[1])
    model = Counter().eval()
    programs = {"forward": export(model, model.add, (torch.ones(1),)),
                "set_state": export(model, model.set_state, (torch.zeros(1),)),
                "get_state": export(model, model.get_state, ())}
    for name, expected in EXPECTED.items():
        planning = MemoryPlanningPass(share_mutable_buffers=name != "own")
        constants = {"a_limit": 7} if name == "constant" else None
        program = to_edge(programs, constant_methods=constants).to_executorch(
            ExecutorchBackendConfig(memory_planning_pass=planning))
        (folder / f"{name}.pte").write_bytes(program.buffer)
        loaded = Runtime.get().load_program(program.buffer)
        methods = {each: loaded.load_method(each) for each in programs}
        methods["set_state"].execute([torch.full((1,), 5.0)])
        found = [methods["get_state"].execute([])[0].item(),
                 methods["forward"].execute([torch.ones(1)])[0].item(),
                 methods["get_state"].execute([])[0].item()]
        assert found == expected, (name, found)
    write_changed(folder, model)
    write_cache(folder)
    for words in (["changed", "set", "--method", "set_state"], ["cache", "cache", "--runs", "5"],
                  ["cache", "stepped", "--runs", "4", "--inputs", "ones", "--capture",
                   "intermediates", "--debug-buffer", "stepped.bin"]):
        write_trace(folder, *words)


def write_trace(folder, program, name, *words):
    subprocess.run([sys.argv[2], "run", f"{program}.pte", "--etrecord", f"{program}.etrecord",
                    *words, "-o", f"{name}.etdp"], cwd=folder, check=True)


def write_cache(folder):
    edge = to_edge(torch.export.export(Cache().eval(), (torch.ones(8),)), generate_etrecord=True)
    program = edge.to_executorch()
    save_record(program.get_etrecord(), folder / "cache.etrecord", Path(__file__).parent)
    (folder / "cache.pte").write_bytes(program.buffer)


def write_changed(folder, model):
    programs = {"set_state": export(model, model.set_state, (torch.zeros(1),)),
                "get_double": export(model, model.get_double, ())}
    edge = to_edge(programs, generate_etrecord=True)
    program = edge.to_executorch(ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(share_mutable_buffers=True)))
    save_record(program.get_etrecord(), folder / "changed.etrecord", Path(__file__).parent)
    (folder / "changed.pte").write_bytes(program.buffer)


if __name__ == "__main__":
    main()

"""Lifetimes of `etscope memory` beside those of executorch's memory planner, tensor by tensor.

data/lifetimes/planner.json has the instructions that the nodes of each `spec.lifetime` became.
docs/compatibility.md explains the differences.
"""

import json
import unittest

import support
from support import DATA

# Where they differ: model, value, what etscope finds, why it is right.
DIFFERENCES = {
    ("cond", 4): (["0..4", "8..9"], "the branches read it at 4 and 9; only one of them runs"),
    ("cond", 9): (["1..2"], "the condition is read by the jump, before the branches"),
    ("cond", 11): ([], "a move makes it the result of a branch; its own bytes are never written"),
    ("cond", 19): (["5..7"], "the result of a branch, which a move makes the output"),
    ("gpt_xnnpack", 77): (["22..22"], "nothing reads it; the graph takes it out of a tuple later"),
    ("gpt_xnnpack", 78): (["22..22"], "nothing reads it; the graph takes it out of a tuple later"),
    ("map_loop", 1): (["0..8"], "the loop reads it; instruction 9 only resets a counter"),
    ("map_loop", 2): (["1..9"], "the loop writes it; instruction 0 only asks for a size"),
    ("map_loop", 7): (["1..4"], "instruction 1, which writes it, is no node of the body's graph"),
}


def found(model):
    """Lifetimes of planned tensors, by method and value."""
    done = support.run("memory", DATA / model / "model.pte", "--no-siblings", "--all", "--format", "json")
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    return {(row["method"], row["value"]): row["lifetime"] for row in support.json_rows(done.stdout)
            if row["memory_id"] is not None}


class MemoryPlanner(unittest.TestCase):
    def test_memory__lifetimes_are_those_of_the_planner(self):
        compared, different = 0, set()
        for model, methods in json.loads((DATA / "lifetimes" / "planner.json").read_text()).items():
            rows = found(model)
            for method, values in methods.items():
                known = {value for name, value in rows if name == method}
                self.assertEqual(known, set(map(int, values)), model)
                for value, span in values.items():
                    compared += 1
                    lifetime, model_value = rows[method, int(value)], (model, int(value))
                    if lifetime == [f"{span[0]}..{span[1]}"]:
                        continue
                    different.add(model_value)
                    expected, why = DIFFERENCES.get(model_value, (None, "not explained"))
                    self.assertEqual(lifetime, expected, f"{model_value}: {why}")
        self.assertEqual(different, set(DIFFERENCES))
        self.assertEqual(compared, 327)


if __name__ == "__main__":
    unittest.main()

"""`export`: traces of other runtimes, and what export says of files that it cannot write."""

import json
import unittest

import support


class Exported(support.FolderTest):
    def put(self, name, text):
        path = self.folder / name
        path.write_text(text if isinstance(text, str) else json.dumps(text, separators=(",", " : ")))
        return path

    def export(self, form, *words):
        done = support.run("export", *words, "--to", form, "-o", "-")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return done.stdout

    def slices(self, *words):
        found = json.loads(self.export("chrome", *words))
        return [event for event in found["traceEvents"] if event["ph"] == "X"]


def node(name, start, lasted, operator="Gemm"):
    return {"cat": "Node", "pid": 1, "tid": 1, "ts": start, "dur": lasted, "ph": "X",
            "name": name + "_kernel_time", "args": {"op_name": operator}}


def run(start, lasted):
    return {"cat": "Session", "pid": 1, "tid": 1, "ts": start, "dur": lasted, "ph": "X",
            "name": "model_run", "args": {}}


class Times(Exported):
    def test_times__an_operator_outside_of_runs_moves_none(self):
        """It stands first in the trace, although it is later than the runs."""
        path = self.put("ort.json", [node("a", 12, 3), run(10, 9), node("b", 32, 3), run(30, 9),
                                     node("late", 45, 2), node("c", 52, 3), run(50, 9)])
        found = self.slices(path)
        self.assertEqual(sorted(event["ts"] for event in found if event["name"] == "Method::execute"),
                         [0, 20, 40])
        self.assertEqual(sorted(event["ts"] for event in found if event["name"] == "Gemm"),
                         [2, 22, 35, 42])

    def test_times__a_late_operator_does_not_look_like_a_wrapped_counter(self):
        path = self.put("ort.json", [run(10, 9), node("late", 4000000, 2), run(30, 9)])
        found = self.slices(path)
        self.assertEqual(sorted(event["ts"] for event in found), [0, 20, 3999990])


if __name__ == "__main__":
    unittest.main()

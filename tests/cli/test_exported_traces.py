"""`export`: traces of other runtimes, and what export says of files that it cannot write."""

import json
import resource
import unittest

import support


class Exported(support.ExportTest):
    def put(self, name, text):
        path = self.folder / name
        path.write_text(text if isinstance(text, str) else json.dumps(text, separators=(",", " : ")))
        return path

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


def own(events):
    """What `export --to chrome` writes."""
    return json.dumps({"traceEvents": events, "metadata": {"exporter": "etscope"}})


def event(tid, number, start, lasted, name, category="kernel", **arguments):
    return {"ph": "X", "pid": 1, "tid": tid, "ts": start, "dur": lasted, "name": name,
            "cat": category, "args": {"run": number, **arguments}}


def track(tid, name):
    return {"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": name}}


class Size(Exported):
    def test_size__many_methods_take_linear_time(self):
        events = []
        for number in range(120000):
            events += [track(101 + number, f"m{number}"),
                       event(101 + number, number, 10 * number, 5, "Method::execute", "runtime")]
        path = self.put("methods.json", own(events))
        trace = self.folder / "methods.etdp"
        if support.run("import", path, "-o", trace).returncode == support.UNAVAILABLE:
            self.skipTest("no JSON")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.assertIn(b"m119999", self.export("perfetto", trace))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 8)


class Names(Exported):
    def test_names__traces_of_one_name_are_told_apart(self):
        one, two = (support.fixture(model, "profile.etdp") for model in ("gpt_xnnpack", "multi_method"))
        def roots(*paths):
            return {line.split(b";")[0].decode() for line in self.export("folded", *paths).splitlines()}
        self.assertEqual(roots(one, two), {"gpt_xnnpack/profile.etdp", "multi_method/profile.etdp"})


class Folded(Exported):
    def test_folded__ends_of_names_are_no_counts(self):
        names = ["conv 2", "conv 2.5", "conv 3.", "conv #2", "conv2", " 7", "a 1 2", "v 1.2.3", ""]
        events = [track(101, "forward"), event(101, 0, 0, 100, "Method::execute", "runtime")]
        for number, name in enumerate(names):
            events.append(event(101, 0, 10 * number, 5, name, instruction=number))
        lines = self.export("folded", self.put("names.json", own(events))).decode().splitlines()
        leaves = [line.rsplit(" ", 1)[0].split(";")[-1] for line in lines]
        self.assertEqual(sorted(leaves[:-1] if leaves[-1] == "Method::execute" else leaves[1:]),
                         sorted(["conv_2", "conv_2.5", "conv_3.", "conv #2", "conv2", "_7", "a 1_2",
                                 "v 1.2.3", "(no name)"]))
        for line in lines:
            self.assertNotRegex(line.rsplit(" ", 1)[0], r"\s\d+(\.\d*)?$") # as in flamegraph.pl


class Files(Exported):
    """Which file an error or a note is about."""

    def fails(self, *words):
        done = support.run("export", *words, "-o", "-")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, support.INPUT, done.stderr)
        return done.stderr.decode()

    def test_files__of_several_traces_the_one_that_is_meant_is_named(self):
        good = self.put("good.json", [run(10, 9)])
        crowded = self.put("crowded.json", json.dumps([
            {"ph": "X", "pid": 1, "tid": number, "ts": number, "dur": 1000, "name": "a"}
            for number in range(300)]))
        said = self.fails(good, crowded, "--to", "chrome")
        self.assertEqual(said, "etscope: run 0 of crowded.json has more than 200 events at the same "
                               "time\n")
        said = self.fails(crowded, "--to", "chrome")
        self.assertTrue(said.startswith(f"etscope: {crowded}: run 0 of the trace has more"), said)

    def test_files__a_trace_without_times_for_the_graph_is_named(self):
        trace = support.fixture("mlp_xnnpack", "profile.etdp")
        program = support.fixture("mlp_portable", "model.pte")
        said = self.fails(trace, "--program", program, "--allow-mismatch", "--to",
                          "model-explorer-data")
        self.assertIn(f"etscope: {trace}: no run of the trace executed", said)

    def test_files__times_that_a_graph_has_no_place_for_are_noted(self):
        trace, program, record = (support.fixture("mlp_xnnpack", name) for name in
                                  ("profile.etdp", "model.pte", "model.etrecord"))
        for words, text in (
                (("--etrecord", record, "--to", "dot"), "add --program FILE"),
                (("--etrecord", record, "--to", "model-explorer"), "--to model-explorer-data writes"),
                (("--program", program, "--to", "model-explorer"), "--to model-explorer-data writes"),
                (("--program", program, "--to", "dot"), None),
                (("--program", program, "--to", "model-explorer-data"), None)):
            done = support.run("export", trace, *words, "-o", "-")
            if done.returncode == support.UNAVAILABLE:
                continue
            self.assertEqual(done.returncode, support.OK, done.stderr)
            notes = [line for line in done.stderr.decode().splitlines() if "times" in line]
            self.assertEqual(len(notes), 0 if text is None else 1, (words, done.stderr))
            if text is not None:
                self.assertIn(text, notes[0])
                self.assertIn(str(trace), notes[0])


if __name__ == "__main__":
    unittest.main()

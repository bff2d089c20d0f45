"""The traces of `etscope run`: those of the fixtures, as flatc and upstream read them."""

import itertools
import json
import os
import re
import subprocess
import unittest

import run_support as support
from run_support import DATA, MODELS, RunTest

# Runs of profile.etdp: five of each method on case 0, the cases in turn for two models.
IN_TURN = ("cond", "dynamic")

READ_WITH_UPSTREAM = """
import json, sys
from executorch.devtools.etdump.serialize import deserialize_from_etdump_flatcc
dump = deserialize_from_etdump_flatcc(open(sys.argv[1], "rb").read())
print(json.dumps([[run.name, [[event.profile_event.name, event.profile_event.chain_index,
                               event.profile_event.instruction_id]
                              for event in run.events if event.profile_event]]
                  for run in dump.run_data]))
"""

SHOW_WITH_UPSTREAM = """
import sys
from executorch.devtools import Inspector
record = sys.argv[3] if len(sys.argv) > 3 else None
with open(sys.argv[2], "w") as file:
    Inspector(etdump_path=sys.argv[1], etrecord=record).save_data_to_tsv(file)
"""


def names_of_table(path):
    """Of each line of upstream's table the block, the operator and what it stands for."""
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    return [[line[1], support.on_any_processor(line[2]), *line[9:12]] for line in lines]


def record_profile(test, model, path, *arguments):
    """Runs a fixture as its profile.etdp was made."""
    words = ["run", DATA / model / "model.bpte", "-o", path, *arguments]
    if model in IN_TURN:
        for case in (0, 1, 0, 1, 0):
            words += ["--case", case]
    else:
        words += ["--runs", 5]
        for method in MODELS[model]:
            words += ["--method", method]
    test.ok(*words)


class Traces(RunTest):
    """What a trace holds, told by flatc with a schema, and by upstream where it is installed."""

    def test_are_those_of_the_fixtures(self):
        for model in MODELS:
            if support.obstacle(model):
                continue
            with self.subTest(model=model):
                path = self.folder / f"{model}.etdp"
                record_profile(self, model, path)
                self.assertEqual(support.identities(path),
                                 support.identities(DATA / model / "profile.etdp"))

    def test_times_are_ordered(self):
        record_profile(self, "gpt_portable", self.folder / "t.etdp")
        for _, events in support.trace_of(self.folder / "t.etdp"):
            (whole,) = [event["profile_event"] for event in events
                        if event["profile_event"]["name"].startswith(("Method::e", "Program::"))]
            for event in events:
                times = event["profile_event"]
                self.assertLessEqual(whole["start_time"], times["start_time"])
                self.assertLessEqual(times["start_time"], times["end_time"])
                self.assertLessEqual(times["end_time"], whole["end_time"])

    def test_are_read_by_upstream(self):
        python = os.environ.get("ETSCOPE_UPSTREAM_PYTHON")
        if not python:
            self.skipTest("ETSCOPE_UPSTREAM_PYTHON names no Python with executorch")
        # Its Inspector cannot use the record of multi_method; types has float16 values.
        for model, tracer in itertools.product(("mlp_portable", "cond", "dynamic", "gpt_xnnpack"),
                                               ("etscope", "upstream")):
            if support.obstacle(model):
                continue
            with self.subTest(model=model, tracer=tracer):
                trace, table = self.folder / f"{model}.etdp", self.folder / f"{model}.tsv"
                record_profile(self, model, trace, "--tracer", tracer)
                self.ask_upstream(python, SHOW_WITH_UPSTREAM, trace, table,
                                  DATA / model / "model.etrecord")
                names = names_of_table(table)
                expected = names_of_table(DATA / model / "profile.tsv")
                if tracer == "etscope" and model in IN_TURN:
                    # The trace names the cases, so that each has a block of its own.
                    names, expected = ([list(each) for each in sorted({*map(tuple, found)})]
                                       for found in (names, expected))
                self.assertEqual(names, expected)
                if support.have_records():
                    self.ok("inspect", trace, "--etrecord", DATA / model / "model.etrecord",
                            "--format", "upstream", "--output", "own.tsv")
                    self.assertEqual((self.folder / "own.tsv").read_bytes(), table.read_bytes())

    def ask_upstream(self, python, script, *arguments):
        done = subprocess.run([python, "-c", script, *map(str, arguments)], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done.stdout

    def test_every_trace_is_read_by_upstreams_reader(self):
        python = os.environ.get("ETSCOPE_UPSTREAM_PYTHON")
        if not python:
            self.skipTest("ETSCOPE_UPSTREAM_PYTHON names no Python with executorch")
        record_profile(self, "types", self.folder / "types.etdp")
        found = json.loads(
            self.ask_upstream(python, READ_WITH_UPSTREAM, self.folder / "types.etdp"))
        expected = [[name, [list(event[1:4]) for event in events]]
                    for name, events in support.identities(DATA / "types" / "profile.etdp")]
        self.assertEqual(found, expected)

    def test_several_methods_in_one_are_joined_each(self):
        folder = DATA / "multi_method"
        record_profile(self, "multi_method", self.folder / "t.etdp")
        for option, file in (("--etrecord", "model.etrecord"), ("--program", "model.pte")):
            if option == "--etrecord" and not support.have_records():
                continue
            rows = self.rows("t.etdp", option, folder / file)
            counts = {}
            for row in rows:
                if row["block"] == "Execute" and row["instruction"] is not None:
                    counts.setdefault(row["method"], []).append(row["operator"])
                    self.assertEqual(row["runs"], 5)
            self.assertEqual({method: len(names) for method, names in counts.items()},
                             {"forward": 5, "encode": 3, "decode": 2})

    def test_other_batch_sizes(self):
        if not support.have_records():
            self.skipTest("this build reads no ETRecord")
        folder = DATA / "dynamic"
        identities = []
        for batch in (1, 3, 8):
            values = [(i % 7 - 3) * 0.25 for i in range(batch * 16)]
            support.write_npy(self.folder / "x.npy", "<f4", (batch, 16), values)
            self.ok("run", folder / "model.pte", "-i", "x.npy", "-o", f"{batch}.etdp", "--outputs",
                    f"{batch}")
            _, shape, elements = support.read_npy(self.folder / f"{batch}.0.npy")
            self.assertEqual(shape[0], batch)
            width = len(elements) // batch
            for row in range(batch):  # softmax
                self.assertAlmostEqual(sum(elements[row * width : (row + 1) * width]), 1, places=5)
            identities.append(support.identities(self.folder / f"{batch}.etdp"))
            rows = self.rows(f"{batch}.etdp", "--etrecord", folder / "model.etrecord")
            self.assertTrue(all(row["source"] for row in rows if row["instruction"] is not None))
        self.assertEqual(identities[0], identities[1])
        self.assertEqual(identities[0], identities[2])

    def test_both_branches_of_cond_three_times_each(self):
        self.ok("run", DATA / "cond" / "model.bpte", "--case", 0, "--case", 1, "--runs", 3,
                "-o", "t.etdp")
        sizes = [len(events) for name, events in support.trace_of(self.folder / "t.etdp")
                 if name == "Execute"]
        self.assertEqual(len(sizes), 6)
        self.assertEqual(sizes[:3] + sizes[3:], [sizes[0]] * 3 + [sizes[3]] * 3)
        self.assertNotEqual(sizes[0], sizes[3])
        table = self.ok("inspect", "t.etdp").stdout
        for case in range(2):
            self.assertIn(f"Execute - method forward - 3 runs, test case {case}, tracing", table)
        if support.have_records():
            rows = self.rows("t.etdp", "--etrecord", DATA / "cond" / "model.etrecord")
            self.assertTrue(all(row["method"] == "forward" for row in rows
                                if row["block"] == "Execute"))

    def test_warm_up_leaves_no_events(self):
        program = DATA / "mlp_portable" / "model.bpte"
        self.ok("run", program, "-o", "cold.etdp", "--runs", 2)
        self.ok("run", program, "-o", "warm.etdp", "--runs", 2, "--warmup", 7)
        self.assertEqual(support.identities(self.folder / "cold.etdp"),
                         support.identities(self.folder / "warm.etdp"))

    def test_one_thread(self):
        reason = support.obstacle("conv_xnnpack")
        if reason:
            self.skipTest(reason)
        program = DATA / "conv_xnnpack" / "model.bpte"
        self.ok("run", program, "--threads", 1, "--outputs", "one", "-o", "one.etdp")
        self.ok("run", program, "--outputs", "own", "-o", "own.etdp")
        self.assertEqual(support.identities(self.folder / "one.etdp"),
                         support.identities(self.folder / "own.etdp"))
        one, own = (support.read_npy(self.folder / f"{name}.0.npy")[2] for name in ("one", "own"))
        for left, right in zip(one, own):
            self.assertAlmostEqual(left, right, places=5)

    def test_to_standard_output(self):
        done = self.ok("run", DATA / "mlp_portable" / "model.pte", "-o", "-", text=False)
        (self.folder / "t.etdp").write_bytes(done.stdout)
        self.assertEqual(len(support.trace_of(self.folder / "t.etdp")), 2)

    def test_none_where_none_is_asked_for(self):
        done = self.ok("run", DATA / "mlp_portable" / "model.pte", "--tracer", "none")
        self.assertRegex(done.stdout, r"model\.pte: forward: 1 run, wall time [\d.]+ us\n$")
        self.assertEqual(list(self.folder.iterdir()), [])


    def test_every_method_and_case_has_its_line(self):
        done = self.ok("run", DATA / "multi_method" / "model.bpte", "-m", "forward", "-m", "decode",
                       "--runs", 2)
        self.assertEqual(re.findall(r"model\.bpte: (.*), wall time p50", done.stdout),
                         ["forward, case 0: 2 runs", "decode, case 0: 2 runs"])
        done = self.ok("run", DATA / "cond" / "model.bpte", "--case", 1, "--case", 0, "-o", "t.etdp")
        self.assertEqual(re.findall(r"model\.bpte: (.*), wall time [\d.]+ us \(traced\)", done.stdout),
                         ["forward, case 1: 1 run", "forward, case 0: 1 run"])


if __name__ == "__main__":
    unittest.main()

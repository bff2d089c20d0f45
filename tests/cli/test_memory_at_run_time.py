"""`etscope profile --memory`: who takes a method's memory, counted while it runs."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import run_support as support
from support import FolderTest
from run_support import DATA, ETSCOPE, EXAMPLES, INPUT, MODELS, USAGE, RunTest

MOMENTS = ["before load", "after load", "before runs", "after first run", "at the end",
           "peak of load", "peak of first run"]


class Recorded(FolderTest):
    """What a recorded trace tells, without an engine."""

    def test_a_counted_trace(self):
        done = support.call("inspect", DATA / "memory" / "counted.etdp", "--memory", "--no-siblings",
                            "--format", "csv", "--columns", "owner,part,phase,held,alignment,operator")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual([line for line in lines if not line.startswith(("process", "heap", "stack"))], [
            "owner,part,phase,held_bytes,alignment,operator",
            "program,,,4744,,",
            "method,runtime,load,5086,8,",
            "planned,memory id 1,,912,,",
            "temporary,kernels,run,96,8,topk.values",
        ])

    def test_a_trace_without_allocation_events(self):
        done = support.call("inspect", DATA / "memory" / "counted.etdp", "--allocations", "total",
                            "--no-siblings")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[0], "the trace has no allocation events")


class MemoryAtRunTime(RunTest):
    def rows_of(self, *arguments):
        return support.json_rows(self.ok(*arguments, "--format", "json").stdout)

    def memory_of(self, fixture, method, *arguments):
        obstacle = support.obstacle(fixture)
        if obstacle:
            self.skipTest(obstacle)
        return self.rows_of("profile", DATA / fixture / "model.pte", "--method", method,
                            "--memory", "--runs", 2, *arguments)

    def test_planned_buffers_are_the_programs_arenas(self):
        for fixture, methods in MODELS.items():
            program = DATA / fixture / "model.pte"
            told = {m["name"]: m for m in self.rows_of("info", program)[0]["methods"]}
            for method in methods:
                if support.obstacle(fixture):
                    continue
                with self.subTest(fixture=fixture, method=method):
                    rows = self.memory_of(fixture, method)
                    planned = [(row["part"], row["held_bytes"]) for row in rows
                               if row["owner"] == "planned"]
                    self.assertEqual(planned, [(f"memory id {a['arena']}", a["bytes"])
                                               for a in told[method]["arenas"]])
                    self.assertTrue(all(row["method"] in (method, None) for row in rows))
                    self.assertEqual([row["part"] for row in rows if row["owner"] == "process"],
                                     MOMENTS)
                    self.assertEqual(rows[0]["owner"], "program")
                    self.assertEqual(rows[0]["held_bytes"], program.stat().st_size)

    def test_pools_of_the_counted_sizes_suffice_and_smaller_ones_do_not(self):
        program = Path(ETSCOPE).parent / "run_in_pools"
        if not program.exists():
            self.skipTest("run_in_pools is built with the engine alone")

        def stuck_at(fixture, method, *sizes):
            done = subprocess.run([program, DATA / fixture / "model.pte", method,
                                   *map(str, sizes)], capture_output=True, text=True, timeout=60,
                                  check=True)
            return done.stdout.strip()

        for fixture, methods in MODELS.items():
            for method in methods:
                if support.obstacle(fixture):
                    continue
                with self.subTest(fixture=fixture, method=method):
                    rows = self.memory_of(fixture, method, "--inputs", "ones")
                    size, least = (sum(row["held_bytes"] for row in rows if row["owner"] == owner)
                                   for owner in ("method", "temporary"))
                    self.assertEqual(stuck_at(fixture, method, size, least), "ok")
                    self.assertEqual(stuck_at(fixture, method, size - 1, least), "load")
                    if least > 0:
                        self.assertEqual(stuck_at(fixture, method, size, least - 1), "run")

    def test_the_trace_alone_tells_the_same(self):
        trace = self.folder / "trace.etdp"
        shown = self.memory_of("types", "forward", "-o", trace)
        self.assertEqual(self.rows_of("inspect", trace, "--memory"), shown)
        done = self.ok("inspect", trace, "--memory")
        self.assertRegex(done.stdout, r"^forward takes [\d.]+ KiB: planned 912 B, method allocator "
                                      r"[\d.]+ KiB, temporary 96 B, other heap about ")
        document = self.ok("inspect", trace, "--memory", "--format", "json").stdout
        self.assertEqual(json.loads(document)["headline"], done.stdout.splitlines()[0])

    def test_run_counts_as_well(self):
        trace = self.folder / "trace.etdp"
        self.ok("run", DATA / "types" / "model.pte", "--memory", "-o", trace)
        rows = self.rows_of("inspect", trace, "--memory")
        self.assertEqual([row["held_bytes"] for row in rows if row["owner"] == "planned"], [912])
        self.ok("run", DATA / "types" / "model.pte", "-o", trace)  # not counted: nothing is told
        self.fails(INPUT, "has no memory counts", "inspect", trace, "--memory")

    def test_sql_tells_the_same(self):
        trace = self.folder / "trace.etdp"
        rows = self.memory_of("types", "forward", "-o", trace)
        if support.call("sql", "select 1", trace).returncode != 0:
            self.skipTest("this build has no SQL")
        held = self.rows_of("sql", "select owner, phase, bytes from held_memory", trace)
        self.assertEqual([(row["owner"], row["phase"], row["bytes"]) for row in held],
                         [(row["owner"], row["phase"], row["held_bytes"]) for row in rows
                          if row["owner"] != "process"])
        stack = self.rows_of("sql", "select part, threads, processor from held_memory "
                             "where owner = 'stack'", trace)
        self.assertEqual([(row["part"], row["threads"], row["processor"]) for row in stack],
                         [(row["part"], row["threads"], row["processor"]) for row in rows
                          if row["owner"] == "stack"])
        steps = self.rows_of("sql", "select chain, instruction, bytes from temporary_memory", trace)
        self.assertEqual(max(step["bytes"] for step in steps), 96)
        moments = self.rows_of("sql", "select moment, resident_bytes, heap_bytes "
                               "from process_memory", trace)
        self.assertEqual([(row["moment"], row["resident_bytes"], row["heap_bytes"]) for row in moments],
                         [(row["part"], row["held_bytes"], row["heap_bytes"]) for row in rows
                          if row["owner"] == "process"])

    def test_the_instruction_that_took_most_of_the_temporary_allocator(self):
        rows = [row for row in self.memory_of("types", "forward") if row["owner"] == "temporary"]
        self.assertEqual(len(rows), 1)
        self.assertEqual((rows[0]["part"], rows[0]["phase"], rows[0]["held_bytes"]),
                         ("kernels", "run", 96))
        self.assertEqual(rows[0]["operator"], "topk.values")
        self.assertEqual(rows[0]["allocations"], rows[0]["runs"])  # one in each, warm-up too

    @unittest.skipUnless(sys.platform == "linux", "stacks are measured on Linux")
    def test_the_stack_below_the_call(self):
        rows = self.memory_of("types", "forward", "--threads", 2)
        stacks = {(row["part"], row["phase"]): row for row in rows if row["owner"] == "stack"}
        for phase in ("load", "run"):
            own = stacks["calling thread", phase]
            self.assertTrue(500 < own["held_bytes"] < 100_000, own)
            self.assertEqual((own["threads"], own["processor"]), (1, os.uname().machine))
        again = [row for row in self.memory_of("types", "forward") if row["owner"] == "stack"]
        for row in again:  # but for how the call's frame is aligned
            if row["part"] == "calling thread":
                self.assertAlmostEqual(row["held_bytes"], stacks[row["part"], row["phase"]]["held_bytes"],
                                       delta=128)

    @unittest.skipUnless(sys.platform == "linux", "the peak is Linux's")
    def test_the_peak_is_no_less_than_what_is_left(self):
        moments = {row["part"]: row["held_bytes"] for row in self.memory_of("types", "forward")
                   if row["owner"] == "process"}
        if moments["peak of load"] is None:
            self.skipTest("/proc/self/clear_refs cannot be written here")
        for peak, left in (("peak of load", "after load"), ("peak of first run", "after first run")):
            self.assertGreaterEqual(moments[peak] + (64 << 10), moments[left])  # counts are in batches

    def test_programs_without_delegates_take_no_heap_while_loading(self):
        for row in self.memory_of("conv_portable", "forward"):
            if row["owner"] == "heap" and row["held_bytes"] is not None:
                self.assertLess(row["held_bytes"], 256 if row["phase"] == "load" else 1 << 20)

    def test_delegates_are_told_by_backend(self):
        library = Path(ETSCOPE).parent.parent / "lib" / "libdemo_backend.so"
        if not library.exists():
            self.skipTest("the demo backend is built with the engine alone")
        rows = self.rows_of("profile", EXAMPLES / "backend" / "demo.pte", "--load-library", library,
                            "--memory")
        taken = {row["part"]: row for row in rows if row["owner"] == "method"}
        self.assertEqual(set(taken), {"runtime", "DemoBackend"})
        self.assertEqual(taken["DemoBackend"]["allocations"], 2)  # a plan for each delegate
        self.assertGreater(taken["DemoBackend"]["held_bytes"], 0)
        self.assertGreater(taken["runtime"]["allocations"], 2)

    def test_methods_of_one_program_have_their_own_rows(self):
        rows = self.rows_of("profile", DATA / "multi_method" / "model.pte", "--memory",
                            "--method", "encode", "--method", "decode")
        self.assertEqual([row["owner"] for row in rows if row["method"] is None], ["program"])
        for method in ("encode", "decode"):
            own = [row for row in rows if row["method"] == method]
            self.assertEqual([row["held_bytes"] for row in own if row["owner"] == "planned"], [304])
            self.assertEqual([row["part"] for row in own if row["owner"] == "process"], MOMENTS)

    @unittest.skipUnless(shutil.which("cc") and shutil.which("c++"), "needs compilers")
    def test_the_c_snippet_compiles_and_has_the_sizes(self):
        program = DATA / "types" / "model.pte"
        snippet = self.ok("profile", program, "--memory", "--c-snippet").stdout
        rows = self.memory_of("types", "forward")
        for owner, name in (("planned", "planned_1"), ("method", "method_pool"),
                            ("temporary", "temporary_pool")):
            size = sum(row["held_bytes"] for row in rows if row["owner"] == owner)
            self.assertIn(f"static uint8_t forward_{name}[{size}];", snippet)
        machine = os.uname().machine
        self.assertRegex(snippet, rf"stack of the calling thread: load \d+ bytes, run \d+ bytes; "
                                  rf"measured on this {machine} host")
        for compiler, language, standard in (("cc", "c", "c11"), ("c++", "c++", "c++17")):
            done = subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror",
                                   "-Wno-unused-variable", "-fsyntax-only", "-x", language, "-"],
                                  input=snippet, text=True, capture_output=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_mistakes(self):
        program = DATA / "mlp_portable" / "model.pte"
        trace = DATA / "mlp_portable" / "profile.etdp"
        self.fails(USAGE, "--memory needs etscope's tracer", "profile", program, "--memory",
                   "--tracer", "upstream")
        self.fails(USAGE, "--memory needs etscope's tracer, whose trace keeps it: -o FILE", "run",
                   program, "--memory")
        self.fails(USAGE, "--top and --memory exclude each other", "profile", program, "--memory",
                   "--top", 3)
        self.fails(USAGE, "--c-snippet needs --memory", "profile", program, "--c-snippet")
        self.fails(USAGE, "--format and --c-snippet exclude each other", "inspect", trace, "--memory", "--c-snippet",
                   "--format", "json")
        self.fails(INPUT, "profile.etdp: the trace has no memory counts", "inspect", trace,
                   "--memory")
        self.fails(INPUT, "profile.etdp: the trace has no memory counts", "inspect", trace,
                   "--memory", "--c-snippet")


if __name__ == "__main__":
    unittest.main()

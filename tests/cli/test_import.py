"""`import`: profiles of other runtimes, with the sums that their own tools print."""

import collections
import decimal
import gzip
import json
import pathlib
import re
import resource
import struct
import tempfile
import unittest

import support

EXCHANGE = support.DATA / "exchange"
ONNX = EXCHANGE / "onnxruntime_sequential.json"
PARALLEL = EXCHANGE / "onnxruntime_parallel.json"
STEPS = EXCHANGE / "pytorch_steps.json"
STACK = EXCHANGE / "pytorch_stack.json"
CSV = EXCHANGE / "litert_benchmark.csv"
PROTO = EXCHANGE / "litert_benchmark.pb"
EVENTS = EXCHANGE / "litert_events.txt"
SUMMARY = EXCHANGE / "litert_summary.txt"
RUNNER = EXCHANGE / "llama_runner.log"
MODEL = support.DATA / "mlp_portable"


def query(path, text):
    done = support.run("sql", text, path, "--format", "json")
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == support.OK, done.stderr
    return support.json_rows(done.stdout)


def events_of(path):
    return query(path, "select e.run, e.name, e.start_ticks as start_ns, e.end_ticks as end_ns, e.instruction, p.name as parent "
                       "from events e left join events p on e.parent = p.id where e.kind = 'profile'")


def nanoseconds(number):
    """Of microseconds, exactly."""
    return int(decimal.Decimal(str(number)) * 1000)


def read_json(path):
    return json.loads(path.read_text(), parse_float=decimal.Decimal)


def sums(events):
    total = collections.Counter()
    for name, lasted in events:
        total[name] += lasted
    return dict(total)


class Runner(unittest.TestCase):
    """Lines of logs of ExecuTorch's runners of language models."""

    def test_runner__rates_are_those_that_it_prints(self):
        done = support.run("inspect", RUNNER, "--group-by", "method", "--format", "json")
        rows = {row["stage"]: row for row in support.json_rows(done.stdout)}
        # two generations of 512 and 128 tokens: 580 and 590 ms, 3,090 and 3,000 ms
        self.assertAlmostEqual(rows["prefill"]["tokens_per_s"], 1024 / 1.170)
        self.assertAlmostEqual(rows["decode"]["tokens_per_s"], 256 / 6.090)
        self.assertEqual([rows[stage]["runs"] for stage in rows], [2, 2])
        text = support.run("inspect", RUNNER, "--width", "300").stdout.decode()
        self.assertRegex(text, r"(?m)^Execute decode: 42.0 tokens/s, 128 tokens in 3.04 s \(median of 2 runs, ")

    def test_runner__budgets_hold_decode(self):
        with tempfile.TemporaryDirectory() as folder:
            budget = pathlib.Path(folder, "budget.txt")
            budget.write_text("[decode]\ntotal p50 <= 1s\n", encoding="utf-8")
            done = support.run("gate", "--before", RUNNER, "--after", RUNNER, "--budget", budget)
            self.assertEqual(done.returncode, 1, done.stderr)


class Packed(unittest.TestCase):
    """Files of gzip, as PyTorch's profiler writes them, in the place of what they hold."""

    def put(self, data, name="packed.json.gz"):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / name
        path.write_bytes(data)
        return path

    def test_a_packed_profile_gives_the_same_trace(self):
        data = STEPS.read_bytes()
        for packed in (gzip.compress(data), gzip.compress(data[:1000]) + gzip.compress(data[1000:])):
            path = self.put(packed)
            done = support.run("import", path, "-o", path.with_suffix(".etdp"))
            if done.returncode == support.UNAVAILABLE:
                self.skipTest("no JSON, or no zlib")
            self.assertEqual(done.returncode, support.OK, done.stderr)
            plain = path.with_name("plain.etdp")
            self.assertEqual(support.run("import", STEPS, "-o", plain).returncode, support.OK)
            self.assertEqual(path.with_suffix(".etdp").read_bytes(), plain.read_bytes())
            self.assertEqual(events_of(path), events_of(STEPS))

    def test_a_packed_trace_is_a_trace(self):
        trace = MODEL / "profile.etdp"
        path = self.put(gzip.compress(trace.read_bytes()), "profile.etdp.gz")
        done = support.run("inspect", path, "--format", "tsv")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest("no zlib")
        self.assertEqual(done.stdout, support.run("inspect", trace, "--format", "tsv").stdout)

    def test_damage_is_said(self):
        data = gzip.compress(CSV.read_bytes())
        for cut in range(3, len(data), 37):
            done = support.run("import", self.put(data[:cut]), "-o", "/dev/null")
            if done.returncode == support.UNAVAILABLE:
                self.skipTest("no zlib")
            self.assertEqual(done.returncode, 3)
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.assertIn(b"gzip's data ends too early", done.stderr)
        bad = bytearray(data)
        bad[len(bad) // 2] ^= 0xff
        done = support.run("import", self.put(bytes(bad)), "-o", "/dev/null")
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"gzip's data is damaged", done.stderr)

    def test_a_bomb_is_bounded(self):
        packed = gzip.compress(bytes(1 << 24)) * 65
        done = support.run("info", self.put(packed))
        if done.returncode == support.UNAVAILABLE:
            self.skipTest("no zlib")
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"the limit for input files of", done.stderr)


class Import(unittest.TestCase):
    def imported(self, path):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        output = pathlib.Path(folder.name) / "trace.etdp"
        done = support.run("import", path, "-o", output)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual((done.returncode, done.stderr), (support.OK, b""))
        return output, done.stdout.decode()

    def test_import__onnx_sums_by_operator_type(self):
        for path in (ONNX, PARALLEL):
            nodes = [event for event in read_json(path) if event["cat"] == "Node"]
            runs = [event for event in read_json(path) if event["name"] == "model_run"]
            expected = sums((node["args"]["op_name"], nanoseconds(node["dur"])) for node in nodes)
            expected["Method::execute"] = sum(nanoseconds(run["dur"]) for run in runs)
            for event in read_json(path):
                if event["name"] in ("model_loading_uri", "session_initialization"):
                    expected[event["name"]] = nanoseconds(event["dur"])
            found = events_of(self.imported(path)[0])
            self.assertEqual(sums((e["name"], e["end_ns"] - e["start_ns"]) for e in found), expected)
            self.assertEqual(len(found), len(nodes) + len(runs) + 2)

    def test_import__onnx_runs_branches_and_threads(self):
        for path in (ONNX, PARALLEL):
            found = events_of(path)
            self.assertEqual({e["parent"] for e in found if e["name"] == "Softmax"}, {"If"})
            self.assertEqual({e["parent"] for e in found if e["name"] == "Gemm"},
                             {"Method::execute"})
            self.assertEqual(collections.Counter(e["run"] for e in found), {0: 2, 1: 8, 2: 8, 3: 8})

    def test_import__onnx_modules_providers_and_shapes(self):
        rows = {row["operator"]: row for row in support.rows(ONNX) if row["instruction"] is not None}
        self.assertEqual(rows["FusedGemm"]["module"], ["fc1"])
        self.assertEqual(rows["Gemm"]["module"], ["fc2"])
        self.assertEqual(rows["TopK"]["module"], [])
        self.assertEqual({row["backend"] for row in rows.values()}, {"CPUExecutionProvider"})
        self.assertEqual({row["resolution_ns"] for row in rows.values()}, {1000.0})
        done = support.run("tensors", ONNX, "--format", "json")
        shapes = [(row["dtype"], row["shape"]) for row in support.json_rows(done.stdout)]
        self.assertEqual(shapes[-2:], [("float32", [1, 3]), ("int64", [1, 3])])
        self.assertEqual(len(shapes), 8 * 3)

    def test_import__onnx_profiles_that_a_tool_wrote_anew_are_the_same(self):
        profile = json.loads(pathlib.Path(ONNX).read_text())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "again.json"
            for options in ({}, {"indent": 1}, {"separators": (",", ":")}, {"sort_keys": True}):
                path.write_text(json.dumps(profile, **options))
                self.assertEqual(events_of(path), events_of(ONNX), options)

    def test_import__onnx_memory_is_what_nodes_took(self):
        for path in (ONNX, PARALLEL):
            nodes = [e for e in read_json(path) if e["cat"] == "Node" and e["args"]["op_name"] != "If"]
            taken = sums((e["args"]["op_name"], int(e["args"]["mem_in_use_delta"])) for e in nodes)
            done = support.run("inspect", path, "--allocations", "each", "--format", "json")
            rows = support.json_rows(done.stdout)
            self.assertEqual(sums((row["operator"], row["taken_bytes"]) for row in rows),
                             {name: size for name, size in taken.items() if size > 0})
            self.assertEqual({row["allocator"] for row in rows}, {"arena"})

    def test_import__onnx_memory_that_is_no_number_of_bytes_taken(self):
        trace = json.loads(ONNX.read_text())
        for number, event in enumerate(trace):
            if "mem_in_use_delta" in event["args"]:
                words = ("-256", "0", "", "x", "1e400", "9" * 40, str(1 << 62), 256, None)
                event["args"]["mem_in_use_delta"] = words[number % len(words)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            path.write_text(json.dumps(trace, separators=(",", " : ")))
            done = support.run("inspect", path, "--allocations", "each", "--format", "json")
            self.assertEqual(done.returncode, support.OK, done.stderr)
            self.assertEqual({row["taken_bytes"] for row in support.json_rows(done.stdout)}, {1 << 62})
            _, text = self.imported(path)
            self.assertRegex(text, r"\d frees? of memory")

    def test_import__times_of_a_run_add_up_where_nodes_enclose_nodes(self):
        for path, step in ((ONNX, 1000), (STEPS, 0)):
            lines = support.rows(path, "--group-by", "op", "--block", "Execute")
            total = {e["run"]: e["end_ns"] - e["start_ns"] for e in events_of(path)
                     if e["name"] == "Method::execute"}
            lower = sum(row["total_ns"] for row in lines)
            upper = sum(row["total_ns_upper"] for row in lines)
            self.assertLessEqual(lower, sum(total.values()))
            self.assertGreaterEqual(upper, sum(total.values()))
            if step == 0:
                self.assertEqual(lower, upper)

    def test_import__pytorch_sums_are_those_of_key_averages(self):
        """Total and self time by name, as torch.profiler computes them: self is without children."""
        operators = [e for e in read_json(STEPS)["traceEvents"] if e.get("cat") == "cpu_op"]
        spans = [(e["name"], nanoseconds(e["ts"]), nanoseconds(e["ts"]) + nanoseconds(e["dur"]))
                 for e in operators]
        own = collections.Counter()
        for name, start, end in spans:
            own[name] += end - start
            outer = [s for s in spans if s[1] <= start and end <= s[2] and s != (name, start, end)]
            if outer:
                own[min(outer, key=lambda s: s[2] - s[1])[0]] -= end - start
        found = events_of(self.imported(STEPS)[0])
        total = sums((e["name"], e["end_ns"] - e["start_ns"]) for e in found)
        self.assertEqual(total.pop("Method::execute"), 429630)
        self.assertEqual(total, sums((name, end - start) for name, start, end in spans))
        lines = support.rows(STEPS, "--group-by", "op", "--block", "Execute")
        self.assertEqual({row["operator"]: row["total_ns"] for row in lines
                          if row["operator"] != "(between operators)"},
                         {name: float(lasted) for name, lasted in own.items()})

    def test_import__pytorch_keeps_every_nanosecond(self):
        starts = sorted(nanoseconds(e["ts"]) for e in read_json(STEPS)["traceEvents"]
                        if e.get("cat") in ("cpu_op", "user_annotation"))
        found = sorted(e["start_ns"] for e in events_of(STEPS))
        self.assertEqual([start - starts[0] for start in starts], found)

    def test_import__pytorch_modules_lines_and_memory(self):
        rows = [row for row in support.rows(STACK) if row["instruction"] is not None]
        self.assertEqual({(row["operator"], *row["module"], *row["source"]) for row in rows
                          if row["depth"] == 1},
                         {("aten::linear", "Net_0.Linear_0", "fx.py:6"),
                          ("aten::relu", "Net_0.ReLU_0", "fx.py:6")})
        self.assertEqual({tuple(row["module"]) for row in rows},
                         {("Net_0.Linear_0",), ("Net_0.ReLU_0",)})
        allocated = [e["args"]["Bytes"] for e in read_json(STEPS)["traceEvents"]
                     if e.get("name") == "[memory]" and e["args"]["Bytes"] > 0]
        done = support.run("inspect", STEPS, "--allocations", "each", "--format", "json")
        self.assertEqual([row["taken_bytes"] for row in support.json_rows(done.stdout)], allocated)
        self.assertEqual({row["operator"] for row in support.json_rows(done.stdout)},
                         {"aten::addmm", "aten::clamp_min"})

    def test_import__without_call_stacks_places_come_from_functions_around(self):
        trace = json.loads(STACK.read_text())
        for event in trace["traceEvents"]:
            event.get("args", {}).pop("Call stack", None)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            path.write_text(json.dumps(trace))
            expected = [(row["module"], row["source"]) for row in support.rows(STACK)]
            self.assertEqual([(row["module"], row["source"]) for row in support.rows(path)], expected)

    def litert_summary(self):
        """The tables that LiteRT printed: microseconds by type in first, average and total."""
        first, average, total = collections.Counter(), collections.Counter(), {}
        section = ""
        for line in SUMMARY.read_text().splitlines():
            title = re.fullmatch(r"=+ (.+) =+", line)
            section = title[1] if title else section
            columns = re.split(r" {2,}", line.strip())
            if section == "Run Order" and columns[-1].startswith("["):
                if columns[0].startswith("["):
                    continue
                name = columns[0].removeprefix("Delegate/")
                first[name] += int(decimal.Decimal(columns[2]) * 1000)
                average[name] += int(decimal.Decimal(columns[3]) * 1000)
            if section == "Delegate Statistics" and columns[0].startswith("Delegate/"):
                total[columns[0].removeprefix("Delegate/")] = int(columns[-1])
        return dict(first), dict(average), total

    def test_import__lists_of_microprofiler_stay_ticks(self):
        for name, runs, operators in (
            ("tflm_events.log", 2, [("DEPTHWISE_CONV_2D", 1838), ("FULLY_CONNECTED", 411),
                                    ("SOFTMAX", 78)]),
            ("tflm_totals.log", 1, [("CONV_2D", 900), ("DEPTHWISE_CONV_2D", 250), ("SOFTMAX", 7)]),
        ):
            with self.subTest(name):
                done = support.run("inspect", EXCHANGE / name, "-f", "json")
                self.assertIn(b"ticks of a timer whose rate it does not tell", done.stderr)
                rows = support.json_rows(done.stdout)
                self.assertEqual({row["runs"] for row in rows}, {runs})
                self.assertEqual([(row["event"], row["p50_cycles"]) for row in rows[1:]], operators)

    def test_import__litert_events_have_the_totals_of_its_summary(self):
        found = sums((e["name"], e["end_ns"] - e["start_ns"]) for e in events_of(EVENTS))
        _, _, total = self.litert_summary()
        self.assertEqual(len(total), 3)
        for name, lasted in total.items():
            self.assertEqual(found[name], lasted * 1000)
        self.assertEqual(found["Method::execute"], (4585 + 512 + 426) * 1000)

    def test_import__litert_profiles_have_first_and_average(self):
        first, average, _ = self.litert_summary()
        for path in (SUMMARY, CSV, PROTO):
            found = events_of(self.imported(path)[0])
            runs = [sums((e["name"], e["end_ns"] - e["start_ns"]) for e in found if e["run"] == run)
                    for run in (0, 1)]
            self.assertEqual(runs[0].pop("Method::execute"), sum(first.values()) * 1000)
            self.assertEqual(runs[0], {name: us * 1000 for name, us in first.items()})
            del runs[1]["Method::execute"]
            self.assertEqual(runs[1].keys(), average.keys())
            for name, ns in runs[1].items(): # two operators of a type, each rounded there
                self.assertLessEqual(abs(ns - average[name] * 1000), 1000)

    def test_import__litert_csv_has_its_numbers(self):
        lines = CSV.read_text().split("Run Order")[1].split("\n\n")[0].splitlines()[2:]
        expected = sums((line.rsplit(", ", 7)[0],
                         int((decimal.Decimal(line.rsplit(", ", 7)[2]) * 10**6).to_integral_value()))
                        for line in lines)
        found = [e for e in events_of(CSV) if e["run"] == 1 and e["name"] != "Method::execute"]
        self.assertEqual(sums((e["name"], e["end_ns"] - e["start_ns"]) for e in found), expected)

    def put(self, name, data):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def left_out(self, path):
        done = support.run("import", path, "-o", path.with_suffix(".left"), "--format", "json")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        row, = support.json_rows(done.stdout)
        return {left["what"]: left["count"] for left in row["left_out"]}

    def test_import__what_litert_reports_below_delegates_counts_once(self):
        text = CSV.read_text()
        operators = "=" * 30 + text.split("=" * 30)[1] + "=" * 30 + text.split("=" * 30)[2].split("\n\n")[0]
        path = self.put("inside.csv", text + "\nDelegate internal: \n" + operators + "\n\n")
        self.assertEqual(events_of(path), events_of(CSV))
        self.assertEqual(self.left_out(path), {"operators inside delegates, beside the run's own": 6})

    def test_import__operators_of_subgraphs_are_in_those_that_call_them(self):
        heading = ("=== Run Order ===\n"
                   "node type, first, avg_ms, %, cdf%, mem KB, times called, name\n")
        path = self.put("subgraphs.csv",
                        "Operator-wise Profiling Info for Regular Benchmark Runs:\n"
                        "Primary graph (name: main) :\n" + heading +
                        "WHILE, 12, 10, 100%, 100%, 0, 1, [w]:0\n\n"
                        "Timings (microseconds): count=3 first=10000 curr=10000\n"
                        "Subgraph (index: 1, name: body) :\n" + heading +
                        "ADD, 9, 9, 100%, 100%, 0, 5, [a]:0\n\n"
                        "Subgraph (index: 1, name: body) Timings (microseconds): count=3\n")
        expected = {"WHILE": 22000000, "Method::execute": 22000000}
        self.assertEqual(sums((e["name"], e["end_ns"] - e["start_ns"]) for e in events_of(path)),
                         expected)
        left = {"operators of subgraphs, inside of those that call them": 1}
        self.assertEqual(self.left_out(path), left)

        def field(number, value):
            if isinstance(value, int):
                return bytes([number << 3, *self.varint(value)])
            return bytes([number << 3 | 2, *self.varint(len(value))]) + value

        def operator(name, first, average):
            return field(3, field(1, name) + field(2, field(1, first) + field(3, average)))

        graphs = (field(1, operator(b"WHILE", 12000, 10000)) +
                  field(1, field(1, b"body") + field(2, 1) + operator(b"ADD", 9000, 9000)))
        path = self.put("subgraphs.pb", field(3, graphs))
        self.assertEqual(sums((e["name"], e["end_ns"] - e["start_ns"]) for e in events_of(path)),
                         expected)
        self.assertEqual(self.left_out(path), left)

    @staticmethod
    def varint(value):
        while value > 127:
            yield value & 127 | 128
            value >>= 7
        yield value

    def test_import__long_starts_do_not_hide_what_a_profile_is(self):
        device = {"name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85051572224, "warpSize": 32,
                  "maxThreadsPerMultiprocessor": 2048, "sharedMemPerBlockOptin": 166912}
        for devices in (8, 64, 800):
            trace = json.loads(STEPS.read_text())
            trace["deviceProperties"] = [{"id": number, **device} for number in range(devices)]
            keys = sorted(trace, key=lambda key: key == "traceEvents")
            path = self.put("gpus.json", json.dumps({key: trace[key] for key in keys}, indent=2))
            self.assertIn("a profile of PyTorch", self.imported(path)[1])
        line = "INFO: STARTUP: a line of what the tool prints about its parameters: [4]\n"
        for lines in (70, 700):
            path = self.put("stdout.txt", line * lines + SUMMARY.read_text())
            self.assertEqual(events_of(path), events_of(SUMMARY))

    def test_import__reports_what_is_left_out(self):
        _, text = self.imported(STEPS)
        self.assertIn("a profile of PyTorch", text)
        self.assertIn("30 events in 2 runs", text)
        self.assertIn("4 frees of memory", text)
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "x.etdp"
            done = support.run("import", EVENTS, "-o", output, "--format", "json")
            row, = support.json_rows(done.stdout)
        self.assertEqual(row["runtime"], "LiteRT")
        self.assertEqual(row["event_count"], 21)
        self.assertEqual(row["left_out"], [{"count": 6, "what": "events around runs"},
                                           {"count": 3, "what": "events of telemetry"}])

    def test_import__a_full_profile_of_onnx_runtime_may_lack_events(self):
        event = ('{"cat" : "Session","pid" :1,"tid" :1,"dur" :5,"ts" :1,"ph" : "X","name" '
                 ':"model_run"}')
        for others, is_full in ((999998, False), (999999, True)):
            path = self.put("ort.json", "[" + event + ",{}" * others + "]")
            self.assertEqual("incomplete" in self.imported(path)[1], is_full)
            done = support.run("import", path, "-o", path.with_suffix(".x"), "--format", "json")
            row, = support.json_rows(done.stdout)
            self.assertIs(row["may_lack_events"], is_full)

    def test_import__threads_are_told_apart_as_written(self):
        for ids in ((0x100000001, 0x200000001), (-1, 0xffffffff), (1, "1"), (2**64 - 1, 2**64 - 2),
                    (0xc0000001, "a"), (2**70, 2**70 + 1)):
            slices = [{"ph": "X", "pid": 1, "tid": ids[0], "ts": 0, "dur": 10, "name": "a"},
                      {"ph": "X", "pid": 1, "tid": ids[1], "ts": 2, "dur": 3, "name": "b"}]
            path = self.put("threads.json", json.dumps(slices))
            self.assertEqual({e["name"]: e["parent"] for e in events_of(path)},
                             {"Method::execute": None, "a": "Method::execute", "b": "Method::execute"},
                             ids)

    def test_import__names_the_output_beside_the_profile(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "profile.csv"
            path.write_bytes(CSV.read_bytes())
            self.assertEqual(support.run("import", path).returncode, support.OK)
            self.assertTrue((path.parent / "profile.etdp").exists())
            done = support.run("import", path)
            self.assertEqual(done.returncode, support.INTERNAL)
            self.assertIn(b"already exists", done.stderr)

    def test_import__mistakes_are_told(self):
        for words, code, text in (
                ((), support.USAGE, "import needs a profile"),
                ((ONNX, CSV), support.USAGE, "import reads one profile"),
                ((ONNX, "-o", "-"), support.USAGE, "-o needs a file"),
                (("-",), support.USAGE, "name the output with -o"),
                (("no.json", "-o", "x"), support.INPUT, "no such file"),
                ((MODEL / "model.pte", "-o", "x"), support.INPUT, "not a profile of ONNX Runtime"),
                ((support.DATA / "README.md", "-o", "x"), support.INPUT, "not a profile of ONNX")):
            done = support.run("import", *words)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(text, done.stderr.decode())
            self.assertFalse(pathlib.Path("x").exists())

    def test_import__a_cut_file_names_the_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.json"
            path.write_bytes(ONNX.read_bytes()[:5000])
            for command in (("import", path, "-o", path.parent / "x"), ("inspect", path)):
                done = support.run(*command)
                if done.returncode == support.UNAVAILABLE:
                    self.skipTest("no JSON")
                self.assertEqual(done.returncode, support.INPUT)
                self.assertRegex(done.stderr.decode(), r"cut.json: byte \d+: the JSON cannot be read")

    def test_import__every_command_reads_it(self):
        trace, _ = self.imported(ONNX)
        budget = trace.with_suffix(".txt")
        budget.write_text("total p50 <= 1s\n")
        for path in (trace, ONNX):
            for words in (("inspect", path, "--tree"), ("inspect", path, "--group-by", "module"),
                          ("info", path), ("summary", path), ("plot", "icicle", path, "-o", trace.with_suffix(".svg")),
                          ("sql", "select count(*) from operators", path), ("dump", path),
                          ("report", path, "--format", "json", "-o", "-"), ("advise", path),
                          ("gate", path, path, "--budget", budget)):
                done = support.run(*words)
                if done.returncode == support.UNAVAILABLE:
                    continue
                self.assertIn(done.returncode, (support.OK, 1), (words, done.stderr))


class RoundTrip(unittest.TestCase):
    """What `export --to chrome` writes is imported as the events that were exported."""

    def events(self, path):
        found = events_of(path)
        start = min(event["start_ns"] for event in found)
        numbers = {run: i for i, run in enumerate(sorted({event["run"] for event in found}))}
        return sorted((numbers[e["run"]], e["start_ns"] - start, e["end_ns"] - e["start_ns"],
                       e["name"], -1 if e["instruction"] is None else e["instruction"],
                       e["parent"] or "") for e in found)

    def test_round_trip__every_fixture_has_the_same_events(self):
        fixtures = sorted(support.DATA.glob("*/profile.etdp"))
        self.assertGreater(len(fixtures), 10)
        with tempfile.TemporaryDirectory() as folder:
            exported = pathlib.Path(folder) / "trace.json"
            for path in fixtures:
                done = support.run("export", path, "--to", "chrome", "-o", exported)
                self.assertEqual(done.returncode, support.OK, done.stderr)
                self.assertEqual(self.events(exported), self.events(path), path)

    def test_round_trip__profiles_of_other_runtimes_too(self):
        with tempfile.TemporaryDirectory() as folder:
            exported = pathlib.Path(folder) / "trace.json"
            for path in (ONNX, PARALLEL, STEPS, STACK, CSV, PROTO, EVENTS, SUMMARY):
                done = support.run("export", path, "--to", "chrome", "-o", exported)
                self.assertEqual(done.returncode, support.OK, done.stderr)
                self.assertEqual(self.events(exported), self.events(path), path)
                columns = ("operator", "node", "module", "source", "backend", "resolution_ns")
                both = [[[row[column] for column in columns] for row in support.rows(each)]
                        for each in (path, exported)]
                self.assertEqual(both[0], both[1])

    def test_round_trip__cycles_stay_cycles(self):
        trace = MODEL / "profile.etdp"
        with tempfile.TemporaryDirectory() as folder:
            exported = pathlib.Path(folder) / "trace.json"
            words = (trace, "--source-time-scale", "cycles")
            done = support.run("export", *words, "--to", "chrome", "-o", exported)
            self.assertEqual(done.returncode, support.OK, done.stderr)
            unit = json.loads(exported.read_text())["metadata"]["unit"]
            self.assertEqual(unit, "cycles")
            both = [support.inspect(*path, "--format", "tsv").stdout
                    for path in ((exported,), words)]
            self.assertIn(b"cycles", both[0])
            self.assertEqual(both[0], both[1])
            done = support.run("inspect", exported, "--target-time-scale", "ms")
            self.assertEqual(done.returncode, support.USAGE)
            self.assertIn(b"the trace states that its times are cycles", done.stderr)
            self.assertIn(b"cycles", support.run("info", exported).stdout)

    def test_round_trip__runs_keep_their_threads(self):
        """Runs of two methods that overlap on three threads."""
        told = [("encode", 0, 0, 1), ("encode", 0, 0, 2), ("encode", 1, 1, 2), ("decode", 2, 0, 2), ("encode", 0, 2, 2)]
        starts = (0, 1000, 1200, 1300, 3000)
        runs = [("Default" if purpose == 1 else "Execute", self.run_of(start, purpose))
                for (_, _, _, purpose), start in zip(told, starts)]
        entries = [(4, struct.pack("<IIIHH", index, thread, invocation, purpose, 0) + method.encode())
                   for index, (method, thread, invocation, purpose) in enumerate(told)]
        with tempfile.TemporaryDirectory() as folder:
            trace, exported = pathlib.Path(folder) / "threads.etdp", pathlib.Path(folder) / "trace.json"
            support.make_dump(trace, runs)
            support.add_extra(trace, support.extra_block(values=entries))
            done = support.run("export", trace, "--to", "chrome", "-o", exported)
            self.assertEqual(done.returncode, support.OK, done.stderr)
            self.assertEqual(self.events(exported), self.events(trace))
            imported = pathlib.Path(folder) / "imported.etdp"
            self.assertEqual(support.run("import", exported, "-o", imported).returncode, support.OK)
            self.assertEqual(self.told(imported), self.told(trace))
            self.assertEqual([run["thread"] for run in self.told(imported)], [0, 0, 1, 2, 0])

    def told(self, path):
        (found,) = support.json_rows(support.run("dump", path).stdout)
        return found["extra"]["runs"]

    def run_of(self, start, purpose):
        if purpose == 1:
            return [support.framework("Program::load_method", start, start + 500)]
        return [support.call("a.out", 0, start + 10, start + 200), support.call("b.out", 1, start + 210, start + 400),
                support.framework("Method::execute", start, start + 500)]

    def test_round_trip__a_record_joins_the_imported_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            exported = pathlib.Path(folder) / "trace.json"
            support.run("export", MODEL / "profile.etdp", "--to", "chrome", "-o", exported)
            record = ("--etrecord", MODEL / "model.etrecord")
            columns = ("operator", "source", "module", "debug_handles", "calls", "total_ns")
            rows = [[row[column] for column in columns]
                    for path in (exported, MODEL / "profile.etdp")
                    for row in support.rows(path, *record)]
            half = len(rows) // 2
            self.assertEqual(rows[:half], rows[half:])

    def test_round_trip__events_find_their_calls_in_linear_time(self):
        def events(tid, category):
            return [{"ph": "X", "pid": 1, "tid": tid, "ts": 2 * number, "dur": 1, "name": category,
                     "cat": category, "args": {"run": 0, "instruction": 1}} for number in range(100000)]

        with tempfile.TemporaryDirectory() as folder:
            exported = pathlib.Path(folder) / "trace.json"
            exported.write_text(json.dumps({
                "traceEvents": events(101, "delegate call") + events(102, "delegate"),
                "metadata": {"exporter": "etscope"}}))
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            done = support.run("import", exported, "-o", exported.with_suffix(".etdp"))
            if done.returncode == support.UNAVAILABLE:
                self.skipTest(done.stderr.decode())
            self.assertIn(b"200000 events in 1 run", done.stdout)
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 10)

    def test_round_trip__several_traces_become_runs_of_one(self):
        with tempfile.TemporaryDirectory() as folder:
            exported = pathlib.Path(folder) / "trace.json"
            support.run("export", MODEL / "profile.etdp", MODEL / "profile.etdp", "--to", "chrome",
                        "-o", exported)
            self.assertEqual(len(events_of(exported)), 2 * len(events_of(MODEL / "profile.etdp")))


class Difference(unittest.TestCase):
    def lines(self, *words):
        done = support.run("diff", *words, "--format", "json")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return [row for row in support.json_rows(done.stdout) if row["block"] == "Execute"]

    def test_difference__one_runtime_matches_nodes(self):
        lines = self.lines(ONNX, PARALLEL)
        self.assertEqual({line["matched_by"] for line in lines}, {"order"})
        self.assertEqual({line["kind"] for line in lines}, {None})

    def test_difference__two_runtimes_match_types_in_order(self):
        lines = self.lines(ONNX, MODEL / "profile.etdp", "--allow-mismatch")
        self.assertEqual({line["matched_by"] for line in lines}, {"types"})
        both = {line["operator"] for line in lines
                if line["before_ns"] is not None and line["after_ns"] is not None}
        self.assertEqual({"Method::execute", "addmm.out", "(between operators)"}, both)

    def test_difference__says_how_else_to_compare(self):
        done = support.run("diff", ONNX, MODEL / "profile.etdp")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, support.MISMATCH)
        self.assertIn("two runtimes", done.stderr.decode())
        self.assertIn("--group-by op", done.stderr.decode())

    def test_difference__operators_of_a_type_add_up(self):
        lines = {line["operator"]: line for line in
                 self.lines(EVENTS, support.DATA / "mlp_xnnpack" / "profile.etdp", "--group-by",
                            "operator")}
        self.assertEqual({line["matched_by"] for line in lines.values()}, {"operator"})
        self.assertEqual(lines["linear"]["before_ns"], 450000.0) # 321 + 129 us
        self.assertIsNotNone(lines["linear"]["after_ns"])
        self.assertIsNone(lines["cumsum"]["after_ns"])

    def test_difference__groups_add_up_to_the_run(self):
        for by in ("operator", "module"):
            lines = self.lines(STEPS, STEPS, "--group-by", by)
            whole, = (line for line in lines if line["operator"] == "Method::execute")
            parts = [line for line in lines if line is not whole]
            self.assertEqual(sum(round(line["before_ns"] * 2) for line in parts),
                             round(whole["before_ns"] * 2)) # medians of two runs

    def test_difference__modules_come_from_names_and_records(self):
        lines = self.lines(ONNX, MODEL / "profile.etdp", "--etrecord", MODEL / "model.etrecord",
                           "--group-by", "module")
        self.assertEqual({line["matched_by"] for line in lines}, {"module"})
        names = {line["operator"] for line in lines}
        self.assertLessEqual({"fc1", "fc2", "l1", "l2"}, names)

    def test_difference__an_etrecord_does_not_describe_it(self):
        done = support.run("inspect", ONNX, "--etrecord", MODEL / "model.etrecord")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, support.MISMATCH)
        self.assertIn("a profile of ONNX Runtime, which no ETRecord", done.stderr.decode())


class CutLines(support.FolderTest):
    def test_cut__a_line_of_litert_events_that_is_cut_is_refused(self):
        whole = (support.DATA / "exchange" / "litert_events.txt").read_bytes()
        lines = whole.splitlines(keepends=True)
        (self.folder / "cut.txt").write_bytes(b"".join(lines[:15]) + lines[15][:lines[15].rindex(b"\t")])
        done = support.run("import", self.folder / "cut.txt", "-o", self.folder / "cut.etdp")
        self.assertEqual(done.returncode, support.INPUT)
        self.assertIn(b"line 16 of the events: it has fewer than eight fields: the file is cut", done.stderr)
        self.assertFalse((self.folder / "cut.etdp").exists())


class OutsideOfRuns(support.FolderTest):
    """Thousands of operators between steps, in another order in each recording."""

    def put(self, name, operators):
        profile = json.loads(STEPS.read_text())
        events = profile["traceEvents"]
        model = next(event for event in events if event.get("cat") == "cpu_op")
        end = max(event["ts"] + event.get("dur", 0) for event in events if "ts" in event)
        events += [{**model, "name": f"aten::{operator}", "ts": end + 100 + 10 * i, "dur": 3, "args": {}}
                   for i, operator in enumerate(operators)]
        path = self.folder / name
        path.write_text(json.dumps(profile))
        return path

    def test_operators_of_a_type_are_added_up(self):
        before = self.put("before.json", ["add", "mul"] * 1000)
        after = self.put("after.json", ["mul", "add"] * 1100 + ["sub"])
        for other, rows in ((after, {"add", "mul", "sub"}), (STEPS, {"add", "mul"})):
            done = support.run("diff", before, other, "--group-by", "operator", "--format", "json")
            self.assertEqual(done.returncode, support.OK, done.stderr)
            found = [row for row in json.loads(done.stdout)["rows"] if row["block"] == "Outside of runs"]
            self.assertEqual(len(found), len(rows))
            self.assertEqual({row["operator"] for row in found}, rows)


if __name__ == "__main__":
    unittest.main()

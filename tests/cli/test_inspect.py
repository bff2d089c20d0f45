"""What `inspect` shows: methods, mismatches, loops, delegates, bounds, hostile names."""

import csv
import io
import json
import re
import shutil
import unittest
import zipfile

import support
from support import by_number, call, framework

class InFolder(support.FolderTest):
    def dump(self, *runs):
        return support.make_dump(self.folder / "made.etdp", runs)


class MethodChoice(InFolder):
    record = support.fixture("multi_method", "model.etrecord")

    def test_inspect__a_prefix_that_stops_is_the_shortest_method(self):
        dump = self.dump(("Execute", [
            call("native_call_permute_copy.out", 0, 10, 20), call("OPERATOR_CALL", 0, 9, 21),
            call("native_call_addmm.out", 1, 30, 50), call("OPERATOR_CALL", 1, 29, 51),
            framework("Method::execute", 5, 60)]))
        rows = support.rows(dump, "--etrecord", self.record)
        self.assertEqual({row["method"] for row in rows}, {"decode"})

    def test_inspect__methods_that_cannot_be_told_apart_are_ambiguous(self):
        record = support.make_twins(self.folder / "twins.etrecord")
        dump = self.dump(("Execute", [
            call("native_call_permute_copy.out", 0, 10, 20),
            call("native_call_addmm.out", 1, 30, 50), framework("Method::execute", 5, 60)]))
        done = support.inspect(dump, "--etrecord", record)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"method ambiguous: encode, forward (choose with --method)", done.stdout)
        self.assertIn("ambiguous: encode, forward", done.stderr.decode())
        rows = support.rows(dump, "--etrecord", record, "--method", "encode")
        self.assertEqual([row["method"] for row in rows], ["encode"] * 3)
        self.assertEqual(rows[1]["source"], ["models/zoo.py:46"])

    def test_inspect__a_method_that_is_not_there_is_refused(self):
        dump = support.fixture("multi_method", "profile.etdp")
        done = support.inspect(dump, "--etrecord", self.record, "--method", "decod")
        self.assertEqual(done.returncode, support.USAGE)
        self.assertIn("no method decod; there are: decode, encode, forward", done.stderr.decode())


class WrongFiles(InFolder):
    def test_inspect__every_record_fits_its_own_dump_and_program(self):
        for model in support.MODELS:
            program = ("--program", support.fixture(model, "model.pte"))
            for words in (support.with_record(model) + program, support.with_record(model),
                          (support.fixture(model, "profile.etdp"), *program)):
                with self.subTest(model=model, words=len(words)):
                    done = support.inspect(*words)
                    notes = done.stderr.splitlines()
                    if b"(whole call)" in done.stdout and "--program" not in words:
                        self.assertIn(b"source lines inside delegates need --program model.pte",
                                      notes.pop())
                    self.assertEqual((done.returncode, notes), (0, []))

    def test_inspect__a_program_is_named_where_it_would_tell_more(self):
        told = b"source lines inside delegates need --program model.pte"
        for model, times in (("conv_xnnpack", 1), ("conv_portable", 0)):
            done = support.inspect(*support.with_record(model))
            self.assertEqual(done.stderr.count(told), times)
            annotated = support.run("annotate", *support.with_record(model))
            self.assertEqual(annotated.stderr.count(told), times)
        record = support.with_record("conv_xnnpack")
        for more in (("--program", support.fixture("conv_xnnpack", "model.pte")),
                     ("--format", "upstream"), ("--group-by", "run")):
            self.assertNotIn(told, support.inspect(*record, *more).stderr)

    def test_inspect__wrong_records_are_told_or_say_the_same_as_the_right_one(self):
        for model in support.MODELS:
            for other in support.MODELS:
                if other == model:
                    continue
                with self.subTest(dump=model, record=other):
                    done = support.inspect(support.fixture(model, "profile.etdp"), "--etrecord",
                                           support.fixture(other, "model.etrecord"))
                    if done.returncode == 0:
                        self.assertTrue(self.can_fit(model, other))
                        continue
                    self.assertEqual(done.returncode, support.MISMATCH)
                    self.assertEqual(done.stdout, b"")
                    self.assertRegex(done.stderr.decode(),
                                     r"the trace does not belong to this ETRecord: .*instruction")

    def can_fit(self, model, other):
        """Models of the same operators, and of one delegate whose operators say nothing certain: a
        linear layer fits where any product is."""
        same = ({"dynamic", "mlp_portable"}, {"conv_xnnpack", "conv_xnnpack_int8"},
                {"linear_fp32_xnnpack", "linear_int8_xnnpack"})
        products = {"conv_xnnpack", "conv_xnnpack_int8", "mlp_xnnpack"}
        return {model, other} in same or (model.startswith("linear_") and other in products)

    def test_inspect__says_what_differs(self):
        for dump, record, reason in (
                ("cond", "conv_xnnpack", "instruction 0 of forward is a delegate call in the "
                 "record but an operator call in the trace"),
                ("conv_xnnpack", "cond", "instruction 0 of forward is an operator call in the "
                 "record but a delegate call in the trace"),
                ("conv_portable", "types", "instruction 0 ran convolution.out but the record's "
                 "forward has aten.gt.Tensor there")):
            done = support.inspect(support.fixture(dump, "profile.etdp"), "--etrecord",
                                   support.fixture(record, "model.etrecord"))
            self.assertIn(reason, done.stderr.decode())

    def test_inspect__wrong_programs_are_told(self):
        done = support.inspect(support.fixture("conv_portable", "profile.etdp"), "--program",
                               support.fixture("types", "model.pte"))
        self.assertEqual(done.returncode, support.MISMATCH)
        self.assertIn("does not belong to this program: instruction 0 ran convolution.out but the "
                      "program's forward has aten::gt there", done.stderr.decode())

    def test_inspect__goes_on_when_told_to(self):
        done = support.inspect(support.fixture("cond", "profile.etdp"), "--etrecord",
                               support.fixture("types", "model.etrecord"), "--allow-mismatch")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"not joined: instruction 0 ran sum.IntList_out", done.stdout)
        self.assertIn("note: block ", done.stderr.decode())

    def test_inspect__other_kinds_of_file_are_told(self):
        for words in ((support.fixture("cond", "model.pte"),),
                      (support.fixture("cond", "profile.etdp"), "--etrecord",
                       support.fixture("cond", "model.pte")),
                      (support.fixture("cond", "profile.etdp"), "--program",
                       support.fixture("cond", "profile.etdp"))):
            done = support.inspect(*words)
            self.assertEqual((done.returncode, done.stdout), (support.INPUT, b""))


    def test_inspect__a_record_of_another_kind_is_named(self):
        (self.folder / "text").write_text("no record\n")
        (self.folder / "empty").write_bytes(b"")
        dump = support.fixture("cond", "profile.etdp")
        for path, kind in ((support.fixture("cond", "model.pte"), "an ExecuTorch program (.pte)"),
                           (dump, "an ETDump"), (self.folder / "text", "a text file"),
                           (self.folder / "empty", "an empty file")):
            done = support.inspect(dump, "--etrecord", path)
            self.assertEqual(done.returncode, support.INPUT)
            self.assertIn(f"{path}: byte 0: not an ETRecord but {kind}", done.stderr.decode())


class Rows(InFolder):
    def test_inspect__framework_events_have_no_handles(self):
        for model in support.MODELS:
            for row in support.rows(*support.with_record(model)):
                if row["event"].startswith(("Method::", "Program::")):
                    self.assertEqual((row["debug_handles"], row["op_types"], row["source"],
                                      row["instruction"]), ([], [], [], None))

    def test_inspect__loops_show_all_iterations(self):
        rows = support.rows(*support.with_record("map_loop"))
        looped = [row for row in rows if row["calls"] == 3]
        self.assertIn("native_call_mm.out", {row["event"] for row in looped})
        mm = next(row for row in looped if row["event"] == "native_call_mm.out")
        self.assertEqual(mm["runs"], 5)
        done = support.inspect(support.fixture("map_loop", "profile.etdp"), "--format", "upstream")
        last = next(row for row in csv.reader(io.StringIO(done.stdout.decode()), delimiter="\t")
                    if row[2] == "native_call_mm.out")
        self.assertGreater(mm["avg_ns"], float(last[6]) * 1e6)

    def test_inspect__branches_are_blocks_of_their_own(self):
        rows = support.rows(*support.with_record("cond"))
        executions = [row for row in rows if row["event"] == "Method::execute"]
        self.assertEqual([row["method"] for row in executions], ["forward", "forward"])
        self.assertEqual(sum(row["runs"] for row in executions), 5)
        done = support.inspect(*support.with_record("cond"))
        self.assertEqual(done.stdout.count(b"Execute - method forward"), 2)

    def test_inspect__the_program_names_prim_ops(self):
        words = (support.fixture("map_loop", "profile.etdp"), "--program",
                 support.fixture("map_loop", "model.pte"))
        kernels = {row["kernel"] for row in support.rows(*words)}
        self.assertTrue(any(kernel and kernel.startswith("executorch_prim::") for kernel in kernels))
        self.assertIn("executorch_prim::", support.inspect(*words).stdout.decode())

    def test_inspect__allocations_are_counted(self):
        done = support.inspect(support.fixture("made", "allocations.etdp"))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.decode(), r"\d+ allocations of \d+ bytes")

    def test_inspect__a_wrapped_counter_is_right_here_and_short_upstream(self):
        dump = self.dump(("Execute", [call("native_call_a.out", 0, 2**32 - 6, 10),
                                      framework("Method::execute", 0, 50)]))
        self.assertEqual(support.rows(dump)[1]["avg_ns"], 16.0)
        done = support.inspect(dump, "--format", "upstream")
        self.assertEqual(done.stdout.decode().splitlines()[1].split("\t")[3], "1.5e-05")

    def test_inspect__runs_without_events_and_empty_dumps(self):
        done = support.inspect(self.dump(("Default", [])))
        self.assertEqual((done.returncode, done.stdout), (0, b"Default - 1 run\n"))
        self.assertIn(b"has no events", done.stderr)
        done = support.inspect(self.dump(("Default", [])), "--prompt", "8")
        self.assertEqual(done.returncode, support.USAGE)
        self.assertIn(b"--prompt 8 is of runs, and the trace has no run of a method", done.stderr)
        done = support.inspect(self.dump())
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual(support.rows(self.dump()), [])

    def test_inspect__operators_of_libraries_that_are_not_here_are_shown_as_any(self):
        """A trace is read without kernels; `run` names who has them (test_run), `gap` the node."""
        record = support.fixture("mlp_portable", "model.etrecord")
        trace, other = self.folder / "other.etdp", self.folder / "other.etrecord"
        data = support.fixture("mlp_portable", "debug.etdp").read_bytes()
        trace.write_bytes(data.replace(b"native_call_relu.out", b"native_call_sdpa.out"))
        with zipfile.ZipFile(record) as source:
            names = ("exported_program", "edge_dialect_exported_program/forward")
            support.replace_entries(record, other, {
                name: source.read(name).replace(b"aten.relu.default", b"llama.sdpa.default")
                for name in names})
        (row,) = [row for row in support.rows(trace, "--etrecord", other)
                  if row["operator"] == "sdpa.out"]
        self.assertEqual((row["op_types"], row["source"]),
                         (["llama.sdpa.default"], ["models/zoo.py:16"]))
        done = support.run("gap", trace, "--debug-buffer",
                           support.fixture("mlp_portable", "debug.bin"), "--etrecord", other,
                           "--format", "json")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        reasons = {row["instruction"]: row["reason"] for row in support.json_rows(done.stdout)}
        self.assertEqual(reasons[row["instruction"]], "llama.sdpa.default: unknown operator")

    def test_inspect__unknown_events_are_counted(self):
        done = support.inspect(self.dump(("Execute", [
            {"unknown": True}, call("native_call_a.out", 0, 1, 2), {"unknown": True}])))
        self.assertEqual(done.returncode, 0)
        self.assertIn("skipped 2 events of kinds that this version does not know", done.stderr.decode())
        self.assertIn(b"a.out", done.stdout)

    def test_inspect__several_executions_in_one_block_are_all_shown(self):
        events = []
        for start in (0, 100, 200):
            events += [call("OPERATOR_CALL", 0, start + 1, start + 2),
                       framework("Method::execute", start, start + 10)]
        rows = support.rows(self.dump(("Execute", events)))
        self.assertEqual([(row["operator"], row["calls"], row["depth"]) for row in rows],
                         [("Method::execute", 3, 0), ("OPERATOR_CALL", 3, 1)])


class SharedHandles(unittest.TestCase):
    def test_inspect__kernels_under_one_handle_have_their_own_nodes(self):
        """A linear layer is a permute_copy and an addmm of one handle."""
        rows = [row for row in support.rows(*support.with_record("gpt_portable"))
                if row["op_types"]]
        self.assertEqual(len(rows), 106)
        for row in rows:
            operator, = row["op_types"]
            self.assertIn(row["operator"].split(".")[0], operator.split("."))
        shared = [row["debug_handles"] for row in rows if row["operator"] == "permute_copy.out"]
        self.assertTrue(any(handles == row["debug_handles"] for handles in shared for row in rows
                            if row["operator"] == "addmm.out"))


class Delegates(InFolder):
    def record(self, keys):
        """The record of mlp_xnnpack with a delegate map that has content."""
        record = self.folder / "delegate.etrecord"
        support.replace_entries(
            support.fixture("mlp_xnnpack", "model.etrecord"), record,
            {"delegate_map": json.dumps({"forward": {"0": {"name": "B", "delegate_map": keys}}})})
        return record

    def test_inspect__identifiers_are_matched_whole(self):
        record = self.record({"1": [1], "10": [2]})
        dump = self.dump(("Execute", [
            by_number(1, 0, 10, 20), by_number(10, 0, 20, 31), by_number(100, 0, 31, 40),
            {"delegate": "1", "chain": 0, "instruction": 0, "start": 40, "end": 41},
            call("DELEGATE_CALL", 0, 9, 50), framework("Method::execute", 5, 60)]))
        rows = {row["event"] + str(i): row
                for i, row in enumerate(support.rows(dump, "--etrecord", record))}
        delegated = [row for name, row in rows.items() if name[0] == "1"]
        handles = [row["debug_handles"] for row in delegated]
        self.assertEqual(handles, [["1"], ["2"], ["1", "2", "3", "4"], ["1"]])
        # What the map does not have keeps the handles of the whole call, and says so.
        self.assertEqual([row["tie"] for row in delegated], ["map", "map", "call", "map"])
        self.assertEqual({row["backend"] for name, row in rows.items() if "execute" not in name},
                         {"B"})

    def test_inspect__a_table_runs_where_its_last_node_was(self):
        folder = support.DATA / "table"
        rows = support.rows(folder / "elu.etdp", "--etrecord", folder / "elu.etrecord", "--program", folder / "elu.pte")
        inside = [row for row in rows if row["depth"] == 2 and row["block"] == "Execute"]
        self.assertEqual({row["tie"] for row in inside}, {"near"})  # not "call": all are predicted
        clamp, table = (row for row in inside if row["event"] in ("Clamp (NC) #1", "Invalid Unary Op #1"))
        self.assertEqual((clamp["source"], clamp["op_types"][0]), (["models/net.py:15"], "aten.relu.default"))
        self.assertEqual(table["operator"], "Negate, Clamp, Negate, Exp (table) #1")

    def test_inspect__upstream_matches_parts_of_identifiers(self):
        record = self.record({"1": [1], "10": [2]})
        dump = self.dump(("Execute", [
            {"delegate": "10", "chain": 0, "instruction": 0, "start": 20, "end": 30},
            {"delegate": "op 1", "chain": 0, "instruction": 0, "start": 40, "end": 41}]))
        done = support.inspect(dump, "--etrecord", record, "--format", "upstream")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = list(csv.reader(io.StringIO(done.stdout.decode()), delimiter="\t"))
        # The last key that is contained wins: "10" for "10", "1" for "op 1".
        self.assertEqual([row[9] for row in table[1:]],
                         ["['aten.relu.default']", "['aten.linear.default']"])

    def test_inspect__whole_microseconds_are_bounds(self):
        rows = support.rows(*support.with_record("mlp_xnnpack"))
        steps = {row["event"]: row["resolution_ns"] for row in rows}
        self.assertEqual(steps["Softmax (NC, F32) #1"], 1000.0)
        self.assertEqual(steps["DELEGATE_CALL"], 0.0)
        text = support.inspect(*support.with_record("mlp_xnnpack")).stdout.decode()
        line = next(line for line in text.splitlines() if "Softmax" in line)
        self.assertIn(" ~11.3 ", line)
        self.assertIn("<1", line)
        text = support.inspect(*support.with_record("mlp_xnnpack"), "--bounds").stdout.decode()
        self.assertIn(" 10.8..11.8 ", next(line for line in text.splitlines() if "Softmax" in line))
        call_line = next(line for line in text.splitlines() if "DELEGATE_CALL" in line)
        self.assertNotIn("..", call_line)

    def test_inspect__groups_add_up_to_the_run(self):
        for model in support.MODELS:
            for key in ("op", "module", "source", "backend", "file", "handle"):
                blocks = {}
                for row in support.rows(*support.with_record(model), "--group-by", key):
                    blocks.setdefault((row["block"], row["method"], row["runs"]), []).append(row)
                for place, rows in blocks.items():
                    with self.subTest(model=model, key=key, block=place):
                        self.check_shares(self.own(rows))

    def own(self, rows):
        """In a tree, the time of each module itself."""
        return [{**row, "share": row["self_share"], "share_upper": row["self_share_upper"]}
                if "self_share" in row else row for row in rows]

    def check_shares(self, rows):
        """Shares are lower bounds where a delegate counts in steps: the run lies between."""
        least = sum(row["share"] for row in rows)
        self.assertLessEqual(least, 1 + 1e-9)
        self.assertGreaterEqual(sum(row["share_upper"] for row in rows), 1 - 1e-9)


class HostileRecord(InFolder):
    def test_inspect__handles_times_nodes_beyond_32_bits_are_refused(self):
        """2^19 handles of 2^13 nodes: counted in 32 bits, their product would look small."""
        source = support.fixture("mlp_xnnpack", "model.etrecord")
        entry = "edge_dialect_exported_program/forward"
        with zipfile.ZipFile(source) as record:
            program = json.loads(record.read(entry))
        nodes = program["graph_module"]["graph"]["nodes"]
        node = next(node for node in nodes if "debug_handle" in node["metadata"])
        nodes += [node] * (1 << 13)
        handles = [int(node["metadata"]["debug_handle"])] * (1 << 19)
        record = self.folder / "large.etrecord"
        support.replace_entries(source, record, {
            entry: json.dumps(program),
            "debug_handle_map": json.dumps({"forward": {"0": handles, "1": 7}})})
        done = support.inspect(support.fixture("mlp_xnnpack", "profile.etdp"), "--etrecord", record,
                               "--allow-mismatch", "--format", "upstream")
        self.assertEqual((done.returncode, done.stdout), (support.INPUT, b""))
        self.assertIn(b"large.etrecord: the record maps its nodes to too many events", done.stderr)


class HostileNames(InFolder):
    names = ["\033[2J\033]0;title\007", "line\nbreak\ttab\rreturn", 'quotes "and" \'commas\', too',
             "pipe | back\\slash <img src=x>", b"not utf-8 \xff\x9b", "CSI \u009b2J",
             "\u20ac \U0001f3bc"]

    def setUp(self):
        super().setUp()
        self.path = self.dump(
            ("B\033[2J", [call(name, i, 10 * i, 10 * i + 5) for i, name in enumerate(self.names)]))

    def expected(self):
        return [name.decode(errors="replace") if isinstance(name, bytes) else name
                for name in self.names]

    def test_inspect__no_control_character_reaches_a_terminal(self):
        for words in (("--format", "table"), ("--format", "markdown"), ("--width", "40"),
                      ("--block", "nowhere"), ("--group-by", "op")):
            done = support.inspect(self.path, *words)
            for stream in (done.stdout, done.stderr):
                self.assertNotRegex(stream.decode(), "[\x00-\x09\x0b-\x1f\x7f\u0080-\u009f]")

    def test_inspect__without_utf8_everything_is_ascii(self):
        done = support.inspect(self.path, env={"LC_ALL": "C"})
        self.assertTrue(done.stdout.isascii())

    def test_inspect__json_parses(self):
        text = support.inspect(self.path, "--format", "json").stdout.decode()
        self.assertEqual([row["event"] for row in support.json_rows(text)], self.expected())
        lines = support.inspect(self.path, "--format", "jsonl").stdout.decode().splitlines()
        self.assertEqual([json.loads(line)["event"] for line in lines], self.expected())
        self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f]")

    def test_inspect__csv_and_tsv_read_back(self):
        for form, separator in (("csv", ","), ("tsv", "\t"), ("upstream", "\t")):
            data = support.inspect(self.path, "--format", form).stdout
            text = io.StringIO(data.decode(errors="replace"), newline="")
            table = list(csv.reader(text, delimiter=separator))
            column = table[0].index("event_name" if form == "upstream" else "event")
            harmless = [re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", " ", name)
                        for name in self.expected()]
            self.assertEqual([row[column] for row in table[1:]], harmless)

    def test_inspect__markdown_keeps_its_columns(self):
        lines = support.inspect(self.path, "--format", "markdown").stdout.decode().splitlines()
        rows = [line for line in lines if line.startswith("|")]
        self.assertEqual(len(rows), len(self.names) + 2)
        bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}
        self.assertEqual(len(bars), 1)
        self.assertNotIn(" <img", "\n".join(lines))


class Layout(InFolder):
    def test_inspect__fits_the_width_and_names_units(self):
        for model in ("gpt_xnnpack", "mlp_portable", "conv_xnnpack_int8"):
            for width in (80, 120, 200):
                text = support.inspect(*support.with_record(model), "--width", width).stdout.decode()
                for line in text.splitlines():
                    if " - " not in line:  # headings are sentences
                        self.assertLessEqual(len(line), width)
                self.assertNotRegex(text, "(?m) $")
                self.assertRegex(text, r"(?m)^.*operator.* mid (ns|us|ms)\b")

    def test_inspect__columns_of_the_environment_are_a_width(self):
        text = support.inspect(*support.with_record("gpt_portable"), env={"COLUMNS": "80"}).stdout
        lines = [line for line in text.decode().splitlines() if " - " not in line]
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_inspect__one_unit_for_all(self):
        for unit, factor in (("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)):
            words = support.with_record("mlp_portable")
            header = support.inspect(*words, "--unit", unit).stdout
            header = support.below_headline(header)[1]
            self.assertIn(f"avg {unit}", header)
            for row, exact in zip(support.rows(*words, "--unit", unit), support.rows(*words)):
                self.assertAlmostEqual(row[f"avg_{unit}"] * factor, exact["avg_ns"], delta=1e-6)

    def test_inspect__top_sort_block_and_run(self):
        words = support.with_record("gpt_portable")
        top = support.rows(*words, "--top", "3", "--block", "Execute")
        self.assertEqual([row["event"] for row in top][:1], ["Method::execute"])
        self.assertEqual(len(top), 4)  # the run itself is not among the three
        times = [row["p50_ns"] for row in support.rows(*words, "--sort", "time", "--block", "1")]
        self.assertEqual(times, sorted(times, reverse=True))
        names = [row["operator"] for row in support.rows(*words, "--sort", "name", "--block", "1")]
        self.assertEqual(names, sorted(names))
        alone = support.rows(*words, "--run", "2")
        self.assertEqual({(row["block"], row["runs"]) for row in alone}, {("Execute", 1)})

    def test_inspect__one_slow_run_decides_neither_shares_nor_the_order(self):
        runs = []
        for run in range(5):
            at, add = 100000 * run, 9000 if run == 0 else 100
            runs.append(("Execute", [
                call("native_call_add.out", 0, at, at + add),
                call("native_call_mul.out", 1, at + add, at + add + 300),
                framework("Method::execute", at, at + add + 400)]))
        path = self.dump(*runs)
        for words in ((), ("--group-by", "op"), ("--tree",)):
            rows = {row["operator"]: row for row in support.rows(path, *words)}
            self.assertEqual(rows["add.out"]["avg_ns"], 1880)
            self.assertAlmostEqual(rows["add.out"]["share"], 0.2)
            self.assertAlmostEqual(rows["mul.out"]["share"], 0.6)
        order = [row["operator"] for row in support.rows(path, "--sort", "time")]
        self.assertEqual(order, ["Method::execute", "mul.out", "add.out"])

    def test_inspect__cycles_stay_cycles(self):
        words = (support.fixture("mlp_portable", "profile.etdp"), "--source_time_scale", "cycles")
        rows = support.rows(*words)
        self.assertIn("avg_cycles", rows[0])
        self.assertIn("avg cycles", support.inspect(*words).stdout.decode())
        table = support.inspect(*words, "--target_time_scale", "cycles", "--format",
                                "upstream")
        self.assertIn("p10 (cycles)", table.stdout.decode())

    def test_inspect__reads_from_a_pipe(self):
        dump, *words = support.with_record("mlp_portable")
        done = support.inspect("-", *words, "--format", "upstream", stdin=dump.read_bytes())
        self.assertEqual(done.stdout, support.fixture("mlp_portable", "profile.tsv").read_bytes())

    def test_inspect__a_cut_dump_is_read_in_part(self):
        whole = support.fixture("mlp_portable", "profile.etdp").read_bytes()
        path = self.folder / "cut.etdp"
        path.write_bytes(whole[: len(whole) - 64])
        done = support.inspect(path)
        self.assertEqual(done.returncode, support.INPUT)
        self.assertEqual(done.stdout, b"")
        shutil.copy(path, self.folder / "again.etdp")
        done = support.inspect(path, "--partial")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"note: ", done.stderr)

    def test_inspect__of_a_cut_dump_nothing_whole_may_be_left(self):
        whole = support.fixture("mlp_portable", "profile.etdp").read_bytes()
        path, table = self.folder / "cut.etdp", self.folder / "table"
        path.write_bytes(whole[:300])
        table.write_text("as it was")
        done = support.inspect(path, "--partial", "--output", table)
        self.assertEqual((done.returncode, done.stdout), (support.INPUT, b""))
        self.assertIn("no part of the trace is intact", done.stderr.decode())
        self.assertNotIn("doctor", done.stderr.decode())
        self.assertEqual(table.read_text(), "as it was")


class Crowded(unittest.TestCase):
    """A line of a block that is there several times takes most of the run."""

    def test_inspect__a_line_of_many_modules_points_to_group_by_module(self):
        done = support.inspect(*support.with_record("gpt_portable"), "--group-by", "source",
                               "--no-siblings")
        (note,) = [line for line in done.stdout.decode().splitlines() if "--group-by" in line]
        (top, *_) = [row for row in support.rows(*support.with_record("gpt_portable"),
                                                 "--group-by", "source")
                     if row["block"] == "Execute"]
        modules = set()
        for row in support.rows(*support.with_record("gpt_portable")):
            if row["source"] == top["source"]:
                modules.update(row["module"])
        self.assertEqual(note, f"{top['source'][0]} takes {100 * top['share']:.1f} % of the run, in "
                               f"{len(modules)} modules: --group-by module separates them")

    def test_inspect__a_line_of_one_module_does_not(self):
        for words in ("linear_fp32_xnnpack", "--group-by", "source"), ("gpt_portable",):
            done = support.inspect(*support.with_record(words[0]), *words[1:], "--no-siblings")
            self.assertNotIn(b"--group-by module", done.stdout)


if __name__ == "__main__":
    unittest.main()

"""`etscope run`: outputs, traces, inputs, captured tensors, and everything a user can get wrong."""

import io
import itertools
import json
import os
import re
import struct
import subprocess
import unittest
import zipfile
from pathlib import Path

import run_support as support
from run_support import DATA, MODELS, RunTest
from support import replace_entries

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


def each_case():
    for model, methods in MODELS.items():
        for method, cases in methods.items():
            for case in range(cases):
                yield model, method, case


def changed_program(folder, change):
    """The program of map_loop after `change` of its execution plan as JSON; its path."""
    original = DATA / "map_loop" / "model.pte"
    schema = DATA / "schema" / "program.fbs"
    program = support.flatc("program.fbs", original)
    change(program["execution_plan"][0])
    text = Path(folder) / "changed.json"
    text.write_text(json.dumps(program))
    subprocess.run(["flatc", "--binary", "-o", folder, schema, text], check=True)
    old, new = original.read_bytes(), (Path(folder) / "changed.bin").read_bytes()
    # The header in front of the tables says where the segments begin; flatc leaves it out.
    _, header_bytes, _, segments_at = struct.unpack_from("<4sIQQ", old, 8)
    (root,) = struct.unpack_from("<I", new)
    new = struct.pack("<I", root + header_bytes) + new[4:8] + old[8 : 8 + header_bytes] + new[8:]
    new = bytearray(new + bytes(-len(new) % 16))
    struct.pack_into("<QQ", new, 16, len(new), len(new))
    path = Path(folder) / "changed.pte"
    path.write_bytes(new + old[segments_at:])
    return path


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


class Outputs(RunTest):
    """Both kinds of inputs give what was bundled."""

    def check(self, model, method, case, prefix):
        inputs, expected = support.suites_of(model)[method][case]
        self.assertTrue(expected)
        for index, tensor in enumerate(expected):
            found = support.read_npy(f"{prefix}.{index}.npy")
            self.assertEqual(found[:2], tensor[:2])
            most = support.tolerance_of(model, inputs, tensor)
            for i, (want, have) in enumerate(zip(tensor[2], found[2])):
                self.assertLessEqual(abs(have - want), most, f"output {index}, element {i}")
        self.assertFalse(Path(f"{prefix}.{len(expected)}.npy").exists())

    def check_all(self, program, words):
        for number, (model, method, case) in enumerate(each_case()):
            if support.obstacle(model):
                continue
            with self.subTest(model=model, method=method, case=case):
                prefix = self.folder / f"out{number}"
                self.ok("run", DATA / model / program, "--method", method, "--outputs", prefix,
                        *words(model, method, case))
                self.check(model, method, case, prefix)

    def test_of_npy_inputs(self):
        self.check_all("model.pte", lambda model, method, case: [
            word for path in support.inputs_of(model, method, case) for word in ("--input", path)
        ])

    def test_of_bundled_cases(self):
        self.check_all("model.bpte", lambda model, method, case: ["--case", case])

    def test_several_npy_files_behind_one_option(self):
        inputs = support.inputs_of("types", "forward", 0)
        self.ok("run", DATA / "types" / "model.pte", "--input", *inputs, "--outputs", "out")
        self.check("types", "forward", 0, self.folder / "out")

    def test_arrays_of_an_npz_file_are_arguments_in_order(self):
        if not support.have_records():
            self.skipTest("this build reads no .npz")
        first, *others = support.inputs_of("types", "forward", 0)
        names = [f"arr_{i}" for i in range(len(others))]
        for packed in (False, True):
            # The numbers count, not the order in the file.
            arrays = sorted(zip(names, others), reverse=packed)
            support.write_npz(self.folder / "x.npz", arrays, packed)
            self.ok("run", DATA / "types" / "model.pte", "-i", first, "x.npz", "--outputs", "out")
            self.check("types", "forward", 0, self.folder / "out")
        support.write_npz(self.folder / "y.npz", zip("zyxwvu", others))
        self.ok("run", DATA / "types" / "model.pte", "-i", first, "y.npz", "--outputs", "out")
        self.check("types", "forward", 0, self.folder / "out")
        (self.folder / "x.npz").write_bytes(b"PK\3\4" + bytes(100))
        self.fails(support.INPUT, "x.npz: byte 104: the zip file has no end record", "run",
                   DATA / "types" / "model.pte", "-i", "x.npz", "--outputs", "out")

    def raw(self, model, case=0):
        """The inputs of a test case as executor_runner takes them: bytes alone."""
        paths = []
        for i, path in enumerate(support.inputs_of(model, "forward", case)):
            data = path.read_bytes()
            paths.append(self.folder / f"in{i}.bin")
            paths[-1].write_bytes(data[10 + int.from_bytes(data[8:10], "little"):])
        return paths

    def test_raw_files_are_tensors_of_the_programs_shape(self):
        for model in ("mlp_portable", "types"):
            paths = self.raw(model)
            self.ok("run", DATA / model / "model.pte", "--input", *paths, "--outputs", "out")
            self.check(model, "forward", 0, self.folder / "out")
        (only,) = self.raw("mlp_portable")
        named = only.rename(self.folder / "input")
        self.ok("run", DATA / "mlp_portable" / "model.pte", "--input", named, "--outputs", "again")
        self.check("mlp_portable", "forward", 0, self.folder / "again")
        # What looks like a zip file is bytes all the same.
        zipped = self.folder / "zip.bin"
        zipped.write_bytes(b"PK\3\4" + bytes(124))
        self.ok("run", DATA / "mlp_portable" / "model.pte", "--input", zipped)

    def test_raw_files_of_a_wrong_size(self):
        program, short = DATA / "mlp_portable" / "model.pte", self.folder / "short.bin"
        for size in (0, 127, 129):
            short.write_bytes(bytes(size))
            self.fails(support.INPUT, f"short.bin: {size} bytes, but input 0 of forward is float32 "
                       "[2, 16], which takes 128", "run", program, "--input", short)
        (self.folder / "x.npy").write_bytes(bytes(128))
        self.fails(support.INPUT, "x.npy", "run", program, "--input", "x.npy")
        short.write_bytes(bytes(128))
        self.fails(support.USAGE, "short.bin: forward has no input 1", "run", program, "--input",
                   short, short)

    def test_raw_outputs_are_the_arrays_bytes(self):
        words = ("run", DATA / "mlp_portable" / "model.bpte", "--case")
        self.ok(*words, 0, "--outputs", "out", "--output_file", "raw")
        array, raw = ((self.folder / name).read_bytes() for name in ("out.0.npy", "raw-0.bin"))
        self.assertEqual(len(raw), 2 * 4 * 4)
        self.assertTrue(array.endswith(raw))
        self.ok(*words, 0, "--case", 1, "--output-file", "two")
        self.assertEqual((self.folder / "two.0-0.bin").read_bytes(), raw)
        self.assertTrue((self.folder / "two.1-0.bin").exists())

    def test_outputs_are_printed_on_request(self):
        words = ("run", DATA / "mlp_portable" / "model.bpte", "--case", 0)
        self.assertNotIn("[[", self.ok(*words).stdout)
        self.assertNotIn("[[", self.ok(*words, "--print-outputs", "none").stdout)
        for choice in ("summary", "all"):
            shown = self.ok(*words, "--print-outputs", choice, "--outputs", "out").stdout
            self.assertTrue(shown.startswith("forward, case 0, output 0: float32 [2, 4]\n[["), shown)
            numbers = [float(word) for word in re.findall(r"-?\d+\.\d+", shown.split("]]")[0])]
            _, _, values = support.read_npy(self.folder / "out.0.npy")
            self.assertEqual(len(numbers), len(values))
            for shown_number, value in zip(numbers, values):
                self.assertAlmostEqual(shown_number, value, places=6)
            self.assertRegex(shown, r"(?m)^.*model\.bpte: forward, case 0: 1 run, wall time")
        self.fails(support.USAGE, "standard output is for --print-outputs", *words,
                   "--print_output", "all", "-o", "-")

    def test_representative_inputs_of_the_record(self):
        if not support.have_records():
            self.skipTest("this build reads no ETRecord")
        folder = DATA / "mlp_portable"
        done = self.ok("run", folder / "model.pte", "--etrecord", folder / "model.etrecord",
                       "--inputs", "etrecord", "--outputs", "out")
        self.assertEqual(done.stderr, "")
        self.check("mlp_portable", "forward", 0, self.folder / "out")
        done = self.ok("run", folder / "model.pte", "--etrecord", folder / "model.etrecord")
        self.assertIn("representative inputs of the ETRecord", done.stderr)

    def test_representative_inputs_in_lists_and_dicts_are_their_leaves(self):
        """What upstream makes of them: tests/data/nested/make.py has checked it."""
        if not support.have_records():
            self.skipTest("this build reads no ETRecord")
        folder = DATA / "nested"
        for name in ("keywords", "cases", "surplus"):
            record = folder / f"{name}.etrecord"
            done = self.ok("run", folder / "model.pte", "--etrecord", record, "--outputs", name,
                           "--inputs", "etrecord", "-o", "t.etdp", "--capture", "intermediates",
                           "--debug-buffer", "t.bin")
            self.assertEqual((self.folder / f"{name}.0.npy").read_bytes()[-24:],
                             (folder / "expected.bin").read_bytes())
            done = self.ok("gap", "t.etdp", "--etrecord", record, "--debug-buffer", "t.bin")
            self.assertIn("all 3 values agree", done.stdout)

    def test_representative_inputs_that_are_no_values(self):
        if not support.have_records():
            self.skipTest("this build reads no ETRecord")
        folder, record = DATA / "mlp_portable", self.folder / "texts.etrecord"
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as saved:
            saved.writestr("archive/data.pkl", b"\x80\x02](]X\x01\0\0\0aae.")  # [["a"]]
            saved.writestr("archive/version", "3\n")
        replace_entries(folder / "model.etrecord", record,
                        {"representative_inputs": data.getvalue()})
        said = "texts.etrecord: representative input 0 is neither a tensor nor a number"
        self.fails(support.INPUT, said, "run", folder / "model.pte", "--etrecord", record)
        self.fails(support.INPUT, said, "gap", folder / "debug.etdp", "--etrecord", record,
                   "--debug-buffer", folder / "debug.bin")

    def test_several_methods_and_cases_do_not_overwrite_each_other(self):
        program = DATA / "multi_method" / "model.bpte"
        self.ok("run", program, "-m", "forward", "-m", "decode", "--outputs", "out")
        self.check("multi_method", "forward", 0, self.folder / "out.forward")
        self.check("multi_method", "decode", 0, self.folder / "out.decode")
        self.ok("run", DATA / "cond" / "model.bpte", "--case", 1, "--case", 0, "--outputs", "c")
        for case in (0, 1):
            self.check("cond", "forward", case, self.folder / f"c.{case}")
        self.assertEqual(len(list(self.folder.iterdir())), 4)

    def test_methods_share_state_where_it_was_planned_so(self):
        for name, state in (("shared", 1.0), ("own", 0.0)):
            self.ok("run", DATA / "state" / f"{name}.pte", "-m", "set_state", "-m", "get_state",
                    "--inputs", "ones", "--outputs", name)
            output = (self.folder / f"{name}.get_state.0.npy").read_bytes()
            self.assertEqual(output[-4:], struct.pack("<f", state))

    def test_plain_numbers_as_npy(self):
        def add_numbers(plan):
            for kind, value in (("Int", {"int_val": 3}), ("Bool", {"bool_val": True}),
                                ("Double", {"double_val": 0.5})):
                plan["inputs"].append(len(plan["values"]))
                plan["values"].append({"val_type": kind, "val": value})

        program = changed_program(self.folder, add_numbers)
        support.write_npy(self.folder / "x.npy", "<f4", (3, 2, 4), [0.5] * 24)

        def numbers(*given):
            words = ["run", program, "--input", "x.npy"]
            for i, (descr, shape, *elements) in enumerate(given):
                support.write_npy(self.folder / f"{i}.npy", descr, shape, elements)
                words += ["--input", f"{i}.npy"]
            return words

        self.ok(*numbers(("<i8", (), 3), ("|b1", (), 1), ("<f8", (), 0.5)))
        self.ok(*numbers(("<f4", (1, 1), 3.0), ("|u1", (1,), 1), ("<f4", (), 0.5)))
        for part, *given in (
                ("the same value", ("<i8", (), 4), ("|b1", (), 1), ("<f8", (), 0.5)),
                ("0.npy: input 1 is an int, which 3.5 is not", ("<f4", (), 3.5), ("|b1", (), 1),
                 ("<f8", (), 0.5)),
                ("0.npy: input 1 is an int, not int64 [2]", ("<i8", (2,), 3, 3), ("|b1", (), 1),
                 ("<f8", (), 0.5)),
                ("1.npy: input 2 is a bool, which 2 is not", ("<i8", (), 3), ("<i8", (), 2),
                 ("<f8", (), 0.5))):
            self.fails(support.USAGE, part, *numbers(*given))

    def test_external_tensors(self):
        folder = DATA / "ptd"
        self.fails(support.RUNTIME, "without its data file", "run", folder / "external.pte")
        self.ok("run", folder / "external.pte", "--data", folder / "external.ptd")


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
            self.assertIn(f"Execute - method forward - 3 runs, test case {case}, about", table)
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
        self.assertRegex(done.stdout, r"model\.pte: forward: 1 run, wall time p50 [\d.]+ us, .*[^)]\n$")
        self.assertEqual(list(self.folder.iterdir()), [])


    def test_every_method_and_case_has_its_line(self):
        done = self.ok("run", DATA / "multi_method" / "model.bpte", "-m", "forward", "-m", "decode",
                       "--runs", 2)
        self.assertEqual(re.findall(r"model\.bpte: (.*), wall time p50", done.stdout),
                         ["forward, case 0: 2 runs", "decode, case 0: 2 runs"])
        done = self.ok("run", DATA / "cond" / "model.bpte", "--case", 1, "--case", 0, "-o", "t.etdp")
        self.assertEqual(re.findall(r"model\.bpte: (.*), wall time p50.* \(traced\)", done.stdout),
                         ["forward, case 1: 1 run", "forward, case 0: 1 run"])


class Generated(RunTest):
    """Inputs nobody gave."""

    def outputs(self, *arguments, program=DATA / "mlp_portable" / "model.pte"):
        self.ok("run", program, "--outputs", "out", *arguments)
        return support.read_npy(self.folder / "out.0.npy")[2]

    def outputs_of_input(self, value):
        support.write_npy(self.folder / "x.npy", "<f4", (2, 16), [value] * 32)
        return self.outputs("--input", "x.npy")

    def test_zeros_and_ones(self):
        self.assertEqual(self.outputs("--inputs", "zeros"), self.outputs_of_input(0.0))
        self.assertEqual(self.outputs("--inputs", "ones"), self.outputs_of_input(1.0))

    def test_random_ones_repeat_with_their_seed(self):
        first = self.outputs("--inputs", "random")
        self.assertEqual(first, self.outputs("--inputs", "random"))
        self.assertEqual(first, self.outputs("--inputs", "random", "--seed", 0))
        other = self.outputs("--inputs", "random", "--seed", 1)
        self.assertNotEqual(first, other)
        self.assertEqual(other, self.outputs("--inputs", "random", "--seed", 1))

    def test_stay_in_their_range(self):
        self.assertEqual(self.outputs("--inputs", "random", "--range", "0.5:0.5"),
                         self.outputs_of_input(0.5))
        self.assertNotEqual(self.outputs("--inputs", "random", "--range", "-3:3"),
                            self.outputs("--inputs", "random"))

    def test_integers_stay_in_their_range(self):
        # An embedding: the runtime refuses what is outside of the vocabulary.
        program = DATA / "gpt_portable" / "model.pte"
        self.outputs("--inputs", "random", "--int-range", "5:20", program=program)
        fixed = self.outputs("--inputs", "random", "--int-range", "1:1", program=program)
        self.assertEqual(fixed, self.outputs("--inputs", "ones", program=program))
        self.fails(support.RUNTIME, "1000000", "run", program, "--inputs", "random",
                   "--int-range", "1000000:1000000")

    def test_where_they_come_from_is_said(self):
        folder = DATA / "mlp_portable"
        done = self.ok("run", folder / "model.pte")
        self.assertEqual(done.stderr,
                         "note: forward: random inputs, floats in 0:1, integers in 0:1\n")
        done = self.ok("run", folder / "model.bpte")
        self.assertEqual(done.stderr, "note: forward: inputs of test case 0\n")
        self.assertEqual(self.ok("run", folder / "model.bpte", "--inputs", "zeros").stderr, "")

    def test_every_fixture_runs_on_them(self):
        for model, methods in MODELS.items():
            for method in methods:
                if support.obstacle(model):
                    continue
                with self.subTest(model=model, method=method):
                    self.ok("run", DATA / model / "model.pte", "-m", method, "--inputs", "random")

    def test_options_that_mean_nothing_are_refused(self):
        program = DATA / "mlp_portable" / "model.bpte"
        ranges = (("--seed", 1), ("--range", "0:2"), ("--int-range", "0:2"))
        for option, value in (*ranges, ("--inputs", "zeros"), ("--inputs", "auto")):
            self.fails(support.USAGE, f"leave out {option}", "run", program, "--input", "x.npy",
                       option, value)
        for source in ("etrecord", "zeros", "ones", "random"):
            self.fails(support.USAGE, f"--inputs {source}, not from both", "run", program, "--case",
                       0, "--inputs", source)
        for option, value in ranges:
            self.fails(support.USAGE, f"{option} is for random inputs", "run", program, "--case", 0,
                       option, value)
            for source in ("case", "etrecord", "zeros", "ones"):
                self.fails(support.USAGE, f"--inputs {source} takes none", "run", program,
                           "--inputs", source, option, value)
            done = self.ok("run", program, option, value)
            self.assertIn(f"nothing is random, so {option} has no effect", done.stderr)
        self.ok("run", program, "--case", 0, "--inputs", "case")

    def test_ranges_beyond_the_type_are_refused(self):
        for number, name, held in ((0, "uint8", "0:255"), (1, "int8", "-128:127"),
                                   (2, "int16", "-32768:32767"), (27, "uint16", "0:65535"),
                                   (3, "int32", "-2147483648:2147483647")):
            program = changed_program(
                self.folder, lambda plan: plan["values"][1]["val"].update(scalar_type=number))
            for wrong in (f"{int(held.split(':')[0]) - 1}:1", f"0:{int(held.split(':')[1]) + 1}"):
                self.fails(support.USAGE, f"input 0 is {name}, which holds {held}, not all of "
                           f"--int-range {wrong}", "run", program, "--inputs", "random",
                           "--int-range", wrong)
        program = DATA / "mlp_portable" / "model.pte"
        self.fails(support.USAGE, "--range 0:1e+39", "run", program, "--inputs", "random", "--range",
                   "0:1e39")
        self.ok("run", program, "--range", "-3e38:3e38", "--int-range", "0:70000")

    def test_ranges_that_are_none(self):
        program = DATA / "mlp_portable" / "model.pte"
        for option, value in (("--range", "1:0"), ("--range", "1"), ("--range", "a:b"),
                              ("--range", "0:inf"), ("--range", "nan:nan"), ("--int-range", "3:2"),
                              ("--int-range", "0.5:1.5"), ("--int-range", "0:1e300"),
                              ("--seed", "x"), ("--seed", "-1"), ("--inputs", "noise")):
            with self.subTest(option=option, value=value):
                self.fails(support.USAGE, option, "run", program, option, value)


class Captured(RunTest):
    """Tensors in the debug buffer."""

    def capture(self, model, what, *words):
        return self.ok("run", DATA / model / "model.bpte", "--capture", what, "-o", "t.etdp",
                       "--debug-buffer", "t.bin", *words)

    def tensors(self):
        for _, events in support.trace_of(self.folder / "t.etdp"):
            for event in events:
                value = event.get("debug_event", {}).get("debug_entry", {})
                yield from [value["tensor"]] if "tensor" in value else []
                yield from value.get("tensor_list", {}).get("tensors", [])

    def check_buffer(self):
        """It covers all tensors of the trace, and they do not overlap; returns their number."""
        size, ends = (self.folder / "t.bin").stat().st_size, []
        widths = {"BYTE": 1, "CHAR": 1, "BOOL": 1, "SHORT": 2, "INT": 4, "FLOAT": 4, "LONG": 8,
                  "DOUBLE": 8, "HALF": 2}
        for tensor in self.tensors():
            count = widths[tensor.get("scalar_type", "BYTE")]
            for length in tensor.get("sizes", []):
                count *= length
            ends.append((tensor.get("offset", 0), tensor.get("offset", 0) + count))
        ends.sort()
        for (_, end), (start, _) in zip(ends, ends[1:]):
            self.assertLessEqual(end, start)
        self.assertLessEqual(ends[-1][1], size)
        self.ok("inspect", "t.etdp", "--debug-buffer", "t.bin")
        return len(ends)

    def test_are_all_in_the_buffer(self):
        for model in MODELS:
            if support.obstacle(model):
                continue
            with self.subTest(model=model):
                self.capture(model, "intermediates")
                everything = self.check_buffer()
                self.capture(model, "outputs")
                self.assertLess(0, self.check_buffer())
                self.assertLessEqual(self.check_buffer(), everything)

    def test_are_those_of_the_fixture(self):
        """Names, instructions and shapes of debug.etdp; types has one that upstream garbled."""
        for model in MODELS:
            if support.obstacle(model) or model in ("types", "multi_method"):
                continue
            with self.subTest(model=model):
                self.capture(model, "intermediates")
                ours = support.identities(self.folder / "t.etdp")
                fixture = support.identities(DATA / model / "debug.etdp")
                names = [[e for e in events if e[0] == "debug_event"] for _, events in ours]
                wanted = [[e for e in events if e[0] == "debug_event"] for _, events in fixture]
                self.assertEqual(names[:2], wanted[:2])

    def test_outputs_are_the_outputs(self):
        self.ok("run", DATA / "mlp_portable" / "model.bpte", "--capture", "outputs", "-o",
                "t.etdp", "--debug-buffer", "t.bin", "--outputs", "out")
        (tensor,) = self.tensors()
        _, shape, elements = support.read_npy(self.folder / "out.0.npy")
        self.assertEqual(tuple(tensor["sizes"]), shape)
        found = struct.unpack_from(f"<{len(elements)}f", (self.folder / "t.bin").read_bytes(),
                                   tensor.get("offset", 0))
        self.assertEqual(found, elements)

    def test_float16_is_left_out_and_said(self):
        done = self.capture("types", "intermediates", "--tracer", "upstream")
        self.assertIn("3 values were not captured", done.stderr)
        self.assertIn("etscope's own has", done.stderr)
        self.assertIn("float16", done.stderr)
        self.assertLess(0, self.check_buffer())
        self.assertNotIn("HALF", [t.get("scalar_type") for t in self.tensors()])

    def test_own_tracer_keeps_float16(self):
        done = self.capture("types", "intermediates")
        self.assertNotIn("not captured", done.stderr)
        self.assertLess(0, self.check_buffer())
        self.assertEqual([t.get("scalar_type") for t in self.tensors()].count("HALF"), 3)

    def test_a_buffer_of_another_run_is_refused(self):
        self.capture("mlp_portable", "intermediates")
        (self.folder / "t.bin").write_bytes(b"\0" * 16)
        self.fails(support.INPUT, "t.bin", "inspect", "t.etdp", "--debug-buffer", "t.bin")

    def test_a_full_buffer_is_a_negative_finding(self):
        words = ["run", DATA / "mlp_portable" / "model.bpte", "--case", 0, "--capture",
                 "intermediates", "-o", "t.etdp", "--debug-buffer", "t.bin"]
        done = support.call(*words, "--debug-buffer-size", 64, cwd=self.folder)
        self.assertEqual(done.returncode, support.NEGATIVE, done.stderr)
        self.assertIn("(traced)", done.stdout)
        needed = re.search(r"values were not captured.*--debug-buffer-size (\d+) holds", done.stderr)
        some = self.check_buffer()
        done = self.ok(*words, "--debug-buffer-size", needed.group(1))
        self.assertNotIn("not captured", done.stderr)
        self.assertLess(some, self.check_buffer())
        for size in ("4k", "1M", "2G"):
            self.ok(*words, "--debug-buffer-size", size)
        for size in ("", "0", "-1", "1.5M", "M", "4KB", "99999999999999999999", "99999999999G"):
            self.fails(support.USAGE, "--debug-buffer-size takes a number of bytes", *words,
                       f"--debug-buffer-size={size}")
        words[0] = "profile"
        done = support.call(*words, "--debug-buffer-size", 64, cwd=self.folder)
        self.assertEqual(done.returncode, support.NEGATIVE, done.stderr)
        self.assertIn("addmm.out", done.stdout)
        self.fails(support.USAGE, "--debug-buffer needs a file", *words[:-1], "-")
        self.fails(support.USAGE, "needs --capture", "run", DATA / "mlp_portable" / "model.pte",
                   "--debug-buffer-size", "1M")

    def test_needs_both_files(self):
        program = DATA / "mlp_portable" / "model.pte"
        for words in (["--capture", "outputs", "-o", "t.etdp"],
                      ["--debug-buffer", "t.bin", "-o", "t.etdp"],
                      ["--capture", "outputs", "--debug-buffer", "t.bin"],
                      ["--capture", "outputs", "--debug-buffer", "-", "-o", "-"]):
            done = support.call("run", program, *words, cwd=self.folder)
            self.assertEqual(done.returncode, support.USAGE, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


class Mistakes(RunTest):
    """One line, an exit code, and no file is written or changed."""

    program = DATA / "mlp_portable" / "model.pte"

    def setUp(self):
        super().setUp()
        for name in ("old.etdp", "old.bin", "old.0.npy"):
            (self.folder / name).write_text("what stood here before")

    def refuses(self, code, part, *arguments, **keywords):
        before = sorted(self.folder.iterdir())
        self.fails(code, part, "run", *arguments, **keywords)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        for name in ("old.etdp", "old.bin", "old.0.npy"):
            self.assertEqual((self.folder / name).read_text(), "what stood here before")

    def refuses_input(self, part, descr, shape, code=support.USAGE):
        count = 1
        for size in shape:
            count *= size
        support.write_npy(self.folder / "x.npy", descr, shape, [0] * count)
        self.refuses(code, part, self.program, "--input", "x.npy", "-o", "old.etdp", "--outputs",
                     "old")

    def test_inputs_that_do_not_fit(self):
        self.refuses_input("expected float32 [2, 16], got float32 [2, 15]", "<f4", (2, 15))
        self.refuses_input("got float32 [32]", "<f4", (32,))
        self.refuses_input("got float64 [2, 16]", "<f8", (2, 16))
        self.refuses_input("got int64 [2, 16]", "<i8", (2, 16))
        self.refuses(support.USAGE, "takes 1 input", self.program, "--input", "x.npy", "--input",
                     "x.npy", "-o", "old.etdp")
        support.write_npy(self.folder / "x.npy", "<f4", (9, 16), [0] * 144)
        self.refuses(support.USAGE, "[9, 16]", DATA / "dynamic" / "model.pte", "--input", "x.npy")

    def test_input_files_that_are_none(self):
        self.refuses(support.INPUT, "missing.npy", self.program, "--input", "missing.npy")
        (self.folder / "x.npy").write_bytes(b"\x93NUMPY\x01\x00")
        self.refuses(support.INPUT, "x.npy", self.program, "--input", "x.npy", "-o", "old.etdp")
        (self.folder / "x.npy").write_text("1, 2, 3\n")
        self.refuses(support.INPUT, "x.npy", self.program, "--input", "x.npy", "-o", "old.etdp")

    def test_what_the_wheel_has_and_is_not_linked_is_named(self):
        for model, old, new, said, how in (
            ("mlp_portable", b"aten::relu", b"llama::sdp", "libcustom_ops_aot_lib.so", "--python"),
            ("mlp_xnnpack", b"\x0e\0\0\0XnnpackBackend", b"\x0a\0\0\0QnnBackend\0\0\0\0",
             "libexecutorch_backend_qnn.so", "--load-library"),
        ):
            program = (DATA / model / "model.pte").read_bytes()
            self.assertEqual(program.count(old), 1)
            (self.folder / "other.pte").write_bytes(program.replace(old, new))
            done = support.call("run", self.folder / "other.pte")
            self.assertEqual(done.returncode, support.RUNTIME, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertIn(how, done.stderr)

    def test_methods_and_cases_that_are_not_there(self):
        bundle = DATA / "mlp_portable" / "model.bpte"
        self.refuses(support.INPUT, "forward", self.program, "-m", "backward", "-o", "old.etdp")
        self.refuses(support.INPUT, "encode", DATA / "multi_method" / "model.pte", "-m", "forward",
                     "-m", "absent", "-o", "old.etdp", "--outputs", "old")
        self.refuses(support.USAGE, "3 test cases", bundle, "--case", 3, "-o", "old.etdp")
        self.refuses(support.USAGE, "--case", bundle, "--case", "first")
        self.refuses(support.USAGE, "--case", bundle, "--case", -1)
        self.refuses(support.USAGE, "no test cases", self.program, "--case", 0)
        self.refuses(support.USAGE, "not from both", bundle, "--case", 0, "--input", "x.npy")
        self.refuses(support.USAGE, "--etrecord", self.program, "--inputs", "etrecord")

    def test_a_missing_engine(self):
        self.refuses(support.UNAVAILABLE, "/nonexistent", self.program, "-o", "old.etdp",
                     ETSCOPE_ENGINE="/nonexistent")
        self.refuses(support.UNAVAILABLE, "/nonexistent", self.program, "--engine", "/nonexistent")

    def test_a_library_that_is_none(self):
        (self.folder / "kernels.so").write_text("no library")
        self.refuses(support.RUNTIME, "kernels.so", self.program, "--load-library",
                     self.folder / "kernels.so", "-o", "old.etdp")
        self.refuses(support.INPUT, "missing.so", self.program, "--load-library", "./missing.so")

    def test_programs_that_are_none(self):
        whole = self.program.read_bytes()
        for size in (0, 4, 64, len(whole) // 2, len(whole) - 1):
            (self.folder / "cut.pte").write_bytes(whole[:size])
            self.refuses(support.INPUT, "cut.pte", "cut.pte", "-o", "old.etdp")
        (self.folder / "text.pte").write_text("This is text.\n")
        self.refuses(support.INPUT, "text", "text.pte", "-o", "old.etdp")
        self.refuses(support.INPUT, "missing.pte", "missing.pte", "-o", "old.etdp")
        for name in ("profile.etdp", "model.etrecord"):
            self.refuses(support.INPUT, name, DATA / "mlp_portable" / name, "-o", "old.etdp")
        self.refuses(support.INPUT, "", self.folder, "-o", "old.etdp")

    def test_outputs_that_cannot_be_written(self):
        nowhere = self.folder / "absent" / "file"
        self.refuses(support.INTERNAL, "absent", self.program, "--inputs", "zeros", "-o", nowhere,
                     "--outputs", "old")
        self.refuses(support.INTERNAL, "absent", self.program, "--inputs", "zeros", "-o",
                     "old.etdp", "--outputs", nowhere)
        self.refuses(support.INTERNAL, "absent", self.program, "--inputs", "zeros", "-o",
                     "old.etdp", "--capture", "outputs", "--debug-buffer", nowhere)
        self.refuses(support.INTERNAL, "absent", self.program, "--inputs", "zeros", "-o", nowhere,
                     "--capture", "outputs", "--debug-buffer", "old.bin", "--outputs", "old")
        (self.folder / "out.1.npy").mkdir()
        for option, path in (("-o", nowhere), ("--outputs", nowhere), ("--outputs", "out")):
            # Far too many runs to wait for: it is refused before they begin.
            program = DATA / "types" / "model.pte" if path == "out" else self.program
            self.refuses(support.INTERNAL, "cannot write", program, "--inputs", "zeros", "--runs",
                         100000000, option, path)

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no /dev/full")
    def test_a_full_disk(self):
        self.refuses(support.INTERNAL, "/dev/full", self.program, "--inputs", "zeros", "-o",
                     "/dev/full")

    def test_numbers_out_of_range(self):
        for option, value in (("--runs", 0), ("--runs", "many"), ("--warmup", -1),
                              ("--threads", 0), ("--runs", "1e3")):
            self.refuses(support.USAGE, option, self.program, option, value, "-o", "old.etdp")
        self.refuses(support.USAGE, "--tracer", self.program, "--tracer", "none", "-o", "old.etdp")
        self.refuses(support.USAGE, "one program")
        self.refuses(support.USAGE, "--runz", self.program, "--runz", 3)


if __name__ == "__main__":
    unittest.main()

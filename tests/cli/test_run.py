"""`etscope run`: outputs of given and of generated inputs, captured tensors."""

import io
import json
import re
import struct
import subprocess
import unittest
import zipfile
from pathlib import Path

import run_support as support
from run_support import DATA, MODELS, RunTest
from support import replace_entries


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
                       "[2, 16] with 128 bytes", "run", program, "--input", short)
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
        self.fails(support.USAGE, "--print-outputs uses standard output", *words,
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
                ("0.npy: input 1 is an int, but the file has 3.5", ("<f4", (), 3.5), ("|b1", (), 1),
                 ("<f8", (), 0.5)),
                ("0.npy: input 1 is an int, but the file has int64 [2]", ("<i8", (2,), 3, 3), ("|b1", (), 1),
                 ("<f8", (), 0.5)),
                ("1.npy: input 2 is a bool, but the file has 2", ("<i8", (), 3), ("<i8", (), 2),
                 ("<f8", (), 0.5))):
            self.fails(support.USAGE, part, *numbers(*given))

    def test_external_tensors(self):
        folder = DATA / "ptd"
        self.fails(support.RUNTIME, "without its data file", "run", folder / "external.pte")
        self.ok("run", folder / "external.pte", "--data", folder / "external.ptd")


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
            self.fails(support.USAGE, f"--input and {option} exclude each other", "run", program, "--input", "x.npy",
                       option, value)
        for source in ("etrecord", "zeros", "ones", "random"):
            self.fails(support.USAGE, f"--inputs {source} exclude each other", "run", program, "--case",
                       0, "--inputs", source)
        for option, value in ranges:
            self.fails(support.USAGE, f"{option} needs random inputs", "run", program, "--case", 0,
                       option, value)
            for source in ("case", "etrecord", "zeros", "ones"):
                self.fails(support.USAGE, f"--inputs {source} does not generate any", "run", program,
                           "--inputs", source, option, value)
            done = self.ok("run", program, option, value)
            self.assertIn(f"without random inputs, {option} has no effect", done.stderr)
        self.ok("run", program, "--case", 0, "--inputs", "case")

    def test_ranges_beyond_the_type_are_refused(self):
        for number, name, held in ((0, "uint8", "0:255"), (1, "int8", "-128:127"),
                                   (2, "int16", "-32768:32767"), (27, "uint16", "0:65535"),
                                   (3, "int32", "-2147483648:2147483647")):
            program = changed_program(
                self.folder, lambda plan: plan["values"][1]["val"].update(scalar_type=number))
            for wrong in (f"{int(held.split(':')[0]) - 1}:1", f"0:{int(held.split(':')[1]) + 1}"):
                self.fails(support.USAGE, f"input 0 is {name} with the range {held}; "
                           f"--int-range {wrong} exceeds it", "run", program, "--inputs", "random",
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
        self.assertIn("--tracer etscope does", done.stderr)
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
        needed = re.search(r"values were not captured.*--debug-buffer-size (\d+) is enough", done.stderr)
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


if __name__ == "__main__":
    unittest.main()

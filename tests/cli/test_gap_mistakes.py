"""`etscope gap` where files, options or the run are wrong: what it says, and that it blames nobody."""

import io
import struct
import unittest
import zipfile

import run_support as support
from gap_support import GapTest, files
from run_support import INPUT, MISMATCH, NEGATIVE, OK, USAGE
from support import json_rows, replace_entries


class WhatGoesWrong(GapTest):
    def test_gap__another_models_record(self):
        trace, _, _, _, buffer = files("mlp_portable")
        record = support.DATA / "conv_portable" / "model.etrecord"
        self.fails(MISMATCH, "", "gap", trace, "--etrecord", record, "--debug-buffer", buffer)

    def test_gap__no_debug_buffer(self):
        self.fails(USAGE, "--debug-buffer", "gap", *files("mlp_portable")[:3],
                   "--no-siblings")

    def test_gap__nothing_was_captured(self):
        folder = support.DATA / "mlp_portable"
        self.fails(INPUT, "captured no values", "gap", folder / "profile.etdp", "--etrecord",
                   folder / "model.etrecord", "--debug-buffer", folder / "debug.bin")
        self.fails(USAGE, "gap needs bytes of captured tensors, and the trace has none: record it by "
                   "`etscope run --capture intermediates", "gap", folder / "profile.etdp", "--etrecord",
                   folder / "model.etrecord", "--no-siblings")

    def test_gap__a_dump_that_upstreams_tracer_garbled_says_so(self):
        words = files("types")
        done = self.fails(INPUT, "ETDumpGen writes this after a float16 or bfloat16 tensor. "
                          "Those tensors are lost; the rest can be read", "gap", *words)
        self.assertIn("note: --partial reads the intact part", done.stderr)
        self.assertNotIn("record again", done.stderr)  # one advice at a time
        done = self.ok("gap", *words, "--partial", "--format", "json")
        self.assertIn("those tensors are lost; to keep them, record again: `etscope run MODEL.pte "
                      "--capture intermediates -o TRACE --debug-buffer FILE`", done.stderr)
        rows = json_rows(done.stdout)
        self.assertEqual({row["finding"] for row in rows}, {"agrees"})
        (through_half,) = (row for row in rows if row["aot_ops"] == ["relu", "to", "to_1"]
                           or row["aot_ops"][-1] == "to_1")
        self.assertEqual(through_half["computes_in"], "float16")

    def test_gap__the_command_that_records_a_garbled_dump_again_works(self):
        model = support.DATA / "types" / "model.bpte"
        again = self.folder / "again.etdp", self.folder / "again.bin"
        self.ok("run", model, "--case", "0", "--capture", "intermediates", "-o", again[0],
                "--debug-buffer", again[1])
        rows = json_rows(self.ok("gap", again[0], "--debug-buffer", again[1], "--etrecord",
                                 support.DATA / "types" / "model.etrecord", "--format",
                                 "json").stdout)
        self.assertIn("float16", {row["dtype"] for row in rows})

    def test_gap__a_cast_of_a_half_value_is_judged_as_that_value(self):
        """Another device rounds a half the other way; of the halves themselves nothing is known."""
        trace, buffer = self.folder / "types.etdp", self.folder / "types.bin"
        program, record = (support.DATA / "types" / f"model.{kind}" for kind in ("pte", "etrecord"))
        inputs = support.inputs_of("types", "forward", 0)
        self.ok("run", program, "--input", *inputs, "--capture", "intermediates", "-o", trace,
                "--debug-buffer", buffer)
        _, shape, elements = support.read_npy(inputs[0])
        halves = [2 * struct.unpack("<e", struct.pack("<e", x))[0] for x in elements]
        given = self.folder / "given"
        given.mkdir()
        for factor, code in ((1 + 2**-10, OK), (1.05, NEGATIVE)):
            support.write_npy(given / "to_1.npy", "<f4", shape, [x * factor for x in halves])
            done = support.call("gap", trace, "--debug-buffer", buffer, "--etrecord", record,
                                "--reference-npy", given, "--fail-below", 30, "--format", "json")
            (row,) = (row for row in json_rows(done.stdout) if row["aot_ops"] == ["to_1"])
            self.assertEqual((row["computes_in"], row["finding"]),
                             ("float32", "agrees" if code == OK else "guilty"))

    def test_gap__halves_near_zero_are_as_exact_as_they_can_be(self):
        """Of millionths float16 keeps four bits: the nearest ones are off by 2 %, by nobody's fault."""
        program, record = (support.DATA / "types" / f"model.{kind}" for kind in ("pte", "etrecord"))
        words = []
        for path in support.inputs_of("types", "forward", 0):
            descr, shape, elements = support.read_npy(path)
            if descr == "<f4":
                elements = [x * 1e-6 for x in elements]
            support.write_npy(self.folder / path.name, descr, shape, elements)
            words += ["--input", self.folder / path.name]
        trace, buffer = self.folder / "small.etdp", self.folder / "small.bin"
        self.ok("run", program, *words, "--capture", "intermediates", "-o", trace,
                "--debug-buffer", buffer)
        words = (trace, "--debug-buffer", buffer, "--etrecord", record, *words)
        self.assertIn("all 14 values agree", self.headline(*words))
        (cast,) = (row for row in self.gap(*words) if row["aot_ops"] == ["to"])
        self.assertGreater(cast["own_error"], 0.01)

    def schemes(self, ran, record, *words, trace=None):
        folder = support.DATA / "schemes"
        return ("gap", trace or folder / f"{ran}.etdp", "--debug-buffer", folder / f"{ran}.bin",
                "--etrecord", folder / f"{record}.etrecord", "--no-siblings", *words)

    def test_gap__static_and_dynamic_int8_of_the_same_weights_are_told_apart(self):
        """Their numbers are alike, their graphs too: the types in XNNPACK's names differ."""
        for ran, record, what in (
                ("static", "dynamic", "static int8 (Fully Connected (NC, QS8, QC8W) GEMM #1), but "
                                      "the record's forward quantizes dynamically"),
                ("dynamic", "static", "dynamic int8 (Fully Connected (NC, QDU8, F32, QC8W) GEMM "
                                      "#1), but the record's forward quantizes statically")):
            done = self.fails(MISMATCH, what, *self.schemes(ran, record))
            self.assertIn("another export", done.stderr)
            self.ok(*self.schemes(ran, record, "--allow-mismatch"))
            headline = self.headline(*self.schemes(ran, ran)[1:])
            self.assertTrue(headline.startswith("1 value agrees"), headline)
            self.assertNotIn("not checked", headline)

    def test_gap__where_events_do_not_tell_how_it_quantizes_the_program_does(self):
        folder = support.DATA / "schemes"
        silent = self.folder / "silent.etdp"
        data = (folder / "static.etdp").read_bytes()
        for name in (b"Fully Connected (NC, QS8, QC8W) GEMM #1", b"Convert (NC) #1",
                     b"Convert (NC) #2"):
            self.assertEqual(data.count(name), 1)
            data = data.replace(name, b"O" * len(name))
        silent.write_bytes(data)
        said = ("; not checked: whether the delegate quantizes like the ETRecord: use --program to "
                "decide")
        for record in ("static", "dynamic"):
            self.assertIn(said, self.ok(*self.schemes("static", record, trace=silent)).stdout
                          .replace("\n", " "))
        words = self.schemes("static", "static", "--program", folder / "static.bpte", trace=silent)
        self.assertNotIn("not checked", self.ok(*words).stdout)
        self.fails(MISMATCH, "computed in static int8 (by its payloads), but the record's forward "
                   "quantizes dynamically",
                   *self.schemes("static", "dynamic", "--program", folder / "static.bpte",
                                 trace=silent))

    def test_gap__nothing_that_could_be_compared_is_no_success(self):
        (self.folder / "none.npy").mkdir()
        done = support.call("gap", *files("mlp_portable"), "--reference-npy",
                            self.folder / "none.npy", cwd=self.folder)
        self.assertEqual(done.returncode, NEGATIVE, done.stderr)
        self.assertIn("could not compare any of 7 captured values: ", done.stderr)

    def test_gap__without_the_engine_it_says_how_to_get_it(self):
        done = support.call("gap", *files("mlp_portable"), ETSCOPE_ENGINE="/nowhere/engine.so")
        self.assertEqual(done.returncode, support.UNAVAILABLE, done.stderr)
        done = support.call("gap", *files("mlp_portable"), "--alignment",
                            ETSCOPE_ENGINE="/nowhere/engine.so")
        self.assertEqual(done.returncode, OK, done.stderr)

    def test_gap__no_such_reference(self):
        self.fails(INPUT, "model.etrecord: the record has no program nonsense; --reference takes "
                   "aten, edge, ", "gap", *files("mlp_portable"), "--reference", "nonsense")

    def test_gap__references_that_contradict_each_other(self):
        words = files("mlp_portable")
        for part, more in (("excludes other references", ("--reference-npy", ".", "--reference-trace", words[0])),
                           ("needs --reference-trace", ("--reference-debug-buffer", words[4])),
                           ("that is computed", ("--reference-npy", ".", "--reference-dtype",
                                                  "f64"))):
            with self.subTest(part=part):
                self.fails(USAGE, part, "gap", *words, *more)

    def test_gap__no_such_run(self):
        self.fails(USAGE, "--run", "gap", *files("mlp_portable"), "--run", "9")

    def test_gap__inputs_of_another_number_type_and_shape(self):
        for what, arrays in (("1", [("<f4", (2, 16)), ("<f4", (2, 16))]),
                             ("float32", [("<f8", (2, 16))]),
                             ("[2, 16]", [("<f4", (3, 16))])):
            with self.subTest(what=what):
                words = []
                for i, (descr, shape) in enumerate(arrays):
                    path = self.folder / f"{i}.npy"
                    support.write_npy(path, descr, shape, [0.5] * (shape[0] * shape[1]))
                    words += ["--input", path]
                done = self.fails(USAGE, what, "gap", *files("mlp_portable"), *words)
                self.assertNotIn("model.etrecord", done.stderr)  # which is not at fault

    def test_gap__the_run_had_other_inputs(self):
        path = self.folder / "zeros.npy"
        support.write_npy(path, "<f4", (2, 16), [0.0] * 32)
        done = self.ok("gap", *files("mlp_xnnpack"), "--input", path)
        self.assertIn("input 0 of the run differs", done.stderr)
        self.fails(MISMATCH, "different inputs", "gap", *files("dynamic"), "--case", 1, "--program",
                   support.DATA / "dynamic" / "model.bpte")

    def test_gap__inputs_that_are_not_captured_may_be_others(self):
        path = self.folder / "zeros.npy"
        support.write_npy(path, "<f4", (2, 16), [0.0] * 32)
        for model, line in (("mlp_portable", "this seems to be a run with other inputs than the "
                             "reference, or the debug buffer of another run: linear "),
                            ("mlp_xnnpack", "the run had other inputs than the reference: "
                             "input 0 differs")):
            with self.subTest(model=model):
                rows = self.gap(*files(model), "--input", path)
                self.assertFalse({row["finding"] for row in rows} & {"guilty", "suspect"})
                headline = self.headline(*files(model), "--input", path)
                self.assertTrue(headline.startswith(line), headline)
                self.assertTrue(headline.endswith("; no operator is blamed"), headline)

    def test_gap__a_guilty_operator_behind_the_inputs_says_what_that_rests_on(self):
        words = self.plant("mlp_portable", 0, 3, 0.1)
        self.assertIn("the model's inputs, if the run had those of the reference",
                      self.ok("gap", *words).stdout)
        words = self.plant("mlp_xnnpack", 2, 3, 0.1)
        self.assertNotIn("if the run had", self.ok("gap", *words).stdout)

    def test_gap__a_debug_buffer_of_another_model_blames_nobody(self):
        folder = support.DATA / "quantized"
        for trace, record, buffer in (
            ("mlp_portable/debug.etdp", "mlp_portable/model.etrecord", "gpt_portable/debug.bin"),
            ("mlp_portable/debug.etdp", "mlp_portable/model.etrecord", "conv_portable/debug.bin"),
            ("conv_portable/debug.etdp", "conv_portable/model.etrecord", "gpt_portable/debug.bin"),
            ("quantized/int8.etdp", "quantized/int8.etrecord", "conv_xnnpack_int8/debug.bin"),
            ("linear_fp32_xnnpack/debug.etdp", "linear_fp32_xnnpack/model.etrecord",
             "gpt_portable/debug.bin"),
        ):
            for more in ((), ("--reference-dtype", "record")):
                with self.subTest(trace=trace, buffer=buffer, more=more):
                    words = (support.DATA / trace, "--etrecord", support.DATA / record,
                             "--debug-buffer", support.DATA / buffer, *more)
                    rows = self.gap(*words)
                    self.assertFalse({row["finding"] for row in rows} & {"guilty", "suspect"})
                    self.assertIn("; no operator is blamed", self.headline(*words))
        words = (folder / "int8.etdp", "--etrecord", folder / "int8.etrecord", "--debug-buffer",
                 support.DATA / "conv_xnnpack_int8" / "debug.bin", "--reference-etrecord",
                 folder / "float.etrecord")
        self.assertIn("; no operator is blamed", self.headline(*words))

    def test_gap__a_debug_buffer_of_another_run_blames_nobody(self):
        for model in ("mlp_portable", "gpt_xnnpack", "conv_portable", "linear_int8_xnnpack"):
            with self.subTest(model=model):
                cases = len(support.suites_of(model)["forward"])
                words = self.record(model, support.DATA / model / "model.pte", cases - 1)
                same = cases == 1
                self.assertIn("agree", self.headline(*words))  # the trace keeps what the run was given
                other = [word for path in support.inputs_of(model, "forward", 0) for word in ("--input", path)]
                headline = self.headline(*words, *other)
                self.assertEqual("; no operator is blamed" in headline, not same, headline)

    def test_gap__a_truncated_debug_buffer(self):
        trace, _, record, _, buffer = files("mlp_portable")
        whole = buffer.read_bytes()
        for size in (0, 1, 100, len(whole) // 2, len(whole) - 256):
            with self.subTest(size=size):
                cut = self.folder / "cut.bin"
                cut.write_bytes(whole[:size])
                done = support.call("gap", trace, "--etrecord", record, "--debug-buffer", cut,
                                    "--format", "json", cwd=self.folder)
                self.assertEqual(done.returncode, INPUT, done.stderr)
                self.assertIn("cut.bin", done.stderr)

    def test_gap__a_slim_record(self):
        _, _, record, _, _ = files("mlp_portable")
        slim = self.folder / "slim.etrecord"
        replace_entries(record, slim, {"exported_program_state_dict": b"",
                                       "edge_dialect_exported_program/forward_state_dict": b""})
        trace, _, _, _, buffer = files("mlp_portable")
        done = self.fails(INPUT, "weight", "gap", trace, "--etrecord", slim, "--debug-buffer",
                          buffer)
        self.assertIn("--alignment, --reference-trace and --reference-npy need no evaluation", done.stderr)
        self.ok("gap", trace, "--etrecord", slim, "--alignment")

    def test_gap__a_record_whose_pickle_would_run_something(self):
        pickle = b"\x80\x02cposix\nsystem\nX\x0b\x00\x00\x00touch owned\x85R."
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as inner:
            inner.writestr("archive/data.pkl", pickle)
            inner.writestr("archive/version", "3\n")
        trace, _, record, _, buffer = files("mlp_portable")
        for entry in ("exported_program_state_dict", "representative_inputs"):
            with self.subTest(entry=entry):
                hostile = self.folder / "hostile.etrecord"
                replace_entries(record, hostile, {entry: data.getvalue()})
                done = support.call("gap", trace, "--etrecord", hostile, "--debug-buffer", buffer,
                                    cwd=self.folder)
                self.assertNotEqual(done.returncode, OK)
                self.assertFalse((self.folder / "owned").exists())
                if entry == "exported_program_state_dict":
                    self.assertIn("calls posix.system", done.stderr)


if __name__ == "__main__":
    unittest.main()

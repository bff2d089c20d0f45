"""`etscope advise`: what it finds in programs that have one thing each, and in no others.

tests/data/delegation.tar.xz holds 101 programs with their ETRecords, exported with executorch 1.5.1;
delegation.tsv says which of them are the controls, that differ from another one in the remedy.
"""

import csv
import json
import lzma
import pathlib
import re
import subprocess
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree
import zipfile

import support
from gap_support import FLOAT_ORIGINAL, INT8, QUANTIZED, unpack
from support import DATA, OK, USAGE

NEGATIVE = 1
SEVERAL_THREADS = 2  # what a change may save, by the time of what goes away (docs/advice.md)
UNREAD = support.DATA / "payload_truth" / "aoti" / "lin_standin" / "model.pte"
GPT = DATA / "gpt_xnnpack"
GPT_FILES = (GPT / "profile.etdp", "--program", GPT / "model.pte", "--etrecord", GPT / "model.etrecord")

# What each program was made for. All others have none of these findings but those of OUTSIDE.
PLANTED = {
    "batch_norm_alone": {"batch_norm_alone", "layout_transposes"},
    "bfloat16": {"constant_work", "refused_by_partitioner"},
    "constant_ramp": {"constant_work"},
    "conv3d": {"refusing_kernel", "refused_by_partitioner"},
    "conv_softmax": {"wrong_softmax", "layout_transposes"},
    "convs_around_erf": {"layout_transposes", "no_rule_of_partitioner"},
    "double": {"constant_work", "refused_by_partitioner"},
    "dynamic_int8_fp32_only": {"weights_dequantized"},
    "gelu_tanh": {"wrong_gelu"},
    "int8_weight_only": {"lost_weight_scales"},
    "int_scalar": {"constant_work"},
    "matmul_4d": {"empty_expand"},
    "pad_negative": {"refusing_kernel", "split_by_kernel"},
    "rank_7": {"too_many_dimensions"},
    "static_int8_fp32_only": {"weights_dequantized"},
    "tied_embedding": {"duplicates", "no_rule_of_partitioner"},
}
OUTSIDE = {"refused_by_partitioner", "no_rule_of_partitioner", "nothing_delegated", "split_by_kernel",
           "layout_transposes"}
WRONG = {"refusing_kernel", "wrong_softmax", "wrong_gelu", "lost_weight_scales", "too_many_dimensions"}


def advise(*words, code=OK):
    done = support.run("advise", *words)
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == code, (done.returncode, done.stderr)
    return done.stdout.decode()


def rows(*words):
    return json.loads(advise(*words, "--format", "json"))["rows"]


class Rules(unittest.TestCase):
    FOLDER = DATA / "rules"

    def found(self, name, *words):
        done = support.run("advise", self.FOLDER / f"{name}.pte", "--format", "json", *words)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, OK, done.stderr)
        return json.loads(done.stdout)["rows"]

    def test_advise__random_numbers_of_a_buffer_are_not_constant(self):
        copied = ["1 kernel computes the same result in every run"]  # the clone of the buffer
        for name, others in (("poisson", []), ("log_normal", copied)):
            sentences = [row["sentence"] for row in self.found(name, "--all")
                         if row["kind"] == "constant_work"]
            self.assertEqual(sentences, ["1 kernel transposes a weight again in every run"] + others, name)

    def test_advise__max_pool1d_is_not_taken_and_has_a_remedy(self):
        (row,) = [row for row in self.found("max_pool1d") if "max_pool1d" in row["sentence"]]
        self.assertIn("max_pool2d", row["action"])
        self.assertNotIn("restricted", row["sentence"])

    def test_advise__operators_of_other_libraries_are_not_to_be_rewritten(self):
        self.assertEqual(self.found("custom_operator"), [])
        outside = support.run("delegates", self.FOLDER / "custom_operator.pte").stdout.decode()
        self.assertRegex(outside, r"planted::fused\.out +kernel .* no rule")

    def test_advise__an_upper_bound_is_named_as_the_cause_of_a_peak(self):
        (row,) = [row for row in self.found("dynamic_peak") if row["kind"] == "memory_peak"]
        self.assertTrue(row["sentence"].endswith("; 100 % of it is of dynamic shapes, planned for their upper bounds: "
                                                 "512 x 64 for the largest"), row["sentence"])
        self.assertIn("torch.export.Dim(..., max=)", row["action"])
        # a smaller one is told, but nothing to do
        (row,) = [row for row in rows(DATA / "dynamic/model.pte", "--all") if row["kind"] == "memory_peak"]
        self.assertIsNone(row["action"])

    def test_advise__the_heap_of_delegates_is_beside_the_peak(self):
        program = DATA.parents[1] / "examples/mobile_cnn/xnnpack.pte"

        def peak(*words):
            (row,) = [row for row in rows(*words, "--program", program, "--all") if row["kind"] == "memory_peak"]
            return row["sentence"]

        self.assertTrue(peak().endswith("; what delegates allocate themselves is not counted"))
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "measured.etdp"
            done = support.run("profile", program, "--memory", "-o", trace)
            if done.returncode == support.UNAVAILABLE:
                self.skipTest(done.stderr.decode())
            self.assertRegex(peak(trace), r"; delegates and kernels take about [\d.]+ [KM]iB of heap beside it, as measured$|"
                                          r"; what delegates allocate themselves is not counted$")

    def test_advise__weights_that_are_transposed_first_are_not_taken(self):
        # XnnpackPartitioner 1.5.1 says "Expected weight to be a static param" of such products
        (row,) = [row for row in self.found("lstm_cell") if "addmm" in row["sentence"]]
        self.assertEqual(row["kind"], "refused_by_partitioner")
        self.assertTrue(row["sentence"].endswith(": mat2 is a constant that aten.permute_copy.default changes "
                                                 "first; one is taken as it is stored, or the weight of an nn.Linear"))
        self.assertEqual(row["action"], "to_edge_transform_and_lower instead of to_edge")
        done = support.run("delegates", self.FOLDER / "lstm_cell.pte")
        self.assertNotIn("taken by the rules", done.stdout.decode())

    def test_advise__operators_of_one_source_line_are_one_finding(self):
        (row,) = self.found("softplus")
        self.assertEqual(row["sentence"], "6 calls of gt.Scalar_out, log1p.out and where.self_out stay outside of "
                         "XNNPACK: XNNPACK has no such operators")
        self.assertEqual((row["instructions"], row["source"]), ([1, 2, 3, 5, 6, 7], ["models/make.py:44",
                                                                                    "models/make.py:45"]))
        self.assertTrue(row["action"].startswith("log1p.out: softplus(x) as relu(x) + "))
        self.assertIn("; where.self_out: leaky_relu for where(", row["action"])

    def test_advise__operators_of_one_line_with_other_verdicts_are_apart(self):
        found = {row["sentence"].split(" stay")[0]: row["action"] for row in self.found("one_line", "--all")
                 if " outside of XNNPACK" in row["sentence"]}
        measure = "measure before rewriting it with operators that XNNPACK takes: that may be slower"
        self.assertEqual(found, {
            "reciprocal.out and erf.out": f"reciprocal.out: torch.tensor(1.0) / x; erf.out: {measure}",
            "native_group_norm.out": None,  # was slower rewritten
            "convolution.out": "a Parameter in the shape and order that the operator takes"})

    def test_advise__a_broadcast_that_makes_the_peak_is_told_with_what_does_without(self):
        (row,) = [row for row in self.found("distances") if row["kind"] == "broadcast"]
        self.assertEqual(row["sentence"], "sub makes 65536 numbers (256.0 KiB) of 1024 and 512 by broadcasting; the memory "
                                          "peak is 288.0 KiB")
        self.assertIn("- 2 * a @ b.mT", row["action"])

    def test_advise__a_constant_of_a_wrong_type_is_told_before_what_it_makes(self):
        (sentence,) = [row["sentence"] for row in self.found("normalise_double") if "div.out" in row["sentence"]]
        self.assertTrue(sentence.endswith(": a constant is float64; float32 and float16 are taken"), sentence)

    def test_advise__modules_of_one_source_line_are_apart(self):
        found = [row for row in rows(*GPT_FILES) if "native_layer_norm" in row["sentence"]]
        self.assertEqual([(len(row["instructions"]), row["module"]) for row in found], [(5, "blocks.0.ln1")])


class Undecided(unittest.TestCase):
    """What was not read is no comfort."""

    def test_advise__a_payload_that_nothing_reads_is_said(self):
        done = support.run("advise", UNREAD, "--no-siblings")
        self.assertEqual(done.returncode, OK)
        self.assertRegex(done.stdout.decode(), r"^cannot say what to change: 1 of 1 delegate call "
                         r"was not read \(CpuStandInBackend, \d+ % of the program's bytes\)")
        self.assertEqual(support.run("advise", UNREAD, "--no-siblings", "--fail-on", "wrong").returncode, NEGATIVE)

    def test_advise__a_record_of_another_program_does_not_make_it_read(self):
        done = support.run("advise", UNREAD, "--etrecord", support.fixture("gpt_portable", "model.etrecord"),
                           "--allow-mismatch", "--fail-on", "any")
        self.assertEqual(done.returncode, NEGATIVE)
        self.assertRegex(done.stdout.decode(), r"^cannot say what to change: 1 of 1 delegate call was not read")

    def test_advise__files_for_ci_say_what_was_not_read(self):
        for words, kind in ((("--fail-on", "any"), "error"), ((), "skipped")):
            done = support.run("advise", UNREAD, "--no-siblings", "--format", "junit", *words)
            (case,) = xml.etree.ElementTree.fromstring(done.stdout).iter("testcase")
            self.assertEqual((case.get("name"), [child.tag for child in case]), ("not_read", [kind]))
        done = support.run("advise", UNREAD, "--no-siblings", "--format", "sarif")
        (result,) = json.loads(done.stdout)["runs"][0]["results"]
        self.assertEqual(result["ruleId"], "not_read")
        self.assertRegex(result["message"]["text"], r"^cannot say what to change: 1 of 1 delegate call was not read")

    def test_advise__operators_without_their_payload_are_said(self):
        done = support.run("advise", support.fixture("payloads", "coreml.pte"))
        self.assertEqual(done.returncode, OK)
        self.assertRegex(done.stdout.decode(), r"^nothing to do was found outside of 1 delegate call, of which "
                         r"only the operators are known, from the ETRecord \(CoreMLBackend, \d+ % of the program's bytes\)\n")

    def test_advise__a_record_of_another_program_is_refused(self):
        other = support.fixture("conv_portable", "model.etrecord")
        program = support.fixture("mlp_portable", "model.pte")
        done = support.run("advise", program, "--etrecord", other)
        self.assertEqual((done.returncode, done.stdout), (support.MISMATCH, b""))
        self.assertIn(b"does not belong to this program", done.stderr)


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        with tarfile.open(DATA / "delegation.tar.xz") as archive:
            archive.extractall(cls.folder.name)
        cls.programs = pathlib.Path(cls.folder.name) / "delegation"
        with open(cls.programs / "delegation.tsv", encoding="utf-8") as lines:
            cls.cases = list(csv.DictReader(lines, delimiter="\t"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def kinds(self, name):
        return {row["kind"] for row in rows("--program", self.programs / f"{name}.pte")}

    def test_each_program_has_what_was_planted_and_nothing_else(self):
        for case in self.cases:
            name = case["file"]
            with self.subTest(name):
                found = self.kinds(name)
                if name in PLANTED:
                    self.assertEqual(found - {"plan_above_bound", "memory_peak"}, PLANTED[name])
                else:
                    self.assertLessEqual(found, OUTSIDE | {"plan_above_bound", "batch_norm_alone"})
                if case["rule"].startswith("control") and name not in (*PLANTED, "untied_embedding"):
                    self.assertLessEqual(found, {"layout_transposes", "plan_above_bound", "memory_peak"})
        self.assertEqual(len(self.cases), 101)

    def test_each_kernel_that_the_partitioner_left_is_told_with_its_remedy(self):
        silent = {"slice_step", "slice_dynamic", "pad_negative", "group_norm",  # nothing to gain by measurement
                  "view_dynamic", "flatten_dynamic"}  # only sizes are computed
        for case in self.cases:
            if case["kernels"] == "0" or case["file"] in silent or case["file"] in PLANTED:
                continue
            with self.subTest(case["file"]):
                found = [row for row in rows("--program", self.programs / f"{case['file']}.pte")
                         if row["kind"] in ("refused_by_partitioner", "no_rule_of_partitioner",
                                            "nothing_delegated")]
                self.assertTrue(found)
                for row in found:
                    self.assertTrue(row["action"])
                    self.assertTrue(row["instructions"])
                    self.assertEqual(row["basis"], "bound")

    def test_layouts_that_the_caller_gives_need_no_transposes(self):
        self.assertIn("layout_transposes", self.kinds("convs_around_sigmoid"))
        self.assertEqual(self.kinds("convs_channels_last"), set())

    def layouts(self, program, *words):
        """The sentence and action of the finding about layouts, which may be an observation."""
        return [(row["sentence"], row["action"]) for row in rows("--program", program, "--all", *words)
                if row["kind"] == "layout_transposes"]

    def test_channels_last_is_not_advised_where_it_breaks_the_program(self):
        for name, reason in (("group_norm", "native_group_norm.out may refuse that layout"),
                             ("max_indices", "max.dim_max may refuse that layout"),
                             ("mean_channel", "mean.out may refuse that layout"),
                             ("mean_keepdim", "a tensor has one channel or one pixel"),
                             ("mean_no_keepdim", "take longer: the export puts a copy before mean.out"),
                             ("avg_pool_ceil", "avg_pool2d.out may refuse that layout")):
            with self.subTest(name):
                (sentence, action), = self.layouts(self.programs / f"{name}.pte")
                self.assertIn(reason, sentence)
                self.assertIsNone(action)
                self.assertNotIn("layout_transposes", self.kinds(name))
        (sentence, action), = self.layouts(DATA / "shared_quantized" / "int8.pte")  # input [1, 1, 8, 8]
        self.assertIn("can make the program fail", sentence)
        self.assertIsNone(action)
        for name in ("convs_around_erf", "upsample_nearest", "prelu_parameter"):
            with self.subTest(name):
                (sentence, action), = self.layouts(self.programs / f"{name}.pte")
                self.assertNotIn(";", sentence)
                self.assertIn("feed only such inputs", action)

    def reordered(self, program, order):
        """The program with another order of the dimensions of its images."""
        contiguous = b"\4\0\0\0\0\1\2\3"
        self.assertIn(contiguous, program.read_bytes())
        changed = pathlib.Path(self.folder.name) / "reordered.pte"
        changed.write_bytes(program.read_bytes().replace(contiguous, contiguous[:4] + order))
        return changed

    def test_channels_last_is_not_advised_to_who_has_it(self):
        changed = self.reordered(self.programs / "convs_around_sigmoid.pte", b"\0\2\3\1")
        (sentence, action), = self.layouts(changed, "--no-siblings")
        self.assertNotIn(";", sentence)
        self.assertIsNone(action)

    def sized_elu(self, count):
        """The record of "elu", with other sizes of what it computes."""
        path = self.programs / f"elu_{count}.etrecord"
        old = b'"aten_elu_default": {"dtype": 7, "sizes": [{"as_int": 4}'
        with zipfile.ZipFile(self.programs / "elu.etrecord") as record, zipfile.ZipFile(path, "w") as other:
            for name in record.namelist():
                data = record.read(name)
                self.assertEqual(data.count(old), name == "edge_dialect_exported_program/forward")
                other.writestr(name, data.replace(old, old.replace(b"4}", b"%d}" % count)))
        return "--etrecord", path

    def outside(self, name, words=()):
        """The finding about a kernel outside of delegates, advice or not."""
        (row,) = [row for row in rows("--program", self.programs / f"{name}.pte", *words, "--all")
                  if row["kind"] in ("no_rule_of_partitioner", "refused_by_partitioner")]
        return row

    def test_rewriting_is_proposed_where_it_was_measured_to_be_faster(self):
        for name, action in (("reciprocal", "torch.tensor(1.0) / x"),
                             ("log_softmax", "log(softmax(x, -1))"), ("sum", "F.linear(x, ones)"),
                             ("pow_3", "x * x * x")):
            with self.subTest(name):
                self.assertIn(action, self.outside(name)["action"])
                self.assertEqual(self.outside(name)["confidence"], "medium")
        # along the first dimension there is no product that does the same
        for name in ("cumsum", "argmax", "topk"):
            with self.subTest(name):
                self.assertEqual(self.outside(name)["action"], "measure before rewriting it with operators that XNNPACK "
                                                               "takes: that may be slower")
                self.assertEqual(self.outside(name)["confidence"], "low")
        # with few elements, elu was slower written otherwise
        for rows_of_8, action in ((4, "measure before rewriting"), (1023, "measure before rewriting"),
                                  (1024, "relu(x) + exp(-relu(-x)) - 1.0, if alpha is 1")):
            with self.subTest(elu=rows_of_8):
                self.assertIn(action, self.outside("elu", self.sized_elu(rows_of_8))["action"])
        slower = self.outside("group_norm")
        self.assertTrue(slower["sentence"].endswith("it was slower in the two sizes that were tried; batch norm, which needs "
                                                    "training again, folds into a convolution"))
        self.assertIsNone(slower["action"])
        self.assertIsNone(slower["basis"])
        self.assertEqual(self.kinds("group_norm"), set())

    def test_constant_work_is_told_with_what_removes_it(self):
        for program, sentence, action in (
                (self.programs / "constant_ramp.pte", "1 kernel computes the same result in every run",
                 "to the exported program"),
                (self.programs / "int_scalar.pte", "1 kernel converts a constant again in every run", "(2.0, not 2)"),
                (DATA / "mlp_portable" / "model.pte", "2 kernels transpose weights again in every run",
                 "to the program of to_edge")):
            found, = [row for row in rows("--program", program) if row["kind"] == "constant_work"]
            self.assertEqual(found["sentence"], sentence)
            self.assertIn(action, found["action"])

    def test_delegation_is_not_proposed_where_it_would_compute_wrong_values(self):
        (found,) = [row for row in rows("--program", DATA / "torchao" / "int8_weights.pte", "--all")
                    if row["kind"] == "nothing_delegated"]
        self.assertTrue(found["sentence"].endswith(", but would use int8 weights without their scales"))
        self.assertIsNone(found["action"])

    def test_a_batch_norm_behind_a_convolution_is_left_to_its_delegation(self):
        found = {row["kind"] for row in rows("--program", DATA / "conv_portable" / "model.pte")}
        self.assertIn("nothing_delegated", found)
        self.assertNotIn("batch_norm_alone", found)

    def test_a_kernel_between_two_calls_is_told_once(self):
        found, = [row for row in rows("--program", self.programs / "convs_around_erf.pte")
                  if row["kind"] == "no_rule_of_partitioner"]
        self.assertTrue(found["sentence"].startswith(
            "erf.out stays outside of XNNPACK and keeps 1 delegate call from joining the one before: "))
        split, = [row for row in rows("--program", self.programs / "pad_negative.pte")
                  if row["kind"] == "split_by_kernel"]
        self.assertTrue(split["sentence"].endswith("without it 1 delegate call could join the one before"))

    def assert_wrong_layout(self, program, kind, sentence):
        found = rows("--program", program, "--no-siblings")[0]
        self.assertEqual((found["kind"], found["severity"]), (kind, "bad"))
        self.assertIn(sentence, found["sentence"])
        text = advise("--program", program, "--no-siblings", "--fail-on", "wrong", code=NEGATIVE)
        self.assertEqual(text.splitlines()[0], "1 thing is wrong")
        done = support.run("run", program, "-o", pathlib.Path(self.folder.name) / "trace.etdp")
        if done.returncode != support.UNAVAILABLE:
            self.assertEqual(done.returncode == OK, kind == "wrong_layout", done.stderr)

    def test_programs_in_channels_last_that_fail_are_told_before_they_run(self):
        self.assert_wrong_layout(self.reordered(self.programs / "group_norm.pte", b"\0\2\3\1"), "refused_layout",
                                 "its execution fails: native_group_norm.out refuses a tensor")
        # input [1, 1, 8, 8], as PyTorch orders it
        self.assert_wrong_layout(self.reordered(DATA / "shared_quantized" / "int8.pte", b"\0\2\1\3"),
                                 "refused_layout", "its execution fails: XnnpackBackend refuses a tensor")

    def test_programs_in_channels_last_with_wrong_values_are_told_before_they_run(self):
        program = pathlib.Path(self.folder.name) / "log_softmax.pte"
        program.write_bytes(lzma.decompress((DATA / "layouts" / "log_softmax.pte.xz").read_bytes()))
        self.assert_wrong_layout(program, "wrong_layout",
                                 "_log_softmax.out reads a tensor in channels_last as if it were contiguous")

    def test_what_xnnpack_computes_wrongly_comes_first_and_can_fail(self):
        for name in ("conv_softmax", "int8_weight_only", "gelu_tanh", "rank_7", "conv3d"):
            program = self.programs / f"{name}.pte"
            text = advise("--program", program, "--fail-on", "wrong", code=NEGATIVE)
            self.assertIn(" 1  WRONG: ", text)
            self.assertTrue(text.startswith("1 thing is wrong"), text)
            self.assertIn(rows("--program", program)[0]["kind"], WRONG)
        advise("--program", self.programs / "softmax_last_dim.pte", "--fail-on", "wrong")


class Told(unittest.TestCase):
    def test_checks_are_words_of_a_shell(self):
        names = ("my model.pte", "it's.etdp", "$(x).bin", "-a.etrecord", "plain-1.2_b.pte", "new\\line.pte")
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                with self.subTest(name):
                    is_trace = name.endswith(".etdp")
                    source = GPT / ("profile.etdp" if is_trace else "model.pte")
                    (pathlib.Path(folder) / name).write_bytes(source.read_bytes())
                    given = (name, *GPT_FILES[1:]) if is_trace else (f"--program={name}",)
                    done = subprocess.run([support.ETSCOPE, "advise", "--all", "--format", "json",
                                           "--no-siblings", *given], cwd=folder, capture_output=True, check=False)
                    self.assertEqual(done.returncode, OK, done.stderr)
                    checks = {row["check"] for row in json.loads(done.stdout)["rows"]} - {None}
                    expected = f"./{name}" if name[0] == "-" else name
                    said = [check for check in checks if name[:2] in check or "'" in check]
                    self.assertTrue(said, checks)
                    for check in said:
                        echo = re.sub(r"(^|&& |, then )etscope", r"\1printf '%s\\n'", check).replace(", then ", " && ")
                        told = subprocess.run(["sh", "-c", echo], capture_output=True, text=True, check=True).stdout
                        self.assertIn(expected, told.splitlines())

    def test_savings_are_of_the_rows_that_are_named(self):
        done = support.run("inspect", *GPT_FILES, "--format", "json")
        times = {row["instruction"]: row for row in support.json_rows(done.stdout)
                 if row["kernel"] is not None}
        checked = 0
        for row in rows(*GPT_FILES):
            if row["basis"] != "removed":
                continue
            least = sum(times[number]["min_ns"] for number in row["instructions"])
            most = sum(times[number]["max_ns"] for number in row["instructions"])
            self.assertLessEqual(least, row["saving_ns"])
            self.assertLessEqual(row["saving_ns_upper"], SEVERAL_THREADS * most)
            self.assertLessEqual(row["saving_ns"], row["saving_ns_upper"])
            checked += 1
        self.assertEqual(checked, 3)

    def test_shares_are_those_of_inspect(self):
        trace = DATA / "delegates" / "images.etdp"
        (row,) = [row for row in rows(trace) if row["kind"] == "refused_by_partitioner"]
        done = support.run("inspect", trace, "--format", "json")
        (kernel,) = [each for each in support.json_rows(done.stdout) if each["operator"] == "mean.out"]
        self.assertAlmostEqual(row["share"], kernel["share"], places=9)

    def test_the_first_line_is_no_sum_and_no_more_than_a_run(self):
        document = json.loads(advise(*GPT_FILES, "--format", "json"))
        text = advise(*GPT_FILES)
        self.assertEqual(text.splitlines()[0], document["headline"])
        self.assertRegex(document["headline"], r"^\d+ things to do; \d+ of them: [\d.]+ us of the [\d.]+ us of a run of "
                                               r"forward \(\d+\.\d %\), less the time of what takes its place$")

    def test_the_database_and_the_report_say_the_same(self):
        told = {row["sentence"] for row in rows(*GPT_FILES, "--all")}
        done = support.run("sql", "select sentence, action, confidence from findings", *GPT_FILES[:1],
                           *GPT_FILES[1:], "--format", "json")
        found = support.json_rows(done.stdout)
        self.assertEqual({row["sentence"] for row in found}, told)
        self.assertTrue(any(row["action"] for row in found))

    def test_lines_fit(self):
        for width in ("80", "200"):
            lines = advise(*GPT_FILES, "--width", width).splitlines()
            paths = [line for line in lines if str(GPT) in line]
            self.assertLessEqual(max(len(line) for line in lines if line not in paths), int(width))

    def test_sarif_points_at_the_models_lines(self):
        run = json.loads(advise(*GPT_FILES, "--format", "sarif"))["runs"][0]
        rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
        self.assertEqual(rules, {result["ruleId"] for result in run["results"]})
        places = [location["physicalLocation"] for result in run["results"]
                  for location in result["locations"]]
        self.assertIn({"artifactLocation": {"uri": "models/zoo.py", "uriBaseId": "SRCROOT"},
                       "region": {"startLine": 28}}, places)

    def test_junit_and_markdown(self):
        root = xml.etree.ElementTree.fromstring(
            advise(*GPT_FILES, "--format", "junit", "--fail-on", "empty_expand", code=NEGATIVE))
        self.assertEqual(root.get("failures"), "1")
        self.assertEqual(len(root.findall(".//failure")), 1)
        text = advise(*GPT_FILES, "--format", "markdown")
        self.assertIn("**12 kernels only guard attention", text)
        self.assertIn("module blocks.0.ln1 and 4 more", text)
        self.assertIn("native\\_layer\\_norm", text)

    def test_what_is_right_is_no_result_of_sarif(self):
        if support.run("gap", *INT8).returncode != OK:
            self.skipTest("no engine")
        run = json.loads(advise(*INT8, "--format", "sarif"))["runs"][0]
        self.assertNotIn("values_agree", {rule["id"] for rule in run["tool"]["driver"]["rules"]})
        self.assertIn("captured", {result["ruleId"] for result in run["results"]})

    def test_shares_of_fail_on_are_of_the_findings_own_method(self):
        words = (DATA / "multi_method" / "profile.etdp", "--program", DATA / "multi_method" / "model.pte")
        found = [row for row in rows(*words) if row["saving_ns_upper"] is not None]
        self.assertGreater(len({row["method"] for row in found}), 1)
        runs = {row["method"]: row["p50_ns"] for row in support.rows(*support.with_record("multi_method"))
                if row["operator"] == "Method::execute"}
        most = max(row["saving_ns_upper"] / runs[row["method"]] for row in found)
        advise(*words, "--fail-on", f"{100 * most - 0.5:.1f}%", code=NEGATIVE)
        if most < 0.99:
            advise(*words, "--fail-on", f"{100 * most + 0.5:.1f}%")

    def test_fail_on(self):
        advise(*GPT_FILES, "--fail-on", "5%", code=NEGATIVE)
        advise(*GPT_FILES, "--fail-on", "90%")
        advise(*GPT_FILES, "--fail-on", "any", code=NEGATIVE)
        advise(*GPT_FILES, "--fail-on", "wrong_softmax")
        done = support.run("advise", *GPT_FILES, "--fail-on", "slow")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"--fail-on takes any, wrong, a share such as 5%", done.stderr)

    def test_the_headline_says_what_captured_values_were_compared_with(self):
        if support.run("gap", *INT8).returncode != OK:
            self.skipTest("no engine")
        text = advise(*INT8, "--width", "1000")
        self.assertRegex(text.splitlines()[0],
                         r"\. (\d+) of \1 compared values agree with the program's own quantized graph: this checks "
                         r"kernels and delegates, not what quantization costs, which --reference-etrecord tells")
        self.assertIn("with the program's own quantized graph in float64; the largest error", text)  # without --all
        text = advise(*INT8, *FLOAT_ORIGINAL, "--width", "1000", "--all", "--fail-on", "wrong_operator")
        self.assertNotIn("wrong", text.splitlines()[0])  # the output agrees: nobody is guilty
        self.assertRegex(text.splitlines()[0], r"\. \d+ of \d+ compared values agree with the model of .*float\.etrecord$")
        self.assertRegex(text, r"do +quantize weights per channel \(get_symmetric_quantization_config\(is_per_channel=True"
                               r'\)\); or equalize: divide channel 3 by .*; or leave it in float: quantizer\.set_filter_function\(lambda node: all\(path != '
                               r'"[\w.]+" for path, _ in node\.meta\.get\("nn_module_stack", {}\)\.values\(\)\)\)')
        self.assertRegex(text, r"where +\S+\.py:\d+, module \S+")
        self.assertIn("the output agrees with the other model in float64", text)
        self.assertRegex(text, r"check +etscope gap .* --reference-etrecord .*float\.etrecord")
        beside = advise(INT8[0], "--etrecord", INT8[0].with_suffix(".etrecord"), *FLOAT_ORIGINAL, "--width", "1000", "--all")
        self.assertEqual(beside, text)  # the debug buffer beside the trace is used
        done = support.run("advise", INT8[0], *FLOAT_ORIGINAL, "--no-siblings")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"--reference-etrecord needs --debug-buffer", done.stderr)

    def refused(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        unpack("advice/refused.tar.xz", folder.name)
        return pathlib.Path(folder.name)

    def test_a_wrong_softmax_is_found_through_what_keeps_the_layout(self):
        folder = self.refused() / "softmax"
        wrong = {"permuted": True, "sliced": True, "padded": True, "joined": False, "reshaped": False}
        for name, is_wrong in wrong.items():
            program = folder / f"{name}.pte"
            kinds = [row["kind"] for row in rows("--program", program, "--etrecord", program.with_suffix(".etrecord"))]
            self.assertEqual("wrong_softmax" in kinds, is_wrong, name)

    def test_a_padding_that_xnnpack_refuses_is_found_before_the_program_runs(self):
        folder = self.refused() / "padded"
        for name in ("pool", "conv", "mean"):
            program = folder / f"{name}.pte"
            found = [row for row in rows("--program", program, "--etrecord", program.with_suffix(".etrecord"))
                     if row["kind"] == "mixed_types"]
            self.assertEqual(len(found), name == "pool", name)
            for row in found:
                self.assertEqual((row["severity"], row["source"]), ("bad", ["models/net.py:20"]))
                self.assertEqual(row["sentence"], "the method will not load: XNNPACK refuses 1 padding that takes float "
                                                  "and gives int8")
            done = support.run("run", program, "--runs", "1")
            if done.returncode == support.UNAVAILABLE:
                continue
            self.assertEqual(done.returncode != OK, name == "pool", done.stderr)  # as the runtime says

    def test_weights_with_too_few_steps_are_found_in_the_program_alone(self):
        def found(program, *more):
            return [row for row in rows("--program", program, "--no-siblings", *more) if row["kind"] == "coarse_weights"]
        program = QUANTIZED / "int8.pte"
        (row,) = found(program)
        self.assertEqual((row["severity"], row["confidence"]), ("bad", "medium"))
        self.assertEqual(row["check"], "etscope advise --program NEW.pte")
        self.assertRegex(row["sentence"], r"^the int8 weights of 1 layer have too few steps: in FullyConnected 0\.\d+, 15 of "
                                          r"16 channels reach 3 of 127 at most$")
        (row,) = found(program, "--etrecord", program.with_suffix(".etrecord"))
        self.assertEqual((row["module"], row["source"]), ("squeeze", ["models/net.py:20"]))
        self.assertIn(": in squeeze, 15 of 16 channels", row["sentence"])
        self.assertRegex(row["action"], r"^quantize weights per channel \(get_symmetric_quantization_config\(is_per_channel=True\)\)"
                                        r"; or equalize: divide channel 3 ")
        for clean in (support.fixture("conv_xnnpack_int8", "model.pte"), support.fixture("linear_int8_xnnpack", "model.pte"),
                      support.DATA / "saturated" / "int8.pte", support.DATA / "schemes" / "static.bpte"):
            self.assertEqual(found(clean), [], clean)

    def test_a_scale_that_cuts_values_off_is_a_thing_to_mend(self):
        folder = support.DATA / "saturated"
        words = (folder / "int8.etdp", "--debug-buffer", folder / "int8.bin", "--etrecord", folder / "int8.etrecord")
        if support.run("gap", *words).returncode != OK:
            self.skipTest("no engine")
        def wrong(*more):
            return [row for row in rows(*words, *more) if row["severity"] == "bad"]
        (alone,) = wrong()  # the kernels are right, so no operator is
        (guilty,) = wrong("--reference-etrecord", folder / "float.etrecord")
        self.assertEqual((alone["kind"], guilty["kind"]), ("cut_off", "wrong_operator"))
        self.assertRegex(alone["sentence"], r"^relu \(models/net\.py:15\) is cut off: 12 % of its values are beyond its "
                                           r"scale, 0 to 0\.703: they reach 1\.21, an error of 0\.26$")
        for row in (alone, guilty):
            self.assertEqual(row["source"], ["models/net.py:15"])
            self.assertRegex(row["action"], r"^calibrate with inputs like those of this run: .* before convert_pt2e$")
        self.assertEqual(alone["confidence"], "medium")
        with tempfile.TemporaryDirectory() as name:
            unpack("saturated/input.tar.xz", name)
            taken = rows(f"{name}/input.etdp", "--debug-buffer", f"{name}/input.bin", "--etrecord",
                         f"{name}/input.etrecord", "--reference-etrecord", folder / "float.etrecord")[0]
        self.assertEqual((taken["kind"], taken["confidence"], taken["action"]),
                         ("wrong_operator", "medium", guilty["action"]))
        # scales that fit
        schemes = support.DATA / "schemes" / "static"
        clean = (schemes.with_suffix(".etdp"), "--debug-buffer", schemes.with_suffix(".bin"), "--etrecord",
                 schemes.with_suffix(".etrecord"))
        self.assertNotIn("cut_off", [row["kind"] for row in rows(*clean, "--all")])

    def test_runs_with_captured_tensors_have_no_savings(self):
        words = (GPT / "debug.etdp", "--program", GPT / "model.pte", "--etrecord", GPT / "model.etrecord",
                 "--no-siblings")
        found = rows(*words, "--all")
        self.assertEqual(found[0]["kind"], "captured")
        self.assertGreater(len(found), 5)
        for row in found:
            self.assertIsNone(row["saving_ns_upper"], row)
            self.assertIsNone(row["share_upper"], row)
        text = advise(*words, "--fail-on", "1%")
        self.assertRegex(text.splitlines()[0], r"^\d+ things to do$")
        self.assertIn("run the program once more without capturing", text)

    def test_no_saving_is_more_than_its_share(self):
        share = re.compile(r"of the ([\d.]+) us of a run")
        document = json.loads(advise(*GPT_FILES, "--format", "json"))
        run = 1000 * float(share.search(document["headline"])[1])
        found = [row for row in document["rows"] if row["saving_ns_upper"] is not None]
        self.assertGreater(len(found), 3)
        for row in found:
            if "from joining" not in row["sentence"] and row["share_upper"] is not None:
                self.assertLessEqual(row["saving_ns_upper"], SEVERAL_THREADS * row["share_upper"] * run * 1.01, row)

    def test_what_was_not_examined_is_told(self):
        text = advise(GPT / "profile.etdp", "--no-siblings")
        self.assertIn("Not examined: the program (--program)", text)
        self.assertEqual(support.run("advise").returncode, USAGE)
        self.assertEqual(support.run("advise", GPT / "profile.etdp", GPT / "debug.etdp").returncode,
                         USAGE)


if __name__ == "__main__":
    unittest.main()

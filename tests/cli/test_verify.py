"""`etscope verify`: every bundle here is right, a planted difference is found where it is."""

import struct
import unittest
import xml.etree.ElementTree as tree
from pathlib import Path

import run_support as support
from run_support import INPUT, MISMATCH, NEGATIVE, OK, USAGE

EXAMPLES = ("mlp/portable", "mobile_cnn/portable", "mobile_cnn/xnnpack", "tiny_transformer/xnnpack")


class VerifyTest(support.RunTest):
    def verify(self, *arguments, code=OK):
        """The rows of `verify --format json`."""
        done = support.call("verify", *arguments, "--format", "json", cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return support.json_rows(done.stdout)

    def planted(self, model, number, data):
        """A copy of a fixture's bundle: the last bytes of the last expected output replaced."""
        bundle = bytearray((support.DATA / model / "model.bpte").read_bytes())
        case = support.suites_of(model)["forward"][number]
        descr, _, elements = case[1][-1]
        code = {name: code for name, code in support.SCALARS.values()}[descr]
        stored = struct.pack(f"<{len(elements)}{code}", *elements)
        self.assertEqual(bundle.count(stored), 1)
        at = bundle.index(stored) + len(stored) - len(data)
        bundle[at:at + len(data)] = data
        path = self.folder / "planted.bpte"
        path.write_bytes(bundle)
        return path, len(elements) - 1


class Comparators(VerifyTest):
    """examples/comparator, loaded by --comparator."""

    PLUGINS = Path(support.ETSCOPE).parent.parent / "lib"
    MODEL = support.DATA / "mlp_portable" / "model.bpte"

    def test_verify__a_comparator_is_one_more_column(self):
        rows = self.verify(self.MODEL, "--comparator", self.PLUGINS / "sign_flips.so")
        self.assertEqual({row["sign_flips"] for row in rows}, {0})
        path, index = self.planted("mlp_portable", 1, struct.pack("<f", -9.0))
        rows = self.verify(path, "--comparator", self.PLUGINS / "sign_flips.so", code=NEGATIVE)
        flipped = [row["sign_flips"] for row in rows if row["verdict"] == "different"]
        self.assertEqual(len(flipped), 1)
        self.assertIn(flipped[0] * (index + 1), (0, 1))

    def test_verify__a_comparator_that_refuses_leaves_its_column_empty(self):
        done = support.call("verify", self.MODEL, "--format", "json", "--comparator",
                            self.PLUGINS / "comparator_refuses.so")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual({row["refuses"] for row in support.json_rows(done.stdout)}, {None})
        self.assertEqual(done.stderr.count("comparator refuses: UNSUPPORTED"), 1)

    def test_verify__what_is_no_comparator_is_told(self):
        flips = self.PLUGINS / "sign_flips.so"
        for arguments, code, words in (
            (["no_such.so"], INPUT, "no_such.so: no such file"),
            ([self.MODEL], support.UNAVAILABLE, "cannot be loaded as a comparator"),
            ([self.PLUGINS / "comparator_version.so"], MISMATCH, "recompile it"),
            ([self.PLUGINS / "comparator_column.so"], USAGE, "another column is also named like comparator mse"),
            ([flips, flips], USAGE, "another comparator is also named sign_flips"),
        ):
            with self.subTest(words=words):
                options = [word for each in arguments for word in ("--comparator", each)]
                done = support.call("verify", self.MODEL, *options)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(words, done.stderr)


class Fixtures(VerifyTest):
    def test_verify__every_fixture_verifies(self):
        for model, methods in support.MODELS.items():
            with self.subTest(model=model):
                if support.obstacle(model):
                    continue
                rows = self.verify(support.DATA / model / "model.bpte")
                self.assertEqual({row["verdict"] for row in rows}, {"close"})
                cases = {(row["method"], row["case"]) for row in rows}
                self.assertEqual(cases, {(method, case) for method, count in methods.items()
                                         for case in range(count)})

    def test_verify__what_a_program_computes_in_decides_the_tolerance(self):
        """XNNPACK quantizes the input row by row, PyTorch the whole: a step of int8 is allowed."""
        bundle = support.DATA / "linear_int8_xnnpack" / "model.bpte"
        done = self.ok("verify", bundle)
        self.assertIn("note: forward computes in dynamic int8: tolerance rtol "
                      "1.3e-06, atol 1e-05 and 0.05 of the root mean square of an output (2 steps of 8 bits "
                      "over 6 standard deviations)", done.stderr)
        for given in (["--rtol", "1.3e-6", "--atol", "1e-5"], ["--rms", "0.01"],
                      ["--tolerance", "dtype=float32,rms=0.01"]):
            with self.subTest(given=given):
                (row,) = self.verify(bundle, *given, code=NEGATIVE)
                self.assertEqual(row["verdict"], "different")
        for model, name in (("conv_xnnpack_int8", "static int8"), ("mlp_xnnpack", "float32"),
                            ("types", "float32")):
            with self.subTest(model=model):
                done = self.ok("verify", support.DATA / model / "model.bpte")
                self.assertIn(f"note: forward computes in {name}: ", done.stderr)
        done = self.ok("verify", support.DATA / "inexact" / "sums.bpte")
        self.assertIn("note: forward computes in bfloat16: ", done.stderr)

    def test_verify__an_output_that_holds_halves_is_judged_as_they_are(self):
        """Output 5 is a float32 copy of what was multiplied in float16, by another step there."""
        bundle = bytearray((support.DATA / "types" / "model.bpte").read_bytes())
        (_, expected), = support.suites_of("types")["forward"][:1]
        _, _, elements = expected[5]
        stored = struct.pack("<24f", *elements)
        self.assertEqual(bundle.count(stored), 1)
        at, path = bundle.index(stored), self.folder / "halves.bpte"
        for factor, code in ((1 + 2**-10, OK), (1.05, NEGATIVE)):
            bundle[at:at + len(stored)] = struct.pack("<24f", *(x * factor for x in elements))
            path.write_bytes(bundle)
            done = support.call("verify", path, cwd=self.folder)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn("note: output 5 was computed in float16: tolerance "
                          "rtol 0.001, atol 1e-05 and 0.01 of its root mean square", done.stderr)
            self.assertEqual(done.stderr.count("was computed in"), 1)

    def test_verify__a_step_of_int8_is_no_licence(self):
        """One element that is off by half of the root mean square is different."""
        path, index = self.planted("linear_int8_xnnpack", 0, struct.pack("<f", 9.0))
        (row,) = self.verify(path, code=NEGATIVE)
        self.assertEqual((row["outside"], row["worst_index"]), (1, index))
        self.assertNotIn("gap", row["message"])
        path, index = self.planted("linear_int8_xnnpack", 0, struct.pack("<f", 0.05))
        (row,) = self.verify(path, code=NEGATIVE)
        self.assertEqual((row["outside"], row["worst_index"]), (1, index))
        self.assertRegex(row["message"], r"; as a whole it is off by 0\.0\d+ of its root mean square, "
                                         r"which is within the tolerance of gap$")

    def test_verify__every_example_verifies(self):
        for name in EXAMPLES:
            with self.subTest(name=name):
                done = support.call("verify", support.EXAMPLES / f"{name}.bpte")
                if "is not registered" in done.stderr:
                    continue
                self.assertEqual(done.returncode, OK, done.stdout + done.stderr)

    def test_verify__a_planted_difference_is_found_at_its_place(self):
        path, index = self.planted("mlp_portable", 1, struct.pack("<f", 9.0))
        rows = self.verify(path, code=NEGATIVE)
        self.assertEqual([row["verdict"] for row in rows], ["close", "different", "close"])
        row = rows[1]
        self.assertEqual((row["case"], row["outside"], row["dtype"], row["shape"]),
                         (1, 1, "float32", [2, 4]))
        for name in ("worst_index", "first_outside_index", "max_abs_error_index",
                     "max_rel_error_index"):
            self.assertEqual(row[name], index)
        self.assertGreater(row["max_abs_error"], 8)
        self.assertGreater(row["max_ulps"], 1000)
        self.assertIn("1 of 8 elements exceed rtol 1.3e-06, atol 1e-05 and rms 1e-05; the "
                      "worst is "
                      "element 7, off by ", row["message"])
        self.assertRegex(row["message"], r"times the tolerance; the largest error is [\d.]+$")

    def test_verify__an_expected_nan_is_said(self):
        path, _ = self.planted("mlp_portable", 0, struct.pack("<f", float("nan")))
        done = support.call("verify", path)
        self.assertIn("note: 1 expected output has NaN; NaN counts as close to NaN", done.stderr)
        self.assertNotIn("NaN", self.ok("verify", support.DATA / "mlp_portable" /
                                        "model.bpte").stderr)

    def test_verify__a_nan_is_a_difference_too(self):
        path, index = self.planted("mlp_portable", 0, struct.pack("<f", float("nan")))
        row = self.verify(path, "--case", "0", "--rtol", "1", code=NEGATIVE)[0]
        self.assertEqual((row["verdict"], row["worst_index"], row["expected_nan_count"]),
                         ("different", index, 1))
        self.assertIsNone(row["mse"])


class Tolerances(VerifyTest):
    def test_verify__tolerances_for_all_and_for_some(self):
        path, _ = self.planted("mlp_portable", 1, struct.pack("<f", 0.3))
        self.verify(path, code=NEGATIVE)
        self.verify(path, "--atol", "0.2")
        self.verify(path, "--tolerance", "case=1,atol=0.2")
        self.verify(path, "--tolerance", "case=0 atol=0.2", code=NEGATIVE)
        self.verify(path, "--tolerance", "method=forward,output=0,dtype=float32,atol=0.2")
        self.verify(path, "--tolerance", "dtype=float16,atol=0.2", code=NEGATIVE)
        self.verify(path, "--atol", "0.2", "--tolerance", "case=1,atol=0", code=NEGATIVE)
        rules = self.folder / "rules.txt"
        rules.write_text("# what the board may be off\n\ncase=1\tatol=0.2  rtol=0.5 # here\r\n")
        rows = self.verify(path, "--tolerance", f"@{rules}")
        older = self.verify(path, "--tolerances", rules)
        self.assertEqual([row["atol"] for row in older], [row["atol"] for row in rows])
        self.assertEqual([(row["rtol"], row["atol"]) for row in rows],
                         [(1.3e-6, 1e-5), (0.5, 0.2), (1.3e-6, 1e-5)])

    def test_verify__tolerances_that_are_none(self):
        model = support.DATA / "mlp_portable" / "model.bpte"
        for words, part in (
                (["--rtol", "-1"], '--rtol takes a number from 0, not "-1"'),
                (["--atol", "nan"], "--atol takes a number from 0"),
                (["--tolerance", "atol"], 'expected NAME=VALUE, found "atol"'),
                (["--tolerance", "size=3,atol=1"], "dtype, rtol, atol or rms, found \"size\""),
                (["--tolerance", "case=x,atol=1"], 'case "x"'),
                (["--tolerance", "dtype=float17,atol=1"], 'dtype "float17"'),
                (["--tolerance", "case=0"], "a rule needs rtol, atol or rms")):
            with self.subTest(words=words):
                self.fails(USAGE, part, "verify", model, *words)
        rules = self.folder / "rules.txt"
        rules.write_text("atol=1\n\nrtol=1e-3 cas=1\n")
        self.fails(INPUT, "rules.txt: line 3: expected the field method", "verify", model, "--tolerances",
                   "rules.txt")
        rules.write_bytes(b"atol=1\0")
        self.fails(INPUT, "rules.txt: expected a text", "verify", model, "--tolerances", "rules.txt")
        self.fails(INPUT, "none.txt: no such file", "verify", model, "--tolerances", "none.txt")


class Choice(VerifyTest):
    def test_verify__methods_and_cases(self):
        model = support.DATA / "multi_method" / "model.bpte"
        rows = self.verify(model, "--method", "encode", "-m", "decode")
        self.assertEqual([row["method"] for row in rows], ["decode", "encode"])
        model = support.DATA / "mlp_portable" / "model.bpte"
        rows = self.verify(model, "--case", "2", "--case", "0")
        self.assertEqual([row["case"] for row in rows], [0, 2])
        self.fails(USAGE, "no test cases for method 'encode'", "verify", model, "--method",
                   "encode")
        self.fails(USAGE, "has no test case 3: it has 3, counted from 0", "verify", model, "--case",
                   "3")
        self.fails(USAGE, 'not "x"', "verify", model, "--case", "x")

    def test_verify__a_program_without_cases(self):
        self.fails(INPUT, "model.pte is not a bundled program (.bpte)", "verify",
                   support.DATA / "mlp_portable" / "model.pte")

    def test_verify__a_case_that_expects_nothing_is_no_success(self):
        """Upstream's NotSupported: a finding, and a failure in JUnit's file."""
        model = support.DATA / "mlp_portable"
        self.ok("bundle", model / "model.pte", "--case", model / "inputs" / "forward.0.0.npy", "-o",
                "unchecked.bpte")
        (row,) = self.verify("unchecked.bpte", "--junit", "verify.xml", code=NEGATIVE)
        self.assertEqual((row["verdict"], row["output"]), ("unchecked", None))
        (failure,) = tree.parse(self.folder / "verify.xml").iter("failure")
        self.assertEqual(failure.get("message"), "the case has no expected outputs")

    def test_verify__a_suite_of_a_method_that_there_is_not(self):
        """Bundles that were made of a path are not validated."""
        model = support.DATA / "mlp_portable"
        bundle = bytearray((model / "model.bpte").read_bytes())
        at = bundle.index(b"forward", 64 + (model / "model.pte").stat().st_size)
        bundle[at:at + 7] = b"forwarx"
        (self.folder / "odd.bpte").write_bytes(bundle)
        rows = self.verify("odd.bpte", code=MISMATCH)
        self.assertEqual([row["verdict"] for row in rows], ["error"] * 3)
        self.assertIn("no method forwarx; the program has forward", rows[0]["message"])

    def test_verify__cases_of_another_program(self):
        """oddities.bpte holds a program that takes nothing of what its cases give."""
        done = support.call("verify", support.DATA / "schema" / "oddities.bpte")
        self.assertNotIn(done.returncode, (OK, NEGATIVE))

    def test_verify__a_case_that_does_not_fit_leaves_the_others(self):
        bundle = bytearray((support.DATA / "mlp_portable" / "model.bpte").read_bytes())
        descr = struct.pack("<II", 2, 16)  # rank-2 vectors hold the sizes [2, 16]
        first = bundle.index(descr, 64 + 5136)
        bundle[first:first + 8] = struct.pack("<II", 16, 2)
        (self.folder / "odd.bpte").write_bytes(bundle)
        rows = self.verify("odd.bpte", code=MISMATCH)
        self.assertEqual(sorted(row["verdict"] for row in rows), ["close", "close", "error"])
        (row,) = [row for row in rows if row["verdict"] == "error"]
        self.assertIsNone(row["output"])
        self.assertIn("16", row["message"])


class Reports(VerifyTest):
    def test_verify__narrow_tables_keep_what_tells_rows_apart(self):
        for model, is_kept in (("multi_method", True), ("mlp_portable", False)):
            with self.subTest(model):
                path = support.DATA / model / "model.bpte"
                shown = self.ok("verify", path, "--width", "80").stdout.splitlines()
                self.assertEqual(shown[2].startswith("method "), is_kept)
                self.assertLessEqual(max(map(len, shown)), 80)

    def test_verify__junit(self):
        path, _ = self.planted("mlp_portable", 1, struct.pack("<f", 9.0))
        self.verify(path, "--junit", "verify.xml", code=NEGATIVE)
        root = tree.parse(self.folder / "verify.xml").getroot()
        (suite,) = root
        self.assertEqual([suite.get(name) for name in ("tests", "failures", "errors", "skipped")],
                         ["3", "1", "0", "0"])
        self.assertEqual([(case.get("classname"), case.get("name"), len(case)) for case in suite],
                         [("forward", "case 0, output 0", 0), ("forward", "case 1, output 0", 1),
                          ("forward", "case 2, output 0", 0)])
        self.assertIn("the worst is element 7", suite[1][0].get("message"))
        self.assertGreater(float(suite.get("time")), 0)

    def test_verify__the_table_is_for_people_and_files(self):
        model = support.DATA / "types" / "model.bpte"
        if support.obstacle("types"):
            self.skipTest("types cannot run here")
        done = self.ok("verify", model, "--output", "table.csv", "--format", "csv")
        self.assertEqual(done.stdout, "")
        self.assertIn("note: PASS 1 of 1 test cases are as expected", done.stderr)
        lines = (self.folder / "table.csv").read_text().splitlines()
        self.assertEqual(len(lines), 11)
        self.assertTrue(lines[0].startswith("method,case,output,verdict,dtype,shape,outside,"))
        shown = self.ok("verify", model).stdout.splitlines()
        self.assertEqual(shown[:2], ["PASS 1 of 1 test cases are as expected", ""])
        self.assertEqual(len(shown), 13)
        done = self.ok("verify", model, "--columns", "output,verdict,mse", "--format", "csv")
        self.assertEqual(done.stdout.splitlines()[:2], ["output,verdict,mse", "0,close,0.0"])
        self.fails(USAGE, "--columns: ", "verify", model, "--columns", "colour")
        self.fails(USAGE, "the table and --junit need different files", "verify", model, "--junit", "-")


if __name__ == "__main__":
    unittest.main()

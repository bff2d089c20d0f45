"""`etscope bundle`: what it writes is read by `verify`, flatc and, where it is there, ExecuTorch."""

import os
import struct
import subprocess
import unittest

import run_support as support
from run_support import INPUT, MISMATCH, NEGATIVE, OK, USAGE, write_npy


class BundleTest(support.RunTest):
    model = support.DATA / "mlp_portable" / "model.pte"
    inputs = [support.inputs_of("mlp_portable", "forward", case)[0] for case in range(3)]

    def outputs(self, case):
        """An expected output as a .npy file."""
        descr, shape, elements = support.suites_of("mlp_portable")["forward"][case][1][0]
        path = self.folder / f"expected.{case}.npy"
        write_npy(path, descr, shape, elements)
        return path

    def cases(self, path, method="forward"):
        """What flatc reads of a bundle's cases."""
        bundle = support.flatc("bundled_program.fbs", self.folder / path)
        (suite,) = [each for each in bundle["method_test_suites"]
                    if each["method_name"] == method]
        return suite["test_cases"]


class Writing(BundleTest):
    def test_bundle__inputs_and_outputs_from_files(self):
        done = self.ok("bundle", self.model, "--new-case", self.inputs[0], "--expect", self.outputs(0),
                       "-c", self.inputs[2], "--expect", self.outputs(2), "-o", "new.bpte")
        self.assertEqual(done.stdout, "")
        self.assertIn("new.bpte: 2 test cases of 1 method, ", done.stderr)
        self.ok("verify", "new.bpte")
        whole = support.flatc("bundled_program.fbs", self.folder / "new.bpte")
        self.assertEqual(whole["version"], 2)
        self.assertEqual(bytes(whole["program"]), self.model.read_bytes())
        wanted = support.suites_of("mlp_portable")["forward"]
        found = [tuple([support.elements_of(value["val"]) for value in case[part]]
                       for part in ("inputs", "expected_outputs")) for case in
                 self.cases("new.bpte")]
        self.assertEqual(found, [wanted[0], wanted[2]])

    def test_bundle__npz_files_are_several_values(self):
        if not support.have_records():
            self.skipTest("this build reads no .npz")
        self.ok("bundle", self.model, "--new-case", self.inputs[0], "--expect", self.outputs(0), "-o",
                "one.bpte")
        support.write_npz(self.folder / "in.npz", [("x", self.inputs[0])], packed=True)
        support.write_npz(self.folder / "out.npz", [("y", self.outputs(0))])
        self.ok("bundle", self.model, "--new-case", "in.npz", "--expect", "out.npz", "-o", "two.bpte")
        self.assertEqual((self.folder / "two.bpte").read_bytes(),
                         (self.folder / "one.bpte").read_bytes())
        support.write_npz(self.folder / "in.npz", [("x", self.inputs[0]), ("y", self.inputs[1])])
        self.fails(MISMATCH, "input", "bundle", self.model, "--new-case",
                   "in.npz", "-o", "three.bpte")

    def test_bundle__every_fixture_again(self):
        for model in support.MODELS:
            with self.subTest(model=model):
                if support.obstacle(model):
                    continue
                folder = support.DATA / model
                self.ok("bundle", folder / "model.pte", "--cases-from", folder / "model.bpte", "-o",
                        "again.bpte")
                tolerance = ["--atol", "0.03"] if model == "linear_int8_xnnpack" else []
                self.ok("verify", "again.bpte", *tolerance)
                old, new = (support.flatc("bundled_program.fbs", path) for path in
                            (folder / "model.bpte", self.folder / "again.bpte"))
                self.assertEqual(new, old)

    def test_bundle__what_a_run_gives_is_expected(self):
        self.ok("bundle", self.model, "--new-case", self.inputs[0], "--new-case", self.inputs[1],
                "--expect-from-run", "-o", "new.bpte")
        self.ok("verify", "new.bpte", "--rtol", "0", "--atol", "0")
        self.ok("bundle", self.model, "--new-case", self.inputs[0], "-o", "inputs.bpte")
        done = support.call("verify", "inputs.bpte", cwd=self.folder)
        self.assertEqual(done.returncode, NEGATIVE)
        self.assertIn("unchecked", done.stdout)
        self.assertIn("test case", self.ok("info", "inputs.bpte").stdout)
        self.ok("run", "inputs.bpte", "--case", "0")

    def test_bundle__several_methods_are_sorted(self):
        folder = support.DATA / "multi_method"
        self.ok("bundle", folder / "model.pte",
                "--method", "forward", "--new-case", folder / "inputs" / "forward.0.0.npy",
                "--method", "decode", "--new-case", folder / "inputs" / "decode.0.0.npy",
                "--expect-from-run", "-o", "new.bpte")
        rows = support.json_rows(self.ok("verify", "new.bpte", "--format", "json").stdout)
        self.assertEqual([row["method"] for row in rows], ["decode", "forward"])

    def test_bundle__the_program_of_a_bundle_is_bundled_anew(self):
        self.ok("bundle", support.DATA / "mlp_portable" / "model.bpte", "--new-case", self.inputs[1],
                "--expect-from-run", "-o", "new.bpte")
        whole = support.flatc("bundled_program.fbs", self.folder / "new.bpte")
        self.assertEqual(bytes(whole["program"]), self.model.read_bytes())

    def test_bundle__fortran_order_becomes_the_programs(self):
        descr, shape, elements = support.read_npy(self.inputs[0])
        rows, columns = shape
        turned = [elements[r * columns + c] for c in range(columns) for r in range(rows)]
        write_npy(self.folder / "t.npy", descr, shape, turned)
        data = (self.folder / "t.npy").read_bytes().replace(b"'fortran_order': False",
                                                            b"'fortran_order': True ")
        (self.folder / "t.npy").write_bytes(data)
        self.ok("bundle", self.model, "--new-case", "t.npy", "--expect", self.outputs(0), "-o",
                "new.bpte")
        self.assertEqual(support.elements_of(self.cases("new.bpte")[0]["inputs"][0]["val"]),
                         (descr, tuple(shape), elements))
        self.ok("verify", "new.bpte")

    def test_bundle__a_large_program_is_not_loaded(self):
        """64 MB behind the program; the process may have 40 MB of data."""
        large = self.folder / "large.pte"
        large.write_bytes(self.model.read_bytes())
        os.truncate(large, 1 << 26)
        line = 'ulimit -d 40000 && exec "$@"'
        done = subprocess.run(["sh", "-c", line, "sh", support.ETSCOPE, "bundle", large, "--new-case",
                               self.inputs[0], "-o", self.folder / "new.bpte"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertGreater((self.folder / "new.bpte").stat().st_size, 1 << 26)
        self.ok("run", "new.bpte", "--case", "0")


class Refusals(BundleTest):
    def test_bundle__cases_that_do_not_fit(self):
        case = ["--new-case", self.inputs[0]]
        for code, part, words in (
                (USAGE, "bundle needs one program", ["-o", "n.bpte"]),
                (USAGE, "bundle needs an output file", [self.model, *case]),
                (USAGE, "bundle needs test cases", [self.model, "-o", "n.bpte"]),
                (USAGE, "--expect must follow its --new-case", [self.model, "--expect", "y.npy", *case,
                                                       "-o", "n.bpte"]),
                (USAGE, "give all outputs of a case in one --expect", [self.model, *case, "--expect", self.outputs(0),
                                                   "--expect", self.outputs(0), "-o", "n.bpte"]),
                (USAGE, "is not a plain number", [self.model, "--new-case", "3", "-o", "n.bpte"]),
                (USAGE, "--threads needs --expect-from-run", [self.model, *case, "--threads", "1",
                                                               "-o", "n.bpte"]),
                (MISMATCH, "has 2 inputs instead of 1", [self.model, *case, self.inputs[0], "-o",
                                                         "n.bpte"]),
                (MISMATCH, "expected output 0 is float32 [2, 4], not float32 [2, 16]",
                 [self.model, *case, "--expect", self.inputs[0], "-o", "n.bpte"]),
                (MISMATCH, "encode", [self.model, "--method", "encode", *case, "-o", "n.bpte"]),
                (INPUT, "none.npy: no such file", [self.model, "--new-case", "none.npy", "-o",
                                                   "n.bpte"]),
                (INPUT, "byte 0: not a bundled program", [self.model, "--cases-from", self.model,
                                                             "-o", "n.bpte"])):
            with self.subTest(part=part):
                self.fails(code, part, "bundle", *words)
                self.assertFalse((self.folder / "n.bpte").exists())

    def test_bundle__an_output_that_cannot_be_written(self):
        self.fails(support.INTERNAL, "none/n.bpte", "bundle", self.model, "--new-case", self.inputs[0],
                   "-o", "none/n.bpte")
        if os.path.exists("/dev/full"):
            self.fails(support.INTERNAL, "/dev/full", "bundle", self.model, "--new-case",
                       self.inputs[0], "-o", "/dev/full")


UPSTREAM = """
import sys
from executorch.extension.pybindings import portable_lib
bundle = portable_lib._load_bundled_program_from_buffer(open(sys.argv[1], "rb").read())
for case in range(int(sys.argv[2])):
    bundle.verify_result_with_bundled_expected_output("forward", case, 1e-5, 1e-6)
print("verified")
"""


@unittest.skipUnless("ETSCOPE_UPSTREAM_PYTHON" in os.environ,
                     "ETSCOPE_UPSTREAM_PYTHON names no Python with executorch")
class Upstream(BundleTest):
    def verify(self, path, count):
        return subprocess.run([os.environ["ETSCOPE_UPSTREAM_PYTHON"], "-c", UPSTREAM, path,
                               str(count)], capture_output=True, text=True, cwd=self.folder,
                              check=False)

    def test_bundle__executorch_verifies_it(self):
        for model in ("mlp_portable", "types", "gpt_portable", "cond"):
            with self.subTest(model=model):
                folder = support.DATA / model
                self.ok("bundle", folder / "model.pte", "--cases-from", folder / "model.bpte", "-o",
                        "new.bpte")
                done = self.verify("new.bpte", support.MODELS[model]["forward"])
                self.assertIn("verified", done.stdout, done.stderr)
        data = bytearray((self.folder / "new.bpte").read_bytes())
        struct.pack_into("<f", data, len(data) - 4, 99.0)
        (self.folder / "bad.bpte").write_bytes(data)
        self.assertIn("status 32", self.verify("bad.bpte", 2).stderr)


if __name__ == "__main__":
    unittest.main()

"""Everything that a user of `etscope run` can get wrong: one line, and the right exit code."""

import os
import shutil
import signal
import unittest
from pathlib import Path

import run_support as support
from run_support import DATA, RunTest


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
        self.refuses(support.USAGE, "takes 1 input, not 2: all runs are of the same inputs", self.program, "--input", "x.npy", "--input",
                     "x.npy", "-o", "old.etdp")
        support.write_npy(self.folder / "x.npy", "<f4", (9, 16), [0] * 144)
        self.refuses(support.USAGE, "[9, 16]", DATA / "dynamic" / "model.pte", "--input", "x.npy")

    def test_a_file_for_inputs_is_led_to_input(self):
        self.refuses(support.USAGE, "; --input takes FILE", self.program, "--inputs", "x.npy")

    def test_input_files_that_are_none(self):
        self.refuses(support.INPUT, "missing.npy", self.program, "--input", "missing.npy")
        (self.folder / "x.npy").write_bytes(b"\x93NUMPY\x01\x00")
        self.refuses(support.INPUT, "x.npy", self.program, "--input", "x.npy", "-o", "old.etdp")
        (self.folder / "x.npy").write_text("1, 2, 3\n")
        self.refuses(support.INPUT, "x.npy", self.program, "--input", "x.npy", "-o", "old.etdp")

    def with_part(self, model, old, new):
        program = (DATA / model / "model.pte").read_bytes()
        self.assertEqual(program.count(old), 1)
        other = self.folder / "other.pte"
        other.write_bytes(program.replace(old, new + bytes(len(old) - len(new))))
        done = support.call("run", other)
        self.assertEqual(done.returncode, support.RUNTIME, done.stderr)
        return done.stderr

    def test_what_the_wheel_has_and_is_not_linked_is_named(self):
        self.assertRegex(self.with_backend(b"QnnBackend"),
                         "is not registered; it is in libexecutorch_backend_qnn.so .*--load-library")

    def test_llama_kernel_that_executorch_lacks_is_named(self):
        if support.on_demand()["reason"] is not None:
            self.skipTest(support.on_demand()["reason"])
        said = self.with_part("mlp_portable", b"aten::relu", b"llama::sdp")
        self.assertIn("no kernel is registered for llama::sdp.out; executorch's "
                      "libcustom_ops_aot_lib.so does not have it", said)
        self.assertNotIn("--python", said)

    def test_without_the_copy_of_llama_kernels_the_reason_is_told(self):
        engine = Path(support.doctor()["engine"]["path"])
        shutil.copy(engine, self.folder)
        os.environ["ETSCOPE_ENGINE"] = str(self.folder / engine.name)
        self.addCleanup(os.environ.pop, "ETSCOPE_ENGINE")
        for reason in (None, "libcustom_ops_aot_lib.so wants _ZN2at3oneEv"):
            if reason is not None:
                (self.folder / "libetscope_llama.txt").write_text(f"{reason}\n")
            with self.subTest(reason=reason):
                told = reason or f"{self.folder}/libetscope_llama.so does not exist"
                self.assertEqual(support.on_demand()["reason"], told)
                self.assertEqual(support.on_demand()["names"], [])
                text = support.call("doctor").stdout
                self.assertIn("  on demand      none, see below\n", text)
                self.assertIn("no llama:: kernels: " + told, " ".join(text.split()))
                self.assertLess(max(len(line) for line in text.splitlines() if "/" not in line), 81)
                done = support.call("run", DATA / "llama" / "kv_sdpa.pte")
                self.assertEqual(done.returncode, support.RUNTIME, done.stderr)
                self.assertIn("no kernel is registered for llama::update_cache.out, ", done.stderr)
                self.assertIn("; etscope has no copy of their library: " + told[:60], done.stderr)
                self.assertIn("; --python PYTHON takes them from a Python with torch and executorch",
                              done.stderr)

    def with_backend(self, name):
        return self.with_part("mlp_xnnpack", b"\x0e\0\0\0XnnpackBackend",
                              bytes([len(name), 0, 0, 0]) + name)

    def test_what_has_backends_that_the_wheel_lacks_is_named(self):
        for backend, said in ((b"CoreMLBackend", "macOS"), (b"VulkanBackend", "BUILD_VULKAN"),
                              (b"EthosUBackend", "Ethos-U"), (b"MLXBackend", "Apple silicon"),
                              (b"TOSABackend", "no runtime"), (b"VgfBackend", "BUILD_VGF")):
            with self.subTest(backend):
                self.assertRegex(self.with_backend(backend), f"; it is in .*{said}")
        self.assertRegex(self.with_backend(b"HouseBackend"), "HouseBackend is not registered\n")
        self.assertRegex(self.with_part("mlp_portable", b"aten::relu", b"cortex_m::"),
                         "such kernels are in ExecuTorch for Cortex-M")

    def test_a_crash_names_the_instruction(self):
        """Whether the kernel divides by zero is the processor's and the compiler's affair."""
        program = DATA / "made" / "divide.pte"
        for i in range(2):
            support.write_npy(self.folder / f"{i}.npy", "<i8", (4,), [0] * 4)
        inputs = ["--input", self.folder / "0.npy", "--input", self.folder / "1.npy"]
        trace = self.folder / "t.etdp"
        done = support.call("run", program, *inputs, "-o", trace)
        if done.returncode != -signal.SIGFPE:
            self.skipTest("integer division by zero is no fault here")
        self.assertIn("divide.pte: the process crashed (SIGFPE: integer division by zero, for "
                      "example) while it ran forward, in instruction 1, aten::div.out\n",
                      done.stderr)
        self.assertFalse(list(self.folder.glob("*t.etdp*")))
        done = support.call("run", program, *inputs)
        self.assertIn("while it ran forward; -o TRACE makes it know the instruction", done.stderr)

    def test_methods_and_cases_that_are_not_there(self):
        bundle = DATA / "mlp_portable" / "model.bpte"
        self.refuses(support.USAGE, "forward", self.program, "-m", "backward", "-o", "old.etdp")
        self.refuses(support.USAGE, "encode", DATA / "multi_method" / "model.pte", "-m", "forward",
                     "-m", "absent", "-o", "old.etdp", "--outputs", "old")
        self.refuses(support.USAGE, "it has 3, counted from 0", bundle, "--case", 3, "-o", "old.etdp")
        self.refuses(support.USAGE, "--case", bundle, "--case", "first")
        self.refuses(support.USAGE, "--case", bundle, "--case", -1)
        self.refuses(support.USAGE, "no test cases", self.program, "--case", 0)
        self.refuses(support.USAGE, "exclude each other", bundle, "--case", 0, "--input", "x.npy")
        (self.folder / "alone.pte").write_bytes(Path(self.program).read_bytes())
        self.refuses(support.USAGE, "--etrecord", self.folder / "alone.pte", "--inputs", "etrecord")

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

"""tools/build_engine.sh: an engine over a runtime of one's own, run with --target-runtime (`make test-long`)."""

import os
import shutil
import subprocess
import unittest

import run_support as support
from target_support import BUILD, FolderTest, SshdTest, own_bundles

RUNTIME = BUILD / "runtime" / "executorch"
ARM64 = support.ROOT / "build-aarch64" / "runtime" / "executorch"
ARM64_ROOT = BUILD / "foreign" / "aarch64"


def setUpModule():
    if not os.environ.get("ETSCOPE_LONG"):
        raise unittest.SkipTest("engines are built in make test-long")


def build(runtime, folder, *options):
    return subprocess.run([support.ROOT / "tools" / "build_engine.sh", runtime, folder, *map(str, options)],
                          capture_output=True, text=True, check=False)  # fmt: skip


class OnArm64(SshdTest):
    """The wheel of 64-bit Arm stands in for a runtime of one's own."""

    machine = "aarch64"
    bundles = staticmethod(own_bundles)  # not used: the processor has none there

    def test_build_engine__what_it_builds_runs_on_a_target(self):
        if not ARM64.exists() or shutil.which("qemu-aarch64") is None:
            self.skipTest("no runtime for aarch64, or no qemu-user: make bundle TARGET=aarch64")
        done = build(ARM64, BUILD / "engines" / "test-arm64.runtime",
                     f"-DCMAKE_TOOLCHAIN_FILE={support.ROOT}/cmake/toolchains/foreign.cmake", "-DETS_FOREIGN=aarch64",
                     f"-DETS_FOREIGN_ROOT={ARM64_ROOT}", "--libraries", "/usr/aarch64-linux-gnu/lib", "--libraries",
                     ARM64_ROOT / "lib" / "aarch64-linux-gnu")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        runtime = self.folder / "runtime"
        shutil.copytree(BUILD / "engines" / "test-arm64.runtime", runtime)
        start = (runtime / "start").read_text()
        self.assertEqual(start.count("exec "), 1)
        (runtime / "start").write_text(start.replace("exec ", "exec qemu-aarch64 "))
        words = ("profile", self.model(), "--etrecord", self.model(file="model.etrecord"), "--target-runtime", runtime)
        done = self.call(*words)
        self.assertIn("models/zoo.py:16", done.stdout)
        self.assertNotIn("pushing the program", self.call(*words).stderr)


class Archives(FolderTest):
    """The names that ExecuTorch's own install gives its archives, as linker scripts that stand for the wheel's."""

    NAMES = {"executorch": "executorch", "etdump": "executorch_etdump",
             "portable_ops_lib": "executorch_kernels_optimized", "quantized_ops_lib": "executorch_kernels_quantized",
             "xnnpack_backend": "executorch_backend_xnnpack",
             "extension_threadpool": "executorch_threadpool"}  # fmt: skip

    def test_build_engine__an_installed_build_is_linked_by_its_names(self):
        if not RUNTIME.exists():
            self.skipTest("the runtime was not fetched here")
        runtime = self.folder / "installed"
        (runtime / "lib").mkdir(parents=True)
        (runtime / "include").symlink_to(RUNTIME / "include")
        for name, library in self.NAMES.items():
            (runtime / "lib" / f"lib{name}.a").write_text(f"INPUT({RUNTIME}/lib/lib{library}.so)\n")
        (self.folder / "nothing.c").write_text("int nothing_at_all;\n")
        subprocess.run(["cc", "-c", "nothing.c"], cwd=self.folder, check=True)
        for name in ("prim_ops_lib", "cpuinfo"):
            subprocess.run(["ar", "rcs", runtime / "lib" / f"lib{name}.a", "nothing.o"], cwd=self.folder, check=True)
        folder = BUILD / "engines" / "test-archives.runtime"
        done = build(runtime, folder, "--libraries", RUNTIME / "lib")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the target system has", done.stdout)
        done = subprocess.run([folder / "start", "run", support.DATA / "mlp_xnnpack" / "model.pte"],
                              capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(done.returncode, support.OK, done.stderr)
        done = build(runtime / "lib", folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no include/ and lib/", done.stderr)


if __name__ == "__main__":
    unittest.main()

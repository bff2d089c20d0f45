"""What other builds of the program say of the same files equals what this one says, to the byte.

64-bit Arm in QEMU, from its bundle (`make test-long`).
"""

import os
import subprocess
import tarfile
import unittest

import run_support as support
import support as readers
from target_support import arm64_bundles, temporary_folder

DATA = readers.DATA


def setUpModule():
    if not os.environ.get("ETSCOPE_LONG"):
        raise unittest.SkipTest("other builds are compared in make test-long")


def commands():
    """Those that read files and need no engine, for every recorded model."""
    for model in readers.MODELS:
        folder = DATA / model
        trace, record, program = folder / "profile.etdp", folder / "model.etrecord", folder / "model.pte"
        joined = [trace, "--etrecord", record, "--program", program]
        for form in ("table", "csv", "json", "markdown", "upstream"):
            yield ["inspect", *joined, "--format", form]
        for by in ("module", "source"):
            yield ["inspect", *joined, "--group-by", by, "--width", "140"]
        for path in (trace, record, program):
            yield ["info", path]
            yield ["info", path, "--format", "json"]
            yield ["dump", path]
        for name in ("cost", "memory", "size", "delegates"):
            yield [name, program, "--no-siblings"]
        yield ["advise", *joined]
        yield ["annotate", *joined]
        yield ["summary", trace, trace, "--etrecord", record]
        yield ["diff", trace, trace, "--no-siblings"]
        for form in ("perfetto", "speedscope"):
            yield ["export", trace, "--etrecord", record, "--to", form, "-o", "-"]
        yield ["sql", trace, "select * from operators"]
        yield ["report", *joined, "-o", "-"]
        if (folder / "debug.etdp").exists():
            debug = [folder / "debug.etdp", "--debug-buffer", folder / "debug.bin"]
            yield ["tensors", *debug, "--format", "csv"]
            yield ["gap", *debug, "--etrecord", record, "--alignment"]


class OnArm64(unittest.TestCase):
    def test_builds_agree__on_every_output(self):
        folder = temporary_folder()
        with tarfile.open(arm64_bundles() / "etscope-bundle-aarch64.tar") as tar:
            tar.extractall(folder)
        compared = 0
        for words in commands():
            with self.subTest(words=" ".join(map(str, words))):
                answers = [subprocess.run([program, *map(str, words)], capture_output=True, timeout=120, check=False,
                                          env={**os.environ, "LC_ALL": "C.UTF-8"})
                           for program in (support.ETSCOPE, folder / "start")]  # fmt: skip
                here, there = [(each.returncode, each.stdout, each.stderr) for each in answers]
                self.assertIn(here[0], (support.OK, support.NEGATIVE, support.INPUT, support.MISMATCH), here[2])
                if here != there:
                    self.fail(f"{len(here[1])} and {len(there[1])} bytes: {there[2].decode()[-500:]}")
                compared += here[0] == support.OK
        self.assertGreater(compared, 300)


if __name__ == "__main__":
    unittest.main()

"""What other builds of the program say of the same files equals what this one says, to the byte.

64-bit Arm in QEMU, from its bundle (`make test-long`).
"""

import os
import subprocess
import tarfile
import unittest

import run_support as support
from builds_support import commands_of
from support import DATA
from target_support import arm64_bundles, temporary_folder

def setUpModule():
    if not os.environ.get("ETSCOPE_LONG"):
        raise unittest.SkipTest("other builds are compared in make test-long")


# Of the traces with a record, in files that the program writes itself.
WRITTEN = [
    ("report", "profile.etdp", "--etrecord", "model.etrecord", "--program", "model.pte", "-o", "-"),
    ("export", "profile.etdp", "--etrecord", "model.etrecord", "--to", "perfetto", "-o", "-"),
    ("export", "profile.etdp", "--etrecord", "model.etrecord", "--to", "speedscope", "-o", "-"),
]


class OnArm64(unittest.TestCase):
    def test_builds_agree__on_every_output(self):
        folder = temporary_folder()
        with tarfile.open(arm64_bundles() / "etscope-bundle-aarch64.tar") as tar:
            tar.extractall(folder)
        compared = 0
        for model in sorted(path.parent for path in DATA.glob("*/profile.etdp")):
            written = WRITTEN if (model / "model.etrecord").exists() else []
            for words in (*commands_of(model), *written):
                if words[0] == "sql":  # a bundle has no SQLite
                    continue
                with self.subTest(model=model.name, words=words):
                    answers = [subprocess.run([program, *words], cwd=model, capture_output=True, timeout=120,
                                              check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
                               for program in (support.ETSCOPE, folder / "start")]  # fmt: skip
                    here, there = [(each.returncode, each.stdout, each.stderr) for each in answers]
                    self.assertNotEqual(here[0], support.USAGE, here[2])
                    if here != there:
                        self.fail(f"{len(here[1])} and {len(there[1])} bytes: {there[2].decode()[-500:]}")
                    compared += here[0] == support.OK
        self.assertGreater(compared, 300)


if __name__ == "__main__":
    unittest.main()

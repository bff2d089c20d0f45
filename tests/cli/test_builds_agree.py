"""What other builds of the program say of the same files equals what this one says, to the byte.

64-bit Arm from its bundle, 32-bit x86 and big-endian s390x from their builds, all in QEMU (`make test-long`).
"""

import os
import subprocess
import tarfile
import unittest

import run_support as support
from builds_support import COMMANDS, MISMATCHED, commands_of
from support import DATA
from target_support import arm64_bundles, temporary_folder

# Of the traces with a record, in files that the program writes itself.
WRITTEN = [
    ("report", "profile.etdp", "--etrecord", "model.etrecord", "--program", "model.pte", "-o", "-"),
    ("export", "profile.etdp", "--etrecord", "model.etrecord", "--to", "perfetto", "-o", "-"),
    ("export", "profile.etdp", "--etrecord", "model.etrecord", "--to", "speedscope", "-o", "-"),
    ("export", "profile.etdp", "--etrecord", "model.etrecord", "--to", "pprof", "-o", "-"),
    ("export", "profile.etdp", "--etrecord", "model.etrecord", "--to", "chrome", "-o", "-"),
]


def setUpModule():
    if not os.environ.get("ETSCOPE_LONG"):
        raise unittest.SkipTest("other builds are compared in make test-long")


def answer(program, words, folder):
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "ETSCOPE_ENGINE": "none"})  # fmt: skip
    return done.returncode, done.stdout, done.stderr


class OtherBuild(unittest.TestCase):
    def compare(self, program, leave_out=()):
        answered = set()  # or for what a build lacks
        for model in sorted(path.parent for path in DATA.glob("*/profile.etdp")):
            written = WRITTEN if (model / "model.etrecord").exists() else []
            for words in (*commands_of(model), *written):
                if words[0] in leave_out:
                    continue
                with self.subTest(model=model.name, words=words):
                    here, there = [answer(each, words, model) for each in (support.ETSCOPE, program)]
                    self.assertNotEqual(here[0], support.USAGE, here[2])
                    if here[0] in (support.OK, support.UNAVAILABLE):
                        answered.add(words)
                    if here != there:
                        self.fail(f"{len(here[1])} and {len(there[1])} bytes: {there[2].decode()[-500:]}")
        unanswered = {*COMMANDS, *WRITTEN} - answered
        self.assertEqual({words for words in unanswered if words[0] not in leave_out}, {MISMATCHED})

    def program_of(self, processor):
        program = support.ROOT / f"build-{processor}" / "bin" / "emulated_etscope"
        if not (program.exists() and program.with_name("etscope").exists()):
            self.skipTest(f"build-{processor}/bin/etscope is missing (make build-foreign foreign_programs=all)")
        return program

    def test_builds_agree__on_64_bit_arm(self):
        folder = temporary_folder()
        with tarfile.open(arm64_bundles() / "etscope-bundle-aarch64.tar") as tar:
            tar.extractall(folder)
        self.compare(folder / "start", leave_out=["sql"])  # a bundle has no SQLite

    def test_builds_agree__on_32_bit_x86(self):
        self.compare(self.program_of("i386"))

    def test_builds_agree__on_big_endian_s390x(self):
        self.compare(self.program_of("s390x"))


if __name__ == "__main__":
    unittest.main()

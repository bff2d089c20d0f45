"""Programs written with flatbuffers before 25.12 for Python, whose vtables are shared among tables of different
sizes, so that fields lie beyond the size that a vtable states. ExecuTorch's runtime loads them."""

import unittest

import support
from support import DATA, OK

FOLDER = DATA / "vtables"
FILES = (FOLDER / "xnnpack.bpte", FOLDER / "portable.pte", FOLDER / "portable.ptd")


class SharedVtables(unittest.TestCase):
    def test_shared_vtables__all_that_reads_programs_opens_them(self):
        for path in FILES:
            for command in ("info", "size", "dump"):
                with self.subTest(path=path, command=command):
                    done = support.run(command, path)
                    self.assertEqual(done.returncode, OK, done.stderr)
        for path in FILES[:2]:
            for command in ("memory", "cost", "delegates", "advise"):
                with self.subTest(path=path, command=command):
                    done = support.run(command, path)
                    self.assertEqual(done.returncode, OK, done.stderr)

    def test_shared_vtables__numbers_beyond_the_stated_size_are_read(self):
        done = support.run("dump", FILES[1])
        self.assertIn(b'"int_val": 2', done.stdout)

    def test_shared_vtables__outputs_are_as_expected(self):
        done = support.run("verify", FILES[0])
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertTrue(done.stdout.startswith(b"PASS"), done.stdout)


if __name__ == "__main__":
    unittest.main()

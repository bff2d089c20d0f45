"""tools/check_data_size.py on folders made up: the limit is met, reached, and counts what git tracks."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "tools" / "check_data_size.py"
LIMIT = 16_000_000


@unittest.skipIf(shutil.which("git") is None, "git is missing")
class DataSizeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        subprocess.run(["git", "init", "-q", self.root], check=True)

    def put(self, name, size, is_tracked=True):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(size))
        if is_tracked:
            subprocess.run(["git", "-C", self.root, "add", name], check=True)

    def check(self):
        done = subprocess.run([sys.executable, TOOL, self.root], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def test_data_size__below_the_limit(self):
        self.put("tests/data/a.pte", LIMIT - 2)
        self.put("fuzz/corpus/b", 1)
        self.put("src/other.c", 100)
        self.put("tests/data/unpacked/c.pte", LIMIT, is_tracked=False)
        self.assertEqual(self.check(), (0, []))

    def test_data_size__at_the_limit_the_largest_are_named(self):
        self.put("tests/data/a.pte", LIMIT - 2)
        self.put("examples/b", 2)
        code, lines = self.check()
        self.assertEqual(code, 1)
        self.assertIn(f"{LIMIT:,} bytes", lines[0])
        self.assertEqual([line.split() for line in lines[1:]],
                         [[f"{LIMIT - 2:,}", "tests/data/a.pte"], ["2", "examples/b"]])


if __name__ == "__main__":
    unittest.main()

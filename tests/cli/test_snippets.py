"""Programs that the documents show are the ones in examples/."""

import re
import shutil
import subprocess
import unittest

import run_support as support


TRACING = (support.ROOT / "docs" / "tracing.md").read_text(encoding="utf-8")


class Snippets(unittest.TestCase):
    def test_the_thirty_lines_are_the_example(self):
        example = support.ROOT / "examples" / "tracing" / "trace_in_thirty_lines.cc"
        shown = re.search(r"^```cpp\n(.*?)^```$", TRACING, re.MULTILINE | re.DOTALL)
        self.assertEqual(shown[1], example.read_text(encoding="utf-8"))

    @unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
    def test_the_example_in_c_compiles(self):
        shown = re.search(r"^```c\n(.*?)^```$", TRACING, re.MULTILINE | re.DOTALL)
        done = subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                               f"-I{support.ROOT}/include", "-x", "c", "-"], input=shown[1],
                              text=True, capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()

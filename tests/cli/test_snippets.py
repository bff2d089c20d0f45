"""Programs that the documents show are the ones in examples/."""

import re
import unittest

import run_support as support


class Snippets(unittest.TestCase):
    def test_the_thirty_lines_are_the_example(self):
        document = (support.ROOT / "docs" / "tracing.md").read_text(encoding="utf-8")
        example = support.ROOT / "examples" / "tracing" / "trace_in_thirty_lines.cc"
        shown = re.search(r"^```cpp\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
        self.assertEqual(shown[1], example.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()

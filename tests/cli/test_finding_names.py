"""The findings of gap are listed in several places: each list has every name of the library's."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = {"docs/columns.md": r"^\| finding \| (agrees.*)$", "docs/glossary.md": r"^\| finding \| (what the two.*)$",
         "docs/report-format.md": r"^\| finding \| text \| (`agrees`.*)$",
         "python/etscope/inspector/_inspector.py": r'("agrees".*\n.*"harmless")',
         "web/src/views/numbers/NumbersView.tsx": r"const COLOURS = (\[[^;]*\]);"}


class FindingNames(unittest.TestCase):
    def test_every_list_of_findings_is_whole(self):
        code = (ROOT / "src/gap/verdict.c").read_text()
        names = re.findall(r'"(\w+)"', code.split("*ets_gap_finding_name(", 1)[1].split("};", 1)[0])
        self.assertIn("harmless", names)
        for path, expression in LISTS.items():
            with self.subTest(path=path):
                found = re.search(expression, (ROOT / path).read_text(), re.MULTILINE)
                self.assertIsNotNone(found)
                self.assertEqual([name for name in names if not re.search(rf"\b{name}\b", found[1])], [])


if __name__ == "__main__":
    unittest.main()

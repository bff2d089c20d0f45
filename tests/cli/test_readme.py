"""What the documents tell to type works, and prints what they show, numbers aside."""

import re
import unittest

import run_support as support
from readme_support import Sandbox, commands_of, difference, headings_of

DOCUMENTS = [path for path in
             [support.ROOT / "README.md", *sorted((support.ROOT / "docs").glob("*.md")),
              *sorted(support.EXAMPLES.glob("*.md"))]]


class Documents(unittest.TestCase):
    def test_commands_do_what_is_shown(self):
        for document in DOCUMENTS:
            with Sandbox() as sandbox:  # a document's commands follow on each other
                for line, expected in commands_of(document.read_text(encoding="utf-8")):
                    with self.subTest(document=document.name, line=line):
                        done = sandbox.shell(line)
                        if done.returncode == support.UNAVAILABLE:
                            self.skipTest(done.stdout)
                        self.assertIn(done.returncode, self.allowed(line), done.stdout)
                        if expected:
                            found = difference(line, expected, done.stdout)
                            self.assertIsNone(found, f"{found}\nof\n{done.stdout}")

    def allowed(self, line):
        """`doctor` may find something missing here, programs may differ, a busy machine does not let one be sure."""
        is_finding = re.search(r"etscope (doctor|diff .*\.pte|.* --until-sure)", line)
        return (support.OK, support.NEGATIVE) if is_finding else (support.OK,)

    def test_every_command_is_in_the_table_of_commands(self):
        table = (support.ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
        overview = support.call("--help").stdout
        for command in re.findall(r"^  (\w+) +\S", overview, re.MULTILINE):
            self.assertRegex(table, rf"(?m)^\| `{command}` \| \w")

    def test_options_in_the_documents_exist(self):
        known = set()
        for command in re.findall(r"^  (\w+) +\S", support.call("--help").stdout, re.MULTILINE):
            known |= set(re.findall(r"--[a-z][a-z0-9_-]+", support.call("help", command).stdout))
        for document in DOCUMENTS:
            for line, _ in commands_of(document.read_text(encoding="utf-8")):
                for option in re.findall(r" (--[a-z][a-z0-9-]+)", line):
                    self.assertIn(option, known, f"{document.name}: {line}")


class Links(unittest.TestCase):
    """Links between the documents lead to files and headings that exist."""

    def test_targets_exist(self):
        for document in [*DOCUMENTS, *sorted(support.ROOT.glob("*.md"))]:
            for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
                if not re.match(r"https?:", target):
                    with self.subTest(document=document.name, target=target):
                        self.assertEqual(self.fault(document, target), None)

    def fault(self, document, target):
        name, _, heading = target.partition("#")
        path = document.parent / name if name else document
        if not path.exists():
            return "no such file"
        if heading and heading not in headings_of(path.read_text(encoding="utf-8")):
            return "no such heading"
        return None

    def test_a_wrong_target_is_seen(self):
        readme = support.ROOT / "README.md"
        self.assertEqual(self.fault(readme, "docs/no_such_page.md"), "no such file")
        self.assertEqual(self.fault(readme, "docs/sql.md#no-such-heading"), "no such heading")
        self.assertIsNone(self.fault(readme, "docs/sql.md#schema"))

    def test_every_page_is_in_the_index(self):
        index = (support.ROOT / "docs" / "README.md").read_text(encoding="utf-8")
        for page in sorted((support.ROOT / "docs").glob("*.md")):
            if page.name != "README.md":
                self.assertIn(f"]({page.name})", index, page.name)


class Comparison(unittest.TestCase):
    """The comparison above sees what it should."""

    shown = ["Execute - 5 runs", "#  operator  avg us  share",
             "0    Convolution (NHWC, F32) DWConv #1   5..6   4.2..5.1%   zoo.py:41"]

    def check(self, expected, output, command="etscope inspect t.etdp"):
        return difference(command, expected, "\n".join(output))

    def test_numbers_units_and_widths_may_differ(self):
        self.assertIsNone(self.check(self.shown, [
            "Execute - 20 runs", "#  operator    avg ms     share",
            "0    Convolution (NHWC, F32) DWConv #1  0.012  <0.9% zoo.py:41"]))

    def test_names_headers_and_lines_may_not(self):
        for old, new in (("DWConv #1", "DWConv #2"), ("zoo.py:41", "zoo.py:42"),
                         ("F32", "F16"), ("share", "part"), ("Execute", "Default")):
            changed = [line.replace(old, new) for line in self.shown]
            self.assertIsNotNone(self.check(self.shown, changed), old)
        self.assertIsNotNone(self.check(self.shown, self.shown[:2]))
        self.assertIsNotNone(self.check(self.shown[:2], self.shown))

    def test_dots_stand_for_any_lines(self):
        self.assertIsNone(self.check([self.shown[0], "..."], self.shown))
        self.assertIsNone(self.check([self.shown[0], "...", self.shown[2]], self.shown))
        self.assertIsNotNone(self.check(["...", "1  relu.out"], self.shown))

    def test_lines_that_were_cut_agree_up_to_there(self):
        self.assertIsNone(self.check(["0 relu.out 1 aten.re…"], ["0 relu.out 2 aten.relu.def…"]))
        self.assertIsNotNone(self.check(["0 relu.out 1 aten.re…"], ["0 tanh.out 2 aten.relu.d…"]))

    def test_notes_are_compared_where_they_are_shown(self):
        self.assertIsNone(self.check(["a"], ["note: b", "a"]))
        self.assertIsNotNone(self.check(["note: c", "a"], ["note: b", "a"]))

    def test_indented_outputs_go_on_behind_empty_lines(self):
        text = ("Text:\n\n    build/bin/etscope inspect a\n    Default\n\n    Execute\n    0 relu\n"
                "\nMore text.\n\n    etscope info b\n")
        self.assertEqual(list(commands_of(text)), [
            ("build/bin/etscope inspect a", ["Default", "", "Execute", "0 relu"]),
            ("etscope info b", [])])

    def test_commands_are_found_in_all_forms(self):
        text = ("Text `etscope x`.\n\n    etscope info a\n    etscope doctor\n\n"
                "```console\n$ etscope info b\nb: a program\n$ etscope info c\nc\n```\n"
                "```\nbuild/bin/etscope info d\nd\n\n```\n```c\netscope e\n```\n")
        self.assertEqual(sorted(commands_of(text)), [
            ("build/bin/etscope info d", ["d"]), ("etscope doctor", []), ("etscope info a", []),
            ("etscope info b", ["b: a program"]), ("etscope info c", ["c"])])


if __name__ == "__main__":
    unittest.main()

"""The table of options: one letter and one name mean one thing in all commands."""

import pathlib
import re
import unittest

import support

ROOT = pathlib.Path(support.DATA).parent.parent
TRACE = support.fixture("gpt_portable", "profile.etdp")
PROGRAM = support.fixture("gpt_portable", "model.pte")

# Spellings of an earlier version, which mean another option in other commands.
OLDER = {("bundle", "--case"): "--new-case", ("bundle", "-c"): "--new-case", ("dump", "--data"): "--bytes",
         ("plot", "--width"): "--pixels", ("profile", "--trace"): "--output", ("run", "--trace"): "--output",
         ("sql", "--to"): "--database"}
# Options whose value is of another kind in one command. Those of `generate` and `quality` are named as other
# tools for language models name them.
OTHER_VALUES = {("generate", "--tokens"): "FILE", ("generate", "--depth"): "N[,N...]",
                ("generate", "--map"): "KEY=VALUE[,...]", ("profile", "--threads"): "N[,N...]", ("profile", "--before"): "PROGRAM",
                ("quality", "--tokens"): "FILE", ("quality", "--map"): "KEY=VALUE[,...]",
                ("quality", "--reference"): "FILE", ("tensors", "--save"): "PATH"}


def options():
    """(command, row) for each option of each command."""
    for command in support.commands():
        for row in support.json_rows(support.run("help", command, "--format", "json").stdout):
            yield command, row


class Meaning(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.options = list(options())

    def test_options__a_spelling_is_one_option_in_every_command(self):
        meant = {}
        for command, row in self.options:
            for spelling in filter(None, (row["option"], row["letter"], *(row["aliases"] or ()))):
                with self.subTest(command=command, spelling=spelling):
                    self.assertEqual(meant.setdefault(spelling, row["option"]), row["option"])

    def test_options__older_spellings_are_those_of_the_list(self):
        found = {(command, spelling): row["option"] for command, row in self.options
                 for spelling in row["older"] or ()}
        self.assertEqual(found, OLDER)
        for (command, spelling), option in OLDER.items():
            text = support.run("help", command).stdout.decode()
            self.assertIn(spelling, text.split("other accepted spellings:")[1])

    def test_options__no_spelling_is_twice_in_a_command(self):
        for name in support.commands():
            spelled = [spelling for command, row in self.options if command == name for spelling in
                       (row["option"], row["letter"], *(row["aliases"] or ()), *(row["older"] or ()))
                       if spelling is not None]
            self.assertEqual(len(spelled), len(set(spelled)), name)

    def test_options__an_option_has_one_letter_value_and_group(self):
        first = {}
        for command, row in self.options:
            is_choice = "|" in (row["value"] or "")
            value = OTHER_VALUES.get((command, row["option"]))
            self.assertIn(value, (None, row["value"]))
            facts = {"letter": row["letter"], "aliases": row["aliases"], "group": row["group"]}
            if value is None:
                facts.update(value="a choice" if is_choice else row["value"], least=row["least"],
                             most=row["most"])
            for key, fact in facts.items():
                with self.subTest(command=command, option=row["option"], key=key):
                    self.assertEqual(first.setdefault((row["option"], key), fact), fact)

    def test_options__columns_and_groups_have_one_spelling(self):
        by_name = {row["option"]: row for _, row in self.options}
        self.assertEqual(by_name["--group-by"]["letter"], "-g")
        self.assertEqual(by_name["--group-by"]["aliases"], ["--by"])
        self.assertEqual(by_name["--columns"]["letter"], "-c")
        self.assertEqual(by_name["--output"]["letter"], "-o")

    def test_options__code_asks_for_options_of_the_table(self):
        known = {row["option"] for _, row in self.options}
        asked = re.compile(r"\bcli_(?:value|value_at|has|takes|number|bytes|percent|duration_ns|choice)\("
                           r"[^;\"]*?\"(--[\w-]+)\"")
        for path in sorted((ROOT / "src/cli").rglob("*.c")):
            for name in asked.findall(path.read_text(encoding="utf-8")):
                with self.subTest(file=path.name):
                    self.assertIn(name, known)

    def test_options__a_range_is_of_the_option(self):
        words = {"--width": ("19", "10001"), "--top": ("-1", "1000000001"), "--depth": ("0", "65"),
                 "--threads": ("0", "1025"), "--case": ("-1", "x"), "--run": ("-1", "1.5"),
                 "--pixels": ("319", "4001")}
        for command, row in self.options:
            for value in words.get(row["option"], ()):
                if (command, row["option"]) in OTHER_VALUES:
                    continue
                with self.subTest(command=command, option=row["option"]):
                    done = support.run(command, f"{row['option']}={value}")
                    self.assertEqual((done.returncode, done.stdout), (support.USAGE, b""))
                    self.assertIn(f"{row['option']} takes a whole number from {row['least']} to "
                                  f"{row['most']}, not \"{value}\"".encode(), done.stderr)


class Table(unittest.TestCase):
    def test_options__commands_are_listed_as_in_the_overview(self):
        rows = support.json_rows(support.run("help", "--format", "json").stdout)
        overview = support.run("help").stdout.decode()
        self.assertEqual([(row["command"], row["summary"]) for row in rows],
                         re.findall(r"^  (\w+) +(.+)$", overview, re.MULTILINE))
        for row in rows:
            page = (row["guide"] or "README.md").split("#")[0]
            self.assertTrue((ROOT / "docs" / page).is_file(), page)

    def test_options__the_page_of_commands_is_what_the_program_lists(self):
        rows = support.json_rows(support.run("help", "--format", "json").stdout)
        page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^\| `(\w+)` \| (\w+) \| (.+?) \|", page, re.MULTILINE),
                         [(row["command"], row["task"], row["summary"]) for row in rows],
                         "run `make docs`")

    def test_options__a_hidden_option_is_accepted_and_not_listed(self):
        hidden = [(command, row) for command, row in options() if row["is_hidden"]]
        self.assertTrue(hidden)
        for command, row in hidden:
            with self.subTest(command=command, option=row["option"]):
                text = support.run("help", command).stdout.decode()
                groups, other = text.split("other accepted spellings:")
                self.assertNotRegex(groups, rf"(?m)^  (?:-\w, )?{row['option']}\b")
                self.assertIn(f" {row['option']}", other)


class Complaints(support.FolderTest):
    def test_an_error_names_what_was_typed(self):
        for words, name in (("plot runs x.etdp --width 5", "--width"), ("size a.pte --by=nope", "--by"),
                            ("size a.pte --group-by nope", "--group-by"), ("size a.pte -g nope", "--group-by")):
            done = support.run(*words.split())
            self.assertEqual(done.returncode, support.USAGE)
            self.assertIn(f"etscope: {name} takes ".encode(), done.stderr)

    def test_one_letter_is_near_to_none(self):
        done = support.run("inspect", "a", "-q")
        self.assertEqual(done.stderr.decode(),
                         "etscope: inspect has no option -q; `etscope inspect --help` lists its options\n")
        for letter, names in (("-p", "--prompt or --python"), ("-n", "--new or --no-warmup")):
            done = support.run("generate", "llm.pte", letter, "5")
            self.assertEqual(done.stderr.decode(), f"etscope: generate has no option {letter}; did you mean {names}?\n")

    def test_help_says_what_a_spelling_stands_for(self):
        self.assertRegex(support.run("help", "plot").stdout.decode(), r"\n  --width +--pixels\n")


class OlderSpellings(support.FolderTest):
    def same(self, old, new):
        first, second = support.run(*old), support.run(*new)
        self.assertEqual((first.returncode, first.stderr), (0, second.stderr))
        self.assertEqual(first.stdout, second.stdout)

    def test_options__older_spellings_of_groups(self):
        for group in ("operator", "op"):
            self.same(("diff", TRACE, TRACE, "--by", group), ("diff", TRACE, TRACE, "-g", "op"))
        self.same(("size", PROGRAM, "--by", "module"), ("size", PROGRAM, "-gmodule"))

    def test_options__older_spellings_of_files(self):
        self.same(("dump", PROGRAM, "--data"), ("dump", PROGRAM, "--bytes"))
        for option in ("--width", "--pixels"):
            support.run("plot", "runs", TRACE, option, 640, "-o", self.folder / f"{option[2:]}.svg")
        self.assertEqual((self.folder / "width.svg").read_bytes(),
                         (self.folder / "pixels.svg").read_bytes())

    def test_options__a_table_is_not_written_where_profile_keeps_its_trace(self):
        for name in ("table.txt", "table.csv", "roofs.svg"):
            done = support.run("profile", PROGRAM, "--output", self.folder / name)
            self.assertEqual(done.returncode, support.USAGE)
            self.assertIn(f"--table {self.folder / name} writes the table there".encode(), done.stderr)


if __name__ == "__main__":
    unittest.main()

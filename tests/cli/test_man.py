"""The help of each command: its examples run, and every form of it is well-formed."""

import os
import re
import shutil
import subprocess
import unittest

import run_support as support
from readme_support import Sandbox


def commands():
    overview = support.call("--help").stdout
    return re.findall(r"^  (\w+) +\S", overview, re.MULTILINE)


def quick(command):
    """What measures a machine for 40 seconds does so in `make test-long`."""
    return " --quick" if command == "machine" and not os.environ.get("ETSCOPE_LONG") else ""


def examples_of(command):
    text = support.call("help", command).stdout
    return [line.strip() for line in text.split("\nexamples:\n")[1].splitlines() if line.strip()]


class Help(unittest.TestCase):
    def test_there_are_commands(self):
        self.assertLessEqual({"run", "inspect", "profile", "info", "doctor", "help"},
                             set(commands()))

    def test_help_is_what_the_option_prints(self):
        for command in commands():
            with self.subTest(command=command):
                done = support.call("help", command)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, support.call(command, "--help").stdout)
                self.assertLess(max(map(len, self.options_part(done.stdout))), 80)

    def options_part(self, text):
        """All but the other spellings and the examples, which have lines of their own."""
        return re.split(r"\n(?:other accepted spellings|examples:)", text)[0].splitlines()

    def test_examples_run(self):
        for command in commands():
            examples = examples_of(command)
            self.assertTrue(examples, command)
            for line in examples:
                with self.subTest(line=line), Sandbox() as sandbox:
                    self.assertTrue(line.startswith(f"etscope {command}"), line)
                    done = sandbox.shell(line + quick(command))
                    if done.returncode == support.UNAVAILABLE:
                        self.skipTest(done.stdout)
                    self.assertEqual(done.returncode, 0, done.stdout)

    def test_options_of_the_examples_are_listed(self):
        for command in commands():
            text = support.call("help", command).stdout
            listed = set(re.findall(r"(?:^|[ ,])(--?[a-z][a-z0-9-]*)", text.split("examples:")[0]))
            for line in examples_of(command):
                words = re.split(r" [|<>]", line)[0].split()
                for word in words:
                    if word.startswith("-") and word != "-":  # standard input
                        self.assertIn(word, listed, line)

    def test_man_pages_have_every_option_and_no_warnings(self):
        for words in [[], *[[command] for command in commands()]]:
            with self.subTest(words=words):
                page = support.call("help", "--man", *words)
                self.assertEqual(page.returncode, 0, page.stderr)
                self.assertTrue(page.stdout.startswith(".TH ETSCOPE"))
                if shutil.which("groff"):
                    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"],
                                          input=page.stdout, capture_output=True, text=True,
                                          check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                if words:
                    help_text = support.call("help", *words).stdout.split("other accepted")[0]
                    for option in re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)", help_text, re.MULTILINE):
                        if option != "--help":
                            self.assertIn(option.replace("-", "\\-"), page.stdout)

    def test_completions_are_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            done = support.call("help", "--completion", shell)
            self.assertEqual(done.returncode, 0, done.stderr)
            for command in commands():
                self.assertIn(command, done.stdout)
            if shutil.which(shell):
                check = subprocess.run([shell, "-n"], input=done.stdout, capture_output=True,
                                       text=True, check=False)
                self.assertEqual((check.returncode, check.stderr), (0, ""))

    def test_bash_completes_commands_options_and_choices(self):
        if not shutil.which("bash"):
            self.skipTest("there is no bash")
        script = support.call("help", "--completion", "bash").stdout

        def complete(*words):
            quoted = " ".join(f"'{word}'" for word in words)
            code = (f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _etscope; "
                    'printf "%s\\n" "${COMPREPLY[@]}"')
            done = subprocess.run(["bash", "-c", f"{script}\n{code}"], capture_output=True,
                                  text=True, check=False)
            return done.stdout.split()

        self.assertEqual(complete("etscope", "insp"), ["inspect"])
        self.assertIn("--etrecord", complete("etscope", "inspect", "--etr"))
        self.assertEqual(complete("etscope", "inspect", "--format", "js"), ["json", "jsonl"])

    def test_committed_pages_are_what_the_program_prints(self):
        docs = support.ROOT / "docs"
        pages = {docs / "man" / "etscope.1": ("--man",), docs / "completions" / "_etscope":
                 ("--completion", "zsh")}
        for shell in ("bash", "fish"):
            pages[docs / "completions" / f"etscope.{shell}"] = ("--completion", shell)
        for command in re.findall(r"^  (\w+) +\S", support.call("--help").stdout, re.MULTILINE):
            pages[docs / "man" / f"etscope-{command}.1"] = ("--man", command)
        for path, words in pages.items():
            with self.subTest(page=path.name):
                self.assertEqual(path.read_text(encoding="utf-8"),
                                 support.call("help", *words).stdout, "run `make docs`")


if __name__ == "__main__":
    unittest.main()

"""Colours: when tables have them, and that they say nothing that words do not say."""

import os
import pty
import re
import subprocess
import unittest

import support
from support import OK, USAGE, fixture

ESCAPE = re.compile(r"\033\[[0-9;]*m")
TRACE = fixture("mlp_xnnpack", "profile.etdp")


def on_terminal(*words, **env):
    """What a terminal of 80 columns is sent."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80", "TERM": "xterm", **env}
    for name in ("NO_COLOR", "CLICOLOR_FORCE"):
        if name not in env:
            environment.pop(name, None)
    with subprocess.Popen([support.ETSCOPE, *map(str, words)], stdout=theirs, env=environment,
                          stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as process:
        os.close(theirs)
        text = b""
        try:
            while chunk := os.read(ours, 65536):
                text += chunk
        except OSError:  # the terminal is closed
            pass
    os.close(ours)
    assert process.returncode == OK, text
    return text.decode().replace("\r\n", "\n")


def in_pipe(*words, **env):
    done = support.run(*words, env={"NO_COLOR": "", "CLICOLOR_FORCE": "", **env})
    assert done.returncode == OK, done.stderr
    return done.stdout.decode()


class Color(support.FolderTest):
    def test_color__follows_option_environment_and_terminal(self):
        table = ("inspect", TRACE)
        for is_colored, text in (
                (True, on_terminal(*table)),
                (True, on_terminal(*table, NO_COLOR="")),
                (True, on_terminal(*table, "--color", "always", NO_COLOR="1", TERM="dumb")),
                (True, in_pipe(*table, "--color", "always")),
                (True, in_pipe(*table, CLICOLOR_FORCE="1")),
                (False, on_terminal(*table, "--color", "never")),
                (False, on_terminal(*table, "--color", "never", CLICOLOR_FORCE="1")),
                (False, on_terminal(*table, NO_COLOR="1")),
                (False, on_terminal(*table, NO_COLOR="1", CLICOLOR_FORCE="1")),
                (False, on_terminal(*table, TERM="dumb")),
                (False, in_pipe(*table)),
                (False, in_pipe(*table, CLICOLOR_FORCE="0"))):
            self.assertEqual("\033" in text, is_colored, text)
        done = support.run(*table, "--color", "red")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"--color", done.stderr)

    def test_color__changes_no_width_and_no_word(self):
        for width in (80, 200):
            for table in (("inspect", TRACE), ("inspect", TRACE, "--tree"),
                          ("annotate", TRACE, "--etrecord", fixture("mlp_xnnpack", "model.etrecord"))):
                words = (*table, "--width", width)
                with self.subTest(words=words):
                    colored = in_pipe(*words, "--color", "always")
                    self.assertIn("\033", colored)
                    self.assertEqual(ESCAPE.sub("", colored), in_pipe(*words))

    def test_color__of_advice(self):
        for width in (80, 200):
            words = ("advise", TRACE, "--program", fixture("mlp_xnnpack", "model.pte"), "--all", "--width", width)
            colored = in_pipe(*words, "--color", "always")
            self.assertTrue(colored.startswith("\033[1m"), colored)
            self.assertRegex(colored, r"\n 1  \033\[1m")
            self.assertRegex(colored, r"\033\[2m    where   \033\[0m")
            self.assertEqual(ESCAPE.sub("", colored), in_pipe(*words))
            self.assertEqual(in_pipe(*words, "--color", "always", "--format", "markdown"),
                             in_pipe(*words, "--format", "markdown"))

    def test_color__the_answer_is_bold(self):
        text = in_pipe("inspect", TRACE, "--color", "always")
        self.assertRegex(text, r"^\033\[1m[^\033]+\033\[0m\n[^\033]+\n\n\033\[1mDefault")

    def test_color__is_in_no_other_format_and_file(self):
        for name in ("tsv", "csv", "json", "jsonl", "markdown"):
            words = ("inspect", TRACE, "--format", name)
            self.assertEqual(in_pipe(*words, "--color", "always"), in_pipe(*words))
        path = self.folder / "table.txt"
        in_pipe("inspect", TRACE, "-o", path, CLICOLOR_FORCE="1")
        self.assertNotIn("\033", path.read_text())

    def test_color__of_verdicts(self):
        def trace(name, ticks):
            now, runs = 0, []
            for r in range(20):
                events = [support.call(f"native_call_{name}.out", i, now + i * 10000,
                                       now + i * 10000 + ticks[i] + (r * 7 + i) % 11)
                          for i, name in enumerate(("add", "mul", "sub"))]
                runs.append(("Execute", [*events, support.framework("Method::execute", now,
                                                                    now + 40000)]))
                now += 100000
            return support.make_dump(name, runs)
        before, after = self.folder / "a", self.folder / "b"
        for folder, ticks in ((before, (1000, 5000, 900)), (after, (5000, 1000, 900))):
            folder.mkdir()
            for k in range(5):
                trace(folder / str(k), [each + k for each in ticks])
        text = in_pipe("diff", before, after, "--color", "always")
        self.assertRegex(text, r"add\.out.*\033\[31mslower\033")
        self.assertRegex(text, r"mul\.out.*\033\[32mfaster\033")
        self.assertRegex(text, r"sub\.out[^\033]*\n")


if __name__ == "__main__":
    unittest.main()

"""Notes and errors on a terminal: wrapped between words, each note once, behind the answer of gap."""

import re
import unittest

import gap_support
import support

WIDTH = 80


class Notes(support.FolderTest):
    def lines(self, *words, width=WIDTH):
        text = support.on_a_terminal(*words, width=width)[0].decode()
        return re.sub("\033\\[[0-9;]*m", "", text).splitlines()

    def test_notes__are_wrapped_below_their_text(self):
        words = ("gap", *gap_support.INT8, "--no-siblings")
        if support.run(*words).returncode == support.UNAVAILABLE:
            self.skipTest("this build evaluates no graphs")
        lines = self.lines(*words)
        at = next(i for i, line in enumerate(lines) if line.startswith("note: tolerance"))
        self.assertLessEqual(max(map(len, lines[at:])), WIDTH)
        self.assertTrue(lines[at + 1].startswith("      "), lines[at:])
        self.assertIn(" ".join(line.strip() for line in lines[at:]),
                      " ".join(support.run(*words).stderr.decode().split()))
        # The answer is first.
        self.assertFalse(any(line.startswith("note: ") for line in lines[:at - 1]), lines)

    def test_notes__are_whole_lines_where_no_terminal_is(self):
        error = support.run("gap", support.DATA / "mlp_portable" / "model.pte").stderr.decode()
        self.assertEqual(error.count("\n"), 1)
        self.assertGreater(len(error), WIDTH)

    def test_notes__commands_to_copy_stay_whole(self):
        lines = self.lines("gap", support.DATA / "mlp_portable" / "model.pte")
        command = next(line for line in lines if line.strip().startswith("etscope run "))
        self.assertIn("--debug-buffer debug.bin", command)
        self.assertGreater(len(command), WIDTH)
        lines = self.lines("sql", "select * from nowhere", support.DATA / "mlp_portable" / "profile.etdp",
                           width=40)
        self.assertTrue(any("`etscope sql --schema`" in line for line in lines), lines)

    def test_facts__are_wrapped_below_their_values(self):
        for name in ("model.pte", "model.etrecord", "debug.etdp", "debug.bin"):
            (self.folder / name).write_bytes((support.DATA / "mlp_portable" / name).read_bytes())
        for words in (("info", self.folder), ("info", self.folder / "debug.etdp"), ("doctor",)):
            lines = self.lines(*words)
            self.assertLessEqual(max(map(len, lines)), WIDTH, words)
            narrow = self.lines(*words, width=44)
            self.assertGreater(len(narrow), len(lines))
            broken = [line for line in narrow if len(line) > 44]  # a path has no place to break at
            self.assertFalse([line for line in broken if " " in line.strip()], words)
            whole = support.run(*words).stdout.decode().split()
            self.assertEqual(" ".join(narrow).split(), whole)

    def test_notes__twice_is_once(self):
        path = support.make_dump(self.folder / "a.etdp", [("forward", [support.call("x", 0, 0, 5)])])
        one = support.run("inspect", path).stderr.decode().splitlines()
        two = support.run("summary", path, path).stderr.decode().splitlines()
        for lines in (one, two):
            self.assertEqual(len(lines), len(set(lines)))


if __name__ == "__main__":
    unittest.main()

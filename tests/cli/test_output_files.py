"""Outputs never replace what a command read, keep modes and links, and leave nothing behind."""

import os
import pathlib
import shutil
import signal
import stat
import subprocess
import time
import unittest

from support import DATA, ETSCOPE, INTERNAL, OK, USAGE, FolderTest, run

MODEL = DATA / "conv_xnnpack"


class OutputFiles(FolderTest):
    def setUp(self):
        super().setUp()
        if run("info", MODEL / "model.etrecord").returncode != OK:
            self.skipTest("this build reads no records")
        self.names = {"model.pte": "model.pte", "model.etrecord": "model.etrecord",
                      "profile.etdp": "model.etdp", "debug.etdp": "debug.etdp",
                      "debug.bin": "debug.bin"}
        for name, target in self.names.items():
            shutil.copy(MODEL / name, self.folder / target)
        shutil.copy(MODEL / "profile.etdp", self.folder / "second.etdp")
        (self.folder / "list.txt").write_text("model.etdp\nsecond.etdp\n")

    def contents(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def refused(self, *words, expected=USAGE):
        before = self.contents()
        done = run(*words, cwd=self.folder)
        with self.subTest(words=words):
            self.assertEqual(done.returncode, expected, done.stderr)
            self.assertEqual(self.contents(), before)
            self.assertEqual(len(done.stderr.decode().splitlines()[-1:]), 1)
        return done.stderr.decode()

    def test_what_lies_beside_an_input_is_not_replaced(self):
        found = "model.etrecord"
        report = self.refused("memory", "model.pte", "-o", found)
        self.assertIn("model.etrecord: is an input of this command; name another file", report)
        for command in (["inspect", "model.etdp"], ["annotate", "model.etdp"],
                        ["delegates", "model.pte"], ["cost", "model.pte"], ["size", "model.pte"],
                        ["report", "model.etdp"],
                        ["advise", "model.etdp"], ["advise", "model.pte"],
                        ["export", "model.etdp", "--to", "chrome"],
                        ["export", "model.etdp", "--to", "model-explorer"],
                        ["tensors", "debug.etdp", "--etrecord", found],
                        ["diff", "model.etdp", "second.etdp", "--etrecord", found],
                        ["plot", "icicle", "model.etdp"]):
            if command[0] == "plot":
                os.link(self.folder / found, self.folder / "record.svg")
                self.refused(*command, "-o", "record.svg")
            else:
                self.refused(*command, "-o", found)
        self.refused("sql", "select 1", "model.etdp", "--to", found)
        self.refused("inspect", "model.etdp", "-o", "model.pte")
        self.refused("advise", "debug.etdp", "--etrecord", found, "-o", "debug.bin")

    def test_links_are_the_files_that_they_name(self):
        os.symlink("model.etrecord", self.folder / "soft")
        os.link(self.folder / "model.etrecord", self.folder / "hard")
        for name in ("soft", "hard", "./model.etrecord", str(self.folder / "model.etrecord")):
            self.refused("memory", "model.pte", "-o", name)

    def test_files_of_folders_and_lists_are_not_replaced(self):
        os.mkdir(self.folder.parent / (self.folder.name + ".traces"))
        traces = self.folder.parent / (self.folder.name + ".traces")
        self.addCleanup(shutil.rmtree, traces)
        for name in ("a.etdp", "b.etdp"):
            shutil.copy(MODEL / "profile.etdp", traces / name)
        before = (traces / "a.etdp").read_bytes()
        done = run("summary", traces, "-o", traces / "a.etdp")
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertEqual((traces / "a.etdp").read_bytes(), before)
        self.refused("summary", "@list.txt", "-o", "model.etdp")
        self.refused("summary", "@list.txt", "-o", "list.txt")

    def test_modes_stay(self):
        for mode in (0o600, 0o640, 0o755):
            target = self.folder / "table.txt"
            target.write_text("before")
            target.chmod(mode)
            done = run("memory", "model.pte", "-o", target, cwd=self.folder)
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertNotEqual(target.read_text(), "before")
            self.assertEqual(stat.S_IMODE(target.stat().st_mode), mode)

    def test_read_only_files_are_refused(self):
        (self.folder / "table.txt").write_text("before")
        (self.folder / "table.txt").chmod(0o444)
        self.refused("memory", "model.pte", "-o", "table.txt", expected=INTERNAL)

    def test_links_are_followed(self):
        (self.folder / "real").mkdir()
        self.addCleanup(shutil.rmtree, self.folder / "real")
        for target in ("real/table.txt", self.folder / "real" / "other.txt"):
            link, middle = self.folder / "link", self.folder / "middle"
            os.symlink(target, middle)
            os.symlink("middle", link)
            for _ in ("dangling", "there"):
                done = run("memory", "model.pte", "-o", "link", cwd=self.folder)
                self.assertEqual(done.returncode, OK, done.stderr)
                self.assertTrue(link.is_symlink() and middle.is_symlink())
                self.assertTrue((self.folder / target).read_text())
            link.unlink()
            middle.unlink()
        os.symlink("around", self.folder / "around")
        done = run("memory", "model.pte", "-o", "around", cwd=self.folder)
        self.assertEqual(done.returncode, INTERNAL, done.stderr)
        self.assertTrue((self.folder / "around").is_symlink())

    def test_signals_leave_nothing_behind(self):
        """A pipe holds the command while its output is open."""
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT,
                       signal.SIGXFSZ):
            with self.subTest(signal=number):
                self.end_while_writing(number)

    def end_while_writing(self, number):
        before = sorted(self.contents())
        words = [ETSCOPE, "run", "model.pte", "--inputs", "ones", "--runs", "100000000", "--trace",
                 "kept.etdp"]
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            for _ in range(500):
                if len(list(self.folder.iterdir())) > len(before) or process.poll() is not None:
                    break
                time.sleep(0.01)
            if process.poll() == 6:
                self.skipTest("this build has no engine")
            process.send_signal(number)
            if number in (signal.SIGINT, signal.SIGTERM):
                process.send_signal(number)  # the first keeps what was done
            process.communicate(timeout=60)
        left = [name for name in sorted(self.contents()) if name not in before]
        self.assertLessEqual(set(left), {"kept.etdp"})
        for name in left:
            pathlib.Path(self.folder / name).unlink()


if __name__ == "__main__":
    unittest.main()

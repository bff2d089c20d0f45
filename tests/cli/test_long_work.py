"""Long work: --time, --until-sure, the progress line of a terminal, Ctrl-C and SIGTERM."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import unittest

from run_support import DATA, ETSCOPE, NEGATIVE, OK, USAGE, RunTest, call, write_npy

PROGRAM = DATA / "mlp_portable" / "model.pte"
LOOP = DATA / "map_loop" / "model.pte"
PATIENCE = 60
LONG = ("--runs", "100000000")


class Terminal:
    """A command whose standard error is a terminal."""

    def __init__(self, folder, *words, width=0):
        self.seen = b""
        self.terminal, self.end = pty.openpty()
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        self.process = subprocess.Popen([ETSCOPE, *map(str, words)], cwd=folder, stderr=self.end,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        os.close(self.terminal)
        os.close(self.end)

    def read(self):
        if not select.select([self.terminal], [], [], PATIENCE)[0]:
            raise AssertionError(f"nothing more comes after {self.seen}")
        self.seen += os.read(self.terminal, 65536)

    def wait_for(self, pattern):
        while not re.search(pattern, self.seen):
            self.read()

    def ends(self):
        """Its exit code and standard output."""
        out = self.process.communicate(timeout=PATIENCE)[0].decode()
        os.write(self.end, b"END")  # behind all that the process wrote
        while not self.seen.endswith(b"END"):
            self.read()
        self.seen = self.seen.removesuffix(b"END")
        return self.process.returncode, out


class LongWork(RunTest):
    def test_time_ends_the_runs(self):
        done = self.ok("run", PROGRAM, "--time", "50ms")
        self.assertGreater(int(re.search(r": (\d+) runs", done.stdout)[1]), 1)
        done = self.ok("run", PROGRAM, "--time", "1ns")
        self.assertIn(": 1 run,", done.stdout)

    def test_a_long_time_records_runs_of_all_of_it(self):
        done = self.ok("profile", LOOP, "--no-siblings", "--time", "3s", "-o", self.folder / "t.etdp")
        told = re.search(r"recorded (\d+) of (\d+) runs, spread over the time", done.stderr)
        if told is None:
            self.skipTest("this machine records every run of three seconds")
        recorded, executed = map(int, told.groups())
        self.assertTrue(1000 < recorded < executed)
        self.assertIn(f" {recorded} runs", done.stdout)
        self.assertIn(f" {recorded} runs", self.ok("inspect", self.folder / "t.etdp").stdout)

    def test_runs_limit_a_time(self):
        self.assertIn(": 7 runs", self.ok("run", PROGRAM, "--time", "1min", "--runs", "7").stdout)

    def test_wrong_limits(self):
        for words, reason in ((["--time", "10"], "--time takes a time"),
                              (["--time", "-1s"], "--time takes a time"),
                              (["--time", "0s"], "--time takes a time"),
                              (["--time", "nan s"], "--time takes a time"),
                              (["--time", "1e9min"], "--time takes a time"),
                              (["--until-sure", "0"], "above 0"),
                              (["--until-sure", "x"], "percentage")):
            done = call("run", PROGRAM, *words)
            self.assertEqual((done.returncode, reason in done.stderr), (USAGE, True), done.stderr)

    def test_sure(self):
        done = self.ok("profile", PROGRAM, "--until-sure", "900%", "--time", "10min")
        runs, wide = re.search(r"sure after (\d+) runs: the 95 % interval of the median wall time "
                               r"is (\S+) % wide .* in this process; another may differ by more$",
                               done.stderr, re.M).groups()
        self.assertGreaterEqual(int(runs), 50)
        self.assertLessEqual(float(wide), 900)

    def test_not_sure(self):
        done = call("run", PROGRAM, "--until-sure", "900%", "--runs", "20")
        self.assertEqual(done.returncode, NEGATIVE)
        self.assertIn("not sure after 20 runs (the limit of --runs): too few", done.stderr)
        self.assertIn(": 20 runs", done.stdout)

    def test_pipes_get_no_progress(self):
        done = self.ok("run", PROGRAM, "--time", "1s")
        self.assertNotIn("\r", done.stderr)

    def test_progress(self):
        with Terminal(self.folder, "run", PROGRAM, *LONG, "--time", "1s") as terminal:
            code, out = terminal.ends()
        self.assertEqual(code, OK)
        lines = terminal.seen.decode().split("\r\x1b[K")
        self.assertRegex(lines[1], r"^run \d+ of 100000000, \S+/s, median \S+ .s, \d+ s left$")
        self.assertLessEqual(len(lines), 10)
        self.assertEqual(lines[-1], "")
        self.assertIn(" runs, wall time", out)

    def test_signals_end_with_what_was_recorded(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with Terminal(self.folder, "profile", PROGRAM, *LONG,
                          "-o", "t.etdp") as terminal:
                terminal.wait_for(rb"run \d+ of ")
                terminal.process.send_signal(number)
                code, out = terminal.ends()
            self.assertEqual(code, 128 + number)
            runs = int(re.search(rb"interrupted after (\d+) runs", terminal.seen)[1])
            self.assertGreater(runs, 0)
            self.assertIn(f"median of {runs} runs", out)
            self.assertEqual(os.listdir(self.folder), ["t.etdp"])
            done = self.ok("inspect", "t.etdp")
            self.assertIn(f"median of {runs} runs", done.stdout)
            os.remove(self.folder / "t.etdp")

    def test_notes_of_a_signal_are_lines(self):
        """Also if no progress line was shown: stopped at once, it ends within its first runs."""
        with Terminal(self.folder, "run", PROGRAM, *LONG) as terminal:
            terminal.wait_for(rb"inputs.*\n")
            terminal.process.send_signal(signal.SIGINT)
            terminal.ends()
        self.assertRegex(terminal.seen, rb"ends at once\r\n(\r\x1b\[K)?(note|etscope): interrupted")

    def test_progress_is_as_long_as_the_terminal_is_wide(self):
        for width, longest in ((0, 79), (30, 29), (200, 199)):
            with Terminal(self.folder, "run", PROGRAM, *LONG, "--method", "forward", "--time", "1s",
                          width=width) as terminal:
                terminal.ends()
            line = terminal.seen.decode().split("\r\x1b[K")[1]
            self.assertLessEqual(len(line), longest)
            self.assertEqual(line.endswith(" left"), width != 30, line)

    def test_interrupted_machine(self):
        with Terminal(self.folder, "machine", "--threads", "1", "--save", "m.json") as terminal:
            terminal.wait_for(rb"round \d+, \d+ of \d+ times agree, at most \d+ s left")
            terminal.process.send_signal(signal.SIGINT)
            code, out = terminal.ends()
        self.assertEqual(code, 128 + signal.SIGINT)
        self.assertIn(b"interrupted", terminal.seen)
        self.assertEqual(os.listdir(self.folder), ["m.json"] if out else [])

    def test_interrupted_verify_passes_nothing(self):
        model, value = DATA / "gpt_portable" / "model.pte", self.folder / "x.npy"
        write_npy(value, "<i8", (1, 16), range(16))
        earlier = []
        for part in range(5):
            self.ok("bundle", model, *["--case", value] * 240, *earlier, "--expect-from-run",
                    "-o", f"{part}.bpte")
            earlier = ["--cases-from", f"{part}.bpte"]
        with Terminal(self.folder, "verify", "4.bpte") as terminal:
            terminal.wait_for(rb"case \d+ of 1200, \S+/s, \d+ s left")
            terminal.process.send_signal(signal.SIGINT)
            code, out = terminal.ends()
        self.assertEqual(code, 128 + signal.SIGINT)
        ran, left = map(int, re.search(r"^INTERRUPTED (\d+) of \1 test cases are as expected, "
                                       r"(\d+) more did not run", out, re.M).groups())
        self.assertEqual(ran + left, 1200)

    def test_interrupted_warm_up_leaves_nothing(self):
        with Terminal(self.folder, "run", PROGRAM, "--warmup", "100000000",
                      "-o", "t.etdp") as terminal:
            terminal.wait_for(rb"warm-up run \d+")
            self.assertEqual(len(os.listdir(self.folder)), 1)  # the temporary file
            terminal.process.send_signal(signal.SIGINT)
            self.assertEqual(terminal.ends(), (128 + signal.SIGINT, ""))
        self.assertIn(b"interrupted before the first run ended", terminal.seen)
        self.assertEqual(os.listdir(self.folder), [])

    def test_second_signal_ends_at_once(self):
        """Both arrive while the process is stopped, so it sees them before the next run."""
        with Terminal(self.folder, "profile", PROGRAM, *LONG,
                      "-o", "t.etdp") as terminal:
            terminal.wait_for(rb"run \d+ of ")
            self.assertEqual(len(os.listdir(self.folder)), 1)
            for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
                terminal.process.send_signal(number)
            code, out = terminal.ends()
        self.assertIn(code, (-signal.SIGINT, -signal.SIGTERM))
        self.assertEqual((out, os.listdir(self.folder)), ("", []))

    def test_a_command_that_keeps_nothing_ends_at_once(self):
        """It waits for standard input."""
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([ETSCOPE, "inspect", "-"], cwd=self.folder, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                with self.assertRaises(subprocess.TimeoutExpired):
                    process.wait(0.3)
                process.send_signal(number)
                self.assertEqual(process.wait(PATIENCE), -number)


if __name__ == "__main__":
    unittest.main()

"""Runs a test program for ctest: run_test.py COMMAND...

Passes its output and its status on. A program in which every test was skipped has shown nothing:
that is status 77, which ctest counts as skipped. Lines "skipped: 3 of 36: REASON" at the end are
what tools/run_ctest.py repeats.
"""

import ast
import collections
import os
import re
import signal
import subprocess
import sys

ALL_SKIPPED = 77


def read_cmocka(text):
    """Tests that ran, and the reasons of those that were skipped."""
    run = sum(map(int, re.findall(r"^\[==========\] (\d+) test\(s\) run", text, re.M)))
    skipped = len(re.findall(r"^\[  SKIPPED \] \w+$(?=(?:.|\n)*^\[==========\] \d+ test\(s\) run)",
                             text, re.M))
    reasons = re.findall(r"^skipping: (.*)$", text, re.M)
    return run, reasons + ["no reason is given"] * (skipped - len(reasons))


def read_unittest(text):
    run = sum(map(int, re.findall(r"^Ran (\d+) tests? in ", text, re.M)))
    # A class or module that is skipped as a whole is not among the tests that ran.
    run += len(re.findall(r"^setUp(?:Class|Module) .*\.\.\. skipped ", text, re.M))
    reasons = re.findall(r"\.\.\. skipped ('.*'|\".*\")$", text, re.M)
    return run, [ast.literal_eval(each) for each in reasons]


def read_pytest(text):
    counts = re.findall(r"(\d+) (passed|skipped|failed|errors?)\b", text.splitlines()[-1])
    reasons = []
    for count, reason in re.findall(r"^SKIPPED \[(\d+)\] [^:\n]+(?::\d+)?: (.*)$", text, re.M):
        reasons += [reason] * int(count)
    return sum(int(count) for count, _ in counts), reasons


def read(text):
    if "test(s) run" in text:
        return read_cmocka(text)
    if re.search(r"^Ran \d+ tests? in ", text, re.M):
        return read_unittest(text)
    if re.search(r"^(=+ )?\d+ \w+.* in [\d.]+s\b.*$", text, re.M):
        return read_pytest(text.rstrip())
    return 0, []


def heed_signals():
    """Tests send signals to their commands, which nohup and a shell's & let them ignore."""
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def main(command):
    heed_signals()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    sys.stdout.buffer.write(done.stdout)
    run, reasons = read(done.stdout.decode(errors="replace"))
    for reason, count in collections.Counter(reasons).items():
        print(f"skipped: {count} of {run}: {reason}")
    sys.stdout.flush()
    if done.returncode < 0:  # ctest names the signal
        signal.signal(-done.returncode, signal.SIG_DFL)
        os.kill(os.getpid(), -done.returncode)
    all_skipped = reasons and len(reasons) == run and done.returncode in (0, 5)
    sys.exit(ALL_SKIPPED if all_skipped else done.returncode)


if __name__ == "__main__":
    main(sys.argv[1:])

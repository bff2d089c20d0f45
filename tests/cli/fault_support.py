"""Runs commands in which one call fails, with the library of tests/faults, and judges how they end."""

import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import threading

import support

LIBRARY = os.environ.get("FAULTY_CALLS")
KINDS = ("allocate", "read", "write", "map", "open", "rename", "sync", "truncate")
ERRNO = {"allocate": 12, "read": 5, "write": 28, "map": 12, "open": 24, "rename": 5, "sync": 5, "truncate": 28}
NO_FILTERS = 77  # of the library
RUNTIME = 5
SECONDS = 60

# What a command may end with where a call failed, beside the code of a healthy run.
CODES = {"allocate": {RUNTIME, support.UNAVAILABLE, support.INTERNAL}, "write": {support.INTERNAL},
         "rename": {support.INTERNAL}, "sync": {support.INTERNAL}, "truncate": {support.INTERNAL}}
OTHER_CODES = {support.INPUT, RUNTIME, support.UNAVAILABLE, support.INTERNAL}

OLD = b"what was there before\n"


class Run:
    """How a command ended: its code, both streams, and the files of its folder."""

    def __init__(self, code, out, err, files):
        self.code, self.out, self.files = code, out, files
        self.lines = err.decode(errors="replace").splitlines()


class Line:
    """A command whose outputs are names in a folder of its own, those that a healthy run writes."""

    def __init__(self, words):
        self.words = list(map(str, words))
        self.outputs = []
        self.held = threading.local()
        self.healthy = self.again = None
        self.sums = {}

    def folder(self, owner):
        if not hasattr(self.held, "folder"):
            self.held.folder = tempfile.mkdtemp(dir=owner)
        return self.held.folder

    def run(self, owner, kind="write", at=0, ends=None, sums=None):
        """With the n-th call of a kind failing: by its errno, "kill" or errno and "+"."""
        folder = self.folder(owner)
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        for name in self.outputs:
            pathlib.Path(folder, name).write_bytes(OLD)
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "LD_PRELOAD": LIBRARY, "TMPDIR": folder,
                       "FAULTY_CALL": kind, "FAULTY_AT": str(at),
                       "FAULTY_WITH": str(ends if ends is not None else ERRNO[kind])}
        environment.pop("COLUMNS", None)
        if sums is not None:
            environment["FAULTY_SUMS"] = sums
        done = subprocess.run([support.ETSCOPE, *self.words], cwd=folder, env=environment, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        files = {name: pathlib.Path(folder, name).read_bytes() if os.path.isfile(os.path.join(folder, name))
                 else None for name in os.listdir(folder)}
        return Run(done.returncode, done.stdout, done.stderr, files)

    def measure(self, owner):
        """Healthy runs: what they write, then over old outputs, then with the calls counted."""
        handle, path = tempfile.mkstemp(dir=owner)
        os.write(handle, bytes(8 * len(KINDS)))
        os.close(handle)
        self.outputs = sorted(self.run(owner).files)
        self.healthy = self.run(owner)
        self.again = self.run(owner, sums=path)
        self.sums = dict(zip(KINDS, struct.unpack(f"<{len(KINDS)}Q", pathlib.Path(path).read_bytes())))

    def is_measured(self):
        """Whether the command prints times and the like, which differ from run to run."""
        return self.healthy.out != self.again.out or self.healthy.files != self.again.files

    def is_same(self, run):
        if self.is_measured():
            return run.files.keys() == self.healthy.files.keys() and all(run.files.values())
        return run.out == self.healthy.out and run.files == self.healthy.files

    def judge(self, kind, run):
        """What is wrong with how the command ended after a call of this kind failed; None: nothing."""
        if run.code < 0:
            return f"ended by signal {-run.code}"
        if run.code == self.healthy.code and (self.is_same(run) or self.words[0] == "doctor"):
            return None  # doctor's answer is what it found
        added = [line for line in run.lines if line not in self.healthy.lines]
        errors = [line for line in added if line.startswith("etscope: ")]
        if run.code == self.healthy.code:
            is_told = kind != "allocate" and any(line.startswith("note: ") for line in added)
            return None if is_told else "succeeded with another output"
        if self.words[0] == "doctor" and run.code == support.UNAVAILABLE:
            return None
        if run.code not in CODES.get(kind, OTHER_CODES):
            return f"ended with {run.code}"
        if len(errors) != 1:
            return f"said {len(errors)} errors"
        return self.judge_files(run, ())

    def judge_files(self, run, also):
        """Each output is what it was, or whole: a command may write several, one after another."""
        for name in self.outputs:
            is_whole = self.is_measured() or run.files.get(name) == self.healthy.files[name]
            if run.files.get(name) != OLD and not is_whole:
                return f"{name} is half-written"
        left = [name for name in run.files if name not in self.outputs and not name.startswith(also)]
        return f"left {left}" if left else None

    def judge_kill(self, run):
        """Each output is what it was, or whole; what remains else is the temporary file of one."""
        if run.code != -9:
            return f"ended with {run.code}"
        return self.judge_files(run, (*(f"{name}." for name in self.outputs), "etscope-"))


def numbers(count, most):
    """All calls, or the first ones and then as many as are wanted, evenly."""
    if count <= most:
        return list(range(1, count + 1))
    first = most // 3
    left = most - first
    return list(range(1, first + 1)) + [first + 1 + i * (count - first - 1) // (left - 1) for i in range(left)]

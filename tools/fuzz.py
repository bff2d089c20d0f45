#!/usr/bin/env python3
"""Runs the libFuzzer programs of a build, and tells what they did.

    tools/fuzz.py BUILD_FOLDER --seconds 60
    tools/fuzz.py BUILD_FOLDER --hours 2 --jobs 2 --merge

Each target starts from fuzz/corpus/<reader>/ and what it found before; the first time, from what of
tests/data reaches more. Inputs that reach new code are kept in --corpus/<reader>/, failures in
BUILD_FOLDER/failures/. With --seconds each target runs once for so long. With --hours all take turns
for so long in all, in several rounds, so that one that fails or is slow does not take the time of the
others. --merge then adds what reaches edges that fuzz/corpus does not, up to ADDED_BYTES and
ADDED_FILES for each target.

Prints a line for each target: the processor's seconds that it took, inputs in all and in such a
second (what other programs do on the machine does not count), the features (edges with their
counts) that it reached at first and at last, those that an hour added, and failures.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROUNDS = 4
ADDED_BYTES, ADDED_FILES, LONGEST_ADDED = 16 << 10, 32, 4 << 10
# Some readers do much with each byte: short inputs keep them above a thousand a second.
LONGEST = {"inspect": 4096, "trace_stream": 4096, "device_log": 4096, "difference": 10240, "gap": 65536,
           "reference": 65536}
OTHERS = 32768


class Target:
    """One program, and the sums of its runs."""

    def __init__(self, program, build, corpus):
        self.program = program
        self.reader = program.name.removeprefix("fuzz_")
        self.seeds = ROOT / "fuzz" / "corpus" / self.reader
        self.corpus = corpus / self.reader
        self.corpus.mkdir(parents=True, exist_ok=True)
        self.log = build / "corpus-logs" / f"{self.reader}.log"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.failures = build / "failures"
        self.failures.mkdir(exist_ok=True)
        self.inputs, self.cpu, self.wall = 0, 0.0, 0.0
        self.first = self.last = 0
        self.found = []

    def words(self):
        return [self.program, f"-max_len={LONGEST.get(self.reader, OTHERS)}", "-timeout=10", "-rss_limit_mb=2048",
                f"-artifact_prefix={self.failures}/{self.reader}-"]

    def gather(self):
        """Once, what of all fixtures is of use: to read them takes longer than a round."""
        if any(self.corpus.iterdir()):
            return
        folders = [each for each in (self.seeds, ROOT / "tests" / "data") if each.is_dir()]
        subprocess.run([*self.words(), "-merge=1", self.corpus, *folders], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)

    def run(self, seconds):
        folders = [self.corpus, *([self.seeds] if self.seeds.is_dir() else [])]
        start = time.monotonic()
        with self.log.open("wb") as log, subprocess.Popen(
                [*self.words(), f"-max_total_time={seconds}", "-print_final_stats=1", *folders],
                stdout=subprocess.DEVNULL, stderr=log) as process:
            usage = wait(process)
        self.wall += time.monotonic() - start
        self.cpu += usage.ru_utime + usage.ru_stime
        self.read(self.log.read_text(errors="replace"), process.returncode)

    def read(self, text, code):
        features = [int(each) for each in re.findall(r"^#\d+\s.* ft: (\d+)", text, re.M)]
        if features:
            self.first = self.first or features[0]
            self.last = max(self.last, features[-1])
        counts = [int(each) for each in re.findall(r"^(?:stat::number_of_executed_units: |#)(\d+)", text, re.M)]
        self.inputs += max(counts, default=0)
        if code != 0:
            lines = re.findall(r"^(?:.*(?:ERROR|SUMMARY|runtime error).*|.*Test unit written to.*)$", text, re.M)
            self.found.append(lines or [f"ended with {code}: {self.log}"])

    def line(self):
        rate = self.inputs / max(self.cpu, 0.001)
        an_hour = (self.last - self.first) * 3600 / max(self.wall, 0.001)
        slow = ", should be 1000 a second" if rate < 1000 else ""
        return (f"{self.reader:<18} {self.cpu:9.1f} {self.inputs:12,} {rate:9,.0f} {self.first:9,} {self.last:9,}"
                f" {an_hour:9,.0f} {len(self.found):8}{slow}")


def wait(process):
    """Waits for one process, and returns what it used."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def merge(target):
    """Adds to fuzz/corpus what it does not reach; returns how many files and bytes."""
    if not target.seeds.is_dir():
        return 0, 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(target.seeds, folder, dirs_exist_ok=True)
        before = set(pathlib.Path(folder).iterdir())
        subprocess.run([*target.words(), "-set_cover_merge=1", "-use_counters=0", folder, target.corpus],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        files = total = 0
        new = sorted((path.stat().st_size, path) for path in set(pathlib.Path(folder).iterdir()) - before)
        for size, path in reversed(new):  # the smallest reach little
            if size > LONGEST_ADDED or total + size > ADDED_BYTES or files == ADDED_FILES:
                continue
            shutil.copy(path, target.seeds / path.name)
            files, total = files + 1, total + size
    return files, total


def minimize(target):
    """Leaves of what was kept only what reaches all of it."""
    with tempfile.TemporaryDirectory(dir=target.corpus.parent) as folder:
        done = subprocess.run([*target.words(), "-merge=1", folder, target.corpus], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        if done.returncode != 0 or not any(pathlib.Path(folder).iterdir()):
            return
        shutil.rmtree(target.corpus)
        shutil.copytree(folder, target.corpus)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, help="of each target")
    parser.add_argument("--hours", type=float, help="of all targets")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("--only", nargs="+", default=[], metavar="READER")
    words = parser.parse_args()
    corpus = (words.corpus or words.build / "corpus").resolve()
    programs = [path for path in sorted((words.build / "bin").glob("fuzz_*")) if path.name != "fuzz_mutators"]
    targets = [Target(path.resolve(), words.build.resolve(), corpus) for path in programs]
    targets = [target for target in targets if not words.only or target.reader in words.only]
    if not targets or (words.seconds is None) == (words.hours is None):
        parser.error("needs a build with fuzz targets, and either --seconds or --hours")
    rounds = ROUNDS if words.hours else 1
    seconds = words.seconds or max(1, round(words.hours * 3600 * words.jobs / len(targets) / rounds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with concurrent.futures.ThreadPoolExecutor(words.jobs) as pool:
        list(pool.map(Target.gather, targets))
        for _ in range(rounds):
            list(pool.map(lambda target: target.run(seconds), targets))
        if words.merge:
            list(pool.map(minimize, targets))
            added = list(pool.map(merge, targets))
    print(f"{'target':<18} {'seconds':>9} {'inputs':>12} {'a second':>9} {'features':>9} {'at last':>9}"
          f" {'an hour':>9} {'failures':>8}")
    for target in targets:
        print(target.line())
        for lines in target.found:
            print(*(f"    {line}" for line in lines), sep="\n")
    print(f"{'all':<18} {sum(each.cpu for each in targets):9.1f} {sum(each.inputs for each in targets):12,}")
    if words.merge:
        print(f"added to fuzz/corpus: {sum(each[0] for each in added)} files, {sum(each[1] for each in added):,} bytes")
    sys.exit(any(target.found for target in targets))


if __name__ == "__main__":
    main()

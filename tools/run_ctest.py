"""Runs tests with ctest and says at the end what was skipped, and why.

    tools/run_ctest.py JOBS PRESET[:REGEX]...

Each build of CMake's presets in turn, all of them whatever fails. Prints a line for each test that
is done, the output of those that fail, what was skipped in the last build (in the others the same
tests are left out again, and more on purpose), and as the last line how many tests there were:
"289 passed, 0 failed, 3 skipped". Ends with 1 where one failed, or nothing ran.
"""

import collections
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

FOLDERS = {"release": "build"}


def run(preset, regex, jobs):
    """The test cases of one build, from ctest's report."""
    report = os.path.abspath(os.path.join(FOLDERS.get(preset, f"build-{preset}"), "tests.xml"))
    if os.path.exists(report):
        os.remove(report)
    words = ["ctest", "--preset", preset, "--parallel", jobs, "--output-junit", report,
             "--test-output-size-passed", "1000000"]
    words += ["--tests-regex", regex] if regex else []
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            if not re.match(r" *Start +\d+: ", line):
                print(line, end="", flush=True)
    if not os.path.exists(report):
        sys.exit(f"ctest made no report of the {preset} tests")
    return ElementTree.parse(report).getroot().findall("testcase")


def reasons_of(case):
    """Of a test program: (count, of how many, why) for all that was skipped in it."""
    text = case.findtext("system-out") or ""
    for count, of, why in re.findall(r"^skipped: (\d+) of (\d+): (.*)$", text, re.M):
        yield int(count), int(of), why
    for why in re.findall(r"^skipped: (?!\d+ of \d+: )(.*)$", text, re.M):
        yield 1, 1, why


def print_skipped(cases):
    tests = collections.defaultdict(list)
    for case in cases:
        found = list(reasons_of(case))
        if not found and case.get("status") in ("notrun", "disabled"):
            found = [(1, 1, "not run")]
        for count, of, why in found:
            tests[why].append((case.get("name"), count, of))
    for why, where in sorted(tests.items(), key=lambda each: -sum(n for _, n, _ in each[1])):
        total = sum(count for _, count, _ in where)
        names = ", ".join(name for name, _, _ in where[:4])
        more = f" and {len(where) - 4} more" if len(where) > 4 else ""
        print(f"skipped: {total} test{'s' if total > 1 else ''} ({names}{more}): {why}")


def main(jobs, builds):
    cases = []
    for build in builds:
        preset, _, regex = build.partition(":")
        last = run(preset, regex, jobs)
        cases += last
    print()
    print_skipped(last)
    states = collections.Counter(case.get("status") for case in cases)
    failed = states["fail"]
    skipped = states["notrun"] + states["disabled"]
    print(f"{states['run']} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not states["run"] else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

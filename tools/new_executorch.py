"""Tells what the newest executorch on PyPI would break in etscope.

    python3 tools/new_executorch.py [--version V | --python PYTHON] [--etscope build/bin/etscope]

Installs it with the newest torch into a folder of its own (7 GB, ten minutes), exports the small models
of tests/data/versions there, and compares what etscope reads of them, runs and computes with what it
did of the newest version in tests/data/versions; then the wheel's schemas and Python names with those
of that version. Ends with 1 if something breaks or is lacking, with 2 if it could not be tried.

Once that is mended: --keep EXPORTS/V keeps the exports for tests/data/versions/make.py, and --record
writes the wheel's schemas and names to tests/data/versions/wheel.json, to compare the next one with.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest
import venv
from pathlib import Path

import version_changes
from version_changes import BREAKS, LACKS, NEW, OTHER, UNKNOWN

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests/data/versions"
WHEEL = FOLDER / "wheel.json"
HEADINGS = {BREAKS: "does not work", LACKS: "the drop-in lacks", NEW: "is new, and etscope does not know it",
            OTHER: "is different", UNKNOWN: "was not compared"}


class NotTried(Exception):
    pass


def call(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise NotTried(f"{Path(words[0]).name} {' '.join(map(str, words[1:4]))}: {last}")
    return done.stdout


def newest():
    """The version that pip would install here."""
    report = json.loads(call(sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps",
                             "--ignore-installed", "--report", "-", "executorch"))
    return report["install"][0]["metadata"]["version"]


def make_environment(folder, version):
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    call(python, "-m", "pip", "install", "--quiet", "--no-cache-dir", f"executorch=={version}", "torch")
    return python


def exported(python, folder):
    """What made.json says of the exports of the executorch that a Python has."""
    call(python, ROOT / "tools/export_versions.py", folder)
    return json.loads((folder / "made.json").read_text())


def read_facts(folder):
    sys.path.insert(0, str(ROOT / "tests/cli"))
    import version_facts
    try:
        version_facts.record_traces(folder)
        return version_facts.facts(folder)
    except (version_facts.Unread, unittest.SkipTest, OSError) as reason:
        raise NotTried(f"{os.environ['ETSCOPE']}: {reason}") from reason


def differences(python, folder, base):
    """The version, and all changes to the recorded one."""
    made = exported(python, folder)
    found = json.loads(call(python, ROOT / "tools/wheel_facts.py"))
    expected = json.loads((FOLDER / "expected.json").read_text())[base]
    wheel = json.loads(WHEEL.read_text())
    changes = [*version_changes.of_making(made, wheel["largest_difference"]),
               *version_changes.of_facts(read_facts(folder), expected),
               *version_changes.of_wheel(found, wheel)]
    return made, found, changes


def told(version, base, changes):
    count = {kind: sum(each == kind for each, _ in changes) for kind in HEADINGS}
    broken = f"breaks nothing that works with {base}"
    if count[BREAKS] > 0:
        things = "1 thing that works" if count[BREAKS] == 1 else f"{count[BREAKS]} things that work"
        broken = f"breaks {things} with {base}"
    yield (f"executorch {version} {broken}; the drop-in lacks {count[LACKS]} of its names and "
           f"parameters; new: {count[NEW]}, otherwise different: {count[OTHER]}, "
           f"not compared: {count[UNKNOWN]}.")
    for kind, heading in HEADINGS.items():
        lines = [line for each, line in changes if each == kind]
        if lines:
            yield f"\n{heading} ({len(lines)}):"
            yield from (f"  {line}" for line in lines)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--version", help="this one instead of the newest")
    choice.add_argument("--python", type=Path, help="a Python that has executorch and torch: nothing is installed")
    parser.add_argument("--etscope", type=Path, default=ROOT / "build/bin/etscope")
    parser.add_argument("--keep", type=Path, help="a folder for the exports")
    parser.add_argument("--record", action="store_true", help="write wheel.json of tests/data/versions")
    return parser.parse_args()


def record(found, made):
    kept = {"executorch": made["packages"]["executorch"], **found,
            "largest_difference": made["largest_difference"]}
    WHEEL.write_text(json.dumps(kept, indent=1) + "\n")


def try_it(options, folder, base):
    """Prints the answer; 1 if something breaks."""
    python = options.python
    if python is None:
        version = options.version or newest()
        if version == base and options.version is None:
            print(f"executorch {base} is the newest, and is the one that etscope was compared with.")
            return 0
        python = make_environment(folder / "environment", version)
    made, found, changes = differences(python, options.keep or folder / "exports", base)
    if options.record:
        record(found, made)
    print("\n".join(told(made["packages"]["executorch"], base, changes)))
    return int(any(kind in (BREAKS, LACKS) for kind, _ in changes))


def main():
    options = arguments()
    os.environ["ETSCOPE"] = str(options.etscope.resolve())
    base = next(iter(json.loads((FOLDER / "expected.json").read_text())))
    with tempfile.TemporaryDirectory() as name:
        try:
            return try_it(options, Path(name), base)
        except NotTried as error:
            print(f"not tried: {error}", file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main())

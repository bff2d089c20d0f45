"""Tells what the newest executorch on PyPI would break in etscope.

Installs it with the newest torch into a temporary folder (7 GB of disk, ten minutes), exports the small
models of tests/data/versions there (one minute), and compares what etscope reads, runs and computes of
them with the newest version in tests/data/versions. Then compares the wheel's schemas and Python names.

Exit status: 0 nothing is lost, 1 something breaks or is lacking, 2 the version could not be tried.

After mending, run it with --keep EXPORTS/V --record, then tests/data/versions/make.py EXPORTS.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
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


class Progress:
    """A line on stderr that says what is done; on a terminal also for how long."""

    def __init__(self, doing):
        self.doing, self.start = doing, time.monotonic()
        self.is_terminal = sys.stderr.isatty()
        print(doing, end="" if self.is_terminal else "\n", file=sys.stderr, flush=True)

    def show(self, end=""):
        if self.is_terminal:
            minutes, seconds = divmod(int(time.monotonic() - self.start), 60)
            print(f"\r{self.doing}: {minutes}:{seconds:02}", end=end, file=sys.stderr, flush=True)


def call(*words, doing=None):
    """What a command writes; people see `doing` while it runs."""
    with subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        progress = Progress(doing) if doing else None
        output = None
        while output is None:
            try:
                output, errors = process.communicate(timeout=1)
            except subprocess.TimeoutExpired:
                if progress:
                    progress.show()
    if progress:
        progress.show(end="\n")
    if process.returncode != 0:
        last = (errors.strip().splitlines() or ["no message"])[-1]
        raise NotTried(f"{Path(words[0]).name} {' '.join(map(str, words[1:4]))}: {last}")
    return output


def check_etscope(path):
    """It must read records and run programs, or all that follows is for nothing."""
    done = subprocess.run([str(path), "doctor", "--format", "json"], capture_output=True, text=True,
                          check=False)
    try:
        found = json.loads(done.stdout)["rows"][0]
        is_whole = found["ready"] and found["etrecord"]
    except (ValueError, LookupError, TypeError) as error:
        raise NotTried(f"--etscope: {path} is not etscope") from error
    if not is_whole:
        raise NotTried(f"--etscope: {path} cannot run programs or read ETRecords; "
                       "`etscope doctor` says why")


def check_folder(path):
    """Files of another export would be taken for exports of this version."""
    if path.exists() and any(path.iterdir()):
        raise NotTried(f"--keep: {path} is not empty")


def newest():
    """The version that pip would install here."""
    report = json.loads(call(sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps",
                             "--ignore-installed", "--report", "-", "executorch"))
    return report["install"][0]["metadata"]["version"]


def make_environment(folder, version):
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    call(python, "-m", "pip", "install", "--quiet", "--no-cache-dir", f"executorch=={version}", "torch",
         doing=f"installing executorch {version} and torch (7 GB, about ten minutes)")
    return python


def exported(python, folder):
    """What made.json says of the exports of the executorch that a Python has."""
    call(python, ROOT / "tools/export_versions.py", folder, doing="exporting the models")
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
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--version", metavar="V",
                        help="the executorch to install; default: the newest that pip finds")
    choice.add_argument("--python", type=Path,
                        help="a Python that has executorch, torch and torchao; nothing is installed")
    parser.add_argument("--etscope", type=Path, default=ROOT / "build/bin/etscope", metavar="PROGRAM",
                        help="the etscope to try, with an engine; default: build/bin/etscope")
    parser.add_argument("--keep", type=Path, metavar="FOLDER",
                        help="keep the exports in this folder, which is new or empty")
    parser.add_argument("--record", action="store_true",
                        help="write the wheel's schemas and names to tests/data/versions/wheel.json")
    return parser.parse_args()


def record(found, made):
    kept = {"executorch": made["packages"]["executorch"], **found,
            "largest_difference": made["largest_difference"]}
    WHEEL.write_text(json.dumps(kept, indent=1) + "\n")


def try_it(options, folder, base):
    """Prints the answer; 1 if something breaks."""
    check_etscope(options.etscope)
    if options.keep is not None:
        check_folder(options.keep)
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
        except (NotTried, OSError, subprocess.SubprocessError) as error:
            reason = error
        except (KeyError, ValueError) as error:  # a JSON file has another content
            reason = f"{type(error).__name__}: {error}"
    print(f"not tried: {reason}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())

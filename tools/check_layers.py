"""Checks the borders inside the project, with one line for each violation.

    python3 tools/check_layers.py [--library build/lib/libetscope.so] [FOLDER]

* which folder of src/ may include from which, and who may use which outside library
* device-capable folders use neither the heap nor stdio; no library folder prints or ends the program
* public headers include public headers only
* the names of source files are unique, and no source file is longer than 800 lines
* with --library: the shared library exports nothing but names that start with ets_

FOLDER is the project, by default the one that this script is in. Ends with 1 after a violation.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

# Folder of src/ -> folders of src/ that it may include from, besides itself. All of them may
# include public headers.
LAYERS = {
    "base": set(),
    "host": {"base"},
    "numerics": {"base"},
    "trace": {"base", "numerics"},
    "format": {"base"},
    "verify": {"base", "format", "numerics"},
    "record": {"base", "host", "format"},
    "inspect": {"base", "host", "format", "record"},
    "compare": {"base", "inspect"},
    "engine": {"base", "host"},
    "reference": {"base", "host", "numerics", "record"},
    "gap": {"base", "inspect", "numerics", "reference"},
    "views": {"base", "compare", "gap", "host", "inspect", "numerics"},
    "output": {"base", "compare", "gap", "host", "inspect", "numerics", "views"},
    "cli": {"output", "views"},
}
DEVICE = {"base", "trace", "format", "numerics", "verify"}

# The first part of an outside library's include path -> folders of src/ that may use it.
LIBRARIES = {
    "zlib.h": {"record"},
    "rapidjson": {"record"},
    "executorch": {"engine"},
    "dlfcn.h": {"engine", "host", "output"},
    "sqlite3.h": {"output"},
}

DEVICE_HEADERS = {"stdio.h", "stdlib.h", "malloc.h", "cstdio", "cstdlib"}
DEVICE_CALLS = ("malloc", "calloc", "realloc", "free", "strdup", "printf", "fprintf", "snprintf",
                "vsnprintf", "sprintf")
LIBRARY_CALLS = ("printf", "puts", "putchar", "perror", "exit", "_exit", "quick_exit", "abort")
# ExecuTorch's abort hook must not return; a child process that tries out a library ends there.
ALLOWED_CALLS = {("engine", "abort"), ("engine", "_exit")}

LONGEST_FILE = 800
SOURCE_SUFFIXES = {".c", ".h", ".cc", ".hpp", ".py", ".sh", ".cmake"}
CODE_SUFFIXES = {".c", ".h", ".cc", ".hpp"}
# What is not source: recorded files and the inputs of the fuzz targets.
DATA_FOLDERS = ("tests/data", "fuzz/corpus")
REPEATED_NAMES = {"CMakeLists.txt", "README.md", "__init__.py"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(<[^>\n]+>|"[^"\n]+")', re.MULTILINE)
NOT_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL
)


def blank(match):
    """Line breaks stay, so that line numbers do."""
    return re.sub(r"[^\n]", " ", match[0])


def without_comments(text):
    def keep_strings(match):
        return blank(match) if match[0].startswith("/") else match[0]

    return NOT_CODE.sub(keep_strings, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


class Checker:
    def __init__(self, root):
        self.root = root
        self.violations = []

    def report(self, path, line, message):
        place = path.relative_to(self.root).as_posix()
        self.violations.append(f"{place}:{line}: {message}" if line else f"{place}: {message}")

    def files(self, folder, suffixes):
        for path in sorted((self.root / folder).rglob("*")):
            place = path.relative_to(self.root).as_posix()
            if path.suffix in suffixes and path.is_file() and "__pycache__" not in path.parts:
                if not any(place.startswith(data + "/") for data in DATA_FOLDERS):
                    yield path

    def check_layers(self):
        for folder in sorted(path for path in (self.root / "src").glob("*") if path.is_dir()):
            if folder.name not in LAYERS:
                self.report(folder, 0, "this folder is no layer that tools/check_layers.py knows")
                continue
            for path in self.files(f"src/{folder.name}", CODE_SUFFIXES):
                text = path.read_text(encoding="utf-8")
                self.check_includes(path, folder.name, without_comments(text))
                self.check_calls(path, folder.name, NOT_CODE.sub(blank, text))

    def check_includes(self, path, layer, text):
        for match in INCLUDE.finditer(text):
            name = match[1][1:-1]
            line = line_of(text, match.start(1))
            first = name.split("/")[0]
            if first in LIBRARIES and layer not in LIBRARIES[first]:
                users = ", ".join(f"src/{user}" for user in sorted(LIBRARIES[first]))
                self.report(path, line, f"only {users} may include {match[1]}")
            elif layer in DEVICE and name in DEVICE_HEADERS:
                self.report(path, line, f"src/{layer} runs on devices: it must not include {name}")
            elif match[1].startswith("<"):
                continue
            elif "/" not in name:
                if not (path.parent / name).is_file():
                    self.report(path, line, f'"{name}" does not say its folder')
            elif first in LAYERS and first != layer and first not in LAYERS[layer]:
                self.report(path, line, f"src/{layer} must not include from src/{first} ({name})")

    def check_calls(self, path, layer, text):
        if layer == "cli":
            return
        for match in re.finditer(r"(?<![\w.>])(\w+)\s*\(", text):
            line = line_of(text, match.start())
            if layer in DEVICE and match[1] in DEVICE_CALLS:
                self.report(path, line, f"src/{layer} runs on devices: it must not call {match[1]}")
            elif match[1] in LIBRARY_CALLS and (layer, match[1]) not in ALLOWED_CALLS:
                self.report(path, line, f"a library must not call {match[1]}")

    def check_public_headers(self):
        for path in self.files("include", CODE_SUFFIXES):
            text = without_comments(path.read_text(encoding="utf-8"))
            for match in INCLUDE.finditer(text):
                name = match[1][1:-1]
                if match[1].startswith('"') and not (self.root / "include" / name).is_file():
                    self.report(path, line_of(text, match.start(1)),
                                f"a public header must not include {name}")

    def check_names_and_lengths(self):
        seen = {}
        for folder in ("src", "include", "tests", "fuzz"):
            for path in self.files(folder, SOURCE_SUFFIXES):
                if path.name not in REPEATED_NAMES:
                    other = seen.setdefault(path.name, path)
                    if other is not path:
                        self.report(path, 0,
                                    f"{other.relative_to(self.root).as_posix()} has the same name")
                lines = path.read_text(encoding="utf-8").count("\n")
                if lines > LONGEST_FILE:
                    self.report(path, 0, f"{lines} lines, more than {LONGEST_FILE}")

    def check_exports(self, library):
        listing = subprocess.run(["nm", "-D", "--defined-only", str(library)],
                                 stdout=subprocess.PIPE, check=True, text=True).stdout
        for line in listing.splitlines():
            name = line.split()[-1]
            if not name.startswith("ets_"):
                self.violations.append(f"{library}: exports {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=Path, help="the shared library, if it is built")
    parser.add_argument("folder", type=Path, nargs="?",
                        default=Path(__file__).resolve().parent.parent, help="the project")
    options = parser.parse_args()

    checker = Checker(options.folder.resolve())
    checker.check_layers()
    checker.check_public_headers()
    checker.check_names_and_lengths()
    if options.library and options.library.is_file():
        checker.check_exports(options.library)
    for violation in checker.violations:
        print(violation)
    return 1 if checker.violations else 0


if __name__ == "__main__":
    sys.exit(main())

"""Checks how the project is built up, with one line for each violation.

    python3 tools/check_layers.py [--build BUILD] [FOLDER]

In the sources:
* which folder of src/ may use which other, by #include; a public header counts as the folder that
  implements it; and who may use which outside library
* which room of src/cli and src/output may use which other: no command another's folder
* device-capable folders use neither the heap nor stdio; no library folder prints or ends the program
* src/host/os alone includes headers of an operating system, beside the engine's plug-in
* backends are named, and their formats read, only where that is the purpose (BACKEND_FOLDERS)
* no text outside of src/cli names an option or a command of the command line
* public headers include public headers only, and stable ones no experimental ones, which say so
* the names of source files are unique, and no source file is longer than 800 lines
* each folder has a README.md, which names files that exist; each source file an opening comment
* each function of a public header is used by something that is shipped, or shown in an example

With --build, in the objects and libraries of a build in that folder:
* which folder uses which other, by symbol; and no circle between the files of one folder
* all global names begin with ets_; the shared library exports what public headers declare, fewer
  than 200 functions, and nothing else
* each library for devices links alone: what it leaves undefined is in the C library

FOLDER is the project, by default the one that this script is in. Ends with 1 after a violation.
"""

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

# Folder of src/ -> folders of src/ that it may use, besides itself.
LAYERS = {
    "base": set(),
    "operators": {"base"},
    "numerics": {"base"},
    "trace": {"base", "numerics"},
    "format": {"base"},
    "verify": {"base", "format", "numerics"},
    "payload": {"base", "format", "host", "operators"},
    "host": {"base"},
    "dump": {"base", "format", "host", "trace"},
    "record": {"base", "format", "host", "operators"},
    "import": {"base", "format", "host", "record", "trace"},
    "contents": {"base", "format", "host", "operators", "record", "payload"},
    "memory": {"base", "format", "host", "operators", "record", "payload"},
    "rewrite": {"base", "format", "host", "memory", "payload"},
    "inspect": {"base", "dump", "format", "host", "operators", "record", "payload"},
    "cost": {"base", "format", "host", "inspect", "operators", "record", "payload"},
    "partition": {"base", "format", "host", "inspect", "operators", "record"},
    "compare": {"base", "format", "host", "inspect", "operators", "payload", "record"},
    "engine": {"base", "format", "host", "payload"},
    "generate": {"base", "engine", "format", "host", "memory", "numerics"},
    "reference": {"base", "engine", "host", "numerics", "operators", "record"},
    "quality": {"base", "engine", "format", "generate", "host", "numerics", "operators", "payload", "record", "reference"},
    "gap": {"base", "format", "host", "inspect",
            "numerics", "operators", "record", "reference", "verify", "payload"},
    "views": {"base", "compare", "contents", "cost", "format", "gap",
              "host", "inspect", "memory", "numerics", "operators", "record", "rewrite", "verify", "payload"},
    "advice": {"base", "contents", "cost", "format", "gap", "host",
               "inspect", "memory", "operators", "partition", "record", "views", "payload"},
    "study": {"advice", "base", "contents", "cost", "format", "gap", "host", "inspect", "memory", "record", "views", "payload"},
    "catalogue": {"advice", "base", "format", "host", "inspect", "memory", "study", "views"},
    "output": {"advice", "base", "catalogue", "compare", "contents", "cost", "dump", "format", "gap", "generate", "host", "inspect",
               "memory", "numerics", "partition", "quality", "record", "rewrite", "study", "verify", "views", "payload"},
    # Beside public headers: views, output, and inner headers for what no user of the library asks.
    "cli": {"advice", "contents", "cost", "dump", "engine", "format", "generate", "host", "import", "inspect", "memory", "numerics", "output",
            "quality", "record", "rewrite", "study", "verify", "views", "payload"},
}
# Folder of src/ -> its rooms -> rooms of the same folder that they may use, besides themselves. Other
# rooms of cli are commands: they may use all of these and no other command.
ROOMS = {
    "cli": {
        "core": set(),
        "files": {"core"},
        "streams": {"core"},
        "beside": {"core", "files"},
        "traces": {"core", "files", "beside"},
        "session": {"core", "files", "beside"},
        "target": {"core", "files", "beside", "session"},
        "tokens": {"core", "files", "session"},
        "sides": {"core", "traces"},
        "values": {"core", "files", "beside", "traces", "session"},
        "pages": {"core", "values"},
    },
    "output": {
        "text": set(),
        "table": {"text"},
        "picture": {"text"},
        "graph": {"text"},
        "export": {"graph", "text"},
        "arrow": {"table"},
        "sql": {"table"},
        "page": {"sql", "text"},
    },
}
HAS_MORE_ROOMS = {"cli"}
DEVICE = {"base", "trace", "format", "numerics", "verify"}

# Public header -> the folders that implement it; what is not listed belongs to all (base, tensor).
OWNERS = {
    "arrow": {"output"},
    "budget": {"compare"},
    "bundle": {"format"},
    "device_log": {"dump", "trace"},
    "captured_values": {"inspect"},
    "comparator_plugin": {"host"},
    "comparators": {"numerics"},
    "delegates": {"inspect"},
    "difference": {"compare"},
    "engine": {"engine"},
    "etdump": {"dump", "trace"},
    "etrecord": {"record"},
    "file": {"host", "format"},
    "gap": {"gap"},
    "inspect": {"inspect"},
    "numerics": {"numerics"},
    "pool": {"compare"},
    "program": {"format"},
    "row_filter": {"inspect"},
    "trace": {"trace"},
    "trace_extra": {"dump", "trace"},
    "verify": {"verify"},
}
# Public headers that may change from version to version; those that stay do not include them.
EXPERIMENTAL = "etscope/experimental/"

# The first part of an outside library's include path -> folders of src/ that may use it.
LIBRARIES = {
    "zlib.h": {"output", "record"},
    "rapidjson": {"record"},
    "executorch": {"engine"},
    "sqlite3.h": {"output"},
}

# What the C library does not promise: one room asks the operating system, and the engine's plug-in,
# which is not built where there is no runtime.
SYSTEM_HEADERS = re.compile(
    r"(?:sys|netinet|arpa|mach|mach-o|linux|net)/.*|(?:aio|dirent|dlfcn|fcntl|fnmatch|ftw|glob|grp|"
    r"iconv|io|langinfo|netdb|nl_types|poll|process|pthread|pwd|regex|sched|semaphore|spawn|syslog|"
    r"termios|ucontext|unistd|utime|wordexp|windows|winsock2|ws2tcpip|psapi|ntsecapi|direct)\.h"
)
SYSTEM_FOLDERS = ("src/host/os/", "src/engine/plugin/")

# What may know a backend: its format, its reader, rules of its own, its library.
BACKEND_FOLDERS = {"format", "payload", "partition", "rewrite", "advice"}
BACKEND_FILES = {
    "src/cli/dump/dump_payload.c",  # writes formats field by field
}
BACKEND_CODE = re.compile(
    r'"format/(?:xnnpack|xnnpack_schema|vulkan_schema|vela)\.h"'
    r"|\b(?:ets|ETS)_(?:xnnpack|XNNPACK|vulkan|VULKAN|vela|VELA|ETHOS_U)_\w+"
    r'|"(?:Xnnpack|Vulkan|EthosU|Arm|CoreML|CoreAI|Qnn|MPS|MLX|Metal|Cuda|Vgf|TOSA|Openvino|'
    r'Neuropilot|Enn|Neutron|Native)Backend"'
)

DEVICE_HEADERS = {"stdio.h", "stdlib.h", "malloc.h", "cstdio", "cstdlib"}
DEVICE_CALLS = ("malloc", "calloc", "realloc", "free", "strdup", "printf", "fprintf", "snprintf",
                "vsnprintf", "sprintf")
LIBRARY_CALLS = ("printf", "puts", "putchar", "perror", "exit", "_exit", "quick_exit", "abort")
# ExecuTorch's abort hook must not return; a child process that tries out a library ends there.
ALLOWED_CALLS = {("engine", "abort"), ("engine", "_exit")}

LONGEST_FILE = 800
MOST_EXPORTS = 200
SOURCE_SUFFIXES = {".c", ".h", ".cc", ".hpp", ".py", ".sh", ".cmake"}
CODE_SUFFIXES = {".c", ".h", ".cc", ".hpp"}
# Libraries that applications for devices link, and nothing else with them.
DEVICE_LIBRARIES = ("libetscope_trace.a", "libetscope_verify.a")
C_LIBRARY = {"memchr", "memcmp", "memcpy", "memmove", "memset", "strlen", "log10", "sqrt"}
# What calls a function of a public header that something is shipped for.
USERS = ("src/cli", "src/output", "src/views", "python/etscope", "examples", "platforms", "docs",
         "README.md")

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


# A word of the command line: an option, or the program with a command.
STRING = re.compile(r"\"(?:\\.|[^\"\\\n])*\"")
COMMAND_WORD = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+|\betscope ([a-z]+)\b")


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
        self.check_table()
        for folder in sorted(path for path in (self.root / "src").glob("*") if path.is_dir()):
            if folder.name not in LAYERS:
                self.report(folder, 0, "this folder is no layer that tools/check_layers.py knows")
                continue
            self.check_rooms(folder)
            for path in self.files(f"src/{folder.name}", CODE_SUFFIXES):
                text = path.read_text(encoding="utf-8")
                self.check_includes(path, folder.name, without_comments(text))
                self.check_calls(path, folder.name, NOT_CODE.sub(blank, text))
                self.check_backends(path, folder.name, without_comments(text))
                self.check_speech(path, folder.name, without_comments(text))

    def check_rooms(self, folder):
        rooms = ROOMS.get(folder.name)
        if rooms is None:
            return
        for room in sorted(path for path in folder.glob("*") if path.is_dir()):
            if room.name not in rooms and folder.name not in HAS_MORE_ROOMS:
                self.report(room, 0, "this folder is no room that tools/check_layers.py knows")
                continue
            allowed = rooms.get(room.name, set(rooms)) | {room.name}
            for path in self.files(f"src/{folder.name}/{room.name}", CODE_SUFFIXES):
                text = without_comments(path.read_text(encoding="utf-8"))
                for match in INCLUDE.finditer(text):
                    parts = match[1][1:-1].split("/")
                    if parts[0] == folder.name and len(parts) > 2 and parts[1] not in allowed:
                        self.report(path, line_of(text, match.start(1)),
                                    f"src/{folder.name}/{room.name} must not include from"
                                    f" src/{folder.name}/{parts[1]} ({'/'.join(parts)})")

    def check_table(self):
        """DESIGN.md states the same borders for people."""
        path = self.root / "DESIGN.md"
        if not path.is_file():
            return
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            if len(cells) != 4 or cells[1] not in LAYERS:
                continue
            said = cells[3].replace(", and public headers", "").split()
            allowed = sorted(LAYERS[cells[1]]) or ["nothing"]
            if sorted(said) != allowed:
                self.report(path, number, f"src/{cells[1]} may use: {' '.join(allowed)}")

    def check_includes(self, path, layer, text):
        for match in INCLUDE.finditer(text):
            name = match[1][1:-1]
            line = line_of(text, match.start(1))
            first = name.split("/")[0]
            place = path.relative_to(self.root).as_posix()
            if SYSTEM_HEADERS.fullmatch(name) and not place.startswith(SYSTEM_FOLDERS):
                self.report(path, line, f"only src/host/os asks the operating system ({name})")
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
            elif first == "etscope":
                # The command line may use all that users of the library may.
                owners = OWNERS.get(Path(name).stem, {"base"})
                if layer != "cli" and not owners & (LAYERS[layer] | {layer, "base"}):
                    owner = " and src/".join(sorted(owners))
                    self.report(path, line,
                                f"src/{layer} must not include from src/{owner} ({name})")
            elif first in LAYERS and first not in LAYERS[layer] | {layer}:
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

    def check_backends(self, path, layer, text):
        name = path.relative_to(self.root).as_posix()
        if layer in BACKEND_FOLDERS or name in BACKEND_FILES or name.startswith("src/engine/plugin/"):
            return
        for match in BACKEND_CODE.finditer(text):
            self.report(path, line_of(text, match.start()),
                        f"src/{layer} must not know backends: ask src/payload ({match[0]})")

    def check_speech(self, path, layer, text):
        """The library says what is wrong, the command line what to type (enum ets_advice)."""
        if layer == "cli":
            return
        commands = {file.stem[4:] for file in (self.root / "src/cli").rglob("cmd_*.c")}
        for string in STRING.finditer(text):
            for match in COMMAND_WORD.finditer(string[0]):
                if match[1] is None or match[1] in commands:
                    self.report(path, line_of(text, string.start()),
                                f"only the command line says what to type ({match[0]})")

    def check_public_headers(self):
        for path in self.files("include", CODE_SUFFIXES):
            is_experimental = EXPERIMENTAL in path.as_posix()
            text = path.read_text(encoding="utf-8")
            if is_experimental and "Experimental: " not in text.split("#", 1)[0]:
                self.report(path, 1, "the first comment does not say that it is experimental")
            text = without_comments(text)
            for match in INCLUDE.finditer(text):
                name = match[1][1:-1]
                if match[1].startswith('"') and not (self.root / "include" / name).is_file():
                    self.report(path, line_of(text, match.start(1)),
                                f"a public header must not include {name}")
                elif name.startswith(EXPERIMENTAL) and not is_experimental:
                    self.report(path, line_of(text, match.start(1)),
                                f"a stable header must not include {name}")

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

    def check_signs(self):
        for folder in sorted(path for path in (self.root / "src").rglob("*") if path.is_dir()):
            if folder.name != "__pycache__" and not (folder / "README.md").is_file():
                self.report(folder, 0, "this folder has no README.md")
        sources = {path.name for top in ("src", "include")
                   for path in (self.root / top).rglob("*") if path.is_file()}
        for path in sorted((self.root / "src").rglob("README.md")):
            for name in re.findall(r"\b\w+\.(?:c|cc|h|hpp)\b", path.read_text(encoding="utf-8")):
                if name not in sources:
                    self.report(path, 0, f"there is no {name}")
        for path in self.files("src", CODE_SUFFIXES):
            if not path.read_text(encoding="utf-8").startswith(("/*", "//")):
                self.report(path, 1, "the file does not begin with a comment that says what it is")

    def check_functions_in_use(self):
        """Each exported function is there for somebody."""
        texts = []
        for user in USERS:
            place = self.root / user
            for path in [place] if place.is_file() else sorted(place.rglob("*")):
                if path.is_file() and path.suffix in CODE_SUFFIXES | {".md", ".py"}:
                    texts.append(path.read_text(encoding="utf-8"))
        for path in self.files("include", {".hpp"}):
            texts.append(path.read_text(encoding="utf-8"))
        used = set(re.findall(r"\bets_\w+", " ".join(texts)))
        for path, line, name in self.public_functions():
            if name not in used:
                self.report(path, line, f"{name} is used by no command, package, example or page")

    def check_build(self, build):
        objects = {place: names for place, names in read_objects(build / "src").items()
                   if (self.root / "src" / place).is_file()}
        where = {name: path for path, (defined, _) in objects.items() for name in defined}
        uses = {path: {where[name] for name in wanted if name in where} - {path}
                for path, (_, wanted) in objects.items()}
        for path in sorted(uses):
            self.check_symbols(path, objects[path][1], where)
        for circle in circles(uses):
            self.violations.append(f"src/{circle[0]}: a circle of files: " + ", ".join(circle))
        for archive in sorted((build / "lib").glob("libetscope*.a")):
            self.check_archive(archive)
        for library in sorted((build / "lib").glob("libetscope.so")):
            self.check_exports(library)

    def check_symbols(self, path, wanted, where):
        layer = path.split("/")[0]
        if layer == "cli":
            return  # what it may include says it all
        for name in sorted(wanted):
            used = where.get(name, path).split("/")[0]
            if layer in LAYERS and used != layer and used not in LAYERS[layer]:
                self.violations.append(f"src/{path}: src/{layer} must not use src/{used} ({name})")

    def check_archive(self, archive):
        defined, wanted = set(), set()
        for kind, name in symbols(listing(archive)):
            (wanted if kind == "U" else defined).add(name)
            if kind != "U" and not name.startswith(("ets_", "_")):
                self.violations.append(f"{archive.name}: the name {name} does not begin with ets_")
        if archive.name in DEVICE_LIBRARIES:
            for name in sorted(wanted - defined - C_LIBRARY):
                if not name.startswith("_"):
                    self.violations.append(f"{archive.name}: {name} is not defined in it")

    def check_exports(self, library):
        """The shared library exports the functions of public headers, and nothing else."""
        declared = {name for _, _, name in self.public_functions()}
        exported = {name for _, name in symbols(listing("-D", "--defined-only", library))}
        for name in sorted(exported - declared):
            self.violations.append(f"{library.name}: exports {name}")
        for name in sorted(declared - exported):
            self.violations.append(f"{library.name}: does not export {name}")
        if len(declared) >= MOST_EXPORTS:
            self.violations.append(f"{library.name}: {len(declared)} functions are public,"
                                   f" {MOST_EXPORTS} are too many")

    def public_functions(self):
        """Header, line and name of each function that a public header declares with ETS_API."""
        for path in self.files("include", {".h"}):
            text = NOT_CODE.sub(blank, path.read_text(encoding="utf-8"))
            for match in re.finditer(r"^ETS_API\b[^;(]*?\b(ets_\w+)\(", text, re.MULTILINE):
                yield path, line_of(text, match.start(1)), match[1]


def listing(*arguments):
    """What nm prints of global names."""
    return subprocess.run(["nm", "-g", *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True, text=True).stdout.splitlines()


def symbols(lines):
    """Global names, with nm's letter for what they are."""
    for line in lines:
        fields = line.split()
        if len(fields) >= 2 and len(fields[-2]) == 1:
            yield fields[-2], fields[-1]


def read_objects(folder):
    """Place of a source in src/ -> the global names that its object defines, and that it wants.

    The engine's plug-in is apart: it has its own copy of what it needs of base."""
    places = {}
    for path in sorted(folder.rglob("*.o")):
        match = re.search(r"/src/(\w+)/CMakeFiles/(?:ets_\w+|etscope)\.dir/(.*)\.o$", path.as_posix())
        if match is not None and ".." not in match[2]:
            places[str(path)] = f"{match[1]}/{match[2]}"
    objects = {place: (set(), set()) for place in places.values()}
    # One process for all, which names the file in each line: hundreds take seconds.
    lines = defaultdict(list)
    for line in listing("-A", *places) if places else ():
        path, _, name = line.rpartition(".o:")
        lines[f"{path}.o"].append(name)
    for path, place in places.items():
        for kind, name in symbols(lines[path]):
            objects[place][kind == "U"].add(name)
    return objects


def circles(uses):
    """Files of one folder that use each other, all around: each circle sorted."""
    reach = {}
    for start in uses:
        seen, todo = set(), [start]
        while todo:
            for other in uses.get(todo.pop(), ()):
                if other not in seen and other.split("/")[0] == start.split("/")[0]:
                    seen.add(other)
                    todo.append(other)
        reach[start] = seen
    found = defaultdict(list)
    for path in sorted(uses):
        if path in reach[path]:
            mutual = sorted(other for other in reach[path] if path in reach[other])
            found[mutual[0]] = mutual
    return list(found.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, help="a folder with a build of the project")
    parser.add_argument("folder", type=Path, nargs="?",
                        default=Path(__file__).resolve().parent.parent, help="the project")
    options = parser.parse_args()

    checker = Checker(options.folder.resolve())
    checker.check_layers()
    checker.check_public_headers()
    checker.check_names_and_lengths()
    checker.check_signs()
    checker.check_functions_in_use()
    if options.build:
        checker.check_build(options.build.resolve())
    for violation in checker.violations:
        print(violation)
    return 1 if checker.violations else 0


if __name__ == "__main__":
    sys.exit(main())

"""Small files that ask for much: what every command takes of memory and time, and gives, is bounded.

SECURITY.md states the bound: 512 MiB and 256 times the bytes of the files.
"""

import json
import os
import pathlib
import resource
import struct
import subprocess
import tempfile
import time
import unittest
import zipfile

import support

FLOOR, FACTOR = 512 << 20, 256
# Of text that escapes make longer: a byte becomes "\x1b" or "\u001b".
LONGER = 6
FORMATS = ("table", "markdown", "tsv", "csv", "json", "jsonl")
SECONDS = 20


class Bomb(support.Dump):
    """A FlatBuffer whose tables share what they can."""

    def __init__(self, identifier):
        super().__init__()
        self.start = 4 if identifier == b"ED00" else 0  # behind the size, where there is one
        self.data[self.start + 4:self.start + 8] = identifier

    def root(self, fields):
        at, references = self.table(fields)
        struct.pack_into("<I", self.data, self.start, at - self.start)
        return references

    def share(self, references, text):
        """One text for many references before it."""
        self.align(4)
        target = len(self.data)
        for reference in references:
            self.point(reference, target)
        self.data += struct.pack("<I", len(text)) + text + b"\0"

    def save(self, path):
        self.align(8)
        if self.start > 0:
            struct.pack_into("<I", self.data, 0, len(self.data) - self.start)
        pathlib.Path(path).write_bytes(self.data)
        return path


def shared_names(path, events, name, is_delegated=True):
    """Events of distinct instructions with one name, whose delegate identifier it is, too."""
    bomb = Bomb(b"ED00")
    runs = bomb.root({1: ("ref", None)})
    (place,) = bomb.vector(runs[1], 1)
    run, references = bomb.table({0: ("ref", None), 3: ("ref", None)})
    bomb.point(place, run)
    names = [references[0]]
    for number, event in enumerate(bomb.vector(references[3], events)):
        at, inner = bomb.table({0: ("ref", None)})
        bomb.point(event, at)
        fields = {0: ("ref", None), 1: ("<i", 0), 2: ("<i", number), 4: ("ref", None),
                  6: ("<Q", number), 7: ("<Q", number + 5)}
        if not is_delegated:
            del fields[4]
        at, texts = bomb.table(fields)
        bomb.point(inner[0], at)
        names += texts.values()
    bomb.share(names, name)
    return bomb.save(path)


def many_runs(path, count, size):
    """Runs of one event each, whose long name they share; each is a block of its own."""
    bomb = Bomb(b"ED00")
    runs = bomb.root({1: ("ref", None)})
    names = []
    for number, place in enumerate(bomb.vector(runs[1], count)):
        run, references = bomb.table({0: ("ref", None), 3: ("ref", None)})
        bomb.point(place, run)
        names.append(references[0])
        (event,) = bomb.vector(references[3], 1)
        at, inner = bomb.table({0: ("ref", None)})
        bomb.point(event, at)
        at, texts = bomb.table({0: ("ref", None), 1: ("<i", 0), 2: ("<i", number)})
        bomb.point(inner[0], at)
        names.append(texts[0])
    bomb.share(names, b"r" * size)
    return bomb.save(path)


def delegate_calls(path, calls, size):
    """Calls of one delegate with a long name, by its index; they share their list of arguments."""
    bomb = Bomb(b"ET12")
    program = bomb.root({1: ("ref", None), 3: ("ref", None)})
    (place,) = bomb.vector(program[1], 1)
    plan, parts = bomb.table({slot: ("ref", None) for slot in (0, 2, 3, 4, 5, 6, 7, 8)})
    bomb.point(place, plan)
    bomb.text(parts[0], "forward")
    for slot in (2, 3, 4, 6):
        bomb.vector(parts[slot], 0)
    bomb.vector(parts[8], 0)
    (place,) = bomb.vector(parts[5], 1)
    chain, lists = bomb.table({2: ("ref", None)})
    bomb.point(place, chain)
    for place in bomb.vector(lists[2], calls):
        at, inner = bomb.table({0: ("<B", 2), 1: ("ref", None)})
        bomb.point(place, at)
        at, _ = bomb.table({0: ("<i", 0)})
        bomb.point(inner[1], at)
    (place,) = bomb.vector(parts[7], 1)
    delegate, inner = bomb.table({0: ("ref", None), 1: ("ref", None)})
    bomb.point(place, delegate)
    bomb.text(inner[0], "b" * size)
    blob, _ = bomb.table({0: ("<b", 0), 1: ("<I", 0)})
    bomb.point(inner[1], blob)
    (place,) = bomb.vector(program[3], 1)
    data, inner = bomb.table({0: ("ref", None)})
    bomb.point(place, data)
    bomb.vector(inner[0], 0)
    return bomb.save(path)


def one_handle(path, model, instructions, nodes, size):
    """A record in which every instruction has the handle that all nodes share, with long traces."""
    source = support.fixture(model, "model.etrecord")
    edge = "edge_dialect_exported_program/forward"
    with zipfile.ZipFile(source) as record:
        program = json.loads(record.read(edge))
    graph = program["graph_module"]["graph"]["nodes"]
    node = next(node for node in graph if "debug_handle" in node["metadata"])
    handle = int(node["metadata"]["debug_handle"])
    node["metadata"]["stack_trace"] = f'  File "{"p" * size}.py", line 3, in forward\n    x = y\n'
    graph += [node] * nodes
    support.replace_entries(source, path, {
        edge: json.dumps(program),
        "debug_handle_map": json.dumps({"forward": {str(i): [handle] for i in range(instructions)}})})
    return path


def limit_memory():
    """A bomb that goes off ends the command, not the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def measure(*words):
    """Exit code, bytes of output, peak of resident memory and seconds of a command."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as errors, subprocess.Popen(
            [support.ETSCOPE, *map(str, words)], stdout=subprocess.PIPE, stderr=errors,
            env={**os.environ, "LC_ALL": "C.UTF-8"}, preexec_fn=limit_memory) as process:
        written = 0
        while part := process.stdout.read(1 << 20):
            written += len(part)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        message = errors.read(2000).decode()
    return process.returncode, written, usage.ru_maxrss * 1024, time.monotonic() - start, message


class Bombs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = pathlib.Path(cls.holder.name)

    def check(self, *words):
        files = [word for word in words if isinstance(word, pathlib.Path)]
        bound = FLOOR + FACTOR * sum(path.stat().st_size for path in files)
        code, written, peak, seconds, message = measure(*words)
        if os.environ.get("BOMBS"):
            print(f"{code} {written >> 10:>9} KiB out {peak >> 20:>5} MiB {seconds:6.2f} s",
                  *(word.name if isinstance(word, pathlib.Path) else word for word in words),
                  message[:150].strip())
        with self.subTest(words=words):
            self.assertIn(code, (support.OK, 1, support.INPUT, support.MISMATCH,
                                 support.UNAVAILABLE), message)
            self.assertNotIn("no such", message)
            self.assertLess(written, LONGER * bound)
            self.assertLess(peak, bound)
            self.assertLess(seconds, SECONDS)

    def check_trace(self, path, record=(), formats=FORMATS):
        for form in formats:
            for words in (("inspect",), ("inspect", "--tree"), ("inspect", "--group-by", "op"),
                          ("inspect", "--group-by", "run"), ("inspect", "--all"), ("summary",),
                          ("tensors",)):
                self.check(words[0], path, *words[1:], *record, "--format", form)
            self.check("diff", path, path, *record, "--format", form)
            for table in ("events", "operators", "runs"):
                self.check("sql", f"select * from {table}", path, *record, "--format", form)
            if record:
                self.check("annotate", path, *record, "--format", form)
        for form in ("table", "json"):
            self.check("info", path, "--format", form)

    def test_bombs__events_share_a_name(self):
        for size in (4096, 200000):
            self.check_trace(shared_names(self.folder / f"events{size}.etdp", 4000, b"n" * size))

    def test_bombs__names_that_escapes_make_longer(self):
        self.check_trace(shared_names(self.folder / "escapes.etdp", 4000, b"\033" * 4000))

    def test_bombs__events_without_much(self):
        self.check_trace(shared_names(self.folder / "plain.etdp", 20000, b"n"))

    def test_bombs__runs_share_a_name(self):
        self.check_trace(many_runs(self.folder / "runs.etdp", 3000, 4000))

    def test_bombs__calls_share_a_delegate(self):
        for size in (4096, 500000):
            path = delegate_calls(self.folder / f"calls{size}.pte", 20000, size)
            for form in FORMATS:
                self.check("delegates", path, "--format", form)
                self.check("sql", "select * from instructions", path, "--format", form)
            for form in ("table", "json"):
                self.check("info", path, "--format", form)

    def test_bombs__nodes_share_a_handle(self):
        trace = shared_names(self.folder / "one.etdp", 3000, b"OPERATOR_CALL", False)
        for nodes, size in ((300, 20000), (1000, 20)):
            record = one_handle(self.folder / "one.etrecord", "mlp_portable", 3000, nodes, size)
            self.check_trace(trace, ("--etrecord", record), ("table", "json"))


if __name__ == "__main__":
    unittest.main()

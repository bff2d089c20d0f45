"""What the tests of the command line share: running it, fixtures, dumps and records made up."""

import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import tempfile
import termios
import unittest
import zipfile
import zlib

ETSCOPE = os.environ.get("ETSCOPE", "etscope")
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
# The program is another processor's, which runs ten times as slow, in memory that QEMU shares.
IS_EMULATED = bool(os.environ.get("ETSCOPE_EMULATED"))
EMULATOR_BYTES = (32 << 20) if IS_EMULATED else 0

# docs/exit-codes.md
OK, USAGE, INPUT, MISMATCH, UNAVAILABLE, INTERNAL = 0, 2, 3, 4, 6, 7

MODELS = sorted(path.parent.name for path in DATA.glob("*/model.etrecord"))


def run(*words, stdin=None, env=None, **options):
    """Runs etscope; bytes in and out."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}
    environment.pop("COLUMNS", None)
    if env and "COLUMNS" in env:
        environment["COLUMNS"] = env["COLUMNS"]
    return subprocess.run([ETSCOPE, *map(str, words)], input=stdin, env=environment,
                          capture_output=True, timeout=60, check=False, **options)


def on_a_terminal(*words, width=0):
    """The bytes that a terminal of so many columns would get of both streams, and the exit code."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    environment.pop("COLUMNS", None)
    with subprocess.Popen([ETSCOPE, *map(str, words)], stdout=slave, stderr=slave,
                          env=environment) as process:
        os.close(slave)
        data = bytearray()
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # Linux says so where the other end is closed
                part = b""
            if not part:
                break
            data += part
        code = process.wait(60)
    os.close(master)
    return bytes(data).replace(b"\r\n", b"\n"), code


def write_opened_page(folder):
    """A stand-in of the page that `etscope open` puts files into, which ETSCOPE_PAGE names."""
    page = pathlib.Path(folder) / "page.html"
    page.write_text('<html><script type="application/octet-stream" class="program">UA==</script></html>')
    return str(page)


def commands():
    """The names of all commands, as the program lists them."""
    return tuple(row["command"] for row in json_rows(run("help", "--format", "json").stdout))


def inspect(*words, **options):
    done = run("inspect", *words, **options)
    if done.returncode == UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    return done


def json_rows(text):
    """The rows of a document of --format json (docs/json.md)."""
    document = json.loads(text)
    own = ["kv_cache"] if document["command"] == "memory" else []
    assert list(document) == ["etscope", "schema", "command", "headline", *own, "rows", "inputs",
                              "notes"], list(document)
    return document["rows"]


def below_headline(text):
    """The lines of a table below its headline, which ends with an empty line."""
    return text.decode().split("\n\n", 1)[1].splitlines()


def rows(*words):
    """The table as a list of dictionaries."""
    done = inspect(*words, "--format", "json")
    assert done.returncode == OK, done.stderr
    return json_rows(done.stdout)


def document(*words):
    """The whole document of inspect."""
    done = inspect(*words, "--format", "json")
    assert done.returncode == OK, done.stderr
    return json.loads(done.stdout)


class FolderTest(unittest.TestCase):
    """A test in a folder of its own, `self.folder`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class ExportTest(FolderTest):
    """A test of what `export` writes; skipped where this build cannot write it."""

    def export(self, form, *words):
        done = run("export", *words, "--to", form, "-o", "-")
        if done.returncode == UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, OK, done.stderr)
        return done.stdout


def fixture(model, name):
    return DATA / model / name


def golden(model):
    """What upstream's Inspector said of it."""
    return json.loads(fixture(model, "golden.json").read_text())


def with_record(model, kind="profile"):
    """The words that name a model's dump and record."""
    return fixture(model, f"{kind}.etdp"), "--etrecord", fixture(model, "model.etrecord")


def replace_entries(record, target, entries):
    """Copies a record with some entries replaced; None leaves one out."""
    with zipfile.ZipFile(record) as source, zipfile.ZipFile(target, "w") as copy:
        for info in source.infolist():
            data = entries.get(info.filename, source.read(info))
            if data is not None:
                copy.writestr(zipfile.ZipInfo(info.filename), data)


def make_twins(target):
    """The record of multi_method with two methods of the same instructions, and no third."""
    maps = {"encode": {"0": 1, "1": 1}, "forward": {"0": 1, "1": 1}}
    edge = "edge_dialect_exported_program/"
    replace_entries(fixture("multi_method", "model.etrecord"), target, {
        "debug_handle_map": json.dumps(maps), "delegate_map": json.dumps({m: {} for m in maps}),
        "instruction_id_to_num_outs_map": json.dumps({m: {} for m in maps}),
        **{edge + "decode" + end: None
           for end in ("", "_state_dict", "_constants", "_example_inputs")}})
    return target


class Dump:
    """An ETDump made up: a FlatBuffer whose tables are laid down one after another.

    An event is a dictionary: name, chain, instruction, id (of the delegate), delegate, metadata,
    start, end.
    Offsets point forward only, so parts are laid out before what they hold and patched afterwards.
    """

    SLOTS = {"name": (0, "text"), "chain": (1, "<i"), "instruction": (2, "<i"), "id": (3, "<i"),
             "delegate": (4, "text"), "metadata": (5, "text"), "start": (6, "<Q"), "end": (7, "<Q")}

    def __init__(self):
        self.data = bytearray(8) + b"\0\0\0\0"

    def align(self, size):
        self.data += bytes(-len(self.data) % size)

    def table(self, fields):
        """`fields`: slot -> (format, value), "ref" for an offset set later. Returns its place and
        the places of those."""
        slots = max(fields, default=-1) + 1
        self.align(2)
        vtable = len(self.data)
        self.data += bytes(4 + 2 * slots)
        self.align(8)
        at = len(self.data)
        self.data += struct.pack("<i", at - vtable)
        references = {}
        for slot, (form, value) in sorted(fields.items()):
            size = 4 if form == "ref" else struct.calcsize(form)
            self.align(size)
            struct.pack_into("<H", self.data, vtable + 4 + 2 * slot, len(self.data) - at)
            if form == "ref":
                references[slot] = len(self.data)
            self.data += bytes(4) if form == "ref" else struct.pack(form, value)
        struct.pack_into("<HH", self.data, vtable, 4 + 2 * slots, len(self.data) - at)
        return at, references

    def point(self, reference, target=None):
        target = len(self.data) if target is None else target
        struct.pack_into("<I", self.data, reference, target - reference)

    def text(self, reference, text):
        text = text if isinstance(text, bytes) else text.encode()
        self.align(4)
        self.point(reference)
        self.data += struct.pack("<I", len(text)) + text + b"\0"

    def vector(self, reference, count):
        self.align(4)
        self.point(reference)
        self.data += struct.pack("<I", count)
        places = [len(self.data) + 4 * i for i in range(count)]
        self.data += bytes(4 * count)
        return places

    def event(self, reference, event):
        at, references = self.table({} if event.get("unknown") else {0: ("ref", None)})
        self.point(reference, at)
        if not references:
            return
        fields = {}
        for key, value in event.items():
            slot, form = self.SLOTS[key]
            fields[slot] = ("ref", None) if form == "text" else (form, value)
        at, texts = self.table(fields)
        self.point(references[0], at)
        for key in ("name", "delegate", "metadata"):  # bytes are laid out as texts are
            if key in event:
                self.text(texts[self.SLOTS[key][0]], event[key])

    def run(self, reference, name, events):
        at, references = self.table({0: ("ref", None), 3: ("ref", None)})
        self.point(reference, at)
        self.text(references[0], name)
        for place, event in zip(self.vector(references[3], len(events)), events):
            self.event(place, event)


def make_dump(path, runs):
    """Writes runs, each a name and a list of events."""
    dump = Dump()
    dump.data[8:12] = b"ED00"
    root, references = dump.table({1: ("ref", None)})
    struct.pack_into("<I", dump.data, 4, root - 4)
    for place, (name, events) in zip(dump.vector(references[1], len(runs)), runs):
        dump.run(place, name, events)
    dump.align(8)
    struct.pack_into("<I", dump.data, 0, len(dump.data) - 4)
    pathlib.Path(path).write_bytes(dump.data)
    return path


# The units of times in sentences: "2.05 ms", "0.32..15.7 ms".
UNIT_OF_TIME = re.compile(r"\d (ns|us|ms|s)\b")


def call(name, instruction, start, end):
    return {"name": name, "chain": 0, "instruction": instruction, "start": start, "end": end}


def framework(name, start, end):
    return {"name": name, "chain": -1, "instruction": 0, "start": start, "end": end}


def by_number(identifier, instruction, start, end):
    return {"id": identifier, "chain": 0, "instruction": instruction, "start": start, "end": end}


def extra_block(runs=(), state=None, cost=0, clock=(1, 0, 0), fingerprint=b"", filtered=0,
                values=()):
    """An extra block, docs/SPEC.md section 6, and its footer.

    `runs`: method, invocation, purpose (0 unknown, 1 load, 2 execute), begin lost; `state`: numbers
    of the first eight fields by index; `cost`: of a pair in ns; `clock`: whether there is one,
    whether it is tied to the platform's, its Hz; `filtered`: bits of kinds; `values`: key and bytes
    of further entries.
    """
    entries = bytearray()

    def put(key, value):
        entries.extend(struct.pack("<II", key, len(value)) + value + bytes(-len(value) % 8))

    numbers = [0] * 8
    numbers[6] = 1
    for index, number in (state or {}).items():
        numbers[index] = number
    put(1, struct.pack("<IIQQ", *clock, 1 << 32))
    put(2, struct.pack("<8I4QII", *numbers, 48, 1008, 0, round(cost * 256), filtered, 0))
    if fingerprint:
        put(3, fingerprint)
    put(99, b"of a later version")
    for index, (method, invocation, purpose, is_partial) in enumerate(runs):
        put(4, struct.pack("<IIIHH", index, 0, invocation, purpose, is_partial) + method.encode())
    for key, value in values:
        put(key, value)
    footer = struct.pack("<III4s", len(entries), zlib.crc32(entries), 1, b"ETSX")
    return bytes(entries) + footer


def add_extra(path, block):
    """Puts a block behind the FlatBuffer of a dump, inside of its length."""
    data = bytearray(pathlib.Path(path).read_bytes())
    data += bytes(-len(data) % 8) + block
    struct.pack_into("<I", data, 0, len(data) - 4)
    pathlib.Path(path).write_bytes(data)
    return path

"""Files that ask for more memory than they may, given to every command that there is."""

import gzip
import os
import pathlib
import re
import unittest
import unittest.mock
import zipfile

import support
from bomb_support import IS_LONG, Bounded, delegate_calls, one_handle, payload, shared_names

# The files of each command by what they are expected to be, and the other words. A path without a
# meaning for a command is given all the same: it is opened before it is refused.
TRACE, PROGRAM, RECORD, MODEL = "TRACE", "PROGRAM", "RECORD", "MODEL"
WORDS = {
    "profile": [(PROGRAM, "--runs", "1")],
    "run": [(PROGRAM,), (PROGRAM, "--inputs", "etrecord", "--etrecord", RECORD),
            (MODEL, "--input", TRACE)],
    "machine": [(TRACE,)],
    "inspect": [(TRACE,), (TRACE, "--tree"), (TRACE, "--group-by", "run"), (TRACE, "--all"),
                (TRACE, "--program", PROGRAM, "--allow-mismatch"),
                (TRACE, "--etrecord", RECORD, "--allow-mismatch")],
    "advise": [(TRACE,), (PROGRAM,)],
    "annotate": [(TRACE, "--etrecord", RECORD, "--allow-mismatch")],
    "delegates": [(PROGRAM,), (PROGRAM, TRACE, "--allow-mismatch"), (PROGRAM, "--etrecord", RECORD)],
    "cost": [(PROGRAM,), (PROGRAM, "--etrecord", RECORD)],
    "memory": [(PROGRAM,), (PROGRAM, "--etrecord", RECORD)],
    "size": [(PROGRAM,), (PROGRAM, "--etrecord", RECORD)],
    "report": [(TRACE, "-o", "-"), (PROGRAM, "-o", "-")],
    "plot": [("timeline", TRACE, "-o", "timeline.svg"), ("memory", PROGRAM, "-o", "memory.svg"),
             ("size", PROGRAM, "-o", "size.svg"), ("runs", TRACE, "-o", "runs.svg")],
    "open": [(TRACE, "-o", "opened.html")],
    "diff": [(TRACE, TRACE), (PROGRAM, PROGRAM)],
    "gate": [(TRACE, TRACE, "--budget", "budget.txt")],
    "summary": [(TRACE,), (TRACE, TRACE)],
    "verify": [(PROGRAM,)],
    "gap": [(TRACE, "--debug-buffer", TRACE, "--etrecord", RECORD, "--allow-mismatch")],
    "generate": [(PROGRAM,)],
    "quality": [(PROGRAM, "--reference", PROGRAM, "--tokens", "budget.txt")],
    "tensors": [(TRACE,), (TRACE, "--debug-buffer", TRACE)],
    "info": [(TRACE,), (PROGRAM,), (RECORD,)],
    "dump": [(TRACE,), (PROGRAM,), (RECORD,)],
    "sql": [("select count(*) from events", TRACE), ("select * from instructions", PROGRAM)],
    "export": [(TRACE, "--to", form, "-o", "-") for form in ("chrome", "perfetto", "csv")]
    + [(PROGRAM, "--to", form, "-o", "-") for form in ("dot", "model-explorer")],
    "import": [(TRACE, "-o", "imported.etdp")],
    "bundle": [(PROGRAM, "--case", TRACE, "-o", "made.bpte")],
    "tap": [(PROGRAM, "--list", "--etrecord", RECORD), (PROGRAM, "-o", "made.pte"), (PROGRAM, "--as", "outputs", "-o", "made.pte")],
    "recover": [(TRACE, "-o", "recovered.etdp")],
    "doctor": [()],
    "help": [()],
}
EVENT = b'{"name":"n","ph":"X","ts":1,"dur":5,"pid":1,"tid":1}'


def packed_events(path, count):
    """Equal events: 2 MB of text are 8 kB, and the memory is that of what they describe."""
    with gzip.open(path, "wb", 1) as packed:
        packed.write(b'{"traceEvents":[' + b",".join([EVENT] * 1000))
        for _ in range(count // 1000 - 1):
            packed.write(b"," + b",".join([EVENT] * 1000))
        packed.write(b"]}")
    return path


def packed_entries(path, count, size):
    """A record whose entries are blanks, as many as it has, each packed to a thousandth."""
    with zipfile.ZipFile(support.fixture("mlp_portable", "model.etrecord")) as source, \
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
        for entry in source.infolist():
            text = source.read(entry)
            if entry.filename.startswith(("exported_program", "edge_dialect")) and count > 0:
                count -= 1
                text += b" " * size
            target.writestr(entry.filename, text)
    return path


class Everywhere(Bounded):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "budget.txt").write_text("operator * p50 <= +5%\n")
        named = unittest.mock.patch.dict(os.environ, ETSCOPE_PAGE=support.write_opened_page(cls.folder))
        named.start()
        cls.addClassCleanup(named.stop)
        cls.files = {TRACE: pathlib.Path(support.fixture("mlp_portable", "profile.etdp")),
                     PROGRAM: pathlib.Path(support.fixture("mlp_portable", "model.pte")),
                     MODEL: pathlib.Path(support.fixture("mlp_portable", "model.pte")),
                     RECORD: pathlib.Path(support.fixture("mlp_portable", "model.etrecord"))}

    def check_all(self, **bombs):
        """Runs the commands that take such a file; returns what each said."""
        messages = []
        for command, lines in WORDS.items():
            for words in lines:
                if not set(words) & set(bombs):
                    continue
                messages.append(self.check(command, *self.given(words, bombs)))
        return messages

    def given(self, words, bombs):
        """The files of words, for which the bound is computed; outputs are texts."""
        for word in words:
            if word in self.files:
                yield bombs.get(word, self.files[word])
            elif word.endswith((".svg", ".bpte", ".etdp", ".txt", ".html", ".pte")):
                path = self.folder / word
                yield path if word == "budget.txt" else str(path)
            else:
                yield word

    def test_bombs_everywhere__every_command_is_listed(self):
        overview = support.run("--help").stdout.decode()
        commands = re.findall(r"^  (\w+) {2,}\w", overview, re.MULTILINE)
        self.assertEqual(sorted(commands), sorted(WORDS))

    def test_bombs_everywhere__what_gzip_packed(self):
        for count in (200000, 2000000) if IS_LONG else (1000000,):
            path = packed_events(self.folder / "many.json.gz", count)
            messages = self.check_all(TRACE=path, PROGRAM=path, RECORD=path)
            if count > 200000:
                refused = [text for code, text in messages if "of memory, the limit for" in text]
                self.assertGreater(len(refused), 20)
                self.assertIn("gunzip", refused[0])

    def test_bombs_everywhere__many_packed_files(self):
        """What may be taken in any case is one amount for all files, not one for each."""
        paths = []
        for number in range(12):
            path = packed_events(self.folder / f"part{number}.json.gz", 100000)
            paths.append(path)
        for command in ("summary", "info", "report", "export", "sql") if IS_LONG else ("summary", "report"):
            words = {"report": ("-o", "-"), "export": ("--to", "perfetto", "-o", "-")}
            first = ("select count(*) from events",) if command == "sql" else ()
            self.check(command, *first, *paths, *words.get(command, ()))

    def test_bombs_everywhere__packed_entries_of_a_record(self):
        for count, size in ((1, 500 << 20), (6, 120 << 20)):
            path = packed_entries(self.folder / "packed.etrecord", count, size)
            messages = self.check_all(RECORD=path)
            if count == 1:
                said = [text for _, text in messages if "of memory, the limit for" in text]
                self.assertGreater(len(said), 1)

    def test_bombs_everywhere__calls_share_a_payload(self):
        path = delegate_calls(self.folder / "payload.pte", 20000, b"XnnpackBackend",
                              payload(5000, 10))
        self.check_all(PROGRAM=path)

    def test_bombs_everywhere__events_share_a_name(self):
        path = shared_names(self.folder / "events.etdp", 4000, b"n" * 200000)
        self.check_all(TRACE=path)

    def test_bombs_everywhere__nodes_share_a_handle(self):
        record = one_handle(self.folder / "one.etrecord", "mlp_portable", 3000, 300, 20000)
        self.check_all(RECORD=record)


if __name__ == "__main__":
    unittest.main()

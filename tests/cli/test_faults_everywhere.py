"""Every call that can fail, failing in every command: allocations, reads, writes, maps, opens, renames."""

import concurrent.futures
import os
import pathlib
import re
import tarfile
import tempfile
import unittest
import unittest.mock

import support
from fault_support import ERRNO, KINDS, LIBRARY, NO_FILTERS, OLD, Line, numbers

IS_LONG = bool(os.environ.get("ETSCOPE_LONG"))
# How many calls of a kind fail in turn: all where there are no more, else the first and some between.
MOST = {"allocate": 2000 if IS_LONG else 20, "open": 1000 if IS_LONG else 8}
OTHERS = 1000 if IS_LONG else 6
FIXTURES = ("mlp_portable", "conv_xnnpack", "multi_method")
TOKENS = ("cached", "steps", "two")

TRACE, PROGRAM, RECORD, BUNDLE = "profile.etdp", "model.pte", "model.etrecord", "model.bpte"
DEBUG, BUFFER = "debug.etdp", "debug.bin"
WITH_RECORD = ("--etrecord", RECORD)
INPUT, LOG, IMPORTED, MACHINE, BUDGET = "INPUT", "LOG", "IMPORTED", "MACHINE", "BUDGET"
GENERATES, COMPARED, TEXT = "GENERATES", "COMPARED", "TEXT"

# The lines of each command. What a fixture has stands for its path; out.* are outputs.
LINES = {
    "profile": [(PROGRAM, "--runs", "1", "-o", "out.etdp")],
    "run": [(PROGRAM, "--inputs", "ones", "-o", "out.etdp", "--outputs", "out"),
            (PROGRAM, "--capture", "intermediates", "-o", "out.etdp", "--debug-buffer", "out.bin")],
    "machine": [(MACHINE, "-o", "out.txt")],
    "inspect": [(TRACE, *WITH_RECORD, "-o", "out.txt"), (TRACE, "--tree"),
                (TRACE, "--format", "json", "-o", "out.json")],
    "advise": [(TRACE, "-o", "out.txt"), (PROGRAM, *WITH_RECORD)],
    "annotate": [(TRACE, *WITH_RECORD, "-o", "out.txt")],
    "delegates": [(PROGRAM, TRACE, *WITH_RECORD, "-o", "out.txt")],
    "cost": [(PROGRAM, *WITH_RECORD, "-o", "out.csv")],
    "memory": [(PROGRAM, *WITH_RECORD, "-o", "out.txt")],
    "size": [(PROGRAM, *WITH_RECORD, "-o", "out.txt")],
    "report": [(TRACE, *WITH_RECORD, "--program", PROGRAM, "-o", "out.html"), (PROGRAM, "-o", "out.html"),
               (TRACE, "--format", "json")],
    "open": [(TRACE, "--no-siblings", "-o", "out.html")],
    "plot": [("icicle", TRACE, "-o", "out.svg"), ("icicle", TRACE, "-o", "out.png"),
             ("memory", PROGRAM, "-o", "out.svg")],
    "diff": [(TRACE, DEBUG, "--allow-mismatch", "-o", "out.txt"), (PROGRAM, PROGRAM)],
    "gate": [(TRACE, TRACE, "--budget", BUDGET)],
    "summary": [(TRACE, DEBUG, "-o", "out.txt")],
    "verify": [(BUNDLE, "-o", "out.txt", "--junit", "out.xml")],
    "gap": [(DEBUG, "--debug-buffer", BUFFER, *WITH_RECORD, "-o", "out.txt")],
    "generate": [(GENERATES, "--prompt", "4", "--new", "2", "-o", "out.etdp")],
    "quality": [(GENERATES, "--reference", COMPARED, "--tokens", TEXT, "-o", "out.txt")],
    "tensors": [(DEBUG, "--debug-buffer", BUFFER, "-o", "out.txt"),
                (DEBUG, "--debug-buffer", BUFFER, "--save", "out.npz")],
    "info": [(TRACE,), (PROGRAM,), (RECORD,)],
    "dump": [(TRACE, "-o", "out.json"), (PROGRAM, "-o", "out.json"), (RECORD, "-o", "out.json")],
    "sql": [("select count(*) from events", TRACE, "-o", "out.txt"), (TRACE, "--database", "out.db")],
    "export": [(TRACE, "--to", form, "-o", "out.trace") for form in ("chrome", "perfetto", "csv")]
    + [(PROGRAM, "--to", form, "-o", "out.graph") for form in ("dot", "model-explorer")],
    "import": [(IMPORTED, "-o", "out.etdp")],
    "bundle": [(PROGRAM, "--cases-from", BUNDLE, "-o", "out.bpte")],
    "tap": [(PROGRAM, "--list", *WITH_RECORD), (PROGRAM, "-o", "out.pte")],
    "recover": [(LOG, "-o", "out.etdp")],
    "doctor": [()],
    "help": [(), ("--format", "json", "-o", "out.json")],
}


def setUpModule():
    if LIBRARY is None:
        raise unittest.SkipTest("this build has no library that makes calls fail")


class FaultsEverywhere(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        with tarfile.open(support.DATA / "generate" / "models.tar.xz") as archive:
            archive.extractall(cls.folder / "models")
        (cls.folder / "budget.txt").write_text("operator * p50 <= +5%\n")
        (cls.folder / "text.txt").write_text("1 2 3 4 5 6\n")
        cls.files = {LOG: support.DATA / "captures" / "uart.log", MACHINE: support.DATA / "machines" / "epyc.json",
                     IMPORTED: support.DATA / "exchange" / "onnxruntime_sequential.json",
                     BUDGET: cls.folder / "budget.txt", TEXT: cls.folder / "text.txt",
                     COMPARED: cls.folder / "models" / "rounded.pte"}
        named = unittest.mock.patch.dict(os.environ, ETSCOPE_PAGE=support.write_opened_page(cls.folder))
        named.start()
        cls.addClassCleanup(named.stop)
        cls.lines = [Line(words) for words in cls.all_words()]
        if cls.lines[0].run(cls.folder).code == NO_FILTERS:
            raise unittest.SkipTest("this system has no seccomp filters")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda line: line.measure(cls.folder), cls.lines))
        cls.all_lines = cls.lines
        cls.lines = [line for line in cls.lines if line.healthy.code in (0, 1)]

    @classmethod
    def all_words(cls):
        for index, model in enumerate(FIXTURES):
            files = {**cls.files, GENERATES: cls.folder / "models" / f"{TOKENS[index]}.pte",
                     **{name: support.fixture(model, name)
                        for name in (TRACE, PROGRAM, RECORD, BUNDLE, DEBUG, BUFFER)}}
            for command, lines in LINES.items():
                for words in lines:
                    yield [command, *(files.get(word, word) for word in words)]

    def check_all(self, kind, ends=None, judge=None):
        """Fails the calls of a kind, one in each run."""
        def attempt(task):
            line, at = task
            run = line.run(self.folder, kind, at, ends)
            wrong = judge(line, run) if judge is not None else line.judge(kind, run)
            return wrong and (f"{' '.join(line.words)}: {kind} {at} of {line.sums[kind]}: {wrong}", run)
        tasks = [(line, at) for line in self.lines for at in numbers(line.sums[kind], MOST.get(kind, OTHERS))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [each for each in pool.map(attempt, tasks) if each]
        print(f"{kind}: {len(tasks)} runs")
        for what, run in found:
            print(what, run.lines[-2:])
        self.assertEqual([what for what, _ in found], [])

    def test_faults_everywhere__every_command_is_listed(self):
        self.assertEqual(sorted(LINES), sorted(support.commands()))

    def test_faults_everywhere__healthy_runs(self):
        """Not every program has what a command is about, but most have."""
        built_in = [line for line in self.all_lines if line.healthy.code != support.UNAVAILABLE]
        self.assertGreater(len(self.lines), 0.9 * len(built_in))
        self.assertEqual({line.words[0] for line in self.lines}, {line.words[0] for line in built_in})
        for line in self.lines:
            with self.subTest(words=line.words):
                self.assertEqual(sorted(line.healthy.files), line.outputs)
                self.assertNotIn(OLD, line.healthy.files.values())
                self.assertEqual(line.healthy.code, line.again.code)

    def test_faults_everywhere__one_call(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.check_all(kind)

    def test_faults_everywhere__full_disk(self):
        self.check_all("write", ends=f"{ERRNO['write']}+")

    def test_faults_everywhere__kills(self):
        for kind in ("write", "rename", "truncate"):
            with self.subTest(kind=kind):
                self.check_all(kind, ends="kill", judge=lambda line, run: line.judge_kill(run))


if __name__ == "__main__":
    unittest.main()

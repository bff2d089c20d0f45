"""The program for Windows, in Wine: the bytes that it gives are those of this program.

`make test-long` builds it (tools/windows.sh). Neither side may run programs, as Windows has no runtime.
"""

import os
import pathlib
import re
import shutil
import subprocess
import unittest
import urllib.request

import support
from builds_support import commands_of
from support import DATA, FolderTest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = PROJECT / "build-windows" / "bin" / "etscope.exe"
WINE = next((path for path in (shutil.which("wine64"), "/usr/lib/wine/wine64", shutil.which("wine"))
             if path and os.path.exists(path)), None)
SERVER = next((path for path in (shutil.which("wineserver64"), "/usr/lib/wine/wineserver64",
                                 shutil.which("wineserver")) if path and os.path.exists(path)), None)
PREFIX = PROJECT / "build" / "wine"
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "ETSCOPE_ENGINE": "none", "WINEDEBUG": "-all",
               "WINEPREFIX": str(PREFIX), "WINEDLLOVERRIDES": "mscoree,mshtml="}
ENVIRONMENT.pop("COLUMNS", None)

OUTPUTS = [
    ("report", "profile.etdp", "--etrecord", "model.etrecord", "--program", "model.pte", "-o", "out.html"),
    ("export", "profile.etdp", "--etrecord", "model.etrecord", "--to", "perfetto", "-o", "out.json"),
    ("plot", "icicle", "profile.etdp", "--etrecord", "model.etrecord", "-o", "out.svg"),
    ("tensors", "debug.etdp", "--debug-buffer", "debug.bin", "--save", "saved"),
]


def setUpModule():
    if not os.environ.get("ETSCOPE_LONG"):
        raise unittest.SkipTest("what Windows gives is compared by `make test-long`")
    if WINE is None or not PROGRAM.exists():
        raise unittest.SkipTest("Wine or build-windows/bin/etscope.exe is missing")
    PREFIX.mkdir(parents=True, exist_ok=True)
    # Its server stays for all programs, each of which would start it again, and must not hold a pipe
    # that a test reads.
    quiet = {"env": ENVIRONMENT, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
             "stderr": subprocess.DEVNULL}  # fmt: skip
    subprocess.run([SERVER, "--persistent"], check=False, **quiet)
    subprocess.run([WINE, PROGRAM, "--version"], check=True, timeout=300, **quiet)


def tearDownModule():
    subprocess.run([SERVER, "--kill"], env=ENVIRONMENT, check=False)


def both(words, cwd, **options):
    """What both give: exit code, output, messages."""
    found = []
    for program in ([support.ETSCOPE], [WINE, PROGRAM]):
        done = subprocess.run([*program, *map(str, words)], cwd=cwd, env=ENVIRONMENT,
                              capture_output=True, timeout=300, check=False, **options)
        found.append((done.returncode, done.stdout, done.stderr))
    return found


class Same(FolderTest):
    maxDiff = None

    def compare(self, words, cwd, **options):
        here, there = both(words, cwd, **options)
        if here != there:
            self.assertEqual(*[(code, out.decode(errors="replace"), said.decode(errors="replace"))
                               for code, out, said in (here, there)])
        return here

    def test_windows__tables_of_every_fixture(self):
        compared = succeeded = 0
        for folder in sorted(path.parent for path in DATA.glob("*/profile.etdp")):
            for words in commands_of(folder):
                with self.subTest(folder=folder.name, words=words):
                    compared += 1
                    succeeded += self.compare(words, folder)[0] == 0
        self.assertGreater(compared, 300)
        self.assertGreater(succeeded, compared * 3 // 4)

    def test_windows__files_of_every_fixture(self):
        compared = 0
        for folder in sorted(path.parent for path in DATA.glob("*/profile.etdp")):
            for words in OUTPUTS:
                own = self.folder / f"{folder.name}-{words[0]}"
                own.mkdir()
                for name in ("profile.etdp", "model.etrecord", "model.pte", "debug.etdp", "debug.bin"):
                    if (folder / name).exists():
                        shutil.copy(folder / name, own)
                if not all((own / word).exists() for word in words if (folder / word).exists()):
                    continue
                if any(re.fullmatch(r"(profile|model|debug)\.\w+", word) and not (own / word).exists()
                       for word in words):
                    continue
                with self.subTest(folder=folder.name, words=words):
                    compared += self.compare_files(words, own)
        self.assertGreater(compared, 50)

    def compare_files(self, words, folder):
        """The second program replaces what the first one wrote; saved folders are filled again."""
        before = set(folder.iterdir())
        written = []
        for program in ([support.ETSCOPE], [WINE, PROGRAM]):
            done = subprocess.run([*program, *words], cwd=folder, env=ENVIRONMENT,
                                  capture_output=True, timeout=300, check=False)
            if done.returncode == support.INPUT and not written:
                return 0  # a trace that neither reads whole
            self.assertEqual(done.returncode, 0, done.stderr)
            files = [path for new in sorted(set(folder.iterdir()) - before)
                     for path in ([new] if new.is_file() else sorted(new.iterdir()))]
            written.append({path.name: path.read_bytes() for path in files})
        self.assertTrue(written[0])
        self.assertEqual(*[sorted(files) for files in written])
        for name, data in written[0].items():
            self.assertEqual(data, written[1][name], name)
        return len(written[0])

    def test_windows__mistakes_have_the_same_words(self):
        shutil.copy(DATA / "conv_xnnpack" / "profile.etdp", self.folder)
        (self.folder / "folder").mkdir()
        (self.folder / "cut.etdp").write_bytes((self.folder / "profile.etdp").read_bytes()[:100])
        for words in (
            ("inspect", "none.etdp"), ("inspect", "folder"), ("inspect", "cut.etdp"), ("info", "folder/none"),
            ("inspekt", "profile.etdp"), ("inspect", "profile.etdp", "--colums", "x"),
            ("inspect", "profile.etdp", "-o", "profile.etdp"), ("inspect", "profile.etdp", "-o", "folder"),
            ("inspect", "profile.etdp", "-o", "./profile.etdp"), ("inspect", "profile.etdp", "-o", "none/out"),
            ("help",), ("help", "inspect"), ("--version",), (),
        ):  # fmt: skip
            with self.subTest(words=words):
                self.compare(words, self.folder)

    def test_windows__standard_input_is_bytes(self):
        data = (DATA / "conv_xnnpack" / "profile.etdp").read_bytes()
        self.assertIn(b"\n", data)
        self.compare(("inspect", "-", "--format", "tsv"), self.folder, input=data)

    def test_windows__backslashes_and_umlauts_are_paths(self):
        own = self.folder / "Gerät"
        own.mkdir()
        for name in ("profile.etdp", "model.etrecord"):
            shutil.copy(DATA / "conv_xnnpack" / name, own / ("model" + name[name.index("."):]))
        words = [WINE, PROGRAM, "inspect", "Gerät\\model.etdp", "--format", "tsv", "--columns", "source"]
        done = subprocess.run(words, cwd=self.folder, env=ENVIRONMENT, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"model.etrecord", done.stderr)  # found beside it
        self.assertIn(b"zoo.py", done.stdout)

    def compile(self, name, text, *options):
        compiler = shutil.which("x86_64-w64-mingw32-gcc-posix")
        if compiler is None:
            self.skipTest("mingw-w64 is missing")
        source = self.folder / "source.c"
        source.write_text(text)
        subprocess.run([compiler, source, *options, "-o", self.folder / name], check=True)

    def test_windows__libraries_of_the_current_folder_are_not_loaded(self):
        self.compile("sqlite3.dll", '''#include <stdio.h>
            __declspec(dllexport) int DllMain(void *a, unsigned long b, void *c)
            { fclose(fopen("loaded", "w")); return 1; }''', "-shared")
        for name in ("libsqlite3.so.0", "winsqlite3.dll", "libetscope_engine.dll", "ssh.exe", "ssh"):
            shutil.copy(self.folder / "sqlite3.dll", self.folder / name)
        trace, model = DATA / "mlp_portable" / "profile.etdp", DATA / "mlp_portable" / "model.pte"
        for words in (("sql", "select count(*) from operators", trace), ("doctor",), ("run", model),
                      ("run", model, "--target", "ssh:me@board")):  # fmt: skip
            subprocess.run([WINE, PROGRAM, *words], cwd=self.folder, capture_output=True, check=False, timeout=60,
                           env={**ENVIRONMENT, "ETSCOPE_ENGINE": ""})  # fmt: skip
            self.assertFalse((self.folder / "loaded").exists(), words)

    def test_windows__the_library_takes_utf8_without_a_manifest(self):
        own = self.folder / "Ger\u00e4t"
        own.mkdir()
        shutil.copy(DATA / "mlp_portable" / "profile.etdp", own / "t.etdp")
        self.compile("open.exe", '''#include "etscope/file.h"
            int main(void)
            {
                struct ets_file *file;
                if (ets_file_open("Ger\\xc3\\xa4t/t.etdp", &file, 0) != ETS_OK) return 1;
                ets_file_close(file);
                return 0;
            }''', f"-I{PROJECT}/include", PROGRAM.parent / "libetscope.dll")
        shutil.copy(PROGRAM.parent / "libetscope.dll", self.folder)
        done = subprocess.run([WINE, "open.exe"], cwd=self.folder, env=ENVIRONMENT, check=False, timeout=60)
        self.assertEqual(done.returncode, 0)

    def test_windows__a_log_is_served(self):
        shutil.copy(DATA / "captures" / "uart.log", self.folder)
        with subprocess.Popen([WINE, PROGRAM, "report", "--follow", "uart.log"], cwd=self.folder,
                              stdout=subprocess.PIPE, env=ENVIRONMENT) as served:
            try:
                address = served.stdout.readline().split()[-1].decode()
                with urllib.request.urlopen(address, timeout=60) as answer:
                    self.assertEqual(answer.status, 200)
                    self.assertIn(b"<!doctype html", answer.read(2000).lower())
            finally:
                served.kill()


if __name__ == "__main__":
    unittest.main()

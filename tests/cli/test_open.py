"""etscope open: the page that reads files, with files in it, written or served once."""

import base64
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

import support
from support import DATA, INPUT, OK, UNAVAILABLE, USAGE

PAGE = b'<html>before <script type="application/octet-stream" class="program" data-name="p">UA==</script> after</html>'
GIVEN = re.compile(rb'<script type="application/octet-stream" class="given" data-name="([^"]*)"( data-beside)?>([^<]*)</script>\n')


class Open(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "page.html"
        self.page.write_bytes(PAGE)
        self.trace = DATA / "mlp_xnnpack" / "profile.etdp"

    def env(self, **more):
        return {"ETSCOPE_PAGE": str(self.page), **more}

    def open(self, *words, **more):
        return support.run("open", *words, env=self.env(**more), cwd=self.folder)

    def given(self, text):
        """[(name, lies beside, contents)], after checking that the rest is the page."""
        self.assertEqual(GIVEN.sub(b"", text), PAGE)
        return [(name.decode(), beside != b"", base64.b64decode(packed)) for name, beside, packed in GIVEN.findall(text)]

    def written(self, *words):
        done = self.open(*words, "-o", "made.html")
        self.assertEqual((done.returncode, done.stdout), (OK, b"wrote made.html\n"), done.stderr)
        return self.given((self.folder / "made.html").read_bytes())

    def test_open__writes_the_page_with_the_files_in_it(self):
        record = self.trace.with_name("model.etrecord")
        made = self.written(self.trace, record, "--no-siblings")
        self.assertEqual([(name, beside, len(contents)) for name, beside, contents in made], [
            ("profile.etdp", False, self.trace.stat().st_size), ("model.etrecord", False, record.stat().st_size)])
        self.assertTrue(made[0][2] == self.trace.read_bytes() and made[1][2] == record.read_bytes())
        self.assertEqual(self.written(), [])

    def test_open__takes_what_lies_beside_a_trace(self):
        files = {name: name.encode() * 3 for name in ("m.etdp", "m.etrecord", "m.pte", "m.bin", "other.pte")}
        for name, contents in files.items():
            (self.folder / name).write_bytes(contents)
        self.assertEqual(self.written("m.etdp", "m.pte"), [
            ("m.etdp", False, files["m.etdp"]), ("m.pte", False, files["m.pte"]),
            ("m.etrecord", True, files["m.etrecord"]), ("m.bin", True, files["m.bin"])])
        self.assertEqual(self.written("m.etdp", "--no-siblings"), [("m.etdp", False, files["m.etdp"])])

    def test_open__keeps_files_of_one_name_apart_and_escapes_names(self):
        for name in ("a", "b"):
            (self.folder / name).mkdir()
            (self.folder / name / "m.etdp").write_bytes(name.encode())
        (self.folder / "b" / "m.pte").write_bytes(b"p")
        self.assertEqual(self.written("a/m.etdp", "b/m.etdp"), [
            ("1/m.etdp", False, b"a"), ("2/m.etdp", False, b"b"), ("2/m.pte", True, b"p")])
        if os.name == "posix":
            (self.folder / 'a"<&.etdp').write_bytes(b"x")
            self.assertEqual(self.written('a"<&.etdp'), [("a&quot;&lt;&amp;.etdp", False, b"x")])

    def test_open__leaves_out_what_lies_beside_and_cannot_be_had(self):
        shutil.copy(self.trace, self.folder / "t.etdp")
        with open(self.folder / "t.pte", "wb") as file:
            file.truncate(300 << 20)
        done = self.open("t.etdp", "-o", "made.html")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertIn(b"t.pte beside it is left out", done.stderr)
        self.assertEqual([name for name, _, _ in self.given((self.folder / "made.html").read_bytes())], ["t.etdp"])

    def test_open__does_not_replace_the_page(self):
        done = self.open(self.trace, "-o", self.page)
        self.assertNotEqual(done.returncode, OK)
        self.assertEqual(self.page.read_bytes(), PAGE)
        self.written(self.trace)
        (self.folder / "made.html").replace(self.page)
        done = self.open(self.trace, "-o", "again.html")
        self.assertEqual(done.returncode, INPUT)
        self.assertIn(b"has files in it already", done.stderr)

    def test_open__serves_the_page_once(self):
        with subprocess.Popen([support.ETSCOPE, "open", str(self.trace), "--no-browser"], env={**os.environ, **self.env()},
                              stdout=subprocess.PIPE) as process:
            timer = threading.Timer(60, process.kill)
            timer.start()
            self.addCleanup(timer.cancel)
            line = process.stdout.readline().decode()
            address = re.fullmatch(r"showing (http://127\.0\.0\.1:\d+/[0-9a-f]{32}/) once\s*", line).group(1)
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen(address[:-2] + ("0/" if address[-2] != "0" else "1/"), timeout=30)
            with urllib.request.urlopen(address, timeout=30) as answer:
                self.assertEqual(self.given(answer.read()), [("profile.etdp", False, self.trace.read_bytes())])
            self.assertEqual(process.wait(), OK)

    @unittest.skipUnless(sys.platform == "linux", "xdg-open is of Linux")
    def test_open__starts_the_browser(self):
        browser = self.folder / "xdg-open"
        browser.write_text(f"#!{sys.executable}\nimport sys, urllib.request\nprint('a browser talks')\n"
                           f"open({str(self.folder / 'seen')!r}, 'wb').write(urllib.request.urlopen(sys.argv[1]).read())\n")
        browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
        done = self.open(self.trace, PATH=f"{self.folder}{os.pathsep}{os.environ['PATH']}")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertRegex(done.stdout, rb"\Ashowing \S+ once\n\Z")
        self.assertEqual(len(self.given((self.folder / "seen").read_bytes())), 1)

    @unittest.skipUnless(sys.platform == "linux", "xdg-open is of Linux")
    def test_open__says_that_no_browser_can_be_started(self):
        browser = self.folder / "xdg-open"
        browser.write_text("#!/bin/sh\nexit 3\n")
        browser.chmod(0o755)
        for path in (self.folder, self.folder / "nowhere"):
            done = self.open(self.trace, PATH=str(path))
            self.assertEqual(done.returncode, UNAVAILABLE)
            self.assertIn(b"no browser could be started; --no-browser", done.stderr)

    def test_open__says_what_is_missing(self):
        other = self.folder / "other.html"
        other.write_text("<html></html>")
        large = self.folder / "large.etdp"
        with open(large, "wb") as file:
            file.truncate((256 << 20) + 1)
        for code, words, page, reason in [
            (INPUT, (self.folder / "none.etdp", "-o", "x.html"), self.page, b"none.etdp"),
            (INPUT, (self.trace, "-o", "x.html"), other, b"not the page"),
            (INPUT, (self.trace, "-o", "x.html"), self.folder / "none.html", b"none.html"),
            (USAGE, (large, "-o", "x.html"), self.page, b"larger than 256 MiB"),
            (USAGE, ("-", "-o", "x.html"), self.page, b"standard input has no name"),
            (USAGE, (self.trace, "-o", self.trace), self.page, b"profile.etdp"),
        ]:
            with self.subTest(words):
                done = support.run("open", *words, env={"ETSCOPE_PAGE": str(page)}, cwd=self.folder)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(reason, done.stderr)
                self.assertFalse((self.folder / "x.html").exists())

    @unittest.skipUnless(sys.platform == "linux", "the program is copied")
    def test_open__finds_the_page_beside_the_program(self):
        (self.folder / "bin").mkdir()
        (self.folder / "share" / "etscope").mkdir(parents=True)
        program = self.folder / "bin" / "etscope"
        shutil.copy(support.ETSCOPE, program)
        environment = {name: value for name, value in os.environ.items() if name != "ETSCOPE_PAGE"}
        words = [program, "open", "-o", "-"]
        without = subprocess.run(words, env=environment, capture_output=True, timeout=60, check=False)
        self.assertEqual(without.returncode, UNAVAILABLE)
        self.page.rename(self.folder / "share" / "etscope" / "etscope.html")
        done = subprocess.run(words, env=environment, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.stdout, PAGE)


if __name__ == "__main__":
    unittest.main()

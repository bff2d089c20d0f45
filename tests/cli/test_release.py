"""What `make release` writes about its files, from files that are made up; `make test-long` makes a release."""

import hashlib
import importlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import run_support as support

sys.path.insert(0, str(support.ROOT / "tools"))
NAMES = ("etscope-1.2.3.tar.gz", "etscope-1.2.3-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
         "etscope_engine-1.2.3-py3-none-manylinux_2_28_x86_64.whl", "etscope-1.2.3-linux-x86_64-static.tar.gz",
         "etscope_1.2.3-1_amd64.deb", "etscope-bundle-x86_64.tar", "etscope-1.2.3-windows-x86_64.zip",
         "etscope-1.2.3-py3-none-win_amd64.whl", "RELEASE_NOTES.md")  # fmt: skip


class Lists(unittest.TestCase):
    def setUp(self):
        try:
            self.release = importlib.import_module("make_release")
        except ImportError as missing:  # tomllib, or pip's
            self.skipTest(str(missing))
        owner = tempfile.TemporaryDirectory()
        self.addCleanup(owner.cleanup)
        self.dist = Path(owner.name)
        for name in NAMES:
            (self.dist / name).write_text(f"bytes of {name}")
        with mock.patch.object(self.release, "DIST", self.dist), \
                mock.patch.object(self.release, "version", lambda: "1.2.3"), \
                mock.patch.dict(os.environ, {"RELEASE_URL": "https://example.org/files/"}):
            self.release.finish()

    def fault(self):
        try:
            return self.release.check_release.check_lists(self.dist, "1.2.3", None) and None
        except self.release.check_release.Fault as fault:
            return str(fault)

    def test_they_agree_with_the_files(self):
        self.assertIsNone(self.fault())
        done = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.dist, check=False)
        self.assertEqual(done.returncode, 0)

    def test_a_changed_a_missing_and_a_further_file_are_seen(self):
        (self.dist / NAMES[1]).write_text("other")
        self.assertIn("is another than in SHA256SUMS", self.fault())
        (self.dist / NAMES[1]).unlink()
        self.assertIn("SHA256SUMS lacks or has too much", self.fault())
        (self.dist / NAMES[1]).write_text(f"bytes of {NAMES[1]}")
        (self.dist / "more.whl").write_text("")
        self.assertIn("more.whl", self.fault())

    def test_the_bill_of_materials_names_what_each_file_has_of_others(self):
        listed = json.loads((self.dist / "etscope-1.2.3.spdx.json").read_text())
        self.assertEqual((listed["spdxVersion"], listed["SPDXID"]), ("SPDX-2.3", "SPDXRef-DOCUMENT"))
        ids = {each["SPDXID"] for each in [*listed["packages"], *listed["files"]]} | {"SPDXRef-DOCUMENT"}
        parts = {}
        for each in listed["relationships"]:
            self.assertLessEqual({each["spdxElementId"], each["relatedSpdxElement"]}, ids)
            if each["relationshipType"] == "CONTAINS":
                parts.setdefault(each["spdxElementId"], set()).add(each["relatedSpdxElement"].split("-")[-1])
        static = parts["SPDXRef-File-etscope-1.2.3-linux-x86-64-static.tar.gz"]
        self.assertLessEqual({"musl", "zlib", "RapidJSON", "preact"}, static)
        self.assertIn("ExecuTorch", parts["SPDXRef-File-etscope-bundle-x86-64.tar"])
        for name in ("windows-x86-64.zip", "py3-none-win-amd64.whl"):
            self.assertLessEqual({"SQLite", "zlib", "RapidJSON"}, parts[f"SPDXRef-File-etscope-1.2.3-{name}"])
        notice = (support.ROOT / "NOTICE").read_text().lower()
        for name in ("preact", "uplot", "zlib", "musl", "rapidjson", "sqlite", "mingw-w64"):
            self.assertIn(name, notice)
        # SPDX: letters, digits, dots and hyphens.
        for each in ids:
            self.assertRegex(each, r"^SPDXRef-[A-Za-z0-9.-]+$")

    def test_the_recipes_name_the_files(self):
        formula, image = (self.dist / "etscope.rb").read_text(), (self.dist / "Dockerfile").read_text()
        self.assertIn('url "https://example.org/files/etscope-1.2.3.tar.gz"', formula)
        self.assertIn(hashlib.sha256(b"bytes of etscope-1.2.3.tar.gz").hexdigest(), formula)
        self.assertIn("COPY etscope_1.2.3-1_amd64.deb /tmp/", image)
        self.assertEqual(formula.count("\n  def ") + formula.count(" do\n") + formula.count("class "),
                         len(re.findall(r"^ *end$", formula, re.M)))  # fmt: skip

    def test_notes_are_the_section_of_the_version(self):
        text = "# Changelog\n\n## [Unreleased]\n\nnew\n\n## [1.2.3] - 2026-01-01\n\nthis\n\n## [1.2.2]\n\nold\n"
        folder = self.dist / "root"
        folder.mkdir()
        (folder / "CHANGELOG.md").write_text(text)
        with mock.patch.object(self.release, "ROOT", folder), mock.patch("sys.stderr", io.StringIO()) as said:
            for version, expected in (("1.2.3", "this"), ("2.0.0", "new")):
                with mock.patch.object(self.release, "version", lambda: version):
                    self.assertEqual(self.release.notes(), f"# etscope {version}\n\n{expected}\n")
        self.assertIn("no section [2.0.0]", said.getvalue())


class Version(unittest.TestCase):
    def test_it_has_one_place(self):
        version = re.search(r"etscope VERSION (\S+)", (support.ROOT / "CMakeLists.txt").read_text())[1]
        self.assertIn(version, support.call("--version").stdout)
        for name in ("pyproject.toml", "python/etscope/__init__.py", "Makefile", "tools/make_wheel.py",
                     "tools/make_release.py", "cmake/package.cmake", "README.md", "docs/install.md"):  # fmt: skip
            self.assertNotIn(version, (support.ROOT / name).read_text(), name)

    def test_the_source_leaves_out_what_only_tests_need(self):
        text = (support.ROOT / "pyproject.toml").read_text()
        excluded = re.search(r"^sdist\.exclude = (.*)$", text, re.M)[1]
        for folder in ("tests", "python/tests", "examples", "fuzz/corpus", "web/node_modules"):
            self.assertIn(f'"{folder}"', excluded)


if __name__ == "__main__":
    unittest.main()

"""macOS, from another system: what set-up says there, flags of other systems' linkers, and what `make macos`
compiled. Nothing of it runs on a Mac.

ETSCOPE_LONG=1 looks into the builds of `make macos`.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROCESSORS = {"arm64": 0x0100000C, "x86_64": 0x01000007}
MAGIC = 0xFEEDFACF
LINE = re.compile(r"^[0-9a-f ]{16} (\w) _(\S+)$", re.M)


class SetUp(unittest.TestCase):
    """tools/setup.sh on a machine that has neither a compiler nor apt-get."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "tools", self.folder / "tools")
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        for name in ("bash", "cat", "cmp", "dirname", "grep", "head", "mkdir", "mktemp", "rm", "sed", "tail"):
            (self.programs / name).symlink_to(shutil.which(name))
        (self.programs / "python3").symlink_to(sys.executable)

    def set_up(self, system):
        (self.programs / "uname").write_text(f"#!{shutil.which('sh')}\necho {system}\n")
        (self.programs / "uname").chmod(0o755)
        done = subprocess.run([shutil.which("bash"), "tools/setup.sh", "--host-only"], cwd=self.folder, text=True,
                              env={"PATH": str(self.programs)}, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("a compiler, CMake 3.22 or Python 3 is missing; run:", done.stderr)
        return done.stdout

    def test_macos__set_up_names_what_homebrew_has(self):
        self.assertEqual(self.set_up("Darwin"), "xcode-select --install && brew install cmake rapidjson\n")
        self.assertEqual(self.set_up("Linux"), "as root: apt-get install build-essential cmake zlib1g-dev rapidjson-dev"
                                               " libsqlite3-dev\n")

    def test_macos__scripts_have_no_words_of_bash_4(self):
        """macOS has bash 3.2."""
        words = re.compile(r"\b(mapfile|readarray|coproc)\b|declare -[An]|\$\{\w+(,,?|\^\^?|@[QEPAa])\}|&>>|\|&|local -n")
        for name in ("setup.sh", "fetch_runtime.sh", "quiet.sh"):
            for line in (ROOT / "tools" / name).read_text().splitlines():
                self.assertIsNone(words.search(line.partition("#")[0]), f"{name}: {line}")


@unittest.skipIf(shutil.which("cmake") is None, "cmake is missing")
class Flags(unittest.TestCase):
    """cmake/linker.cmake fails the configuration for macOS where a flag is for other systems."""

    def configure(self, *lines):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "CMakeLists.txt").write_text("\n".join(
                ["cmake_minimum_required(VERSION 3.22)", "project(flags LANGUAGES NONE)", "set(APPLE TRUE)",
                 f"include({ROOT}/cmake/linker.cmake)", "add_library(code INTERFACE)", *lines,
                 "ets_check_linker_flags(${PROJECT_SOURCE_DIR})", ""]))
            done = subprocess.run(["cmake", "-S", folder, "-B", folder + "/build"], capture_output=True, text=True,
                                  check=False)
            return done.returncode, done.stderr

    def test_macos__flags_of_gnus_linker_fail_the_configuration(self):
        self.assertEqual(self.configure("target_link_options(code INTERFACE -Wl,-dead_strip)")[0], 0)
        for flag in ("-Wl,--as-needed", "-Wl,--version-script=x.map", "-Wl,-soname,x", "-Wl,-z,now"):
            for line in (f"target_link_options(code INTERFACE {flag})", f"target_link_libraries(code INTERFACE {flag})"):
                code, text = self.configure(line)
                self.assertEqual(code, 1)
                self.assertIn("is not for macOS", text)
        code, text = self.configure("set_target_properties(code PROPERTIES INSTALL_RPATH $ORIGIN)")
        self.assertIn("code: $ORIGIN is not for macOS", text)

    def test_macos__a_list_of_names_is_made_of_a_version_script(self):
        with tempfile.TemporaryDirectory() as folder:
            script, names = pathlib.Path(folder) / "x.map", pathlib.Path(folder) / "x.exports"
            script.write_text("{\n  global:\n    ets_a;\n    ets_b_*;\n  local: *;\n};\n")
            subprocess.run(["cmake", f"-DSCRIPT={script}", f"-DOUTPUT={names}", "-P",
                            ROOT / "cmake" / "apple_exports.cmake"], check=True)
            self.assertEqual(names.read_text(), "_ets_a\n_ets_b_*\n")


@unittest.skipUnless(os.environ.get("ETSCOPE_LONG"), "the builds of make macos are looked into by make test-long")
class Builds(unittest.TestCase):
    def setUp(self):
        self.builds = {name: ROOT / f"build-macos-{name}" for name in PROCESSORS}
        if not all((build / "bin" / "etscope").exists() for build in self.builds.values()):
            self.skipTest("make macos has not built")

    def test_macos__programs_and_libraries_are_of_the_processor(self):
        for name, build in self.builds.items():
            for file in [build / "bin" / "etscope", *sorted((build / "lib").glob("*.dylib"))]:
                head = file.read_bytes()[:8]
                words = [int.from_bytes(head[at:at + 4], "little") for at in (0, 4)]
                self.assertEqual(words, [MAGIC, PROCESSORS[name]], file)
        self.assertTrue((self.builds["arm64"] / "lib" / "libetscope_engine.dylib").exists())

    @unittest.skipIf(shutil.which("llvm-nm") is None, "the package llvm is missing")
    def test_macos__libraries_export_what_they_should(self):
        """Zig's linker does not heed the list, so it exports more."""
        for build in self.builds.values():
            wanted = set(re.findall(r"\bets_\w+", (build / "exports.map").read_text()))
            self.assertEqual({line[1:] for line in (build / "etscope_shared.exports").read_text().split()}, wanted)
            listing = subprocess.run(["llvm-nm", "-g", "--defined-only", build / "lib" / "libetscope.dylib"],
                                     capture_output=True, text=True, check=True).stdout
            self.assertEqual(wanted - {name for _, name in LINE.findall(listing)}, set())


if __name__ == "__main__":
    unittest.main()

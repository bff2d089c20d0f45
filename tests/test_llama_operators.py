"""tools/llama_operators.py on libraries made up: what is changed, what is refused, in one line."""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[1] / "tools"
sys.path.insert(0, str(TOOLS))
import llama_operators as tool  # noqa: E402

PYTORCH = ["libtorch", "libtorch_cpu", "libc10", "_C.cpython-311-any-linux-gnu"]
SOURCES = {
    # PyTorch of this test: the library must not ask it
    "torch": 'extern "C" int _ZN2at3oneEv() { return 100; }',
    "runtime": 'extern "C" int of_the_runtime() { return 20; }',
    "stand_ins": 'extern "C" int ets2at3oneEv() { return 1; } extern "C" int ets_llama_kernels;'
                 "int ets_llama_kernels;",
    "library": """
        template <typename T> int &once() { static int value = 300; return value; }
        extern "C" int _ZN2at3oneEv();
        extern "C" int of_the_runtime();
        extern "C" int not_everywhere() __attribute__((weak));
        extern "C" int answer() { return _ZN2at3oneEv() + of_the_runtime() + once<int>(); }
    """,
    # as one that relies on another layout of PyTorch's types does
    "crashes": """
        extern "C" int _ZN2at3oneEv();
        static int broken = *reinterpret_cast<volatile int *>(_ZN2at3oneEv());
    """,
    "wants_more": """
        extern "C" int _ZN2at3oneEv();
        extern "C" int _ZN2at3twoEv();
        extern "C" int _ZN2at5threeEv();
        extern "C" int answer() { return _ZN2at3oneEv() + _ZN2at3twoEv() + _ZN2at5threeEv(); }
    """,
}


@unittest.skipUnless(sys.platform == "linux", "ELF libraries are Linux's")
class LlamaOperatorsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        cls.original = cls.root / "extension" / "llm" / "custom_ops"
        for made in (cls.root / "lib", cls.original):
            made.mkdir(parents=True)
        for name in PYTORCH:
            cls.link("torch", cls.root / f"{name}.so")
        cls.link("runtime", cls.root / "lib" / "libexecutorch.so")
        cls.link("stand_ins", cls.root / "libstand_ins.so")
        needed = [cls.root / f"{name}.so" for name in PYTORCH] + [cls.root / "lib" / "libexecutorch.so"]
        paths = "-Wl,-rpath,$ORIGIN/../../pybindings:$ORIGIN/../../../lib"
        for name in ("library", "crashes", "wants_more"):
            cls.link(name, cls.original / f"lib{name}.so", "-Wl,--no-as-needed", *needed, paths)

    @classmethod
    def link(cls, source, target, *more):
        """Links without a search for symbols that others have to give."""
        subprocess.run(
            [os.environ.get("CXX", "c++"), "-shared", "-fPIC", "-x", "c++", "-", "-x", "none", "-o", target,
             "-w", f"-Wl,-soname,{target.name}", "-Wl,--unresolved-symbols=ignore-all", *more],
            input=SOURCES[source], text=True, check=True,
        )

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=self.root)
        self.addCleanup(folder.cleanup)
        self.copy = pathlib.Path(folder.name) / "libcopy.so"

    def run_tool(self, library, *more):
        return subprocess.run([sys.executable, TOOLS / "llama_operators.py", library, self.root / "libstand_ins.so",
                               self.copy, *more], capture_output=True, text=True)

    def test_copy_needs_the_stand_ins_and_no_pytorch(self):
        library = self.original / "liblibrary.so"
        done = self.run_tool(library)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.copy.stat().st_size, library.stat().st_size)
        copied = tool.Elf(self.copy)
        needed = {text for text, _, _ in copied.tagged(tool.DT_NEEDED)}
        self.assertLessEqual({"libstand_ins.so", "libexecutorch.so"}, needed)
        self.assertFalse([name for name in needed if tool.OF_PYTORCH.match(name)])
        self.assertEqual([text for text, _, _ in copied.tagged(tool.DT_RPATH, tool.DT_RUNPATH)], ["$ORIGIN"])
        self.assertEqual([text for text, _, _ in copied.tagged(tool.DT_SONAME)], ["libcopy.so"])
        self.assertNotIn(tool.STB_GNU_UNIQUE, {binding for _, _, binding, _, _ in copied.symbols})

    def test_copy_runs_beside_pytorch(self):
        self.assertEqual(self.run_tool(self.original / "liblibrary.so").returncode, 0)
        for path in ("libtorch.so", "lib/libexecutorch.so", "libstand_ins.so"):
            ctypes.CDLL(str(self.root / path), ctypes.RTLD_GLOBAL)
        self.assertEqual(ctypes.CDLL(str(self.copy)).answer(), 321)

    def test_symbols_that_nothing_has_are_told_and_leave_no_copy(self):
        self.copy.write_text("of before")
        done = self.run_tool(self.original / "libwants_more.so")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("libwants_more.so wants _ZN2at3twoEv and 1 more symbol", done.stderr)
        self.assertFalse(self.copy.exists())

    def test_reason_is_for_the_engine_and_no_failure(self):
        reason = self.copy.with_name("reason.txt")
        done = self.run_tool(self.original / "libwants_more.so", "--reason", reason)
        self.assertEqual(done.returncode, 0)
        self.assertIn("wants _ZN2at3twoEv", reason.read_text())
        self.assertEqual(self.run_tool(self.original / "liblibrary.so", "--reason", reason).returncode, 0)
        self.assertEqual(reason.read_text(), "")

    def test_copy_that_ends_the_process_is_refused(self):
        done = self.run_tool(self.original / "libcrashes.so")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"left out: loading the copy ends the process with signal \d+\n$")
        self.assertEqual(list(self.copy.parent.iterdir()), [])

    def test_library_without_pytorch_is_refused(self):
        done = self.run_tool(self.root / "lib" / "libexecutorch.so", "--runtime", self.root / "lib")
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not need PyTorch", done.stderr)

    def test_missing_files_are_named(self):
        done = self.run_tool(self.root / "none.so")
        self.assertIn("none.so: No such file or directory", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_damaged_libraries_are_refused_in_one_line(self):
        whole = (self.original / "liblibrary.so").read_bytes()
        damaged = self.original / "libdamaged.so"
        self.addCleanup(damaged.unlink)
        stand_ins = tool.Elf(self.root / "libstand_ins.so")
        given = [size for size in range(0, len(whole), 251)] + list(range(64))
        cut = [whole[:size] for size in given]
        flipped = [whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1:] for at in range(4, 0x400, 3)]
        refused = 0
        for data in cut + flipped:
            damaged.write_bytes(data)
            try:
                library = tool.Elf(damaged)
                tool.patch(library, stand_ins, self.copy.name,
                           tool.check(library, stand_ins, self.root / "lib"))
            except tool.Refused as reason:
                refused += 1
                self.assertNotIn("\n", str(reason))
        self.assertGreaterEqual(refused, len(cut))


if __name__ == "__main__":
    unittest.main()

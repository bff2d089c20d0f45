"""tests/run_test.py and tools/run_ctest.py: what was skipped is said to be."""

import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

TESTS = pathlib.Path(__file__).resolve().parent
SKIPPED, FAILED = 77, 1


def run(*command):
    return subprocess.run([sys.executable, TESTS / "run_test.py", *command], check=False,
                          capture_output=True, text=True)


def cmocka(passed, skipped, failed=0):
    """What a program of cmocka's prints."""
    lines = [f"[==========] Running {passed + skipped + failed} test(s)."]
    for i in range(skipped):
        lines += [f"[ RUN      ] s{i}", "skipping: no engine", f"[  SKIPPED ] s{i}"]
    lines += [f"[  FAILED  ] f{i}" for i in range(failed)]
    lines += [f"[==========] {passed + skipped + failed} test(s) run.",
              f"[  PASSED  ] {passed} test(s)."]
    if skipped:
        lines += [f"[  SKIPPED ] {skipped} test(s), listed below:"]
        lines += [f"[  SKIPPED ] s{i}" for i in range(skipped)]
    return run(sys.executable, "-c", f"print({chr(10).join(lines)!r}); raise SystemExit({failed})")


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def unittest_of(self, body):
        (self.folder / "test_made.py").write_text(
            "import unittest\nclass T(unittest.TestCase):\n" + textwrap.indent(body, "    "))
        return run(sys.executable, "-c", f"import sys; sys.path.insert(0, {str(self.folder)!r}); "
                   "import unittest; unittest.main('test_made', verbosity=2)")

    def test_launcher__all_of_cmockas_tests_skipped_is_skipped(self):
        done = cmocka(0, 15)
        self.assertEqual(done.returncode, SKIPPED)
        self.assertTrue(done.stdout.endswith("\nskipped: 15 of 15: no engine\n"), done.stdout)

    def test_launcher__some_skipped_is_said_and_passes(self):
        done = cmocka(3, 2)
        self.assertEqual(done.returncode, 0)
        self.assertIn("\nskipped: 2 of 5: no engine\n", done.stdout)
        self.assertNotIn("skipped: ", cmocka(3, 0).stdout)

    def test_launcher__a_failure_among_the_skipped_is_a_failure(self):
        self.assertEqual(cmocka(0, 4, failed=1).returncode, FAILED)

    def test_launcher__signals_that_the_caller_ignores_reach_tests(self):
        """As below nohup, or behind a shell's &: a test that interrupts a command would wait forever."""
        ended = subprocess.run(
            ["sh", "-c", 'trap "" HUP INT QUIT TERM; exec "$@"', "sh", sys.executable, TESTS / "run_test.py",
             "sh", "-c", "kill -INT $$; echo ignored"], capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stdout), (-signal.SIGINT, ""))

    def test_launcher__all_of_unittests_tests_skipped_is_skipped(self):
        done = self.unittest_of("@unittest.skip(\"it isn't there\")\ndef test_a(self): pass\n")
        self.assertEqual(done.returncode, SKIPPED)
        self.assertIn("skipped: 1 of 1: it isn't there\n", done.stdout)
        whole = ("@classmethod\ndef setUpClass(cls): raise unittest.SkipTest('no engine')\n"
                 "def test_a(self): pass\n")
        self.assertEqual(self.unittest_of(whole).returncode, SKIPPED)

    def test_launcher__one_of_unittests_tests_that_passes_is_passed(self):
        done = self.unittest_of("@unittest.skip('why')\ndef test_a(self): pass\n"
                                "def test_b(self): pass\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("skipped: 1 of 2: why\n", done.stdout)

    def test_launcher__all_of_pytests_tests_skipped_is_skipped(self):
        lines = "SKIPPED [1] tests/test_a.py:14: torch is not installed\\n1 skipped in 1.04s"
        done = run(sys.executable, "-c", f"print('{lines}'); raise SystemExit(5)")
        self.assertEqual(done.returncode, SKIPPED)
        self.assertIn("skipped: 1 of 1: torch is not installed\n", done.stdout)
        done = run(sys.executable, "-c", f"print('{lines}'.replace('1 sk', '2 passed, 1 sk'))")
        self.assertEqual(done.returncode, 0)

    def test_launcher__a_signal_is_passed_on(self):
        done = run(sys.executable, "-c", "import os; os.kill(os.getpid(), 11)")
        self.assertEqual(done.returncode, -11)


if __name__ == "__main__":
    unittest.main()

"""etscope doctor: with and without the engine."""

import os
import subprocess
import unittest

import support

ETSCOPE = os.environ["ETSCOPE"]


def doctor(*words, engine=None):
    environment = dict(os.environ)
    if engine is not None:
        environment["ETSCOPE_ENGINE"] = engine
    return subprocess.run([ETSCOPE, "doctor", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment, text=True)


class TestDoctor(unittest.TestCase):
    def test_doctor__without_an_engine(self):
        result = doctor(engine="/nonexistent")
        self.assertEqual(result.returncode, 6)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[0], r"^etscope \d+\.\d+\.\d+$")
        self.assertIn("  engine         not found", lines)
        self.assertIn("missing: engine: ETSCOPE_ENGINE", result.stdout)
        self.assertIn("unset it", result.stdout)
        self.assertNotIn("Nothing is missing", result.stdout)

    def test_doctor__without_an_engine_as_json(self):
        result = doctor("--format", "json", engine="/nonexistent")
        self.assertEqual(result.returncode, 6)
        (report,) = support.json_rows(result.stdout)
        self.assertIsNone(report["engine"])
        self.assertIs(report["ready"], False)
        self.assertIn("engine", [each["part"] for each in report["missing"]])
        for each in report["missing"]:
            self.assertTrue(each["remedy"])

    def test_doctor__file_that_is_no_engine(self):
        result = doctor(engine=ETSCOPE)
        self.assertEqual(result.returncode, 6)
        self.assertIn("missing: engine:", result.stdout)

    def test_doctor__lines_fit(self):
        for engine in (None, "/nonexistent"):
            for line in doctor(engine=engine).stdout.splitlines():
                self.assertTrue(len(line) <= 80 or "/" in line, line)

    def test_doctor__words(self):
        result = doctor("model.pte")
        self.assertEqual(result.returncode, 2)
        self.assertIn("etscope info model.pte", result.stderr)


class TestDoctorWithEngine(unittest.TestCase):
    def setUp(self):
        (self.report,) = support.json_rows(doctor("--format", "json").stdout)
        if self.report["engine"] is None:
            self.skipTest("no engine is installed")

    def test_doctor__report(self):
        engine = self.report["engine"]
        self.assertTrue(os.path.exists(engine["path"]))
        self.assertRegex(engine["runtime_version"], r"\d+\.\d+")
        self.assertGreater(engine["kernel_count"], 0)
        self.assertGreaterEqual(engine["thread_count"], 1)
        missing = [each["part"] for each in self.report["missing"]]
        self.assertEqual("tracing" in missing, not engine["tracing"])
        self.assertIs(self.report["ready"], not missing)

    def test_doctor__same_facts_for_people(self):
        engine = self.report["engine"]
        result = doctor()
        self.assertEqual(result.returncode, 0 if self.report["ready"] else 6)
        lines = result.stdout.splitlines()
        self.assertIn(f"  kernels        {engine['kernel_count']}", lines)
        self.assertIn(f"  runtime        ExecuTorch {engine['runtime_version']}", lines)
        for backend in engine["backends"]:
            self.assertIn(backend["name"], result.stdout)

    def test_doctor__backends_of_the_wheel_that_are_not_linked(self):
        lines = doctor().stdout.splitlines()
        linked = {backend["name"] for backend in self.report["engine"]["backends"]}
        for name in ("QnnBackend", "OpenvinoBackend"):
            said = any(f"{name}, which needs" in line for line in lines)
            self.assertEqual(said, name not in linked)
        rows = self.report["engine"]["not_loaded"]
        self.assertEqual({row["name"] for row in rows}, {"QnnBackend", "OpenvinoBackend"} - linked)
        for row in rows:
            self.assertRegex(row["library"], r"^libexecutorch_backend_\w+\.so$")
            self.assertTrue(row["needs"])

    def test_doctor__kernels_on_demand(self):
        found = self.report["engine"]["kernels_on_demand"]
        if found["reason"] is not None:
            self.skipTest(found["reason"])
        self.assertIn("llama::custom_sdpa.out", found["names"])
        self.assertTrue(os.path.exists(found["library"]))
        text = doctor().stdout
        self.assertIn("  on demand      llama::", text)
        self.assertIn(f"without PyTorch, from {found['library']}\n", text)
        for name in found["names"]:
            self.assertIn(name, text)

    def test_doctor__library_that_does_not_exist(self):
        result = doctor("--format", "json", "--load-library", "/nonexistent.so")
        self.assertEqual(result.returncode, 3)
        (library,) = support.json_rows(result.stdout)[0]["libraries"]
        self.assertEqual(library["path"], "/nonexistent.so")
        self.assertTrue(library["error"])
        self.assertIn("/nonexistent.so", result.stderr)


if __name__ == "__main__":
    unittest.main()

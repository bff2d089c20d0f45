"""Mistyped and misplaced words: what is near, and what a file is for."""

import shutil
import unittest
import zipfile

import run_support
import support

MLP = support.DATA / "mlp_portable"


class Mistyped(support.FolderTest):
    def error(self, *words, code=support.USAGE):
        done = support.run(*words, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr.decode().splitlines()[-1]

    def setUp(self):
        super().setUp()
        for name in ("model.pte", "profile.etdp", "model.etrecord"):
            shutil.copy(MLP / name, self.folder)

    def test_mistyped__files(self):
        self.assertEqual(self.error("inspect", "profile.etdq", code=support.INPUT),
                         "etscope: profile.etdq: no such file; did you mean profile.etdp?")
        self.assertEqual(self.error("info", "./modle.pte", code=support.INPUT),
                         "etscope: ./modle.pte: no such file; did you mean ./model.pte?")
        self.assertEqual(self.error("inspect", "profile", code=support.INPUT),
                         "etscope: profile: no such file; did you mean profile.etdp?")
        for far in ("quite_another.pte", "m", "nowhere/profile.etdp"):
            self.assertEqual(self.error("info", far, code=support.INPUT),
                             f"etscope: {far}: no such file")

    def test_mistyped__options_and_commands(self):
        for words in (("inspect", "profile.etdp", "--verison"), ("--versoin",), ("version",)):
            self.assertIn("did you mean --version?", self.error(*words))
        version = support.run("--version").stdout
        self.assertEqual(support.run("inspect", "--version").stdout, version)

    def test_mistyped__methods(self):
        for words in (("memory", "model.pte", "--method", "fowrard"),
                      ("delegates", "model.pte", "--method", "fowrard"),
                      ("inspect", "profile.etdp", "--program", "model.pte", "--method", "fowrard")):
            self.assertRegex(self.error(*words), "no method .*fowrard.*; did you mean forward\\?$")
        self.assertNotIn("did you mean", self.error("memory", "model.pte", "--method", "x"))

    def test_misplaced__a_method_without_a_trace(self):
        self.assertIn("--method chooses a method of a trace",
                      self.error("advise", "--program", "model.pte", "--method", "forward"))

    def test_mistyped__a_method_to_run(self):
        if run_support.obstacle("mlp_portable"):
            self.skipTest(run_support.obstacle("mlp_portable"))
        for command in ("run", "profile"):
            self.assertEqual(self.error(command, "model.pte", "--method", "fowrard"),
                             "etscope: model.pte: no method fowrard; the program has forward; did "
                             "you mean forward?")

    def test_misplaced__files_of_another_kind(self):
        for words, expected in (
                (("inspect", "model.pte"), "; `etscope profile` or `etscope run` runs it, "),
                (("summary", "model.etrecord"), "; --etrecord takes it, beside a trace or program; "),
                (("memory", "profile.etdp"), "; `etscope inspect` shows it"),
                (("tensors", MLP / "model.bpte"), "; `etscope verify` runs its test cases, ")):
            self.assertIn(expected, self.error(*words, code=support.INPUT))
        # An option names what it wants.
        self.assertNotIn("`etscope profile`",
                         self.error("inspect", "profile.etdp", "--etrecord", "model.pte",
                                    code=support.INPUT))

    def test_misplaced__a_program_without_test_cases(self):
        if run_support.obstacle("mlp_portable"):
            self.skipTest(run_support.obstacle("mlp_portable"))
        self.assertRegex(self.error("verify", MLP / "model.bpte", "--method", "fowrard"),
                         "no test cases for method 'fowrard'; .*; did you mean forward\?$")
        self.assertIn("`etscope bundle` adds some", self.error("verify", "model.pte", code=support.INPUT))

    def test_misplaced__words_in_another_order(self):
        self.assertEqual(self.error("sql", "profile.etdp", "select * from events"),
                         "etscope: sql takes its query before its files: etscope sql "
                         "'select * from events' profile.etdp")
        shutil.copy(self.folder / "profile.etdp", self.folder / "my trace.etdp")
        self.assertEqual(self.error("sql", "my trace.etdp", "select 'a b'"),
                         "etscope: sql takes its query before its files: etscope sql "
                         r"'select '\''a b'\''' 'my trace.etdp'")
        self.assertEqual(self.error("plot", "profile.etdp"),
                         "etscope: plot needs a picture before its files: etscope plot PICTURE "
                         "profile.etdp; the pictures are icicle, runs, timeline, waterfall, "
                         "roofline, error, memory, size")

    def test_misplaced__the_trace_that_gap_proposes_takes_what_was_given(self):
        line = self.error("gap", "model.pte", "--etrecord", "model.etrecord", code=support.INPUT)
        if not run_support.have_records():
            self.skipTest("this build reads no records")
        self.assertIn(": etscope run model.pte --etrecord model.etrecord --inputs etrecord "
                      "--capture intermediates ", line)
        self.assertIn("--etrecord FILE --inputs etrecord ",
                      self.error("gap", "model.pte", code=support.INPUT))
        bare = self.folder / "bare.etrecord"  # keeps no inputs
        with zipfile.ZipFile(MLP / "model.etrecord") as whole, zipfile.ZipFile(bare, "w") as part:
            for name in whole.namelist():
                if "inputs" not in name:
                    part.writestr(name, whole.read(name))
        line = self.error("gap", "model.pte", "--etrecord", bare, code=support.INPUT)
        self.assertIn(f"--etrecord {bare} --capture", line)

    def test_mistyped__run_for_runs(self):
        if run_support.obstacle("mlp_portable"):
            self.skipTest(run_support.obstacle("mlp_portable"))
        self.assertIn(b"note: --run 5 shows only run 5 of all; --runs 5 runs the program that often\n",
                      support.run("profile", "model.pte", "--run", "5", cwd=self.folder).stderr)
        done = support.run("profile", "model.pte", "--run", "1", "--runs", "3", cwd=self.folder)
        self.assertNotIn(b"makes so many", done.stderr)


if __name__ == "__main__":
    unittest.main()

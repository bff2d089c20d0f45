"""`etscope profile --recordings N` and `profile AFTER --before BEFORE`: new processes, in turn."""

import json
import os
import signal
import subprocess
import time
import unittest

import run_support
import support

PORTABLE = run_support.DATA / "mlp_portable" / "model.pte"
XNNPACK = run_support.DATA / "mlp_xnnpack" / "model.pte"


class Recordings(run_support.FolderTest if hasattr(run_support, "FolderTest") else support.FolderTest):
    def profile(self, *words, code=support.OK):
        environment = {**os.environ, "TMPDIR": str(self.folder)}
        done = support.subprocess.run([support.ETSCOPE, "profile", *map(str, words)], capture_output=True,
                                      env=environment, check=False)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual([path for path in self.folder.iterdir() if path.name.startswith("etscope-")], [])
        return done

    def test_profile_recordings__compares_two_programs(self):
        done = self.profile(XNNPACK, "--before", PORTABLE, "--recordings", 2, "--runs", 3, "--format", "json")
        document = json.loads(done.stdout)
        rows = [row for row in document["rows"] if row["operator"] == "Method::execute"]
        self.assertEqual([(row["recordings_before"], row["recordings_after"], row["runs_before"]) for row in rows],
                         [(2, 2, 6)])
        self.assertEqual(rows[0]["verdict"], "undecided")
        self.assertIn("XnnpackBackend took", document["headline"])
        self.assertIn("recordings of one program differ here by", document["headline"])

    def test_profile_recordings__one_recording_each_says_what_decides(self):
        done = self.profile(XNNPACK, "--before", PORTABLE, "--recordings", 1, "--runs", 3)
        self.assertRegex(done.stdout.decode(), "the day: etscope profile .*mlp_xnnpack/model.pte --before "
                                               ".*mlp_portable/model.pte --recordings 5\n")

    def test_profile_recordings__keeps_the_traces(self):
        self.profile(XNNPACK, "--before", PORTABLE, "--recordings", 2, "--runs", 2, "-o", self.folder / "t.etdp")
        self.assertEqual(sorted(path.name for path in self.folder.glob("t.*")),
                         ["t.after-1.etdp", "t.after-2.etdp", "t.before-1.etdp", "t.before-2.etdp"])

    def test_profile_recordings__of_one_program_are_summarized(self):
        done = self.profile(XNNPACK, "--recordings", 3, "--runs", 2)
        self.assertRegex(done.stdout.decode(), r"^forward: .* per run \(median of 6 runs of 3 files")

    def test_profile_recordings__a_recording_ends_with_its_command(self):
        self.profile(XNNPACK, "--runs", 1)  # skips where nothing runs
        words = [support.ETSCOPE, "profile", XNNPACK, "--recordings", "2", "--runs", "100000000"]
        environment = {**os.environ, "TMPDIR": str(self.folder)}
        with subprocess.Popen([*map(str, words)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as own:
            while own.poll() is None and not self.children(own.pid):
                time.sleep(0.01)
            (child,) = self.children(own.pid)
            time.sleep(0.2)  # it watches by now
            own.terminate()
            own.communicate(timeout=60)
            self.assertEqual(own.returncode, 128 + signal.SIGTERM)
        self.assertFalse(os.path.exists(f"/proc/{child}"))
        self.assertEqual(list(self.folder.iterdir()), [])

    @staticmethod
    def children(process):
        try:
            with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as listed:
                return listed.read().split()
        except FileNotFoundError:
            raise unittest.SkipTest("the system does not list the children of a process") from None

    def test_profile_recordings__misuse(self):
        for words in (("--before-etrecord", "x", "--recordings", 2), ("--before", PORTABLE, "--capture", "outputs"),
                      ("--recordings", 0), ("--recordings", 2, "--threads", "1,2")):
            done = self.profile(XNNPACK, *words, code=support.USAGE)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()

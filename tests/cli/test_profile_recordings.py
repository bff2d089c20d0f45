"""`etscope profile --recordings N` and `profile AFTER --before BEFORE`: new processes, in turn."""

import json
import os
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

    def test_profile_recordings__misuse(self):
        for words in (("--before-etrecord", "x", "--recordings", 2), ("--before", PORTABLE, "--capture", "outputs"),
                      ("--recordings", 0), ("--recordings", 2, "--threads", "1,2")):
            done = self.profile(XNNPACK, *words, code=support.USAGE)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()

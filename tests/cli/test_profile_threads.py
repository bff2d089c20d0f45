"""`etscope profile --threads 1,2`: its table, its traces, what it refuses. Speeds are not tested."""

import json
import unittest

from run_support import DATA, USAGE, RunTest, call

PROGRAM = DATA / "mlp_xnnpack" / "model.pte"
GAINS = {"faster", "slower", "nothing", "unclear"}


class Threads(RunTest):
    def document(self, *words):
        return json.loads(self.ok("profile", PROGRAM, "--format", "json", *words).stdout)

    def test_a_list_has_a_row_for_each_number(self):
        document = self.document("--threads", "2,1", "--runs", "13")
        first, second = document["rows"]
        self.assertEqual((first["threads"], second["threads"]), (1, 2))
        self.assertEqual((first["gain"], first["over"], first["speedup"]), (None, None, 1))
        self.assertIn(second["gain"], GAINS)
        self.assertEqual(second["over"], 1)
        self.assertEqual({(row["turns"], row["runs"]) for row in document["rows"]}, {(6, 18)})
        self.assertTrue(second["speedup_low"] <= second["speedup"] <= second["speedup_high"])
        self.assertAlmostEqual(second["efficiency"], second["speedup"] / 2)
        self.assertRegex(document["headline"], "^2 threads (are|gain|take|may be) ")
        self.assertEqual(len(document["notes"]), 1, "where inputs come from is told once")

    def test_each_number_has_a_trace(self):
        rows = self.document("--threads", "1,2", "--runs", "6", "-o", "t.etdp")["rows"]
        self.assertEqual([row["trace"] for row in rows],
                         ["t.threads-1.etdp", "t.threads-2.etdp"])
        for row in rows:
            self.assertIn("6 runs", self.ok("inspect", row["trace"]).stdout)
            facts = json.loads(self.ok("info", row["trace"], "--format", "json").stdout)
            self.assertIn(f'"pool_thread_count": {row["threads"]}', json.dumps(facts))
        self.assertFalse((self.folder / "t.etdp").exists())
        told = self.ok("diff", "t.threads-1.etdp", "t.threads-2.etdp").stderr
        self.assertIn("note: the first side ran on 1 thread, the second on 2: the difference may be", told)
        told = self.ok("diff", "t.threads-1.etdp", "t.threads-1.etdp").stderr
        self.assertNotIn("thread", told)
        found = self.ok("advise", "t.threads-2.etdp", "--one-thread", "t.threads-1.etdp",
                        "--program", PROGRAM, "--all", "--format", "json").stdout
        self.assertIn("kind", json.loads(found)["rows"][0])
        other = DATA / "mlp_portable" / "profile.etdp"
        self.assertNotEqual(call("advise", "t.threads-2.etdp", "--one-thread", other, "--program",
                                 PROGRAM, cwd=self.folder).returncode, 0)
        self.assertEqual(call("advise", "--program", PROGRAM, "--one-thread", other).returncode,
                         USAGE)

    def test_people_see_turns_and_intervals(self):
        out = self.ok("profile", PROGRAM, "--threads", "1,2", "--runs", "6").stdout
        self.assertRegex(out, r"(?m)^6 turns, 6 runs of each; low and high: 95 % interval")
        self.assertRegex(out, r"(?m)^threads +median .s +low .s +high .s +speed-up +low +high")
        self.assertNotIn("Resetting", call("profile", PROGRAM, "--threads", "2").stderr)

    def test_wrong_lists_and_options_are_named(self):
        for words, reason in ((["--threads", "1,1"], "different"), (["--threads", "1,"], '"1,"'),
                              (["--threads", "0,2"], "from 1 to 1024"),
                              (["--threads", "1,2x"], "1,2x"),
                              (["--threads", ",".join(map(str, range(1, 18)))], "up to 16"),
                              (["--threads", "1,2", "--top", "3"], "--top and a list"),
                              (["--threads", "1,2", "--until-sure", "5%"], "--until-sure and"),
                              (["--threads", "1,2", "--format", "upstream"], "upstream")):
            done = call("profile", PROGRAM, *words)
            self.assertEqual((done.returncode, reason in done.stderr), (USAGE, True), done.stderr)
        self.assertEqual(call("run", PROGRAM, "--threads", "1,2").returncode, USAGE)


if __name__ == "__main__":
    unittest.main()

"""`--target` over a real ssh: an sshd of this user on 127.0.0.1."""

import unittest

import run_support as support
from target_support import SshdTest


class ByRealSsh(SshdTest):
    def test_target_ssh__profile_records_there_and_shows_here(self):
        words = ("profile", self.model(), "--etrecord", self.model(file="model.etrecord"), "--group-by", "source",
                 "--runs", "3", "-o", "trace.etdp")  # fmt: skip
        done = self.call(*words)
        self.assertIn("models/zoo.py:16", done.stdout)
        self.assertIn("pushing the program", done.stderr)
        self.assertNotIn("pushing", self.call(*words).stderr)
        self.assertEqual(self.left(), [])

    def test_target_ssh__a_connection_that_ends_in_a_run_ends_the_run(self):
        running = self.start_long_run()
        self.assertEqual(running.poll(), None)
        self.before("kill -9 $PPID; exit 0")  # nobody comes again
        self.sshd.end_connections()
        error = running.communicate(timeout=60)[1]
        self.assertEqual(running.returncode, support.UNAVAILABLE, error)
        self.assertIn(f"{self.target}: while the command ran: the connection was refused or lost", error)
        self.wait_until(lambda: not self.left() and not self.processes())
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_target_ssh__a_key_that_is_refused_is_said(self):
        (self.folder / "key.pub").write_text("")
        done = self.call("run", self.model(), code=support.UNAVAILABLE)
        self.assertIn("Permission denied", done.stderr)
        self.assertIn(f"{self.target}: its shell: the connection was refused or lost", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""`--target` of a 64-bit Arm machine, over a real ssh and a stand-in of adb; QEMU runs its programs (`make test-long`)."""

import json
import os
import re
import signal
import unittest

import run_support as support
from target_support import SshdTest, TargetTest, arm64_bundles


def setUpModule():
    if not os.environ.get("ETSCOPE_LONG"):
        raise unittest.SkipTest("another processor is a target in make test-long")


class OnArm64:
    machine = "aarch64"
    bundles = staticmethod(arm64_bundles)

    def profile(self):
        return self.call("profile", self.model(), "--etrecord", self.model(file="model.etrecord"), "--group-by",
                         "source", "-o", "trace.etdp", "--report", "report.html")  # fmt: skip

    def test_target_arm64__profile_has_source_lines_and_a_report(self):
        done = self.profile()
        self.assertIn("models/zoo.py:16", done.stdout)
        self.assertIn(f"note: {self.target}: pushing the program, 2", done.stderr)
        told = support.call("info", "trace.etdp", cwd=self.folder).stdout
        self.assertRegex(told, r"Linux \S+ aarch64")
        head = re.search(r"(?s)id=.etscope-head.>(.*?)</script>", (self.folder / "report.html").read_text())[1]
        self.assertRegex(" ".join(json.loads(head)["trust"]), r"recorded on .*Linux \S+ aarch64")
        self.assertNotIn("pushing", self.profile().stderr)
        self.assertEqual(self.left(), [])

    def test_target_arm64__a_language_model_says_the_same(self):
        greedy = json.loads((support.DATA / "llama" / "greedy.json").read_text())
        (self.folder / "prompt.txt").write_text(" ".join(map(str, greedy["prompt"])))
        done = self.call("generate", support.DATA / "llama" / "kv_sdpa.pte", "--tokens", "prompt.txt", "--new", "40",
                         "--format", "json")  # fmt: skip
        self.assertEqual(support.json_rows(done.stdout)[1]["tokens"], greedy["greedy"])

    def test_target_arm64__verdicts_are_those_of_this_machine(self):
        self.assertRegex(self.call("verify", self.model(file="model.bpte")).stdout, "^PASS 3 of 3 test cases")
        done = self.call("run", self.model(), "--method", "nothing", code=support.USAGE)
        self.assertIn("etscope: model.pte: no method nothing; the program has forward", done.stderr)

    def test_target_arm64__a_cable_that_is_pulled_leaves_nothing_half_written(self):
        self.call("run", self.model(), "-o", "trace.etdp")
        for step in range(1, self.calls() + 1):
            with self.subTest(step=step):
                (self.folder / "trace.etdp").unlink()
                self.device = self.folder / f"device{step}"
                self.device.mkdir()
                self.before(f'[ "$(wc -l < "$ETSCOPE_TEST_DEVICE/calls")" -eq {step} ] && {self.pulled}')
                done = support.call(*self.words("run", self.model(), "-o", "trace.etdp"), cwd=self.folder,
                                    **self.environment())  # fmt: skip
                if done.returncode != support.OK:  # the last call removes what the command left there
                    self.assertEqual(done.returncode, support.UNAVAILABLE, done.stderr)
                    self.assertFalse((self.folder / "trace.etdp").exists())
                self.before("")
                self.call("run", self.model(), "-o", "trace.etdp")
                self.assertGreater((self.folder / "trace.etdp").stat().st_size, 0)

    def test_target_arm64__a_device_that_answers_late_is_waited_for(self):
        self.before("sleep 2")
        self.call("run", self.model(), "-o", "trace.etdp")
        self.assertEqual(self.left(), [])

    def test_target_arm64__two_at_once_share_what_they_push(self):
        both = [self.start("run", self.model(), "-o", f"{i}.etdp") for i in range(2)]
        for i, each in enumerate(both):
            error = each.communicate(timeout=120)[1]
            self.assertEqual(each.returncode, support.OK, error)
            self.assertGreater((self.folder / f"{i}.etdp").stat().st_size, 0)
        self.assertEqual(len(list((self.root() / "bundles").iterdir())), 1)
        self.assertEqual(self.left(), [])

    def test_target_arm64__an_interrupt_ends_both_sides(self):
        running = self.start_long_run()
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(timeout=60), 128 + signal.SIGINT)
        self.wait_until(lambda: not self.left() and not self.processes())


class BySsh(OnArm64, SshdTest):
    pulled = "kill -9 $PPID"

    def test_target_arm64__a_connection_that_ends_in_a_run_ends_the_run(self):
        running = self.start_long_run()
        self.before("kill -9 $PPID; exit 0")  # nobody comes again
        self.sshd.end_connections()
        self.assertEqual(running.wait(timeout=60), support.UNAVAILABLE)
        self.wait_until(lambda: not self.left() and not self.processes())


class ByAdb(OnArm64, TargetTest):
    target = "adb:serial"
    pulled = "exit 1"


if __name__ == "__main__":
    unittest.main()

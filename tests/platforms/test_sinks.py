"""Sinks for Android's log, SEGGER RTT and Zephyr's printk: `recover` reads what they hand out.

ETSCOPE names the binary, SINK_PROGRAM the program of sink_program.c.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import support

PROGRAM = os.environ.get("SINK_PROGRAM", "sink_program")
SINKS = ("android", "rtt", "rtt-lines", "zephyr")
FORMS = ("stream", "dump")
RUNS = 5


def capture(*words):
    """What a computer captures, and whether the recorder ended well."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done
    return done.stdout, done.returncode == 0


class Sinks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = Path(folder.name) / "trace.etdp"

    def recover(self, data):
        self.trace.unlink(missing_ok=True)
        return support.run("recover", "-", "-o", self.trace, "-f", "json", stdin=data)

    def test_sinks__recover_reads_what_each_hands_out(self):
        for sink in SINKS:
            for form in FORMS:
                with self.subTest(sink, form=form):
                    data, is_well = capture(sink, form)
                    self.assertTrue(is_well)
                    done = self.recover(data)
                    self.assertEqual((done.returncode, done.stderr), (support.OK, b""))
                    (row,) = support.json_rows(done.stdout)
                    self.assertEqual(row["encoding"], "raw" if sink == "rtt" else "base64")
                    self.assertEqual((row["run_count"], row["stream"] is None), (RUNS, form == "dump"))
                    done = support.run("inspect", self.trace, "-f", "json")
                    self.assertNotIn(b"did not finish", done.stderr + done.stdout)  # it records operators alone
                    table = support.json_rows(done.stdout)
                    self.assertEqual([(line["operator"], line["runs"]) for line in table],
                                     [("conv", RUNS), ("relu", RUNS), ("linear", RUNS)])
                    # Of a clock of 32 bits that began again in the first run: 1 ms from reading to reading.
                    self.assertEqual({line["max_ns"] for line in table}, {1e6})

    def test_sinks__a_stream_through_a_terminal_has_other_bytes_alone(self):
        for sink in ("android", "zephyr"):
            data, _ = capture(sink, "stream")
            self.assertEqual(data.count(b"rssi") + data.count(b"app: seen"), data.count(b"etsf:"))
            (row,) = support.json_rows(self.recover(data).stdout)
            self.assertEqual([row["stream"][name] for name in ("lost_frames", "damaged_frames", "finished")],
                             [0, 0, True])

    def test_sinks__the_recorder_hears_of_a_log_that_is_full(self):
        """printk tells nobody; of what the others took, the whole frames are recovered."""
        for sink in SINKS:
            for form in FORMS:
                with self.subTest(sink, form=form):
                    data, is_well = capture(sink, form, 12)
                    self.assertEqual(is_well, sink == "zephyr")
                    done = self.recover(data)
                    if form == "dump":
                        self.assertEqual(done.returncode, support.INPUT, done.stderr)
                        continue
                    (row,) = support.json_rows(done.stdout)
                    self.assertFalse(row["stream"]["finished"])
                    self.assertLess(row["run_count"], RUNS)


if __name__ == "__main__":
    unittest.main()

"""Commands that read traces read a device's log as the trace in it, and say so."""

import base64
import pathlib
import tempfile
import unittest

import support

CAPTURES = support.DATA / "captures"
PROFILE = support.DATA / "mlp_portable" / "profile.etdp"
CYCLES = b"python3 -m devtools.inspector.inspector_cli --source_time_scale cycles\n"
BOOT = b"*** Booting Zephyr OS build ***\r\nI (312) wifi: connected\r\n"


def runner(tensors=None, dump=None):
    """What ExecuTorch's runner for Cortex-M prints."""
    text = BOOT + b"#[RUN THIS]\n"
    for name, data in (("debug_buffer.bin", tensors), ("etdump.bin", dump or PROFILE.read_bytes())):
        if data is not None:
            text += b'# Writing %s [base64]\necho "%s" | base64 -d >%s\n' % (name.encode(), base64.b64encode(data),
                                                                             name.encode())
    return text + CYCLES + b"#[END]\n"


class Logs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def log(self, data):
        path = self.folder / "uart.log"
        path.write_bytes(data)
        return path

    def recovered(self, log):
        path = self.folder / "recovered.etdp"
        path.unlink(missing_ok=True)
        self.assertEqual(support.run("recover", log, "-o", path).returncode, support.OK)
        return path

    def test_logs__the_clock_of_the_runner_counts_cycles(self):
        plain = runner().replace(CYCLES, b"")
        lines = {b"": False, CYCLES: True, b"I [executorch:arm_executor_runner.cpp:1040 main()] PTE\n": True,
                 b"I [executorch:arm_perf_monitor.cpp:193 StopMeasurements()] ethosu_pmu_cycle_cntr : 64\n": True}
        for line, counts_cycles in lines.items():
            with self.subTest(line):
                said = support.run("inspect", self.log(line + plain)).stdout
                self.assertEqual(b" cycles per run" in said, counts_cycles)

    def test_logs__a_log_is_read_as_what_recover_writes(self):
        logs = {"runner": runner(), "stream": BOOT + (CAPTURES / "finished.bin").read_bytes(),
                "lines": (CAPTURES / "uart.log").read_bytes(), "hang": (CAPTURES / "hang.bin").read_bytes()}
        for name, data in logs.items():
            log = self.log(data)
            trace = self.recovered(log)
            for words in (["inspect"], ["inspect", "--group-by", "source", "-f", "csv"],
                          ["sql", "select name, calls, p50 from operators"]):
                with self.subTest(name, words=words):
                    done, wanted = support.run(*words, log), support.run(*words, trace)
                    self.assertEqual((done.returncode, done.stdout), (support.OK, wanted.stdout), done.stderr)
                    self.assertRegex(done.stderr, rb"\Anote: \S*uart.log is a log; the trace in it was read")

    def test_logs__times_of_executorchs_runner_are_cycles(self):
        done = support.run("inspect", self.log(runner()))
        self.assertIn(b" cycles per run", done.stdout)
        done = support.run("info", self.log(runner()))
        self.assertEqual(done.returncode, support.OK)
        self.assertIn(b"times          cycles\n", done.stdout)

    def note(self, data):
        done = support.run("inspect", "-", stdin=data)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return done.stderr.decode().splitlines()[0].removeprefix("note: standard input is a log; ")

    def test_logs__what_is_not_in_the_trace_is_said(self):
        more = ": etscope recover tells more"
        stream = (CAPTURES / "finished.bin").read_bytes()
        self.assertEqual(self.note(stream), "the trace in it was read")
        self.assertEqual(self.note(runner()), "the trace in it was read")
        self.assertEqual(self.note(runner(b"T" * 64)), "the trace in it was read without its captured tensors" + more)
        self.assertEqual(self.note((CAPTURES / "hang.bin").read_bytes()),
                         "the trace in it was read up to where it breaks off" + more)
        at = stream.index(b"\xabTSF", len(stream) // 2)
        self.assertEqual(self.note(stream[:at + 30] + stream[at + 31:]),
                         "the trace in it was read without 1 lost frame" + more)
        self.assertEqual(self.note(stream + BOOT + stream), "the last of 2 traces in it was read")
        self.assertEqual(self.note(runner() + runner()), "the last of 2 traces in it was read")

    def test_logs__notes_are_in_documents(self):
        done = support.run("inspect", self.log(runner()), "-f", "json")
        self.assertIn(b'is a log; the trace in it was read"', done.stdout)
        (row,) = support.json_rows(support.run("info", self.log(runner()), "-f", "json").stdout)
        self.assertEqual(row["kind"], "etdump")

    def test_logs__both_sides_of_a_comparison_may_be_logs(self):
        done = support.run("diff", self.log(runner()), PROFILE)
        self.assertIn(b"is a log; the trace in it was read", done.stderr)
        self.assertIn(done.returncode, (support.OK, support.MISMATCH))

    def test_logs__a_log_without_a_whole_trace_is_refused_as_before(self):
        done = support.run("inspect", self.log(BOOT * 100))
        self.assertEqual((done.returncode, done.stdout), (support.INPUT, b""))
        self.assertIn(b"not an ETDump but a text file", done.stderr)
        cut = runner().replace(b'" | base64 -d >etdump', b"")
        self.assertEqual(support.run("inspect", self.log(cut)).returncode, support.INPUT)
        done = support.run("inspect", self.log((CAPTURES / "finished.bin").read_bytes()[:30]))
        self.assertEqual(done.returncode, support.INPUT)
        self.assertIn(b"capture of a stream", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""The example programs, in QEMU: what they hand out is read by etscope.

ETSCOPE names the binary, BARE_METAL_OUT the folder for builds.
"""

import base64
import json
import os
import re
import subprocess
import sys
import unittest
import zlib
from pathlib import Path

from footprint import build, missing_tools

ETSCOPE = os.environ.get("ETSCOPE", "etscope")
OUT = Path(os.environ.get("BARE_METAL_OUT", "build/bare_metal"))
TOOLS = {"clang": "clang", "ld.lld": "lld", "llvm-ar": "llvm", "make": "make",
         "qemu-system-arm": "qemu-system-arm"}
INFERENCES = 50
OPERATORS = ["conv", "relu", "linear"]


def call(*words):
    done = subprocess.run([ETSCOPE, *map(str, words), "--format", "json"], check=True,
                          capture_output=True)
    return json.loads(done.stdout)["rows"]


def rows(trace):
    return call("inspect", trace)


def lines_of(log, prefix):
    """The text behind `prefix` of all lines that have it."""
    return re.findall(rb"(?m)" + prefix + rb"([^\r\n]*)", log.read_bytes())


class Board:
    """The tests, for one target."""

    @classmethod
    def setUpClass(cls):
        cls.folder = build(cls.target, OUT, "run")
        build(cls.target, OUT, "interrupts")

    def check_operators(self, whole_and_table, runs):
        whole, *table = whole_and_table
        self.assertEqual([whole["operator"], *(row["operator"] for row in table)], ["Method::execute", *OPERATORS])
        self.assertGreater(whole["avg_ns"], sum(row["avg_ns"] for row in table))
        self.assertEqual([row["instruction"] for row in table], [0, 1, 2])
        for row in whole_and_table:
            self.assertEqual(row["runs"], runs)
            self.assertGreater(row["min_ns"], 0)
        # A convolution of nine products for each feature takes longer than what follows it.
        self.assertGreater(table[0]["avg_ns"], table[1]["avg_ns"] + table[2]["avg_ns"])

    def test_a_ring_of_two_kib_keeps_the_last_inferences(self):
        table = rows(self.folder / "ring.etdp")
        self.check_operators(table, table[0]["runs"])
        self.assertGreaterEqual(table[0]["runs"], 6)
        self.assertLess(table[0]["runs"], INFERENCES)

    def test_the_log_has_the_same_dump_as_lines(self):
        log = self.folder / "ring.log"
        *pieces, end = lines_of(log, b"etsd:")
        dump = b"".join(map(base64.b64decode, pieces))
        self.assertEqual(dump, (self.folder / "ring.etdp").read_bytes())
        self.assertEqual(end.decode(), f"end {len(dump)} {zlib.crc32(dump):08x}")
        self.assertTrue(log.read_bytes().endswith(b"ring: done\n"))

    def recover(self, log):
        """What `etscope recover` says of a log, and the trace it made."""
        trace = self.folder / f"{log}.etdp"
        return call("recover", self.folder / log, "-o", trace)[0], trace

    def check_stream(self, log, encoding, other_bytes):
        told, trace = self.recover(log)
        stream = told["stream"]
        self.assertEqual(told["encoding"], encoding)
        self.assertEqual(told["event_count"], INFERENCES * (len(OPERATORS) + 1))
        self.assertGreater(stream["frames"], INFERENCES)
        for count in ("lost_frames", "damaged_frames", "refused_records", "dropped_events"):
            self.assertEqual(stream[count], 0)
        self.assertEqual(stream["other_bytes"], other_bytes)
        self.assertTrue(stream["finished"])
        self.check_operators(rows(trace), INFERENCES)

    def test_frames_are_found_in_between_of_the_log(self):
        log = (self.folder / "stream.log").read_bytes()
        spoken = re.findall(rb"stream: \w.*\n|seen: \w.*\n", log)
        self.assertEqual(len(spoken), 7)
        self.assertTrue(log.startswith(spoken[0]) and log.endswith(spoken[-1]))
        self.check_stream("stream.log", "raw", sum(map(len, spoken)))

    def test_the_second_log_has_the_frames_as_lines(self):
        self.assertEqual((self.folder / "stream-text.log").read_bytes().count(b"seen: "), 5)
        self.check_stream("stream-text.log", "base64", 0)

    def test_the_dump_is_recovered_from_the_log(self):
        told, trace = self.recover("ring.log")
        self.assertIsNone(told["stream"])
        self.assertEqual(trace.read_bytes(), (self.folder / "ring.etdp").read_bytes())

    def test_a_summary_has_all_inferences_but_the_warm_up(self):
        told = call("info", self.folder / "summary.etsum")[0]
        self.assertEqual([told[name] for name in ("runs", "warm_up_runs", "lost_values", "lost_events")],
                         [INFERENCES - 2, 2, 0, 0])
        table = {row["name"]: row for row in told["rows"]}
        self.assertEqual(sorted(table), sorted([*OPERATORS, "Method::execute"]))
        for instruction, name in enumerate(OPERATORS):
            row = table[name]
            self.assertEqual((row["instruction"], row["runs"], row["method"]), (instruction, INFERENCES - 2, "forward"))
            self.assertGreater(row["min_ns"], 0)
        whole = table["Method::execute"]["mean_ns"]
        self.assertGreater(whole, sum(table[name]["mean_ns"] for name in OPERATORS))
        self.assertGreater(table["conv"]["mean_ns"], whole / 2)

    def test_the_summary_is_recovered_from_the_log(self):
        told, file = self.recover("summary.log")
        self.assertIsNone(told["stream"])
        self.assertEqual((told["run_count"], told["event_count"]), (INFERENCES - 2, 0))
        self.assertEqual(file.read_bytes(), (self.folder / "summary.etsum").read_bytes())
        self.assertTrue((self.folder / "summary.log").read_bytes().endswith(b"summary: done\n"))

    def test_logs_are_read_as_what_is_in_them(self):
        for log, kind in (("ring.log", "trace"), ("stream.log", "trace"), ("summary.log", "summary")):
            done = subprocess.run([ETSCOPE, "info", self.folder / log], capture_output=True, check=True, text=True)
            self.assertIn(f"{log} is a log; the {kind} in it was read", done.stderr)
        for log, notes in (("ring.log", 3), ("stream.log", 1)):
            done = subprocess.run([ETSCOPE, "inspect", self.folder / log], capture_output=True, check=True, text=True)
            self.assertRegex(done.stdout, r"\Aforward: [\d.]+ ms per run")
            self.assertEqual(done.stderr.count("note: "), notes, done.stderr)

    def check_recorded(self, table, name_of):
        """Event `i` of a thread took `i` ns and has the name that follows from it."""
        for i, row in enumerate(table):
            self.assertEqual((row["calls"], row["avg_ns"]), (1, i))
            self.assertEqual(row["operator"], f"part {name_of(i % 16 % 12)}")

    def test_an_interrupt_handler_records_into_the_same_trace(self):
        table = rows(self.folder / "interrupts.etdp")
        blocks = [[row for row in table if row["block_index"] == block] for block in (0, 1)]
        main, handler = sorted(blocks, key=lambda block: block[0]["operator"])
        self.assertEqual(len(main), 500)
        self.assertGreater(len(handler), 200)
        self.check_recorded(main, lambda letter: "abcdefghijkl"[letter])
        self.check_recorded(handler, lambda letter: "lkjihgfedcba"[letter])


class CortexM0(Board, unittest.TestCase):
    """Code without atomic operations, on the board of the Cortex-M4."""

    target = "cortex-m0"


class CortexM4(Board, unittest.TestCase):
    target = "cortex-m4"


class CortexM55(Board, unittest.TestCase):
    target = "cortex-m55"


def main():
    packages = missing_tools(TOOLS)
    if packages:
        print("skipped: the example needs the packages " + " ".join(packages))
        sys.exit(77)
    unittest.main()


if __name__ == "__main__":
    main()

"""Traces that several methods fit: what delegates reported decides, by payload or delegate map."""

import json
import tempfile
import unittest
from pathlib import Path

import support

PROGRAM = "--program", support.fixture("payloads", "two.pte")
RECORD = "--etrecord", support.fixture("payloads", "two.etrecord")


def methods(trace, *words):
    """Of the rows that executed, and what was noted."""
    done = support.inspect(support.fixture("payloads", f"{trace}.etdp"), *words, "--no-siblings",
                           "--format", "json")
    assert done.returncode == support.OK, done.stderr
    rows = support.json_rows(done.stdout)
    return {row["method"] for row in rows if row["block"] == "Execute"}, done.stderr.decode()


class Ambiguous(unittest.TestCase):
    def test_ambiguous__the_payload_decides(self):
        for trace in "up", "down":
            for words in PROGRAM, PROGRAM + RECORD:
                found, notes = methods(trace, *words)
                self.assertEqual(found, {trace})
                self.assertNotIn("ambiguous", notes)

    def test_ambiguous__a_record_without_a_map_does_not_decide(self):
        for trace in "up", "down":
            self.assertIn("method is ambiguous: down, up; choose one with --method",
                          methods(trace, *RECORD)[1])

    def test_ambiguous__the_records_delegate_map_decides(self):
        ours = {"Sigmoid (NC) #1": [1], "TanH (NC) #1": [2]}
        for other in ({"Sigmoid (NC) #1": [1]}, {"A": [1], "B": [2]}):
            maps = {"up": {"0": {"name": "XnnpackBackend", "delegate_map": ours}},
                    "down": {"0": {"name": "XnnpackBackend", "delegate_map": other}}}
            with tempfile.TemporaryDirectory() as folder:
                record = Path(folder) / "two.etrecord"
                support.replace_entries(RECORD[1], record, {"delegate_map": json.dumps(maps)})
                found, notes = methods("down", "--etrecord", record)
            self.assertEqual(found, {"up"})
            self.assertNotIn("ambiguous", notes)

    def test_ambiguous__maps_that_say_the_same_do_not_decide(self):
        names = {"Sigmoid (NC) #1": [1], "TanH (NC) #1": [2]}
        maps = {method: {"0": {"name": "XnnpackBackend", "delegate_map": names}}
                for method in ("up", "down")}
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "two.etrecord"
            support.replace_entries(RECORD[1], record, {"delegate_map": json.dumps(maps)})
            self.assertIn("method is ambiguous: down, up", methods("up", "--etrecord", record)[1])


if __name__ == "__main__":
    unittest.main()

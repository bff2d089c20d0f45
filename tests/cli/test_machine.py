"""`etscope machine`: what it measures, keeps and shows again. No test depends on a machine's speed."""

import json
import unittest

import support
from support import INPUT, OK, USAGE

PRODUCTS = ["float32", "float16", "int8", "int8_dynamic"]
MACHINE = {
    "etscope_machine": 1, "cpu": "Made", "cores": 1,
    "caches": [{"level": 1, "bytes": 32768, "shared_by": 1}],
    "roofs": [
        {"program": "float32", "threads": 1, "working_set_bytes": 3145728, "work": 10**9,
         "time_ns": 10**7, "runs": 50},
        {"program": "add", "threads": 1, "working_set_bytes": 12288, "work": 12288,
         "time_ns": 512, "runs": 50},
        {"program": "copy", "threads": 1, "working_set_bytes": 10**8, "work": 10**8,
         "time_ns": 10**7, "runs": 50},
        {"program": "kernel", "threads": 1, "working_set_bytes": 0, "work": 8, "time_ns": 800,
         "runs": 50},
        {"program": "delegate", "threads": 1, "working_set_bytes": 0, "work": 8,
         "time_ns": 3200, "runs": 50}],
}


def machine(*words):
    done = support.run("machine", *words)
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    return done


class Machine(support.FolderTest):
    def write(self, **changes):
        path = self.folder / "machine.json"
        path.write_text(json.dumps({**MACHINE, **changes}))
        return path

    def test_machine__shows_what_was_saved(self):
        done = machine(self.write(), "--width", "150")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(done.stdout.decode().splitlines(), [
            "float32 100 GFLOP/s, memory 10.0 GB/s with 1 thread; an empty kernel takes 0.10 us; an "
            "empty delegate call 0.40 us",
            "threads  roof       program   level   working set  GFLOP/s  GB/s     min us  runs",
            "      1  compute    float32               3.0 MiB      100        10000.000    50",
            "      1  bandwidth  add       L1         12.0 KiB             24      0.512    50",
            "      1  bandwidth  copy      memory     95.4 MiB             10  10000.000    50",
            "      1  call       kernel                                            0.100    50",
            "      1  call       delegate                                          0.400    50"])

    def test_machine__json(self):
        done = machine(self.write(), "--format", "json")
        document = json.loads(done.stdout)
        self.assertIn("float32 100 GFLOP/s", document["headline"])
        self.assertEqual(document["rows"][0], {
            "threads": 1, "roof": "compute", "program": "float32", "level": None,
            "working_set_bytes": 3145728, "gflops_per_s": 100.0, "gbytes_per_s": None,
            "time_ns": 10000000.0, "runs": 50, "spread": None})

    def test_machine__the_headline_is_a_row(self):
        """Of memory the largest vectors count: the last cache keeps a part of the others."""
        sizes = {10**6: 50000, 10**8: 10**7, 5 * 10**7: 2 * 10**6}
        roofs = [{"program": "add", "threads": 1, "working_set_bytes": size, "work": size,
                  "time_ns": time, "runs": 50} for size, time in sizes.items()]
        for caches in (MACHINE["caches"], []):
            document = json.loads(machine(self.write(roofs=roofs, caches=caches),
                                          "--format", "json").stdout)
            self.assertIn("memory 10.0 GB/s", document["headline"])
            self.assertEqual([row["gbytes_per_s"] for row in document["rows"]], [10])

    def test_machine__repeats_that_it_was_busy(self):
        self.assertEqual(machine(self.write()).stderr, b"")
        self.assertIn(b"was measured on a busy machine", machine(self.write(busy=True)).stderr)

    def test_machine__tells_which_times_did_not_repeat(self):
        roofs = [{**roof, "spread": 0.005 if roof["program"] != "copy" else 0.375}
                 for roof in MACHINE["roofs"]]
        done = machine(self.write(roofs=roofs))
        self.assertIn(b"note: 1 of 5 times did not repeat within 10 %", done.stderr)
        self.assertRegex(done.stdout.decode(), r"copy .* 37\.5%\n")
        rows = support.json_rows(machine(self.write(roofs=roofs), "--format", "json").stdout)
        self.assertEqual([row["spread"] for row in rows], [0.005, 0.005, 0.375, 0.005, 0.005])

    def test_machine__mistakes(self):
        done = machine(self.write(etscope_machine=9))
        self.assertEqual(done.returncode, INPUT)
        self.assertIn(b"version 9", done.stderr)
        done = machine(support.DATA / "mlp_xnnpack" / "model.pte")
        self.assertEqual(done.returncode, INPUT)
        self.assertIn(b"not a measured machine, but an ExecuTorch program", done.stderr)
        path = self.write()
        self.assertEqual(machine(path, path).returncode, USAGE)
        self.assertEqual(machine(path, "--save", path).returncode, USAGE)
        self.assertEqual(machine("--threads", "0").returncode, USAGE)
        self.assertEqual(machine("--quick", "--threads", "1024").returncode, USAGE)


class Measured(support.FolderTest):
    def measure(self, *words):
        done = machine("--quick", "--threads", "1", *words)
        self.assertEqual(done.returncode, OK, done.stderr)
        return done.stdout.decode()

    def test_machine__measures_every_program(self):
        rows = support.json_rows(self.measure("--format", "json"))
        self.assertEqual([row["program"] for row in rows if row["roof"] == "compute"], PRODUCTS)
        self.assertEqual({row["program"] for row in rows},
                         {*PRODUCTS, "add", "copy", "in_place", "read", "kernel", "delegate"})
        for row in rows:
            self.assertEqual(row["threads"], 1)
            self.assertGreater(row["time_ns"], 0)
            self.assertGreater(row["runs"], 0)
            self.assertEqual(row["gflops_per_s"] is not None, row["roof"] == "compute")
            self.assertEqual(row["gbytes_per_s"] is not None, row["roof"] == "bandwidth")
            for rate in (row["gflops_per_s"], row["gbytes_per_s"]):
                self.assertTrue(rate is None or rate > 0, row)

    def test_machine__saves_what_it_shows(self):
        path = self.folder / "machine.json"
        shown = self.measure("--save", path)
        again = machine(path)
        self.assertEqual(again.stdout.decode(), shown)
        saved = json.loads(path.read_text())
        self.assertEqual(saved["etscope_machine"], 1)
        self.assertGreater(saved["cores"], 0)
        self.assertRegex(saved["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertTrue(saved["runtime"])


if __name__ == "__main__":
    unittest.main()

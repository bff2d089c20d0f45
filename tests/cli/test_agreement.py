"""Two commands that judge the same run never contradict each other, and blame nobody for state."""

import io
import struct
import unittest
import zipfile

import run_support as support
from run_support import DATA, NEGATIVE, RunTest
from support import json_rows


class Agreement(RunTest):
    def setUp(self):
        super().setUp()
        if not support.have_records():
            self.skipTest("this build reads no records")

    def capture(self, program, *words):
        self.ok("run", program, *words, "--capture", "intermediates", "-o", "debug.etdp",
                "--debug-buffer", "debug.bin")

    def gap(self, record, *words):
        done = self.ok("gap", "debug.etdp", "--debug-buffer", "debug.bin", "--etrecord", record,
                       *words, "--format", "json")
        return json_rows(done.stdout)

    def test_agreement__what_verifies_has_no_guilty_operator(self):
        """Of every bundled fixture, each method and case, as the tolerances are by default."""
        for model, methods in support.MODELS.items():
            folder = DATA / model
            if support.obstacle(model):
                continue
            bundle = folder / "model.bpte"
            for method, count in methods.items():
                for case in range(count):
                    with self.subTest(model=model, method=method, case=case):
                        words = ("--method", method, "--case", case)
                        self.ok("verify", bundle, *words)
                        self.capture(bundle, *words)
                        rows = self.gap(folder / "model.etrecord", "--method", method,
                                        "--program", bundle, "--case", case)
                        self.assertTrue(rows)
                        found = {row["finding"] for row in rows}
                        self.assertLessEqual(found, {"agrees", "inherited", None}, found)

    def test_agreement__what_is_wrong_is_wrong_to_both(self):
        model = DATA / "mlp_portable"
        words = ("--case", 0)
        data = bytearray((model / "model.bpte").read_bytes())
        with zipfile.ZipFile(model / "model.etrecord") as record:
            name = next(name for name in record.namelist() if name.endswith("forward_state_dict"))
            saved = record.read(name)
        with zipfile.ZipFile(io.BytesIO(saved)) as archive:
            weights = archive.read(next(each for each in archive.namelist()
                                        if each.endswith("data/0")))
        self.assertEqual(data.count(weights), 1)
        at = data.index(weights)
        (value,) = struct.unpack_from("<f", data, at)
        struct.pack_into("<f", data, at, value + 8)
        (self.folder / "wrong.bpte").write_bytes(data)
        done = support.call("verify", "wrong.bpte", *words, cwd=self.folder)
        self.assertEqual(done.returncode, NEGATIVE, done.stderr)
        self.capture("wrong.bpte", *words)
        rows = self.gap(model / "model.etrecord", "--program", "wrong.bpte", *words)
        self.assertIn("guilty", [row["finding"] for row in rows])

    def test_agreement__changed_state_is_nobodys_fault(self):
        """get_double reads what set_state left; the reference starts with the record's 0."""
        folder = DATA / "state"
        self.capture(folder / "changed.pte", "-m", "set_state", "-m", "get_double", "--inputs",
                     "ones")
        words = ("debug.etdp", "--debug-buffer", "debug.bin", "--etrecord",
                 folder / "changed.etrecord", "--method", "get_double")
        headline = self.ok("gap", *words).stdout.splitlines()[0]
        self.assertRegex(headline, "^earlier runs may have changed the buffers of this run")
        self.assertTrue(headline.endswith("; no operator is blamed"))
        findings = {row["finding"] for row in self.gap(folder / "changed.etrecord", *words[5:])}
        self.assertEqual(findings, {"agrees", "off", "inherited"})

    def test_agreement__a_first_run_is_judged(self):
        folder = DATA / "state"
        self.capture(folder / "changed.pte", "-m", "get_double")
        rows = self.gap(folder / "changed.etrecord", "--method", "get_double")
        self.assertEqual({row["finding"] for row in rows}, {"agrees"})


if __name__ == "__main__":
    unittest.main()

"""Tables against upstream's own files, byte for byte."""

import csv
import io
import unittest

import support


class Goldens(unittest.TestCase):
    maxDiff = None

    def compare(self, model, table, *words):
        expected = support.fixture(model, table).read_bytes()
        done = support.inspect(*words, "--format", "upstream")
        self.assertEqual(done.returncode, 0, done.stderr)
        if done.stdout != expected:
            self.assertEqual(done.stdout.decode(), expected.decode())
        self.assertEqual(done.stdout, expected)

    def test_goldens__there_are_fourteen_models(self):
        self.assertEqual(len(support.MODELS), 14)

    def test_goldens__with_a_record(self):
        compared = 0
        for model in support.MODELS:
            for kind in ("profile", "debug"):
                if not support.fixture(model, f"{kind}.tsv").exists():
                    continue
                with self.subTest(model=model, kind=kind):
                    self.compare(model, f"{kind}.tsv", *support.with_record(model, kind))
                    compared += 1
        self.assertEqual(compared, 25)

    def test_goldens__without_a_record(self):
        compared = 0
        for model in support.MODELS:
            for kind in ("profile", "debug"):
                if not support.fixture(model, f"{kind}.norecord.tsv").exists():
                    continue
                with self.subTest(model=model, kind=kind):
                    self.compare(model, f"{kind}.norecord.tsv",
                                 support.fixture(model, f"{kind}.etdp"))
                    compared += 1
        self.assertEqual(compared, 27)

    def test_goldens__the_program_changes_nothing_in_upstreams_table(self):
        compared = 0
        for model in support.MODELS:
            if support.fixture(model, "profile.tsv").exists():
                with self.subTest(model=model):
                    self.compare(model, "profile.tsv", *support.with_record(model),
                                 "--program", support.fixture(model, "model.pte"))
                    compared += 1
        self.assertEqual(compared, 13)


class Methods(unittest.TestCase):
    """Upstream cannot read this record; every block is joined with the method that ran."""

    def test_goldens__each_block_gets_its_own_method(self):
        rows = support.rows(*support.with_record("multi_method"))
        lines = {"forward": 45, "encode": 46, "decode": 47}
        seen = set()
        for row in rows:
            if row["block"] != "Execute" or row["instruction"] is None:
                continue
            seen.add(row["method"])
            self.assertEqual(row["source"], [f"models/zoo.py:{lines[row['method']]}"])
            kernel = row["event"].removeprefix("native_call_").removesuffix(".out")
            self.assertIn(f"aten.{kernel}.default", row["op_types"])
        self.assertEqual(seen, set(lines))

    def test_goldens__upstreams_columns_hold_the_right_method_too(self):
        done = support.inspect(*support.with_record("multi_method"), "--format", "upstream")
        table = list(csv.reader(io.StringIO(done.stdout.decode()), delimiter="\t"))
        tanh = [row for row in table if row[2] == "native_call_tanh.out"]
        self.assertEqual([row[9] for row in tanh], ["['aten.tanh.default']"] * 2)

    def test_goldens__method_is_what_it_is_told(self):
        rows = support.rows(*support.with_record("multi_method"), "--method", "decode")
        self.assertEqual({row["method"] for row in rows}, {None, "decode"})


class Garbled(unittest.TestCase):
    """Upstream's writer damages this dump at the float16 tensor, and its reader cannot open it."""

    def test_goldens__says_where_it_is_damaged(self):
        done = support.inspect(support.fixture("types", "debug.etdp"))
        self.assertEqual(done.returncode, support.INPUT)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(done.stderr.decode(), r"types/debug\.etdp: byte \d+: \S.*\n")
        self.assertIn("--partial", done.stderr.decode())

    def test_goldens__what_is_whole_is_read_with_partial(self):
        done = support.inspect(*support.with_record("types", "debug"), "--partial",
                               "--format", "upstream")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), r"note: byte \d+: ")
        names = {row[2] for row in csv.reader(io.StringIO(done.stdout.decode()), delimiter="\t")}
        self.assertIn("native_call_gt.Tensor_out", names)


if __name__ == "__main__":
    unittest.main()

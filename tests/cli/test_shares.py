"""A share is the same number in every table, and follows from the columns beside it."""

import unittest

import support


def table(*words):
    done = support.run(*words, "--format", "json")
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == support.OK, done.stderr
    return support.json_rows(done.stdout)


class Shares(unittest.TestCase):
    def setUp(self):
        # One of five runs is a hundred times as long as the others.
        self.trace = support.fixture("mlp_portable", "profile.etdp")
        self.record = ("--etrecord", support.fixture("mlp_portable", "model.etrecord"))

    def check(self, rows, whole, share="share", mid="mid_ns"):
        self.assertTrue(rows)
        for row in rows:
            if row[share] is not None:
                self.assertAlmostEqual(row[share], row[mid] / whole, msg=row)

    def executed(self, *words):
        rows = table(*words)
        return [row for row in rows if row.get("run_name", row.get("block")) == "Execute"]

    def whole(self):
        rows = self.executed("inspect", self.trace)
        return next(row for row in rows if row["operator"] == "Method::execute")["mid_ns"]

    def test_shares__are_parts_of_mid_in_every_table(self):
        whole = self.whole()
        self.check(self.executed("inspect", self.trace), whole)
        self.check(self.executed("inspect", self.trace, "--tree"), whole)
        self.check(self.executed("inspect", self.trace, "--tree"), whole, "self_share", "self_mid_ns")
        for group in ("op", "module", "source", "backend"):
            self.check(self.executed("inspect", self.trace, *self.record, "--group-by", group), whole)
        self.check(self.executed("annotate", self.trace, *self.record), whole)
        self.check(self.executed("summary", self.trace), whole)
        delegates = table("delegates", support.fixture("mlp_portable", "model.pte"), self.trace)
        self.check(delegates, whole)
        for view in ("op_times", "module_times", "source_times"):
            rows = self.executed("sql", f"select * from {view}", self.trace, *self.record)
            self.check(rows, whole, mid="time")
            self.assertAlmostEqual(sum(row["share"] for row in rows), 1)

    def test_shares__of_groups_add_up_to_the_run(self):
        models = ("mlp_portable", "gpt_portable", "gpt_xnnpack", "conv_xnnpack", "conv_portable", "map_loop")
        for model in models:
            for group in ("op", "module", "backend", "category", "part", "layer"):
                with self.subTest(model=model, group=group):
                    rows = self.executed("inspect", *support.with_record(model), "--group-by", group)
                    share = "self_share" if group == "module" else "share"
                    low = sum(row[share] for row in rows)
                    high = sum(row[f"{share}_upper"] for row in rows)
                    self.assertLessEqual(low, 1 + 1e-9)
                    self.assertGreaterEqual(high, 1 - 1e-9)
                    self.assertIn("operator" if group == "op" else group, rows[0])

    def test_shares__one_operator_has_one_share(self):
        def shares(rows):
            return {(row["event"], row["instruction"]): row["share"] for row in rows
                    if str(row["event"]).startswith("native_call_") and row.get("line", "row") == "row"}
        expected = shares(self.executed("inspect", self.trace))
        query = ("select b.name as block, o.event, o.instruction, o.mid / w.mid as share from "
                 "operators o join blocks b on b.id = o.block join operators w on w.id = b.whole")
        self.assertEqual(len(expected), 6)
        for other in (shares(self.executed("inspect", self.trace, "--tree")),
                      shares(self.executed("sql", query, self.trace))):
            self.assertEqual(set(expected), set(other))
            for name, share in expected.items():
                self.assertAlmostEqual(share, other[name], msg=name)

    def test_shares__the_heading_says_of_what(self):
        delegates = ("delegates", support.fixture("mlp_portable", "model.pte"), self.trace)
        for words in (("inspect", self.trace), ("inspect", self.trace, "--tree"), delegates,
                      ("annotate", self.trace, *self.record), ("summary", self.trace)):
            with self.subTest(words=words):
                text = support.run(*words).stdout.decode()
                self.assertIn(", shares of mid", text)
                self.assertRegex(text, r"\bmid (us|ns) ")


if __name__ == "__main__":
    unittest.main()

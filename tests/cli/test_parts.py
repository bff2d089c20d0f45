"""`inspect --group-by part --parts FILE`: parts that the user names go before those that are known."""

import unittest

import support

TRACE = support.with_record("gpt_portable")


class Parts(support.FolderTest):
    def parts(self, *words):
        done = support.run("inspect", *TRACE, "--group-by", "part", *words, "--format", "json")
        self.assertEqual(done.returncode, support.OK, done.stderr)
        rows = [row for row in support.json_rows(done.stdout) if row["block"] == "Execute"]
        return {row["part"]: row["total_ns"] for row in rows}

    def test_parts__of_the_user_go_before_known_ones(self):
        table = self.folder / "parts.txt"
        table.write_text("*.qkv  mix: in\nop:*add*  sums\n", encoding="utf-8")
        known, own = self.parts(), self.parts("--parts", table)
        self.assertNotIn("mix: in", known)
        self.assertGreater(own["mix: in"], 0)
        self.assertGreater(own["sums"], 0)
        self.assertNotIn("attention: projections", own)
        self.assertAlmostEqual(sum(own.values()), sum(known.values()))

    def test_parts__that_cannot_be_used_are_errors(self):
        table = self.folder / "parts.txt"
        table.write_text("alone\n", encoding="utf-8")
        for words, code, message in (
                (("--parts", table), support.USAGE, "--parts needs --group-by part"),
                (("-g", "part", "--parts", table), support.INPUT,
                 f'{table}: line 1 "alone": a rule must be: PATTERN PART, as in: *.experts.* MoE: experts'),
                (("-g", "part", "--parts", self.folder / "none"), support.INPUT, "no such file")):
            done = support.run("inspect", *TRACE, *words)
            self.assertEqual((done.returncode, done.stdout), (code, b""))
            self.assertIn(message, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()

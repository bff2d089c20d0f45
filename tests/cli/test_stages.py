"""Prefill and decode of a language model's trace, in every view."""

import re
import unittest

import support

TRACE = support.fixture("gpt_portable", "profile.etdp")
PROMPT = ("--prompt", "8")


class Stages(support.FolderTest):
    def lines(self, *words):
        done = support.run("inspect", TRACE, *words)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return done.stdout.decode().splitlines()

    def test_stages__have_a_headline_each(self):
        text = "\n".join(self.lines(*PROMPT, "--width", "400"))
        self.assertRegex(text, r"(?m)^\w+ prefill: [\d.]+ tokens/s, 8 tokens in [\d.]+ ms in 1 run: one run does not")
        self.assertRegex(text, r"(?m)^\w+ decode: [\d.]+ tokens/s, [\d.]+ ms each \(median of 4 runs, ")
        self.assertRegex(text, r"(?m)^Execute - .*prefill - 1 run$")
        self.assertRegex(text, r"(?m)^Execute - .*decode - 4 runs")
        self.assertNotRegex("\n".join(self.lines()), "prefill|decode|token")

    def test_stages__are_methods_of_their_own(self):
        rows = support.json_rows(support.run("inspect", TRACE, *PROMPT, "-g", "method", "--format", "json").stdout)
        self.assertEqual([(row["stage"], row["runs"]) for row in rows], [("prefill", 1), ("decode", 4)])
        for row, tokens in zip(rows, (8, 4)):
            self.assertAlmostEqual(row["tokens_per_s"], tokens * 1e9 / row["total_ns"])
        rows = support.json_rows(support.run("inspect", TRACE, *PROMPT, "-g", "run", "--format", "json").stdout)
        self.assertEqual([(row["stage"], row["tokens"], row["position"]) for row in rows],
                         [("prefill", 8, 0), *(("decode", 1, 8 + i) for i in range(4))])

    def test_stages__tell_rows_of_one_method_apart(self):
        """People see it in the heading of the block."""
        for by in "none", "op", "part":
            rows = [row for row in support.rows(TRACE, *PROMPT, "--group-by", by) if row["block"] == "Execute"]
            self.assertEqual({row["stage"] for row in rows}, {"prefill", "decode"}, by)
            rows = support.rows(TRACE, "--group-by", by)
            self.assertFalse([row for row in rows if "stage" in row], by)

    def test_stages__are_columns_of_sql(self):
        def rows(query, *words):
            done = support.run("sql", query, TRACE, *words, "--format", "json")
            if done.returncode == support.UNAVAILABLE:
                self.skipTest(done.stderr.decode())
            return [tuple(row.values()) for row in support.json_rows(done.stdout)]
        query = "select b.stage, sum(r.tokens), min(r.position) from runs r join blocks b on b.id = r.block " \
                "where r.stage is not null group by b.id"
        self.assertEqual(rows(query, *PROMPT), [("prefill", 8, 0), ("decode", 4, 8)])
        self.assertEqual(rows(query), [])

    def test_stages__that_the_trace_tells_are_believed(self):
        log = support.DATA / "exchange" / "llama_runner.log"
        done = support.run("inspect", log, *PROMPT)
        self.assertIn(b"note: the trace tells its tokens: ignored --prompt 8", done.stderr)
        self.assertIn(b"512 tokens in", done.stdout)
        self.assertNotIn(b"--prompt", support.run("inspect", TRACE, *PROMPT).stderr)

    def test_stages__are_compared_each_with_its_own(self):
        done = support.run("diff", TRACE, TRACE, *PROMPT)
        text = done.stdout.decode()
        self.assertRegex(text, r"(?m)^Execute - .*prefill - 1 run before, 1 run after")
        self.assertRegex(text, r"(?m)^Execute - .*decode - 4 runs before, 4 runs after")

    def test_stages__are_sections_of_a_budget(self):
        budget = self.folder / "budget.txt"
        budget.write_text("[decode]\ntotal p50 <= 10s\n", encoding="utf-8")
        done = support.run("gate", "--before", TRACE, "--after", TRACE, "--budget", budget, *PROMPT)
        self.assertNotIn(done.returncode, (support.USAGE, support.INPUT), done.stderr)
        self.assertNotIn(b"decode", done.stderr)
        done = support.run("gate", "--before", TRACE, "--after", TRACE, "--budget", budget)
        self.assertIn(b"decode", done.stderr)

    def test_stages__are_names_of_blocks(self):
        for name, rows in (("decode", "decode"), ("Execute prefill", "prefill")):
            done = support.run("inspect", TRACE, *PROMPT, "--block", name)
            self.assertEqual(done.returncode, support.OK, done.stderr)
            self.assertRegex(done.stdout.decode(), rf"(?m)^Execute - .*{rows} - \d run")
            self.assertNotRegex(done.stdout.decode(), "(?m)^Default")
        done = support.run("inspect", TRACE, *PROMPT, "--block", "sampling")
        self.assertEqual(done.returncode, support.USAGE)
        self.assertIn(b'the trace has no block "sampling"; its blocks are 0 Default, 1 Execute prefill, 2 Execute decode',
                      done.stderr)

    def gate(self, *rules, before=TRACE, after=TRACE, words=PROMPT):
        budget = self.folder / "budget.txt"
        budget.write_text("\n".join(rules) + "\n", encoding="utf-8")
        done = support.run("gate", "--before", before, "--after", after, "--budget", budget, "--all", *words,
                           "--format", "json")
        self.assertIn(done.returncode, (support.OK, 1), done.stderr)
        return {row["rule"]: row for row in support.json_rows(done.stdout)}

    def test_stages__have_tokens_per_second_in_a_budget(self):
        rows = support.json_rows(support.run("inspect", TRACE, *PROMPT, "-g", "method", "--format", "json").stdout)
        for row, tokens in zip(rows, (8, 1)):
            stage, rate = row["stage"], tokens * 1e9 / row["p50_ns"]
            kept, broken = f"{stage} tokens/s >= {0.99 * rate:.3f}", f"{stage} tokens/s >= {1.01 * rate:.3f}"
            verdicts = self.gate(kept, broken, f"{stage} tokens/s >= -50%")
            self.assertEqual([verdicts[rule]["result"] for rule in (kept, broken)], ["pass", "fail"])
            self.assertAlmostEqual(verdicts[kept]["new_tokens_per_s"], rate)
            self.assertAlmostEqual(verdicts[broken]["limit_tokens_per_s"], 1.01 * rate, 2)
            self.assertIsNone(verdicts[kept]["new_ns"])
            self.assertIn("tokens/s is below the limit of", verdicts[broken]["reason"])
            # The sides are copies, and half of the base is little to ask for.
            self.assertEqual(verdicts[f"{stage} tokens/s >= -50%"]["result"], "pass")
        self.assertEqual(self.gate("decode tokens/s >= 1", words=())["decode tokens/s >= 1"]["result"], "missing")

    def test_stages__of_other_tokens_are_not_judged_by_their_times(self):
        log = (support.DATA / "exchange" / "llama_runner.log").read_text(encoding="utf-8")
        other = self.folder / "other.log"
        other.write_text(re.sub(r'("prompt_tokens": ?)512', r'\g<1>256', log.replace("5120", "5130")), encoding="utf-8")
        sides = {"before": support.DATA / "exchange" / "llama_runner.log", "after": other, "words": ()}
        verdicts = self.gate("prefill tokens/s >= -5%", "prefill tokens/s >= 1", "[prefill]", "total p50 <= +5%", **sides)
        for rule in ("prefill tokens/s >= -5%", "total p50 <= +5%"):
            self.assertEqual(verdicts[rule]["result"], "undecided")
            self.assertEqual(verdicts[rule]["reason"], "base and new computed unequally many tokens, or at other "
                             "positions: record both with the same prompt and as many new tokens")
        self.assertEqual(verdicts["prefill tokens/s >= 1"]["result"], "pass")
        text = support.run("diff", sides["before"], other).stdout.decode()
        self.assertIn("prefill of other work, 512 tokens before and 256 after: ", text)
        self.assertIn("decode at other positions, from token 512 before and 256 after: ", text)


if __name__ == "__main__":
    unittest.main()

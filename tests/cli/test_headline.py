"""The sentences above the table of inspect say what the table and the groups under them say."""

import json
import re
import unittest

import support

SHARE = r"(?:(?P<lower>[\d.]+)\.\.)?(?P<upper><?[\d.]+) %"
TIME = re.compile(r"^(?P<of>[^:]+): (?P<p50>[\d.]+) (?P<unit>s|ms|us|ns|cycles) (?P<rest>.*)")
UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}


class Headlines(unittest.TestCase):
    def words_of(self, model):
        words = [support.fixture(model, "profile.etdp"), "--no-siblings"]
        yield words
        yield support.with_record(model)
        yield [*support.with_record(model), "--program", support.fixture(model, "model.pte")]

    def sentences(self, words):
        text = support.inspect(*words).stdout.decode()
        return text.split("\n\n", 1)[0].splitlines()

    def agree(self, words):
        sentences = self.sentences(words)
        rows = support.rows(*words)
        totals = [row for row in rows if row["operator"] == "Method::execute"]
        self.assertEqual(support.document(*words)["headline"], ". ".join(sentences))
        first = TIME.match(sentences[0])
        self.assertTrue(first, sentences)
        times = [TIME.match(line) for line in sentences]
        times = [each for each in times if each and "per run" in each["rest"]]
        self.assertEqual(len(times), len(totals))
        longest = sorted(totals, key=lambda row: -row["total_ns"])
        for time, total in zip(times, longest):
            shown = float(time["p50"]) * UNITS[time["unit"]]
            self.assertAlmostEqual(shown / total["p50_ns"], 1, delta=0.006)
            self.assertIn(f"median of {total['runs']} runs", time["rest"])
            if total["runs"] < 6:
                self.assertIn("too few", time["rest"])
        if len(totals) == 1:
            self.backends(words, sentences[1])
            self.places(words, sentences)
        return sentences

    def backends(self, words, sentence):
        """Shares and calls are those of --group-by backend, and add up to the run."""
        rows = [row for row in support.rows(*words, "--group-by", "backend")
                if row["block"] == "Execute"]
        found = re.findall(r"(<?[\d.]+) % (?:in (\d+) |between)", sentence)
        self.assertEqual(len(found), len(rows), sentence)
        shares = [0.05 if share.startswith("<") else float(share) for share, _ in found]
        self.assertAlmostEqual(sum(shares), 100, delta=0.1 * len(shares))
        for share, calls in found:
            near = [row for row in rows if abs(100 * row["share"] - float(share.strip("<"))) < 0.06
                    and (row["calls"] or 0) == float(calls or 0)]
            self.assertTrue(near, (share, calls, rows))

    def places(self, words, sentences):
        (line,) = [line for line in sentences if "most expensive" in line]
        if "not decided" in line:
            return
        of = re.match(r"(among the )?most expensive (lines|modules|operators): ", line)
        by = {"lines": "source", "modules": "module", "operators": "op"}[of[2]]
        rows = [row for row in support.rows(*words, "--group-by", by) if row["block"] == "Execute"]
        kind = "self_share" if by == "module" else "share"
        ranges = sorted(((row[kind], row[f"{kind}_upper"]) for row in rows
                         if row[kind] is not None), key=sum, reverse=True)
        named = list(re.finditer(SHARE, line))
        self.assertTrue(1 <= len(named) <= 3, line)
        for each in named:
            upper = float(each["upper"].strip("<"))
            self.assertTrue(any(abs(100 * high - upper) < 0.11 for _, high in ranges),
                            (line, ranges[:4]))
        if of[1] is None:  # an order is claimed: the first is above all that are named after it
            lowers = [float(each["lower"] or each["upper"]) for each in named]
            uppers = [float(each["upper"].strip("<")) for each in named]
            for i, lower in enumerate(lowers):
                self.assertTrue(all(lower >= upper - 0.1 for upper in uppers[i + 1:]), line)

    def test_headline__agrees_with_the_tables_of_every_fixture(self):
        compared = 0
        for model in support.MODELS:
            if not support.fixture(model, "profile.tsv").exists():
                continue
            for words in self.words_of(model):
                with self.subTest(model=model, words=len(words)):
                    self.agree(words)
                    compared += 1
        self.assertEqual(compared, 39)

    def test_headline__memory_is_told_with_the_program_only(self):
        words = support.with_record("gpt_portable")
        self.assertFalse(any("planned memory" in line for line in self.sentences(words)))
        program = support.fixture("gpt_portable", "model.pte")
        last = self.sentences([*words, "--program", program])[-1]
        self.assertEqual(last, "100.0 KiB planned memory, peak 88.0 KiB, 14 % above the lower bound")

    def test_headline__of_steady_runs_and_of_one_run(self):
        words = support.with_record("gpt_portable")
        one = self.sentences([*words, "--block", "Execute", "--run", "2"])
        self.assertIn("in 1 run: one run does not show how much times vary", one[0])

    def test_headline__a_filter_asks_for_something_else(self):
        words = support.with_record("gpt_portable")
        text = support.inspect(*words, "--name", "addmm").stdout.decode()
        self.assertNotIn("most expensive", text)
        self.assertIsNone(support.document(*words, "--name", "addmm")["headline"])

    def test_headline__markdown_has_a_list(self):
        text = support.inspect(*support.with_record("gpt_portable"), "-f", "markdown").stdout.decode()
        lines = text.splitlines()
        self.assertTrue(all(line.startswith("* ") for line in lines[:3]), lines[:4])
        self.assertEqual(lines[3], "")

    def test_headline__records_for_machines_have_none(self):
        for form in ("tsv", "csv", "jsonl"):
            text = support.inspect(*support.with_record("gpt_portable"), "-f", form).stdout.decode()
            self.assertNotIn("most expensive", text)

    def test_headline__other_commands_begin_with_theirs(self):
        portable, xnnpack = (support.fixture(f"gpt_{name}", "profile.etdp")
                             for name in ("portable", "xnnpack"))
        records = [support.fixture(f"gpt_{name}", "model.etrecord")
                   for name in ("portable", "xnnpack")]
        expected = {
            "diff": "forward: the recordings differ by a factor of 9.95 (1957 us -> 197 us): XnnpackBackend took 50 "
                    "of 106 kernels; load +2213 us; run 1 of 5 before took 2.27 times the median; run 1 of 5 after "
                    "took 4 times the median; one recording a side cannot tell the program from the day: record 5 "
                    "of each, and give the others with --before and --after",
            "summary": "Execute: 197 us per run (median of 10 runs of 2 files, p10 to p90 "
                       "185..787 us); medians of the files 197 us",
        }
        for words in (("diff", portable, xnnpack, "--etrecord", records[0],
                       "--etrecord-b", records[1]), ("summary", xnnpack, xnnpack)):
            with self.subTest(command=words[0]):
                shown = support.run(*words).stdout.decode().split("\n\n", 1)[0]
                self.assertEqual(shown, expected[words[0]])
                document = json.loads(support.run(*words, "--format", "json").stdout)
                self.assertEqual(document["headline"], shown)
        document = json.loads(support.run("delegates", support.fixture("gpt_xnnpack", "model.pte"),
                                          "--format", "json").stdout)
        self.assertEqual(document["headline"],
                         "forward - 12 partitions with 58 operators, 56 outside")


if __name__ == "__main__":
    unittest.main()

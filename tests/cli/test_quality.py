"""`etscope quality`: two language models on the same tokens, beside NumPy on upstream's logits."""

import json
import math
import re
import unittest

import run_support as support
from language_support import MODELS, LanguageTest, program, setUpModule, tearDownModule  # noqa: F401

TEXT = "3 17 9 4 50 11 7 42"


class QualityTest(LanguageTest):
    def quality(self, model, reference, *words, text=TEXT, code=support.OK):
        path = self.folder / "text.txt"
        path.write_text(text)
        return self.call(code, "quality", program(model), "--tokens", path, "--reference", program(reference), *words)

    def document(self, *words, **named):
        return json.loads(self.quality(*words, "--format", "json", **named).stdout)

    def refused(self, *models_and_words, code=support.INPUT, text=TEXT):
        return self.only_error(self.quality(*models_and_words, code=code, text=text))


class Numbers(QualityTest):
    def test_quality__numbers_are_those_of_numpy(self):
        """Upstream's runtime computed the logits of quality.json, NumPy the rest."""
        expected = json.loads((MODELS / "quality.json").read_text())
        document = self.document("rounded", "cached", text=" ".join(map(str, expected["tokens"])))
        rows = document["rows"]
        self.assertEqual([row["position"] for row in rows], list(range(1, 24)))
        self.assertEqual([row["token"] for row in rows], expected["tokens"][1:])
        for name in ("best", "reference_best"):
            self.assertEqual([row[name] for row in rows], expected[name])
        for name, theirs in (("kl", expected["kl"]),
                             ("log_probability", [-each for each in expected["nll"]]),
                             ("reference_log_probability", [-each for each in expected["reference_nll"]])):
            for row, each in zip(rows, theirs):
                self.assertLess(abs(row[name] - each), 1e-6 * max(1, abs(each)), (name, row))
        same = sum(row["agreement"] == "top1" for row in rows)
        kl = sum(expected["kl"]) / 23
        ours, theirs = (math.exp(sum(expected[name]) / 23) for name in ("nll", "reference_nll"))
        self.assertEqual(same, 22)
        self.assertTrue(document["headline"].startswith(f"KL {kl:.3g} nats a token against "), document["headline"])
        self.assertIn("over 23 tokens (95 % interval 0.0193..0.0304); the best token is the same at 22 (95.7 %), "
                      f"among the reference's 5 best at 23 (100.0 %); perplexity {ours:.4g} against {theirs:.4g}", document["headline"])
        self.assertIn(f"largest KL {max(expected['kl']):.3g}, at position {1 + expected['kl'].index(max(expected['kl']))}; "
                      "the best tokens first differ at position 2: 3, of the reference 14, in the file 35",
                      document["headline"])

    def test_quality__ways_of_taking_tokens_do_not_matter(self):
        """The same weights with and without a cache, with logits of all tokens and of the last alone."""
        for model in ("whole", "steps", "two", "fixed"):
            with self.subTest(model=model):
                document = self.document(model, "cached")
                self.assertEqual(len(document["rows"]), 7)
                for row in document["rows"]:
                    self.assertLess(row["kl"], 1e-9)
                    self.assertEqual(row["agreement"], "top1")
                self.assertIn("the best tokens are the same everywhere", document["headline"])

    def test_quality__a_narrow_type_is_another_model(self):
        """`places` is in bfloat16 and gives logits of all tokens of a call."""
        rows = self.document("places", "cached")["rows"]
        self.assertTrue(all(1e-7 < row["kl"] < 0.05 for row in rows), rows)

    def test_quality__weights_of_the_reference_may_be_in_a_data_file(self):
        weights = MODELS / "outside.ptd"
        for words in (("cached", "outside", "--reference-data", weights), ("outside", "cached", "--data", weights)):
            self.assertTrue(all(row["kl"] < 1e-9 for row in self.document(*words)["rows"]))
        self.assertIn("are in a data file: give it with --reference-data FILE.ptd",
                      self.refused("cached", "outside"))
        self.assertIn("are in a data file: give it with --data FILE.ptd", self.refused("outside", "cached"))


class Shown(QualityTest):
    TEXT = " ".join(str((7 * i * i + 3 * i + 1) % 64) for i in range(24))

    def test_quality__people_see_the_ten_worst_tokens(self):
        done = self.quality("rounded", "cached", text=self.TEXT)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^KL 0\.02\d+ nats a token")
        kl = [float(line.split()[1]) for line in lines if re.match(r"\s*\d+ +\d", line)]
        self.assertEqual(len(kl), 10)
        self.assertEqual(kl, sorted(kl, reverse=True))
        self.assertIn("the 10 of 23 tokens with the largest KL; --top 0 shows all", done.stderr)
        whole = self.quality("rounded", "cached", "--top", 0, text=self.TEXT)
        self.assertEqual(sum(re.match(r"\s*\d+ +\d", line) is not None for line in whole.stdout.splitlines()), 23)
        three = self.document("rounded", "cached", "--top", 3, text=self.TEXT)["rows"]
        self.assertEqual(len(three), 3)
        self.assertAlmostEqual(three[0]["kl"], kl[0], places=3)

    def test_quality__what_was_recognized_is_noted_for_both(self):
        stderr = self.quality("rounded", "whole").stderr
        self.assertRegex(stderr, r"note: recognized: forward takes 1 to 31 tokens")
        self.assertRegex(stderr, r"note: reference recognized: forward takes 1 to 32 tokens")


class Limits(QualityTest):
    def test_quality__limits_are_a_verdict(self):
        done = self.quality("rounded", "cached", "--max-kl", 1, "--min-top1", 50, text=Shown.TEXT)
        self.assertRegex(done.stdout, r"^PASS KL [\d.]+ nats a token \(limit 1\) against .*\(95\.7 %, limit 50 %\)")
        done = self.quality("rounded", "cached", "--max-kl", 1e-3, text=Shown.TEXT, code=support.NEGATIVE)
        self.assertRegex(done.stdout, r"^FAIL KL [\d.]+ nats a token \(above the limit of 0\.001\) against ")
        done = self.quality("rounded", "cached", "--min-top1", "96%", text=Shown.TEXT, code=support.NEGATIVE)
        self.assertRegex(done.stdout, r"^FAIL KL .*\(95\.7 %, below the limit of 96 %\)")
        self.quality("rounded", "cached", "--max-kl", 0, text=Shown.TEXT, code=support.NEGATIVE)
        done = self.quality("cached", "cached", "--max-kl", 0, "--min-top1", 100)
        self.assertIn("KL 0 at every position; the best tokens are the same everywhere", done.stdout)

    def test_quality__limits_are_numbers(self):
        for value in ("-1", "nan", "inf", "x", "0.1x", ""):
            error = self.refused("rounded", "cached", f"--max-kl={value}", code=support.USAGE)
            self.assertIn(f'--max-kl takes a number of nats from 0 on, such as 0.05, not "{value}"', error)
        self.assertIn("takes a percentage", self.refused("rounded", "cached", "--min-top1=x", code=support.USAGE))


class Mistakes(QualityTest):
    def test_quality__what_is_missing_is_said(self):
        model = MODELS / "cached.pte"
        for words, message in (((), "quality needs one program"),
                               ((model,), "quality compares with another program: --reference float.pte"),
                               ((model, "--reference", model), "quality needs the tokens of a text: --tokens text.txt")):
            done = support.call("quality", *words)
            self.assertEqual(done.returncode, support.USAGE)
            self.assertIn(message, done.stderr)

    def test_quality__other_vocabularies_are_refused(self):
        error = self.refused("larger", "cached", code=support.MISMATCH)
        self.assertRegex(error, r"different vocabularies: .*larger\.pte has 65 tokens, the reference .*cached\.pte 64$")

    def test_quality__tokens_that_do_not_do_are_refused(self):
        self.assertIn("has 1 token: each is predicted from those before it, so expected 2 or more",
                      self.refused("rounded", "cached", text="5"))
        self.assertIn("has no tokens", self.refused("rounded", "cached", text=" "))
        self.assertIn('token 2 is "64": expected numbers from 0 to 63, the vocabulary',
                      self.refused("rounded", "cached", text="1 2 64"))
        long = " ".join(["1"] * 33)
        self.assertIn("rounded.pte: 33 tokens do not fit in the context of 32 (from get_max_context_len)",
                      self.refused("rounded", "whole", text=long, code=support.USAGE))
        nine = " ".join(["1"] * 9)
        self.assertIn("fixed.pte: 9 tokens do not fit in the context of 8",
                      self.refused("cached", "fixed", text=nine, code=support.USAGE))

    def test_quality__programs_that_are_no_language_models_are_refused(self):
        for pair in (("nothing", "cached"), ("cached", "nothing")):
            self.assertIn("nothing.pte: ", self.refused(*pair))

    def test_quality__an_encoder_is_refused(self):
        self.assertIn("an encoder has inputs of its own",
                      self.refused("speech", "speech", "--feed", "decoder.1=encoder.0"))


if __name__ == "__main__":
    unittest.main()

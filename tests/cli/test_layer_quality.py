"""`etscope quality` with records: beside a float graph, and layer by layer beside brute force in NumPy."""

import json
import tarfile
import tempfile
import unittest
from pathlib import Path

import run_support as support
from language_support import LanguageTest

OWNER = tempfile.TemporaryDirectory()
MODELS = Path(OWNER.name)
SCHEMES = ("int8", "int4_g32", "int4_g64", "int4_g128", "int4")


def setUpModule():
    with tarfile.open(support.DATA / "quality" / "models.tar.xz") as archive:
        archive.extractall(MODELS)


def tearDownModule():
    OWNER.cleanup()


class LayerTest(LanguageTest):
    EXPECTED = None

    def setUp(self):
        super().setUp()
        self.expected = json.loads((MODELS / "layers.json").read_text())
        self.text = self.folder / "text.txt"
        self.text.write_text(" ".join(map(str, self.expected["tokens"])))

    def quality(self, *words, code=support.OK, model="4bit.pte"):
        return self.call(code, "quality", MODELS / model, "--tokens", self.text, *words)

    def by_layer(self, *words, own="4bit.etrecord", **named):
        given = ("--etrecord", MODELS / own) if own else ()
        return self.quality("--reference", MODELS / "float.etrecord", *given, "--group-by", "layer", *words, **named)

    def document(self, *words, **named):
        return json.loads(self.by_layer(*words, "--format", "json", **named).stdout)

    def refused(self, *words, code=support.INPUT, **named):
        return self.only_error(self.quality(*words, code=code, **named))


class Records(LayerTest):
    def test_reference__the_graph_of_a_record_is_as_good_as_its_program(self):
        """The model's divergence is that of its weights, but for the activations of 8 bits."""
        done = self.quality("--reference", MODELS / "float.etrecord", "--format", "json")
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual(len(rows), 23)
        mean = sum(row["kl"] for row in rows) / 23
        self.assertLess(abs(mean - self.expected["together"]), 0.02 * mean)

    def test_reference__the_models_own_record_is_what_it_should_compute(self):
        own = self.quality("--etrecord", MODELS / "4bit.etrecord", "--format", "json").stdout
        self.assertTrue(all(row["kl"] < 1e-3 for row in json.loads(own)["rows"]), own)

    def test_reference__the_mean_has_an_interval(self):
        done = self.quality("--reference", MODELS / "float.etrecord")
        self.assertRegex(done.stdout, r"^KL 0\.02\d+ nats a token against .* over 23 tokens "
                                      r"\(95 % interval 0\.02\d+\.\.0\.03\d+\); ")

    def test_reference__a_record_without_weights_is_refused(self):
        self.assertIn("the record has no weight",
                      self.refused("--reference", MODELS / "4bit.slim.etrecord"))

    def test_reference__a_record_of_another_model_is_refused(self):
        other = support.DATA / "mlp_xnnpack" / "model.etrecord"
        self.assertRegex(self.refused("--reference", other, code=support.MISMATCH),
                         "the graph has no input 1, .*needs the same methods and inputs; a float program may have")
        other = support.DATA / "state" / "changed.etrecord"
        self.assertRegex(self.refused("--reference", other, code=support.MISMATCH),
                         "the record has no method forward: .*needs the same methods and inputs")


class Layers(LayerTest):
    def test_layers__divergences_are_those_of_brute_force(self):
        """All present weights and all schemes, to 1e-6, and the same order."""
        rows = self.document()["rows"]
        layers = self.expected["layers"]
        order = sorted(layers, key=lambda name: -layers[name]["present"])
        self.assertEqual([row["layer"] for row in rows], order)
        for row in rows:
            theirs = layers[row["layer"]]
            self.assertLess(abs(row["kl"] - theirs["present"]), 1e-6, row)
            for scheme in SCHEMES:
                if scheme in theirs:
                    self.assertLess(abs(row[scheme + "_kl"] - theirs[scheme]), 1e-6, (row, scheme))
                else:
                    self.assertIsNone(row[scheme + "_kl"])
                    self.assertIsNone(row[scheme + "_bytes"])

    def test_layers__bytes_are_those_of_packed_weights(self):
        rows = {row["layer"]: row for row in self.document()["rows"]}
        row = rows["layers.1.feed_forward.w2"]  # 64 x 128
        self.assertEqual(row["scheme"], "4 bit, groups of 32")
        self.assertEqual([row[name + "_bytes"] for name in ("weight", "float", *SCHEMES)],
                         [4096 + 64 * 4 * 2, 32768, 8192 + 64 * 4, 4608, 4096 + 64 * 2 * 2, 4096 + 64 * 2,
                          4096 + 64 * 4])
        self.assertEqual(rows["tok_embeddings"]["weight_bytes"], 2048 + 64 * 2 * 4)

    def test_layers__the_headline_tells_what_is_left(self):
        self.assertRegex(self.document()["headline"],
                         r"tok_embeddings \(4 bit, groups of 32\) adds most, KL 0\.00942; the weights of 16 layers "
                         r"together give 0\.0274 of the model's 0\.027\d, [\d.e-]+ is left for activations, caches "
                         r"and kernels \(its graph with float weights: [\d.e-]+\)")

    def test_layers__the_program_alone_tells_its_weights(self):
        """Those inside the delegate, too, whose scales are rounded to bfloat16."""
        document, with_record = self.document(own=None), self.document()
        self.assertEqual(document["rows"], with_record["rows"])
        self.assertIn("the weights of 16 layers together give 0.0274 of the model's 0.027", document["headline"])
        self.assertNotIn("its graph with float weights", document["headline"])

    def test_layers__a_damaged_weight_is_no_other_layers_fault(self):
        """Of a weight that is far from the reference's it is not known whose it is: no other adds most."""
        damaged = bytearray((MODELS / "4bit.pte").read_bytes())
        at = int(len(damaged) * 0.7)
        damaged[at:at + 600] = bytes(byte ^ 0x44 for byte in damaged[at:at + 600])
        path = self.folder / "damaged.pte"
        path.write_bytes(damaged)
        self.assertRegex(self.document(model=path, own=None)["headline"],
                         r"\. the weights of 15 layers together give 0\.02\d+ of the model's 0\.1\d+; layers\.\d\S+ is "
                         r"not known; tok_embeddings \(4 bit, groups of 32\) adds most of the weights that are "
                         r"known, KL 0\.00942$")
        self.assertRegex(self.document(model=path)["headline"],
                         r"\. the graph of its ETRecord gives KL 0\.02\d+, the program 0\.1\d+: they are not of one "
                         r"model, or the program computes something else; in the graph tok_embeddings \(4 bit, ")

    def test_layers__a_record_of_another_model_is_noticed(self):
        headline = self.document(own="float.etrecord")["headline"]
        self.assertRegex(headline, r"the graph of its ETRecord gives KL 0, the program 0\.027\d: they are not of one "
                                   r"model, or the program computes something else")
        self.assertNotIn("is left", headline)

    def test_layers__what_is_missing_is_said(self):
        for words, message in (
                ((), "--group-by layer compares with the float weights: --reference float.etrecord"),
                (("--reference", MODELS / "4bit.pte"), "4bit.pte: --group-by layer needs the float weights")):
            error = self.refused("--etrecord", MODELS / "4bit.etrecord", "--group-by", "layer", *words,
                                 code=support.USAGE)
            self.assertIn(message, error)
        self.assertIn("no product or embedding takes a floating-point weight",
                      self.refused("--reference", MODELS / "4bit.etrecord", "--group-by", "layer"))
        error = self.only_error(self.by_layer(own="4bit.slim.etrecord", code=support.INPUT))
        self.assertRegex(error, r"4bit\.slim\.etrecord: .*the record has no weight")
        for option in ("--want-kl", "--filter"):
            value = "0.01" if option == "--want-kl" else self.folder / "f.py"
            self.assertIn("add --group-by layer",
                          self.refused("--etrecord", MODELS / "4bit.etrecord", option, value, code=support.USAGE))
            self.assertIn("needs the schemes that the model has: --etrecord model.etrecord",
                          self.only_error(self.by_layer(option, value, own=None, code=support.USAGE)))


class Wanted(LayerTest):
    def changes(self, wanted, *words):
        document = self.document("--want-kl", wanted, *words)
        return document["headline"], {row["layer"]: row["change"] for row in document["rows"] if row["change"]}

    def test_want_kl__the_evaluated_divergence_is_told(self):
        headline, changes = self.changes(0.02)
        self.assertRegex(headline, r"^tok_embeddings in 8 bit per channel: KL 0\.027\d -> 0\.01\d+, \+1\.8 KiB "
                                   r"\(quantized graph with the changes, evaluated\)")
        self.assertEqual(changes, {"tok_embeddings": "8 bit per channel"})

    def test_want_kl__more_is_changed_for_less(self):
        headline, changes = self.changes(0.01)
        self.assertRegex(headline, r"and 1 more in 8 bit per channel: KL 0\.027\d -> 0\.009\d+, ")
        self.assertEqual(set(changes.values()), {"8 bit per channel"})
        self.assertIn("tok_embeddings", changes)

    def test_want_kl__what_is_there_needs_no_change(self):
        headline, changes = self.changes(0.05)
        self.assertIn("is within the wanted 0.05 already", headline)
        self.assertEqual(changes, {})

    def test_want_kl__what_no_change_reaches_is_said(self):
        headline, changes = self.changes(1e-7)
        self.assertRegex(headline, r"^no change of weights reaches KL 1e-07; the nearest, column change: KL ")
        self.assertEqual(set(changes.values()), {"float"})
        self.assertEqual(len(changes), 16)

    def test_filter__is_python_with_the_changes(self):
        path = self.folder / "filter.py"
        self.changes(0.02, "--filter", path)
        code = path.read_text()
        schemes = {}
        start = code.index("SCHEMES = {")
        exec(code[start:code.index("}", start) + 1], schemes)
        self.assertEqual(schemes["SCHEMES"]["tok_embeddings"], (8, 0))
        self.assertEqual(schemes["SCHEMES"]["output"], (4, 32))
        self.assertEqual(len(schemes["SCHEMES"]), 16)
        self.assertIn('ALGORITHM = "hqq_scale_only"', code)
        compile(code, "filter.py", "exec")


if __name__ == "__main__":
    unittest.main()

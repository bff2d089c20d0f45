"""What prefill and decode read and compute: the numbers by hand, of traces that `generate` keeps."""

import json
import re
import struct
import unittest
import zlib

import run_support as support
from language_support import LanguageTest, program, setUpModule, tearDownModule  # noqa: F401
from test_machine import MACHINE

LLAMA = support.DATA / "llama" / "kv_sdpa.pte"

# tests/data/README.md: dim 64, hidden 128, 4 heads of 16, of which 2 for keys and values, 2 layers, vocabulary 256.
DIM, HIDDEN, KV, LAYERS, VOCABULARY, HEADS, HEAD, GROUP = 64, 128, 32, 2, 256, 4, 16, 32
PRODUCTS = LAYERS * (2 * DIM * DIM + 2 * DIM * KV + 3 * DIM * HIDDEN) + DIM * VOCABULARY
PACKED = PRODUCTS // 2 + PRODUCTS // GROUP * 2  # 4 bits each, a bfloat16 scale for each group
NORMS = (2 * LAYERS + 1) * (DIM + 1) * 4  # each has gains and an epsilon
ROW = DIM // 2 + DIM // GROUP * 4  # of the embedding: 4 bits each, a float32 scale for each group
ANGLES = 2 * HEAD // 2 * 4  # of the tables of cosines and sines, a row each


def weights(tokens):
    return PACKED + NORMS + tokens * (ROW + ANGLES)


def cache(keys):
    return LAYERS * 2 * KV * 4 * keys


def macs(tokens, keys):
    """The head is of the last token alone."""
    head = DIM * VOCABULARY
    return tokens * (PRODUCTS - head) + head + LAYERS * tokens * HEADS * keys * 2 * HEAD


class StageReads(LanguageTest):
    def trace(self, model, *words):
        path = self.folder / "trace.etdp"
        self.call(support.OK, "generate", model, *words, "-o", path)
        return path

    def rows(self, trace, model, *words):
        done = self.call(support.OK, "sql", "select * from stage_reads", trace, "--program", model, "--no-siblings",
                         *words, "--format", "json")
        return json.loads(done.stdout)["rows"]

    def machine(self, read=None, **changes):
        path = self.folder / "machine.json"
        roofs = MACHINE["roofs"]
        if read is not None:
            roofs = roofs + [{"program": "read", "threads": 1, "working_set_bytes": 10**8, "work": 10**6,
                              "time_ns": 1e15 / read, "runs": 50}]
        path.write_text(json.dumps({**MACHINE, "roofs": roofs, **changes}))
        return path

    def sentences(self, trace, model, *words):
        done = self.call(support.OK, "inspect", trace, "--program", model, "--no-siblings", "--group-by", "op",
                         *words)
        return [line for line in done.stdout.splitlines() if " reads " in line]

    def test_stage_reads__are_those_by_hand(self):
        trace = self.trace(LLAMA, "--prompt", 8, "--new", 20)
        prefill, decode = self.rows(trace, LLAMA)
        self.assertEqual((prefill["stage"], prefill["tokens"], prefill["first_position"]), ("prefill", 8, 0))
        self.assertEqual((prefill["weight_bytes"], prefill["cache_bytes"]), (weights(8), cache(8)))
        self.assertEqual((decode["stage"], decode["tokens"]), ("decode", 1))
        self.assertEqual((decode["first_position"], decode["last_position"]), (8, 27))
        # Positions 8 to 27 have a mean of 17.5: 18.
        self.assertEqual((decode["weight_bytes"], decode["cache_bytes"]), (weights(1), cache(19)))
        self.assertEqual([row["cost"] for row in (prefill, decode)], ["known", "known"])
        self.assertEqual([row["verdict"] for row in (prefill, decode)], [None, None])

    def test_stage_reads__multiply_adds_are_those_of_the_run(self):
        trace = self.trace(LLAMA, "--prompt", 8, "--new", 3)
        done = self.call(support.OK, "inspect", trace, "--program", LLAMA, "--no-siblings", "--cost", "--format",
                         "json")
        of = {row["block_index"]: row["macs"] for row in json.loads(done.stdout)["rows"]
              if row["operator"] == "Method::execute"}
        self.assertEqual(list(of.values()), [macs(8, 8), macs(1, 10)])  # positions 8 to 10: 9
        self.assertNotIn("<=", done.stdout)

    def test_stage_reads__different_numbers_of_tokens_have_their_mean(self):
        trace = self.trace(LLAMA, "--prompt", 8, "--new", 4, "--no-warmup")  # which counts as invocations
        data = trace.read_bytes()
        for invocation, tokens in ((1, 3), (2, 3)):  # decode says 3 tokens of the first two runs
            old = struct.pack("<IIQI", invocation, 1, 7 + invocation, 2)
            self.assertEqual(data.count(old), 1)
            data = data.replace(old, struct.pack("<IIQI", invocation, tokens, 7 + invocation, 2))
        size, = struct.unpack("<I", data[-16:-12])
        trace.write_bytes(data[:-12] + struct.pack("<I", zlib.crc32(data[-16 - size:-16])) + data[-8:])
        decode = self.rows(trace, LLAMA)[1]
        self.assertEqual(decode["tokens"], 2)
        self.assertEqual(decode["weight_bytes"], (weights(3) + weights(1)) // 2)
        # 3 tokens at 9 (8.5) read 12 keys, 1 at 11 (10.5) 12 keys.
        self.assertEqual(decode["cache_bytes"], cache(12))

    def test_stage_reads__caches_without_operators_of_their_own_count(self):
        """One layer of width 32, a vocabulary of 64, 32 positions: the cache is read as a whole."""
        elements, factors = 4 * (32 * 32 + 32) + 64 * 32 + 64 + 2 * 32 + 2 * 2 * 32, 12
        for model, size in (("cached", 4), ("steps", 4), ("two", 4), ("places", 2)):
            with self.subTest(model=model):
                rows = self.rows(self.trace(program(model), "--prompt", 8, "--new", 4), program(model))
                decode = [row for row in rows if row["stage"] == "decode"][0]
                self.assertEqual((decode["weight_bytes"], decode["cache_bytes"], decode["cost"]),
                                 (elements * size + factors, 2 * 32 * 32 * size, "known"))

    def test_stage_reads__without_a_cache_bounds_stay_bounds(self):
        trace = self.trace(program("whole"), "--prompt", 8, "--new", 4)
        for sentence in self.sentences(trace, program("whole"), "--cost"):
            self.assertRegex(sentence, r"reads at most 33\.3 KiB of weights (for 8 tokens|a token) at position")
            self.assertNotIn("GB/s", sentence)
        rows = self.rows(trace, program("whole"), "--machine", self.machine(read=1e9))
        self.assertEqual({(row["cost"], row["verdict"], row["of_read_bandwidth"]) for row in rows},
                         {("at most", "unknown", None)})

    def test_stage_reads__say_what_holds_decode_back(self):
        trace = self.trace(LLAMA, "--prompt", 8, "--new", 20)
        decode = self.sentences(trace, LLAMA, "--cost")[1]
        self.assertRegex(decode, r"^decode reads 50\.9 KiB of weights and 9\.5 KiB of cache a token at position 18, "
                                 r"the mean of 8 to 27, [\d.e-]+ GB/s$")
        fast = self.sentences(trace, LLAMA, "--machine", self.machine(read=1e15))[1]
        self.assertRegex(fast, r"27: [\d.e-]+ % of this machine's read bandwidth of memory, (overhead-bound: "
                               r"83 calls, [\d.]+ (us|ns) each|not judged: no roof for products of int4)$")
        old = self.sentences(trace, LLAMA, "--machine", self.machine())[1]
        self.assertTrue(old.endswith("; the machine's read bandwidth was not measured"), old)

    def test_stage_reads__of_one_run_are_at_its_position(self):
        trace = self.trace(LLAMA, "--prompt", 8, "--new", 20)  # run 0 loads, run 1 is the prompt
        for run, position in ((2, 8), (21, 27)):
            sentence, = self.sentences(trace, LLAMA, "--cost", "--run", run)
            self.assertRegex(sentence, rf" and {cache(position + 1) / 1024:.1f} KiB of cache a token at position "
                                       rf"{position}, ")

    def test_stage_reads__verdicts_follow_from_the_share(self):
        """A machine that reads as fast as decode did is what holds it back; one that is slower cannot be."""
        trace = self.trace(LLAMA, "--prompt", 8, "--new", 20)
        slow = [dict(roof, time_ns=1e15) if roof["program"] in ("add", "copy") else roof
                for roof in MACHINE["roofs"]]  # they read, too
        def decode(rate):
            read = {"program": "read", "threads": 1, "working_set_bytes": 10**8, "work": 10**6,
                    "time_ns": 1e15 / rate, "runs": 50}
            return self.rows(trace, LLAMA, "--machine", self.machine(roofs=slow + [read]))[1]
        rate = decode(1e9)["of_read_bandwidth"] * 1e9
        # How long calls take decides between the last two, as products of 4 bits have no roof.
        for factor, verdicts in ((0.9, {"unknown"}), (1.25, {"memory-bound"}), (4, {"overhead-bound", "unknown"})):
            row = decode(rate * factor)
            self.assertIn(row["verdict"], verdicts, factor)
            self.assertAlmostEqual(row["of_read_bandwidth"], 1 / factor, delta=1e-3)


class OneToken(LanguageTest):
    def headline(self, model):
        done = support.call("cost", model, "--no-siblings", "--top", 1)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return done.stdout.splitlines()[0]

    def test_one_token__is_told_of_the_program_alone(self):
        self.assertTrue(self.headline(LLAMA).endswith(
            "; at most, as shapes are upper bounds; one token takes 0.197 MFLOP and reads 50.9 KiB of weights and "
            "512 B of cache at position 0; at position 63, the last, 0.232 MFLOP and 32.0 KiB of cache"),
            self.headline(LLAMA))
        self.assertTrue(self.headline(program("cached")).endswith(
            "; one token takes 17.5 kFLOP and reads 25.5 KiB of weights and 8.0 KiB of cache at any position"))
        # No method states the context of `places`.
        self.assertTrue(self.headline(program("places")).endswith("4.0 KiB of cache at any position"))
        for model in ("whole", "nothing", "fixed"):
            self.assertNotIn("one token", self.headline(program(model)))

    def test_one_token__is_told_by_generate(self):
        done = self.call(support.OK, "generate", LLAMA, "--prompt", 4, "--new", 3, "--depth", "0,8")
        lines = [line for line in done.stdout.splitlines() if " reads " in line]
        self.assertEqual([re.sub(r": [\d.e-]+ GB/s$", "", line) for line in lines], [
            "decode reads 50.9 KiB of weights and 3.0 KiB of cache a token at position 5, the mean",
            "decode after 12 reads 50.9 KiB of weights and 7.0 KiB of cache a token at position 13, the mean"])
        done = self.call(support.OK, "generate", LLAMA, "--prompt", 4, "--new", 3, "--format", "json")
        prefill, decode = json.loads(done.stdout)["rows"]
        self.assertEqual((prefill["weight_bytes_per_token"], prefill["cache_bytes_per_token"]), (None, None))
        self.assertEqual((decode["weight_bytes_per_token"], decode["cache_bytes_per_token"]),
                         (weights(1), cache(6)))


if __name__ == "__main__":
    unittest.main()

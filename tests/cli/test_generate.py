"""`etscope generate`: how programs take tokens, the tokens themselves, and what is refused."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
import unittest.mock

import run_support as support
from language_support import (MODELS, LanguageTest, program, setUpModule, tearDownModule,  # noqa: F401
                              write_tokenizers)

NUMBER = r"[\d.]+"
TIME = rf"{NUMBER} (?:us|ms|s)"


class GenerateTest(LanguageTest):
    def generate(self, model, *words, code=support.OK):
        return self.call(code, "generate", program(model), *words)

    def rows(self, model, *words):
        return json.loads(self.generate(model, *words, "--format", "json").stdout)["rows"]

    def prompt(self, text="3 17 9 4 50 11 7 42\n"):
        path = self.folder / "prompt.txt"
        path.write_text(text)
        return path

    def refused(self, model, *words, code=support.INPUT):
        return self.only_error(self.generate(model, *words, code=code))


class Tokens(GenerateTest):
    def test_generate__tokens_are_those_of_upstreams_runtime(self):
        expected = json.loads((MODELS / "tokens.json").read_text())
        for model, case in expected.items():
            with self.subTest(model=model):
                path = self.prompt(" ".join(map(str, case["prompt"])))
                prefill, decode = self.rows(model, "--tokens", path, "--new", len(case["tokens"]))
                self.assertEqual(decode["tokens"], case["tokens"])
                self.assertEqual((prefill["phase"], prefill["n_prompt"], prefill["n_gen"]),
                                 ("prefill", len(case["prompt"]), 0))
                self.assertEqual((decode["phase"], decode["n_prompt"], decode["n_gen"],
                                  decode["n_depth"]),
                                 ("decode", 0, len(case["tokens"]), len(case["prompt"])))

    def test_generate__llama_operators_give_the_tokens_of_upstreams_runtime(self):
        """Of 40 tokens the first 12: kernels of other processors round otherwise."""
        case = json.loads((support.DATA / "llama" / "greedy.json").read_text())
        path = self.prompt(" ".join(map(str, case["prompt"])))
        done = support.call("generate", support.DATA / "llama" / "kv_sdpa.pte", "--tokens", path, "--new", 12,
                            "--format", "json")
        lacks_kernels = done.returncode == support.RUNTIME and "llama" in done.stderr
        if done.returncode == support.UNAVAILABLE or lacks_kernels:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        row = json.loads(done.stdout)["rows"][1]
        self.assertEqual(row["tokens"], case["greedy"][:12])
        self.assertEqual((row["cache_bytes"], row["cache_token_bytes"], row["context"]), (32768, 512, 64))

    def test_generate__kernels_with_other_names_have_their_cost_in_a_trace(self):
        """Attention of 4 heads of 16 elements: of a query and a key 32 multiply-adds and 6 operations."""
        model, trace = support.DATA / "llama" / "kv_sdpa.pte", self.folder / "trace.etdp"
        done = support.call("generate", model, "--prompt", 4, "--new", 2, "-o", trace)
        if done.returncode in (support.UNAVAILABLE, support.RUNTIME):
            self.skipTest(done.stderr)
        def flops(*words):
            done = support.call(*words, "--format", "json", "--no-siblings")
            return [(row["flops"], row["cost"]) for row in json.loads(done.stdout)["rows"]
                    if "custom_sdpa" in row["operator"]]
        self.assertEqual(flops("cost", model, "--all"), 2 * [(4 * 63 * 64 * 70, "at most")])
        prefill, decode = 4 * 4 * 4 * 70, 4 * 1 * 6 * 70  # positions 4 and 5 read 5 and 6 keys: 5.5, rounded
        self.assertEqual(flops("inspect", trace, "--program", model, "--cost"),
                         2 * [(prefill, "known")] + 2 * [(decode, "known")])
        groups = flops("inspect", trace, "--program", model, "--cost", "--group-by", "op")
        self.assertEqual(groups, [(2 * prefill, "known"), (2 * decode, "known")])

    def test_generate__a_prompt_in_pieces_gives_the_same_tokens(self):
        """`two` takes 8 tokens at a time, and the rest one by one; `cached` takes all at once."""
        path = self.prompt("5 1 9 33 2 8 40 21 60 13 4")
        whole = self.rows("cached", "--tokens", path, "--new", 9)
        pieces = self.rows("two", "--tokens", path, "--new", 9)
        self.assertEqual((whole[0]["call_count"], pieces[0]["call_count"]), (1, 4))
        self.assertEqual(whole[1]["tokens"], pieces[1]["tokens"])
        self.assertEqual(whole[1]["used_positions"], 20)

    def test_generate__files_of_tokens_may_be_arrays_and_lists(self):
        numbers = [3, 17, 9, 4, 50, 11, 7, 42]
        support.write_npy(self.folder / "p.npy", "<i8", (1, 8), numbers)
        (self.folder / "p.json").write_text(json.dumps(numbers))
        tokens = [self.rows("cached", "--tokens", path, "--new", 6)[1]["tokens"]
                  for path in (self.prompt(), self.folder / "p.npy", self.folder / "p.json")]
        self.assertEqual(tokens[1:], tokens[:1] * 2)

    def test_generate__a_random_prompt_is_that_of_its_seed(self):
        first, again, other = (self.rows("cached", "--seed", seed, "--prompt", 9, "--new", 7)[1]
                               for seed in (1, 1, 2))
        self.assertEqual(first["tokens"], again["tokens"])
        self.assertNotEqual(first["tokens"], other["tokens"])

    def test_generate__a_filler_makes_a_fixed_length_do(self):
        """The models without cache have the same weights, so `whole` says what is right."""
        path = self.prompt("3 17 9")
        fixed = self.rows("fixed", "--tokens", path, "--new", 5, "--map", "filler=1")
        self.assertEqual(fixed[1]["tokens"],
                         self.rows("whole", "--tokens", path, "--new", 5)[1]["tokens"])

    def test_generate__an_encoder_feeds_a_decoder_once(self):
        rows = self.rows("speech", "--feed", "decoder.1=encoder.0", "--prompt", 4, "--new", 5)
        self.assertEqual(len(rows[1]["tokens"]), 5)
        self.assertGreater(rows[0]["first_token_ns"], rows[0]["avg_ns"])

    def test_generate__caches_are_handed_on_from_call_to_call(self):
        """Its prefill takes 16 tokens and no position; upstream's runtime gave these tokens."""
        program = support.EXAMPLES / "tiny_transformer" / "xnnpack.pte"
        feeds = [word for k in (1, 2) for method in ("prefill", "decode")
                 for word in ("--feed", f"decode.{k + 1}={method}.{k}")]
        prompt = [(7 * i * i + 3 * i + 5) % 64 for i in range(19)]
        for count, tokens in ((16, [7, 54, 60, 31, 32, 53, 4, 10, 11, 36]),
                              (19, [27, 32, 53, 4, 10, 11, 36, 60, 46, 37])):
            path = self.prompt(" ".join(map(str, prompt[:count])))
            done = self.generate(program, *feeds, "--tokens", path, "--new", 10, "--format", "json")
            self.assertIn("input 3 of decode is output 2 of decode, handed on", done.stderr)
            row = json.loads(done.stdout)["rows"][1]
            self.assertEqual(row["tokens"], tokens)
            self.assertEqual((row["cache_bytes"], row["context"]), (2 * 2 * 2 * 32 * 12 * 4, 32))
        self.assertIn("input 2 of decode, float32 [2, 1, 2, 32, 12], is not known", self.refused(program))

    def test_generate__an_encoder_takes_the_input_of_a_file(self):
        """What the encoder gives is added to all positions, so large inputs change the tokens."""
        words = ("--feed", "decoder.1=encoder.0", "--prompt", 4, "--new", 9)
        tokens = []
        for number in (0.0, 300.0):
            support.write_npy(self.folder / "sound.npy", "<f4", (1, 5, 16), [number] * 80)
            tokens.append(self.rows("speech", *words, "--input", self.folder / "sound.npy")[1]["tokens"])
        self.assertNotEqual(tokens[0], tokens[1])
        support.write_npy(self.folder / "sound.npy", "<f4", (1, 5, 15), [0.0] * 75)
        error = self.refused("speech", *words, "--input", self.folder / "sound.npy", code=support.USAGE)
        self.assertIn("input 0: expected float32 [1, 5, 16], got float32 [1, 5, 15]", error)
        self.assertIn("no_such.npy", self.refused("speech", *words, "--input", self.folder / "no_such.npy"))
        self.assertIn("it needs --feed", self.refused("cached", "--input", self.folder / "sound.npy",
                                                      code=support.USAGE))


class Lines(GenerateTest):
    def test_generate__the_first_lines_are_the_answer(self):
        lines = self.generate("cached", "--tokens", self.prompt(), "--new", 12).stdout.splitlines()
        self.assertRegex(lines[0], rf"^prefill 8 tokens: {NUMBER} tokens/s \(this recording; --recordings 5 gives the "
                                   rf"interval\), first token {TIME}, cold {TIME}$")
        self.assertRegex(lines[1], rf"^decode 12 tokens: {NUMBER} tokens/s, {TIME} each( \(median {TIME}\))?"
                                   rf"(, [+-]{NUMBER} (ns|us|ms) for each position)?$")
        self.assertEqual(lines[2], "KV cache 8.0 KiB float32, 256 B a token, 62 % used")
        self.assertRegex(lines[3], r"^decode reads 25\.5 KiB of weights and 8\.0 KiB of cache a token at position 14, "
                                   r"the mean: [\d.e+-]+ GB/s$")
        self.assertEqual(lines[4], "")

    def test_generate__a_depth_is_measured_once(self):
        error = self.refused("cached", "--depth", "0,8,0", "--new", 2, code=support.USAGE)
        self.assertIn("--depth has 0 twice", error)

    def test_generate__what_was_recognized_is_said(self):
        said = {"cached": "forward takes 1 to 31 tokens (input 0) and the first position (input 1) and gives "
                          "logits of the last (output 0); vocabulary 64; KV cache, context 32 (from "
                          "get_max_context_len)",
                "places": "forward takes 1 to 31 tokens (input 0) and the position of each (input 1) and gives "
                          "logits of all (output 0); vocabulary 64; KV cache, context 32 (from the cache)",
                "steps": "forward takes 1 token (input 0) and its position (input 1) and gives logits of it "
                         "(output 0); vocabulary 64; KV cache, context 32 (from get_max_context_len)",
                "whole": "forward takes 1 to 32 tokens (input 0) and gives logits of all (output 0); vocabulary "
                         "64; no KV cache: each step computes the whole sequence, context 32 (from "
                         "get_max_context_len)"}
        for model, sentence in said.items():
            notes = self.generate(model, "--prompt", 4, "--new", 2).stderr
            self.assertIn(f"note: recognized: {sentence}\n", notes)
        self.assertIn("no KV cache", self.generate("whole", "--new", 2).stdout)
        self.assertIn("4.0 KiB bfloat16, 128 B a token", self.generate("places", "--new", 2).stdout)

    def test_generate__caches_are_those_that_memory_tells(self):
        for model in ("cached", "places", "steps", "two"):
            done = support.call("memory", MODELS / f"{model}.pte", "--format", "json")
            found = json.loads(done.stdout)["kv_cache"]
            for row in self.rows(model, "--prompt", 4, "--new", 2):
                self.assertEqual((row["cache_bytes"], row["cache_dtype"], row["cache_token_bytes"]),
                                 (found["bytes"], found["kinds"][0]["dtype"], found["token_bytes"]), model)

    def test_generate__an_untraced_slope_is_shown_where_each_call_computes_more(self):
        row = self.rows("whole", "--prompt", 2, "--new", 30)[1]
        self.assertEqual(len(row["calls_ns"]), 30)
        self.assertLess(row["position_ns_low"], row["position_ns_high"])

    def test_generate__depths_are_tests_of_their_own(self):
        rows = self.rows("cached", "--prompt", 4, "--new", 4, "--depth", "0,8,20")
        self.assertEqual([(row["phase"], row["n_depth"]) for row in rows],
                         [("prefill", 0), ("decode", 4), ("prefill", 8), ("decode", 12),
                          ("prefill", 20), ("decode", 24)])
        lines = self.generate("cached", "--prompt", 4, "--new", 4, "--depth", "0,8").stdout.splitlines()
        self.assertRegex(lines[2], "^prefill 4 tokens after 8: ")
        self.assertRegex(lines[3], "^decode 4 tokens after 12: ")
        self.assertEqual([row["n_prompt"] for row in self.rows("whole", "--prompt", 4, "--new", 0, "--depth", "0,8")],
                         [4, 4])

    def test_generate__rows_have_the_names_of_llama_bench(self):
        row = self.rows("cached", "--prompt", 4, "--new", 4, "--threads", 1)[1]
        self.assertEqual((row["n_threads"], row["model_filename"], row["model_size"]),
                         (1, str(MODELS / "cached.pte"), (MODELS / "cached.pte").stat().st_size))
        self.assertEqual((row["samples_ns"], row["stddev_ns"]), ([row["avg_ns"]], 0))
        self.assertAlmostEqual(row["avg_ts"], 4e9 / row["avg_ns"])
        self.assertEqual(sum(row["calls_ns"]), row["avg_ns"])
        self.assertIsNone(row["low_ts"])
        self.assertRegex(row["test_time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def test_generate__a_trace_has_a_run_for_each_call(self):
        trace = self.folder / "trace.etdp"
        done = self.generate("cached", "--prompt", 4, "--new", 4, "-o", trace)
        self.assertIn("the calls were traced", done.stderr)
        self.assertIn(", traced", done.stdout)
        info = json.loads(support.call("info", trace, "--format", "json").stdout)["rows"][0]
        self.assertEqual(sum(block["run_count"] for block in info["blocks"] if block["name"] == "Execute"), 5)
        done = support.call("inspect", trace, "--group-by", "run", "--format", "json", "--no-siblings")
        self.assertEqual([(row["stage"], row["tokens"], row["position"]) for row in json.loads(done.stdout)["rows"]],
                         [("prefill", 4, 0), *(("decode", 1, 4 + i) for i in range(4))])


class WarmUp(GenerateTest):
    def test_generate__the_prompt_is_measured_after_the_process_s_first_calls(self):
        words = ("--tokens", self.prompt(), "--new", 12, "--depth", "0,8")
        cold_rows, rows = self.rows("cached", *words, "--no-warmup"), self.rows("cached", *words)
        for row in rows[:2]:
            self.assertTrue(row["warmed_up"])
            self.assertGreater(row["cold_call_ns"], 0)
        self.assertEqual(rows[0]["cold_first_token_ns"], rows[0]["cold_call_ns"])
        self.assertEqual([row["cold_call_ns"] for row in rows[2:]], [None, None])
        self.assertFalse(cold_rows[0]["warmed_up"])
        self.assertTrue(cold_rows[2]["warmed_up"], "8 tokens were before it")
        self.assertEqual(cold_rows[0]["cold_first_token_ns"], cold_rows[0]["first_token_ns"])
        self.assertEqual([row["tokens"] for row in rows], [row["tokens"] for row in cold_rows])
        lines = self.generate("cached", *words[:4], "--no-warmup").stdout.splitlines()
        self.assertRegex(lines[0], rf"^prefill 8 tokens: {NUMBER} tokens/s \(with the process's first call; "
                                   rf"--recordings 5 gives the interval\), first token {TIME}$")

    def test_generate__an_encoder_warms_up_too(self):
        words = ("--feed", "decoder.1=encoder.0", "--prompt", 4, "--new", 5)
        rows = self.rows("speech", *words)
        self.assertEqual(rows[1]["tokens"], self.rows("speech", *words, "--no-warmup")[1]["tokens"])
        self.assertGreater(rows[0]["cold_first_token_ns"], rows[0]["cold_call_ns"])

    def test_generate__the_time_of_a_line_is_that_of_its_rate(self):
        for words in ((), ("--recordings", 3)):
            line = self.generate("cached", "--prompt", 8, "--new", 12, *words).stdout.splitlines()[1]
            rate, each, unit = re.match(r"decode 12 tokens: ([\d.]+) tokens/s.*?, ([\d.]+) (us|ms) each", line).groups()
            self.assertAlmostEqual(float(rate) * float(each) / {"us": 1e6, "ms": 1e3}[unit], 1, delta=0.01)


@unittest.skipIf(shutil.which("python3") is None, "no python3 is in PATH")
class Text(GenerateTest):
    """With a stub of pytorch-tokenizers, whose letters are numbers: a is 1."""

    def setUp(self):
        super().setUp()
        modules = write_tokenizers(self.folder / "modules")
        (self.folder / "tokenizer.model").write_text("")
        self.words = ("--tokenizer", self.folder / "tokenizer.model", "--new", 12)
        patch = unittest.mock.patch.dict(os.environ, {"PYTHONPATH": str(modules)})
        patch.start()
        self.addCleanup(patch.stop)

    def test_generate__text_is_the_tokens_of_its_tokenizer(self):
        expected = self.rows("cached", "--tokens", self.prompt("1 3 1 2"), "--new", 12)[1]["tokens"]
        for words in ((), ("--recordings", 2), ("--python", shutil.which("python3"))):
            row = self.rows("cached", "--text", "cab", *self.words, *words)[1]
            self.assertEqual(row["tokens"], expected)
            self.assertEqual(row["text"], "".join("\n" if token == 62 else chr(96 + token) for token in expected))
            self.assertEqual(row["n_depth"], 4)

    def test_generate__the_configuration_beside_a_tokenizer_is_used(self):
        (self.folder / "tokenizer_config.json").write_text("{}")
        rows = [self.rows("cached", *words)[1]["tokens"] for words in
                (("--text", "cab", *self.words), ("--tokens", self.prompt("2 3 1 2"), "--new", 12))]
        self.assertEqual(*rows)

    def test_generate__new_tokens_have_a_text_whatever_the_prompt(self):
        lines = self.generate("cached", "--tokens", self.prompt(), *self.words).stdout.splitlines()
        self.assertRegex(lines[-1], r"^  text           .*\\x0a")
        self.assertEqual([row["text"] for row in self.rows("cached", "--prompt", 3, "--new", 2)], [None, None])

    def test_generate__what_a_tokenizer_cannot_do_is_one_sentence(self):
        words = ("cached", "--text", "cab")
        self.assertIn("--text needs --tokenizer FILE", self.refused(*words, code=support.USAGE))
        self.assertIn("give one of them", self.refused(*words, "--prompt", 3, *self.words, code=support.USAGE))
        self.assertIn("none.model cannot be read as a tokenizer: no such file",
                      self.refused(*words, "--tokenizer", self.folder / "none.model", code=support.RUNTIME))
        self.assertIn("--python no_such_python: No such file",
                      self.refused(*words, *self.words, "--python", "no_such_python", code=support.RUNTIME))
        self.assertIn("gives token 8137, but the vocabulary of the program has 64: it is another model's",
                      self.refused("cached", "--text", "\u2029", *self.words, code=support.MISMATCH))
        (self.folder / "modules" / "pytorch_tokenizers.py").write_text("raise ImportError")
        self.assertRegex(self.refused(*words, *self.words, code=support.RUNTIME),
                         r"python3 \(--python names another\): pytorch-tokenizers is not installed in it: pip install "
                         r"pytorch-tokenizers$")


class Recordings(GenerateTest):
    def test_generate__recordings_give_the_interval(self):
        words = ("--tokens", self.prompt(), "--new", 12, "--recordings", 3)
        lines = self.generate("cached", *words).stdout.splitlines()
        interval = rf"\(95 % interval {NUMBER}\.\.{NUMBER} of 3 recordings\)"
        self.assertRegex(lines[0], rf"^prefill 8 tokens: {NUMBER} tokens/s {interval}, first token {TIME}, cold {TIME}$")
        self.assertRegex(lines[1], rf"^decode 12 tokens: {NUMBER} tokens/s {interval}, {TIME} each")
        row = self.rows("cached", *words)[1]
        self.assertEqual(len(row["samples_ns"]), 3)
        mean, count = sum(row["samples_ts"]) / 3, 3
        deviation = (sum((each - mean) ** 2 for each in row["samples_ts"]) / (count - 1)) ** 0.5
        self.assertAlmostEqual(row["avg_ts"] / mean, 1)
        self.assertAlmostEqual(row["stddev_ts"] / deviation, 1)
        self.assertAlmostEqual((row["high_ts"] - mean) / (4.303 * deviation / 3 ** 0.5), 1, places=3)
        self.assertEqual(row["tokens"], json.loads((MODELS / "tokens.json").read_text())["cached"]["tokens"])
        self.assertIsNone(row["calls_ns"])

    def test_generate__a_recording_that_fails_says_why(self):
        error = self.refused("cached", "--new", 2, "--recordings", 2, "--load-library", "no_such.so",
                             code=support.RUNTIME)
        self.assertIn("no_such.so", error)

    def test_generate__recordings_have_a_trace_each(self):
        done = self.generate("cached", "--prompt", 4, "--new", 2, "--recordings", 2, "-o", self.folder / "t.etdp")
        names = [f"t.recording-{i}.etdp" for i in (1, 2)]
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), names)
        self.assertIn(f"{names[0]} to {self.folder / names[1]}", done.stderr)
        done = support.call("inspect", self.folder / names[1], "--group-by", "run", "--format", "json")
        self.assertEqual([row["stage"] for row in json.loads(done.stdout)["rows"]], ["prefill", "decode", "decode"])

    @unittest.skipUnless(hasattr(signal, "SIGINT"), "no signals")
    def test_generate__a_signal_ends_the_recordings(self):
        self.generate("cached", "--new", 1)  # skips without an engine
        process = subprocess.Popen([support.ETSCOPE, "generate", MODELS / "cached.pte", "--recordings", "100"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "TMPDIR": str(self.folder)})
        while not any(self.folder.iterdir()) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (128 + signal.SIGINT, ""), errors)
        self.assertIn("interrupted before the last recording", errors)
        self.assertEqual(list(self.folder.iterdir()), [])


class Refused(GenerateTest):
    """Bad input: a sentence each, which says what to give; nothing runs."""

    def test_generate__unknown_inputs(self):
        self.assertRegex(self.refused("nothing"), "no input of forward takes tokens: looked for int64 or int32 "
                                                  r"\[1, N\] among its 2 inputs; `etscope profile` measures models that "
                                                  r"take no tokens$")

    def test_generate__methods_that_are_not_known(self):
        error = self.refused("speech", code=support.MISMATCH)
        self.assertIn("which method takes tokens is not known", error)
        self.assertIn("decoder, encoder", error)
        error = self.refused("speech", "--map", "method=decoder")
        self.assertRegex(error, r"input 1 of decoder, float32 \[1, 5, 32\], is not known: .* or --feed METHOD")

    def test_generate__methods_named_kv_are_those_of_decode(self):
        """A name is as long in the file, so that it can be replaced there."""
        program = (MODELS / "two.pte").read_bytes()
        name = b"decode_forward"
        self.assertEqual(program.count(name), 1)
        (self.folder / "kv.pte").write_bytes(program.replace(name, b"xx_kv__forward"))
        words = ("--tokens", self.prompt(), "--new", 4)
        (self.folder / "no.pte").write_bytes(program.replace(name, b"nobody_forward"))
        error = self.refused(self.folder / "no.pte", code=support.MISMATCH)
        self.assertIn("which method takes tokens is not known: looked for forward, or for names with prefill and "
                      "decode, among nobody_forward, prefill_forward; say it with --map", error)
        said = self.generate(self.folder / "kv.pte", *words).stderr
        self.assertIn("xx_kv__forward takes 1 token", said)
        self.generate(self.folder / "no.pte", "--map", "prefill=prefill_forward,decode=nobody_forward", *words)

    def test_generate__caches_that_are_not_shared(self):
        error = self.refused("apart", code=support.MISMATCH)
        self.assertIn("prefill_forward and decode_forward keep a cache of their own each: export them with "
                      "share_mutable_buffers", error)

    def test_generate__a_program_that_contradicts_itself(self):
        self.assertIn("use_kv_cache returns false, but forward takes a position: how it is called is not known",
                      self.refused("silent", code=support.MISMATCH))

    def test_generate__a_prompt_longer_than_the_context(self):
        self.assertIn("a prompt of 40 tokens does not fit in the context of 32 (from get_max_context_len)",
                      self.refused("cached", "--prompt", 40, code=support.USAGE))

    def test_generate__a_prompt_that_is_said_of_a_trace(self):
        model, trace = MODELS / "cached.pte", self.folder / "t.etdp"
        self.call(support.OK, "run", model, "--inputs", "zeros", "--runs", 3, "-o", trace)
        words = ("inspect", trace, "--program", model)
        self.assertIn("a prompt of 40 tokens does not fit in the program's context of 32 (from get_max_context_len)",
                      self.only_error(self.call(support.USAGE, *words, "--prompt", 40)))
        self.assertIn("prefill: ", self.call(support.OK, *words, "--prompt", 8).stdout)

    def test_generate__a_position_past_the_cache(self):
        self.assertIn("8 tokens and 30 new ones need position 37: the context has 32 (from get_max_context_len), "
                      "so at most 24 can be new",
                      self.refused("cached", "--prompt", 8, "--new", 30, code=support.USAGE))
        self.assertIn("at most 8 can be new",
                      self.refused("places", "--prompt", 8, "--depth", 16, "--new", 9, code=support.USAGE))

    def test_generate__a_context_that_the_cache_has_not(self):
        self.assertIn("a context of 33 is more than the 32 positions that there are (from get_max_context_len)",
                      self.refused("cached", "--map", "context=33", code=support.MISMATCH))
        self.assertIn("than the 32 positions that there are (from the cache)",
                      self.refused("places", "--map", "context=33", code=support.MISMATCH))
        self.assertIn("context 9 (from you)", self.generate("cached", "--map", "context=9").stderr)

    def test_generate__a_missing_data_file(self):
        self.assertRegex(self.refused("outside"), r"outside\.pte: weights such as \S+ are in a data file: give it "
                                                  r"with --data FILE\.ptd$")
        tokens = [self.rows(*words, "--tokens", self.prompt(), "--new", 5)[1]["tokens"]
                  for words in (("outside", "--data", MODELS / "outside.ptd"), ("cached",))]
        self.assertEqual(tokens[0], tokens[1])

    def test_generate__a_fixed_length_without_cache(self):
        for words in ("--prompt", 3), ("--new", 2), ("--prompt", 9):
            self.assertRegex(self.refused("fixed", *words),
                             "forward takes exactly 8 tokens and keeps no cache: .*: --map filler=TOKEN$")
        self.assertIn("no new tokens: forward takes exactly 8 tokens; --map filler=TOKEN",
                      self.generate("fixed").stderr)

    def test_generate__lengths_that_no_method_takes(self):
        words = ("--map", "method=prefill_forward")
        error = self.refused("two", *words, "--prompt", 11, "--new", 0)
        self.assertIn("prefill_forward takes exactly 8 tokens, and no method takes the other 3 of 11: give a "
                      "multiple of 8", error)
        self.assertIn("cannot decode one new token",
                      self.refused("two", *words, "--prompt", 8, "--new", 1))

    def test_generate__tokens_that_are_none(self):
        for text, place in (("3 seventeen", 'token 1 is "seventeen"'), ("3 64", 'token 1 is "64"'),
                            ("-3", 'token 0 is "-3"'), ("1.5", 'token 0 is "1.5"')):
            self.assertIn(f"{place}: expected numbers from 0 to 63",
                          self.refused("cached", "--tokens", self.prompt(text)))
        self.assertIn("has no tokens", self.refused("cached", "--tokens", self.prompt("")))

    def test_generate__options_that_contradict_each_other(self):
        self.refused("cached", "--tokens", self.prompt(), "--prompt", 3, code=support.USAGE)
        self.refused("cached", "--depth", "0,4", "-o", self.folder / "t.etdp", "--new", 2, "--prompt", 2,
                     code=support.USAGE)

    def test_generate__maps_that_are_wrong(self):
        for text in ("tokens", "tokens=x", "place=1", "method=", "context=0", "tokens=0,,position=1"):
            self.assertIn("--map takes tokens=INPUT",
                          self.refused("cached", "--map", text, code=support.USAGE))
        self.assertIn("forward has no input 7: it has 2", self.refused("cached", "--map", "tokens=7"))
        self.assertIn("cannot be both", self.refused("cached", "--map", "tokens=0,position=0", code=support.USAGE))
        self.assertIn("no_such", self.refused("cached", "--map", "method=no_such"))
        self.assertIn("cannot be the position",
                      self.refused("cached", "--map", "tokens=1,position=0", code=support.USAGE))
        for text in ("decoder.1", "decoder=encoder.0", "decoder.x=encoder.0"):
            self.assertIn("--feed takes", self.refused("speech", "--feed", text, code=support.USAGE))
        self.assertIn("decoder has no input 4", self.refused("speech", "--feed", "decoder.4=encoder.0"))
        self.assertIn("decoder has no output 3", self.refused("speech", "--feed", "decoder.1=decoder.3"))

    def test_generate__depths_that_are_wrong(self):
        for text in ("", "x", "1,,2", "-1", "1;2", ",".join(map(str, range(33)))):
            self.assertIn("--depth takes", self.refused("cached", f"--depth={text}", code=support.USAGE))


if __name__ == "__main__":
    unittest.main()

"""`etscope memory`: what is planned for a program, and what makes its peak."""

import json
import pathlib
import tarfile
import tempfile
import unittest

import support
from support import DATA, INPUT, MISMATCH, OK, USAGE

NEGATIVE = 1


def memory(*words):
    done = support.run("memory", *words)
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    return done


def document(*words):
    done = memory(*words, "--format", "json")
    assert done.returncode == OK, done.stderr
    return json.loads(done.stdout)


def sql(query, path):
    done = support.run("sql", query, path, "--format", "json")
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == OK, done.stderr
    return support.json_rows(done.stdout)


class Scratch(unittest.TestCase):
    """Ethos-U's scratch memory, which its payload states, is no part of the plan."""

    PROGRAM = DATA / "payloads" / "ethosu55.pte"

    def test_memory__scratch_of_a_delegate_counts_at_its_call(self):
        line = memory(self.PROGRAM).stdout.decode().splitlines()[0]
        self.assertTrue(line.startswith(
            "forward: peak 40.0 KiB at instruction 2 (quantized_decomposed::dequantize_per_tensor.out), "
            "with the delegate's scratch, up to 24.8 KiB beside the plan; 40.0 KiB planned"), line)

    def test_memory__the_parts_of_velas_stream_are_told_apart(self):
        done = support.run("size", self.PROGRAM, "--format", "json")
        self.assertEqual(done.returncode, OK, done.stderr)
        sizes = {row["content"]: row["size_bytes"] for row in json.loads(done.stdout)["rows"]
                 if row["backend"] == "EthosUBackend"}
        self.assertEqual((sizes["NPU commands"], sizes["compressed weights"]), (2308, 1168))

    def test_memory__info_names_the_scratch(self):
        done = support.run("info", self.PROGRAM)
        self.assertIn(b"of scratch a call, 1 call", done.stdout)
        self.assertIn(b"at least 6336 cycles on Ethos-U55-128", done.stdout)
        done = support.run("info", self.PROGRAM, "--format", "json")
        delegate, = json.loads(done.stdout)["rows"][0]["methods"][0]["delegates"]
        self.assertEqual((delegate["content"], delegate["scratch_bytes"]),
                         ("Vela binary stream", 25344))

    def test_memory__delegates_say_what_the_stream_keeps(self):
        done = support.run("delegates", self.PROGRAM)
        self.assertIn(b"Vela keeps no names: 77 NPU operations, 811008 MACs, 25344 bytes of "
                      b"scratch, 1168 bytes of weights; at least 6336 cycles on Ethos-U55-128",
                      done.stderr)
        self.assertIn(b"1 partition with 77 operators, 2 outside", done.stdout)

    def test_memory__cost_counts_what_the_stream_does(self):
        done = support.run("cost", self.PROGRAM)
        self.assertIn(b"forward, delegate 0: Vela keeps no names: 77 NPU operations", done.stderr)
        rows = json.loads(support.run("cost", self.PROGRAM, "--format", "json").stdout)["rows"]
        call, = [row for row in rows if row["operator"] == "EthosUBackend"]
        self.assertEqual(call["macs"], 221184 + 589824)


class Caches(unittest.TestCase):
    """KV caches of language models: a line for people, a member of documents."""

    def setUp(self):
        owner = tempfile.TemporaryDirectory()
        self.addCleanup(owner.cleanup)
        self.folder = pathlib.Path(owner.name)
        with tarfile.open(DATA / "generate" / "models.tar.xz") as archive:
            archive.extractall(self.folder)

    def line(self, path):
        lines = [each for each in memory(path, "--no-siblings").stdout.decode().splitlines()[:3]
                 if each.startswith("KV caches: ")]
        return lines[0] if lines else None

    def test_memory__caches_are_a_line_near_the_headline(self):
        path = DATA / "llama" / "kv_sdpa.pte"
        self.assertEqual(self.line(path), "KV caches: 4 of float32 [1, 64, 2, 16], 32.0 KiB for 64 tokens, "
                                          "512 B a token")
        found = document(path, "--no-siblings")["kv_cache"]
        self.assertEqual(found, {
            "tensors": 4, "bytes": 32768, "context": 64, "token_bytes": 512,
            "kinds": [{"count": 4, "dtype": "float32", "shape": [1, 64, 2, 16]}],
            "method": "forward", "methods": 1, "is_shared": False, "bytes_of_methods": 32768})
        row, = support.json_rows(support.run("info", path, "--format", "json").stdout)
        self.assertEqual(row["kv_cache"], found)

    def test_memory__methods_share_caches_or_keep_their_own(self):
        self.assertTrue(self.line(self.folder / "two.pte").endswith("; 2 methods share them"))
        self.assertTrue(self.line(self.folder / "apart.pte").endswith(
            "; 2 methods keep caches of their own, 16.0 KiB together"))
        self.assertTrue(document(self.folder / "two.pte")["kv_cache"]["is_shared"])

    def test_memory__nothing_is_said_where_it_is_not_sure(self):
        for name in ("silent", "whole", "fixed", "speech", "nothing"):
            self.assertIsNone(self.line(self.folder / f"{name}.pte"), name)
            self.assertIsNone(document(self.folder / f"{name}.pte")["kv_cache"], name)
        for path in sorted(DATA.glob("*/*.pte")):
            if path.parent.name == "llama":
                continue
            done = memory(path, "--no-siblings")
            self.assertNotIn(b"KV caches", done.stdout, path)


class Memory(unittest.TestCase):
    def test_memory__answer_comes_first(self):
        answer = ("forward: 2.4 KiB planned; peak 2.4 KiB at instruction 1 (aten::addmm.out); "
                  "2 tensors hold 95 % of it; no plan with these lifetimes is smaller")
        for words in ([], ["--steps"], ["--map"]):
            done = memory(DATA / "mlp_portable" / "model.pte", "--no-siblings", *words)
            self.assertEqual(done.stdout.decode().splitlines()[0], answer)

    def test_memory__methods_without_memory_are_one_line(self):
        done = memory(DATA / "state" / "constant.pte", "--no-siblings")
        text = done.stdout.decode()
        self.assertEqual(text.count("no planned memory"), 1)
        self.assertTrue(text.endswith("\n\n1 method has no planned memory: a_limit\n"), text)
        alone = memory(DATA / "state" / "constant.pte", "--no-siblings", "--method", "a_limit")
        self.assertEqual(alone.stdout.decode().splitlines()[0], "a_limit: no planned memory")

    def test_memory__rows_have_place_size_and_lifetime(self):
        found = document(DATA / "mlp_portable" / "model.pte", "--no-siblings")
        self.assertEqual(found["rows"][0], {
            "method": "forward", "value": 5, "kind": "intermediate", "size_bytes": 2048,
            "size_is": "exact", "share": 0.8421052631578947, "memory_id": 1, "offset": 0,
            "first": 0, "last": 1, "lifetime": ["0..1"], "lifetime_is": "exact", "producer": 0, "operator": "aten::permute_copy.out",
            "readers": 1, "consumers": [1], "view_of": None, "in_place_of": None, "dtype": "float32", "shape": [16, 32], "name": None,
            "source": [], "module": []})
        self.assertIn("2 tensors hold 95 % of it", found["headline"])

    def test_memory__record_tells_lines_and_modules(self):
        model = DATA / "mlp_portable"
        found = document(model / "model.pte", "--etrecord", model / "model.etrecord")["rows"]
        self.assertEqual(found[0]["source"], ["models/zoo.py:16"])
        self.assertEqual(found[0]["module"], ["l1"])
        beside = memory(model / "model.pte")
        self.assertIn(b"beside the program", beside.stderr)

    def test_memory__orders_and_top(self):
        def values(*words):
            rows = document(DATA / "mlp_portable" / "model.pte", "--no-siblings", *words)["rows"]
            return [row["value"] for row in rows]
        self.assertEqual(values(), [5, 9, 4, 13, 12, 17, 20])
        self.assertEqual(values("--sort", "size"), [5, 13, 9, 12, 4, 17, 20])
        self.assertEqual(values("--sort", "offset"), [5, 13, 20, 12, 9, 17, 4])
        self.assertEqual(values("--sort", "first", "--top", "3"), [4, 5, 9])
        self.assertEqual(values("--all", "--sort", "value"), [0, 1, 2, 3, 4, 5, 9, 12, 13, 17, 20])

    def test_memory__bundled_programs_are_read(self):
        model = DATA / "mlp_portable"
        self.assertEqual(document(model / "model.bpte", "--no-siblings")["rows"],
                         document(model / "model.pte", "--no-siblings")["rows"])

    def test_memory__methods_have_arenas_of_their_own(self):
        model = DATA / "multi_method" / "model.pte"
        found = document(model, "--no-siblings")["rows"]
        self.assertEqual(sorted({row["method"] for row in found}), ["decode", "encode", "forward"])
        whole = "3 methods, each with arenas of its own: 960 B if all are loaded together, 352 B " \
                "(forward) if one is loaded at a time"
        for words in ((), ("--steps",), ("--what-if",)):
            self.assertEqual(memory(model, "--no-siblings", *words).stdout.decode().splitlines()[0],
                             whole)
            headline = document(model, "--no-siblings", *words)["headline"]
            self.assertTrue(headline.startswith(whole + ". "), headline)
        self.assertIn(". forward: 352 B planned; peak ",
                      document(model, "--no-siblings")["headline"])
        self.assertTrue(document(model, "--no-siblings", "--method", "encode")["headline"]
                        .startswith("encode: 304 B planned"))
        only = document(model, "--no-siblings", "--method", "encode")["rows"]
        self.assertEqual({row["method"] for row in only}, {"encode"})

    def test_memory__arenas_and_what_lies_beside_them(self):
        def text(method, *words):
            return memory(DATA / "plans" / "cases.pte", "--method", method, *words).stdout.decode()
        self.assertIn("memory 1: 16 B planned, peak 16 B at instruction 0\n"
                      "memory 2 (CUDA 0): 32 B planned, peak 32 B at instruction 0\n",
                      text("devices"))
        self.assertIn("because value 4, which no instruction names, takes 16 B\n", text("beside"))
        self.assertIn("beside the plan: 1 constant 8 B, 1 input 32 B in the caller's memory, "
                      "1 output 32 B in the caller's memory\n", text("beside"))
        self.assertNotIn("memory 1:", text("known"))
        rows = document(DATA / "plans" / "cases.pte", "--method", "beside", "--all")["rows"]
        self.assertEqual({row["value"]: row["kind"] for row in rows if row["memory_id"] is None},
                         {0: "input", 1: "output", 2: "constant"})

    def test_memory__aliases_are_told(self):
        def alias(method, key):
            rows = document(DATA / "plans" / "cases.pte", "--method", method)["rows"]
            return {row["value"]: row[key] for row in rows if row[key] is not None}
        self.assertEqual(alias("in_place", "in_place_of"), {2: 1})
        self.assertEqual(alias("views", "view_of"), {2: 1, 3: 1})

    def test_memory__mistakes_are_named(self):
        done = memory(DATA / "plans" / "cases.pte", "--method", "overwritten")
        self.assertEqual(done.returncode, NEGATIVE)
        self.assertIn(
            "overwritten: instruction 1 writes value 2 (bytes 24 to 31 of memory 1) over value 1 "
            "(bytes 16 to 31 of memory 1), which is needed until instruction 2",
            done.stderr.decode())
        self.assertIn("; 1 mistake in the plan", done.stdout.decode().splitlines()[0])
        found = json.loads(memory(DATA / "plans" / "cases.pte", "--format", "json").stdout)
        self.assertEqual(len([note for note in found["notes"] if ": instruction " in note]), 6)
        self.assertIn("endless: jumps lead back for ever: no instruction ends the method", found["notes"])
        self.assertIn(". known: 160 B planned", found["headline"])

    def test_memory__plans_that_leave_their_arenas_are_refused(self):
        for name in ("outside", "no_arena"):
            done = memory(DATA / "plans" / f"{name}.pte.damaged")
            self.assertEqual(done.returncode, INPUT)
            self.assertIn("method forward: value 1: tensor", done.stderr.decode())

    def test_memory__every_program_has_a_sound_plan(self):
        """No exporter's plan overwrites what is needed, and each is read."""
        for path in sorted(DATA.glob("*/*.pte")):
            if path.parent.name not in ("plans", "schema"):  # made by hand
                with self.subTest(path=path):
                    self.assertEqual(memory(path, "--no-siblings").returncode, OK)

    def test_memory__steps_show_live_bytes(self):
        model = DATA / "mlp_portable"
        record = ("--etrecord", model / "model.etrecord")
        rows = document(model / "model.pte", *record, "--steps")["rows"]
        self.assertEqual([row["live_bytes"] for row in rows], [2176, 2432, 512, 768, 800, 64])
        self.assertEqual(rows[1], {
            "method": "forward", "instruction": 1, "operator": "aten::addmm.out",
            "live_bytes": 2432, "share": 1, "tensors": 3, "new_bytes": 256, "done_bytes": 2176,
            "source": ["models/zoo.py:16"], "module": ["l1"]})
        top = document(model / "model.pte", *record, "--steps", "--top", "2")["rows"]
        self.assertEqual([row["instruction"] for row in top], [0, 1])
        for path in sorted(DATA.glob("*/model.pte")):
            with self.subTest(path=path):
                for row in document(path, "--no-siblings", "--steps")["rows"]:
                    alive = document(path, "--no-siblings", "--method", row["method"], "--at",
                                     row["instruction"])["rows"] if row["instruction"] < 8 else None
                    if alive is not None:
                        self.assertEqual(sum(one["view_of"] is None for one in alive),
                                         row["tensors"])

    def test_memory__who_is_alive_at_an_instruction(self):
        model = DATA / "mlp_portable" / "model.pte"
        rows = document(model, "--no-siblings", "--at", "3")["rows"]
        self.assertEqual([(row["value"], row["share"]) for row in rows],
                         [(13, 2 / 3), (12, 1 / 3)])
        done = memory(model, "--no-siblings", "--at", "6")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"method forward has instructions 0 to 5", done.stderr)

    def test_memory__shares_count_the_bytes_of_a_view_once(self):
        rows = document(DATA / "gpt_portable" / "model.pte", "--no-siblings", "--at", "48")["rows"]
        views = [row for row in rows if row["view_of"] is not None]
        self.assertEqual([row["share"] for row in views], [None] * len(views))
        self.assertGreater(len(views), 0)
        self.assertAlmostEqual(sum(row["share"] or 0 for row in rows), 1)

    def test_memory__of_two_branches_one_counts(self):
        model = DATA / "cond" / "model.pte"
        for option in (), ("--steps",), ("--at", "9"):
            said = " ".join(memory(model, "--no-siblings", *option).stdout.decode().split())
            self.assertIn("peak 96 B at instruction 4", said)
            self.assertIn("33 % above the lower bound", said)
        rows = {row["value"]: row for row in document(model, "--no-siblings", "--all")["rows"]}
        self.assertEqual(rows[4]["lifetime"], ["0..4", "8..9"])
        self.assertEqual(rows[11]["lifetime"], [])
        self.assertEqual(rows[19]["lifetime"], ["5..7"])
        self.assertIn("96 B at instruction 4", memory(model, "--no-siblings", "--map").stdout.decode())
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "plan.svg"
            memory(model, "--no-siblings", "--output", picture)
            self.assertEqual(picture.read_text().count("instructions 0 to 4, 8 to 9"), 2)

    def test_memory__choices_of_branches_are_said(self):
        def memory_of(method):
            return memory(DATA / "plans" / "cases.pte", "--method", method).stdout.decode()

        said = "whether they are live behind a branch is known only when it has run"
        self.assertIn(f"values 2 and 3: {said}", memory_of("choice"))
        self.assertIn("peak 48 B at instruction 6", memory_of("choice"))
        self.assertIn(f"values 0, 2 and 3: {said}", memory_of("branches"))
        self.assertIn("peak at most 64 B", memory_of("branches"))
        self.assertNotIn(said, memory_of("branch"))
        rows = document(DATA / "plans" / "cases.pte", "--method", "choice", "--all")["rows"]
        self.assertEqual([row["value"] for row in rows if row["lifetime_is"] == "at most"], [2, 3])

    def test_memory__tables_of_sql_agree(self):
        for model in ("mlp_portable", "gpt_xnnpack", "multi_method", "cond"):
            path = DATA / model / "model.pte"
            rows = document(path, "--no-siblings", "--all", "--sort", "value")["rows"]
            found = sql("select method, value, kind, memory_id, memory_offset as offset, "
                        "bytes as size_bytes, first, last, producer, readers, view_of "
                        "from memory_tensors", path)
            self.assertEqual(found, [{key: row[key] for key in found[0]} for row in rows])
            steps = sql("select method, max(live_bytes) as peak_bytes from memory_steps "
                        "group by method, memory_id", path)
            self.assertEqual(steps, sql("select method, peak_bytes from memory_arenas "
                                        "order by method, memory_id", path))

    def test_memory__errors(self):
        model = DATA / "mlp_portable" / "model.pte"
        self.assertEqual(memory().returncode, USAGE)
        self.assertEqual(memory(model, "--method", "nothing").returncode, USAGE)
        self.assertEqual(memory(DATA / "mlp_portable" / "profile.etdp").returncode, INPUT)
        done = memory(model, "--steps", "--map")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"--steps and --map show different things", done.stderr)
        other = DATA / "mlp_xnnpack" / "model.etrecord"
        self.assertEqual(memory(model, "--etrecord", other).returncode, MISMATCH)


if __name__ == "__main__":
    unittest.main()

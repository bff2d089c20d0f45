"""`etscope memory`: what is planned for a program, and what makes its peak."""

import json
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


class Memory(unittest.TestCase):
    def test_memory__answer_comes_first(self):
        done = memory(DATA / "mlp_portable" / "model.pte", "--no-siblings")
        self.assertEqual(done.returncode, OK)
        self.assertEqual(
            done.stdout.decode().splitlines()[0],
            "forward: 2.4 KiB planned; peak 2.4 KiB at instruction 1 (aten::addmm.out); 2 tensors "
            "hold 95 % of it; no plan with these lifetimes is smaller")

    def test_memory__rows_have_place_size_and_lifetime(self):
        found = document(DATA / "mlp_portable" / "model.pte", "--no-siblings")
        self.assertEqual(found["rows"][0], {
            "method": "forward", "value": 5, "kind": "intermediate", "size_bytes": 2048,
            "size_is": "exact", "share": 0.8421052631578947, "memory_id": 1, "offset": 0,
            "first": 0, "last": 1, "producer": 0, "operator": "aten::permute_copy.out",
            "readers": 1, "view_of": None, "dtype": "float32", "shape": [16, 32], "name": None,
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

    def test_memory__methods_have_arenas_of_their_own(self):
        model = DATA / "multi_method" / "model.pte"
        found = document(model, "--no-siblings")["rows"]
        self.assertEqual(sorted({row["method"] for row in found}), ["decode", "encode", "forward"])
        only = document(model, "--no-siblings", "--method", "encode")["rows"]
        self.assertEqual({row["method"] for row in only}, {"encode"})

    def test_memory__mistakes_are_named(self):
        done = memory(DATA / "plans" / "cases.pte", "--method", "overwritten")
        self.assertEqual(done.returncode, NEGATIVE)
        self.assertIn(
            "overwritten: instruction 1 writes value 2 (bytes 24 to 31 of memory 1) over value 1 "
            "(bytes 16 to 31 of memory 1), which is needed until instruction 2",
            done.stderr.decode())
        self.assertIn("; 1 mistake in the plan", done.stdout.decode().splitlines()[0])
        found = json.loads(memory(DATA / "plans" / "cases.pte", "--format", "json").stdout)
        self.assertEqual(len([note for note in found["notes"] if ": instruction " in note]), 4)
        self.assertTrue(found["headline"].startswith("known: 160 B planned"))

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
        other = DATA / "mlp_xnnpack" / "model.etrecord"
        self.assertEqual(memory(model, "--etrecord", other).returncode, MISMATCH)


if __name__ == "__main__":
    unittest.main()

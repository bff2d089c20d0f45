"""Choosing rows, and what is said where none are left."""

import unittest

import support

PROGRAM = ("--program", support.fixture("gpt_xnnpack", "model.pte"))


def rows(*words, model="gpt_xnnpack"):
    program = ("--program", support.fixture(model, "model.pte"))
    return support.rows(*support.with_record(model), *program, *words)


class Filters(unittest.TestCase):
    def test_filters__module_takes_what_is_inside_of_it(self):
        found = rows("--module", "blocks.1")
        everything = rows()
        expected = [row for row in everything
                    if any(m == "blocks.1" or m.startswith("blocks.1.") for m in row["module"])]
        self.assertTrue(expected)
        self.assertEqual([row["event"] for row in found], [row["event"] for row in expected])
        # Shares stay those of the whole run.
        self.assertEqual([row["share"] for row in found], [row["share"] for row in expected])

    def test_filters__patterns_of_modules(self):
        found = rows("--module", "blocks.*.qkv", "--group-by", "module")
        self.assertEqual({tuple(row["module"]) for row in found if row["self_ns"] > 0},
                         {("blocks.0.qkv",), ("blocks.1.qkv",)})

    def test_filters__names_are_those_of_operators_events_and_kernels(self):
        for name in ("native_layer_norm.out", "native_call_native_layer_norm.out",
                     "aten::native_layer_norm.out", "native_layer*", "native_layer_norm",
                     "aten::native_layer_norm", "native_?????_norm"):
            found = rows("--name", name)
            self.assertEqual({row["operator"] for row in found if row["event"] != "OPERATOR_CALL"},
                             {"native_layer_norm.out"}, name)

    def test_filters__handles(self):
        found = rows("--handle", "9,19", "--handle", "29")
        self.assertTrue(found)
        for row in found:
            self.assertTrue({"9", "19", "29"} & set(row["debug_handles"]))

    def test_filters__source_files_and_lines(self):
        self.assertEqual({tuple(row["source"]) for row in rows("--source", "zoo.py:26")},
                         {("models/zoo.py:26",)})
        self.assertGreater(len(rows("--source", "models/zoo.py")),
                           len(rows("--source", "zoo.py:26")))

    def test_filters__the_beginning_of_a_backends_name_is_enough(self):
        self.assertEqual(rows("--backend", "xnn"), rows("--backend", "XnnpackBackend"))
        self.assertEqual(rows("--backend", "PORT"), rows("--backend", "portable"))
        done = support.run("inspect", *support.with_record("gpt_xnnpack"), "--backend", "nnpack")
        self.assertEqual(done.returncode, support.USAGE)
        for name in ("XnnpackBackend", "portable"):
            self.assertIn(name, done.stderr.decode())

    def test_filters__backends(self):
        found = rows("--backend", "Xnn*")
        self.assertEqual({row["backend"] for row in found}, {"XnnpackBackend"})
        found = rows("--backend", "portable")
        self.assertEqual({row["backend"] for row in found}, {None})
        self.assertNotIn("Method::execute", {row["event"] for row in found})

    def test_filters__groups_are_of_what_is_left(self):
        whole = {row["operator"]: row["avg_ns"] for row in rows("--group-by", "op")}
        part = {row["operator"]: row["avg_ns"]
                for row in rows("--group-by", "op", "--backend", "portable")}
        self.assertNotIn("(between operators)", part)
        self.assertTrue(part)
        for name, time in part.items():
            self.assertEqual(time, whole[name])

    def test_filters__methods_choose_blocks(self):
        record = support.with_record("multi_method")
        for method in ("encode", "decode", "forward"):
            found = support.rows(*record, "--method", method)  # loads are of no known method
            self.assertEqual({row["method"] for row in found} - {None}, {method})

    def test_filters__nothing_left_is_told_with_what_is_near(self):
        words = (*support.with_record("gpt_xnnpack"), *PROGRAM)
        for option, word, near in (
                ("--name", "embeding.out", "nearest: embedding.out"),
                ("--module", "blocks.1.upp", "nearest: blocks.1.up"),
                ("--source", "zoo.py:27000", "nearest: zoo.py:27"),
                ("--source", "zo.py", "nearest: zoo.py:"),
                ("--backend", "XnnpackBackends", "nearest: XnnpackBackend"),
                ("--handle", "9999", "nearest: 9")):
            done = support.inspect(*words, option, word)
            self.assertEqual((done.returncode, done.stdout), (support.USAGE, b""))
            self.assertIn(f"{option} {word} matches no row; {near}", done.stderr.decode())
            self.assertEqual(done.stderr.count(b"\n"), 1)
        done = support.inspect(*words, "--name", "embedding.out", "--module", "blocks.1")
        self.assertEqual(done.returncode, support.USAGE)
        self.assertIn("no row matches all filters", done.stderr.decode())
        done = support.inspect(support.fixture("gpt_xnnpack", "profile.etdp"), "--module", "blocks")
        self.assertIn("this needs an ETRecord", done.stderr.decode())

    def test_filters__odd_words_are_refused(self):
        for option, word in (("--handle", "x"), ("--handle", "1,,2"), ("--handle", ""),
                             ("--handle", "-1"), ("--handle", ",".join(["1"] * 65)),
                             ("--source", ""), ("--source", ":12"), ("--depth", "2")):
            done = support.inspect(*support.with_record("gpt_xnnpack"), option, word)
            self.assertEqual((done.returncode, done.stdout), (support.USAGE, b""), (option, word))


class ModuleTree(unittest.TestCase):
    def test_filters__depth_folds_deeper_modules(self):
        tree = rows("--group-by", "module")
        folded = rows("--group-by", "module", "--depth", "2")
        self.assertEqual({tuple(row["module"]) for row in tree if row["depth"] < 3},
                         {tuple(row["module"]) for row in folded})
        inclusive = {tuple(row["module"]): row["avg_ns"] for row in tree}
        for row in folded:
            self.assertAlmostEqual(row["avg_ns"], inclusive[tuple(row["module"])])
        self.assertAlmostEqual(sum(row["self_ns"] for row in tree),
                               sum(row["self_ns"] for row in folded))

    def test_filters__the_tree_is_indented(self):
        text = support.inspect(*support.with_record("gpt_xnnpack"), *PROGRAM, "--group-by",
                               "module").stdout.decode()
        self.assertRegex(text, r"(?m)^\(model\) ")
        self.assertRegex(text, r"(?m)^  blocks ")
        self.assertRegex(text, r"(?m)^    blocks\.1 ")
        self.assertRegex(text, r"(?m)^      blocks\.1\.qkv ")


if __name__ == "__main__":
    unittest.main()

"""The document of --format json: one envelope for all commands (docs/json.md)."""

import json
import os
import unittest

import run_support
import support

TRACE, RECORD = (support.fixture("mlp_portable", name) for name in
                 ("profile.etdp", "model.etrecord"))
PROGRAM = support.fixture("mlp_portable", "model.pte")
DEBUG = (support.fixture("mlp_portable", "debug.etdp"), "--debug-buffer",
         support.fixture("mlp_portable", "debug.bin"))
QUANTIZED = support.DATA / "quantized"
GAP = (QUANTIZED / "int8.etdp", "--debug-buffer", QUANTIZED / "int8.bin", "--etrecord",
       QUANTIZED / "int8.etrecord")


class Documents(support.FolderTest):
    def document(self, *words, codes=(0,)):
        done = support.run(*words, "--format", "json", cwd=self.folder)
        if done.returncode == support.UNAVAILABLE and words[0] != "doctor":
            self.skipTest(done.stderr.decode())
        self.assertIn(done.returncode, codes, done.stderr)
        self.assertTrue(done.stdout.endswith(b"}\n"))
        return json.loads(done.stdout), done

    def check(self, *words, codes=(0,)):
        document, done = self.document(*words, codes=codes)
        self.assertEqual(list(document), ["etscope", "schema", "command", "headline", "rows",
                                          "inputs", "notes"])
        version = support.run("--version").stdout.decode().split()[1]
        self.assertEqual((document["etscope"], document["schema"], document["command"]),
                         (version, 1, words[0]))
        self.assertTrue(all(isinstance(row, dict) for row in document["rows"]))
        for each in document["inputs"]:
            self.assertEqual(os.stat(each["path"]).st_size, each["bytes"])
            self.assertEqual(list(each), ["path", "kind", "bytes"])
        said = [line.removeprefix("note: ").removeprefix("etscope: ")
                for line in done.stderr.decode().splitlines()]
        self.assertEqual([note for note in document["notes"] if note in said], said)
        return document

    def test_document__every_command_has_it(self):
        for words in (("inspect", TRACE), ("inspect", TRACE, "--group-by", "run"),
                      ("annotate", TRACE, "--etrecord", RECORD), ("tensors", *DEBUG),
                      ("gap", *GAP), ("gap", *GAP, "--alignment"),
                      ("sql", "select 1 as one", TRACE), ("sql", "--schema"),
                      ("diff", TRACE, TRACE), ("summary", TRACE, TRACE),
                      ("delegates", PROGRAM, TRACE), ("info", TRACE, PROGRAM)):
            with self.subTest(words=words):
                self.assertTrue(self.check(*words)["rows"])
        with self.subTest(words="doctor"):
            self.assertEqual(len(self.check("doctor", codes=(0, 6))["rows"]), 1)

    def test_document__commands_that_need_the_engine(self):
        if run_support.obstacle("mlp_portable"):
            self.skipTest(run_support.obstacle("mlp_portable"))
        bundle = support.fixture("mlp_portable", "model.bpte")
        self.assertEqual(self.check("verify", bundle)["headline"],
                         "PASS 3 of 3 test cases are as expected")
        self.assertTrue(self.check("profile", bundle, "--runs", 2)["rows"])

    def test_document__inputs_are_what_was_read(self):
        document = self.check("inspect", TRACE, "--etrecord", RECORD, "--program", PROGRAM)
        self.assertEqual([(each["path"], each["kind"]) for each in document["inputs"]],
                         [(str(TRACE), "etdump"), (str(RECORD), "etrecord"),
                          (str(PROGRAM), "program")])
        document = self.check("sql", "select 1", TRACE, RECORD)
        self.assertEqual([each["kind"] for each in document["inputs"]], ["etdump", "etrecord"])

    def test_document__headline_is_what_the_command_leads_with(self):
        shown = support.run("inspect", TRACE).stdout.decode().split("\n\n")[0].splitlines()
        self.assertEqual(len(shown), 3)
        self.assertEqual(self.check("inspect", TRACE)["headline"], ". ".join(shown))
        budget = self.folder / "budget.txt"
        budget.write_text("total p50 <= +5%\n")
        words = ("gate", TRACE, TRACE, "--budget", budget)
        shown = support.run(*words).stdout.decode().splitlines()[0]
        self.assertEqual(self.check(*words, codes=(0, 1))["headline"], shown)

    def test_document__headline_of_the_gap(self):
        headline = self.check("gap", *GAP)["headline"]
        shown = support.run("gap", *GAP).stdout.decode()
        self.assertTrue(shown.replace("\n", " ").startswith(headline), shown)

    def test_document__notes_below_a_table_are_notes(self):
        shown = support.run("inspect", TRACE).stdout.decode()
        notes = self.check("inspect", TRACE)["notes"]
        self.assertTrue(notes)
        for note in notes:
            self.assertIn(note, shown.replace("\n", " "))

    def test_document__a_file_that_fails_leaves_the_others(self):
        document, done = self.document("info", TRACE, "/nonexistent", PROGRAM, codes=(3,))
        self.assertEqual([row["kind"] for row in document["rows"]], ["etdump", "program"])
        self.assertEqual(document["notes"], ["/nonexistent: no such file"])
        document, _ = self.document("info", "/nonexistent", codes=(3,))
        self.assertEqual(document["rows"], [])

    def test_document__output_files_get_it_as_well(self):
        self.check("inspect", TRACE)
        plain = support.run("inspect", TRACE, "--format", "json").stdout
        done = support.run("inspect", TRACE, "--format", "json", "--output", self.folder / "t")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual((self.folder / "t").read_bytes(), plain)

    def test_document__two_in_one_call(self):
        words = (*DEBUG, "--etrecord", RECORD, "--compare-results", "--output", "operators.json")
        document = self.check("inspect", *words)
        self.assertIn("snr_db", document["rows"][0])
        operators = json.loads((self.folder / "operators.json").read_text())
        self.assertIn("operator", operators["rows"][0])
        self.assertEqual(operators["inputs"], document["inputs"])

    def test_document__json_lines_are_the_rows_alone(self):
        for words in (("inspect", TRACE), ("info", TRACE, PROGRAM), ("doctor",)):
            rows = json.loads(support.run(*words, "--format", "json").stdout)["rows"]
            lines = support.run(*words, "--format", "jsonl").stdout.splitlines()
            self.assertEqual([json.loads(line) for line in lines], rows)

    def test_document__tensors_values_come_on_request(self):
        names = ("aot_intermediate_output", "runtime_intermediate_output")
        for row in self.check("gap", *GAP)["rows"]:
            self.assertFalse(set(names) & set(row))
        for row in self.check("gap", *GAP, "--values")["rows"]:
            self.assertEqual(len(row[names[0]]), len(row[names[1]]))
            self.assertGreater(len(row[names[1]]), 0)
        chosen = self.check("gap", *GAP, "--columns", f"gap,{names[1]}")["rows"]
        self.assertEqual(list(chosen[0]), ["gap", names[1]])
        self.assertFalse(any("values" in row for row in self.check("tensors", *DEBUG)["rows"]))
        self.assertTrue(self.check("tensors", *DEBUG, "--show")["rows"][0]["values"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_document__a_full_disk_is_told(self):
        for words in (("inspect", TRACE, "--output", "/dev/full"),):
            done = support.run(*words, "--format", "json")
            self.assertEqual(done.returncode, support.INTERNAL)
            self.assertRegex(done.stderr, b"/dev/full: cannot write")


if __name__ == "__main__":
    unittest.main()

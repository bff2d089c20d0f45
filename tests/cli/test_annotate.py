"""The model's source with what each line costs."""

import gzip
import itertools
import json
import math
import os
import pathlib
import re
import tempfile
import unittest
import zipfile

import support

EXAMPLES = support.DATA.parent.parent / "examples"
MODEL = "conv_portable"


def annotate(*words, model=MODEL, program=True, **options):
    words = (*support.with_record(model), *words)
    if program:
        words += ("--program", support.fixture(model, "model.pte"))
    done = support.run("annotate", *words, **options)
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    return done


def lines(*words, **options):
    done = annotate(*words, "--format", "json", **options)
    assert done.returncode == support.OK, done.stderr
    return support.json_rows(done.stdout)


class Times(unittest.TestCase):
    def test_annotate__lines_and_the_rest_add_up_to_the_run(self):
        for model in support.MODELS:
            blocks = {}
            for line in lines(model=model):
                if line["share"] is not None:
                    blocks.setdefault(line["block_index"], []).append(line)
            runs = [row for row in support.rows(*support.with_record(model))
                    if row["event"] == "Method::execute"]
            self.assertEqual({row["block_index"] for row in runs}, set(blocks), model)
            for run in runs:
                found = blocks[run["block_index"]]
                self.assertLessEqual(sum(line["avg_ns"] for line in found), run["avg_ns"] + 1e-6)
                self.assertGreaterEqual(sum(line["avg_ns_upper"] for line in found),
                                        run["avg_ns"] - 1e-6)
                if all(line["avg_ns"] == line["avg_ns_upper"] for line in found):
                    self.assertAlmostEqual(sum(line["share"] for line in found), 1)

    def test_annotate__a_line_has_the_time_of_its_group(self):
        groups = {row["source"][0]: row for row in
                  support.rows(*support.with_record("gpt_portable"), "--group-by", "source")
                  if len(row["source"]) == 1}
        found = [line for line in lines(model="gpt_portable", program=False) if line["line"]]
        self.assertGreater(len(found), 4)
        for line in found:
            group = groups[f"{line['file']}:{line['line']}"]
            self.assertEqual((line["avg_ns"], line["p50_ns"], line["calls"]),
                             (group["avg_ns"], group["p50_ns"], group["calls"]))

    def test_annotate__callers_have_the_time_of_what_they_call(self):
        found = {line["line"]: line for line in
                 lines("--frames", "all", model="gpt_portable", program=False) if line["line"]}
        caller = next(line for line in found.values() if line["avg_ns"] is None)
        self.assertIn("b(x)", caller["code"])
        block = [found[number] for number in (26, 27, 28, 29)]
        self.assertAlmostEqual(caller["inclusive_share"], sum(line["share"] for line in block))
        for line in found.values():
            if line["share"] is not None:
                self.assertGreaterEqual(line["inclusive_share"], line["share"] - 1e-12)

    def test_annotate__what_was_written_is_counted(self):
        # Two linear layers (each a transposed weight and a product), relu and softmax of floats.
        found = [next(line for line in lines(model="mlp_portable", program=program) if line["line"])
                 for program in (False, True)]
        with zipfile.ZipFile(support.fixture("mlp_portable", "model.etrecord")) as record:
            program = json.loads(record.read("edge_dialect_exported_program/forward"))
        graph = program["graph_module"]["graph"]
        expected = 0
        for node in graph["nodes"]:
            for output in node["outputs"]:
                sizes = graph["tensor_values"][output["as_tensor"]["name"]]["sizes"]
                expected += 4 * math.prod(size["as_int"] for size in sizes)
        self.assertEqual([line["written_bytes"] for line in found], [expected, expected])

    def test_annotate__fused_operators_count_once_and_say_where(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "x.etdp"
            model = EXAMPLES / "mobile_cnn" / "xnnpack"
            done = support.run("run", f"{model}.pte", "-o", trace, "--runs", "2")
            if done.returncode:
                self.skipTest(done.stderr.decode())
            words = ("annotate", trace, "--etrecord", f"{model}.etrecord", "--program",
                     f"{model}.pte")
            found = support.json_rows(support.run(*words, "--format", "json").stdout)
            by_place = {f"{line['file']}:{line['line']}": line for line in found if line["line"]}
            fused = {place: line for place, line in by_place.items() if line["fused_here"]}
            self.assertTrue(fused)
            for place, line in fused.items():
                for other in line["fused_here"]:
                    self.assertIn(place, by_place[other]["counted_at"])
            # The files are there, relative to the repository.
            done = support.run(*words, cwd=EXAMPLES.parent)
            self.assertNotIn(b"not found", done.stderr)
            self.assertRegex(done.stdout.decode(), r"\+2 +18 +x = self\.conv\(x\)\n")
            self.assertRegex(done.stdout.decode(), r"in blocks\.py:18 +19 +x = self\.norm\(x\)\n")
            self.assertRegex(done.stdout.decode(), r" 17 +def forward\(self, x\):\n")
            done = support.run("annotate", trace, "--etrecord", f"{model}.etrecord", "blocks.py")
            self.assertEqual(done.returncode, support.MISMATCH)
            self.assertIn("--program shows its lines there", done.stderr.decode())


class Crowded(unittest.TestCase):
    """A line of a block or container that is there several times takes most of the run."""

    def notes(self, *words, model):
        done = annotate(*words, "--format", "json", model=model)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return [note for note in json.loads(done.stdout)["notes"] if "--group-by" in note]

    def test_annotate__a_line_of_many_modules_points_to_group_by_module(self):
        """The same line as `inspect --group-by source` names, in the same words."""
        words = (*support.with_record("gpt_portable"), "--program",
                 support.fixture("gpt_portable", "model.pte"), "--group-by", "source")
        (expected,) = [note for note in
                       json.loads(support.inspect(*words, "--format", "json").stdout)["notes"]
                       if "--group-by" in note]
        expected = expected.replace("--group-by", "inspect --group-by")
        for frames in "own", "all":
            self.assertEqual(self.notes("--frames", frames, model="gpt_portable"), [expected])
        page = annotate("--width", "100", model="gpt_portable").stdout.decode()
        self.assertIn(expected, page)
        self.assertNotIn("--group-by", annotate("other.py", model="gpt_portable").stdout.decode())

    def test_annotate__a_loop_over_blocks_does_so_where_callers_are_shown(self):
        self.assertEqual(self.notes(model="gpt_xnnpack"), [])
        callers = [line for line in lines("--frames", "all", model="gpt_xnnpack")
                   if line["inclusive_share"] is not None]
        (loop,) = [line for line in callers if line["code"].startswith("for b in s.blocks")]
        # Calls of delegates and what is inside of them are all its work, so its time is exact.
        self.assertAlmostEqual(loop["inclusive_share"], loop["inclusive_share_upper"])
        middle = lambda line: (line["inclusive_share"] + line["inclusive_share_upper"]) / 2
        line = min((line for line in callers if middle(line) >= 0.5), key=middle)
        (note,) = self.notes("--frames", "all", model="gpt_xnnpack")
        self.assertEqual(note, f"models/zoo.py:{line['line']} takes "
                               f"{100 * line['inclusive_share']:.1f}.."
                               f"{100 * line['inclusive_share_upper']:.1f} % of the run, in 2 "
                               "modules: inspect --group-by module separates them")

    def test_annotate__a_container_does_so(self):
        """An nn.Sequential as the whole model: one line calls all of it."""
        folder = support.DATA / "delegates"
        done = support.run("annotate", folder / "nibbles.etdp", "--etrecord",
                           folder / "nibbles.etrecord", "--frames", "all", "--format", "json")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, support.OK, done.stderr)
        (note,) = [note for note in json.loads(done.stdout)["notes"] if "--group-by" in note]
        self.assertRegex(note, r"^container\.py:\d+ takes [0-9.]+ % of the run, in 2 modules: inspect "
                               "--group-by module separates them$")

    def test_annotate__a_line_of_one_module_does_not(self):
        for frames in "own", "all":
            self.assertEqual(self.notes("--frames", frames, model="linear_fp32_xnnpack"), [])


class Sources(support.FolderTest):
    def setUp(self):
        super().setUp()
        known = {line["line"]: line["code"] for line in lines("--frames", "all") if line["line"]}
        self.first = min(known)
        text = {n: f"# line {n}" for n in range(1, max(known) + 5)}
        text[self.first - 2] = "class Model:"
        text[self.first - 1] = "    def forward(self, x):"
        text.update({n: " " * 8 + code for n, code in known.items()})
        text[max(known) + 1] = "        # the end"
        text[max(known) + 2] = "\nafter = 1"
        self.text = "".join(text[n] + "\n" for n in sorted(text))

    def write(self, path, text=None):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text if text is None else text)
        return path

    def shown(self, *words, **options):
        done = annotate(*words, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def test_annotate__without_the_file_the_records_lines_are_shown(self):
        text, notes = self.shown(cwd=self.folder)
        self.assertIn("models/zoo.py: not found; showing the lines stored in the ETRecord; --source-root "
                      "DIR adds a folder", notes)
        self.assertRegex(text, r"(?m)^ +\.\.\.\n.* \d+ +\w.*\n(.*\n)* +\.\.\.$")
        self.assertNotIn("def forward", text)

    def test_annotate__files_are_found_where_they_are_and_below_roots(self):
        for place, words, where in (
                ("models/zoo.py", (), "."), ("a/models/zoo.py", ("--source-root", "a"), "."),
                ("b/zoo.py", ("--source-root", "b"), "."),
                ("c/d/zoo.py", ("--source-root", "models=c/d/"), "."),
                ("e/zoo.py", ("--source-root", "nowhere", "--source-root", "models/=e"), ".")):
            with self.subTest(place=place):
                path = self.write(place)
                text, notes = self.shown(*words, cwd=self.folder / where)
                self.assertEqual(notes, "")
                self.assertIn("    def forward(self, x):\n", text)
                self.assertIn("# the end", text)
                self.assertNotIn("class Model", text)
                self.assertNotIn("after = 1", text)
                path.unlink()

    def test_annotate__files_elsewhere_are_not_shown(self):
        """A record may name any file of its reader; links lead away, too."""
        path = self.write("elsewhere/zoo.py")
        (self.folder / "here/models").mkdir(parents=True)
        (self.folder / "here/models/zoo.py").symlink_to(path)
        for words in ((), ("--source-root", "."), ("--source-root", "models=models")):
            text, notes = self.shown(*words, cwd=self.folder / "here")
            self.assertIn("models/zoo.py: outside of this folder; showing the lines stored in the "
                          "ETRecord; --source-root DIR shows files below DIR", notes)
            self.assertNotIn("def forward", text)
        text, notes = self.shown("--source-root", "models=../elsewhere", cwd=self.folder / "here")
        self.assertEqual(notes, "")
        self.assertIn("def forward", text)

    def test_annotate__other_text_than_was_exported_is_not_shown(self):
        changed = self.text.splitlines(keepends=True)
        changed[self.first - 1] = "        secret = 1\n"
        self.write("models/zoo.py", "".join(changed))
        for text in ("".join(changed), "", "root:x:0:0\n" * 100):
            self.write("models/zoo.py", text)
            text, notes = self.shown(cwd=self.folder)
            self.assertIn(f"models/zoo.py: line {self.first} is not as in the ETRecord", notes)
            self.assertNotIn("secret", text)
            self.assertNotIn("root:x", text)

    def test_annotate__context_and_whole_files(self):
        self.write("models/zoo.py")
        whole, _ = self.shown("--whole", cwd=self.folder)
        for line in self.text.splitlines():
            self.assertIn(line, whole)
        self.assertNotIn("...\n", whole)
        near, _ = self.shown("--context", "1", cwd=self.folder)
        self.assertIn("def forward", near)
        self.assertNotIn("class Model", near)
        none, _ = self.shown("--context", "0", cwd=self.folder)
        self.assertNotIn("def forward", none)

    def test_annotate__no_pipe_or_device_is_read(self):
        (self.folder / "models").mkdir()
        os.mkfifo(self.folder / "models" / "zoo.py")
        _, notes = self.shown(cwd=self.folder)
        self.assertIn("models/zoo.py: not a regular .py file of at most 16 MiB", notes)

    def renamed(self, name, change=lambda program: program):
        """A record that names another file, and what else `change` does to its programs."""
        original = support.fixture(MODEL, "model.etrecord")
        record = self.folder / "renamed.etrecord"
        with zipfile.ZipFile(original) as source:
            entries = {entry: change(source.read(entry).decode().replace("models/zoo.py", name))
                       for entry in source.namelist()
                       if entry in ("exported_program", "edge_dialect_exported_program/forward")}
        support.replace_entries(original, record, entries)
        done = support.run("annotate", support.fixture(MODEL, "profile.etdp"), "--etrecord", record,
                           cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def test_annotate__no_file_but_python_source_is_shown(self):
        self.write(".ssh/id_rsa")
        text, notes = self.renamed(".ssh/id_rsa")
        self.assertIn(".ssh/id_rsa: not a regular .py file", notes)
        self.assertNotIn("def forward", text)
        path = self.write("ssh/id.py")
        text, notes = self.renamed(str(path))
        self.assertIn("def forward", text)

    def test_annotate__a_file_is_shown_where_all_lines_of_the_record_agree(self):
        """Who knows some lines of a file, or tells none, does not get to see the others."""
        self.write("secret.py")
        text, _ = self.renamed("secret.py")
        self.assertIn("def forward", text)

        def forget(program):  # one stack trace, of an operator that took no time, tells no text
            at = program.rindex("secret.py")
            head, tail = program[:at], program[at:]
            return head + re.sub(r"(\\+n)    [^\\\"]+", r"\1    other()", tail, count=1)
        text, notes = self.renamed("secret.py", forget)
        self.assertRegex(notes, r"secret\.py: line \d+ is not as in the ETRecord")
        self.assertNotIn("def forward", text)

    def test_annotate__a_line_without_text_in_the_record_is_not_said_to_differ(self):
        self.write("secret.py")

        def forget(program):  # the texts of one stack trace
            at = program.rindex("secret.py")
            head, tail = program[:at], program[at:]
            return head + re.sub(r"(\\+n)    [^\\\"]+", r"\1    ", tail, count=1)
        text, notes = self.renamed("secret.py", forget)
        self.assertRegex(notes, r"secret\.py: the ETRecord has no text of line \d+, so the file is not shown; "
                                "showing the lines stored in the ETRecord")
        self.assertNotIn("is not as in", notes)
        self.assertNotIn("def forward", text)

    def test_annotate__what_cannot_be_read_is_said_with_its_reason(self):
        """Damaged, or unpacked larger than any source file; as another user than root, too, without permission."""
        path = self.write("models/zoo.py")
        whole = gzip.compress(b"# none\n" * (4 << 20), 1)
        for data, reason in ((whole, "not a regular .py file of at most 16 MiB"), (whole[:2000], "(?!not a regular).+")):
            path.write_bytes(data)
            text, notes = self.shown(cwd=self.folder)
            self.assertRegex(notes, rf"models/zoo\.py: {reason}; showing the lines stored in the ETRecord\n")
            self.assertNotIn("# none", text)
        if os.geteuid() != 0:
            path.write_text(self.text)
            path.chmod(0)
            _, notes = self.shown(cwd=self.folder)
            self.assertRegex(notes, r"models/zoo\.py: .*[Pp]ermission denied; showing")

    def test_annotate__files_beyond_the_limit_are_told(self):
        """A record that names another file in each stack trace; not all are looked for."""
        record, model = self.folder / "many.etrecord", "gpt_portable"
        entry, numbers = "edge_dialect_exported_program/forward", itertools.count()
        original = support.fixture(model, "model.etrecord")
        with zipfile.ZipFile(original) as source:
            program = source.read(entry).decode()
        mark = r'File \"models/zoo.py\"'
        self.assertIn(mark, program)
        while mark in program:  # each with callers
            callers = (rf'File \"{next(numbers)}.py\", line 1, in f\n    f()\n  ' for _ in range(4))
            program = program.replace(mark, "".join(callers) + rf'File \"{next(numbers)}.py\"', 1)
        support.replace_entries(original, record, {entry: program})
        done = support.run("annotate", support.fixture(model, "profile.etdp"), "--etrecord", record, "--frames", "all",
                           cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr.decode(), r"\d+\.py and 255 other files: not found; showing")
        self.assertRegex(done.stderr.decode(), r"\d+\.py and the files after it: not looked for, as 256 source files are"
                                               " the most; showing the lines stored in the ETRecord")

    def test_annotate__one_other_file_is_one(self):
        record, entry = self.folder / "two.etrecord", "edge_dialect_exported_program/forward"
        original = support.fixture(MODEL, "model.etrecord")
        with zipfile.ZipFile(original) as source:
            program = source.read(entry).decode()
        numbers = itertools.count()
        program = re.sub(r"models/zoo\.py", lambda _: f"{next(numbers) % 2}.py", program)
        support.replace_entries(original, record, {entry: program})
        done = support.run("annotate", support.fixture(MODEL, "profile.etdp"), "--etrecord", record, cwd=self.folder)
        self.assertRegex(done.stderr.decode(), r"[01]\.py and 1 other file: not found")

    def test_annotate__lines_of_files_with_long_paths_stay_apart(self):
        record = self.folder / "long.etrecord"
        original = support.fixture("gpt_portable", "model.etrecord")
        folder = "/".join(["a" * 100] * 20)
        with zipfile.ZipFile(original) as source:
            entries = {name: source.read(name).replace(b"models/zoo.py", f"{folder}/zoo.py".encode())
                       for name in source.namelist() if name.startswith("edge_dialect")}
        support.replace_entries(original, record, entries)
        done = support.run("annotate", support.fixture("gpt_portable", "profile.etdp"), "--etrecord", record,
                           "--format", "json", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [(line["file"], line["line"]) for line in support.json_rows(done.stdout)]
        expected = [(line["file"], line["line"]) for line in lines(model="gpt_portable", program=False)]
        self.assertEqual([(file and file.replace(folder, "models"), line) for file, line in found],
                         expected)

    def test_annotate__hostile_text_reaches_no_terminal(self):
        record = self.folder / "odd.etrecord"
        entry = "edge_dialect_exported_program/forward"
        with zipfile.ZipFile(support.fixture(MODEL, "model.etrecord")) as source:
            program = source.read(entry).decode()
        program = re.sub(r'(models/zoo\.py)(\\{1,3}", line)', r'../\\u001b[2J/zoo.py\2', program)
        program = re.sub(r"(\\n    )(x=)", r"\1\\u001b[31m\\u009b\2", program)
        support.replace_entries(support.fixture(MODEL, "model.etrecord"), record, {entry: program})
        done = support.run("annotate", support.fixture(MODEL, "profile.etdp"), "--etrecord", record)
        self.assertEqual(done.returncode, 0, done.stderr)
        for stream in (done.stdout, done.stderr):
            self.assertNotRegex(stream.decode(), "[\x00-\x09\x0b-\x1f\x7f\u0080-\u009f]")


class Words(unittest.TestCase):
    def test_annotate__filters_and_files(self):
        everything = lines(model="gpt_xnnpack")
        some = lines("--module", "blocks.1", model="gpt_xnnpack")
        self.assertLess(len(some), len(everything))
        self.assertNotIn("(between operators)", {line["code"] for line in some})
        one = lines("--source", "zoo.py:28", model="gpt_xnnpack")
        self.assertEqual({line["line"] for line in one}, {28})
        for name in ("zoo.py", "models/zoo.py"):
            found = lines(name)
            self.assertEqual({line["file"] for line in found}, {"models/zoo.py"})

    def test_annotate__what_is_not_there_is_told(self):
        done = annotate("zo.py")
        self.assertEqual((done.returncode, done.stdout), (support.USAGE, b""))
        self.assertIn("no operator of the trace comes from a file zo.py; nearest: models/zoo.py",
                      done.stderr.decode())
        done = annotate("--module", "nowhere")
        self.assertEqual(done.returncode, support.USAGE)
        for words in ((), ("a", "b", "c"), (support.fixture(MODEL, "profile.etdp"),)):
            done = support.run("annotate", *words)
            self.assertEqual((done.returncode, done.stdout), (support.USAGE, b""))
        done = annotate("--whole", "--context", "3")
        self.assertEqual(done.returncode, support.USAGE)

    def test_annotate__every_format_has_the_same_lines(self):
        expected = lines()
        text = annotate("--format", "jsonl").stdout.decode()
        self.assertEqual([json.loads(line) for line in text.splitlines()], expected)
        for form, separator in (("csv", ","), ("tsv", "\t")):
            text = annotate("--format", form).stdout.decode()
            self.assertEqual(text.splitlines()[0].split(separator), list(expected[0]))
            self.assertEqual(len(text.splitlines()), len(expected) + 1)
        self.assertIn("| code |", annotate("--format", "markdown").stdout.decode())

    def test_annotate__output_is_what_standard_output_would_be(self):
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "out.txt"
            plain = annotate(cwd=folder)
            done = annotate("--output", target, cwd=folder)
            self.assertEqual(done.stdout, b"")
            self.assertEqual(target.read_bytes(), plain.stdout)

    def test_annotate__damaged_and_other_files_are_refused(self):
        record = support.fixture(MODEL, "model.etrecord")
        done = support.run("annotate", support.fixture("types", "debug.etdp"), "--etrecord", record)
        self.assertIn(done.returncode, (support.INPUT, support.MISMATCH))
        done = support.run("annotate", record, "--etrecord", record)
        self.assertEqual(done.returncode, support.INPUT)


if __name__ == "__main__":
    unittest.main()

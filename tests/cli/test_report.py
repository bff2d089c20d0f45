"""The command `report`: one HTML file, whose packed document is that of --format json."""

import base64
import gzip
import hashlib
import json
import pathlib
import re
import shutil
import struct
import tempfile
import unittest
import zipfile

from support import (DATA, OK, UNAVAILABLE, USAGE, call, framework, json_rows, make_dump,
                     replace_entries, run)

GPT = DATA / "gpt_xnnpack"
FIXTURES = ["gpt_xnnpack", "conv_xnnpack_int8", "multi_method", "map_loop", "types"]


class Reader:
    """Reads what docs/report-format.md describes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def unsigned(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.unsigned()
        return value >> 1 ^ -(value & 1)

    def take(self, size):
        self.at += size
        return self.data[self.at - size : self.at]

    def integers(self, count):
        values, last = [], 0
        for _ in range(count):
            last = (last + self.signed() + 2**63) % 2**64 - 2**63
            values.append(last)
        return values

    def column(self, head, rows, texts):
        start = self.at
        there = [True] * rows
        if head.get("nulls"):
            bits = self.take((rows + 7) // 8)
            there = [bool(bits[i // 8] >> i % 8 & 1) for i in range(rows)]
        count = sum(there)
        if head["type"] == "integer":
            values = iter(self.integers(count))
        elif head["type"] == "real":
            values = iter(struct.unpack(f"<{count}d", self.take(8 * count)))
        else:
            values = iter([texts[self.unsigned()] for _ in range(count)])
        assert self.at - start == head["bytes"]
        return [next(values) if is_there else None for is_there in there]

    def matrix(self, head):
        start, runs, positions = self.at, head["runs"], head["positions"]
        found = {name: head[name] for name in ("block", "positions", "runs", "kept")
                 if name in head}
        found["operators"] = self.integers(positions)
        found["parents"] = self.integers(positions)
        found["starts"] = self.integers(runs)
        found["gaps"], found["durations"] = [], []
        for _ in range(positions):
            found["gaps"].append([self.signed() for _ in range(runs)])
            found["durations"].append([self.signed() for _ in range(runs)])
        assert self.at - start == head["bytes"]
        return found


def sections(html):
    found = re.findall(r'<script type="application/x-etscope" id="etscope-([^"]+)">([^<]*)<', html)
    return {name: Reader(gzip.decompress(base64.b64decode(text))) for name, text in found}


def unpack(html):
    document = json.loads(re.search(r'id="etscope-head">([^<]*)</script>', html)[1])
    parts = sections(html)
    strings = parts["strings"]
    lengths = [strings.unsigned() for _ in range(strings.unsigned())]
    texts = [strings.take(length).decode() for length in lengths]
    for name, head in document["tables"].items():
        document["tables"][name] = {
            column["name"]: parts["table-" + name].column(column, head["rows"], texts)
            for column in head["columns"]
        }
    document["events"] = [parts["events"].matrix(head) for head in document["events"]]
    assert all(part.at == len(part.data) for part in parts.values())
    return document


def write(*words):
    """The page and, of the same input, the JSON document."""
    with tempfile.TemporaryDirectory() as folder:
        html, text = pathlib.Path(folder, "report.html"), pathlib.Path(folder, "report.json")
        for path, form in ((html, "html"), (text, "json")):
            done = run("report", *words, "--format", form, "--output", path)
            assert done.returncode == OK, done.stderr
        return html.read_text(encoding="utf-8"), json.loads(text.read_text(encoding="utf-8"))


def rewrite(record, target, *replacements):
    """Copies a record with other bytes in its entries."""
    entries = {}
    with zipfile.ZipFile(record) as source:
        for name in source.namelist():
            entries[name] = source.read(name)
            for old, new in replacements:
                entries[name] = entries[name].replace(old, new)
    replace_entries(record, target, entries)


def edges_of(graph):
    """Of a graph of `dump`: its name, producer, user, number of the argument, name of the value."""
    def flat(arguments):
        for argument in arguments:
            if argument["kind"] == "list":
                yield from flat(argument["items"])
            else:
                yield argument

    producers = {output["name"]: node["name"] for node in graph["nodes"]
                 for output in flat(node["outputs"]) if "name" in output}
    return [(graph["name"], producers[argument["name"]], node["name"], number, argument["name"])
            for node in graph["nodes"] for number, argument in enumerate(flat(node["inputs"]))
            if argument["kind"] == "tensor" and argument["name"] in producers]


class Report(unittest.TestCase):
    def test_page_holds_the_document(self):
        for name in FIXTURES:
            with self.subTest(name=name):
                folder = DATA / name
                html, document = write(folder / "profile.etdp", "--etrecord",
                                       folder / "model.etrecord", "--program",
                                       folder / "model.pte")
                self.assertEqual(unpack(html), document)
                self.assertEqual((document["format"], document["version"]), ("etscope-report", 1))
                self.assertTrue(document["headline"])
                self.assertTrue(document["tables"]["operators"]["name"])

    def test_events_give_back_start_and_end(self):
        """The matrix against the event table of sql."""
        trace = GPT / "profile.etdp"
        _, document = write(trace, "--no-siblings")
        found = []
        for matrix in document["events"]:
            for number in range(matrix["runs"]):
                starts, last = [], {}
                for i, parent in enumerate(matrix["parents"]):
                    first = matrix["starts"][number] if parent < 0 else starts[parent]
                    starts.append(last.get(parent, first) + matrix["gaps"][i][number])
                    last[parent] = starts[i] + matrix["durations"][i][number]
                    found.append((matrix["operators"][i], starts[i], last[parent]))
        done = run("sql", "select operator, start_ticks, end_ticks from events "
                   "where kind = 'profile'", trace, "--no-siblings", "--format", "json")
        if done.returncode != OK:
            self.skipTest(done.stderr.decode())
        rows = [(row["operator"], row["start_ticks"], row["end_ticks"])
                for row in json_rows(done.stdout)]
        self.assertEqual(sorted(found), sorted(rows))

    def test_edges_are_those_of_the_graph(self):
        """Against the graphs that `dump` prints."""
        for name in ("gpt_xnnpack", "cond", "multi_method"):
            with self.subTest(name=name):
                record = DATA / name / "model.etrecord"
                _, document = write(DATA / name / "profile.etdp", "--etrecord", record)
                nodes, edges = document["tables"]["nodes"], document["tables"]["edges"]
                found = [(nodes["graph"][target], nodes["name"][source], nodes["name"][target],
                          argument, value)
                         for source, target, argument, value in zip(
                             edges["from"], edges["to"], edges["argument"], edges["value"])]
                dump = json.loads(run("dump", record, "--format", "json").stdout)
                expected = [edge for graph in dump["rows"][0]["graphs"]
                            if graph["name"].startswith("edge_dialect_exported_program/")
                            for each in (graph, *graph["subgraphs"]) for edge in edges_of(each)]
                self.assertEqual(sorted(found), sorted(expected))
                self.assertTrue(found)

    def test_ends_and_arguments_are_those_of_the_graph(self):
        record = DATA / "gpt_xnnpack" / "model.etrecord"
        tables = write(record)[1]["tables"]
        ends, nodes, words = tables["graph_ends"], tables["nodes"], tables["node_arguments"]
        found = list(zip(ends["kind"], ends["name"], ends["shape"], ends["bytes"]))
        self.assertIn(("weight", "blocks.0.ln1.weight", "float32 [64]", 256), found)
        self.assertIn(("input", "idx", "int64 [1,16]", 128), found)
        outputs = [i for i, kind in enumerate(ends["kind"]) if kind == "output"]
        self.assertEqual([nodes["name"][ends["node"][i]] for i in outputs], ["aten_linear_default_8"])
        norm = nodes["op"].index("aten.native_layer_norm.default")
        said = {name: value for node, name, value in
                zip(words["node"], words["name"], words["value"]) if node == norm}
        self.assertEqual(said, {"normalized_shape": "[64]", "eps": "1e-05"})
        lists = [value for value in words["value"] if value.startswith("[")]
        self.assertTrue(lists)
        self.assertFalse([value for value in lists if ", ," in value or "[," in value])

    def test_uses_of_values_are_those_of_the_instructions(self):
        _, document = write(GPT / "profile.etdp", "--program", GPT / "model.pte")
        uses, steps = document["tables"]["value_uses"], document["tables"]["instructions"]
        written = {(method, chain, instruction) for method, chain, instruction, is_output in zip(
            uses["method"], uses["chain"], uses["instruction"], uses["is_output"]) if is_output}
        calls = {(method, chain, instruction) for method, chain, instruction, kind in zip(
            steps["method"], steps["chain"], steps["instruction"], steps["kind"])
            if kind in ("KernelCall", "DelegateCall")}
        self.assertEqual(written, calls)

    def test_policy_allows_the_page_and_nothing_else(self):
        html, _ = write(GPT / "profile.etdp")
        script = re.search(r"</script>\n<script>(.*?)</script>\n<script type=", html, re.S)[1]
        style = re.search(r"<style>(.*?)</style>", html, re.S)[1]
        for text in (script, style):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"'sha256-{digest}'", html)
        self.assertIn("default-src 'none'", html)
        self.assertIn("connect-src 'none'", html)
        self.assertLess(html.index('class="etscope-static"'), html.index('id="etscope-head"'))
        self.assertLess(html.index('id="etscope-head"'), html.index('id="etscope-strings"'))

    def test_no_folder_is_told_and_bytes_repeat(self):
        first, document = write(GPT / "profile.etdp")
        second, _ = write(GPT / "profile.etdp")
        self.assertEqual(first, second)
        self.assertNotIn(str(GPT), first + json.dumps(document))

    def test_no_folder_of_the_exporter_is_told(self):
        files = ("--program", GPT / "model.pte", "--debug-buffer", GPT / "debug.bin")
        _, relative = write(GPT / "debug.etdp", "--etrecord", GPT / "model.etrecord", *files)
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder, "model.etrecord")
            rewrite(GPT / "model.etrecord", record, (b"models/", b"/home/NAME/CUSTOMER/models/"),
                    (b"site-packages/", b"/home/NAME/venv/lib/python3.10/site-packages/"))
            html, document = write(GPT / "debug.etdp", "--etrecord", record, *files)
        self.assertNotIn("NAME", html + json.dumps(document))
        name = lambda text: text.replace("models/zoo.py", "zoo.py")  # noqa: E731: all have one folder
        self.assertEqual(document["tables"]["lines"], json.loads(name(json.dumps(relative["tables"]["lines"]))))
        self.assertEqual(document["tables"]["operators"]["source"],
                         [source and name(source) for source in relative["tables"]["operators"]["source"]])
        self.assertEqual(document["headline"], [name(sentence) for sentence in relative["headline"]])
        self.assertEqual([finding["sentence"] for finding in document["findings"]],
                         [name(finding["sentence"]) for finding in relative["findings"]])
        self.assertIn("(zoo.py:26)", json.dumps(document["findings"]))

    def test_no_folder_of_a_reference_is_told(self):
        model = DATA / "quantized"
        with tempfile.TemporaryDirectory() as folder:
            record, reference = pathlib.Path(folder, "int8.etrecord"), pathlib.Path(folder, "float.etrecord")
            rewrite(model / "int8.etrecord", record, (b"models/", b"/home/NAME/int8/models/"))
            rewrite(model / "float.etrecord", reference, (b"models/", b"/srv/NAME/float/models/"))
            html, document = write(model / "int8.etdp", "--etrecord", record, "--reference-etrecord", reference,
                                   "--debug-buffer", model / "int8.bin")
        self.assertNotIn("NAME", html + json.dumps(document))

    def test_folders_that_tell_sources_apart_stay(self):
        cases = ((b"/srv/a/net/parts/zoo.py", {"zoo.py", "parts/zoo.py"}),
                 (b"/ci/b/zoo.py", {"1/zoo.py", "2/zoo.py"}), (b"/zoo.py", {"zoo.py", "/zoo.py"}),
                 (rb"C:\\ci\\b\\two.py", {"zoo.py", "two.py"}), (b"parts/zoo.py", {"zoo.py", "parts/zoo.py"}))
        for other, files in cases:
            with self.subTest(other=other), tempfile.TemporaryDirectory() as folder:
                record = pathlib.Path(folder, "model.etrecord")
                rewrite(GPT / "model.etrecord", record, (rb'models/zoo.py\", line 2', other + rb'\", line 2'),
                        (b"models/zoo.py", b"/srv/a/net/zoo.py"))
                _, document = write(GPT / "profile.etdp", "--etrecord", record)
                self.assertEqual(set(document["tables"]["lines"]["file"]) - {None}, files)

    def test_a_program_alone_says_what_its_commands_say(self):
        program = GPT / "model.pte"
        _, document = write("--program", program)
        self.assertEqual(document, write(program)[1])
        for command, sentence in zip(("memory", "size", "cost"), document["headline"]):
            said = run(command, program, "--no-siblings").stdout.decode()
            self.assertEqual(said.splitlines()[0], sentence)
        self.assertEqual(len(document["headline"]), 3)
        self.assertEqual([finding["kind"] for finding in document["findings"]],
                         ["layout_transposes", "plan_above_bound", "memory_peak"])
        self.assertEqual(document["trust"], [])
        self.assertEqual([missing["option"] for missing in document["missing"]],
                         ["--etrecord", "TRACE"])

    def test_a_record_alone(self):
        html, document = write(GPT / "model.etrecord")
        self.assertRegex(document["headline"][0], r"^forward: \d+ operators in the exported graph$")
        self.assertIn("times of operators and runs need a trace: TRACE", html)

    def test_blocks_of_one_method_are_told_apart(self):
        _, document = write(DATA / "cond" / "profile.etdp", "--no-siblings")
        for sentence in (*document["headline"][:2], document["findings"][0]["sentence"]):
            self.assertRegex(sentence, r"^Execute \(block [12]\): ")

    def test_plan_and_captured_values(self):
        files = ("--etrecord", GPT / "model.etrecord", "--program", GPT / "model.pte",
                 "--debug-buffer", GPT / "debug.bin")
        _, document = write(GPT / "debug.etdp", *files)
        gap = run("gap", GPT / "debug.etdp", *files)
        kinds = {finding["kind"]: finding for finding in document["findings"]}
        self.assertIn("38.1 KiB planned memory, peak 30.0 KiB, 27 % above the lower bound",
                      document["headline"])
        self.assertIn("plan_above_bound", kinds)
        self.assertEqual(kinds["memory_peak"]["sentence"],
                         "the memory peak is 30.0 KiB, at instruction 28; its largest tensor, 12.0 KiB (40.0 %), is of "
                         "XnnpackBackend (models/zoo.py:26); what delegates allocate themselves is not counted")
        if gap.returncode == OK:
            said = gap.stdout.decode().splitlines()[0]
            self.assertEqual(document["headline"][-1], said)
            self.assertEqual(kinds["values_agree"]["severity"], "good")
        self.assertEqual([entry["role"] for entry in document["inputs"]],
                         ["trace", "record", "program", "debug buffer"])

    def test_values_are_compared_with_another_model(self):
        folder = DATA / "quantized"
        files = ("--etrecord", folder / "int8.etrecord", "--reference-etrecord",
                 folder / "float.etrecord", "--debug-buffer", folder / "int8.bin")
        gap = run("gap", folder / "int8.etdp", *files)
        if gap.returncode == UNAVAILABLE:
            self.skipTest(gap.stderr.decode())
        self.assertEqual(gap.returncode, OK, gap.stderr)
        _, document = write(folder / "int8.etdp", *files)
        self.assertEqual(document["headline"][-1], gap.stdout.decode().splitlines()[0])
        (said,) = (finding for finding in document["findings"] if finding["view"] == "numbers")
        self.assertEqual((said["kind"], said["severity"]), ("values_differ", "note"))
        self.assertRegex(said["sentence"], r"; inside, linear \(models/net.py:20\) stands out")
        values = document["tables"]["gap_values"]
        coverage = {name: value for name, (value,) in document["tables"]["gap_coverage"].items()}
        agreeing = values["finding"].count("agrees")
        compared = sum(error is not None for error in values["total_error"])
        self.assertEqual(coverage, {
            "trace": 0, "values": len(values["name"]), "compared": compared, "agreeing": agreeing, "outputs": 1,
            "outputs_compared": 1,
            "sentence": f"{compared} of {len(values['name'])} values compared, {agreeing} agree"})
        self.assertEqual([place is None for place in values["instruction"]],
                         [captured == "(computed)" for captured in values["captured"]])
        self.assertIn({"role": "reference", "name": "float.etrecord"},
                      [{key: entry[key] for key in ("role", "name")}
                       for entry in document["inputs"]])

    def test_what_was_not_compared_is_said_beside_the_values(self):
        folder = DATA / "mlp_portable"
        with tempfile.TemporaryDirectory() as made:
            short = pathlib.Path(made, "short.bin")
            short.write_bytes((folder / "debug.bin").read_bytes()[:-150])
            files = ("--etrecord", folder / "model.etrecord", "--debug-buffer", short)
            gap = run("gap", folder / "debug.etdp", *files)
            if gap.returncode == UNAVAILABLE:
                self.skipTest(gap.stderr.decode())
            self.assertIn(b"3 of 4 values were compared", gap.stdout, gap.stderr)
            _, document = write(folder / "debug.etdp", *files)
        coverage = {name: value for name, (value,) in document["tables"]["gap_coverage"].items()}
        said = coverage.pop("sentence")
        self.assertRegex(said, r"^3 of 4 values compared, 3 agree; the output was not compared \(softmax: .* outside the debug buffer")
        self.assertEqual(coverage, {"trace": 0, "values": 4, "compared": 3, "agreeing": 3, "outputs": 1,
                                    "outputs_compared": 0})

    def test_another_model_needs_captured_values(self):
        done = run("report", GPT / "debug.etdp", "--no-siblings", "--reference-etrecord",
                   GPT / "model.etrecord", "--output", "-")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"--reference-etrecord needs --debug-buffer", done.stderr)

    def test_captured_values_without_a_record_are_missing(self):
        _, document = write(GPT / "debug.etdp", "--no-siblings", "--debug-buffer",
                            GPT / "debug.bin")
        missing = {entry["view"]: entry for entry in document["missing"]}
        self.assertTrue(missing["numbers"]["sentence"].startswith(
            "captured values are not compared: "))

    def test_first_screen_without_script(self):
        html, document = write(GPT / "profile.etdp")
        screen = html[html.index('class="etscope-static"') : html.index('id="etscope-head"')]
        for text in (*document["headline"], *document["trust"],
                     *(finding["sentence"] for finding in document["findings"]),
                     *(missing["sentence"] for missing in document["missing"])):
            self.assertIn(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
                          screen)
        rows = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>",
                          screen)
        self.assertEqual(len(rows), 10)
        self.assertIn(("expand_copy.out", "8"), [row[:2] for row in rows])
        self.assertIn("download this file", screen)

    def test_source_texts_and_tensors_are_left_out(self):
        files = (GPT / "debug.etdp", "--etrecord", GPT / "model.etrecord", "--program",
                 GPT / "model.pte", "--debug-buffer", GPT / "debug.bin")
        _, whole = write(*files)
        html, document = write(*files, "--no-source", "--no-tensors")
        texts = {code for table in ("nodes", "lines") for code, file in
                 zip(whole["tables"][table]["code"], whole["tables"][table]["file"]) if file}
        everything = json.dumps([document, unpack(html)])
        self.assertGreater(len(texts), 5)
        for text in texts:
            self.assertNotIn(json.dumps(text)[1:-1], everything)
        for table in ("tensors", "stacks"):
            self.assertIn(table, whole["tables"])
            self.assertNotIn(table, document["tables"])
        self.assertIn("(between operators)", document["tables"]["lines"]["code"])
        self.assertEqual(document["tables"]["lines"]["file"], whole["tables"]["lines"]["file"])
        options = [entry["option"] for entry in document["missing"]]
        self.assertEqual(options[-2:], ["no --no-source", "no --no-tensors"])
        self.assertIn("files, functions and modules", document["trust"][-1])
        self.assertNotIn("captured values", document["trust"][-1])

    def test_stacks_have_the_times_of_annotate(self):
        files = (GPT / "profile.etdp", "--etrecord", GPT / "model.etrecord", "--program",
                 GPT / "model.pte")
        _, document = write(*files)
        stacks = document["tables"]["stacks"]
        rows = range(len(stacks["block"]))
        lines = {}
        for row in rows:
            own = stacks["self_mid"][row]
            if stacks["file"][row] and own is not None:
                place = (stacks["file"][row], stacks["line"][row])
                lines[place] = lines.get(place, 0) + own
        annotated = json_rows(run("annotate", *files, "--format", "json").stdout)
        expected = {(row["file"], row["line"]): row["mid_ns"] for row in annotated
                    if row["file"] and row["mid_ns"] is not None}
        self.assertEqual(lines, expected)
        outermost = sum(stacks["mid"][row] for row in rows if stacks["parent"][row] is None)
        times, block = document["tables"]["operator_times"], stacks["block"][0]
        whole = document["tables"]["blocks"]["whole"][block]
        self.assertEqual(set(stacks["block"]), {block})
        self.assertAlmostEqual(outermost, times["mid"][times["operator"].index(whole)], delta=1e-3)
        self.assertFalse([file for file in stacks["file"] if file and "_dynamo" in file])
        operators = document["tables"]["operators"]
        for operator, row in enumerate(operators["stack"]):
            if row is not None and operators["event"][operator] != "DELEGATE_CALL":
                self.assertIn(f'{stacks["file"][row]}:{stacks["line"][row]}',
                              operators["source"][operator])

    def test_deep_stacks_end_and_have_no_folders(self):
        caller = rb'  File \"models/zoo.py\", line 35'
        file = rb"/home/NAME/env/lib/python3.11/site-packages/deep/core.py"
        deep = b"".join(rb'  File \"%s\", line %d, in call\n    call()\n' % (file, line)
                        for line in range(1, 81))
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder, "model.etrecord")
            rewrite(GPT / "model.etrecord", record, (caller, deep + caller))
            html, document = write(GPT / "profile.etdp", "--etrecord", record)
        stacks = document["tables"]["stacks"]
        self.assertEqual(max(depth for depth in stacks["depth"]), 64)  # and what is on no line
        self.assertIn("site-packages/deep/core.py", stacks["file"])
        self.assertNotIn("NAME", html + json.dumps(document))
        lines = {line for line, depth in zip(stacks["line"], stacks["depth"]) if depth == 63}
        self.assertEqual(lines, {64})

    def test_what_is_not_there_is_not_left_out(self):
        _, document = write(GPT / "profile.etdp", "--no-siblings", "--no-source", "--no-tensors")
        self.assertNotIn("left out", json.dumps(document["missing"]))

    def test_max_size_leaves_out_events_first(self):
        """Of 41 runs, the 12th is the fastest, the first the slowest."""
        times = [1000 + (37 * i) % 41 * 10 for i in range(41)]
        times[0], times[11] = 9000, 500
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "t.etdp")
            make_dump(trace, [("Execute", [framework("Method::execute", 10000 * i,
                                                     10000 * i + time)]
                               + [call("x", k, 10000 * i + 7 * k, 10000 * i + 7 * k + (i * k) % 7)
                                  for k in range(50)]) for i, time in enumerate(times)])
            whole, document = write(trace)
            size = len(whole.encode())
            small, _ = write(trace, "--max-size", size - 1)
            left = unpack(small)
            self.assertLess(len(small.encode()), size)
            median = sorted(range(41), key=lambda i: (times[i], i))[20]
            self.assertEqual(left["events"][0]["kept"], sorted([0, 11, median]))
            for number, run_ in enumerate(left["events"][0]["kept"]):
                self.assertEqual(left["events"][0]["starts"][number],
                                 document["events"][0]["starts"][run_])
                self.assertEqual([row[number] for row in left["events"][0]["durations"]],
                                 [row[run_] for row in document["events"][0]["durations"]])
            self.assertEqual(left["tables"], document["tables"])
            self.assertEqual([entry["option"] for entry in left["missing"]][-1],
                             "a larger --max-size")
            done = run("report", trace, "--max-size", 1000, "-o", folder + "/never.html")
            self.assertEqual(done.returncode, USAGE)
            self.assertRegex(done.stderr.decode(), "without all that can be left out, the report "
                             r"takes \d+ bytes")
            self.assertFalse(pathlib.Path(folder, "never.html").exists())

    def test_differences_are_those_of_diff(self):
        portable = DATA / "gpt_portable"
        _, document = write(
            GPT / "profile.etdp", "--before", portable / "profile.etdp",
            "--etrecord", GPT / "model.etrecord", "--etrecord", portable / "model.etrecord",
            "--program", GPT / "model.pte", "--program", portable / "model.pte")
        done = run("diff", portable / "profile.etdp", GPT / "profile.etdp",
                   "--etrecord", portable / "model.etrecord", "--etrecord-b",
                   GPT / "model.etrecord", "--program", portable / "model.pte", "--program-b",
                   GPT / "model.pte", "--sort", "order", "--format", "json")
        said = json_rows(done.stdout)
        tables = document["tables"]
        found = tables["differences"]
        for column, name in (("before", "before_ns"), ("after", "after_ns"),
                             ("change", "change_ns"), ("ratio", "ratio"),
                             ("change_low", "change_low_ns"), ("change_high", "change_high_ns"),
                             ("reason", "reason"), ("contribution", "contribution"),
                             ("adjusted_p", "adjusted_p"), ("verdict", "verdict"),
                             ("kind", "kind"), ("depth", "depth"),
                             ("instruction", "instruction")):
            self.assertEqual(found[column], [row[name] for row in said], column)
        self.assertGreater(len(said), 50)
        self.assertEqual(tables["traces"]["role"], ["trace", "before"])
        self.assertEqual([entry["role"] for entry in document["inputs"]][:2], ["trace", "before"])
        self.assertEqual(document["headline"][0], tables["comparisons"]["sentence"][0])
        self.assertEqual(document["findings"][0]["view"], "compare")
        operators = tables["operators"]
        for number, row in enumerate(said):
            for side, key in enumerate(("operators_before", "operators_after")):
                names = [operators["name"][of] for difference, is_after, of in
                         zip(*tables["difference_operators"].values())
                         if (difference, is_after) == (number, side)]
                expected = [re.sub("^(DELEGATE_CALL) .*", r"\1", name) for name in row[key]
                            if not name.startswith("(")]
                self.assertEqual(names, expected)

    def test_files_before_have_any_order(self):
        portable = DATA / "gpt_portable"
        own = ("--etrecord", GPT / "model.etrecord", "--program", GPT / "model.pte")
        files = [portable / name for name in ("profile.etdp", "model.etrecord", "model.pte")]
        documents = [write(GPT / "profile.etdp", *own, *(word for path in order for word in ("--before", path)))[1]
                     for order in (files, files[::-1])]
        self.assertEqual(documents[0], documents[1])
        traces = documents[0]["tables"]["traces"]
        self.assertEqual((traces["record"], traces["program"]), ([0, 1], [0, 1]))

    def test_several_traces_before_are_compared_each(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, name) for name in ("new.etdp", "a.etdp", "b.etdp")]
            for path, longer in zip(paths, (0, 900, 5)):
                make_dump(path, [("Execute", [
                    framework("Method::execute", 9000 * i, 9000 * i + 1000 + longer + i % 7),
                    call("x", 0, 9000 * i, 9000 * i + 600 + longer + i % 7)]) for i in range(20)])
            _, document = write(paths[0], "--before", paths[1], "--before", paths[2])
            self.assertEqual(document["tables"]["comparisons"]["trace"], [1, 2])
            self.assertRegex(document["headline"][0], r"^compared with a\.etdp: .*the recordings differ by 47\.\d %")
            self.assertRegex(document["headline"][1], r"^compared with b\.etdp: .*undecided")
            said = [finding["sentence"] for finding in document["findings"] if finding["kind"] == "difference"]
            self.assertEqual(said, [
                "compared with a.etdp, operators that are faster: 0, slower: 0, the same: 0, undecided: 0, "
                "on one side only: 0; 1 differs between the two recordings",
                "compared with b.etdp, operators that are faster: 0, slower: 0, the same: 0, undecided: 1, "
                "on one side only: 0"])
            self.assertEqual(document["title"], "new")
            for words, reason in ((("--before", paths[0], "--program", GPT / "model.pte"),
                                   "--before needs a trace to compare"),
                                  ((paths[0], "--before", GPT / "model.pte"), "this is a model"),
                                  ((paths[0], "--before", paths[1], "--before", GPT / "model.etrecord"),
                                   "name that of the other trace, too, with --etrecord"),
                                  ((paths[0], "--before", GPT / "profile.etdp"),
                                   "operators match")):
                done = run("report", *words, "--output", folder + "/never.html")
                self.assertNotEqual(done.returncode, OK)
                self.assertIn(reason, done.stderr.decode())

    def test_a_trace_before_may_belong_to_the_same_model(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, source in (("new.etdp", "profile.etdp"), ("new.etrecord", "model.etrecord"),
                                 ("new.pte", "model.pte"), ("old.etdp", "profile.etdp")):
                shutil.copy(GPT / source, pathlib.Path(folder, name))
            _, document = write(folder + "/new.etdp", "--before", folder + "/old.etdp")
            traces = document["tables"]["traces"]
            self.assertEqual((traces["record"], traces["program"]), ([0, 0], [0, 0]))
            self.assertEqual(document["tables"]["difference_blocks"]["matched_by"][-1], "handles")

    def test_json_goes_to_standard_output(self):
        _, document = write(GPT / "profile.etdp")
        done = run("report", GPT / "profile.etdp", "--format", "json")
        self.assertEqual((done.returncode, json.loads(done.stdout)), (OK, document))

    def test_misuse(self):
        for words, reason in (
                ((GPT / "profile.etdp",), "report needs a file to write"),
                (("--output", "r.html"), "report needs a trace, program or ETRecord"),
                ((GPT / "profile.etdp", "--output", "r", "--format", "pdf"), "html")):
            done = run("report", *words)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(reason, done.stderr.decode())


class Mirrors(unittest.TestCase):
    """Numbers of the document against those of the commands."""

    def of(self, name, *command):
        """Tables by rows, and the rows of a command, each without blocks that it does not show."""
        folder = DATA / name
        files = (folder / "profile.etdp", "--etrecord", folder / "model.etrecord", "--program",
                 folder / "model.pte")
        document = json.loads(run("report", *files, "--format", "json").stdout)
        done = run(*command, *files, "--format", "json")
        self.assertEqual(done.returncode, OK, done.stderr)
        tables = {}
        for table, columns in document["tables"].items():
            lists = [[(column, value) for value in values] for column, values in columns.items()]
            tables[table] = [dict(row) for row in zip(*lists)]
        return tables, json_rows(done.stdout)

    def assert_same(self, row, shown, columns):
        for column in columns:
            name = column if column.endswith("share") else column + "_ns"
            upper = row[column] if row[column + "_upper"] is None else row[column + "_upper"]
            for mine, other in ((row[column], shown[name]), (upper, shown[name + "_upper"])):
                self.assertEqual(mine is None, other is None, (column, row, shown))
                if mine is not None:
                    self.assertAlmostEqual(mine, other, delta=1e-12 * abs(other))

    def test_lines_are_those_of_annotate(self):
        for name in ("gpt_xnnpack", "conv_xnnpack_int8", "types"):
            with self.subTest(name=name):
                tables, shown = self.of(name, "annotate")
                self.assertEqual(len(tables["lines"]), len(shown))
                for row, other in zip(tables["lines"], shown):
                    for column in ("file", "line", "function", "code", "calls", "written_bytes"):
                        self.assertEqual(row[column], other[column])
                    self.assert_same(row, other, ("mid", "share"))

    def test_times_are_those_of_inspect(self):
        for name in ("gpt_xnnpack", "multi_method", "map_loop"):
            with self.subTest(name=name):
                tables, shown = self.of(name, "inspect", "--all")
                self.assertEqual(len(tables["operator_times"]), len(shown))
                for row, other in zip(tables["operator_times"], shown):
                    self.assertEqual(tables["operators"][row["operator"]]["event"], other["event"])
                    self.assert_same(row, other, ("avg", "p50", "mid", "min", "max", "p10", "p90",
                                                  "p99", "ci_low", "ci_high", "total", "share"))

    def test_accounts_are_the_tree(self):
        for name in ("gpt_xnnpack", "multi_method", "map_loop"):
            with self.subTest(name=name):
                tables, shown = self.of(name, "inspect", "--tree")
                self.assertEqual(len(tables["accounts"]), len(shown))
                for row, other in zip(tables["accounts"], shown):
                    self.assertEqual((row["block"], row["kind"], row["name"], row["depth"]),
                                     (other["block_index"], other["line"], other["operator"],
                                      other["depth"]))
                    if row["parent"] is not None:
                        self.assertEqual(tables["accounts"][row["parent"]]["depth"],
                                         row["depth"] - 1)
                    self.assert_same(row, other, ("mid", "share", "self_mid", "self_share"))

    def test_modules_are_those_of_the_groups(self):
        tables, shown = self.of("gpt_xnnpack", "inspect", "--group-by", "module", "--sort",
                                "order")
        self.assertEqual(len(tables["modules"]), len(shown))
        for row, other in zip(tables["modules"], shown):
            self.assertEqual((row["path"], row["depth"], row["calls"]),
                             (", ".join(other["module"]), other["depth"], other["calls"]))
            self.assert_same(row, other, ("mid", "share", "self_mid", "self_share"))

    def test_phases_and_positions(self):
        tables, shown = self.of("conv_xnnpack_int8", "inspect", "--tree")
        for block in tables["blocks"]:
            runs = [run for run in tables["runs"] if run["block"] == block["id"]]
            whole = next(row for row in shown if row["block_index"] == block["id"])
            if whole["state"] in (None, "too_few"):
                self.assertEqual({(run["phase"], run["outlier"]) for run in runs}, {(None, None)})
                continue
            warm_up = whole["warm_up_runs"]
            self.assertEqual([run["phase"] for run in runs],
                             ["warm-up"] * warm_up + ["steady"] * (len(runs) - warm_up))
            self.assertEqual([run["number"] for run in runs if run["outlier"]],
                             whole["outlier_runs"])
        for row in tables["operators"]:
            others = [other["position"] for other in tables["operators"]
                      if other["block"] == row["block"]]
            self.assertEqual(len(set(others)), len(others))
            if row["parent"] is not None:
                self.assertLess(tables["operators"][row["parent"]]["position"], row["position"])


if __name__ == "__main__":
    unittest.main()

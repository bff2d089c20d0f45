"""The command `report`: one HTML file, whose packed document is that of --format json."""

import base64
import gzip
import hashlib
import json
import pathlib
import re
import struct
import tempfile
import unittest

from support import DATA, OK, USAGE, json_rows, run

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
        found = {name: head[name] for name in ("block", "positions", "runs")}
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

    def test_misuse(self):
        for words, reason in (
                ((GPT / "profile.etdp",), "report needs a file to write"),
                (("--output", "r.html"), "report needs a trace"),
                ((GPT / "profile.etdp", "--output", "r", "--format", "pdf"), "html")):
            done = run("report", *words)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(reason, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()

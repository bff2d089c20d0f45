"""Every column of what is written for spreadsheets: a name of a file is one cell, and none is a formula."""

import csv
import io
import json
import re
import struct
import unittest
import zipfile

import support

# Ends cells and rows of every format, and begins with what a spreadsheet runs.
HOSTILE = '=1\t@2"\t=3\r\n=4,+5'
FORMULA = re.compile("[=@\t\r\n\uff1d]|[-+](?![0-9.]+(e[-+]?[0-9]+)?$)")
FORMATS = {"csv": ",", "tsv": "\t", "upstream": "\t"}
# What a record tells as text, and the columns that show it, by command line and as upstream's table.
FIELDS = {"target": ({"op_types"}, {"op_types"}), "file": ({"source"}, set()), "module": ({"module"}, set()),
          "backend": ({"backend", "operator"}, {"delegate_backend_name"}), "name": (set(), set())}
# One whose calls are all of a delegate, so that no operator is compared with the trace's.
RECORD, RECORDED = (support.fixture("mlp_xnnpack", name) for name in ("model.etrecord", "profile.etdp"))
MIXED = support.fixture("gpt_xnnpack", "profile.etdp")


def hostile_graph(graph, field):
    """Replaces a field of all nodes of a graph of a record."""
    for node in graph["nodes"]:
        if field == "target" and node["target"].endswith("aten.relu.default"):  # of no kernel of its own
            node["target"] = HOSTILE
        if "stack_trace" in node["metadata"] and field == "file":
            node["metadata"]["stack_trace"] = node["metadata"]["stack_trace"].replace(
                "models/zoo.py", HOSTILE.replace('"', "").replace("\r\n", "\t"))
        if "nn_module_stack" in node["metadata"] and field == "module":
            node["metadata"]["nn_module_stack"] = f"k,{HOSTILE.replace(',', '')},__main__.Model"


def hostile_record(target, field):
    entries = {}
    with zipfile.ZipFile(RECORD) as record:
        delegates = record.read("delegate_map").decode()
        graphs = {name: record.read(name).decode("latin-1") for name in record.namelist()
                  if name.startswith("edge_dialect_exported_program/") and record.read(name)[:1] == b"{"}
    for name, text in graphs.items():
        document = json.loads(text)
        hostile_graph((document.get("graph_module") or document["exported_program"]["graph_module"])["graph"], field)
        text = json.dumps(document)
        if field == "name":
            text = text.replace('"aten_', f'"{json.dumps(HOSTILE)[1:-1]}')
        entries[name] = text.encode()
    if field == "backend":
        entries["delegate_map"] = delegates.replace("XnnpackBackend", json.dumps(HOSTILE)[1:-1]).encode()
    support.replace_entries(RECORD, target, entries)
    return target


def hostile_trace(target):
    """The texts of all events, in the same number of bytes."""
    data = bytearray(MIXED.read_bytes())
    for text in (b"Execute", b"DELEGATE_CALL", b"native_call_embedding.out", b"Softmax (NC, F32) #1"):
        at = data.find(struct.pack("<I", len(text)) + text + b"\0")
        while at >= 0:
            data[at + 4 : at + 4 + len(text)] = (HOSTILE.encode() * 2)[: len(text)]
            at = data.find(struct.pack("<I", len(text)) + text + b"\0")
    target.write_bytes(data)
    return target


class SpreadsheetCells(support.FolderTest):
    def check(self, data, separator):
        """The columns of a table in which a text of HOSTILE stands."""
        table = list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator))
        for row in table:
            self.assertEqual(len(row), len(table[0]), row)
            for cell in row:
                self.assertIsNone(FORMULA.match(cell), row)
        return {name for row in table[1:] for name, cell in zip(table[0], row) if "=1" in cell}

    def test_names_of_a_record_stay_in_their_cells(self):
        for field, (columns, upstream) in FIELDS.items():
            record = hostile_record(self.folder / f"{field}.etrecord", field)
            words = (RECORDED, "--etrecord", record)
            for form, separator in FORMATS.items():
                with self.subTest(field=field, format=form):
                    done = support.inspect(*words, "--format", form)
                    self.assertEqual(done.returncode, support.OK, done.stderr)
                    self.assertLessEqual(upstream if form == "upstream" else columns,
                                         self.check(done.stdout, separator))

    def test_names_of_a_trace_stay_in_their_cells(self):
        trace = hostile_trace(self.folder / "hostile.etdp")
        for form, separator in FORMATS.items():
            with self.subTest(format=form):
                done = support.inspect(trace, "--format", form)
                self.assertEqual(done.returncode, support.OK, done.stderr)
                expected = {"event_block_name", "event_name"} if form == "upstream" else {"block", "event"}
                self.assertLessEqual(expected, self.check(done.stdout, separator))

    def test_what_a_backend_wrote_stays_in_its_cell(self):
        trace = support.make_dump(self.folder / "delegate.etdp", [(HOSTILE, [
            support.call("DELEGATE_CALL", 0, 10, 90),
            {"delegate": HOSTILE, "metadata": '=1,"2"', "chain": 0, "instruction": 0, "start": 20, "end": 30}])])
        for form, separator in FORMATS.items():
            with self.subTest(format=form):
                done = support.inspect(trace, "--format", form)
                self.assertEqual(done.returncode, support.OK, done.stderr)
                expected = ({"event_block_name", "event_name"} if form == "upstream" else
                            {"block", "event", "metadata"})
                self.assertLessEqual(expected, self.check(done.stdout, separator))

    def test_cells_of_an_export_are_whole(self):
        trace = hostile_trace(self.folder / "hostile.etdp")
        done = support.run("export", trace, "--to", "csv", "-o", "-")
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertIn("name", self.check(done.stdout, ","))


if __name__ == "__main__":
    unittest.main()

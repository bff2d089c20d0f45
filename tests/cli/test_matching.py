"""What `diff` matches operators by, when the ETRecords of two builds of one model disagree.

The second build is the first with other debug handles: an export of quantized weights numbers other
nodes, and so all behind them.
"""

import json
import re
import unittest
import zipfile

import support

HANDLE = re.compile(r'("debug_handle": "?)(\d+)')


class Builds(support.FolderTest):
    model = "gpt_portable"

    def build(self, name, *, moved=lambda handle: False, without=()):
        """A record in which some handles are others, and without some of what its nodes say."""
        def other(handle):
            return handle + 1000 if handle > 0 and moved(handle) else handle

        def others(handles):
            return [other(handle) for handle in handles] if isinstance(handles, list) else other(handles)

        entries = {}
        record = support.fixture(self.model, "model.etrecord")
        with zipfile.ZipFile(record) as archive:
            for entry in archive.namelist():
                data = archive.read(entry)
                if entry == "debug_handle_map":
                    entries[entry] = json.dumps({
                        method: {at: others(handles) for at, handles in found.items()}
                        for method, found in json.loads(data).items()}).encode()
                elif data[:1] == b"{" and b'"graph_module"' in data:
                    text = HANDLE.sub(lambda found: f"{found[1]}{other(int(found[2]))}", data.decode())
                    for key in without:
                        text = text.replace(f'"{key}":', f'"no_{key}":')
                    entries[entry] = text.encode()
        path = self.folder / f"{name}.etrecord"
        support.replace_entries(record, path, entries)
        return path

    def diff(self, before, after, *words):
        trace = support.fixture(self.model, "profile.etdp")
        done = support.run("diff", trace, trace, "--etrecord", before, "--etrecord-b", after, "--no-siblings", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def how(self, before, after):
        found = re.findall(r"^Execute .*, matched by (.*?)(?:, |$)", self.diff(before, after), re.M)
        self.assertEqual(len(found), 1)
        return found[0]

    def rows(self, before, after):
        rows = json.loads(self.diff(before, after, "--format", "json"))["rows"]
        return [row for row in rows if row["block"] != "Default"]


class Fallback(Builds):
    def test_matching__handles_then_modules_then_lines_then_names(self):
        cases = (("handles", (), "debug handles"), ("modules", (), "modules of operators"),
                 ("lines", ("nn_module_stack",), "source lines"),
                 ("names", ("nn_module_stack", "stack_trace"), "names in order of execution"))
        for name, without, expected in cases:
            before = self.build(f"before_{name}", without=without)
            after = self.build(f"after_{name}", without=without, moved=lambda _, name=name: name != "handles")
            self.assertEqual(self.how(before, after), expected)

    def test_matching__one_operator_is_not_removed_and_added(self):
        before = self.build("before")
        operators = len(self.rows(before, before))
        for number in (1, 3, 4, 6, 14, 22):  # 14 and 22 are of many operators
            after = self.build("after", moved=lambda handle, number=number: handle == number)
            rows = self.rows(before, after)
            self.assertEqual({row["matched_by"] for row in rows}, {"handles"})
            self.assertEqual([row["operator"] for row in rows if row["kind"] is not None], [], number)
            self.assertEqual(len(rows), operators)

    def test_matching__what_is_in_another_module_is_another_operator(self):
        before, after = self.build("before"), self.folder / "after.etrecord"
        moved = self.build("moved", moved=lambda handle: handle == 1)
        with zipfile.ZipFile(moved) as record:
            graphs = {name: record.read(name).decode() for name in record.namelist()
                      if b'"graph_module"' in record.read(name)}
        entries = {name: self.in_module(text, 1001, "other").encode() for name, text in graphs.items()}
        support.replace_entries(moved, after, entries)
        found = [(row["operator"], row["kind"]) for row in self.rows(before, after) if row["kind"] is not None]
        self.assertEqual(sorted(found), [("embedding.out", "added"), ("embedding.out", "removed")])

    def in_module(self, text, handle, module):
        """The graph with the nodes of a handle in another module."""
        graph = json.loads(text)
        for node in graph["graph_module"]["graph"]["nodes"]:
            if str(node["metadata"].get("debug_handle")) == str(handle):
                node["metadata"]["nn_module_stack"] = f"L__self__,,__main__.GPT;L__self___{module},{module},torch.nn.Embedding"
        return json.dumps(graph)


if __name__ == "__main__":
    unittest.main()

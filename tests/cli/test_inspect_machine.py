"""`inspect --machine`: operators of recorded traces against a machine whose roofs are round numbers."""

import json
import unittest

import support
from support import INPUT, OK, USAGE, fixture
from test_machine import MACHINE

GIGA, FLOPS, BYTES, KERNEL, DELEGATE = 1e9, 3e9, 5e9, 2000, 4000


def roof(program, rate, working_set=10**8):
    return {"program": program, "threads": 1, "working_set_bytes": working_set, "work": 10**6,
            "time_ns": 1e6 / rate * GIGA, "runs": 50}


# A slow machine, so that operators of small fixtures come near its roofs: 3 GFLOP/s, 5 GB/s.
SLOW = {**MACHINE, "caches": [], "roofs": [
    roof("float32", FLOPS), roof("add", BYTES),
    {**roof("kernel", 1), "work": 1, "time_ns": KERNEL},
    {**roof("delegate", 1), "work": 1, "time_ns": DELEGATE}]}


class InspectMachine(support.FolderTest):
    def write(self, machine):
        path = self.folder / "machine.json"
        path.write_text(json.dumps(machine))
        return path

    def table(self, model, *words, machine=SLOW):
        done = support.inspect(*support.with_record(model), "--program", fixture(model, "model.pte"),
                               "--machine", self.write(machine), *words)
        self.assertEqual(done.returncode, OK, done.stderr)
        return done.stdout.decode()

    def document(self, model, *words, **options):
        return json.loads(self.table(model, *words, "--format", "json", **options))

    def expected(self, row):
        """Bound and verdict by docs/machine.md's rules, from the other columns alone."""
        empty = DELEGATE if row["backend"] else KERNEL
        compute = row["flops"] / FLOPS * GIGA
        bound = max(compute, row["moved_bytes"] / BYTES * GIGA)
        time = (row["min_ns"] + row["min_ns_upper"]) / 2
        binding, bound = bound, max(bound, empty)
        if time < 10e3 or time < 3 * empty:
            return bound, "overhead-bound"
        if bound / row["min_ns_upper"] > 1.05:
            return bound, "unknown"
        if bound / time < 0.6:
            return bound, "below the roof"
        return bound, "compute-bound" if compute == binding else "memory-bound"

    def test_inspect_machine__verdicts_follow_from_the_columns(self):
        seen = set()
        for model in ("conv_portable", "gpt_portable", "mlp_portable", "linear_fp32_xnnpack"):
            for row in self.document(model)["rows"]:
                if row["verdict"] is None:
                    continue
                bound, verdict = self.expected(row)
                with self.subTest(model=model, operator=row["operator"]):
                    self.assertEqual(row["verdict"], verdict)
                    self.assertAlmostEqual(row["bound_ns"] / bound, 1, places=9)
                    self.assertEqual(row["of_roof"] is None, verdict in ("overhead-bound", "unknown"))
                    if row["of_roof"] is not None:
                        self.assertAlmostEqual(row["of_roof"], bound / row["min_ns_upper"])
                        self.assertAlmostEqual(row["of_roof_upper"], bound / row["min_ns"])
                seen.add(verdict)
        self.assertGreaterEqual(len(seen), 3, seen)

    def test_inspect_machine__tables_fit_a_terminal(self):
        machine = self.write(SLOW)
        for model in support.MODELS:
            trace, program = fixture(model, "profile.etdp"), fixture(model, "model.pte")
            if not (trace.exists() and program.exists()):
                continue
            for words in (("inspect", trace), ("inspect", trace, "--group-by", "module"),
                          ("delegates", program, trace), ("delegates", program, trace, "--cost")):
                for options in ((), ("--machine", machine)):
                    done = support.run(*words, *options, "--width", 80)
                    if done.returncode != OK:
                        continue
                    with self.subTest(model=model, words=words, options=options):
                        lines = done.stdout.decode().splitlines()
                        self.assertEqual([line for line in lines if len(line) > 80], [])
                        self.assertTrue(lines)

    def test_inspect_machine__headroom_adds_up(self):
        """What operators save is what the run saves, whatever they are grouped by."""
        rows = self.document("gpt_portable")["rows"]
        whole = next(row for row in rows if row["operator"] == "Method::execute")
        saved = sum(max(0, row["mid_ns"] - row["bound_ns"]) for row in rows
                    if row["of_roof"] is not None)
        self.assertGreater(saved, 0)
        self.assertAlmostEqual(whole["mid_ns"] - whole["at_roof_ns"], saved, places=3)
        for group in ("op", "source", "backend"):
            rows = self.document("gpt_portable", "--group-by", group)["rows"]
            found = sum(row["mid_ns"] - row["at_roof_ns"] for row in rows
                        if row["at_roof_ns"] is not None)
            self.assertAlmostEqual(found, saved, places=3)
        tree = self.document("gpt_portable", "--group-by", "module")["rows"]
        self.assertAlmostEqual(tree[0]["mid_ns"] - tree[0]["at_roof_ns"], saved, places=3)

    def assertEndsWith(self, text, end):
        self.assertEqual(text[-len(end):], end)

    def test_inspect_machine__answers_first(self):
        text = self.table("gpt_portable", "--width", "300").splitlines()
        answer = next(line for line in text if " at the roof of " in line)
        self.assertRegex(answer, r"^1\.97 ms a run; .* at the roof of Made with 1 thread; "
                                 r"\d+ % of the difference is in \S+;")
        self.assertIn(" overhead-bound", answer)
        document = self.document("gpt_portable")
        self.assertEndsWith(document["headline"], answer)
        self.assertNotIn(answer, document["notes"])
        self.assertTrue(any(" MFLOP a run; " in note for note in document["notes"]))

    def test_inspect_machine__what_a_run_computes_is_the_headline_of_costs(self):
        words = (*support.with_record("gpt_portable"), "--format", "json")
        for others in ((), ("--group-by", "module")):
            self.assertRegex(json.loads(support.inspect(*words, *others, "--cost").stdout)["headline"],
                             r" 3\.66 MFLOP a run; 96 % in 13 matrix products; ")
            # as the program alone tells it, since each kernel has its own node
            self.assertIn(b"forward: 3.66 MFLOP a run; 96 % in 13 matrix products",
                          support.run("cost", support.DATA / "gpt_portable/model.pte").stdout)
            self.assertNotIn("MFLOP", json.loads(support.inspect(*words, *others).stdout)["headline"])

    def run_with(self, command, *files):
        done = support.run(command, *files, "--machine", self.write(SLOW), "--format", "json")
        self.assertEqual(done.returncode, OK, done.stderr)
        return json.loads(done.stdout)

    def test_inspect_machine__lines_of_source_save_what_the_run_saves(self):
        answer = self.document("gpt_portable")
        whole = next(row for row in answer["rows"] if row["operator"] == "Method::execute")
        page = self.run_with("annotate", *support.with_record("gpt_portable"), "--program",
                             fixture("gpt_portable", "model.pte"))
        self.assertEndsWith(answer["headline"], page["headline"])
        saved = sum(row["mid_ns"] - row["at_roof_ns"] for row in page["rows"]
                    if row["at_roof_ns"] is not None)
        self.assertGreater(saved, 0)
        self.assertAlmostEqual(saved, whole["mid_ns"] - whole["at_roof_ns"], places=3)
        for row in page["rows"]:  # a verdict is of one operator
            self.assertEqual(row["verdict"] is None, row["calls"] != 1, row)

    def test_inspect_machine__delegates_have_the_verdicts_of_inspect(self):
        for model in ("gpt_portable", "conv_xnnpack"):
            answer = self.document(model)
            table = self.run_with("delegates", fixture(model, "model.pte"),
                                  fixture(model, "profile.etdp"))
            self.assertEndsWith(answer["headline"], table["headline"])
            key = lambda row: (row["verdict"], row["bound_ns"] or 0, row["of_roof"] or 0)  # noqa: E731
            found = sorted(key(row) for row in table["rows"] if row["verdict"] is not None)
            expected = sorted(key(row) for row in answer["rows"] if row["verdict"] is not None)
            self.assertEqual(found, expected)
        done = support.run("delegates", fixture(model, "model.pte"), "--machine", self.write(SLOW))
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"--machine needs a trace", done.stderr)

    def test_inspect_machine__a_roof_that_is_too_low_is_told(self):
        low = {**SLOW, "roofs": [roof("float32", FLOPS / 100), roof("add", BYTES / 100)]}
        self.assertRegex(self.table("gpt_portable", "--width", "400", machine=low),
                         "faster than the measured roof: measure the machine again")
        rows = [row for row in self.document("gpt_portable", machine=low)["rows"]
                if (row["verdict_reason"] or "").startswith("faster than the measured roof")]
        self.assertGreater(len(rows), 0)
        for row in rows:
            self.assertEqual((row["verdict"], row["of_roof"]), ("unknown", None))

    def test_inspect_machine__products_without_a_roof_get_no_share(self):
        """No program of `etscope machine` multiplies int4; float32 has a roof here."""
        stem = support.DATA / "torchao" / "8da4w"
        done = support.inspect(f"{stem}.etdp", "--program", f"{stem}.pte", "--etrecord",
                               f"{stem}.etrecord", "--machine", self.write(SLOW), "--format", "json")
        rows = [row for row in support.json_rows(done.stdout) if row["arithmetic"] == "int4 dynamic"
                and row["verdict"] is not None]
        self.assertGreater(len(rows), 0)
        for row in rows:
            self.assertEqual((row["verdict"], row["of_roof"], row["verdict_reason"]),
                             ("unknown", None, "no roof for products of int4"))

    def test_inspect_machine__annotated_source_fits_a_terminal(self):
        for model in "gpt_xnnpack", "gpt_portable":
            done = support.run("annotate", fixture(model, "profile.etdp"), "--etrecord",
                               fixture(model, "model.etrecord"), "--program",
                               fixture(model, "model.pte"), "--machine", self.write(SLOW),
                               "--no-siblings", "--width", "80")
            self.assertEqual(done.returncode, OK, done.stderr)
            lines = done.stdout.decode().splitlines()
            self.assertEqual([line for line in lines if len(line) > 80], [])
            # Of gpt_xnnpack, no operator can be held against the roof: code goes before the column.
            self.assertEqual(any(" at roof" in line for line in lines), model == "gpt_portable")

    def test_inspect_machine__a_busy_machine_is_told(self):
        words = (*support.with_record("gpt_portable"), "--machine",
                 self.write({**SLOW, "busy": True}))
        self.assertIn(b"machine.json: was measured on a busy machine",
                      support.inspect(*words).stderr)

    def test_inspect_machine__sql_tells_the_same(self):
        words = (*support.with_record("gpt_portable"), "--program",
                 fixture("gpt_portable", "model.pte"), "--machine", self.write(SLOW))
        query = ("select verdict, of_roof, bound_ns, saved from operator_roofs "
                 "where verdict is not null order by operator")
        done = support.run("sql", query, *words, "--format", "json")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, OK, done.stderr)
        rows = [row for row in self.document("gpt_portable")["rows"] if row["verdict"] is not None]
        found = support.json_rows(done.stdout)
        key = lambda row: (row["verdict"], row["bound_ns"], row["of_roof"] or 0)  # noqa: E731
        self.assertEqual(sorted(map(key, found)), sorted(map(key, rows)))
        empty = support.run("sql", "select count(*) as n from operator_roofs", *words[:-2],
                            "--format", "json")
        self.assertEqual(support.json_rows(empty.stdout), [{"n": 0}])

    def test_inspect_machine__without_record_all_is_unknown(self):
        done = support.inspect(fixture("gpt_portable", "profile.etdp"), "--no-siblings",
                               "--machine", self.write(SLOW), "--format", "json")
        rows = support.json_rows(done.stdout)
        verdicts = {row["verdict"] for row in rows}
        self.assertEqual(verdicts, {None, "unknown"})
        self.assertIn("its work is not known", {row["verdict_reason"] for row in rows})

    def test_inspect_machine__mistakes(self):
        trace, machine = fixture("mlp_portable", "profile.etdp"), self.write(SLOW)
        done = support.run("inspect", trace, "--machine", machine, "--threads", "3")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"not measured with 3 threads", done.stderr)
        done = support.run("inspect", trace, "--threads", "2")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"--threads needs --machine FILE", done.stderr)
        for words in (("annotate", trace), ("delegates", fixture("mlp_portable", "model.pte"), trace)):
            self.assertEqual(support.run(*words, "--threads", "2").returncode, USAGE)
        self.assertIn(support.run("sql", "select 1", trace, "--threads", "2").returncode,
                      (USAGE, support.UNAVAILABLE))
        done = support.run("inspect", trace, "--machine", machine, "--group-by", "run")
        self.assertEqual(done.returncode, USAGE)
        done = support.run("inspect", trace, "--machine", self.write({**SLOW, "roofs": []}))
        self.assertEqual(done.returncode, INPUT)
        self.assertEqual(support.run("inspect", trace, "--machine", trace).returncode, INPUT)


if __name__ == "__main__":
    unittest.main()

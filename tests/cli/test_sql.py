"""`etscope sql`: tables against the other commands, files for other tools, queries that are off."""

import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import support
from support import INPUT, INTERNAL, OK, USAGE, fixture, make_dump, run

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "sql.md"


def sql(query, *words):
    done = run("sql", query, *words, "--format", "json")
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == OK, done.stderr
    return support.json_rows(done.stdout)


def files(model, kind="profile"):
    return (fixture(model, f"{kind}.etdp"), fixture(model, "model.etrecord"),
            fixture(model, "model.pte"))


def schema():
    """Table or view -> its columns' names, from --schema."""
    done = run("sql", "--schema", "--format", "json")
    assert done.returncode == OK, done.stderr
    tables = {}
    for row in support.json_rows(done.stdout):
        tables.setdefault(row["table"], []).append(row["column"])
    return tables


class Schema(unittest.TestCase):
    def test_every_table_and_view_has_the_columns_that_it_says(self):
        tables = schema()
        self.assertGreater(len(tables), 15)
        for table, columns in tables.items():
            with self.subTest(table=table):
                found = sql(f"select name from pragma_table_info('{table}')",
                            *files("mlp_portable"))
                self.assertEqual([row["name"] for row in found], columns)

    def test_no_table_is_left_out(self):
        found = sql("select name from sqlite_schema where type in ('table', 'view') order by 1",
                    *files("mlp_portable"))
        self.assertEqual([row["name"] for row in found], sorted(schema()))

    def test_the_document_shows_it(self):
        done = run("sql", "--schema", "--format", "markdown")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertIn(done.stdout.decode(), DOCUMENT.read_text(encoding="utf-8"))

    def test_documents_have_the_columns_of_the_catalogue(self):
        tool = DOCUMENT.parent.parent / "tools" / "make_schema_docs.py"
        done = subprocess.run([sys.executable, tool, support.ETSCOPE, "--check"], capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, OK, done.stdout.decode() + done.stderr.decode())

    def test_every_table_can_be_read_for_every_model(self):
        for model in support.MODELS[::5 if support.IS_EMULATED else 1]:
            for table in schema():
                with self.subTest(model=model, table=table):
                    done = run("sql", f"select * from {table}", *files(model), "--format", "jsonl",
                               "--allow-mismatch")
                    if done.returncode == support.UNAVAILABLE:
                        self.skipTest(done.stderr.decode())
                    self.assertEqual(done.returncode, OK, done.stderr)


class SameNumbers(unittest.TestCase):
    """What the tables say is what the other commands print."""

    def test_findings_are_those_of_a_report(self):
        members = ("kind", "severity", "share", "share_upper", "sentence", "view")
        gpt = files("gpt_portable")
        for paths in (gpt, (gpt[0], fixture("mlp_portable", "profile.etdp"), *gpt[1:]),
                      (gpt[2],), (fixture("multi_method", "model.pte"),), (gpt[0],)):
            with self.subTest(paths=paths):
                words = [word for path in paths for word in
                         ({".etrecord": ["--etrecord"], ".pte": ["--program"]}
                          .get(pathlib.Path(path).suffix, []) + [path])]
                done = run("report", *words, "--format", "json", "--no-siblings",
                           "--allow-mismatch")
                self.assertEqual(done.returncode, OK, done.stderr)
                said = json.loads(done.stdout)["findings"]
                found = sql("select * from findings order by id", *words, "--no-siblings",
                            "--allow-mismatch")
                self.assertEqual([[row[name] for name in members] for row in found],
                                 [[row[name] for name in members] for row in said])
                for row, of in zip(found, said):
                    if row["operator"] is not None:
                        self.assertEqual(of["select"], f"operator:{row['operator']}")
                    elif of["select"] is not None:
                        self.assertRegex(of["select"], r"^(operators?:\d+(,\d+)*|line:.+:\d+|module:.+)$")

    def test_findings_name_what_they_are_about(self):
        rows = {row["kind"]: row for row in
                sql("select f.*, m.name as is_method, b.name as run_name from findings f "
                    "left join methods m on m.program = f.program and m.name = f.method "
                    "left join blocks b on b.id = f.block", *files("gpt_portable"))}
        self.assertEqual(rows["plan_above_bound"]["is_method"], "forward")
        self.assertEqual(rows["plan_above_bound"]["trace"], 0)
        timed = [row for row in rows.values() if row["share"] is not None]
        self.assertEqual({row["run_name"] for row in timed}, {"Execute"})
        self.assertGreater(len(timed), 0)

    def test_operators_are_those_of_inspect(self):
        for model in support.MODELS:
            shown = support.rows(*support.with_record(model), "--all")
            found = sql("select o.*, b.name as block_name from operators o join blocks b "
                        "on b.id = o.block", *support.with_record(model))
            key = lambda block, name, instruction, depth: (block, name, instruction, depth)
            by_key = {}
            for row in found:
                instruction = None if row["delegated"] else row["instruction"]
                by_key.setdefault(key(row["block"], row["event"], instruction, row["depth"]),
                                  []).append(row)
            self.assertEqual(len(shown), len(found), model)
            for row in shown:
                with self.subTest(model=model, row=row["operator"]):
                    same = by_key[key(row["block_index"], row["event"], row["instruction"],
                                      row["depth"])].pop(0)
                    self.assertEqual((same["calls"], same["block_name"]),
                                     (row["calls"], row["block"]))
                    for name in ("avg", "mid", "p10", "p50", "p90", "min", "max", "total"):
                        for end in ("", "_upper"):
                            self.assertAlmostEqual(same[name + end], row[f"{name}_ns{end}"],
                                                   delta=1e-9 * (1 + same[name + end]))
                    self.assertEqual(json.loads(same["debug_handles"]),
                                     [int(handle) for handle in row["debug_handles"]])
                    if row["source"]:
                        self.assertEqual(same["source"], ", ".join(row["source"]))

    def test_self_times_add_up_to_the_whole(self):
        for model in support.MODELS:
            found = sql("select sum(o.self) as parts, sum(o.self_upper) as most, w.avg as whole "
                        "from blocks b join operators o on o.block = b.id "
                        "join operators w on w.id = b.whole "
                        "where b.name = 'Execute' group by b.id", *support.with_record(model))
            self.assertTrue(found, model)
            for row in found:
                self.assertLess(row["parts"], row["whole"] * (1 + 1e-6))
                self.assertGreater(row["most"], row["whole"] * (1 - 1e-6))
                if row["parts"] == row["most"]:  # no clock is coarse
                    self.assertAlmostEqual(row["parts"], row["whole"], delta=1e-6 * row["whole"])

    def test_work_that_delegates_do_not_report_has_the_bounds_of_inspect(self):
        """Its time is what is left of the calls, less certain by the steps of the delegate's clock."""
        trace = fixture("gpt_xnnpack", "profile.etdp")
        shown = support.rows(trace, "--group-by", "op")
        (rest,) = [row for row in shown if "not reported" in row["operator"]]
        (found,) = sql("select sum(share) as share, sum(share_upper) as share_upper from op_times "
                       "where run_name = 'Execute' and name = 'DELEGATE_CALL'", trace)
        self.assertAlmostEqual(found["share_upper"], rest["share_upper"])
        self.assertGreater(found["share_upper"], found["share"])
        self.assertLessEqual(rest["share"], found["share"] + 1e-9)  # no call is negative

    def test_operators_are_made_of_their_events(self):
        row, = sql("select count(*) as n from operators o where abs(o.total - (select sum(e.time) "
                   "from events e where e.operator = o.id)) > 1e-6 * o.total",
                   fixture("map_loop", "profile.etdp"))
        self.assertEqual(row["n"], 0)

    def test_what_a_delegate_attached_is_hexadecimal(self):
        trace = DOCUMENT.parents[1] / "fuzz" / "corpus" / "etdump" / "every_value.etdp"
        rows = sql("select metadata from events where metadata is not null order by id", trace)
        self.assertEqual([row["metadata"] for row in rows], ["0102030405", ""])

    def test_operations_are_the_same_on_any_processor(self):
        rows = sql("select event, operation from operators where delegated",
                   fixture("linear_int8_xnnpack", "profile.etdp"))
        self.assertEqual(rows, [{"event": "Fully Connected (NC, QDU8, F32, QC8W) GEMM #1",
                                 "operation": "Fully Connected (NC, QD8, F32, QC8W) #1"}])

    def test_tensors_are_those_of_tensors(self):
        for model in ("mlp_portable", "gpt_portable"):
            words = (fixture(model, "debug.etdp"), "--debug-buffer", fixture(model, "debug.bin"))
            shown = support.json_rows(run("tensors", *words, "--format", "json").stdout)
            found = sql("select * from tensors", *words)
            self.assertEqual(len(shown), len(found))
            for left, right in zip(shown, found):
                for name in ("event", "run", "dtype", "status", "min", "max", "mean", "std", "l2",
                             "nan", "inf", "zeros", "hash", "offset", "kind", "output"):
                    self.assertEqual(left[name], right[name], name)
                self.assertEqual(left["shape"], json.loads(right["shape"]))
                self.assertEqual(left["size_bytes"], right["bytes"])

    def test_program_and_record_tell_of_the_same_delegates(self):
        trace, record, program = files("gpt_xnnpack")
        both = sql("select * from delegates", trace, record, program)
        from_program = sql("select * from delegates", program)
        from_record = sql("select * from delegates", record)
        self.assertEqual(len(both), 12)
        keys = [(row["method"], row["instruction"], row["backend"]) for row in both]
        self.assertEqual(keys, [(r["method"], r["instruction"], r["backend"])
                                for r in from_program])
        self.assertEqual(sorted(keys), sorted((r["method"], r["instruction"], r["backend"])
                                              for r in from_record))
        self.assertEqual([row["bytes"] for row in both], [row["bytes"] for row in from_program])
        self.assertGreater(min(row["handles"] for row in both), 0)

    def test_every_linked_node_is_in_the_table(self):
        for model in support.MODELS:
            row, = sql("select count(*) as n, count(l.node) as known, count(x.id) as found "
                       "from operator_nodes l left join nodes x on x.id = l.node "
                       "and x.debug_handle = l.debug_handle", *support.with_record(model))
            self.assertEqual((row["known"], row["found"]), (row["n"], row["n"]), model)


class Lookups(unittest.TestCase):
    """Rows found by a number are those that a scan finds ("+" keeps SQLite from the short way)."""

    QUERIES = [("events", "run"), ("events", "operator"), ("events", "trace"), ("events", "id"),
               ("events", "rowid"), ("operators", "block"), ("operators", "id"), ("runs", "id"),
               ("operator_nodes", "operator"), ("tensors", "event"), ("allocations", "run"),
               ("nodes", "id"), ("blocks", "id"), ("traces", "id")]

    def test_lookups_find_what_scans_find(self):
        words = (fixture("mlp_portable", "profile.etdp"), fixture("gpt_portable", "debug.etdp"),
                 fixture("map_loop", "profile.etdp"), fixture("dynamic", "profile.etdp"))
        for table, column in self.QUERIES[::4 if support.IS_EMULATED else 1]:
            for value in (-1, 0, 1, 7, 40, 10**6, 2**40, "2.0", "1.5", "'x'", "null"):
                with self.subTest(table=table, column=column, value=value):
                    query = "select count(*) as n, sum(rowid) as s from {} where {}{} = {}"
                    self.assertEqual(sql(query.format(table, "", column, value), *words),
                                     sql(query.format(table, "+", column, value), *words))


class Traces(unittest.TestCase):
    def test_numbers_of_several_traces_go_on(self):
        one, two = fixture("mlp_portable", "profile.etdp"), fixture("gpt_portable", "profile.etdp")
        found = sql("select id, path, events from traces", one, two)
        self.assertEqual([row["path"] for row in found], [str(one), str(two)])
        events = sql("select trace, count(*) as n, min(id) as first from events group by trace",
                     one, two)
        self.assertEqual([row["n"] for row in events], [row["events"] for row in found])
        self.assertEqual(events[1]["first"], events[0]["n"])
        names = sql("select name from events where trace = 1", one, two)
        self.assertEqual(names, sql("select name from events", two))

    def test_each_trace_has_its_record(self):
        words = []
        for model in ("mlp_portable", "gpt_xnnpack"):
            words += [fixture(model, "profile.etdp"), "--etrecord", fixture(model, "model.etrecord")]
        found = sql("select trace, joined, method from blocks where name = 'Execute'", *words)
        self.assertEqual(found, [{"trace": i, "joined": "found", "method": "forward"}
                                 for i in range(2)])

    def test_cycles_stay_cycles(self):
        words = (fixture("mlp_portable", "profile.etdp"),)
        ticks = sql("select total(time) as t from events", *words, "--source-time-scale", "cycles")
        micro = sql("select total(time) as t from events", *words, "--source-time-scale", "us")
        self.assertAlmostEqual(micro[0]["t"], ticks[0]["t"] * 1000)
        unit = sql("select unit from traces", *words, "--source-time-scale", "cycles")
        self.assertEqual(unit, [{"unit": "cycles"}])

    def test_names_of_any_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = make_dump(pathlib.Path(folder) / "t.etdp", [("Execute", [
                support.call(b"a\xff\x00\"'", 0, 1, 5), support.call("", 1, 5, 6)])])
            found = sql("select length(cast(name as blob)) as n from events", path)
            # The byte 0xff is U+FFFD in UTF-8, which readers of SQLite insist on.
            self.assertEqual([row["n"] for row in found], [7, 0])
            self.assertEqual(run("sql", "select name from events", path).returncode, OK)

    def test_percentiles_interpolate(self):
        row, = sql("with t(x) as (values (4), (1), (null), (3), (2)) select median(x) as m, "
                   "percentile(x, 25) as q, percentile(x, 100) as top, "
                   "percentile(x, 0) filter (where x > 9) as none from t",
                   fixture("mlp_portable", "profile.etdp"))
        self.assertEqual(row, {"m": 2.5, "q": 1.75, "top": 4.0, "none": None})


class Files(support.FolderTest):
    def setUp(self):
        super().setUp()
        sql("select 1", fixture("mlp_portable", "profile.etdp"))  # skips without SQLite

    def test_a_file_holds_what_the_queries_see(self):
        target = self.folder / "all.db"
        words = (*files("gpt_portable", "debug"), "--debug-buffer",
                 fixture("gpt_portable", "debug.bin"))
        done = run("sql", *words, "--database", target)
        self.assertEqual((done.returncode, done.stdout), (OK, b""), done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["all.db"])
        with sqlite3.connect(target) as connection:
            self.assertEqual(connection.execute("pragma integrity_check").fetchall(), [("ok",)])
            for table in schema():
                mine = sql(f"select count(*) as n from {table}", *words)[0]["n"]
                theirs = connection.execute(f"select * from {table}").fetchall()
                self.assertEqual(len(theirs), mine, table)
            for table in ("events", "operators", "tensors", "nodes", "op_times"):
                cursor = connection.execute(f"select * from {table}")
                names = [each[0] for each in cursor.description]
                theirs = [dict(zip(names, row)) for row in cursor]
                self.assertEqual(theirs, sql(f"select * from {table}", *words), table)
        connection.close()

    def test_a_query_beside_it_is_answered(self):
        target = self.folder / "all.db"
        done = run("sql", "select count(*) from runs", fixture("mlp_portable", "profile.etdp"),
                   "--database", target, "--format", "csv")
        self.assertEqual((done.returncode, done.stdout), (OK, b"count(*)\n6\n"), done.stderr)
        self.assertTrue(target.exists())

    def test_a_file_that_fails_leaves_what_was_there(self):
        trace = fixture("mlp_portable", "profile.etdp")
        done = run("sql", trace, "--database", self.folder / "no" / "all.db")
        self.assertEqual(done.returncode, INTERNAL)
        self.assertIn(b"all.db", done.stderr)
        self.assertEqual(run("sql", trace, "--database", "/dev/null").returncode, INTERNAL)
        target = self.folder / "old.db"
        target.write_bytes(b"old")
        self.assertEqual(run("sql", "select oops", trace, "--database", target).returncode, USAGE)
        self.assertEqual(target.read_bytes(), b"old")
        self.assertEqual(run("sql", trace, "--database", target).returncode, OK)
        self.assertEqual(target.read_bytes()[:15], b"SQLite format 3")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["old.db"])


class ManyFiles(unittest.TestCase):
    def test_a_folder_and_a_list_of_more_files_than_words_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = fixture("mlp_portable", "profile.etdp").read_bytes()
            for number in range(300):
                (pathlib.Path(folder) / f"{number}.etdp").write_bytes(trace)
            (pathlib.Path(folder) / "notes.txt").write_text("no trace\n")
            one = sql("select count(*) as n from runs", fixture("mlp_portable", "profile.etdp"))
            query = "select count(*) as n from runs"
            self.assertEqual(sql(query, folder)[0]["n"], 300 * one[0]["n"])
            names = pathlib.Path(folder) / "names"
            names.write_text("".join(f"{folder}/{number}.etdp\n" for number in range(7)))
            record = fixture("mlp_portable", "model.etrecord")
            self.assertEqual(sql(query, f"@{names}", record)[0]["n"], 7 * one[0]["n"])
            database = pathlib.Path(folder) / "all.db"
            done = run("sql", f"@{names}", "--database", database)
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertTrue(database.exists())


class Complaints(unittest.TestCase):
    TRACE = fixture("mlp_portable", "profile.etdp")

    def complaint(self, query, *words):
        done = run("sql", query, *(words or (self.TRACE,)))
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual((done.returncode, done.stdout), (USAGE, b""), done.stderr)
        return done.stderr.decode()

    def mark(self, query):
        """The text at the mark below the query."""
        lines = self.complaint(query).splitlines()
        return lines[-2][lines[-1].index("^"):]

    def test_an_unknown_table_gets_the_list(self):
        text = self.complaint("select * from evnts")
        self.assertIn("no such table: evnts; the tables are traces, blocks, runs, operators,", text)
        listed = text[text.index("tables are ") + 11:text.index(", and there are views")]
        schema = run("sql", "--schema").stdout.decode()
        for name in listed.removesuffix(", ...").split(", "):
            self.assertIn(f"{name} (table)", schema, text)
        self.assertEqual(self.mark("select *\nfrom evnts\nlimit 3"), "evnts")

    def test_the_mark_stands_at_the_fault(self):
        if sqlite3.sqlite_version_info < (3, 38):
            self.skipTest("SQLite tells places since 3.38")
        self.assertEqual(self.mark("select name frm events"), "events")
        self.assertEqual(self.mark("select 'é', nme from events"), "nme from events")
        self.assertEqual(self.mark("select 1; select 2"), " select 2")

    def test_a_query_can_only_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.db"
            for query in (f"attach '{path}' as x", "create table x(a)", "drop view op_times",
                          "create temp table x as select 1", "delete from events",
                          "insert into events(id) values (1)", "update events set time = 0",
                          f"vacuum into '{path}'", "pragma journal_mode = wal", "begin",
                          "create virtual table x using fts5(a)", "analyze",
                          "select load_extension('x')", "pragma writable_schema = on",
                          "drop table events", "detach main"):
                with self.subTest(query=query):
                    self.complaint(query)
                    self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_words_that_are_off(self):
        self.assertIn("needs files", self.complaint("select 1", "--format", "json"))
        done = run("sql", self.TRACE)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"needs a query before its files", done.stderr)
        self.assertEqual(run("sql").returncode, USAGE)
        self.assertEqual(run("sql", "--database", "x.db").returncode, USAGE)
        self.assertEqual(run("sql", "--schema", self.TRACE).returncode, USAGE)
        self.assertIn("the query is empty", self.complaint(" -- nothing"))
        record = fixture("mlp_portable", "model.etrecord")
        self.assertIn("one per trace", self.complaint("select 1", self.TRACE, record, record))
        self.assertIn("give one per trace", self.complaint(
            "select 1", self.TRACE, self.TRACE, "--debug-buffer",
            fixture("mlp_portable", "debug.bin")))

    def test_files_that_are_off(self):
        for path, code in (("/nonexistent", INPUT), (fixture("mlp_portable", "debug.bin"), INPUT),
                           (DOCUMENT, INPUT)):
            done = run("sql", "select 1", path)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_a_damaged_trace_is_read_as_far_as_it_goes(self):
        sql("select 1", self.TRACE)  # skips without SQLite
        data = self.TRACE.read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.etdp"
            path.write_bytes(data[:-100])
            self.assertEqual(run("sql", "select 1", path).returncode, INPUT)
            for size in range(0, len(data), 97):
                path.write_bytes(data[:size])
                done = run("sql", "select count(*), sum(time) from events", path, "--partial")
                self.assertIn(done.returncode, (OK, INPUT), done.stderr)

    @unittest.skipIf(support.IS_EMULATED, "the emulator says where libraries are")
    def test_without_the_library_it_says_what_to_install(self):
        self.complaint("select oops")  # skips where it is not built in
        with tempfile.TemporaryDirectory() as folder:
            for name in ("libsqlite3.so.0", "libsqlite3.so"):
                (pathlib.Path(folder) / name).write_text("no library")
            done = run("sql", "select 1", self.TRACE, env={"LD_LIBRARY_PATH": folder})
        self.assertEqual((done.returncode, done.stdout), (support.UNAVAILABLE, b""))
        self.assertIn(b"install the package libsqlite3-0", done.stderr)

    def test_percentile_says_what_it_takes(self):
        for query in ("select percentile(time, 101) from events",
                      "select percentile(name, 50) from events",
                      "select percentile(time, id) from events"):
            self.assertIn("percentage from 0 to 100", self.complaint(query))


if __name__ == "__main__":
    unittest.main()

"""What `inspect --tree` and `--columns` show: sums to the tick, rests, clocks, warm-up."""

import csv
import io
import unittest

import support
from support import call, framework
from test_inspect import InFolder

EXECUTED = [model for model in support.MODELS if (support.DATA / model / "profile.etdp").exists()]


def by_block(rows):
    blocks = {}
    for row in rows:
        blocks.setdefault(row["block_index"], []).append(row)
    return blocks.values()


def reported(name, instruction, start, end):
    return {"delegate": name, "chain": 0, "instruction": instruction, "start": start, "end": end}


def run_of(at, took):
    """A run of one kernel, which takes all but 30 ticks."""
    return ("Execute", [
        call("native_call_add.out", 0, at + 12, at + took - 18),
        call("OPERATOR_CALL", 0, at + 10, at + took - 15),
        framework("Method::execute", at, at + took)])


class Sums(InFolder):
    def assert_adds_up(self, rows, walls):
        for block in by_block(rows):
            whole = sum(row["ticks"] for row in block if row["depth"] == 0)
            self.assertEqual(sum(row["self_ticks"] or 0 for row in block), whole)
            self.assertIn(whole, walls)
            leaves = [row for row, following in zip(block, block[1:] + [{"depth": 0}])
                      if following["depth"] <= row["depth"]]
            self.assertEqual(sum(row["ticks"] for row in leaves), whole)
            self.assertLessEqual(sum(row["total_ns"] for row in leaves), whole)
            self.assertGreaterEqual(sum(row["total_ns_upper"] for row in leaves), whole)

    def test_tree__every_fixture_adds_up_to_the_tick(self):
        for model in EXECUTED:
            path = support.fixture(model, "profile.etdp")
            walls = {row["total_ns"] for row in support.rows(path) if row["depth"] == 0}
            for options in ([], ["--all"]):
                with self.subTest(model=model, options=options):
                    self.assert_adds_up(support.rows(path, "--tree", *options), walls)

    def test_tree__one_run_adds_up(self):
        path = support.fixture("gpt_xnnpack", "profile.etdp")
        for run in range(1, 6):
            whole = support.rows(path, "--run", run)
            walls = {row["total_ns"] for row in whole if row["depth"] == 0}
            self.assert_adds_up(support.rows(path, "--tree", "--run", run), walls)

    def test_tree__steps_of_a_clock_bound_what_is_left(self):
        rows = support.rows(support.fixture("mlp_xnnpack", "profile.etdp"), "--tree", "--run", 2)
        call_row = next(row for row in rows if row["event"] == "DELEGATE_CALL")
        inner = [row for row in rows if row["resolution_ns"] == 1000]
        left = next(row for row in rows if row["line"] == "unaccounted")
        self.assertEqual(len(inner), 3)
        lower = sum(row["avg_ns"] for row in inner)
        upper = sum(row["avg_ns_upper"] for row in inner)
        self.assertEqual(upper - lower, 3000)
        self.assertEqual(left["avg_ns_upper"], call_row["avg_ns"] - lower)
        self.assertEqual(left["avg_ns"], max(0, call_row["avg_ns"] - upper))
        self.assertEqual(left["self_ns"], None)
        self.assertEqual(call_row["self_ns_upper"], left["avg_ns_upper"])

    def test_tree__calls_around_kernels_are_one_line(self):
        path = self.dump(run_of(1000, 200))
        rows = support.rows(path, "--tree")
        self.assertEqual([(row["operator"], row["depth"], row["avg_ns"], row["self_ns"])
                          for row in rows],
                         [("Method::execute", 0, 200, 25), ("add.out", 1, 170, 170),
                          ("(operator calls)", 1, 5, 5), ("(framework)", 1, 25, None)])
        rows = support.rows(path, "--tree", "--all")
        self.assertEqual([(row["operator"], row["depth"], row["avg_ns"]) for row in rows],
                         [("Method::execute", 0, 200), ("OPERATOR_CALL", 1, 175),
                          ("add.out", 2, 170), ("(unaccounted)", 2, 5), ("(framework)", 1, 25)])

    def test_tree__what_overlaps_is_not_added(self):
        path = self.dump(("Execute", [
            reported("inner", 0, 12, 15), reported("outer", 0, 11, 18),
            call("DELEGATE_CALL", 0, 10, 20), framework("Method::execute", 5, 30)]))
        rows = support.rows(path, "--tree")
        self.assertEqual([(row["operator"], row["self_ns"]) for row in rows],
                         [("Method::execute", 15), ("DELEGATE_CALL", 10),
                          ("inner (not added)", None), ("outer (not added)", None),
                          ("(framework)", None)])
        self.assertEqual([row["clock"] for row in rows],
                         ["trace", "trace", "overlapping", "overlapping", None])
        self.assertEqual(rows[3]["avg_ns"], 7)


class Clocks(InFolder):
    def test_tree__an_unknown_clock_keeps_its_own_ticks(self):
        path = self.dump(("Execute", [
            reported("conv", 0, 1, 777), call("DELEGATE_CALL", 0, 1000, 1100),
            framework("Method::execute", 900, 1200)]))
        conv = support.rows(path, "--tree")[2]
        self.assertEqual((conv["operator"], conv["clock"], conv["own_ticks"]),
                         ("conv (clock unknown)", "unknown", 776))
        self.assertEqual(conv["clock_reason"], "fewer than 20 calls")
        for column in ("avg_ns", "self_ns", "share", "total_ns", "p99_ns"):
            self.assertIsNone(conv[column])
        done = support.inspect(path, "--tree")
        self.assertIn(b"own_ticks", done.stdout)
        self.assertIn(b"776", done.stdout)

    def test_inspect__without_the_tree_such_times_are_no_times(self):
        path = self.dump(("Execute", [
            reported("conv", 0, 1, 777), call("DELEGATE_CALL", 0, 1000, 1100),
            framework("Method::execute", 900, 1200)]))
        conv = next(row for row in support.rows(path) if row["event"] == "conv")
        self.assertEqual(conv["operator"], "conv (clock of its own)")
        self.assertEqual((conv["avg_ns"], conv["share"]), (None, None))
        groups = {row["operator"]: row["avg_ns"] for row in support.rows(path, "--group-by", "op")}
        self.assertEqual(groups, {"DELEGATE_CALL": 100, "(between operators)": 200})

    def test_others__a_clock_of_its_own_is_no_time_and_added_to_nothing(self):
        path = self.dump(("Execute", [
            reported("conv", 0, 1, 777), call("DELEGATE_CALL", 0, 1000, 1100),
            framework("Method::execute", 900, 1200)]))
        table = support.json_rows(support.run("summary", path, path, "-f", "json").stdout)
        conv = next(row for row in table if row["operator"] == "conv (clock of its own)")
        self.assertEqual([conv[name] for name in ("p50_ns", "avg_ns", "file_p50_max_ns", "share")],
                         [None] * 4)
        table = support.json_rows(support.run("diff", path, path, "-f", "json").stdout)
        conv = next(row for row in table if row["operator"] == "conv (clock of its own)")
        self.assertEqual([conv[name] for name in ("before_ns", "after_ns", "change_ns", "ratio")],
                         [None] * 3 + [0])
        done = support.run("sql", "select name, avg, self, clock, own_ticks from operators", path,
                           "-f", "json")
        if done.returncode != support.UNAVAILABLE:
            self.assertEqual([list(row.values()) for row in support.json_rows(done.stdout)], [
                ["conv", None, None, "unknown", 776], ["DELEGATE_CALL", 100, 100, "trace", None],
                ["Method::execute", 300, 200, "trace", None]])
            done = support.run("sql", "select sum(time) as t from events", path, "-f", "json")
            self.assertEqual(support.json_rows(done.stdout), [{"t": 400}])

    def test_tree__a_line_gives_a_clock_its_scale(self):
        runs = []
        for run in range(25):
            at, events = 10000 * run + 1000, []
            for place, spent in enumerate((100 + run % 7, 400 + run % 5, 1600 + run % 11)):
                events.append(reported("conv", place, 3, 3 + 5 * spent))
                events.append(call("DELEGATE_CALL", place, at, at + spent + 20))
                at += spent + 50
            runs.append(("Execute", events + [
                framework("Method::execute", 10000 * run + 950, at)]))
        rows = support.rows(self.dump(*runs), "--tree")
        conv = [row for row in rows if row["event"] == "conv"]
        self.assertEqual({row["clock"] for row in conv}, {"fitted"})
        for row in conv:
            self.assertAlmostEqual(row["clock_scale"], 0.2, places=3)
            self.assertLess(row["clock_residual"], 0.01)
            self.assertLess(row["avg_ns"], row["avg_ns_upper"])
        self.assertAlmostEqual(conv[2]["avg_ns"], 1605, delta=10)
        self.assertEqual(sum(row["self_ticks"] or 0 for row in rows), rows[0]["ticks"])
        for truth, row in zip((2569, 10050, 40113), conv):
            self.assertLessEqual(row["total_ns"], truth)
            self.assertGreaterEqual(row["total_ns_upper"], truth)


class Phases(InFolder):
    times = [900, 310, 305, 300, 302, 301, 299, 303, 302, 300, 301, 304, 302, 700, 300, 303]

    def setUp(self):
        super().setUp()
        load = ("Default", [framework("Program::load_method", 0, 5000)])
        self.path = self.dump(load, *[run_of(10000 * i, took)
                                      for i, took in enumerate(self.times, 1)])

    def test_tree__runs_one_by_one_name_warm_up_and_tell_factors(self):
        lines = support.inspect(self.path, "--group-by", "run").stdout.decode().splitlines()
        self.assertRegex(lines[-16], r" 2\.98x  warm-up$")
        self.assertRegex(lines[-15], r" 1\.0[0-9]x$")
        self.assertRegex(lines[-3], r" 2\.32x$")
        steady = support.inspect(self.path, "--group-by", "run", "--steady").stdout.decode()
        self.assertNotIn("warm-up\n", steady)

    def test_tree__says_what_is_warm_up_under_the_table(self):
        last = support.inspect(self.path, "--tree").stdout.decode().splitlines()[-1]
        self.assertEqual(last, "run 1 is warm-up (2.98 times the median of the others); "
                               "steady from run 2; 1 outlier: run 14; --steady leaves warm-up out")
        for words in ((), ("--group-by", "op"), ("--tree",)):
            self.assertIn(b"; --steady leaves warm-up out\n",
                          support.inspect(self.path, *words).stdout)
            self.assertNotIn(b"leaves warm-up out",
                             support.inspect(self.path, "--steady", *words).stdout)
        whole = support.rows(self.path, "--tree", "--block", "Execute")[0]
        self.assertEqual(whole["state"], "steady")
        self.assertEqual(whole["warm_up_runs"], 1)
        self.assertEqual(whole["outlier_runs"], [14])
        self.assertAlmostEqual(whole["first_ratio"], 900 / 302)
        self.assertGreater(whole["trend_p"], 0.01)
        others = support.rows(self.path, "--tree", "--block", "Execute")[1:]
        self.assertTrue(all(row["state"] is None for row in others))

    def test_tree__steady_leaves_warm_up_out(self):
        whole = support.rows(self.path, "--tree", "--steady", "--block", "Execute")[0]
        self.assertEqual(whole["runs"], 15)
        self.assertEqual(whole["max_ns"], 700)
        done = support.inspect(self.path, "--tree", "--steady", "--block", "Execute")
        self.assertIn(b"16 runs, only the 15 steady runs", done.stdout)

    def test_steady__is_for_all_times(self):
        for words in ((), ("--group-by", "op"), ("--group-by", "method")):
            rows = support.rows(self.path, "--steady", *words)
            whole = [row for row in rows if row["runs"] == 15]
            self.assertEqual(max(row["max_ns"] for row in whole), 670 if "op" in words else 700)
        runs = support.rows(self.path, "--steady", "--group-by", "run")
        self.assertEqual([row["run"] for row in runs], list(range(2, 17)))
        for command in ("summary", "diff", "gate"):
            budget = self.folder / "budget.txt"
            budget.write_text("total max <= 700ns\n")
            more = {"summary": (), "diff": (self.path,), "gate": (self.path, "--budget", budget)}
            done = support.run(command, self.path, *more[command], "--steady", "-f", "json")
            self.assertEqual(done.returncode, support.OK, done.stderr)
            rows = support.json_rows(done.stdout)
            if command == "summary":
                self.assertEqual({row["runs"] for row in rows}, {1, 15})
            elif command == "diff":
                self.assertEqual({row["runs_before"] for row in rows}, {1, 15})

    def test_tree__loading_is_apart(self):
        rows = support.rows(self.path, "--tree")
        self.assertEqual({row["block"] for row in rows}, {"Default", "Execute"})
        load = [row for row in rows if row["block"] == "Default"]
        self.assertEqual([(row["total_ns"], row["share"]) for row in load], [(5000, 1)])

    def test_tree__has_the_spread_of_the_runs(self):
        whole = support.rows(self.path, "--tree", "--block", "Execute")[0]
        ordered = sorted(self.times)
        self.assertEqual((whole["ci_low_ns"], whole["ci_high_ns"]), (ordered[3], ordered[-4]))
        mean = sum(self.times) / 16
        deviation = (sum((time - mean) ** 2 for time in self.times) / 15) ** 0.5
        self.assertAlmostEqual(whole["sd_ns"], deviation)
        self.assertAlmostEqual(whole["p99_ns"], ordered[-2] + 0.85 * (ordered[-1] - ordered[-2]))

    def test_inspect__has_the_same_spread_in_rows_and_groups(self):
        columns = ("ci_low_ns", "ci_high_ns", "p99_ns", "sd_ns", "p50_ns", "total_ns")
        tree = support.rows(self.path, "--tree", "--block", "Execute")
        rows = support.rows(self.path, "--block", "Execute")
        groups = support.rows(self.path, "--block", "Execute", "--group-by", "op")
        for name in ("Method::execute", "add.out"):
            expected = next(row for row in tree if row["operator"] == name)
            for found in [row for row in rows + groups if row["operator"] == name]:
                self.assertEqual([found[c] for c in columns], [expected[c] for c in columns])
                self.assertIsNotNone(found["ci_low_ns"])
        alone = support.rows(self.path, "--run", 3)[0]
        self.assertEqual([alone[c] for c in columns[:4]], [None, None, alone["p50_ns"], None])

    def test_tree__few_runs_say_only_what_was_seen(self):
        path = self.dump(*[run_of(10000 * i, took) for i, took in enumerate(self.times[:4], 1)])
        last = support.inspect(path, "--tree").stdout.decode().splitlines()[-1]
        self.assertEqual(last, "run 0 took 2.95 times the median of the others; 4 runs are too few "
                               "to distinguish warm-up from noise")

    def test_tree__markdown_has_the_note_behind_the_table(self):
        text = support.inspect(self.path, "--tree", "-f", "markdown").stdout.decode()
        self.assertTrue(text.rstrip().endswith("1 outlier: run 14; --steady leaves warm-up out"))
        self.assertIn("|\n\nrun 1 is warm-up", text)


class Words(InFolder):
    path = support.fixture("mlp_portable", "profile.etdp")

    def test_tree__is_ungrouped_and_in_order(self):
        for words in (["--sort", "time"], ["--group-by", "op"]):
            done = support.inspect(self.path, "--tree", *words)
            self.assertEqual(done.returncode, support.USAGE)
            self.assertIn(words[0].encode(), done.stderr)
        done = support.inspect(self.path, "--steady", "--run", "2")
        self.assertEqual(done.returncode, support.USAGE)
        self.assertIn(b"--run and --steady exclude each other", done.stderr)

    def test_tree__filters_and_top_leave_lines_with_what_they_lie_in(self):
        words = (self.path, "--tree", "--block", "Execute")
        whole = support.rows(*words)
        names = [row["operator"] for row in support.rows(*words, "--name", "relu.out")]
        self.assertEqual(names, ["Method::execute", "relu.out"])
        top = support.rows(*words, "--top", "2")
        largest = sorted((row for row in whole if row["self_ns"] is not None or row["line"] != "row"),
                         key=lambda row: -row["p50_ns"])
        self.assertEqual(top[0]["operator"], "Method::execute")
        self.assertEqual(top, [row for row in whole if row in top])
        self.assertLess(len(top), len(whole))
        self.assertIn(largest[1], top)
        done = support.inspect(*words, "--name", "relu.out").stdout.decode()
        self.assertIn(f", 2 of {len(whole)} rows", done)

    def test_columns__are_those_in_that_order_of_any_table(self):
        for words in ([], ["--tree"], ["--group-by", "op"]):
            done = support.inspect(self.path, *words, "-c", "share,operator,p90", "-f", "csv")
            table = list(csv.reader(io.StringIO(done.stdout.decode())))
            self.assertEqual(table[0], ["share", "share_upper", "operator", "p90_ns",
                                        "p90_ns_upper"])
            self.assertTrue(all(len(row) == 5 for row in table))
        rows = support.json_rows(support.inspect(self.path, "-c", "event", "-f", "json").stdout)
        self.assertIn({"event": "Method::execute"}, rows)
        shown = support.inspect(self.path, "--tree", "--columns", "operator,ci_low,ci_high,max")
        self.assertIn(b"max us", shown.stdout.split(b"\n\n")[1])

    def test_columns__named_are_all_there_on_a_narrow_terminal(self):
        path = support.fixture("gpt_xnnpack", "profile.etdp")
        record = support.fixture("gpt_xnnpack", "model.etrecord")
        names = "operator,source,debug_handles"
        for words in ([], ["--tree"]):
            done = support.inspect(path, "--etrecord", record, "--width", "80", *words,
                                   "--columns", names)
            table = support.below_headline(done.stdout)[1:]
            self.assertEqual(table[0].split(), names.split(","))
            rows = [line for line in table if " - " not in line and "median" not in line]
            self.assertLessEqual(max(map(len, rows)), 80)
        done = support.inspect(path, "--etrecord", record, "--width", "80",
                               "--columns", "operator,p50,share,source", "--sort", "time")
        lines = [line for line in done.stdout.decode().splitlines() if "runs, " not in line]
        self.assertIn(["operator", "p50", "us", "share", "source"],
                      [line.split() for line in lines])
        self.assertLessEqual(max(len(line) for line in lines), 80)
        self.assertRegex(done.stdout.decode(), r" \+[1-9]\n")

    def test_columns__that_are_none_are_refused(self):
        for names, reason in (("operator,p5", b'no column "p5"'), ("", b'no column ""'),
                              ("avg,avg", b'"avg" is named twice')):
            done = support.inspect(self.path, "--columns", names)
            self.assertEqual(done.returncode, support.USAGE)
            self.assertIn(reason, done.stderr)

    def test_columns__that_are_none_name_the_nearest_and_all(self):
        for words in ([], ["--tree"]):
            done = support.inspect(self.path, *words, "--columns", "operator,sourc")
            self.assertIn(b'no column "sourc"; did you mean source? The columns are block,', done.stderr)
            self.assertEqual(done.stderr.count(b" source,"), 1)
            self.assertIn(b", depth", done.stderr)
        done = support.inspect(self.path, "--columns", "zzzzzz")
        self.assertIn(b'no column "zzzzzz"; the columns are block,', done.stderr)

    def test_columns__are_for_tsv_as_well(self):
        done = support.inspect(self.path, "-f", "tsv", "-c", "operator,avg")
        self.assertEqual(done.stdout.splitlines()[0], b"operator\tavg_ns\tavg_ns_upper")


if __name__ == "__main__":
    unittest.main()

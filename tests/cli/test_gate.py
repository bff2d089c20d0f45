"""`etscope gate`: rules that hold, break, or cannot be decided; JUnit; the example for a CI job."""

import os
import subprocess
import unittest
import xml.etree.ElementTree

import run_support
import support
from test_diff import BASE, InFolder, trace

NEGATIVE = 1
SLOW = [("add.out", 1400), *BASE[1:]]


class Gate(InFolder):
    def budget(self, *rules):
        path = self.folder / "budget.txt"
        path.write_text("\n".join(rules) + "\n")
        return path

    def gate(self, code, traces, rules, *words):
        done = support.run("gate", *traces, "--budget", self.budget(*rules), *words)
        self.assertEqual((done.returncode, done.stderr), (code, b""))
        return done.stdout.decode()

    def results(self, code, traces, rules, *words):
        rows = support.json_rows(self.gate(code, traces, rules, *words, "--format", "json"))
        return [(row["operator"], row["result"]) for row in rows]


class Rules(Gate):
    def setUp(self):
        super().setUp()
        self.base, self.slow = self.side("a", BASE), self.side("b", SLOW)

    def test_gate__what_holds_ends_with_0_what_breaks_with_1(self):
        rules = ["total p50 <= +5%"]
        self.assertEqual(self.results(support.OK, (self.base, self.base), rules),
                         [("Method::execute", "pass")])
        self.assertEqual(self.results(NEGATIVE, (self.base, self.slow), rules),
                         [("Method::execute", "fail")])
        self.assertEqual(self.results(support.OK, (self.slow, self.base), rules),
                         [("Method::execute", "pass")])

    def test_gate__one_recording_a_side_decides_only_absolute_limits(self):
        base, slow = self.trace("c.etdp", BASE), self.trace("d.etdp", SLOW)
        rules = ["total p50 <= +5%", "total p50 <= 2us", "total p50 <= 3us", "total p50 <= -10%"]
        self.assertEqual([result for _, result in self.results(NEGATIVE, (base, slow), rules, "--all")],
                         ["fail", "undecided", "undecided", "pass"])
        table = self.gate(NEGATIVE, (base, slow), rules)
        self.assertIn("1 recording a side cannot decide a rule of 5 %: record 4 or more of each side", table)
        self.assertEqual(self.results(NEGATIVE, (self.base, slow), rules[:1]), [("Method::execute", "undecided")])

    def test_gate__sides_that_were_not_recorded_in_turn_break_no_rule(self):
        self.recorded(self.base, *range(10, 15))
        self.recorded(self.slow, *range(20, 25))
        self.assertIn("undecided: Method::execute (line 1): one side was recorded after the other, and the machine "
                      "may have changed in between: record both in turn",
                      self.gate(NEGATIVE, (self.base, self.slow), ["total p50 <= +5%"]))
        self.assertEqual(self.results(NEGATIVE, (self.base, self.slow),
                                      ["total p50 <= +50%", "total p50 <= 2us"], "--all"),
                         [("Method::execute", "fail"), ("Method::execute", "pass")])

    def test_gate__takes_recordings_of_both_sides_by_options(self):
        words = [word for side, folder in (("--before", self.base), ("--after", self.slow))
                 for path in sorted(folder.iterdir()) for word in (side, path)]
        self.assertEqual(self.results(NEGATIVE, words, ["total p50 <= +5%"]), [("Method::execute", "fail")])
        done = support.run("gate", "--before", self.base, "--budget", self.budget("total p50 <= +5%"))
        self.assertEqual(done.returncode, support.USAGE)

    def test_gate__names_the_operators_that_break_a_rule(self):
        self.assertEqual(
            self.results(NEGATIVE, (self.base, self.slow), ["operator *.out p50 <= +10%"]),
            [("add.out", "fail"), ("mul.out", "pass"), ("relu.out", "pass")])
        self.assertEqual(  # what failed stands first
            self.results(NEGATIVE, (self.base, self.slow), ["operator mul.out p50 <= +10%",
                                                            "operator add.out p50 <= +10%"]),
            [("add.out", "fail"), ("mul.out", "pass")])
        table = self.gate(NEGATIVE, (self.base, self.slow), ["operator add* p50 <= +10%"])
        self.assertIn("budget.txt: 1 check, 1 failed", table)
        self.assertRegex(table, r"fail +operator add\* p50 <= \+10% +0 +add\.out +1\.00\d +1\.40\d")

    def test_gate__what_lies_between_the_bases_files_is_undecided(self):
        between = self.side("c", [("add.out", 1300), *BASE[1:]])
        beyond = self.side("d", [("add.out", 1900), *BASE[1:]])
        rules = ["operator add.out p50 <= +5%"]
        for new, result in ((between, "undecided"), (beyond, "fail")):
            self.assertEqual(self.results(NEGATIVE, (self.base, self.slow, new), rules),
                             [("add.out", result)])

    def test_gate__what_is_undecided_is_told_with_its_reason(self):
        between = self.side("c", [("add.out", 1300), *BASE[1:]])
        path = self.folder / "gate.xml"
        traces = (self.base, self.slow, between)
        rules = ["operator add.out p50 <= 5s", "operator add.out p50 <= +5%"]
        table = self.gate(NEGATIVE, traces, rules, "--junit", path)
        self.assertIn("2 checks, 0 failed, 1 undecided\n", table)
        self.assertRegex(table, r"new us +limit us")  # not the rule's seconds
        self.assertRegex(table, r"undecided: add\.out \(line 2\): recordings of one side differ by \d\d[.\d]* %, "
                                r"more than the change: a rule of 5 % needs a quieter machine")
        self.assertNotIn("pass", table)
        case = list(xml.etree.ElementTree.parse(path).getroot().iter("testcase"))[1]
        self.assertRegex(case.find("error").get("message"),
                         r"^1\.30\d us is above the limit of 1\.\d+ us; the base has 1\.\d+ us; "
                         r"undecided: recordings of one side differ by \d\d")
        table = self.gate(support.OK, traces, rules, "--junit", path, "--undecided", "pass", "--all")
        self.assertIn("2 checks, 0 failed, 1 undecided (passes)\n", table)
        self.assertRegex(table, r"(?s)undecided +operator.*\npass +operator")
        case = list(xml.etree.ElementTree.parse(path).getroot().iter("testcase"))[1]
        self.assertIn("undecided: ", case.find("system-out").text)

    def noisy(self, name, base, count=5, spread=0.6):
        """Recordings of `base` ticks and up to `spread` more, in no order."""
        folder = self.folder / name
        folder.mkdir()
        for k in range(count):
            trace(folder / f"{k}.etdp", [("add.out", int(base * (1 + spread * (k * 7 % count) / (count - 1))))])
        return folder

    def test_gate__noisy_recordings_cannot_hold_a_rule_of_5_percent(self):
        base, new = self.noisy("c", 100_000), self.noisy("d", 101_000)
        rules = ["operator add.out p50 <= +5%"]
        rows = support.json_rows(self.gate(NEGATIVE, (base, new), rules, "-f", "json"))
        self.assertEqual(rows[0]["result"], "undecided", rows)
        self.assertGreaterEqual(rows[0]["recordings_needed"], 50)
        self.assertRegex(rows[0]["reason"], r"5 recordings a side with a spread of \d+ % cannot decide a rule "
                         rf"of 5 %: record {rows[0]['recordings_needed']} or more of each side$")
        self.gate(support.OK, (base, new), rules, "--undecided", "pass")

    def test_gate__a_p90_that_recordings_can_decide_breaks_its_rule(self):
        """A tenth of the runs are slow in both; in the new recordings they are 40 % slower."""
        def tail(name, ticks, runs=100):
            return self.side(name, [("add.out", lambda r: ticks + r % 7 * 10 if r % 5 == 0
                                     else 100_000 + r % 11 * 10)], runs)
        base, new, rule = tail("c", 150_000), tail("d", 210_000), ["total p90 <= +15%"]
        self.assertEqual(self.results(NEGATIVE, (base, new), rule), [("Method::execute", "fail")])
        self.assertEqual(self.results(support.OK, (base, tail("e", 151_000)), rule), [("Method::execute", "pass")])
        table = self.gate(NEGATIVE, (base, tail("f", 150_000, 10)), rule)
        self.assertIn("unequally many runs, on which p90 depends", table)

    def test_gate__what_holds_says_how_much_is_left(self):
        new = self.side("c", [("add.out", 1031), ("mul.out", 480), *BASE[2:]])
        rules = ["operator * p50 <= +5%", "operator mul* p50 <= 5us"]
        table = self.gate(support.OK, (self.base, new), rules)
        self.assertRegex(table, r"4 checks, 0 failed; worst: add\.out \+3\.1 % of 5 % allowed\n$")
        table = self.gate(support.OK, (self.base, new), rules[1:])
        self.assertRegex(table, r"0 failed; worst: mul\.out 48\d\.\d+ ns of 5\.000 us allowed\n$")

    def test_gate__the_recordings_that_are_asked_for_are_enough(self):
        rules = ["operator add.out p50 <= +5%"]
        base, new = self.noisy("c", 100_000, 5, 0.2), self.noisy("d", 101_000, 5, 0.2)
        row = support.json_rows(self.gate(NEGATIVE, (base, new), rules, "-f", "json"))[0]
        more = [self.noisy(name, ticks, row["recordings_needed"], 0.2) for name, ticks in (("e", 100_000),
                                                                                           ("f", 101_000))]
        self.assertEqual(self.results(support.OK, more, rules), [("add.out", "pass")])
        self.assertLess(row["recordings_needed"], 200)

    def test_gate__a_trace_holds_every_rule_against_itself(self):
        self.assertEqual(self.results(support.OK, (self.base, self.base), ["operator add.out p50 <= +20%"]),
                         [("add.out", "pass")])

    def test_gate__a_rule_is_never_cut(self):
        rule = "operator add.out p50 <= +25% or +5us"
        slow = self.side("c", [("add.out", 90_000), *BASE[1:]])
        table = self.gate(NEGATIVE, (self.base, slow), [rule], "--width", "80")
        self.assertLessEqual(max(map(len, table.splitlines())), 80)
        self.assertNotIn("\u2026", table)
        for word in rule.split():
            self.assertIn(word, table)
        self.assertIn(rule, self.gate(NEGATIVE, (self.base, slow), [rule], "--width", "200"))

    def test_gate__what_passes_is_counted_not_listed(self):
        table = self.gate(support.OK, (self.base, self.base), ["operator * p50 <= +5%"])
        self.assertRegex(table, r"^\S*budget.txt: 3 checks, 0 failed; worst: \w+\.out \+0 % of 5 % "
                                r"allowed\n$")
        table = self.gate(support.OK, (self.base, self.base), ["operator * p50 <= +5%"], "--all")
        self.assertEqual(table.count("pass "), 3)

    def test_gate__unrelated_programs_hold_no_rule_over_a_base(self):
        traces = [support.fixture("gpt_portable", "profile.etdp"),
                  support.fixture("mlp_portable", "profile.etdp")]
        rule = self.budget("total p50 <= +5%")
        done = support.run("gate", *traces, "--budget", rule)
        self.assertEqual((done.returncode, done.stdout), (support.MISMATCH, b""))
        self.assertIn("operators match, by handles, modules, lines or names: these look like different programs", done.stderr.decode())
        self.gate(NEGATIVE, traces, ["total p50 <= +5%"], "--allow-mismatch")
        self.gate(0, traces, ["total p50 <= 10s"])

    def test_gate__a_section_that_is_not_there_is_named_with_those_that_are(self):
        budget = self.budget("[decode]", "total p50 <= +5%", "total p90 <= +5%", "[Execute]",
                             "total p50 <= +5%")
        done = support.run("gate", self.base, self.base, "--budget", budget)
        self.assertEqual(done.returncode, NEGATIVE)
        self.assertEqual(done.stderr.decode(), "note: the new trace has no method or block "
                         "[decode] of the budget; it has Execute\n")

    def test_gate__too_few_runs_do_not_pass(self):
        base, slow = self.trace("c.etdp", BASE, 3), self.trace("d.etdp", SLOW, 3)
        self.assertEqual(self.results(NEGATIVE, (base, slow), ["total p50 <= +5%"]),
                         [("Method::execute", "undecided")])
        self.assertEqual(self.results(support.OK, (base, base), ["total p50 <= +5%"]),
                         [("Method::execute", "pass")])

    def test_gate__a_rule_about_nothing_fails(self):
        self.assertEqual(
            self.results(NEGATIVE, (self.base, self.base), ["operator adn* p50 <= +5%"]),
            [(None, "missing")])

    def test_gate__delegates_have_a_share(self):
        words = [support.fixture("mlp_portable", "profile.etdp"),
                 support.fixture("mlp_xnnpack", "profile.etdp")]
        rows = support.json_rows(
            self.gate(support.OK, words, ["delegated share >= 50%"], "-f", "json"))
        self.assertEqual(rows[0]["base_share"], 0)
        self.assertTrue(0.5 < rows[0]["new_share"] <= 1)
        self.assertEqual(self.results(NEGATIVE, words[::-1], ["delegated share >= 50%"]),
                         [("Method::execute", "fail")])

    def test_gate__junit_has_a_case_for_each_verdict(self):
        path = self.folder / "gate.xml"
        few = self.trace("c.etdp", SLOW, 3)
        self.gate(NEGATIVE, (self.base, self.slow),
                  ["total p50 <= +5%", "operator mul.out p50 <= 1s", 'operator <&"\x01 p50 <= 1s'],
                  "--junit", path)
        suites = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual((suites.get("tests"), suites.get("failures"), suites.get("errors")),
                         ("3", "2", "0"))
        cases = list(suites.iter("testcase"))
        self.assertEqual([case.get("name") for case in cases], [
            "total p50 <= +5%: Method::execute", "operator mul.out p50 <= 1s: mul.out "
            "(instruction 1)", 'operator <&"? p50 <= 1s'])
        self.assertEqual([len(case) for case in cases], [1, 0, 1])
        self.assertRegex(cases[0][0].get("message"),
                         r"^2\.1\d\d us is above the limit of 1\.8\d\d us; the base has 1\.7\d\d us$")
        self.assertEqual(cases[0].get("classname"), "etscope.Execute")
        self.assertEqual(cases[2][0].get("type"), "missing")
        self.gate(NEGATIVE, (self.trace("d.etdp", BASE, 3), few), ["total p50 <= +5%"],
                  "--junit", path)
        self.assertEqual(len(list(xml.etree.ElementTree.parse(path).getroot().iter("error"))), 1)


class Refused(Gate):
    def test_gate__one_line_says_what_is_wrong(self):
        good, budget = self.trace("a.etdp", BASE), self.budget("total p50 <= +5%")
        bad, wrong = self.folder / "bad.etdp", self.folder / "wrong.txt"
        bad.write_bytes(good.read_bytes()[:-9])
        wrong.write_text("total p50 <= +5%\n\ntotal p51 <= +5%\n")
        for code, part, words in (
                (support.USAGE, "gate needs recordings of both sides", (good, "--budget", budget)),
                (support.USAGE, "gate needs a budget", (good, good)),
                (support.USAGE, "need different files", (good, good, "-b", budget, "--junit", "-")),
                (support.USAGE, "standard input (-) can be read only once", (good, "-", "-b", "-")),
                (support.INPUT, f'{wrong}: line 3 "total p51 <= +5%": the metric must be',
                 (good, good, "-b", wrong)),
                (support.INPUT, "none.txt: ", (good, good, "-b", self.folder / "none.txt")),
                (support.INPUT, f"{bad}: ", (good, bad, "-b", budget)),
                (support.INPUT, f"{bad}: ", (bad, good, good, "-b", budget)),
                (support.USAGE, f'{budget}: line 1 "total p50 <= 5ms": the limit is in time',
                 (good, good, "-b", self.budget("total p50 <= 5ms"), "--source-time-scale",
                  "cycles")),
                (support.INTERNAL, "/none/gate.xml: ",
                 (good, good, "-b", budget, "--junit", "/none/gate.xml", "--output",
                  self.folder / "t"))):
            with self.subTest(part=part):
                done = support.run("gate", *words)
                self.assertEqual((done.returncode, done.stdout), (code, b""), done.stderr)
                self.assertEqual(done.stderr.count(b"\n"), 1)
                self.assertIn(part, done.stderr.decode())

    def test_gate__a_budget_may_come_from_standard_input(self):
        good = self.trace("a.etdp", BASE)
        done = support.run("gate", good, good, "-b", "-", stdin=b"total p50 <= +5%")
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertIn("standard input: 1 check, 0 failed", done.stdout.decode())


class Example(run_support.RunTest):
    """The script of examples/ci does what it says, on the runtime."""

    needs = "mlp_portable"
    SCRIPT = run_support.EXAMPLES / "ci" / "gate.sh"

    def script(self, *words):
        path = os.pathsep.join([os.path.dirname(run_support.ETSCOPE), os.environ["PATH"]])
        return subprocess.run(["sh", self.SCRIPT, *map(str, words)], cwd=self.folder, text=True,
                              capture_output=True, timeout=120, check=False,
                              env={**os.environ, "PATH": path, "RUNS": "20"})

    def test_example__makes_a_base_then_holds_new_traces_against_it(self):
        model = run_support.DATA / "mlp_portable" / "model.pte"
        budget = self.folder / "budget.txt"
        budget.write_text("total p50 <= 10s\n")
        done = self.script(model, "base", budget, "gate")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("those in gate/new can be the first", done.stderr)
        self.assertEqual(len(list((self.folder / "gate" / "new").iterdir())), 5)
        (self.folder / "gate" / "new").rename(self.folder / "base")
        done = self.script(model, "base", budget, "gate")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(r"| pass | total p50 \<= 10s |", done.stdout)
        root = xml.etree.ElementTree.parse(self.folder / "gate" / "gate.xml").getroot()
        self.assertEqual((root.get("tests"), root.get("failures")), ("1", "0"))
        budget.write_text("total p50 <= 1ns\n")
        done = self.script(model, "base", budget, "gate")
        self.assertEqual(done.returncode, NEGATIVE, done.stderr)
        self.assertIn(r"| fail | total p50 \<= 1ns |", done.stdout)

    def test_example__its_budget_is_one(self):
        path = trace(self.folder / "a.etdp", BASE)
        done = run_support.call("gate", path, path, "-b", run_support.EXAMPLES / "ci" / "budget.txt")
        self.assertEqual(done.returncode, NEGATIVE, done.stderr)  # no load in the trace
        self.assertIn("1 failed", done.stdout)
        self.assertIn("missing  load", done.stdout)


if __name__ == "__main__":
    unittest.main()

"""Every number of every headline is accounted for by the document that it heads.

A headline is read by patterns. Each takes a phrase, computes its numbers anew from the rows of the
same document, and compares; what no pattern took may hold no digit. Texts of tables begin with the
headline of the document.
"""

import collections
import re
import statistics
import unittest

import support
from support import DATA, fixture

NUMBER = r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
TIME = rf"(?:{NUMBER}) (?:ns|us|ms|s)"
BYTES = rf"{NUMBER} (?:B|KiB|MiB|GiB)"
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20,
         "GiB": 1 << 30, "FLOP": 1, "kFLOP": 1e3, "MFLOP": 1e6, "GFLOP": 1e9, "TFLOP": 1e12}
GENERAL = r"float(?:16|32|64)|bfloat16|int8"


def last_place(text):
    """What one more in the last digit of a number is."""
    mantissa, _, exponent = text.partition("e")
    places = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - places)


class Account:
    """A headline of which phrases are taken."""

    def __init__(self, test, headline):
        self.test, self.left = test, headline

    def take(self, pattern, check=None):
        """Takes all phrases of a pattern; `check` is called with their groups."""
        def use(match):
            if check is not None:
                check(*match.groups())
            return " ~ "
        self.left, count = re.subn(pattern, use, self.left)
        return count

    def near(self, shown, exact, what=""):
        """`shown`: a number as it stands, perhaps with a unit; rounded from `exact`."""
        number, _, unit = shown.partition(" ")
        of = UNITS.get(unit, 1)
        self.test.assertIsNotNone(exact, what)
        self.test.assertLessEqual(abs(float(number) - exact / of), last_place(number) * 0.5000001,
                                  f"{what}: {shown} is shown, {exact / of} {unit} is meant")

    def end(self):
        self.test.assertNotRegex(self.left, r"\d", "numbers that nothing accounts for")


def total_rows(rows):
    return [row for row in rows if row["operator"] == "Method::execute"]


def place_of(row):
    source = row["source"]
    return source if isinstance(source, str) else (source or [""])[0]


class HeadlineNumbers(unittest.TestCase):
    def document(self, *words, code=support.OK):
        done = support.run(*words, "--format", "json")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, code, done.stderr)
        document = support.json.loads(done.stdout)
        text = support.run(*words).stdout.decode()
        if document["headline"] is not None:
            first = text if words[0] == "annotate" else text.split("\n\n", 1)[0]
            self.assertIn(document["headline"].split(". ")[0].strip(), first)
        return document

    def account(self, words, check, code=support.OK):
        with self.subTest(" ".join(str(word).replace(f"{DATA}/", "") for word in words)):
            document = self.document(*words, code=code)
            self.assertTrue(document["headline"])
            account = Account(self, document["headline"])
            check(account, document["rows"], words)
            account.end()
            self.counted += 1

    def setUp(self):
        self.counted = 0

    # Traces

    def times(self, account, rows, _):
        """Medians and how sure they are, of each block."""
        totals = total_rows(rows)

        def row_of(name, block, median):
            number, unit = median.split()
            return next(row for row in totals if (row["method"] or row["block"]) == name
                        and (block is None or row["block_index"] == int(block))
                        and abs(row["p50_ns"] / UNITS[unit] - float(number)) <= last_place(number) * 0.5000001)

        def few(name, block, median, runs, low, high, unit):
            row = row_of(name, block, median)
            self.assertEqual(int(runs), row["runs"])
            account.near(f"{low} {unit}", row["min_ns"], "min")
            account.near(f"{high} {unit}", row["max_ns"], "max")

        def many(name, block, median, runs, low, high, unit, p10, p90, other):
            row = row_of(name, block, median)
            self.assertEqual(int(runs), row["runs"])
            for shown, column in ((f"{low} {unit}", "ci_low_ns"), (f"{high} {unit}", "ci_high_ns"),
                                  (f"{p10} {other}", "p10_ns"), (f"{p90} {other}", "p90_ns")):
                account.near(shown, row[column], column)
        start = rf"(\w+)(?: \(block (\d+)\))?: ({TIME}) per run \(median of (\d+) runs(?: that captured tensors, which takes part of the time)?, "
        span = rf"({NUMBER})\.\.({NUMBER}) (\w+)"
        count = account.take(rf"{start}{span}; too few for a 95 % interval\)", few)
        count += account.take(rf"{start}95 % interval {span}, p10 to p90 {span}\)", many)
        self.assertEqual(count, len(totals))

    def backends(self, account, words):
        groups = support.rows(*words[1:], "--group-by", "backend")
        rows = [row for row in groups if row["block"] != "Default"]

        def find(share, calls, name):
            number = float(share.strip("<"))
            for row in rows:
                near = abs(100 * row["share"] - number) <= 0.0500001 or share.startswith("<")
                if near and row["calls"] == calls and row["backend"] == name:
                    return
            self.fail(f"{share} % in {calls} calls of {name}: {rows}")
        operators = [row for row in support.rows(*words[1:], "--group-by", "op")]

        def kernels(share, calls, name, line, more, own):
            find(share, float(calls), "portable")
            if name is None:
                return
            self.assertTrue(any(row["operator"] == name and (own is None or abs(
                100 * row["share"] - float(own.strip("<"))) <= 0.0500001) for row in operators), name)
            lines = {source for row in support.rows(*words[1:]) if row["operator"] == name
                     and row["block"] != "Default" for source in row["source"]}
            self.assertEqual(line is not None, bool(lines), name)
            if line is not None:
                self.assertIn(line, {source.rpartition("/")[2] for source in lines})
                self.assertEqual(int(more or 0), len(lines) - 1)
        account.take(r"(<?[\d.]+) % in ([\d.]+) kernel calls?(?: \((?:mostly |largest: )?([\w.]+)"
                     r"(?: at (\S+?:\d+)(?: \+(\d+))?)?(?:, (<?[\d.]+) %)?\))?", kernels)
        account.take(r"(<?[\d.]+) % in ([\d.]+) delegate calls?",
                     lambda share, calls: find(share, float(calls), "delegate"))
        account.take(r"(<?[\d.]+) % in ([\d.]+) calls? of (\w+)",
                     lambda share, calls, name: find(share, float(calls), name))
        account.take(r"(<?[\d.]+) % between operators",
                     lambda share: find(share, None, "(between operators)"))

    def places(self, account, words):
        found = re.search(r"(?:among the )?most expensive (lines|modules|operators): ([^~]*?)"
                          r"(?=\. |$)", account.left)
        account.take(r"the delegate's clock is too coarse")
        if found is None:
            return
        column, by = {"lines": ("source", "source"), "modules": ("module", "module"),
                      "operators": ("operator", "op")}[found[1]]
        rows = [row for row in support.rows(*words[1:], "--group-by", by) if row["block"] != "Default"]
        share = "self_share" if by == "module" else "share"
        each = re.compile(r"(.+?) (?:\+(\d+) )?(?:(<?[\d.]+)\.\.)?(<?[\d.]+) %(?:, |$)")
        self.assertEqual("".join(one[0] for one in each.finditer(found[2])), found[2])
        for one in each.finditer(found[2]):
            name, more, low, high = one.groups()
            fits = [row for row in rows if row[share] is not None and self.is_place(row, column, name, more)
                    and abs(100 * row[f"{share}_upper"] - float(high.strip("<"))) <= 0.0500001
                    and abs(100 * row[share] - float((low or high).strip("<"))) <= 0.0500001]
            self.assertTrue(fits, (one[0], [(row[column], row[share]) for row in rows][:6]))
        account.left = account.left.replace(found[0], " ~ ")

    def is_place(self, row, column, name, more):
        names = row[column]
        names = [names] if isinstance(names, str) else names
        return (bool(names) and names[0].endswith(name)
                and len(names) == 1 + int(more or 0))

    def planned(self, account, words, is_told):
        """What `memory` says of the same program."""
        program = words[words.index("--program") + 1] if "--program" in words else None
        if program is None or not is_told:
            return
        rows = support.json_rows(support.run("memory", program, "--format", "json").stdout)
        plan = Plan(rows)

        def check(planned, peak, above):
            account.near(peak, plan.peak, "peak")
            self.assertGreaterEqual(float(planned.split()[0]) * UNITS[planned.split()[1]] * 1.001,
                                    plan.end)
            if above is not None:
                exact = support.run("memory", program, "--format", "json").stdout.decode()
                self.assertIn(f"{above} % above the lower bound", exact)
                self.assertIn(f"{planned} planned", exact)
        account.take(rf"({BYTES}) planned memory, peak (?:at most )?({BYTES})"
                     rf"(?:, (?:at least )?(\d+) % above the lower bound)?", check)

    def test_inspect(self):
        def check(account, rows, words):
            self.times(account, rows, words)
            self.planned(account, words, True)
            self.backends(account, words)
            self.places(account, words)
        for model in support.MODELS:
            if not fixture(model, "profile.tsv").exists():
                continue
            trace = fixture(model, "profile.etdp")
            record = fixture(model, "model.etrecord")
            self.account(("inspect", trace, "--no-siblings"), check)
            self.account(("inspect", trace, "--etrecord", record), check)
            self.account(("inspect", trace, "--etrecord", record, "--program",
                          fixture(model, "model.pte")), check)
        self.assertGreater(self.counted, 30)

    def test_summary(self):
        def check(account, rows, words):
            files = [word for word in words if str(word).endswith(".etdp")]
            totals = total_rows(rows)

            def compare(name, median, runs, count, p10, p90, unit, low, high):
                fits = [row for row in totals if (row["method"] or row["block"]) == name
                        and row["runs"] == int(runs) and row["file_count"] == int(count)
                        and abs(row["p50_ns"] / UNITS[median.split()[1]] - float(median.split()[0]))
                        <= last_place(median.split()[0]) * 0.5000001]
                self.assertTrue(fits, (name, median))
                row = fits[0]
                pooled = [each for path in row["files"] for each in self.run_times(path, row)]
                self.assertTrue(any(abs(cut / UNITS[unit] - float(p10)) <= last_place(p10) * 0.5000001
                                    for cut in [self.quantile(pooled, 0.1)]), (p10, pooled))
                account.near(f"{p90} {unit}", self.quantile(pooled, 0.9), "p90")
                if low is not None:
                    account.near(low if " " in low else f"{low} {high.split()[1]}",
                                 row["file_p50_min_ns"], "medians of the files")
                    account.near(high or low, row["file_p50_max_ns"], "medians of the files")
            self.assertTrue(files)
            account.take(rf"([\w]+): ({TIME}) per run \(median of (\d+) runs of (\d+) files?, p10 to p90 "
                         rf"({NUMBER})\.\.({NUMBER}) (\w+)\)(?:; medians of the files "
                         rf"({NUMBER}(?: \w+)?)(?:\.\.({TIME}))?)?", compare)
        for model in support.MODELS:
            if fixture(model, "profile.tsv").exists():
                trace = fixture(model, "profile.etdp")
                self.account(("summary", trace), check)
                self.account(("summary", trace, trace), check)

    def run_times(self, path, row):
        """Times of the runs of a block that a row of summary is of."""
        done = support.run("sql", "select block, time from runs", path, "--format", "json")
        self.assertEqual(done.returncode, support.OK, done.stderr)
        blocks = collections.defaultdict(list)
        for each in support.json_rows(done.stdout):
            blocks[each["block"]].append(each["time"])
        fits = [times for times in blocks.values() if len(times) * row["file_count"] == row["runs"]
                and abs(statistics.median(times) - row["p50_ns"]) < 1]
        self.assertTrue(fits, (row["p50_ns"], blocks))
        return fits[0]

    def quantile(self, values, part):
        ordered = sorted(values)
        at = part * (len(ordered) - 1)
        low = int(at)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (at - low) * (ordered[high] - ordered[low])

    def test_diff_of_traces(self):
        def check(account, rows, words):
            totals = total_rows(rows)
            row = max(totals, key=lambda each: each["before_ns"])

            def compare(name, factor, before, after):
                self.assertEqual(name, row["method"] or row["block"])
                account.near(before, row["before_ns"], "before")
                account.near(after, row["after_ns"], "after")
                if factor is not None and factor.endswith("times"):
                    larger = max(row["before_ns"], row["after_ns"])
                    account.near(factor.split()[0], larger / min(row["before_ns"], row["after_ns"]))
                elif factor is not None:
                    account.near(factor.split()[0], 100 * abs(row["after_ns"] / row["before_ns"] - 1))
            def differ(name, factor, percent, before, after):
                compare(name, f"{factor} times" if factor else f"{percent} %", before, after)
            account.take(rf"(\w+): the recordings differ by (?:a factor of ({NUMBER})|({NUMBER}) %) "
                         rf"\(({TIME}) -> ({TIME})\)", differ)
            account.take(rf"(\w+): (undecided) \(({TIME}) -> ({TIME})\)",
                         lambda name, _, before, after: compare(name, None, before, after))
            account.take(r"record 5 of each")
            account.take(rf"run 1 of 5 (?:before|after) took {NUMBER} times the median")
            account.take(rf": mostly [^(]+ \([+-]{TIME}\)")
            moved = [each for each in rows if each["kind"] == "delegated" and each["depth"] == 1]
            taken = sum(len(each["operators_before"]) for each in moved)
            kernels = sum(1 for each in rows if each["depth"] == 1 and each["block"] != "Default"
                          for name in each["operators_before"] if not name.startswith(("(", "DELEGATE")))
            account.take(r"(\w+) took (\d+) of (\d+) kernels", lambda _, some, every: (
                self.assertEqual(int(some), taken), self.assertEqual(int(every), kernels)))
            (load,) = [each for each in rows if each["operator"] == "Program::load_method"]
            account.take(rf"load ([+-])({TIME})", lambda sign, time: account.near(
                time, load["change_ns"] * (1 if sign == "+" else -1), "load"))
        for before, after in (("gpt_portable", "gpt_xnnpack"), ("conv_portable", "conv_xnnpack"),
                              ("conv_xnnpack", "conv_xnnpack_int8"), ("mlp_portable", "mlp_xnnpack"),
                              ("linear_fp32_xnnpack", "linear_int8_xnnpack"),
                              ("gpt_portable", "gpt_portable")):
            files = [fixture(model, name) for name in ("profile.etdp", "model.etrecord")
                     for model in (before, after)]
            self.account(("diff", *files[:2], "--etrecord", files[2], "--etrecord-b", files[3]),
                         check if before != after else lambda *_: None)

    def test_gate(self):
        def check(account, rows, words):
            budget = words[words.index("--budget") + 1]
            account.take(re.escape(str(budget)))
            failed = [row for row in rows if row["result"] != "pass"]
            account.take(r"(\d+) checks?, (\d+) failed", lambda count, bad: (
                self.assertEqual(int(count), len(rows)), self.assertEqual(int(bad), len(failed))))

            def worst(name, value, _limit_words, limit):
                row = next(row for row in rows if row["operator"] == name
                           and self.is_shown(row, "new", value) and self.is_shown(row, "limit", limit))
                if failed:
                    self.assertIn(row, failed)
            account.take(r"worst: (\S+) (\S+(?: \w+)?) of (at most|at least) ([\d.]+(?:%| \w+))", worst)
            account.take(r"worst: (\S+) (\S+ \w+)( )of ([\d.]+ \w+) allowed", worst)

            def relative(name, change, limit):
                row = next(row for row in rows if row["operator"] == name)
                account.near(change, 100 * (row["new_ns"] / row["base_ns"] - 1))
                account.near(limit, 100 * (row["limit_ns"] / row["base_ns"] - 1))
            account.take(rf"worst: (\S+) ({NUMBER}) % of ({NUMBER}) % allowed", relative)
        folder = support.tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        budget = support.pathlib.Path(folder.name) / "budget"
        names = [fixture(model, name) for name in ("profile.etdp", "model.etrecord")
                 for model in ("gpt_portable", "gpt_xnnpack")]
        words = ("gate", *names[:2], "--etrecord", names[2], "--etrecord-b", names[3], "--all",
                 "--budget", budget)
        for rules, code in (("total p50 <= 3ms\n", 0), ("delegated share >= 40%\n", 0),
                            ("total p50 <= 100us\n", 1), ("delegated share >= 90%\n", 1),
                            ("total p50 <= 2ms\ndelegated share >= 60%\ntotal max <= 3ms\n", 1)):
            budget.write_text(rules)
            self.account(words, check, code=code)

    def is_shown(self, row, which, text):
        number, unit = re.fullmatch(r"([\d.]+)\s?(%|\w+)", text).groups()
        exact = row[f"{which}_share"] if unit == "%" else row[f"{which}_ns"]
        scale = 0.01 if unit == "%" else UNITS[unit]
        return exact is not None and abs(exact / scale - float(number)) <= last_place(number) * 0.5000001

    def test_advise(self):
        def check(account, rows, words):
            def compare(count, saved, run, method, share):
                self.assertEqual(int(count), sum(row["action"] is not None for row in rows))
                if saved is None:
                    return
                (total,) = [row["p50_ns"] for row in total_rows(support.rows(words[1], *words[2:]))
                            if row["method"] == method][:1]
                account.near(run, total, "a run")
                least = max(row["saving_ns_upper"] or 0 for row in rows if row["method"] == method)
                most = min(total, sum(row["saving_ns_upper"] or 0 for row in rows))
                exact = float(saved.split()[0]) * UNITS[saved.split()[1]]
                slack = last_place(saved.split()[0]) * UNITS[saved.split()[1]] / 2
                self.assertLessEqual(exact, most + slack)
                self.assertGreater(exact, 0)
                self.assertLessEqual(min(least, total) * 0.5, exact)  # rows are counted once, by mid
                account.near(share, 100 * exact / total) if float(share) < 10 else self.assertAlmostEqual(
                    float(share), 100 * exact / total, delta=0.06 + 100 * slack / total)
            account.take(rf"(\d+) things? to do(?:(?:; \d+ of them)?: (?:about )?({TIME}) of the ({TIME}) of a run of (\w+) \(({NUMBER}) %\)"
                         r"(?:, less the time of what takes its place)?)?", compare)
        for model in support.MODELS:
            if fixture(model, "profile.tsv").exists():
                trace, record, program = (fixture(model, name) for name in
                                          ("profile.etdp", "model.etrecord", "model.pte"))
                self.account(("advise", trace, "--etrecord", record, "--program", program), check)
                self.account(("advise", "--etrecord", record, "--program", program), check) \
                    if model != "linear_fp32_xnnpack" else None

    # Programs

    def test_memory(self):
        def check(account, rows, words):
            methods = collections.defaultdict(list)
            for row in rows:
                methods[row["method"]].append(row)
            account.take(rf"(\d+) methods, each with arenas of its own: ({BYTES}) if all are loaded "
                         rf"together, ({BYTES}) \((\w+)\) if one is loaded at a time", lambda count, sum_, one, name: (
                             self.assertEqual(int(count), len(methods)),
                             account.near(sum_, sum(Plan(each).end for each in methods.values())),
                             account.near(one, Plan(methods[name]).end),
                             self.assertEqual(max(Plan(each).end for each in methods.values()),
                                              Plan(methods[name]).end)))
            for name, each in methods.items():
                self.one_plan(account, name, Plan(each))
        for model in support.MODELS:
            self.account(("memory", fixture(model, "model.pte")), check)

    def one_plan(self, account, name, plan):
        found = re.search(rf"(?:^|\s){name}: ({BYTES}) planned; peak (?:at most )?({BYTES}) at instruction "
                          rf"(\d+) \(([\w:.]+)\); (\d+) tensors? holds? (?:over )?({NUMBER}) % of it",
                          account.left)
        if found is None:
            return
        planned, peak, step, operator, count, share = found.groups()
        account.left = account.left.replace(found[0], " ~ ")
        account.near(peak, plan.peak, "peak")
        for row in plan.at_peak:
            self.assertTrue(row["first"] <= int(step) <= row["last"], row)
        makers = {row["operator"] for row in plan.rows if row["producer"] == int(step)}
        self.assertIn(operator, makers or {operator})
        holders = sorted((row["size_bytes"] for row in plan.at_peak), reverse=True)[:int(count)]
        account.near(share, 100 * sum(holders) / plan.peak, "what the largest hold")
        padding = 0

        def pad(bytes_):
            nonlocal padding
            padding = int(bytes_)
        account.take(r"(\d+) B at the end are padding for XNNPACK", pad)
        exact = aligned(plan.end) + padding
        account.near(planned, exact, "planned")
        bound = sum(aligned(row["size_bytes"]) for row in plan.at_peak if row["view_of"] is None)
        account.take(rf"(?:at least )?({NUMBER}) % above the lower bound", lambda above: account.near(
            above, 100 * (exact / bound - 1), "above the bound"))
        account.take(rf"value (\d+) ends at byte (\d+) while ({BYTES}) below are free",
                     lambda value, end, free: plan.check_end(self, account, int(value), int(end), free))

    def test_size(self):
        def check(account, rows, _):
            total = sum(row["size_bytes"] for row in rows)
            parts = collections.defaultdict(list)
            for row in rows:
                parts[row["part"]].append(row)

            def share(percent, what):
                part = self.part_of(what)
                self.assertTrue(parts[part], what)
                account.near(percent, 100 * sum(row["size_bytes"] for row in parts[part]) / total, what)
                count = re.match(r"(?:weights of )?(\d+) ", what)
                if count and part == "delegate_weight":
                    layers = {(row["delegate"], row["node"]) for row in parts[part]}
                    self.assertEqual(int(count[1]), len(layers))
                elif count:
                    self.assertEqual(int(count[1]), len(parts[part]))
                name = re.search(r"mostly (.*)", what)
                if name:
                    largest = max(parts[part], key=lambda row: row["size_bytes"])
                    self.assertIn(name[1], (largest["name"], largest["content"]))
            account.take(rf"^({BYTES})", lambda whole: account.near(whole, total, "the file"))
            account.take(r"(\d+) % (?:is )?((?:weights|the program itself|\d+ constants?|\d+ payloads?|the "
                         r"constant)(?:(?!, \d+ %|;).)*)", share)
            same = [row for row in rows if row["same_as"] is not None]
            account.take(rf"(\d+) duplicates? costs? ({BYTES})(?: \(\S+\)|, the largest of \S+)?",
                         lambda count, bytes_: (
                             self.assertEqual(int(count), len(same)),
                             account.near(bytes_, sum(row["size_bytes"] for row in same))))
        for model in support.MODELS:
            self.account(("size", fixture(model, "model.pte")), check)

    def part_of(self, what):
        for words, part in (("weights", "delegate_weight"), ("the program", "program"),
                            ("constant", "constant"), ("payload", "delegate_payload")):
            if words in what.split(",")[0]:
                return part
        return what

    def test_delegates(self):
        def check(account, rows, words):
            methods = sorted({row["method"] for row in rows})
            of = re.match(r"(\w+) - ", account.left)
            self.assertEqual(of is None, len(methods) > 1)
            account.take(r"(\d+) methods: ", lambda count: self.assertEqual(int(count), len(methods)))
            mine = [row for row in rows if of is None or row["method"] == of[1]]
            calls = {(row["method"], row["partition"]) for row in mine if row["kind"] == "delegate"}
            inside = [row for row in mine if row["depth"] == 1]
            kernels = [row for row in mine if row["kind"] == "kernel"]
            account.take(r"(\d+) partitions? with (\d+) operators?, (\d+) outside", lambda a, b, c: (
                self.assertEqual(int(a), len(calls)), self.assertEqual(int(b), len(inside)),
                self.assertEqual(int(c), len(kernels))))
            if len(words) > 2:
                share = sum(row["share"] for row in mine if row["kind"] == "delegate")
                (total,) = total_rows(support.rows(words[2]))[:1]
                account.take(r"(\d+) runs, shares of mid", lambda runs: self.assertEqual(
                    int(runs), total["runs"]))
                account.take(r"(\d+) % of the time delegated", lambda percent: account.near(
                    percent, 100 * share))
        for model in support.MODELS:
            self.account(("delegates", fixture(model, "model.pte")), check)
            if fixture(model, "profile.tsv").exists() and model not in ("cond", "multi_method", "map_loop"):
                self.account(("delegates", fixture(model, "model.pte"), fixture(model, "profile.etdp")),
                             check)

    def test_cost(self):
        families = {"matrix product": ("mm", "linear", "FullyConnected", "MatrixMultiply"),
                    "convolution": ("convolution", "Conv2d"), "conversion": ("_dim_order_copy", "Convert")}

        def check(account, rows, _):
            methods = {row["method"] for row in rows}
            account.take(r"(\d+) methods; most work is in ", lambda count: self.assertEqual(
                int(count), len(methods)))
            of = re.search(r"(\w+): ", account.left)[1]
            mine = [row for row in rows if row["method"] == of]
            tops = [row for row in mine if row["depth"] == 0 and row["share"] is not None]
            flops, moved = (sum(row[key] or 0 for row in tops) for key in ("flops", "moved_bytes"))
            account.take(rf"({NUMBER} [kMGT]?FLOP) a run", lambda number: account.near(number, flops))

            def family(percent, count, name):
                owners = {row["instruction"] for row in mine if row["depth"] == 1}
                leaves = [row for row in mine if row["share"] is not None
                          and (row["depth"] == 1 or row["instruction"] not in owners)]
                some = [row for row in leaves if row["flops"]
                        and any(part in row["operator"] for part in families[name])]
                whole = sum(row["flops"] for row in some)  # with what is fused into them
                alone = sum(2 * row["macs"] if " + " in row["operator"] or row["macs"] else row["flops"]
                            for row in some)
                self.assertLessEqual(int(percent), 100 * whole / flops + 1e-9)
                self.assertGreater(int(percent), 100 * alone / flops - 1)
                self.assertEqual(1 if count == "one" else int(count),
                                 sum(1 for _ in some), [row["operator"] for row in some])
            account.take(r"(\d+) % in (one|\d+) ([a-z ]+?)s?(?=;|$)", family)
            account.take(rf"({NUMBER}) operations a byte", lambda number: account.near(
                number, flops / moved))
            account.take(r"(\d+) batch norms? (?:is|are) folded", lambda count: self.assertEqual(
                int(count), sum(row["folded"] for row in tops)))
            account.take(r"(\d+) operators? (?:is|are) not counted", lambda count: self.assertEqual(
                int(count), sum(row["not_counted"] for row in tops)))
        for model in support.MODELS:
            self.account(("cost", fixture(model, "model.pte")), check)

    def test_diff_of_programs(self):
        def check(account, rows, words):
            part = collections.defaultdict(list)
            for row in rows:
                part[row["part"], row["change"]].append(row)
            methods = {row["method"] for row in rows if row["method"]}
            account.take(r"(\d+) of (\d+) methods? differs?", lambda some, every: (
                self.assertEqual(int(some), len(methods)), self.assertGreaterEqual(int(every), int(some))))
            moved = part["instruction", "delegated"]
            places = {place_of(row).split("/")[-1] for row in moved}

            def took(operators, instructions, first, last):
                self.assertEqual(int(instructions or operators), len(moved))
                self.assertLessEqual(int(operators), len(moved))
                for place in (first, last):
                    self.assertIn(place, places)
            account.take(r"\w+ took (\d+) operators(?: \((\d+) instructions\))?, from \w+ at (\S+) to \w+ at "
                         r"(\S+?)(?=;|$)", took)
            values = [row for row in part["constant", "changed"] if row["differing"]]
            account.take(rf"(\d+) constants? ha(?:s|ve) other values, by up to ({NUMBER})", lambda count, most: (
                self.assertEqual(int(count), len(values)),
                account.near(most, max(row["max_abs_difference"] for row in values))))
            for name, kind in (("nodes? of payloads?", "node"), ("nodes of payloads", "node"),
                               ("delegates?", "delegate")):
                count_of = sum(len(each) for key, each in part.items() if key[0] == kind)
                account.take(rf"(\d+) {name} differs?", lambda count, every=count_of: self.assertEqual(
                    int(count), every))
            arenas = sum((row["after_bytes"] or 0) - (row["before_bytes"] or 0) for row in rows
                         if row["part"] == "arena")
            account.take(rf"({BYTES}) (more|less) planned memory", lambda size, way: account.near(
                size, arenas * (1 if way == "more" else -1)))
            sizes = [path.stat().st_size for path in words[1:3]]
            account.take(rf"the file is ({BYTES}) (larger|smaller)", lambda size, way: account.near(
                size, (sizes[1] - sizes[0]) * (1 if way == "larger" else -1)))
        for before, after in (("gpt_portable", "gpt_xnnpack"), ("conv_portable", "conv_xnnpack"),
                              ("conv_xnnpack", "conv_xnnpack_int8"), ("mlp_portable", "mlp_xnnpack"),
                              ("linear_fp32_xnnpack", "linear_int8_xnnpack")):
            self.account(("diff", fixture(before, "model.pte"), fixture(after, "model.pte")), check, code=1)

    # Values

    def test_verify(self):
        def check(account, rows, _):
            cases = collections.defaultdict(list)
            for row in rows:
                cases[row["method"], row["case"]].append(row)
            good = [case for case, outputs in cases.items()
                    if all(row["verdict"] in ("equal", "close") for row in outputs)]
            account.take(r"(\d+) of (\d+) test cases are as expected", lambda some, every: (
                self.assertEqual(int(some), len(good)), self.assertEqual(int(every), len(cases))))

            def first(method, case, output, some, every, rtol, atol, rms, worst):
                row = next(row for row in rows if row["verdict"] not in ("equal", "close"))
                self.assertEqual((row["method"], row["case"], row["output"]),
                                 (method, int(case), int(output)))
                elements = 1
                for size in row["shape"]:
                    elements *= size
                self.assertEqual((int(some), int(every)), (row["outside"], elements))
                for shown, key in ((rtol, "rtol"), (atol, "atol"), (rms, "rms")):
                    account.near(shown, row[key])
                self.assertEqual(int(worst), row["max_abs_error_index"])  # as rtol is 0
            account.take(rf"(\w+), case (\d+), output (\d+): (\d+) of (\d+) elements? exceeds? rtol ({NUMBER}), "
                         rf"atol ({NUMBER}) and rms ({NUMBER}); the worst is element (\d+)", first)
            bad = [row for row in rows if row["verdict"] not in ("equal", "close")]
            account.take(rf"off by ({NUMBER}) times the tolerance; the largest error is ({NUMBER})",
                         lambda times, error: (
                             account.near(times, bad[0]["max_abs_error"] / bad[0]["atol"]),
                             account.near(error, bad[0]["max_abs_error"])))
            account.take(rf"off by ({NUMBER})(?=;)", lambda error: account.near(
                error, bad[0]["max_abs_error"]))
        for model in support.MODELS:
            bundle = fixture(model, "model.bpte")
            if bundle.exists():
                self.account(("verify", bundle), check)
                for atol in ("1e-12", "0"):
                    words = ("verify", bundle, "--rtol", "0", "--atol", atol)
                    self.account(words, check, code=support.run(*words).returncode)

    def gap(self, account, rows, _):
        judged = [row for row in rows if row["total_error"] is not None]
        worst = max(judged, key=lambda row: row["total_error"])
        places = {row["source"] for row in rows}

        def place(name, where):
            self.assertTrue(any(name in row["aot_ops"] for row in rows), name)
            self.assertIn(where, places)
        account.take(r"(?:all )?(\d+) values? agrees?", lambda count: self.assertEqual(
            int(count), len(judged)))
        account.take(r"bit-identical to this runtime's kernels in (\d+) of (\d+) values",
                     lambda same, known: (
                         self.assertEqual(int(same), sum(row["same_bits"] == 1 for row in rows)),
                         self.assertEqual(int(known), sum(row["same_bits"] is not None for row in rows))))
        account.take(rf"the largest error is ({NUMBER})", lambda error: account.near(
            error, worst["total_error"]))
        account.take(rf"of ({NUMBER}) allowed in", lambda limit: self.assertTrue(
            float(limit) > worst["total_error"]))
        account.take(rf"makes ({NUMBER}) % of the outputs' error", lambda share: self.assertLessEqual(
            float(share), 100))
        guilty = [row for row in rows if row["finding"] == "guilty"]
        account.take(rf"its own error is ({NUMBER})", lambda error: account.near(
            error, guilty[0]["own_error"]))
        # The worst output's: at least that of the last value, at most that of the worst.
        account.take(rf"the outputs are off by ({NUMBER})", lambda error: self.assertLessEqual(
            float(error), 1.006 * worst["total_error"]))
        account.take(r"and in (\d+) of (\d+) rows of \w+ another element is the largest",
                     lambda moved, all_rows: self.assertLessEqual(int(moved), int(all_rows)))
        account.take(r"and the largest of (\w+) is element (\d+), in the reference element (\d+)",
                     lambda name, device, reference: self.assertNotEqual(device, reference))
        inexact = [row for row in rows if row["finding"] == "inexact"]
        account.take(r"but (\d+) kernels are inexact", lambda count: self.assertEqual(
            int(count), len(inexact)))
        account.take(rf"off by ({NUMBER}); rounding to (?:{GENERAL}) explains ({NUMBER})",
                     lambda error, rounding: (
                         account.near(error, max(row["own_error"] for row in inexact)),
                         self.assertLess(float(rounding), float(error))))
        account.take(r"one of the (\d+) operators of partition (\d+) of XnnpackBackend \(([^;]+); \S+:\d+; modules [\w., ]+\)",
                     lambda count, _, names: (
                         self.assertEqual(int(count), len(names.split(", "))),
                         self.assertLessEqual(set(names.split(", ")), set(guilty[0]["aot_ops"]))))
        account.take(rf"but the weights of (\w+) \(\S+:\d+\) have too few steps; (\d+) % of its weights became 0: the largest, "
                     rf"({NUMBER}), sets the step of all, ({NUMBER})",
                     lambda name, share, largest, step: (
                         self.assertTrue(any(name in row["aot_ops"] for row in rows), name),
                         self.assertLess(int(share), 100), self.assertAlmostEqual(float(largest) / float(step), 127, delta=4)))
        account.take(r"(\w+) \((\S+:\d+)\)", place)
        account.take(GENERAL)

    def test_gap_and_annotate(self):
        for model in support.MODELS:
            trace = fixture(model, "debug.etdp")
            if not trace.exists() or model in ("cond", "types", "multi_method", "map_loop"):
                continue
            files = ("--etrecord", fixture(model, "model.etrecord"), "--debug-buffer",
                     fixture(model, "debug.bin"))
            self.account(("gap", trace, *files), self.gap)
            rows = self.document("gap", trace, *files)["rows"]

            def annotated(account, lines, words):
                runs = {row["runs"] for row in lines}
                account.take(r"^run (\d+)(?=: )", lambda run: self.assertLessEqual(int(run), sum(runs)))
                self.gap(account, rows, words)
            self.account(("annotate", trace, *files), annotated)
        for path in ("quantized/int8", "mixed/half", "mixed/int8", "torchao/8da4w", "torchao/8da8w",
                     "torchao/int4_weights", "torchao/int8_weights", "schemes/dynamic", "schemes/static",
                     "shared_quantized/int8"):
            trace = DATA / f"{path}.etdp"
            self.account(("gap", trace, "--etrecord", DATA / f"{path}.etrecord", "--debug-buffer",
                          DATA / f"{path}.bin"), self.gap)


def aligned(size):
    return -(-size // 16) * 16


class Plan:
    """The planned tensors of a method, by the rows of `memory`."""

    def __init__(self, rows):
        self.rows = [row for row in rows if row["memory_id"] is not None]
        self.at_peak = [row for row in self.rows if row["share"] is not None]
        self.peak = sum(row["size_bytes"] for row in self.at_peak if row["view_of"] is None)
        arenas = collections.defaultdict(int)
        for row in self.rows:
            end = row["offset"] + row["size_bytes"]
            arenas[row["memory_id"]] = max(arenas[row["memory_id"]], end)
        self.end = sum(arenas.values())

    def check_end(self, test, account, value, end, free):
        (row,) = [row for row in self.rows if row["value"] == value]
        test.assertEqual(row["offset"] + row["size_bytes"], end)
        most = max(sum(each["size_bytes"] for each in self.rows
                       if each["memory_id"] == row["memory_id"] and each["view_of"] is None
                       and self.lives(each, step))
                   for step in range(row["first"], row["last"] + 1))
        account.near(free, end - most, "free below")

    def lives(self, row, step):
        for piece in row["lifetime"]:
            first, _, last = piece.partition("..")
            if int(first) <= step <= int(last or first):
                return True
        return False


if __name__ == "__main__":
    unittest.main()

"""Tables of traces are read as traces: what people attach to reports instead of the file."""

import csv
import io
import pathlib
import tempfile
import unittest

import support

EXCHANGE = support.DATA / "exchange"
LINEAR = support.DATA / "linear_fp32_xnnpack" / "profile.etdp"
MLP = support.DATA / "mlp_portable" / "profile.etdp"
MEDIANS = b"has no times of single runs: its medians are read as one run"


def table(path, *options):
    """The rows of `inspect`, without the siblings of a trace."""
    done = support.run("inspect", path, "--no-siblings", "-f", "json", *options)
    return support.json_rows(done.stdout)


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def assert_same_medians(self, path, trace):
        """Names, order and medians of both are equal."""
        columns = ("block", "event", "depth", "p50_ns", "p50_ns_upper")
        found, expected = table(path), table(trace)
        self.assertEqual([[row[name] for name in columns] for row in found],
                         [[row[name] for name in columns] for row in expected])
        return found

    def test_tables__a_data_frame_has_all_runs(self):
        done = support.run("inspect", EXCHANGE / "inspector_frame.csv", "--no-siblings")
        self.assertEqual(done.stdout, support.run("inspect", LINEAR, "--no-siblings").stdout)
        self.assertNotIn(b"note", done.stderr)

    def test_tables__printed_and_saved_ones_have_medians(self):
        for name, trace in (("inspector_printed.txt", LINEAR), ("inspector_saved.tsv", MLP)):
            with self.subTest(name):
                rows = self.assert_same_medians(EXCHANGE / name, trace)
                self.assertEqual({row["runs"] for row in rows}, {1})
                noted = support.run("inspect", EXCHANGE / name).stderr
                self.assertEqual(noted.count(MEDIANS), 1)

    def test_tables__upstreams_recorded_ones(self):
        for model in ("conv_portable", "conv_xnnpack", "gpt_portable", "conv_xnnpack_int8"):
            with self.subTest(model):
                folder = support.DATA / model
                self.assert_same_medians(folder / "profile.norecord.tsv", folder / "profile.etdp")

    def test_tables__what_inspect_writes(self):
        for model in ("mlp_portable", "conv_xnnpack"):
            trace = support.DATA / model / "profile.etdp"
            for form in ("csv", "tsv", "json"):
                with self.subTest(f"{model} {form}"):
                    written = support.run("inspect", trace, "--no-siblings", "-f", form).stdout
                    self.assert_same_medians(self.file(f"own.{form}", written), trace)

    def test_tables__what_inspect_prints(self):
        columns = ("block", "operator", "depth", "p50_ns", "p50_ns_upper")
        for model in ("mlp_portable", "conv_xnnpack"):
            trace = support.DATA / model / "profile.etdp"
            expected = [[row[name] for name in columns] for row in table(trace)]
            for form in ("table", "markdown", "jsonl"):
                with self.subTest(f"{model} {form}"):
                    written = support.run("inspect", trace, "--no-siblings", "-f", form).stdout
                    found = table(self.file("own.txt", written))
                    self.assertEqual([[row[name] for name in columns] for row in found], expected)

    def test_tables__what_inspect_prints_and_cannot_be_read_again(self):
        for words, reason in (
            (("--group-by", "op"), b"operators may have been added up"),
            (("--width", "40"), b"no column #"),
            (("--tree",), b"is a tree"),
            (("--unit", "s"), b"its unit rounds to one or two digits"),
        ):
            for form in ("table", "markdown"):
                if form == "markdown" and words[0] == "--width":
                    continue
                with self.subTest(f"{words} {form}"):
                    written = support.run("inspect", LINEAR, "--no-siblings", "-f", form, *words)
                    done = support.run("inspect", self.file("own.txt", written.stdout))
                    self.assertIn(reason, done.stderr)
                    self.assertIn(b"write it again as JSON", done.stderr)
        for form in ("csv", "json", "jsonl", "tsv"):
            written = support.run("inspect", LINEAR, "--no-siblings", "-g", "op", "-f", form).stdout
            done = support.run("inspect", self.file("own.txt", written))
            self.assertIn(b"it is of groups or a tree", done.stderr)

    def test_tables__cells_that_are_cut_or_not_in_place_are_refused(self):
        heading = "Execute - 1 run\n#  operator  calls  p50 us\n"
        for row, reason in (
            ("0  Convol\u2026       1   2.000", "were cut"),
            ("0  an operator that is wide  1  2.000", "not below their headings"),
            ("0  op  1", "ends before its time"),
        ):
            with self.subTest(row):
                path = self.file("own.txt", (heading + row + "\n").encode())
                done = support.run("inspect", path)
                self.assertIn(reason.encode(), done.stderr)

    def test_tables__a_time_that_is_not_exact_is_unknown(self):
        path = self.file("own.txt", b"Execute - 1 run\n#  operator  calls  p50 us\n"
                                    b"0  op            1    ~520\n1  other         1   2.000\n")
        self.assertEqual([row["event"] for row in table(path)[-1:]], ["other"])

    def test_tables__what_a_terminal_showed_around_it(self):
        printed = (EXCHANGE / "inspector_printed.txt").read_bytes()
        path = self.file("log.txt", b"$ python show.py\nI 00:00 loaded\n" + printed + b"\ndone\n$\n")
        self.assert_same_medians(path, LINEAR)
        plain = printed.replace("│".encode(), b"|")
        self.assert_same_medians(self.file("bars.txt", plain), LINEAR)

    def test_tables__units_are_those_of_the_heading(self):
        for unit, expected in (("ns", 2), ("us", 2000), ("ms", 2_000_000), ("s", 2_000_000_000)):
            path = self.file("unit.csv", f"event_block_name,event_name,avg ({unit})\n"
                                         f"Execute,op,2\nExecute,Method::execute,3\n".encode())
            self.assertEqual([row["p50_ns"] for row in table(path)], [expected // 2 * 3, expected])
        path = self.file("cycles.csv", b"event_block_name,event_name,p50 (cycles)\n"
                                       b"Execute,op,5\nExecute,Method::execute,9\n")
        self.assertIn(b"9 cycles", support.run("inspect", path).stdout)

    def test_tables__what_is_not_there_is_not_zero(self):
        path = self.file("gap.csv", b"event_block_name,event_name,p50 (us)\nExecute,op,\n"
                                    b"Execute,late,nan\nExecute,Method::execute,9\n")
        self.assertEqual([row["event"] for row in table(path)], ["Method::execute"])
        out = self.folder / "gap.etdp"
        said = support.run("import", path, "-o", out).stdout
        self.assertIn(b"left out       2 times that the table does not have", said)
        self.assertIn(b"does not have the times of single runs", said)

    def test_tables__quotes_and_lines_in_cells(self):
        path = self.file("quotes.csv", b'event_block_name,event_name,raw,p50 (us),stack_traces\r\n'
                                       b'Execute,"a ""b"", c","[np.float64(1.5), 2.0]",1.75,"x\ny"\r\n'
                                       b'Execute,Method::execute,"[3.0, 4.0]",3.5,{}\r\n')
        rows = table(path)
        self.assertEqual([(row["event"], row["runs"], row["min_ns"], row["max_ns"]) for row in rows],
                         [("Method::execute", 2, 3000, 4000), ('a "b", c', 2, 1500, 2000)])

    def test_tables__blocks_of_one_name_stay_apart(self):
        rows = b"Execute,a,1\nExecute,Method::execute,2\nExecute,b,3\nExecute,Method::execute,4\n"
        path = self.file("two.csv", b"event_block_name,event_name,p50 (us)\n" + rows)
        self.assertEqual([(row["event"], row["p50_ns"]) for row in table(path)],
                         [("Method::execute", 2000), ("a", 1000),
                          ("Method::execute", 4000), ("b", 3000)])

    def test_tables__can_be_compared(self):
        done = support.run("diff", EXCHANGE / "inspector_frame.csv", LINEAR, "--no-siblings")
        self.assertEqual(done.returncode, support.OK)
        self.assertIn(b"identical", done.stdout)
        slower = (EXCHANGE / "inspector_saved.tsv").read_bytes().replace(b"0.006029", b"0.012058")
        done = support.run("diff", MLP, self.file("after.tsv", slower), "--no-siblings", "-f", "csv")
        rows = {row["operator"]: row for row in csv.DictReader(io.StringIO(done.stdout.decode()))}
        self.assertEqual(float(rows["Method::execute"]["after_ns"]), 12058.0)
        self.assertNotIn(rows["Method::execute"]["verdict"], ("slower", "faster"))

    def test_tables__damage_is_told(self):
        heading = b"event_block_name,event_name,"
        for data, words in (
            (heading + b"p50\nExecute,a,1\n", b'no column of times with a unit, as "p50 (ms)"'),
            (heading + b"p50 (ms)\n\"Execute,a,1\n", b"byte 37: nothing closes this quotation mark"),
            (heading + b"p50 (ms)\n", b"has no events"),
        ):
            done = support.run("inspect", self.file("bad.csv", data))
            self.assertEqual((done.returncode, done.stdout), (support.INPUT, b""))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()

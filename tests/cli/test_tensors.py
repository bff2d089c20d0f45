"""`etscope tensors` against upstream's values and against statistics computed here."""

import csv
import io
import math
import pathlib
import struct
import tempfile
import unittest

import support
from support import INPUT, OK, USAGE, fixture, run

WITH_DEBUG = sorted(path.parent.name for path in support.DATA.glob("*/debug.bin"))
CODES = {"float32": "f", "float64": "d", "int64": "q", "int8": "b", "bool": "?", "uint8": "B"}


def words(model, *more):
    partial = ["--partial"] if model == "types" else []
    return ("tensors", fixture(model, "debug.etdp"), "--debug-buffer", fixture(model, "debug.bin"),
            *partial, *more)


def listed(model, *more):
    done = run(*words(model, *more, "--format", "json"))
    assert done.returncode == OK, done.stderr
    return support.json_rows(done.stdout)


def numbers_of(data, row):
    """A row's elements in logical order, from the debug buffer's bytes."""
    code = CODES[row["dtype"]]
    size = struct.calcsize("<" + code)
    indices = [()]
    for extent in row["shape"]:
        indices = [index + (i,) for index in indices for i in range(extent)]
    return [struct.unpack_from("<" + code, data, (row["offset"] or 0) + size * sum(
        i * stride for i, stride in zip(index, row["strides"])))[0] for index in indices]


class Statistics(unittest.TestCase):
    def check(self, row, values):
        finite = [float(value) for value in values if math.isfinite(value)]
        self.assertEqual(row["status"], "ok")
        self.assertEqual(row["nan"], sum(math.isnan(value) for value in values))
        self.assertEqual(row["inf"], sum(math.isinf(value) for value in values))
        self.assertEqual(row["zeros"], finite.count(0))
        self.assertEqual(row["first_values"],  # JSON has no NaN and no infinity
                         [float(x) if math.isfinite(x) else None for x in values[:8]])
        if not finite:
            self.assertIsNone(row["mean"])
            return
        mean = math.fsum(finite) / len(finite)
        deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in finite) / len(finite))
        self.assertEqual((row["min"], row["max"]), (min(finite), max(finite)))
        self.assertAlmostEqual(row["mean"], mean, delta=1e-12 * (abs(mean) + deviation))
        self.assertAlmostEqual(row["std"], deviation, delta=1e-12 * (abs(mean) + deviation))
        length = math.sqrt(math.fsum(x * x for x in finite))
        self.assertAlmostEqual(row["l2"], length, delta=1e-12 * length)

    def test_every_fixture(self):
        self.assertGreater(len(WITH_DEBUG), 10)
        for model in WITH_DEBUG:
            data = fixture(model, "debug.bin").read_bytes()
            rows = listed(model)
            self.assertGreater(len(rows), 1)
            for row in rows:
                with self.subTest(model=model, event=row["event"], item=row["item"]):
                    values = numbers_of(data, row)
                    self.assertEqual(row["size_bytes"],
                                     len(values) * struct.calcsize("<" + CODES[row["dtype"]]))
                    self.check(row, values)

    def test_equal_hashes_are_equal_bytes(self):
        rows = listed("mlp_portable")
        by_hash = {row["event"]: row["hash"] for row in rows}
        softmax, output = rows[-2], rows[-1]
        self.assertEqual((softmax["operator"], output["operator"]), ("_softmax.out", "(output)"))
        self.assertEqual(softmax["hash"], output["hash"])
        self.assertEqual(len(set(by_hash.values())), len(rows) - 1)


def flat(values):
    """Upstream's debug data, its lists taken apart."""
    for value in values:
        yield from flat(value) if isinstance(value, list) else [value]


class Golden(unittest.TestCase):
    """What upstream's Inspector found in the same files."""

    def compare(self, rows, values):
        self.assertEqual(len(rows), len(values))
        for row, value in zip(rows, values):
            self.assertEqual("torch." + row["dtype"], value["dtype"])
            self.assertEqual(row["shape"], value["shape"])
            wanted = [float(x) if isinstance(x, (int, float)) else None for x in value["data"][:8]]
            for got, x in zip(row["first_values"], wanted):
                if got is not None and x is not None:
                    self.assertEqual(got, x)

    def test_every_fixture(self):
        compared = 0
        for model in WITH_DEBUG:
            golden = support.golden(model)
            rows = listed(model)
            for index, block in enumerate(golden.get("debug", ())):
                of_block = [row for row in rows if row["block_index"] == index]
                outputs = list(flat(block["run_output"]))
                with self.subTest(model=model, block=index):
                    self.compare([row for row in of_block if row["output"]], outputs)
                for event in block["events"]:
                    values = list(flat(event["debug_data"]))
                    name = event["name"].replace("native_call_", "")
                    if not values or name == "OPERATOR_CALL":
                        continue
                    with self.subTest(model=model, block=index, operator=name):
                        # A loop runs an instruction several times; upstream has them all in one.
                        made = [row for row in of_block if not row["output"] and
                                row["instruction"] == event["instruction_id"]]
                        self.assertEqual({row["operator"].split(" ")[0] for row in made}, {name})
                        self.compare(made, values)
                        compared += 1
        self.assertGreater(compared, 50)


class Listing(unittest.TestCase):
    def test_join_with_the_record(self):
        done = run(*words("mlp_portable", "--etrecord", fixture("mlp_portable", "model.etrecord"),
                          "--format", "json"))
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        row = support.json_rows(done.stdout)[1]
        self.assertEqual((row["method"], row["module"], row["source"]),
                         ("forward", ["l1"], ["models/zoo.py:16"]))
        self.assertEqual(row["debug_handles"], [1])

    def test_lists_have_a_row_for_each_element(self):
        rows = [row for row in listed("types") if row["kind"] == "tensor_list"]
        self.assertEqual([(row["item"], row["shape"]) for row in rows],
                         [(0, [4, 2]), (1, [4, 2]), (2, [4, 2])])

    def test_without_a_debug_buffer(self):
        done = run("tensors", fixture("mlp_portable", "debug.etdp"), "--no-siblings", "--format",
                   "json")
        self.assertEqual(done.returncode, OK)
        self.assertIn(b"without --debug-buffer", done.stderr)
        for row in support.json_rows(done.stdout):
            self.assertEqual((row["status"], row["mean"], row["hash"]), ("no_buffer", None, None))
            self.assertEqual(row["dtype"], "float32")

    def test_a_cut_debug_buffer_gives_no_number_for_what_is_missing(self):
        whole = listed("mlp_portable")
        data = fixture("mlp_portable", "debug.bin").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder, "cut.bin")
            for size in range(0, len(data), 61):
                cut.write_bytes(data[:size])
                done = run("tensors", fixture("mlp_portable", "debug.etdp"), "--debug-buffer", cut,
                           "--format", "json")
                expected = [row if row["offset"] + row["size_bytes"] <= size else
                            {**row, "status": "outside"} for row in whole]
                missing = sum(row["status"] == "outside" for row in expected)
                rows = support.json_rows(done.stdout)
                for row, wanted in zip(rows, expected):
                    self.assertEqual(row["status"], wanted["status"])
                    self.assertEqual(row["hash"], None if row["status"] == "outside"
                                     else wanted["hash"])
                    self.assertEqual(row["mean"] is None, row["status"] == "outside")
                self.assertEqual(done.returncode, INPUT if missing else OK)
                if missing:
                    self.assertEqual(len(done.stderr.splitlines()), 1)
                    self.assertIn(f"{missing} tensors".encode(), done.stderr)

    def test_choices(self):
        rows = listed("gpt_portable")
        self.assertEqual(listed("gpt_portable", "--only-outputs"),
                         [row for row in rows if row["output"]])
        event = rows[3]["event"]
        self.assertEqual(listed("gpt_portable", "--event", event),
                         [row for row in rows if row["event"] == event])
        rows = listed("multi_method")
        self.assertEqual(listed("multi_method", "--run", 3), [r for r in rows if r["run"] == 3])
        self.assertEqual(listed("multi_method", "--block", 2),
                         [row for row in rows if row["block_index"] == 2])
        runs = {row["run"] for row in rows}
        self.assertGreater(len(runs), 2)
        for top in (1, 2, 100):
            self.assertEqual(listed("multi_method", "--top", top),
                             [row for run in sorted(runs) for row in
                              [row for row in rows if row["run"] == run][:top]])

    def test_columns(self):
        done = run(*words("mlp_portable", "-c", "operator,hash,l2", "--format", "csv"))
        table = list(csv.reader(io.StringIO(done.stdout.decode())))
        self.assertEqual(table[0], ["operator", "hash", "l2"])
        self.assertEqual(len(table), 8)
        done = run(*words("mlp_portable", "--columns", "operator,l2"))
        self.assertIn(b"l2", done.stdout.splitlines()[1])
        done = run(*words("mlp_portable", "--columns", "operator,l3"))
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b'no column "l3"; did you mean l2? The columns are ', done.stderr)

    def test_a_trace_without_tensors(self):
        done = run("tensors", fixture("mlp_portable", "profile.etdp"))
        self.assertEqual(done.returncode, OK)
        self.assertIn(b"no captured tensors", done.stderr)

    def test_filters_that_fit_nothing_say_how_much_there_is(self):
        for more in (("--event", 3), ("--event", 3, "--format", "json")):
            done = run(*words("mlp_portable", *more))
            self.assertEqual(done.returncode, OK)
            self.assertIn(b"none of the 7 captured tensors matches", done.stderr)
            self.assertNotIn(b"no captured tensors", done.stderr)

    def test_another_kind_of_file_is_no_debug_buffer(self):
        trace = fixture("mlp_portable", "debug.etdp")
        with tempfile.TemporaryDirectory() as folder:
            array = pathlib.Path(folder, "a.npy")
            array.write_bytes(b"\x93NUMPY\1\0" + bytes(4000))
            archive = pathlib.Path(folder, "a.zip")
            archive.write_bytes(b"PK\3\4" + bytes(4000))
            for path in (trace, fixture("mlp_portable", "model.pte"), array, archive,
                         fixture("mlp_portable", "model.etrecord")):
                for command in (("tensors", trace), ("inspect", trace),
                                ("sql", "select 1", trace)):
                    done = run(*command, "--debug-buffer", path)
                    self.assertEqual((done.returncode, done.stdout), (INPUT, b""))
                    self.assertEqual(len(done.stderr.splitlines()), 1)
                    self.assertIn(b"expected a debug buffer, found ", done.stderr)

    def test_more_bytes_than_the_trace_refers_to_are_noted(self):
        data = fixture("mlp_portable", "debug.bin").read_bytes()
        trace = fixture("mlp_portable", "debug.etdp")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "debug.bin")
            path.write_bytes(data + bytes(1000))  # a buffer that was written whole
            self.assertEqual(run("tensors", trace, "--debug-buffer", path).stderr, b"")
            path.write_bytes(data + b"\1" * 1000)
            for command in (("tensors", trace), ("tensors", trace, "--only-outputs"),
                            ("inspect", trace)):
                done = run(*command, "--debug-buffer", path)
                self.assertEqual(done.returncode, OK)
                self.assertIn(f"has {len(data) + 1000} bytes, but the trace uses {len(data)}: "
                              "it may be the debug buffer of another run".encode(), done.stderr)

    def test_the_own_debug_buffer_is_taken_without_a_note(self):
        for model in WITH_DEBUG:
            self.assertNotIn(b"refers to", run(*words(model)).stderr)

    def test_usage(self):
        self.assertEqual(run("tensors").returncode, USAGE)
        self.assertEqual(run("tensors", "a", "b", "c").returncode, USAGE)
        trace = fixture("mlp_portable", "debug.etdp")
        for needs in (["b"], ["--save", "x"]):
            done = run("tensors", trace, *needs, "--no-siblings")
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(b"needs --debug-buffer", done.stderr)
        for whole in (["--show"], ["--save", "x.npz"], ["relu"]):
            done = run("tensors", trace, "--top", 3, *whole)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(b"--top is for the list: ", done.stderr)
        self.assertEqual(run("tensors", trace, "--top", -1).returncode, USAGE)
        self.assertEqual(run("tensors", trace, "--run", 9).returncode, USAGE)
        self.assertEqual(run("tensors", trace, "--method", "forward").returncode, USAGE)


class Saving(unittest.TestCase):
    def test_files_hold_the_elements(self):
        for model in ("types", "conv_portable"):
            data = fixture(model, "debug.bin").read_bytes()
            with tempfile.TemporaryDirectory() as folder:
                target = pathlib.Path(folder, "tensors")
                rows = listed(model, "--save", target)
                files = sorted(target.iterdir())
                self.assertEqual(len(files), len(rows))
                for row in rows:
                    item = "" if row["item"] is None else f"-item{row['item']}"
                    name = row["operator"].strip("()")
                    path = target / f"run{row['run']}-event{row['event']:05}-{name}{item}.npy"
                    content = path.read_bytes()
                    start = 10 + struct.unpack_from("<H", content, 8)[0]
                    code = CODES[row["dtype"]]
                    values = numbers_of(data, row)
                    self.assertEqual(content[start:], struct.pack(f"<{len(values)}{code}", *values))
                    shape = "(" + ", ".join(map(str, row["shape"])) + \
                        (",)" if len(row["shape"]) == 1 else ")")
                    self.assertIn(f"'shape': {shape}".encode(), content[:start])

    def test_a_folder_that_cannot_be_made(self):
        done = run(*words("mlp_portable", "--save", "/proc/none/tensors"))
        self.assertEqual(done.returncode, support.INTERNAL)


if __name__ == "__main__":
    unittest.main()

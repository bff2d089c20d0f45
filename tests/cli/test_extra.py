"""What etscope's own tracer adds to a trace: believed by `inspect`, shown by `info`, `run` says it.

The blocks are put together here, by docs/SPEC.md, so that no test needs the runtime but the last.
"""

import json
import re
import pathlib
import struct
import unittest

import run_support
import support
from support import by_number, call, framework

EXECUTE = ("Execute", [
    call("native_call_permute_copy.out", 0, 1000, 3000), call("OPERATOR_CALL", 0, 900, 3100),
    call("native_call_addmm.out", 1, 4000, 9000), call("OPERATOR_CALL", 1, 3900, 9100),
    framework("Method::execute", 500, 9600)])


class Extra(support.FolderTest):
    def dump(self, *runs, **block):
        path = support.make_dump(self.folder / "t.etdp", list(runs) or [EXECUTE])
        return support.add_extra(path, support.extra_block(**block)) if block else path

    def ok(self, *words):
        done = support.run(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def fails(self, code, message, *words):
        done = support.run(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr.decode())


class Devices(Extra):
    def device(self, name, *lines):
        path = support.make_dump(self.folder / name, [EXECUTE])
        value = "".join(line + "\n" for line in lines).encode()
        return support.add_extra(path, support.extra_block(values=[(19, value)]))

    def test_extra__the_device_is_told(self):
        path = self.device("a.etdp", "model=A Board", "cores=4 of 1800 MHz", "limit_mhz=2400 2400", "=x", "nothing",
                           "temperature=41.0 42.5", "a_later_fact=1 2")  # fmt: skip
        text = self.ok("info", path).stdout.decode()
        for line in ("device         A Board", "cores          4 of 1800 MHz",
                     "clock limit    2400 before, 2400 MHz after the runs",
                     "temperature    41.0 before, 42.5 degrees Celsius after the runs", "a_later_fact   1 2"):
            self.assertIn(f"  {line}\n", text)
        facts = json.loads(self.ok("info", path, "--format", "json").stdout)
        self.assertEqual(facts["rows"][0]["trace"]["device"],
                         {"model": "A Board", "cores": "4 of 1800 MHz", "limit_mhz": "2400 2400",
                          "temperature": "41.0 42.5", "a_later_fact": "1 2"})  # fmt: skip
        self.assertNotIn("clock", self.ok("inspect", path).stdout.decode())

    def test_extra__a_lowered_clock_is_said_first(self):
        path = self.device("a.etdp", "limit_mhz=2400 1800", "temperature=41.0 72.5")
        first = self.ok("inspect", path, "--width", "300").stdout.decode().splitlines()[0]
        self.assertEqual(first, "the system lowered the clock from 2400 to 1800 MHz at most while this was recorded "
                         "(temperature 41.0 to 72.5 degrees Celsius): the later runs are slower by it")
        for line in ("limit_mhz=2400 2390", "limit_mhz=1800 2400", "limit_mhz=2400", "limit_mhz=2400 18x0",
                     "limit_mhz=2400 1800 3", "limit_mhz= 1800"):
            path = self.device("b.etdp", line)
            self.assertNotIn("lowered", self.ok("inspect", path).stdout.decode(), line)

    def trust(self, *lines):
        """What a report says of how far its times can be believed."""
        path = self.device("a.etdp", *lines)
        page = self.ok("report", path, "-o", "-").stdout.decode()
        head = json.loads(re.search(r"(?s)id=.etscope-head.>(.*?)</script>", page)[1])
        return [sentence for sentence in head["trust"] if "recorded on" in sentence]

    def test_extra__a_report_says_the_device_and_what_else_ran(self):
        board = ("model=A Board", "system=Linux 6.1.0 aarch64", "cores=2 of 1800 MHz, 2 of 2400 MHz")
        told = "recorded on A Board, Linux 6.1.0 aarch64, cores 2 of 1800 MHz, 2 of 2400 MHz"
        busy = "; other programs ran on the device (3 threads when the runs began, load average 2.10 on 4 cores): " \
               "times may be longer by them"  # fmt: skip
        self.assertEqual(self.trust(*board), [told])
        self.assertEqual(self.trust(*board, "load=2.10 2.00", "others=3 0"), [told + busy])
        for free in (("load=1.90 4.00", "others=3 3"), ("load=2.10 2.00", "others=0 3"), ("load=2.10 2.00",),
                     ("load=2.10", "others=3 3"), ("load=x 1", "others=3 3")):  # fmt: skip
            self.assertEqual(self.trust(*board, *free), [told], free)
        self.assertEqual(self.trust(*board, "temperature=41.0 52.5"),
                         [told + "; the temperature rose from 41.0 to 52.5 degrees Celsius"])
        self.assertEqual(self.trust("governor=performance"), ["recorded on governor performance"])
        text = self.ok("info", self.device("a.etdp", "load=2.10 2.00", "others=3 0")).stdout.decode()
        facts = self.ok("info", self.device("b.etdp", "clock_mhz=1800 900", "temperature=41.0",
                                            "battery=80 Charging")).stdout.decode()
        self.assertIn("clock          1800 before, 900 MHz after the runs\n", facts)
        self.assertIn("temperature    41.0 degrees Celsius\n", facts)
        self.assertIn("battery        80 percent, Charging\n", facts)
        self.assertIn("load average   2.10 before, 2.00 after the runs (of the last minute)\n", text)
        self.assertIn("other threads  3 before, 0 after the runs (running or waiting for a core)\n", text)

    def test_extra__recordings_of_two_devices_are_told_apart(self):
        first = self.device("a.etdp", "model=A Board", "governor=schedutil", "system=one")
        other = self.device("b.etdp", "model=A Board", "governor=performance", "system=two")
        note = "note: recorded on different devices, "
        done = self.ok("diff", first, other).stderr.decode()
        self.assertIn(note + "governor schedutil before and governor performance after: the difference may be theirs",
                      done)
        other = self.device("b.etdp", "model=Another", "governor=performance")
        self.assertIn(note + "A Board before and Another after", self.ok("diff", first, other).stderr.decode())
        for other in (self.device("b.etdp", "model=A Board"), self.dump()):
            self.assertNotIn(note, self.ok("diff", first, other).stderr.decode())

    def test_extra__run_tells_the_device(self):
        done = run_support.call("run", run_support.DATA / "mlp_portable" / "model.pte", "-o", self.folder / "t.etdp")
        if done.returncode == run_support.UNAVAILABLE:
            self.skipTest(done.stderr)
        facts = json.loads(self.ok("info", self.folder / "t.etdp", "--format", "json").stdout)
        self.assertRegex(facts["rows"][0]["trace"]["device"]["cores"], r"^\d")


class Units(Extra):
    def test_extra__times_are_nanoseconds_whatever_is_said(self):
        path = self.dump(clock=(1, 1, 1_000_000))
        plain = support.rows(path)
        self.assertEqual(plain[0]["avg_ns"], 9100)
        for unit in ("us", "ms", "s", "cycles"):
            done = self.ok("inspect", path, "--source-time-scale", unit, "--format", "json")
            self.assertEqual(support.json_rows(done.stdout), plain)
            self.assertIn("the trace states that its times are ns: ignored "
                          f"--source-time-scale {unit}", done.stderr.decode())
        done = self.ok("inspect", path, "--source-time-scale", "ns")
        self.assertEqual(done.stderr, b"")
        self.fails(support.USAGE, "its times are ns, which cannot be converted to --target-time-scale cycles",
                   "inspect", path, "--source-time-scale", "cycles", "--target-time-scale",
                   "cycles")

    def test_extra__upstreams_table_is_the_same_without_the_block(self):
        bare = self.ok("inspect", self.dump(), "--format", "upstream").stdout
        path = self.dump(cost=64, runs=[("forward", 0, 2, 0)])
        self.assertEqual(self.ok("inspect", path, "--format", "upstream").stdout, bare)
        scaled = self.ok("inspect", path, "--format", "upstream", "--source-time-scale",
                         "us")
        self.assertEqual(scaled.stdout, bare)
        beside = pathlib.Path(path).with_suffix(".tsv")
        self.ok("inspect", path, "--subtract-overhead", "--tsv-path", beside)
        self.assertEqual(beside.read_bytes(), bare)


def head(instruction, flags=0, part=b"", next_event=0):
    """What the entries of values begin with: of run 0 and chain 0."""
    return struct.pack("<IIiIiHH", 0, next_event, 0, instruction, -1, flags, len(part))


def reduced(instruction, mean, **place):
    """A TENSOR entry: four float32 of which all are `mean`."""
    shape = struct.pack("<qBBHIqq", -1, 6, 1, 104 + 8, 0, 4, 1)
    summary = struct.pack("<4Q7dQIId", 4, 0, 0, 0, mean, mean, abs(mean), 4 * mean, 4 * abs(mean),
                          4 * mean * mean, 0, 0xabcdef, 1, 0, mean)
    return 6, head(instruction, **place) + bytes(8) + shape + summary


class Values(Extra):
    """What an ETDump has no place for is listed where it was logged."""

    def test_extra__reduced_tensors_and_strings_are_listed(self):
        path = self.dump(runs=[("forward", 0, 2, 0)], values=[
            reduced(0, 1.5), (5, head(0) + b"relu"), reduced(1, -2.0, next_event=2)])
        done = self.ok("tensors", path, "--format", "json")
        self.assertEqual(done.stderr, b"")
        rows = support.json_rows(done.stdout)
        self.assertEqual(
            [(row["event"], row["instruction"], row["index"], row["operator"], row["kind"],
              row["status"], row["mean"], row["text"]) for row in rows],
            [(None, 0, 0, "permute_copy.out", "tensor", "reduced", 1.5, None),
             (None, 0, 1, "permute_copy.out", "string", "no_numbers", None, "relu"),
             (None, 1, 0, "addmm.out", "tensor", "reduced", -2.0, None)])
        self.assertEqual((rows[0]["shape"], rows[0]["dtype"], rows[0]["size_bytes"],
                          rows[0]["first_values"], rows[0]["hash"]),
                         ([4], "float32", 16, [1.5], "0000000000abcdef"))
        table = self.ok("tensors", path).stdout.decode()
        self.assertIn("relu", table)
        self.assertIn("mean", table)

    def test_extra__filters_are_told(self):
        path = self.dump(runs=[("forward", 0, 2, 0)], filtered=2 | 32)
        self.assertIn("note: only some runs have operators, intermediate values, or filters "
                      "left some of them out", self.ok("inspect", path).stderr.decode())
        self.assertIn("filtered       operators, intermediates",
                      self.ok("info", path).stdout.decode())
        (facts,) = support.json_rows(self.ok("info", path, "--format", "json").stdout)
        self.assertEqual(facts["trace"]["filtered"], ["operators", "intermediates"])


class Overhead(Extra):
    def test_extra__is_shown_and_taken_off(self):
        path = self.dump(cost=64.0, runs=[("forward", 0, 2, 0)])
        heading = support.below_headline(self.ok("inspect", path).stdout)[0]
        self.assertEqual(heading,
                         "Execute - method forward - 1 run, tracing overhead about 0.3 us per run")
        done = self.ok("inspect", path, "--subtract-overhead", "--all", "--format", "json")
        found = {(row["operator"], row["instruction"]): row["avg_ns"]
                 for row in support.json_rows(done.stdout)}
        self.assertEqual(found, {
            ("Method::execute", None): 9100 - 4 * 64 - 32,
            ("OPERATOR_CALL", 0): 2200 - 64 - 32, ("permute_copy.out", 0): 2000 - 32,
            ("OPERATOR_CALL", 1): 5200 - 64 - 32, ("addmm.out", 1): 5000 - 32})
        heading = support.below_headline(
            self.ok("inspect", path, "--subtract-overhead").stdout)[0]
        self.assertTrue(heading.endswith("subtracted tracing overhead of about 0.3 us per run"), heading)

    def heading(self, path, *words):
        return support.below_headline(self.ok("inspect", path, *words).stdout)[0]

    def measured(self, low, median, high, method="forward", test_case=-1, pairs=200):
        return (16, struct.pack("<iIqqq", test_case, pairs, median, low, high) + method.encode())

    def test_extra__profilers_of_delegates_are_not_in_the_estimate(self):
        run = ("Execute", [by_number(1, 0, 1000, 3000), call("DELEGATE_CALL", 0, 900, 3100),
                           framework("Method::execute", 500, 9600)])
        path = self.dump(run, cost=64.0, runs=[("forward", 0, 2, 0)])
        self.assertIn("tracing overhead about 0.1 us per run (without the delegate's own profiler)",
                      self.heading(path))
        self.assertIn("subtracted tracing overhead of about 0.1 us per run (without the delegate's "
                      "own profiler)", self.heading(path, "--subtract-overhead"))

    def test_extra__what_was_measured_is_shown(self):
        path = self.dump(cost=64.0, runs=[("forward", 0, 2, 0)],
                         values=[self.measured(6910, 7200, 7600)])
        self.assertIn("tracing overhead 6.9..7.6 us per run (measured)", self.heading(path))
        self.assertIn("subtracted tracing overhead of about 0.3 us per run of 6.9..7.6 us measured",
                      self.heading(path, "--subtract-overhead"))
        (row,) = self.ok("dump", path).stdout and [
            json.loads(self.ok("dump", path).stdout)["rows"][0]["extra"]["untraced"][0]]
        self.assertEqual(row, {"method": "forward", "test_case": None, "pairs": 200,
                               "median_ns": 7200, "low_ns": 6910, "high_ns": 7600})

    def test_extra__a_measurement_of_other_runs_or_without_sense_is_not(self):
        for entry in (self.measured(6910, 7200, 7600, method="other"),
                      self.measured(6910, 7200, 7600, test_case=0),
                      self.measured(6910, 7200, 7600, pairs=0), self.measured(8000, 7200, 7600),
                      self.measured(-1 << 63, 0, (1 << 63) - 1), (16, b"short")):
            path = self.dump(cost=64.0, runs=[("forward", 0, 2, 0)], values=[entry])
            self.assertIn("tracing overhead about 0.3 us per run", self.heading(path))

    def test_extra__groups_are_without_it_too(self):
        path = self.dump(cost=64.0)
        done = self.ok("inspect", path, "--subtract-overhead", "--group-by", "op", "--format",
                       "json")
        found = {row["operator"]: row["avg_ns"] for row in support.json_rows(done.stdout)}
        self.assertEqual(found, {"addmm.out": 4968, "permute_copy.out": 1968,
                                 "(between operators)": 9100 - 288 - 4968 - 1968})

    def test_extra__nothing_to_take_off_is_refused(self):
        for block in ({}, {"cost": 0, "runs": [("forward", 0, 2, 0)]}):
            path = self.dump(**block)
            self.fails(support.USAGE, "does not state the cost of tracing", "inspect", path,
                       "--subtract-overhead")
            self.assertNotIn(b"tracing", self.ok("inspect", path).stdout)


class Losses(Extra):
    def notes(self, **block):
        return self.ok("inspect", self.dump(**block)).stderr.decode()

    def test_extra__what_was_not_kept_is_said(self):
        self.assertEqual(self.notes(cost=1), "")
        self.assertIn("note: 12 events were dropped (first: a buffer of the tracer's was full): the "
                      "trace is incomplete", self.notes(state={0: 5, 1: 12}))
        self.assertIn("note: 1 event was dropped (incorrect calls of the tracer)",
                      self.notes(state={0: 1, 1: 1}))
        self.assertIn("3 events have no name", self.notes(state={2: 3}))
        self.assertIn("2 events ended before they began", self.notes(state={3: 2}))
        self.assertIn("7 older events were overwritten by later ones", self.notes(state={4: 7}))
        self.assertIn("5 frames of the stream were lost", self.notes(state={7: 5}))
        self.assertIn("the tracer had no clock: all times are 0", self.notes(clock=(0, 0, 0)))
        self.assertIn("the start of 1 run is lost (run 0 of the trace)",
                      self.notes(runs=[("forward", 3, 2, 1)]))

    def test_extra__a_damaged_block_is_said_and_passed_over(self):
        path = self.dump(cost=64.0, runs=[("forward", 0, 2, 0)])
        data = bytearray(path.read_bytes())
        data[-40] ^= 1
        path.write_bytes(data)
        for command in ("inspect", "info"):
            done = self.ok(command, path)
            self.assertRegex(done.stderr.decode(),
                             r"byte \d+: the extra block has a wrong checksum")
            self.assertNotIn(b"forward", done.stdout)
            self.assertIn(b"Execute", done.stdout)


class Methods(Extra):
    record = support.fixture("multi_method", "model.etrecord")
    program = support.fixture("multi_method", "model.pte")

    def test_extra__runs_of_two_methods_are_two_blocks(self):
        path = self.dump(EXECUTE, EXECUTE, EXECUTE,
                         runs=[("encode", 0, 2, 0), ("decode", 0, 2, 0), ("encode", 1, 2, 0)])
        rows = support.rows(path)
        self.assertEqual([(row["method"], row["runs"]) for row in rows
                          if row["operator"] == "Method::execute"], [("encode", 2), ("decode", 1)])

    def test_extra__the_named_method_is_the_only_one_tried(self):
        path = self.dump(runs=[("decode", 0, 2, 0)])
        rows = support.rows(path, "--program", self.program)
        self.assertEqual({row["method"] for row in rows}, {"decode"})
        self.assertEqual(rows[1]["kernel"], "aten::permute_copy.out")
        path = self.dump(runs=[("encode", 0, 2, 0)])
        self.fails(support.MISMATCH, "in the program's encode, instruction 2 did not run",
                   "inspect", path, "--program", self.program)
        path = self.dump(runs=[("train", 0, 2, 0)])
        self.fails(support.MISMATCH, "it ran train, which the program does not have", "inspect",
                   path, "--program", self.program)
        self.fails(support.MISMATCH, "it ran train, not decode", "inspect", path, "--program",
                   self.program, "--method", "decode")
        done = self.ok("inspect", path, "--program", self.program, "--allow-mismatch")
        self.assertIn(b"not joined: the trace says that it ran train", done.stdout)

    def test_extra__what_was_ambiguous_is_found(self):
        record = support.make_twins(self.folder / "twins.etrecord")
        for method in ("encode", "forward"):
            done = support.inspect(self.dump(runs=[(method, 0, 2, 0)]), "--etrecord", record)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn(f"Execute - method {method} - 1 run".encode(), done.stdout)
            self.assertIn(b"models/zoo.py", done.stdout)

    def test_extra__another_program_is_a_mismatch(self):
        (facts,) = support.json_rows(self.ok("info", self.program, "--format", "json").stdout)
        number = facts["fingerprint"]
        own = struct.pack("<Q", int(number, 16))
        other = struct.pack("<Q", int(number, 16) ^ 1)
        runs = [("decode", 0, 2, 0)]
        self.ok("inspect", self.dump(runs=runs, fingerprint=own), "--program", self.program)
        self.ok("inspect", self.dump(runs=runs, fingerprint=b"v1.2"), "--program", self.program)
        path = self.dump(runs=runs, fingerprint=other)
        self.ok("inspect", path)
        self.fails(support.MISMATCH, f"made by another program: its fingerprint is "
                   f"{int(number, 16) ^ 1:016x}, this program has {number}", "inspect", path,
                   "--program", self.program)
        done = self.ok("inspect", path, "--program", self.program, "--allow-mismatch")
        self.assertIn("the trace has the fingerprint of another program", done.stderr.decode())
        self.assertIn(b"method decode", done.stdout)


class Info(Extra):
    def test_extra__info_for_people(self):
        path = self.dump(
            ("Default", [framework("Method::init", 0, 10)]), EXECUTE, EXECUTE, cost=61.5,
            clock=(1, 1, 168_000_000), state={0: 5, 1: 12, 4: 3, 5: 1, 6: 2},
            fingerprint=bytes.fromhex("0807060504030201"),
            runs=[("decode", 0, 1, 0), ("decode", 7, 2, 0), ("decode", 8, 2, 0)])
        text = self.ok("info", path).stdout.decode()
        for line in ("times          nanoseconds, of a clock of 168000000 Hz, tied to the ",
                     "tracer's cost  61.5 ns per event, measured",
                     "buffer         48 B of 1008 B used for events, mode ring",
                     "lost           12 events dropped, 3 overwritten in the ring; first error: NO_S",
                     "threads        2", "program        fingerprint 0102030405060708",
                     "method         decode, load", "method         decode, execute",
                     "invocations    7 to 8", "time span      0.009 ms\n"):
            self.assertIn(line, text)

    def test_extra__info_for_programs(self):
        path = self.dump(cost=61.5, state={5: 2, 7: 4}, runs=[("decode", 7, 2, 1)])
        (facts,) = support.json_rows(self.ok("info", path, "--format", "json").stdout)
        trace = facts["trace"]
        self.assertEqual((trace["unit"], trace["event_cost_ns"], trace["mode"]), ("ns", 61.5,
                                                                                 "stream"))
        self.assertEqual((trace["lost_frame_count"], trace["thread_count"], trace["first_error"],
                          trace["fingerprint"]), (4, 1, "OK", None))
        self.assertEqual(facts["runs"], [
            {"name": "Execute", "block": 0, "bundled_input_index": -1, "method": "decode",
             "purpose": "execute", "invocation": 7, "thread": 0, "begin_lost": True}])
        (facts,) = support.json_rows(self.ok("info", self.dump(), "--format", "json").stdout)
        self.assertIsNone(facts["trace"])
        self.assertEqual(facts["runs"][0]["method"], None)


class Recorded(run_support.RunTest):
    """With the runtime: what `run` and `profile` write by default."""

    def test_extra__run_names_method_case_and_program(self):
        folder = run_support.DATA / "multi_method"
        self.ok("run", folder / "model.bpte", "--method", "encode", "--method", "decode",
                "--warmup", 2, "-r", 2, "-o", "t.etdp")
        (facts,) = support.json_rows(self.ok("info", "t.etdp", "--format", "json").stdout)
        self.assertEqual(
            [(run["method"], run["purpose"], run["invocation"], run["bundled_input_index"])
             for run in facts["runs"]],
            [("encode", "load", 0, -1), ("encode", "execute", 2, 0), ("encode", "execute", 3, 0),
             ("decode", "load", 0, -1), ("decode", "execute", 2, 0), ("decode", "execute", 3, 0)])
        (program,) = support.json_rows(
            self.ok("info", folder / "model.pte", "--format", "json").stdout)
        self.assertEqual(facts["trace"]["fingerprint"], program["fingerprint"])
        self.assertGreater(facts["trace"]["event_cost_ns"], 0)
        self.fails(run_support.MISMATCH, "made by another program", "inspect", "t.etdp",
                   "--program", run_support.DATA / "mlp_portable" / "model.pte")

    def test_extra__the_reference_case_is_the_one_that_ran(self):
        folder = run_support.DATA / "mlp_portable"
        if not run_support.have_records():
            self.skipTest("this build reads no ETRecord")
        self.ok("run", folder / "model.bpte", "--case", 2, "--case", 1, "--capture", "outputs",
                "--debug-buffer", "t.bin", "-o", "t.etdp")
        done = self.ok("inspect", "t.etdp", "--etrecord", folder / "model.etrecord",
                       "--debug-buffer", "t.bin", "--compare-results", "--format", "json",
                       "--output", "table.json")
        self.assertEqual([row["case"] for row in support.json_rows(done.stdout)], [2, 1])
        self.assertNotIn("nearest", done.stdout + done.stderr)

    def test_extra__upstreams_tracer_adds_nothing(self):
        program = run_support.DATA / "mlp_portable" / "model.pte"
        self.ok("run", program, "--tracer", "upstream", "-o", "t.etdp")
        (facts,) = support.json_rows(self.ok("info", "t.etdp", "--format", "json").stdout)
        self.assertIsNone(facts["trace"])
        self.fails(run_support.USAGE, "does not state the cost of tracing", "profile", program,
                   "--tracer", "upstream", "--subtract-overhead")
        self.ok("profile", program, "--subtract-overhead")


if __name__ == "__main__":
    unittest.main()

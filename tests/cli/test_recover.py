"""`recover`: traces out of captures, cut, interrupted and damaged, in every form."""

import base64
import os
import random
import struct
import unittest
import zlib

import run_support
import support

CAPTURES = support.DATA / "captures"
FINISHED = (CAPTURES / "finished.bin").read_bytes()
HANG = (CAPTURES / "hang.bin").read_bytes()
MODEL = support.DATA / "mlp_portable" / "model.pte"
RECORD = support.DATA / "mlp_portable" / "model.etrecord"
DUMP = (support.DATA / "mlp_portable" / "profile.etdp").read_bytes()
EVENTS_OF_RUN = 13
NOISE = b"I (1234) wifi: connected, rssi -67\r\n"


def frames_of(stream):
    while stream:
        size = 20 + struct.unpack_from("<I", stream, 12)[0]
        yield stream[:size]
        stream = stream[size:]


def with_fingerprint(stream, fingerprint):
    """The start, the first frame, ends with the fingerprint."""
    start = next(frames_of(stream))
    payload = start[20:68] + fingerprint
    header = start[:12] + struct.pack("<I", len(payload))
    crc = struct.pack("<I", zlib.crc32(payload + header[4:]))
    return header + crc + payload + stream[len(start):]


def chunks(data, size):
    return [data[at:at + size] for at in range(0, len(data), size)]


def lines_of(stream, prefix=b"etsf:", before=b""):
    """The text form, a frame on lines of its own."""
    return [before + prefix + base64.b64encode(part) + b"\r\n"
            for frame in frames_of(stream) for part in chunks(frame, 48)]


def dump_lines(dump):
    lines = [b"etsd:" + base64.b64encode(part) + b"\n" for part in chunks(dump, 48)]
    return lines + [b"etsd:end %d %08x\n" % (len(dump), zlib.crc32(dump))]


def hexdump(data):
    """As hexdump -C prints, repetitions as "*"."""
    lines, before = [], None
    for at in range(0, len(data), 16):
        part = data[at:at + 16]
        if part == before and len(part) == 16:
            if lines[-1] != b"*\n":
                lines.append(b"*\n")
            continue
        before = part
        columns = " ".join(f"{byte:02x}" for byte in part[:8])
        columns += "  " + " ".join(f"{byte:02x}" for byte in part[8:])
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{at:08x}  {columns:<49} |{text}|\n".encode())
    return lines + [b"%08x\n" % len(data)]


def xxd(data):
    lines = []
    for at in range(0, len(data), 16):
        part = data[at:at + 16]
        groups = " ".join(pair.hex() for pair in chunks(part, 2))
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{at:08x}: {groups:<39}  {text}\n".encode())
    return lines


def logged_hex(data):
    return [b"\x1b[0;32mI (%d) trace: " % (100 + i) + part.hex(" ").encode() + b"\x1b[0m\r\n"
            for i, part in enumerate(chunks(data, 16))]


FORMS = {
    "lines": ("base64", lines_of),
    "logged lines": ("base64", lambda data: lines_of(data, before=b"[00:01.234] <inf> app: ")),
    "base64": ("base64", lambda data: base64.encodebytes(data).splitlines(keepends=True)),
    "xxd -p": ("hex", lambda data: [part.hex().encode() + b"\n" for part in chunks(data, 30)]),
    "xxd": ("hex", xxd),
    "hexdump -C": ("hex", hexdump),
    "logged hex": ("hex", logged_hex),
}


class InFolder(support.FolderTest):
    def setUp(self):
        super().setUp()
        self.output = self.folder / "out.etdp"

    def capture(self, data):
        path = self.folder / "capture.log"
        path.write_bytes(data)
        return path

    def call(self, data, *words):
        return support.run("recover", self.capture(data), "-o", self.output, *words)

    def recover(self, data, *words):
        """The report, of a call that has to work."""
        done = self.call(data, "--format", "json", *words)
        self.assertEqual((done.returncode, done.stderr), (support.OK, b""))
        (report,) = support.json_rows(done.stdout)
        return report

    def refuse(self, data, *words):
        done = self.call(data, *words)
        self.assertEqual(done.returncode, support.INPUT)
        self.assertEqual(done.stdout, b"")
        self.assertFalse(self.output.exists())
        return done.stderr.decode()


class Whole(InFolder):
    def test_recover__flatc_and_inspect_read_what_it_writes(self):
        report = self.recover(FINISHED)
        self.assertEqual(report["stream"]["frames"], len(list(frames_of(FINISHED))))
        self.assertEqual((report["run_count"], report["event_count"]), (3, 3 * EVENTS_OF_RUN))
        self.assertEqual(report["output_bytes"], self.output.stat().st_size)
        self.assertEqual((report["stream"]["finished"], report["stream"]["running"]), (True, []))
        self.assertEqual(report["stream"]["dropped_events"], 0)
        rows = support.rows(self.output, "--etrecord", RECORD)
        self.assertIn("addmm.out", [row["operator"] for row in rows])
        blocks = run_support.trace_of(self.output)
        self.assertEqual([(name, len(events)) for name, events in blocks],
                         [("Execute", EVENTS_OF_RUN)] * 3)

    def test_recover__every_form_gives_the_same_trace(self):
        self.recover(HANG)
        expected = self.output.read_bytes()
        for name, (encoding, write) in FORMS.items():
            for words in ([], ["--encoding", encoding]):
                with self.subTest(form=name, words=words):
                    report = self.recover(b"boot\r\n" + b"".join(write(HANG)), *words)
                    self.assertEqual(report["encoding"], encoding)
                    self.assertEqual(self.output.read_bytes(), expected)

    def test_recover__another_encoding_than_it_is_finds_nothing(self):
        lines = b"".join(lines_of(HANG))
        self.assertIn("read as hex", self.refuse(lines, "--encoding", "hex"))
        self.assertIn("read as raw", self.refuse(lines, "--encoding", "raw"))

    def test_recover__reads_standard_input(self):
        done = support.run("recover", "-", "-o", self.output, stdin=HANG)
        self.assertEqual(done.returncode, support.OK)
        self.assertIn(b"standard input: a stream", done.stdout)

    def test_recover__an_etdump_is_written_as_it_is(self):
        forms = {"raw": DUMP, "between": NOISE + DUMP + NOISE, "hex": b"".join(hexdump(DUMP)),
                 "base64": base64.encodebytes(DUMP), "lines": NOISE + b"".join(dump_lines(DUMP))}
        for name, data in forms.items():
            with self.subTest(form=name):
                report = self.recover(data)
                self.assertIsNone(report["stream"])
                self.assertEqual(self.output.read_bytes(), DUMP)

    def report(self, log):
        """For people."""
        done = self.call(log)
        self.assertEqual((done.returncode, done.stderr), (support.OK, b""))
        return done.stdout.decode()

    @staticmethod
    def echo(name, data):
        text = base64.b64encode(data)
        return b'# Writing ' + name + b'\necho "' + text + b'" | base64 -d >' + name + b"\n"

    def test_recover__what_the_runner_of_cortex_m_prints(self):
        """A shell's commands, the debug buffer first; only complete ones are read."""
        tensors = bytes(range(99))
        log = NOISE + self.echo(b"debug_buffer.bin", tensors) + self.echo(b"etdump.bin", DUMP)
        text = self.report(log + b"# ETDump parsing example:\npython3 -m devtools.inspector\n")
        self.assertEqual(self.output.read_bytes(), DUMP)
        debug = self.output.with_suffix(".bin")
        self.assertEqual(debug.read_bytes(), tensors)
        self.assertIn("tensors        99 B of captured tensors", text)
        self.assertIn(f"and {debug}; next: etscope inspect", text)
        self.output.unlink()
        done = self.call(log)  # it is not replaced under a name that was not given
        self.assertEqual(done.returncode, 7)
        self.assertIn(b"already exists", done.stderr)
        debug.unlink()
        self.refuse(self.echo(b"etdump.bin", DUMP).replace(b'" | base64 -d', b""))

    def both(self, tensors=b"T" * 64):
        return self.echo(b"debug_buffer.bin", tensors) + self.echo(b"etdump.bin", DUMP)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_recover__the_debug_buffer_replaces_neither_the_trace_nor_an_input(self):
        """Whether the name was given or made, and however it is spelled or linked."""
        self.output = self.folder / "trace.bin"
        capture = self.capture(self.both())
        link = self.folder / "link.etdp"
        link.symlink_to("link.bin")
        record = self.folder / "model.bin"
        record.write_bytes(RECORD.read_bytes())
        before = self.names()
        for words in (["-o", self.output], ["-o", f"{self.folder}/./trace.bin", "--debug-buffer", self.output],
                      ["--debug-buffer", self.folder / "capture.etdp"], ["-o", link],
                      ["-o", self.output, "--debug-buffer", capture],
                      ["-o", self.folder / "t.etdp", "--etrecord", record, "--debug-buffer", f"{self.folder}/./model.bin"]):
            with self.subTest(words=words):
                done = support.run("recover", capture, *words)
                self.assertEqual((done.returncode, done.stdout), (support.USAGE, b""))
                self.assertRegex(done.stderr, rb"--debug-buffer needs another file|both --output and --debug-buffer")
                self.assertEqual(self.names(), before)
        for words in (["-o", self.folder / "model.etdp", "--etrecord", record], ["-o", capture.with_suffix(".bin")]):
            capture.with_suffix(".bin").write_bytes(b"mine")
            done = support.run("recover", capture, *words)
            self.assertNotEqual(done.returncode, support.OK)
            self.assertIn(b"--debug-buffer", done.stderr)
            self.assertEqual(record.read_bytes(), RECORD.read_bytes())
            self.assertEqual(capture.with_suffix(".bin").read_bytes(), b"mine")

    def test_recover__both_files_are_written_or_none(self):
        """A full disk is told at the second file, and leaves no first one without it."""
        done = support.run("recover", self.capture(self.both()), "-o", self.output, "--debug-buffer", "/dev/full")
        self.assertEqual((done.returncode, done.stdout), (support.INTERNAL, b""))
        self.assertIn(b"/dev/full: cannot write: ", done.stderr)
        self.assertEqual(self.names(), ["capture.log"])

    def test_recover__a_name_that_was_made_is_named_by_its_option(self):
        capture = self.capture(self.both())
        self.output.with_suffix(".bin").write_bytes(b"mine")
        done = support.run("recover", capture, "-o", self.output)
        self.assertEqual(done.returncode, support.INTERNAL)
        self.assertIn(b"out.bin already exists; name another output with --debug-buffer\n", done.stderr)
        self.assertEqual(self.names(), ["capture.log", "out.bin"])

    def test_recover__a_debug_buffer_that_is_not_written_is_said(self):
        done = support.run("recover", self.capture(self.both()), "-o", "/dev/null", "-f", "json")
        self.assertEqual(done.returncode, support.OK)
        self.assertIn(b"the debug buffer is not written", done.stderr)
        self.assertIn(b"--debug-buffer", done.stderr)
        (row,) = support.json_rows(done.stdout)
        self.assertEqual((row["debug_buffer"], row["debug_buffer_bytes"]), (None, 64))

    def test_recover__a_runner_that_counts_cycles(self):
        """Its ETDump has no field for that, and its times would be taken for nanoseconds."""
        counters = ["NPU Inferences : 1", "ethos-u : cycle_cnt : 1498202 cycles",
                    "Operator(s) total: 1498202 CPU cycles", "cpu_wait_for_npu_cntr : 729 CPU cycles",
                    "ethosu_pmu_cycle_cntr : 5920305", "ethosu_pmu_cntr0 : 359921",
                    "Ethos-U PMU Events:[ETHOSU_PMU_EXT0_RD_DATA_BEAT_RECEIVED, ETHOSU_PMU_NPU_IDLE]"]
        log = NOISE + "".join(
            f"I [executorch:arm_perf_monitor.cpp:{120 + i} StopMeasurements()] {line}\r\n"
            for i, line in enumerate(counters)).encode()
        log += self.echo(b"etdump.bin", DUMP)
        log += b"python3 -m devtools.inspector.inspector_cli --source_time_scale cycles\n"
        text = self.report(log)
        self.assertIn("times          cycles of the device's counter", text)
        for line in counters:
            self.assertIn(line + "\n", text)
        self.assertEqual(self.output.read_bytes()[4:len(DUMP)], DUMP[4:])
        done = support.run("inspect", self.output)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b" cycles per run", done.stdout)
        self.assertNotIn(b" us", done.stdout)
        facts = support.run("info", self.output).stdout.decode()
        self.assertIn("times          cycles\n", facts)
        self.assertNotRegex(facts, " ms|lost  ")  # what nobody counted is not said to be 0
        self.output.unlink()
        row = self.recover(log)
        self.assertEqual(row["counters"], counters)
        self.assertIs(row["is_in_cycles"], True)
        self.assertIsNone(row["debug_buffer"])

    def start(self, number, tensors, mark=b"#[RUN THIS]\n", dump=DUMP):
        """What the runner prints each time that it starts."""
        files = b"" if tensors is None else self.echo(b"debug_buffer.bin", tensors)
        return b"NPU Inferences : %d\r\n" % number + mark + files + self.echo(b"etdump.bin", dump)

    def test_recover__debug_buffer_and_counters_are_of_the_recovered_etdump(self):
        """Of several starts, cut ones among them; with and without the runner's mark."""
        other = (support.DATA / "cond" / "profile.etdp").read_bytes()
        for mark in (b"#[RUN THIS]\n", b""):
            first = self.start(1, b"1" * 8, mark, other)
            second = self.start(2, b"2" * 16, mark)
            bare = self.start(3, None, mark)
            in_dump = second[:-60]  # its debug buffer is whole, its ETDump is not
            in_buffer = second[:second.index(b'" | base64')]
            cases = {"last": (first + second, 16, 2), "no buffer": (first + bare, 0, 3),
                     "cut ETDump before": (in_dump + NOISE + bare, 0, 3), "cut last": (second + in_dump, 16, 2),
                     "cut buffer before": (in_buffer + NOISE + bare, 0, 3),
                     "first of all": (second + in_buffer, 16, 2)}
            if mark:
                cases["no ETDump between"] = (second[:second.index(b"# Writing etdump")] + bare, 0, None)
                cut = second.replace(b"| base64 -d >debug", b"")
                cases["cut buffer"] = (first + cut, 0, 2)
            for name, (log, tensors, number) in cases.items():
                with self.subTest(name, mark=mark):
                    debug = self.output.with_suffix(".bin")
                    debug.unlink(missing_ok=True)
                    done = self.call(log, "-f", "json")
                    self.assertEqual(done.returncode, support.OK)
                    (row,) = support.json_rows(done.stdout)
                    self.assertEqual(self.output.read_bytes(), DUMP)
                    self.assertEqual(row["debug_buffer_bytes"], tensors)
                    self.assertEqual(debug.exists() and debug.stat().st_size, tensors or False)
                    if number is not None:
                        self.assertEqual(row["counters"], [f"NPU Inferences : {number}"])
                    has_others = tensors == 0 and name not in ("cut buffer before",)
                    self.assertEqual(b"but not of the recovered ETDump" in done.stderr, has_others, done.stderr)
        for log in (b"\n" + self.echo(b"debug_buffer.bin", b"T" * 8) + self.echo(b"etdump.bin", FINISHED),
                    self.echo(b"etdump.bin", DUMP)):
            done = self.call(log, "--debug-buffer", self.folder / "wanted.bin")
            self.assertEqual(done.returncode, support.OK)
            self.assertRegex(done.stderr, b"no debug buffer is written: the capture has (1, but not of the"
                                          b" recovered stream|none)")
            self.assertFalse((self.folder / "wanted.bin").exists())

    def test_recover__the_unit_is_what_the_written_etdump_states(self):
        """Whether the log's word for cycles could be put into it or not."""
        says = b"python3 -m devtools.inspector.inspector_cli --source_time_scale cycles\n"
        self.recover(self.echo(b"etdump.bin", DUMP) + says)
        marked = self.output.read_bytes()
        self.recover(FINISHED)
        own = self.output.read_bytes()
        self.assertEqual(own[-4:], b"ETSX")
        cases = {"marked": (DUMP, True), "before": (marked, True), "own": (own, False), "no size": (DUMP[4:], False)}
        for name, (dump, is_in_cycles) in cases.items():
            with self.subTest(name):
                done = self.call(self.echo(b"etdump.bin", dump) + says, "-f", "json")
                (row,) = support.json_rows(done.stdout)
                self.assertIs(row["is_in_cycles"], is_in_cycles)
                facts = support.run("info", self.output).stdout
                self.assertEqual(b"times          cycles\n" in facts, is_in_cycles)
                self.assertEqual(b"the ETDump is written as it is: it " in done.stderr, not is_in_cycles)
                self.assertEqual(b"--source-time-scale cycles" in done.stderr, name == "no size")
        done = support.run("inspect", self.output, "--source-time-scale", "cycles")
        self.assertIn(b" cycles per run", done.stdout)
        self.assertNotIn(b"times  ", self.call(self.echo(b"etdump.bin", own) + says).stdout)

    def test_recover__a_summary_in_lines_is_written_as_it_is(self):
        summary = (support.DATA / "summaries" / "named.etsum").read_bytes()
        lines = dump_lines(summary)
        report = self.recover(NOISE + b"".join(lines))
        self.assertEqual((report["run_count"], report["event_count"], report["stream"]), (200, 0, None))
        self.assertEqual(self.output.read_bytes(), summary)
        capture = self.output.parent / "uart.log"
        capture.write_bytes(b"".join(lines))
        done = support.run("recover", capture)
        self.assertIn(b"a summary of 200 runs\n", done.stdout)
        self.assertRegex(done.stdout, rb"uart\.etsum, %d B; next: etscope info .*uart\.etsum\n$" % len(summary))
        self.assertEqual(capture.with_suffix(".etsum").read_bytes(), summary)
        self.output.unlink()
        self.assertIn("is complete: lines are missing or torn", self.refuse(b"".join(lines[:3] + lines[4:])))

    def test_recover__of_several_etdumps_the_last_whole_one_is_taken(self):
        other = (support.DATA / "cond" / "profile.etdp").read_bytes()
        torn = dump_lines(other)
        del torn[3]
        done = self.call(b"".join(dump_lines(other) + dump_lines(DUMP) + torn))
        self.assertEqual(self.output.read_bytes(), DUMP)
        self.assertIn(b"2 complete; recovered the last", done.stdout)
        self.output.unlink()
        self.assertIn("is complete: lines are missing or torn", self.refuse(b"".join(torn)))


class Damaged(InFolder):
    def test_recover__a_cut_anywhere_leaves_a_trace_that_can_be_read(self):
        first = len(next(frames_of(HANG)))
        before = 0
        for size in range(first, len(HANG) + 1, 41):
            report = self.recover(HANG[:size])
            self.assertGreaterEqual(report["event_count"], before)
            before = report["event_count"]
            self.assertEqual(support.run("info", self.output).returncode, support.OK, size)
        self.assertGreater(before, 2 * EVENTS_OF_RUN)
        self.output.unlink()
        self.refuse(HANG[:first - 1])

    def test_recover__other_text_costs_only_the_frames_that_it_is_in(self):
        chance = random.Random(4)
        for name, (_, write) in FORMS.items():
            for _ in range(5):
                data = bytearray(b"".join(write(HANG)))
                at = chance.randrange(len(data))
                data[at:at] = NOISE
                with self.subTest(form=name, at=at):
                    stream = self.recover(bytes(data))["stream"]
                    lost = stream["lost_frames"] + stream["damaged_frames"]
                    self.assertLessEqual(lost, 6)
                    self.assertGreaterEqual(stream["frames"], len(list(frames_of(HANG))) - 3)

    def test_recover__lines_of_others_between_cost_nothing(self):
        for name in ("lines", "logged lines", "logged hex"):
            with self.subTest(form=name):
                lines = [line + NOISE for line in FORMS[name][1](HANG)]
                stream = self.recover(b"".join(lines))["stream"]
                self.assertEqual((stream["lost_frames"], stream["damaged_frames"]), (0, 0))
                self.assertEqual(stream["frames"], len(list(frames_of(HANG))))

    def test_recover__lost_frames_are_counted_and_said_in_the_trace(self):
        frames = list(frames_of(HANG))
        stream = self.recover(b"".join(frames[:9] + frames[11:]))["stream"]
        self.assertEqual((stream["frames"], stream["lost_frames"]), (len(frames) - 2, 2))

    def test_recover__nothing_in_it_is_an_error(self):
        for data in (b"", b"boot: ok\n" * 100, b"\xabTSF" * 50, bytes(1000), b"etsf:\netsd:end\n"):
            self.assertIn("no whole stream frame", self.refuse(data))


class Running(InFolder):
    def test_recover__the_operator_that_hung_is_named(self):
        report = self.recover(HANG, "--program", MODEL)
        self.assertFalse(report["stream"]["finished"])
        self.assertIsNone(report["stream"]["dropped_events"])
        running = report["stream"]["running"]
        self.assertEqual([event["name"] for event in running],
                         ["Method::execute", "OPERATOR_CALL", "native_call_addmm.out"])
        self.assertEqual([event["chain"] for event in running], [-1, 0, 0])
        self.assertEqual([event["instruction"] for event in running][1:], [4, 4])
        self.assertEqual([event["operator"] for event in running],
                         [None, "aten::addmm.out", "aten::addmm.out"])
        self.assertEqual({event["method"] for event in running}, {"forward"})
        self.assertEqual(running[1]["lasted_ns"], 2_000_000)
        self.assertGreater(running[1]["began_ns"], running[0]["began_ns"])

    def test_recover__people_are_told_with_source_lines(self):
        done = self.call(HANG, "--etrecord", RECORD, "--program", MODEL)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertIn("native_call_addmm.out at instruction 4, aten::addmm.out, models/zoo.py:16",
                      done.stdout.decode())
        self.assertIn(f"etscope inspect {self.output} --etrecord {RECORD}", done.stdout.decode())

    def test_recover__a_program_of_another_model_names_nothing_wrong(self):
        other = support.DATA / "linear_fp32_xnnpack" / "model.pte"
        for event in self.recover(HANG, "--program", other)["stream"]["running"]:
            self.assertIsNone(event["operator"])

    def test_recover__a_program_of_another_fingerprint_is_told_and_names_nothing(self):
        (program,) = support.json_rows(support.run("info", MODEL, "--format", "json").stdout)
        own = int(program["fingerprint"], 16)
        for number, is_other in ((own, False), (own ^ 1 << 63, True)):
            done = self.call(with_fingerprint(HANG, struct.pack("<Q", number)), "--program", MODEL)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(b"aten::addmm.out" in done.stdout, not is_other)
            self.assertIn(b"native_call_addmm.out", done.stdout)
            self.assertIn(b" 0 damaged", done.stdout)
            told = f"fingerprint is {number:016x}, but this file's is {own:016x}"
            self.assertEqual(told in done.stderr.decode(), is_other)
        done = self.call(with_fingerprint(HANG, b"v1.2"), "--program", MODEL)
        self.assertEqual(done.stderr, b"")
        self.assertIn(b"aten::addmm.out", done.stdout)

    def test_recover__a_run_that_was_broken_off_is_noted_where_it_is_read(self):
        for data, count in ((HANG, 1), (FINISHED, 0)):
            self.recover(data)
            done = support.run("inspect", self.output)
            self.assertEqual(done.stderr.count(b"did not finish: it has no Method::execute"), count)

    def test_recover__each_start_of_the_device_is_a_part(self):
        both = HANG + FINISHED
        report = self.recover(both)
        self.assertEqual((report["part"], report["part_count"]), (2, 2))
        self.assertTrue(report["stream"]["finished"])
        first = self.recover(both, "--part", "1")
        self.assertFalse(first["stream"]["finished"])
        self.assertEqual(len(first["stream"]["running"]), 3)
        self.assertIn(b"part 1: 47 frames, not finished, running native_call_addmm.out",
                      self.call(both).stdout)
        self.assertEqual(self.call(both, "--part", "3").returncode, support.USAGE)


class Outputs(InFolder):
    def test_recover__the_default_output_is_beside_the_capture(self):
        done = support.run("recover", self.capture(HANG))
        self.assertEqual(done.returncode, support.OK)
        made = self.folder / "capture.etdp"
        self.assertTrue(made.exists())
        made.write_bytes(b"mine")
        done = support.run("recover", self.capture(HANG))
        self.assertEqual(done.returncode, support.INTERNAL)
        self.assertIn(b"already exists", done.stderr)
        self.assertEqual(made.read_bytes(), b"mine")

    def test_recover__wrong_words_are_refused(self):
        path = self.capture(HANG)
        for words in ([], [path, path], [path, "-o", "-"], ["-"], [path, "--encoding", "morse"],
                      ["-", "-o", self.output, "--program", "-"]):
            self.assertEqual(support.run("recover", *words).returncode, support.USAGE, words)
        done = support.run("recover", self.folder / "none.log")
        self.assertEqual(done.returncode, support.INPUT)

    def test_recover__an_output_that_cannot_be_written_is_an_error(self):
        done = support.run("recover", self.capture(HANG), "-o", self.folder / "no" / "out.etdp")
        self.assertEqual((done.returncode, done.stdout), (support.INTERNAL, b""))

    def test_recover__names_of_the_capture_do_not_reach_the_terminal_as_they_are(self):
        hostile = bytearray(HANG)
        at = hostile.index(b"native_call_addmm.out")
        frame = hostile.rindex(b"\xabTSF", 0, at)
        hostile[at:at + 6] = b"\x1b[31m!"
        size = struct.unpack_from("<I", hostile, frame + 12)[0]
        payload = bytes(hostile[frame + 20:frame + 20 + size])
        crc = zlib.crc32(bytes(hostile[frame + 4:frame + 16]), zlib.crc32(payload))
        struct.pack_into("<I", hostile, frame + 16, crc)
        done = self.call(bytes(hostile))
        self.assertEqual(done.returncode, support.OK)
        self.assertNotIn(b"\x1b", done.stdout)
        self.assertIn(b"\\x1b[31m!", done.stdout)


class Kinds(unittest.TestCase):
    def test_recover__other_commands_point_to_it(self):
        for command, code in (("info", support.OK), ("inspect", support.OK), ("dump", support.INPUT)):
            for name in ("hang.bin", "uart.log"):
                done = support.run(command, CAPTURES / name)
                self.assertEqual(done.returncode, code)
                self.assertIn(b"etscope recover", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""Small files that ask for much: what every command takes of memory and time, and gives, is bounded.

SECURITY.md states the bound: 512 MiB and 256 times the bytes of the files; 2 GiB more where a graph
is evaluated.
"""

import base64
import json
import pathlib
import struct
import unittest
import zipfile

import support
from bomb_support import (EVALUATION, FLOOR, IS_LONG, Bounded, chain, delegate_calls, logged_values,
                          many_runs, memo, one_handle, payload, scaled, shared_cases, shared_names,
                          shared_tensor, torch_saved, tosa_payload, vela_payload, wide_call,
                          vulkan_payload)

EVERY_FORMAT = ("table", "markdown", "tsv", "csv", "json", "jsonl")
# All formats are written by one of two writers; `make test-long` tries each with every file.
FORMATS = EVERY_FORMAT if IS_LONG else ("table", "json")


class Bombs(Bounded):
    def check_trace(self, path, record=(), formats=FORMATS):
        for form in formats:
            for words in (("inspect",), ("inspect", "--tree"), ("inspect", "--group-by", "op"),
                          ("inspect", "--group-by", "run"), ("inspect", "--all"), ("summary",),
                          ("tensors",)):
                self.check(words[0], path, *words[1:], *record, "--format", form)
            self.check("diff", path, path, *record, "--format", form)
            for table in ("events", "operators", "runs"):
                self.check("sql", f"select * from {table}", path, *record, "--format", form)
            if record:
                self.check("annotate", path, *record, "--format", form)
        for form in ("table", "json"):
            self.check("info", path, "--format", form)

    def test_bombs__events_share_a_name(self):
        for size, formats in ((2048, EVERY_FORMAT), (200000, FORMATS)):
            path = shared_names(self.folder / f"events{size}.etdp", scaled(4000), b"n" * size)
            self.check_trace(path, formats=formats)

    def test_bombs__names_that_escapes_make_longer(self):
        self.check_trace(shared_names(self.folder / "escapes.etdp", scaled(4000), b"\033" * 2048))

    def test_bombs__events_without_much(self):
        self.check_trace(shared_names(self.folder / "plain.etdp", scaled(20000), b"n"))

    def test_bombs__runs_share_a_name(self):
        self.check_trace(many_runs(self.folder / "runs.etdp", 3000, 4000))

    def test_bombs__calls_share_a_delegate(self):
        for size in (4096, 500000):
            path = delegate_calls(self.folder / f"calls{size}.pte", scaled(20000), b"b" * size)
            for form in FORMATS:
                self.check("delegates", path, "--format", form)
                self.check("sql", "select * from instructions", path, "--format", form)
            for form in ("table", "json"):
                self.check("info", path, "--format", form)

    def test_bombs__nodes_share_a_handle(self):
        trace = shared_names(self.folder / "one.etdp", 3000, b"OPERATOR_CALL", False)
        for nodes, size in ((300, 20000), (1000, 20)):
            record = one_handle(self.folder / "one.etrecord", "mlp_portable", 3000, nodes, size)
            self.check_trace(trace, ("--etrecord", record), ("table", "json"))

    def test_bombs__traces_that_are_gated(self):
        budget = self.folder / "budget.txt"
        budget.write_text("operator * p50 <= +5%\n" * 50)
        for size in (1, 2048):
            trace = shared_names(self.folder / f"gate{size}.etdp", scaled(4000), b"n" * size, False)
            for form in ("table", "json"):
                self.check("gate", trace, trace, "--budget", budget, "--format", form)
            self.check("gate", trace, trace, "--budget", budget, "--junit", "/dev/null")

    def test_bombs__values_share_a_tensor(self):
        buffer = self.folder / "shared.bin"
        trace = shared_tensor(self.folder / "shared.etdp", buffer, scaled(5000), 1 << 20)
        record = one_handle(self.folder / "tensors.etrecord", "mlp_portable", scaled(5000), 1000, 20)
        words = ("--debug-buffer", buffer, "--etrecord", record, "--allow-mismatch")
        for form in ("table", "json"):
            self.check("tensors", trace, *words[:2], "--format", form)
            self.check("gap", trace, *words, "--format", form)
            self.check("annotate", trace, *words, "--format", form)

    def test_bombs__values_that_join_their_record(self):
        """Each value is compared, where they may be; and a graph may need all values at once."""
        buffer, array = self.folder / "joined.bin", self.folder / "joined.npy"
        size = 1 << 20
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }\n" % (size // 4)
        array.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + bytes(size))
        for count, gathers, said in ((300, False, ""), (5000, False, "they overlap"),
                                     (1000, True, "exceeds the memory limit for values")):
            trace = logged_values(self.folder / "joined.etdp", buffer, count, size)
            record = chain(self.folder / "joined.etrecord", count, size // 4, gathers)
            words = (trace, "--debug-buffer", buffer, "--etrecord", record, "--input", array,
                     "--reference", "edge", "--allow-mismatch")
            for command in ("gap", "annotate"):
                for form in ("table", "json") if IS_LONG else ("json",):
                    code, message = self.check(command, *words, "--format", form,
                                               floor=FLOOR + EVALUATION)
                    if code != support.UNAVAILABLE:
                        self.assertEqual(code, support.INPUT if said else support.OK, message)
                        self.assertIn(said, message)
            self.check("gap", *words, "--alignment")

    def test_bombs__a_wide_delegate_and_a_long_program_are_none(self):
        """Honest files of thousands of operators in one call, or of instructions, are read."""
        inner, record = self.folder / "inner.etrecord", self.folder / "wide.etrecord"
        for count in (1400, 10000):
            trace = wide_call(self.folder / "wide.etdp", count)
            support.replace_entries(chain(inner, count, 16, False), record, {
                "debug_handle_map": json.dumps({"forward": {"0": list(range(1, count + 1))}}),
                "delegate_map": json.dumps({"forward": {"0": {"name": "XnnpackBackend",
                                                              "delegate_map": {}}}})})
            for words in (("inspect",), ("inspect", "--tree"), ("annotate",)):
                code, message = self.check(words[0], trace, *words[1:], "--etrecord", record)
                self.assertEqual(code, support.OK, message)
        trace = shared_names(self.folder / "long.etdp", 50000, b"native_call_relu.out", False)
        chain(record, 50000, 16, False)
        for words in (("inspect",), ("inspect", "--tree"), ("annotate",)):
            code, message = self.check(words[0], trace, *words[1:], "--etrecord", record)
            self.assertEqual(code, support.OK, message)

    def test_bombs__captures(self):
        dump = pathlib.Path(shared_names(self.folder / "in.etdp", 4000, b"n" * 2048)).read_bytes()
        frame = (support.DATA / "captures" / "finished.bin").read_bytes()[:200]
        for name, data in (("raw", dump), ("hex", dump.hex().encode()), ("frames", frame * 5000),
                           ("starts", b"\xabTSF\1" * 200000), ("dumps", b"ED00" * 250000),
                           ("lines", b"etsf:" + base64.b64encode(b"\xabTSF\1" * 200000))):
            path = self.folder / f"{name}.log"
            path.write_bytes(data)
            for form in ("table", "json"):
                self.check("recover", path, "-o", "/dev/null", "--format", form)

    def test_bombs__test_cases_share_their_values(self):
        program = support.fixture("mlp_portable", "model.pte")
        path = shared_cases(self.folder / "cases.bpte", program, 2000, 64)
        large = shared_cases(self.folder / "large.bpte", program, 30, 1 << 20)
        for bundle in (path, large):
            for form in ("table", "json"):
                self.check("info", bundle, "--format", form)
                self.check("verify", bundle, "--format", form)
            self.check("run", bundle, "--case", "0", "-o", "/dev/null")
            self.check("bundle", program, "--cases-from", bundle, "-o", "/dev/null")

    def test_bombs__inputs_of_a_run(self):
        program = pathlib.Path(support.fixture("mlp_portable", "model.pte"))
        array = self.folder / "x.npy"
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % (b"1048576, " * 3)
        array.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header) + 1) + header + b"\n")
        packed = self.folder / "x.npz"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x.npy", bytes(64 << 20))
        for path in (array, packed):
            self.check("run", program, "--input", path, "-o", "/dev/null")
            self.check("bundle", program, "--case", path, "-o", "/dev/null")
        record = self.folder / "memo.etrecord"
        for entry in ("representative_inputs", "reference_outputs"):
            support.replace_entries(support.fixture("mlp_portable", "model.etrecord"), record,
                                    {entry: torch_saved(memo(30))})
            self.check("run", program, "--inputs", "etrecord", "--etrecord", record, "-o", "/dev/null")
            self.check("info", record)

    def test_bombs__calls_share_a_payload(self):
        for nodes, values in ((5000, 10), (10, 5000)):
            path = delegate_calls(self.folder / "payload.pte", scaled(20000), b"XnnpackBackend",
                                  payload(nodes, values))
            trace = shared_names(self.folder / "payload.etdp", scaled(4000), b"Convert #1")
            for form in ("table", "json"):
                self.check("info", path, "--format", form)
                self.check("delegates", path, "--format", form)
                self.check("delegates", path, trace, "--allow-mismatch", "--format", form)
                self.check("inspect", trace, "--program", path, "--allow-mismatch",
                           "--format", form)
            self.check("sql", "select * from instructions", path)
            for form in ("dot", "model-explorer"):
                self.check("export", path, "--to", form, "-o", "-")
            for words in (("cost",), ("memory",), ("size",), ("advise",), ("dump",),
                          ("report", "-o", "-")):
                self.check(words[0], path, *words[1:])

    def test_bombs__arguments_share_a_list(self):
        for calls, arguments, items in ((1, 100000, 100000), (5000, 5000, 100)):
            path = delegate_calls(self.folder / "lists.pte", 20, b"VulkanBackend",
                                  vulkan_payload(calls, arguments, items))
            for words in (("info",), ("size",), ("cost",), ("memory",), ("delegates",),
                          ("export", "--to", "dot", "-o", "-")):
                self.check(words[0], path, *words[1:])

    def test_bombs__regions_name_each_other(self):
        for regions, operators in ((2, 2), (1000, 1000), (20000, 1), (1, 20000)):
            path = delegate_calls(self.folder / "regions.pte", 20, b"TOSABackend",
                                  tosa_payload(regions, operators))
            for words in (("info",), ("size",), ("cost",), ("delegates",),
                          ("export", "--to", "dot", "-o", "-")):
                self.check(words[0], path, *words[1:])

    def test_bombs__commands_without_end(self):
        same = [2] * 100000  # convolutions of one element, all of the same memory
        other = [word for at in range(30000) for word in (0x4010, 16 * at, 2)]
        sparse = [word for at in range(30000) for word in (0x4015, 99, 0x8000 << 16 | 0x112, 6)]
        for commands in (same, other, sparse):
            path = delegate_calls(self.folder / "commands.pte", 20, b"EthosUBackend",
                                  vela_payload(commands))
            for words in (("info",), ("size",), ("cost",), ("memory",), ("delegates",),
                          ("export", "--to", "dot", "-o", "-")):
                self.check(words[0], path, *words[1:])


if __name__ == "__main__":
    unittest.main()

"""`etscope diff` of two programs: the answer, what is the same whatever its number is, and all that
upstream's diff_pte says (tests/data/differences)."""

import base64
import json
import struct
import unittest

import support
from support import DATA, fixture

NEGATIVE = 1


def program(name):
    """The program of a fixture, or one of several in a folder."""
    path = DATA / name
    return path / "model.pte" if path.is_dir() else path.with_suffix(".pte")


def diff(*words):
    done = support.run("diff", *words)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def document(*words):
    code, out, error = diff(*words, "--format", "json")
    assert code in (support.OK, NEGATIVE), error
    return json.loads(out)


def named(rows, part, change=None):
    return sorted(row["name"] for row in rows
                  if row["part"] == part and change in (None, row["change"]))


class Answers(support.FolderTest):
    def test_diff__of_equal_bytes_says_so_and_ends_with_0(self):
        code, out, _ = diff(fixture("mlp_portable", "model.pte"),
                            fixture("mlp_portable", "model.pte"))
        self.assertEqual((code, out), (support.OK, "the programs are equal, byte by byte\n"))

    def test_diff__takes_the_program_inside_of_a_bundle(self):
        code, out, _ = diff(fixture("mlp_portable", "model.pte"),
                            fixture("mlp_portable", "model.bpte"))
        self.assertEqual((code, out), (support.OK, "the programs are equal, byte by byte\n"))

    def test_diff__takes_a_program_from_standard_input(self):
        path = fixture("mlp_portable", "model.pte")
        for words in ((path, "-"), ("-", path)):
            done = support.run("diff", *words, "--brief", stdin=path.read_bytes())
            self.assertEqual((done.returncode, done.stdout),
                             (support.OK, b"the programs are equal, byte by byte\n"), done.stderr)

    def test_diff__leads_with_what_the_delegate_took_and_where_it_is_written(self):
        code, out, _ = diff(fixture("mlp_portable", "model.pte"),
                            fixture("mlp_xnnpack", "model.pte"), "--brief")
        self.assertEqual(code, NEGATIVE)
        self.assertEqual(out, "1 of 1 method differs: XnnpackBackend took 4 operators (6 instructions), "
                              "from linear at zoo.py:16 to _softmax at zoo.py:16; 2.2 KiB less planned memory; "
                              "the file is 384 B larger\n")

    def test_diff__says_which_call_took_an_instruction_over(self):
        rows = document(fixture("mlp_portable", "model.pte"),
                        fixture("mlp_xnnpack", "model.pte"))["rows"]
        relu, = [row for row in rows if row["part"] == "instruction"
                 and row["name"] == "aten::relu.out"]
        self.assertEqual((relu["change"], relu["before"], relu["after"]),
                         ("delegated", "instruction 2", "XnnpackBackend, instruction 0"))
        self.assertEqual(relu["source"], "models/zoo.py:16")

    def test_diff__arguments_say_what_is_an_input_or_output(self):
        _, out, _ = diff(fixture("mlp_portable", "model.pte"), fixture("conv_portable", "model.pte"))
        self.assertIn("1, 1, value 79 (output), value 79 (output))", out)

    def test_diff__names_constants_as_the_model_does(self):
        rows = document(fixture("mlp_portable", "model.pte"),
                        fixture("mlp_xnnpack", "model.pte"))["rows"]
        self.assertEqual(named(rows, "constant"),
                         ["l1.bias", "l1.weight", "l2.bias", "l2.weight"])

    def test_diff__the_other_way_round_the_delegate_gave_back(self):
        _, out, _ = diff(fixture("mlp_xnnpack", "model.pte"),
                         fixture("mlp_portable", "model.pte"), "--brief")
        self.assertIn("XnnpackBackend gave back 4 operators (6 instructions), from linear at zoo.py:16", out)

    def test_diff__without_records_counts_calls(self):
        found = document(fixture("mlp_portable", "model.pte"), fixture("mlp_xnnpack", "model.pte"),
                         "--no-siblings")
        self.assertIn("1 call of XnnpackBackend is new; 2 calls of aten::permute_copy are gone, "
                      "and 3 other kernels", found["headline"])
        call, = [row for row in found["rows"] if row["part"] == "instruction"
                 and row["change"] == "added"]
        self.assertEqual((call["name"], call["before"], call["after"]),
                         ("XnnpackBackend", None, "instruction 0"))
        self.assertEqual({row["change"] for row in found["rows"] if row["part"] == "instruction"},
                         {"removed", "added"})

    def test_diff__brief_has_no_rows(self):
        found = document(fixture("mlp_portable", "model.pte"), fixture("mlp_xnnpack", "model.pte"),
                         "--brief")
        self.assertEqual(found["rows"], [])
        self.assertIn("1 of 1 method differs", found["headline"])

    def test_diff__every_format_has_all_rows(self):
        words = fixture("mlp_portable", "model.pte"), fixture("mlp_xnnpack", "model.pte")
        count = len(document(*words)["rows"])
        for kind in ("csv", "tsv", "jsonl"):
            code, out, _ = diff(*words, "--format", kind)
            self.assertEqual(code, NEGATIVE)
            self.assertEqual(len(out.splitlines()), count + (kind != "jsonl"))

    def test_diff__things_of_one_part_follow_each_other(self):
        rows = document(DATA / "torchao" / "8da4w.pte", DATA / "torchao" / "int8_weights.pte")["rows"]
        parts = [row["part"] for row in rows if row["method"] is not None]
        starts = [part for i, part in enumerate(parts) if i == 0 or parts[i - 1] != part]
        self.assertEqual(len(starts), len(set(starts)), starts)

    def test_diff__top_says_what_it_does_not_show(self):
        _, out, _ = diff(fixture("mlp_portable", "model.pte"),
                         fixture("mlp_xnnpack", "model.pte"), "--top", "2")
        self.assertIn("not shown: 2 kernels, 5 instructions, 2 constants, 3 tensors\n", out)


class Sameness(support.FolderTest):
    """A change of one thing, made in the file's bytes, is told as this thing and nothing else."""

    def changed(self, model, at, new):
        data = bytearray(fixture(model, "model.pte").read_bytes())
        data[at:at + len(new)] = new
        path = self.folder / "changed.pte"
        path.write_bytes(data)
        return document(fixture(model, "model.pte"), path, "--no-siblings")

    def test_diff__a_weight(self):
        data = fixture("mlp_portable", "model.pte").read_bytes()
        base, = struct.unpack_from("<Q", data, 24)
        old, = struct.unpack_from("<f", data, base)
        found = self.changed("mlp_portable", base, struct.pack("<f", old + 0.5))
        row, = found["rows"]
        self.assertEqual((row["part"], row["fields"]), ("constant", ["data"]))
        self.assertEqual((row["elements"], row["differing"]), (512, 1))
        self.assertAlmostEqual(row["max_abs_difference"], 0.5, 6)
        self.assertAlmostEqual(row["mean_abs_difference"], 0.5, 6)
        self.assertNotEqual(row["before_hash"], row["after_hash"])
        self.assertIn("1 constant has other values, by up to 0.5", found["headline"])

    def test_diff__max_samples_lists_elements(self):
        data = bytearray(fixture("mlp_portable", "model.pte").read_bytes())
        base, = struct.unpack_from("<Q", data, 24)
        for i in (3, 17, 100):
            struct.pack_into("<f", data, base + 4 * i, 0.25)
        path = self.folder / "changed.pte"
        path.write_bytes(data)
        found = document(fixture("mlp_portable", "model.pte"), path, "--max-samples", "2")
        row, = found["rows"]
        self.assertEqual(row["differing"], 3)
        self.assertEqual(len(row["samples"]), 2)
        self.assertRegex(row["samples"][0], r"^\[0, 3\]: -?0\.\d+ -> 0\.25$")
        self.assertRegex(row["samples"][1], r"^\[1, 1\]: -?0\.\d+ -> 0\.25$")

    def test_diff__verbose_shows_all_rows_and_elements(self):
        words = (fixture("conv_portable", "model.pte"), program("gpt_portable"))
        short, verbose = (diff(*words, *more)[1] for more in ((), ("-v",)))
        self.assertIn("not shown: ", short)
        self.assertNotIn("not shown: ", verbose)
        self.assertGreater(len(verbose.splitlines()), len(short.splitlines()))
        data = bytearray(fixture("mlp_portable", "model.pte").read_bytes())
        at = len(data) - 400
        data[at:at + 80] = struct.pack("<20f", *[0.25] * 20)
        path = self.folder / "changed.pte"
        path.write_bytes(data)
        rows = document(fixture("mlp_portable", "model.pte"), path, "--verbose")["rows"]
        self.assertEqual(max(len(row["samples"]) for row in rows), 10)
        rows = document(fixture("mlp_portable", "model.pte"), path, "-v", "--max-samples", "1")["rows"]
        self.assertEqual(max(len(row["samples"]) for row in rows), 1)
        code, _, error = diff(fixture("mlp_portable", "profile.etdp"),
                              fixture("mlp_portable", "profile.etdp"), "-v")
        self.assertEqual(code, support.USAGE)
        self.assertIn("--verbose needs programs", error)

    def test_diff__padding_is_no_difference(self):
        data = fixture("mlp_portable", "model.pte").read_bytes()
        path = self.folder / "padded.pte"
        path.write_bytes(data + bytes(64))
        code, out, _ = diff(fixture("mlp_portable", "model.pte"), path)
        self.assertEqual(code, support.OK)
        self.assertIn("equal in content", out)

    def test_diff__a_methods_name(self):
        data = fixture("mlp_portable", "model.pte").read_bytes()
        found = self.changed("mlp_portable", data.index(b"forward\0"), b"forwarD")
        row, = found["rows"]
        self.assertEqual((row["part"], row["fields"], row["before"], row["after"]),
                         ("method", ["name"], "forward", "forwarD"))

    def test_diff__a_kernels_overload(self):
        data = fixture("mlp_portable", "model.pte").read_bytes()
        found = self.changed("mlp_portable", data.index(b"aten::relu"), b"aten::silu")
        self.assertEqual(named(found["rows"], "kernel"), ["aten::relu.out", "aten::silu.out"])
        self.assertEqual(named(found["rows"], "instruction"), ["aten::relu.out", "aten::silu.out"])
        self.assertIn("1 call of aten::relu is gone, and the calls of 1 other kernel changed",
                      found["headline"])

    def test_diff__an_offset_in_planned_memory_is_a_row_and_no_input_that_differs(self):
        data = fixture("mlp_portable", "model.pte").read_bytes()
        found = self.changed("mlp_portable", data.rindex(struct.pack("<I", 2304)),
                             struct.pack("<I", 2288))
        row, = found["rows"]
        self.assertEqual((row["part"], row["fields"]), ("input", ["offset"]))
        self.assertIn("1 tensor lies elsewhere in planned memory", found["headline"])
        self.assertNotIn("differs;", found["headline"].partition(":")[2])


class Payloads(support.FolderTest):
    def nodes(self, before, after):
        return [row for row in document(before, after)["rows"] if row["part"] == "node"]

    def test_diff__a_quantized_payload_differs_in_its_nodes(self):
        changed, added = self.nodes(fixture("linear_fp32_xnnpack", "model.pte"),
                                    fixture("linear_int8_xnnpack", "model.pte"))
        self.assertEqual((added["change"], added["name"], added["after"]),
                         ("added", "Convert, node 0", "output 0 qdint8 [16, 256]"))
        self.assertEqual((changed["change"], changed["name"], changed["before_index"],
                          changed["after_index"]), ("changed", "FullyConnected, node 0", 0, 1))
        self.assertEqual(changed["fields"], ["arguments", "dtype", "data", "quantization"])
        self.assertTrue(changed["before"].startswith("input 0 fp32 is argument 0, input 1 fp32, "),
                        changed["before"])
        self.assertIn("input 1 qcint8 quantized per channel of dimension 0", changed["after"])
        self.assertEqual(changed["module"], "linear")

    def test_diff__a_clamp_and_a_stride_are_parameters(self):
        rows = self.nodes(fixture("mlp_xnnpack", "model.pte"), fixture("gpt_xnnpack", "model.pte"))
        self.assertEqual(rows[0]["name"], "FullyConnected, node 0")
        self.assertIn("parameters", rows[0]["fields"])
        self.assertTrue(rows[0]["before"].startswith("clamp [0, inf], "), rows[0]["before"])
        self.assertTrue(rows[0]["after"].startswith("no clamp, "), rows[0]["after"])
        self.assertEqual([row["name"] for row in rows if row["change"] == "removed"],
                         ["FullyConnected, node 1", "Softmax, node 2"])

    def test_diff__a_weight_of_a_payload_is_named_data_and_no_node(self):
        path = fixture("mlp_xnnpack", "model.pte")
        data = bytearray(path.read_bytes())
        found = json.loads(support.run("dump", path).stdout)["rows"][0]
        entry = next(row for row in found["segments"] if row["role"] == "named_data")
        data[entry["offset"]] ^= 1
        changed = self.folder / "changed.pte"
        changed.write_bytes(data)
        rows = document(path, changed)["rows"]
        self.assertEqual([(row["part"], row["change"], row["fields"]) for row in rows],
                         [("named data", "changed", ["data"])])


class MovedConstants(support.FolderTest):
    def constants(self, before, after):
        return [row for row in document(before, after)["rows"] if row["part"] == "constant"]

    def alike(self):
        """The portable MLP, and the delegated one with the weights of the portable one."""
        before, after = fixture("mlp_portable", "model.pte"), fixture("mlp_xnnpack", "model.pte")
        told = [json.loads(support.run("dump", path, "--bytes").stdout)["rows"][0]
                for path in (before, after)]
        weights = {row["bytes"]: row for row in told[0]["constants"]}
        data, source = bytearray(after.read_bytes()), before.read_bytes()
        for segment in told[1]["segments"]:
            if segment["role"] == "named_data":
                row = weights[segment["bytes"]]
                end = row["offset"] + row["bytes"]
                data[segment["offset"]:segment["offset"] + row["bytes"]] = source[row["offset"]:end]
        copy = self.folder / "delegated.pte"
        copy.write_bytes(data)
        return before, copy

    PLACES = ["delegate 0, node 0 (FullyConnected)"] * 2 + ["delegate 0, node 1 (FullyConnected)"] * 2

    def test_diff__weights_with_the_same_bytes_in_a_payload_moved_there(self):
        rows = document(*self.alike())["rows"]
        moved = [row for row in rows if row["part"] == "constant"]
        self.assertEqual([(row["change"], row["after"], row["fields"]) for row in moved],
                         [("delegated", place, []) for place in self.PLACES])
        for row in moved:
            self.assertEqual((row["before_bytes"], row["before_hash"]),
                             (row["after_bytes"], row["after_hash"]))
        self.assertEqual(named(rows, "named data"), [])

    def test_diff__the_other_way_round_they_came_back(self):
        before, after = self.alike()
        rows = self.constants(after, before)
        self.assertEqual([(row["change"], row["before"]) for row in rows],
                         [("undelegated", place) for place in self.PLACES])

    def test_diff__other_bytes_without_records_are_other_constants(self):
        done = support.run("diff", fixture("mlp_portable", "model.pte"),
                           fixture("mlp_xnnpack", "model.pte"), "--no-siblings", "--format", "json")
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual(len(named(rows, "constant", "removed")), 4)
        self.assertEqual(len(named(rows, "named data", "added")), 4)

    def test_diff__a_weight_in_another_order_is_found_by_its_name(self):
        rows = self.constants(fixture("conv_portable", "model.pte"),
                              fixture("conv_xnnpack", "model.pte"))
        row, = [row for row in rows if row["name"] == "c1.weight"]
        self.assertEqual((row["change"], row["fields"], row["after"]),
                         ("delegated", ["data"], "delegate 0, node 1 (Conv2d), as fp32 [8, 3, 3, 3]"))
        self.assertNotEqual(row["before_hash"], row["after_hash"])
        # Folded into others by the export: gone.
        self.assertEqual(named(rows, "constant", "removed")[2:],
                         ["bn.bias", "bn.running_mean", "bn.running_var", "bn.weight"])


class TestCases(support.FolderTest):
    def changed(self, where, flip=1):
        """A bundle with one bit of a case's value flipped: where is (input or output, case)."""
        path = fixture("mlp_portable", "model.bpte")
        data = bytearray(path.read_bytes())
        part, case = where
        row, = json.loads(support.run("dump", path, "--bytes").stdout)["rows"]
        tested = row["flatbuffer"]["method_test_suites"][0]["test_cases"][case]
        value, = tested["inputs" if part == "input" else "expected_outputs"]
        tensor = value["val"]["data"]
        at = data.find(base64.b64decode(tensor["data"]))
        data[at + 1] ^= flip
        copy = self.folder / "changed.bpte"
        copy.write_bytes(data)
        return path, copy

    def test_diff__of_equal_bundles_says_that_the_cases_are_equal(self):
        path = fixture("mlp_portable", "model.bpte")
        self.assertEqual(diff(path, path)[:2],
                         (support.OK, "the programs are equal, byte by byte; all 3 test cases are equal\n"))

    def test_diff__an_expected_output_that_differs(self):
        found = document(*self.changed(("output", 1)))
        self.assertEqual(found["headline"],
                         "the programs are equal, byte by byte; 1 of 3 test cases differs")
        row, = found["rows"]
        self.assertEqual((row["part"], row["name"], row["fields"], row["elements"],
                          row["differing"]),
                         ("expected output", "forward #1 output 0", ["data"], 8, 1))
        self.assertNotEqual(row["before_hash"], row["after_hash"])
        self.assertGreater(row["max_abs_difference"], 0)

    def test_diff__an_input_that_differs(self):
        code, out, _ = diff(*self.changed(("input", 2)), "--brief")
        self.assertEqual((code, out), (NEGATIVE, "the programs are equal, byte by byte; "
                                                 "1 of 3 test cases differs\n"))

    def test_diff__another_number_of_cases_and_another_shape(self):
        rows = document(fixture("mlp_portable", "model.bpte"),
                        DATA / "schemes" / "static.bpte")["rows"]
        self.assertEqual(named(rows, "test case", "removed"), ["forward #1", "forward #2"])
        row, = [row for row in rows if row["part"] == "test input"]
        self.assertEqual((row["name"], row["fields"]), ("forward #0 input 0", ["sizes", "dim order", "data"]))

    def test_diff__of_a_program_and_a_bundle_leaves_the_cases_out(self):
        path = fixture("mlp_portable", "model.bpte")
        code, out, _ = diff(path.with_suffix(".pte"), path)
        self.assertEqual((code, out), (support.OK, "the programs are equal, byte by byte\n"))


class Upstream(unittest.TestCase):
    """Whatever diff_pte of executorch 1.5.1 reports is in our rows."""

    def check_plan(self, rows, plan):
        self.assertEqual(named(rows, "kernel", "removed"), plan["operators_before"])
        self.assertEqual(named(rows, "kernel", "added"), plan["operators_after"])
        for change, key in (("removed", "delegates_before"), ("added", "delegates_after")):
            self.assertEqual(named(rows, "delegate", change), plan[key])
        if plan["arenas"][0] is not None:
            before = plan["arenas"][0][1:]
            after = plan["arenas"][1][1:]
            for row in rows:
                if row["part"] == "arena" and row["before_index"] is not None:
                    self.assertEqual(row["before_bytes"], before[row["before_index"]])
                if row["part"] == "arena" and row["after_index"] is not None:
                    self.assertEqual(row["after_bytes"], after[row["after_index"]])
            self.assertTrue(named(rows, "arena"))
        method = [row for row in rows if row["part"] == "method"]
        for key in ("values", "instructions"):
            if plan[key][0] is None:
                continue
            self.assertIn(key, method[0]["fields"])
            for side, count in zip(("before", "after"), plan[key]):
                what = key.removesuffix("s") if count == 1 else key
                self.assertIn(f"{count} {what}", method[0][side].split(", "))

    def test_diff__reports_what_diff_pte_reports(self):
        for answer in json.loads((DATA / "differences" / "diff_pte.json").read_text()):
            with self.subTest(before=answer["before"], after=answer["after"]):
                found = document(program(answer["before"]), program(answer["after"]))
                self.assertEqual(not found["rows"], answer["equal"])
                for plan in answer["plans"].values():
                    if plan["name"] is not None:
                        continue  # it compares two methods by position that have other names
                    methods = {row["method"] for row in found["rows"] if row["method"]}
                    if len(methods) == 1:
                        self.check_plan(found["rows"], plan)


class Mistakes(support.FolderTest):
    def test_diff__of_a_program_and_a_trace_names_both(self):
        code, _, error = diff(fixture("mlp_portable", "model.pte"),
                              fixture("mlp_portable", "profile.etdp"))
        self.assertEqual(code, support.MISMATCH)
        self.assertIn("one is a program, the other is not", error)

    def test_diff__of_a_program_and_what_cannot_be_read_says_why(self):
        empty = self.folder / "empty.pte"
        empty.write_bytes(b"")
        for other, reason in ((self.folder / "missing.pte", "no such file"),
                              (self.folder, "directory"), (empty, "an empty file")):
            for words in ((fixture("mlp_portable", "model.pte"), other),
                          (other, fixture("mlp_portable", "model.pte"))):
                code, _, error = diff(*words)
                self.assertEqual(code, support.INPUT, error)
                self.assertIn(other.name, error)
                self.assertIn(reason, error)

    def test_diff__options_of_traces_are_refused(self):
        code, _, error = diff(fixture("mlp_portable", "model.pte"),
                              fixture("mlp_xnnpack", "model.pte"), "--steady")
        self.assertEqual(code, support.USAGE)
        self.assertIn("--steady needs traces", error)

    def test_diff__brief_of_traces_is_refused(self):
        code, _, error = diff(fixture("mlp_portable", "profile.etdp"),
                              fixture("mlp_xnnpack", "profile.etdp"), "--brief")
        self.assertEqual(code, support.USAGE)
        self.assertIn("--brief needs programs", error)

    def test_diff__another_programs_record_is_refused(self):
        code, _, error = diff(fixture("mlp_portable", "model.pte"),
                              fixture("mlp_xnnpack", "model.pte"),
                              "--etrecord", fixture("mlp_xnnpack", "model.etrecord"))
        self.assertEqual(code, support.MISMATCH)
        self.assertIn("the ETRecord does not belong to this program", error)

    def test_diff__a_damaged_program_is_named(self):
        path = self.folder / "cut.pte"
        path.write_bytes(fixture("mlp_portable", "model.pte").read_bytes()[:2000])
        code, out, error = diff(fixture("mlp_portable", "model.pte"), path)
        self.assertEqual((code, out), (support.INPUT, ""))
        self.assertIn("cut.pte", error)


if __name__ == "__main__":
    unittest.main()

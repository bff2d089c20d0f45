"""Events of other backends' runtimes: names, units, joins, and that nothing nested is added. The
traces were made after the runtimes' sources (tests/data/payload_truth), no device ran them."""

import json
import pathlib
import tempfile
import unittest

import support
from support import DATA, OK, call, framework

TRUTH = DATA / "payload_truth"


def arguments(name):
    folder = TRUTH / name
    words = [folder / "made.etdp", "--no-siblings"]
    if (folder / "model.pte").exists() and not name.startswith("ethosu"):
        words += ["--program", folder / "model.pte", "--etrecord", folder / "model.etrecord"]
    return words


def rows_of(name):
    return support.rows(*arguments(name))


def table_of(name, *words):
    done = support.inspect(*arguments(name), *words)
    assert done.returncode == OK, done.stderr
    return done.stdout.decode()


def sql(name, columns):
    done = support.run("sql", f"select {columns} from operators order by id", *arguments(name),
                       "-f", "json")
    assert done.returncode == OK, done.stderr
    return json.loads(done.stdout)["rows"]


def self_of_call(name):
    """The time of the call without what is added up of it, in the tree."""
    done = support.inspect(*arguments(name), "--tree", "-f", "json")
    assert done.returncode == OK, done.stderr
    call_row, = [row for row in json.loads(done.stdout)["rows"]
                 if row["event"] == "DELEGATE_CALL" and row["line"] == "row"]
    return call_row["self_ns"], call_row["avg_ns"]


def by_event(rows):
    return {row["event"]: row for row in rows}


class Vulkan(unittest.TestCase):
    def test_vulkan__dispatches_show_kernel_and_sizes(self):
        events = [row["event"] for row in rows_of("vulkan/lin")]
        for expected in ("linear_texture3d_float 2x32", "relu_texture3d_float 2x32",
                         "linear_texture3d_float 2x8", "nchw_to_image_texture3d_float_float"):
            self.assertIn(expected, events)
        self.assertNotIn("{", "".join(events))

    def test_vulkan__dispatches_are_joined_by_their_node(self):
        for name in ("vulkan/lin", "vulkan/res"):
            calls = json.loads((TRUTH / name / "truth.json").read_text())["partitions"][0]["operators"]
            seen = [(row["delegate_nodes"][0], row) for row in rows_of(name)
                    if row["delegate_nodes"]]
            self.assertEqual({node for node, _ in seen}, {call["name"] for call in calls})
            known = {(call["name"], call["source"]["debug_handle"]) for call in calls
                     if call["source"] and call["source"].get("debug_handle")}
            for node, row in seen:
                if row["tie"] != "near":
                    self.assertEqual(row["tie"], "call")
                    continue
                self.assertEqual(len(row["debug_handles"]), 1)
                if node.startswith("et_vk.conv"):  # the exporter knows no handle of fused ones
                    self.assertIn("aten.convolution.default", row["op_types"])
                else:
                    self.assertIn((node, int(row["debug_handles"][0])), known)

    def test_vulkan__phases_and_dispatches_are_times_that_nothing_adds(self):
        rows = sql("vulkan/lin", "name, clock, avg, self")
        clocks = {row["name"]: row["clock"] for row in rows}
        self.assertEqual(clocks["ETVK_EXECUTE"], "overlapping")
        self.assertEqual(clocks["relu_texture3d_float 2x32"], "device")
        for row in rows:
            if row["clock"] != "trace":
                self.assertGreater(row["avg"], 0)
                self.assertIsNone(row["self"])
        self.assertEqual(*self_of_call("vulkan/lin"))

    def test_vulkan__operators_of_a_call_have_the_times_of_all_their_dispatches(self):
        """A conversion of the weight belongs to its convolution."""
        for words in ((), ("--etrecord", TRUTH / "vulkan/res/model.etrecord")):
            done = support.run("delegates", TRUTH / "vulkan/res/model.pte",
                               TRUTH / "vulkan/res/made.etdp", "--no-siblings", *words, "-f", "json")
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertNotIn(b"no times inside", done.stderr)
            times = [row["mid_ns"] for row in support.json_rows(done.stdout)
                     if "conv" in row["operator"]]
            self.assertEqual([round(time) for time in times], [21522, 22522, 23522])

    def test_vulkan__gpu_times_stand_on_a_track_of_their_own(self):
        done = support.run("export", *arguments("vulkan/lin"), "--to", "chrome", "-o", "-")
        self.assertEqual(done.returncode, OK, done.stderr)
        events = [event for event in json.loads(done.stdout)["traceEvents"] if event["ph"] == "X"]
        tracks = {}
        for event in events:
            tracks.setdefault(event["name"], set()).add(event["tid"])
        self.assertFalse(tracks["relu_texture3d_float 2x32"] & tracks["ETVK_EXECUTE"])
        self.assertFalse(tracks["relu_texture3d_float 2x32"] & tracks["DELEGATE_CALL"])


class CoreMl(unittest.TestCase):
    def test_core_ml__times_are_marked_as_estimates(self):
        inner = [row for row in rows_of("coreml/res_fp16") if ":" in row["event"]
                 and "::" not in row["event"]]
        self.assertEqual(len(inner), 11)
        for row in inner:
            self.assertTrue(row["operator"].endswith("(estimate)"), row["operator"])
            for spread in ("min_ns", "max_ns", "sd_ns", "p10_ns", "p90_ns", "p99_ns"):
                self.assertIsNone(row[spread], spread)
        self.assertEqual({row["clock"] for row in sql("coreml/res_fp16", "name, clock")
                          if row["name"].endswith(":conv")}, {"estimated"})

    def test_core_ml__operations_are_joined_and_not_added(self):
        rows = by_event(rows_of("coreml/res_fp16"))
        conv = rows["aten_conv2d_default_1_cast_fp16:conv"]
        self.assertEqual(conv["tie"], "map")
        self.assertEqual(len(conv["debug_handles"]), 1)
        self.assertEqual(*self_of_call("coreml/res_fp16"))

    def test_core_ml__estimates_are_no_times_of_operators_inside(self):
        done = support.run("delegates", TRUTH / "coreml/res_fp16/model.pte",
                           TRUTH / "coreml/res_fp16/made.etdp", "-f", "json")
        self.assertEqual(done.returncode, OK, done.stderr)
        inner = [row for row in support.json_rows(done.stdout) if row["operator"] == "conv"]
        self.assertEqual([row["mid_ns"] for row in inner], [None] * 3)

    def test_core_ml__what_the_runtime_attaches_can_be_read(self):
        rows = by_event(rows_of("coreml/res_fp16"))
        told = json.loads(rows["aten_conv2d_default_1_cast_fp16:conv"]["metadata"][0])
        self.assertEqual(told["preferredComputeUnit"], "NE")
        self.assertGreater(told["estimatedCost"], 0)

    def test_core_ml__viewers_say_that_it_is_an_estimate(self):
        done = support.run("export", *arguments("coreml/res_fp16"), "--to", "chrome", "-o", "-")
        self.assertEqual(done.returncode, OK, done.stderr)
        lengths = {event["args"].get("length") for event in json.loads(done.stdout)["traceEvents"]
                   if event["ph"] == "X" and event["name"].endswith(":conv")}
        self.assertEqual(lengths, {"estimate, not measured"})

    def test_core_ml__a_trace_alone_is_marked_too(self):
        done = support.inspect(TRUTH / "coreml/res_fp16/made.etdp", "--no-siblings")
        self.assertEqual(done.stdout.decode().count("stimate)"), 11)


class Qnn(unittest.TestCase):
    def test_qnn__values_have_units_and_no_times(self):
        rows = sql("qnn", "name, clock, own_ticks, own_unit, avg")
        seen = [(row["name"], row["own_ticks"], row["own_unit"]) for row in rows
                if row["clock"] == "counted"]
        self.assertEqual(len(seen), 11)
        self.assertIn(("Number of HVX threads used", 4, "count"), seen)
        self.assertIn(("QNN (execute) time", 2949, "us"), seen)
        self.assertIn(("Accelerator (execute) time", 459000, "cycles"), seen)
        self.assertIn(("aten_add_tensor", 20000, "cycles"), seen)
        self.assertTrue(all(row["avg"] is None for row in rows if row["clock"] == "counted"))

    def test_qnn__only_nodes_have_shares_and_they_are_a_whole(self):
        shown = [row["operator"] for row in rows_of("qnn") if row["event"] != "DELEGATE_CALL"]
        shares = [float(text.split(" %")[0]) for text in shown if " % " in text]
        self.assertEqual(len(shares), 5)
        self.assertAlmostEqual(sum(shares), 100, delta=0.3)
        self.assertIn("4.4 % 20,000 cycles aten_add_tensor", shown)
        self.assertIn("2,949 us QNN (execute) time", shown)
        self.assertEqual(*self_of_call("qnn"))


class Arm(unittest.TestCase):
    def test_ethos_u__phases_are_not_added(self):
        rows = by_event(rows_of("ethosu/res_int8"))
        self.assertGreater(rows["+EthosUBackend::execute()NPU"]["avg_ns"], 0)
        self.assertEqual(*self_of_call("ethosu/res_int8"))

    def test_ethos_u__a_trace_without_the_kernels_of_a_program_is_not_its(self):
        """The fixture has the delegate call alone, and a runtime reports kernels, too."""
        for program in ("vgf/res_fp", "ethosu/res_int8"):
            done = support.inspect(TRUTH / "ethosu/res_int8/made.etdp", "--no-siblings", "--program",
                                   TRUTH / program / "model.pte")
            self.assertNotEqual(done.returncode, OK)
            self.assertIn(b"does not belong", done.stderr)

    def test_vgf__phases_are_not_added(self):
        clocks = {row["name"]: row["clock"] for row in sql("vgf/res_fp", "name, clock")}
        self.assertEqual({clock for name, clock in clocks.items() if name.startswith("VGF_")},
                         {"overlapping"})
        self.assertIn("VGF_EXECUTE (not added)", table_of("vgf/res_fp", "--tree"))
        self.assertEqual(*self_of_call("vgf/res_fp"))


class Neutron(unittest.TestCase):
    def test_neutron__kernels_have_numbers_and_a_code(self):
        rows = [row for row in rows_of("neutron") if row["event"].isdigit()]
        self.assertEqual([row["event"] for row in rows], ["0", "1", "2", "3"])
        self.assertTrue(all(row["avg_ns"] is None for row in rows))
        self.assertEqual([row["metadata"] for row in rows],
                         [["(byte 12)"], ["(byte 7)"], ["(byte 33)"], ["(byte 0)"]])


class Joined(unittest.TestCase):
    """Of backends without a program among the fixtures: a record that has their call."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.record = pathlib.Path(folder.name) / "model.etrecord"

    def rows(self, trace, backend, keys):
        calls = {"forward": {"0": {"name": backend, "delegate_map": keys}}}
        support.replace_entries(support.fixture("mlp_xnnpack", "model.etrecord"), self.record,
                                {"delegate_map": json.dumps(calls)})
        return support.rows(trace, "--no-siblings", "--etrecord", self.record)

    def test_neutron__kernels_are_joined_by_the_map(self):
        rows = self.rows(TRUTH / "neutron/made.etdp", "NeutronBackend",
                         {"0": [1], "1": [2], "2": [3, 4]})
        inner = [row for row in rows if row["event"].isdigit()]
        self.assertEqual([row["tie"] for row in inner], ["map", "map", "map", "call"])
        self.assertEqual([row["debug_handles"] for row in inner[:3]], [["1"], ["2"], ["3", "4"]])

    def test_qnn__nodes_are_joined_by_their_name(self):
        trace = self.record.parent / "trace.etdp"
        names = ("aten_relu_default:OpId_5 (cycles)", "nobody:OpId_6 (cycles)",
                 "QNN (execute) time (us)")
        events = [{"delegate": name, "chain": 0, "instruction": 0, "start": 0, "end": 100 + i}
                  for i, name in enumerate(names)]
        support.make_dump(trace, [("Execute", [*events, call("DELEGATE_CALL", 0, 90, 990),
                                               framework("Method::execute", 80, 1000)])])
        rows = by_event(self.rows(trace, "QnnBackend", {}))
        self.assertEqual(rows["aten_relu_default"]["tie"], "map")
        self.assertEqual(rows["aten_relu_default"]["op_types"], ["aten.relu.default"])
        self.assertEqual(len(rows["aten_relu_default"]["debug_handles"]), 1)
        self.assertEqual(rows["nobody"]["tie"], "call")
        self.assertEqual(rows["QNN (execute) time"]["tie"], "call")


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def names(self, *identifiers):
        events = [{"delegate": text, "chain": 0, "instruction": 0, "start": 100 + 2 * i,
                   "end": 101 + 2 * i} for i, text in enumerate(identifiers)]
        trace = support.make_dump(self.folder / "trace.etdp", [
            ("Execute", [*events, call("DELEGATE_CALL", 0, 90, 990),
                         framework("Method::execute", 80, 1000)])])
        seen = [row["event"] for row in support.rows(trace, "--no-siblings")]
        return [name for name in seen if name not in ("DELEGATE_CALL", "Method::execute")]

    def test_hostile_identifiers__stay_as_they_are_or_are_bounded(self):
        kernel = "k" * 400
        sizes = ", ".join(["4294967295"] * 100)
        long = ('{"operator": {"delegate_node_id": 99999999999999999999, "args": [{"type": '
                '"TENSOR", "sizes": [' + sizes + ']}]}, "kernel_name": "' + kernel + '"}')
        deep = '{"operator": ' + "[" * 3000
        cut = '{"kernel_name": "relu", "operator": {"args": [{"type": "TEN'
        names = self.names(long, deep, cut, '{"kernel_name": ""}', '{"kernel_name": 7}')
        self.assertLess(len(names[0]), 320)
        self.assertTrue(names[0].startswith("k" * 80 + "... "), names[0])
        self.assertIn(cut, names)
        self.assertIn('{"kernel_name": ""}', names)
        self.assertIn('{"kernel_name": 7}', names)

    def test_hostile_identifiers__with_units_alone_are_names(self):
        names = self.names(" (us)", "OpId_3", ":OpId_3 (cycles)", "relu:OpId_ (cycles)", "conv")
        self.assertEqual(names, [" (us)", "OpId_3", ":OpId_3", "relu:OpId_", "conv"])


if __name__ == "__main__":
    unittest.main()

"""`etscope tensors`: values as text, .npz files, comparing with files, heat maps."""

import os
import pathlib
import re
import struct
import unittest
import zipfile
import zlib

import support
from support import INPUT, INTERNAL, OK, USAGE, fixture, run

NEGATIVE = 1


def npy(descr, shape, data, fortran=False):
    header = repr({"descr": descr, "fortran_order": fortran, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def floats(*numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


class TensorTest(support.FolderTest):
    model = "mlp_portable"

    def tensors(self, *words, code=OK, model=None, **options):
        model = model or self.model
        done = run("tensors", fixture(model, "debug.etdp"), *words, "--debug-buffer",
                   fixture(model, "debug.bin"), cwd=self.folder, **options)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def listed(self, *words, **options):
        return support.json_rows(self.tensors(*words, "--format", "json", **options)[0])

    def values_of(self, event):
        (row,) = self.listed("--event", event, "--show")
        return row["values"]


class Broken(TensorTest):
    """One NaN in what the relu gave, one infinity in the output."""

    def setUp(self):
        super().setUp()
        data = bytearray(pathlib.Path(fixture(self.model, "debug.bin")).read_bytes())
        for event, number in ((8, "nan"), (21, "inf")):
            (row,) = self.listed(str(event))
            struct.pack_into("<f", data, row["offset"] + 4, float(number))
        (self.folder / "broken.bin").write_bytes(data)

    def broken(self, *words, data="broken.bin", code=OK):
        buffer = () if data is None else ("--debug-buffer", data)
        done = run("tensors", fixture(self.model, "debug.etdp"), *words, *buffer, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def test_where_nan_begins_is_said(self):
        self.assertIn("note: 1 tensor has NaN, first in event 8; --only-nonfinite", self.broken()[1])
        self.assertNotIn("NaN", self.tensors()[1])

    def test_only_those(self):
        rows = support.json_rows(self.broken("--only-broken", "--format", "json")[0])
        self.assertEqual([(row["event"], row["nan"], row["inf"]) for row in rows],
                         [(8, 1, 0), (21, 0, 1)])
        self.broken("--only-broken", "--save", "broken.npz")
        with zipfile.ZipFile(self.folder / "broken.npz") as saved:
            self.assertEqual(saved.namelist(), ["run1-event00008-relu.out.npy",
                                                "run1-event00021-output.npy"])

    def test_none(self):
        out, error = self.tensors("--only-broken")
        self.assertEqual((out, error),
                         ("", "note: no selected tensor has NaN or infinite elements\n"))
        self.assertIn("7 tensors have no statistics without --debug-buffer",
                      self.broken("--only-broken", "--no-siblings", data=None)[1])

    def test_the_event_of_an_instruction(self):
        self.assertIn("note: event 4 has no tensor; instruction 4 is event 14",
                      self.tensors("4")[1])


class Choosing(TensorTest):
    def events(self, *words):
        return [row["event"] for row in self.listed(*words)]

    def test_by_event_name_and_filters(self):
        self.assertEqual(self.events("14"), [14])
        self.assertEqual(self.events("addmm.out"), [5, 14])
        self.assertEqual(self.events("addmm"), [5, 14])
        self.assertEqual(self.events("*mm*"), [5, 14])
        self.assertEqual(self.events("output"), [21])
        self.assertEqual(self.events("(output)"), [21])
        self.assertEqual(self.events("--name", "relu*"), [8])
        self.assertEqual(self.events("--backend", "portable", "addmm.out", "--event", "5"), [5])
        record = ("--etrecord", fixture(self.model, "model.etrecord"))
        self.assertEqual(self.events(*record, "--handle", "1"), [2, 5])
        self.assertEqual(self.events(*record, "--module", "l2"), [11, 14])
        self.assertEqual(self.events(*record, "--source", "zoo.py:16", "--name", "addmm*"),
                         [5, 14])

    def test_what_fits_nothing_is_told_with_the_nearest(self):
        self.assertIn('no captured tensor belongs to "addm"; nearest: addmm.out',
                      self.tensors("addm", code=USAGE)[1])
        self.assertIn("--handle 99 matches no row", self.tensors("--handle", "99", code=USAGE)[1])
        self.assertIn("given both as", self.tensors("5", "--event", "5", code=USAGE)[1])
        self.assertIn("given both as", self.tensors("a", "--name", "b", code=USAGE)[1])
        self.assertIn("none of the 7 captured tensors matches", self.tensors("99999999999")[1])
        self.assertIn("unexpected argument", self.tensors("5", "6", code=USAGE)[1])

    def test_the_list_has_handles_for_people(self):
        record = fixture(self.model, "model.etrecord")
        text = self.tensors("--etrecord", record, "--width", "200")[0]
        heading = text.splitlines()[1].split()
        for name in ("event", "operator", "dtype", "shape", "min", "max", "mean", "nan", "inf",
                     "hash", "source", "handles"):
            self.assertIn(name, heading)
        narrow = self.tensors("--etrecord", record, "--width", "80")[0]
        self.assertLessEqual(max(map(len, narrow.splitlines())), 80)


class Showing(TensorTest):
    def test_values_are_those_of_the_file(self):
        for event in (2, 5, 21):
            text = self.tensors(str(event), "--width", "75")[0]
            shown = text[text.index("[["):]
            numbers = [float(word) for word in re.findall(r"-?\d[\d.e+-]*", shown)]
            wanted = self.values_of(event)
            self.assertEqual(len(numbers), len(wanted))
            for number, value in zip(numbers, wanted):
                self.assertAlmostEqual(number, value, delta=max(5e-9, 1e-7 * abs(value)))
            self.assertLessEqual(max(map(len, shown.splitlines())), 75)

    def test_the_text_is_numpys(self):
        text = self.tensors("21")[0]
        self.assertTrue(text.endswith(
            "[[0.26001808 0.24151978 0.23393108 0.26453108]\n"
            " [0.26679003 0.20102584 0.216497   0.31568715]]\n"), text)
        self.assertIn("\nevent 21, (output): float32 [2, 4]\nquantiles 5% 0.20644, 25% ", text)
        self.assertIn("histogram 0.201026 [", text)

    def test_options_of_the_text(self):
        self.assertIn("[[0.26  0.242 0.234 0.265]", self.tensors("21", "--precision", "3")[0])
        rows = self.listed(model="conv_portable")
        event = str(rows[0]["event"])
        short = self.tensors(event, model="conv_portable")[0]
        self.assertIn("[0, 0]\n[[", short)
        self.assertIn(" ... ", short)
        self.assertLess(len(short), len(self.tensors(event, "--edge-items", "5",
                                                     model="conv_portable")[0]))
        full = self.tensors(event, "--full", model="conv_portable")[0]
        self.assertNotIn("...", full)
        self.assertEqual(full.count("\n[0, "), 8)

    def test_all_that_are_listed(self):
        text = self.tensors("--show", "--name", "addmm*")[0]
        self.assertEqual(re.findall(r"\nevent (\d+), ", text), ["5", "14"])
        self.tensors("--show", "--output", "text")
        self.assertEqual(len(re.findall(r"\nevent \d", (self.folder / "text").read_text())), 7)

    def test_machines_have_a_column(self):
        for words in (("--show",), ("5",), ("-c", "values")):
            for row in self.listed(*words):
                self.assertGreater(len(row["values"]), 7)
        self.assertNotIn("values", self.listed()[0])

    def test_a_terminal_gets_no_control_characters(self):
        trace = fixture(self.model, "debug.etdp").read_bytes()
        (self.folder / "t.etdp").write_bytes(trace.replace(b"native_call_relu.out",
                                                           b"native_call_\x1b[2J.out"))
        done = run("tensors", self.folder / "t.etdp", "8", "--debug-buffer",
                   fixture(self.model, "debug.bin"))
        self.assertEqual(done.returncode, OK)
        self.assertNotIn(b"\x1b", done.stdout)
        self.assertIn(b"event 8, \\x1b[2J.out", done.stdout)

    def test_usage(self):
        self.assertIn("--full needs --show or a TENSOR", self.tensors("--full", code=USAGE)[1])
        self.assertIn("markdown", self.tensors("5", "-f", "markdown", code=USAGE)[1])
        self.tensors("5", "--precision", "18", code=USAGE)
        done = run("tensors", fixture(self.model, "debug.etdp"), "5", "--no-siblings")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"--debug-buffer, which contains the captured tensors", done.stderr)


class Saving(TensorTest):
    def test_npz_holds_all(self):
        self.tensors("--save", "all.npz")
        self.tensors("--save", "folder")
        with zipfile.ZipFile(self.folder / "all.npz") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(sorted(archive.namelist()), sorted(os.listdir(self.folder / "folder")))
            for info in archive.infolist():
                self.assertEqual(info.compress_type, zipfile.ZIP_STORED)
                self.assertEqual(archive.read(info),
                                 (self.folder / "folder" / info.filename).read_bytes())

    def test_lists_and_every_model(self):
        for model in ("types", "gpt_portable", "map_loop"):
            words = ("--partial",) if model == "types" else ()
            rows = self.listed(*words, "--save", "all.npz", model=model)
            with zipfile.ZipFile(self.folder / "all.npz") as archive:
                self.assertEqual(len(set(archive.namelist())), len(rows))
                self.assertIsNone(archive.testzip())

    def test_one_npy(self):
        self.tensors("5", "--save", "one.npy")
        data = (self.folder / "one.npy").read_bytes()
        self.assertEqual(data[-256:], floats(*self.values_of(5)))
        out, error = self.tensors("--save", "none.npy", code=USAGE)
        self.assertEqual(out, "")
        self.assertIn("a .npy file holds one tensor, but 7 are selected", error)
        self.assertFalse((self.folder / "none.npy").exists())

    def test_a_disk_that_is_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        for name in ("x.npz", "x.npy", "x.png"):
            os.symlink("/dev/full", self.folder / name)
        self.tensors("5", "--save", "x.npz", code=INTERNAL)
        self.tensors("5", "--save", "x.npy", code=INTERNAL)
        self.tensors("5", "--heat-map", "x.png", code=INTERNAL)


class Comparing(TensorTest):
    def compare(self, *words, code=OK):
        out, error = self.tensors(*words, "--format", "json", code=code)
        return support.json_rows(out), error

    def write(self, name, numbers, shape=(2, 4), descr="<f4", fortran=False):
        code = {"<f4": "f", "<f8": "d"}[descr]
        data = struct.pack(f"<{len(numbers)}{code}", *numbers)
        (self.folder / name).write_bytes(npy(descr, shape, data, fortran))
        return name

    def test_with_itself(self):
        self.tensors("--save", "all.npz")
        rows, error = self.compare("--compare", "all.npz", "--rtol", "0", "--atol", "0")
        self.assertEqual(len(rows), 7)
        for row in rows:
            self.assertEqual((row["verdict"], row["max_abs_error"], row["max_ulps"], row["mse"]),
                             ("close", 0, 0, 0))
            self.assertEqual((row["top_1_agreement"], row["top_5_overlap"]), (1, 1))
            self.assertIsNone(row["finding"])
        self.assertIn("7 of 7 tensors are close to all.npz", error)

    def test_a_comparator_is_one_more_column(self):
        plugin = pathlib.Path(support.ETSCOPE).parent.parent / "lib" / "sign_flips.so"
        values = self.values_of(21)
        name = self.write("y.npy", [-values[0], *values[1:]])
        (row,), _ = self.compare("21", "--compare", name, "--comparator", plugin)
        self.assertEqual(row["sign_flips"], 1 / 8)
        self.tensors("--comparator", plugin, code=USAGE)

    def test_a_difference_is_found_and_placed(self):
        values = self.values_of(21)
        other = list(values)
        other[6] += 0.5
        name = self.write("y.npy", other)
        (row,), _ = self.compare("21", "--compare", name)
        self.assertEqual((row["verdict"], row["outside"], row["max_abs_error_index"]),
                         ("different", 1, 6))
        self.assertAlmostEqual(row["max_abs_error"], 0.5, places=6)
        self.assertAlmostEqual(row["mse"], 0.25 / 8, places=6)
        self.assertIn("at [1, 2] 0.216497004 instead of 0.71649", row["finding"])
        self.assertEqual(row["top_1_agreement"], 0.5)
        self.compare("21", "--compare", name, "--rtol", "1e-3", code=NEGATIVE)
        self.compare("21", "--compare", name, "--atol", "0.6")

    def test_type_layout_and_shape_are_findings(self):
        values = self.values_of(21)
        turned = [values[i * 4 + j] for j in range(4) for i in range(2)]
        self.write("f8.npy", turned, descr="<f8", fortran=True)
        (row,), _ = self.compare("21", "--compare", "f8.npy", "--rtol", "0", "--atol", "0")
        self.assertEqual((row["verdict"], row["layouts_differ"]), ("close", 1))
        self.assertEqual(row["finding"], "the array is float64; the layouts differ")
        self.assertIsNone(row["max_ulps"])
        self.write("flat.npy", values, shape=(8,))
        (row,), _ = self.compare("21", "--compare", "flat.npy")
        self.assertEqual((row["verdict"], row["mse"]), ("shape", None))
        self.assertEqual(row["finding"], "the array's shape is [8]")
        self.compare("21", "--compare", "flat.npy", "--atol", "1", code=NEGATIVE)

    def archive(self, entries, compression=zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(self.folder / "x.npz", "w", compression) as archive:
            for name, event, shape in entries:
                archive.writestr(f"{name}.npy", npy("<f4", shape, floats(*self.values_of(event))))

    def test_arrays_are_found_by_name_or_number(self):
        self.archive([("relu.out", 8, (2, 32)), ("addmm.out", 5, (2, 32)), ("more", 5, (2, 32))])
        rows, error = self.compare("--compare", "x.npz")
        self.assertEqual({row["event"]: (row["array"], row["verdict"]) for row in rows},
                         {2: (None, "missing"), 5: ("addmm.out", "close"), 8: ("relu.out", "close"),
                          11: (None, "missing"), 14: ("addmm.out", "shape"), 17: (None, "missing"),
                          21: (None, "missing")})
        self.assertIn("1 arrays of x.npz match no selected tensor; the first is more",
                      error)
        self.compare("--compare", "x.npz", "--rtol", "1", code=NEGATIVE)
        self.archive([("arr_1", 14, (2, 4)), ("arr_0", 5, (2, 32))])
        rows, _ = self.compare("addmm.out", "--compare", "x.npz")
        self.assertEqual([(row["array"], row["verdict"]) for row in rows],
                         [("arr_0", "close"), ("arr_1", "close")])

    def test_another_build_is_compared_by_the_order_of_operators(self):
        """Other events, an operator less, and two of one operator and shape."""
        self.archive([("run1-event00001-permute_copy.out", 11, (32, 4)),
                      ("run1-event00003-permute_copy.out", 2, (16, 32)),
                      ("run1-event00005-addmm.out", 14, (2, 4)),
                      ("run1-event00009-addmm.out", 5, (2, 32)),
                      ("run1-event00040-output", 21, (2, 4)),
                      ("run2-event00008-relu.out", 8, (2, 32))])
        rows, error = self.compare("--compare", "x.npz", "--rtol", "0", code=NEGATIVE)
        self.assertEqual(
            {row["event"]: (row["array"], row["verdict"]) for row in rows},
            {2: ("run1-event00003-permute_copy.out", "close"),
             5: ("run1-event00009-addmm.out", "close"), 8: (None, "missing"),
             11: ("run1-event00001-permute_copy.out", "close"),
             14: ("run1-event00005-addmm.out", "close"), 17: (None, "missing"),
             21: ("run1-event00040-output", "close")})
        self.assertIn("5 tensors have different events in x.npz: paired tensors of the same "
                      "operator and shape in order", error)
        (row,), error = self.compare("output", "--compare", "x.npz", "--heat-map", "gap.png")
        self.assertEqual((row["array"], row["verdict"]), ("run1-event00040-output", "close"))
        self.assertIn("1 tensor has a different event in x.npz", error)

    def test_order_counts_where_shapes_are_equal(self):
        """Events that name one another's operator."""
        self.tensors("--save", "gpt.npz", model="gpt_portable")
        with zipfile.ZipFile(self.folder / "gpt.npz") as archive, \
                zipfile.ZipFile(self.folder / "moved.npz", "w") as moved:
            for name in archive.namelist():
                event = int(name[10:15]) + 3
                moved.writestr(f"run1-event{event:05}{name[15:]}", archive.read(name))
        out, error = self.tensors("--compare", "moved.npz", "--format", "json", "--rtol", "0",
                                  "--atol", "0", model="gpt_portable")
        for row in support.json_rows(out):
            self.assertEqual(int(row["array"][10:15]), row["event"] + 3)
            self.assertEqual(row["verdict"], "close")
        self.assertNotIn("of no tensor", error)

    def test_part_of_a_trace_is_compared_by_its_names(self):
        """Two tensors of an operator and one array: the order says nothing."""
        self.tensors("14", "--save", "one.npz")
        rows, _ = self.compare("addmm.out", "--compare", "one.npz")
        self.assertEqual([(row["event"], row["verdict"]) for row in rows],
                         [(5, "missing"), (14, "close")])

    def test_with_save_and_picture(self):
        name = self.write("y.npy", [value + 1 for value in self.values_of(21)])
        _, error = self.tensors("21", "--compare", name, "--save", "z.npy", "--heat-map", "d.png")
        self.assertTrue((self.folder / "z.npy").exists())
        self.assertIn("d.png: 356 x ", error)
        self.assertEqual((self.folder / "d.png").read_bytes()[:4], b"\x89PNG")

    def test_usage_and_damage(self):
        name = self.write("y.npy", self.values_of(21))
        self.assertIn("a .npy file holds one tensor, but 7 are selected",
                      self.tensors("--compare", name, code=USAGE)[1])
        self.assertIn("--rtol needs --compare", self.tensors("--rtol", "1", code=USAGE)[1])
        self.tensors("21", "--compare", name, "--rtol", "x", code=USAGE)
        self.tensors("21", "--compare", "nowhere.npz", code=INPUT)
        self.tensors("21", "--compare", fixture(self.model, "model.etrecord"), code=INPUT)
        self.tensors("--show", "--compare", name, code=USAGE)
        self.archive([("arr_0", 21, (2, 4))], zipfile.ZIP_STORED)
        whole = (self.folder / "x.npz").read_bytes()
        for size in range(0, len(whole), 7):
            (self.folder / "cut.npz").write_bytes(whole[:size])
            out, error = self.tensors("21", "--compare", "cut.npz", code=INPUT)
            self.assertEqual((out, len(error.splitlines())), ("", 1))


class Pictures(TensorTest):
    def test_a_heat_map_is_a_png(self):
        _, error = self.tensors("5", "--heat-map", "x.png")
        data = (self.folder / "x.png").read_bytes()
        width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
        self.assertEqual((depth, kind), (8, 3))
        self.assertIn(f"x.png: {width} x {height} pixels, -1.5491 to 1.5491", error)
        at = data.index(b"IDAT")
        (size,) = struct.unpack(">I", data[at - 4:at])
        self.assertEqual(len(zlib.decompress(data[at + 4:at + 4 + size])), height * (width + 1))

    def test_one_tensor_is_drawn(self):
        out, error = self.tensors("--heat-map", "x.png", code=USAGE)
        self.assertEqual(out, "")
        self.assertIn("--heat-map draws one tensor, but 7 are selected", error)
        self.assertFalse((self.folder / "x.png").exists())


if __name__ == "__main__":
    unittest.main()

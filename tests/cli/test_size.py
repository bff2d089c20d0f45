"""`etscope size`: where the bytes of programs are."""

import csv
import io
import json
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree

import support
from large_files import grow_last_segment, make_data_file
from support import DATA, INPUT, OK, USAGE

SWEEP = DATA / "delegates" / "sweep.tar.xz"
ENDINGS = (".pte", ".bpte", ".ptd")


def document(*words):
    done = support.run("size", *words, "--format", "json")
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == OK, done.stderr
    return json.loads(done.stdout)


def rows(*words):
    return document(*words)["rows"]


def part_bytes(found):
    sums = {}
    for row in found:
        sums[row["part"]] = sums.get(row["part"], 0) + row["size_bytes"]
    return sums


class Sums(unittest.TestCase):
    def check(self, path):
        found = rows(path, "--no-siblings")
        self.assertEqual(sum(row["size_bytes"] for row in found), path.stat().st_size, path)
        self.assertTrue(all(row["size_bytes"] > 0 for row in found), path)
        # No file of an export has anything that is not explained.
        if path.parent.name not in ("schema", "plans"):
            self.assertEqual({"unused", "other", "trailing"} & set(part_bytes(found)), set(), path)
        return found

    def test_size__every_byte_of_every_fixture_counts_once(self):
        files = [path for path in DATA.rglob("*") if path.suffix in ENDINGS]
        self.assertGreater(len(files), 40)
        for path in sorted(files):
            with self.subTest(path=path):
                self.check(path)

    def test_size__every_byte_of_the_sweep_counts_once(self):
        with tempfile.TemporaryDirectory() as folder, tarfile.open(SWEEP) as archive:
            for member in archive.getmembers():
                if not member.name.endswith(".pte"):
                    continue
                path = pathlib.Path(folder) / "model.pte"
                path.write_bytes(archive.extractfile(member).read())
                with self.subTest(program=member.name):
                    found = self.check(path)
                    # Of XNNPACK everything is known.
                    self.assertNotIn("named_data", part_bytes(found))

    def test_size__sums_agree_with_info(self):
        for model in ("gpt_xnnpack", "multi_method", "conv_xnnpack_int8", "cond"):
            path = support.fixture(model, "model.pte")
            done = support.run("info", path, "--format", "json")
            sizes = json.loads(done.stdout)["rows"][0]["sizes"]
            sums = part_bytes(rows(path, "--no-siblings"))
            self.assertEqual(sums["constant"] if "constant" in sums else 0,
                             self.constants_of(path, sizes), model)
            delegates = sums.get("delegate_payload", 0)
            self.assertLessEqual(delegates, sizes["delegate_bytes"])
            self.assertLess(sizes["delegate_bytes"] - delegates, 64)
            self.assertEqual(sums.get("delegate_weight", 0), sizes["named_data_bytes"])

    @staticmethod
    def constants_of(path, sizes):
        """The constants of a program, without the padding between them."""
        padding = sum(row["size_bytes"] for row in rows(path, "--no-siblings")
                      if row["part"] == "constant")
        assert padding <= sizes["constant_bytes"]
        return padding


class UnusedConstants(unittest.TestCase):
    FOLDER = DATA / "unused_constant"

    def test_size__a_buffer_that_the_model_does_not_use_is_named(self):
        model = self.FOLDER / "table.pte"
        found = [row for row in rows(model, "--etrecord", model.with_suffix(".etrecord"))
                 if row["part"] == "unused_constant"]
        self.assertEqual([(row["name"], row["size_bytes"], row["shape"]) for row in found],
                         [("table", 16 * 32 * 4, [16, 32])])
        self.assertEqual([row["name"] for row in rows(model, "--no-siblings") if row["part"] == "unused_constant"],
                         [None])
        text = support.run("size", model, "--no-siblings").stdout.decode()
        self.assertTrue(text.startswith("4.3 KiB: 46 % is 1 constant that nothing reads, "), text)
        self.assertRegex(text, r"(?m)^constants that nothing reads +2\.0 KiB .*\n  constant at byte \d+ +2\.0 KiB")

    def test_size__constants_of_kernels_and_outputs_are_used(self):
        kept = [self.FOLDER / "twin.pte"]
        kept += [support.fixture(name, "model.pte") for name in ("mlp_portable", "gpt_portable", "gpt_xnnpack", "cond",
                                                                 "multi_method", "map_loop", "types")]
        for path in kept:
            with self.subTest(path=path):
                self.assertNotIn("unused_constant", part_bytes(rows(path, "--no-siblings")))

    @staticmethod
    def advice(*words):
        return json.loads(support.run("advise", *words, "--format", "json").stdout)["rows"]

    def test_size__without_the_buffer_the_file_is_smaller_by_what_advice_says(self):
        words = ("--program", self.FOLDER / "table.pte", "--etrecord", self.FOLDER / "table.etrecord")
        (found,) = [row for row in self.advice(*words) if row["kind"] == "unused_constants"]
        self.assertEqual(found["sentence"], "no instruction reads 1 constant of the program, 2.0 KiB")
        self.assertRegex(found["evidence"], r"^table, 2\.0 KiB at byte \d+$")
        saved = (self.FOLDER / "table.pte").stat().st_size - (self.FOLDER / "twin.pte").stat().st_size
        self.assertGreaterEqual(saved, found["saved_bytes"])  # and what describes it
        self.assertLess(saved, found["saved_bytes"] + 256)
        words = ("--program", self.FOLDER / "twin.pte", "--etrecord", self.FOLDER / "twin.etrecord", "--all")
        self.assertNotIn("unused_constants", [row["kind"] for row in self.advice(*words)])


class Names(unittest.TestCase):
    def test_size__weights_have_layers_names_and_modules(self):
        model = DATA / "gpt_xnnpack"
        found = rows(model / "model.pte", "--etrecord", model / "model.etrecord")
        weights = [row for row in found if row["part"] == "delegate_weight"]
        self.assertEqual(len(weights), 17)
        up = next(row for row in weights if row["name"] == "blocks.0.up.weight")
        self.assertEqual((up["module"], up["content"], up["role"], up["backend"], up["dtype"]),
                         ("blocks.0.up", "FullyConnected", "weight", "XnnpackBackend", "float32"))
        self.assertEqual(up["shape"], [256, 64])
        self.assertEqual(up["size_bytes"], 256 * 64 * 4)
        self.assertRegex(up["key"], "^[0-9a-f]{64}$")
        self.assertEqual({row["role"] for row in weights}, {"weight", "bias"})
        constants = {row["name"]: row for row in found if row["part"] == "constant"}
        self.assertEqual(set(constants), {"te.weight", "pe.weight", "blocks.0.ln1.weight",
                                          "blocks.0.ln1.bias"})
        self.assertEqual(constants["blocks.0.ln1.bias"]["users"], 5)

    def test_size__without_a_record_layers_are_known(self):
        found = rows(support.fixture("gpt_xnnpack", "model.pte"), "--no-siblings")
        weights = [row for row in found if row["part"] == "delegate_weight"]
        self.assertEqual({row["content"] for row in weights}, {"FullyConnected"})
        self.assertEqual({row["name"] for row in found}, {None})
        self.assertTrue(all(row["debug_handle"] > 0 for row in weights))

    def test_size__record_of_another_model(self):
        program = support.fixture("mlp_xnnpack", "model.pte")
        done = support.run("size", program, "--etrecord",
                           support.fixture("gpt_xnnpack", "model.etrecord"))
        self.assertEqual((done.returncode, done.stdout), (support.MISMATCH, b""))
        self.assertIn(b"the ETRecord does not belong to this program", done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "model.pte"
            copy.write_bytes(program.read_bytes())
            copy.with_suffix(".etrecord").write_bytes(
                support.fixture("gpt_xnnpack", "model.etrecord").read_bytes())
            done = support.run("size", copy)
            self.assertEqual(done.returncode, OK)
            self.assertIn(b"it belongs to another program or cannot be read", done.stderr)
            self.assertIn(b"FullyConnected 0.0 weight", done.stdout)
        found = Sql().query("select module from program_bytes where module is not null", program,
                            support.fixture("gpt_xnnpack", "model.etrecord"))
        self.assertEqual(found, [])

    def test_size__scales_of_int8_weights(self):
        model = DATA / "linear_int8_xnnpack"
        found = rows(model / "model.pte", "--etrecord", model / "model.etrecord")
        weights = {row["role"]: row for row in found if row["part"] == "delegate_weight"}
        self.assertEqual(weights["weight"]["dtype"], "qcint8")
        self.assertEqual(weights["weight"]["size_bytes"], 256 * 256)
        self.assertEqual(weights["scale"]["size_bytes"], 256 * 4)
        self.assertEqual(weights["scale"]["name"], weights["weight"]["name"])

    def test_size__group_scales_of_int4_weights(self):
        found = rows(DATA / "torchao" / "8da4w.pte", "--no-siblings")
        weights = [row for row in found if row["part"] == "delegate_weight"]
        self.assertIn("qbint4", {row["dtype"] for row in weights})
        self.assertIn(("scale", "bfloat16"), {(row["role"], row["dtype"]) for row in weights})

    def test_size__weights_of_vulkan_have_layers(self):
        told = document(DATA / "payloads" / "vulkan.pte", "--no-siblings")
        weights = [row for row in told["rows"] if row["part"] == "delegate_weight"]
        self.assertEqual([(row["content"], row["node"], row["role"], row["dtype"], row["shape"],
                           row["size_bytes"]) for row in weights],
                         [("aten.linear.default", 0, "weight", "float32", [8, 16], 8 * 16 * 4),
                          ("aten.linear.default", 0, "bias", "float32", [8], 8 * 4)])

    def test_size__named_data_of_a_payload_that_is_not_understood(self):
        """A FlatBuffer with the keys of its constants."""
        damaged = (DATA / "payloads" / "vulkan.pte").read_bytes().replace(b"VK00", b"VK99")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "later.pte"
            path.write_bytes(damaged)
            told = document(path, "--no-siblings")
        weights = [row for row in told["rows"] if row["part"] == "delegate_weight"]
        self.assertEqual(sorted(row["size_bytes"] for row in weights), [8 * 4, 8 * 16 * 4])
        self.assertEqual({(row["backend"], row["content"], row["node"]) for row in weights},
                         {("VulkanBackend", None, None)})
        (payload,) = [row for row in told["rows"] if row["part"] == "delegate_payload"]
        self.assertEqual((payload["content"], payload["backend"]),
                         ("Vulkan graph", "VulkanBackend"))

    def test_size__weights_in_a_data_file(self):
        """A key that the program does not have is looked for in the data files."""
        model = DATA / "gpt_xnnpack"
        found = rows(model / "model.pte", "--etrecord", model / "model.etrecord")
        up = next(row for row in found if row["name"] == "blocks.0.up.weight")
        data = bytearray((model / "model.pte").read_bytes())
        key = up["key"].encode()
        self.assertEqual(data.count(key), 2)  # in the list of named data, and in the payload
        at = data.index(key)
        if at > up["offset"] or b"XH00" in data[:at]:
            self.fail("the list of named data comes first")
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "model.pte"
            weights = pathlib.Path(folder) / "weights.ptd"
            data[at:at + 1] = b"-"
            program.write_bytes(data)
            make_data_file(weights, [(up["key"], up["size_bytes"])])
            found = rows(program, weights, "--etrecord", model / "model.etrecord")
        moved = next(row for row in found if row["name"] == "blocks.0.up.weight")
        self.assertEqual((moved["file"], moved["part"], moved["module"], moved["dtype"]),
                         (str(weights), "delegate_weight", "blocks.0.up", "float32"))
        left = [row for row in found if row["part"] == "named_data"]
        self.assertEqual([row["key"] for row in left], ["-" + up["key"][1:]])

    def test_size__data_file_belongs_to_the_program(self):
        program, data = DATA / "ptd" / "external.pte", DATA / "ptd" / "external.ptd"
        found = rows(program, data)
        weight = next(row for row in found if row["name"] == "linear.weight")
        self.assertEqual((weight["part"], weight["module"], weight["file"]),
                         ("constant", "linear", str(data)))
        alone = {row["part"] for row in rows(data)}
        self.assertIn("named_data", alone)
        self.assertEqual(sum(row["size_bytes"] for row in found),
                         program.stat().st_size + data.stat().st_size)

    def test_size__a_missing_data_file_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(DATA / "generate" / "models.tar.xz") as archive:
                archive.extractall(folder)
            program, data = (pathlib.Path(folder) / name for name in ("outside.pte", "outside.ptd"))
            alone, both = document(program), document(program, data)
        self.assertRegex(alone["headline"], r"^17\.9 KiB without 14 tensors of a data file \(\.ptd\): ")
        self.assertIn(f"data files count if they are given, too: etscope size {program} weights.ptd", alone["notes"])
        self.assertNotIn("without", both["headline"])
        self.assertFalse([note for note in both["notes"] if note.startswith("data files")])

    def test_size__groups_add_up(self):
        path = support.fixture("gpt_xnnpack", "model.pte")
        for by in ("part", "module", "dtype", "layer"):
            found = rows(path, "--group-by", by)
            self.assertEqual(sum(row["size_bytes"] for row in found), path.stat().st_size, by)
        by_module = {row["key"]: row["size_bytes"] for row in found}
        by_module = {row["key"]: row["size_bytes"] for row in rows(path, "--group-by", "module")}
        self.assertEqual(by_module["blocks.0.up"], (256 * 64 + 256) * 4)


class Packages(unittest.TestCase):
    """Weights that lie between other files of a payload, or of named data that payloads refer to."""

    def weights(self, *folder):
        path = DATA.joinpath("payload_truth", *folder, "model.pte")
        found = support.json_rows(support.run("size", path, "--format", "json").stdout)
        self.assertEqual(sum(row["size_bytes"] for row in found), path.stat().st_size)
        return {row["name"]: row["size_bytes"] for row in found if row["part"] == "delegate_weight"}

    def test_size__core_ml(self):
        self.assertEqual(self.weights("coreml", "lin_fp32"),
                         {"fc1.weight": 2048, "fc1.bias": 128, "fc2.weight": 1024, "fc2.bias": 32})

    def test_size__methods_share_core_mls_weights(self):
        self.assertEqual(self.weights("coreml", "multi"),
                         {"fc1.weight": 1024, "fc1.bias": 64, "fc2.weight": 512, "fc2.bias": 16})

    def test_size__openvino(self):
        self.assertEqual(self.weights("openvino", "lin"),
                         {"fc1.weight": 2048, "fc1.bias": 128, "fc2.weight": 1024, "fc2.bias": 32})


class Layers(unittest.TestCase):
    """-g layer: weights by layer of a stack and by dtype."""

    def test_size__layers_of_a_record(self):
        path = support.fixture("gpt_xnnpack", "model.pte")
        found = rows(path, "--group-by", "layer")
        items = rows(path)
        weights = [row for row in found if row["kind"] == "weights"]
        self.assertEqual([row["key"] for row in weights[:3]], ["blocks.0", "blocks.1", "head"])
        for row in weights:
            if row["key"] is None:
                continue
            of_layer = [each["size_bytes"] for each in items if each["dtype"] == row["scheme"] and
                        (each["module"] or "").startswith(row["key"])]
            self.assertEqual((sum(of_layer), len(of_layer)), (row["size_bytes"], row["items"]), row)
        self.assertEqual([row["key"] for row in found if row["kind"] == "rest"], [None])

    def test_size__without_a_record_names_tell_layers(self):
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(DATA / "generate" / "models.tar.xz") as archive:
                archive.extractall(folder)
            files = [pathlib.Path(folder) / name for name in ("outside.pte", "outside.ptd")]
            found = document(*files, "-g", "layer")
            self.assertEqual(sum(row["size_bytes"] for row in found["rows"]),
                             sum(path.stat().st_size for path in files))
        self.assertIn("layers are read from the names of weights: no ETRecord is given", found["notes"])
        sizes = {(row["key"], row["scheme"]): row["size_bytes"] for row in found["rows"]}
        self.assertEqual(sizes["head", "float32"], (64 * 32 + 64) * 4)

    def test_size__without_names_no_layer_is_told(self):
        path = DATA / "llama" / "kv_sdpa.pte"
        found = document(path, "--no-siblings", "-g", "layer")
        self.assertEqual({row["key"] for row in found["rows"]}, {None})
        self.assertEqual({row["scheme"] for row in found["rows"] if row["kind"] == "weights"},
                         {"qbint4, groups of 32", "bfloat16 scales", "float32", "uint8"})
        self.assertEqual(sum(row["size_bytes"] for row in found["rows"]), path.stat().st_size)
        self.assertTrue(any(note.startswith("no layer is known") for note in found["notes"]))


class Duplicates(unittest.TestCase):
    def test_size__tied_embedding_is_stored_twice(self):
        with tempfile.TemporaryDirectory() as folder, tarfile.open(SWEEP) as archive:
            for ending in ("pte", "etrecord"):
                name = f"tied_embedding.{ending}"
                (pathlib.Path(folder) / name).write_bytes(archive.extractfile(name).read())
            told = document(pathlib.Path(folder) / "tied_embedding.pte")
        self.assertIn("1 duplicate costs 4.0 KiB (embedding.weight)", told["headline"])
        again = [row for row in told["rows"] if row["same_as"]]
        self.assertEqual([(row["part"], row["same_as"]) for row in again],
                         [("delegate_weight", "constant embedding.weight")])
        first = next(row for row in told["rows"] if row["offset"] == again[0]["same_as_offset"])
        self.assertEqual(first["hash"], again[0]["hash"])

    def test_size__large_data_is_compared_on_demand(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "large.ptd"
            make_data_file(path, [("a", 12 << 20), ("b", 12 << 20), ("c", 64)])
            told = document(path)
            self.assertIn("2 blocks of data (24.0 MiB) of equal size were not compared",
                          " ".join(told["notes"]))
            self.assertNotIn("duplicate", told["headline"])
            self.assertIn("1 duplicate costs 12.0 MiB",
                          document(path, "--duplicates")["headline"])


class LargeFiles(support.FolderTest):
    """Only what is needed is read: a sparse file of 2 GB takes the memory of a small one."""

    LARGE = 2 << 30

    def peak_bytes(self, *words):
        process = subprocess.Popen([support.ETSCOPE, *map(str, words)],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        output = process.stdout.read()
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, OK)
        return usage.ru_maxrss * 1024, output.decode()

    def test_size__program(self):
        path = self.folder / "large.pte"
        grow_last_segment(support.fixture("gpt_xnnpack", "model.pte"), path, self.LARGE)
        for command in ("size", "info"):
            peak, output = self.peak_bytes(command, path)
            self.assertIn("2.0 GiB", output)
            self.assertLess(peak, (30 << 20) + support.EMULATOR_BYTES, command)
        done = support.run("info", path, "--format", "json")
        self.assertIsNone(support.json_rows(done.stdout)[0]["fingerprint"])
        self.assertEqual(sum(row["size_bytes"] for row in rows(path)), self.LARGE)

    def test_size__data_file(self):
        path = self.folder / "large.ptd"
        make_data_file(path, [(f"layer{i}", 8 << 20) for i in range(256)])
        for command in ("size", "info"):
            peak, output = self.peak_bytes(command, path)
            self.assertIn("2.0 GiB", output)
            self.assertLess(peak, (30 << 20) + support.EMULATOR_BYTES, command)


class Sql(unittest.TestCase):
    def query(self, query, *words):
        done = support.run("sql", query, *words, "--format", "json")
        if done.returncode == support.UNAVAILABLE:
            raise unittest.SkipTest(done.stderr.decode())
        self.assertEqual(done.returncode, OK, done.stderr)
        return support.json_rows(done.stdout)

    def test_size__sql_has_the_same_rows(self):
        model = DATA / "gpt_xnnpack"
        files = model / "model.pte", model / "model.etrecord"
        found = self.query("select part, content, name, module, role, bytes, offset, users "
                           "from program_bytes order by offset, bytes", *files)
        shown = rows(files[0], "--etrecord", files[1])
        shown.sort(key=lambda row: (row["offset"], row["size_bytes"]))
        self.assertEqual([(row["part"], row["name"], row["module"], row["bytes"], row["users"])
                          for row in found],
                         [(row["part"], row["name"], row["module"], row["size_bytes"],
                           row["users"]) for row in shown])

    def test_size__sql_counts_the_items_of_several_programs(self):
        programs = [support.fixture(model, "model.pte") for model in ("multi_method", "cond")]
        found = self.query("select p.path, p.bytes, sum(b.bytes) as counted from programs p join "
                           "program_bytes b on b.program = p.id group by 1, 2", *programs)
        self.assertEqual(len(found), 2)
        for row in found:
            self.assertEqual(row["bytes"], row["counted"])


class Forms(unittest.TestCase):
    PATH = support.fixture("gpt_xnnpack", "model.pte")

    def test_size__the_answer_comes_first(self):
        done = support.run("size", self.PATH)
        lines = done.stdout.decode().splitlines()
        self.assertEqual(lines[0],
                         "494.9 KiB: 85 % is weights of 9 linear layers in XnnpackBackend")
        self.assertIn("  7 more", done.stdout.decode())
        self.assertEqual(document(self.PATH)["headline"], lines[0])

    def test_size__csv_has_a_line_for_each_item(self):
        self.assertEqual(support.run("size", self.PATH, "-n", "2").stdout,
                         support.run("size", self.PATH, "--top", "2").stdout)
        done = support.run("size", self.PATH, "--format", "csv")
        found = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        self.assertEqual(sum(int(row["size_bytes"]) for row in found), self.PATH.stat().st_size)

    def test_size__picture_shows_every_part(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "size.svg"
            done = support.run("size", self.PATH, "-o", path)
            self.assertEqual((done.returncode, done.stdout), (OK, b""), done.stderr)
            root = xml.etree.ElementTree.parse(path).getroot()
        space = "{http://www.w3.org/2000/svg}"
        classes = {group.get("class") for group in root.iter(space + "g")}
        self.assertLessEqual({"delegate_weight", "constant", "program", "delegate_payload"},
                             classes)
        titles = [title.text for title in root.iter(space + "title")]
        self.assertIn("blocks.0.up.weight: 64.0 KiB, 12.9 %, float32 [256, 64], FullyConnected in "
                      "blocks.0.up", titles)
        area = sum(float(box.get("width")) * float(box.get("height"))
                   for box in root.iter(space + "rect") if box.get("class") == "part")
        self.assertAlmostEqual(area / (944 * 544), 1, places=3)

    def test_size__complains(self):
        self.assertEqual(support.run("size").returncode, USAGE)
        done = support.run("size", self.PATH, self.PATH)
        self.assertEqual((done.returncode, done.stdout), (USAGE, b""))
        self.assertIn("is given twice", done.stderr.decode())
        with tempfile.TemporaryDirectory() as folder:
            for name, *words in (("a.png",), ("a.svg", "--group-by", "dtype"), ("a.svg", "-f", "csv"),
                                 ("a.svg", "--top", "3")):
                path = pathlib.Path(folder) / name
                done = support.run("size", self.PATH, "-o", path, *words)
                self.assertEqual(done.returncode, USAGE, (name, words))
                self.assertFalse(path.exists())
        done = support.run("size", support.fixture("mlp_portable", "profile.etdp"))
        self.assertEqual(done.returncode, INPUT)
        self.assertIn("not a program (.pte, .bpte) or data file (.ptd)", done.stderr.decode())
        done = support.run("size", support.fixture("mlp_portable", "nothing.pte"))
        self.assertEqual(done.returncode, INPUT)

    def test_size__damaged_program_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.bpte"
            path.write_bytes(support.fixture("multi_method", "model.bpte").read_bytes()[:3000])
            done = support.run("size", path)
            self.assertEqual(done.returncode, INPUT)
            self.assertTrue(re.match(rb"etscope: .*cut\.bpte: byte \d+: ", done.stderr))


if __name__ == "__main__":
    unittest.main()

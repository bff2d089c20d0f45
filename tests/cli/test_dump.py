"""`etscope dump`: every field of every fixture, against an independent reading of the bytes."""

import base64
import json
import math
import struct
import unittest

import flatbuffer_support
import support
from support import DATA, fixture

SCHEMAS = {kind: flatbuffer_support.Schema((DATA / "schema" / f"{name}.fbs").read_text())
           for kind, name in (("program", "program"), ("bundle", "bundled_program"),
                              ("data_file", "flat_tensor"), ("etdump", "etdump"))}

# The schemas of programs, bundles and data files have plain bytes where upstream's have
# enumerations.
TYPES = SCHEMAS["etdump"].enumerators["ScalarType"]
SCHEMAS["program"].names = {
    ("Tensor", "scalar_type"): TYPES,
    ("Tensor", "shape_dynamism"): {0: "STATIC", 1: "DYNAMIC_BOUND", 2: "DYNAMIC_UNBOUND"},
    ("ExtraTensorInfo", "location"): {0: "SEGMENT", 1: "EXTERNAL"},
    ("ExtraTensorInfo", "device_type"): {0: "CPU", 1: "CUDA"},
    ("NonConstBufferDevice", "device_type"): {0: "CPU", 1: "CUDA"},
    ("BackendDelegateDataReference", "location"): {0: "INLINE", 1: "SEGMENT"},
}
SCHEMAS["bundle"].names = {("Tensor", "scalar_type"): TYPES}
SCHEMAS["data_file"].names = {("TensorLayout", "scalar_type"): TYPES}


def dump(*words):
    done = support.run("dump", *words)
    assert done.returncode == support.OK, done.stderr
    document = json.loads(done.stdout)
    assert list(document) == ["etscope", "schema", "command", "headline", "rows", "inputs", "notes"]
    return document["rows"][0]


def xxh64(data):
    """XXH64 with seed 0, from the algorithm's specification."""
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                          0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
    mask = (1 << 64) - 1
    rotate = lambda x, r: (x << r | x >> (64 - r)) & mask
    step = lambda lane, word: rotate((lane + word * p2) & mask, 31) * p1 & mask
    at = 0
    if len(data) >= 32:
        lanes = [(p1 + p2) & mask, p2, 0, -p1 & mask]
        while len(data) - at >= 32:
            lanes = [step(lane, word)
                     for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        value = sum(rotate(lane, r) for lane, r in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            value = ((value ^ step(0, lane)) * p1 + p4) & mask
    else:
        value = p5
    value = (value + len(data)) & mask
    while len(data) - at >= 8:
        value = (rotate(value ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & mask
        at += 8
    if len(data) - at >= 4:
        value = (rotate(value ^ struct.unpack_from("<I", data, at)[0] * p1 & mask, 23) * p2
                 + p3) & mask
        at += 4
    for byte in data[at:]:
        value = rotate(value ^ byte * p5 & mask, 11) * p1 & mask
    value = (value ^ value >> 33) * p2 & mask
    value = (value ^ value >> 29) * p3 & mask
    return value ^ value >> 32


def blob(data, told=False):
    """Bytes as dump writes them."""
    found = {"bytes": len(data), "hash": f"{xxh64(data):016x}"}
    if told or len(data) <= 64:
        found["data"] = base64.b64encode(data).decode()
    return found


def shown(value):
    """What an independent reading found, as JSON has it."""
    if isinstance(value, bytes):
        return blob(value)
    if isinstance(value, list):
        return [shown(item) for item in value]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def files(*endings):
    return sorted(path for ending in endings for path in DATA.rglob(f"*{ending}"))


class Completeness(unittest.TestCase):
    maxDiff = 4000

    def check(self, kind, path, root_at=0):
        found = dump(path)
        expected = flatbuffer_support.read(SCHEMAS[kind], path.read_bytes(), root_at)
        self.assertEqual(found["kind"], kind)
        self.assertEqual(found["file_bytes"], path.stat().st_size)
        self.assertEqual(found["flatbuffer"], shown(expected))
        return found

    def test_dump__programs_have_every_field(self):
        for path in files(".pte"):
            with self.subTest(path=path):
                if support.run("info", path).returncode == support.OK:
                    self.check("program", path)

    def test_dump__bundled_programs_have_every_field(self):
        for path in files(".bpte"):
            with self.subTest(path=path):
                found = self.check("bundle", path)
                data = path.read_bytes()[found["program"]["offset"]:]
                expected = flatbuffer_support.read(SCHEMAS["program"], data)
                self.assertEqual(found["program"]["flatbuffer"], shown(expected))

    def test_dump__data_files_have_every_field(self):
        for path in files(".ptd"):
            with self.subTest(path=path):
                self.check("data_file", path)

    def test_dump__traces_have_every_field(self):
        for path in files(".etdp"):
            with self.subTest(path=path):
                if path.stat().st_size > 400_000 or support.run("info", path).returncode:
                    continue
                is_prefixed = path.read_bytes()[8:12] == b"ED00"
                self.check("etdump", path, 4 if is_prefixed else 0)

    def test_dump__segments_are_the_bytes_that_the_header_says(self):
        for model in support.MODELS:
            data = fixture(model, "model.pte").read_bytes()
            found = dump(fixture(model, "model.pte"))
            base, = struct.unpack_from("<Q", data, 24)
            stored = found["flatbuffer"]["segments"]
            self.assertEqual(len(found["segments"]), len(stored))
            for segment, place in zip(found["segments"], stored):
                start = base + place["offset"]
                expected = blob(data[start:start + place["size"]])
                self.assertEqual({key: segment[key] for key in expected}, expected)
                if place["size"]:
                    self.assertEqual(segment["offset"], start)

    def test_dump__constants_are_where_their_values_say(self):
        for model in support.MODELS:
            data = fixture(model, "model.pte").read_bytes()
            found = dump(fixture(model, "model.pte"))
            base, = struct.unpack_from("<Q", data, 24)
            program = found["flatbuffer"]
            told = {(row["method"], row["value"]): row for row in found["constants"]}
            for plan in program["execution_plan"]:
                for i, value in enumerate(plan["values"]):
                    tensor = value["val"]
                    if value["val_type"] != "Tensor" or tensor["data_buffer_idx"] == 0:
                        continue
                    row = told.pop((plan["name"], i))
                    where = program["constant_segment"]
                    segment = program["segments"][where["segment_index"]]
                    self.assertEqual(row["offset"], base + segment["offset"] +
                                     where["offsets"][tensor["data_buffer_idx"]])
                    self.assertEqual(row["hash"], blob(
                        data[row["offset"]:row["offset"] + row["bytes"]])["hash"])
            self.assertEqual(told, {})


class Payloads(support.FolderTest):
    def with_payload(self, payload):
        """vulkan.pte with these bytes, which fit, as the payload of its delegate."""
        source = DATA / "payloads" / "vulkan.pte"
        data = bytearray(source.read_bytes())
        row, = dump(source)["delegates"]
        self.room = row["bytes"]
        data[row["offset"]:row["offset"] + len(payload)] = payload
        path = self.folder / "other.pte"
        path.write_bytes(data)
        return path

    def zipped(self):
        import io
        import zipfile
        self.with_payload(b"")
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("model.mlmodel", b"weights" * 20)
            archive.writestr(zipfile.ZipInfo("meta/a.json"), b"{}" * 40, zipfile.ZIP_DEFLATED)
            size = stream.tell() + 200
            archive.comment = b" " * (self.room - size - 22)
        stored = stream.getvalue()
        with zipfile.ZipFile(stream, "a") as archive:
            archive.comment = b" " * (len(archive.comment) + self.room - len(stored))
        return stream.getvalue()

    def test_dump__says_what_payloads_are(self):
        formats = {model: {row["format"] for row in dump(fixture(model, "model.pte"))["delegates"]}
                   for model in ("mlp_xnnpack", "gpt_xnnpack")}
        self.assertEqual(formats, {"mlp_xnnpack": {"XNNPACK graph"},
                                   "gpt_xnnpack": {"XNNPACK graph"}})
        row, = dump(DATA / "payloads" / "vulkan.pte")["delegates"]
        self.assertEqual((row["format"], row["xnnpack"], row["zip"]), ("Vulkan graph", None, None))

    def test_dump__has_every_field_of_a_vulkan_graph(self):
        graph = dump(DATA / "payloads" / "vulkan.pte")["delegates"][0]["vulkan"]
        self.assertEqual([(call["name"], call["args"]) for call in graph["chain"]],
                         [("aten.linear.default", [2, 0, 1, 3]), ("aten.relu.default", [3, 4])])
        self.assertEqual([(value["value_type"], value["value"]["dims"], value["value"]["constant_id"])
                          for value in graph["values"]],
                         [("VkTensor", [8, 16], 0), ("VkTensor", [8], 1), ("VkTensor", [2, 16], -1),
                          ("VkTensor", [2, 8], -1), ("VkTensor", [2, 8], -1)])
        self.assertEqual((graph["input_ids"], graph["output_ids"], graph["memory_layout_override"]),
                         ([2], [4], 255))
        self.assertEqual([constant["length"] for constant in graph["constants"]], [512, 32])

    def test_dump__of_a_damaged_vulkan_graph_is_null_or_another_graph(self):
        row, = dump(DATA / "payloads" / "vulkan.pte")["delegates"]
        source = (DATA / "payloads" / "vulkan.pte").read_bytes()
        payload = source[row["offset"]:row["offset"] + row["bytes"]]
        found = set()
        for at in range(0, len(payload), 24 if support.IS_EMULATED else 3):
            changed = bytearray(payload)
            changed[at] ^= 0x81
            row, = dump(self.with_payload(changed))["delegates"]
            found.add(row["vulkan"] is None)
        self.assertEqual(found, {False, True})

    def test_dump__has_the_graph_of_every_payload_that_is_read(self):
        for backend, name, formats in (
            ("coreml", "res_fp16", "Core ML"), ("vulkan", None, "Vulkan"), ("tosa", None, "TOSA"),
            ("vgf", None, "VGF"), ("mlx", None, "MLX"), ("openvino", None, "OpenVINO"),
            ("native", None, "native"), ("ethosu", None, "Vela"),
        ):
            folder = DATA / "payload_truth" / backend
            path = folder / name if name else sorted(folder.glob("*/model.pte"))[0].parent
            rows = dump(path / "model.pte")["delegates"]
            with self.subTest(path.name):
                graphs = [row["graph"] for row in rows if row["graph"] is not None]
                self.assertTrue(graphs, [row["graph_reason"] for row in rows])
                self.assertIn(formats, graphs[0]["format"])
                for graph in graphs:
                    self.assert_whole(graph)

    def assert_whole(self, graph):
        """Every number in a graph is one of its lists, and makers are told twice alike."""
        values = graph["values"]
        for number, node in enumerate(graph["nodes"]):
            self.assertTrue(node["name"])
            for value in (*node["inputs"], *node["outputs"]):
                self.assertTrue(value is None or value < len(values))
            for value in node["outputs"]:
                self.assertIn(values[value]["producer"], (number, None))
        for value in values:
            if value["constant"] is not None:
                self.assertLess(value["constant"], len(graph["constants"]))

    def test_dump__of_a_payload_that_cannot_be_read_says_why(self):
        row, = dump(DATA / "payload_truth" / "aoti" / "lin_standin" / "model.pte")["delegates"]
        self.assertIsNone(row["graph"])
        self.assertTrue(row["graph_reason"])

    def test_dump__lists_the_entries_of_a_zip(self):
        import zlib
        payload = self.zipped()
        self.assertEqual(len(payload), self.room)
        row, = dump(self.with_payload(payload))["delegates"]
        self.assertEqual(row["format"], "zip")
        self.assertEqual([(entry["name"], entry["method"], entry["unpacked_bytes"], entry["crc32"])
                          for entry in row["zip"]],
                         [("model.mlmodel", 0, 140, zlib.crc32(b"weights" * 20)),
                          ("meta/a.json", 8, 80, zlib.crc32(b"{}" * 40))])
        self.assertEqual(row["zip"][0]["hash"], blob(b"weights" * 20)["hash"])
        self.assertLess(row["zip"][1]["bytes"], 80)

    def test_dump__of_a_damaged_zip_has_no_entries_or_other_ones(self):
        payload = self.zipped()
        end = payload.index(b"PK\5\6")
        for at in [*range(4, 60, 3), *range(end - 110, end + 22, 2)]:
            changed = bytearray(payload)
            changed[at] ^= 0x55
            row, = dump(self.with_payload(changed))["delegates"]
            self.assertEqual((row["format"], row["bytes"]), ("zip", self.room))
            for entry in row["zip"] or []:
                self.assertLessEqual(entry["offset"] + entry["bytes"], row["offset"] + self.room)


def entries(data):
    """Keys and values of the extra block, after docs/SPEC.md."""
    size, = struct.unpack_from("<I", data, len(data) - 16)
    at = len(data) - 16 - size
    while at < len(data) - 16:
        key, length = struct.unpack_from("<II", data, at)
        yield key, data[at + 8:at + 8 + length]
        at += 8 + (length + 7 & ~7)


class Memory(unittest.TestCase):
    def test_dump__measured_memory_is_that_of_the_extra_block(self):
        path = DATA / "memory" / "counted.etdp"
        extra = dump(path)["extra"]
        told = {key: [] for key in range(1, 10)}
        for key, value in entries(path.read_bytes()):
            told[key].append(value)
        known = lambda amount: amount if amount < 1 << 63 else None
        held = [struct.unpack_from("<II4QIIiIHHH", value) for value in told[7]]
        self.assertEqual(
            [(row["owner"], row["index"], row["bytes"], row["count"], row["touched_bytes"],
              row["pool_bytes"], row["alignment"], row["runs"], row["chain"], row["instruction"],
              row["phase"], row["is_shared"]) for row in extra["memory"]],
            [(*one[:2], *map(known, one[2:6]), *one[6:11], bool(one[11] & 1)) for one in held])
        self.assertEqual([(row["method"] or "") + (row["backend"] or "") for row in extra["memory"]],
                         [value[64:].decode() for value in told[7]])
        self.assertEqual(
            [(row["chain"], row["instruction"], row["bytes"], row["count"], row["runs"],
              row["method"]) for row in extra["temporary_memory"]],
            [(*struct.unpack_from("<iIQQI", value), value[32:].decode()) for value in told[8]])
        self.assertEqual(
            [(row["moment"], row["resident_bytes"], row["of_files_bytes"], row["heap_bytes"],
              row["method"]) for row in extra["process_memory"]],
            [(*struct.unpack_from("<I4x3Q", value), value[32:].decode()) for value in told[9]])
        self.assertTrue(told[7] and told[8] and told[9])


class Records(unittest.TestCase):
    def dump(self, model):
        done = support.run("dump", fixture(model, "model.etrecord"))
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return json.loads(done.stdout)["rows"][0]

    def test_dump__a_records_entries_are_those_of_the_zip(self):
        import zipfile
        for model in support.MODELS:
            found = self.dump(model)
            with zipfile.ZipFile(fixture(model, "model.etrecord")) as record:
                names = [entry.filename for entry in record.infolist()]
                self.assertEqual([entry["name"] for entry in found["entries"]], names)
                for entry in found["entries"]:
                    if entry["bytes"] < 20_000:
                        self.assertEqual(entry["hash"], blob(record.read(entry["name"]))["hash"])

    def test_dump__a_graph_has_every_node_of_its_json(self):
        import zipfile
        for model in support.MODELS:
            found = self.dump(model)
            for graph in found["graphs"]:
                name = graph["name"]
                with zipfile.ZipFile(fixture(model, "model.etrecord")) as record:
                    text = record.read(name).replace(b"-Infinity", b"-1e999")
                stored = json.loads(text)["graph_module"]["graph"]
                getitems = [node for node in stored["nodes"]
                            if node["target"] == "_operator.getitem"]
                self.assertLessEqual(len(graph["nodes"]), len(stored["nodes"]))
                self.assertGreaterEqual(len(graph["nodes"]), len(stored["nodes"]) - len(getitems))
                self.assertEqual(len(graph["inputs"]), len(stored["inputs"]))
                self.assertEqual(len(graph["outputs"]), len(stored["outputs"]))

    def test_dump__a_records_maps(self):
        found = self.dump("mlp_xnnpack")
        method, = found["methods"]
        self.assertEqual(method["name"], "forward")
        self.assertEqual([(row["instruction"], row["backend"], row["is_list"])
                          for row in method["instructions"]], [(0, "XnnpackBackend", True)])
        self.assertEqual(found["representative_inputs"][0]["sizes"], [2, 16])


class Data(support.FolderTest):
    def test_dump__data_adds_the_bytes(self):
        path = fixture("mlp_portable", "model.pte")
        data = path.read_bytes()
        found = dump(path, "--bytes")
        for segment in found["segments"]:
            told = base64.b64decode(segment["data"])
            self.assertEqual(told, data[segment["offset"]:segment["offset"] + segment["bytes"]])

    def test_dump__captured_tensors_come_from_the_debug_buffer(self):
        buffer = fixture("mlp_portable", "debug.bin")
        found = dump(fixture("mlp_portable", "debug.etdp"), "--debug-buffer", buffer, "--bytes")
        self.assertTrue(found["captured"])
        for row in found["captured"]:
            start = row["debug_buffer_offset"]
            self.assertEqual(base64.b64decode(row["data"]),
                             buffer.read_bytes()[start:start + row["bytes"]])

    def test_dump__lines_are_rows(self):
        words = fixture("mlp_portable", "model.pte"), fixture("mlp_portable", "profile.etdp")
        done = support.run("dump", *words, "--format", "jsonl")
        lines = done.stdout.decode().splitlines()
        self.assertEqual([json.loads(line)["kind"] for line in lines], ["program", "etdump"])

    def test_dump__is_the_same_each_time(self):
        path = fixture("gpt_xnnpack", "model.pte")
        self.assertEqual(support.run("dump", path).stdout, support.run("dump", path).stdout)

    def test_dump__output_is_a_file(self):
        path = self.folder / "out.json"
        done = support.run("dump", fixture("mlp_portable", "model.pte"), "-o", path)
        self.assertEqual((done.returncode, done.stdout), (support.OK, b""))
        self.assertEqual(json.loads(path.read_text())["rows"][0]["kind"], "program")


class Damage(support.FolderTest):
    def test_dump__a_damaged_file_gives_no_output_at_all(self):
        for model, name in (("mlp_portable", "model.pte"), ("mlp_portable", "model.bpte"),
                            ("mlp_portable", "profile.etdp"), ("mlp_portable", "model.etrecord")):
            data = fixture(model, name).read_bytes()
            for size in (len(data) // 3, len(data) - 40):
                path, out = self.folder / name, self.folder / "out.json"
                path.write_bytes(data[:size])
                done = support.run("dump", path)
                if done.returncode in (support.UNAVAILABLE, support.OK):
                    continue  # an extra block may be cut off, a record's reader may be missing
                self.assertEqual((done.returncode, done.stdout), (support.INPUT, b""), done.stderr)
                self.assertIn(name.encode(), done.stderr)
                self.assertNotEqual(support.run("dump", path, "-o", out).returncode, support.OK)
                self.assertFalse(out.exists())

    def test_dump__behind_a_damaged_file_the_document_does_not_end(self):
        path = self.folder / "cut.pte"
        path.write_bytes(fixture("mlp_portable", "model.pte").read_bytes()[:2000])
        done = support.run("dump", fixture("mlp_portable", "model.pte"), path)
        self.assertEqual(done.returncode, support.INPUT)
        with self.assertRaises(ValueError):
            json.loads(done.stdout)

    def test_dump__other_files_are_named(self):
        done = support.run("dump", DATA / "README.md")
        self.assertEqual((done.returncode, done.stdout), (support.INPUT, b""))
        self.assertIn(b"dump reads .pte, .bpte, .ptd, ETDump and ETRecord files", done.stderr)

    def test_dump__of_a_damaged_trace_says_what_reads_the_rest(self):
        done = support.run("dump", DATA / "types" / "debug.etdp")
        self.assertEqual(done.returncode, support.INPUT)
        self.assertIn(b"--partial writes what is intact", done.stderr)

    def test_dump__partial_writes_the_events_that_are_intact(self):
        whole = fixture("mlp_portable", "debug.etdp")
        events = [event for run in dump(whole)["flatbuffer"]["run_data"] for event in run["events"]]
        counts = set()
        for size in range(1200, whole.stat().st_size, 31):
            path = self.folder / "cut.etdp"
            path.write_bytes(whole.read_bytes()[:size])
            if support.run("dump", path).returncode == support.OK:
                continue  # only the extra block is cut off
            done = support.run("dump", path, "--partial")
            if done.returncode == support.INPUT:
                self.assertEqual(done.stdout, b"")
                continue
            row, = json.loads(done.stdout)["rows"]
            kept = [event for run in row["flatbuffer"]["run_data"] for event in run["events"]]
            self.assertTrue(row["damage"])
            for event in kept:
                self.assertIn(event, events)
            counts.add(len(kept))
        self.assertGreater(len(counts), 2)

    def test_dump__partial_writes_the_tensors_of_intact_events(self):
        buffer = DATA / "types" / "debug.bin"
        found = dump(DATA / "types" / "debug.etdp", "--partial", "--debug-buffer", buffer, "--bytes")
        self.assertEqual([part["offset"] for part in found["damage"]], [32])
        self.assertEqual({row["dtype"] for row in found["captured"]} & {"float16", "bfloat16"}, set())
        self.assertGreater(len(found["captured"]), 20)
        for row in found["captured"]:
            start = row["debug_buffer_offset"]
            self.assertEqual(base64.b64decode(row["data"]),
                             buffer.read_bytes()[start:start + row["bytes"]])

    def test_dump__partial_of_a_sound_trace_is_the_whole_trace(self):
        path = fixture("mlp_portable", "debug.etdp")
        self.assertEqual(support.run("dump", path, "--partial").stdout,
                         support.run("dump", path).stdout)

    def test_dump__a_debug_buffer_needs_its_trace(self):
        done = support.run("dump", fixture("mlp_portable", "model.pte"), "--debug-buffer",
                           fixture("mlp_portable", "debug.bin"))
        self.assertEqual((done.returncode, done.stdout), (support.USAGE, b""))
        self.assertIn(b"--debug-buffer belongs to an ETDump", done.stderr)

    def overlapping(self):
        """gpt_xnnpack with segments that are each nearly the whole region."""
        data = bytearray(fixture("gpt_xnnpack", "model.pte").read_bytes())
        reader = flatbuffer_support.Reader(SCHEMAS["program"], data)
        base, total = struct.unpack_from("<QQ", data, 24)
        root = reader.follow(0)
        slots = root - reader.load("i", root)
        vector = reader.follow(root + reader.load("H", slots + 4 + 2 * 4))  # Program.segments
        count = reader.load("I", vector)
        for i in range(count):
            table = reader.follow(vector + 4 + 4 * i)
            offset, size = (table + reader.load("H", table - reader.load("i", table) + 4 + 2 * slot)
                            for slot in (0, 1))
            if min(offset, size) > table:  # a segment at 0 has no field for its offset
                struct.pack_into("<Q", data, size, total - reader.load("Q", offset))
        path = self.folder / "overlapping.pte"
        path.write_bytes(data)
        return path, count

    def test_dump__segments_that_overlap_are_refused_before_any_output(self):
        path, count = self.overlapping()
        self.assertGreater(count, 20)
        for words in ((), ("--bytes",)):
            done = support.run("dump", path, *words)
            self.assertEqual((done.returncode, done.stdout), (support.INPUT, b""), done.stderr)
            self.assertIn(b"overlap", done.stderr)

    def test_diff__of_segments_that_overlap_ends(self):
        path, _ = self.overlapping()
        done = support.run("diff", path, fixture("gpt_xnnpack", "model.pte"))
        self.assertIn(done.returncode, (1, support.INPUT))


if __name__ == "__main__":
    unittest.main()

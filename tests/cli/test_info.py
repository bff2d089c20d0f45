"""etscope info: what is in each kind of file, for people and as JSON; refusals."""

import ast
import json
import os
import struct
import subprocess
import tempfile
import unittest

import support
import zipfile
import zlib
from collections import Counter
from pathlib import Path

ETSCOPE = os.environ["ETSCOPE"]
DATA = Path(__file__).resolve().parent.parent / "data"


def etscope(*words, stdin=None):
    return subprocess.run([ETSCOPE, *map(str, words)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, input=stdin)


def info(*words):
    result = etscope("info", *words)
    assert result.returncode == 0, result.stderr
    return result.stdout.decode()


def facts(path):
    (row,) = support.json_rows(info("--format", "json", DATA / path))
    return row


def npy_header(path):
    """Descr and shape, read as NEP 1 says."""
    data = path.read_bytes()
    (length,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode().strip())
    return header["descr"], list(header["shape"])


class TestQuantizedRecords(unittest.TestCase):
    def test_info__classes_of_quantized_weights(self):
        for scheme, found in (("8da4w", "IntxUnpackedToInt8Tensor"),
                              ("int8_weights", "Int8Tensor")):
            path = DATA / "torchao" / f"{scheme}.etrecord"
            shown = info(path)
            if "exported_program" not in shown:
                self.skipTest("this build reads no records")
            self.assertRegex(shown, rf"(?m)^    \d+ weights? of class torchao\S+\.{found}$")
            graphs = facts(f"torchao/{scheme}.etrecord")["graphs"]
            classes = [each for graph in graphs for each in graph.get("weight_classes", [])]
            self.assertTrue(any(each["name"].endswith("." + found) for each in classes), classes)
            self.assertTrue(all(each["weight_count"] > 0 for each in classes))

    def test_info__records_without_them(self):
        self.assertNotIn(" of class ", info(DATA / "mlp_portable" / "model.etrecord"))


class TestLanguageModel(unittest.TestCase):
    PATH = "llama/kv_sdpa.pte"

    def test_info__a_language_model_is_told_in_a_line(self):
        lines = info(DATA / self.PATH).splitlines()
        for line in ("  language model vocabulary 256, context 64, max_seq_len 64, layers 2, KV cache",
                     "  KV caches      4 of float32 [1, 64, 2, 16], 32.0 KiB for 64 tokens,",
                     "  other constants use_sdpa_with_kv_cache true, enable_dynamic_shape true"):
            self.assertIn(line, lines)
        self.assertEqual([line for line in lines if line.startswith("method ")], ["method forward"])
        self.assertIn("method use_kv_cache", info(DATA / self.PATH, "--all").splitlines())

    def test_info__documents_have_all_of_it(self):
        row = facts(self.PATH)
        self.assertEqual(row["language_model"], {
            "vocabulary": 256, "max_context_len": 64, "max_seq_len": 64, "max_cache_len": None,
            "layers": 2, "bos_id": None, "eos_id": None, "use_kv_cache": True, "eos_ids": []})
        self.assertEqual(row["kv_cache"]["token_bytes"], 512)
        self.assertIn("get_vocab_size", [each["name"] for each in row["methods"]])

    def test_info__other_programs_have_none(self):
        row = facts("mlp_portable/model.pte")
        self.assertEqual((row["language_model"], row["kv_cache"]), (None, None))
        text = info(DATA / "state" / "constant.pte")
        self.assertRegex(text, r"(?m)^  constant methods a_limit \S+$")
        self.assertNotIn("language model", text)


class TestProgram(unittest.TestCase):
    def test_info__a_method_with_all_kinds_of_instructions_fits_a_terminal(self):
        lines = info(DATA / "schema/everything.pte").splitlines()
        self.assertIn("  instructions   6: 1 KernelCall, 2 DelegateCall, 1 MoveCall, "
                      "1 JumpFalseCall,", lines)
        self.assertEqual([line for line in lines[1:] if len(line) > 80], [])  # not the path

    def test_info__program_for_people(self):
        lines = info(DATA / "mlp_portable/model.pte").splitlines()
        self.assertTrue(lines[0].endswith("model.pte: an ExecuTorch program (.pte), 5.0 KiB"))
        self.assertIn("method forward", lines)
        self.assertIn("  input 0        float32 [2, 16], planned in arena 1", lines)
        self.assertIn("  output 0       float32 [2, 4], planned in arena 1", lines)
        self.assertIn("  instructions   6: 6 KernelCall", lines)
        self.assertIn("  constants      4 tensors, 2.6 KiB", lines)
        self.assertIn("aten::permute_copy.out 2, aten::addmm.out 2", "\n".join(lines))

    def test_info__program_inputs_are_those_it_was_run_on(self):
        numpy_names = {"float32": "<f4", "int64": "<i8", "float64": "<f8", "bool": "|b1"}
        for model in ("mlp_portable", "conv_xnnpack", "gpt_portable", "types", "multi_method"):
            for method in facts(f"{model}/model.pte")["methods"]:
                for i, value in enumerate(method["inputs"]):
                    path = DATA / model / "inputs" / f"{method['name']}.0.{i}.npy"
                    descr, shape = npy_header(path)
                    self.assertEqual(numpy_names[value["scalar_type"]], descr, path)
                    self.assertEqual(value["sizes"], shape, path)
                    self.assertIs(value["dynamic"], False)

    def test_info__program_operators_are_those_that_ran(self):
        for model in ("mlp_portable", "conv_portable", "gpt_portable"):
            ran = Counter()
            for block in support.golden(model)["profile"]:
                names = [event["name"] for event in block["events"]]
                ran.update(n[len("native_call_"):] for n in names if n.startswith("native_call_"))
            (method,) = facts(f"{model}/model.pte")["methods"]
            listed = Counter()
            for operator in method["operators"]:
                name = operator["name"].split("::")[1]
                listed[f"{name}.{operator['overload']}"] += operator["calls"]
            self.assertEqual(sum(listed.values()), method["instruction_count"])
            self.assertEqual(set(ran) - set(listed), set(), model)
            self.assertEqual({n: listed[n] for n in ran}, dict(ran), model)

    def test_info__program_sizes_add_up(self):
        paths = sorted(DATA.glob("*/*.pte"))
        self.assertGreater(len(paths), 30)
        for path in paths:
            program = facts(path)
            self.assertEqual(program["file_bytes"], path.stat().st_size)
            self.assertEqual(sum(program["sizes"].values()), path.stat().st_size, path)

    def test_info__program_delegates(self):
        program = facts("gpt_xnnpack/model.pte")
        (method,) = program["methods"]
        self.assertEqual({d["backend"] for d in method["delegates"]}, {"XnnpackBackend"})
        self.assertEqual(method["instructions"]["DelegateCall"], len(method["delegates"]))
        self.assertEqual(sum(d["blob_bytes"] for d in method["delegates"]),
                         program["sizes"]["delegate_bytes"])
        self.assertIn("  delegates      XnnpackBackend: 12, 13.9 KiB, 58 nodes, 12 calls",
                      info(DATA / "gpt_xnnpack/model.pte").splitlines())
        self.assertEqual({d["content"] for d in method["delegates"]}, {"XNNPACK graph"})
        self.assertEqual(sum(d["node_count"] for d in method["delegates"]), 58)
        (method, _) = facts("schema/everything.pte")["methods"]
        self.assertEqual([(d["content"], d["node_count"]) for d in method["delegates"]],
                         [("unknown", None)] * 2)

    def test_info__dynamic_sizes_are_upper_bounds(self):
        text = info(DATA / "dynamic/model.pte")
        self.assertIn("float32 [<=8, <=16]", text)
        (method,) = facts("dynamic/model.pte")["methods"]
        self.assertIs(method["inputs"][0]["dynamic"], True)
        self.assertEqual(method["inputs"][0]["sizes"], [8, 16])

    def test_info__control_flow(self):
        (method,) = facts("cond/model.pte")["methods"]
        self.assertEqual(method["instructions"],
                         {"KernelCall": 8, "MoveCall": 2, "JumpFalseCall": 2})

    def test_info__external_tensors(self):
        (method,) = facts("ptd/external.pte")["methods"]
        self.assertEqual((method["external_count"], method["external_bytes"]), (2, 60))
        self.assertIn("in a data file (.ptd)", info(DATA / "ptd/external.pte"))

    def test_info__long_lists_are_short_unless_all_are_asked_for(self):
        path = DATA / "gpt_xnnpack/model.pte"
        short, full = info(path), info("--all", path)
        self.assertIn("and 11 more; --all shows them", short)
        self.assertNotIn("--all", full)
        self.assertIn("  delegate 11    XnnpackBackend", full)
        for named in facts(path)["named_data"]:
            self.assertIn(named["key"], full)

    def test_info__one_screen_of_80_columns(self):
        paths = sorted(DATA.glob("*/model.*")) + sorted(DATA.glob("*/profile.etdp"))
        self.assertGreater(len(paths), 50)
        for path in paths:
            lines = info(path).splitlines()
            self.assertEqual([line for line in lines[1:] if len(line) > 80], [], path)
            self.assertEqual([line for line in lines if line != line.rstrip()], [], path)


class TestKernels(unittest.TestCase):
    def test_info__kernels_are_those_of_a_selective_build(self):
        recorded = json.loads((DATA / "names" / "kernel_keys.json").read_text())
        self.assertEqual(len(recorded), 7)
        for name, expected in recorded.items():
            with self.subTest(name):
                (row,) = support.json_rows(info(DATA / name, "--operators", "--format", "json"))
                found = {kernel["name"]: [each["key"] for each in kernel["variants"]]
                         for kernel in row["kernels"]}
                self.assertEqual({key: sorted(keys) for key, keys in found.items()}, expected)
                for kernel in row["kernels"]:
                    self.assertEqual(kernel["calls"], sum(each["calls"] for each in kernel["variants"]))
                    for each in kernel["variants"]:
                        self.assertEqual(each["key"].count(";"), len(each["dtypes"]))

    def test_info__kernels_for_people(self):
        shown = info(DATA / "conv_portable" / "model.bpte", "--operators")
        self.assertIn("\n  aten::clamp.out: 2 calls\n    float32, float32, float32\n"
                      "      v1/6;0,1,2,3|6;0,1,2,3|6;0,1,2,3\n", shown)
        self.assertNotIn("instructions", shown)
        self.assertIn("\n  no kernels\n", info(DATA / "mlp_xnnpack" / "model.pte", "--operators"))

    def test_info__kernels_are_of_programs(self):
        for path, words in ((DATA, b"is a folder"), (DATA / "mlp_portable" / "profile.etdp", b"ETDump")):
            result = etscope("info", path, "--operators")
            self.assertEqual((result.returncode, result.stdout), (2, b""))
            self.assertIn(words, result.stderr)


class TestBundle(unittest.TestCase):
    def test_info__bundle_is_its_program_and_its_cases(self):
        for model in ("mlp_portable", "conv_xnnpack", "multi_method", "cond", "types"):
            bundle = facts(f"{model}/model.bpte")
            program = facts(f"{model}/model.pte")
            for key in ("methods", "sizes", "fingerprint", "named_data"):
                self.assertEqual(bundle["program"][key], program[key], model)
            cases = {suite["method"]: len(suite["cases"]) for suite in bundle["suites"]}
            self.assertEqual(cases, support.golden(model)["inputs_methods"], model)

    def test_info__bundle_inputs(self):
        (suite,) = facts("dynamic/model.bpte")["suites"]
        for i, case in enumerate(suite["cases"]):
            _, shape = npy_header(DATA / f"dynamic/inputs/forward.{i}.0.npy")
            self.assertEqual(case["inputs"][0]["sizes"], shape)

    def test_info__bundle_for_people(self):
        text = info(DATA / "mlp_portable/model.bpte")
        self.assertIn(": a bundled program (.bpte), ", text)
        self.assertIn("test cases of forward: 3\n", text)
        self.assertIn("  case 2 inputs  float32 [2, 16]\n", text)
        self.assertIn("       expected  float32 [2, 4]\n", text)
        self.assertIn("the program inside, 5.0 KiB\n", text)


class TestTrace(unittest.TestCase):
    def test_info__trace_counts(self):
        for model in ("mlp_portable", "conv_xnnpack", "gpt_portable"):
            trace = facts(f"{model}/profile.etdp")
            self.assertEqual(trace["kind"], "etdump")
            self.assertIs(trace["size_prefixed"], True)
            blocks = support.golden(model)["profile"]
            self.assertEqual([b["name"] for b in trace["blocks"]], [b["name"] for b in blocks])
            for mine, upstream in zip(trace["blocks"], blocks):
                self.assertEqual(mine["run_count"], len(upstream["events"][0]["raw"]))
                starts = [t for event in upstream["events"] for t in event["start_time"]]
                self.assertEqual(mine["first_tick"], min(starts))
            self.assertEqual(trace["run_count"], sum(b["run_count"] for b in trace["blocks"]))

    def test_info__trace_debug_tensors(self):
        trace = facts("mlp_portable/debug.etdp")
        execute = trace["blocks"][1]
        self.assertEqual(execute["output_event_count"], 1)
        self.assertGreater(execute["debug_tensor_count"], 0)
        self.assertLessEqual(execute["debug_tensor_bytes"],
                             (DATA / "mlp_portable/debug.bin").stat().st_size)
        self.assertIn("program outputs: 1", info(DATA / "mlp_portable/debug.etdp"))

    def test_info__trace_without_a_size_prefix(self):
        whole = (DATA / "mlp_portable/profile.etdp").read_bytes()
        (length,) = struct.unpack("<I", whole[:4])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bare.etdp"
            path.write_bytes(whole[4:4 + length])
            self.assertIs(facts(path)["size_prefixed"], False)
            self.assertIn("schema version 0, bare", info(path))

    def test_info__trace_allocators(self):
        (block,) = facts("made/allocations.etdp")["blocks"]
        self.assertEqual(block["allocators"], ["planned", "temp"])
        self.assertEqual(block["run_count"], 3)
        self.assertEqual(block["allocation_event_count"], 15)
        self.assertIn("allocators     planned, temp", info(DATA / "made/allocations.etdp"))

    def test_info__damaged_trace_is_an_error(self):
        result = etscope("info", DATA / "types/debug.etdp")
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"types/debug.etdp: byte ", result.stderr)
        self.assertIn(b"--partial", result.stderr)
        self.assertEqual(result.stdout, b"")


class TestRecord(unittest.TestCase):
    def setUp(self):
        if not support.json_rows(etscope("doctor", "--format", "json").stdout)[0]["etrecord"]:
            self.skipTest("built without ETRecord support")

    def test_info__record_entries(self):
        path = DATA / "multi_method/model.etrecord"
        record = facts(path)
        with zipfile.ZipFile(path) as archive:
            expected = [(entry.filename, entry.file_size) for entry in archive.infolist()]
            identifier = int(archive.read("export_graph_id"))
        self.assertEqual([(e["name"], e["bytes"]) for e in record["entries"]], expected)
        self.assertEqual(record["export_graph_id"], identifier)
        text = etscope("info", path).stdout.decode()
        self.assertIn(f"  export         {identifier}, a number that tells it from other exports\n", text)

    def test_info__delegates_of_a_record(self):
        text = etscope("info", DATA / "gpt_xnnpack/model.etrecord").stdout.decode()
        self.assertRegex(text, r"  delegates      \d+ calls? \(XnnpackBackend\)\n")
        self.assertNotIn("identifier", text)

    def test_info__record_maps_and_graphs(self):
        path = DATA / "gpt_xnnpack/model.etrecord"
        record = facts(path)
        with zipfile.ZipFile(path) as archive:
            handles = json.loads(archive.read("debug_handle_map"))["forward"]
            delegates = json.loads(archive.read("delegate_map"))["forward"]
            nodes = {
                name: len(json.loads(archive.read(name))["graph_module"]["graph"]["nodes"])
                for name in ("exported_program", "edge_dialect_exported_program/forward")
            }
        (method,) = record["methods"]
        self.assertEqual(method["mapped_instruction_count"], len(handles))
        self.assertEqual(method["handle_count"],
                         sum(len(v) if isinstance(v, list) else 1 for v in handles.values()))
        self.assertEqual(method["delegate_call_count"], len(delegates))
        self.assertEqual({g["name"]: g["node_count"] for g in record["graphs"]}, nodes)

    def test_info__record_values(self):
        record = facts("mlp_portable/model.etrecord")
        tensor = {"kind": "tensor", "scalar_type": "float32"}
        self.assertEqual(record["representative_inputs"], [{**tensor, "sizes": [2, 16]}])
        (method,) = record["methods"]
        self.assertEqual(method["reference_outputs"], [{**tensor, "sizes": [2, 4]}])
        self.assertEqual(method["reference_case_count"],
                         support.golden("mlp_portable")["inputs_methods"]["forward"])

    def test_info__record_for_people(self):
        text = info(DATA / "multi_method/model.etrecord")
        for line in ("method decode", "method encode", "method forward", "entries: 23",
                     "  exported_program: 3 nodes, TRAINING", "  inputs         float32 [2, 8]"):
            self.assertIn(line, text.splitlines())


    def test_info__record_of_a_later_version(self):
        with tempfile.TemporaryDirectory() as folder:
            later = Path(folder, "later.etrecord")
            later.write_bytes((DATA / "mlp_portable/model.etrecord").read_bytes())
            said = '{"forward/lowered_module_0": {"tiles": 2}}'
            with zipfile.ZipFile(later, "a") as archive:
                archive.writestr("delegate_info", said)
            self.assertIn(f"  delegate info  {said}", info(later).splitlines())
            self.assertEqual(facts(later)["delegate_info"], said)
            self.assertEqual(len(facts(later)["graphs"]), 2)

    def test_info__record_without_weights(self):
        path = DATA / "mlp_portable/model.etrecord"
        with tempfile.TemporaryDirectory() as folder:
            slim = Path(folder, "slim.etrecord")
            with zipfile.ZipFile(path) as full, zipfile.ZipFile(slim, "w") as archive:
                for name in full.namelist():
                    is_left_out = name.endswith("_state_dict")
                    archive.writestr(name, b"" if is_left_out else full.read(name))
            self.assertIn("  exported_program: 4 nodes, TRAINING, weights left out",
                          info(slim).splitlines())
            self.assertEqual([g["has_weights"] for g in facts(slim)["graphs"]], [False, False])
            dump = DATA / "mlp_portable/debug.etdp"
            tables = [etscope("inspect", dump, "--etrecord", record, "--format", "csv")
                      for record in (path, slim)]
            self.assertEqual([table.returncode for table in tables], [0, 0])
            self.assertEqual(tables[0].stdout, tables[1].stdout)
        self.assertEqual([g["has_weights"] for g in facts(path)["graphs"]], [True, True])
        self.assertNotIn("weights", info(path))


class TestOthers(unittest.TestCase):
    def test_info__data_file(self):
        data = facts("ptd/external.ptd")
        self.assertEqual([(e["key"], e["sizes"], e["bytes"]) for e in data["entries"]],
                         [("linear.weight", [3, 4], 48), ("linear.bias", [3], 12)])
        self.assertIn("        48 B  linear.weight: float32 [3, 4]\n",
                      info(DATA / "ptd/external.ptd"))

    def test_info__npy(self):
        path = DATA / "types/inputs/forward.0.2.npy"
        self.assertEqual(facts(path)["sizes"], npy_header(path)[1])
        self.assertEqual(facts(path)["scalar_type"], "int64")
        self.assertIn("  tensor         int64 [5]\n", info(path))

    def test_info__several_files_and_standard_input(self):
        paths = [DATA / "mlp_portable/model.pte", DATA / "ptd/external.ptd"]
        text = info(*paths)
        self.assertIn("\n\n" + str(paths[1]) + ": a tensor data file", text)
        lines = info("--format", "jsonl", *paths).splitlines()
        self.assertEqual([json.loads(line)["kind"] for line in lines], ["program", "data_file"])
        result = etscope("info", "-", stdin=paths[0].read_bytes())
        self.assertEqual(result.returncode, 0)
        self.assertTrue(result.stdout.startswith(b"standard input: an ExecuTorch program"))

    def test_info__one_bad_file_among_good_ones(self):
        result = etscope("info", DATA / "README.md", DATA / "ptd/external.ptd")
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"linear.bias", result.stdout)

    def test_info__names_are_shown_and_escaped(self):
        data = (DATA / "ptd/external.ptd").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "hostile.ptd"
            path.write_bytes(data.replace(b"linear.bias", b'l\x1b[31m"\xffs\n\\'[:11]))
            self.assertIn("  l\\x1b[31m\"", info(path))
            self.assertIn("\\xffs\\x0a", info(path))
            key = facts(path)["entries"][1]["key"]
            self.assertEqual(key, 'l\x1b[31m"\ufffds\n\\')

    def test_info__summary_of_a_device(self):
        text = etscope("info", DATA / "summaries" / "named.etsum").stdout.decode()
        self.assertIn("named.etsum: a device's summary, 954 B\n", text)
        self.assertRegex(text, r"left out as warm-up +2\n")
        self.assertIn("    operator mean.out, instruction 3, method forward: 200 runs, mean 31.91 us", text)
        (row,) = json.loads(etscope("info", "--format", "json", DATA / "summaries" / "hashed.etsum").stdout)["rows"]
        self.assertEqual((row["kind"], row["runs"], row["hashed"], row["row_count"]), ("summary", 200, True, 6))
        self.assertRegex(row["rows"][0]["name"], "^#[0-9a-f]{16}$")
        self.assertEqual((row["rows"][0]["kind"], row["rows"][0]["min_ns"]), ("run", 1469681))
        self.assertEqual((row["start"], row["sequence"]), (1, 0))

    def test_info__a_summary_of_a_method_without_a_name(self):
        data = bytearray((DATA / "summaries" / "hashed.etsum").read_bytes())
        data[128:136] = bytes(8)  # the first row's hash of its method
        data[-4:] = zlib.crc32(data[:-4]).to_bytes(4, "little")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "unnamed.etsum"
            path.write_bytes(data)
            self.assertRegex(info(path), "run #[0-9a-f]{16}, method without a name: 200 runs")
            self.assertEqual(facts(path)["rows"][0]["method"], "")

    def test_info__refusals(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            with zipfile.ZipFile(folder / "a.zip", "w") as archive:
                archive.writestr("x", "y")
            (folder / "a.txt").write_text("words\n")
            (folder / "a.json").write_text('{"a": 1}')
            (folder / "empty").write_bytes(b"")
            (folder / "noise").write_bytes(bytes(range(256)))
            for name, reason in (("a.zip", "zip"), ("a.txt", "a text file"), ("a.json", "JSON"),
                                 ("empty", "empty"), ("noise", "unknown kind"),
                                 ("noise", "; if it has captured tensors, etscope tensors TRACE --debug-buffer FILE lists them")):
                result = etscope("info", folder / name)
                self.assertEqual(result.returncode, 3, name)
                self.assertEqual(result.stdout, b"", name)
                self.assertIn(reason, result.stderr.decode(), name)
                self.assertEqual(result.stderr.count(b"\n"), 1, name)

    def test_info__truncated_files(self):
        kinds = ["mlp_portable/model.pte", "mlp_portable/model.bpte", "mlp_portable/profile.etdp",
                 "ptd/external.ptd", "mlp_portable/inputs/forward.0.0.npy",
                 "mlp_portable/model.etrecord"]
        with tempfile.TemporaryDirectory() as folder:
            for kind in kinds:
                data = (DATA / kind).read_bytes()
                path = Path(folder) / "cut"
                path.write_bytes(data[:len(data) * 2 // 3])
                for form in ("table", "jsonl"):
                    result = etscope("info", "--format", form, path)
                    self.assertIn(result.returncode, (3, 6), kind)
                    self.assertEqual(result.stdout, b"", kind)
                    self.assertIn(str(path).encode(), result.stderr, kind)

    def test_info__words(self):
        self.assertEqual(etscope("info").returncode, 2)
        self.assertEqual(etscope("info", "/no/such/file").returncode, 3)
        self.assertEqual(etscope("info", "--format", "xml", "x").returncode, 2)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs a full device")
    def test_info__full_output(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([ETSCOPE, "info", DATA / "ptd/external.ptd"], stdout=full,
                                    stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 7)


if __name__ == "__main__":
    unittest.main()

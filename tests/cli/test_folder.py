"""etscope info of a folder: what is in it, and what belongs together."""

import pathlib
import shutil
import unittest

import support


class Folder(support.FolderTest):
    def put(self, model, name, target):
        return shutil.copy(support.fixture(model, name), self.folder / target)

    def info(self, *words, code=support.OK):
        done = support.run("info", self.folder, *words)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode()

    def joined(self, code=support.OK):
        rows = support.json_rows(self.info("--format", "json", code=code))
        return {pathlib.Path(row["path"]).name: (row["model_name"], row["joined_by"])
                for row in rows}

    def test_folder__by_fingerprint_name_and_operators(self):
        self.put("quantized", "int8.pte", "first.pte")
        self.put("quantized", "int8.etdp", "other.etdp")
        self.put("quantized", "int8.bin", "other.bin")
        self.put("quantized", "int8.etrecord", "record.etrecord")
        self.put("gpt_portable", "model.pte", "gpt.pte")
        self.put("gpt_portable", "model.bpte", "cases.bpte")
        self.put("gpt_portable", "model.etrecord", "gpt.etrecord")
        self.put("gpt_portable", "profile.etdp", "phone.etdp")
        self.put("mlp_portable", "profile.etdp", "mlp.etdp")
        (self.folder / "notes.txt").write_text("notes\n")
        self.assertEqual(self.joined(), {
            "first.pte": ("first.pte", "self"), "other.etdp": ("first.pte", "fingerprint"),
            "other.bin": ("first.pte", "name"), "record.etrecord": ("first.pte", "operators"),
            "gpt.pte": ("gpt.pte", "self"), "cases.bpte": ("gpt.pte", "fingerprint"),
            "gpt.etrecord": ("gpt.pte", "name"), "phone.etdp": ("gpt.pte", "operators"),
            "mlp.etdp": (None, None), "notes.txt": (None, None)})
        text = self.info()
        self.assertEqual(text.splitlines()[0],
                         f"{self.folder}: 2 models (first.pte, gpt.pte), 3 traces, 1 without a "
                         "model; 10 files")
        self.assertIn("forward, 2 runs, 20 events, by fingerprint\n", text)
        self.assertRegex(text, r"mlp\.etdp .* fits no model in this folder\n")

    def test_folder__folders_in_it_are_said_not_to_be_read(self):
        (self.folder / "inner").mkdir()
        (self.folder / "int8.bin").write_bytes(b"\x80" * 600)  # captured int8 values are no text
        lines = self.info().splitlines()
        self.assertEqual(lines[0], f"{self.folder}: 0 models, 0 traces; 1 file; not read: 1 folder in it")
        self.assertRegex(lines[-1], r"^  int8\.bin +unknown ")

    def test_folder__files_of_it_one_by_one(self):
        self.put("mlp_portable", "debug.etdp", "a.etdp")
        self.put("mlp_portable", "debug.bin", "a.bin")
        done = support.run("info", "a.etdp", "a.bin", cwd=self.folder)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertEqual(done.stderr, b"")
        self.assertRegex(done.stdout.decode(),
                         r"\n\na.bin: by its name a debug buffer, \S+ \S+\n +trace +a.etdp\n"
                         r" +values +etscope tensors a.etdp --debug-buffer a.bin lists them\n$")
        rows = support.json_rows(support.run("info", "a.bin", "--format", "json", cwd=self.folder).stdout)
        size = (self.folder / "a.bin").stat().st_size
        self.assertEqual(rows, [{"path": "a.bin", "kind": "debug_buffer", "file_bytes": size,
                                 "trace": "a.etdp"}])

    def test_folder__a_damaged_file_beside_a_trace_is_no_debug_buffer(self):
        self.put("mlp_portable", "debug.etdp", "a.etdp")
        self.put("mlp_portable", "model.etrecord", "b.etrecord")
        for name in ("a.pte", "a.bpte", "a.ptd", "a.etrecord", "a.npy", "a.etsum"):
            (self.folder / name).write_bytes(bytes(2000))
            done = support.run("info", name, cwd=self.folder)
            self.assertEqual(done.returncode, support.INPUT, name)
            self.assertEqual(done.stdout, b"", name)
            self.assertIn(b"unknown kind, 2000 bytes", done.stderr, name)
        for name in ("a.bin", "a.raw"):
            (self.folder / name).write_bytes(bytes(2000))
            self.assertEqual(support.run("info", name, cwd=self.folder).returncode, support.OK, name)
            kernels = support.run("info", name, "--operators", cwd=self.folder)
            self.assertEqual(kernels.returncode, support.USAGE, name)
        rows = support.json_rows(support.run("info", ".", "--format", "json", cwd=self.folder).stdout)
        kinds = {row["path"].rsplit("/", 1)[-1]: row["kind"] for row in rows}
        self.assertEqual(kinds["a.bin"], "debug_buffer")
        self.assertIsNone(kinds["a.pte"])
        self.assertIsNone(kinds["a.npy"])

    def test_folder__of_two_that_fit_the_name_decides_or_nobody(self):
        self.put("mlp_portable", "model.etrecord", "a.etrecord")
        self.put("mlp_portable", "model.etrecord", "b.etrecord")
        self.put("mlp_portable", "profile.etdp", "a.etdp")
        self.put("mlp_portable", "profile.etdp", "run.etdp")
        joined = self.joined()
        self.assertEqual(joined["a.etdp"], ("a.etrecord", "name"))
        self.assertEqual(joined["run.etdp"], (None, None))
        self.assertIn("not decided: fits 2 models in this folder: a.etrecord and b.etrecord", self.info())

    def test_folder__a_fingerprint_of_another_program_is_no_operators_match(self):
        self.put("quantized", "int8.etdp", "int8.etdp")
        shutil.copy(support.fixture("quantized", "int8.pte"), self.folder / "int8.pte")
        data = bytearray((self.folder / "int8.pte").read_bytes())
        data[-1] ^= 1  # of a weight
        (self.folder / "int8.pte").write_bytes(data)
        self.assertEqual(self.joined()["int8.etdp"], (None, None))

    def test_folder__a_damaged_file_is_told_beside_the_others(self):
        self.put("mlp_portable", "model.pte", "mlp.pte")
        whole = support.fixture("mlp_portable", "profile.etdp").read_bytes()
        (self.folder / "cut.etdp").write_bytes(whole[:len(whole) // 2])
        text = self.info(code=support.INPUT)
        self.assertIn("1 model (mlp.pte)", text)
        self.assertRegex(text, r"cut\.etdp .*the size prefix")

    def test_folder__empty(self):
        self.assertEqual(self.info(), f"{self.folder}: 0 models, 0 traces; 0 files\n")

    def test_folder__the_document_has_a_headline(self):
        self.put("mlp_portable", "model.pte", "mlp.pte")
        self.assertIn('"headline": "' + str(self.folder) + ': 1 model (mlp.pte), 0 traces; 1 file"',
                      self.info("--format", "json"))


if __name__ == "__main__":
    unittest.main()

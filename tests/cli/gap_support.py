"""What the tests of `etscope gap` share: fixtures, a program with one weight changed, its trace."""

import io
import struct
import tarfile
import zipfile

import run_support as support
from support import json_rows

# A model whose layer `squeeze` has no steps left for its weights: tests/data/quantized.
QUANTIZED = support.DATA / "quantized"
INT8 = (QUANTIZED / "int8.etdp", "--etrecord", QUANTIZED / "int8.etrecord", "--debug-buffer",
        QUANTIZED / "int8.bin")
FLOAT_ORIGINAL = ("--reference-etrecord", QUANTIZED / "float.etrecord")


def files(model):
    """The words that name a fixture's debug trace and what explains it."""
    folder = support.DATA / model
    return (folder / "debug.etdp", "--etrecord", folder / "model.etrecord", "--debug-buffer",
            folder / "debug.bin")


def unpack(archive, folder):
    """Unpacks an archive of tests/data into the folder."""
    with tarfile.open(support.DATA / archive) as packed:
        packed.extractall(folder)


def weights_of(model):
    """The record's storages, as torch.save numbered them."""
    with zipfile.ZipFile(support.DATA / model / "model.etrecord") as record:
        saved = record.read("exported_program_state_dict")
    with zipfile.ZipFile(io.BytesIO(saved)) as inner:
        return {int(name.rsplit("/", 1)[1]): inner.read(name)
                for name in inner.namelist() if "/data/" in name}


class GapTest(support.RunTest):
    def setUp(self):
        super().setUp()
        if not support.have_records():
            self.skipTest("this build reads no records")

    def gap(self, *words):
        """The rows of `gap --format json`."""
        return json_rows(self.ok("gap", *words, "--format", "json").stdout)

    def headline(self, *words):
        return self.ok("gap", *words).stdout.splitlines()[0]

    def plant(self, model, storage, element, change):
        """Runs the fixture with one weight changed; the words that name what was recorded."""
        reason = support.obstacle(model)
        if reason:
            self.skipTest(reason)
        program = bytearray((support.DATA / model / "model.pte").read_bytes())
        weights = weights_of(model)[storage]
        self.assertEqual(program.count(weights), 1)
        at = program.index(weights) + 4 * element
        (value,) = struct.unpack_from("<f", program, at)
        struct.pack_into("<f", program, at, value + change)
        (self.folder / "planted.pte").write_bytes(program)
        return self.record(model, "planted.pte")

    def record(self, model, program, case=0):
        inputs = [word for path in support.inputs_of(model, "forward", case)
                  for word in ("--input", path)]
        self.ok("run", program, "-o", "debug.etdp", "--capture", "intermediates",
                "--debug-buffer", "debug.bin", *inputs)
        return ("debug.etdp", "--etrecord", support.DATA / model / "model.etrecord",
                "--debug-buffer", "debug.bin")

"""The model of 28 layers that `make bench-llm` makes: it runs, and its record tells its layers."""

import json
import shutil
import sys
import unittest

import run_support as support
from support import FolderTest

sys.path.insert(0, str(support.ROOT / "tools"))
from llm_files import modules, write_program, write_record  # noqa: E402


@unittest.skipUnless(shutil.which("flatc"), "flatc is missing")
class LargeLanguageFiles(FolderTest):
    def test_llm_files__the_record_tells_the_layers_of_what_ran(self):
        program, record, trace = (self.folder / name for name in ("m.pte", "m.etrecord", "m.etdp"))
        write_program(program, 3, 16, 8)
        write_record(record, 3, 16)
        done = support.call("generate", program, "--prompt", 2, "--new", 3, "-o", trace)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertIn("note: no warm-up: the model may keep a state that is no cache by position", done.stderr)
        done = support.call("inspect", trace, "--etrecord", record, "--group-by", "layer", "--format", "json")
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual({row["layer"] for row in rows} & {f"layers.{i}" for i in range(4)},
                         {"layers.0", "layers.1", "layers.2"}, done.stderr)
        self.assertEqual(len(modules(3)), 22)


if __name__ == "__main__":
    unittest.main()

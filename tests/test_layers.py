"""tools/check_layers.py: each kind of violation is told in one line, and what is right is not."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKER = Path(__file__).resolve().parent.parent / "tools" / "check_layers.py"


class TestLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def check(self, *arguments):
        result = subprocess.run(
            [sys.executable, CHECKER, *arguments, self.root],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        self.assertEqual(result.returncode, 1 if result.stdout else 0, result.stdout)
        return result.stdout.splitlines()

    def test_layers__downward_includes_are_right(self):
        self.write("include/etscope/bytes.h", "#include <stddef.h>\n")
        self.write("src/base/load.h", '#include "etscope/bytes.h"\n')
        self.write("src/host/file.c", '#include <stdlib.h>\n#include "base/load.h"\n')
        self.write("src/record/zip.c", '#include <zlib.h>\n#include "host/libc.h"\n')
        self.write("src/cli/main.c", '#include <stdio.h>\n#include "cli/options.h"\n')
        self.assertEqual(self.check(), [])

    def test_layers__upward_include_is_told_with_its_line(self):
        self.write("src/format/a.c", '/* why */\n#include <string.h>\n#include "inspect/b.h"\n')
        self.assertEqual(
            self.check(),
            ["src/format/a.c:3: src/format must not include from src/inspect (inspect/b.h)"],
        )

    def test_layers__command_line_uses_public_headers_only(self):
        self.write("src/cli/main.c", '#include "base/arena.h"\n')
        self.assertEqual(
            self.check(),
            ["src/cli/main.c:1: src/cli must not include from src/base (base/arena.h)"],
        )

    def test_layers__include_without_folder_must_lie_beside(self):
        self.write("src/cli/table.h", "")
        self.write("src/cli/main.c", '#include "table.h"\n#include "arena.h"\n')
        self.assertEqual(
            self.check(), ['src/cli/main.c:2: "arena.h" does not say its folder']
        )

    def test_layers__outside_library_has_one_user(self):
        self.write("src/inspect/a.c", "#include <zlib.h>\n")
        self.write("src/output/b.cc", "#include <executorch/runtime/core/error.h>\n")
        self.assertEqual(
            self.check(),
            [
                "src/inspect/a.c:1: only src/record may include <zlib.h>",
                "src/output/b.cc:1: only src/engine may include"
                " <executorch/runtime/core/error.h>",
            ],
        )

    def test_layers__device_folder_has_no_heap_and_no_stdio(self):
        self.write("src/trace/a.c", "#include <stdio.h>\nvoid *f(void) { return malloc (1); }\n")
        self.assertEqual(
            self.check(),
            [
                "src/trace/a.c:1: src/trace runs on devices: it must not include stdio.h",
                "src/trace/a.c:2: src/trace runs on devices: it must not call malloc",
            ],
        )

    def test_layers__library_does_not_end_the_program(self):
        self.write("src/inspect/a.c", "#include <stdlib.h>\nvoid f(void) { exit(1); }\n")
        self.write("src/cli/main.c", "#include <stdlib.h>\nvoid f(void) { exit(1); }\n")
        self.assertEqual(self.check(), ["src/inspect/a.c:2: a library must not call exit"])

    def test_layers__comments_strings_and_members_are_no_calls(self):
        self.write(
            "src/base/a.c",
            "/* malloc(1)\n * #include <stdio.h> */\n// free(x)\n"
            'const char *f(struct s *s) { s->free(s); arena_free(s); return "printf(%d)"; }\n',
        )
        self.assertEqual(self.check(), [])

    def test_layers__only_the_command_line_says_what_to_type(self):
        self.write("src/cli/run/cmd_run.c", 'f("etscope run --capture");\n')
        self.write("src/host/a.c", '/* "--capture" */\nf("no etscope engine; x--, -- and a-b");\n')
        self.assertEqual([line for line in self.check() if "what to type" in line], [])
        self.write("src/gap/a.c", '/* why */\nf("say \\"--method\\"");\nf("`etscope run` records");\n')
        told = "only the command line says what to type"
        self.assertEqual(
            [line for line in self.check() if "what to type" in line],
            [f"src/gap/a.c:2: {told} (--method)", f"src/gap/a.c:3: {told} (etscope run)"],
        )

    def test_layers__public_header_includes_public_headers_only(self):
        self.write("src/base/load.h", "")
        self.write("include/etscope/a.h", '#include "base/load.h"\n')
        self.assertEqual(
            self.check(),
            ["include/etscope/a.h:1: a public header must not include base/load.h"],
        )

    def test_layers__unknown_folder(self):
        self.write("src/misc/a.c", "")
        self.assertEqual(
            self.check(),
            ["src/misc: this folder is no layer that tools/check_layers.py knows"],
        )

    def test_layers__file_names_are_unique_but_for_recorded_data(self):
        self.write("src/base/a.c", "")
        self.write("tests/unit/a.c", "")
        self.write("tests/data/one/b.py", "")
        self.write("tests/data/two/b.py", "")
        self.assertEqual(self.check(), ["tests/unit/a.c: src/base/a.c has the same name"])

    def test_layers__files_have_at_most_800_lines(self):
        self.write("src/base/fits.c", "\n" * 800)
        self.write("src/base/long.c", "\n" * 801)
        self.assertEqual(self.check(), ["src/base/long.c: 801 lines, more than 800"])

    def test_layers__only_ets_names_are_exported(self):
        source = self.write("other/a.c", "int ets_a(void);\nint leak(void);\n"
                            "int ets_a(void) { return 0; }\nint leak(void) { return 0; }\n")
        library = self.root / "liba.so"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
        self.assertEqual(self.check("--library", library), [f"{library}: exports leak"])


if __name__ == "__main__":
    unittest.main()

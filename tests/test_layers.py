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

    def write(self, path, text, comment="/* What it is for. */"):
        """A file; one of src/ begins with a comment, and its folder has a sign."""
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_relative_to(self.root / "src"):
            folder = path.parent
            while folder != self.root / "src":
                (folder / "README.md").touch()
                folder = folder.parent
            text = f"{comment}\n{text}"
        path.write_text(text, encoding="utf-8")
        return path

    def build(self, sources, libraries=()):
        """Compiles text by place in src/ as the build does, and puts objects into libraries."""
        compiler = os.environ.get("CC", "cc")
        objects = {}
        for place, text in sources.items():
            source = self.write(f"src/{place}", text)
            layer, _, rest = place.partition("/")
            target = self.root / f"build/src/{layer}/CMakeFiles/ets_{layer}.dir/{rest}.o"
            target.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([compiler, "-c", "-fPIC", "-fno-stack-protector", "-o", target, source],
                           check=True)
            objects[place] = target
        (self.root / "build/lib").mkdir(parents=True, exist_ok=True)
        for library, places in libraries:
            subprocess.run(["ar", "rcs", self.root / "build/lib" / library,
                            *(objects[place] for place in places)], check=True)
        return self.check("--build", self.root / "build")

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
            ["src/format/a.c:4: src/format must not include from src/inspect (inspect/b.h)"],
        )

    def test_layers__command_line_uses_public_headers_only(self):
        self.write("src/cli/main.c", '#include "base/arena.h"\n')
        self.assertEqual(
            self.check(),
            ["src/cli/main.c:2: src/cli must not include from src/base (base/arena.h)"],
        )

    def test_layers__include_without_folder_must_lie_beside(self):
        self.write("src/cli/table.h", "")
        self.write("src/cli/main.c", '#include "table.h"\n#include "arena.h"\n')
        self.assertEqual(
            self.check(), ['src/cli/main.c:3: "arena.h" does not say its folder']
        )

    def test_layers__outside_library_has_one_user(self):
        self.write("src/inspect/a.c", "#include <zlib.h>\n")
        self.write("src/output/b.cc", "#include <executorch/runtime/core/error.h>\n")
        self.assertEqual(
            self.check(),
            [
                "src/inspect/a.c:2: only src/record may include <zlib.h>",
                "src/output/b.cc:2: only src/engine may include"
                " <executorch/runtime/core/error.h>",
            ],
        )

    def test_layers__device_folder_has_no_heap_and_no_stdio(self):
        self.write("src/trace/a.c", "#include <stdio.h>\nvoid *f(void) { return malloc (1); }\n")
        self.assertEqual(
            self.check(),
            [
                "src/trace/a.c:2: src/trace runs on devices: it must not include stdio.h",
                "src/trace/a.c:3: src/trace runs on devices: it must not call malloc",
            ],
        )

    def test_layers__library_does_not_end_the_program(self):
        self.write("src/inspect/a.c", "#include <stdlib.h>\nvoid f(void) { exit(1); }\n")
        self.write("src/cli/main.c", "#include <stdlib.h>\nvoid f(void) { exit(1); }\n")
        self.assertEqual(self.check(), ["src/inspect/a.c:3: a library must not call exit"])

    def test_layers__comments_strings_and_members_are_no_calls(self):
        self.write(
            "src/base/a.c",
            "/* malloc(1)\n * #include <stdio.h> */\n// free(x)\n"
            'const char *f(struct s *s) { s->free(s); arena_free(s); return "printf(%d)"; }\n',
        )
        self.assertEqual(self.check(), [])

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
        self.write("src/base/fits.c", "\n" * 799)
        self.write("src/base/long.c", "\n" * 800)
        self.assertEqual(self.check(), ["src/base/long.c: 801 lines, more than 800"])

    def test_layers__only_ets_names_are_exported(self):
        source = self.write("other/a.c", "int ets_a(void);\nint leak(void);\n"
                            "int ets_a(void) { return 0; }\nint leak(void) { return 0; }\n")
        library = self.root / "build/lib/libetscope.so"
        library.parent.mkdir(parents=True)
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
        self.assertEqual(self.check("--build", self.root / "build"),
                         ["libetscope.so: exports leak"])

    def test_layers__public_header_counts_as_its_folder(self):
        self.write("include/etscope/inspect.h", "")
        self.write("src/record/a.c", '#include "etscope/inspect.h"\n')
        self.assertEqual(
            self.check(),
            ["src/record/a.c:2: src/record must not include from src/inspect (etscope/inspect.h)"],
        )

    def test_layers__folder_has_a_sign_and_file_says_what_it_is_for(self):
        self.write("src/base/a.c", "", comment="")
        (self.root / "src/base/README.md").unlink()
        self.assertEqual(
            self.check(),
            ["src/base: this folder has no README.md",
             "src/base/a.c:1: the file does not begin with a comment that says what it is"],
        )

    def test_layers__exported_function_is_used_by_somebody(self):
        self.write("include/etscope/a.h", "ETS_API int ets_used(void);\n"
                   "ETS_API int\nets_unused(void); /* ets_unused */\n")
        self.write("docs/a.md", "Call `ets_used`.\n")
        self.assertEqual(
            self.check(),
            ["include/etscope/a.h:3: ets_unused is used by no command, package, example or page"],
        )

    def test_layers__symbols_show_what_went_through_public_headers(self):
        self.assertEqual(
            self.build({
                "record/a.c": "int ets_rows(void);\nint ets_a(void) { return ets_rows(); }\n",
                "inspect/b.c": "int ets_rows(void) { return 1; }\n",
            }),
            ["src/record/a.c: src/record must not use src/inspect (ets_rows)"],
        )

    def test_layers__files_of_a_folder_make_no_circle(self):
        self.assertEqual(
            self.build({
                "gap/a.c": "int ets_b(void);\nint ets_a(void) { return ets_b(); }\n",
                "gap/b.c": "int ets_c(void);\nint ets_b(void) { return ets_c(); }\n",
                "gap/c.c": "int ets_a(void);\nint ets_c(void) { return ets_a(); }\n",
                "gap/d.c": "int ets_a(void);\nint ets_d(void) { return ets_a(); }\n",
            }),
            ["src/gap/a.c: a circle of files: gap/a.c, gap/b.c, gap/c.c"],
        )

    def test_layers__names_in_archives_and_device_libraries(self):
        self.assertEqual(
            self.build({
                "base/a.c": "int ets_host(void);\nint ets_a(void) { return ets_host(); }\n",
                "base/b.c": "int helper(void) { return 1; }\n",
            }, [("libetscope_trace.a", ["base/a.c"]), ("libetscope.a", ["base/b.c"])]),
            ["libetscope.a: the name helper does not begin with ets_",
             "libetscope_trace.a: ets_host is not defined in it"],
        )


if __name__ == "__main__":
    unittest.main()

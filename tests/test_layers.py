"""tools/check_layers.py: each kind of violation is told in one line, and what is right is not."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMPILER = os.environ.get("CC", "cc")
CHECKER = Path(__file__).resolve().parent.parent / "tools" / "check_layers.py"


class TestLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path, text):
        """A file as it is to be: with a comment at its begin, and a README.md in its folder."""
        is_source = path.startswith("src/") and not path.endswith(".md")
        path = self.write_bare(path, "/* What it is for. */ " + text if is_source else text)
        folder = path.parent
        while is_source and folder != self.root / "src":
            (folder / "README.md").write_text("# What it is for\n", encoding="utf-8")
            folder = folder.parent
        return path

    def write_bare(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def compile(self, path, text):
        """A source of src/, and its object where a build has it."""
        layer, name = path.split("/", 1)
        source = self.write(f"src/{path}", text)
        made = self.root / "build/src" / layer / f"CMakeFiles/ets_{layer}.dir/{name}.o"
        made.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([COMPILER, "-c", "-fPIC", "-o", made, source], check=True)
        return made

    def archive(self, name, *objects):
        library = self.root / "build/lib" / name
        library.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["ar", "rcs", library, *objects], check=True)

    def check_build(self):
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
            ["src/format/a.c:3: src/format must not include from src/inspect (inspect/b.h)"],
        )

    def test_layers__command_line_uses_public_headers_only(self):
        self.write("src/cli/main.c", '#include "base/arena.h"\n')
        self.assertEqual(
            self.check(),
            ["src/cli/main.c:1: src/cli must not include from src/base (base/arena.h)"],
        )

    def test_layers__a_command_uses_shared_rooms_and_no_other_command(self):
        self.write("src/cli/gap/a.c", '#include "cli/core/x.h"\n#include "cli/values/x.h"\n'
                   '#include "cli/gap/b.h"\n')
        self.assertEqual(self.check(), [])
        self.write("src/cli/gap/a.c", '#include "cli/core/x.h"\n#include "cli/tensors/x.h"\n')
        self.write("src/cli/files/b.c", '#include "cli/core/x.h"\n#include "cli/session/x.h"\n')
        self.write("src/cli/traces/c.c", '#include "cli/plot/x.h"\n')
        self.assertEqual(
            self.check(),
            ["src/cli/files/b.c:2: src/cli/files must not include from src/cli/session (cli/session/x.h)",
             "src/cli/gap/a.c:2: src/cli/gap must not include from src/cli/tensors (cli/tensors/x.h)",
             "src/cli/traces/c.c:1: src/cli/traces must not include from src/cli/plot (cli/plot/x.h)"],
        )

    def test_layers__rooms_of_output_have_an_order(self):
        self.write("src/output/page/a.c", '#include "output/sql/x.h"\n#include "output/text/x.h"\n')
        self.assertEqual(self.check(), [])
        self.write("src/output/sql/c.c", '#include "output/page/x.h"\n')
        self.write("src/output/misc/b.c", "")
        self.assertEqual(
            self.check(),
            ["src/output/misc: this folder is no room that tools/check_layers.py knows",
             "src/output/sql/c.c:1: src/output/sql must not include from src/output/page (output/page/x.h)"],
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
                "src/inspect/a.c:1: only src/output, src/record may include <zlib.h>",
                "src/output/b.cc:1: only src/engine may include"
                " <executorch/runtime/core/error.h>",
            ],
        )

    def test_layers__one_room_asks_the_operating_system(self):
        self.write("src/cli/core/a.c", "#include <stdio.h>\n#include <unistd.h>\n")
        self.write("src/host/b.h", "#include <sys/stat.h>\n")
        self.write("src/host/os/windows/c.c", "#include <windows.h>\n")
        self.write("src/engine/plugin/d.cc", "#include <dlfcn.h>\n")
        self.assertEqual(
            self.check(),
            [
                "src/cli/core/a.c:2: only src/host/os asks the operating system (unistd.h)",
                "src/host/b.h:1: only src/host/os asks the operating system (sys/stat.h)",
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

    def test_layers__the_table_of_the_design_is_that_of_the_check(self):
        self.write_bare("DESIGN.md", "| device | base | errors | nothing |\n| | format | readers | base |\n")
        self.assertEqual(self.check(), [])
        self.write_bare("DESIGN.md", "| | numerics | elements | base host |\n")
        self.assertEqual(self.check(), ["DESIGN.md:1: src/numerics may use: base"])

    def test_layers__backends_are_known_where_that_is_the_purpose(self):
        for folder in ("format", "payload", "partition", "advice"):
            self.write(f"src/{folder}/{folder}.c", 'f(ETS_XNNPACK_ADD, "XnnpackBackend");\n')
        self.write("src/engine/plugin/p.cc", 'f("QnnBackend");\n')
        self.write("src/views/v.c", '/* XnnpackBackend */\nf("the rules of XnnpackPartitioner");\n')
        self.assertEqual(self.check(), [])
        self.write("src/cost/c.c", '/* why */\nf("VulkanBackend");\nets_xnnpack_init(p);\n')
        told = "src/cost must not know backends: ask src/payload"
        self.assertEqual(self.check(), [f'src/cost/c.c:2: {told} ("VulkanBackend")',
                                        f"src/cost/c.c:3: {told} (ets_xnnpack_init)"])

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

    def test_layers__stable_header_includes_no_experimental_one(self):
        self.write("include/etscope/experimental/b.h", "/* b.h\n *\n * Experimental: moves. */\n")
        self.write("include/etscope/a.h", '#include "etscope/experimental/b.h"\n')
        self.write("include/etscope/experimental/c.h",
                   '/* Experimental: moves. */\n#include "etscope/experimental/b.h"\n')
        self.assertEqual(
            self.check(),
            ["include/etscope/a.h:1: a stable header must not include etscope/experimental/b.h"],
        )

    def test_layers__experimental_header_says_so(self):
        self.write("include/etscope/experimental/b.h", "/* b.h - what it is. */\n")
        self.assertEqual(
            self.check(),
            ["include/etscope/experimental/b.h:1: the first comment does not say that it is"
             " experimental"],
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

    def test_layers__each_folder_has_a_sign_and_each_file_a_comment(self):
        self.write_bare("src/cli/run/run.c", "int f(void);\n")
        self.write_bare("src/cli/run/run.h", "// What it is for.\n")
        self.write_bare("src/cli/README.md", "")
        self.assertEqual(
            self.check(),
            [
                "src/cli/run: this folder has no README.md",
                "src/cli/run/run.c:1: the file does not begin with a comment that says what it is",
            ],
        )

    def test_layers__sign_names_files_that_exist(self):
        self.write("src/base/a.c", "")
        (self.root / "src/base/README.md").write_text("Open a.c, then gone.h.\n", encoding="utf-8")
        self.assertEqual(self.check(), ["src/base/README.md: there is no gone.h"])

    def test_layers__public_header_counts_as_its_folder(self):
        self.write("include/etscope/gap.h", "")
        self.write("src/record/a.c", '#include "etscope/gap.h"\n')
        self.assertEqual(
            self.check(),
            ["src/record/a.c:1: src/record must not include from src/gap (etscope/gap.h)"],
        )

    def test_layers__exported_functions_are_used(self):
        self.write("include/etscope/a.h", "ETS_API int ets_used(void);\n"
                   "ETS_API int ets_idle(void);\n")
        self.write("examples/b.c", "int main(void) { return ets_used(); }\n")
        self.assertEqual(
            self.check(),
            ["include/etscope/a.h:2: ets_idle is used by no command, package, example or page"],
        )

    def test_layers__only_ets_names_are_exported(self):
        made = self.compile("base/a.c", "int ets_a(void) { return 0; }\n"
                            "int leak(void) { return 0; }\n")
        library = self.root / "build/lib/libetscope.so"
        library.parent.mkdir(parents=True)
        subprocess.run([COMPILER, "-shared", "-o", library, made], check=True)
        self.assertIn("libetscope.so: exports leak", self.check_build())

    def share(self, text):
        """The shared library of a build, of one source."""
        library = self.root / "build/lib/libetscope.so"
        library.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([COMPILER, "-shared", "-o", library, self.compile("base/a.c", text)],
                       check=True)

    def test_layers__shared_library_exports_the_public_functions(self):
        self.write("include/etscope/a.h", "ETS_API int ets_a(void);\nETS_API int ets_b(void);\n"
                   "int ets_inner(void);\n")
        self.write("examples/b.c", "int main(void) { return ets_a() + ets_b(); }\n")
        self.share("int ets_a(void) { return 0; }\nint ets_inner(void) { return 0; }\n")
        told = self.check_build()
        self.assertIn("libetscope.so: exports ets_inner", told)
        self.assertIn("libetscope.so: does not export ets_b", told)
        self.assertNotIn("libetscope.so: exports ets_a", told)

    def test_layers__fewer_than_200_functions_are_public(self):
        names = [f"ets_f{i}" for i in range(200)]
        self.write("include/etscope/a.h", "".join(f"ETS_API int {n}(void);\n" for n in names))
        self.write("docs/a.md", " ".join(names))
        self.share("".join(f"int {n}(void) {{ return 0; }}\n" for n in names))
        self.assertIn("libetscope.so: 200 functions are public, 200 are too many",
                      self.check_build())

    def test_layers__names_in_archives_begin_with_ets(self):
        made = self.compile("base/a.c", "int ets_a(void) { return 0; }\n"
                            "int leak(void) { return 0; }\n")
        self.archive("libetscope.a", made)
        self.assertEqual(
            self.check_build(), ["libetscope.a: the name leak does not begin with ets_"]
        )

    def test_layers__device_library_links_alone(self):
        made = self.compile("trace/a.c", "int ets_elsewhere(void);\n"
                            "int ets_a(void) { return ets_elsewhere(); }\n")
        self.archive("libetscope_trace.a", made)
        self.assertEqual(
            self.check_build(), ["libetscope_trace.a: ets_elsewhere is not defined in it"]
        )

    def test_layers__use_by_symbol_follows_the_borders(self):
        self.compile("inspect/a.c", "int ets_a(void) { return 0; }\n")
        self.compile("record/b.c", "int ets_a(void);\nint ets_b(void) { return ets_a(); }\n")
        self.assertEqual(
            self.check_build(),
            ["src/record/b.c: src/record must not use src/inspect (ets_a)"],
        )

    def test_layers__circle_of_files_is_told_once(self):
        self.compile("base/a.c", "int ets_b(void);\nint ets_a(void) { return ets_b(); }\n")
        self.compile("base/b.c", "int ets_c(void);\nint ets_b(void) { return ets_c(); }\n")
        self.compile("base/c.c", "int ets_a(void);\nint ets_c(void) { return ets_a(); }\n")
        self.compile("base/user.c", "int ets_a(void);\nint ets_d(void) { return ets_a(); }\n")
        self.assertEqual(
            self.check_build(),
            ["src/base/a.c: a circle of files: base/a.c, base/b.c, base/c.c"],
        )


if __name__ == "__main__":
    unittest.main()

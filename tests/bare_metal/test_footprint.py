"""The tracer on processors without an operating system: what it needs and what it takes.

BARE_METAL_OUT names the folder for builds. Prints the table that docs/tracing.md shows.
"""

import os
import re
import sys
import unittest
from pathlib import Path

from footprint import Footprint, missing_tools, print_table, run
from targets import ARITHMETIC_FUNCTIONS, BOUNDS, INTEGER_FUNCTIONS, MEMORY_FUNCTIONS

OUT = Path(os.environ.get("BARE_METAL_OUT", "build/bare_metal"))


class Targets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.footprints = {target: Footprint(target, OUT) for target in BOUNDS}
        print_table(cls.footprints)

    def test_the_bounds_are_kept(self):
        for target, footprint in self.footprints.items():
            with self.subTest(target=target):
                self.assertEqual(footprint.exceeded(BOUNDS[target]), [])

    def test_the_bounds_are_near(self):
        """A bound that is half as much again finds nothing any more."""
        for target, footprint in self.footprints.items():
            for name, is_now, most in zip(BOUNDS[target]._fields, footprint.numbers(),
                                          BOUNDS[target]):
                with self.subTest(target=target, what=name):
                    self.assertGreater(3 * is_now, 2 * most)

    def test_there_are_no_variables(self):
        for target, footprint in self.footprints.items():
            with self.subTest(target=target):
                self.assertEqual(footprint.static_bytes(), 0)

    def test_a_stream_needs_no_writer_of_etdumps(self):
        for target in BOUNDS:
            with self.subTest(target=target):
                names = run("llvm-nm", str(OUT / target / "footprint_stream.elf"))
                self.assertIn("ets_trace_send_end", names)
                self.assertNotIn("ets_etdump_write", names)
                self.assertNotIn("ets_fbw_put", names)

    def test_programs_without_filters_and_reducers_are_without_their_code(self):
        for target in BOUNDS:
            for program in ("stream", "ring"):
                with self.subTest(target=target, program=program):
                    names = run("llvm-nm", str(OUT / target / f"footprint_{program}.elf"))
                    self.assertIn("ets_trace_begin_filtered", names)
                    self.assertNotIn("ets_trace_set_filters", names)
                    self.assertNotIn("ets_tensor_statistics", names)

    def test_only_what_compilers_bring_is_needed(self):
        for target in BOUNDS:
            with self.subTest(target=target):
                listing = run("llvm-nm", str(OUT / target / "libetscope_trace.a")).splitlines()
                fields = [line.split() for line in listing]
                defined = {line[2] for line in fields if len(line) == 3}
                wanted = {line[1] for line in fields if len(line) == 2 and line[0] == "U"}
                allowed = f"({MEMORY_FUNCTIONS}|{INTEGER_FUNCTIONS.get(target, MEMORY_FUNCTIONS)})"
                if target != "android-arm64":
                    allowed += f"|{ARITHMETIC_FUNCTIONS}"
                strangers = [name for name in wanted - defined if not re.fullmatch(allowed, name)]
                self.assertEqual(strangers, [])
                self.assertNotEqual(wanted - defined, set())  # the listing was understood


def main():
    packages = missing_tools()
    if packages:
        print("skipped: the footprint needs the packages " + " ".join(packages))
        sys.exit(77)
    unittest.main()


if __name__ == "__main__":
    main()

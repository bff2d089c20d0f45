"""`etscope profile --memory`: who takes a method's memory, counted while it runs."""

import unittest

import run_support as support
from run_support import DATA, MODELS, RunTest

MOMENTS = ["before load", "after load", "before runs", "after first run", "at the end"]


class MemoryAtRunTime(RunTest):
    def rows_of(self, *arguments):
        return support.json_rows(self.ok(*arguments, "--format", "json").stdout)

    def memory_of(self, fixture, method, *arguments):
        obstacle = support.obstacle(fixture)
        if obstacle:
            self.skipTest(obstacle)
        return self.rows_of("profile", DATA / fixture / "model.pte", "--method", method,
                            "--memory", "--runs", 2, *arguments)

    def test_planned_buffers_are_the_programs_arenas(self):
        for fixture, methods in MODELS.items():
            program = DATA / fixture / "model.pte"
            told = {m["name"]: m for m in self.rows_of("info", program)[0]["methods"]}
            for method in methods:
                if support.obstacle(fixture):
                    continue
                with self.subTest(fixture=fixture, method=method):
                    rows = self.memory_of(fixture, method)
                    planned = [(row["part"], row["held_bytes"]) for row in rows
                               if row["owner"] == "planned"]
                    self.assertEqual(planned, [(f"memory id {a['arena']}", a["bytes"])
                                               for a in told[method]["arenas"]])
                    self.assertTrue(all(row["method"] in (method, None) for row in rows))
                    self.assertEqual([row["part"] for row in rows if row["owner"] == "process"],
                                     MOMENTS)
                    self.assertEqual(rows[0]["owner"], "program")
                    self.assertEqual(rows[0]["held_bytes"], program.stat().st_size)


if __name__ == "__main__":
    unittest.main()

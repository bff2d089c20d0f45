"""Programs whose instructions a pass made after the ETRecord was: `linear` where the record has mm and addmm, without a debug
handle, and Cortex-M's kernels, whose debug handles lead to the operators that they replace."""

import json
import unittest

import support
from support import DATA, MISMATCH, OK

LINEAR = DATA / "late" / "linear"
CORTEX_M = DATA / "cortex_m" / "res_int8"


def rows(command, *words):
    done = support.run(command, *words, "--format", "json")
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode == OK, done.stderr
    return json.loads(done.stdout)["rows"]


class Linear(unittest.TestCase):
    MODULES = {1: "attention.query", 2: "attention.key", 3: "attention", 6: "head"}

    def check(self, *words):
        found = {row["instruction"]: row for row in support.rows(
            f"{LINEAR}.etdp", "--etrecord", f"{LINEAR}.etrecord", "--no-siblings", *words)
            if row["block"] == "Execute" and row["operator"].endswith(".out")}
        for instruction, module in self.MODULES.items():
            self.assertEqual(found[instruction]["operator"], "linear.out")
            self.assertEqual(found[instruction]["module"], [module])
            self.assertEqual(found[instruction]["inferred"], int(instruction != 3))  # 3 kept its handle
        self.assertEqual(found[5]["inferred"], 0)
        self.assertEqual(found[5]["op_types"], ["aten.mm.default"])

    def test_late_calls__are_joined_by_order_with_the_trace_alone(self):
        self.check()

    def test_late_calls__are_joined_by_order_with_the_program(self):
        self.check("--program", f"{LINEAR}.pte")

    def test_late_calls__weights_are_named(self):
        names = {row["name"] for row in rows("size", f"{LINEAR}.pte", "--etrecord",
                                             f"{LINEAR}.etrecord") if row["part"] == "constant"}
        self.assertLessEqual({"attention.query.weight", "attention.key.weight", "head.weight"},
                             names)

    def test_late_calls__other_commands_take_the_record(self):
        for command in ("memory", "cost", "delegates", "advise"):
            done = support.run(command, f"{LINEAR}.pte", "--etrecord", f"{LINEAR}.etrecord")
            self.assertIn(done.returncode, (OK, support.UNAVAILABLE), done.stderr)

    def test_late_calls__a_record_of_another_model_is_still_refused(self):
        done = support.inspect(f"{LINEAR}.etdp", "--etrecord",
                               support.fixture("mlp_portable", "model.etrecord"))
        self.assertEqual(done.returncode, MISMATCH)


class CortexM(unittest.TestCase):
    def test_cortex_m__handles_lead_to_the_operators_that_were_replaced(self):
        found = rows("delegates", f"{CORTEX_M}.pte", "--etrecord", f"{CORTEX_M}.etrecord")
        modules = [row["module"] for row in found]
        self.assertEqual(modules[1:4], [["stem"], ["c1"], ["dw"]])
        # XNNPACK's rules say nothing of operators that were given to another library.
        self.assertEqual({row["why_out"] for row in found}, {None})

    def test_cortex_m__scratch_is_no_mistake_of_the_plan(self):
        done = support.run("memory", f"{CORTEX_M}.pte")
        self.assertEqual(done.returncode, OK)
        self.assertNotIn(b"mistake", done.stdout)
        kinds = {row["value"]: (row["kind"], row["first"], row["last"])
                 for row in rows("memory", f"{CORTEX_M}.pte")}
        self.assertEqual(kinds[67], ("scratch", 3, 3))
        self.assertEqual(kinds[37], ("scratch", 1, 1))
        self.assertEqual(kinds[52], ("scratch", 2, 2))


if __name__ == "__main__":
    unittest.main()

"""`etscope memory --what-if`: what other plans of the same tensors would take."""

import json
import unittest

import support
from support import DATA, MODELS, OK


def what_if(model, *words):
    return support.run("memory", DATA / model / "model.pte", "--what-if", "--no-siblings", *words)


def rows(model):
    done = what_if(model, "--format", "json")
    assert done.returncode == OK, done.stderr
    return json.loads(done.stdout)["rows"]


class WhatIf(unittest.TestCase):
    def test_what_if__answer_comes_first(self):
        lines = what_if("conv_portable").stdout.decode().splitlines()
        self.assertEqual(
            lines[0], "forward: 28.0 KiB planned; placed anew it takes 20.0 KiB (29 % less)")
        self.assertEqual(lines[3].split(), "placed anew 20.0 KiB -8.0 KiB -28.6%".split())

    def test_what_if__the_exported_plan_may_be_best(self):
        lines = what_if("mlp_portable").stdout.decode().splitlines()
        self.assertEqual(
            lines[0], "forward: 2.4 KiB planned; no plan with these lifetimes is smaller")

    def test_what_if__leaves_out_what_is_live_at_the_peak(self):
        without = [row for row in rows("mlp_portable") if row["plan"].startswith("without value ")]
        self.assertEqual([row["value"] for row in without], [5, 9, 4])
        self.assertEqual([row["change_bytes"] for row in without], [-1632, -256, -128])

    def test_what_if__leaves_out_pairs_that_save_more_than_their_sum(self):
        plans = {(row["value"], row["other_value"]): -row["change_bytes"] for row in rows("mlp_portable")
                 if row["change_bytes"] is not None}
        # the transposed weight of the second layer lies below that of the first
        self.assertEqual({pair: saved for pair, saved in plans.items() if pair[1] is not None},
                         {(5, 13): 1920, (5, 12): 1888})
        for model in MODELS:
            found = rows(model)
            for row in found:
                if row["other_value"] is None:
                    continue
                (anew,) = [each["size_bytes"] for each in found
                           if each["plan"] == "placed anew" and each["method"] == row["method"]]
                alone = [anew - each["size_bytes"] for each in found if each["method"] == row["method"]
                         and each["other_value"] is None and each["value"] in (row["value"], row["other_value"])]
                self.assertGreater(anew - row["size_bytes"], sum(alone), (model, row))

    def test_what_if__names_what_no_operator_makes(self):
        self.assertIn("without value 4 (input)", [row["plan"] for row in rows("cond")])

    def test_what_if__agrees_with_the_plans_lower_bound(self):
        lines = what_if("conv_xnnpack_int8", "--format", "json")
        self.assertIn("no smaller plan of these tensors was found", json.loads(lines.stdout)["headline"])
        bound = [row for row in rows("conv_xnnpack_int8") if row["plan"] == "lower bound"]
        self.assertEqual([row["size_bytes"] for row in bound], [12336])

    def test_what_if__no_plan_is_below_the_bound(self):
        for model in MODELS:
            methods = {}
            for row in rows(model):
                methods.setdefault(row["method"], {})[row["plan"]] = row["size_bytes"]
            self.assertTrue(methods, model)
            for plans in methods.values():
                bound = next(plans[plan] for plan in plans if plan.startswith("lower bound"))
                self.assertGreaterEqual(plans["placed anew"], bound, model)
                self.assertLessEqual(plans["with in-place results"], plans["placed anew"], model)


if __name__ == "__main__":
    unittest.main()

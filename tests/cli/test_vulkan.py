"""Delegates of Vulkan are compared, sized, costed and drawn as those of XNNPACK are."""

import json
import tempfile
import unittest
from pathlib import Path

import support
from bomb_support import delegate_calls, payload, vulkan_payload
from support import DATA, OK

FOLDER = DATA / "payloads"
BEFORE, AFTER = FOLDER / "vulkan_before.pte", FOLDER / "vulkan_after.pte"


def document(*words):
    done = support.run(*words, "--format", "json")
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode in (OK, 1), done.stderr
    return json.loads(done.stdout)


def graphs(program, kind="model-explorer"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.json"
        done = support.run("export", program, "--no-siblings", "--to", kind, "-o", path)
        assert done.returncode == OK, done.stderr
        return json.loads(path.read_text(encoding="utf-8"))["graphs"]


class Vulkan(unittest.TestCase):
    def test_vulkan__work_by_the_rules_of_operators(self):
        """Of a convolution with relu and a linear layer, by hand."""
        told = document("cost", BEFORE, "--no-siblings")
        calls = [row for row in told["rows"] if row["operator"] == "VulkanBackend"]
        first = 8 * 16 * 16 * 27 + 8 * 16 * 16 * 9  # both convolutions, with a bias each
        self.assertEqual(calls[0]["macs"], first)
        self.assertEqual(calls[1]["macs"], 8 * 4)
        self.assertNotIn("at least", told["headline"])

    def test_vulkan__work_is_that_of_the_record(self):
        """What the payload tells is what the graph of the export told before payloads were read."""
        told = document("cost", FOLDER / "vulkan_map.pte", "--no-siblings")
        self.assertEqual([row["flops"] for row in told["rows"] if row["kind"] != "inside"],
                         [450560, 8192, 8192, 84])

    def test_vulkan__differences_are_of_nodes(self):
        told = document("diff", BEFORE, AFTER)
        nodes = {row["name"]: row for row in told["rows"] if row["part"] == "node"}
        strided = nodes["et_vk.conv_with_clamp.default, node 2 of delegate 0"]
        self.assertIn("argument 3 1x1", strided["before"])
        self.assertIn("argument 3 2x2", strided["after"])
        scaled = nodes["aten.linear.default, node 1 of delegate 1"]
        self.assertIn("input 1 hash", scaled["before"])
        self.assertNotEqual(scaled["before"], scaled["after"])

    def test_vulkan__calls_have_graphs(self):
        inner = graphs(BEFORE)[1]
        labels = [node["label"] for node in inner["nodes"]]
        self.assertIn("et_vk.conv_with_clamp.default", labels)
        self.assertIn("aten.max_pool2d_with_indices.default", labels)

    def test_vulkan__operators_inside_need_no_record(self):
        told = document("delegates", BEFORE, "--no-siblings")
        inside = [row["operator"] for row in told["rows"] if row["kind"] == "inside"]
        self.assertEqual(len(inside), 12)
        self.assertIn("et_vk.conv_with_clamp.default", inside)
        self.assertEqual(told["notes"], [])
        inside = {row["operator"]: row["macs"]
                  for row in document("cost", BEFORE, "--no-siblings")["rows"]
                  if row["kind"] == "inside"}
        self.assertEqual(inside["aten.convolution.default"], 8 * 16 * 16 * 9)

    def test_vulkan__advice_says_that_no_rule_is_of_it(self):
        done = support.run("advise", "--program", BEFORE, "--no-siblings")
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertIn(b"outside of 2 delegate calls, of which only the operators are known, from the "
                      b"program (VulkanBackend", done.stdout)

    def test_vulkan__weights_of_two_programs_belong_to_their_own(self):
        told = document("size", BEFORE, AFTER)
        weights = [row for row in told["rows"] if row["part"] == "delegate_weight"]
        self.assertEqual(len(weights), 14)
        self.assertEqual(len([row for row in weights if row["file"] == str(AFTER)]), 7)

    def test_vulkan__info_counts_nodes(self):
        told = document("info", BEFORE)
        (method,) = told["rows"][0]["methods"]
        self.assertEqual([(one["content"], one["node_count"]) for one in method["delegates"]],
                         [("Vulkan graph", 9), ("Vulkan graph", 3)])


class WithoutNames(unittest.TestCase):
    def test_vulkan__calls_may_lack_what_is_optional(self):
        with tempfile.TemporaryDirectory() as folder:
            program = delegate_calls(Path(folder) / "names.pte", 1, b"VulkanBackend",
                                     vulkan_payload(2, 1, 1, name=None))
            for command in ("info", "size", "cost", "memory", "delegates", "advise", "dump"):
                done = support.run(command, program)
                self.assertIn(done.returncode, (OK, 1, support.UNAVAILABLE), (command, done.stderr))
            labels = [node["label"] for node in graphs(program)[1]["nodes"]]
            self.assertEqual(labels, ["?", "?"])


class SharedPayloads(unittest.TestCase):
    def test_vulkan__what_calls_share_is_drawn_as_far_as_it_is_useful(self):
        """400 calls of a payload of 5,010 nodes and values: once, and again until the limit."""
        with tempfile.TemporaryDirectory() as folder:
            program = delegate_calls(Path(folder) / "shared.pte", 400, b"XnnpackBackend",
                                     payload(5000, 10))
            told = graphs(program)
        self.assertEqual(len(told), 1 + 1 + (1 << 16) // 5010)
        last = told[0]["nodes"][-1]
        self.assertIn({"key": "payload", "value": "the same as that of forward/i0"}, last["attrs"])


if __name__ == "__main__":
    unittest.main()

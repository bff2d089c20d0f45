"""Records what upstream's diff_pte (executorch 1.5.1, devtools/pte_tool) says of pairs of fixtures.

    python tests/data/differences/make.py       (needs executorch)
"""

import json
import pathlib

from executorch.devtools.pte_tool.diff_pte import diff_pte

DATA = pathlib.Path(__file__).resolve().parent.parent
PAIRS = [("mlp_portable", "mlp_xnnpack"), ("conv_portable", "conv_xnnpack"),
         ("conv_xnnpack", "conv_xnnpack_int8"), ("gpt_portable", "gpt_xnnpack"),
         ("linear_fp32_xnnpack", "linear_int8_xnnpack"), ("cond", "dynamic"),
         ("mlp_portable", "conv_portable"), ("state/own", "state/shared"),
         ("state/own", "state/changed"), ("multi_method", "multi_method"),
         ("map_loop", "types")]


def program(name):
    """The program of a fixture, or one of several in a folder."""
    path = DATA / name
    return path / "model.pte" if path.is_dir() else path.with_suffix(".pte")


def plan(diff):
    """What has the same meaning whatever the values' numbers are."""
    return {"name": diff.name_a, "operators_before": diff.operators_only_in_a,
            "operators_after": diff.operators_only_in_b,
            "delegates_before": diff.delegates_only_in_a,
            "delegates_after": diff.delegates_only_in_b,
            "arenas": [diff.non_const_buffer_sizes_a, diff.non_const_buffer_sizes_b],
            "values": [diff.value_count_a, diff.value_count_b],
            "instructions": [diff.instruction_count_a, diff.instruction_count_b]}


def main():
    """Writes diff_pte.json beside this file."""
    answers = []
    for before, after in PAIRS:
        a, b = program(before).read_bytes(), program(after).read_bytes()
        result = diff_pte(a, b, before, after)
        answers.append({
            "before": before, "after": after, "equal": result.bitwise_equal,
            "plans": {diff.plan_index: plan(diff) for diff in result.plan_diffs},
            "extra_before": result.extra_plans_in_a, "extra_after": result.extra_plans_in_b,
            "named_data": [[diff.key, diff.only_in] for diff in result.named_data_diffs]})
    lines = ",\n".join(json.dumps(answer) for answer in answers)
    (pathlib.Path(__file__).parent / "diff_pte.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()

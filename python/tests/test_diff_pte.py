"""etscope.pte_tool.diff_pte beside what upstream's said of the same pairs (tests/data/differences)."""

import json

import numpy as np
import pytest

from etscope import schema
from etscope.pte_tool.diff_pte import diff_pte, format_diff_result, main
from etscope.scalar_type import ScalarType
from fixtures import DATA

RECORDED = json.loads((DATA / "differences" / "diff_pte.json").read_text())


def program(name):
    path = DATA / name
    return path / "model.pte" if path.is_dir() else path.with_suffix(".pte")


def compare(before, after, **options):
    return diff_pte(program(before).read_bytes(), program(after).read_bytes(), before, after,
                    **options)  # fmt: skip


def plan(diff):
    return {"name": diff.name_a, "operators_before": diff.operators_only_in_a,
            "operators_after": diff.operators_only_in_b,
            "delegates_before": diff.delegates_only_in_a,
            "delegates_after": diff.delegates_only_in_b,
            "arenas": [diff.non_const_buffer_sizes_a, diff.non_const_buffer_sizes_b],
            "values": [diff.value_count_a, diff.value_count_b],
            "instructions": [diff.instruction_count_a, diff.instruction_count_b]}  # fmt: skip


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda r: f"{r['before']}-{r['after']}")
def test_says_what_upstream_says(recorded):
    result = compare(recorded["before"], recorded["after"])
    assert result.error is None and result.bitwise_equal == recorded["equal"]
    found = {str(diff.plan_index): plan(diff) for diff in result.plan_diffs}
    for index, expected in recorded["plans"].items():
        assert found.pop(index) == expected
    for extra in found.values():  # initial values, which upstream does not read
        assert not any(map(any, (value for value in extra.values() if value)))
    assert result.extra_plans_in_a == recorded["extra_before"]
    assert result.extra_plans_in_b == recorded["extra_after"]


def test_elements_that_differ(tmp_path):
    before = program("mlp_portable").read_bytes()
    weight = np.frombuffer(before, "f4", 1, before.find(first_constant(before)))
    after = bytearray(before)
    at = before.find(first_constant(before))
    after[at : at + 4] = (weight + np.float32(0.5)).tobytes()
    result = diff_pte(before, bytes(after))
    (tensor,) = result.plan_diffs[0].tensor_diffs
    assert (tensor.num_differing, tensor.metadata_diffs) == (1, [])
    assert tensor.max_abs_diff == tensor.mean_abs_diff == pytest.approx(0.5, abs=1e-6)
    (element,) = tensor.element_diffs
    assert element.flat_index == 0 and element.value_a == weight[0]
    assert tensor.tensor_a.scalar_type == ScalarType.FLOAT and tensor.tensor_a.operator_usages
    text = format_diff_result(result, verbose=True)
    assert f"byte sizes: {tensor.byte_size_a} vs {tensor.byte_size_a}" in text
    assert f"1 / {tensor.num_elements} elements differ" in text
    assert "byte sizes" not in format_diff_result(result)
    assert diff_pte(before, bytes(after), max_samples=0).plan_diffs[0].tensor_diffs[
        0
    ].element_diffs == []


def first_constant(data):
    """The bytes of the first constant of mlp_portable."""
    from etscope._opened import opened_program
    from etscope.pte_tool._plans import plans_of

    source, pointer = opened_program(data)
    (method,) = plans_of(pointer)
    return next(v.array.tobytes() for v in method.values if v.array is not None)


def test_initial_values_are_compared():
    result = compare("state/own", "state/changed")
    assert [diff.plan_index for diff in result.plan_diffs]


def test_the_same_file_and_no_program(tmp_path):
    data = program("cond").read_bytes()
    assert format_diff_result(diff_pte(data, data)).endswith("Status: bitwise equal")
    result = diff_pte(data, data[:100], "a.pte", "b.pte")
    assert result.error.startswith("Deserialization failed: ") and not result.plan_diffs
    assert "Error: Deserialization failed" in format_diff_result(result)


def test_the_command(capsys):
    paths = [str(program(name)) for name in ("mlp_portable", "mlp_xnnpack")]
    assert main([*paths, "-v", "--max-samples", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Comparing: {paths[0]} (")
    assert "  Delegates only in B: XnnpackBackend\n" in shown
    assert "  Value count: 23 vs 2\n" in shown
    assert main([paths[0], "nothing.pte"]) == 1
    assert "nothing.pte" in capsys.readouterr().err


def test_names_of_the_schema():
    place = schema.AllocationDetails(1, 16, 2)
    assert place.memory_offset == (2 << 32) + 16
    assert schema.ContainerMetadata("a", "b").encoded_out_str == "b"

"""Inspector(tensors="torch"); skipped where torch is missing."""

import pytest

from etscope import Inspector, parse_etrecord
from fixtures import file, inspect

torch = pytest.importorskip("torch")


def test_reference_outputs_are_tensors_too():
    block = inspect("mlp_portable", "debug", tensors="torch").event_blocks[1]
    for (value,) in (block.reference_output, block.run_output):
        assert isinstance(value, torch.Tensor) and value.dtype == torch.float32
    array = inspect("mlp_portable", "debug").event_blocks[1].reference_output[0]
    assert torch.equal(block.reference_output[0], torch.from_numpy(array))


def test_reference_outputs_of_bfloat16(tmp_path):
    record = parse_etrecord(file("mlp_portable", "model.etrecord"))
    expected = torch.full((2, 4), 0.25, dtype=torch.bfloat16)
    record.update_reference_outputs([[expected, 3]])
    record.save(tmp_path / "bfloat16.etrecord")
    inspector = Inspector(file("mlp_portable", "profile.etdp"),
                          etrecord=tmp_path / "bfloat16.etrecord", tensors="torch")  # fmt: skip
    found = inspector.event_blocks[1].reference_output
    assert found[0].dtype == torch.bfloat16 and torch.equal(found[0], expected) and found[1] == 3

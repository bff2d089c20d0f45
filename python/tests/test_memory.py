"""etscope.memory and etscope.program: tables of programs beside what the command line prints."""

import pytest

from etscope import Error, memory, program
from fixtures import MODELS, file


def test_plan_has_headline_and_tensors():
    plan = memory.plan(file("mlp_portable", "model.pte"))
    assert str(plan).startswith("forward: 2.4 KiB planned; peak 2.4 KiB at instruction 1")
    first = plan[0]
    assert (first["value"], first["size_bytes"], first["offset"]) == (5, 2048, 0)
    assert (first["first"], first["last"], first["source"]) == (0, 1, [])
    assert len(memory.plan(file("mlp_portable", "model.pte"), all=True)) > len(plan)


def test_plan_has_source_lines_with_the_record():
    plan = memory.plan(file("mlp_portable", "model.pte"), file("mlp_portable", "model.etrecord"))
    assert plan[0]["source"] == ["models/zoo.py:16"]
    assert plan[0]["module"] == ["l1"]


def test_plan_takes_bytes_and_methods():
    with open(file("multi_method", "model.pte"), "rb") as opened:
        data = opened.read()
    assert {row["method"] for row in memory.plan(data)} == {"forward", "encode", "decode"}
    assert {row["method"] for row in memory.plan(data, method="encode")} == {"encode"}
    with pytest.raises(Error, match="nothing"):
        memory.plan(data, method="nothing")


def test_alternatives_are_not_below_the_bound():
    found = memory.alternatives(file("conv_portable", "model.pte"))
    sizes = {row["plan"]: row["size_bytes"] for row in found}
    assert sizes["lower bound"] <= sizes["placed anew"] < sizes["as exported"]
    assert "placed anew" in found.headline


@pytest.mark.parametrize("model", MODELS)
def test_sizes_add_up_to_the_file(model):
    path = file(model, "model.pte")
    sizes = program.size(path)
    with open(path, "rb") as opened:
        assert sum(row["size_bytes"] for row in sizes) == len(opened.read())


def test_tables_become_data_frames():
    frame = memory.plan(file("mlp_portable", "model.pte")).to_dataframe()
    assert frame["size_bytes"].max() == 2048
    frame = program.size(file("mlp_portable", "model.pte")).to_dataframe()
    assert "part" in frame.columns


def test_programs_are_compared():
    path = file("mlp_portable", "model.pte")
    assert len(program.compare(path, path)) == 0
    changes = program.compare(path, file("mlp_xnnpack", "model.pte"))
    assert len(changes) > 0 and str(changes)


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "cut.pte"
    with open(file("mlp_portable", "model.pte"), "rb") as opened:
        path.write_bytes(opened.read()[:500])
    for function in (memory.plan, memory.alternatives, program.size):
        with pytest.raises(Error) as caught:
            function(path)
        assert caught.value.file == str(path)


def test_equal_programs_have_the_columns_of_a_difference():
    path = file("mlp_portable", "model.pte")
    columns = program.compare(path, path).columns
    assert columns == program.compare(path, file("mlp_xnnpack", "model.pte")).columns
    assert program.compare(path, path).to_dataframe().empty


def test_another_programs_record_is_named():
    """MISMATCH is of the record, on either side."""
    path, other = file("mlp_portable", "model.pte"), file("mlp_xnnpack", "model.pte")
    record = file("mlp_xnnpack", "model.etrecord")
    for function, arguments in (
        (memory.plan, (path, record)),
        (program.size, (path, record)),
        (program.compare, (path, other, record)),
        (program.compare, (other, path, record, record)),
    ):
        with pytest.raises(Error) as caught:
            function(*arguments)
        assert (caught.value.status, caught.value.file) == ("MISMATCH", record), function


def test_several_methods_say_what_they_take_together():
    whole = memory.plan(file("multi_method", "model.pte"))
    assert str(whole) == (
        "3 methods, each with arenas of its own: 960 B if all are loaded together, 352 B (forward) "
        "if one is loaded at a time"
    )
    assert str(memory.alternatives(file("multi_method", "model.pte"))) == str(whole)
    one = memory.plan(file("multi_method", "model.pte"), method="encode")
    assert str(one).startswith("encode: 304 B planned; ")

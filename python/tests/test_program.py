"""Inspector(program=...): what is inside of delegates."""

import pytest

import etscope
from etscope import Inspector
from fixtures import DATA, EXAMPLES, file

pyarrow = pytest.importorskip("pyarrow")


def inside(**options):
    """{event inside of the delegate: (file, line, module)} of a trace of tests/data/delegates."""
    base = str(DATA / "delegates" / "images")
    inspector = Inspector(base + ".etdp", etrecord=base + ".etrecord", **options)
    table = pyarrow.table(inspector.events).to_pylist()
    return {e["delegate_name"]: (e["file"], e["line"], e["module"])
            for e in table if e["delegate_name"]}  # fmt: skip


def test_events_inside_of_a_delegate_have_lines_of_their_own():
    found = inside(program=str(DATA / "delegates" / "images.pte"))
    assert found["Convolution (NHWC, F32) DWConv #1"][2] == "depthwise"
    assert found["Max Pooling (NHWC, F32) #1"][:2] == ("make.py", 42)
    assert len(set(found.values())) > 5


def test_without_it_they_have_those_of_the_call():
    assert len(set(inside().values())) == 1


def test_a_bundled_program_is_one_too():
    record, trace = file("mlp_xnnpack", "model.etrecord"), file("mlp_xnnpack", "profile.etdp")
    tables = [
        pyarrow.table(Inspector(trace, etrecord=record, program=file("mlp_xnnpack", name)).events)
        for name in ("model.pte", "model.bpte")
    ]
    assert tables[0].equals(tables[1]) and any(tables[0]["file"].to_pylist())


def test_an_offset_is_one_of_the_file(tmp_path):
    """Of a bundle that is whole around a program that is not."""
    bundle = bytearray(DATA.joinpath("mlp_xnnpack", "model.bpte").read_bytes())
    program = DATA.joinpath("mlp_xnnpack", "model.pte").read_bytes()
    start = bundle.index(program)
    bundle[start : start + 4] = b"\xff\xff\xff\x7f"  # where the program's root is
    (tmp_path / "damaged.bpte").write_bytes(bundle)
    (tmp_path / "damaged.pte").write_bytes(bundle[start : start + len(program)])
    offsets = []
    for name in ("damaged.pte", "damaged.bpte"):
        with pytest.raises(etscope.Error, match=f"{name}: byte ") as caught:
            Inspector(file("mlp_xnnpack", "profile.etdp"), program=str(tmp_path / name))
        offsets.append(caught.value.offset)
    assert offsets[1] == offsets[0] + start


def test_what_is_no_program():
    trace = file("mlp_xnnpack", "profile.etdp")
    with pytest.raises(etscope.Error) as caught:
        Inspector(trace, program=trace)
    assert caught.value.status == "WRONG_KIND" and caught.value.file == trace
    with pytest.raises(FileNotFoundError):
        Inspector(trace, program="no such file.pte")
    with pytest.raises(etscope.Error) as caught:
        Inspector(trace, program=str(EXAMPLES / "mlp" / "portable.pte"))
    assert caught.value.status == "MISMATCH"

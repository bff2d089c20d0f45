"""Pictures of an Inspector: what they show is what the tables say."""

import sys

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

from etscope import Error, Inspector  # noqa: E402
from etscope.cost import Cost  # noqa: E402
from etscope.inspector import _plots  # noqa: E402
from fixtures import DATA, EXAMPLES, file, inspect  # noqa: E402
from made import dump, profile  # noqa: E402

CNN = str(EXAMPLES / "mobile_cnn" / "xnnpack")
MACHINE = DATA / "machines" / "epyc.json"


@pytest.fixture(autouse=True)
def no_screen():
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module")
def cnn():
    return Inspector(CNN + ".etdump", etrecord=CNN + ".etrecord", program=CNN + ".pte")


def drawn(axes):
    """What is written on a picture that was really drawn."""
    axes.figure.canvas.draw()
    legend = axes.get_legend()
    texts = [*axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label,
             *(legend.get_texts() if legend else ())]  # fmt: skip
    return [text.get_text().strip() for text in texts] + [axes.get_title(loc="left")]


def test_boxes_are_the_modules_and_add_up(cnn):
    axes = cnn.plot_modules()
    rows = cnn.by_module()
    middle = (rows.mid_ns + rows.mid_ns_upper).to_numpy() / 2000
    whole, sure = axes.patches[: len(rows)], axes.patches[len(rows) :]
    assert [box.get_width() for box in whole] == pytest.approx(list(middle))
    assert [box.get_width() for box in sure] == pytest.approx(list(rows.mid_ns / 1000))
    assert axes.get_xlim()[1] == pytest.approx(middle[rows.depth == 0].sum())
    depths = [int(box.get_y()) for box in whole]
    assert depths == list(rows.depth)
    for depth in range(max(depths) + 1):  # boxes of a level do not overlap
        of = sorted((b.get_x(), b.get_width()) for b, d in zip(whole, depths) if d == depth)
        for (left, width), (next_left, _) in zip(of, of[1:]):
            assert left + width <= next_left + 1e-9
    texts = drawn(axes)
    assert {"(model)", "body", "classifier", "us per run"} <= set(texts)
    assert "forward: time per run by module; pale: uncertain, as the clock is coarse" in texts


def test_parts_stand_below_what_they_are_a_part_of(cnn):
    rows = cnn.by_module()
    middle, depths = ((rows.mid_ns + rows.mid_ns_upper) / 2).to_numpy(), rows.depth.to_numpy(int)
    starts = _plots._places(middle, depths)
    open_ = {}
    for start, width, depth in zip(starts, middle, depths):
        open_[depth] = (start, start + width)
        if depth:
            left, right = open_[depth - 1]
            assert left - 1e-6 <= start and start + width <= right + 1e-6


def test_a_clock_that_is_exact_has_no_pale_parts():
    texts = drawn(inspect("mlp_portable").plot_modules())
    assert "forward: time per run by module" in texts


def test_runs_with_warm_up_and_outliers(cnn):
    axes = cnn.plot_runs()
    times, far, median = axes.get_lines()
    frame = cnn.by_run()
    assert list(times.get_ydata()) == pytest.approx(list(frame.time_ns / 1000))
    assert list(far.get_xdata()) == [3, 20, 21, 24]
    steady = cnn.by_run(steady=True).time_ns
    assert median.get_ydata()[0] == pytest.approx(np.median(steady) / 1000)
    (shade,) = axes.patches
    assert (shade.get_x(), shade.get_width()) == (0.5, 1)
    assert {"runs", "outliers", "warm-up", "median, steady"} <= set(drawn(axes))


def test_neighbours_in_warm_up_are_shaded_together(cnn):
    runs = cnn.by_run()
    runs["phase"] = ["warm-up"] * 3 + [None] * 5 + ["warm-up"] * 2 + [None] * 20
    axes = _plots._draw_runs(runs, cnn._runs(False, steady=True), None)
    assert [(shade.get_x(), shade.get_width()) for shade in axes.patches] == [(0.5, 3), (8.5, 2)]
    assert drawn(axes).count("warm-up") == 1


def test_each_method_has_a_colour():
    inspector = inspect("multi_method", program=file("multi_method", "model.pte"))
    axes = inspector.plot_runs()
    assert {"forward", "encode", "decode", "time of each run"} <= set(drawn(axes))
    only = inspector.plot_runs(method="encode")
    assert "encode: time of each run" in drawn(only)
    with pytest.raises(Error, match="method 'nothing' did not run; these ran: .*encode") as caught:
        inspector.plot_runs(method="nothing")
    assert caught.value.status == "NOT_FOUND"


def test_live_bytes(cnn):
    axes = cnn.plot_memory()
    filled, _ = axes.patches
    values = filled.get_data().values
    assert list(values * 1024) == [34560, 7104, 272, 116]
    assert "peak 33.75 KiB: XnnpackBackend" in drawn(axes)
    with pytest.raises(Error, match=r"Inspector\(program=\)"):
        Inspector(CNN + ".etdump").plot_memory()
    with pytest.raises(Error, match="nothing"):
        cnn.plot_memory(method="nothing")


def test_operators_below_the_roofs():
    inspector = inspect("gpt_portable", program=file("gpt_portable", "model.pte"))
    axes = inspector.plot_roofline(MACHINE, threads=1)
    frame = Cost(inspector, machine=MACHINE, threads=1).to_dataframe()
    judged = frame[frame.of_roof.notna() & (frame.flops > 0)]
    judged = judged[judged.of_roof > 0]
    dots = [line for line in axes.get_lines() if line.get_marker() == "o"]
    assert sum(len(line.get_xdata()) for line in dots) == len(judged) == 13
    at = judged.flops.astype(float) / judged.bound_ns * judged.of_roof
    assert sorted(y for line in dots for y in line.get_ydata()) == pytest.approx(sorted(at))
    texts = " ".join(drawn(axes))
    assert "13 operators below the machine's roofs; 93 overhead-bound" in texts
    assert "float32 240 G/s" in texts and "memory 53.2 GB/s" in texts and "addmm.out" in texts
    with pytest.raises(Error, match="threads"):
        inspector.plot_roofline(MACHINE, threads=7)


def test_operators_that_cannot_be_judged_are_counted():
    inspector = inspect("conv_xnnpack", program=file("conv_xnnpack", "model.pte"))
    texts = " ".join(drawn(inspector.plot_roofline(MACHINE)))
    assert "0 operators below the machine's roofs; 8 overhead-bound" in texts
    assert "float32" in texts
    with pytest.raises(Error, match="no operator ran") as caught:
        Inspector(etdump_data=dump(("Default", [])), program=CNN + ".pte").plot_roofline(MACHINE)
    assert caught.value.status == "NOT_FOUND"


def gap(**columns):
    import pandas as pd

    return pd.DataFrame(columns)


def test_signal_to_noise_along_the_model(cnn):
    values = gap(snr=[np.inf, 120.0, np.nan, 12.5, 8.0, -np.inf], operator=list("abcdef"),
                 finding=["agrees", "agrees", None, "guilty", "inherited", None])  # fmt: skip
    axes = cnn.plot_snr(values)
    points = {line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
              for line in axes.get_lines()}  # fmt: skip
    assert points["captured value"] == ([1, 3], [120.0, 8.0])
    assert points["guilty or suspect"] == ([2], [12.5])
    assert points["equal"][0] == [0] and points["equal"][1][0] > 120
    assert points["reference is zero"][0] == [4] and points["reference is zero"][1][0] < 0
    assert "d" in drawn(axes)
    with pytest.raises(Error, match="no captured value"):
        cnn.plot_snr(gap(snr=[np.nan], operator=["a"], finding=[None]))


def test_it_draws_on_axes_that_are_given(cnn):
    figure, (left, right) = matplotlib.pyplot.subplots(1, 2)
    assert cnn.plot_runs(ax=left) is left and cnn.plot_modules(right, depth=1) is right
    figure.canvas.draw()


def test_without_matplotlib_the_error_says_what_to_install(cnn, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (cnn.plot_modules, cnn.plot_runs, cnn.plot_snr, cnn.plot_memory,
                 lambda: cnn.plot_roofline(MACHINE)):  # fmt: skip
        with pytest.raises(Error, match=r"not installed: pip install 'etscope\[plot\]'") as caught:
            draw()
        assert caught.value.status == "UNAVAILABLE"


def test_nothing_that_ran_is_said():
    inspector = Inspector(etdump_data=dump(("Default", [])))
    for draw in (inspector.plot_modules, inspector.plot_runs):
        with pytest.raises(Error, match="nothing ran"):
            draw()


HOSTILE = "$\\frac{$ <script>alert(1)</script> \x1b[2J _x " + "long" * 100


def test_names_are_never_markup(cnn):
    rows = cnn.by_module(depth=1)
    rows["module"] = HOSTILE
    axes = _plots._draw_icicle(rows, None)
    assert any("script" in text for text in drawn(axes))
    runs = cnn.by_run()
    runs["method"] = [HOSTILE, "_private"] * 15
    texts = drawn(_plots._draw_runs(runs, cnn._runs(False, steady=True), None))
    assert "private" in texts and not any("\x1b" in text for text in texts)
    axes = cnn.plot_snr(gap(snr=[1.0], operator=[HOSTILE], finding=["guilty"]))
    assert all(len(text) < 120 for text in drawn(axes))


def test_cycles_are_drawn_as_cycles():
    from etscope.inspector import TimeScale

    trace = dump(("Execute", [profile("x", 0, 9, instruction=1)]))
    inspector = Inspector(etdump_data=trace, source_time_scale=TimeScale.CYCLES,
                          target_time_scale=TimeScale.CYCLES)  # fmt: skip
    assert "cycles per run" in drawn(inspector.plot_modules())
    assert "cycles" in drawn(inspector.plot_runs())

"""Pictures of an Inspector's tables, drawn with matplotlib where it is installed."""

import importlib.util
import math

from etscope._errors import Error
from etscope._library import printable

# Colours that differ in lightness, too, and are legible on white.
BLUE, PALE, GREEN, ORANGE, RED, GREY = (
    "#2f6db5", "#b9cfea", "#2e9e5b", "#d1722a", "#c0392b", "#8a919a",
)  # fmt: skip
BOX, BOX_GREY = "#86aede", "#b8bec6"  # that black text is legible on
_CHARACTER = 0.075  # inches of a character of a small label


class Pictured:
    """The part of Inspector that draws: one call for each picture, which returns its Axes."""

    def plot_modules(self, ax=None, *, depth=None, steady=False, method=None):
        """An icicle of the model's modules: from left to right time, from top to bottom parts.

            axes = inspector.plot_modules(depth=3)
            axes.figure.savefig("modules.png")

        ax             the matplotlib Axes to draw on; None: of a figure of its own
        depth, steady  as of by_module, whose rows are drawn
        method         the method that is drawn; None: the one whose runs take most together

        A box is as wide as the middle of its time's range (`mid_ns` to `mid_ns_upper`): boxes add
        up. The dark part is certain; the pale one is how much shorter or longer the time may be.
        Returns the Axes.

        Raises Error: UNAVAILABLE without matplotlib, NOT_FOUND if nothing ran, or not that method;
        and as by_module.
        """
        plotting()
        rows = _of_one_block(self.by_module(depth, steady=steady), method, "total")
        return _draw_icicle(rows, ax)

    def plot_runs(self, ax=None, *, method=None):
        """The time of each run, in order; warm-up is shaded, outliers have rings.

            inspector.plot_runs()

        ax      the matplotlib Axes to draw on; None: of a figure of its own
        method  only this method; None: all, each in a colour

        The rows of by_run. A line shows the median of the steady runs. Returns the Axes. Raises
        Error: UNAVAILABLE without matplotlib, NOT_FOUND if nothing ran, or not that method.
        """
        plotting()
        runs, medians = self.by_run(), self._runs(False, steady=True)
        return _draw_runs(_of_method(runs, method), medians, ax)

    def plot_snr(self, gap=None, ax=None):
        """The signal-to-noise ratio of captured values along the model, in dB: more is better.

            inspector = Inspector("debug.etdp", etrecord="model.etrecord",
                                  debug_buffer_path="debug.bin")
            inspector.plot_snr()

        gap  what numeric_gap returned; None: it is called
        ax   the matplotlib Axes to draw on; None: of a figure of its own

        Values stand in the order of evaluation. Those that equal their reference to the bit, whose
        ratio is infinite, are triangles at the top; what makes the outputs wrong is red and has its
        name. Returns the Axes. Raises Error: UNAVAILABLE without matplotlib, NOT_FOUND if no value
        has a ratio; and as numeric_gap.
        """
        plotting()
        return _draw_snr(self.numeric_gap() if gap is None else gap, ax)

    def plot_memory(self, ax=None, *, method=None):
        """Planned memory that is in use, instruction by instruction.

            Inspector("trace.etdp", program="model.pte").plot_memory()

        ax      the matplotlib Axes to draw on; None: of a figure of its own
        method  the method that is drawn; None: the one with the largest peak

        The rows of etscope.memory.steps. Returns the Axes. Raises Error: UNAVAILABLE without
        matplotlib, INVALID_ARGUMENT without program=, NOT_FOUND for another method or if nothing is
        planned.
        """
        plotting()
        if self._program is None:
            raise Error("memory is planned in the program: Inspector(program=)",
                        status="INVALID_ARGUMENT")  # fmt: skip
        from etscope import memory

        given = self._program.path
        steps = memory.steps(given, method=method).to_dataframe()
        return _draw_memory(steps, ax)

    def plot_roofline(self, machine, threads=None, ax=None):
        """Operators below the roofs of a machine: rate against operations per byte.

            inspector = Inspector("trace.etdp", etrecord="model.etrecord", program="model.pte")
            inspector.plot_roofline("machine.json", threads=1)

        machine  path or bytes of a file that `etscope machine --save` wrote
        threads  how many threads ran; None: the most that were measured
        ax       the matplotlib Axes to draw on; None: of a figure of its own

        Rates are those of the shortest run; where the clock is coarse, a line spans the range.
        Operators that are overhead-bound or unknown, or compute nothing, are counted in the title
        and not drawn. Returns the Axes. Raises Error: UNAVAILABLE without matplotlib, NOT_FOUND if
        no operator ran, or the clock has no unit; and as etscope.cost.Cost.
        """
        plotting()
        from etscope.cost import Cost

        return _draw_roofline(Cost(self, machine=machine, threads=threads), ax)


def plotting(what="plots are drawn"):
    """matplotlib.pyplot. Raises Error (UNAVAILABLE) where matplotlib is not installed."""
    try:
        found = importlib.util.find_spec("matplotlib")
    except ValueError:  # a module without a spec stands in its place
        found = None
    if found is None:
        raise Error(f"{what} with matplotlib, which is not installed: pip install 'etscope[plot]'",
                    status="UNAVAILABLE")  # fmt: skip
    from matplotlib import pyplot

    return pyplot


def _axes(ax, height=3.6):
    if ax is not None:
        return ax
    return plotting().subplots(figsize=(8, height), layout="constrained")[1]


def _finish(ax, title, xlabel=None, ylabel=None, grid="y"):
    ax.set_title(_label(title, 110), loc="left", fontsize="medium")
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="#dddddd", linewidth=0.6)
    return ax


def _label(name, most=40):
    """A name of a file as text: nothing in it is markup, and it is cut in the middle."""
    name = printable(str(name))
    if len(name) > most:
        name = f"{name[: most // 2 - 1]}…{name[-(most - most // 2) :]}"
    return name.replace("$", r"\$")


def _not_found(what):
    return Error(what, status="NOT_FOUND")


def _of_method(frame, method):
    """Its rows of `method`; without one, all."""
    chosen = frame if method is None else frame[frame["method"] == method]
    if len(chosen) == 0:
        ran = ", ".join(dict.fromkeys(str(name) for name in frame["method"] if name is not None))
        what = "nothing ran" if method is None else f"method {method!r} did not run"
        raise _not_found(what + (f"; these ran: {ran}" if ran and method is not None else ""))
    return chosen


def _time_column(frame, name):
    return f"{name}_ns" if f"{name}_ns" in frame else f"{name}_cycles"


def _of_one_block(frame, method, total):
    """The rows of the block that takes most."""
    chosen = _of_method(frame, method)
    times = chosen[chosen["depth"] == 0].groupby("block_index")[_time_column(frame, total)].sum()
    return chosen[chosen["block_index"] == times.idxmax()]


def _unit(largest, column):
    """(the divisor, the unit) that times up to `largest` are shown in."""
    if column.endswith("_cycles"):
        return 1, "cycles"
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if largest >= scale:
            return scale, unit
    return 1, "ns"


def _draw_icicle(rows, ax):
    column = _time_column(rows, "mid")
    lower, upper = rows[column].to_numpy(), rows[column + "_upper"].to_numpy()
    depths = rows["depth"].to_numpy(dtype=int)
    middle = (lower + upper) / 2
    whole = middle[depths == 0].sum()
    if not whole > 0:
        raise _not_found("the runs took no time that can be drawn")
    scale, unit = _unit(whole, column)
    starts = _places(middle, depths)
    levels = int(depths.max()) + 1
    ax = _axes(ax, 1.3 + 0.34 * levels)
    names = [_short(name, depth) for name, depth in zip(rows["module"], depths)]
    colours = [BOX_GREY if name.startswith("(") and name != "(model)" else BOX for name in names]
    left = [start / scale for start in starts]
    boxes = {"left": left, "color": colours, "height": 0.94, "align": "edge", "linewidth": 0.5,
             "edgecolor": "white"}  # fmt: skip
    ax.barh(depths, middle / scale, alpha=0.35, **boxes)
    ax.barh(depths, lower / scale, **boxes)
    for name, x, depth, width in zip(names, left, depths, middle):
        _write_inside(ax, name, x, depth + 0.47, width / whole)
    ax.set(xlim=(0, whole / scale), ylim=(levels, 0), yticks=[])
    range_ = "; pale: uncertain, as the clock is coarse" if (upper > lower).any() else ""
    method = rows["method"].iloc[0] or rows["block"].iloc[0]
    _finish(ax, f"{method}: time per run by module{range_}", f"{unit} per run", grid="x")
    ax.spines["left"].set_visible(False)
    return ax


def _places(middle, depths):
    """Where the boxes of a tree begin; each stands below what it is a part of."""
    starts, free = [], {0: 0.0}
    for width, depth in zip(middle, depths):
        starts.append(free[depth])
        free[depth + 1] = free[depth]
        free[depth] += width
    return starts


def _short(name, depth):
    """A module's own name, below the one that it is a part of; of several the first."""
    if name.startswith("("):
        return name
    first, *others = name.split(", ")
    parts = first.split(".")
    start = min(max(depth - 1, 0), len(parts) - 1)
    if start > 0 and parts[start].isdigit():  # "blocks.0": a number alone says nothing
        start -= 1
    return ".".join(parts[start:]) + (f" +{len(others)}" if others else "")


def _write_inside(ax, name, x, y, part):
    """A label, where the box has room for it: `part` is its share of the width."""
    room = int(part * ax.figure.get_size_inches()[0] / _CHARACTER) - 1
    if len(name) <= room or room >= 4:
        text = name if len(name) <= room else name[: room - 1] + "…"
        ax.text(x, y, " " + _label(text), va="center", fontsize=8, clip_on=True)


def _draw_runs(runs, medians, ax):
    column = _time_column(runs, "time")
    times = runs[column]
    scale, unit = _unit(times.median(), column)
    ax = _axes(ax)
    methods = list(dict.fromkeys(runs["method"]))
    colours = (BLUE, ORANGE, GREEN, "#7d4fb3", "#a36a00", "#00798c")
    for number, method in enumerate(methods):
        of = runs[runs["method"] == method]
        colour = colours[number % len(colours)]
        label = _label(method) if len(methods) > 1 else "runs"
        ax.plot(of["run"], of[column] / scale, "o-", color=colour, markersize=4, linewidth=0.8,
                label=label.lstrip("_"))  # fmt: skip
        far = of[of["phase"] == "outlier"]
        ax.plot(far["run"], far[column] / scale, "o", markersize=10, markerfacecolor="none",
                color=RED, label="outliers" if len(far) else None)  # fmt: skip
        _draw_median(ax, medians[medians["method"] == method], scale, colour)
    _shade_warm_up(ax, runs)
    if times.max() > 12 * times.median() > 0:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter("{x:g}")
    else:
        ax.set_ylim(bottom=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(fontsize=8, frameon=False, ncols=4)
    title = f"{methods[0]}: time of each run" if len(methods) == 1 else "time of each run"
    return _finish(ax, title, "run of the trace", unit)


def _draw_median(ax, row, scale, colour):
    if len(row):
        ax.axhline(row[_time_column(row, "p50")].iloc[0] / scale, color=colour, linewidth=0.8,
                   linestyle="--", label="median, steady")  # fmt: skip


def _shade_warm_up(ax, runs):
    """Shades neighbours together."""
    spans = []
    for run in runs["run"][runs["phase"] == "warm-up"]:
        if spans and run == spans[-1][1] + 1:
            spans[-1][1] = run
        else:
            spans.append([run, run])
    for number, (first, last) in enumerate(spans):
        ax.axvspan(first - 0.5, last + 0.5, color=ORANGE, alpha=0.18, linewidth=0,
                   label="warm-up" if number == 0 else None)  # fmt: skip


def _draw_snr(gap, ax):
    import numpy as np

    known = gap[gap["snr"].notna()] if "snr" in gap else gap[:0]
    if len(known) == 0:
        raise _not_found("no captured value has a signal-to-noise ratio")
    ax = _axes(ax)
    places, snr = np.arange(len(known)), known["snr"].to_numpy()
    is_finite = np.isfinite(snr)
    wrong = known["finding"].isin(["guilty", "suspect"]).to_numpy()
    top = snr[is_finite].max() if is_finite.any() else 100.0
    bottom = min(0.0, snr[is_finite].min()) if is_finite.any() else 0.0
    shown = np.where(snr == math.inf, top * 1.08 + 5, np.where(snr == -math.inf, bottom - 5, snr))
    ax.plot(places[is_finite], shown[is_finite], "-", color=PALE, linewidth=1)
    for chosen, marker, colour, label in (
        (is_finite & ~wrong, "o", BLUE, "captured value"),
        ((snr == math.inf) & ~wrong, "^", GREEN, "equal"),
        (wrong, "s", RED, "guilty or suspect"),
        ((snr == -math.inf) & ~wrong, "v", ORANGE, "reference is zero"),
    ):
        if chosen.any():
            ax.plot(places[chosen], shown[chosen], marker, color=colour, markersize=5, label=label)
    for place in places[wrong][:5]:
        ax.annotate(_label(known["operator"].iloc[place]), (place, shown[place]), fontsize=8,
                    xytext=(6, 6), textcoords="offset points")  # fmt: skip
    ax.set_ylim(bottom - 8 if bottom < 0 else 0, top * 1.08 + 12)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(fontsize=8, frameon=False, ncols=4, loc="lower left")
    return _finish(ax, "error of captured values along the model", "value, in order of evaluation",
                   "signal to noise, dB")  # fmt: skip


def _draw_memory(steps, ax):
    if len(steps) == 0 or not steps["live_bytes"].max() > 0:
        raise _not_found("the program plans no memory")
    largest = steps.groupby("method", sort=False)["live_bytes"].max().idxmax()
    rows = steps[steps["method"] == largest]
    live = rows["live_bytes"].to_numpy(dtype=float)
    power = min(int(math.log2(live.max()) // 10), 3)
    unit = ("B", "KiB", "MiB", "GiB")[power]
    ax = _axes(ax)
    at = rows["instruction"].to_numpy(dtype=int)
    edges = [*(at - 0.5), at[-1] + 0.5]
    ax.stairs(live / 1024**power, edges, fill=True, color=PALE)
    ax.stairs(live / 1024**power, edges, color=BLUE, linewidth=1.2)
    peak = int(live.argmax())
    height = live[peak] / 1024**power
    ax.plot(at[peak], height, "o", color=RED, markersize=5)
    is_late = peak > len(live) / 2
    ax.annotate(f"peak {height:.4g} {unit}: {_label(rows['operator'].iloc[peak])}",
                (at[peak], height), fontsize=8, xytext=(-6 if is_late else 6, 6),
                textcoords="offset points", ha="right" if is_late else "left")  # fmt: skip
    ax.set_ylim(0, height * 1.15)
    ax.margins(x=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    return _finish(ax, f"{largest}: planned memory in use", "instruction", unit)


def _draw_roofline(cost, ax):
    frame = cost.to_dataframe()
    judged = frame[frame["verdict"].notna()]
    flops = judged["flops"].astype("float64")
    is_drawn = (flops > 0) & (judged["moved_bytes"] > 0) & (judged["of_roof"] > 0)
    drawn = judged[is_drawn]
    if len(judged) == 0:
        raise _not_found("no operator ran that can be held against the machine's roofs")
    ax = _axes(ax, 4.5)
    at_roof = drawn["flops"].astype("float64") / drawn["bound_ns"]  # GFLOP/s
    intensity = drawn["intensity"].astype("float64")
    low, high = at_roof * drawn["of_roof"], at_roof * drawn["of_roof_upper"]
    left, right = min([0.1, *intensity / 2]), max([100, *intensity * 2])
    _draw_roofs(ax, cost._roofs, left, right)
    colours = {"compute-bound": GREEN, "memory-bound": BLUE}
    for verdict in dict.fromkeys(drawn["verdict"]):
        of = drawn["verdict"] == verdict
        colour = colours.get(verdict, ORANGE)
        ax.vlines(intensity[of], low[of], high[of], color=colour, linewidth=1.5)
        ax.plot(intensity[of], (low[of] * high[of]) ** 0.5, "o", color=colour, markersize=5,
                label=verdict)  # fmt: skip
    for place in drawn.drop_duplicates("name")["saved_ns"].nlargest(3).index:
        ax.annotate(_label(drawn["name"][place], 28), (intensity[place], high[place]), fontsize=7,
                    xytext=(5, 3), textcoords="offset points")  # fmt: skip
    ax.set(xscale="log", yscale="log", xlim=(left, right))
    if len(drawn):
        ax.legend(fontsize=8, frameon=False, loc="lower right")
    others = len(judged) - len(drawn)
    not_drawn = f"; {others} overhead-bound, unknown or without operations" if others else ""
    count = "1 operator" if len(drawn) == 1 else f"{len(drawn)} operators"
    return _finish(ax, f"{count} below the machine's roofs{not_drawn}",
                   "operations per byte", "GFLOP/s", grid="both")  # fmt: skip


def _draw_roofs(ax, roofs, left, right):
    """Level lines of arithmetic, and slopes of bandwidths up to the highest of these."""
    levels = sorted((rate / 1e9, name) for name, is_bandwidth, rate in roofs if not is_bandwidth)
    written = []  # labels, the nearest ones on one line
    for rate, name in levels:
        ax.plot([left, right], [rate, rate], color=GREY, linewidth=1)
        if written and rate < 1.2 * written[-1][0]:
            written[-1][1] += f", {name} {rate:.3g}"
        else:
            written.append([rate, f"{name} {rate:.3g}"])
    for rate, label in written:
        ax.text(right, rate, f"{label} G/s ", fontsize=7, ha="right", va="bottom")
    slopes = [(name, rate / 1e9) for name, is_bandwidth, rate in roofs if is_bandwidth]
    for number, (name, rate) in enumerate(slopes):
        end = min(right, levels[-1][0] / rate) if levels else right
        ax.plot([left, end], [left * rate, end * rate], color=GREY, linewidth=1)
        x = left * 1.15 * 1.6**number
        ax.text(x, x * rate, f"{name} {rate:.3g} GB/s", fontsize=7, ha="left", va="bottom",
                rotation=30, rotation_mode="anchor")  # fmt: skip

"""compare_results: how far a program's outputs lie from what they should be."""

import math

from etscope.inspector._plots import plotting


def _as_numbers(value):
    """The elements of a tensor as a float64 array; None for anything else."""
    import numpy as np

    if type(value).__module__.split(".")[0] == "torch" and hasattr(value, "detach"):
        value = value.detach().to("cpu").double().numpy()
    if not isinstance(value, np.ndarray):
        return None
    scalar_type = (value.dtype.metadata or {}).get("scalar_type")
    if scalar_type == "bfloat16":  # the upper half of a float32
        value = (value.astype(np.uint32) << 16).view(np.float32)
    elif scalar_type is not None and scalar_type.startswith(("float8", "complex", "bits")):
        return None
    return value.astype(np.float64)


def _mse(reference, value):
    return float(((reference - value) ** 2).mean()) if reference.size else math.nan


def _snr(reference, value):
    signal = float((reference**2).mean()) if reference.size else math.nan
    noise = _mse(reference, value)
    if signal == 0 and noise == 0:
        return math.nan
    return math.inf if noise == 0 else -math.inf if signal == 0 else 10 * math.log10(signal / noise)


def _cosine_similarity(reference, value):
    import numpy as np

    lengths = float(np.sqrt((reference**2).sum())) * float(np.sqrt((value**2).sum()))
    return float((reference * value).sum()) / lengths if lengths else math.nan


_METRICS = {"snr": _snr, "mse": _mse, "cosine_similarity": _cosine_similarity}


def _apply(metric, reference, value):
    import numpy as np

    first, second = _as_numbers(reference), _as_numbers(value)
    if first is None or second is None:
        return None
    if first.shape != second.shape:
        raise ValueError(f"outputs of shapes {first.shape} and {second.shape} cannot be compared")
    with np.errstate(all="ignore"):
        return metric(first, second)


def compare_results(reference_output, run_output, metrics=None, plot=False):
    """{metric: [value for each pair of outputs]}, in full precision; None if no tensors are.

    metrics: names out of "snr" (dB), "mse" and "cosine_similarity"; None: all. Prints the table, or
    with plot=True draws it with matplotlib into <metric>_output_plot.png. Raises ValueError where
    shapes differ and for an unknown metric; Error (UNAVAILABLE) if plot=True finds no
    matplotlib.
    """
    if reference_output is None or run_output is None:
        raise ValueError("nothing to compare: the trace has no outputs, or the record none")
    unknown = set(metrics or ()) - set(_METRICS)
    if unknown:
        names = ", ".join(sorted(unknown))
        raise ValueError(f"unknown metric {names}; known: {', '.join(_METRICS)}")
    if plot:
        plotting("plot=True draws")
    results = {}
    for name, metric in _METRICS.items():
        if metrics is not None and name not in metrics:
            continue
        pairs = zip(reference_output, run_output)
        results[name] = [_apply(metric, reference, value) for reference, value in pairs]
        if plot:
            _plot(results[name], name)
        else:
            _print(results[name], name)
    return results


def _print(values, name):
    print(name)
    print("-" * 20)
    for index, value in enumerate(values):
        print(f"{index:<5}{'-' if value is None else format(value, '.6g'):>12}")
    print()


def _plot(values, name):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 6))
    bars = axes.bar(range(len(values)), [value or 0 for value in values], width=0.5)
    axes.bar_label(bars, ["-" if value is None else format(value, ".6g") for value in values])
    axes.set(xlabel="output", ylabel=name, xticks=range(len(values)))
    figure.savefig(f"{name}_output_plot.png")
    pyplot.close(figure)


def nearest_case(cases, outputs):
    """The case of `cases` that differs least from `outputs`; None if none can be compared."""
    best, best_distance = None, math.inf
    for case in cases:
        if case is None or len(case) != len(outputs):
            continue
        try:
            distances = [_apply(_mse, *pair) for pair in zip(case, outputs)]
        except ValueError:
            continue
        distances = [distance for distance in distances if distance is not None]
        if distances and sum(distances) < best_distance:
            best, best_distance = case, sum(distances)
    return best

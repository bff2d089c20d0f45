"""Tapped values of the model beside those of the runtime."""

import math
from typing import Any, Sequence

from etscope.intermediate_output_tap._spec import TapSpec

_NAN = float("nan")


def compare_aot_runtime_dataframe(
    specs: Sequence[TapSpec], aot_flat: Sequence[Any], rt_flat: Sequence[Any]
):
    """A pandas.DataFrame with a row for each spec: what the model gave, and what the runtime gave.

    aot_flat, rt_flat   flat outputs of the tapped graph and of the program; values are reduced
    Columns: those of the spec, then aot_FIELD and rt_FIELD for each field of its reducer. Of whole
    tensors sqnr_db (the runtime's signal to the difference, in dB), aot_numel and rt_numel.
    """
    import pandas

    return pandas.DataFrame([
        _row(spec, _numbers(aot_flat[spec.output_index]), _numbers(rt_flat[spec.output_index]))
        for spec in specs
    ])  # fmt: skip


def _row(spec, aot, runtime):
    row = {name: getattr(spec, name) for name in (
        "node_name", "module_path", "module_class", "op_target", "reducer_name", "output_index",
    )}  # fmt: skip
    if spec.reducer_name == "FULL_TENSOR":
        row.update(sqnr_db=_sqnr(aot, runtime), aot_numel=len(aot), rt_numel=len(runtime))
        return row
    count = max(len(aot), len(runtime))
    for i, field in enumerate(spec.fields or [f"v{i}" for i in range(count)]):
        row["aot_" + field] = float(aot[i]) if i < len(aot) else _NAN
        row["rt_" + field] = float(runtime[i]) if i < len(runtime) else _NAN
    return row


def _numbers(value):
    """All numbers of a tensor, an array, a number, or lists of them, as float32."""
    import numpy

    if isinstance(value, (list, tuple)):
        parts = [_numbers(part) for part in value]
        return numpy.concatenate(parts) if parts else numpy.empty(0, numpy.float32)
    if hasattr(value, "detach"):
        value = value.detach().cpu().float()
    try:
        return numpy.asarray(value, dtype=numpy.float32).reshape(-1)
    except (TypeError, ValueError):  # nothing of numbers
        return numpy.empty(0, numpy.float32)


def _sqnr(aot, runtime):
    import numpy

    count = min(len(aot), len(runtime))
    if count == 0:
        return _NAN
    signal = float(numpy.linalg.norm(runtime[:count]))
    noise = float(numpy.linalg.norm(runtime[:count] - aot[:count]))
    if noise == 0:
        return _NAN if signal == 0 else math.inf
    return 20 * math.log10(signal / noise) if signal > 0 else -math.inf

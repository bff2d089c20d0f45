"""What is kept of a tapped value: all of it, or numbers about it."""

import dataclasses
from typing import Any, Callable, Tuple, Union


@dataclasses.dataclass(frozen=True)
class StatReducer:
    """How a value is reduced.

    name     as specs have it
    fields   the names of the numbers; empty: the value is kept as it is
    emit     (graph, node) -> node: the reduction as nodes of torch's graph
    eager    the same of a tensor or NumPy array
    """

    name: str
    fields: Tuple[str, ...]
    emit: Callable[[Any, Any], Any]
    eager: Callable[[Any], Any]


def get_reducer(name_or_reducer: Union[str, StatReducer]) -> StatReducer:
    """The reducer of this name. A reducer is returned as it is."""
    if isinstance(name_or_reducer, str):
        for reducer in (FULL_TENSOR, STATS):
            if reducer.name == name_or_reducer:
                return reducer
        raise ValueError(f"no reducer {name_or_reducer!r}; there are FULL_TENSOR and STATS")
    return name_or_reducer


def _emit_stats(graph, node):
    from etscope.intermediate_output_tap._graphs import upstream

    return upstream().STATS.emit(graph, node)


def _is_torch(value):
    return type(value).__module__.partition(".")[0] == "torch"


def _whole(value):
    return value.detach() if _is_torch(value) else value


def _stats(value):
    """The numbers as float32, by the value's own library."""
    if _is_torch(value):
        import torch as library

        flat = value.detach().to(library.float32).reshape(-1)
    else:
        import numpy as library

        flat = library.asarray(value, dtype=library.float32).reshape(-1)
    count = flat.size if isinstance(flat.size, int) else flat.numel()
    if count == 0:
        raise ValueError("a value without elements has no minimum")
    absolute, squares = abs(flat), flat * flat
    # The deviation from the moments, as a runtime without `var` computes it.
    deviation = library.sqrt(abs(squares.mean() - flat.mean() ** 2))
    ordered = library.sort(absolute)
    ordered = getattr(ordered, "values", ordered)  # torch also has the places
    hundredth = (count + 99) // 100
    return library.stack([
        flat.min(), flat.max(), flat.mean(), absolute.max(), absolute.mean(), deviation,
        library.sqrt(squares.mean()), absolute.sum(), library.sqrt(squares.sum()),
        _count(library, library.isnan(flat)), _count(library, library.isinf(flat)),
        _count(library, flat == 0), ordered[count - hundredth],
    ])  # fmt: skip


def _count(library, mask):
    return mask.sum(dtype=library.float32)


FULL_TENSOR = StatReducer("FULL_TENSOR", (), lambda graph, node: node, _whole)

STATS = StatReducer(
    "STATS",
    ("min", "max", "mean", "abs_max", "abs_mean", "std", "rms", "l1_norm", "l2_norm", "nan_count",
     "inf_count", "zero_count", "p99_abs"),
    _emit_stats,
    _stats,
)  # fmt: skip

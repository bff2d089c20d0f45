"""The Inspector. Mirrors `executorch.devtools.inspector`."""

from etscope.inspector._compare import compare_results
from etscope.inspector._events import Event, EventBlock, PerfData
from etscope.inspector._explore import diff
from etscope.inspector._inspector import Inspector
from etscope.inspector._time import TimeScale
from etscope.inspector.vgf_neural_statistics import (
    parse_vgf_neural_statistics_delegate_metadata,
    parse_vgf_neural_statistics_metadata,
)

__all__ = [
    "Event",
    "EventBlock",
    "Inspector",
    "PerfData",
    "TimeScale",
    "compare_results",
    "diff",
    "parse_vgf_neural_statistics_delegate_metadata",
    "parse_vgf_neural_statistics_metadata",
]

"""The Inspector. Mirrors `executorch.devtools.inspector`."""

from etscope.inspector._compare import compare_results
from etscope.inspector._events import Event, EventBlock, PerfData
from etscope.inspector._inspector import Inspector
from etscope.inspector._time import TimeScale

__all__ = ["Event", "EventBlock", "Inspector", "PerfData", "TimeScale", "compare_results"]

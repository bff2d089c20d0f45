"""Upstream's dataclasses: Event, EventBlock, PerfData."""

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from etscope.inspector import _frame
from etscope.inspector._time import TimeScale


class PerfData:
    """Times of an event, in the target time scale: `raw` has one for each run of the block.

    p10, p50, p90, avg, min, max: exact quantiles by linear interpolation, as NumPy computes them.
    """

    def __init__(self, raw: List[float]):
        self.raw = raw

    @property
    def p10(self) -> float:
        """The tenth percentile."""
        return self._percentile(10)

    @property
    def p50(self) -> float:
        """The median."""
        return self._percentile(50)

    @property
    def p90(self) -> float:
        """The ninetieth percentile."""
        return self._percentile(90)

    @property
    def avg(self) -> float:
        """The mean."""
        import numpy as np

        return float(np.mean(self.raw))

    @property
    def min(self) -> float:
        """The least."""
        return min(self.raw)

    @property
    def max(self) -> float:
        """The largest."""
        return max(self.raw)

    def _percentile(self, percent):
        import numpy as np

        return float(np.percentile(self.raw, percent))

    def __repr__(self):
        """The median and how many runs; `raw` of a thousand runs fills a screen for each event."""
        runs = f"{len(self.raw)} run{'' if len(self.raw) == 1 else 's'}"
        return f"PerfData(p50={self.p50:.6g}, {runs})" if self.raw else "PerfData(0 runs)"

    def __eq__(self, other):
        return isinstance(other, PerfData) and self.raw == other.raw


@dataclass
class Event:
    """One operator of a block, or one part of one, with its times and what the record knows of it.

    name                       of the event as logged; of a delegate's event, its identifier
    perf_data                  times in the target time scale; None if only data was logged
    op_types                   operators of the graph that it stands for: ["aten.add.Tensor"]
    delegate_debug_identifier  a delegate's number or text for it, else None
    debug_handles              a number or a list, as the record has it; None without a record
    num_outputs                outputs of the graph's node
    stack_traces               {node + "_": stack trace as text, or None}
    module_hierarchy           {node + "_": {key: (path, type)}}, outermost module first
    is_delegated_op            whether a delegate reported it
    delegate_backend_name      "XnnpackBackend", or None
    debug_data                 captured values: arrays, numbers, lists of arrays; see docs/python.md
    calls                      how often it happened in each run; perf_data.raw has the sums
    tie                        of a delegate's event, with Inspector(..., program=...): how the
                               operators above are known. "map", "node" and "near": they are its
                               own; "call": only those of the whole call are known. Else None
    """

    name: str
    perf_data: Optional[PerfData] = None
    op_types: List[str] = dataclasses.field(default_factory=list)
    delegate_debug_identifier: Optional[Union[int, str]] = None
    debug_handles: Optional[Union[int, Sequence[int]]] = None
    num_outputs: int = 1
    stack_traces: Dict[str, str] = dataclasses.field(default_factory=dict)
    module_hierarchy: Dict[str, Dict] = dataclasses.field(default_factory=dict)
    is_delegated_op: Optional[bool] = None
    delegate_backend_name: Optional[str] = None
    _delegate_debug_metadatas: List[Union[bytes, str]] = dataclasses.field(default_factory=list)
    debug_data: List[Any] = dataclasses.field(default_factory=list)
    _instruction_id: Optional[int] = None
    _delegate_metadata_parser: Optional[Callable[[List[Any]], Dict[str, Any]]] = None
    _delegate_time_scale_converter: Optional[Callable[[Union[int, str], Any], Any]] = None
    _start_time: Optional[List[int]] = None
    calls: Optional[List[int]] = None
    tie: Optional[str] = None
    _has_own_clock: bool = False

    @cached_property
    def delegate_debug_metadatas(self) -> Union[List[Any], Dict[str, Any]]:
        """What the parser makes of the metadata; without a parser the metadata itself."""
        if not self.is_delegated_op or self._delegate_metadata_parser is None:
            return self._delegate_debug_metadatas
        return self._delegate_metadata_parser(self._delegate_debug_metadatas)

    @property
    def raw_delegate_debug_metadatas(self) -> List[Union[bytes, str]]:
        """What the delegate attached in each run: bytes, or "" for nothing; [] where never."""
        return self._delegate_debug_metadatas

    @property
    def start_time(self) -> Optional[List[int]]:
        """When it began in each run, in raw ticks of the trace."""
        return self._start_time

    def asdict(self, _units="") -> dict:
        """A row of the table: {column: value, in a list where pandas would take it apart}."""
        times = self.perf_data
        row = {"event_name": self.name, "raw": [times.raw if times else None]}
        for name in _frame.STATISTICS:
            row[name + _units] = getattr(times, name) if times else None
        row.update(
            op_types=[_frame.shortened(self.op_types)],
            delegate_debug_identifier=self.delegate_debug_identifier,
            stack_traces=[self.stack_traces],
            module_hierarchy=[self.module_hierarchy],
            is_delegated_op=self.is_delegated_op,
            delegate_backend_name=self.delegate_backend_name,
            debug_data=[self.debug_data],
            start_time=[self._start_time],
        )
        return row

    def _repr_html_(self):
        from etscope.inspector import _html

        return _html.of_event(self)

    def to_dataframe(self, _units=""):
        """A pandas.DataFrame of one row."""
        import pandas as pd

        return pd.DataFrame(self.asdict(_units))


@dataclass
class EventBlock:
    """A set of runs that logged the same events. Loading is one, each branch that ran another.

    name                 "Default" for loading, "Execute" for execution
    events               in the order of their first appearance
    bundled_input_index  the test case of a bundled program; -1: unknown
    run_output           outputs of the program that the first run logged, [] where none did
    reference_output     what the record says they should be, or None
    """

    name: str
    events: List[Event] = dataclasses.field(default_factory=list)
    source_time_scale: TimeScale = TimeScale.NS
    target_time_scale: TimeScale = TimeScale.MS
    bundled_input_index: Optional[int] = None
    run_output: Optional[List[Any]] = None
    reference_output: Optional[List[Any]] = None

    def _repr_html_(self):
        from etscope.inspector import _html

        return _html.of_block(self)

    def to_dataframe(self, include_units: bool = False, include_delegate_debug_data: bool = False):
        """A pandas.DataFrame with one row for each event; the columns are in docs/python.md."""
        units = _frame.unit_suffix(self.target_time_scale) if include_units else ""
        columns = _frame.columns_of_events(self.name, self.events)
        metadata = None
        if include_delegate_debug_data:
            metadata = [event.delegate_debug_metadatas for event in self.events]
        return _frame.build(columns, units, metadata)

"""Tables of an Inspector: what `etscope inspect` and `etscope diff` print, as data frames."""

import contextlib
from collections.abc import Iterable

from etscope._errors import Error
from etscope._library import NO_INDEX, ffi, lib
from etscope._tables import filled
from etscope.inspector._headline import headline

_SORTS = {"change": "CHANGE", "ratio": "RATIO", "order": "ORDER", "name": "NAME"}


class Explored:
    """The part of Inspector that gives the tables of the command line as data frames."""

    def by_module(self, depth=None, *, steady=False):
        """Time per run of each module of the model: `etscope inspect --group-by module`.

            frame = inspector.by_module()
            slowest = frame[frame.depth == 1].nlargest(3, "mid_ns")
            print(slowest[["module", "calls", "mid_ns", "mid_ns_upper", "self_share"]])

        depth   components of a module's path; deeper modules count with the one that contains them;
                None: all
        steady  leave out the warm-up runs

        Returns a pandas.DataFrame: for each block a tree, parents before their parts, the longest
        first. `depth` is the level, `self_mid_ns` what a module takes beyond its parts. Work of
        several modules has all their names, ", " between them. Times are nanoseconds (`_ns`) or
        ticks of a clock without unit (`_cycles`). A time is at least the first and less than the
        second of two columns such as `mid_ns` and `mid_ns_upper`; equal ones are exact. All columns
        are in docs/columns.md.

        attrs["headline"] has the answer in sentences, attrs["notes"] what is to be known of the
        runs. Needs an ETRecord for modules, and program= for those inside delegates. Raises Error
        (INVALID_ARGUMENT): a depth that is not from 1 to 64.
        """
        if depth is not None and not 1 <= depth <= 64:
            raise Error(f"depth is from 1 to 64, not {depth}", status="INVALID_ARGUMENT")
        return self._by(lib.ETS_GROUP_MODULE, "module", steady, depth or 0)

    def by_source(self, *, steady=False):
        """Time per run of each source line of the model: `etscope inspect --group-by source`.

            print(inspector.by_source()[["source", "mid_ns", "share"]].head(5))

        Columns, units, attrs and steady are those of by_module; `source` is "file:line", or several
        lines with ", " between them. Needs an ETRecord, and program= for lines inside delegates.
        """
        return self._by(lib.ETS_GROUP_SOURCE, "source", steady)

    def by_backend(self, *, steady=False):
        """Time per run of each backend, and of kernels: `etscope inspect --group-by backend`.

            frame = inspector.by_backend().set_index("backend")
            print(frame.share["XnnpackBackend"])

        Columns, units, attrs and steady are those of by_module; `backend` is "portable" for
        kernels.
        """
        return self._by(lib.ETS_GROUP_BACKEND, "backend", steady)

    def by_run(self, *, steady=False):
        """Each execution of a method in the order of the trace: `etscope inspect --group-by run`.

            frame = inspector.by_run()
            print(frame[frame.phase != "warm-up"].time_ns.describe())

        `phase` is "warm-up", "outlier" or None, `of_p50` the time divided by the method's median.
        Units, attrs and steady are those of by_module.
        """
        return self._runs(True, steady)

    def tree(self, *, steady=False):
        """Where a run goes, by operator, and the time beyond operators: `etscope inspect --tree`.

            frame = inspector.tree()
            print(frame[frame.depth == 1][["operator", "mid_ns", "self_mid_ns"]])

        Returns a pandas.DataFrame in order of execution, parents before what they enclose. The
        self times (`self_ticks`) of a block add up to its first line, to the tick. Units, bounds,
        attrs and steady are those of by_module.
        """
        options = {"block": NO_INDEX, "run": NO_INDEX, "steady": int(steady)}
        options = ffi.new("struct ets_account_options *", options)
        return self._frame(lib.ets_account_table_fill, options, steady)

    def diff(self, other, *, min_change=0.01, sort="change", steady=False, allow_mismatch=False):
        """What changed from this trace to another: `etscope diff`.

            before, after = Inspector("before.etdp"), Inspector("after.etdp")
            frame = before.diff(after)
            print(frame.attrs["headline"][0])         # "forward: the recordings differ by ..."
            print(frame[frame.verdict == "differs"][["operator", "before_ns", "after_ns"]])

        other  an Inspector, or a list of recordings of the other program

        One recording a side cannot tell the programs from the day: etscope.diff(before, after)
        takes several of both. The other arguments, what is returned and what is raised are its.
        """
        return diff(self, other, min_change=min_change, sort=sort, steady=steady,
                    allow_mismatch=allow_mismatch)  # fmt: skip

    def advise(self, *, all=False):
        """What to change in the model, its export or the application: `etscope advise`.

            inspector = Inspector("trace.etdp", etrecord="model.etrecord", program="model.pte")
            frame = inspector.advise()
            print(frame.attrs["headline"][0])    # "3 things to do: 74 us of the ..."
            print(frame[["sentence", "action", "saving_ns_upper", "source"]])

        all     also observations without advice

        Returns a pandas.DataFrame with a row for each finding: what is wrong first, then what takes
        the most time. docs/advice.md lists the kinds and says what a saving is known from
        (`basis`): it is at least `saving_ns` and at most `saving_ns_upper` of a run, or
        `saved_bytes`. Savings of several findings may name the same time; attrs["headline"] counts
        it once. Needs an ETRecord and the program for what is outside of delegates and why, and
        captured tensors for wrong values; attrs["notes"] says why these were not compared.
        Without program= takes a.pte or a.bpte beside the trace a.etdp, with a.etrecord, if they fit
        the trace, and says so in attrs["notes"]; without any program attrs["headline"] says that it
        cannot say what to change.
        """
        from etscope.inspector._report import advice

        table, notes = advice(self, all)
        frame = table.to_dataframe()
        frame.attrs["headline"] = list(table._leads) or [table.headline]
        frame.attrs["notes"].extend(notes)
        return frame

    def _by(self, group, name, steady, depth=0):
        options = {
            "group_by": group,
            "sort": lib.ETS_SORT_TIME,
            "block": NO_INDEX,
            "run": NO_INDEX,
            "steady": int(steady),
            "depth": depth,
        }
        options = ffi.new("struct ets_operator_options *", options)
        frame = self._frame(lib.ets_operator_table_fill, options, steady)
        frame[name] = frame[name].map(
            lambda names: ", ".join(names) if isinstance(names, list) else names
        ).astype(object)
        return frame

    def _runs(self, one_by_one, steady):
        chosen = {"one_by_one": one_by_one, "block": NO_INDEX, "run": NO_INDEX,
                  "steady": int(steady)}  # fmt: skip
        options = ffi.new("struct ets_run_table_options *", {"of": chosen})
        return self._frame(lib.ets_run_table_fill, options, steady)

    def _frame(self, fill, options, steady):
        view = self._view
        with view.lock:
            frame = filled(fill, view.handle.pointer, options, file=view.dump.path).to_dataframe()
        frame.attrs["headline"] = headline(view, steady)
        return frame


def diff(before, after, *, min_change=0.01, sort="change", steady=False, allow_mismatch=False):
    """What changed from the recordings of one program to those of another: `etscope diff`.

        before = [Inspector(f"before-{i}.etdp") for i in range(5)]
        after = [Inspector(f"after-{i}.etdp") for i in range(5)]
        frame = etscope.diff(before, after)
        print(frame.attrs["headline"][0])         # "forward: 12.3 % faster (...): mostly ..."
        print(frame[frame.verdict == "slower"][["operator", "before_ns", "after_ns"]])

    before, after   an Inspector each, or lists of them: recordings of one program, each of another
                    process
    min_change      treat smaller changes as "same", as a part of the time before
    sort            "change": largest change first; "ratio"; "order" of execution; "name"
    steady          leave out the warm-up runs of all
    allow_mismatch  compare although most operators have no match

    Returns a pandas.DataFrame with a row for each pair of operators. With one recording a side
    `verdict` is "differs" or "unclear", with two or three "undecided"; from four on a permutation
    test over the recordings gives "slower", "faster", "same" or "undecided", and `p`. Units are in
    the names. attrs["headline"] has a sentence for each method. ETRecords of both match operators
    across two exports (docs/diff.md).

    Raises TypeError if before or after is neither an Inspector nor a list of them, and Error:
    MISMATCH if the traces are of different programs, INVALID_ARGUMENT if one counts cycles and the
    other time, or for a wrong argument.
    """
    sides = [_recordings(before), _recordings(after)]
    if sort not in _SORTS:
        raise Error(f"sort is one of {', '.join(_SORTS)}, not {sort!r}",
                    status="INVALID_ARGUMENT")  # fmt: skip
    if not 0 <= min_change <= 10:
        raise Error(f"min_change is from 0 to 10, not {min_change}; 0.01 is 1 %",
                    status="INVALID_ARGUMENT")  # fmt: skip
    items = [
        ffi.new("struct ets_inspection *[]", [view.handle.pointer for view in views])
        for views in sides
    ]
    pair = ffi.new("struct ets_trace_side[2]")
    for i, pointers in enumerate(items):
        pair[i].items = ffi.cast("struct ets_inspection *const *", pointers)
        pair[i].count = len(pointers)
    options = {
        "steady": int(steady),
        "least_change": min_change,
        "allow_mismatch": int(allow_mismatch),
        "sort": getattr(lib, f"ETS_SORT_{_SORTS[sort]}"),
    }
    with contextlib.ExitStack() as locks:
        for view in sorted({*sides[0], *sides[1]}, key=id):
            locks.enter_context(view.lock)
        table = filled(
            lib.ets_trace_difference_of, pair,
            ffi.new("struct ets_trace_difference_options *", options), file=sides[0][0].dump.path,
        )  # fmt: skip
    frame = table.to_dataframe()
    frame.attrs["headline"] = list(table._leads)
    return frame


def _recordings(side):
    """The views of an Inspector, or of a list of them."""
    inspectors = [side] if isinstance(side, Explored) else side
    if isinstance(side, (str, bytes)) or not isinstance(inspectors, Iterable):
        raise TypeError(f"diff compares Inspectors, not a {type(side).__name__}")
    inspectors = list(inspectors)
    for inspector in inspectors:
        if not isinstance(inspector, Explored):
            raise TypeError(f"diff compares Inspectors, not a {type(inspector).__name__}")
    if not inspectors:
        raise Error("diff needs a recording of each side", status="INVALID_ARGUMENT")
    return [inspector._view for inspector in inspectors]

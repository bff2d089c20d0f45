"""Inspector.numeric_gap: a gap report as a data frame, with its verdict."""

import contextlib
import math
import os

from etscope._errors import warn
from etscope._library import ADVICE, NO_INDEX, NULL, call, ffi, lib, text, written
from etscope.etrecord._record import ETRecord
from etscope.inspector import _gap, _given_values

_ROUTES = ("kernel", "expression", "edge program", None)
_INTEGERS = (
    "instruction", "output", "occurrence", "worst_index", "max_ulps", "own_worst_index",
    "reference_nan_inf", "nan_inf",
)  # fmt: skip


def gap_frame(inspector, reference, inputs, run, use_double):
    """The DataFrame of Inspector.numeric_gap."""
    is_graph = isinstance(reference, str) and reference != "torch"
    with contextlib.ExitStack() as stack:
        graph = reference if is_graph else None
        report = stack.enter_context(_gap.opened(inspector, graph, run))
        _fill(report, None if is_graph else reference, inputs, use_double, stack)
        return _frame_of(report)


def _fill(report, reference, inputs, use_double, stack):
    """Compares: the report has rows then."""
    pointer = report.pointer
    if reference is None:
        report.evaluate(
            lambda how, error: lib.ets_gap_evaluate(pointer, how, error), inputs, use_double
        )
    elif isinstance(reference, ETRecord):
        record = reference._opened()._handle
        stack.enter_context(record.lock)
        report.keep(record)
        report.evaluate(
            lambda how, error: lib.ets_gap_evaluate_other(pointer, record.pointer, how, error),
            inputs, use_double,
        )  # fmt: skip
    elif isinstance(reference, type(report.inspector)):
        other = stack.enter_context(_gap.opened(reference))
        call(lib.ets_gap_compare_report, pointer, other.pointer)
    elif isinstance(reference, os.PathLike):
        _given_values.compare_folder(report, reference)
    elif isinstance(reference, dict):
        _given_values.compare_values(report, reference)
    elif reference == "torch":
        from etscope.inspector._torch_reference import values_of

        _given_values.compare_values(report, values_of(report, inputs))
    else:
        raise TypeError(
            "a reference is the name of a graph, \"torch\", an ETRecord, an Inspector, a folder's "
            f"pathlib.Path or a dict, not a {type(reference).__name__}"
        )


def _frame_of(report):
    import pandas as pd

    count = lib.ets_gap_row_count(report.pointer)
    rows = [_row(report, i, lib.ets_gap_row(report.pointer, i)) for i in range(count)]
    frame = pd.DataFrame(rows)
    for name in _INTEGERS if rows else ():
        frame[name] = frame[name].astype("Int64")
    notes = list(_notes(report))
    frame.attrs.update(
        finding=written(lib.ets_gap_headline, report.pointer, ADVICE),
        guilty=written(
            lib.ets_gap_describe_guilty, _inspection(report), report.pointer, ADVICE
        ) or None,
        tolerances=written(lib.ets_gap_describe_tolerances, report.pointer) or None,
        notes=notes,
    )
    for note in notes:
        warn(note)
    return frame


def _inspection(report):
    return report.inspector._view.handle.pointer


def _row(report, number, row):
    """The cells of one row by column."""
    value, captured = row.value, row.value.captured
    ops, ancestors = _region(report, number)
    frame = lib.ets_graph_user_frame(value.node)
    module = text(lib.ets_graph_module_path(value.node))
    return {
        "operator": text(value.node.name),
        "aot_ops": ops,
        "runtime_debug_handle": tuple(ffi.unpack(value.handles, value.handle_count))
        if value.handle_count else (),
        "runtime_ops": _events(report, captured),
        "instruction": captured.instruction if captured.chain >= 0 else None,
        "captured": _captured(report, value),
        "output": value.output,
        "occurrence": value.occurrence,
        "shape": tuple(captured.tensor.sizes[0 : captured.tensor.rank])
        if captured.has_tensor else None,
        "dtype": text(lib.ets_scalar_type_name(captured.tensor.scalar_type))
        if captured.has_tensor else None,
        **_errors(row),
        "finding": text(lib.ets_gap_finding_name(row.finding)),
        "source": None if frame == NULL else f"{text(frame.file)}:{frame.line}",
        "module": "(model)" if module == "" else module,
        "match": text(lib.ets_gap_match_name(value.match)),
        **_statistics(row),
        **_scale(row),
        "ancestors": ancestors,
        "computed_by": _ROUTES[row.route],
        "reason": text(row.reason),
    }  # fmt: skip


def _region(report, number):
    """Names of the nodes that a row is about, and of those that it was computed from."""
    counts = ffi.new("uint32_t[2]")
    call(lib.ets_gap_region, report.pointer, number, NULL, 0, counts, NULL, 0, counts + 1)
    nodes = ffi.new("const struct ets_graph_node *[]", counts[0])
    rows = ffi.new("uint32_t[]", counts[1])
    call(lib.ets_gap_region, report.pointer, number, nodes, counts[0], counts, rows, counts[1],
         counts + 1)  # fmt: skip
    ancestors = (lib.ets_gap_row(report.pointer, i).value.node for i in rows)
    return [text(node.name) for node in nodes], [text(node.name) for node in ancestors]


def _events(report, captured):
    if captured.row == NO_INDEX:
        return []
    return [text(lib.ets_inspection_row(_inspection(report), captured.row).name)]


def _captured(report, value):
    """The kernel, the backend, or "(computed)"."""
    if value.is_computed:
        return "(computed)"
    captured = ffi.addressof(value, "captured")
    name = text(lib.ets_captured_value_operator(_inspection(report), captured))
    return text(value.backend) if name == "DELEGATE_CALL" and value.backend != NULL else name


def _errors(row):
    total, own = ffi.addressof(row, "total"), ffi.addressof(row, "own")
    found = {
        "own_error": row.own_error if row.has_own else math.nan,
        "total_error": _relative(total) if row.has_total else math.nan,
    }
    for name, read in _OF_TOTAL.items():
        found[name] = read(total) if row.has_total else math.nan
    found["worst_index"] = total.max_error_index if row.has_total and total.max_error else None
    found["max_ulps"] = row.ulps.max if row.has_total and row.has_ulps else None
    found["own_snr"] = lib.ets_comparison_snr(own) if row.has_own else math.nan
    found["own_max_error"] = own.max_error if row.has_own else math.nan
    found["own_worst_index"] = own.max_error_index if row.has_own and own.max_error else None
    found["threshold"] = row.threshold if row.has_own else math.nan
    found["tolerance"] = row.tolerance if row.has_total else math.nan
    found["computes_in"] = text(lib.ets_tolerance_of(row.computes).name) if row.has_total else None
    found["same_bits"] = None if row.same_bits < 0 else bool(row.same_bits)
    return found


def _relative(comparison):
    if comparison.broken_count > 0:
        return math.inf
    if comparison.error_square_sum == 0:
        return 0.0
    if comparison.reference_square_sum == 0:
        return math.inf
    return math.sqrt(comparison.error_square_sum / comparison.reference_square_sum)


_OF_TOTAL = {
    "snr": lib.ets_comparison_snr,
    "mse": lib.ets_comparison_mse,
    "l1": lambda total: total.error_absolute_sum,
    "cosine": lib.ets_comparison_cosine,
    "max_error": lambda total: total.max_error,
    "max_relative_error": lambda total: total.max_relative_error,
}


def _statistics(row):
    found = {}
    for prefix, field in (("reference_", "reference"), ("", "device")):
        summary = ffi.addressof(row, field)
        has = row.has_total
        found[prefix + "min"] = summary.min if has else math.nan
        found[prefix + "max"] = summary.max if has else math.nan
        found[prefix + "mean"] = lib.ets_tensor_statistics_mean(summary) if has else math.nan
        broken = summary.nan_count + summary.infinite_count
        found[prefix + "nan_inf"] = broken if has else None
    return found


def _scale(row):
    """What the scale of a quantized value cuts off."""
    seen = row.saturation
    has = seen != NULL
    return {
        "scale_min": seen.lowest if has else math.nan,
        "scale_max": seen.highest if has else math.nan,
        "beyond_scale": seen.low_count + seen.high_count if has else None,
        "cut_off_error": seen.error if has else math.nan,
    }


def _notes(report):
    """What the reference could not do, or did in another way than asked."""
    verdict = lib.ets_gap_conclusion(report.pointer)
    if report.why_not_aten is not None:
        yield f"compared with the edge program: {report.why_not_aten}"
    if verdict.other_input != NO_INDEX:
        yield (f"the run had another input {verdict.other_input} than the reference; "
               "inputs= gives it the run's")  # fmt: skip
    if verdict.followed_runs:
        why = "" if verdict.state_reason == ffi.NULL else f"; {text(verdict.state_reason)}"
        yield (f"the reference starts with the buffers that {verdict.followed_runs} earlier "
               f"{'run' if verdict.followed_runs == 1 else 'runs'} left{why}")  # fmt: skip
    elif _has_changed_buffers(report):
        yield (f"the model changes buffers; the reference starts with the record's, and run "
               f"{lib.ets_gap_run(report.pointer)} is not the first: compare that one")  # fmt: skip
    for count, what, reason in (
        (verdict.unpaired, "of the reference without a pair in the model that ran", ffi.NULL),
        (verdict.fallbacks, "computed from the edge program", verdict.fallback_reason),
        (verdict.single * verdict.in_double, "without a kernel for float64, computed in the "
         "record's types", ffi.NULL),
        (verdict.uncovered, "that cannot be computed", verdict.uncovered_reason),
    ):
        if count:
            why = "" if reason == ffi.NULL else f"; the first: {text(reason)}"
            yield f"{count} {'node' if count == 1 else 'nodes'} {what}{why}"


def _has_changed_buffers(report):
    """Whether the model changes buffers and ran before."""
    number = lib.ets_gap_run(report.pointer)
    run = lib.ets_inspection_run(_inspection(report), number)
    block = lib.ets_inspection_block(_inspection(report), run.block)
    is_told = run.method.data != NULL
    if run.invocation == 0 if is_told else number == block.first_run:
        return False
    outputs = (report.graph.outputs[i] for i in range(report.graph.output_count))
    return any(output.role == lib.ETS_OUTPUT_BUFFER_MUTATION for output in outputs)

"""Compares two programs value by value. Mirrors `executorch.devtools.pte_tool.diff_pte`.

    python -m etscope.pte_tool.diff_pte before.pte after.pte [-v] [--max-samples N]

Values, methods and constants are paired by their numbers, so that a new value shifts all behind it;
`etscope diff` and etscope.program.compare pair them by what they are used for, and compare payloads of
delegates, too.
"""

import argparse
import sys
from dataclasses import dataclass, field
from typing import Any, List, Optional, Tuple

from etscope._errors import Error
from etscope._library import ffi, lib, text
from etscope._opened import opened_program
from etscope.pte_tool._plans import OperatorUsage, plans_of
from etscope.scalar_type import ScalarType
from etscope.schema import ExtraTensorInfo


@dataclass
class TensorInfo:
    """A tensor: its number among the values, what it is, and where it is used."""

    evalue_index: int
    scalar_type: ScalarType
    sizes: List[int]
    fqn: Optional[str]
    data_buffer_idx: int
    operator_usages: List[OperatorUsage] = field(default_factory=list)


@dataclass
class FieldDiff:
    """A field of a value that differs."""

    field_name: str
    value_a: Any
    value_b: Any


@dataclass
class ElementDiff:
    """An element of a constant that differs."""

    flat_index: int
    multi_index: Tuple[int, ...]
    value_a: float
    value_b: float


@dataclass
class TensorDataDiff:
    """Two tensors of one number. The differences are over num_differing elements."""

    tensor_a: TensorInfo
    tensor_b: TensorInfo
    byte_size_a: int
    byte_size_b: int
    bytes_differ: bool
    metadata_diffs: List[FieldDiff] = field(default_factory=list)
    num_elements: int = 0
    num_differing: int = 0
    max_abs_diff: float = 0.0
    mean_abs_diff: float = 0.0
    element_diffs: List[ElementDiff] = field(default_factory=list)


@dataclass
class EValueDiff:
    """Two other values of one number."""

    evalue_index: int
    type_a: str
    type_b: str
    type_mismatch: bool = False
    field_diffs: List[FieldDiff] = field(default_factory=list)
    operator_usages_a: List[OperatorUsage] = field(default_factory=list)
    operator_usages_b: List[OperatorUsage] = field(default_factory=list)


@dataclass
class ExecutionPlanDiff:
    """Two methods of one number. None where both are equal."""

    plan_index: int
    name_a: Optional[str] = None
    name_b: Optional[str] = None
    operators_only_in_a: List[str] = field(default_factory=list)
    operators_only_in_b: List[str] = field(default_factory=list)
    delegates_only_in_a: List[str] = field(default_factory=list)
    delegates_only_in_b: List[str] = field(default_factory=list)
    non_const_buffer_sizes_a: Optional[List[int]] = None
    non_const_buffer_sizes_b: Optional[List[int]] = None
    value_count_a: Optional[int] = None
    value_count_b: Optional[int] = None
    instruction_count_a: Optional[int] = None
    instruction_count_b: Optional[int] = None
    tensor_diffs: List[TensorDataDiff] = field(default_factory=list)
    evalue_diffs: List[EValueDiff] = field(default_factory=list)
    tensors_only_in_a: List[TensorInfo] = field(default_factory=list)
    tensors_only_in_b: List[TensorInfo] = field(default_factory=list)

    def has_differences(self) -> bool:
        """Whether anything of it differs."""
        return self != ExecutionPlanDiff(self.plan_index)


@dataclass
class NamedDataDiff:
    """Data under a key: only_in is "A", "B", or "" if both have it and the bytes differ."""

    key: str
    only_in: str
    bytes_differ: bool = False


@dataclass
class PTEDiffResult:
    """The whole comparison. error: why it was not made, or None."""

    path_a: str
    path_b: str
    size_a: int
    size_b: int
    bitwise_equal: bool
    version_a: Optional[int] = None
    version_b: Optional[int] = None
    plan_diffs: List[ExecutionPlanDiff] = field(default_factory=list)
    extra_plans_in_a: List[str] = field(default_factory=list)
    extra_plans_in_b: List[str] = field(default_factory=list)
    named_data_diffs: List[NamedDataDiff] = field(default_factory=list)
    error: Optional[str] = None


def diff_pte(data_a, data_b, path_a="A", path_b="B", max_samples=10):
    """The PTEDiffResult of two programs' bytes; of a .bpte its program is compared.

    path_a, path_b: their names in the result.
    max_samples: so many differing elements of each constant are listed.
    A file that cannot be read is told in the result's `error`.
    """
    result = PTEDiffResult(path_a, path_b, len(data_a), len(data_b), data_a == data_b)
    if result.bitwise_equal:
        return result
    try:
        sources, programs = zip(*map(opened_program, (data_a, data_b)))
    except Error as error:
        result.error = f"Deserialization failed: {error}"
        return result
    if programs[0].version != programs[1].version:
        result.version_a, result.version_b = (program.version for program in programs)
    plans_a, plans_b = map(plans_of, programs)
    for i, (a, b) in enumerate(zip(plans_a, plans_b)):
        found = _plan_diff(i, a, b, max_samples)
        if found.has_differences():
            result.plan_diffs.append(found)
    result.extra_plans_in_a = [plan.name for plan in plans_a[len(plans_b) :]]
    result.extra_plans_in_b = [plan.name for plan in plans_b[len(plans_a) :]]
    result.named_data_diffs = _named_data_diffs(*map(_named_data, programs))
    return result


def _named_data(program):
    entry, found = ffi.new("struct ets_program_named_data *"), {}
    for i in range(program.named_data_count):
        lib.ets_program_named_data(program, i, entry)
        found[text(entry.key) or ""] = bytes(ffi.buffer(entry.bytes.data, entry.bytes.size))
    return found


def _named_data_diffs(a, b):
    found = []
    for key in sorted({*a, *b}):
        if key not in b:
            found.append(NamedDataDiff(key, "A"))
        elif key not in a:
            found.append(NamedDataDiff(key, "B"))
        elif a[key] != b[key]:
            found.append(NamedDataDiff(key, "", bytes_differ=True))
    return found


def _plan_diff(index, a, b, max_samples):
    diff = ExecutionPlanDiff(index)
    if a.name != b.name:
        diff.name_a, diff.name_b = a.name, b.name
    diff.operators_only_in_a = sorted((a.operators - b.operators).elements())
    diff.operators_only_in_b = sorted((b.operators - a.operators).elements())
    diff.delegates_only_in_a = sorted((a.delegates - b.delegates).elements())
    diff.delegates_only_in_b = sorted((b.delegates - a.delegates).elements())
    if a.arenas != b.arenas:
        diff.non_const_buffer_sizes_a, diff.non_const_buffer_sizes_b = a.arenas, b.arenas
    if len(a.values) != len(b.values):
        diff.value_count_a, diff.value_count_b = len(a.values), len(b.values)
    if a.instruction_count != b.instruction_count:
        diff.instruction_count_a = a.instruction_count
        diff.instruction_count_b = b.instruction_count
    _add_value_diffs(diff, a, b, max_samples)
    shared = min(len(a.values), len(b.values))
    diff.tensors_only_in_a = _tensors_behind(a, shared)
    diff.tensors_only_in_b = _tensors_behind(b, shared)
    return diff


def _add_value_diffs(diff, a, b, max_samples):
    for i, (value_a, value_b) in enumerate(zip(a.values, b.values)):
        if value_a.kind == value_b.kind == "Tensor":
            found = _tensor_diff(i, a, b, max_samples)
            if found is not None:
                diff.tensor_diffs.append(found)
        elif value_a.kind != value_b.kind or value_a.content != value_b.content:
            differs = value_a.kind != value_b.kind
            fields = [] if differs else [
                FieldDiff(value_a.field, value_a.content, value_b.content)
            ]  # fmt: skip
            diff.evalue_diffs.append(
                EValueDiff(i, value_a.kind, value_b.kind, differs, fields,
                           a.usages.get(i, []), b.usages.get(i, []))
            )  # fmt: skip


def _info(plan, index):
    stored = plan.values[index].tensor
    extra = stored["extra_tensor_info"]
    return TensorInfo(index, stored["scalar_type"], stored["sizes"],
                      extra.fully_qualified_name if extra else None, stored["data_buffer_idx"],
                      plan.usages.get(index, []))  # fmt: skip


def _tensors_behind(plan, first):
    return [_info(plan, i) for i in range(first, len(plan.values))
            if plan.values[i].kind == "Tensor"]  # fmt: skip


def _tensor_diff(index, a, b, max_samples):
    """The TensorDataDiff of two tensors, or None if they are equal."""
    value_a, value_b = a.values[index], b.values[index]
    fields = _field_diffs(value_a.tensor, value_b.tensor)
    bytes_a, bytes_b = _bytes(value_a.array), _bytes(value_b.array)
    if not fields and bytes_a == bytes_b:
        return None
    found = TensorDataDiff(_info(a, index), _info(b, index), len(bytes_a or b""),
                           len(bytes_b or b""), bytes_a != bytes_b, fields)  # fmt: skip
    is_same_form = all(value_a.tensor[name] == value_b.tensor[name]
                       for name in ("scalar_type", "sizes"))  # fmt: skip
    if found.bytes_differ and bytes_a is not None and bytes_b is not None and is_same_form:
        _compare_elements(found, value_a.array, value_b.array, max_samples)
    return found


def _bytes(array):
    return None if array is None else array.tobytes()


def _field_diffs(a, b):
    found = []
    for name in a:
        if a[name] == b[name]:
            continue
        if name == "extra_tensor_info":
            ours, theirs = a[name] or ExtraTensorInfo(), b[name] or ExtraTensorInfo()
            found += [FieldDiff(f"{name}.{part}", getattr(ours, part), getattr(theirs, part))
                      for part in vars(ours) if getattr(ours, part) != getattr(theirs, part)]
        else:
            found.append(FieldDiff(name, a[name], b[name]))
    return found


def _compare_elements(found, a, b, max_samples):
    """Elements in the order of their indices; types without arithmetic are compared by bits."""
    import numpy as np

    flat_a, flat_b = (_numbers(array).reshape(-1) for array in (a, b))
    places = np.flatnonzero((flat_a != flat_b) & ~(np.isnan(flat_a) & np.isnan(flat_b)))
    found.num_elements, found.num_differing = flat_a.size, places.size
    if places.size == 0:
        return
    with np.errstate(invalid="ignore", over="ignore"):
        distances = np.abs(flat_a[places] - flat_b[places])
    known = distances[~np.isnan(distances)]
    if known.size > 0:
        found.max_abs_diff, found.mean_abs_diff = float(known.max()), float(known.mean())
    for place in places[:max_samples]:
        indices = tuple(map(int, np.unravel_index(place, a.shape)))
        found.element_diffs.append(
            ElementDiff(int(place), indices, float(flat_a[place]), float(flat_b[place]))
        )


def _numbers(array):
    """An array in float64; of complex numbers the magnitude."""
    import numpy as np

    return np.abs(array) if array.dtype.kind == "c" else array.astype(np.float64)


def format_diff_result(result, verbose=False):
    """The text of a PTEDiffResult. verbose: with the constants' bytes and where both are used."""
    lines = [f"Comparing: {result.path_a} ({_size(result.size_a)}) "
             f"vs {result.path_b} ({_size(result.size_b)})",
             f"Status: {'' if result.bitwise_equal else 'NOT '}bitwise equal"]  # fmt: skip
    if result.error:
        lines.append(f"Error: {result.error}")
    if result.version_a is not None:
        lines.append(f"Version: {result.version_a} vs {result.version_b}")
    for diff in result.plan_diffs:
        lines += ["", _title(diff), *_plan_lines(diff), *_values_lines(diff, verbose)]
    for side, names in (("A", result.extra_plans_in_a), ("B", result.extra_plans_in_b)):
        if names:
            lines += ["", f"Extra plans in {side}: {', '.join(names)}"]
    if result.named_data_diffs:
        lines += ["", "Named data differences:"]
        lines += [f"  {entry.key!r}: " + (f"only in {entry.only_in}" if entry.only_in
                                          else "bytes differ")
                  for entry in result.named_data_diffs]  # fmt: skip
    return "\n".join(lines)


def _size(count):
    for unit, bytes_of in (("MB", 1 << 20), ("KB", 1 << 10)):
        if count >= bytes_of:
            return f"{count / bytes_of:.1f} {unit}"
    return f"{count} B"


def _title(diff):
    if diff.name_a is None:
        return f"Plan {diff.plan_index}:"
    return (f'Plan {diff.plan_index} "{diff.name_a}" '
            f"(name differs: {diff.name_a!r} vs {diff.name_b!r}):")  # fmt: skip


def _plan_lines(diff):
    for title, part in (("Operators", "operators"), ("Delegates", "delegates")):
        for side in "ab":
            names = getattr(diff, f"{part}_only_in_{side}")
            if names:
                yield f"  {title} only in {side.upper()}: {', '.join(names)}"
    for title, part in (("non_const_buffer_sizes", "non_const_buffer_sizes"),
                        ("Value count", "value_count"),
                        ("Instruction count", "instruction_count")):  # fmt: skip
        if getattr(diff, part + "_a") is not None:
            yield f"  {title}: {getattr(diff, part + '_a')} vs {getattr(diff, part + '_b')}"


def _values_lines(diff, verbose):
    if diff.tensor_diffs:
        yield f"  Differing tensors ({len(diff.tensor_diffs)}):"
        for tensor in diff.tensor_diffs:
            yield from _tensor_lines(tensor, verbose)
    if diff.evalue_diffs:
        yield f"  Differing values ({len(diff.evalue_diffs)}):"
        for value in diff.evalue_diffs:
            yield from _value_lines(value)
    for side, tensors in (("A", diff.tensors_only_in_a), ("B", diff.tensors_only_in_b)):
        if tensors:
            yield f"  Tensors only in {side} ({len(tensors)}):"
            yield from (f"    {_tensor_text(tensor)}" for tensor in tensors)


def _tensor_text(info):
    kind = "CT" if info.data_buffer_idx > 0 else "T"
    name = f'  "{info.fqn}"' if info.fqn else ""
    sizes = ",".join(map(str, info.sizes))
    return f"[idx={info.evalue_index}]  {kind} {_type_name(info.scalar_type)}[{sizes}]{name}"


def _type_name(scalar_type):
    return text(lib.ets_scalar_type_name(int(scalar_type))) or str(scalar_type)


def _tensor_lines(diff, verbose):
    yield f"    {_tensor_text(diff.tensor_a)}"
    if verbose:
        yield f"      byte sizes: {diff.byte_size_a} vs {diff.byte_size_b}"
    usages = diff.tensor_a.operator_usages or (diff.tensor_b.operator_usages if verbose else [])
    yield from _usage_lines("used", usages)
    for part in diff.metadata_diffs:
        yield f"      {part.field_name}: {part.value_a} vs {part.value_b}"
    if diff.num_differing == 0:
        return
    yield f"      {diff.num_differing} / {diff.num_elements} elements differ"
    yield f"      max_abs_diff={diff.max_abs_diff:.6g}  mean_abs_diff={diff.mean_abs_diff:.6g}"
    if diff.element_diffs:
        yield "      first differences:"
    for element in diff.element_diffs:
        place = ",".join(map(str, element.multi_index))
        distance = abs(element.value_a - element.value_b)
        yield f"        [{place}]: {element.value_a} vs {element.value_b} (diff={distance:.6g})"
    left = diff.num_differing - len(diff.element_diffs)
    if diff.element_diffs and left > 0:
        yield f"        ... and {left} more"


def _value_lines(diff):
    if diff.type_mismatch:
        yield f"    [idx={diff.evalue_index}]  type: {diff.type_a} vs {diff.type_b}"
    else:
        yield f"    [idx={diff.evalue_index}]  {diff.type_a}"
    for part in diff.field_diffs:
        yield f"      {part.field_name}: {part.value_a} vs {part.value_b}"
    yield from _usage_lines("used in A", diff.operator_usages_a)
    if diff.operator_usages_b != diff.operator_usages_a:
        yield from _usage_lines("used in B", diff.operator_usages_b)


def _usage_lines(used, usages):
    return (f"      {used} as arg {usage.arg_index} of {usage.name}" for usage in usages)


def main(arguments=None):
    """The command: prints the comparison. Returns 1 for files that cannot be read, else 0."""
    parser = argparse.ArgumentParser(prog="python -m etscope.pte_tool.diff_pte",
                                     description="Compare two ExecuTorch programs")  # fmt: skip
    parser.add_argument("file_a", help="the first .pte")
    parser.add_argument("file_b", help="the second .pte")
    parser.add_argument("-v", "--verbose", action="store_true", help="show more of each difference")
    parser.add_argument("--max-samples", type=int, default=10,
                        help="elements to show of each constant (default: 10)")  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        data = []
        for path in (options.file_a, options.file_b):
            with open(path, "rb") as file:
                data.append(file.read())
    except OSError as error:
        print(f"etscope: {error}", file=sys.stderr)
        return 1
    result = diff_pte(*data, options.file_a, options.file_b, max(options.max_samples, 0))
    print(format_diff_result(result, options.verbose))
    return 1 if result.error else 0


if __name__ == "__main__":
    sys.exit(main())

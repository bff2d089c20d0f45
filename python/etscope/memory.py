"""The planned memory of a program: which tensor lies where, and when it is needed.

    from etscope import memory

    plan = memory.plan("model.pte", etrecord="model.etrecord")
    print(plan)                                  # the answer in a sentence
    frame = plan.to_dataframe()                  # a row for each tensor
    print(memory.alternatives("model.pte"))      # what other plans would take
"""

from etscope._library import NULL, lib
from etscope._opened import opened_program, opened_record
from etscope._tables import filled
from etscope.util.activation_memory_profiler import generate_memory_trace

__all__ = ["alternatives", "generate_memory_trace", "plan", "steps"]


def plan(program, etrecord=None, method=None, all=False):
    """The tensors of a program's memory plan, as an etscope.memory Table.

    program: a path, or the bytes, of a .pte or .bpte.
    etrecord: path of the export's ETRecord, for source lines and modules.
    method: the method to show; None: all.
    all: also tensors outside of planned memory: constants, the caller's inputs and outputs.

    Rows have the columns of `etscope memory` (docs/columns.md): value, kind, size_bytes, offset, first
    and last instruction, operator, source, module and more; tensors alive at the peak come first and
    have a `share`. Raises Error for files that are damaged or do not belong together.
    """
    rows = lib.ETS_MEMORY_ALL_TENSORS if all else lib.ETS_MEMORY_TENSORS
    return _filled(program, etrecord, method, rows)


def steps(program, etrecord=None, method=None):
    """How planned memory fills and empties, as a Table with a row for each instruction.

        frame = memory.steps("model.pte").to_dataframe()
        frame.plot(x="instruction", y="live_bytes", drawstyle="steps-mid")

    program, etrecord, method: as of plan(). Rows have the columns of `etscope memory --steps`
    (docs/columns.md), among them instruction, operator, live_bytes, new_bytes and done_bytes. Raises
    Error as plan() does.
    """
    return _filled(program, etrecord, method, lib.ETS_MEMORY_STEPS)


def alternatives(program, method=None):
    """What other plans of the same tensors would take: placed anew, in place, with other alignments,
    or without the largest tensors. Rows have `plan`, `size_bytes` and `change_bytes`.
    """
    return _filled(program, None, method, lib.ETS_MEMORY_ALTERNATIVES)


def _filled(program, etrecord, method, rows):
    source, pointer = opened_program(program)
    name = NULL if method is None else method.encode()
    with opened_record(etrecord) as record:
        return filled(
            lib.ets_memory_table_fill, pointer, record, name, rows,
            file=source.path, etrecord=etrecord,
        )  # fmt: skip

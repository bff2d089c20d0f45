"""What the tracer may take on each target: the one table of bounds, and what it may ask for."""

from typing import NamedTuple


class Bounds(NamedTuple):
    """Most bytes that there may be, about a tenth above what clang 14 makes of it at -Os."""

    stream: int  # code and constants of a program that records and streams
    ring: int  # the same with the ETDump
    everything: int  # the whole library
    record_stack: int  # deepest of all functions that record, callbacks of the caller's excluded
    write_stack: int  # of ets_trace_write
    cost_stack: int  # of ets_trace_measure_cost
    trace: int  # sizeof (struct ets_trace)
    thread: int  # sizeof (struct ets_trace_thread)


BOUNDS = {
    "cortex-m0": Bounds(0, 0, 0, 0, 0, 0, 0, 0),
    "cortex-m4": Bounds(0, 0, 0, 0, 0, 0, 0, 0),
    "cortex-m55": Bounds(0, 0, 0, 0, 0, 0, 0, 0),
    "rv32i": Bounds(0, 0, 0, 0, 0, 0, 0, 0),
    "rv32imac": Bounds(0, 0, 0, 0, 0, 0, 0, 0),
    "android-arm64": Bounds(0, 0, 0, 0, 0, 0, 0, 0),
}

# Processors without atomic operations: the config's section stands in.
WITHOUT_ATOMICS = ("cortex-m0", "rv32i")

# Names that the library leaves to others. Memory functions come from the C library or from
# platforms/no_libc; integer functions, where the processor cannot multiply, from the compiler's
# own library.
MEMORY_FUNCTIONS = r"(__aeabi_)?mem(cpy|move|set|clr)[48]?"
INTEGER_FUNCTIONS = {
    "cortex-m0": r"__aeabi_(lmul|llsl|llsr)",
    "rv32i": r"__mul[sd]i3",
}

"""What the tracer may take on each target: the one table of bounds, and what it may ask for."""

from typing import NamedTuple


class Bounds(NamedTuple):
    """Most bytes that there may be, about a tenth above what clang 14 makes of it at -Os."""

    stream: int  # code and constants of a program that records and streams
    ring: int  # the same with the ETDump
    everything: int  # the whole library
    record_stack: int  # deepest of all functions that record, callbacks of the caller's excluded
    reduce_stack: int  # what reducers take below that
    write_stack: int  # of ets_trace_write
    cost_stack: int  # of ets_trace_measure_cost
    trace: int  # sizeof (struct ets_trace)
    thread: int  # sizeof (struct ets_trace_thread)


BOUNDS = {
    # Of ETDumps: the index of names and the run that tells of dropped events take 400 to 700 bytes,
    # tokens of runs 300, kinds that only some runs have 80 to 120.
    "cortex-m0": Bounds(7680, 21632, 39936, 1312, 2368, 2576, 2944, 640, 368),
    "cortex-m4": Bounds(8448, 21824, 41984, 1200, 2400, 2528, 2768, 640, 368),
    "cortex-m55": Bounds(8192, 21600, 39936, 1200, 2048, 2512, 2768, 640, 368),
    "rv32i": Bounds(14336, 37184, 68608, 1248, 2416, 2672, 2800, 640, 368),
    "rv32imac": Bounds(9216, 25408, 48128, 1200, 2432, 2720, 2720, 640, 368),
    # Of 64 bits: names beyond 65,535, which others have no memory for, take some 300 bytes of code.
    "android-arm64": Bounds(10496, 27136, 46592, 1632, 2048, 3248, 3440, 768, 528),
}

# Names that the library leaves to others. Memory functions come from the C library or from
# platforms/no_libc; integer functions, where the processor cannot multiply, from the compiler's
# own library.
MEMORY_FUNCTIONS = r"(__aeabi_)?mem(cpy|move|set|clr)[48]?"
# Reducers calculate in float64: where the processor cannot, the compiler's library does.
ARITHMETIC_FUNCTIONS = r"__aeabi_[dfuil]\w+|__(fix|float|extend|trunc)\w+|__\w+[sdt][fi][23]?"
INTEGER_FUNCTIONS = {
    "cortex-m0": r"__aeabi_(lmul|llsl|llsr)",
    "rv32i": r"__mul[sd]i3",
}

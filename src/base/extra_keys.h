/*
 * Keys of the extra block that whoever runs or converts a trace writes, behind those of
 * enum ets_trace_key, which the tracer writes. docs/SPEC.md, section 6, has the bytes.
 */
#ifndef ETSCOPE_BASE_EXTRA_KEYS_H
#define ETSCOPE_BASE_EXTRA_KEYS_H

enum ets_extra_key {
    ETS_EXTRA_HELD = 7,         /* what one of enum ets_memory_owner took of the memory */
    ETS_EXTRA_TEMPORARY = 8,    /* what one instruction took of the temporary allocator */
    ETS_EXTRA_PROCESS = 9,      /* the process's memory at one moment */
    ETS_EXTRA_RUNTIME = 10,     /* whose profile it was */
    ETS_EXTRA_NODE = 11,        /* what that profile tells of one instruction */
    ETS_EXTRA_THREADS = 12,     /* of the runtime's pool */
    ETS_EXTRA_CYCLES = 13,      /* whether times are cycles */
    ETS_EXTRA_INPUT = 14,       /* what runs were given */
    ETS_EXTRA_INPUT_SIZES = 15, /* the same without the elements of tensors */
    ETS_EXTRA_UNTRACED = 16,    /* how much longer runs take with tracing */
    ETS_EXTRA_RECORDED = 17,    /* when */
    ETS_EXTRA_TOKENS = 18,      /* which tokens of a generation a run computed */
    ETS_EXTRA_DEVICE = 19,      /* what it was recorded on, and how that was */
    ETS_EXTRA_TAPS = 20         /* which arguments of a delegate call are values from within */
};

#endif

/* Entries of the extra block that tell of memory; docs/SPEC.md has their bytes. */
#ifndef ETSCOPE_BASE_MEMORY_ENTRIES_H
#define ETSCOPE_BASE_MEMORY_ENTRIES_H

/* Who holds memory, where the one who ran the program counted it. */
enum ets_memory_owner {
    ETS_MEMORY_PROGRAM = 1,   /* the .pte */
    ETS_MEMORY_DATA = 2,      /* .ptd files */
    ETS_MEMORY_METHOD = 3,    /* the method allocator: what loading builds */
    ETS_MEMORY_PLANNED = 4,   /* a planned buffer */
    ETS_MEMORY_TEMPORARY = 5, /* the temporary allocator, which is reset after each instruction */
    ETS_MEMORY_INPUTS = 6,    /* inputs outside of the planned buffers */
    ETS_MEMORY_OUTPUTS = 7,   /* outputs outside of them */
    ETS_MEMORY_HEAP = 8,      /* what delegates and kernels took of the heap by themselves */
    ETS_MEMORY_STACK = 9      /* below the call that loads or runs */
};

enum ets_memory_phase { ETS_MEMORY_ALWAYS = 0, ETS_MEMORY_LOAD = 1, ETS_MEMORY_RUN = 2 };

enum ets_memory_moment {
    ETS_MOMENT_BEFORE_LOAD = 0,
    ETS_MOMENT_AFTER_LOAD = 1,
    ETS_MOMENT_BEFORE_RUNS = 2, /* its inputs are set */
    ETS_MOMENT_AFTER_FIRST_RUN = 3,
    ETS_MOMENT_END = 4,
    ETS_MOMENT_LOAD_PEAK = 5, /* the most in the meantime */
    ETS_MOMENT_RUN_PEAK = 6,  /* of the first run */
    ETS_MOMENT_COUNT
};

#endif

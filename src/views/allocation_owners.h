/*
 * Who takes a method's memory: planned buffers, the method and the temporary allocator, delegates
 * among their takers, and what the process does meanwhile. As counted where the program ran.
 *
 *     struct ets_allocation_owners view;
 *     if (!ets_allocation_owners_collect(&arena, inspection, &view)) return no_memory();
 *     for (uint32_t m = 0; m < view.method_count; m++) {
 *         size_t size = ets_allocation_headline(&view, m, text, sizeof text);
 *     }
 *
 * Amounts are bytes; ETS_MEMORY_UNKNOWN: not known.
 */
#ifndef ETSCOPE_VIEWS_ALLOCATION_OWNERS_H
#define ETSCOPE_VIEWS_ALLOCATION_OWNERS_H

#include "inspect/recorded_memory.h"

struct ets_allocation_owner {
    const struct ets_held_memory *held;
    uint32_t method; /* in `methods`; ETS_NO_INDEX: the program's own files */
    uint32_t row;    /* of the inspection: the instruction that took most; or ETS_NO_INDEX */
    double share;    /* of what the method takes, NaN: no part of it, or not known */
};

/* What one method takes. */
struct ets_allocation_method {
    struct ets_text name;
    uint32_t first, count;    /* its rows in `items` */
    uint64_t planned;         /* all planned buffers */
    uint64_t method;          /* the method allocator, delegates' part included */
    uint64_t delegates;       /* that part */
    uint64_t temporary;       /* the temporary allocator: most at once */
    uint64_t inputs, outputs; /* outside of the planned buffers */
    uint64_t heap;            /* taken outside of all these while loading and in the first run */
    const struct ets_held_memory *load_stack,
        *run_stack; /* of the calling thread; NULL: not told */
    uint64_t total; /* of all but the stack; without the heap where that is not known */
    const struct ets_process_memory *process[ETS_MOMENT_COUNT]; /* NULL: not told */
};

struct ets_allocation_owners {
    struct ets_recorded_memory memory;
    struct ets_allocation_owner *items; /* the program's files, then by method, as ran */
    struct ets_allocation_method *methods;
    uint32_t count, method_count;
    uint64_t program, data; /* bytes of the .pte and of .ptd files; UNKNOWN: not told */
};

/* A trace that tells nothing gives empty views. Returns false where memory ran out. */
ETS_API bool ets_allocation_owners_collect(struct ets_arena *arena,
                                           const struct ets_inspection *inspection,
                                           struct ets_allocation_owners *owners_out);

/* "forward takes 12.4 KiB: planned 8.0 KiB, ..." Returns the length; cut to `room`. */
ETS_API size_t ets_allocation_headline(const struct ets_allocation_owners *owners, uint32_t method,
                                       char *text, size_t room);

/* "planned": one word for the owner. */
ETS_API const char *ets_memory_owner_name(enum ets_memory_owner owner);
/* Which threads' stack: "calling thread", "pool's threads"; NULL: `held` is no stack. */
ETS_API const char *ets_stack_threads_name(const struct ets_held_memory *held);
/* "before load" */
ETS_API const char *ets_memory_moment_name(enum ets_memory_moment moment);

#endif

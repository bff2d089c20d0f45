/*
 * A program whose tensors lie closer together in planned memory: the plan that memory_replan.h
 * finds and verifies, written into the file. Instructions, values and constants stay.
 *
 *     struct ets_replanned replanned;
 *     ETS_TRY(ets_replanned_program(&arena, &program, ETS_REPLAN_ALL_METHODS, &replanned, error));
 *     if (replanned.after < replanned.before) keep(replanned.bytes);
 *
 * Only what is certain is written. No result takes the bytes of an input in place: whether kernels
 * allow it depends on the runtime. An arena stays as it is where methods may share its state, where
 * it is memory of a device, and where no smaller plan was found. Alignments stay: in methods with
 * delegates, which may rely on it, up to 64 bytes.
 */
#ifndef ETSCOPE_REWRITE_REPLANNED_PROGRAM_H
#define ETSCOPE_REWRITE_REPLANNED_PROGRAM_H

#include "rewrite/rewritten_program.h"

#define ETS_REPLAN_ALL_METHODS UINT32_MAX

struct ets_replanned_method {
    struct ets_text name;
    uint64_t before, after; /* planned bytes of all arenas */
    const char *kept;       /* why an arena stays as it is; NULL: none has to. Static */
};

struct ets_replanned {
    struct ets_replanned_method *methods; /* those that were looked at and plan memory */
    uint32_t method_count;
    uint64_t before, after; /* of all of them */
    struct ets_bytes bytes; /* the whole new program, verified; size 0: nothing became smaller */
};

/*
 * Looks at one method of the program, or at all. The new program's own plan is read again and
 * checked. Statuses: NO_MEMORY, LIMIT, UNSUPPORTED (a newer schema), INVALID_ARGUMENT (a plan with
 * mistakes, a program with taps), those of ets_memory_plan_init.
 */
enum ets_status ets_replanned_program(struct ets_arena *arena, const struct ets_program *program,
                                      uint32_t method, struct ets_replanned *replanned_out,
                                      struct ets_error *error);

#endif

/*
 * pool.h - several traces as one: the same operators of the same program, their times put together.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_pool *pool; // of `count` inspections, which must live as long
 *     if (ets_pool_open(inspections, count, NULL, &pool, &error) == ETS_OK) {
 *         for (uint32_t b = 0; b < ets_pool_block_count(pool); b++) {
 *             const struct ets_pool_block *block = ets_pool_block(pool, b);
 *             for (uint32_t i = 0; i < block->operator_count; i++) {
 *                 const struct ets_pool_operator *op = &block->operators[i];
 *                 printf("%.*s: %u runs of %u files, the first took %g ns\n",
 *                        (int)op->name.size, op->name.data, block->run_count, block->part_count,
 *                        op->per_run[0]);
 *             }
 *         }
 *         ets_pool_close(pool);
 *     }
 *
 * Blocks of several traces are one block of the pool where they are the same in all that does not
 * depend on time: name, method, test case, and the sequence of their events. Conversions that
 * XNNPACK adds on some processors are no difference where the program is known; a trace without
 * them spent no time on them. Loads, which look alike, are one where the traces share a block that
 * executes. Everything handed out is borrowed until close. One pool belongs to one thread at a
 * time.
 */
#ifndef ETSCOPE_POOL_H
#define ETSCOPE_POOL_H

#include "etscope/inspect.h"

ETS_DECLARATIONS_BEGIN

struct ets_pool;

enum ets_pool_role {
    ETS_POOL_FRAME = 0, /* of the runtime: Method::execute, Program::load_method */
    ETS_POOL_WORK = 1,  /* an instruction: a kernel, or the call of a delegate */
    ETS_POOL_INNER = 2, /* inside of an instruction, as a delegate's operators */
    ETS_POOL_REST = 3   /* what Method::execute is longer than all that it encloses */
};

/* One operator of a block. Times are nanoseconds, or cycles: ets_pool_unit; but has_own_clock. */
struct ets_pool_operator {
    enum ets_pool_role role;
    struct ets_text name;      /* "addmm.out", as people read it; "(between operators)" */
    uint32_t parent;           /* enclosing operator of the block, before this one; ETS_NO_INDEX */
    uint32_t depth;            /* 0 at the top */
    uint32_t calls;            /* in one run */
    int has_own_clock;         /* 1: times are ticks of the delegate's own, and part of nothing */
    double resolution;         /* the true time of a run is at least that of per_run, and
                                  below it + resolution; 0: exact */
    const double *per_run;     /* [run_count of the block] all calls of a run added up; part after
                                  part, runs in file order */
    const struct ets_row *row; /* of a part that has it: handles, nodes, backend; NULL: the rest */
    uint32_t row_offset;       /* its row, from the first_row of its block */
};

/* What one trace gave to a block. */
struct ets_pool_part {
    uint32_t inspection, block;    /* which of those given, and which of its blocks */
    uint32_t first_run, run_count; /* of the pool's block */
    uint32_t left_out;             /* runs of its own block before those: warm-up */
};

struct ets_pool_block {
    struct ets_text name;
    const char *method; /* NULL: unknown */
    int32_t test_case;  /* -1: none */
    uint32_t run_count; /* of all parts */
    uint32_t part_count;
    const struct ets_pool_part *parts;
    uint32_t operator_count;
    const struct ets_pool_operator *operators; /* in order of execution, parents first */
    uint32_t total;  /* the operator that encloses all: Method::execute, Program::load_method;
                        ETS_NO_INDEX: none does */
    uint32_t may_be; /* an earlier block that differs in nothing but what XNNPACK may do on another
                        processor (conversions of 16-bit floats, and computing with 32): with the
                        program, inspections tell whether they are one. ETS_NO_INDEX: none */
};

struct ets_pool_options {
    int steady; /* 1: of each trace without warm-up, as ets_run_phases_find tells it */
    const struct ets_allocator *allocator; /* NULL: the C library's */
};

/*
 * `inspections`: borrowed until close. `options` NULL: all zero.
 * Statuses: INVALID_ARGUMENT (some count cycles, others time), NO_MEMORY.
 */
ETS_API enum ets_status ets_pool_open(const struct ets_inspection *const *inspections,
                                      uint32_t count, const struct ets_pool_options *options,
                                      struct ets_pool **pool_out, struct ets_error *error);
/*
 * The same with one trace after the other, so that many need no more memory than their times do,
 * eight bytes for each run of each row, twice while they are put together:
 *
 *     ets_pool_begin(NULL, &pool, &error);
 *     for (each trace) {
 *         ets_pool_add(pool, inspection, &is_kept, &error);
 *         if (!is_kept) ets_inspection_close(inspection); // else after the pool
 *     }
 *     ets_pool_end(pool, &error);
 *
 * A pool keeps the first inspection of every sequence of events that is new to it, and traces
 * that execute nothing; after a failure of `add`, the inspection at hand, too. Parts count the
 * inspections in the order of `add`. A pool that was begun is the caller's to close, also after a
 * failure; until `end` it has no blocks. Statuses as above.
 */
ETS_API enum ets_status ets_pool_begin(const struct ets_pool_options *options,
                                       struct ets_pool **pool_out, struct ets_error *error);
ETS_API enum ets_status ets_pool_add(struct ets_pool *pool, const struct ets_inspection *inspection,
                                     int *is_kept_out, struct ets_error *error);
ETS_API enum ets_status ets_pool_end(struct ets_pool *pool, struct ets_error *error);
ETS_API void ets_pool_close(struct ets_pool *pool); /* NULL is allowed */

/* What times are in: ETS_UNIT_CYCLES, or ETS_UNIT_NS whatever time the traces count in. */
ETS_API enum ets_time_unit ets_pool_unit(const struct ets_pool *pool);

/* In order of first appearance. */
ETS_API uint32_t ets_pool_block_count(const struct ets_pool *pool);
ETS_API const struct ets_pool_block *ets_pool_block(const struct ets_pool *pool, uint32_t index);

ETS_DECLARATIONS_END

#endif

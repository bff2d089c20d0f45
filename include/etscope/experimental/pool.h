/*
 * pool.h - merges several traces of one program, with the times of all their runs for each
 * operator.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_pool *pool = NULL;
 *     int is_kept = 0;
 *     status = ets_pool_begin(NULL, &pool, &error);
 *     for (uint32_t i = 0; status == ETS_OK && i < count; i++) {
 *         status = ets_pool_add(pool, inspections[i], &is_kept, &error);
 *         if (!is_kept) ets_inspection_close(inspections[i]); // else after ets_pool_close
 *     }
 *     if (status == ETS_OK) status = ets_pool_end(pool, &error);
 *     for (uint32_t b = 0; status == ETS_OK && b < ets_pool_block_count(pool); b++) {
 *         const struct ets_pool_block *block = ets_pool_block(pool, b);
 *         for (uint32_t i = 0; i < block->operator_count; i++) {
 *             const struct ets_pool_operator *op = &block->operators[i];
 *             printf("%.*s: %u runs of %u files, the first took %g ns\n", ETS_TEXT(op->name),
 *                    block->run_count, block->part_count, op->per_run[0]);
 *         }
 *     }
 *     ets_pool_close(pool);
 *
 * Blocks of several traces are merged if they are equal in everything but time: name, method, test
 * case and sequence of events. Conversions that XNNPACK adds on some processors do not count as a
 * difference if the program is known; a trace without them spent no time on them. Loads look alike:
 * they are merged if the traces share a block that executes. Everything returned is valid until
 * close. Use a pool from one thread at a time.
 */
#ifndef ETSCOPE_POOL_H
#define ETSCOPE_POOL_H

#include "etscope/inspect.h"

ETS_DECLARATIONS_BEGIN

struct ets_pool;

enum ets_pool_role {
    ETS_POOL_FRAME = 0, /* of the runtime: Method::execute, Program::load_method */
    ETS_POOL_WORK = 1,  /* an instruction: a kernel, or the call of a delegate */
    ETS_POOL_INNER = 2, /* inside an instruction: a delegate's operator, for example */
    ETS_POOL_REST = 3   /* time of Method::execute outside everything it encloses */
};

/* One operator of a block. Times are in ets_pool_unit, unless has_own_clock is 1. */
struct ets_pool_operator {
    enum ets_pool_role role;
    struct ets_text name;  /* display name: "addmm.out", "(between operators)" */
    uint32_t parent;       /* enclosing operator of the block, before this one; ETS_NO_INDEX */
    uint32_t depth;        /* 0 at the top */
    uint32_t calls;        /* in one run */
    int has_own_clock;     /* 1: times are the delegate's own ticks; do not add them to others */
    double resolution;     /* the true time t of a run is per_run <= t < per_run + resolution;
                              0: exact */
    const double *per_run; /* [run_count of the block] sum of all calls in each run; parts one
                              after another, runs in file order */
    const struct ets_row *row; /* from a part that has it: handles, nodes, backend; NULL: the rest,
                                  or a sum of operators */
    uint32_t row_offset;       /* of its row, from the first_row of its block */
};

/* The runs that one trace adds to a block. */
struct ets_pool_part {
    uint32_t inspection, block;    /* number of the inspection, and of its block */
    uint32_t first_run, run_count; /* of the pool's block */
    uint32_t left_out;             /* earlier runs of its own block: warm-up */
    uint32_t tokens;               /* that each run computed; 0: unknown, or not equally many */
    uint64_t position; /* of the first run's first token; if the tokens of that run are known */
    uint64_t last_position;                /* the largest of a run's first token; as above */
    uint64_t recorded_begin, recorded_end; /* of its trace, nanoseconds since 1970; 0: unknown */
    double drift; /* how much longer the last third of its runs takes than the first, as a part of
                     that, where runs have a trend; NaN: they have none, or are fewer than 8 */
};

struct ets_pool_block {
    struct ets_text name;
    const char *method; /* NULL: unknown */
    int32_t test_case;  /* -1: none */
    enum ets_run_stage stage;
    uint32_t tokens;        /* as of a part, of all parts */
    uint64_t position;      /* where all parts have it and the same; else 0 */
    uint64_t last_position; /* the largest of all parts */
    uint32_t run_count;     /* of all parts */
    uint32_t part_count;
    const struct ets_pool_part *parts;
    uint32_t operator_count;
    const struct ets_pool_operator *operators; /* in order of execution, parents first */
    uint32_t total;  /* the operator that encloses all others: Method::execute,
                        Program::load_method; ETS_NO_INDEX: none */
    uint32_t may_be; /* an earlier block that differs only in what XNNPACK may do on another
                        processor (convert 16-bit floats and compute with 32 bits). Inspections
                        opened with the program decide whether they are one. ETS_NO_INDEX: none */
};

/* What the operators of an execution are added up by. */
enum ets_pool_by {
    ETS_POOL_BY_NONE = 0,     /* they are not */
    ETS_POOL_BY_OPERATOR = 1, /* their type, named alike for all runtimes: "linear" */
    ETS_POOL_BY_MODULE = 2    /* the module that they are of, or that all their nodes are in */
};

struct ets_pool_options {
    int steady; /* 1: leave out the warm-up runs of each trace */
    enum ets_pool_by by;
    const struct ets_allocator *allocator; /* NULL: the C library's */
};

/*
 * Merges traces one by one, so that memory holds only their times: eight bytes per run and row,
 * twice while they are merged. `options` NULL: all zero.
 *
 * If *is_kept_out is 1, the inspection must live until the pool is closed; otherwise it may be
 * closed. The pool keeps the first inspection of each new sequence of events, traces that execute
 * nothing, and the current inspection if ets_pool_add fails. Parts number the inspections in the
 * order of ets_pool_add. Close the pool after ets_pool_begin, also after a failure. It has no
 * blocks before ets_pool_end. Statuses: INVALID_ARGUMENT (some traces count cycles, others time),
 * NO_MEMORY.
 */
ETS_API enum ets_status ets_pool_begin(const struct ets_pool_options *options,
                                       struct ets_pool **pool_out, struct ets_error *error);
ETS_API enum ets_status ets_pool_add(struct ets_pool *pool, const struct ets_inspection *inspection,
                                     int *is_kept_out, struct ets_error *error);
ETS_API enum ets_status ets_pool_end(struct ets_pool *pool, struct ets_error *error);
ETS_API void ets_pool_close(struct ets_pool *pool); /* NULL is allowed */

/* The unit of times: ETS_UNIT_CYCLES, or ETS_UNIT_NS for traces in any unit of time. */
ETS_API enum ets_time_unit ets_pool_unit(const struct ets_pool *pool);

/* In order of first appearance. */
ETS_API uint32_t ets_pool_block_count(const struct ets_pool *pool);
ETS_API const struct ets_pool_block *ets_pool_block(const struct ets_pool *pool, uint32_t index);

ETS_DECLARATIONS_END

#endif

/* The pool while it is being built, as the files of this folder share it. */
#ifndef ETSCOPE_COMPARE_POOL_PARTS_H
#define ETSCOPE_COMPARE_POOL_PARTS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "etscope/experimental/pool.h"
#include "host/arena.h"
#include "host/key_table.h"
#include "host/strings.h"

/* Numbers for shapes: equal numbers are blocks with equal sequences of equal rows. */
struct ets_pool_shapes {
    struct ets_strings texts;
    struct ets_key_table rows;      /* what one row is */
    struct ets_key_table sequences; /* {number of a prefix, next row} */
};

/* The clock of a row of one trace. */
struct ets_pool_clock {
    double resolution; /* ticks of all calls of a run */
    bool is_own;       /* a delegate's */
};

/* A block of one trace, on the way into the pool: what outlives its inspection. */
struct ets_pool_found {
    struct ets_pool_part part;
    uint32_t shape;
    bool has_work;                           /* it executed instructions: not a load */
    uint32_t target;                         /* block of the pool */
    double tick;                             /* nanoseconds, or 1 for cycles */
    const double *ticks;                     /* [row][run of the part] */
    const struct ets_pool_clock *clocks;     /* [row] */
    const struct ets_inspection *inspection; /* NULL: the pool does not need it any more */
    const uint32_t *rows; /* [row of the block with the most rows that is the same but for what a
                             processor adds] its row, or ETS_NO_INDEX; NULL: it is such a block */
};

struct ets_pool {
    struct ets_arena arena, scratch; /* scratch: until all traces are there */
    uint32_t inspection_count;
    int steady;
    enum ets_time_unit unit;
    struct ets_pool_block *blocks;
    uint32_t block_count;
    /* In scratch. */
    struct ets_pool_shapes shapes;
    struct ets_key_table seen; /* shapes of the traces that were added */
    struct ets_pool_found *found;
    uint32_t found_count, found_room;
};

static inline enum ets_status ets_fail_pool(struct ets_error *error)
{
    return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to merge the traces");
}

/* pool_shapes.c */
bool ets_pool_shapes_init(struct ets_pool_shapes *shapes, struct ets_arena *arena);
/* The number of a block's shape; ETS_KEY_NONE: no memory. Texts are borrowed: a new one makes a new
 * shape, whose inspection the pool keeps. */
enum ets_pool_view {
    ETS_POOL_EXACT = 0,
    ETS_POOL_WITHOUT_ADDED = 1, /* without rows that a delegate adds on some processors, */
    ETS_POOL_WITHOUT_WIDTHS = 2 /* and without all that it may, as far as names tell */
};
uint32_t ets_pool_shape_of(struct ets_pool_shapes *shapes, const struct ets_inspection *inspection,
                           const struct ets_block *block, enum ets_pool_view view);

/* pool_rows.c */
bool ets_pool_row_is_added(const struct ets_row *row); /* by the runtime, beside the payload */
bool ets_pool_row_may_be_added(const struct ets_row *row);
/* The row's operation; where no payload is known, as if all floats had 32 bits. False: no memory.
 */
bool ets_pool_row_without_width(struct ets_arena *arena, const struct ets_row *row,
                                struct ets_text *text_out);

/* pool_variants.c */
/* Gives blocks that differ in added rows alone one shape, that of the one with the most rows. */
bool ets_pool_find_variants(struct ets_pool *pool);
/* Sets `may_be` of the pool's blocks. [block] what was found first of each. */
bool ets_pool_find_likeness(struct ets_pool *pool, const struct ets_pool_found *const *of_block);

/* pool_assign.c */
/*
 * Which block of the pool each found one goes to. All loads look alike; they go together where
 * their programs do. Sets the pool's number of blocks. False: no memory.
 */
bool ets_pool_assign(struct ets_pool *pool);

/* pool_operators.c: the operators of a block, without their times, from the part that has all. */
enum ets_status ets_pool_list_operators(struct ets_pool *pool, struct ets_pool_block *block,
                                        const struct ets_pool_found *first,
                                        struct ets_error *error);

/* pool_times.c */
/* What each row of block `found->part.block` took in each run that counts. False: no memory. */
bool ets_pool_keep_times(struct ets_arena *arena, const struct ets_inspection *inspection,
                         struct ets_pool_found *found);
/* The times of a block's operators; [part]: where they come from. */
enum ets_status ets_pool_add_times(struct ets_pool *pool, struct ets_pool_block *block,
                                   const struct ets_pool_found *const *parts,
                                   struct ets_error *error);

/*
 * `inspections`: borrowed until close. `options` NULL: all zero.
 * Statuses: INVALID_ARGUMENT (some count cycles, others time), NO_MEMORY.
 */
enum ets_status ets_pool_open(const struct ets_inspection *const *inspections, uint32_t count,
                              const struct ets_pool_options *options, struct ets_pool **pool_out,
                              struct ets_error *error);

#endif

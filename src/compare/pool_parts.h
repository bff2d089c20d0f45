/* The pool under construction, shared by the files of this folder. */
#ifndef ETSCOPE_COMPARE_POOL_PARTS_H
#define ETSCOPE_COMPARE_POOL_PARTS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "etscope/experimental/pool.h"
#include "host/arena.h"
#include "host/key_table.h"
#include "host/strings.h"

/* Numbers of shapes: blocks with the same number have equal sequences of equal rows. */
struct ets_pool_shapes {
    struct ets_strings texts;
    struct ets_key_table rows;      /* the identity of a row */
    struct ets_key_table sequences; /* {number of a prefix, next row} */
};

/* The clock of a row of one trace. */
struct ets_pool_clock {
    double resolution; /* ticks of all calls of a run */
    bool is_own;       /* a delegate's */
};

/* A block of one trace before it enters the pool: the part that outlives its inspection. */
struct ets_pool_found {
    struct ets_pool_part part;
    uint32_t shape;
    bool has_work;                           /* it executed instructions, so it is not a load */
    uint32_t target;                         /* block of the pool */
    double tick;                             /* nanoseconds, or 1 for cycles */
    const double *ticks;                     /* [row][run of the part] */
    const struct ets_pool_clock *clocks;     /* [row] */
    const struct ets_inspection *inspection; /* NULL: no longer needed */
    const uint32_t *rows; /* [row of the variant with the most rows, which differs only in what a
                             processor adds] its row, or ETS_NO_INDEX; NULL: it is that variant */
};

struct ets_pool {
    struct ets_arena arena, scratch; /* scratch: until all traces are added */
    uint32_t inspection_count;
    int steady;
    bool has_captured; /* tensors, in some of its runs */
    enum ets_pool_by by;
    struct ets_text runtime; /* whose profile the first trace was; absent: ExecuTorch's */
    enum ets_time_unit unit;
    struct ets_pool_block *blocks;
    uint32_t block_count;
    /* In scratch. */
    struct ets_pool_shapes shapes;
    struct ets_key_table seen; /* shapes of the added traces */
    struct ets_pool_found *found;
    uint32_t found_count, found_room;
};

static inline enum ets_status ets_fail_pool(struct ets_error *error)
{
    return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to merge the traces");
}

/* pool_shapes.c */
bool ets_pool_shapes_init(struct ets_pool_shapes *shapes, struct ets_arena *arena);
/*
 * The number of a block's shape; ETS_KEY_NONE: no memory. Texts are borrowed: a new text makes a
 * new shape, whose inspection the pool keeps.
 */
enum ets_pool_view {
    ETS_POOL_EXACT = 0,
    ETS_POOL_WITHOUT_ADDED = 1, /* without rows that a delegate adds on some processors */
    ETS_POOL_WITHOUT_WIDTHS = 2 /* also without rows that it may add, according to their names */
};
uint32_t ets_pool_shape_of(struct ets_pool_shapes *shapes, const struct ets_inspection *inspection,
                           const struct ets_block *block, enum ets_pool_view view);

/* pool_rows.c */
bool ets_pool_row_is_added(const struct ets_row *row); /* by the runtime, not in the payload */
bool ets_pool_row_may_be_added(const struct ets_row *row);
/* The row's operation; if no payload is known, as if all floats had 32 bits. False: no memory. */
bool ets_pool_row_without_width(struct ets_arena *arena, const struct ets_row *row,
                                struct ets_text *text_out);

/* pool_variants.c */
/* Gives blocks that differ only in added rows one shape: that of the block with the most rows. */
bool ets_pool_find_variants(struct ets_pool *pool);
/* Sets `may_be` of the pool's blocks. [block]: the first found block of each. */
bool ets_pool_find_likeness(struct ets_pool *pool, const struct ets_pool_found *const *of_block);

/* pool_assign.c */
/*
 * Assigns each found block to a block of the pool, and sets the number of blocks. All loads look
 * alike; they are merged if their programs are. False: no memory.
 */
bool ets_pool_assign(struct ets_pool *pool);

/* pool_operators.c: lists the operators of a block, without times, from the part that has all. */
enum ets_status ets_pool_list_operators(struct ets_pool *pool, struct ets_pool_block *block,
                                        const struct ets_pool_found *first,
                                        struct ets_error *error);

/* pool_groups.c: adds up the operators of a block, as the pool's `by` asks. False: no memory. */
bool ets_pool_group(struct ets_pool *pool, struct ets_pool_block *block);

/* pool_times.c */
/* Keeps the time of each row of block `found->part.block` in each counted run. False: no memory. */
bool ets_pool_keep_times(struct ets_arena *arena, const struct ets_inspection *inspection,
                         struct ets_pool_found *found);
/* Fills the times of a block's operators; `parts` are their sources. */
enum ets_status ets_pool_add_times(struct ets_pool *pool, struct ets_pool_block *block,
                                   const struct ets_pool_found *const *parts,
                                   struct ets_error *error);

/*
 * Makes a pool of all `inspections`, which are borrowed until close. `options` NULL: all zero.
 * Statuses: INVALID_ARGUMENT (some count cycles, others time), NO_MEMORY.
 */
enum ets_status ets_pool_open(const struct ets_inspection *const *inspections, uint32_t count,
                              const struct ets_pool_options *options, struct ets_pool **pool_out,
                              struct ets_error *error);

#endif

/*
 * Writing a FlatBuffer front to back, without memory for it: vtables first, each once, then tables
 * whose references all point forward.
 *
 * The same code runs several times. While measuring, positions are those of a file without
 * vtables, and the vtables that tables want are collected; ets_fbw_place_vtables then fixes where
 * all of them lie, and the next passes either count (to learn where something will end) or write.
 */
#ifndef ETSCOPE_TRACE_FLATBUFFER_WRITER_H
#define ETSCOPE_TRACE_FLATBUFFER_WRITER_H

#include <stdbool.h>

#include "etscope/etdump.h"

enum {
    ETS_FBW_WORDS = 28, /* of `used`: what the layouts need together */
    ETS_FBW_STAGED_BYTES = 128,
    ETS_FBW_HEADER_BYTES = 12, /* size prefix, root offset, identifier */
    ETS_FBW_SLOTS = 8,         /* most of a table */
    ETS_FBW_LAYOUTS = 16       /* most of a file */
};

/*
 * The fields of a table, by bit masks of slots: those of 8 bytes, those of 1 byte, those that are
 * references; what is in none of `wide` and `narrow` has 4 bytes.
 */
struct ets_fbw_layout {
    uint8_t first_word, word_count; /* of `used`: bit n tells whether a table with slots n occurs */
    uint8_t wide, narrow, references;
};

/* How tables of a layout with certain slots look. */
struct ets_fbw_shape {
    uint8_t slots; /* 0: none is known */
    uint8_t bytes, count;
    uint8_t fields[ETS_FBW_SLOTS];  /* which slots, those of 8 bytes first */
    uint8_t offsets[ETS_FBW_SLOTS]; /* where they lie */
    uint8_t sizes[ETS_FBW_SLOTS];   /* their bytes; 5 stands for a reference */
    uint32_t vtable_at;             /* 0: not looked up yet */
};

struct ets_fbw {
    const struct ets_etdump_sink *sink;
    struct ets_error *error;
    const struct ets_fbw_layout *layouts;
    uint32_t layout_count;
    enum ets_status status; /* sticky */
    bool is_measuring;      /* vtables are collected */
    bool is_counting;       /* positions advance, nothing is written */
    uint32_t position;
    uint32_t limit;                     /* where the file may end at most, later: where it ends */
    uint32_t used[ETS_FBW_WORDS];       /* sets of present slots, by layout */
    uint16_t vtables_at[ETS_FBW_WORDS]; /* of the first vtable of each word */
    /* Of the last table of each layout, as most are like their predecessor. */
    struct ets_fbw_shape shapes[ETS_FBW_LAYOUTS];
    uint32_t staged_bytes;
    uint8_t staged[ETS_FBW_STAGED_BYTES];
};

/* Ends the writing with `status`, unless it has failed before. `message` fits an ets_error. */
void ets_fbw_fail(struct ets_fbw *w, enum ets_status status, const char *message);

/* The failures of a file that would be too large, and of one that is not as it was measured. */
void ets_fbw_fail_limit(struct ets_fbw *w);
void ets_fbw_fail_changed(struct ets_fbw *w);

/* Starts measuring. `layouts`: of all tables, by ascending first_word; the first is the root's. */
void ets_fbw_init(struct ets_fbw *w, const struct ets_fbw_layout *layouts, uint32_t layout_count,
                  struct ets_error *error);

/*
 * Ends measuring: fixes the vtables' places. Returns by how many bytes the file's body lies behind
 * where measuring had it, a multiple of 8.
 */
uint32_t ets_fbw_place_vtables(struct ets_fbw *w);

/* Writes header and vtables of a file of `file_bytes`, whose root table comes right behind them. */
void ets_fbw_begin(struct ets_fbw *w, const struct ets_etdump_sink *sink, uint32_t file_bytes,
                   const char identifier[4]);

/* Hands out what is still staged. */
void ets_fbw_flush(struct ets_fbw *w);

void ets_fbw_put(struct ets_fbw *w, const void *data, size_t size);

/* Passes over `size` bytes while counting. */
void ets_fbw_skip(struct ets_fbw *w, uint64_t size);

void ets_fbw_put_u32(struct ets_fbw *w, uint32_t value);
void ets_fbw_put_u64(struct ets_fbw *w, uint64_t value);

/* `count` numbers, of which each is `step` more than the one before. */
void ets_fbw_put_row(struct ets_fbw *w, uint32_t first, uint32_t step, uint32_t count);

/* A reference to what stands, or will stand, at `target`. */
void ets_fbw_put_reference(struct ets_fbw *w, uint32_t target);

/* Where something at or behind `position` starts that is `remainder` modulo `alignment`. */
uint32_t ets_fbw_align(uint32_t position, uint32_t alignment, uint32_t remainder);

/* Zeros up to `position`, which is not far. */
void ets_fbw_pad_to(struct ets_fbw *w, uint32_t position);

/* Where a table with these slots starts if it comes next after `position`, and where it ends. */
uint32_t ets_fbw_table_start(const struct ets_fbw_layout *layout, unsigned slots,
                             uint32_t position);
uint32_t ets_fbw_table_end(const struct ets_fbw_layout *layout, unsigned slots, uint32_t position);

/* While measuring: a table with these slots will be put later. */
void ets_fbw_announce_table(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots);

/* The table, whose slot n holds values[n]; of references the target's position. */
void ets_fbw_put_table(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots,
                       const uint64_t *values);

/*
 * `count` tables of nothing but one reference, at a position that is a multiple of 4. The first
 * refers to `target`, each other to what is `step` bytes behind the one before's.
 */
void ets_fbw_put_pointers(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots,
                          uint32_t target, uint32_t step, uint32_t count);

#endif

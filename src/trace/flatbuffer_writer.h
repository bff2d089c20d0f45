/*
 * Writes a FlatBuffer front to back, without memory for it: first the vtables, each once, then
 * tables whose references all point forward.
 *
 * The same code runs several times. The first pass measures: positions are those of a file without
 * vtables, and the required vtables are collected. ets_fbw_place_vtables then fixes their
 * positions. The next passes either count (to find where parts end) or write.
 */
#ifndef ETSCOPE_TRACE_FLATBUFFER_WRITER_H
#define ETSCOPE_TRACE_FLATBUFFER_WRITER_H

#include <stdbool.h>

#include "etscope/etdump.h"

enum {
    ETS_FBW_WORDS = 28, /* of `used`: sum over all layouts */
    ETS_FBW_STAGED_BYTES = 128,
    ETS_FBW_HEADER_BYTES = 12, /* size prefix, root offset, identifier */
    ETS_FBW_SLOTS = 8,         /* limit per table */
    ETS_FBW_LAYOUTS = 16       /* limit per file */
};

/*
 * The fields of a table as bit masks of slots: 8-byte fields, 1-byte fields, references. Fields in
 * neither `wide` nor `narrow` have 4 bytes.
 */
struct ets_fbw_layout {
    uint8_t first_word, word_count; /* of `used`: bit n is set if a table with slots n occurs */
    uint8_t wide, narrow, references;
};

/* The shape of tables of a layout with certain slots. */
struct ets_fbw_shape {
    uint8_t slots; /* 0: not known */
    uint8_t bytes, count;
    uint8_t fields[ETS_FBW_SLOTS];  /* which slots, those of 8 bytes first */
    uint8_t offsets[ETS_FBW_SLOTS]; /* their offsets in the table */
    uint8_t sizes[ETS_FBW_SLOTS];   /* their bytes; 5 means a reference */
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
    uint32_t limit;                     /* the largest end of the file; later its end */
    uint32_t used[ETS_FBW_WORDS];       /* sets of present slots, by layout */
    uint16_t vtables_at[ETS_FBW_WORDS]; /* of the first vtable of each word */
    /* Of the last table of each layout: most tables repeat the previous shape. */
    struct ets_fbw_shape shapes[ETS_FBW_LAYOUTS];
    uint32_t staged_bytes;
    uint8_t staged[ETS_FBW_STAGED_BYTES];
};

/* Ends the writing with `status`, unless it failed before. `message` must fit in an ets_error. */
void ets_fbw_fail(struct ets_fbw *w, enum ets_status status, const char *message);

/* Fail because the file would be too large, or differs from the measurement. */
void ets_fbw_fail_limit(struct ets_fbw *w);
void ets_fbw_fail_changed(struct ets_fbw *w);

/* Starts measuring. `layouts`: of all tables, by ascending first_word; the first is the root's. */
void ets_fbw_init(struct ets_fbw *w, const struct ets_fbw_layout *layouts, uint32_t layout_count,
                  struct ets_error *error);

/*
 * Ends measuring and fixes the positions of the vtables. Returns the shift of the file's body
 * against the measured positions, a multiple of 8.
 */
uint32_t ets_fbw_place_vtables(struct ets_fbw *w);

/* Writes header and vtables of a file of `file_bytes`. The root table must follow directly. */
void ets_fbw_begin(struct ets_fbw *w, const struct ets_etdump_sink *sink, uint32_t file_bytes,
                   const char identifier[4]);

/* Writes staged bytes to the sink. */
void ets_fbw_flush(struct ets_fbw *w);

void ets_fbw_put(struct ets_fbw *w, const void *data, size_t size);

/* Skips `size` bytes while counting. */
void ets_fbw_skip(struct ets_fbw *w, uint64_t size);

void ets_fbw_put_u32(struct ets_fbw *w, uint32_t value);
void ets_fbw_put_u64(struct ets_fbw *w, uint64_t value);

/* `count` numbers, each `step` more than the previous one. */
void ets_fbw_put_row(struct ets_fbw *w, uint32_t first, uint32_t step, uint32_t count);

/* A reference to `target`, which may be written later. */
void ets_fbw_put_reference(struct ets_fbw *w, uint32_t target);

/* The first position from `position` on that is `remainder` modulo `alignment`. */
uint32_t ets_fbw_align(uint32_t position, uint32_t alignment, uint32_t remainder);

/* Writes zeros up to `position`; for short gaps. */
void ets_fbw_pad_to(struct ets_fbw *w, uint32_t position);

/* The start and end of a table with these slots that comes next after `position`. */
uint32_t ets_fbw_table_start(const struct ets_fbw_layout *layout, unsigned slots,
                             uint32_t position);
uint32_t ets_fbw_table_end(const struct ets_fbw_layout *layout, unsigned slots, uint32_t position);

/* While measuring: a table with these slots will be put later. */
void ets_fbw_announce_table(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots);

/* Writes the table. Slot n holds values[n]; for a reference this is the target's position. */
void ets_fbw_put_table(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots,
                       const uint64_t *values);

/*
 * Writes `count` tables with a single reference each, at a multiple of 4. The first refers to
 * `target`, each next one `step` bytes further.
 */
void ets_fbw_put_pointers(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots,
                          uint32_t target, uint32_t step, uint32_t count);

#endif

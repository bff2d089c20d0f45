/*
 * Changes a FlatBuffer without moving what stays: new tables go between its head and its old
 * content, and refer to the old tables behind them. Offsets of references only point forward, so
 * a table that shall refer to something new is written anew, and with it all tables above it.
 *
 *     struct ets_splice splice;
 *     ets_splice_init(&splice, &arena, flatbuffer, head_bytes, error);
 *     struct ets_splice_part *root = ets_splice_copy(&splice, old_root, &ets_program_type);
 *     ets_splice_set_number(root, PROGRAM_VERSION, 4, 1);
 *     ETS_TRY(ets_splice_write(&splice, root, new_head_bytes, 64, &bytes, &size));
 *
 * A failure is kept: functions then return NULL, accept NULL, and ets_splice_write tells it. All
 * memory is the arena's. Source: FlatBuffers internals document.
 */
#ifndef ETSCOPE_REWRITE_FLATBUFFER_SPLICE_H
#define ETSCOPE_REWRITE_FLATBUFFER_SPLICE_H

#include "format/flatbuffer.h"
#include "host/arena.h"

struct ets_splice_part; /* a table or a vector that is written */

struct ets_splice {
    struct ets_arena *arena;
    struct ets_bytes old; /* a verified FlatBuffer */
    size_t head_bytes;    /* of it: root, identifier, and what else comes before the content */
    enum ets_status status;
    struct ets_error *error;
};

void ets_splice_init(struct ets_splice *splice, struct ets_arena *arena, struct ets_bytes old,
                     size_t head_bytes, struct ets_error *error);

/*
 * A copy of an old table, to be changed. UNSUPPORTED: it has a field that `type` does not know, so
 * that a newer writer made it.
 */
struct ets_splice_part *ets_splice_copy(struct ets_splice *splice, struct ets_fb table,
                                        const struct ets_fb_type *type);
struct ets_splice_part *ets_splice_table(struct ets_splice *splice);
/* Vectors: of references to the tables of an old one with room for `added` behind them, */
struct ets_splice_part *ets_splice_tables(struct ets_splice *splice, struct ets_fb_vector old,
                                          uint32_t added);
/* and of numbers; the first are those of `old`, the others 0. */
struct ets_splice_part *ets_splice_numbers(struct ets_splice *splice, struct ets_fb_vector old,
                                           uint32_t added, uint32_t number_bytes);
/* With the NUL behind it. */
struct ets_splice_part *ets_splice_text(struct ets_splice *splice, const char *text);

void ets_splice_set_number(struct ets_splice_part *table, unsigned slot, uint32_t bytes,
                           uint64_t value);
/* A part is referred to once. */
void ets_splice_set_part(struct ets_splice_part *table, unsigned slot,
                         struct ets_splice_part *part);
void ets_splice_set_item(struct ets_splice_part *vector, uint32_t index,
                         struct ets_splice_part *part);
void ets_splice_set_item_number(struct ets_splice_part *vector, uint32_t index, uint64_t value);

/*
 * The new FlatBuffer, with a head of `head_bytes` of which the bytes behind the identifier are
 * those of the old head, or 0. What was old moves by a multiple of `alignment`. Statuses:
 * NO_MEMORY, LIMIT (2 GiB), or of what failed before.
 */
enum ets_status ets_splice_write(struct ets_splice *splice, struct ets_splice_part *root,
                                 size_t head_bytes, size_t alignment, uint8_t **bytes_out,
                                 size_t *size_out);

/* The type of the tables that a field refers to; of a union, with this tag. NULL: none. */
const struct ets_fb_type *ets_splice_type_in(const struct ets_fb_type *type, unsigned slot,
                                             uint8_t tag);

#endif

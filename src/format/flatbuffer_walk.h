/*
 * Visits the bytes of a verified FlatBuffer: every table, vtable, vector and text known to its
 * types, with a label from the caller.
 *
 *     static uint32_t label(void *context, uint32_t parent, unsigned slot, uint32_t index)
 *     {
 *         return parent == ROOT && slot == PROGRAM_PLANS && index != ETS_FB_WHOLE ? PLAN : parent;
 *     }
 *     const struct ets_fb_walker walker = {&counts, label, count_piece};
 *     ets_fb_walk(bytes, root, &ets_program_type, ROOT, &walker);
 *
 * Pieces are not ordered by position. Shared pieces are visited once per table that refers to them.
 * In total there are at most as many as the verifier visited.
 */
#ifndef ETSCOPE_FORMAT_FLATBUFFER_WALK_H
#define ETSCOPE_FORMAT_FLATBUFFER_WALK_H

#include "format/flatbuffer.h"

#define ETS_FB_WHOLE UINT32_MAX

struct ets_fb_walker {
    void *context;
    /*
     * The label for the target of the field in `slot` of a table labelled `parent`. `index` is that
     * of a table in a vector, and ETS_FB_WHOLE for the vector itself and all other fields.
     */
    uint32_t (*label)(void *context, uint32_t parent, unsigned slot, uint32_t index);
    /* `bytes` bytes at `at`, including the length of a vector and the terminator of a text. */
    void (*piece)(void *context, uint32_t label, size_t at, size_t bytes);
};

/* `bytes`: what was verified. Of a union's member that the types do not know (None,
 * one that holds nothing, a newer
 * writer's) the table alone is a piece, if it lies in them. */
void ets_fb_walk(struct ets_bytes bytes, struct ets_fb table, const struct ets_fb_type *type,
                 uint32_t label, const struct ets_fb_walker *walker);

#endif

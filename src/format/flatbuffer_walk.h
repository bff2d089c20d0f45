/*
 * Where the bytes of a verified FlatBuffer are: every table, vtable, vector and text that its types
 * know, with a label of the caller's.
 *
 *     static uint32_t label(void *context, uint32_t parent, unsigned slot, uint32_t index)
 *     {
 *         return parent == ROOT && slot == PROGRAM_PLANS && index != ETS_FB_WHOLE ? PLAN : parent;
 *     }
 *     const struct ets_fb_walker walker = {&counts, label, count_piece};
 *     ets_fb_walk(bytes, root, &ets_program_type, ROOT, &walker);
 *
 * Pieces come in no order of place, and those that tables share come once for each of them: no more
 * of them in all than the verifier has visited.
 */
#ifndef ETSCOPE_FORMAT_FLATBUFFER_WALK_H
#define ETSCOPE_FORMAT_FLATBUFFER_WALK_H

#include "format/flatbuffer.h"

#define ETS_FB_WHOLE UINT32_MAX

struct ets_fb_walker {
    void *context;
    /*
     * The label of what the field in `slot` of a table labelled `parent` refers to. `index`: of a
     * table in a vector; ETS_FB_WHOLE for the vector itself, and for all other fields.
     */
    uint32_t (*label)(void *context, uint32_t parent, unsigned slot, uint32_t index);
    /* `bytes` bytes at `at`, of a vector its length and of a text its end included. */
    void (*piece)(void *context, uint32_t label, size_t at, size_t bytes);
};

/* `bytes`: what was verified. Of a union's member that the types do not know (None, a newer
 * writer's) the table alone is a piece, if it lies in them. */
void ets_fb_walk(struct ets_bytes bytes, struct ets_fb table, const struct ets_fb_type *type,
                 uint32_t label, const struct ets_fb_walker *walker);

#endif

/* Where the constants of a program lie in its constant segment, and where they may lie instead. */
#ifndef ETSCOPE_REWRITE_CONSTANT_LAYOUT_H
#define ETSCOPE_REWRITE_CONSTANT_LAYOUT_H

#include "base/error.h"
#include "etscope/program.h"
#include "host/arena.h"

/* An entry of the constant segment's list of offsets. */
struct ets_constant_place {
    uint64_t bytes;         /* of the largest tensor that is read; 0: none is */
    uint64_t was, is;       /* offset in the segment, old and new */
    bool is_named, is_read; /* by a tensor; by an instruction */
    uint32_t same_as;       /* itself, or the first one with the same bytes */
    uint64_t alignment;     /* of its place; 0: that of all */
};

/* A tensor that no instruction, list, input or output names. */
struct ets_unread_tensor {
    uint32_t method, value;
};

struct ets_constant_layout {
    uint32_t segment;                 /* UINT32_MAX: the program has no constant segment */
    struct ets_constant_place *items; /* [count] */
    uint32_t count;
    struct ets_unread_tensor *unread; /* [unread_count] */
    uint32_t unread_count;
    uint64_t bytes; /* that the new segment takes */
    uint32_t shared, unread_constants;
};

/* Whether its bytes are written; else nobody reads them, or they are those of another one. */
static inline bool ets_constant_is_written(const struct ets_constant_layout *layout, uint32_t index)
{
    return layout->items[index].bytes > 0 && layout->items[index].same_as == index;
}

/* Places what is read anew, in the order of the old file. Statuses: NO_MEMORY. */
enum ets_status ets_constant_layout_place(struct ets_arena *arena,
                                          struct ets_constant_layout *layout,
                                          struct ets_error *error);

/* Lists constants without new places. Statuses: NO_MEMORY. */
enum ets_status ets_constant_layout_find(struct ets_arena *arena, const struct ets_program *program,
                                         struct ets_constant_layout *layout_out,
                                         struct ets_error *error);

#endif

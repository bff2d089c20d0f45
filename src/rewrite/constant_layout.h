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
    bool is_first;          /* its bytes are written; else they are those of an earlier one */
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

/* Statuses: NO_MEMORY. */
enum ets_status ets_constant_layout_find(struct ets_arena *arena, const struct ets_program *program,
                                         struct ets_constant_layout *layout_out,
                                         struct ets_error *error);

#endif

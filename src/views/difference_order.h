/* The lines of a difference in display order. */
#ifndef ETSCOPE_VIEWS_DIFFERENCE_ORDER_H
#define ETSCOPE_VIEWS_DIFFERENCE_ORDER_H

#include <stdbool.h>

#include "etscope/experimental/difference.h"
#include "host/arena.h"
#include "views/line_sort.h"

struct ets_difference_order_options {
    enum ets_sort_by sort; /* CHANGE, RATIO, ORDER, NAME */
    uint32_t top;          /* lines of each block, not counting what they enclose; 0: all */
};

struct ets_shown_line {
    uint32_t line; /* of the difference */
    uint32_t depth;
};

struct ets_shown_lines {
    struct ets_shown_line *items;
    uint32_t count;
};

/* Lines of block `block`, each before those within it. False: no memory. */
bool ets_difference_order(struct ets_arena *arena, const struct ets_difference *difference,
                          uint32_t block, const struct ets_difference_order_options *options,
                          struct ets_shown_lines *lines_out);

/* The operator that names a line: the first one after, or if there is none, before. */
const struct ets_pool_operator *ets_difference_operator(const struct ets_difference_line *line);
/* The index of its instruction, which distinguishes operators of the same name; -1: none. */
int32_t ets_difference_instruction(const struct ets_pool_operator *op);

#endif

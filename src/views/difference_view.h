/*
 * The lines of a block of a difference in display order, each with its place in the model and its
 * part in the total change.
 *
 *     const struct ets_difference_order_options order = {.sort = ETS_SORT_CHANGE, .top = 10};
 *     struct ets_difference_view view;
 *     if (ets_difference_view_collect(&arena, difference, block, &order, &view)) {
 *         for (uint32_t i = 0; i < view.count; i++) show(&view.lines[i]);
 *     }
 *
 * Times are in the unit of the difference. Everything is in the arena or borrowed from the
 * difference, which must live as long.
 */
#ifndef ETSCOPE_VIEWS_DIFFERENCE_VIEW_H
#define ETSCOPE_VIEWS_DIFFERENCE_VIEW_H

#include "host/text_builder.h"
#include "views/difference_order.h"
#include "views/operator_lines.h"

struct ets_difference_view_line {
    uint32_t index; /* of the difference */
    uint32_t depth;
    const struct ets_difference_line *of;
    const struct ets_pool_operator *named_by;
    int32_t
        instruction; /* of that operator, which distinguishes lines of the same name; -1: none */
    double contribution; /* part of the total's change; NaN: there is none */
    enum ets_tie tie;    /* the weakest tie of a delegate's operators to their nodes */
    struct ets_text_list before, after;    /* names of the operators of each side */
    struct ets_text_list sources, modules; /* of the side that names the line, without repetition */
};

struct ets_difference_view {
    const struct ets_difference_block *block;
    const struct ets_pool_block *named_by; /* the block after, or before where there is none */
    struct ets_difference_view_line *lines;
    uint32_t count;
};

/* Lines of block `block`, each before those within it. Returns false if memory runs out. */
bool ets_difference_view_collect(struct ets_arena *arena, const struct ets_difference *difference,
                                 uint32_t block, const struct ets_difference_order_options *order,
                                 struct ets_difference_view *view_out);

/* "addmm.out"; of what was replaced "3 operators -> DELEGATE_CALL". */
void ets_difference_add_name(struct ets_text_builder *text,
                             const struct ets_difference_view_line *line);

/* The doubt ETS_LINE_APART. */
extern const char ets_apart_words[];

/* "too few recordings", ... of a line without a verdict; nothing where the test decided. */
void ets_difference_add_reason(struct ets_text_builder *text,
                               const struct ets_difference_line *line);

/* Which properties any line of a difference has. */
struct ets_difference_contents {
    bool has_handles; /* a block was matched by debug handles: lines have places in the model */
    bool has_changes; /* an operator was added, removed, replaced, ... */
};
struct ets_difference_contents ets_difference_survey(const struct ets_difference *difference);

#endif

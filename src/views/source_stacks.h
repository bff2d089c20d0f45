/*
 * The work of a block by whole stacks: a tree of source lines that called each other, from the
 * outermost one to the library's that did the work.
 *
 *     struct ets_source_stacks stacks;
 *     if (!ets_source_stacks_collect(&arena, &work, &runs, &lines, &stacks)) return no_memory;
 *     for (uint32_t i = 0; i < stacks.count; i++) show(&stacks.items[i]);
 *
 * Each piece of work counts once, where source_lines.h counts it: at the stack of its first node,
 * or, of work that is on no line, below the lines that all of its nodes have in common. So self
 * times add up to the run. Code that traced the model for export is left out.
 */
#ifndef ETSCOPE_VIEWS_SOURCE_STACKS_H
#define ETSCOPE_VIEWS_SOURCE_STACKS_H

#include "views/source_lines.h"

/* Stacks come from files: of deeper ones, the frames further inside count with this one. */
enum { ETS_DEEPEST_STACK = 64 };

/* A line in a stack, or work without one. */
struct ets_stack_line {
    const struct ets_graph_frame *frame; /* NULL: on no line, */
    struct ets_text name;                /* which this says */
    uint32_t parent;                     /* the line that called it, or ETS_NO_INDEX */
    uint32_t depth;
    double calls_per_run; /* of it and all that it called */
    struct ets_chosen_times self, inclusive;
    struct ets_clock_error self_error, error; /* of `self`, of `inclusive` */
    bool has_self;                            /* work is counted here */
};

struct ets_source_stacks {
    struct ets_stack_line *items; /* in order of appearance: callers before what they call */
    uint32_t count;
    uint32_t *line_of_piece; /* [count of the work] where each piece is counted */
    double total;            /* mean ticks of the middle runs; NaN: not known */
};

/* `lines` are those of the same work and runs. Returns false if memory runs out. */
bool ets_source_stacks_collect(struct ets_arena *arena, const struct ets_work *work,
                               const struct ets_chosen_runs *runs,
                               const struct ets_source_lines *lines,
                               struct ets_source_stacks *stacks_out);

#endif

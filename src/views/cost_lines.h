/*
 * The work of a method without a trace: a line for each instruction and what delegates run inside,
 * or groups of them, which add up to one execution.
 *
 *     struct ets_cost_lines lines;
 *     const struct ets_cost_view_options options = {.group_by = ETS_COST_BY_MODULE};
 *     if (!ets_cost_lines_collect(&arena, delegation, &costs, first_step, &options, &lines)) {
 *         return no_memory;
 *     }
 *     for (uint32_t i = 0; i < lines.count; i++) show(&lines.items[i]);
 *
 * Groups take a delegate call apart where its operators are known. Their macs and ops add up to the
 * method's; their bytes do not: a tensor between two operators of a call is written and read there,
 * and crosses no border of the call. All memory is the arena's; delegation and costs are borrowed.
 */
#ifndef ETSCOPE_VIEWS_COST_LINES_H
#define ETSCOPE_VIEWS_COST_LINES_H

#include "cost/step_costs.h"
#include "views/places.h"

enum ets_cost_group_by {
    ETS_COST_BY_NONE = 0,  /* each instruction, and behind a delegate call its operators */
    ETS_COST_BY_OP = 1,    /* by kernel, or by what a payload calls its nodes */
    ETS_COST_BY_MODULE = 2 /* by modules of the model */
};

enum ets_cost_sort_by {
    ETS_COST_SORT_ORDER = 0, /* of execution, or of first appearance */
    ETS_COST_SORT_FLOPS = 1, /* largest first, as below */
    ETS_COST_SORT_BYTES = 2
};

struct ets_cost_view_options {
    enum ets_cost_group_by group_by;
    enum ets_cost_sort_by sort;
    uint32_t depth; /* BY_MODULE: components of a path; deeper modules count with the one that holds
                       them; 0: all */
};

struct ets_cost_line {
    struct ets_text name;
    const struct ets_delegation_step *step; /* NULL: a group */
    uint32_t unit;                          /* in step->units; ETS_NO_INDEX: the instruction */
    uint32_t calls;                         /* of groups: operators in it */
    uint32_t order;
    bool is_taken;            /* part of the method's total */
    struct ets_numbers group; /* modules of a group by these; none: not in the record */
    struct ets_numbers lines, modules;
    struct ets_cost cost;
};

struct ets_cost_lines {
    const char *method;
    const struct ets_method_cost *total;
    struct ets_cost_line *items;
    uint32_t count;
    struct ets_places *places;
};

/* Of the method whose first step is `first_step`. false: no memory. */
bool ets_cost_lines_collect(struct ets_arena *arena, const struct ets_delegation *delegation,
                            const struct ets_step_costs *costs, uint32_t first_step,
                            const struct ets_cost_view_options *options,
                            struct ets_cost_lines *lines_out);

/* "0.602 GFLOP a run; ..." with what of it is a choice of the run. Returns the length. */
size_t ets_cost_lines_headline(const struct ets_cost_lines *lines, char *text, size_t room);

#endif

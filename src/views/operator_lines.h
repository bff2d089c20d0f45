/*
 * The operators of a block: a line for each row of the inspection or each group of rows, with its
 * times in the chosen runs. Groups add up to the run exactly.
 *
 *     struct ets_chosen_runs runs;
 *     struct ets_operator_lines lines;
 *     if (ets_chosen_runs_find(&arena, inspection, block, ETS_NO_INDEX, 0, &runs) &&
 *         ets_operator_lines_by_group(&arena, inspection, &options, &runs, block, &lines)) {
 *         for (uint32_t i = 0; i < lines.count; i++) show(&lines.items[i]);
 *     }
 *
 * Times are ticks of the trace. Places are numbers of `lines.places`; rows with equal numbers form
 * one group. All memory is the arena's, names are the arena's or the record's; every function
 * returns false where memory ran out.
 */
#ifndef ETSCOPE_VIEWS_OPERATOR_LINES_H
#define ETSCOPE_VIEWS_OPERATOR_LINES_H

#include "cost/row_costs.h"
#include "views/chosen_runs.h"
#include "views/operator_options.h"
#include "views/operator_rows.h"
#include "views/places.h"
#include "views/repeated_line.h"
#include "views/work.h"

/* One line: a row of the inspection, a group of rows, or what is left of the total. */
struct ets_operator_line {
    struct ets_text name;
    uint32_t row;    /* ETS_NO_INDEX for groups */
    uint32_t parent; /* in a tree, the line that this one is a part of; else ETS_NO_INDEX */
    uint32_t depth;
    uint32_t order; /* of execution */
    double calls_per_run;
    double resolution;             /* step of the coarsest clock of its times; 0: exact */
    bool has_own_clock;            /* `times` are no times, but what its clock or counter says */
    bool is_estimate;              /* `times` are not measured */
    struct ets_chosen_times times; /* per run */
    struct ets_chosen_times self;  /* in a tree, without the time of its parts */
    struct ets_clock_error error, self_error; /* of `times`, of `self` */
    struct ets_numbers lines, modules;        /* of a row */
    struct ets_numbers group; /* lines, files, modules or handles of a group by these; otherwise,
                                 and for work without any: none */
    bool is_rest;             /* the rest of a delegate's calls beyond its operators */
    struct ets_cost cost;     /* in one run; if the options have costs */
    double saved;             /* ticks of a run at the roof; if the options have headroom */
};

struct ets_operator_lines {
    struct ets_operator_line *items;
    uint32_t count;
    bool is_tree; /* `self` and `parent` are valid; parts follow what they are a part of */
    struct ets_places *places;
    struct ets_repeated_line crowded; /* of groups by source */
};

/* line_order.c: sorts the lines; in a tree, those with the same parent. */
bool ets_operator_lines_sort(struct ets_arena *arena, enum ets_sort_by sort,
                             struct ets_operator_lines *lines);

/* Rows of a block, each before what it encloses. */
bool ets_operator_lines_by_row(struct ets_arena *arena, const struct ets_inspection *inspection,
                               const struct ets_operator_options *options,
                               const struct ets_chosen_runs *runs, uint32_t block,
                               struct ets_operator_lines *lines_out);

/* operator_groups.c: the work of a block by options->group_by, and the rest of its total. */
bool ets_operator_lines_by_group(struct ets_arena *arena, const struct ets_inspection *inspection,
                                 const struct ets_operator_options *options,
                                 const struct ets_chosen_runs *runs, uint32_t block,
                                 struct ets_operator_lines *lines_out);

#endif

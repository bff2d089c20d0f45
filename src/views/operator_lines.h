/* The lines of the operator table before they are sorted and printed. */
#ifndef ETSCOPE_VIEWS_OPERATOR_LINES_H
#define ETSCOPE_VIEWS_OPERATOR_LINES_H

#include <stdbool.h>

#include "etscope/inspect.h"
#include "host/arena.h"
#include "views/chosen_runs.h"
#include "views/crowded_line.h"
#include "views/operator_options.h"
#include "views/work.h"

struct ets_text_list {
    struct ets_text *items;
    size_t count;
};

/* Adds `text` where it is there and not in the list yet, which has room for all that is added. */
void ets_text_list_add(struct ets_text_list *list, struct ets_text text);
/* "blocks.py:35, blocks.py:53": rows of several lines or modules are a group of their own. An empty
 * list is "(not in the record)". Returns false where memory ran out. */
bool ets_text_list_join(struct ets_arena *arena, const struct ets_text_list *list,
                        struct ets_text *out);

/* One line: a row of the inspection, a group of rows, or what is left of the total. */
struct ets_operator_line {
    struct ets_text name;
    uint32_t row;    /* ETS_NO_INDEX for groups */
    uint32_t parent; /* in a tree, the line that this one is a part of; else ETS_NO_INDEX */
    uint32_t depth;
    uint32_t order; /* of execution */
    double calls_per_run;
    double coarse_calls; /* of these, such as a clock of steps measured */
    double quantum_ns;   /* the true time of a call lies within one step above it, of a negative
                            step below it; 0: exact */
    bool has_own_clock;  /* `times` are no times */
    struct ets_chosen_times times; /* per run */
    struct ets_chosen_times self;  /* in a tree, without what is in its parts */
    double self_quantum_ns, self_coarse_calls;
    struct ets_text backend, kernel;
    struct ets_text_list sources, modules, ops;
    struct ets_text_list places; /* of a group by source or module: its name, taken apart */
    bool is_rest;                /* what a delegate's operators leave over of its calls */
};

struct ets_operator_lines {
    struct ets_operator_line *items;
    uint32_t count;
    bool is_tree; /* `self` and `parent` are valid; parts follow what they are a part of */
    struct ets_crowded_line crowded; /* of groups by source */
};

/* line_order.c: sorts the lines; of a tree those with one parent. Returns false where memory ran
 * out. */
bool ets_operator_lines_sort(struct ets_arena *arena, enum ets_sort_by sort,
                             struct ets_operator_lines *lines);

/* Rows of a block, each before what it encloses. Returns false where memory ran out. */
bool ets_operator_lines_by_row(struct ets_arena *arena, const struct ets_inspection *inspection,
                               const struct ets_operator_options *options,
                               const struct ets_chosen_runs *runs, uint32_t block,
                               struct ets_operator_lines *lines_out);

/*
 * operator_groups.c: the work of a block grouped by options->group_by, and the rest of its total.
 * `run_number`: the number of each run within its block.
 */
bool ets_operator_lines_by_group(struct ets_arena *arena, const struct ets_inspection *inspection,
                                 const struct ets_operator_options *options,
                                 const struct ets_chosen_runs *runs, const uint32_t *run_number,
                                 uint32_t block, struct ets_operator_lines *lines_out);

/* True for rows that the table shows: not an OPERATOR_CALL around a kernel that reports itself. */
bool ets_operator_row_is_shown(const struct ets_inspection *inspection,
                               const struct ets_operator_options *options, uint32_t row);

/*
 * Where a row comes from: "models/zoo.py:16" and module paths, each once, in the order of its
 * nodes. A node that a pass put into the graph has a module only where no other node has one: what
 * quantizes the output of a layer belongs to that layer. Returns false where memory ran out.
 */
bool ets_operator_row_places(struct ets_arena *arena, const struct ets_row *row,
                             struct ets_text_list *sources_out, struct ets_text_list *modules_out);
bool ets_operator_node_places(struct ets_arena *arena, const struct ets_row_node *nodes,
                              size_t count, struct ets_text_list *sources_out,
                              struct ets_text_list *modules_out);

/* The row that shares are of: Method::execute, of a load Program::load_method; ETS_NO_INDEX: none.
 */
uint32_t ets_operator_whole_row(const struct ets_inspection *inspection, uint32_t block);

/* work_elsewhere.c: "(XnnpackBackend, not reported)": what a call took beyond the operators that it
 * reported. Returns false where memory ran out. */
bool ets_work_name_rest(struct ets_arena *arena, const struct ets_row *row,
                        struct ets_text *name_out);
/* Of work without a line (`wants_lines`), module or handle: "(XnnpackBackend, layout conversions)",
 * "(no line in the record: lstm)", "(not in the record)" where no more is known. */
bool ets_work_name_elsewhere(struct ets_arena *arena, const struct ets_row *row, bool wants_lines,
                             struct ets_text *name_out);
#endif

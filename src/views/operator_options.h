/* Options of operator lists: filter, grouping and order. */
#ifndef ETSCOPE_VIEWS_OPERATOR_OPTIONS_H
#define ETSCOPE_VIEWS_OPERATOR_OPTIONS_H

#include "etscope/experimental/row_filter.h"
#include "etscope/inspect.h"
#include "views/line_sort.h"

struct ets_costs;      /* cost/row_costs.h */
struct ets_headroom;   /* views/headroom.h */
struct ets_machine;    /* cost/machine.h */
struct ets_part_table; /* views/part_table.h */

enum ets_group_by {
    ETS_GROUP_NONE = 0,     /* a line for each row of the inspection */
    ETS_GROUP_OP = 1,       /* by kernel or delegate operator */
    ETS_GROUP_MODULE = 2,   /* by module path: a tree, with the time of each module itself */
    ETS_GROUP_SOURCE = 3,   /* by source file and line */
    ETS_GROUP_BACKEND = 4,  /* by delegate backend, and "portable" for kernels */
    ETS_GROUP_FILE = 5,     /* by source file */
    ETS_GROUP_HANDLE = 6,   /* by debug handle */
    ETS_GROUP_CATEGORY = 7, /* by what operators do (views/work_kinds.h) */
    ETS_GROUP_PART = 8,     /* by the part of the model, by the names of modules */
    ETS_GROUP_LAYER = 9     /* by the layer of a stack; likewise */
};

struct ets_operator_options {
    enum ets_group_by group_by;
    enum ets_sort_by sort;              /* ORDER to NAME */
    uint32_t top;                       /* lines of each block; 0: all */
    uint32_t block;                     /* only this block; ETS_NO_INDEX: all */
    uint32_t run;                       /* only this run; ETS_NO_INDEX: all, or the steady ones */
    int steady;                         /* 1: without warm-up, as ets_run_phases_find detects it */
    int all_events;                     /* 1: also OPERATOR_CALL wrapper events */
    const struct ets_part_table *parts; /* GROUP_PART: the user's; NULL: none */
    uint32_t depth; /* GROUP_MODULE: components of a path; deeper modules count with the module that
                       contains them; 0: all, up to 64 */
    struct ets_row_filter filter; /* only these rows; shares are still fractions of the whole run */
    int has_costs;                /* 1: lines have costs, which the table finds */
    const struct ets_costs *costs;       /* of the inspection; NULL: lines have none */
    const struct ets_machine *machine;   /* whose roofs apply to the lines; NULL: none */
    uint32_t threads;                    /* that ran; if there is a machine */
    const struct ets_headroom *headroom; /* of the block; the table finds it; NULL: none */
};

#endif

/*
 * The executions of a trace, one by one and by method: prefill and decode, token by token.
 *
 *     const struct ets_execution_options options = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
 *     struct ets_executions view;
 *     if (ets_executions_collect(&arena, inspection, &options, &view)) {
 *         for (uint32_t m = 0; m < view.method_count; m++) show(&view.methods[m]);
 *     }
 */
#ifndef ETSCOPE_VIEWS_EXECUTIONS_H
#define ETSCOPE_VIEWS_EXECUTIONS_H

#include <stdbool.h>

#include "etscope/experimental/row_filter.h"
#include "host/arena.h"

struct ets_execution_options {
    bool one_by_one;     /* unchosen executions are also listed; see `is_chosen` */
    uint32_t block, run; /* ETS_NO_INDEX: all */
    int steady;          /* 1: without warm-up, as ets_run_phases_find detects it */
    /* If rows are filtered, times are those of the remaining work. */
    struct ets_row_filter filter;
};

/* A run of the trace that executed a method. */
struct ets_execution {
    uint32_t run;      /* of the inspection */
    uint32_t method;   /* in `methods` */
    uint32_t position; /* among the executions of its method */
    uint32_t tokens;   /* 0: not known */
    double ticks;      /* of the whole run, or of the work that the filter keeps */
    bool is_chosen;
    bool is_warm_up, is_outlier; /* of its block, by whole runs; set if `one_by_one` */
};

struct ets_method_runs {
    struct ets_text name;        /* name of the method, or of the block if the trace has none */
    enum ets_run_stage stage;    /* methods whose runs have several are listed several times */
    uint64_t tokens;             /* of all its executions; 0: not known of all */
    uint32_t count;              /* executions */
    double first;                /* ticks of the first one */
    struct ets_statistics times; /* ticks */
    double trend; /* median of the last quarter divided by that of the first, minus 1; NaN: too few
                     runs */
};

struct ets_executions {
    struct ets_execution *items; /* in the trace's order */
    uint32_t count;
    struct ets_method_runs *methods; /* in order of first execution; skip those with `count` 0 */
    uint32_t method_count;
};

/* Leaves out runs that execute nothing (loads). Returns false if memory runs out. */
bool ets_executions_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                            const struct ets_execution_options *options,
                            struct ets_executions *executions_out);

#endif

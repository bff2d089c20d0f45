/* The texts of a row of the gap. */
#ifndef ETSCOPE_VIEWS_GAP_LINES_H
#define ETSCOPE_VIEWS_GAP_LINES_H

#include "etscope/experimental/gap.h"
#include "host/arena.h"

struct gap_line {
    struct ets_text *names; /* [name_count] the value's node first, then those that go into it */
    struct ets_text *ops;   /* [op_count] the same in the graph's order */
    struct ets_text *traces, *ancestors;
    size_t name_count, op_count, trace_count, ancestor_count;
    struct ets_text captured;            /* "addmm.out", "XnnpackBackend" */
    struct ets_text event;               /* as the trace names it */
    const struct ets_graph_node *placed; /* whose these are: what the quantizer added has no line */
    struct ets_text source, module;
};

/* Texts are in `arena` or borrowed. Without an inspection: no events. Statuses: NO_MEMORY. */
enum ets_status ets_gap_line_make(struct gap_line *line, struct ets_arena *arena,
                                  const struct ets_inspection *inspection,
                                  const struct ets_gap_report *report, uint32_t row,
                                  struct ets_error *error);

/* A number with as many digits as it takes, "inf", "nan"; in `text`. */
struct ets_text ets_gap_number(char *text, size_t room, double value);

#endif

/* The report while it is being made, as the files of this folder share it. */
#ifndef ETSCOPE_GAP_GAP_PARTS_H
#define ETSCOPE_GAP_GAP_PARTS_H

#include "etscope/gap.h"
#include "gap/gap_graph.h"
#include "gap/origins.h"

struct ets_gap_report {
    struct ets_gap_options options;
    struct ets_arena arena;
    const char *method;
    uint32_t run, block;
    struct gap_graph edge;             /* the method's */
    struct gap_graph other;            /* the reference, where it is another graph */
    const struct gap_graph *reference; /* `other` or `edge` */
    struct gap_origins origins;
    const char *reference_reason;
    struct ets_gap_value *values;
    uint32_t value_count;
    struct ets_gap_hidden *hidden;
    uint32_t hidden_count;
    struct gap_place *places;      /* [value_count] in the reference; GAP_NONE: none */
    struct ets_key_table compared; /* node, output and occurrence -> */
    uint32_t *compared_value;      /* the value that is compared there, one for each */
    struct ets_gap_pair *pairs;    /* upstream's; made when asked for */
    uint32_t pair_count;
    bool has_pairs;
};

/* captures.c: what the run captured, into `values`. Statuses: NO_MEMORY. */
enum ets_status gap_captures_read(struct ets_gap_report *report, struct ets_error *error);

/* alignment.c: which value of the reference each of them is. Statuses: NO_MEMORY. */
enum ets_status gap_align(struct ets_gap_report *report, struct ets_error *error);

#endif

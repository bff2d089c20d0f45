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
    struct gap_graph edge;      /* the method's */
    struct gap_graph reference; /* may be the same graph */
    struct gap_origins origins;
    const char *reference_reason;
    struct ets_gap_pair *pairs; /* upstream's; made when asked for */
    uint32_t pair_count;
    bool has_pairs;
};

#endif

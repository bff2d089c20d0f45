/* The content of ExecuTorch's Inspector for the same trace. */
#ifndef ETSCOPE_INSPECT_UPSTREAM_UPSTREAM_VIEW_H
#define ETSCOPE_INSPECT_UPSTREAM_UPSTREAM_VIEW_H

#include "etscope/inspect.h"

/*
 * The events as ExecuTorch's Inspector would hold them after reading the dump, with its quirks (the
 * last of several equal signatures wins, identifiers match by substring, -1 indices read the last
 * reference). Used only for `--format upstream` and for drop-in replacements. Source of the rules:
 * executorch/devtools/inspector/_inspector.py 1.5.1.
 */
struct ets_upstream_event {
    const char *name;
    const double *raw;          /* [sample_count] scaled durations, run order */
    const uint64_t *start_time; /* [sample_count] raw ticks */
    const uint32_t *samples;    /* [sample_count] their rows in the event table */
    const uint32_t *calls; /* [sample_count] number of events added up in raw; 1 without loops */
    uint32_t sample_count;
    int has_metadata;                 /* 1: the delegate attached metadata to one of the samples */
    struct ets_statistics statistics; /* of raw; count 0: no profile data */
    const char *const *op_types;      /* [op_type_count] */
    uint32_t op_type_count;
    const int64_t *handles; /* [handle_count]; NULL: None */
    uint32_t handle_count;
    int handles_are_list;            /* 1: a list in the record, 0: a plain number */
    int64_t num_outputs;             /* of the instruction's node; 1 if the record has none */
    const char *delegate_identifier; /* string identifier, or NULL */
    int32_t delegate_id;             /* integer identifier, -1: none */
    int is_delegated;
    const char *backend;                       /* or NULL */
    int64_t instruction;                       /* -1: none */
    const struct ets_graph_node *const *nodes; /* [node_count] nodes with a trace, once each */
    uint32_t node_count;
    const uint32_t *debug_events; /* [debug_event_count] of the block's first run, in the table */
    uint32_t debug_event_count;
};

struct ets_upstream_block {
    const char *name;
    const char *method; /* executed by its first run, or NULL if unknown */
    int32_t bundled_input_index;
    uint32_t run_count;
    const uint32_t *outputs; /* [output_count] debug events of the first run that has outputs */
    uint32_t output_count;
    const struct ets_upstream_event *events;
    uint32_t event_count;
};

struct ets_upstream_view {
    const struct ets_upstream_block *blocks;
    uint32_t block_count;
    enum ets_time_unit target;
};

/*
 * Builds the view; `*view_out` is borrowed from the inspection. `source` and `target` are
 * ExecuTorch's source_time_scale and target_time_scale. Statuses: INVALID_ARGUMENT (only one of
 * them is cycles), MALFORMED (an event ends before it starts, beyond 32 bits), NO_MEMORY.
 */
ETS_API enum ets_status ets_inspection_upstream_view(struct ets_inspection *inspection,
                                                     enum ets_time_unit source,
                                                     enum ets_time_unit target,
                                                     const struct ets_upstream_view **view_out,
                                                     struct ets_error *error);

/*
 * The same view without the quirks that give wrong answers: times of equal signatures in a run are
 * added up (start_time and samples are those of the first), a 32-bit counter wraps at 2^32 before
 * it is scaled (an event of a wider counter that ends before it starts took 0), identifiers match
 * exactly, events outside any instruction have no handles, and a block is joined with the method
 * that it ran. Statuses: INVALID_ARGUMENT, NO_MEMORY.
 */
ETS_API enum ets_status ets_inspection_mended_view(struct ets_inspection *inspection,
                                                   enum ets_time_unit source,
                                                   enum ets_time_unit target,
                                                   const struct ets_upstream_view **view_out,
                                                   struct ets_error *error);

#endif

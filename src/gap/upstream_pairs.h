/* Pairs of values like those of ExecuTorch's Inspector. */
#ifndef ETSCOPE_GAP_UPSTREAM_PAIRS_H
#define ETSCOPE_GAP_UPSTREAM_PAIRS_H

#include "etscope/experimental/gap.h"

/*
 * The rows of ExecuTorch's Inspector.calculate_numeric_gap, and the values that each compares. Its
 * rules and heuristics are all in src/gap/upstream_pairs.c. The value of the reference is that of
 * `node` as a whole. Source of the rules: executorch/devtools/inspector 1.5.1.
 */
struct ets_gap_pair {
    const int64_t *handles; /* [handle_count] runtime_debug_handle, and aot_debug_handle */
    uint32_t handle_count;
    const struct ets_graph_node *const *aot_ops; /* [aot_op_count] sorted by name */
    uint32_t aot_op_count;
    const char *const *runtime_ops; /* [runtime_op_count] */
    uint32_t runtime_op_count;
    const struct ets_graph_node *node; /* aot_intermediate_output */
    int is_list;                       /* 1: `node` returns a list (of one tensor) */
    uint32_t event;                    /* runtime_intermediate_output: debug event in the table */
};

/*
 * `*pairs_out` is borrowed from the report. Statuses: MISMATCH (only one of two values is a list),
 * LIMIT (handles overlap too often to be merged), NO_MEMORY, and those of
 * ets_inspection_upstream_view.
 */
ETS_API enum ets_status ets_gap_upstream_pairs(struct ets_gap_report *report,
                                               const struct ets_gap_pair **pairs_out,
                                               uint32_t *count_out, struct ets_error *error);

/*
 * Called with both values of a pair, in the order of the reference's evaluation; tensors are
 * borrowed for the call. A status other than OK ends the evaluation with it.
 */
typedef enum ets_status ets_gap_pair_observer(void *context, uint32_t pair,
                                              const struct ets_tensor *reference,
                                              const struct ets_tensor *device,
                                              struct ets_error *error);

/*
 * Evaluates the reference and passes on ExecuTorch's pairs one by one. Leaves out pairs whose
 * reference cannot be computed or whose captured value has no bytes. Statuses: those of
 * ets_gap_evaluate and ets_gap_upstream_pairs.
 */
ETS_API enum ets_status ets_gap_upstream_evaluate(struct ets_gap_report *report,
                                                  const struct ets_gap_evaluation *evaluation,
                                                  ets_gap_pair_observer *observer, void *context,
                                                  struct ets_error *error);

#endif

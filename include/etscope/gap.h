/*
 * gap.h - what a device captured against a reference evaluation of the record's graph, node by
 * node: which values are the same, how far they lie apart, and which operator made the difference.
 *
 *     struct ets_gap_report *report = NULL;
 *     const struct ets_gap_options options = {.inspection = inspection, .record = record,
 *                                             .debug_buffer = ets_file_bytes(debug_buffer),
 *                                             .run = ETS_NO_INDEX};
 *     status = ets_gap_open(&options, &report, &error);
 *     if (status == ETS_OK) status = ets_gap_evaluate(report, engine, inputs, input_count, 0,
 *                                                     &error);
 *     for (uint32_t i = 0; status == ETS_OK && i < ets_gap_value_count(report); i++) {
 *         const struct ets_gap_value *value = ets_gap_value(report, i);
 *         if (value->has_total) {
 *             printf("%s: %g dB, of its own %g dB\n", value->node->name.data,
 *                    ets_comparison_snr(&value->total), ets_comparison_snr(&value->own));
 *         }
 *     }
 *     ets_gap_close(report);
 *
 * Everything handed out is borrowed until close; inspection, record and debug buffer must live
 * until then. One report belongs to one thread at a time.
 */
#ifndef ETSCOPE_GAP_H
#define ETSCOPE_GAP_H

#include "etscope/engine.h"
#include "etscope/inspect.h"
#include "etscope/numerics.h"
#include "etscope/reference.h"
#include "etscope/summary.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ets_gap_report;

struct ets_gap_options {
    struct ets_inspection *inspection; /* opened with `record` */
    struct ets_etrecord *record;
    struct ets_bytes debug_buffer; /* data NULL: none; values are then only aligned */
    uint32_t run;                  /* ETS_NO_INDEX: the first one that captured anything */
    /*
     * NULL: the ATen program where the handles of all edge nodes lead back to it, else the method's
     * edge program. "exported_program" or "aten", "edge_dialect_exported_program" or "edge", or a
     * name of ets_etrecord_graph_name.
     */
    const char *reference;
    const struct ets_allocator *allocator; /* NULL: the C library's */
};

/*
 * Aligns what one run captured with the reference's values; nothing is evaluated. Statuses:
 * NOT_FOUND (no such graph in the record; no run that captured anything), MISMATCH (the run's
 * method is not known, or handles do not lead back to the graph that was asked for), NO_MEMORY, and
 * those of the record's readers.
 */
ETS_API enum ets_status ets_gap_open(const struct ets_gap_options *options,
                                     struct ets_gap_report **report_out, struct ets_error *error);
ETS_API void ets_gap_close(struct ets_gap_report *report); /* NULL is allowed */

/* The reference's graph, and the run and block that are compared. */
ETS_API const struct ets_graph *ets_gap_reference(const struct ets_gap_report *report);
ETS_API uint32_t ets_gap_run(const struct ets_gap_report *report);
/* Why it is not the ATen program, where none was asked for; NULL: it is. */
ETS_API const char *ets_gap_reference_reason(const struct ets_gap_report *report);

/*
 * Upstream's Inspector.calculate_numeric_gap: which rows it gives, and what each compares. All of
 * upstream's rules, with their heuristics, are in src/gap/upstream_pairs.c; a value of the
 * reference is that of `node` as a whole. Source of the rules: executorch/devtools/inspector
 * 1.5.1.
 */
struct ets_gap_pair {
    const int64_t *handles; /* [handle_count] runtime_debug_handle, and aot_debug_handle */
    uint32_t handle_count;
    const struct ets_graph_node *const *aot_ops; /* [aot_op_count] by their names */
    uint32_t aot_op_count;
    const char *const *runtime_ops; /* [runtime_op_count] */
    uint32_t runtime_op_count;
    const struct ets_graph_node *node; /* aot_intermediate_output */
    int is_list;                       /* 1: `node` gives a list (of one tensor) */
    uint32_t event;                    /* runtime_intermediate_output: debug event in the table */
};

/*
 * `*pairs_out` is borrowed from the report. Statuses: MISMATCH (a list is compared with what is
 * none), LIMIT (handles overlap beyond what can be merged), NO_MEMORY, and those of
 * ets_inspection_upstream_view.
 */
ETS_API enum ets_status ets_gap_upstream_pairs(struct ets_gap_report *report,
                                               const struct ets_gap_pair **pairs_out,
                                               uint32_t *count_out, struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif

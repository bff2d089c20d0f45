/* The report under construction, shared by the files of this folder. */
#ifndef ETSCOPE_GAP_GAP_PARTS_H
#define ETSCOPE_GAP_GAP_PARTS_H

#include "etscope/experimental/gap.h"
#include "gap/gap_details.h"
#include "gap/gap_graph.h"
#include "gap/origins.h"
#include "gap/upstream_pairs.h"
#include "numerics/number_tensor.h"
#include "reference/reference.h"

struct ets_gap_report {
    struct ets_gap_options options;
    struct ets_arena arena;
    const char *method;
    uint32_t run, block;
    struct gap_graph edge;             /* the method's */
    struct gap_graph other;            /* the reference, if it is another graph */
    const struct gap_graph *reference; /* `other` or `edge` */
    struct gap_origins origins;
    const char *reference_reason;
    struct ets_gap_value *values;
    uint32_t value_count;
    struct ets_gap_hidden *hidden;
    uint32_t hidden_count;
    struct gap_place *places;      /* [value_count] in the reference; GAP_NONE: none */
    struct ets_key_table compared; /* node, output and occurrence -> */
    uint32_t *compared_value;      /* the value compared there */
    struct ets_gap_row *rows;      /* [compared.count] by number of the key */
    uint32_t *order;               /* [row_count] numbers of rows in order of computation */
    uint32_t *place_in_order;      /* [compared.count] */
    uint32_t row_count;
    bool *is_output;               /* [compared.count] an output of the model */
    bool *is_excluded;             /* [compared.count] its pairing is in doubt: it judges nothing */
    struct ets_gap_row **pictured; /* [picture_count] rows that have a picture */
    uint32_t picture_count;
    uint32_t *kernels; /* [reference node] kernels that round; NULL: not judged by rounding */
    struct gap_region *region;         /* the last found; NULL until rows are judged */
    bool *is_changed;                  /* [reference input]: state.c; NULL: none */
    bool keeps_inputs;                 /* the trace has what the run was given */
    bool has_same_input;               /* a delegate took an input, and had the reference's */
    struct ets_reference_state *state; /* as earlier runs left it: flow.c; NULL: the record's */
    struct ets_gap_conclusion verdict;
    const char **refusals;      /* [options.comparator_count] */
    struct ets_gap_pair *pairs; /* ExecuTorch's; made on request */
    uint32_t pair_count;
    bool has_pairs;
    struct ets_gap_report *twin; /* the report that owns the rows; NULL: this one */
    enum ets_computes quantized; /* of a twin: quantization of the program that ran; or EXACT */
};

/* captures.c: reads the captured values of the run into `values`. Statuses: NO_MEMORY. */
enum ets_status ets_gap_captures_read(struct ets_gap_report *report, struct ets_error *error);

/*
 * quantization.c: checks that the program that ran quantizes like the record's graph. MISMATCH:
 * events or the program show that it does not. If neither decides, the verdict notes it.
 */
enum ets_status ets_gap_check_quantization(struct ets_gap_report *report, struct ets_error *error);

/* alignment.c: matches each with a value of the reference. Statuses: NO_MEMORY. */
enum ets_status ets_gap_align(struct ets_gap_report *report, struct ets_error *error);

/* regions.c: the nodes between captured values. */
struct gap_region {
    uint32_t *nodes, *rows; /* nodes of the reference; numbers of compared keys */
    uint32_t node_count, row_count;
    bool takes_input;               /* it reads a user input */
    bool moves_only;                /* none of its nodes computes: they are views, parts, ... */
    bool takes_state;               /* it reads a buffer that earlier runs may have changed */
    uint32_t *seen_node, *seen_row; /* inner: stamps */
    uint32_t *stack, stamp;
    uint64_t budget; /* inner: remaining nodes to visit, because regions may overlap */
};
/* Allocates `report->region` for any region. */
enum ets_status ets_gap_region_init(struct ets_gap_report *report, struct ets_error *error);
/* Fills the lists for a row. */
void ets_gap_region_find(struct gap_region *region, const struct ets_gap_report *report,
                         uint32_t row);
/* Fills them for a node in an iteration of a loop. */
void ets_gap_region_of_node(struct gap_region *region, const struct ets_gap_report *report,
                            uint32_t node, uint32_t occurrence);

/* evaluation.c: the reference, ready to run on the inputs. The caller closes `reference`. */
struct gap_evaluation {
    struct ets_reference *reference;
    const struct ets_value *inputs;
    size_t input_count;
};
/* replaced_values.c: the row of a computed value, or GAP_NONE. */
uint32_t ets_gap_row_of(const struct ets_gap_report *report,
                        const struct ets_reference_result *result);
/* Replaces a computed value of the row by the captured one, if that is not in doubt. */
void ets_gap_replace(const struct ets_gap_report *report, uint32_t row,
                     const struct ets_reference_result *result, struct ets_value *replacement_out);
/* Replaces random numbers of a node by the captured ones. */
void ets_gap_take_random(const struct ets_gap_report *report,
                         const struct ets_reference_result *result,
                         struct ets_value *replacement_out);

/* What the run was given, or else the record's inputs, as many as the reference takes. NOT_FOUND
 * with an advice, and others. */
enum ets_status ets_gap_record_inputs(const struct ets_gap_report *report,
                                      const struct ets_value **inputs_out, size_t *count_out,
                                      struct ets_error *error);

/* taken_inputs.c: sets `report->keeps_inputs`. Statuses: NO_MEMORY. */
enum ets_status ets_gap_find_kept_inputs(struct ets_gap_report *report,
                                         const struct ets_gap_evaluation *evaluation,
                                         struct ets_error *error);

enum ets_status ets_gap_evaluation_open(const struct ets_gap_report *report,
                                        const struct ets_gap_evaluation *evaluation,
                                        struct gap_evaluation *out, struct ets_error *error);
/* ets_gap_evaluate for a report that has its values. */
enum ets_status ets_gap_evaluate_run(struct ets_gap_report *report,
                                     const struct ets_gap_evaluation *evaluation,
                                     struct ets_error *error);
/* compared_rows.c: one row for each compared value, empty. */
enum ets_status ets_gap_make_rows(struct ets_gap_report *report, struct ets_error *error);
/* The captured tensor in the reference's shape; false: the number of elements differs. */
bool ets_gap_reshape(const struct ets_tensor *captured, const struct ets_tensor *reference,
                     struct ets_tensor *out);
/* Sets the row's reason: the shapes differ. */
enum ets_status ets_gap_tell_shapes(struct ets_gap_report *report, struct ets_gap_row *row,
                                    const struct ets_tensor *reference, struct ets_error *error);
/* Computes the row's total error and the statistics of both tensors. */
enum ets_status ets_gap_compare_total(struct ets_gap_report *report, struct ets_gap_row *row,
                                      const struct ets_tensor *reference,
                                      const struct ets_tensor *device, struct ets_error *error);
/* The report whose rows are shown. */
static inline const struct ets_gap_report *gap_shown(const struct ets_gap_report *report)
{
    return report->twin != NULL ? report->twin : report;
}

/*
 * state.c: sets `report->is_changed`, the reference's buffers that earlier runs of this method, or
 * of others that share them, may have changed. Statuses: NO_MEMORY.
 */
enum ets_status ets_gap_find_changed(struct ets_gap_report *report, struct ets_error *error);
/* state.c: whether this method may have run before the compared run. */
bool ets_gap_ran_before(const struct ets_gap_report *report, const char *method);
/* state.c: the method of a run, as the trace or its block tells it; absent: not known. */
struct ets_text ets_gap_run_method(const struct ets_gap_report *report, const struct ets_run *run);

/*
 * flow.c: computes the runs before the compared one, with the values that they captured, for the
 * buffers that they left: sets `report->state`, clears `report->is_changed` of those that are
 * known, and says in the verdict why others are not. Statuses: NO_MEMORY.
 */
enum ets_status ets_gap_follow_state(struct ets_gap_report *report,
                                     const struct ets_gap_evaluation *evaluation,
                                     struct ets_error *error);

/* rounding.c: the distance from 1 to the next number of a type. */
double ets_gap_epsilon(int scalar_type);
/* `error` relative to the reference's numbers. If these are all 0: INFINITY if the actual error is
 * at most `error`, else 0. */
double ets_gap_relative(double error, const struct ets_comparison *comparison);
/*
 * Sets `row->rounding`: the error of the reference's value after rounding to a 2-byte type; not set
 * for other types. Statuses: NO_MEMORY.
 */
enum ets_status ets_gap_note_rounding(struct ets_gap_report *report, struct ets_gap_row *row,
                                      const struct ets_tensor *reference, int scalar_type,
                                      struct ets_error *error);
/* Sets `report->kernels`: the number of rounding kernels that each node of the reference became. */
enum ets_status ets_gap_count_kernels(struct ets_gap_report *report, struct ets_error *error);
/*
 * The own error of a row that rounding explains, with inputs of root mean square `input`. INFINITY:
 * its rounding is unknown.
 */
double ets_gap_rounding(const struct ets_gap_report *report, const struct gap_region *region,
                        const struct ets_gap_row *row, double input);

/* verdict.c: sets thresholds, findings and the guilty row (its number, or GAP_NONE). */
enum ets_status ets_gap_judge(struct ets_gap_report *report, struct ets_error *error);
/* Excludes values that were paired by order and are off; false: there are no new ones. */
bool ets_gap_exclude_doubtful(struct ets_gap_report *report);
/* Pearson's correlation of all finite numbers; NaN: one side is constant. */
double ets_gap_correlation(const struct ets_comparison *sums,
                           const struct ets_tensor_statistics *reference,
                           const struct ets_tensor_statistics *device);
/* Whether the numbers of a row are unrelated to the reference's. */
bool ets_gap_is_unrelated(const struct ets_gap_row *row);

/*
 * conclude.c: the last word, when shares are known. Blames no row if most values are wrong, or if
 * all outputs agree.
 */
void ets_gap_conclude(struct ets_gap_report *report);

/* model_outputs.c: finds which rows are outputs of the model. Statuses: NO_MEMORY. */
enum ets_status ets_gap_outputs_find(struct ets_gap_report *report, struct ets_error *error);
/* Counts the outputs that were compared, and those that agree; says why one was not. */
void ets_gap_outputs_count(struct ets_gap_report *report);
/* taken_inputs.c: sets `verdict.other_input` if delegates had other inputs than these. */
void ets_gap_check_inputs(struct ets_gap_report *report, const struct gap_evaluation *e);

#endif

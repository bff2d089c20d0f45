/* The report while it is being made, as the files of this folder share it. */
#ifndef ETSCOPE_GAP_GAP_PARTS_H
#define ETSCOPE_GAP_GAP_PARTS_H

#include "etscope/experimental/gap.h"
#include "gap/gap_details.h"
#include "gap/gap_graph.h"
#include "gap/origins.h"
#include "gap/upstream_pairs.h"
#include "reference/reference.h"

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
    struct ets_gap_row *rows;      /* [compared.count] by number of the key */
    uint32_t *order;               /* [row_count] numbers of rows, as they were computed */
    uint32_t *place_in_order;      /* [compared.count] */
    uint32_t row_count;
    uint32_t *kernels;         /* [reference node] that round; NULL: not judged by rounding */
    struct gap_region *region; /* the last that was found; NULL until rows are judged */
    bool *is_changed;          /* [reference input]: state.c; NULL: none */
    struct ets_gap_conclusion verdict;
    const char **refusals;      /* [options.comparator_count] */
    struct ets_gap_pair *pairs; /* upstream's; made when asked for */
    uint32_t pair_count;
    bool has_pairs;
    struct ets_gap_report *twin; /* the rows are its; NULL: our own */
    enum ets_computes quantized; /* of a twin: what the program that ran quantizes to; or EXACT */
};

/* captures.c: what the run captured, into `values`. Statuses: NO_MEMORY. */
enum ets_status ets_gap_captures_read(struct ets_gap_report *report, struct ets_error *error);

/*
 * quantization.c: whether what ran quantizes as the record's graph does. MISMATCH: it does not, as
 * events or the program tell. Notes in the verdict where neither does.
 */
enum ets_status ets_gap_check_quantization(struct ets_gap_report *report, struct ets_error *error);

/* alignment.c: which value of the reference each of them is. Statuses: NO_MEMORY. */
enum ets_status ets_gap_align(struct ets_gap_report *report, struct ets_error *error);

/* regions.c: what lies between captured values. */
struct gap_region {
    uint32_t *nodes, *rows; /* of the reference; numbers of compared keys */
    uint32_t node_count, row_count;
    bool takes_input;               /* a user input goes into it */
    bool takes_state;               /* a buffer that runs before may have changed */
    uint32_t *seen_node, *seen_row; /* inner: stamps */
    uint32_t *stack, stamp;
    uint64_t budget; /* inner: nodes that may still be seen, as regions may overlap */
};
/* Room for any region, in `report->region`. */
enum ets_status ets_gap_region_init(struct ets_gap_report *report, struct ets_error *error);
/* Fills the lists for a row, by its number. */
void ets_gap_region_find(struct gap_region *region, const struct ets_gap_report *report,
                         uint32_t row);

/* evaluation.c: the reference, ready to run on the inputs. `reference` is the caller's to close. */
struct gap_evaluation {
    struct ets_reference *reference;
    const struct ets_value *inputs;
    size_t input_count;
};
/* Puts what was captured in the place of numbers that a node draws at random. */
void ets_gap_take_random(const struct ets_gap_report *report,
                         const struct ets_reference_result *result,
                         struct ets_value *replacement_out);

/* The record's inputs, as many as the reference takes. NOT_FOUND, with what to do, and others. */
enum ets_status ets_gap_record_inputs(const struct ets_gap_report *report,
                                      const struct ets_value **inputs_out, size_t *count_out,
                                      struct ets_error *error);

enum ets_status ets_gap_evaluation_open(const struct ets_gap_report *report,
                                        const struct ets_gap_evaluation *evaluation,
                                        struct gap_evaluation *out, struct ets_error *error);
/* ets_gap_evaluate of a report that has its values. */
enum ets_status ets_gap_evaluate_run(struct ets_gap_report *report,
                                     const struct ets_gap_evaluation *evaluation,
                                     struct ets_error *error);
/* One row for each compared value, empty. */
enum ets_status ets_gap_make_rows(struct ets_gap_report *report, struct ets_error *error);
/* The captured tensor in the reference's shape; false: it has another number of elements. */
bool ets_gap_reshape(const struct ets_tensor *captured, const struct ets_tensor *reference,
                     struct ets_tensor *out);
/* That it has another: the row's reason. */
enum ets_status ets_gap_tell_shapes(struct ets_gap_report *report, struct ets_gap_row *row,
                                    const struct ets_tensor *reference, struct ets_error *error);
/* The row's total error, statistics of both tensors. */
enum ets_status ets_gap_compare_total(struct ets_gap_report *report, struct ets_gap_row *row,
                                      const struct ets_tensor *reference,
                                      const struct ets_tensor *device, struct ets_error *error);
/* The report whose rows are shown. */
static inline const struct ets_gap_report *gap_shown(const struct ets_gap_report *report)
{
    return report->twin != NULL ? report->twin : report;
}
/* A computed value as a tensor; the bytes of a plain number are in `room`. False: it is none. */
bool ets_gap_tensor_of(const struct ets_value *value, int64_t *room, struct ets_tensor *tensor_out);

/*
 * state.c: `report->is_changed`, the reference's buffers that this run may have found changed: by
 * runs of its own method, or of others that share them. Statuses: NO_MEMORY.
 */
enum ets_status ets_gap_find_changed(struct ets_gap_report *report, struct ets_error *error);

/* rounding.c: from one number of a type to the next, at 1. */
double ets_gap_epsilon(int scalar_type);
/* An absolute error beside the reference's numbers; INFINITY: these are 0, and the error less. */
double ets_gap_relative(double error, const struct ets_comparison *comparison);
/*
 * `row->rounding`: the error of the reference's own value, rounded to a type of two bytes; other
 * types have none. Statuses: NO_MEMORY.
 */
enum ets_status ets_gap_note_rounding(struct ets_gap_report *report, struct ets_gap_row *row,
                                      const struct ets_tensor *reference, int scalar_type,
                                      struct ets_error *error);
/* `report->kernels`: how many kernels that round each node of the reference became. */
enum ets_status ets_gap_count_kernels(struct ets_gap_report *report, struct ets_error *error);
/*
 * The own error of a row that rounding explains, where its inputs' root mean square is `input`;
 * INFINITY: nothing is known of its rounding.
 */
double ets_gap_rounding(const struct ets_gap_report *report, const struct gap_region *region,
                        const struct ets_gap_row *row, double input);

/* verdict.c: thresholds, findings, and which row is guilty (its number, or GAP_NONE). */
enum ets_status ets_gap_judge(struct ets_gap_report *report, struct ets_error *error);
/* Blames nobody where most values are off; once it is known what the guilty row explains. */
void ets_gap_judge_model(struct ets_gap_report *report);
/* evaluation.c: `verdict.other_input`, whether delegates had other inputs than these. */
void ets_gap_check_inputs(struct ets_gap_report *report, const struct gap_evaluation *e);

#endif

/*
 * gap.h - compares values captured on a device with a reference evaluation of the record's graph,
 * node by node: how far apart they are, and which operator caused the difference.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_gap_report *report = NULL;
 *     const struct ets_gap_options options = {.inspection = inspection, .record = record,
 *                                             .debug_buffer = ets_file_bytes(debug_buffer),
 *                                             .run = ETS_NO_INDEX};
 *     status = ets_gap_open(&options, &report, &error);
 *     const struct ets_gap_evaluation how = {.engine = engine, .inputs = inputs, .input_count = n};
 *     if (status == ETS_OK) status = ets_gap_evaluate(report, &how, &error);
 *     for (uint32_t i = 0; status == ETS_OK && i < ets_gap_row_count(report); i++) {
 *         const struct ets_gap_row *row = ets_gap_row(report, i);
 *         if (row->has_own) {
 *             printf("%s: %g dB, own error %g dB\n", row->value->node->name.data,
 *                    ets_comparison_snr(&row->total), ets_comparison_snr(&row->own));
 *         }
 *     }
 *     ets_gap_close(report);
 *
 * Everything returned is valid until close. Inspection, record and debug buffer must live until
 * then. Use a report from one thread at a time.
 */
#ifndef ETSCOPE_GAP_H
#define ETSCOPE_GAP_H

#include "etscope/engine.h"
#include "etscope/experimental/captured_values.h"
#include "etscope/experimental/comparator_plugin.h"
#include "etscope/experimental/comparators.h"
#include "etscope/inspect.h"
#include "etscope/numerics.h"
#include "etscope/verify.h"

ETS_DECLARATIONS_BEGIN

struct ets_gap_report;
struct ets_value_picture; /* inner */

/* Enough pictures for a report, which chooses from these; each takes 26 kB of memory. */
enum { ETS_GAP_MOST_PICTURES = 256 };

struct ets_gap_options {
    struct ets_inspection *inspection; /* opened with `record` */
    struct ets_etrecord *record;
    struct ets_bytes debug_buffer; /* data NULL: none; values are then matched but not compared */
    uint32_t run;                  /* ETS_NO_INDEX: the first run that captured values */
    /*
     * The graph to use as reference: "exported_program" or "aten", "edge_dialect_exported_program"
     * or "edge", or a name of ets_etrecord_graph_name. NULL: the ATen program if the handles of all
     * edge nodes lead back to it, else the method's edge program.
     */
    const char *reference;
    /* Your own comparators, run on both tensors of each row. They must live until close. */
    const struct ets_comparator *const *comparators;
    uint32_t comparator_count;
    /*
     * Your own tolerances by method and scalar type; only of_rms is used. They must live until
     * close.
     */
    const struct ets_tolerance_rule *tolerances;
    size_t tolerance_count;
    uint32_t pictures; /* of so many compared values, the farthest, a row keeps a small picture */
    const struct ets_allocator *allocator; /* NULL: the C library's */
};

/*
 * Matches the captured values of one run with values of the reference. Evaluates nothing. Statuses:
 * NOT_FOUND (no such graph in the record; no run captured values), MISMATCH (the run's method is
 * unknown, or handles do not lead back to the given graph), NO_MEMORY, and those of the record's
 * readers.
 */
ETS_API enum ets_status ets_gap_open(const struct ets_gap_options *options,
                                     struct ets_gap_report **report_out, struct ets_error *error);
ETS_API void ets_gap_close(struct ets_gap_report *report); /* NULL is allowed */

/* The reference graph. */
ETS_API const struct ets_graph *ets_gap_reference(const struct ets_gap_report *report);
/* The number of inputs of the reference. */
ETS_API size_t ets_gap_input_count(const struct ets_gap_report *report);
ETS_API uint32_t ets_gap_run(const struct ets_gap_report *report);
ETS_API const char *ets_gap_method(const struct ets_gap_report *report);
/* Why the default reference is not the ATen program; NULL: it is, or a graph was named. */
ETS_API const char *ets_gap_reference_reason(const struct ets_gap_report *report);

/* How debug handles match a captured value with a value of the reference. */
enum ets_gap_match {
    ETS_GAP_UNMATCHED = 0, /* no match: `reason` says why */
    ETS_GAP_EXACT = 1,     /* its instruction has one handle, and no other instruction has it */
    ETS_GAP_SUBSET = 2,    /* its instruction computes several nodes: a partition */
    ETS_GAP_OVERLAP = 3    /* several instructions share handles: a decomposed node */
};

/* A captured value and its match in the reference. */
struct ets_gap_value {
    struct ets_captured_value captured; /* tensor.data: in the debug buffer, or borrowed */
    uint32_t occurrence;                /* earlier executions of the instruction, in loops */
    int is_argument;                    /* 1: an input of a delegate call */
    uint32_t input; /* is_argument: number of the model's user input; ETS_NO_INDEX: none */
    enum ets_gap_match match;
    const char *reason; /* why it is not compared; NULL: it is or can be compared */
    /* The node of the value in the reference; NULL: none. */
    const struct ets_graph_node *node;
    uint32_t output;        /* of the node; items of lists are counted, too */
    int is_view;            /* 1: the same numbers in another shape */
    int is_computed;        /* 1: computed from captured values (ets_gap_evaluate_other) */
    int is_inferred;        /* 1: inside control flow, joined by the order of operators */
    int is_by_order;        /* 1: several values fit, and the order of instructions, or of a
                               delegate's outputs, chose: it is never guilty */
    const int64_t *handles; /* [handle_count] of the instruction */
    size_t handle_count;
    const char *backend;                    /* of a delegate call, or NULL */
    uint32_t inside;                        /* of a value from within a delegate call: as the
                                               payload calls it; ETS_NO_INDEX: none */
    const struct ets_graph_node *edge_node; /* of the method's edge program; NULL: unknown */
    uint32_t edge_output;
};

/* All captured values of the run, in the order of the trace. */
ETS_API uint32_t ets_gap_value_count(const struct ets_gap_report *report);
ETS_API const struct ets_gap_value *ets_gap_value(const struct ets_gap_report *report,
                                                  uint32_t index);

/* A node of the reference without a captured value. */
struct ets_gap_hidden {
    const struct ets_graph_node *node;
    int64_t instruction; /* that computed it; -1: unknown or none */
    const char *backend; /* of the delegate that computed it; or NULL */
    const char *reason;  /* "inside a delegate" */
};

/* "exact", "subset", "overlap", "unmatched". Static storage. */
ETS_API const char *ets_gap_match_name(enum ets_gap_match match);

/* How to evaluate the reference. */
struct ets_gap_evaluation {
    const struct ets_engine *engine;
    const struct ets_value *inputs; /* [input_count]; NULL: the record's representative inputs */
    size_t input_count;
    /*
     * 1: in float64, to judge whether kernels are right. A second evaluation in the record's types
     * then shows which values have the same bits as those of the runtime's kernels. 0: only in the
     * record's types, which compares the runtime's kernels with themselves.
     */
    int use_double;
    uint64_t memory_limit; /* bytes that values may take at once, at most the host's memory;
                              0: 64 GiB */
    /* Called after each value, with an estimate of how many there will be; NULL: not. */
    void (*progress)(void *context, uint64_t done, uint64_t all);
    void *progress_context;
};

/* The finding on a compared value. */
enum ets_gap_finding {
    ETS_GAP_UNKNOWN = 0,   /* no numbers: `reason` says why */
    ETS_GAP_AGREES = 1,    /* equal up to rounding */
    ETS_GAP_INHERITED = 2, /* wrong, but its operator computed correctly from its inputs */
    ETS_GAP_GUILTY = 3,    /* the first with an own error that stands out; in a loop each time */
    ETS_GAP_SUSPECT = 4,   /* another with an own error that stands out */
    ETS_GAP_OFF = 5,       /* its own error exceeds rounding, but is like that of the others */
    ETS_GAP_INEXACT = 6,   /* within the tolerance, but more than rounding to its type explains */
    ETS_GAP_HARMLESS = 7   /* its own error stands out, but all outputs agree */
};

/* How the reference computed a node. */
enum ets_gap_route {
    ETS_GAP_BY_KERNEL = 0,
    ETS_GAP_BY_EXPRESSION = 1, /* by a combination of kernels, views and copies */
    ETS_GAP_BY_EDGE = 2,       /* by the nodes of the edge program that descend from it */
    ETS_GAP_BY_NOTHING = 3     /* not at all */
};

/* An index of a dimension that has at least half of an error. */
struct ets_gap_channel {
    uint32_t dimension, index;
    uint32_t size; /* of the dimension; 0: there is no such index */
    double share;  /* of the squared error */
};

/* The relative errors of a value's channels, each by its own size. */
struct ets_gap_channels {
    uint32_t count;       /* of channels that are not 0 in the reference; 0: it has no channels */
    double median;        /* NaN: no channels */
    uint32_t loudest;     /* the channel with the largest number of the reference, */
    double largest, next; /* that number, and the largest of all other channels, by magnitude */
    const double *errors; /* [count] ascending */
};

/* Where the largest number of each row of an output is; a row is the last dimension. */
struct ets_gap_largest {
    uint64_t rows;              /* 0: unknown, or no output of rows of floats (images are none) */
    uint64_t moved;             /* rows whose largest number is elsewhere than in the reference */
    uint32_t reference, device; /* its place in the first row that moved, else in the first row */
    uint32_t size;              /* of a row */
};

/* An activation that the program quantizes with a scale from the export, before it does so. */
struct ets_gap_saturation {
    const struct ets_graph_node
        *node;                /* that computes it, of the program's graph; NULL: an input */
    uint32_t input;           /* of the model, if it is one */
    double lowest, highest;   /* the numbers that the scale can tell */
    double smallest, largest; /* the numbers of the run */
    uint64_t count, low_count, high_count; /* elements, those below and those above the scale */
    double error; /* of cutting them off: root mean square over that of the numbers */
};

/* An activation whose scale has steps that are too large for its numbers. */
struct ets_gap_coarse_scale {
    const struct ets_graph_node *node;   /* that computes it, of the program's graph; NULL: none */
    double step, reach;                  /* a step of the scale, and the largest size of a number */
    const struct ets_graph_node *shared; /* that takes it, and makes all that it takes have one
                                            scale: cat; NULL: not known */
    double shared_reach;                 /* the largest size of a number of its value */
};

/*
 * One value of the reference and the device's value. `total` compares both computed from the same
 * inputs of the model. For `own`, the reference computes from the device's values wherever they
 * were captured, so that only the error of this node (or partition) remains.
 */
struct ets_gap_row {
    const struct ets_gap_value *value;
    const char *reason; /* why numbers are missing; NULL: none are missing */
    enum ets_gap_route route;
    int has_total, has_own;
    struct ets_comparison total, own;
    struct ets_tensor_statistics reference, device; /* if has_total */
    int has_ulps;                                   /* 1: both have the same floating-point type */
    struct ets_ulps ulps;                           /* of `total` */
    int same_bits;                  /* 1: from the device's inputs, the runtime's kernels compute
                                       the same bits; 0: other bits; -1: unknown */
    enum ets_computes computes;     /* the arithmetic of its operator, according to the
                                       reference; EXACT: integers */
    double tolerance;               /* of that arithmetic, or your own */
    double inherited;               /* the laxest tolerance of it and the operators before it:
                                       a float operator after int8 */
    double limit;                   /* the limit of the total error: `inherited`, or more if the
                                       inputs are large compared with the result */
    struct ets_gap_channel channel; /* of `own` */
    struct ets_gap_channels own_channels, total_channels; /* a loud channel hides the others in the
                                                             errors of the whole */
    double judged_own, judged_total; /* what is judged: the larger of the whole's error and the
                                        median of the channels' */
    struct ets_gap_largest largest;  /* of `total`, of outputs */
    const struct ets_gap_saturation *saturation; /* of its value, where the program quantizes that
                                                    with a scale that cuts numbers off; NULL:
                                                    nothing is cut off, or not known */
    double own_error;       /* own error, relative: root mean square over that of the
                               reference; NaN: unknown */
    double own_correlation; /* of `own`; NaN: unknown, or one side is constant */
    double threshold;       /* the limit of own_error */
    double rest;            /* what the outputs' error would be without it, to first order; NaN */
    double share;           /* of the outputs' error: what arrives of the own error alone, projected
                               on it; below 0: it makes the error smaller. NaN: not measured */
    double rounding;        /* INEXACT: the part that rounding to the type explains */
    const double *compared; /* [comparator_count] if has_total: results of your
                               comparators; NaN: no number */
    enum ets_gap_finding finding;
    struct ets_value_picture *picture; /* of `total`: numerics/value_picture.h; or NULL */
};

/*
 * Evaluates the reference, compares, and finds the guilty operator: the first in graph order with
 * an own error that rounding does not explain. docs/numerics.md states the rule. Values are
 * compared as they are computed and not kept. Statuses: INVALID_ARGUMENT, MALFORMED, RUNTIME, LIMIT
 * (of the graph's evaluation); NOT_FOUND (no representative inputs, or a missing weight); MISMATCH
 * (most captured values have another shape than the reference's: the inputs were different);
 * NO_MEMORY.
 */
ETS_API enum ets_status ets_gap_evaluate(struct ets_gap_report *report,
                                         const struct ets_gap_evaluation *evaluation,
                                         struct ets_error *error);

/*
 * Uses the ATen program of another record as the reference: what a quantized program (`report`)
 * loses against its float original (`record`). Nodes are paired by operator and order. Values that
 * were not captured are computed from captured ones with the report's own reference. Rows, verdict
 * and regions then refer to the other graph. Statuses: those of ets_gap_evaluate; MISMATCH (no node
 * has a pair).
 */
ETS_API enum ets_status ets_gap_evaluate_other(struct ets_gap_report *report,
                                               struct ets_etrecord *record,
                                               const struct ets_gap_evaluation *evaluation,
                                               struct ets_error *error);

/*
 * Looks up the reference value of `value->node`, output `value->output`, in iteration
 * `value->occurrence` of a loop. Returns 1 and the tensor, borrowed for the call, or 0.
 */
typedef int ets_gap_lookup(void *context, const struct ets_gap_value *value,
                           struct ets_tensor *tensor_out);

/*
 * Uses your values as the reference, from files or PyTorch, for example. Nothing is evaluated, so
 * rows have only a total error. The guilty row is the first wrong one whose inputs all agree.
 * Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_gap_compare(struct ets_gap_report *report, ets_gap_lookup *lookup,
                                        void *context, struct ets_error *error);

/* Uses the values of another run as the reference, matched by the names of nodes. */
ETS_API enum ets_status ets_gap_compare_report(struct ets_gap_report *report,
                                               const struct ets_gap_report *other,
                                               struct ets_error *error);

/* The compared values, in the order of the reference's evaluation. */
ETS_API uint32_t ets_gap_row_count(const struct ets_gap_report *report);
ETS_API const struct ets_gap_row *ets_gap_row(const struct ets_gap_report *report, uint32_t index);

/* Why a comparator of the options refused a pair, the first time; NULL: it refused none. */
ETS_API const char *ets_gap_comparator_reason(const struct ets_gap_report *report, uint32_t index);

/* The source of the reference values. */
enum ets_gap_against {
    ETS_GAP_AGAINST_RECORD = 0, /* a graph of the record of the program that ran, evaluated */
    ETS_GAP_AGAINST_OTHER = 1,  /* the exported program of another record, evaluated */
    ETS_GAP_AGAINST_TRACE = 2,  /* values captured by another run */
    ETS_GAP_AGAINST_VALUES = 3  /* your values */
};

/* Whether the two sides of the comparison belong together. */
enum ets_gap_mismatch {
    ETS_GAP_MATCHES = 0,         /* no sign of a mismatch */
    ETS_GAP_BELONGS = 1,         /* another model with the weights of the program */
    ETS_GAP_OTHER_WEIGHTS = 2,   /* another model with other weights */
    ETS_GAP_OTHER_OPERATORS = 3, /* weights are inconclusive, and most operators have no pair */
    ETS_GAP_OTHER_VALUES = 4,    /* most values are wrong by half or more, from the first on */
    ETS_GAP_OTHER_INPUTS = 5,    /* values computed from inputs do not match these inputs */
    ETS_GAP_OTHER_STATE = 6 /* values computed from buffers that earlier runs may have changed, in a
                               way that is not known */
};

/* The first value of the reference, in float64, that its type in the program cannot hold. */
struct ets_gap_overflow {
    const struct ets_graph_node *node; /* NULL: there is none */
    int scalar_type;                   /* of its value in the program */
    double reach, limit;               /* its largest number by magnitude; that of the type */
    double before;                     /* the largest number of the values before it */
};

/* A weight that the program quantizes with one scale, as it computes with it. */
struct ets_gap_weight_use {
    double step;                /* the scale */
    double rms, largest;        /* of the dequantized weight; `largest` by magnitude */
    uint64_t count, zero_count; /* elements, and those that became 0 */
    uint64_t channel_count;     /* size of the first dimension */
    uint64_t loudest;           /* the channel of `largest` */
    double next;                /* the largest of all other channels, by magnitude */
    uint64_t coarse_count;      /* channels whose largest element is 1 to 3 steps */
};

/* The findings in numbers. */
struct ets_gap_conclusion {
    enum ets_gap_against against;
    int in_double;    /* 1: the reference was computed in float64, except `single` nodes */
    int is_quantized; /* 1: the reference quantizes, so the cost of quantization is not
                         visible */
    int is_unchecked; /* 1: unknown whether the delegate quantizes like the record; give the
                         program to find out */
    uint32_t guilty;  /* row; ETS_NO_INDEX: nothing stands out, or all outputs agree */
    uint32_t
        stands_out; /* row that would be guilty if not all outputs agreed; ETS_NO_INDEX: none */
    /* User outputs that a node of the reference computes. */
    uint32_t output_count, outputs_compared, outputs_agreeing;
    const struct ets_graph_node *uncompared_output; /* the first; NULL: all were compared */
    const char *uncompared_reason;
    uint32_t suspects;    /* rows of other nodes with an own error that stands out */
    double outputs;       /* error of the worst output, relative like own_error; NaN if no output
                             was compared, or one has NaNs or infinities */
    double outputs_limit; /* the limit of that output's error */
    double explained;     /* the share of the operator that is guilty or stands out; NaN: unknown */
    double measured;      /* sum of all shares that were measured; NaN: none was */
    double typical;       /* median of the rows' own errors; NaN: no row has one */
    struct ets_gap_overflow overflow;
    uint32_t unlike;     /* rows whose total error exceeds rounding */
    uint32_t doubtful;   /* rows without a finding, as they may be paired with another value */
    uint32_t inexact;    /* rows that are INEXACT */
    uint32_t bits_known; /* rows with known same_bits */
    uint32_t same_bits;  /* of these, rows with the same bits */
    uint32_t single;     /* nodes computed in their own type, for want of a float64 kernel */
    /*
     * Except for MATCHES and BELONGS: the two sides do not belong together as far as the rules can
     * tell, and no operator is blamed.
     */
    enum ets_gap_mismatch mismatch;
    uint32_t weights_compared; /* AGAINST_OTHER: compared weights of the program, dequantized */
    uint32_t weights_alike;    /* of these, equal to the other model's up to quantization */
    uint32_t paired;           /* operators of the other model that have a pair */
    const struct ets_graph_node *swapped[2]; /* AGAINST_OTHER: the program computes the second of
                                                these first; NULL: none found */
    uint32_t unrelated;      /* OTHER_VALUES, OTHER_INPUTS: the first row that shows it */
    uint32_t unlike_weights; /* OTHER_VALUES: operators with weights, if each computes something
                                else than the reference; else 0 */
    double correlation;      /* of its values with the reference's; NaN: unknown */
    uint32_t uncovered;      /* nodes that the reference could not compute */
    const char *uncovered_reason; /* of the first of these; NULL: none */
    uint32_t fallbacks;           /* nodes computed by nodes of the edge program */
    const char *fallback_reason;  /* of the first of these; NULL: none */
    uint32_t unpaired;            /* nodes of the other record's graph without a pair */
    uint32_t other_input;         /* a user input for which the run had other numbers, if delegates
                                     captured it; ETS_NO_INDEX: none known */
    const struct ets_gap_weight_use *weight; /* AGAINST_OTHER: of the guilty operator; NULL: none
                                                that has a single scale */
    const struct ets_graph_node *coarse; /* AGAINST_RECORD: the operator whose weight, `weight`, has
                                            too few steps: what arrives wrong behind it is cut off
                                            by no scale; NULL: none */
    const struct ets_gap_saturation
        *saturation;      /* of the guilty operator, or of a value that it takes, if
                             that is half of its squared error or more; else the first of which more is
                             cut off than the tolerance of int8; NULL: none */
    uint32_t saturated;   /* of how many activations more is cut off than that */
    int saturates_guilty; /* 1: it is the guilty operator's; 2: of a value that it takes */
    struct ets_gap_coarse_scale coarse_scale; /* AGAINST_OTHER: of the guilty operator's value */
    uint32_t followed_runs;   /* AGAINST_RECORD: earlier runs that were computed for the buffers
                                 that the run started with */
    const char *state_reason; /* AGAINST_RECORD: why these are not known, or not all, though earlier
                                 runs may have changed them; NULL: they are known */
};
ETS_API const struct ets_gap_conclusion *ets_gap_conclusion(const struct ets_gap_report *report);

/*
 * The region of a row, in which its own error arises: the reference's nodes between its value and
 * the captured values that it was computed from. Fills `nodes_out` (room for `node_room`, in graph
 * order) and `rows_out` (indices of the ancestor rows). Both may be NULL. The counts are of all
 * nodes and rows, also of those without room.
 */
ETS_API enum ets_status ets_gap_region(const struct ets_gap_report *report, uint32_t row,
                                       const struct ets_graph_node **nodes_out, uint32_t node_room,
                                       uint32_t *node_count_out, uint32_t *rows_out,
                                       uint32_t row_room, uint32_t *row_count_out,
                                       struct ets_error *error);

/* "agrees", "inherited", "guilty", "suspect", "off", "inexact", "harmless"; NULL for UNKNOWN.
 * Static storage. */
ETS_API const char *ets_gap_finding_name(enum ets_gap_finding finding);

ETS_DECLARATIONS_END

#endif

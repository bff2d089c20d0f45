/*
 * gap.h - what a device captured against a reference evaluation of the record's graph, node by
 * node: which values are the same, how far they lie apart, and which operator made the difference.
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
 *             printf("%s: %g dB, of its own %g dB\n", row->value->node->name.data,
 *                    ets_comparison_snr(&row->total), ets_comparison_snr(&row->own));
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
#include "etscope/experimental/captured_values.h"
#include "etscope/experimental/comparator_plugin.h"
#include "etscope/experimental/comparators.h"
#include "etscope/inspect.h"
#include "etscope/numerics.h"
#include "etscope/verify.h"

ETS_DECLARATIONS_BEGIN

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
    /* The caller's own, run on both tensors of each row; they must live until close. */
    const struct ets_comparator *const *comparators;
    uint32_t comparator_count;
    /* The caller's tolerances, by method and scalar type: of_rms of each. They must live until
     * close.
     */
    const struct ets_tolerance_rule *tolerances;
    size_t tolerance_count;
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
/* How many values the reference takes as its inputs. */
ETS_API size_t ets_gap_input_count(const struct ets_gap_report *report);
ETS_API uint32_t ets_gap_run(const struct ets_gap_report *report);
ETS_API const char *ets_gap_method(const struct ets_gap_report *report);
/* Why it is not the ATen program, where none was asked for; NULL: it is. */
ETS_API const char *ets_gap_reference_reason(const struct ets_gap_report *report);

/* How sure it is which value of the reference a captured value is, by debug handles. */
enum ets_gap_match {
    ETS_GAP_UNMATCHED = 0, /* of none: `reason` says why */
    ETS_GAP_EXACT = 1,     /* its instruction has one handle, which no other has */
    ETS_GAP_SUBSET = 2,    /* its instruction does the work of several nodes: a partition */
    ETS_GAP_OVERLAP = 3    /* several instructions share handles: a node that was taken apart */
};

/* A value that the device captured, and the reference's value that it is. */
struct ets_gap_value {
    struct ets_captured_value captured; /* tensor.data: in the debug buffer, or borrowed */
    uint32_t occurrence;                /* how often the instruction ran before: loops */
    int is_argument;                    /* 1: an input of a delegate call */
    uint32_t input; /* is_argument: the model's user input that it is; ETS_NO_INDEX: none */
    enum ets_gap_match match;
    const char *reason; /* why it is not compared; NULL: it is, or can be */
    /* The reference's value; NULL: none. Handles: those of the instruction. */
    const struct ets_graph_node *node;
    uint32_t output; /* of the node, lists counted through */
    int is_view;     /* 1: the same numbers in another shape */
    int is_computed; /* 1: not captured, but computed from what was (ets_gap_evaluate_other) */
    int is_inferred; /* 1: inside control flow, joined by the order of operators */
    const int64_t *handles; /* [handle_count] of the instruction */
    size_t handle_count;
    const char *backend;                    /* of a delegate call, or NULL */
    const struct ets_graph_node *edge_node; /* of the method's edge program; NULL: unknown */
    uint32_t edge_output;
};

/* Everything that was captured in the run, in the order of the trace. */
ETS_API uint32_t ets_gap_value_count(const struct ets_gap_report *report);
ETS_API const struct ets_gap_value *ets_gap_value(const struct ets_gap_report *report,
                                                  uint32_t index);

/* A node of the reference of which no value was captured. */
struct ets_gap_hidden {
    const struct ets_graph_node *node;
    int64_t instruction; /* that did its work; -1: not known, or none */
    const char *backend; /* of the delegate that has it; or NULL */
    const char *reason;  /* "inside of a delegate" */
};

/* "exact", "subset", "overlap", "unmatched". Static storage. */
ETS_API const char *ets_gap_match_name(enum ets_gap_match match);

/* What the reference is evaluated with. */
struct ets_gap_evaluation {
    const struct ets_engine *engine;
    const struct ets_value *inputs; /* [input_count]; NULL: the record's representative inputs */
    size_t input_count;
    /*
     * 1: in float64, which tells whether a kernel is right; a second evaluation in the record's
     * types then tells which values are bit for bit those of the runtime's kernels. 0: in the
     * record's types alone, the runtime's kernels beside themselves.
     */
    int use_double;
    uint64_t memory_limit; /* bytes that values may take at once; 0: 64 GiB or the
                              host's memory, which it is never above */
};

/* What is to be said of a compared value. */
enum ets_gap_finding {
    ETS_GAP_UNKNOWN = 0,   /* there are no numbers: `reason` */
    ETS_GAP_AGREES = 1,    /* nothing beyond rounding */
    ETS_GAP_INHERITED = 2, /* it is off, but its operator made of its inputs what it should */
    ETS_GAP_GUILTY = 3,    /* the first whose own error stands out; in a loop each time */
    ETS_GAP_SUSPECT = 4,   /* another whose own error stands out */
    ETS_GAP_OFF = 5,       /* its own error is beyond rounding, but like that of the others */
    ETS_GAP_INEXACT = 6    /* within the tolerance, but beyond what rounding to its type explains */
};

/* How the reference computed a node. */
enum ets_gap_route {
    ETS_GAP_BY_KERNEL = 0,
    ETS_GAP_BY_EXPRESSION = 1, /* by kernels, views and copies put together */
    ETS_GAP_BY_EDGE = 2,       /* by the edge program's nodes that descend from it */
    ETS_GAP_BY_NOTHING = 3     /* not at all */
};

/*
 * One value of the reference beside the device's. `total`: both from the same inputs of the model;
 * `own`: the reference computed from the values that the device had, wherever they were captured,
 * so that only what this node (or partition) did itself is left.
 */
struct ets_gap_row {
    const struct ets_gap_value *value;
    const char *reason; /* why numbers are missing; NULL: none are */
    enum ets_gap_route route;
    int has_total, has_own;
    struct ets_comparison total, own;
    struct ets_tensor_statistics reference, device; /* where has_total */
    int has_ulps;                                   /* 1: both are of one floating-point type */
    struct ets_ulps ulps;                           /* of the total */
    int same_bits;              /* 1: the runtime's kernels compute the same bits of the
                                   device's inputs; 0: other bits; -1: not known */
    enum ets_computes computes; /* what its operator computes in, as far as the reference
                                   tells; EXACT: integers */
    double tolerance;           /* of that, or the caller's */
    double inherited;           /* the laxest tolerance of it and of the operators before
                                   it: a float operator behind int8 */
    double limit;               /* that the total was judged by: `inherited`, or more
                                   where what went in is large beside the result */
    double own_error;           /* own, relative: root of the mean square over that of
                                   the reference; NaN where it is not known */
    double threshold;           /* that own_error was judged by */
    double rounding;            /* INEXACT: what rounding to the type explains of it */
    const double *compared;     /* [comparator_count] where has_total, by the caller's
                                   comparators; NaN: it gave no number */
    enum ets_gap_finding finding;
};

/*
 * Evaluates the reference, compares, and finds the guilty operator: the first in the graph's order
 * whose own error is beyond what rounding explains. docs/numerics.md has the rule. Values are
 * compared as they are computed, none is kept. Statuses: INVALID_ARGUMENT,
 * MALFORMED, RUNTIME, LIMIT (of the graph's evaluation); NOT_FOUND (no representative inputs, or a
 * weight is missing); MISMATCH (nothing that was captured has
 * the reference's shape: other inputs); NO_MEMORY.
 */
ETS_API enum ets_status ets_gap_evaluate(struct ets_gap_report *report,
                                         const struct ets_gap_evaluation *evaluation,
                                         struct ets_error *error);

/*
 * The ATen program of another record as the reference: what a quantized program (`report`) loses
 * against its float original (`record`). Nodes are paired by operator and order; what was not
 * captured is computed by the report's own reference from what was. Rows, verdict and regions are
 * then of the other graph. Statuses: those of ets_gap_evaluate; MISMATCH: no node has a pair.
 */
ETS_API enum ets_status ets_gap_evaluate_other(struct ets_gap_report *report,
                                               struct ets_etrecord *record,
                                               const struct ets_gap_evaluation *evaluation,
                                               struct ets_error *error);

/*
 * The reference's value of `value->node`, output `value->output`, in the `value->occurrence`-th
 * time round a loop: 1 and the tensor, borrowed for the call, or 0.
 */
typedef int ets_gap_lookup(void *context, const struct ets_gap_value *value,
                           struct ets_tensor *tensor_out);

/*
 * Values that the caller has as the reference: files, or those of PyTorch. Nothing is evaluated, so
 * that rows have a total error alone; the first that is off, while all that it was computed from
 * agrees, is the guilty one. Statuses: NO_MEMORY.
 */
ETS_API enum ets_status ets_gap_compare(struct ets_gap_report *report, ets_gap_lookup *lookup,
                                        void *context, struct ets_error *error);

/* What another run captured as the reference, device against device, by the names of nodes. */
ETS_API enum ets_status ets_gap_compare_report(struct ets_gap_report *report,
                                               const struct ets_gap_report *other,
                                               struct ets_error *error);

/* What is compared, in the order of the reference's evaluation. */
ETS_API uint32_t ets_gap_row_count(const struct ets_gap_report *report);
ETS_API const struct ets_gap_row *ets_gap_row(const struct ets_gap_report *report, uint32_t index);

/* Why a comparator of the options refused the first pair that it did; NULL: it did not. */
ETS_API const char *ets_gap_comparator_reason(const struct ets_gap_report *report, uint32_t index);

/* What the device's values were compared with. */
enum ets_gap_against {
    ETS_GAP_AGAINST_RECORD = 0, /* a graph of the record of the program that ran, evaluated */
    ETS_GAP_AGAINST_OTHER = 1,  /* the exported program of another record, evaluated */
    ETS_GAP_AGAINST_TRACE = 2,  /* what another run captured */
    ETS_GAP_AGAINST_VALUES = 3  /* values of the caller's */
};

/* Whether what is compared belongs together. */
enum ets_gap_mismatch {
    ETS_GAP_MATCHES = 0,         /* nothing speaks against it */
    ETS_GAP_BELONGS = 1,         /* another model whose weights are the program's */
    ETS_GAP_OTHER_WEIGHTS = 2,   /* another model with weights of its own */
    ETS_GAP_OTHER_OPERATORS = 3, /* weights tell nothing, and most operators have no pair */
    ETS_GAP_OTHER_VALUES = 4,    /* most values are off by half or more, from the first on */
    ETS_GAP_OTHER_INPUTS = 5,    /* what is computed of the model's inputs is of others */
    ETS_GAP_OTHER_STATE = 6 /* what is computed of buffers that runs before it may have changed */
};

/* The finding in a few words of data. */
struct ets_gap_conclusion {
    enum ets_gap_against against;
    int in_double;       /* 1: the reference was computed in float64, but for `single` nodes */
    int is_quantized;    /* 1: the reference quantizes, so that what quantization costs does not
                            show */
    int is_unchecked;    /* 1: whether the delegate quantizes as the record does is not known; the
                            program would tell */
    uint32_t guilty;     /* row, or ETS_NO_INDEX: nothing stands out */
    uint32_t suspects;   /* rows of other nodes whose own error stands out */
    double outputs;      /* error of the output that is worst, relative as own_error is; NaN where
                            no output was compared, or numbers of it are broken */
    double explained;    /* share of the outputs' squared error that the guilty one makes, 0 to 1;
                            NaN where it is not known */
    double typical;      /* median of the rows' own errors; NaN: no row has one */
    uint32_t unlike;     /* rows whose total error is beyond rounding */
    uint32_t inexact;    /* rows that are INEXACT */
    uint32_t bits_known; /* rows of which it is known whether they have the same bits, */
    uint32_t same_bits;  /* and those that have */
    uint32_t single;     /* nodes without a kernel for float64, computed in their own type */
    /*
     * Where it is not NONE or BELONGS, what is compared does not belong together as far as the rule
     * reaches, and no operator of it is blamed.
     */
    enum ets_gap_mismatch mismatch;
    uint32_t weights_compared; /* AGAINST_OTHER: weights of the program, as it dequantizes them, */
    uint32_t weights_alike;    /* and those that are the other model's, up to quantization */
    uint32_t paired;           /* and operators of the other model that have a pair */
    uint32_t unrelated;        /* OTHER_VALUES, OTHER_INPUTS: the first row that says so */
    double correlation;        /* of its values with the reference's; NaN: none is known */
    uint32_t uncovered;        /* nodes that the reference could not compute */
    const char *uncovered_reason; /* of the first of these; NULL: there are none */
    uint32_t fallbacks;           /* nodes that were computed by the edge program's nodes */
    const char *fallback_reason;  /* why the first of these was; NULL: there are none */
    uint32_t unpaired;            /* nodes of another record's graph that have no pair */
    uint32_t other_input; /* a user input that the run had other numbers for, as far as delegates
                             captured it; ETS_NO_INDEX: none is known */
};
ETS_API const struct ets_gap_conclusion *ets_gap_conclusion(const struct ets_gap_report *report);

/*
 * What a row's own error is about: the reference's nodes between its value and the captured values
 * that they start from. Fills `nodes_out` (room for `node_room`, in the graph's order) and
 * `rows_out` (ancestors: indices of rows), both may be NULL; the counts are of all there are.
 */
ETS_API enum ets_status ets_gap_region(const struct ets_gap_report *report, uint32_t row,
                                       const struct ets_graph_node **nodes_out, uint32_t node_room,
                                       uint32_t *node_count_out, uint32_t *rows_out,
                                       uint32_t row_room, uint32_t *row_count_out,
                                       struct ets_error *error);

/* "agrees", "inherited", "guilty", "suspect", "off"; NULL for UNKNOWN. Static storage. */
ETS_API const char *ets_gap_finding_name(enum ets_gap_finding finding);

ETS_DECLARATIONS_END

#endif

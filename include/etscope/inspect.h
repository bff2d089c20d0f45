/*
 * inspect.h - the Inspector: joins run-time events with the records of the export.
 *
 *     struct ets_inspection *inspection;
 *     struct ets_inspect_options options = {.record = record};
 *     if (ets_inspection_open(ets_file_bytes(dump), &options, &inspection, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
 *             const struct ets_row *row = ets_inspection_row(inspection, i);
 *             struct ets_statistics times;
 *             ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &times, &error);
 *             printf("%.*s %.0f ns\n", ETS_TEXT(row->name), times.p50);
 *         }
 *         ets_inspection_close(inspection);
 *     }
 *
 * The event table holds every logged event. Runs with the same name, the same sequence of
 * events and the same stage of a generation form a block. Within a block, events with the same
 * identity (name, chain, instruction, delegate identifier) form a row. A loop logs an identity
 * several times per run; each occurrence stays a separate event.
 *
 * Everything returned is valid until close. The dump's bytes, the record and the program must live
 * until then. Use an inspection from one thread at a time.
 */
#ifndef ETSCOPE_INSPECT_H
#define ETSCOPE_INSPECT_H

#include "etscope/base.h"
#include "etscope/etdump.h"
#include "etscope/etrecord.h"
#include "etscope/file.h"
#include "etscope/program.h"
#include "etscope/trace_extra.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ets_inspection;

/* No row, block, run or event. */
#define ETS_NO_INDEX UINT32_MAX

/* The unit of the times in a trace. */
enum ets_time_unit {
    ETS_UNIT_NS = 0,
    ETS_UNIT_US = 1,
    ETS_UNIT_MS = 2,
    ETS_UNIT_S = 3,
    ETS_UNIT_CYCLES = 4
};

struct ets_inspect_options {
    struct ets_etrecord *record;       /* NULL: no join */
    const struct ets_program *program; /* NULL: take instructions from the trace alone */
    const char *method;                /* NULL: the method that agrees with the whole run */
    int partial;                       /* 1: read the intact parts of a damaged dump */
    int allow_mismatch;                /* 1: join although record and trace disagree */
    enum ets_time_unit tick_unit;      /* of a trace that does not state its unit */
    uint32_t prompt; /* tokens in the first run of a method of a trace that does not tell; the runs
                        after it compute one each; 0: not known */
    int subtract_overhead; /* 1: subtract tracing overhead, see ets_inspection_ticks */
    const struct ets_allocator *allocator; /* NULL: the C library's */
    const struct ets_file *file; /* that holds the dump, open for as long: its pages are given back
                                    as events are read, so that memory has both never whole. NULL:
                                    none */
};

/*
 * One array per column, `count` long. The run and row of an event are indices for the functions
 * below. Text numbers are for ets_inspection_text; 0 is "absent".
 */
struct ets_event_table {
    uint32_t count;
    const uint32_t *run;
    const uint32_t *row;           /* ETS_NO_INDEX for events other than profile events */
    const uint32_t *parent;        /* the enclosing event, ETS_NO_INDEX at the top */
    const uint8_t *kind;           /* enum ets_event_kind */
    const uint32_t *name;          /* text number */
    const int64_t *chain;          /* -1: outside any instruction */
    const int32_t *instruction;    /* as logged: 0 where chain is -1 */
    const int32_t *delegate_id;    /* -1: none */
    const uint32_t *delegate_name; /* text number */
    const uint64_t *start;         /* ticks; allocation events: the allocator's number */
    const uint64_t *end;           /* ticks; allocation events: the bytes */
    const uint64_t *payload_at;    /* offset of the event's payload table in the dump */
};

struct ets_run {
    struct ets_text name;
    int32_t bundled_input_index; /* -1: none */
    uint32_t first_event, event_count;
    uint32_t block;
    int has_events; /* 0: the dump has no event vector for this run */
    /* From the extra block; "not known" in dumps without one. */
    struct ets_text method;         /* data NULL: not known */
    enum ets_trace_purpose purpose; /* load, execute or not known */
    uint32_t invocation;            /* number of earlier runs of the method, warm-up included */
    uint32_t thread;                /* ETS_NO_INDEX: not known */
    int is_partial;                 /* 1: a ring overwrote its begin, or it was lost */
    enum ets_run_stage stage;
    uint32_t tokens;   /* that the run computed; 0: not known */
    uint64_t position; /* of the first of them in the generation, from 0; if `tokens` is known */
};

enum ets_method_state {
    ETS_METHOD_NONE = 0,      /* nothing to join with, or the block executes nothing */
    ETS_METHOD_FOUND = 1,     /* exactly one method agrees with the whole run. If the trace names
                                 a method, no other is tried */
    ETS_METHOD_AMBIGUOUS = 2, /* several agree: not joined */
    ETS_METHOD_MISMATCH = 3   /* none agrees: not joined */
};

struct ets_block {
    struct ets_text name;
    int32_t bundled_input_index;
    enum ets_run_stage stage; /* of all its runs */
    uint32_t run_count;
    uint32_t first_run;            /* in file order */
    uint32_t first_row, row_count; /* its rows are adjacent, in order of first appearance */
    enum ets_method_state method_state;
    int is_method_named; /* 1: the trace names the method, in any state */
    const char *method;  /* its name if FOUND or named; all candidates if AMBIGUOUS: "encode,
                            forward"; else NULL */
    const char *reason;  /* MISMATCH: what differs; else NULL */
};

enum ets_clock_state {
    ETS_CLOCK_FITTED = 0,      /* regression gave `scale`, and its conditions hold */
    ETS_CLOCK_UNKNOWN = 1,     /* times are in the delegate's own unit */
    ETS_CLOCK_OVERLAPPING = 2, /* the trace's clock, but the events overlap, so that their sum is
                                  not a part of their call */
    ETS_CLOCK_DEVICE = 3,      /* lengths are times in the trace's unit, starts are of another
                                  clock */
    ETS_CLOCK_ESTIMATED = 4,   /* the backend measured the whole and divided it by a prediction */
    ETS_CLOCK_COUNTED = 5      /* lengths are numbers of `unit` */
};

/*
 * A delegate's clock, if its times cannot simply be added up to a part of its call. A delegate uses
 * the trace's clock if, in every run, all events of a call lie within it one after the other, or
 * are whole steps (quantum_ticks) that fit in the call.
 *
 * Otherwise `call = a + scale * (sum of its events)` is fitted over all calls of one backend, by
 * least squares of the relative deviation. The fit is accepted if there are at least 20 calls at 3
 * or more places; the mean of the longest place is at least 4 times that of the shortest;
 * `residual` is at most 0.05; `scale_error` is at most 5 % of `scale`; `a` is not negative beyond
 * its own error; and no call is shorter than its events by more than twice the residual. The fit
 * cannot detect a delegate that reports the same fraction of every call: it is assumed to report
 * all.
 */
struct ets_delegate_clock {
    enum ets_clock_state state;
    const char *reason; /* UNKNOWN: the condition that does not hold */
    uint32_t calls;     /* number of calls in the fit; OVERLAPPING: 0 */
    double scale;       /* trace ticks per tick of the delegate; UNKNOWN: NaN */
    double scale_error; /* half of the 95 % interval of `scale` */
    double residual;    /* root mean square of (call - fit) / call; NaN without a fit */
    const char *unit;   /* COUNTED: "cycles", "us", "bytes", "count"; else NULL */
    double share;       /* COUNTED: of the sum of its call's nodes; NaN: it is no part of one */
};

/* A graph node of a row. */
struct ets_row_node {
    const struct ets_graph_node *node;
    int64_t handle;
};

/* How an event of a delegate was tied to nodes of the graph. */
enum ets_tie {
    ETS_TIE_NONE = 0, /* not an event of a delegate, or nothing is known */
    ETS_TIE_MAP = 1,  /* the record's delegate map, or its graph, has the event's identifier */
    ETS_TIE_NODE = 2, /* the nodes of the delegate's payload predict the call's events: their
                         number, types and order; or the event states its node */
    ETS_TIE_NEAR = 3, /* as NODE, but handles may be off by one node: the payload is quantised, or
                         the record has no graph that shows what was fused, or operators were
                         matched by their order */
    ETS_TIE_CALL = 4  /* only the call is known; the event has its handles. tie_reason says why */
};

/* A node of the payload of a delegate. */
struct ets_unit_node {
    uint32_t index;   /* in the payload */
    const char *type; /* "FullyConnected" */
    int64_t handle;   /* debug handle; -1: none */
};

struct ets_row {
    uint32_t block;
    uint32_t parent;      /* enclosing row of the same block, or ETS_NO_INDEX */
    uint32_t depth;       /* 0 at the top */
    struct ets_text name; /* event name; the identifier of a delegate's event, or what it says */
    int64_t chain;
    int32_t instruction; /* -1 if chain is -1 */
    int32_t delegate_id; /* -1: none */
    struct ets_text delegate_name;
    int is_delegated;       /* 1: reported by a delegate */
    uint32_t calls_per_run; /* occurrences in one run; loops have several */
    uint64_t quantum_ticks; /* the delegate's times are multiples of this; 0: full resolution */
    const struct ets_delegate_clock *clock; /* of a delegate's event; NULL: the trace's clock */
    const char *backend;                    /* "XnnpackBackend", or NULL */
    struct ets_text kernel; /* operator of the instruction, "aten::add.out", or absent */
    size_t handle_count;
    const int64_t *handles; /* debug handles, in the order of the record */
    size_t node_count;
    const struct ets_row_node *nodes; /* of the handles those of the row's own kernel; one of them
                                         by the order of calls, if there are as many */
    int is_inferred;        /* 1: joined by the order of operators instead of the handles in the
                               record's map: inside control flow, or made by a pass after the record */
    enum ets_tie tie;       /* of a delegate's event */
    const char *tie_reason; /* CALL: why no more is known. NEAR without nodes: what the runtime
                               added next to the nodes of these handles. Else NULL */
    uint32_t unit;          /* number of its unit in the call (delegates.h), or ETS_NO_INDEX */
    size_t payload_node_count;
    const struct ets_unit_node *payload_nodes; /* all nodes that the event computes */
    struct ets_text operation;  /* the operation, independent of the processor: rows of two traces
                                   match if operation, chain and instruction are equal. For a
                                   delegate's event, the name without the parts that vary: "Fully
                                   Connected (NC, QD8, F32, QC8W) #1" for "... (NC, QDU8, F32, QC8W)
                                   GEMM #1"; "Hardswish (table) #1" for "Invalid Unary Op #1" if the
                                   payload is known. Else `name` */
    struct ets_text identifier; /* of a delegate's event whose `name` is shortened; else absent */
    size_t handle_node_count;
    const struct ets_row_node *handle_nodes; /* all nodes of the handles */
};

/* Statistics of a sample, as NumPy computes them (quantiles by linear interpolation). */
struct ets_statistics {
    uint32_t count; /* 0: all other fields are NaN */
    double min, max, mean, p10, p50, p90, total;
};

/* A damaged part that was skipped. Listed in reading order. */
struct ets_damage {
    uint64_t offset;
    const char *reason;
    enum ets_advice advice; /* what would help */
};

/*
 * Reads a dump and joins it with the record and the program. Statuses: those of ets_etdump_init and
 * of the record's readers; MISMATCH if no block agrees with the record or the program, or if the
 * trace says that another program ran (the message says what differs; allow_mismatch permits it);
 * NOT_FOUND if `method` is in neither; INVALID_ARGUMENT if subtract_overhead is set and the trace
 * does not state its overhead; NO_MEMORY. A damaged extra block is listed as damage, and the dump
 * is read without it.
 */
ETS_API enum ets_status ets_inspection_open(struct ets_bytes dump,
                                            const struct ets_inspect_options *options,
                                            struct ets_inspection **inspection_out,
                                            struct ets_error *error);
ETS_API void ets_inspection_close(struct ets_inspection *inspection); /* NULL is allowed */

ETS_API const struct ets_event_table *ets_inspection_events(
    const struct ets_inspection *inspection);
ETS_API struct ets_text ets_inspection_text(const struct ets_inspection *inspection,
                                            uint32_t number);
ETS_API uint32_t ets_inspection_run_count(const struct ets_inspection *inspection);
ETS_API const struct ets_run *ets_inspection_run(const struct ets_inspection *inspection,
                                                 uint32_t index);
ETS_API uint32_t ets_inspection_block_count(const struct ets_inspection *inspection);
ETS_API const struct ets_block *ets_inspection_block(const struct ets_inspection *inspection,
                                                     uint32_t index);
ETS_API uint32_t ets_inspection_row_count(const struct ets_inspection *inspection);
ETS_API const struct ets_row *ets_inspection_row(const struct ets_inspection *inspection,
                                                 uint32_t index);
ETS_API uint32_t ets_inspection_damage_count(const struct ets_inspection *inspection);
ETS_API const struct ets_damage *ets_inspection_damage(const struct ets_inspection *inspection,
                                                       uint32_t index);
/* The number of all damaged parts; the list above ends at 1,000. */
ETS_API uint32_t ets_inspection_damage_total(const struct ets_inspection *inspection);
/*
 * Counts events that end before they start. They are read as a 32-bit counter that wrapped once
 * (*wrapped_out), or as lasting 0 if the start is beyond 32 bits (*backwards_out). Either may be
 * NULL.
 */
ETS_API void ets_inspection_clock_faults(const struct ets_inspection *inspection,
                                         uint32_t *wrapped_out, uint32_t *backwards_out);
/* Number of skipped events of unknown kinds. */
ETS_API uint32_t ets_inspection_unknown_event_count(const struct ets_inspection *inspection);
/* Facts of the whole trace from the extra block; NULL without one. */
ETS_API const struct ets_trace_facts *ets_inspection_trace(const struct ets_inspection *inspection);
/* The unit of a tick: nanoseconds if the extra block says so, else `tick_unit` of the options. */
ETS_API enum ets_time_unit ets_inspection_tick_unit(const struct ets_inspection *inspection,
                                                    int *is_known_out); /* may be NULL */
/* 1: the trace has the fingerprint of another program (only with allow_mismatch). */
ETS_API int ets_inspection_is_other_program(const struct ets_inspection *inspection);
/* The dump's view, for reading debug values (ets_etdump_debug_value). */
ETS_API const struct ets_etdump *ets_inspection_dump(const struct ets_inspection *inspection);

/*
 * The duration of event `index` in ticks. A wrapped 32-bit counter is unwrapped. An event of a
 * wider counter that ends before it starts has duration 0.
 *
 * With subtract_overhead, the measured cost of tracing is subtracted, down to 0. If c is the cost
 * of a begin and end pair, (n + 1/2) c is subtracted from an event that encloses n others: n whole
 * pairs, and the part of its own pair that lies between its two clock readings, at most half. A
 * delegate's own events are not changed. The cost of capturing tensors is not measured and not
 * subtracted.
 */
ETS_API uint64_t ets_inspection_ticks(const struct ets_inspection *inspection, uint32_t index);

/* Metadata that a delegate attached to event `index`; {NULL, 0}: none, or not a profile event. */
ETS_API struct ets_bytes ets_inspection_metadata(const struct ets_inspection *inspection,
                                                 uint32_t index);

/* The events of a row, in logging order, as a borrowed array of event indices. */
ETS_API void ets_inspection_row_events(const struct ets_inspection *inspection, uint32_t row,
                                       const uint32_t **events_out, uint32_t *count_out);

/*
 * Statistics of a row's ticks per run (occurrences in one run are added up). `run` ETS_NO_INDEX:
 * over all runs of the block. Otherwise of that run alone; count is 0 if it is not a run of the
 * row's block. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_inspection_row_statistics(const struct ets_inspection *inspection,
                                                      uint32_t row, uint32_t run,
                                                      struct ets_statistics *statistics_out,
                                                      struct ets_error *error);

/* The row of the whole execution of a block (Method::execute), or ETS_NO_INDEX. */
ETS_API uint32_t ets_inspection_total_row(const struct ets_inspection *inspection, uint32_t block);

/* Fills `statistics_out` from `count` values. Sorts the values in place. */
ETS_API void ets_statistics_compute(double *values, uint32_t count,
                                    struct ets_statistics *statistics_out);

/* "map", "node", "near", "call"; NULL for ETS_TIE_NONE. Static storage. */
ETS_API const char *ets_tie_name(enum ets_tie tie);

/* 1: all but the trace's clock and `overlapping`. Do not add these times to other times. */
ETS_API int ets_row_has_own_clock(const struct ets_row *row);

/* "ns", "us", "ms", "s", "cycles"; NULL for an unknown number. */
ETS_API const char *ets_time_unit_name(enum ets_time_unit unit);

#ifdef __cplusplus
}
#endif

#endif

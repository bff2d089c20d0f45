/*
 * inspect.h - the Inspector: run-time events joined to what the export knew about them.
 *
 *     struct ets_inspection *inspection;
 *     struct ets_inspect_options options = {.record = record};
 *     if (ets_inspection_open(ets_file_bytes(dump), &options, &inspection, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
 *             const struct ets_row *row = ets_inspection_row(inspection, i);
 *             struct ets_statistics times;
 *             ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &times, &error);
 *             printf("%.*s %.0f ns\n", (int)row->name.size, row->name.data, times.p50);
 *         }
 *         ets_inspection_close(inspection);
 *     }
 *
 * The lossless part is one event table, a row for each event that was logged. Runs of one name and
 * the same sequence of events form a block; the events of a block that have the same identity
 * (name, chain, instruction, delegate identifier) form one row: loops log an identity several
 * times in one run, and each of these occurrences stays an event of its own.
 *
 * Everything handed out is borrowed until close; the dump's bytes, the record and the program must
 * live until then. One inspection belongs to one thread at a time.
 */
#ifndef ETSCOPE_INSPECT_H
#define ETSCOPE_INSPECT_H

#include "etscope/base.h"
#include "etscope/etdump.h"
#include "etscope/etrecord.h"
#include "etscope/program.h"
#include "etscope/trace_extra.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ets_inspection;

/* No row, block, run or event. */
#define ETS_NO_INDEX UINT32_MAX

/* What a trace counts its times in. */
enum ets_time_unit {
    ETS_UNIT_NS = 0,
    ETS_UNIT_US = 1,
    ETS_UNIT_MS = 2,
    ETS_UNIT_S = 3,
    ETS_UNIT_CYCLES = 4
};

struct ets_inspect_options {
    struct ets_etrecord *record;           /* NULL: no join */
    const struct ets_program *program;     /* NULL: instructions are known by the trace alone */
    const char *method;                    /* NULL: the one that agrees with the whole run */
    int partial;                           /* 1: read a damaged dump as far as whole parts remain */
    int allow_mismatch;                    /* 1: join although record and trace disagree */
    enum ets_time_unit tick_unit;          /* one tick of a trace that does not tell it itself */
    int subtract_overhead;                 /* 1: see ets_inspection_ticks */
    const struct ets_allocator *allocator; /* NULL: the C library's */
};

/*
 * One array for each column, `count` long; an event's run, block and row are indices for the
 * functions below. Text numbers are for ets_inspection_text; 0 is "absent".
 */
struct ets_event_table {
    uint32_t count;
    const uint32_t *run;
    const uint32_t *row;           /* ETS_NO_INDEX for events that are no profile events */
    const uint32_t *parent;        /* the enclosing event, ETS_NO_INDEX at the top */
    const uint8_t *kind;           /* enum ets_event_kind */
    const uint32_t *name;          /* text number */
    const int64_t *chain;          /* -1: outside of any instruction */
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
    int has_events; /* 0: the dump has no event vector for it */
    /* What the extra block tells; nothing in dumps without one. */
    struct ets_text method;         /* data NULL: not told */
    enum ets_trace_purpose purpose; /* load, execute, or not told */
    uint32_t invocation;            /* runs of the method that came before, warm-ups included */
    uint32_t thread;                /* ETS_NO_INDEX: not told */
    int is_partial;                 /* 1: its begin was given up by a ring, or lost */
};

enum ets_method_state {
    ETS_METHOD_NONE = 0,      /* nothing to join with, or a block that executes nothing */
    ETS_METHOD_FOUND = 1,     /* exactly one method agrees with the whole run; where the trace
                                 names it, no other is tried */
    ETS_METHOD_AMBIGUOUS = 2, /* several agree: not joined */
    ETS_METHOD_MISMATCH = 3   /* none agrees: not joined */
};

struct ets_block {
    struct ets_text name;
    int32_t bundled_input_index;
    uint32_t run_count;
    uint32_t first_run;            /* in file order */
    uint32_t first_row, row_count; /* its rows are neighbours, in order of first appearance */
    enum ets_method_state method_state;
    int is_method_named; /* 1: the trace itself tells the method, whatever the state */
    const char *method;  /* FOUND, or named: its name. AMBIGUOUS: "encode, forward". Else NULL */
    const char *reason;  /* MISMATCH: what differs; else NULL */
};

enum ets_clock_state {
    ETS_CLOCK_FITTED = 0,     /* `scale` was found by regression; its conditions held */
    ETS_CLOCK_UNKNOWN = 1,    /* times in a unit of the delegate's own */
    ETS_CLOCK_OVERLAPPING = 2 /* the trace's clock; but the events overlap, and cannot be added up
                                 to a part of their call */
};

/*
 * What is known of a delegate's clock where its times do not simply add up to a part of its call.
 * Times are taken to be on the trace's clock where, in every run, all events of a call lie within
 * it one after the other, or are whole steps (quantum_ticks) that the call has room for.
 *
 * Elsewhere, and for all calls of one backend together, `call = a + scale * (sum of its events)` is
 * fitted by least squares of the relative deviation, and believed where: there are 20 calls or
 * more at 3 places or more; the longest place's mean is 4 times the shortest's or more; `residual`
 * is at most 0.05; `scale_error` is at most 5 % of `scale`; `a` is not negative beyond its own
 * error; and no call is shorter than its events by more than twice the residual. What it cannot
 * know: a delegate that reports the same fraction of every call is taken to report all.
 */
struct ets_delegate_clock {
    enum ets_clock_state state;
    const char *reason; /* UNKNOWN: the condition that failed */
    uint32_t calls;     /* that were looked at; OVERLAPPING: 0 */
    double scale;       /* ticks of the trace in one of the delegate's; UNKNOWN: NaN */
    double scale_error; /* half of the 95 % interval of `scale` */
    double residual;    /* root mean square of (call - fit) / call; NaN where nothing was fitted */
};

/* A graph node that a row stands for. */
struct ets_row_node {
    const struct ets_graph_node *node;
    int64_t handle;
};

/* How it is known what an event of a delegate stands for. */
enum ets_tie {
    ETS_TIE_NONE = 0, /* not a delegate's event, or nothing is known */
    ETS_TIE_MAP = 1,  /* the record's delegate map has the event's identifier */
    ETS_TIE_NODE = 2, /* the nodes of the delegate's payload give the call's events: as many, of
                         these types, in this order */
    ETS_TIE_NEAR = 3, /* so, but handles may be one node off: the payload is quantised, or the
                         record has no graph that tells what was fused */
    ETS_TIE_CALL = 4  /* only the call is known, whose handles the event has; tie_reason says why */
};

/* A node of the payload that a delegate was given. */
struct ets_payload_node {
    uint32_t index;   /* in the payload */
    const char *type; /* "FullyConnected" */
    int64_t handle;   /* debug handle; -1: none */
};

struct ets_row {
    uint32_t block;
    uint32_t parent;      /* enclosing row of the same block, or ETS_NO_INDEX */
    uint32_t depth;       /* 0 at the top */
    struct ets_text name; /* event name; for a delegate's event its identifier */
    int64_t chain;
    int32_t instruction; /* -1 where chain is -1 */
    int32_t delegate_id; /* -1: none */
    struct ets_text delegate_name;
    int is_delegated;       /* 1: reported by a delegate */
    uint32_t calls_per_run; /* occurrences in one run; loops have several */
    uint64_t quantum_ticks; /* the delegate gives whole multiples of this; 0: full resolution */
    const struct ets_delegate_clock *clock; /* of a delegate's event; NULL: the trace's own */
    const char *backend;                    /* "XnnpackBackend", or NULL */
    struct ets_text kernel; /* operator of the program's instruction "aten::add.out", or absent */
    size_t handle_count;
    const int64_t *handles; /* debug handles, as the record lists them */
    size_t node_count;
    const struct ets_row_node *nodes;
    int is_inferred;  /* 1: inside control flow, joined by the order of its operators, not by a
                         handle of the record's map */
    enum ets_tie tie; /* of a delegate's event */
    const char *tie_reason; /* CALL: why no more is known. NEAR and no `unit`: what the runtime
                               added beside the nodes of these handles. Else NULL */
    uint32_t unit;          /* number of its unit in the call (delegates.h), or ETS_NO_INDEX */
    size_t payload_node_count;
    const struct ets_payload_node *payload_nodes; /* what the event does: all of them together */
    struct ets_text operation; /* what it is, whatever the processor: two runs have the same row
                                  where this, chain and instruction are the same. A delegate's
                                  event without what varies: "Fully Connected (NC, QD8, F32, QC8W)
                                  #1" of "... (NC, QDU8, F32, QC8W) GEMM #1"; "Hardswish (table)
                                  #1" of "Invalid Unary Op #1" where the payload is known. Else
                                  `name` */
};

/* Statistics of a sample, as NumPy computes them (quantiles by linear interpolation). */
struct ets_statistics {
    uint32_t count; /* 0: all others are NaN */
    double min, max, mean, p10, p50, p90, total;
};

/* What was skipped or could not be read, in reading order. */
struct ets_damage {
    uint64_t offset;
    const char *reason;
    enum ets_advice advice; /* what would help */
};

/*
 * Reads a dump and joins it. Statuses: those of ets_etdump_init and of the record's readers;
 * MISMATCH where no block agrees with the record or the program, or the trace tells that another
 * program ran (unless allow_mismatch), with what differs; NOT_FOUND where `method` is in neither;
 * INVALID_ARGUMENT where overhead is to be subtracted and the trace does not tell it; NO_MEMORY. An
 * extra block that is damaged is a damage; the dump is read as if it had none.
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
/* Damaged parts in all; the list above ends at 1,000. */
ETS_API uint32_t ets_inspection_damage_total(const struct ets_inspection *inspection);
/*
 * Events whose end lies before their start: taken as a 32-bit counter that wrapped once
 * (*wrapped_out), or, where the start is beyond 32 bits, as lasting 0 (*backwards_out). Either may
 * be NULL.
 */
ETS_API void ets_inspection_clock_faults(const struct ets_inspection *inspection,
                                         uint32_t *wrapped_out, uint32_t *backwards_out);
/* Events of kinds that this reader does not know, which were passed over. */
ETS_API uint32_t ets_inspection_unknown_event_count(const struct ets_inspection *inspection);
/* What the extra block tells of the whole trace; NULL where there is none. */
ETS_API const struct ets_trace_facts *ets_inspection_trace(const struct ets_inspection *inspection);
/* What a tick is: nanoseconds where the extra block says so, else the options' `tick_unit`. */
ETS_API enum ets_time_unit ets_inspection_tick_unit(const struct ets_inspection *inspection,
                                                    int *is_known_out); /* may be NULL */
/* 1: the trace's fingerprint is another program's (only with allow_mismatch). */
ETS_API int ets_inspection_is_other_program(const struct ets_inspection *inspection);
/* The view that the dump's debug values are read through (ets_etdump_debug_value). */
ETS_API const struct ets_etdump *ets_inspection_dump(const struct ets_inspection *inspection);

/*
 * How long event `index` took, in ticks. A 32-bit counter that wrapped is unwrapped; an event that
 * ends before it starts on a wider one took 0.
 *
 * With subtract_overhead, less what the tracer took of it, down to 0. With c, the trace's measured
 * cost of a begin and end pair, an event that encloses n others took (n + 1/2) c less: the n pairs
 * lie inside of it, and of its own pair what is between its two clock readings, which is at most
 * the half. A delegate's own events are left alone: their times are the delegate's. What capturing
 * tensors took is not measured and stays.
 */
ETS_API uint64_t ets_inspection_ticks(const struct ets_inspection *inspection, uint32_t index);

/* What a delegate attached to event `index`; {NULL, 0}: nothing, or no profile event. */
ETS_API struct ets_bytes ets_inspection_metadata(const struct ets_inspection *inspection,
                                                 uint32_t index);

/* Events of a row, in logging order, as a borrowed array of event indices. */
ETS_API void ets_inspection_row_events(const struct ets_inspection *inspection, uint32_t row,
                                       const uint32_t **events_out, uint32_t *count_out);

/*
 * Statistics over the block's runs of the ticks that a row took in each (occurrences of one run
 * added up). `run` ETS_NO_INDEX: all runs of the block; else that run alone (count 0 where it is
 * not of the row's block). Statistics are in ticks. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_inspection_row_statistics(const struct ets_inspection *inspection,
                                                      uint32_t row, uint32_t run,
                                                      struct ets_statistics *statistics_out,
                                                      struct ets_error *error);

/* The row that stands for the whole execution of a block (Method::execute), or ETS_NO_INDEX. */
ETS_API uint32_t ets_inspection_total_row(const struct ets_inspection *inspection, uint32_t block);

/* Fills `statistics_out` from `count` values, which are sorted in place. */
ETS_API void ets_statistics_compute(double *values, uint32_t count,
                                    struct ets_statistics *statistics_out);

/* "map", "node", "near", "call"; NULL for ETS_TIE_NONE. Static storage. */
ETS_API const char *ets_tie_name(enum ets_tie tie);

/* 1: in ticks of the delegate's own (fitted, unknown), to be added to nothing else. */
ETS_API int ets_row_has_own_clock(const struct ets_row *row);

/* "ns", "us", "ms", "s", "cycles"; NULL for no unit. */
ETS_API const char *ets_time_unit_name(enum ets_time_unit unit);

#ifdef __cplusplus
}
#endif

#endif

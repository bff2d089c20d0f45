/*
 * trace_extra.h - the extra block of an ETDump: what a trace knows and ETDump has no field for.
 *
 * It stands behind the FlatBuffer, at the end of the file, found by the magic in its last four
 * bytes; docs/SPEC.md has its bytes. A reader of ETDumps does
 *
 *     struct ets_trace_extra extra;
 *     if (ets_trace_extra_init(&extra, ets_file_bytes(file), NULL) == ETS_OK) {
 *         struct ets_trace_facts facts;
 *         ets_trace_extra_facts(&extra, &facts);
 *         struct ets_trace_extra_run run;
 *         for (size_t at = 0; ets_trace_extra_next_run(&extra, &at, &run);) { ... }
 *         struct ets_trace_extra_tensor tensor; // without its bytes
 *         for (size_t at = 0; ets_trace_extra_next_tensor(&extra, &at, &tensor);) {
 *             if (tensor.has_statistics) printf("%g\n",
 * ets_tensor_statistics_mean(&tensor.statistics));
 *         }
 *     }
 *
 * The bytes are checked by init and borrowed as long as what is read from them is used.
 */
#ifndef ETSCOPE_TRACE_EXTRA_H
#define ETSCOPE_TRACE_EXTRA_H

#include "etscope/numerics.h"
#include "etscope/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ETS_TRACE_EXTRA_MAGIC "ETSX"
#define ETS_TRACE_EXTRA_VERSION 1

enum ets_trace_key {
    ETS_TRACE_KEY_CLOCK = 1,
    ETS_TRACE_KEY_STATE = 2,
    ETS_TRACE_KEY_FINGERPRINT = 3,
    ETS_TRACE_KEY_RUN = 4,
    ETS_TRACE_KEY_STRING = 5,
    ETS_TRACE_KEY_TENSOR = 6
    /* 7, 8, 9: memory, of runs that were counted; docs/SPEC.md */
};

struct ets_trace_extra {
    struct ets_bytes entries;
};

struct ets_trace_facts {
    int has_clock;       /* 0: all times are 0. 1: they are nanoseconds */
    int is_calibrated;   /* 1: the clock was tied to the platform's */
    uint64_t clock_hz;   /* as configured; 0: not known */
    uint64_t cost_ns_q8; /* of a begin and end pair, in 1/256 ns; 0: not measured */
    uint32_t threads;
    uint32_t lost_frames; /* of a stream that was recovered */
    enum ets_trace_mode mode;
    struct ets_trace_state state; /* `names` is 0 */
    struct ets_bytes fingerprint; /* {NULL, 0}: none */
    uint32_t filtered; /* kinds that filters chose from, bits of ets_trace_what: not all is there */
};

struct ets_trace_extra_run {
    uint32_t run;    /* index in the ETDump */
    uint32_t thread; /* number of the thread, in the order of ets_trace_thread_init */
    uint32_t invocation;
    enum ets_trace_purpose purpose;
    int is_partial;         /* 1: its begin was given up by a ring or lost */
    struct ets_text method; /* data NULL: not known */
};

/* A debug value that is a string. */
struct ets_trace_extra_string {
    uint32_t run;
    uint32_t next_event; /* index in the run of the event that came next */
    int32_t chain;
    uint32_t instruction;
    int32_t delegate_id;
    struct ets_text delegate_name;
    int is_output;
    struct ets_text value;
};

/* A tensor of which the bytes were not kept: its shape, and its statistics where it was reduced. */
struct ets_trace_extra_tensor {
    uint32_t run;
    uint32_t next_event; /* index in the run of the event that came next */
    int32_t chain;
    uint32_t instruction;
    int32_t delegate_id;
    struct ets_text delegate_name;
    int is_output;
    int is_list;
    uint32_t list_index;      /* 0 where it is not in a list */
    struct ets_tensor tensor; /* without bytes */
    int has_statistics;
    struct ets_tensor_statistics statistics;
};

/*
 * `file`: the whole ETDump. Statuses: NOT_FOUND (no extra block, as in dumps of others), MALFORMED,
 * UNSUPPORTED (a newer version).
 */
ETS_API enum ets_status ets_trace_extra_init(struct ets_trace_extra *extra, struct ets_bytes file,
                                             struct ets_error *error);

ETS_API void ets_trace_extra_facts(const struct ets_trace_extra *extra,
                                   struct ets_trace_facts *facts_out);

/*
 * Go over the runs, strings and tensors that the block tells of, each from its own `*at`, 0 at
 * first. Return 1, or 0 at the end; entries that are damaged are passed over.
 */
ETS_API int ets_trace_extra_next_run(const struct ets_trace_extra *extra, size_t *at,
                                     struct ets_trace_extra_run *run_out);
ETS_API int ets_trace_extra_next_string(const struct ets_trace_extra *extra, size_t *at,
                                        struct ets_trace_extra_string *string_out);
ETS_API int ets_trace_extra_next_tensor(const struct ets_trace_extra *extra, size_t *at,
                                        struct ets_trace_extra_tensor *tensor_out);

#ifdef __cplusplus
}
#endif

#endif

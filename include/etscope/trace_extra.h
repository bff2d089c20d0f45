/*
 * trace_extra.h - reads the extra block of an ETDump: facts of a trace that ETDump has no field
 * for.
 *
 * The block follows the FlatBuffer at the end of the file. The magic in the last four bytes of the
 * file marks it. docs/SPEC.md describes its bytes.
 *
 *     struct ets_trace_extra extra;
 *     if (ets_trace_extra_init(&extra, ets_file_bytes(file), NULL) == ETS_OK) {
 *         struct ets_trace_facts facts;
 *         ets_trace_extra_facts(&extra, &facts);
 *         struct ets_trace_extra_run run;
 *         for (size_t at = 0; ets_trace_extra_next_run(&extra, &at, &run);) { ... }
 *         struct ets_trace_extra_tensor tensor; // without its bytes
 *         for (size_t at = 0; ets_trace_extra_next_tensor(&extra, &at, &tensor);) {
 *             if (!tensor.has_statistics) continue;
 *             printf("%g\n", ets_tensor_statistics_mean(&tensor.statistics));
 *         }
 *     }
 *
 * ets_trace_extra_init checks the bytes. They must stay valid as long as anything read from them is
 * used.
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
    ETS_TRACE_KEY_TENSOR = 6 /* docs/SPEC.md lists those that the tracer does not write */
};

struct ets_trace_extra {
    struct ets_bytes entries;
};

struct ets_trace_facts {
    int has_clock;        /* 1: times are nanoseconds. 0: all times are 0 */
    int is_calibrated;    /* 1: the clock was calibrated with the platform's */
    uint64_t clock_hz;    /* as configured; 0: unknown */
    uint64_t cost_ns_q8;  /* cost of a begin and end pair, in 1/256 ns; 0: not measured */
    uint32_t threads;     /* that wrote events */
    uint32_t lost_frames; /* of a recovered stream */
    enum ets_trace_mode mode;
    struct ets_trace_state state; /* `names` is 0 */
    struct ets_bytes fingerprint; /* {NULL, 0}: none */
    uint32_t
        filtered; /* filtered kinds, bits of ets_trace_what: some of their events are missing */
    uint32_t pool_threads; /* that kernels and delegates ran on, the caller included; 0: unknown */
    uint64_t recorded_begin, recorded_end; /* nanoseconds since 1970; 0: unknown */
    struct ets_text device; /* lines "name=value", docs/SPEC.md, key 19; data NULL: unknown */
};

struct ets_trace_extra_run {
    uint32_t run;    /* index in the ETDump */
    uint32_t thread; /* number of the thread, in the order of ets_trace_thread_init */
    uint32_t invocation;
    enum ets_trace_purpose purpose;
    int is_partial;         /* 1: a ring overwrote its begin, or it was lost */
    struct ets_text method; /* data NULL: unknown */
};

/* A debug value that is a string. */
struct ets_trace_extra_string {
    uint32_t run;
    uint32_t next_event; /* index in the run of the next event */
    int32_t chain;
    uint32_t instruction;
    int32_t delegate_id;
    struct ets_text delegate_name;
    int is_output;
    struct ets_text value;
};

/* A tensor recorded without bytes: its shape, and its statistics if it was reduced. */
struct ets_trace_extra_tensor {
    uint32_t run;
    uint32_t next_event; /* index in the run of the next event */
    int32_t chain;
    uint32_t instruction;
    int32_t delegate_id;
    struct ets_text delegate_name;
    int is_output;
    int is_list;
    uint32_t list_index;      /* 0 if it is not in a list */
    struct ets_tensor tensor; /* without bytes */
    int has_statistics;
    struct ets_tensor_statistics statistics;
};

/*
 * `file` is the whole ETDump. Statuses: NOT_FOUND (no extra block: another tool wrote the dump),
 * MALFORMED, UNSUPPORTED (a newer version).
 */
ETS_API enum ets_status ets_trace_extra_init(struct ets_trace_extra *extra, struct ets_bytes file,
                                             struct ets_error *error);

ETS_API void ets_trace_extra_facts(const struct ets_trace_extra *extra,
                                   struct ets_trace_facts *facts_out);

/*
 * Iterate over the runs, strings and tensors of the block. Start each with `*at` = 0. Return 1, or
 * 0 at the end. Damaged entries are skipped.
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

/*
 * trace_summary.h - what a device sends when whole traces are too much: the times of its operators
 * over many runs, in fixed memory.
 *
 *     static struct ets_trace_summary_row rows[40]; // 136 bytes each
 *     static char texts[512];
 *     struct ets_trace_summary summary;
 *     const struct ets_trace_summary_config config = {
 *         .rows = rows, .row_count = 40, .texts = texts, .text_bytes = sizeof texts,
 *         .warm_up_runs = 2};
 *     ets_trace_summary_init(&summary, &config);
 *     for (;;) {
 *         run_the_model(&trace); // records as trace.h shows; ets_trace_finish at its end
 *         ets_trace_summary_add(&summary, &trace);
 *         ets_trace_reset(&trace);
 *         ets_trace_thread_init(&thread, &trace);
 *         if (!is_time_to_report()) continue;
 *         ets_trace_summary_write(&summary, &(struct ets_etdump_sink){NULL, write_uart}, NULL);
 *         ets_trace_summary_init(&summary, &config); // summaries are added up: count no run twice
 *     }
 *
 * A summary has a row for each operator, delegate call and event of a delegate, and one for the
 * whole execution of each method. A row counts runs, and has their sum, minimum, maximum and a
 * histogram: occurrences in one run are added up first, as etscope's tables do. Nothing else of a
 * trace is kept: no tensors, no times of day. With `hash_names`, names are hashes.
 *
 * As trace.h: no heap, no C library but memcpy and memset. Not for several threads at once, and not
 * while another thread records. `etscope-fleet ingest` reads the file; docs/SPEC.md ("Summaries")
 * has every byte, docs/fleet.md what it tells of a person.
 */
#ifndef ETSCOPE_TRACE_SUMMARY_H
#define ETSCOPE_TRACE_SUMMARY_H

#include "etscope/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Buckets of a histogram: a quarter of an octave each, from 4 octaves below a row's first time to 4
 * above it. The first and the last also count what is beyond. A time differs from the middle of its
 * bucket by 12.5 % at most. If a bucket is full, all are halved: they are proportions.
 */
enum { ETS_TRACE_SUMMARY_BUCKETS = 32 };

enum ets_trace_summary_kind {
    ETS_TRACE_SUMMARY_RUN = 0, /* Method::execute */
    ETS_TRACE_SUMMARY_OPERATOR = 1,
    ETS_TRACE_SUMMARY_DELEGATE_CALL = 2,
    ETS_TRACE_SUMMARY_DELEGATE_EVENT = 3
};

/* Memory of a row; ets_trace_summary_add fills it. */
struct ets_trace_summary_row {
    uint64_t name_hash, method_hash;
    uint64_t sum_ns, min_ns, max_ns;
    uint64_t pending_ns;         /* of the run that is being added, if is_pending */
    uint32_t count;              /* runs */
    uint32_t name_at, method_at; /* in the texts; UINT32_MAX: not kept */
    int32_t instruction;         /* -1: of a whole execution */
    uint16_t name_size, method_size;
    uint16_t first_bucket;
    uint8_t kind; /* enum ets_trace_summary_kind */
    uint8_t is_pending;
    uint16_t buckets[ETS_TRACE_SUMMARY_BUCKETS];
};

struct ets_trace_summary_config {
    struct ets_trace_summary_row *rows; /* borrowed */
    uint32_t row_count;
    char *texts; /* for names; NULL: they are hashes. Borrowed */
    uint32_t text_bytes;
    uint32_t warm_up_runs; /* executions to leave out, from the first one on */
    int hash_names;        /* 1: write hashes in place of names */
    uint64_t salt; /* of hashes; the same for devices that are to be compared. A hash hides a name
                      only from those who know neither salt nor names to try */
};

struct ets_trace_summary {
    struct ets_trace_summary_config config;
    uint32_t used_rows, used_text_bytes;
    uint32_t runs, warm_up_runs; /* executions counted, and left out */
    uint32_t lost_values;        /* times that found no free row */
    uint64_t lost_events;        /* that the tracer dropped or overwrote */
    uint8_t fingerprint[64];     /* of the program, from the trace's config */
    uint32_t fingerprint_bytes;
};

/* Prepares an empty summary. The config is copied, its memory borrowed. */
void ets_trace_summary_init(struct ets_trace_summary *summary,
                            const struct ets_trace_summary_config *config);

/*
 * Adds the whole executions of a finished trace, which stays as it is: reset it before it records
 * the next. Runs whose start or end is lost are left out. What finds no free row is counted in
 * lost_values. Times of a delegate are those that an ETDump would have.
 */
void ets_trace_summary_add(struct ets_trace_summary *summary, struct ets_trace *trace);

/* The size of what ets_trace_summary_write would write now. */
size_t ets_trace_summary_size(const struct ets_trace_summary *summary);

/* Writes the file. Status: IO if the sink refuses; error->offset is the number of bytes it took. */
enum ets_status ets_trace_summary_write(const struct ets_trace_summary *summary,
                                        const struct ets_etdump_sink *sink,
                                        struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif

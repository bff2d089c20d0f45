/*
 * trace_summary.h - what a device sends when whole traces are too much: the times of its operators
 * over many runs, in fixed memory.
 *
 *     static struct ets_trace_summary_row rows[40]; // 136 bytes each
 *     static char texts[512];
 *     struct ets_trace_summary summary;
 *     const struct ets_trace_summary_config config = {
 *         .rows = rows, .row_count = 40, .texts = texts, .text_bytes = sizeof texts,
 *         .warm_up_runs = 2, .start = number_of_this_start()};
 *     ets_trace_summary_init(&summary, &config);
 *     for (;;) {
 *         run_the_model(&trace); // records as trace.h shows; ets_trace_finish at its end
 *         ets_trace_summary_add(&summary, &trace);
 *         ets_trace_reset(&trace);
 *         ets_trace_thread_init(&thread, &trace);
 *         if (is_time_to_report()) {
 *             const struct ets_etdump_sink uart = {NULL, write_uart};
 *             if (ets_trace_summary_write(&summary, &uart, NULL) == ETS_OK)
 *                 ets_trace_summary_reset(&summary); // the next report is of later runs
 *         }
 *     }
 *
 * A summary has a row for each operator, delegate call and event of a delegate, and one for the
 * whole execution of each method. A row counts runs, and has their sum, minimum, maximum and a
 * histogram: occurrences in one run are added up first, as etscope's tables do. Nothing else of a
 * trace is kept: no tensors, no times of day. With `hash_names`, names and the program's
 * fingerprint are hashes.
 *
 * Writing changes nothing: what is written twice counts twice. Reset the summary once a report has
 * left the device. Each report of one start has its own sequence number.
 *
 * The runs of a method are one row, and those in which the tracer recorded no operator another one:
 * to record operators takes time, which these do not have. Runs whose method the tracer was not
 * told are all in the row of the method "": name it (method of struct ets_trace_run) if a program
 * has several.
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
 * bucket by 12.5 % at most. When a bucket is full, all of the row are halved, and from then on one
 * of two times is counted, then one of four: buckets are proportions, in which early and late times
 * weigh the same.
 */
enum { ETS_TRACE_SUMMARY_BUCKETS = 32, ETS_TRACE_SUMMARY_KEY_BYTES = 16 };

enum ets_trace_summary_kind {
    ETS_TRACE_SUMMARY_RUN = 0, /* Method::execute */
    ETS_TRACE_SUMMARY_OPERATOR = 1,
    ETS_TRACE_SUMMARY_DELEGATE_CALL = 2,
    ETS_TRACE_SUMMARY_DELEGATE_EVENT = 3,
    ETS_TRACE_SUMMARY_BARE_RUN = 4 /* Method::execute of a run in which no operator was recorded */
};

/* Memory of a row; ets_trace_summary_add fills it. */
struct ets_trace_summary_row {
    uint64_t name_hash, method_hash;
    uint64_t sum_ns, min_ns, max_ns;
    uint64_t pending_ns;         /* of the run that is being added; UINT64_MAX: none */
    uint32_t count;              /* runs */
    uint32_t name_at, method_at; /* in the texts; UINT32_MAX: not kept */
    int32_t instruction;         /* -1: of a whole execution */
    uint16_t name_size, method_size;
    uint16_t first_bucket;
    uint8_t kind;  /* enum ets_trace_summary_kind */
    uint8_t shift; /* one of 2^shift times is in the buckets */
    uint16_t buckets[ETS_TRACE_SUMMARY_BUCKETS];
};

struct ets_trace_summary_config {
    struct ets_trace_summary_row *rows; /* borrowed */
    uint32_t row_count;
    char *texts; /* for names; NULL: they are hashes. Borrowed */
    uint32_t text_bytes;
    uint32_t warm_up_runs; /* executions to leave out, from the first one on */
    int hash_names;        /* 1: write hashes in place of names and of the fingerprint */
    /*
     * The secret key of hashes (SipHash-2-4), the same for devices that are to be compared: 16
     * random bytes. Nobody can compute it from files, but whoever has it can try names. A key that
     * is known, such as 16 zeros, hides nothing.
     */
    uint8_t key[ETS_TRACE_SUMMARY_KEY_BYTES];
    uint32_t start; /* differs from one start of the device to the next, such as a counter in flash
                       or a random number; 0: not known */
};

struct ets_trace_summary {
    struct ets_trace_summary_config config;
    uint32_t used_rows, used_text_bytes;
    uint32_t runs, warm_up_runs; /* executions counted, and left out */
    uint32_t warm_up_left;       /* executions still to leave out */
    int has_operators;           /* in any run, also before it was reset */
    uint32_t sequence;           /* of this report: how often the summary was reset */
    uint32_t lost_values;        /* times that found no free row */
    uint64_t lost_events;        /* that the tracer dropped or overwrote */
    uint8_t fingerprint[64];     /* of the program, from the trace's config */
    uint32_t fingerprint_bytes;
};

/* Prepares an empty summary. The config is copied, its memory borrowed. */
void ets_trace_summary_init(struct ets_trace_summary *summary,
                            const struct ets_trace_summary_config *config);

/*
 * Forgets all runs, for the next report: its sequence number is one more. Warm-up that was left out
 * is not left out again.
 */
void ets_trace_summary_reset(struct ets_trace_summary *summary);

/*
 * Adds the whole executions of a finished trace, which stays as it is: reset it before it records
 * the next. Runs whose start or end is lost are left out. What finds no free row is counted in
 * lost_values; the row of a method's runs takes an operator's if none is free. Times of a delegate
 * are those that an ETDump would have.
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

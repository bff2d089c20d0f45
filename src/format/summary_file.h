/*
 * Reads what ets_trace_summary_write wrote. Verified once, when it is opened.
 *
 *     struct ets_summary_file file;
 *     if (ets_summary_file_open(bytes, &file, &error) != ETS_OK) return;
 *     for (uint32_t i = 0; i < file.row_count; i++) {
 *         struct ets_summary_row row;
 *         ets_summary_file_row(&file, i, &row);
 *         printf("%.*s: %u runs\n", (int)row.name.size, row.name.data, row.count);
 *     }
 */
#ifndef ETSCOPE_FORMAT_SUMMARY_FILE_H
#define ETSCOPE_FORMAT_SUMMARY_FILE_H

#include "base/summary_layout.h"
#include "etscope/base.h"

struct ets_summary_file {
    struct ets_bytes bytes; /* borrowed */
    uint32_t row_count, text_bytes;
    uint32_t runs, warm_up_runs; /* executions counted, and left out */
    uint32_t lost_values;        /* times for which the device had no row */
    uint64_t lost_events;        /* that the tracer dropped or overwrote */
    uint32_t start, sequence;    /* of the device, as trace_summary.h; they tell reports apart */
    int is_hashed;
    int has_operators; /* the device recorded operators in a run, of this report or an earlier one
                        */
    struct ets_bytes fingerprint; /* of the program, hashed if is_hashed; size 0: not known */
};

struct ets_summary_row {
    uint64_t name_hash, method_hash; /* 0: there is no name */
    struct ets_text name, method;    /* data NULL: only the hash is known */
    int32_t instruction;             /* -1: of a whole execution */
    int kind;                        /* enum ets_trace_summary_kind */
    uint32_t count;                  /* runs, at least 1 */
    uint64_t sum_ns, min_ns, max_ns;
    /*
     * Times by buckets; of more than 65,534 in one, a sample of the times: proportions of `count`.
     * `starts` has the bounds of each. The first and the last also count what is beyond.
     */
    uint16_t buckets[ETS_SUMMARY_BUCKET_COUNT];
    uint64_t starts[ETS_SUMMARY_BUCKET_COUNT + 1];
};

/*
 * Statuses: WRONG_KIND, TRUNCATED, UNSUPPORTED (a later version), MALFORMED (a checksum or a field
 * that cannot be). The bytes are borrowed.
 */
ETS_API enum ets_status ets_summary_file_open(struct ets_bytes bytes,
                                              struct ets_summary_file *file_out,
                                              struct ets_error *error);

/* Row `index`, below row_count. */
ETS_API void ets_summary_file_row(const struct ets_summary_file *file, uint32_t index,
                                  struct ets_summary_row *row_out);

/* "run", "operator", "delegate_call", "delegate_event", "bare_run"; NULL: no kind. Static storage.
 */
ETS_API const char *ets_summary_kind_name(int kind);

#endif

/* What is known after a generation, of one recording or of several, for those that show it. */
#ifndef ETSCOPE_GENERATE_GENERATION_REPORT_H
#define ETSCOPE_GENERATE_GENERATION_REPORT_H

#include "generate/token_times.h"
#include "memory/kv_cache.h"

/* Prefill or decode at one depth: a test, as llama-bench calls it. Arrays have an item for each
 * recording; NaN: not known. */
struct ets_generation_test {
    enum ets_generation_phase phase; /* PREFILL or DECODE */
    uint32_t depth;                  /* tokens before the prompt */
    uint32_t prompt;                 /* of it */
    uint32_t tokens;                 /* that the phase took */
    double *total_ns, *slope_ns, *first_call_ns, *median_call_ns, *first_token_ns;
    double *cold_call_ns, *cold_token_ns; /* first call and first token of the warm-up */
    bool is_cold;           /* nothing ran before, so that the first call is the method's */
    struct ets_slope slope; /* of one recording; of several it is computed */
    const double *calls_ns; /* [call_count] of one recording; NULL: of several */
    uint32_t call_count;
    /* What a call of decode reads at `read_position`, the mean of its positions. */
    bool has_reads; /* false: not known exactly */
    uint64_t weight_bytes, cache_bytes;
    uint32_t read_position;
    const int64_t *new_tokens; /* [new_count] of the first recording; decode */
    uint32_t new_count;
    const char *new_text; /* of them; NULL: not known */
};

/* Of the first recording, but for the tests. */
struct ets_generation_report {
    struct ets_generation_test *tests;
    uint32_t test_count;
    uint32_t recordings;
    bool is_traced;
    double program_ns, methods_ns;                  /* loading */
    int64_t copied_bytes, mapped_bytes, peak_bytes; /* by loading, of the process; -1: unknown */
    struct ets_kv_cache cache;
    bool has_cache;
    uint32_t context, used, vocabulary; /* `used`: the most positions of a test */
    const char *model_path, *processor, *governor, *runtime, *time; /* `time`: of the start, UTC */
    uint64_t model_bytes;                                           /* of all files */
    uint32_t threads;
};

/* A number of each recording as the mean with its interval. */
static inline struct ets_ranged ets_over_recordings(const struct ets_generation_report *report,
                                                    const double *of_each)
{
    double deviation;
    return ets_mean_of(of_each, report->recordings, &deviation);
}

#endif

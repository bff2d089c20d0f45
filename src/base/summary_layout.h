/* The bytes of a summary, which the recorder writes and readers read: docs/SPEC.md, "Summaries". */
#ifndef ETSCOPE_BASE_SUMMARY_LAYOUT_H
#define ETSCOPE_BASE_SUMMARY_LAYOUT_H

#include <stdint.h>

#define ETS_SUMMARY_MAGIC "ETSSUM" /* its 0 follows, then the version */

/* The head: where its parts are. From the size on, 32-bit numbers in the order of the table. */
enum {
    ETS_SUMMARY_VERSION = 3,
    ETS_SUMMARY_VERSION_AT = 7,
    ETS_SUMMARY_SIZE_AT = 8,
    ETS_SUMMARY_ROWS_AT = 12,
    ETS_SUMMARY_TEXT_BYTES_AT = 16,
    ETS_SUMMARY_RUNS_AT = 20,
    ETS_SUMMARY_WARM_UP_AT = 24,
    ETS_SUMMARY_LOST_VALUES_AT = 28,
    ETS_SUMMARY_FLAGS_AT = 32,
    ETS_SUMMARY_FINGERPRINT_BYTES_AT = 36,
    ETS_SUMMARY_LOST_EVENTS_AT = 40,
    ETS_SUMMARY_START_AT = 48,
    ETS_SUMMARY_SEQUENCE_AT = 52,
    ETS_SUMMARY_FINGERPRINT_AT = 56,
    ETS_SUMMARY_HEAD_BYTES = 120,
    ETS_SUMMARY_TAIL_BYTES = 4,
    /* Flags. */
    ETS_SUMMARY_HASHED = 1, /* names and the fingerprint are hashes */
    ETS_SUMMARY_HAS_OPERATORS =
        2 /* the device recorded operators in a run, of this report or not */
};

/* A row: where its parts are. */
enum {
    ETS_SUMMARY_NAME_HASH = 0,
    ETS_SUMMARY_METHOD_HASH = 8,
    ETS_SUMMARY_SUM = 16,
    ETS_SUMMARY_MIN = 24,
    ETS_SUMMARY_MAX = 32,
    ETS_SUMMARY_COUNT = 40,
    ETS_SUMMARY_NAME = 44,
    ETS_SUMMARY_METHOD = 48,
    ETS_SUMMARY_INSTRUCTION = 52,
    ETS_SUMMARY_NAME_SIZE = 56,
    ETS_SUMMARY_METHOD_SIZE = 58,
    ETS_SUMMARY_FIRST_BUCKET = 60,
    ETS_SUMMARY_KIND = 62,
    ETS_SUMMARY_BUCKETS = 64,
    ETS_SUMMARY_BUCKET_COUNT = 32,
    ETS_SUMMARY_ROW_BYTES = 128,
    ETS_SUMMARY_MOST_BUCKETS = 252 /* of all 64-bit numbers */
};

/* The bucket of a time: four to an octave, of equal width within it. */
static inline uint32_t ets_summary_bucket(uint64_t time)
{
    uint32_t octave = 0;
    if (time < 4) return (uint32_t)time;
    for (uint64_t rest = time >> 2; rest > 1; rest >>= 1) octave++;
    return 4 * (octave + 1) + (uint32_t)(time >> octave & 3);
}

/* The least time of a bucket below ETS_SUMMARY_MOST_BUCKETS. */
static inline uint64_t ets_summary_bucket_start(uint32_t bucket)
{
    if (bucket < 4) return bucket;
    return (uint64_t)(4 + bucket % 4) << (bucket / 4 - 1);
}

#endif

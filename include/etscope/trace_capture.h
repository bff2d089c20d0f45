/*
 * trace_capture.h - streams, on the host: a capture becomes a trace, which ets_trace_write makes an
 * ETDump of.
 *
 *     struct ets_trace_capture capture;
 *     struct ets_trace trace;
 *     ets_trace_capture_init(&capture, bytes);
 *     void *memory = malloc(capture.memory_bytes);
 *     if (ets_trace_recover(&trace, &capture, memory, capture.memory_bytes, NULL) == ETS_OK) {
 *         ets_trace_write(&trace, &sink, NULL);
 *     }
 *
 * The capture may begin and end anywhere, have bytes of others between its frames, and be damaged.
 * It is borrowed as long as the trace is used. Where the device started again another stream
 * begins: `capture.rest` then holds it, for another ets_trace_capture_init.
 */
#ifndef ETSCOPE_TRACE_CAPTURE_H
#define ETSCOPE_TRACE_CAPTURE_H

#include "etscope/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ETS_TRACE_CAPTURE_THREADS 64 /* records of more threads are refused, and counted */
#define ETS_TRACE_CAPTURE_RUNNING 16 /* events that are told as running */

/* An event that had begun and not ended when the capture ends. */
struct ets_trace_running {
    uint32_t thread;
    struct ets_text name;   /* data NULL: the delegate's integer, or none */
    struct ets_text method; /* of its run; data NULL: not told */
    int32_t delegate_id;
    int32_t chain;
    uint32_t instruction;
    uint64_t start_ticks;
    uint64_t began_ns;  /* since the trace began; 0 without a clock */
    uint64_t lasted_ns; /* until the last time that is known: it took this long at least */
};

struct ets_trace_capture {
    struct ets_bytes bytes;  /* of this stream */
    struct ets_bytes rest;   /* from where another stream begins; size 0: there is none */
    size_t memory_bytes;     /* what ets_trace_recover needs */
    uint32_t frames;         /* that are whole */
    uint32_t lost_frames;    /* by gaps of the sequence numbers */
    uint32_t damaged_frames; /* with a header but a wrong sum, or cut off */
    uint64_t other_bytes;    /* outside of whole frames */
    int has_end;             /* 1: the stream was finished */
    /* After ets_trace_recover. */
    /* Records whose frame had the right sum: wrong themselves, or without a run or thread. */
    uint32_t refused_records;
    uint64_t last_ticks; /* the latest time in any record */
    uint32_t running_count;
    struct ets_trace_running running[ETS_TRACE_CAPTURE_RUNNING]; /* outer ones first */
    /* inner */
    uint32_t name_count, thread_count;
    uint32_t threads[ETS_TRACE_CAPTURE_THREADS], slots[ETS_TRACE_CAPTURE_THREADS];
};

/* Goes over the first stream of the capture. Statuses: OK, NOT_FOUND (no whole frame). */
ETS_API enum ets_status ets_trace_capture_init(struct ets_trace_capture *capture,
                                               struct ets_bytes bytes);

/*
 * Fills `trace`, finished, from the capture, in `memory`, aligned to 8. Statuses: NO_SPACE (fewer
 * bytes than memory_bytes), INVALID_ARGUMENT (misaligned memory).
 */
ETS_API enum ets_status ets_trace_recover(struct ets_trace *trace,
                                          struct ets_trace_capture *capture, void *memory,
                                          size_t memory_bytes, struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif

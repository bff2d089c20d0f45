/* clang-format off */
/*
 * device_log.h - finds streams and ETDumps in what a device sent, and makes a trace of a stream.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 * A log or file may hold frames of a stream or an ETDump, as bytes or as text.
 *
 *     struct ets_device_log found;
 *     void *memory = malloc(bytes.size);
 *     if (ets_device_log_find(&found, bytes, ETS_LOG_AUTO, memory, bytes.size, &error) == ETS_OK) {
 *         if (found.stream.size != 0) ets_stream_reader_init(&capture, found.stream);
 *         else write(found.dump); // a whole ETDump
 *     }
 *
 * These text forms are read. Other lines may lie between them, and other text before them:
 *
 *     [00:00:02.117] etsf:q1RTRgEAAQAAAAAAMAAAAA==     lines as docs/SPEC.md, "Text form"
 *     q1RTRgEAAQAAAAAAMAAAAEXh                         the last word of a line, 16 letters or more
 *     ab545346010001000000000030000000                 xxd -p
 *     00000000: ab54 5346 0100 0100   .TSF....         xxd
 *     00000000  ab 54 53 46 01 00 01 00  |.TSF....|    hexdump -C, with its "*" for repetitions
 *     I (312) app: ab 54 53 46 01 00 01 00             8 bytes or more at the end of a line
 *     echo "LAgAAAwAAABF" | base64 -d >etdump.bin      ExecuTorch's runner for Cortex-M
 *
 * A damaged line loses the frames that it is part of. The time is linear in the size.
 */
/* clang-format on */
#ifndef ETSCOPE_DEVICE_LOG_H
#define ETSCOPE_DEVICE_LOG_H

#include "etscope/base.h"
#include "etscope/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The encoding of bytes in a capture. */
enum ets_log_encoding {
    ETS_LOG_AUTO = 0, /* the first of the others that finds anything */
    ETS_LOG_RAW = 1,
    ETS_LOG_HEX = 2,
    ETS_LOG_BASE64 = 3 /* lines with a prefix; if there are none, words */
};

struct ets_device_log {
    enum ets_log_encoding encoding; /* never AUTO */
    struct ets_bytes stream;        /* frames and the bytes between them; size 0: no whole frame */
    struct ets_bytes dump;          /* the last whole ETDump, or summary in lines; size 0: none */
    uint32_t dumps;                 /* number of whole ETDumps */
    uint32_t damaged_dumps;         /* ETDumps in text form that are torn or cut off */
    /* Of ExecuTorch's runner for Cortex-M, if it printed the ETDump: */
    struct ets_bytes debug_buffer; /* tensors of this ETDump; size 0: none */
    uint32_t debug_buffers;        /* whole ones in the capture, of any ETDump */
    struct ets_bytes runner_log;   /* of `bytes`: what it printed since it started, or since the
                                      ETDump before, up to this one; size 0: none */
    int is_in_cycles;              /* 1: it says that times are cycles */
};

/*
 * Finds frames and ETDumps in `bytes`, which are borrowed. `memory` receives the decoded bytes:
 * bytes.size bytes are enough. It must live as long as the result. Statuses: NOT_FOUND (no whole
 * frame and no whole ETDump), NO_SPACE (less memory than bytes.size).
 */
ETS_API enum ets_status ets_device_log_find(struct ets_device_log *capture_out,
                                            struct ets_bytes bytes, enum ets_log_encoding encoding,
                                            void *memory, size_t memory_bytes,
                                            struct ets_error *error);

/*
 * Streams, on the host: makes a trace of a capture. ets_trace_write then writes an ETDump of it.
 *
 *     struct ets_stream_reader capture;
 *     struct ets_trace trace;
 *     ets_stream_reader_init(&capture, bytes);
 *     void *memory = malloc(capture.memory_bytes);
 *     if (ets_trace_recover(&trace, &capture, memory, capture.memory_bytes, NULL) == ETS_OK) {
 *         ets_trace_write(&trace, &sink, NULL);
 *     }
 *
 * The capture may begin and end anywhere, may hold foreign bytes between its frames, and may be
 * damaged. It is borrowed as long as the trace is used. If the device restarted, another stream
 * follows: `capture.rest` holds it, for another ets_stream_reader_init.
 */

#define ETS_STREAM_READER_THREADS 64 /* records of more threads are refused and counted */
#define ETS_STREAM_READER_RUNNING 16 /* most events that are reported as running */

/* An event that had begun but not ended when the capture ends. */
struct ets_trace_running {
    uint32_t thread;
    struct ets_text name;   /* data NULL: the delegate's integer, or none */
    struct ets_text method; /* of its run; data NULL: unknown */
    int32_t delegate_id;
    int32_t chain;
    uint32_t instruction;
    uint64_t start_ticks;
    uint64_t began_ns;  /* start, from the beginning of the trace; 0 without a clock */
    uint64_t lasted_ns; /* until the last known time: its minimum duration */
};

struct ets_stream_reader {
    struct ets_bytes bytes;  /* of this stream */
    struct ets_bytes rest;   /* from the start of the next stream; size 0: there is none */
    size_t memory_bytes;     /* what ets_trace_recover needs */
    uint32_t frames;         /* whole frames */
    uint32_t lost_frames;    /* from gaps in the sequence numbers */
    uint32_t damaged_frames; /* with a header but a wrong checksum, or cut off */
    uint64_t other_bytes;    /* outside whole frames */
    int has_end;             /* 1: the stream was finished */
    /* Set by ets_trace_recover: */
    /* Invalid records in valid frames, or records without a run or thread. */
    uint32_t refused_records;
    uint64_t last_ticks; /* the latest time in any record */
    uint32_t running_count;
    struct ets_trace_running running[ETS_STREAM_READER_RUNNING]; /* outer ones first */
    /* inner */
    uint32_t name_count, thread_count;
    uint32_t threads[ETS_STREAM_READER_THREADS], slots[ETS_STREAM_READER_THREADS];
};

/* Scans the first stream of the capture. Statuses: OK, NOT_FOUND (no whole frame). */
ETS_API enum ets_status ets_stream_reader_init(struct ets_stream_reader *capture,
                                               struct ets_bytes bytes);

/*
 * Fills `trace` from the capture. The trace is finished. `memory` must be aligned to 8. Statuses:
 * NO_SPACE (fewer bytes than memory_bytes), INVALID_ARGUMENT (misaligned memory).
 */
ETS_API enum ets_status ets_trace_recover(struct ets_trace *trace,
                                          struct ets_stream_reader *capture, void *memory,
                                          size_t memory_bytes, struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif

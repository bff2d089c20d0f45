/*
 * stdio_trace.h - sinks for struct ets_trace_config over the C library's files.
 *
 *     FILE *trace = fopen("trace.bin", "wb");
 *     struct ets_stdio_file debug = {.file = fopen("debug.bin", "wb"), .max_bytes = 1 << 20};
 *     const struct ets_trace_config config = {
 *         ...,
 *         .mode = ETS_TRACE_STREAM, .stream = ets_stdio_stream(trace),
 *         .data_sink = ets_stdio_data_sink(&debug)};
 *
 * Files are the caller's, who closes them, and looks at what fclose answers: what the C library
 * holds back may fail only there. They and the structs must outlive the trace.
 */
#ifndef ETSCOPE_PLATFORMS_STDIO_TRACE_H
#define ETSCOPE_PLATFORMS_STDIO_TRACE_H

#include <stdio.h>

#include "etscope/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sends to a file, for ets_trace_write and for streams. NULL: every write fails. */
struct ets_etdump_sink ets_stdio_stream(FILE *file);

/* A file of tensors' bytes, one after the other without gaps, as ExecuTorch's file sink. */
struct ets_stdio_file {
    FILE *file;         /* NULL, also after a write that failed: nothing is taken */
    uint64_t bytes;     /* written so far */
    uint64_t max_bytes; /* the most there may be; 0: no limit */
};

/* Not for several threads at once: give the config a section. */
struct ets_trace_data_sink ets_stdio_data_sink(struct ets_stdio_file *file);

#ifdef __cplusplus
}
#endif

#endif

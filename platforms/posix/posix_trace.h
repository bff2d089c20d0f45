/*
 * posix_trace.h - clocks and sinks for struct ets_trace_config on POSIX systems.
 *
 *     int fd = open("trace.bin", O_WRONLY | O_CREAT | O_TRUNC, 0644);
 *     struct ets_posix_file debug = {.max_bytes = 1 << 20};
 *     if (ets_posix_open(&debug, "debug.bin") != ETS_OK) { ... } // or .fd = a descriptor of yours
 *     const struct ets_trace_config config = {
 *         ...,
 *         .clock = ets_posix_cycles, .platform_clock = ets_posix_monotonic_ns,
 *         .mode = ETS_TRACE_STREAM, .stream = ets_posix_stream(&fd),
 *         .data_sink = ets_posix_data_sink(&debug)};
 *
 * Descriptors are the caller's, who closes them (not those of ets_posix_open). Writing blocks as
 * long as the descriptor does; interrupted and short writes are continued. The structs must outlive
 * the trace.
 */
#ifndef ETSCOPE_PLATFORMS_POSIX_TRACE_H
#define ETSCOPE_PLATFORMS_POSIX_TRACE_H

#include "etscope/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CLOCK_MONOTONIC in nanoseconds. `context`: NULL. */
uint64_t ets_posix_monotonic_ns(void *context);

/*
 * The processor's counter where there is one, about a third of the cost of the above; else
 * CLOCK_MONOTONIC.
 */
#ifdef ETS_TRACE_HAS_CYCLES
#define ets_posix_cycles ets_trace_cycles
#else
#define ets_posix_cycles ets_posix_monotonic_ns
#endif

/* Ticks of ets_posix_cycles in a second where the processor tells; 0: it does not. */
uint64_t ets_posix_cycles_hz(void);

/* Sends to a descriptor; `fd`: its address. For ets_trace_write and for streams. */
struct ets_etdump_sink ets_posix_stream(const int *fd);

/* A file of tensors' bytes, one after the other without gaps, as ExecuTorch's file sink. */
struct ets_posix_file {
    int fd;             /* -1: nothing is taken */
    int has_failed;     /* 1: a write failed; as offsets would be wrong, nothing more is taken */
    uint64_t bytes;     /* written so far */
    uint64_t max_bytes; /* the most there may be; 0: no limit */
};

/*
 * Creates the file at `path`, or empties it; the limit stays as it is. Statuses: IO (errno says
 * why). ets_posix_close closes it; IO: bytes were lost.
 */
enum ets_status ets_posix_open(struct ets_posix_file *file, const char *path);
enum ets_status ets_posix_close(struct ets_posix_file *file);

/* Not for several threads at once: give the config a section. */
struct ets_trace_data_sink ets_posix_data_sink(struct ets_posix_file *file);

#ifdef __cplusplus
}
#endif

#endif

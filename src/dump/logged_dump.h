/*
 * logged_dump.h - the ETDump that a log holds, whole or as a stream, in memory of its own.
 *
 *     struct ets_logged_dump logged;
 *     if (ets_logged_dump_make(log, &logged, &error) == ETS_OK) {
 *         read(logged.dump);
 *         free((void *)(uintptr_t)logged.dump.data);
 *     }
 */
#ifndef ETSCOPE_DUMP_LOGGED_DUMP_H
#define ETSCOPE_DUMP_LOGGED_DUMP_H

#include <stdbool.h>

#include "etscope/experimental/device_log.h"

struct ets_logged_dump {
    struct ets_bytes dump; /* the C library's memory */
    uint32_t traces;       /* whole ETDumps, streams; this is the last one */
    bool is_stream;
    bool has_end;         /* of a stream: it is complete up to there */
    uint32_t lost_frames; /* of a stream: lost or damaged */
    bool has_tensors;     /* the log has the ETDump's debug buffer, too */
};

/*
 * Takes the last stream, or the last ETDump where there is none. Statuses: those of
 * ets_device_log_find and of ets_trace_recover, NO_MEMORY.
 */
enum ets_status ets_logged_dump_make(struct ets_bytes log, struct ets_logged_dump *out,
                                     struct ets_error *error);

/* A trace as an ETDump, in memory of the C library's. Statuses: of ets_trace_write, NO_MEMORY. */
enum ets_status ets_trace_as_dump(struct ets_trace *trace, struct ets_bytes *dump_out,
                                  struct ets_error *error);

#endif

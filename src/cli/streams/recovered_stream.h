/* One stream of a capture, for `recover` and `report --follow`. */
#ifndef ETSCOPE_CLI_STREAMS_RECOVERED_STREAM_H
#define ETSCOPE_CLI_STREAMS_RECOVERED_STREAM_H

#include "cli/core/command.h"
#include "etscope/experimental/device_log.h"
#include "etscope/trace_extra.h"

/* One stream of the capture; there are several if the device restarted. */
struct recovered_stream {
    struct ets_stream_reader capture;
    struct ets_trace trace;
    void *memory;
};

/* Returns CLI_OK, or reports an error. The caller frees the memory. */
int recovered_stream_open(const char *path, struct ets_bytes bytes, struct recovered_stream *out);

#endif

/* The frames of a stream; docs/SPEC.md describes them. */
#ifndef ETSCOPE_TRACE_TRACE_STREAM_H
#define ETSCOPE_TRACE_TRACE_STREAM_H

#include "etscope/trace.h"

#define ETS_FRAME_MAGIC "\xabTSF"

enum {
    ETS_FRAME_VERSION = 1,
    ETS_FRAME_HEADER_BYTES = 20,
    ETS_FRAME_START_BYTES = 48, /* the fingerprint follows */
    ETS_FRAME_END_BYTES = 36,
    ETS_FRAME_END_LEAST_BYTES = 32 /* without the count of stale ends */
};

enum ets_frame_type {
    ETS_FRAME_START = 1,
    ETS_FRAME_NAMES = 2,
    ETS_FRAME_RECORDS = 3,
    ETS_FRAME_END = 4
};

/* Sends all remaining records, and the end frame. */
void ets_trace_send_end(struct ets_trace *trace);

#endif

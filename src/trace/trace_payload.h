/* Stores bytes of tensors: in the data sink, the debug buffer, or in a ring its parts. */
#ifndef ETSCOPE_TRACE_TRACE_PAYLOAD_H
#define ETSCOPE_TRACE_TRACE_PAYLOAD_H

#include "trace/recorder.h"

static inline bool ets_trace_has_sink(const struct ets_trace *trace)
{
    return trace->config.data_sink.write != NULL || trace->config.debug_buffer != NULL;
}

/* The bytes that a tensor of `size` bytes takes in a part of the debug buffer. */
size_t ets_trace_padded(size_t size);

/*
 * In a ring with a debug buffer: ensures that the chunk of the next record has `padded` bytes left
 * in its part. Status: NO_SPACE (no part is that large).
 */
enum ets_status ets_trace_prepare_payload(struct ets_trace_thread *thread, size_t padded);

/*
 * Stores the bytes; the offset is -1 if there are none. In a ring, call it after ets_trace_reserve.
 * A failure is not yet counted as a drop.
 */
enum ets_status ets_trace_write_data(struct ets_trace_thread *thread, const void *data, size_t size,
                                     int64_t *offset_out);

/* The end of the used part of the debug buffer. */
size_t ets_trace_debug_bytes(const struct ets_trace *trace);

#endif

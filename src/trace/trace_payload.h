/* Where bytes of tensors go: the data sink, the debug buffer, or in a ring its parts. */
#ifndef ETSCOPE_TRACE_TRACE_PAYLOAD_H
#define ETSCOPE_TRACE_TRACE_PAYLOAD_H

#include "trace/recorder.h"

static inline bool ets_trace_has_sink(const struct ets_trace *trace)
{
    return trace->config.data_sink.write != NULL || trace->config.debug_buffer != NULL;
}

/* Bytes of a debug buffer's part that a tensor of `size` bytes takes. */
size_t ets_trace_padded(size_t size);

/*
 * In a ring with a debug buffer: sees to it that the chunk of the record that is reserved next has
 * `padded` bytes left in its part. Statuses: NO_SPACE (no part has as much).
 */
enum ets_status ets_trace_prepare_payload(struct ets_trace_thread *thread, size_t padded);

/*
 * Keeps the bytes; offset -1 where there are none. In a ring, behind ets_trace_reserve. What is
 * answered besides OK is not counted yet.
 */
enum ets_status ets_trace_write_data(struct ets_trace_thread *thread, const void *data, size_t size,
                                     int64_t *offset_out);

/* Where what is used of the debug buffer ends. */
size_t ets_trace_debug_bytes(const struct ets_trace *trace);

#endif

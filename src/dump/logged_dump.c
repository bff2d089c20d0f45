/* Makes an ETDump of what a log holds, as commands that read traces take it. */
#include "dump/logged_dump.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dump/runner_log.h"

static enum ets_status no_memory(struct ets_error *error, size_t bytes)
{
    return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for %zu bytes", bytes);
}

enum ets_status ets_trace_as_dump(struct ets_trace *trace, struct ets_bytes *dump_out,
                                  struct ets_error *error)
{
    size_t bytes = 0;
    enum ets_status status = ets_trace_dump_size(trace, &bytes, error);
    if (status != ETS_OK) return status;
    uint8_t *file = malloc(bytes + 1);
    if (file == NULL) return no_memory(error, bytes);
    status = ets_trace_write_buffer(trace, file, bytes, &bytes, error);
    if (status == ETS_OK) *dump_out = (struct ets_bytes){file, bytes};
    else free(file);
    return status;
}

static enum ets_status take_stream(struct ets_stream_reader *last, struct ets_logged_dump *out,
                                   struct ets_error *error)
{
    struct ets_trace trace;
    void *memory = malloc(last->memory_bytes + 1);
    if (memory == NULL) return no_memory(error, last->memory_bytes);
    enum ets_status status = ets_trace_recover(&trace, last, memory, last->memory_bytes, error);
    if (status == ETS_OK) status = ets_trace_as_dump(&trace, &out->dump, error);
    out->is_stream = true;
    out->has_end = last->has_end != 0;
    /* A damaged frame before others is in the gap of their numbers. */
    out->lost_frames =
        last->lost_frames > last->damaged_frames ? last->lost_frames : last->damaged_frames;
    free(memory);
    return status;
}

static enum ets_status take_dump(const struct ets_device_log *found, struct ets_logged_dump *out,
                                 struct ets_error *error)
{
    const struct ets_bytes dump = found->dump;
    uint8_t *copy = malloc(dump.size + ETS_RUNNER_EXTRA_BYTES);
    if (copy == NULL) return no_memory(error, dump.size);
    size_t size = found->is_in_cycles ? ets_runner_mark_cycles(dump, copy) : 0;
    if (size == 0) {
        size = dump.size;
        memcpy(copy, dump.data, size);
    }
    out->dump = (struct ets_bytes){copy, size};
    out->has_tensors = found->debug_buffer.size > 0;
    return ETS_OK;
}

enum ets_status ets_logged_dump_make(struct ets_bytes log, struct ets_logged_dump *out,
                                     struct ets_error *error)
{
    struct ets_device_log found;
    struct ets_stream_reader stream, last;
    *out = (struct ets_logged_dump){.is_stream = false};
    void *memory = malloc(log.size + 1);
    if (memory == NULL) return no_memory(error, log.size);
    enum ets_status status =
        ets_device_log_find(&found, log, ETS_LOG_AUTO, memory, log.size, error);
    if (status == ETS_OK) {
        out->traces = found.dumps;
        struct ets_bytes rest = found.stream;
        for (; ets_stream_reader_init(&stream, rest) == ETS_OK; rest = stream.rest) {
            last = stream;
            out->traces++;
        }
        status =
            found.stream.size != 0 ? take_stream(&last, out, error) : take_dump(&found, out, error);
    }
    free(memory);
    return status;
}

/* Writes a trace as an ETDump with its extra block, and computes its size. */
#include "trace/trace_source.h"

static void init_source(struct ets_trace_source *s, struct ets_trace *trace)
{
    ets_trace_source_init(s, trace);
    s->source.extra = ets_trace_put_extra;
}

enum ets_status ets_trace_dump_size(struct ets_trace *trace, size_t *bytes_out,
                                    struct ets_error *error)
{
    struct ets_trace_source s;
    init_source(&s, trace);
    return ets_etdump_writer_size(&s.source, bytes_out, error);
}

enum ets_status ets_trace_write(struct ets_trace *trace, const struct ets_etdump_sink *sink,
                                struct ets_error *error)
{
    struct ets_trace_source s;
    init_source(&s, trace);
    return ets_etdump_write(&s.source, sink, error);
}

enum ets_status ets_trace_write_buffer(struct ets_trace *trace, void *buffer, size_t capacity,
                                       size_t *bytes_out, struct ets_error *error)
{
    struct ets_trace_source s;
    init_source(&s, trace);
    return ets_etdump_write_buffer(&s.source, buffer, capacity, bytes_out, error);
}

/* Chooses the writer of a format. */
#include "output/export/export_files.h"

#include "base/error.h"
#include "output/export/export_writers.h"

#define FORMAT(id, name, ending, write, holds_several) {write, holds_several},

/* [enum ets_export_format] */
static const struct {
    ets_export_writer *write;
    bool holds_several;
} formats[] = {ETS_EXPORT_FORMATS(FORMAT)};

enum ets_status ets_export_write(struct ets_output *output, enum ets_export_format format,
                                 const struct ets_export_trace *traces, uint32_t count,
                                 const struct ets_allocator *allocator,
                                 struct ets_export_missing *missing_out, struct ets_error *error)
{
    struct ets_arena arena, scratch;
    struct ets_export_missing missing;
    if (missing_out == NULL) missing_out = &missing;
    *missing_out = (struct ets_export_missing){.graph_count = 0};
    if (count == 0 || (count > 1 && !formats[format].holds_several)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        count == 0 ? "there is no trace to export"
                                   : "this format holds one trace: export one at a time");
    }
    ets_arena_init(&arena, allocator, 0);
    ets_arena_init(&scratch, allocator, 0);
    struct ets_export_buffer *out = ets_arena_alloc(&arena, sizeof *out);
    enum ets_status status;
    if (out == NULL) {
        status = ets_fail_memory(error, "the exported file");
    } else {
        const struct ets_export whole = {traces, count, &arena, &scratch, out, missing_out};
        out->output = output;
        status = formats[format].write(&whole, error);
        ets_export_flush(out);
    }
    ets_arena_reset(&scratch);
    ets_arena_reset(&arena);
    return status;
}

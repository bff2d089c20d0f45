#include "stdio/stdio_trace.h"

static int write_stream(void *context, const void *data, size_t size)
{
    FILE *file = context;
    return file != NULL && fwrite(data, 1, size, file) == size ? 0 : -1;
}

struct ets_etdump_sink ets_stdio_stream(FILE *file)
{
    return (struct ets_etdump_sink){file, write_stream};
}

static enum ets_status write_data(void *context, const void *data, size_t size,
                                  uint64_t *offset_out)
{
    struct ets_stdio_file *file = context;
    const uint64_t at = file->bytes;
    if (file->max_bytes != 0 && (at > file->max_bytes || size > file->max_bytes - at)) {
        return ETS_NO_SPACE;
    }
    /* After a short write offsets would be wrong. */
    if (write_stream(file->file, data, size) != 0) {
        file->file = NULL;
        return ETS_IO;
    }
    file->bytes = at + size;
    *offset_out = at;
    return ETS_OK;
}

struct ets_trace_data_sink ets_stdio_data_sink(struct ets_stdio_file *file)
{
    return (struct ets_trace_data_sink){file, write_data};
}

/* recover_capture CAPTURE TRACE: makes an ETDump of a stream's capture. */
#include <stdio.h>
#include <stdlib.h>

#include "etscope/file.h"
#include "etscope/trace_capture.h"

static int write_file(void *context, const void *data, size_t size)
{
    return fwrite(data, 1, size, context) == size ? 0 : -1;
}

static enum ets_status recover(struct ets_bytes bytes, FILE *out, struct ets_error *error)
{
    struct ets_trace_capture capture;
    struct ets_trace trace;
    enum ets_status status = ets_trace_capture_init(&capture, bytes);
    if (status != ETS_OK) return status;
    void *memory = malloc(capture.memory_bytes);
    if (memory == NULL) return ETS_NO_MEMORY;
    status = ets_trace_recover(&trace, &capture, memory, capture.memory_bytes, error);
    if (status == ETS_OK) {
        status = ets_trace_write(&trace, &(struct ets_etdump_sink){out, write_file}, error);
    }
    printf("%u frames, %u lost, %u damaged, %llu other bytes, end %d\n", capture.frames,
           capture.lost_frames, capture.damaged_frames, (unsigned long long)capture.other_bytes,
           capture.has_end);
    free(memory);
    return status;
}

int main(int argc, char **argv)
{
    struct ets_error error = {0};
    struct ets_file *file;
    if (argc != 3) return 2;
    enum ets_status status = ets_file_open(argv[1], &file, &error);
    FILE *out = fopen(argv[2], "wb");
    if (status == ETS_OK && out != NULL) {
        status = recover(ets_file_bytes(file), out, &error);
        ets_file_close(file);
    }
    if (status != ETS_OK) fprintf(stderr, "%s\n", error.message);
    return out != NULL && fclose(out) == 0 && status == ETS_OK ? 0 : 1;
}

/*
 * Recovers a stream, writes what it gives as an ETDump, which the readers must accept. Check sums
 * are made right before, so that what is inside of frames is reached.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "etscope/etdump.h"
#include "etscope/trace_capture.h"
#include "etscope/trace_extra.h"
#include "trace/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_dump(struct ets_trace *trace)
{
    size_t bytes = 0;
    if (ets_trace_dump_size(trace, &bytes, NULL) != ETS_OK) return;
    uint8_t *file = malloc(bytes);
    if (file == NULL) return;
    struct ets_etdump dump;
    struct ets_trace_extra extra;
    struct ets_trace_summary summary;
    const struct ets_bytes whole = {file, bytes};
    if (ets_trace_write_buffer(trace, file, bytes, &bytes, NULL) != ETS_OK ||
        ets_etdump_init(&dump, whole, NULL) != ETS_OK ||
        ets_trace_extra_init(&extra, whole, NULL) != ETS_OK) {
        abort();
    }
    ets_trace_extra_summary(&extra, &summary);
    free(file);
}

enum { HEADER_BYTES = 20 };

static void correct_sums(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + HEADER_BYTES <= size; at++) {
        uint8_t *header = data + at;
        uint32_t bytes;
        if (memcmp(header, "\xabTSF", 4) != 0) continue;
        memcpy(&bytes, header + 12, sizeof bytes);
        if (bytes > size - at - HEADER_BYTES) continue;
        const uint32_t sum = ets_crc32(0, header + HEADER_BYTES, bytes);
        (void)ets_store_u32(header + 16, ets_crc32(sum, header + 4, 12));
        at += HEADER_BYTES - 1 + bytes;
    }
}

static void check_capture(const uint8_t *data, size_t size)
{
    struct ets_trace_capture capture;
    struct ets_trace trace;
    if (ets_trace_capture_init(&capture, (struct ets_bytes){data, size}) != ETS_OK) return;
    void *memory = malloc(capture.memory_bytes + 1);
    if (memory == NULL) return;
    if (ets_trace_recover(&trace, &capture, memory, capture.memory_bytes, NULL) == ETS_OK) {
        check_dump(&trace);
    }
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_trace_extra extra;
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL) return 0;
    (void)ets_trace_extra_init(&extra, (struct ets_bytes){data, size}, NULL);
    check_capture(data, size);
    if (size != 0) memcpy(copy, data, size);
    correct_sums(copy, size);
    check_capture(copy, size);
    free(copy);
    return 0;
}

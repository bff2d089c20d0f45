/*
 * Recovers a stream and writes it as an ETDump, which the readers must accept. Checksums are
 * corrected first, so that the contents of frames are reached.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "etscope/etdump.h"
#include "etscope/experimental/device_log.h"
#include "etscope/trace_extra.h"
#include "trace/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Everything that an extra block tells, which must be in it. */
static void read_extra(const struct ets_trace_extra *extra)
{
    struct ets_trace_facts facts;
    struct ets_trace_extra_run run;
    struct ets_trace_extra_string string;
    struct ets_trace_extra_tensor tensor;
    volatile uint8_t last = 0;
    ets_trace_extra_facts(extra, &facts);
    for (size_t at = 0; ets_trace_extra_next_run(extra, &at, &run);) {
        if (run.method.size != 0) last = (uint8_t)run.method.data[run.method.size - 1];
    }
    for (size_t at = 0; ets_trace_extra_next_string(extra, &at, &string);) {
        if (string.value.size != 0) last = (uint8_t)string.value.data[string.value.size - 1];
    }
    for (size_t at = 0; ets_trace_extra_next_tensor(extra, &at, &tensor);) {
        const struct ets_text part = tensor.delegate_name;
        if (tensor.tensor.rank > ETS_TENSOR_MAX_RANK) abort();
        if (tensor.statistics.first_count > ETS_TENSOR_STATISTICS_FIRST_LIMIT) abort();
        if (part.size != 0) last = (uint8_t)part.data[part.size - 1];
    }
    (void)last;
}

static void check_dump(struct ets_trace *trace)
{
    size_t bytes = 0;
    if (ets_trace_dump_size(trace, &bytes, NULL) != ETS_OK) return;
    uint8_t *file = malloc(bytes);
    if (file == NULL) return;
    struct ets_etdump dump;
    struct ets_trace_extra extra;
    const struct ets_bytes whole = {file, bytes};
    if (ets_trace_write_buffer(trace, file, bytes, &bytes, NULL) != ETS_OK ||
        ets_etdump_init(&dump, whole, NULL) != ETS_OK ||
        ets_trace_extra_init(&extra, whole, NULL) != ETS_OK) {
        abort();
    }
    read_extra(&extra);
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
    struct ets_stream_reader capture;
    struct ets_trace trace;
    if (ets_stream_reader_init(&capture, (struct ets_bytes){data, size}) != ETS_OK) return;
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
    if (ets_trace_extra_init(&extra, (struct ets_bytes){data, size}, NULL) == ETS_OK) {
        read_extra(&extra);
    }
    extra.entries = (struct ets_bytes){data, size}; /* as if its sum was right */
    read_extra(&extra);
    check_capture(data, size);
    if (size != 0) memcpy(copy, data, size);
    correct_sums(copy, size);
    check_capture(copy, size);
    free(copy);
    return 0;
}

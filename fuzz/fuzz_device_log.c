/*
 * Searches a capture for frames and ETDumps in every encoding; results must be inside the capture.
 */
#include <stdlib.h>

#include "dump/logged_dump.h"
#include "dump/runner_log.h"
#include "etscope/experimental/device_log.h"
#include "etscope/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_inside(struct ets_bytes part, struct ets_bytes whole)
{
    return part.size == 0 || (part.data >= whole.data && part.size <= whole.size &&
                              (size_t)(part.data - whole.data) <= whole.size - part.size);
}

/* The copy has the room that it was told of. */
static void mark(struct ets_bytes dump)
{
    uint8_t *copy = malloc(dump.size + ETS_RUNNER_EXTRA_BYTES);
    if (copy != NULL && ets_runner_mark_cycles(dump, copy) > dump.size + ETS_RUNNER_EXTRA_BYTES) {
        abort();
    }
    free(copy);
}

/* What commands read in the log's place is an ETDump or a summary. */
static void read_as_trace(struct ets_bytes bytes)
{
    struct ets_logged_dump logged;
    if (ets_logged_dump_make(bytes, &logged, NULL) != ETS_OK) return;
    const enum ets_kind kind = ets_kind_sniff(logged.dump);
    if (logged.traces == 0 || (kind != ETS_KIND_ETDUMP && kind != ETS_KIND_SUMMARY)) abort();
    free((void *)(uintptr_t)logged.dump.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_bytes bytes = {data, size};
    read_as_trace(bytes);
    for (int encoding = ETS_LOG_AUTO; encoding <= ETS_LOG_BASE64; encoding++) {
        uint8_t *memory = malloc(size == 0 ? 1 : size);
        struct ets_device_log found;
        if (memory == NULL) return 0;
        const struct ets_bytes room = {memory, size};
        if (ets_device_log_find(&found, bytes, (enum ets_log_encoding)encoding, memory, size,
                                NULL) == ETS_OK) {
            if (found.stream.size == 0 && found.dump.size == 0) abort();
            if (!is_inside(found.stream, bytes) && !is_inside(found.stream, room)) abort();
            if (!is_inside(found.dump, bytes) && !is_inside(found.dump, room)) abort();
            if (!is_inside(found.debug_buffer, room)) abort();
            if (!is_inside(found.runner_log, bytes)) abort();
            if (found.dump.size > 0) mark(found.dump);
        }
        free(memory);
    }
    struct ets_text line;
    for (size_t at = 0; ets_runner_next_counter(bytes, &at, &line);) {
        if (!is_inside((struct ets_bytes){(const uint8_t *)line.data, line.size}, bytes)) abort();
    }
    return 0;
}

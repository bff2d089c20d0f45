/* The ETDump reader and its salvage, over any bytes: everything that they hand out is walked. */
#include <stdint.h>

#include "dump/etdump_parts.h"
#include "etscope/etdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Adds up every byte of a text or blob, so that a wrong one is noticed. */
static unsigned touch(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++) sum += bytes[i];
    return sum;
}

static volatile unsigned sink;

static void walk_value(const struct ets_etdump *dump, const struct ets_etdump_event *event)
{
    /* As a debug buffer any bytes will do. */
    static const uint8_t debug_bytes[256];
    const struct ets_bytes debug_buffer = {debug_bytes, sizeof debug_bytes};
    struct ets_debug_value value;
    ets_etdump_debug_value(dump, event->payload_at, &value);
    for (uint32_t i = 0; i < value.tensor_count; i++) {
        struct ets_tensor tensor;
        int64_t offset;
        if (ets_etdump_tensor(dump, &value, i, &tensor, &offset, NULL) != ETS_OK) continue;
        if (ets_etdump_tensor_data(debug_buffer, offset, &tensor, NULL) != ETS_OK) continue;
        sink += touch(tensor.data, tensor.data_bytes);
    }
}

/* Texts can be shared and long: a part of each, and its end, show whether all of it is there. */
static void walk_text(const void *data, size_t size)
{
    if (size == 0) return;
    sink += touch(data, size < 64 ? size : 64) + ((const uint8_t *)data)[size - 1];
}

static void walk_event(const struct ets_etdump *dump, const struct ets_etdump_event *event)
{
    walk_text(event->name.data, event->name.size);
    walk_text(event->delegate_name.data, event->delegate_name.size);
    walk_text(event->metadata.data, event->metadata.size);
    if (event->kind == ETS_EVENT_DEBUG) walk_value(dump, event);
}

static void walk_run(const struct ets_etdump *dump, const struct ets_etdump_run *run)
{
    walk_text(run->name.data, run->name.size);
    for (uint32_t i = 0; i < run->allocator_count; i++) {
        const struct ets_text name = ets_etdump_allocator_name(dump, run, i);
        walk_text(name.data, name.size);
    }
}

static int see_run(void *context, const struct ets_etdump_run *run)
{
    walk_run(context, run);
    return 0;
}

static int see_event(void *context, const struct ets_etdump_event *event)
{
    walk_event(context, event);
    return 0;
}

static int see_damage(void *context, uint64_t offset, const char *reason)
{
    (void)context;
    (void)offset;
    sink += (unsigned)(unsigned char)reason[0];
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_bytes bytes = {data, size};
    struct ets_error error;
    struct ets_etdump dump;
    if (ets_etdump_init(&dump, bytes, &error) == ETS_OK) {
        for (uint32_t i = 0; i < dump.run_count; i++) {
            struct ets_etdump_run run;
            ets_etdump_run(&dump, i, &run);
            walk_run(&dump, &run);
            for (uint32_t j = 0; j < run.event_count; j++) {
                struct ets_etdump_event event;
                ets_etdump_event(&dump, &run, j, &event);
                walk_event(&dump, &event);
            }
        }
    }
    const struct ets_etdump_visitor visitor = {&dump, see_run, see_event, see_damage};
    (void)ets_etdump_salvage(&dump, bytes, &visitor, &error);
    return 0;
}

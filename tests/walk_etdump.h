/* Walks everything that the reader of ETDumps and its salvage hand out; for tests and fuzzing. */
#ifndef ETSCOPE_TESTS_WALK_ETDUMP_H
#define ETSCOPE_TESTS_WALK_ETDUMP_H

#include "etscope/etdump.h"
#include "walk_bytes.h"

static inline void walk_debug_value(const struct ets_etdump *dump, size_t payload_at)
{
    /* As a debug buffer any bytes will do. */
    static const uint8_t debug_bytes[256];
    const struct ets_bytes debug_buffer = {debug_bytes, sizeof debug_bytes};
    struct ets_debug_value value;
    ets_etdump_debug_value(dump, payload_at, &value);
    walk_sink += value.tensor_count;
    for (uint32_t i = 0; i < value.tensor_count; i++) {
        struct ets_tensor tensor;
        int64_t offset;
        if (ets_etdump_tensor(dump, &value, i, &tensor, &offset, NULL) != ETS_OK) continue;
        walk_sink += (uint64_t)offset;
        if (ets_etdump_tensor_data(debug_buffer, offset, &tensor, NULL) != ETS_OK) continue;
        walk_bytes(tensor.data, tensor.data_bytes);
    }
}

static inline void walk_etdump_event(const struct ets_etdump *dump,
                                     const struct ets_etdump_event *event)
{
    walk_text(event->name);
    walk_text(event->delegate_name);
    walk_bytes(event->metadata.data, event->metadata.size);
    walk_sink += event->start_ticks + event->end_ticks;
    if (event->kind == ETS_EVENT_DEBUG) walk_debug_value(dump, event->payload_at);
}

static inline void walk_etdump_run(const struct ets_etdump *dump, const struct ets_etdump_run *run)
{
    walk_text(run->name);
    for (uint32_t i = 0; i < run->allocator_count; i++) {
        walk_text(ets_etdump_allocator_name(dump, run, i));
    }
}

static inline void walk_etdump(const struct ets_etdump *dump)
{
    for (uint32_t i = 0; i < dump->run_count; i++) {
        struct ets_etdump_run run;
        ets_etdump_run(dump, i, &run);
        walk_etdump_run(dump, &run);
        for (uint32_t j = 0; j < run.event_count; j++) {
            struct ets_etdump_event event;
            ets_etdump_event(dump, &run, j, &event);
            walk_etdump_event(dump, &event);
        }
    }
}

#endif

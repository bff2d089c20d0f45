/*
 * Reads any bytes as an ETDump, also as a damaged one, and reads everything that the reader
 * returns.
 */
#include "../tests/walk_etdump.h"

#include "dump/etdump_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int see_run(void *context, const struct ets_etdump_run *run)
{
    walk_etdump_run(context, run);
    return 0;
}

static int see_event(void *context, const struct ets_etdump_event *event, size_t event_at)
{
    (void)event_at;
    walk_etdump_event(context, event);
    return 0;
}

static int see_damage(void *context, const struct ets_error *part)
{
    (void)context;
    walk_sink += (unsigned char)part->message[0];
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_bytes bytes = {data, size};
    struct ets_error error;
    struct ets_etdump dump;
    if (ets_etdump_init(&dump, bytes, &error) == ETS_OK) walk_etdump(&dump);
    const struct ets_etdump_visitor visitor = {&dump, see_run, see_event, see_damage};
    (void)ets_etdump_salvage(&dump, bytes, &visitor, &error);
    return 0;
}

/* Opens an inspection: events, blocks, methods, joins and clocks, one after the other. */
#include "inspect/delegates/inner_values.h"
#include "inspect/inspection.h"

/* A dump of 1 GB holds about 15 million events; their table and joins stay far below this limit. */
#define ARENA_LIMIT ((size_t)8 << 30)

static enum ets_status build(struct ets_inspection *inspection, struct ets_bytes dump,
                             struct ets_error *error)
{
    if (ets_strings_init(&inspection->strings, &inspection->arena) != 0) {
        return ets_fail_memory(error, "the names of events");
    }
    ETS_TRY(ets_events_load(inspection, dump, error));
    ETS_TRY(ets_blocks_build(inspection, error));
    ETS_TRY(ets_methods_match(inspection, error));
    ETS_TRY(ets_rows_join(inspection, error));
    ETS_TRY(ets_rows_name_operations(inspection, error));
    ETS_TRY(ets_delegate_clocks_find(inspection, error));
    return ets_inspection_find_taps(inspection, error);
}

enum ets_status ets_inspection_open(struct ets_bytes dump,
                                    const struct ets_inspect_options *options,
                                    struct ets_inspection **inspection_out, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, options->allocator, ARENA_LIMIT);
    struct ets_inspection *inspection = ets_arena_alloc(&arena, sizeof *inspection);
    if (inspection == NULL) return ets_fail_memory(error, "the trace");
    inspection->options = *options;
    inspection->arena = arena;
    const enum ets_status status = build(inspection, dump, error);
    if (status != ETS_OK) {
        ets_inspection_close(inspection);
        return status;
    }
    *inspection_out = inspection;
    return ETS_OK;
}

void ets_inspection_close(struct ets_inspection *inspection)
{
    if (inspection == NULL) return;
    struct ets_arena arena = inspection->arena; /* holds the inspection itself */
    ets_arena_reset(&arena);
}

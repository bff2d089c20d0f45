/* Describes an ETDump. */
#include <stdlib.h>
#include <string.h>

#include "cli/info/info_extra.h"
#include "cli/info/info_kinds.h"
#include "cli/traces/trace_notes.h"
#include "etscope/inspect.h"

/* The totals of a block's runs. */
struct block_counts {
    uint64_t events[ETS_EVENT_UNKNOWN + 1];
    uint64_t output_count;            /* debug events of program outputs */
    uint64_t tensor_count;            /* of debug events */
    uint64_t tensor_bytes;            /* of their elements */
    uint64_t least_ticks, most_ticks; /* first start and last end of profile events */
};

static const char *const kind_labels[] = {"profile", "debug", "allocation", "unknown"};

static uint64_t tensor_bytes(const struct ets_etdump *dump, const struct ets_debug_value *value)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < value->tensor_count; i++) {
        struct ets_tensor tensor;
        int64_t offset;
        if (ets_etdump_tensor(dump, value, i, &tensor, &offset, NULL) != ETS_OK) continue;
        const uint64_t count = ets_tensor_count(&tensor);
        if (count != UINT64_MAX) bytes += count * ets_scalar_type_bytes(tensor.scalar_type);
    }
    return bytes;
}

static void count_event(const struct ets_etdump *dump, const struct ets_event_table *events,
                        uint32_t index, struct block_counts *counts)
{
    counts->events[events->kind[index]]++;
    if (events->kind[index] == ETS_EVENT_PROFILE) {
        if (counts->most_ticks == 0 || events->start[index] < counts->least_ticks) {
            counts->least_ticks = events->start[index];
        }
        if (events->end[index] > counts->most_ticks) counts->most_ticks = events->end[index];
    } else if (events->kind[index] == ETS_EVENT_DEBUG) {
        struct ets_debug_value value;
        ets_etdump_debug_value(dump, (size_t)events->payload_at[index], &value);
        counts->output_count += value.is_output != 0;
        counts->tensor_count += value.tensor_count;
        counts->tensor_bytes += tensor_bytes(dump, &value);
    }
}

/* Counts for each block, to be freed; NULL if memory runs out. */
static struct block_counts *count_blocks(const struct ets_inspection *inspection)
{
    const struct ets_event_table *events = ets_inspection_events(inspection);
    const struct ets_etdump *dump = ets_inspection_dump(inspection);
    struct block_counts *counts =
        calloc(ets_inspection_block_count(inspection) + (size_t)1, sizeof *counts);
    for (uint32_t r = 0; counts != NULL && r < ets_inspection_run_count(inspection); r++) {
        const struct ets_run *run = ets_inspection_run(inspection, r);
        if (run->block == ETS_NO_INDEX) continue;
        for (uint32_t i = 0; i < run->event_count; i++) {
            count_event(dump, events, run->first_event + i, &counts[run->block]);
        }
    }
    return counts;
}

/* Names of a block's allocators, from its first run: all its runs list the same. */
static uint32_t count_allocators(const struct ets_inspection *inspection, uint32_t block,
                                 struct ets_etdump_run *run_out)
{
    const uint32_t first = ets_inspection_block(inspection, block)->first_run;
    ets_etdump_run(ets_inspection_dump(inspection), first, run_out);
    return run_out->allocator_count;
}

static void tell_allocators(struct info_request *request, const struct ets_inspection *inspection,
                            uint32_t block)
{
    struct ets_facts *facts = &request->facts;
    struct ets_etdump_run run;
    const uint32_t count = count_allocators(inspection, block, &run);
    if (count > 0) ets_facts_line(facts, "allocators");
    ets_json_begin_array(facts->json, "allocators");
    for (uint32_t i = 0; i < info_shown_wrapped(request, count); i++) {
        ets_facts_item(facts);
        ets_facts_text(facts, ETS_FACTS_ITEM,
                       ets_etdump_allocator_name(ets_inspection_dump(inspection), &run, i));
    }
    info_more_wrapped(request, count);
    ets_facts_end(facts);
    ets_json_end_array(facts->json);
}

static void tell_events(struct ets_facts *facts, const struct block_counts *counts)
{
    const char *before = "";
    ets_facts_line(facts, "events");
    for (int kind = 0; kind <= ETS_EVENT_UNKNOWN; kind++) {
        char key[32];
        snprintf(key, sizeof key, "%s_event_count", kind_labels[kind]);
        ets_json_put_count(facts->json, key, counts->events[kind]);
        if (counts->events[kind] == 0) continue;
        ets_facts_words(facts, "%s%llu %s", before, (unsigned long long)counts->events[kind],
                        kind_labels[kind]);
        before = ", ";
    }
    if (*before == '\0') ets_facts_words(facts, "none");
    ets_facts_end(facts);
}

static void tell_span(struct ets_facts *facts, const struct ets_inspection *inspection,
                      const struct block_counts *counts)
{
    const uint64_t span = counts->most_ticks - counts->least_ticks;
    int is_known;
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, &is_known);
    ets_json_put_count(facts->json, "first_tick", counts->least_ticks);
    ets_json_put_count(facts->json, "last_tick", counts->most_ticks);
    if (counts->events[ETS_EVENT_PROFILE] > 0) ets_facts_line(facts, "time span");
    if (unit == ETS_UNIT_CYCLES) {
        ets_facts_words(facts, "%llu cycles", (unsigned long long)span);
        ets_facts_end(facts);
        return;
    }
    if (!is_known) ets_facts_words(facts, "%llu ticks; ", (unsigned long long)span);
    ets_facts_words(facts, "%.3f ms%s", (double)span / 1e6,
                    is_known ? "" : " where a tick is 1 ns");
    ets_facts_end(facts);
}

static void tell_block(struct info_request *request, const struct ets_inspection *inspection,
                       uint32_t index, const struct block_counts *counts)
{
    struct ets_facts *facts = &request->facts;
    const struct ets_block *block = ets_inspection_block(inspection, index);
    ets_json_begin_object(facts->json, NULL);
    ets_facts_plain_line(facts, "\nblock %u: ", index);
    ets_facts_text(facts, "name", block->name);
    ets_facts_end(facts);
    ets_json_put_integer(facts->json, "bundled_input_index", block->bundled_input_index);
    ets_facts_number_line(facts, "runs", "run_count", block->run_count);
    info_tell_runs(facts, inspection, index);
    if (block->bundled_input_index >= 0) ets_facts_line(facts, "bundled case");
    ets_facts_integer(facts, NULL, block->bundled_input_index);
    ets_facts_end(facts);
    tell_events(facts, counts);
    tell_span(facts, inspection, counts);
    if (counts->tensor_count > 0) ets_facts_line(facts, "debug tensors");
    ets_facts_number(facts, "debug_tensor_count", counts->tensor_count);
    ets_facts_words(facts, ", ");
    ets_facts_bytes(facts, "debug_tensor_bytes", counts->tensor_bytes);
    ets_facts_words(facts, "; program outputs: ");
    ets_facts_number(facts, "output_event_count", counts->output_count);
    ets_facts_end(facts);
    tell_allocators(request, inspection, index);
    ets_json_end_object(facts->json);
}

static void tell_etdump(struct info_request *request, const struct ets_inspection *inspection,
                        const struct block_counts *counts)
{
    struct ets_facts *facts = &request->facts;
    const struct ets_etdump *dump = ets_inspection_dump(inspection);
    const uint32_t blocks = ets_inspection_block_count(inspection);
    info_begin(request);
    ets_facts_line(facts, "schema version");
    ets_facts_number(facts, "schema_version", dump->version);
    ets_facts_words(facts, ", ");
    ets_facts_bool(facts, "size_prefixed", dump->is_size_prefixed, "size-prefixed", "bare");
    ets_facts_end(facts);
    ets_facts_line(facts, "runs");
    ets_facts_number(facts, "run_count", dump->run_count);
    ets_facts_words(facts, " in ");
    ets_facts_count(facts, NULL, blocks, "block");
    ets_facts_end(facts);
    info_tell_extra(facts, inspection);
    ets_json_begin_array(facts->json, "blocks");
    for (uint32_t i = 0; i < info_shown(request, blocks); i++) {
        tell_block(request, inspection, i, &counts[i]);
    }
    info_more(request, blocks);
    ets_json_end_array(facts->json);
    info_end(request);
}

int info_etdump(struct info_request *request)
{
    const struct ets_inspect_options options = {.record = NULL};
    struct ets_inspection *inspection;
    struct ets_error error;
    const enum ets_status status =
        ets_inspection_open(request->bytes, &options, &inspection, &error);
    if (status != ETS_OK) {
        const int code = cli_fail(request->path, &error);
        if (status == ETS_TRUNCATED || status == ETS_MALFORMED) {
            cli_note("`etscope inspect --partial` reads the intact part");
        }
        return code;
    }
    for (uint32_t i = 0; i < ets_inspection_damage_count(inspection); i++) {
        cli_note_damage(ets_inspection_damage(inspection, i));
    }
    struct block_counts *counts = count_blocks(inspection);
    if (counts == NULL) request->is_out_of_memory = true;
    else tell_etdump(request, inspection, counts);
    free(counts);
    ets_inspection_close(inspection);
    return CLI_OK;
}

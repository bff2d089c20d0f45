/* info on an ETDump. */
#include <stdlib.h>
#include <string.h>

#include "cli/info/info_extra.h"
#include "cli/info/info_kinds.h"
#include "cli/open/trace_notes.h"
#include "etscope/inspect.h"

/* What a block's runs hold together. */
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

/* Counts for each block, to be freed; NULL where memory ran out. */
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

/* Names of a block's allocators: all its runs list the same ones, so the first is looked at. */
static uint32_t count_allocators(const struct ets_inspection *inspection, uint32_t block,
                                 struct ets_etdump_run *run_out)
{
    const uint32_t first = ets_inspection_block(inspection, block)->first_run;
    ets_etdump_run(ets_inspection_dump(inspection), first, run_out);
    return run_out->allocator_count;
}

static void print_allocators(struct info_request *request, const struct ets_inspection *inspection,
                             uint32_t block)
{
    struct ets_etdump_run run;
    struct info_list list;
    const uint32_t count = count_allocators(inspection, block, &run);
    if (count == 0) return;
    info_list_begin(&list, request->output, "allocators");
    for (uint32_t i = 0; i < info_shown_wrapped(request, count); i++) {
        struct info_line item = {.size = 0};
        info_add_text(&item, ets_etdump_allocator_name(ets_inspection_dump(inspection), &run, i));
        info_list_add(&list, &item);
    }
    if (info_shown_wrapped(request, count) < count) {
        struct info_line item = {.size = 0};
        info_add(&item, "and %u more (--all)", count - info_shown_wrapped(request, count));
        info_list_add(&list, &item);
    }
    info_list_end(&list);
}

static void print_events(struct info_request *request, const struct block_counts *counts)
{
    struct info_line line = {.size = 0};
    bool is_first = true;
    info_label(&line, "events");
    for (int kind = 0; kind <= ETS_EVENT_UNKNOWN; kind++) {
        if (counts->events[kind] == 0) continue;
        info_add(&line, "%s%llu %s", is_first ? "" : ", ", (unsigned long long)counts->events[kind],
                 kind_labels[kind]);
        is_first = false;
    }
    if (is_first) info_add(&line, "none");
    info_end_line(request->output, &line);
}

static void print_block(struct info_request *request, const struct ets_inspection *inspection,
                        uint32_t index, const struct block_counts *counts)
{
    const struct ets_block *block = ets_inspection_block(inspection, index);
    struct info_line line = {.size = 0};
    info_add(&line, "\nblock %u: ", index);
    info_add_text(&line, block->name);
    info_end_line(request->output, &line);
    info_fact(request->output, "runs", "%u", block->run_count);
    info_print_runs(request, inspection, index);
    if (block->bundled_input_index >= 0) {
        info_fact(request->output, "bundled case", "%d", block->bundled_input_index);
    }
    print_events(request, counts);
    if (counts->events[ETS_EVENT_PROFILE] > 0) {
        const uint64_t span = counts->most_ticks - counts->least_ticks;
        int is_known;
        (void)ets_inspection_tick_unit(inspection, &is_known);
        if (is_known) info_fact(request->output, "time span", "%.3f ms", (double)span / 1e6);
        else
            info_fact(request->output, "time span", "%llu ticks; %.3f ms where a tick is 1 ns",
                      (unsigned long long)span, (double)span / 1e6);
    }
    if (counts->tensor_count > 0) {
        info_label(&line, "debug tensors");
        info_add(&line, "%llu, ", (unsigned long long)counts->tensor_count);
        info_add_bytes(&line, counts->tensor_bytes);
        info_add(&line, "; program outputs: %llu", (unsigned long long)counts->output_count);
        info_end_line(request->output, &line);
    }
    print_allocators(request, inspection, index);
}

static void put_block(struct info_json *json, const struct ets_inspection *inspection,
                      uint32_t index, const struct block_counts *counts)
{
    const struct ets_block *block = ets_inspection_block(inspection, index);
    struct ets_etdump_run run;
    info_json_object(json, NULL);
    info_json_text(json, "name", block->name);
    info_json_integer(json, "bundled_input_index", block->bundled_input_index);
    info_json_count(json, "run_count", block->run_count);
    for (int kind = 0; kind <= ETS_EVENT_UNKNOWN; kind++) {
        char key[32];
        snprintf(key, sizeof key, "%s_event_count", kind_labels[kind]);
        info_json_count(json, key, counts->events[kind]);
    }
    info_json_count(json, "first_tick", counts->least_ticks);
    info_json_count(json, "last_tick", counts->most_ticks);
    info_json_count(json, "debug_tensor_count", counts->tensor_count);
    info_json_count(json, "debug_tensor_bytes", counts->tensor_bytes);
    info_json_count(json, "output_event_count", counts->output_count);
    info_json_array(json, "allocators");
    const uint32_t allocators = count_allocators(inspection, index, &run);
    for (uint32_t i = 0; i < allocators; i++) {
        info_json_text(json, NULL,
                       ets_etdump_allocator_name(ets_inspection_dump(inspection), &run, i));
    }
    info_json_end_array(json);
    info_json_end_object(json);
}

static void print_etdump(struct info_request *request, const struct ets_inspection *inspection,
                         const struct block_counts *counts)
{
    const struct ets_etdump *dump = ets_inspection_dump(inspection);
    const uint32_t blocks = ets_inspection_block_count(inspection);
    info_heading(request);
    info_fact(request->output, "schema version", "%u, %s", (unsigned)dump->version,
              dump->is_size_prefixed ? "size-prefixed" : "bare");
    struct info_line line = {.size = 0};
    info_label(&line, "runs");
    info_add(&line, "%u in ", (unsigned)dump->run_count);
    info_add_count(&line, blocks, "block");
    info_end_line(request->output, &line);
    info_print_extra(request, inspection);
    for (uint32_t i = 0; i < info_shown(request, blocks); i++) {
        print_block(request, inspection, i, &counts[i]);
    }
    info_more(request, blocks);
}

static void put_etdump(struct info_request *request, const struct ets_inspection *inspection,
                       const struct block_counts *counts)
{
    struct info_json *json = request->json;
    const struct ets_etdump *dump = ets_inspection_dump(inspection);
    info_json_row(json);
    info_json_heading(request, "etdump");
    info_json_count(json, "schema_version", dump->version);
    info_json_bool(json, "size_prefixed", dump->is_size_prefixed);
    info_json_count(json, "run_count", dump->run_count);
    info_put_extra(json, inspection);
    info_json_array(json, "blocks");
    for (uint32_t i = 0; i < ets_inspection_block_count(inspection); i++) {
        put_block(json, inspection, i, &counts[i]);
    }
    info_json_end_array(json);
    info_json_end_row(json);
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
            cli_note("`etscope inspect --partial` reads what is whole");
        }
        return code;
    }
    for (uint32_t i = 0; i < ets_inspection_damage_count(inspection); i++) {
        cli_note_damage(ets_inspection_damage(inspection, i));
    }
    struct block_counts *counts = count_blocks(inspection);
    if (counts == NULL) request->is_out_of_memory = true;
    else if (request->json != NULL) put_etdump(request, inspection, counts);
    else print_etdump(request, inspection, counts);
    free(counts);
    ets_inspection_close(inspection);
    return CLI_OK;
}

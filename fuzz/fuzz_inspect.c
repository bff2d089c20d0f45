/*
 * Inspects any bytes as an ETDump, complete or partial: rows, tables in every format, both views.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "base/load.h"
#include "etscope/experimental/arrow.h"
#include "etscope/inspect.h"
#include "host/output.h"
#include "inspect/accounting/accounting.h"
#include "inspect/time_details.h"
#include "inspect/upstream/upstream_view.h"
#include "output/table/account_table.h"
#include "output/table/allocation_table.h"
#include "output/table/allocator_table.h"
#include "output/table/annotate_table.h"
#include "output/table/operator_table.h"
#include "output/table/run_table.h"
#include "output/table/table.h"
#include "output/table/tensor_table.h"
#include "output/table/upstream_tsv.h"
#include "output/text/pool_snippet.h"
#include "views/account_lines.h"
#include "views/operator_options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile double sink;

/*
 * The fuzzer takes one view of one input, by its bytes, so that it sees a thousand inputs a second;
 * a replay takes all.
 */
static int is_taken(uint32_t choice, unsigned number, unsigned count)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return choice % count == number;
#else
    (void)choice;
    return number < count;
#endif
}

/* The table goes where its bytes are thrown away. */
static struct ets_output *nowhere(void)
{
    struct ets_output *output = NULL;
    if (ets_output_open("/dev/null", &output, NULL) != ETS_OK) abort();
    return output;
}

static void print_tables(const struct ets_inspection *inspection, enum ets_group_by group_by,
                         uint32_t choice)
{
    static const enum ets_sort_by orders[] = {ETS_SORT_ORDER, ETS_SORT_TIME, ETS_SORT_MAX,
                                              ETS_SORT_CALLS, ETS_SORT_NAME};
    const struct ets_operator_options options = {.group_by = group_by,
                                                 .sort = orders[group_by % 5],
                                                 .block = ETS_NO_INDEX,
                                                 .run = ETS_NO_INDEX,
                                                 .all_events = group_by == ETS_GROUP_OP};
    struct ets_table *table;
    if (ets_table_open(NULL, &table, NULL) != ETS_OK) abort();
    if (ets_operator_table_fill(table, inspection, &options, NULL) != ETS_OK) abort();
    for (int format = ETS_FORMAT_TABLE; format <= ETS_FORMAT_MARKDOWN; format++) {
        if (!is_taken(choice, (unsigned)format, ETS_FORMAT_MARKDOWN + 1)) continue;
        const struct ets_table_style style = {.format = (enum ets_format)format,
                                              .width = group_by == ETS_GROUP_NONE ? 80 : 0};
        struct ets_output *output = nowhere();
        if (ets_table_write(table, &style, output, NULL) != ETS_OK) abort();
        ets_output_discard(output);
    }
    ets_table_close(table);
}

/* Leaves of each block's tree add up to its roots, whatever the events say. */
static void add_up(const struct ets_inspection *inspection, uint32_t block)
{
    struct ets_accounting *accounting;
    const uint32_t *runs;
    if (ets_accounting_open(inspection, block, NULL, &accounting, NULL) != ETS_OK) abort();
    const uint32_t count = ets_accounting_runs(accounting, &runs);
    for (uint32_t r = 0; r < count; r++) {
        uint64_t left = 0; /* as unsigned: hostile ticks wrap */
        for (uint32_t i = 0; i < ets_accounting_node_count(accounting); i++) {
            const struct ets_account_node *node = ets_accounting_node(accounting, i);
            if (node->is_leaf && node->is_added) left -= (uint64_t)node->ticks[r];
            if (node->parent == ETS_NO_INDEX) left += (uint64_t)node->ticks[r];
        }
        if (left != 0) abort();
    }
    ets_accounting_close(accounting);
}

static void print_tree(const struct ets_inspection *inspection, uint32_t choice)
{
    const struct ets_account_options options = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .steady = 1, .all_events = 1};
    for (int format = ETS_FORMAT_TABLE; format <= ETS_FORMAT_MARKDOWN; format++) {
        if (!is_taken(choice, (unsigned)format, ETS_FORMAT_MARKDOWN + 1)) continue;
        const struct ets_table_style style = {.format = (enum ets_format)format};
        struct ets_table *table;
        if (ets_table_open(NULL, &table, NULL) != ETS_OK) abort();
        if (ets_account_table_fill(table, inspection, &options, NULL) != ETS_OK) abort();
        struct ets_output *output = nowhere();
        if (ets_table_write(table, &style, output, NULL) != ETS_OK) abort();
        ets_output_discard(output);
        ets_table_close(table);
    }
}

/* The tables that are no operator table. */
static void print_views(const struct ets_inspection *inspection)
{
    const struct ets_annotate_options annotate = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .all_frames = 1};
    for (int i = 0; i < 3; i++) {
        const struct ets_run_table_options runs = {
            .of = {.one_by_one = i == 1, .block = ETS_NO_INDEX, .run = ETS_NO_INDEX}};
        const struct ets_table_style style = {.format = ETS_FORMAT_TABLE, .width = 60};
        struct ets_table *table;
        struct ets_output *output = nowhere();
        if (ets_table_open(NULL, &table, NULL) != ETS_OK) abort();
        if ((i < 2 ? ets_run_table_fill(table, inspection, &runs, NULL)
                   : ets_annotate_table_fill(table, inspection, &annotate, NULL, NULL)) != ETS_OK) {
            abort();
        }
        if (ets_table_write(table, &style, output, NULL) != ETS_OK) abort();
        ets_output_discard(output);
        ets_table_close(table);
    }
}

/* What the trace tells of memory; the pools that follow from it are no larger than it says. */
static void print_memory(const struct ets_inspection *inspection)
{
    const struct ets_table_style style = {.format = ETS_FORMAT_TABLE, .width = 60};
    for (int i = 0; i < 3; i++) {
        struct ets_table *table;
        struct ets_output *output = nowhere();
        if (ets_table_open(NULL, &table, NULL) != ETS_OK) abort();
        const enum ets_status status =
            i < 2 ? ets_allocator_table_fill(table, inspection, i == 1, NULL)
                  : ets_allocation_table_fill(table, inspection, NULL);
        if (status != ETS_OK && (i < 2 || status != ETS_NOT_FOUND)) abort();
        if (ets_table_write(table, &style, output, NULL) != ETS_OK) abort();
        ets_output_discard(output);
        ets_table_close(table);
    }
    struct ets_arena arena;
    struct ets_allocation_owners owners;
    struct ets_allocation_pools pools;
    struct ets_output *output = nowhere();
    ets_arena_init(&arena, NULL, 0);
    if (!ets_allocation_owners_collect(&arena, inspection, &owners)) abort();
    if (!ets_allocation_pools_collect(&arena, &owners, &pools)) abort();
    if (pools.count > owners.count) abort();
    ets_pool_snippet_write(&owners, &pools, output);
    ets_output_discard(output);
    ets_arena_reset(&arena);
}

/* Captured tensors against a debug buffer that is the dump itself. */
static void print_tensors(const struct ets_inspection *inspection, struct ets_bytes dump)
{
    const struct ets_tensor_table_options options = {
        .debug_buffer = dump,
        .filter = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .event = ETS_NO_INDEX}};
    const struct ets_table_style style = {.format = ETS_FORMAT_JSON};
    struct ets_table *table;
    struct ets_output *output = nowhere();
    if (ets_table_open(NULL, &table, NULL) != ETS_OK) abort();
    if (ets_tensor_table_fill(table, inspection, &options, NULL, NULL) != ETS_OK) abort();
    if (ets_table_write(table, &style, output, NULL) != ETS_OK) abort();
    ets_output_discard(output);
    ets_table_close(table);
}

/* Parents lie in the same block, and following them ends. */
static void walk_rows(const struct ets_inspection *inspection)
{
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        uint32_t depth = 0;
        for (uint32_t at = row->parent; at != ETS_NO_INDEX; depth++) {
            const struct ets_row *parent = ets_inspection_row(inspection, at);
            if (parent->block != row->block || depth > 8) abort();
            at = parent->parent;
        }
        if (depth != row->depth) abort();
        struct ets_statistics times;
        if (ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &times, NULL) != ETS_OK) {
            abort();
        }
        if (times.count != ets_inspection_block(inspection, row->block)->run_count) abort();
        sink = times.mean;
    }
}

static void print_view(struct ets_inspection *inspection, enum ets_time_unit source,
                       enum ets_time_unit target)
{
    const struct ets_upstream_view *view;
    if (ets_inspection_mended_view(inspection, source, target, &view, NULL) != ETS_OK) abort();
    if (ets_inspection_upstream_view(inspection, source, target, &view, NULL) != ETS_OK) return;
    struct ets_output *output = nowhere();
    ets_upstream_write_tsv(view, output);
    ets_output_discard(output);
}

/* Makes the extra block's check sum good, so that what stands behind it is reached. */
static uint8_t *with_good_sum(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) abort();
    if (size > 0) memcpy(copy, data, size);
    if (size < 16 || memcmp(copy + size - 4, ETS_TRACE_EXTRA_MAGIC, 4) != 0) return copy;
    const uint32_t bytes = ets_load_u32(copy + size - 16);
    if (bytes > size - 16) return copy;
    const uint32_t sum = ets_crc32(0, copy + size - 16 - bytes, bytes);
    for (unsigned i = 0; i < 4; i++) copy[size - 12 + i] = (uint8_t)(sum >> 8 * i);
    return copy;
}

static void walk_runs(const struct ets_inspection *inspection)
{
    for (uint32_t i = 0; i < ets_inspection_run_count(inspection); i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        const struct ets_block *block = ets_inspection_block(inspection, run->block);
        if (block->is_method_named != (run->method.data != NULL)) abort();
        const struct ets_tracing_cost cost = ets_inspection_tracing_cost(inspection, i);
        if (cost.low > cost.ns || cost.ns > cost.high) abort();
        sink = cost.ns + run->invocation;
    }
}

static void try_bytes(struct ets_bytes bytes, int subtract_overhead)
{
    const enum ets_time_unit unit = bytes.size % 2 == 0 ? ETS_UNIT_NS : ETS_UNIT_CYCLES;
    const struct ets_inspect_options options = {
        .partial = 1, .tick_unit = unit, .subtract_overhead = subtract_overhead};
    struct ets_inspection *inspection;
    struct ets_error error;
    if (ets_inspection_open(bytes, &options, &inspection, &error) != ETS_OK) return;
    enum { GROUPS = ETS_GROUP_HANDLE + 1, VIEWS = GROUPS + 6 };
    const uint32_t choice = ets_crc32(0, bytes.data, bytes.size), inner = choice / VIEWS;
    walk_runs(inspection);
    walk_rows(inspection);
    for (unsigned group = 0; group < GROUPS; group++) {
        if (is_taken(choice, group, VIEWS)) {
            print_tables(inspection, (enum ets_group_by)group, inner);
        }
    }
    for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
        if (is_taken(choice, GROUPS + 4, VIEWS)) add_up(inspection, b);
    }
    if (is_taken(choice, GROUPS, VIEWS)) print_tree(inspection, inner);
    if (is_taken(choice, GROUPS + 1, VIEWS)) print_views(inspection);
    if (is_taken(choice, GROUPS + 2, VIEWS)) print_tensors(inspection, bytes);
    if (is_taken(choice, GROUPS + 5, VIEWS)) print_memory(inspection);
    if (is_taken(choice, GROUPS + 3, VIEWS)) {
        print_view(inspection, unit, unit == ETS_UNIT_NS ? ETS_UNIT_MS : ETS_UNIT_CYCLES);
    }
    struct ArrowArrayStream events;
    if (ets_arrow_events(inspection, NULL, &events, NULL) != ETS_OK) abort();
    ets_inspection_close(inspection);
    events.release(&events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = with_good_sum(data, size);
    const struct ets_bytes bytes = {copy, size};
    struct ets_trace_extra extra;
    const uint32_t choice = ets_crc32(1, data, size);
    const int has_extra = ets_trace_extra_init(&extra, bytes, NULL) == ETS_OK;
    if (!has_extra || is_taken(choice, 0, 2)) try_bytes(bytes, 0);
    if (has_extra && is_taken(choice, 1, 2)) try_bytes(bytes, 1);
    free(copy);
    return 0;
}

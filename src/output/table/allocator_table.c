/* Allocation events of a trace as tables. */
#include "output/table/allocator_table.h"

#include <stdio.h>

#include "base/error.h"
#include "etscope/experimental/row_filter.h"
#include "host/text_builder.h"

/* What the cells of a line are of. */
struct line {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    const struct ets_allocator_use *use;
    const struct ets_allocation_event *event; /* NULL: the line is the allocator's */
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static const struct ets_block *block_of(const struct line *line)
{
    return ets_inspection_block(line->inspection, line->use->block);
}

static void put_block_index(const struct line *line)
{
    ets_table_put_integer(line->table, line->use->block);
}

static void put_block(const struct line *line)
{
    ets_table_put_text(line->table, block_of(line)->name);
}

static void put_method(const struct line *line)
{
    ets_table_put_string(line->table, block_of(line)->method);
}

static void put_number(const struct line *line)
{
    ets_table_put_integer(line->table, line->use->number);
}

/* Without a name, its number. */
static void put_name(const struct line *line)
{
    char text[32];
    if (line->use->name.data != NULL) {
        ets_table_put_text(line->table, line->use->name);
        return;
    }
    const int size = snprintf(text, sizeof text, "#%lld", (long long)line->use->number);
    ets_table_put_text(line->table, (struct ets_text){text, (size_t)size});
}

static void put_runs(const struct line *line)
{
    ets_table_put_integer(line->table, line->use->runs);
}

static void put_count(const struct line *line)
{
    ets_table_put_integer(line->table, (int64_t)line->use->count);
}

static void put_current(const struct line *line)
{
    const uint64_t current = line->event != NULL ? line->event->current : line->use->current;
    ets_table_put_integer(line->table, (int64_t)current);
}

static void put_peak(const struct line *line)
{
    ets_table_put_integer(line->table, (int64_t)line->use->peak);
}

static void put_step_peak(const struct line *line)
{
    ets_table_put_integer(line->table, (int64_t)line->use->step_peak);
}

static void put_largest(const struct line *line)
{
    ets_table_put_integer(line->table, (int64_t)line->use->largest);
}

static void put_total(const struct line *line)
{
    ets_table_put_integer(line->table, (int64_t)line->use->total);
}

static const struct field allocator_fields[] = {
    {{.name = "block_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_block_index},
    {{.name = "block"}, put_block},
    {{.name = "method", .priority = 3}, put_method},
    {{.name = "allocator"}, put_name},
    {{.name = "number", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_number},
    {{.name = "runs", .kind = ETS_COLUMN_INTEGER, .priority = 4}, put_runs},
    {{.name = "allocations", .kind = ETS_COLUMN_INTEGER}, put_count},
    {{.name = "current", .kind = ETS_COLUMN_BYTES}, put_current},
    {{.name = "peak", .kind = ETS_COLUMN_BYTES}, put_peak},
    {{.name = "instruction_peak", .title = "in an instruction", .kind = ETS_COLUMN_BYTES},
     put_step_peak},
    {{.name = "largest", .kind = ETS_COLUMN_BYTES, .priority = 2}, put_largest},
    {{.name = "total", .kind = ETS_COLUMN_BYTES, .priority = 1}, put_total},
};

static void put_event(const struct line *line)
{
    ets_table_put_integer(line->table, line->event->event);
}

static void put_run(const struct line *line)
{
    ets_table_put_integer(line->table, line->event->run);
}

static void put_bytes(const struct line *line)
{
    ets_table_put_integer(line->table, (int64_t)line->event->bytes);
}

static void put_instruction(const struct line *line)
{
    if (line->event->chain < 0) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->event->instruction);
}

static void put_operator(const struct line *line)
{
    if (line->event->row == ETS_NO_INDEX) {
        ets_table_put_nothing(line->table);
    } else {
        ets_table_put_text(
            line->table, ets_row_operator(ets_inspection_row(line->inspection, line->event->row)));
    }
}

static const struct field event_fields[] = {
    {{.name = "event", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_event},
    {{.name = "run", .kind = ETS_COLUMN_INTEGER}, put_run},
    {{.name = "block"}, put_block},
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "allocator"}, put_name},
    {{.name = "number", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_number},
    {{.name = "taken", .title = "bytes", .kind = ETS_COLUMN_BYTES}, put_bytes},
    {{.name = "current", .kind = ETS_COLUMN_BYTES}, put_current},
    {{.name = "instruction", .kind = ETS_COLUMN_INTEGER}, put_instruction},
    {{.name = "operator", .title = "before the end of", .priority = 1}, put_operator},
};

#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

static void put_line(const struct field *fields, size_t count, const struct line *line)
{
    ets_table_add_row(line->table, 0);
    for (size_t i = 0; i < count; i++) fields[i].put(line);
}

static void add_headline(struct ets_table *table, const struct ets_allocation_events *view)
{
    char text[256];
    const size_t size = ets_allocation_events_headline(view, text, sizeof text);
    ets_table_add_section(table, (struct ets_text){text, size});
}

enum ets_status ets_allocator_table_fill(struct ets_table *table,
                                         const struct ets_inspection *inspection, bool one_by_one,
                                         struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_allocation_events view;
    const struct field *fields = one_by_one ? event_fields : allocator_fields;
    const size_t count = one_by_one ? COUNT(event_fields) : COUNT(allocator_fields);
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    const bool ok = ets_allocation_events_collect(&arena, inspection, &view);
    if (ok) {
        ets_table_add_columns(table, &fields[0].column, sizeof *fields, count, 0);
        add_headline(table, &view);
    }
    struct line line = {.table = table, .inspection = inspection};
    for (uint32_t i = 0; ok && i < (one_by_one ? view.count : view.allocator_count); i++) {
        line.event = one_by_one ? &view.items[i] : NULL;
        line.use = &view.allocators[one_by_one ? view.items[i].allocator : i];
        put_line(fields, count, &line);
    }
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the table of allocations");
}

/* The table of planned memory: tensors with place, size and lifetime. */
#include "output/table/memory_table.h"

#include "output/table/entity_table.h"

/* How people see the columns. */
static const struct ets_column arranged[] = {
    {.name = "method", .machine_only = 1},
    {.name = "value", .title = "#"},
    {.name = "kind", .priority = 2},
    {.name = "size_is", .title = "size known", .priority = 6, .machine_only = 1},
    {.name = "memory_id", .title = "memory", .priority = 6, .dull_at_one = 1},
    {.name = "offset", .priority = 4},
    {.name = "first", .priority = 1},
    {.name = "last", .priority = 1},
    {.name = "lifetime", .machine_only = 1},
    {.name = "lifetime_is", .title = "lifetime known", .machine_only = 1},
    {.name = "producer", .machine_only = 1},
    {.name = "operator", .title = "made by", .least_width = 20, .cut_in_middle = 1},
    {.name = "readers", .machine_only = 1},
    {.name = "consumers", .machine_only = 1},
    {.name = "view_of", .title = "view of", .priority = 5},
    {.name = "in_place_of", .title = "in place of", .priority = 5},
    {.name = "dtype", .priority = 5},
    {.name = "shape", .priority = 3},
    {.name = "name", .priority = 3, .least_width = 12, .cut_at_start = 1},
    {.name = "source", .least_width = 14, .cut_at_start = 1, .first_of_list = 1},
    {.name = "module", .priority = 3, .least_width = 10, .first_of_list = 1},
    {.name = NULL},
};

static const struct ets_entity_view view = {
    .entity = &ets_memory_tensors_entity, .arranged = {arranged}, .has_unit = 1};

void ets_memory_table_begin(struct ets_table *table)
{
    ets_entity_table_begin(table, &view, NULL, NULL);
}

void ets_memory_table_add(struct ets_table *table, const struct ets_memory_lines *lines,
                          uint32_t top)
{
    char text[1024];
    struct ets_arena scratch;
    struct ets_memory_shown shown = {.lines = lines};
    struct ets_entity_row row = {.within = lines->plan, .shown = &shown, .scratch = &scratch};
    ets_arena_init(&scratch, ets_table_allocator(table), 0);
    size_t size = ets_memory_headline(lines, text, sizeof text);
    ets_table_add_section(table, (struct ets_text){text, size});
    for (uint32_t i = 0; i < lines->count && (top == 0 || i < top); i++) {
        shown.line = &lines->items[i];
        row.item = shown.line->tensor;
        ets_method_value(&lines->plan->method, shown.line->tensor->value, &shown.value);
        ets_table_add_row(table, 0);
        ets_entity_table_put(table, &view, &row, NULL, NULL);
        ets_arena_reset(&scratch);
    }
    for (uint32_t a = 0; a < lines->plan->arena_count; a++) {
        size = ets_memory_arena_note(lines->plan, a, text, sizeof text);
        if (size > 0) ets_table_add_note(table, (struct ets_text){text, size});
    }
    size = ets_memory_choices(lines->plan, text, sizeof text);
    if (size > 0) ets_table_add_note(table, (struct ets_text){text, size});
    size = ets_memory_beside(lines, text, sizeof text);
    if (size > 0) ets_table_add_note(table, (struct ets_text){text, size});
}

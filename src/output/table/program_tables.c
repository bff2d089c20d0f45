/* The tables of programs in one call each: opens what they are of, fills them, closes it again. */
#include "output/table/program_tables.h"

#include "base/error.h"
#include "contents/byte_map.h"
#include "contents/program_difference.h"
#include "output/table/memory_alternatives_table.h"
#include "output/table/memory_steps_table.h"
#include "output/table/memory_table.h"
#include "output/table/program_difference_table.h"
#include "output/table/size_table.h"
#include "views/memory_findings.h"
#include "views/memory_methods.h"

static void add_findings(struct ets_table *table, const struct ets_memory_lines *lines)
{
    char text[512];
    for (uint32_t i = 0; i < lines->findings.count; i++) {
        const size_t size =
            ets_memory_finding_print(lines->plan, &lines->findings.items[i], text, sizeof text);
        ets_table_add_note(table, (struct ets_text){text, size});
    }
}

static bool add_steps(struct ets_table *table, struct ets_arena *arena,
                      const struct ets_memory_lines *lines, const struct ets_delegation *delegation)
{
    char text[1024];
    struct ets_memory_steps steps;
    const size_t size = ets_memory_headline(lines, text, sizeof text);
    if (!ets_memory_steps_collect(arena, lines->plan, delegation, 0, &steps)) return false;
    ets_memory_steps_table_add(table, &steps, (struct ets_text){text, size});
    return true;
}

static bool add_lines(struct ets_table *table, struct ets_arena *arena,
                      const struct ets_memory_plan *plan, const struct ets_delegation *delegation,
                      enum ets_memory_rows rows)
{
    struct ets_memory_lines lines;
    const struct ets_memory_options options = {.delegation = delegation,
                                               .all = rows == ETS_MEMORY_ALL_TENSORS};
    if (!ets_memory_lines_collect(arena, plan, &options, &lines)) return false;
    if (rows != ETS_MEMORY_STEPS) ets_memory_table_add(table, &lines, 0);
    else if (!add_steps(table, arena, &lines, delegation)) return false;
    add_findings(table, &lines);
    return true;
}

static enum ets_status add_method(struct ets_table *table, const struct ets_method *method,
                                  const struct ets_delegation *delegation,
                                  enum ets_memory_rows rows, struct ets_memory_methods *methods,
                                  struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_memory_plan plan;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    enum ets_status status = ets_memory_plan_init(&plan, method, &arena, error);
    if (status == ETS_OK) ets_memory_methods_add(methods, &plan);
    if (status == ETS_OK && rows == ETS_MEMORY_ALTERNATIVES) {
        status = ets_memory_alternatives_table_add(table, &plan, error);
    } else if (status == ETS_OK && !add_lines(table, &arena, &plan, delegation, rows)) {
        status = ets_fail_memory(error, "the table of planned memory");
    }
    ets_arena_reset(&arena);
    return status;
}

static enum ets_status add_methods(struct ets_table *table, const struct ets_program *program,
                                   const struct ets_delegation *delegation, const char *name,
                                   enum ets_memory_rows rows, struct ets_error *error)
{
    char text[256];
    struct ets_method method;
    struct ets_memory_methods methods = {.count = 0};
    if (name != NULL) {
        ETS_TRY(ets_program_find_method(program, name, &method, error));
        return add_method(table, &method, delegation, rows, &methods, error);
    }
    for (uint32_t i = 0; i < program->method_count; i++) {
        ets_program_method(program, i, &method);
        ETS_TRY(add_method(table, &method, delegation, rows, &methods, error));
    }
    const size_t size = ets_memory_methods_headline(&methods, text, sizeof text);
    if (size > 0) ets_table_add_lead(table, (struct ets_text){text, size});
    return ETS_OK;
}

enum ets_status ets_memory_table_fill(struct ets_table *table, const struct ets_program *program,
                                      struct ets_etrecord *record, const char *method,
                                      enum ets_memory_rows rows, struct ets_error *error)
{
    struct ets_delegation *delegation = NULL;
    const struct ets_delegation_options options = {.program = program,
                                                   .record = record,
                                                   .method = method,
                                                   .allocator = ets_table_allocator(table)};
    if (record != NULL) ETS_TRY(ets_delegation_open(&options, &delegation, error));
    if (rows == ETS_MEMORY_ALTERNATIVES) ets_memory_alternatives_table_begin(table);
    else if (rows == ETS_MEMORY_STEPS) ets_memory_steps_table_begin(table);
    else ets_memory_table_begin(table);
    const enum ets_status status = add_methods(table, program, delegation, method, rows, error);
    ets_delegation_close(delegation);
    return status;
}

enum ets_status ets_size_table_of(struct ets_table *table, struct ets_bytes file,
                                  struct ets_etrecord *record, struct ets_error *error)
{
    struct ets_byte_map *map;
    const struct ets_byte_source source = {.path = "", .bytes = file};
    const struct ets_byte_options options = {
        .sources = &source, .source_count = 1, .record = record, .find_duplicates = true};
    const struct ets_size_table_options rows = {.by = ETS_SIZE_BY_PART};
    ETS_TRY(ets_byte_map_open(&options, ets_table_allocator(table), &map, NULL, error));
    enum ets_status status = ETS_OK;
    if (record != NULL) status = ets_program_check_record(&map->files[0].program, record, error);
    if (status == ETS_OK) status = ets_size_table_fill(table, map, &rows, error);
    ets_byte_map_close(map);
    return status;
}

enum ets_status ets_program_difference_of(struct ets_table *table,
                                          const struct ets_program *const programs[2],
                                          struct ets_etrecord *const records[2],
                                          struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_program_difference difference;
    struct ets_program_changes changes;
    const struct ets_program_side sides[2] = {{.program = programs[0], .record = records[0]},
                                              {.program = programs[1], .record = records[1]}};
    const struct ets_program_difference_table_options options = {.is_brief = false};
    for (int s = 0; s < 2; s++) {
        if (records[s] != NULL) ETS_TRY(ets_program_check_record(programs[s], records[s], error));
    }
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    enum ets_status status = ets_program_difference_find(&arena, sides, &difference, error);
    if (status == ETS_OK) {
        status = ets_program_changes_collect(&arena, &difference, 0, &changes, error);
    }
    if (status == ETS_OK) ets_program_difference_table_fill(table, &changes, &options);
    ets_arena_reset(&arena);
    return status;
}

/* Who takes a method's memory, as a table. */
#include "output/table/allocation_table.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "etscope/experimental/row_filter.h"

/* What the cells of a line are of: an owner, or the process at a moment. */
struct line {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    const struct ets_allocation_owner *owner; /* NULL: the process's */
    const struct ets_process_memory *process; /* NULL: an owner's */
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_amount(const struct line *line, uint64_t amount)
{
    if (amount == ETS_MEMORY_UNKNOWN) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, (int64_t)amount);
}

static const struct ets_held_memory *held_of(const struct line *line)
{
    return line->owner == NULL ? NULL : line->owner->held;
}

static void put_method(const struct line *line)
{
    ets_table_put_text(line->table,
                       line->owner != NULL ? held_of(line)->method : line->process->method);
}

static void put_owner(const struct line *line)
{
    ets_table_put_string(
        line->table, line->owner == NULL ? "process" : ets_memory_owner_name(held_of(line)->owner));
}

/* Which of several: a backend, a memory id, a moment. */
static void put_part(const struct line *line)
{
    const struct ets_held_memory *held = held_of(line);
    char text[48];
    if (held == NULL) {
        ets_table_put_string(line->table, ets_memory_moment_name(line->process->moment));
    } else if (held->owner == ETS_MEMORY_PLANNED) {
        const int size =
            snprintf(text, sizeof text, "memory id %llu%s", (unsigned long long)held->index + 1,
                     held->is_shared ? ", shared" : "");
        ets_table_put_text(line->table, (struct ets_text){text, (size_t)size});
    } else if (held->owner == ETS_MEMORY_METHOD || held->owner == ETS_MEMORY_TEMPORARY) {
        if (held->backend.data != NULL) ets_table_put_text(line->table, held->backend);
        else {
            ets_table_put_string(line->table,
                                 held->owner == ETS_MEMORY_METHOD ? "runtime" : "kernels");
        }
    } else {
        ets_table_put_string(line->table, ets_stack_threads_name(held));
    }
}

static void put_phase(const struct line *line)
{
    static const char *const names[] = {NULL, "load", "run"};
    ets_table_put_string(line->table, line->owner == NULL ? NULL : names[held_of(line)->phase]);
}

static void put_bytes(const struct line *line)
{
    put_amount(line, line->owner == NULL ? line->process->resident : held_of(line)->bytes);
}

static void put_share(const struct line *line)
{
    const double share = line->owner == NULL ? NAN : line->owner->share;
    if (isnan(share)) ets_table_put_nothing(line->table);
    else ets_table_put_bounds(line->table, share, share);
}

static void put_touched(const struct line *line)
{
    put_amount(line, line->owner == NULL ? ETS_MEMORY_UNKNOWN : held_of(line)->touched);
}

static bool is_allocator(const struct line *line)
{
    return line->owner != NULL && (held_of(line)->owner == ETS_MEMORY_METHOD ||
                                   held_of(line)->owner == ETS_MEMORY_TEMPORARY);
}

static void put_count(const struct line *line)
{
    put_amount(line, is_allocator(line) ? held_of(line)->count : ETS_MEMORY_UNKNOWN);
}

static void put_runs(const struct line *line)
{
    const bool has = line->owner != NULL && held_of(line)->phase == ETS_MEMORY_RUN;
    put_amount(line, has ? held_of(line)->runs : ETS_MEMORY_UNKNOWN);
}

static void put_alignment(const struct line *line)
{
    const bool has = line->owner != NULL && held_of(line)->alignment > 0;
    put_amount(line, has ? held_of(line)->alignment : ETS_MEMORY_UNKNOWN);
}

static void put_threads(const struct line *line)
{
    const bool has = line->owner != NULL && held_of(line)->owner == ETS_MEMORY_STACK;
    put_amount(line, has ? held_of(line)->count : ETS_MEMORY_UNKNOWN);
}

static void put_processor(const struct line *line)
{
    const struct ets_text none = {NULL, 0};
    ets_table_put_text(line->table, line->owner == NULL ? none : held_of(line)->processor);
}

static void put_instruction(const struct line *line)
{
    const bool has = line->owner != NULL && held_of(line)->chain >= 0;
    put_amount(line, has ? held_of(line)->instruction : ETS_MEMORY_UNKNOWN);
}

static void put_operator(const struct line *line)
{
    const uint32_t row = line->owner == NULL ? ETS_NO_INDEX : line->owner->row;
    if (row == ETS_NO_INDEX) ets_table_put_nothing(line->table);
    else
        ets_table_put_text(line->table,
                           ets_row_operator(ets_inspection_row(line->inspection, row)));
}

static void put_of_files(const struct line *line)
{
    put_amount(line, line->owner != NULL ? ETS_MEMORY_UNKNOWN : line->process->of_files);
}

static void put_heap(const struct line *line)
{
    put_amount(line, line->owner != NULL ? ETS_MEMORY_UNKNOWN : line->process->heap);
}

static const struct field fields[] = {
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "owner"}, put_owner},
    {{.name = "part", .least_width = 12}, put_part},
    {{.name = "phase", .priority = 1}, put_phase},
    {{.name = "held", .title = "bytes", .kind = ETS_COLUMN_BYTES}, put_bytes},
    {{.name = "share", .kind = ETS_COLUMN_SHARE, .priority = 1}, put_share},
    {{.name = "touched", .kind = ETS_COLUMN_BYTES, .priority = 2}, put_touched},
    {{.name = "allocations", .kind = ETS_COLUMN_INTEGER, .priority = 3}, put_count},
    {{.name = "runs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_runs},
    {{.name = "alignment", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_alignment},
    {{.name = "instruction", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_instruction},
    {{.name = "threads", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_threads},
    {{.name = "processor", .machine_only = 1}, put_processor},
    {{.name = "operator", .title = "most in", .least_width = 12, .priority = 4}, put_operator},
    {{.name = "file", .title = "of files", .kind = ETS_COLUMN_BYTES, .priority = 6}, put_of_files},
    {{.name = "heap", .kind = ETS_COLUMN_BYTES, .priority = 2}, put_heap},
};

enum { FIELDS = sizeof fields / sizeof *fields };

static void put_line(const struct line *line)
{
    ets_table_add_row(line->table, 0);
    for (size_t i = 0; i < FIELDS; i++) fields[i].put(line);
}

static void put_method_rows(struct ets_table *table, const struct ets_inspection *inspection,
                            const struct ets_allocation_owners *view, uint32_t index)
{
    const struct ets_allocation_method *method = &view->methods[index];
    char headline[512];
    const size_t size = ets_allocation_headline(view, index, headline, sizeof headline);
    ets_table_add_section(table, (struct ets_text){headline, size});
    for (uint32_t i = 0; index == 0 && i < method->first; i++) { /* the program's own files */
        put_line(&(struct line){table, inspection, &view->items[i], NULL});
    }
    for (uint32_t i = 0; i < method->count; i++) {
        put_line(&(struct line){table, inspection, &view->items[method->first + i], NULL});
    }
    for (unsigned m = 0; m < ETS_MOMENT_COUNT; m++) {
        if (method->process[m] == NULL) continue;
        put_line(&(struct line){table, inspection, NULL, method->process[m]});
    }
}

enum ets_status ets_allocation_table_fill(struct ets_table *table,
                                          const struct ets_inspection *inspection,
                                          struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_allocation_owners view;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    const bool ok = ets_allocation_owners_collect(&arena, inspection, &view);
    const bool is_told = ok && view.method_count > 0;
    if (is_told) ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 0);
    for (uint32_t m = 0; is_told && m < view.method_count; m++) {
        put_method_rows(table, inspection, &view, m);
    }
    ets_arena_reset(&arena);
    if (!ok) return ets_fail_memory(error, "the table of memory");
    if (is_told) return ETS_OK;
    return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "the trace has no memory measurements");
}

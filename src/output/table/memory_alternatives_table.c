/* The table of other memory plans, compared with the exported plan. */
#include "output/table/memory_alternatives_table.h"

#include <inttypes.h>

#include "format/program_names.h"
#include "host/text_builder.h"
#include "views/memory_alternatives.h"

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    const struct ets_memory_plan *plan;
    const struct ets_memory_alternative *of;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_method(const struct line *line)
{
    ets_table_put_text(line->table, line->plan->method.name);
}

/* What makes the tensor: "aten::addmm", "MoveCall"; an input or buffer: its kind. */
static void say_tensor(struct ets_text_builder *text, const struct line *line, uint32_t index)
{
    struct ets_instruction call = {.kind = ETS_INSTRUCTION_UNKNOWN};
    const struct ets_plan_tensor *tensor = &line->plan->tensors[index];
    ets_add_plain_text(text, "%" PRIu32, tensor->value);
    if (tensor->producer != ETS_PLAN_NONE) {
        ets_plan_instruction(line->plan, tensor->producer, &call);
        if (call.name.size > 0) ets_add_plain_text(text, " (%.*s)", ETS_TEXT(call.name));
        else ets_add_plain_text(text, " (%s)", ets_instruction_kind_name(call.kind));
    } else {
        ets_add_plain_text(text, " (%s)", ets_plan_kind_name(tensor->kind));
    }
}

static void put_plan(const struct line *line)
{
    char room[256];
    struct ets_text_builder text = {room, sizeof room, 0};
    switch (line->of->kind) {
    case ETS_ALTERNATIVE_EXPORTED: ets_add_plain_text(&text, "as exported"); break;
    case ETS_ALTERNATIVE_REPLANNED: ets_add_plain_text(&text, "placed anew"); break;
    case ETS_ALTERNATIVE_IN_PLACE: ets_add_plain_text(&text, "with in-place results"); break;
    case ETS_ALTERNATIVE_ALIGNED:
        ets_add_plain_text(&text, "aligned to %" PRIu32 " B", line->of->alignment);
        break;
    case ETS_ALTERNATIVE_WITHOUT:
        ets_add_plain_text(&text, "without value ");
        say_tensor(&text, line, line->of->tensor);
        break;
    case ETS_ALTERNATIVE_PAIR:
        ets_add_plain_text(&text, "without values ");
        say_tensor(&text, line, line->of->tensor);
        ets_add_plain_text(&text, " and ");
        say_tensor(&text, line, line->of->other);
        break;
    case ETS_ALTERNATIVE_BOUND:
        ets_add_plain_text(&text, "lower bound%s", line->plan->has_branches ? ", at most" : "");
        break;
    }
    ets_table_put_text(line->table, ets_built_text(&text));
}

static void put_alignment(const struct line *line)
{
    if (line->of->kind == ETS_ALTERNATIVE_BOUND) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->of->alignment);
}

static void put_value(const struct line *line)
{
    if (line->of->tensor == ETS_PLAN_NONE) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->plan->tensors[line->of->tensor].value);
}

static void put_other(const struct line *line)
{
    if (line->of->other == ETS_PLAN_NONE) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->plan->tensors[line->of->other].value);
}

static int64_t clip(uint64_t bytes)
{
    return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

static void put_bytes(const struct line *line)
{
    ets_table_put_count(line->table, line->of->bytes);
}

static void put_change(const struct line *line)
{
    const int64_t change = clip(line->of->bytes) - clip(line->plan->planned_bytes);
    if (line->of->kind == ETS_ALTERNATIVE_EXPORTED) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, change);
}

static void put_ratio(const struct line *line)
{
    const double planned = (double)line->plan->planned_bytes;
    const double ratio = (double)line->of->bytes / planned - 1;
    if (line->of->kind == ETS_ALTERNATIVE_EXPORTED || planned == 0) {
        ets_table_put_nothing(line->table);
    } else {
        ets_table_put_bounds(line->table, ratio, ratio);
    }
}

static const struct field fields[] = {
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "plan", .least_width = 20, .cut_in_middle = 1}, put_plan},
    {{.name = "alignment", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_alignment},
    {{.name = "value", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_value},
    {{.name = "other_value", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_other},
    {{.name = "size", .kind = ETS_COLUMN_BYTES}, put_bytes},
    {{.name = "change", .kind = ETS_COLUMN_BYTES, .is_signed = 1}, put_change},
    {{.name = "ratio", .title = "%", .kind = ETS_COLUMN_SHARE, .is_signed = 1}, put_ratio},
};

enum { FIELDS = sizeof fields / sizeof *fields };

void ets_memory_alternatives_table_begin(struct ets_table *table)
{
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
}

static void add_lines(struct ets_table *table, const struct ets_memory_alternatives *found)
{
    char text[512];
    struct ets_text_builder heading = {text, sizeof text, 0};
    ets_add_plain_text(&heading, "%.*s: ", ETS_TEXT(found->plan->method.name));
    heading.used +=
        ets_memory_alternatives_headline(found, text + heading.used, sizeof text - heading.used);
    ets_table_add_section(table, ets_built_text(&heading));
    for (uint32_t i = 0; i < found->count; i++) {
        const struct line line = {table, found->plan, &found->items[i]};
        ets_table_add_row(table, 0);
        for (size_t f = 0; f < FIELDS; f++) fields[f].put(&line);
    }
    if (found->invalid_count == 0) return;
    struct ets_text_builder note = {text, sizeof text, 0};
    ets_add_plain_text(&note, "%" PRIu32 " plan%s failed the check and %s left out",
                       found->invalid_count, found->invalid_count == 1 ? "" : "s",
                       found->invalid_count == 1 ? "is" : "are");
    ets_table_add_note(table, ets_built_text(&note));
}

enum ets_status ets_memory_alternatives_table_add(struct ets_table *table,
                                                  const struct ets_memory_plan *plan,
                                                  struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_memory_alternatives found;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    const enum ets_status status = ets_memory_alternatives_collect(&arena, plan, &found, error);
    if (status == ETS_OK) add_lines(table, &found);
    ets_arena_reset(&arena);
    return status;
}

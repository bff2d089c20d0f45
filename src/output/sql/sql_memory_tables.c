/* What the memory plans of programs tell: arenas, tensors with lifetimes, live bytes by
 * instruction. */
#include <inttypes.h>

#include "host/text_builder.h"
#include "memory/memory_plan.h"
#include "output/sql/sql_tables.h"

/* The plan of a method; NULL: no memory, or too much to analyse. */
static const struct ets_memory_plan *plan_of(struct ets_sql_cursor *cursor, uint32_t number)
{
    const struct ets_memory_plan *plan;
    (void)ets_study_plan(cursor->study, number, &plan);
    return plan;
}

/* Of a method without a plan: nothing is known, or nothing can be. */
static struct ets_datum no_plan(const struct ets_sql_cursor *cursor, uint32_t number)
{
    const bool is_known = cursor->study->methods[number].has_no_plan;
    return is_known ? ets_datum_nothing() : (struct ets_datum){.kind = ETS_DATUM_NO_MEMORY};
}

static struct ets_datum bytes(uint64_t count)
{
    return ets_datum_integer(count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

/* Numbers count from the first of the method; `first` tells what that is. */
static uint32_t find_method(const struct ets_study *study, uint64_t row,
                            uint64_t (*first)(const struct ets_studied_method *method))
{
    uint32_t low = 0, high = study->method_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (first(&study->methods[middle]) <= row) low = middle;
        else high = middle;
    }
    return low;
}

/* memory_arenas */

enum {
    ARENA_PROGRAM,
    ARENA_METHOD,
    ARENA_MEMORY,
    ARENA_BYTES,
    ARENA_PEAK,
    ARENA_PEAK_STEP,
    ARENA_BOUND,
    ARENA_END,
    ARENA_SLACK,
    ARENA_TENSORS,
    ARENA_DEVICE_TYPE,
    ARENA_DEVICE_INDEX
};

/* clang-format off */
static const struct ets_sql_column arena_columns[] = {
    [ARENA_PROGRAM] = {"program", "INTEGER", "of `programs`"},
    [ARENA_METHOD] = {"method", "TEXT", "name of the method"},
    [ARENA_MEMORY] = {"memory_id", "INTEGER", "from 1"},
    [ARENA_BYTES] = {"bytes", "INTEGER", "that are planned"},
    [ARENA_PEAK] = {"peak_bytes", "INTEGER", "the most that is live at once"},
    [ARENA_PEAK_STEP] = {"peak_instruction", "INTEGER", "the first with that many; null: nothing is live"},
    [ARENA_BOUND] = {"bound_bytes", "INTEGER", "the peak with sizes rounded up as planned: no plan of these lifetimes is smaller"},
    [ARENA_END] = {"end_bytes", "INTEGER", "where the last tensor ends"},
    [ARENA_SLACK] = {"padding_bytes", "INTEGER", "behind that, added for XNNPACK"},
    [ARENA_TENSORS] = {"tensors", "INTEGER", "that lie in it"},
    [ARENA_DEVICE_TYPE] = {"device_type", "INTEGER", "0: CPU, 1: CUDA"},
    [ARENA_DEVICE_INDEX] = {"device_index", "INTEGER", ""},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t first_arena(const struct ets_studied_method *method)
{
    return method->first_arena;
}

static uint64_t arena_count(const struct ets_study *study)
{
    return study->arena_count;
}

static struct ets_datum arena_cell(struct ets_sql_cursor *cursor, int column)
{
    const uint32_t number = find_method(cursor->study, cursor->row, first_arena);
    const struct ets_studied_method *method = &cursor->study->methods[number];
    const uint32_t index = (uint32_t)(cursor->row - method->first_arena);
    if (column == ARENA_PROGRAM) return ets_datum_integer(method->program);
    if (column == ARENA_METHOD) return ets_datum_text(method->method.name);
    if (column == ARENA_MEMORY) return ets_datum_integer((int64_t)index + 1);
    const struct ets_memory_plan *plan = plan_of(cursor, number);
    if (plan == NULL) return no_plan(cursor, number);
    const struct ets_plan_arena *arena = &plan->arenas[index];
    switch (column) {
    case ARENA_BYTES: return bytes(arena->planned.bytes);
    case ARENA_PEAK: return bytes(arena->peak_bytes);
    case ARENA_PEAK_STEP: return ets_datum_index(arena->peak_step, 0);
    case ARENA_BOUND: return bytes(arena->bound_bytes);
    case ARENA_END: return bytes(arena->end_bytes);
    case ARENA_SLACK: return bytes(arena->slack_bytes);
    case ARENA_TENSORS: return ets_datum_integer(arena->tensor_count);
    case ARENA_DEVICE_TYPE: return ets_datum_integer(arena->planned.device_type);
    default: return ets_datum_integer(arena->planned.device_index);
    }
}

const struct ets_sql_table ets_sql_memory_arenas_table = {
    .name = "memory_arenas",
    .meaning = "Planned memory of the programs' methods, with its peak.",
    .columns = arena_columns,
    .count = arena_count,
    .cell = arena_cell,
};

/* memory_tensors */

enum {
    TENSOR_PROGRAM,
    TENSOR_METHOD,
    TENSOR_VALUE,
    TENSOR_KIND,
    TENSOR_MEMORY,
    TENSOR_OFFSET,
    TENSOR_BYTES,
    TENSOR_IS_BOUND,
    TENSOR_FIRST,
    TENSOR_LAST,
    TENSOR_LIFETIME,
    TENSOR_CONDITIONAL,
    TENSOR_PRODUCER,
    TENSOR_READERS,
    TENSOR_VIEW_OF,
    TENSOR_AT_PEAK
};

/* clang-format off */
static const struct ets_sql_column tensor_columns[] = {
    [TENSOR_PROGRAM] = {"program", "INTEGER", "of `programs`"},
    [TENSOR_METHOD] = {"method", "TEXT", "name of the method"},
    [TENSOR_VALUE] = {"value", "INTEGER", "`number` in `program_tensors`"},
    [TENSOR_KIND] = {"kind", "TEXT", "constant, input, mutable buffer, output, intermediate, unused"},
    [TENSOR_MEMORY] = {"memory_id", "INTEGER", "null: not planned"},
    [TENSOR_OFFSET] = {"memory_offset", "INTEGER", "there, in bytes"},
    [TENSOR_BYTES] = {"bytes", "INTEGER", "of the elements"},
    [TENSOR_IS_BOUND] = {"is_upper_bound", "INTEGER", "1: the shape is dynamic, and takes at most these bytes"},
    [TENSOR_FIRST] = {"first", "INTEGER", "instruction from which it is live; null: never"},
    [TENSOR_LAST] = {"last", "INTEGER", "the last that needs it"},
    [TENSOR_LIFETIME] = {"lifetime", "TEXT", "`0..4, 8..9`: when it is live; branches may leave gaps; null: never"},
    [TENSOR_CONDITIONAL] = {"is_conditional", "INTEGER", "1: at some of these instructions it is live only if a branch chose it"},
    [TENSOR_PRODUCER] = {"producer", "INTEGER", "instruction that writes it first; null: none"},
    [TENSOR_READERS] = {"readers", "INTEGER", "instructions that read it"},
    [TENSOR_VIEW_OF] = {"view_of", "INTEGER", "value whose bytes it shows; null: it has bytes of its own"},
    [TENSOR_AT_PEAK] = {"at_peak", "INTEGER", "1: it is live where the method's planned memory has its peak"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t first_value(const struct ets_studied_method *method)
{
    return method->first_value;
}

static uint64_t value_count(const struct ets_study *study)
{
    return study->value_count;
}

static bool tensor_has(struct ets_sql_cursor *cursor)
{
    const uint32_t number = find_method(cursor->study, cursor->row, first_value);
    const struct ets_studied_method *method = &cursor->study->methods[number];
    struct ets_evalue value;
    ets_method_value(&method->method, (uint32_t)cursor->row - method->first_value, &value);
    return value.kind == ETS_EVALUE_TENSOR;
}

static struct ets_datum place_cell(const struct ets_plan_tensor *tensor, int column)
{
    if (tensor->arena == ETS_PLAN_NONE) return ets_datum_nothing();
    return column == TENSOR_MEMORY ? ets_datum_index(tensor->arena, 1) : bytes(tensor->offset);
}

static struct ets_datum lifetime_cell(struct ets_sql_cursor *cursor,
                                      const struct ets_plan_tensor *tensor)
{
    enum { EACH = 24 }; /* "4294967295..4294967295, " */
    const size_t room = (size_t)EACH * tensor->piece_count + 1;
    struct ets_text_builder text = {ets_arena_alloc(&cursor->scratch, room), room, 0};
    if (tensor->piece_count == 0) return ets_datum_nothing();
    if (text.text == NULL) return (struct ets_datum){.kind = ETS_DATUM_NO_MEMORY};
    for (uint32_t i = 0; i < tensor->piece_count; i++) {
        ets_add_text(&text, "%s%" PRIu32 "..%" PRIu32, i > 0 ? ", " : "", tensor->pieces[i].first,
                     tensor->pieces[i].last);
    }
    return ets_datum_text(ets_built_text(&text));
}

static struct ets_datum tensor_cell(struct ets_sql_cursor *cursor, int column)
{
    const uint32_t number = find_method(cursor->study, cursor->row, first_value);
    const struct ets_studied_method *method = &cursor->study->methods[number];
    const uint32_t value = (uint32_t)cursor->row - method->first_value;
    if (column == TENSOR_PROGRAM) return ets_datum_integer(method->program);
    if (column == TENSOR_METHOD) return ets_datum_text(method->method.name);
    if (column == TENSOR_VALUE) return ets_datum_integer(value);
    const struct ets_memory_plan *plan = plan_of(cursor, number);
    if (plan == NULL) return no_plan(cursor, number);
    const struct ets_plan_tensor *tensor = &plan->tensors[plan->tensor_of[value]];
    switch (column) {
    case TENSOR_KIND: return ets_datum_string(ets_plan_kind_name(tensor->kind));
    case TENSOR_MEMORY:
    case TENSOR_OFFSET: return place_cell(tensor, column);
    case TENSOR_BYTES: return bytes(tensor->bytes);
    case TENSOR_IS_BOUND: return ets_datum_integer(tensor->is_upper_bound);
    case TENSOR_FIRST: return ets_datum_index(tensor->first, 0);
    case TENSOR_LAST: return ets_datum_index(tensor->last, 0);
    case TENSOR_LIFETIME: return lifetime_cell(cursor, tensor);
    case TENSOR_CONDITIONAL: return ets_datum_integer(tensor->is_conditional);
    case TENSOR_PRODUCER: return ets_datum_index(tensor->producer, 0);
    case TENSOR_READERS: return ets_datum_integer(tensor->reader_count);
    case TENSOR_VIEW_OF:
        if (tensor->base == ETS_PLAN_NONE) return ets_datum_nothing();
        return ets_datum_integer(plan->tensors[tensor->base].value);
    default:
        return ets_datum_integer(tensor->arena != ETS_PLAN_NONE && tensor->bytes > 0 &&
                                 ets_plan_is_live(tensor, plan->peak_step));
    }
}

const struct ets_sql_table ets_sql_memory_tensors_table = {
    .name = "memory_tensors",
    .meaning = "Tensors of the programs' methods, with place and lifetime.",
    .columns = tensor_columns,
    .count = value_count,
    .has = tensor_has,
    .cell = tensor_cell,
};

/* memory_steps */

enum { LEVEL_PROGRAM, LEVEL_METHOD, LEVEL_MEMORY, LEVEL_STEP, LEVEL_LIVE };

/* clang-format off */
static const struct ets_sql_column step_columns[] = {
    [LEVEL_PROGRAM] = {"program", "INTEGER", "of `programs`"},
    [LEVEL_METHOD] = {"method", "TEXT", "name of the method"},
    [LEVEL_MEMORY] = {"memory_id", "INTEGER", "from 1"},
    [LEVEL_STEP] = {"instruction", "INTEGER", "as `instructions` numbers them"},
    [LEVEL_LIVE] = {"live_bytes", "INTEGER", "in use there; what several tensors share counts once"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t first_level(const struct ets_studied_method *method)
{
    return method->first_level;
}

static uint64_t level_count(const struct ets_study *study)
{
    return study->level_count;
}

static struct ets_datum level_cell(struct ets_sql_cursor *cursor, int column)
{
    const uint32_t number = find_method(cursor->study, cursor->row, first_level);
    const struct ets_studied_method *method = &cursor->study->methods[number];
    const uint64_t row = cursor->row - method->first_level;
    const uint32_t steps = ets_studied_method_steps(method);
    if (column == LEVEL_PROGRAM) return ets_datum_integer(method->program);
    if (column == LEVEL_METHOD) return ets_datum_text(method->method.name);
    if (column == LEVEL_MEMORY) return ets_datum_integer((int64_t)(row / steps) + 1);
    if (column == LEVEL_STEP) return ets_datum_integer((int64_t)(row % steps));
    const struct ets_memory_plan *plan = plan_of(cursor, number);
    if (plan == NULL) return no_plan(cursor, number);
    const uint64_t *live = plan->arenas[row / steps].live;
    return bytes(live == NULL ? 0 : live[row % steps]);
}

const struct ets_sql_table ets_sql_memory_steps_table = {
    .name = "memory_steps",
    .meaning = "Bytes of planned memory that are live at each instruction.",
    .columns = step_columns,
    .count = level_count,
    .cell = level_cell,
};

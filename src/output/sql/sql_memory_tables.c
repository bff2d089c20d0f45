/* What the memory plans of programs tell: arenas, live bytes by instruction. */
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
    return is_known ? ets_datum_nothing() : ets_datum_no_memory();
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
    case ARENA_BYTES: return ets_datum_count(arena->planned.bytes);
    case ARENA_PEAK: return ets_datum_count(arena->peak_bytes);
    case ARENA_PEAK_STEP: return ets_datum_index(arena->peak_step, 0);
    case ARENA_BOUND: return ets_datum_count(arena->bound_bytes);
    case ARENA_END: return ets_datum_count(arena->end_bytes);
    case ARENA_SLACK: return ets_datum_count(arena->slack_bytes);
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
    return ets_datum_count(live == NULL ? 0 : live[row % steps]);
}

const struct ets_sql_table ets_sql_memory_steps_table = {
    .name = "memory_steps",
    .meaning = "Bytes of planned memory that are live at each instruction.",
    .columns = step_columns,
    .count = level_count,
    .cell = level_cell,
};

/* The table of captured tensors; statistics are computed when a query needs them. */
#include <math.h>

#include "etscope/numerics.h"
#include "output/sql/sql_tables.h"
#include "views/captured_statistics.h"

enum {
    T_EVENT,
    T_TRACE,
    T_RUN,
    T_OPERATOR,
    T_NAME,
    T_OUTPUT,
    T_INDEX,
    T_ITEM,
    T_KIND,
    T_DTYPE,
    T_SHAPE,
    T_STRIDES,
    T_OFFSET,
    T_BYTES,
    T_STATUS,
    T_MIN,
    T_MAX,
    T_MEAN,
    T_STD,
    T_L2,
    T_NAN,
    T_INF,
    T_ZEROS,
    T_HASH
};

/* clang-format off */
static const struct ets_sql_column columns[] = {
    [T_EVENT] = {"event", "INTEGER", "id in `events`"},
    [T_TRACE] = {"trace", "INTEGER", "id in `traces`"},
    [T_RUN] = {"run", "INTEGER", "id in `runs`"},
    [T_OPERATOR] = {"operator", "INTEGER", "id in `operators` of the operator that computed it"},
    [T_NAME] = {"name", "TEXT", "name of that operator; (output) for an output of the method"},
    [T_OUTPUT] = {"output", "INTEGER", "1: an output of the method"},
    [T_INDEX] = {"number", "INTEGER", "number among the values logged by one instruction, or among the run's outputs"},
    [T_ITEM] = {"item", "INTEGER", "position in a tensor list; otherwise null"},
    [T_KIND] = {"kind", "TEXT", "tensor, tensor_list, int, bool, float, double, string or null"},
    [T_DTYPE] = {"dtype", "TEXT", "type of the elements, such as float32"},
    [T_SHAPE] = {"shape", "TEXT", "shape as a JSON array"},
    [T_STRIDES] = {"strides", "TEXT", "strides in elements, as a JSON array"},
    [T_OFFSET] = {"offset", "INTEGER", "position in the debug buffer"},
    [T_BYTES] = {"bytes", "INTEGER", "size of the elements"},
    [T_STATUS] = {"status", "TEXT", "ok; reduced: the tracer kept only these statistics; no_buffer, unrecorded, outside, no_numbers, malformed: the statistics are null"},
    [T_MIN] = {"min", "REAL", "minimum of the finite elements"},
    [T_MAX] = {"max", "REAL", "maximum of the finite elements"},
    [T_MEAN] = {"mean", "REAL", "mean of the finite elements"},
    [T_STD] = {"std", "REAL", "standard deviation of the finite elements, divided by their count, as NumPy does"},
    [T_L2] = {"l2", "REAL", "root of the sum of squares"},
    [T_NAN] = {"nan", "INTEGER", "number of NaN elements"},
    [T_INF] = {"inf", "INTEGER", "number of infinite elements"},
    [T_ZEROS] = {"zeros", "INTEGER", "number of elements that are 0"},
    [T_HASH] = {"hash", "TEXT", "XXH64 of the elements, row by row, in hexadecimal"},
    {NULL, NULL, NULL},
};
/* clang-format on */

struct state {
    struct ets_captured_values values;
    struct ets_captured_value value;
    struct ets_tensor_numbers numbers; /* where `is_summed` */
    struct ets_captured_filter filter;
    uint32_t trace, end; /* traces to go over */
    bool is_begun;       /* `values` stands in `trace` */
    bool is_summed;
};

static void begin(struct ets_sql_cursor *cursor, int64_t event)
{
    struct state *state = cursor->state;
    *state = (struct state){.end = cursor->study->sources.trace_count};
    state->filter = (struct ets_captured_filter){
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .event = ETS_NO_INDEX};
    if (event < 0) return;
    if (event >= cursor->study->event_count) {
        state->end = 0;
        return;
    }
    state->filter.event = ets_sql_at_event(cursor, (uint32_t)event);
    state->trace = (uint32_t)(cursor->trace - cursor->study->traces);
    state->end = state->trace + 1;
}

static bool next(struct ets_sql_cursor *cursor)
{
    struct state *state = cursor->state;
    state->is_summed = false;
    for (; state->trace < state->end; state->trace++, state->is_begun = false) {
        struct ets_studied_trace *trace = &cursor->study->traces[state->trace];
        if (!state->is_begun) {
            ets_captured_values_init(&state->values, trace->inspection, trace->source->debug_buffer,
                                     &state->filter);
        }
        state->is_begun = true;
        if (!ets_captured_values_next(&state->values, &state->value)) continue;
        cursor->trace = trace;
        cursor->row = ((uint64_t)trace->first_event + state->value.event) << 32 | state->value.item;
        return true;
    }
    return false;
}

static const struct ets_tensor_numbers *numbers_of(struct state *state)
{
    if (!state->is_summed) ets_tensor_numbers_find(&state->value, &state->numbers);
    state->is_summed = true;
    return &state->numbers;
}

static struct ets_datum finite_or_null(double value)
{
    return isfinite(value) ? ets_datum_real(value) : ets_datum_nothing();
}

static struct ets_datum hash_cell(struct ets_sql_cursor *cursor, uint64_t hash)
{
    char *text = ets_arena_alloc(&cursor->scratch, ETS_HASH_CHARS);
    if (text == NULL) return ets_datum_no_memory();
    ets_hash_print(hash, text);
    return ets_datum_text((struct ets_text){text, ETS_HASH_CHARS});
}

static struct ets_datum number_cell(struct ets_sql_cursor *cursor, struct state *state, int column)
{
    const struct ets_tensor_statistics *statistics = &numbers_of(state)->statistics;
    if (!state->numbers.is_known) return ets_datum_nothing();
    switch (column) {
    case T_MIN: return finite_or_null(statistics->min);
    case T_MAX: return finite_or_null(statistics->max);
    case T_MEAN: return finite_or_null(ets_tensor_statistics_mean(statistics));
    case T_STD: return finite_or_null(ets_tensor_statistics_std(statistics));
    case T_L2: return finite_or_null(ets_tensor_statistics_l2(statistics));
    case T_NAN: return ets_datum_integer((int64_t)statistics->nan_count);
    case T_INF: return ets_datum_integer((int64_t)statistics->infinite_count);
    case T_ZEROS: return ets_datum_integer((int64_t)statistics->zero_count);
    default: return hash_cell(cursor, statistics->hash);
    }
}

static struct ets_datum tensor_cell(struct ets_sql_cursor *cursor,
                                    const struct ets_captured_value *value, int column)
{
    const struct ets_tensor *tensor = &value->tensor;
    if (!value->has_tensor) return ets_datum_nothing();
    if (column == T_DTYPE) return ets_datum_string(ets_scalar_type_name(tensor->scalar_type));
    if (column == T_SHAPE)
        return ets_datum_print_numbers(&cursor->scratch, tensor->sizes, tensor->rank);
    if (column == T_STRIDES)
        return ets_datum_print_numbers(&cursor->scratch, tensor->strides, tensor->rank);
    return ets_datum_unless_negative(ets_captured_bytes(value));
}

static struct ets_datum cell(struct ets_sql_cursor *cursor, int column)
{
    struct state *state = cursor->state;
    const struct ets_captured_value *value = &state->value;
    const struct ets_studied_trace *trace = cursor->trace;
    switch (column) {
    case T_EVENT: return ets_datum_index(value->event, trace->first_event);
    case T_TRACE: return ets_sql_trace_number(cursor);
    case T_RUN: return ets_datum_index(value->run, trace->first_run);
    case T_OPERATOR: return ets_datum_index(value->row, trace->first_operator);
    case T_NAME: return ets_datum_text(ets_captured_value_operator(trace->inspection, value));
    case T_OUTPUT: return ets_datum_integer(value->is_output != 0);
    case T_INDEX: return ets_datum_integer(value->index);
    case T_ITEM:
        return ets_datum_unless_negative(value->item_count > 0 ? (int64_t)value->item : -1);
    case T_KIND: return ets_datum_string(ets_captured_kind_name(value->type));
    case T_OFFSET: return ets_datum_unless_negative(value->offset);
    case T_STATUS: return ets_datum_string(ets_numbers_state_name(numbers_of(state)->state));
    case T_DTYPE:
    case T_SHAPE:
    case T_STRIDES:
    case T_BYTES: return tensor_cell(cursor, value, column);
    default: return number_cell(cursor, state, column);
    }
}

/* A guess that serves the planner: looking at all of them means looking at all events. */
static uint64_t count(const struct ets_study *study)
{
    return study->event_count;
}

const struct ets_sql_table ets_sql_tensors_table = {
    .name = "tensors",
    .meaning = "Captured values, with statistics of those in the debug buffer.",
    .columns = columns,
    .count = count,
    .cell = cell,
    .state_bytes = sizeof(struct state),
    .begin = begin,
    .next = next,
    .event_column = T_EVENT,
    .indexed = {"event", "operator"},
};

/* Operators against the roofs of a machine: judged when a query first asks. */
#include "cost/row_costs.h"
#include "output/sql/sql_tables.h"
#include "views/headroom.h"

enum { OPERATOR, VERDICT, REASON, SHARE, SHARE_UPPER, SAVED, BOUND, ROOF, LEVEL };

static const struct ets_sql_column columns[] = {
    {"operator", "INTEGER", "of `operators`; no rows without a machine"},
    {"verdict", "TEXT",
     "compute-bound, memory-bound, below the roof, overhead-bound, unknown; null: it encloses "
     "those"},
    {"verdict_reason", "TEXT", "why it is unknown"},
    {"of_roof", "REAL", "share of the roof, 0 to 1; null where none is told"},
    {"of_roof_upper", "REAL", "its upper bound"},
    {"saved", "REAL", "time of a run that the roof would save, of all that it encloses"},
    {"bound_ns", "REAL", "time of a run at the roof"},
    {"roof", "TEXT", "what binds: compute, bandwidth, call"},
    {"level", "TEXT", "L1 to L4 or memory: the smallest cache that holds its bytes"},
    {NULL, NULL, NULL},
};

static uint64_t row_count(const struct ets_sql_data *data)
{
    return data->sources.machine != NULL ? data->operator_count : 0;
}

static bool judge_block(struct ets_sql_data *data, struct ets_sql_trace_data *trace,
                        const uint32_t *run_number, const struct ets_costs *costs, uint32_t block)
{
    struct ets_chosen_runs runs;
    const struct ets_headroom_options options = {
        .machine = data->sources.machine,
        .threads = data->sources.threads,
        .tick_ns = trace->unit == ETS_UNIT_NS ? trace->tick : 0};
    return ets_chosen_runs_find(&data->arena, trace->inspection, block, ETS_NO_INDEX, 0, &runs) &&
           ets_headroom_find(&data->arena, trace->inspection, costs, &options, &runs, run_number,
                             block, &trace->headrooms[block]);
}

bool ets_sql_data_headrooms(struct ets_sql_data *data, struct ets_sql_trace_data *trace)
{
    struct ets_costs costs;
    if (trace->headrooms != NULL) return true;
    const uint32_t blocks = ets_inspection_block_count(trace->inspection);
    const uint32_t *run_number = ets_work_number_runs(&data->arena, trace->inspection);
    trace->headrooms = ets_arena_alloc_array(&data->arena, blocks, sizeof *trace->headrooms);
    bool ok = run_number != NULL && trace->headrooms != NULL &&
              ets_row_costs_find(&data->arena, trace->inspection, &costs, NULL) == ETS_OK;
    for (uint32_t b = 0; ok && b < blocks; b++) {
        ok = judge_block(data, trace, run_number, &costs, b);
    }
    if (!ok) trace->headrooms = NULL;
    return ok;
}

static struct ets_sql_value cell(struct ets_sql_cursor *cursor, int column)
{
    if (column == OPERATOR) return ets_sql_integer((int64_t)cursor->row);
    const uint32_t row = ets_sql_at_operator(cursor, (uint32_t)cursor->row);
    struct ets_sql_trace_data *trace = cursor->trace;
    if (!ets_sql_data_headrooms(cursor->data, trace))
        return (struct ets_sql_value){.kind = SQL_NO_MEMORY};
    const struct ets_headroom *headroom =
        &trace->headrooms[ets_inspection_row(trace->inspection, row)->block];
    const struct ets_row_headroom *found = &headroom->rows[row - headroom->first_row];
    const struct ets_roof_answer *roof = &found->roof;
    if (column == SAVED) return ets_sql_time(cursor, found->saved);
    if (roof->verdict == ETS_ROOF_VERDICT_NONE) return ets_sql_null();
    switch (column) {
    case VERDICT: return ets_sql_string(ets_roof_verdict_name(roof->verdict));
    case REASON: return ets_sql_string(ets_roof_reason_name(roof->reason));
    case SHARE: return ets_sql_real(roof->least_share);
    case SHARE_UPPER: return ets_sql_real(roof->most_share);
    case BOUND: return ets_sql_real(roof->bound_ns);
    default: break;
    }
    if (roof->bound_ns != roof->bound_ns) return ets_sql_null(); /* NaN: nothing binds */
    return ets_sql_string(column == ROOF ? ets_roof_kind_name(roof->binding)
                                         : ets_memory_level_name(roof->level));
}

static struct ets_sql_range of_operator(const struct ets_sql_data *data, int64_t number)
{
    if (number < 0 || (uint64_t)number >= row_count(data)) return (struct ets_sql_range){.end = 0};
    return (struct ets_sql_range){.first = (uint64_t)number, .end = (uint64_t)number + 1};
}

const struct ets_sql_table ets_sql_operator_roofs_table = {
    .name = "operator_roofs",
    .meaning = "How far the operators are from what a machine can do.",
    .columns = columns,
    .count = row_count,
    .cell = cell,
    .lookups = {{OPERATOR, of_operator, row_count}},
    .indexed = {"operator"},
};

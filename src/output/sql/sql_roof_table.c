/* Operators against the roofs of a machine. */
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

static uint64_t row_count(const struct ets_study *study)
{
    return study->sources.machine != NULL ? study->operator_count : 0;
}

static struct ets_datum cell(struct ets_sql_cursor *cursor, int column)
{
    if (column == OPERATOR) return ets_datum_integer((int64_t)cursor->row);
    const uint32_t row = ets_sql_at_operator(cursor, (uint32_t)cursor->row);
    struct ets_studied_trace *trace = cursor->trace;
    if (!ets_study_headrooms(cursor->study, trace)) return ets_datum_no_memory();
    const struct ets_headroom *headroom =
        &trace->headrooms[ets_inspection_row(trace->inspection, row)->block];
    const struct ets_row_headroom *found = &headroom->rows[row - headroom->first_row];
    const struct ets_roof_answer *roof = &found->roof;
    if (column == SAVED) return ets_sql_time(cursor, found->saved);
    if (roof->verdict == ETS_ROOF_VERDICT_NONE) return ets_datum_nothing();
    switch (column) {
    case VERDICT: return ets_datum_string(ets_roof_verdict_name(roof->verdict));
    case REASON: return ets_datum_string(ets_roof_reason_name(roof->reason));
    case SHARE: return ets_datum_real(roof->least_share);
    case SHARE_UPPER: return ets_datum_real(roof->most_share);
    case BOUND: return ets_datum_real(roof->bound_ns);
    default: break;
    }
    if (roof->bound_ns != roof->bound_ns) return ets_datum_nothing(); /* NaN: nothing binds */
    return ets_datum_string(column == ROOF ? ets_roof_kind_name(roof->binding)
                                           : ets_memory_level_name(roof->level));
}

static struct ets_sql_range of_operator(const struct ets_study *study, int64_t number)
{
    if (number < 0 || (uint64_t)number >= row_count(study)) return (struct ets_sql_range){.end = 0};
    return (struct ets_sql_range){.first = (uint64_t)number, .end = (uint64_t)number + 1};
}

const struct ets_sql_table ets_sql_operator_roofs_table = {
    .name = "operator_roofs",
    .meaning = "How far the operators are from what a machine can do.",
    .columns = columns,
    .count = row_count,
    .cell = cell,
    .lookups = {{"operator", of_operator, row_count}},
    .indexed = {"operator"},
};

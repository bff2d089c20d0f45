/* The work of operators, nodes and instructions: as the study counts it. */
#include "inspect/inspection.h"
#include "output/sql/sql_tables.h"

/* Columns that all tables of costs have, behind those that say of what. */
#define COST_ENUM(first)                                                                       \
    FLOPS = (first), MACS, OPS, SPECIAL, READ, WEIGHTS, WRITTEN, MOVED, INTENSITY, ARITHMETIC, \
    FAMILY, STATE, REASON, OPERATORS, UNKNOWN, FOLDED
/* clang-format off */
#define COST_COLUMNS                                                                              \
    {"flops", "INTEGER", "2 * macs + ops; null where the work is unknown, as the numbers below"}, \
    {"macs", "INTEGER", "multiply-adds of convolutions, matrix products, attention"},            \
    {"ops", "INTEGER", "all other arithmetic"},                                                   \
    {"special_ops", "INTEGER", "of these, evaluations of exp, erf, tanh and the like"},          \
    {"read_bytes", "INTEGER", "inputs, each tensor once, without weights"},                      \
    {"weight_bytes", "INTEGER", "constants that are read"},                                      \
    {"written_bytes", "INTEGER", "outputs"},                                                     \
    {"moved_bytes", "INTEGER", "all three"},                                                     \
    {"intensity", "REAL", "flops a byte; null where some of the work is unknown"},               \
    {"arithmetic", "TEXT", "float32, int8, int8 dynamic, ...; mixed: several"},                  \
    {"family", "TEXT", "convolution, matrix product, ...; other: several, or none"},             \
    {"cost", "TEXT", "known, at most (upper bounds of shapes), example (sizes of the export's "  \
     "inputs), partial (some operators are unknown), unknown; null: no operator"},               \
    {"cost_reason", "TEXT", "why some are unknown"},                                              \
    {"counted", "INTEGER", "operators that the numbers are of"},                                 \
    {"not_counted", "INTEGER", "operators that are unknown"},                                    \
    {"folded", "INTEGER", "batch norms whose work is in weights"},                               \
    {NULL, NULL, NULL}
/* clang-format on */

enum { COST_ENUM(0) };

/* `column` counts from FLOPS. */
static struct ets_datum cost_cell(const struct ets_cost *cost, int column)
{
    switch (column) {
    case STATE: return ets_datum_string(ets_cost_state_name(cost));
    case REASON: return ets_datum_string(ets_cost_reason_name(cost->reason));
    case OPERATORS: return ets_datum_integer(cost->operators);
    case UNKNOWN: return ets_datum_integer(cost->unknown);
    case FOLDED: return ets_datum_integer(cost->folded);
    default: break;
    }
    if (cost->operators == 0) return ets_datum_nothing();
    switch (column) {
    case FLOPS: return ets_datum_integer((int64_t)ets_cost_flops(cost));
    case MACS: return ets_datum_integer((int64_t)cost->macs);
    case OPS: return ets_datum_integer((int64_t)cost->ops);
    case SPECIAL: return ets_datum_integer((int64_t)cost->special);
    case READ: return ets_datum_integer((int64_t)cost->bytes_read);
    case WEIGHTS: return ets_datum_integer((int64_t)cost->weight_bytes);
    case WRITTEN: return ets_datum_integer((int64_t)cost->bytes_written);
    case MOVED: return ets_datum_integer((int64_t)ets_cost_bytes(cost));
    case INTENSITY: return ets_datum_real(ets_cost_intensity(cost));
    case ARITHMETIC:
        if (cost->arithmetic == ETS_ARITHMETIC_NONE) return ets_datum_nothing();
        return ets_datum_string(ets_arithmetic_name(cost->arithmetic));
    default: return ets_datum_string(ets_cost_family_name(cost->family));
    }
}

static const struct ets_datum no_memory = {.kind = ETS_DATUM_NO_MEMORY};

/* operator_costs */

static const struct ets_sql_column operator_columns[] = {
    {"operator", "INTEGER", "of `operators`; of what one run did in it, with what it encloses"},
    COST_COLUMNS,
};

static uint64_t operator_count(const struct ets_study *study)
{
    return study->operator_count;
}

static struct ets_datum operator_cell(struct ets_sql_cursor *cursor, int column)
{
    if (column == 0) return ets_datum_integer((int64_t)cursor->row);
    const uint32_t index = ets_sql_at_operator(cursor, (uint32_t)cursor->row);
    struct ets_studied_trace *trace = cursor->trace;
    if (!ets_study_row_costs(cursor->study, trace)) return no_memory;
    return cost_cell(&trace->costs.rows[index], column - 1);
}

static struct ets_sql_range of_operator(const struct ets_study *study, int64_t number)
{
    if (number < 0 || number >= study->operator_count) return (struct ets_sql_range){.end = 0};
    return (struct ets_sql_range){.first = (uint64_t)number, .end = (uint64_t)number + 1};
}

const struct ets_sql_table ets_sql_operator_costs_table = {
    .name = "operator_costs",
    .meaning = "The work of the operators, in one run.",
    .columns = operator_columns,
    .count = operator_count,
    .cell = operator_cell,
    .lookups = {{"operator", of_operator, operator_count}},
    .indexed = {"operator"},
};

/* node_costs */

static const struct ets_sql_column node_columns[] = {
    {"node", "INTEGER", "of `nodes`; as a kernel would run it, by the record's shapes"},
    COST_COLUMNS,
};

static uint64_t node_count(const struct ets_study *study)
{
    return study->node_count;
}

static struct ets_datum node_cell(struct ets_sql_cursor *cursor, int column)
{
    if (column == 0) return ets_datum_integer((int64_t)cursor->row);
    if (!ets_study_node_costs(cursor->study)) return no_memory;
    return cost_cell(&cursor->study->node_costs[cursor->row], column - 1);
}

static struct ets_sql_range of_node(const struct ets_study *study, int64_t number)
{
    if (number < 0 || number >= study->node_count) return (struct ets_sql_range){.end = 0};
    return (struct ets_sql_range){.first = (uint64_t)number, .end = (uint64_t)number + 1};
}

const struct ets_sql_table ets_sql_node_costs_table = {
    .name = "node_costs",
    .meaning = "The work of the ETRecords' nodes.",
    .columns = node_columns,
    .count = node_count,
    .cell = node_cell,
    .lookups = {{"node", of_node, node_count}},
    .indexed = {"node"},
};

/* instruction_costs */

enum { STEP_PROGRAM, STEP_METHOD, STEP_CHAIN, STEP_INSTRUCTION, STEP_TAKEN, STEP_COST };

static const struct ets_sql_column step_columns[] = {
    {"program", "INTEGER", "of `programs`"},
    {"method", "TEXT", "name of its method"},
    {"chain", "INTEGER", "as events name it"},
    {"instruction", "INTEGER", "as events name it; its work when it runs once"},
    {"taken", "INTEGER", "1: on the way through the method that computes most, loops run once"},
    COST_COLUMNS,
};

static uint64_t step_count(const struct ets_study *study)
{
    return study->instruction_count;
}

static struct ets_datum step_cell(struct ets_sql_cursor *cursor, int column)
{
    struct ets_study *study = cursor->study;
    const struct ets_studied_chain *chain = ets_study_chain(study, (uint32_t)cursor->row);
    const struct ets_studied_method *method = &study->methods[chain->method];
    switch (column) {
    case STEP_PROGRAM: return ets_datum_integer(method->program);
    case STEP_METHOD: return ets_datum_text(method->method.name);
    case STEP_CHAIN: return ets_datum_integer(chain->chain.index);
    case STEP_INSTRUCTION:
        return ets_datum_integer((int64_t)(cursor->row - chain->first_instruction));
    default: break;
    }
    if (!ets_study_step_costs(study)) return no_memory;
    const struct ets_studied_step *step = &study->step_costs[cursor->row];
    if (column == STEP_TAKEN) return ets_datum_integer(step->is_taken);
    return cost_cell(&step->cost, column - STEP_COST);
}

const struct ets_sql_table ets_sql_instruction_costs_table = {
    .name = "instruction_costs",
    .meaning = "The work of the programs' instructions.",
    .columns = step_columns,
    .count = step_count,
    .cell = step_cell,
};

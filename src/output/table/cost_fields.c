/* Columns of a cost: what people see, and every number for programs. */
#include "output/table/cost_fields.h"

#include <math.h>
#include <stdio.h>

#include "views/cost_headline.h"

struct field {
    struct ets_column column;
    void (*put)(const struct ets_cost_cells *cells);
    int is_rate;
};

/* Whether a number says anything. */
static int has_number(const struct ets_cost *cost)
{
    const enum ets_cost_state state = ets_cost_state(cost);
    return state == ETS_COST_KNOWN || state == ETS_COST_PARTIAL;
}

/* "12.3", "<=12.3" of upper bounds, ">=12.3" of a part, "?" of what is not known. */
static void show(const struct ets_cost_cells *cells, double lower, double upper)
{
    char text[64];
    const struct ets_cost *cost = cells->cost;
    const int is_part = ets_cost_state(cost) == ETS_COST_PARTIAL;
    if (ets_cost_state(cost) == ETS_COST_UNKNOWN) {
        ets_table_put_string(cells->table, "?");
    } else if (!has_number(cost) || isnan(lower)) {
        ets_table_put_nothing(cells->table);
    } else if (is_part && cost->at_most) {
        ets_table_put_string(cells->table, "?"); /* bounded on neither side */
    } else if (is_part || cost->at_most || isinf(upper)) {
        const char *sign = cost->at_most ? "<=" : ">=";
        (void)snprintf(text, sizeof text, "%s%.3g", sign, cost->at_most ? upper : lower);
        if (cost->at_most && isinf(upper)) ets_table_put_string(cells->table, "?");
        else ets_table_put_string(cells->table, text);
    } else {
        ets_table_put_bounds(cells->table, lower, upper);
    }
}

static void show_flops(const struct ets_cost_cells *cells)
{
    const double flops = (double)ets_cost_flops(cells->cost) / cells->unit;
    show(cells, flops, flops);
}

static void show_bytes(const struct ets_cost_cells *cells)
{
    if (ets_cost_state(cells->cost) == ETS_COST_KNOWN && !cells->cost->at_most) {
        ets_table_put_integer(cells->table, (int64_t)ets_cost_bytes(cells->cost));
        return;
    }
    char text[64];
    const enum ets_cost_state state = ets_cost_state(cells->cost);
    const int is_bounded = state == ETS_COST_KNOWN || !cells->cost->at_most;
    if (state == ETS_COST_NONE) {
        ets_table_put_nothing(cells->table);
    } else if (state == ETS_COST_UNKNOWN || !is_bounded) {
        ets_table_put_string(cells->table, "?");
    } else {
        (void)snprintf(text, sizeof text, "%s%.1f KiB", cells->cost->at_most ? "<=" : ">=",
                       (double)ets_cost_bytes(cells->cost) / 1024);
        ets_table_put_string(cells->table, text);
    }
}

/* Upper bounds of both say nothing of their ratio. */
static void put_intensity(const struct ets_cost_cells *cells)
{
    ets_table_put_known(cells->table, ets_cost_intensity(cells->cost));
}

/* `amount` in the time, for a second in billions: in a nanosecond. */
static double rate(const struct ets_cost_cells *cells, uint64_t amount, double ns)
{
    if (isnan(cells->lower_ns) || cells->upper_ns <= 0) return NAN;
    if (amount == 0) return 0;
    return ns > 0 ? (double)amount / ns : INFINITY;
}

static void show_flop_rate(const struct ets_cost_cells *cells)
{
    const uint64_t flops = ets_cost_flops(cells->cost);
    if (flops == 0 && has_number(cells->cost)) ets_table_put_nothing(cells->table);
    else show(cells, rate(cells, flops, cells->upper_ns), rate(cells, flops, cells->lower_ns));
}

static void show_byte_rate(const struct ets_cost_cells *cells)
{
    const uint64_t bytes = ets_cost_bytes(cells->cost);
    if (bytes == 0 && has_number(cells->cost)) ets_table_put_nothing(cells->table);
    else show(cells, rate(cells, bytes, cells->upper_ns), rate(cells, bytes, cells->lower_ns));
}

static void put_rate(const struct ets_cost_cells *cells, uint64_t amount)
{
    const double low = rate(cells, amount, cells->upper_ns);
    if (!has_number(cells->cost) || isnan(low)) ets_table_put_nothing(cells->table);
    else ets_table_put_bounds(cells->table, low, rate(cells, amount, cells->lower_ns));
}

static void put_flop_rate(const struct ets_cost_cells *cells)
{
    put_rate(cells, ets_cost_flops(cells->cost));
}

static void put_byte_rate(const struct ets_cost_cells *cells)
{
    put_rate(cells, ets_cost_bytes(cells->cost));
}

static void put_number(const struct ets_cost_cells *cells, uint64_t number)
{
    if (has_number(cells->cost)) ets_table_put_integer(cells->table, (int64_t)number);
    else ets_table_put_nothing(cells->table);
}

static void put_flops(const struct ets_cost_cells *cells)
{
    put_number(cells, ets_cost_flops(cells->cost));
}

static void put_macs(const struct ets_cost_cells *cells)
{
    put_number(cells, cells->cost->macs);
}

static void put_ops(const struct ets_cost_cells *cells)
{
    put_number(cells, cells->cost->ops);
}

static void put_special(const struct ets_cost_cells *cells)
{
    put_number(cells, cells->cost->special);
}

static void put_read(const struct ets_cost_cells *cells)
{
    put_number(cells, cells->cost->bytes_read);
}

static void put_weights(const struct ets_cost_cells *cells)
{
    put_number(cells, cells->cost->weight_bytes);
}

static void put_written(const struct ets_cost_cells *cells)
{
    put_number(cells, cells->cost->bytes_written);
}

static void put_bytes(const struct ets_cost_cells *cells)
{
    put_number(cells, ets_cost_bytes(cells->cost));
}

static void put_state(const struct ets_cost_cells *cells)
{
    ets_table_put_string(cells->table, ets_cost_state_name(cells->cost));
}

static void put_reason(const struct ets_cost_cells *cells)
{
    ets_table_put_string(cells->table, ets_cost_reason_name(cells->cost->reason));
}

static void put_unknown(const struct ets_cost_cells *cells)
{
    ets_table_put_integer(cells->table, cells->cost->unknown);
}

static void put_folded(const struct ets_cost_cells *cells)
{
    ets_table_put_integer(cells->table, cells->cost->folded);
}

static void put_arithmetic(const struct ets_cost_cells *cells)
{
    const enum ets_arithmetic arithmetic = cells->cost->arithmetic;
    if (arithmetic == ETS_ARITHMETIC_NONE) ets_table_put_nothing(cells->table);
    else ets_table_put_string(cells->table, ets_arithmetic_name(arithmetic));
}

#define HUMAN(...)                                                         \
    {                                                                      \
        .kind = ETS_COLUMN_REAL, .human_only = 1, .digits = 3, __VA_ARGS__ \
    }
#define MACHINE(...)                                               \
    {                                                              \
        .kind = ETS_COLUMN_INTEGER, .machine_only = 1, __VA_ARGS__ \
    }
#define BYTES(...)                                               \
    {                                                            \
        .kind = ETS_COLUMN_BYTES, .machine_only = 1, __VA_ARGS__ \
    }
/* clang-format off */
static const struct field fields[] = {
    {HUMAN(.name = "flops", .priority = 1), show_flops, 0},
    {{.name = "moved", .kind = ETS_COLUMN_BYTES, .human_only = 1, .priority = 2}, show_bytes, 0},
    {MACHINE(.name = "flops"), put_flops, 0},
    {MACHINE(.name = "macs"), put_macs, 0},
    {MACHINE(.name = "ops"), put_ops, 0},
    {MACHINE(.name = "special_ops"), put_special, 0},
    {BYTES(.name = "read"), put_read, 0},
    {BYTES(.name = "weight"), put_weights, 0},
    {BYTES(.name = "written"), put_written, 0},
    {BYTES(.name = "moved"), put_bytes, 0},
    {{.name = "intensity", .title = "FLOP/B", .kind = ETS_COLUMN_REAL, .digits = 3, .priority = 3}, put_intensity, 0},
    {HUMAN(.name = "gflops_per_s", .title = "GFLOP/s", .priority = 1), show_flop_rate, 1},
    {HUMAN(.name = "gbytes_per_s", .title = "GB/s", .priority = 2), show_byte_rate, 1},
    {{.name = "gflops_per_s", .kind = ETS_COLUMN_REAL, .machine_only = 1, .has_bounds = 1}, put_flop_rate, 1},
    {{.name = "gbytes_per_s", .kind = ETS_COLUMN_REAL, .machine_only = 1, .has_bounds = 1}, put_byte_rate, 1},
    {{.name = "arithmetic", .machine_only = 1}, put_arithmetic, 0},
    {{.name = "cost", .machine_only = 1}, put_state, 0},
    {{.name = "cost_reason", .machine_only = 1}, put_reason, 0},
    {MACHINE(.name = "not_counted"), put_unknown, 0},
    {MACHINE(.name = "folded"), put_folded, 0},
};
/* clang-format on */

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

double ets_cost_fields_add(struct ets_table *table, uint64_t largest, int has_rates)
{
    const char *name;
    const double unit = ets_flops_unit(largest, &name);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        struct ets_column column = fields[i].column;
        if (fields[i].is_rate && !has_rates) continue;
        if (fields[i].put == show_flops) column.title = name;
        ets_table_add_column(table, &column);
    }
    return unit;
}

void ets_cost_fields_put(const struct ets_cost_cells *cells, int has_rates)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (!fields[i].is_rate || has_rates) fields[i].put(cells);
    }
}

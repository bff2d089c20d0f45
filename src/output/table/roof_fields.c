/* Columns of a roof: what holds an operator back, its share of the roof, its time there. */
#include "output/table/roof_fields.h"

#include <math.h>

static void put_known(const struct ets_roof_cells *cells, double lower, double upper)
{
    if (isnan(lower)) ets_table_put_nothing(cells->table);
    else ets_table_put_bounds(cells->table, lower, upper);
}

static void put_verdict(const struct ets_roof_cells *cells)
{
    ets_table_put_string(cells->table, ets_roof_verdict_name(cells->roof->verdict));
}

static void put_share(const struct ets_roof_cells *cells)
{
    put_known(cells, cells->roof->least_share, cells->roof->most_share);
}

static void put_at_roof(const struct ets_roof_cells *cells)
{
    put_known(cells, cells->lower_ns, cells->upper_ns);
}

static void put_level(const struct ets_roof_cells *cells)
{
    const bool has_bound = !isnan(cells->roof->bound_ns);
    ets_table_put_string(cells->table,
                         has_bound ? ets_memory_level_name(cells->roof->level) : NULL);
}

static void put_binding(const struct ets_roof_cells *cells)
{
    const bool has_bound = !isnan(cells->roof->bound_ns);
    ets_table_put_string(cells->table, has_bound ? ets_roof_kind_name(cells->roof->binding) : NULL);
}

static void put_bound(const struct ets_roof_cells *cells)
{
    put_known(cells, cells->roof->bound_ns, cells->roof->bound_ns);
}

static void put_reason(const struct ets_roof_cells *cells)
{
    ets_table_put_string(cells->table, ets_roof_reason_name(cells->roof->reason));
}

static const struct field {
    struct ets_column column;
    void (*put)(const struct ets_roof_cells *cells);
} fields[] = {
    {{.name = "verdict"}, put_verdict},
    {{.name = "of_roof", .title = "of roof", .kind = ETS_COLUMN_SHARE, .has_bounds = 1}, put_share},
    {{.name = "at_roof", .title = "at roof", .kind = ETS_COLUMN_TIME, .has_bounds = 1},
     put_at_roof},
    {{.name = "level", .priority = 3}, put_level},
    {{.name = "roof", .machine_only = 1}, put_binding},
    {{.name = "bound", .kind = ETS_COLUMN_TIME, .machine_only = 1}, put_bound},
    {{.name = "verdict_reason", .machine_only = 1}, put_reason},
};
enum { FIELDS = sizeof fields / sizeof *fields };

void ets_roof_fields_add(struct ets_table *table)
{
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
}

void ets_roof_fields_put(const struct ets_roof_cells *cells)
{
    for (size_t i = 0; i < FIELDS; i++) fields[i].put(cells);
}

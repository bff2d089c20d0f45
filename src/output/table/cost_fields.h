/* The columns of a cost, which several tables have behind those of times. */
#ifndef ETSCOPE_OUTPUT_TABLE_COST_FIELDS_H
#define ETSCOPE_OUTPUT_TABLE_COST_FIELDS_H

#include "cost/cost.h"
#include "output/table/table.h"

/* What the cells of a line are of. */
struct ets_cost_cells {
    struct ets_table *table;
    const struct ets_cost *cost;
    double lower_ns, upper_ns; /* of the time that it took; NaN: not measured, no rates */
    double unit;               /* people see flops divided by it */
};

/* `largest` flops choose the unit that people see, which is returned. With `has_rates`, columns of
 * flops and bytes per second, too. */
double ets_cost_fields_add(struct ets_table *table, uint64_t largest, int has_rates);
void ets_cost_fields_put(const struct ets_cost_cells *cells, int has_rates);

#endif

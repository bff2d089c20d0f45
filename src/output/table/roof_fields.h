/* The columns of a machine's roof, which tables have behind those of a cost. */
#ifndef ETSCOPE_OUTPUT_TABLE_ROOF_FIELDS_H
#define ETSCOPE_OUTPUT_TABLE_ROOF_FIELDS_H

#include "cost/roof_verdict.h"
#include "output/table/table.h"

/* What the cells of a line are of. */
struct ets_roof_cells {
    struct ets_table *table;
    const struct ets_roof_answer *roof; /* verdict NONE: of several operators */
    double lower_ns, upper_ns;          /* what the line would take at the roof; NaN: not known */
};

void ets_roof_fields_add(struct ets_table *table);
void ets_roof_fields_put(const struct ets_roof_cells *cells);

#endif

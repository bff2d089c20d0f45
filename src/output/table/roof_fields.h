/* The columns of a machine's roof, which tables have behind those of a cost. */
#ifndef ETSCOPE_OUTPUT_TABLE_ROOF_FIELDS_H
#define ETSCOPE_OUTPUT_TABLE_ROOF_FIELDS_H

#include "output/table/table.h"
#include "views/headroom.h"

void ets_roof_fields_add(struct ets_table *table);

/*
 * Puts cells of `row` (ETS_NO_INDEX: of several rows), which took between these times and would
 * save `saved` of them at the roof; NaN: it was not measured. In nanoseconds.
 */
void ets_roof_fields_put_row(struct ets_table *table, const struct ets_headroom *headroom,
                             uint32_t row, double lower_ns, double upper_ns, double saved_ns);

/* The headline of a block: how far a run of it is from the roof. false: no memory. */
bool ets_roof_sentence_add(struct ets_table *table, struct ets_arena *arena,
                           const struct ets_inspection *inspection,
                           const struct ets_headroom *headroom, const struct ets_chosen_runs *runs,
                           uint32_t block, double tick_ns);

#endif

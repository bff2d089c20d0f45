/* The finding of a value, as tables show it. */
#include "output/table/finding_cell.h"

void ets_put_finding(struct ets_table *table, enum ets_gap_finding finding)
{
    static const enum ets_meaning meanings[] = {
        [ETS_GAP_GUILTY] = ETS_MEANS_GUILTY,     [ETS_GAP_SUSPECT] = ETS_MEANS_WORSE,
        [ETS_GAP_INHERITED] = ETS_MEANS_WARNING, [ETS_GAP_OFF] = ETS_MEANS_WARNING,
        [ETS_GAP_INEXACT] = ETS_MEANS_NOTHING,   [ETS_GAP_HARMLESS] = ETS_MEANS_WARNING,
    };
    const unsigned at = (unsigned)finding;
    ets_table_put_string(table, ets_gap_finding_name(finding));
    if (at < sizeof meanings / sizeof *meanings) ets_table_mark_cell(table, meanings[at]);
}

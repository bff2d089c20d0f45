/* Findings as rows. */
#include "output/table/advice_table.h"

#include "base/error.h"
#include "base/text.h"
#include "output/table/entity_table.h"
#include "study/study_advice.h"

void ets_advice_table_fill(struct ets_table *table, struct ets_study *study,
                           const struct ets_study_advice *advice)
{
    struct ets_arena scratch;
    const struct ets_entity_view view = {.entity = &ets_findings_entity,
                                         .has_unit = advice->tick_ns > 0};
    struct ets_entity_row row = {.study = study, .scratch = &scratch};
    ets_arena_init(&scratch, ets_table_allocator(table), 0);
    if (advice->of->trace != ETS_NO_INDEX) row.trace = &study->traces[advice->of->trace];
    ets_entity_table_begin(table, &view, NULL, NULL);
    for (uint32_t i = 0; i < advice->count; i++) {
        row.item = advice->shown[i];
        ets_table_add_row(table, 0);
        ets_entity_table_put(table, &view, &row, NULL, NULL);
        ets_arena_reset(&scratch);
    }
}

enum ets_status ets_advice_table_of(struct ets_table *table,
                                    const struct ets_study_sources *sources, int all,
                                    struct ets_error *error)
{
    struct ets_study study;
    struct ets_study_advice advice;
    enum ets_status status = ets_study_init(&study, sources, ets_table_allocator(table), error);
    /* Whoever joined the sources has decided whether they belong together. */
    if (status == ETS_OK) status = ets_study_coverage(&study, true, &advice.coverage, error);
    if (status == ETS_OK) status = ets_study_advise(&study, all, &advice, error);
    if (status == ETS_OK) {
        ets_table_add_lead(table, ets_text_of(advice.headline));
        ets_advice_table_fill(table, &study, &advice);
    }
    ets_study_reset(&study);
    return status;
}

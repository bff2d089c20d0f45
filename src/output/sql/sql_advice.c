/* The findings of a trace as a table of advice. */
#include "output/sql/sql_advice.h"

#include <string.h>

#include "advice/advice_headline.h"
#include "base/error.h"
#include "output/sql/sql_data.h"
#include "output/table/advice_table.h"

/* As the command says it: what was not read is no comfort. */
static enum ets_status print_headline(struct ets_sql_data *data,
                                      const struct ets_inspection *inspection,
                                      const struct ets_saving_total *total, double tick_ns,
                                      struct ets_text_builder *text, struct ets_error *error)
{
    const struct ets_sql_sources *sources = &data->sources;
    struct ets_advice_coverage coverage;
    bool is_undecided;
    ETS_TRY(
        ets_advice_coverage_find(sources->program_count > 0 ? sources->programs[0].program : NULL,
                                 sources->record_count > 0 ? sources->records[0].record : NULL,
                                 true, /* the inspection has decided whether they belong together */
                                 &data->arena, &coverage, error));
    return ets_advice_headline(&data->arena, inspection, total, &coverage, tick_ns, text,
                               &is_undecided)
               ? ETS_OK
               : ets_fail_memory(error, "the advice");
}

static enum ets_status fill(struct ets_table *table, struct ets_sql_data *data, int all,
                            struct ets_error *error)
{
    static const char *const no_checks[ETS_CHECK_COUNT] = {NULL};
    char headline[ETS_ADVICE_HEADLINE_BYTES];
    struct ets_saving_total total;
    const struct ets_sql_trace_data *trace = &data->traces[0];
    ETS_TRY(ets_sql_data_findings(data, error));
    const struct ets_findings *found = &data->findings[0].found;
    const struct ets_finding **shown =
        ets_arena_alloc_array(&data->arena, found->count, sizeof *shown);
    if (shown == NULL || !ets_saving_total_find(&data->arena, trace->inspection, found, &total)) {
        return ets_fail_memory(error, "the advice");
    }
    struct ets_advice_page page = {
        .checks = no_checks,
        .findings = shown,
        .tick_ns = trace->unit == ETS_UNIT_NS ? trace->tick : 0,
    };
    for (uint32_t i = 0; i < found->count; i++) {
        const struct ets_finding *finding = &found->items[i];
        if (!all && !ets_finding_is_shown(finding)) continue;
        shown[page.count++] = finding;
    }
    struct ets_text_builder text = {headline, sizeof headline, 0};
    ETS_TRY(print_headline(data, trace->inspection, &total, page.tick_ns, &text, error));
    ets_table_add_lead(table, ets_built_text(&text));
    ets_advice_table_fill(table, &page);
    return ETS_OK;
}

enum ets_status ets_sql_advice_fill(struct ets_table *table, const struct ets_sql_sources *sources,
                                    const struct ets_gap_report *const *gaps, int all,
                                    struct ets_error *error)
{
    struct ets_sql_data data;
    if (sources->trace_count == 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "advice needs a trace");
    }
    enum ets_status status = ets_sql_data_init(&data, sources, ets_table_allocator(table), error);
    data.gaps = gaps;
    if (status == ETS_OK) status = fill(table, &data, all, error);
    ets_sql_data_free(&data);
    return status;
}

/* Adds up savings over the rows that findings name, each once. */
#include "advice/saving_total.h"

#include <math.h>
#include <string.h>

#include "views/sentence_numbers.h"
#include "views/timed_blocks.h"

static bool saves_time(const struct ets_finding *finding)
{
    return ets_finding_is_advice(finding) && !isnan(finding->saving.ticks.upper) &&
           finding->saving.ticks.upper > 0;
}

/* Adds the p50 of all rows that the findings name. */
static bool add_rows(struct ets_arena *arena, const struct ets_inspection *inspection,
                     const struct ets_findings *findings, uint32_t block, double *sum)
{
    uint8_t *is_added = ets_arena_alloc_array(arena, ets_inspection_row_count(inspection), 1);
    if (is_added == NULL) return false;
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct ets_finding *finding = &findings->items[i];
        if (!saves_time(finding) || finding->block != block) continue;
        for (uint32_t k = 0; k < finding->row_count; k++) {
            struct ets_statistics times;
            if (is_added[finding->rows[k]]) continue;
            is_added[finding->rows[k]] = 1;
            if (ets_inspection_row_statistics(inspection, finding->rows[k], ETS_NO_INDEX, &times,
                                              NULL) != ETS_OK) {
                return false;
            }
            *sum += times.p50;
        }
    }
    return true;
}

bool ets_saving_total_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                           const struct ets_findings *findings, struct ets_saving_total *total_out)
{
    struct ets_timed_blocks blocks;
    double rows = 0, sum = 0;
    *total_out = (struct ets_saving_total){.block = ETS_NO_INDEX};
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct ets_finding *finding = &findings->items[i];
        total_out->bad += finding->severity == ETS_SEVERITY_BAD;
        total_out->advice += ets_finding_is_advice(finding);
        if (inspection == NULL || !saves_time(finding)) continue;
        if (total_out->block == ETS_NO_INDEX) {
            total_out->block = finding->block;
            total_out->method = finding->method;
        }
        if (finding->block != total_out->block) continue;
        total_out->count++;
        sum += finding->saving.ticks.upper;
        if (finding->row_count == 0) rows += finding->saving.ticks.upper;
    }
    if (total_out->block == ETS_NO_INDEX) return true;
    if (!add_rows(arena, inspection, findings, total_out->block, &rows) ||
        !ets_timed_blocks_find(arena, inspection, total_out->block, ETS_NO_INDEX, 0, &blocks)) {
        return false;
    }
    if (blocks.count == 0) return true;
    total_out->whole = blocks.items[0].times.statistics.p50;
    total_out->upper = fmin(fmin(sum, rows), total_out->whole);
    return true;
}

size_t ets_saving_total_print(const struct ets_saving_total *total, double tick_ns, char *text,
                              size_t room)
{
    struct ets_text_builder line = {text, room, 0};
    if (total->bad > 0) {
        ets_add_text(&line, "%u thing%s wrong", total->bad, total->bad == 1 ? " is" : "s are");
    }
    if (total->advice == 0) {
        ets_add_text(&line, "%s", total->bad > 0 ? "" : "nothing to do was found");
        return line.used;
    }
    ets_add_text(&line, "%s%u thing%s to do", total->bad > 0 ? "; " : "", total->advice,
                 total->advice == 1 ? "" : "s");
    if (total->count == 0 || !(total->whole > 0)) return line.used;
    ets_add_text(&line, ", which save at most ");
    ets_add_time(&line, (struct ets_span){total->upper, total->upper}, tick_ns);
    ets_add_text(&line, " of the ");
    ets_add_time(&line, (struct ets_span){total->whole, total->whole}, tick_ns);
    ets_add_plain_text(&line, " of a run of %.*s (", ETS_TEXT(total->method));
    const double share = total->upper / total->whole;
    ets_add_share(&line, (struct ets_span){share, share});
    ets_add_text(&line, ")");
    return line.used;
}

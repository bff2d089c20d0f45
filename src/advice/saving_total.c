/* Adds up savings over the rows that findings name, each once. */
#include "advice/saving_total.h"

#include <math.h>
#include <string.h>

#include "inspect/time_details.h"
#include "views/sentence_numbers.h"
#include "views/timed_blocks.h"

static bool saves_time(const struct ets_finding *finding)
{
    return ets_finding_is_advice(finding) && !isnan(finding->saving.ticks.upper) &&
           finding->saving.ticks.upper > 0;
}

/* Adds the mid of all rows that the findings name. */
static bool add_rows(struct ets_arena *arena, const struct ets_inspection *inspection,
                     const struct ets_findings *findings, const struct ets_timed_block *block,
                     double *sum)
{
    const uint32_t runs = ets_inspection_block(inspection, block->block)->run_count;
    uint8_t *is_added = ets_arena_alloc_array(arena, ets_inspection_row_count(inspection), 1);
    double *ticks = ets_arena_alloc_array(arena, runs, sizeof *ticks);
    if (is_added == NULL || ticks == NULL) return false;
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct ets_finding *finding = &findings->items[i];
        if (!saves_time(finding) || finding->block != block->block) continue;
        for (uint32_t k = 0; k < finding->row_count; k++) {
            const uint32_t index = finding->rows[k];
            const struct ets_row *row = ets_inspection_row(inspection, index);
            struct ets_chosen_times times;
            if (is_added[index] || row->block != block->block) continue;
            is_added[index] = 1;
            ets_inspection_row_ticks(inspection, index, ETS_NO_INDEX, ticks);
            ets_chosen_runs_summarise(&block->runs, ticks, &times);
            *sum += times.middle + ets_row_clock_error(row).above;
        }
    }
    return true;
}

bool ets_saving_total_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                           const struct ets_findings *findings, struct ets_saving_total *total_out)
{
    struct ets_timed_blocks blocks;
    double rows = 0, beside = 0, sum = 0, largest = 0;
    *total_out = (struct ets_saving_total){.block = ETS_NO_INDEX};
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct ets_finding *finding = &findings->items[i];
        total_out->bad += finding->severity == ETS_SEVERITY_BAD;
        total_out->advice +=
            ets_finding_is_advice(finding) && finding->severity != ETS_SEVERITY_BAD;
        total_out->expensive += strcmp(finding->kind, ETS_EXPENSIVE_KIND) == 0;
        if (inspection == NULL || !saves_time(finding)) continue;
        if (total_out->block == ETS_NO_INDEX) {
            total_out->block = finding->block;
            total_out->method = finding->method;
        }
        if (finding->block != total_out->block) continue;
        total_out->count++;
        sum += finding->saving.away;
        largest = fmax(largest, finding->saving.away);
        beside += finding->saving.beside;
        total_out->has_bound |= finding->saving.basis == ETS_SAVING_BOUND;
    }
    if (total_out->block == ETS_NO_INDEX) return true;
    if (!ets_timed_blocks_find(arena, inspection, total_out->block, ETS_NO_INDEX, 0, &blocks)) {
        return false;
    }
    if (blocks.count == 0 || !(blocks.items[0].runs.whole > 0)) return true;
    if (!add_rows(arena, inspection, findings, &blocks.items[0], &rows)) return false;
    /* Shares are of mid; the run that is told is the median. */
    const double share = rows / blocks.items[0].runs.whole;
    total_out->whole = blocks.items[0].times.statistics.p50;
    const double counted = fmin(sum, share * total_out->whole + beside);
    total_out->away = fmin(fmax(counted, largest), total_out->whole);
    return true;
}

/* That nothing helps what is expensive is an answer, too. */
static void add_expensive(const struct ets_saving_total *total, struct ets_text_builder *line)
{
    if (total->bad > 0 || total->expensive == 0) return;
    ets_add_text(line, "; %u operator%s 10 %% of a run or more", total->expensive,
                 total->expensive == 1 ? " takes" : "s take");
}

size_t ets_saving_total_print(const struct ets_saving_total *total, const char *outside,
                              double tick_ns, char *text, size_t room)
{
    struct ets_text_builder line = {text, room, 0};
    if (total->bad > 0) {
        ets_add_text(&line, "%u thing%s wrong", total->bad, total->bad == 1 ? " is" : "s are");
    }
    if (total->advice == 0) {
        if (total->bad == 0) ets_add_plain_text(&line, "nothing to do was found%s", outside);
        add_expensive(total, &line);
        return line.used;
    }
    ets_add_text(&line, "%s%u %sthing%s to do", total->bad > 0 ? "; " : "", total->advice,
                 total->bad > 0 ? "other " : "", total->advice == 1 ? "" : "s");
    if (total->count == 0 || !(total->whole > 0)) return line.used;
    /* Two things can save the same time: the sum of all would be too much. */
    const double scale = ets_shared_time_scale(total->away, total->whole, tick_ns);
    if (total->count < total->advice) ets_add_text(&line, "; %u of them", total->count);
    ets_add_text(&line, ": %s", total->has_bound ? "" : "about ");
    ets_add_time_in(&line, (struct ets_span){total->away, total->away}, tick_ns, scale);
    ets_add_text(&line, " of the ");
    ets_add_time_in(&line, (struct ets_span){total->whole, total->whole}, tick_ns, scale);
    ets_add_plain_text(&line, " of a run of %.*s (", ETS_TEXT(total->method));
    const double share = total->away / total->whole;
    ets_add_share(&line, (struct ets_span){share, share});
    ets_add_text(&line, ")%s", total->has_bound ? ", less the time of what takes its place" : "");
    return line.used;
}

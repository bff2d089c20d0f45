/*
 * Chooses the runs of a block (all, steady or one), and computes the mean over their middle half.
 */
#include "views/chosen_runs.h"
#include "inspect/accounting/accounting.h"
#include "inspect/time_details.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "views/operator_rows.h"

struct place {
    double ticks;
    uint32_t run;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->ticks != b->ticks) return a->ticks > b->ticks ? 1 : -1;
    return (a->run > b->run) - (a->run < b->run);
}

const double *ets_middle_weights(struct ets_arena *arena, const double *ticks, uint32_t count)
{
    const uint32_t quarter = (uint32_t)(((uint64_t)count + 1) / 4); /* of 3 runs the middle one */
    double *weights = ets_arena_alloc_array(arena, count, sizeof *weights);
    struct place *places = ets_arena_alloc_array(arena, count, sizeof *places);
    if (weights == NULL || places == NULL) return NULL;
    for (uint32_t i = 0; i < count; i++) places[i] = (struct place){ticks[i], i};
    if (count > 0) qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = quarter; i < count - quarter; i++) {
        weights[places[i].run] = 1;
    }
    return weights;
}

double ets_middle_mean(const double *ticks, uint32_t count, const double *weights)
{
    double sum = 0, weight = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += weights[i] * ticks[i];
        weight += weights[i];
    }
    return weight > 0 ? sum / weight : NAN;
}

/* The number of a run within its block. */
static uint32_t number_in(const struct ets_inspection *inspection, uint32_t block, uint32_t run)
{
    uint32_t number = 0;
    for (uint32_t r = ets_inspection_block(inspection, block)->first_run; r < run; r++) {
        number += ets_inspection_run(inspection, r)->block == block;
    }
    return number;
}

bool ets_chosen_runs_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                          uint32_t block, uint32_t run, int steady,
                          struct ets_chosen_runs *runs_out)
{
    const uint32_t count = ets_inspection_block(inspection, block)->run_count;
    const uint32_t whole = ets_operator_whole_row(inspection, block);
    const uint32_t execution = ets_inspection_total_row(inspection, block);
    double *ticks = ets_arena_alloc_array(arena, count, sizeof *ticks);
    *runs_out = (struct ets_chosen_runs){.count = count, .whole = NAN};
    if (ticks == NULL) return false;
    if (whole != ETS_NO_INDEX) ets_inspection_row_ticks(inspection, whole, ETS_NO_INDEX, ticks);
    if (run != ETS_NO_INDEX) {
        runs_out->first = number_in(inspection, block, run);
        runs_out->count = 1;
    } else if (steady && execution != ETS_NO_INDEX) {
        struct ets_run_phases phases;
        if (ets_run_phases_of_row(inspection, execution, arena->allocator, &phases, NULL) != ETS_OK)
            return false;
        runs_out->first = phases.warm_up;
        runs_out->count -= phases.warm_up;
    }
    runs_out->weights = ets_middle_weights(arena, ticks + runs_out->first, runs_out->count);
    if (runs_out->weights == NULL) return false;
    if (whole == ETS_NO_INDEX) return true;
    const double mean =
        ets_middle_mean(ticks + runs_out->first, runs_out->count, runs_out->weights);
    if (mean > 0) runs_out->whole = mean;
    return true;
}

void ets_chosen_runs_summarise(const struct ets_chosen_runs *runs, double *per_run,
                               struct ets_chosen_times *times_out)
{
    double *values = per_run + runs->first;
    times_out->middle = ets_middle_mean(values, runs->count, runs->weights);
    ets_statistics_compute(values, runs->count, &times_out->statistics);
    ets_spread_compute(values, runs->count, &times_out->spread);
}

bool ets_middle_is_told(const struct ets_inspection *inspection)
{
    for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
        if (ets_inspection_block(inspection, b)->run_count >= ETS_MIDDLE_RUNS) return true;
    }
    return false;
}

size_t ets_print_share_of(uint32_t runs, char *text, size_t room)
{
    return runs < ETS_MIDDLE_RUNS ? 0 : ets_print_text(text, room, ", shares of mid");
}

size_t ets_chosen_runs_print(const struct ets_chosen_runs *runs, uint32_t run_count, uint32_t run,
                             char *text, size_t room)
{
    if (run != ETS_NO_INDEX) {
        return ets_print_text(text, room, ", only run %u of the trace", run);
    }
    if (runs->count == run_count) return 0;
    return ets_print_text(text, room, ", only the %u steady runs", runs->count);
}

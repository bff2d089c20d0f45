/* Finds the recordings of a block, and describes each by one value. */
#include "compare/recordings.h"

#include <math.h>
#include <string.h>

double ets_metric_of(const struct ets_statistics *times, enum ets_budget_metric metric)
{
    const double values[] = {times->min, times->p10,  times->p50, times->p90,
                             times->max, times->mean, NAN,        times->p50};
    return values[metric];
}

/* Whether every operator took the same time in every run of both parts. */
static bool is_copy(const struct ets_pool_block *block, const struct ets_pool_part *left,
                    const struct ets_pool_part *right)
{
    if (left->run_count != right->run_count) return false;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const double *times = block->operators[i].per_run;
        if (memcmp(times + left->first_run, times + right->first_run,
                   left->run_count * sizeof *times) != 0) {
            return false;
        }
    }
    return block->operator_count > 0;
}

static uint32_t number_of(const struct ets_pool_block *block, struct ets_recordings *recordings,
                          uint32_t part)
{
    for (uint32_t p = 0; p < part; p++) { /* parts of one trace follow each other */
        const bool is_one = block->parts[p].inspection == block->parts[part].inspection;
        if (is_one) return recordings->of_part[p];
        if (is_copy(block, &block->parts[p], &block->parts[part])) return ETS_NO_INDEX;
    }
    return recordings->count++;
}

bool ets_recordings_find(struct ets_arena *arena, const struct ets_pool_block *block,
                         struct ets_recordings *recordings_out)
{
    *recordings_out = (struct ets_recordings){.block = block};
    if (block == NULL) return true;
    recordings_out->begin = UINT64_MAX;
    uint32_t *runs = ets_arena_alloc_array(arena, block->part_count, sizeof *runs);
    recordings_out->of_part =
        ets_arena_alloc_array(arena, block->part_count, sizeof *recordings_out->of_part);
    if (runs == NULL || recordings_out->of_part == NULL) return false;
    for (uint32_t p = 0; p < block->part_count; p++) {
        const uint32_t number = number_of(block, recordings_out, p);
        recordings_out->of_part[p] = number;
        if (number == ETS_NO_INDEX) continue;
        runs[number] += block->parts[p].run_count;
        const uint64_t begin = block->parts[p].recorded_begin, end = block->parts[p].recorded_end;
        if (begin < recordings_out->begin) recordings_out->begin = begin;
        if (end > recordings_out->end) recordings_out->end = end;
    }
    recordings_out->least_runs = recordings_out->most_runs = runs[0];
    for (uint32_t i = 1; i < recordings_out->count; i++) {
        if (runs[i] < recordings_out->least_runs) recordings_out->least_runs = runs[i];
        if (runs[i] > recordings_out->most_runs) recordings_out->most_runs = runs[i];
    }
    return true;
}

bool ets_recordings_are_apart(const struct ets_recordings sides[2])
{
    const struct ets_recordings *before = &sides[0], *after = &sides[1];
    if (before->begin == 0 || after->begin == 0) return false;
    return before->end <= after->begin || after->end <= before->begin;
}

void ets_recordings_values(const struct ets_recordings *recordings, const double *per_run,
                           enum ets_budget_metric metric, double *scratch, double *values_out)
{
    const struct ets_pool_block *block = recordings->block;
    uint32_t used = 0;
    for (uint32_t p = 0; p < block->part_count; p++) {
        const struct ets_pool_part *part = &block->parts[p];
        const uint32_t number = recordings->of_part[p];
        if (number == ETS_NO_INDEX) continue;
        memcpy(scratch + used, per_run + part->first_run, part->run_count * sizeof *per_run);
        used += part->run_count;
        if (p + 1 < block->part_count && recordings->of_part[p + 1] == number) continue;
        struct ets_statistics times;
        ets_statistics_compute(scratch, used, &times);
        values_out[number] = ets_metric_of(&times, metric);
        used = 0;
    }
}

uint32_t ets_recordings_runs(const struct ets_recordings *recordings, const double *per_run,
                             double *runs_out)
{
    const struct ets_pool_block *block = recordings->block;
    uint32_t used = 0;
    for (uint32_t p = 0; p < block->part_count; p++) {
        const struct ets_pool_part *part = &block->parts[p];
        if (recordings->of_part[p] == ETS_NO_INDEX) continue;
        memcpy(runs_out + used, per_run + part->first_run, part->run_count * sizeof *per_run);
        used += part->run_count;
    }
    return used;
}

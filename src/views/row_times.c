/* Computes the times and self times of all rows. */
#include "views/row_times.h"

#include "views/chosen_runs.h"

/* The means over the middle half of their runs of the rows of a block. */
static bool find_middles(const struct ets_allocator *allocator,
                         const struct ets_inspection *inspection, uint32_t block,
                         struct ets_row_times *times)
{
    struct ets_arena scratch;
    struct ets_chosen_runs runs;
    const struct ets_block *rows = ets_inspection_block(inspection, block);
    ets_arena_init(&scratch, allocator, 0);
    double *ticks = ets_arena_alloc_array(&scratch, rows->run_count, sizeof *ticks);
    const bool ok =
        ticks != NULL && ets_chosen_runs_find(&scratch, inspection, block, ETS_NO_INDEX, 0, &runs);
    for (uint32_t i = rows->first_row; ok && i < rows->first_row + rows->row_count; i++) {
        ets_inspection_row_ticks(inspection, i, ETS_NO_INDEX, ticks);
        times[i].middle = ets_middle_mean(ticks, runs.count, runs.weights);
    }
    ets_arena_reset(&scratch);
    return ok;
}

struct ets_row_times *ets_row_times_collect(struct ets_arena *arena,
                                            const struct ets_inspection *inspection)
{
    const uint32_t count = ets_inspection_row_count(inspection);
    struct ets_row_times *times = ets_arena_alloc_array(arena, count, sizeof *times);
    if (times == NULL) return NULL;
    for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
        if (!find_middles(arena->allocator, inspection, b, times)) return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &times[i].statistics,
                                          NULL) != ETS_OK) {
            return NULL;
        }
        times[i].self = times[i].statistics.mean;
        times[i].self_middle = times[i].middle;
        times[i].error = times[i].self_error =
            ets_row_clock_error(ets_inspection_row(inspection, i));
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (row->parent == ETS_NO_INDEX) continue;
        struct ets_row_times *parent = &times[row->parent];
        parent->children++;
        if (row->clock != NULL) continue; /* others are no part of it */
        parent->self -= times[i].statistics.mean;
        parent->self_middle -= times[i].middle;
        ets_clock_error_take(&parent->self_error, row->parent, times[i].error);
    }
    return times;
}

/* Warm-up, steady state, drift and outliers of a block's runs. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/quantile.h"
#include "host/arena.h"
#include "inspect/accounting/accounting.h"
#include "inspect/accounting/trend.h"
#include "inspect/time_details.h"

/* The rules of struct ets_run_phases in numbers. */
enum { LEAST_RUNS = 8, STEPS = 20, LEAST_TICKS = 2 };
#define FAR_DEVIATIONS 3.5
#define FAR_SHARE 0.05
#define TREND_P 0.01
#define TREND_SHARE 0.02
#define MAD_TO_SD 1.4826 /* of normal values */

struct finder {
    double *values, *scratch; /* [count] */
    struct ets_trend_scratch trend;
    uint32_t count;
};

static double sort_and_halve(double *values, uint32_t count)
{
    ets_sort_doubles(values, count);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double median(const struct finder *f, uint32_t first, uint32_t count)
{
    memcpy(f->scratch, f->values + first, count * sizeof *f->scratch);
    return sort_and_halve(f->scratch, count);
}

/* The distance from `middle`, their median, beyond which a run is far from these. */
static double far_distance(const struct finder *f, uint32_t first, uint32_t count, double middle)
{
    for (uint32_t i = 0; i < count; i++) f->scratch[i] = fabs(f->values[first + i] - middle);
    const double sd = MAD_TO_SD * sort_and_halve(f->scratch, count);
    const double noise = FAR_DEVIATIONS * (1 + 3.0 / count) * sd;
    return fmax(fmax(noise, FAR_SHARE * fabs(middle)), LEAST_TICKS);
}

/* Runs before the first that is not far above the later half. */
static uint32_t slow_start(const struct finder *f)
{
    const uint32_t half = f->count / 2;
    const double middle = median(f, f->count - half, half);
    const double limit = middle + far_distance(f, f->count - half, half, middle);
    uint32_t at = 0;
    while (at < half && f->values[at] > limit) at++;
    return at;
}

static void find_trend(const struct finder *f, uint32_t first, struct ets_run_phases *phases)
{
    const uint32_t count = f->count - first, third = count / 3;
    const double early = median(f, first, third), late = median(f, f->count - third, third);
    phases->trend_p = ets_trend_p(f->values + first, count, &f->trend);
    phases->drift = early > 0 ? late / early - 1 : 0;
}

static bool has_trend(const struct ets_run_phases *phases)
{
    return phases->trend_p < TREND_P && fabs(phases->drift) >= TREND_SHARE;
}

/* Removes runs while the rest gets faster. If that never ends, it is drift from `first` on. */
static uint32_t falling_start(const struct finder *f, uint32_t first, struct ets_run_phases *phases)
{
    const uint32_t step = f->count / STEPS > 0 ? f->count / STEPS : 1;
    for (uint32_t at = first; at <= f->count / 2; at += step) {
        find_trend(f, at, phases);
        if (!has_trend(phases) || phases->drift > 0) return at;
    }
    find_trend(f, first, phases);
    return first;
}

static void find_outliers(const struct finder *f, struct ets_run_phases *phases)
{
    const uint32_t first = phases->warm_up, count = f->count - first;
    const double middle = median(f, first, count);
    const double distance = far_distance(f, first, count, middle);
    phases->low = middle - distance;
    phases->high = middle + distance;
    for (uint32_t i = first; i < f->count; i++) {
        phases->outliers += f->values[i] < phases->low || f->values[i] > phases->high ? 1 : 0;
    }
}

static void find(const struct finder *f, struct ets_run_phases *phases)
{
    if (f->count > 1) phases->first_ratio = f->values[0] / median(f, 1, f->count - 1);
    if (f->count < LEAST_RUNS) return;
    phases->warm_up = falling_start(f, slow_start(f), phases);
    phases->state = has_trend(phases) ? ETS_PHASE_DRIFTING : ETS_PHASE_STEADY;
    find_outliers(f, phases);
}

enum ets_status ets_run_phases_find(const int64_t *ticks, uint32_t count,
                                    const struct ets_allocator *allocator,
                                    struct ets_run_phases *phases_out, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    struct finder f = {.count = count};
    f.values = ets_arena_alloc_array(&arena, count, sizeof *f.values);
    f.scratch = ets_arena_alloc_array(&arena, count, sizeof *f.scratch);
    f.trend.sorted = ets_arena_alloc_array(&arena, count, sizeof *f.trend.sorted);
    f.trend.merged = ets_arena_alloc_array(&arena, count, sizeof *f.trend.merged);
    const bool ok =
        f.values != NULL && f.scratch != NULL && f.trend.sorted != NULL && f.trend.merged != NULL;
    if (ok) {
        *phases_out = (struct ets_run_phases){.run_count = count,
                                              .first_ratio = NAN,
                                              .drift = NAN,
                                              .trend_p = NAN,
                                              .low = NAN,
                                              .high = NAN};
        for (uint32_t i = 0; i < count; i++) f.values[i] = (double)ticks[i];
        find(&f, phases_out);
    }
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the times of runs");
}

int ets_run_phases_is_outlier(const struct ets_run_phases *phases, uint32_t index, int64_t ticks)
{
    return phases->state != ETS_PHASE_TOO_FEW && index >= phases->warm_up &&
           ((double)ticks < phases->low || (double)ticks > phases->high);
}

enum ets_status ets_run_phases_of_row(const struct ets_inspection *inspection, uint32_t row,
                                      const struct ets_allocator *allocator,
                                      struct ets_run_phases *phases_out, struct ets_error *error)
{
    const uint32_t block = ets_inspection_row(inspection, row)->block;
    const uint32_t runs = ets_inspection_block(inspection, block)->run_count;
    struct ets_arena scratch;
    ets_arena_init(&scratch, allocator, 0);
    double *ticks = ets_arena_alloc_array(&scratch, runs, sizeof *ticks);
    int64_t *whole = ets_arena_alloc_array(&scratch, runs, sizeof *whole);
    enum ets_status status = ETS_OK;
    if (ticks == NULL || whole == NULL) {
        status = ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for %u runs", runs);
    } else {
        const uint32_t count = ets_inspection_row_ticks(inspection, row, ETS_NO_INDEX, ticks);
        for (uint32_t i = 0; i < count; i++) {
            whole[i] = ticks[i] < 9e18 ? (int64_t)ticks[i] : INT64_MAX;
        }
        status = ets_run_phases_find(whole, count, allocator, phases_out, error);
    }
    ets_arena_reset(&scratch);
    return status;
}

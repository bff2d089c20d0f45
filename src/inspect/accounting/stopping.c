/* Whether the median of the runs so far is known well enough. */
#include "inspect/accounting/stopping.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/quantile.h"
#include "host/arena.h"
#include "inspect/accounting/accounting.h"

enum {
    FIRST_LOOK = 50,
    LEAST_WORTH = 40, /* independent runs that the steady ones have to be worth */
    MOST_LAG = 1000
};
#define ERROR_OF_ALL 0.05
#define TREND_P 0.01

uint32_t ets_stopping_next_look(uint32_t count)
{
    uint32_t look = FIRST_LOOK;
    while (look <= count && look < UINT32_MAX / 2) look += look / 2;
    return look;
}

/* Its number, from 1; a count between two looks is taken for the later one. */
static uint32_t look_number(uint32_t count)
{
    uint32_t number = 1;
    for (uint32_t look = FIRST_LOOK; look < count && look < UINT32_MAX / 2; look += look / 2) {
        number++;
    }
    return number;
}

/* The mean product of the sides of two runs that are `lag` apart; a side is -1, 0 or 1. */
static double likeness(const signed char *sides, uint32_t count, uint32_t lag)
{
    int64_t sum = 0;
    for (uint32_t i = lag; i < count; i++) sum += sides[i] * sides[i - lag];
    return (double)sum / count;
}

/*
 * How many runs are worth one independent run, for their median: 1 + 2 * the correlations of being
 * above or below it, summed in pairs as long as a pair is positive (Geyer 1992). Infinite if that
 * does not end.
 */
static double count_alike(const signed char *sides, uint32_t count)
{
    const double square = likeness(sides, count, 0);
    const uint32_t most = count / 4 < MOST_LAG ? count / 4 : MOST_LAG;
    double alike = 1;
    if (!(square > 0)) return 1; /* all are equal */
    for (uint32_t lag = 1; lag < most; lag += 2) {
        const double pair =
            (likeness(sides, count, lag) + likeness(sides, count, lag + 1)) / square;
        if (pair <= 0) return fmax(alike, 1);
        alike += 2 * pair;
    }
    return INFINITY;
}

struct look {
    const double *times;
    double *sorted;
    int64_t *ticks;
    signed char *sides;
    uint32_t count;
};

static void find_interval(const struct look *look, uint32_t first, struct ets_certainty *c)
{
    const uint32_t count = look->count - first;
    memcpy(look->sorted, look->times + first, count * sizeof *look->sorted);
    ets_sort_doubles(look->sorted, count);
    c->median = ets_quantile(look->sorted, count, 0.5);
    for (uint32_t i = 0; i < count; i++) {
        const double time = look->times[first + i];
        look->sides[i] = (signed char)((time > c->median) - (time < c->median));
    }
    c->alike = count_alike(look->sides, count);
    if (!isfinite(c->alike)) return;
    const double tail = ERROR_OF_ALL / 2 / c->looks / (c->looks + 1);
    const uint32_t rank = ets_interval_rank((uint32_t)(count / c->alike), tail);
    if (rank == 0) return;
    const uint32_t below = (uint32_t)((rank - 1) * c->alike);
    c->low = look->sorted[below];
    c->high = look->sorted[count - 1 - below];
    c->width = c->high > c->low ? (c->high - c->low) / c->median : 0;
}

static enum ets_certainty_state decide(const struct ets_certainty *c, double trend_p,
                                       uint32_t steady, double width)
{
    if (trend_p < TREND_P && fabs(c->drift) > width / 2) return ETS_CERTAINTY_DRIFTING;
    if (!(steady >= LEAST_WORTH * c->alike)) return ETS_CERTAINTY_CORRELATED;
    if (isnan(c->width)) return ETS_CERTAINTY_TOO_FEW;
    return c->width <= width ? ETS_CERTAINTY_SURE : ETS_CERTAINTY_WIDE;
}

enum ets_status ets_stopping_look(const double *times, uint32_t count, double width,
                                  const struct ets_allocator *allocator,
                                  struct ets_certainty *certainty_out, struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_run_phases phases;
    *certainty_out = (struct ets_certainty){.looks = look_number(count),
                                            .median = NAN,
                                            .low = NAN,
                                            .high = NAN,
                                            .width = NAN,
                                            .drift = NAN,
                                            .alike = NAN};
    if (count < FIRST_LOOK) return ETS_OK;
    ets_arena_init(&arena, allocator, 0);
    const struct look look = {.times = times,
                              .sorted = ets_arena_alloc_array(&arena, count, sizeof(double)),
                              .ticks = ets_arena_alloc_array(&arena, count, sizeof(int64_t)),
                              .sides = ets_arena_alloc_array(&arena, count, 1),
                              .count = count};
    enum ets_status status = look.sorted != NULL && look.ticks != NULL && look.sides != NULL
                                 ? ETS_OK
                                 : ets_fail_memory(error, "the times of runs");
    if (status == ETS_OK) {
        for (uint32_t i = 0; i < count; i++) look.ticks[i] = (int64_t)times[i];
        status = ets_run_phases_find(look.ticks, count, allocator, &phases, error);
    }
    if (status == ETS_OK) {
        certainty_out->warm_up = phases.warm_up;
        certainty_out->drift = phases.drift;
        find_interval(&look, phases.warm_up, certainty_out);
        certainty_out->state = decide(certainty_out, phases.trend_p, count - phases.warm_up, width);
    }
    ets_arena_reset(&arena);
    return status;
}

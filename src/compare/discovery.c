/* Adjusts p values for the number of tests (Benjamini and Hochberg). */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "compare/significance.h"
#include "host/arena.h"

struct ranked {
    double p;
    uint32_t index;
};

static int by_p(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return (a->p > b->p) - (a->p < b->p);
}

enum ets_status ets_false_discovery(const double *p, uint32_t count,
                                    const struct ets_allocator *allocator, double *adjusted_out,
                                    struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    struct ranked *ranked = ets_arena_alloc_array(&arena, count, sizeof *ranked);
    if (ranked == NULL) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for %u tests", count);
    }
    uint32_t tests = 0;
    for (uint32_t i = 0; i < count; i++) {
        adjusted_out[i] = NAN;
        if (!isnan(p[i])) ranked[tests++] = (struct ranked){p[i], i};
    }
    if (tests > 0) qsort(ranked, tests, sizeof *ranked, by_p);
    double least = 1;
    for (uint32_t i = tests; i-- > 0;) {
        least = fmin(least, ranked[i].p * tests / (i + 1));
        adjusted_out[ranked[i].index] = least;
    }
    ets_arena_reset(&arena);
    return ETS_OK;
}

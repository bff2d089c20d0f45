#include "base/error.h"
#include "etscope/comparators.h"
#include "numerics/avx2.h"
#include "numerics/pairs.h"

/*
 * How far off a pair is in tolerances; 0 for one that is equal, infinite for one that no tolerance
 * can make close.
 */
static double excess_of(double expected, double actual, const struct ets_tolerance *tolerance)
{
    const double error = __builtin_fabs(actual - expected);
    const double allowed = tolerance->absolute + tolerance->relative * __builtin_fabs(expected);
    if (expected == actual) return 0;
    if (expected != expected && actual != actual && !tolerance->nan_differs) return 0;
    const bool is_finite = actual - actual == 0 && expected - expected == 0;
    if (!is_finite || allowed == 0) return __builtin_inf();
    return error / allowed;
}

static bool is_close(double expected, double actual, const struct ets_tolerance *tolerance)
{
    const double error = __builtin_fabs(actual - expected);
    const double allowed = tolerance->absolute + tolerance->relative * __builtin_fabs(expected);
    if (expected == actual) return true;
    if (expected != expected && actual != actual) return !tolerance->nan_differs;
    return actual - actual == 0 && expected - expected == 0 && error <= allowed;
}

/*
 * Whether some pair may be outside. Without a branch, so that compilers make vector instructions of
 * it: an infinity or NaN makes `error <= room` false, or is found by its own difference.
 */
ETS_INLINED bool has_outside(const double *expected, const double *actual, size_t count,
                             const struct ets_tolerance *tolerance)
{
    const double absolute = tolerance->absolute, relative = tolerance->relative;
    int outside = 0;
    for (size_t i = 0; i < count; i++) {
        const double error = __builtin_fabs(actual[i] - expected[i]);
        const double room = absolute + relative * __builtin_fabs(expected[i]);
        outside |= !(error <= room) | !(expected[i] - expected[i] == 0);
    }
    return outside != 0;
}

ETS_AVX2 static bool has_outside_avx2(const double *expected, const double *actual, size_t count,
                                      const struct ets_tolerance *tolerance)
{
    return has_outside(expected, actual, count, tolerance);
}

static void add_block(struct ets_closeness *c, const struct ets_pairs *pairs,
                      const double *expected, const double *actual, size_t count,
                      const struct ets_tolerance *tolerance)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t index = pairs->index + i / pairs->component_count;
        if (is_close(expected[i], actual[i], tolerance)) continue;
        const double excess = excess_of(expected[i], actual[i], tolerance);
        if (c->outside_count++ == 0) c->first_index = index;
        if (c->outside_count == 1 || excess > c->worst_excess) {
            c->worst_excess = excess;
            c->worst_index = index;
        }
    }
}

enum ets_status ets_closeness_of(const struct ets_tensor *expected, const struct ets_tensor *actual,
                                 const struct ets_tolerance *tolerance,
                                 struct ets_closeness *closeness_out, struct ets_error *error)
{
    struct ets_pairs pairs;
    if (!(tolerance->relative >= 0) || !(tolerance->absolute >= 0)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a tolerance is negative or no number");
    }
    const enum ets_status status = ets_pairs_init(&pairs, expected, actual, error);
    if (status != ETS_OK) return status;
    const bool has_avx2 = ets_has_avx2();
    struct ets_closeness closeness = {.count = 0};
    while (ets_pairs_next(&pairs)) {
        double left[ETS_PAIRS_BLOCK], right[ETS_PAIRS_BLOCK];
        const size_t count = ets_pairs_decode(&pairs, left, right);
        closeness.count += count;
        if (has_avx2 ? has_outside_avx2(left, right, count, tolerance)
                     : has_outside(left, right, count, tolerance)) {
            add_block(&closeness, &pairs, left, right, count, tolerance);
        }
    }
    *closeness_out = closeness;
    return ETS_OK;
}

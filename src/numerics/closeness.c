/* Counts the elements of a tensor outside a tolerance, and finds the worst. */
#include "numerics/closeness.h"
#include "base/error.h"
#include "etscope/experimental/comparators.h"
#include "numerics/decode.h"
#include "numerics/pair_sums.h"
#include "numerics/pairs.h"

/*
 * The error of a pair as a multiple of the tolerance; 0 for equal numbers, infinite if no tolerance
 * can make them close.
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
 * Has no branch, so that compilers vectorize it: an infinity or NaN makes `error <= room` false, or
 * is found by its own difference.
 */
bool ets_has_outside(const double *expected, const double *actual, size_t count,
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

/* Checks the pairs one by one. */
static void add_pairs(struct ets_closeness *c, const struct ets_pairs *pairs,
                      const struct ets_pair_numbers *numbers, const struct ets_tolerance *tolerance)
{
    for (size_t i = 0; i < numbers->count; i++) {
        const double expected = numbers->left[i], actual = numbers->right[i];
        if (is_close(expected, actual, tolerance)) continue;
        const uint64_t index = ets_pairs_index(pairs, i / pairs->component_count);
        const double excess = excess_of(expected, actual, tolerance);
        if (c->outside_count++ == 0 || index < c->first_index) c->first_index = index;
        if (c->outside_count == 1 ||
            ets_is_first_largest(excess, index, c->worst_excess, c->worst_index)) {
            c->worst_excess = excess;
            c->worst_index = index;
        }
    }
}

/* The loop over whole vectors of pairs in place, if there is one. */
static ets_has_outside_function *choose_loop(const struct ets_tensor *a, const struct ets_tensor *b)
{
#if ETS_HAS_AVX2
    const int type = ets_plain_type(a->scalar_type);
    if (type != ets_plain_type(b->scalar_type)) return NULL;
    if (type == ETS_SCALAR_HALF ? ets_has_f16c() : ets_has_avx2()) {
        return ets_avx2_has_outside(type);
    }
#endif
    (void)a;
    (void)b;
    return NULL;
}

/* A quick check for 8-bit integers by their largest error. */
static bool is_small_error(const struct ets_pairs *pairs, const struct ets_tolerance *tolerance)
{
#if ETS_HAS_AVX2
    const int type = ets_plain_type(pairs->left.tensor->scalar_type);
    const bool is_signed = type == ETS_SCALAR_CHAR;
    if ((!is_signed && type != ETS_SCALAR_BYTE) || pairs->count % 32 != 0) return false;
    return ets_avx2_largest_byte_error(pairs->left_bytes, pairs->right_bytes, pairs->count,
                                       is_signed) <= tolerance->absolute;
#else
    (void)pairs;
    (void)tolerance;
    return false;
#endif
}

static void add_block(struct ets_closeness *c, const struct ets_pairs *pairs,
                      const struct ets_tolerance *tolerance, ets_has_outside_function *in_place)
{
    struct ets_pair_numbers numbers;
    const size_t count = pairs->count * pairs->component_count;
    c->count += count;
    if (in_place != NULL && count % 4 == 0 &&
        (is_small_error(pairs, tolerance) ||
         !in_place(pairs->left_bytes, pairs->right_bytes, count, tolerance))) {
        return;
    }
    ets_pairs_decode(pairs, &numbers);
    if (ets_has_outside(numbers.left, numbers.right, count, tolerance)) {
        add_pairs(c, pairs, &numbers, tolerance);
    }
}

enum ets_status ets_closeness_of(const struct ets_tensor *expected, const struct ets_tensor *actual,
                                 const struct ets_tolerance *tolerance,
                                 struct ets_closeness *closeness_out, struct ets_error *error)
{
    struct ets_pairs pairs;
    if (!(tolerance->relative >= 0) || !(tolerance->absolute >= 0)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a tolerance is negative or NaN");
    }
    const enum ets_status status = ets_pairs_init(&pairs, expected, actual, error);
    if (status != ETS_OK) return status;
    ets_has_outside_function *in_place = choose_loop(expected, actual);
    struct ets_closeness closeness = {.count = 0};
    while (ets_pairs_next(&pairs)) add_block(&closeness, &pairs, tolerance, in_place);
    *closeness_out = closeness;
    return ETS_OK;
}

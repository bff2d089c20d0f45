/*
 * Measures errors in quantization steps: how many pairs are within two steps, and the largest
 * error.
 */
#include "base/error.h"
#include "etscope/experimental/comparators.h"
#include "numerics/decode.h"
#include "numerics/pairs.h"
#include "numerics/steps.h"

/* Adding and subtracting 1.5 * 2^52 rounds numbers below 2^51, halves to even. */
static double round_half_even(double value)
{
    volatile double sum = value + 0x1.8p52;
    return value < 0x1p51 ? sum - 0x1.8p52 : value;
}

static void add_pair(struct ets_steps *steps, double *sum, uint64_t index, double error)
{
    const double whole = round_half_even(error);
    steps->count++;
    *sum += error;
    if (whole < 3) steps->within[(int)whole]++;
    if (ets_is_first_largest(error, index, steps->max, steps->max_index)) {
        steps->max = error;
        steps->max_index = index;
    }
}

/* Adds the pairs one by one. */
static void add_singly(struct ets_steps *steps, double *sum, const struct ets_pairs *pairs,
                       double step)
{
    struct ets_pair_numbers numbers;
    double part = 0;
    ets_pairs_decode(pairs, &numbers);
    for (size_t i = 0; i < numbers.count; i++) {
        const double left = numbers.left[i], right = numbers.right[i];
        const double apart = __builtin_fabs(right - left);
        if (left - left != 0 || right - right != 0) continue;
        add_pair(steps, &part, ets_pairs_index(pairs, i / pairs->component_count), apart / step);
    }
    *sum += part;
}

/* The loop over whole vectors of pairs in place, if there is one. */
static ets_steps_function *choose_loop(const struct ets_tensor *a, const struct ets_tensor *b)
{
#if ETS_HAS_AVX2
    const int type = ets_plain_type(a->scalar_type);
    if (type != ets_plain_type(b->scalar_type)) return NULL;
    if (type == ETS_SCALAR_HALF ? ets_has_f16c() : ets_has_avx2()) return ets_avx2_steps(type);
#endif
    (void)a;
    (void)b;
    return NULL;
}

/* False if the block must be visited one by one: for a position, or because of NaNs or infinities.
 */
static bool add_whole(struct ets_steps *steps, double *sum, const struct ets_pairs *pairs,
                      double step, ets_steps_function *in_place)
{
    struct ets_step_sums sums;
    const size_t count = pairs->count * pairs->component_count;
    if (in_place == NULL || count % 4 != 0) return false;
    in_place(pairs->left_bytes, pairs->right_bytes, count, step, &sums);
    const bool is_tie = pairs->is_reordered && sums.max == steps->max && sums.max > 0;
    if (sums.sum - sums.sum != 0 || sums.max > steps->max || is_tie) return false;
    steps->count += count;
    *sum += sums.sum;
    for (int i = 0; i < 3; i++) steps->within[i] += sums.within[i];
    return true;
}

enum ets_status ets_steps_of(const struct ets_tensor *reference, const struct ets_tensor *other,
                             double step, struct ets_steps *steps_out, struct ets_error *error)
{
    struct ets_pairs pairs;
    if (!(step > 0) || step - step != 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a quantization step must be above 0 and finite");
    }
    const enum ets_status status = ets_pairs_init(&pairs, reference, other, error);
    if (status != ETS_OK) return status;
    struct ets_steps steps = {.count = 0};
    double sum = 0;
    ets_steps_function *in_place = choose_loop(reference, other);
    while (ets_pairs_next(&pairs)) {
        if (!add_whole(&steps, &sum, &pairs, step, in_place)) {
            add_singly(&steps, &sum, &pairs, step);
        }
    }
    steps.mean = steps.count > 0 ? sum / (double)steps.count : __builtin_nan("");
    *steps_out = steps;
    return ETS_OK;
}

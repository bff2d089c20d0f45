#include "base/error.h"
#include "etscope/comparators.h"
#include "numerics/pairs.h"

/* Adding and taking off 1.5 * 2^52 rounds what is below 2^51, halves to even. */
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

enum ets_status ets_steps_of(const struct ets_tensor *reference, const struct ets_tensor *other,
                             double step, struct ets_steps *steps_out, struct ets_error *error)
{
    struct ets_pairs pairs;
    if (!(step > 0) || step - step != 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a quantization step is above 0 and finite");
    }
    const enum ets_status status = ets_pairs_init(&pairs, reference, other, error);
    if (status != ETS_OK) return status;
    struct ets_steps steps = {.count = 0};
    double sum = 0;
    while (ets_pairs_next(&pairs)) {
        double left[ETS_PAIRS_BLOCK], right[ETS_PAIRS_BLOCK], part = 0;
        const size_t count = ets_pairs_decode(&pairs, left, right);
        for (size_t i = 0; i < count; i++) {
            const double apart = __builtin_fabs(right[i] - left[i]);
            if (left[i] - left[i] != 0 || right[i] - right[i] != 0) continue;
            add_pair(&steps, &part, ets_pairs_index(&pairs, i / pairs.component_count),
                     apart / step);
        }
        sum += part;
    }
    steps.mean = steps.count > 0 ? sum / (double)steps.count : __builtin_nan("");
    *steps_out = steps;
    return ETS_OK;
}

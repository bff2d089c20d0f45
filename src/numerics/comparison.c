/* Sums and counts over the pairs of two tensors' numbers. */
#include "base/error.h"
#include "base/load.h"
#include "etscope/numerics.h"

static double not_a_number(void)
{
    const uint64_t bits = UINT64_C(0x7ff8000000000000);
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

enum number_class { CLASS_FINITE, CLASS_INFINITE, CLASS_NAN };

static enum number_class classify(double value)
{
    if (value != value) return CLASS_NAN;
    return value - value == 0 ? CLASS_FINITE : CLASS_INFINITE;
}

void ets_comparison_init(struct ets_comparison *comparison)
{
    *comparison = (struct ets_comparison){.count = 0};
}

static void add_finite(struct ets_comparison *c, uint64_t index, double reference, double other)
{
    const double difference = other - reference;
    const double size = difference < 0 ? -difference : difference;
    c->finite_count++;
    c->unequal_count += reference != other;
    c->error_square_sum += difference * difference;
    c->error_absolute_sum += size;
    c->reference_square_sum += reference * reference;
    c->other_square_sum += other * other;
    c->product_sum += reference * other;
    if (size > c->max_error) {
        c->max_error = size;
        c->max_error_index = index;
    }
}

void ets_comparison_add(struct ets_comparison *comparison, uint64_t index, double reference,
                        double other)
{
    const enum number_class left = classify(reference), right = classify(other);
    comparison->count++;
    if (left == CLASS_FINITE && right == CLASS_FINITE) {
        add_finite(comparison, index, reference, other);
        return;
    }
    comparison->reference_nan_count += left == CLASS_NAN;
    comparison->reference_infinite_count += left == CLASS_INFINITE;
    comparison->other_nan_count += right == CLASS_NAN;
    comparison->other_infinite_count += right == CLASS_INFINITE;
    const bool is_equal = reference == other || (left == CLASS_NAN && right == CLASS_NAN);
    comparison->unequal_count += !is_equal;
    comparison->broken_count += !is_equal;
}

void ets_comparison_merge(struct ets_comparison *comparison, const struct ets_comparison *part)
{
    comparison->count += part->count;
    comparison->finite_count += part->finite_count;
    comparison->unequal_count += part->unequal_count;
    comparison->broken_count += part->broken_count;
    comparison->reference_nan_count += part->reference_nan_count;
    comparison->reference_infinite_count += part->reference_infinite_count;
    comparison->other_nan_count += part->other_nan_count;
    comparison->other_infinite_count += part->other_infinite_count;
    comparison->error_square_sum += part->error_square_sum;
    comparison->error_absolute_sum += part->error_absolute_sum;
    comparison->reference_square_sum += part->reference_square_sum;
    comparison->other_square_sum += part->other_square_sum;
    comparison->product_sum += part->product_sum;
    const bool is_earlier = part->max_error == comparison->max_error &&
                            part->max_error_index < comparison->max_error_index;
    if (part->max_error > comparison->max_error || is_earlier) {
        comparison->max_error = part->max_error;
        comparison->max_error_index = part->max_error_index;
    }
}

static bool is_same_shape(const struct ets_tensor *a, const struct ets_tensor *b)
{
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->sizes[i] != b->sizes[i]) return false;
    }
    return true;
}

enum ets_status ets_comparison_of(const struct ets_tensor *reference,
                                  const struct ets_tensor *other,
                                  struct ets_comparison *comparison_out, struct ets_error *error)
{
    struct ets_elements left, right;
    enum ets_status status = ets_elements_init(&left, reference, error);
    if (status == ETS_OK) status = ets_elements_init(&right, other, error);
    if (status != ETS_OK) return status;
    if (!is_same_shape(reference, other)) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "the shapes differ");
    }
    if (left.component_count != right.component_count) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "one of the tensors is complex, the other is not");
    }
    ets_comparison_init(comparison_out);
    double a, b;
    while (ets_elements_next(&left, &a) && ets_elements_next(&right, &b)) {
        ets_comparison_add(comparison_out, left.index, a, b);
    }
    return ETS_OK;
}

static double mean(const struct ets_comparison *comparison, double sum)
{
    if (comparison->finite_count == 0 || comparison->broken_count > 0) return not_a_number();
    return sum / (double)comparison->finite_count;
}

double ets_comparison_mse(const struct ets_comparison *comparison)
{
    return mean(comparison, comparison->error_square_sum);
}

double ets_comparison_l1(const struct ets_comparison *comparison)
{
    return mean(comparison, comparison->error_absolute_sum);
}

/*
 * Sums and counts over the pairs of two tensors' numbers, block by block. A block's sums show
 * whether all its numbers are finite, which is nearly always true. Only if a block has a new
 * largest error is its position searched, in that block.
 */
#include "base/load.h"
#include "etscope/numerics.h"
#include "numerics/decode.h"
#include "numerics/pair_sums.h"
#include "numerics/pairs.h"

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

static double error_of(double reference, double other)
{
    return __builtin_fabs(other - reference);
}

static double relative_error_of(double reference, double other)
{
    const double a = __builtin_fabs(reference), b = __builtin_fabs(other), more = a > b ? a : b;
    return error_of(reference, other) / (more > ETS_LEAST_MAGNITUDE ? more : ETS_LEAST_MAGNITUDE);
}

static void add_finite(struct ets_comparison *c, uint64_t index, double reference, double other)
{
    const double difference = other - reference;
    const double size = error_of(reference, other);
    const double relative = relative_error_of(reference, other);
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
    c->relative_error_sum += relative;
    if (relative > c->max_relative_error) {
        c->max_relative_error = relative;
        c->max_relative_error_index = index;
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
    if (!is_equal && comparison->broken_count++ == 0) comparison->first_broken_index = index;
}

/* Keeps the larger of two maxima; of equal ones the first. */
static void merge_maximum(double *value, uint64_t *index, double other, uint64_t other_index)
{
    if (other > *value || (other == *value && other_index < *index)) {
        *value = other;
        *index = other_index;
    }
}

void ets_comparison_merge(struct ets_comparison *comparison, const struct ets_comparison *part)
{
    if (part->broken_count > 0 && (comparison->broken_count == 0 ||
                                   part->first_broken_index < comparison->first_broken_index)) {
        comparison->first_broken_index = part->first_broken_index;
    }
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
    comparison->relative_error_sum += part->relative_error_sum;
    merge_maximum(&comparison->max_error, &comparison->max_error_index, part->max_error,
                  part->max_error_index);
    merge_maximum(&comparison->max_relative_error, &comparison->max_relative_error_index,
                  part->max_relative_error, part->max_relative_error_index);
    comparison->types_differ |= part->types_differ;
    comparison->layouts_differ |= part->layouts_differ;
}

/* A sum and its rounding error (Neumaier 1974). */
struct exact {
    double sum, lost;
};

static void add_exactly(struct exact *exact, double value)
{
    const double sum = exact->sum + value;
    const bool is_larger = __builtin_fabs(exact->sum) >= __builtin_fabs(value);
    exact->lost += is_larger ? (exact->sum - sum) + value : (value - sum) + exact->sum;
    exact->sum = sum;
}

/* A sum that overflowed stays infinite. */
static double take(const struct exact *exact)
{
    return exact->sum - exact->sum == 0 ? exact->sum + exact->lost : exact->sum;
}

struct comparing {
    bool has_avx2;
    ets_pair_sums_function *sums_in_place; /* NULL: decode numbers to doubles first */
    struct ets_comparison comparison;
    struct exact square, absolute, reference_square, other_square, product, relative;
};

static void add_sums(struct comparing *c, const struct ets_pair_sums *sums)
{
    add_exactly(&c->square, sums->square);
    add_exactly(&c->absolute, sums->absolute);
    add_exactly(&c->reference_square, sums->reference_square);
    add_exactly(&c->other_square, sums->other_square);
    add_exactly(&c->product, sums->product);
    add_exactly(&c->relative, sums->relative);
}

/* Adds pairs one by one, and distinguishes NaNs and infinities. */
static void add_single(struct comparing *c, const struct ets_pairs *pairs)
{
    struct ets_pair_numbers numbers;
    struct ets_comparison part;
    ets_pairs_decode(pairs, &numbers);
    ets_comparison_init(&part);
    for (size_t i = 0; i < numbers.count; i++) {
        const double left = numbers.left[i], right = numbers.right[i];
        const uint64_t index = ets_pairs_index(pairs, i / pairs->component_count);
        struct ets_comparison one; /* merging finds the first place for any order */
        if (pairs->is_reordered) {
            ets_comparison_init(&one);
            ets_comparison_add(&one, index, left, right);
            ets_comparison_merge(&part, &one);
        } else {
            ets_comparison_add(&part, index, left, right);
        }
    }
    const struct ets_pair_sums sums = {.square = part.error_square_sum,
                                       .absolute = part.error_absolute_sum,
                                       .reference_square = part.reference_square_sum,
                                       .other_square = part.other_square_sum,
                                       .product = part.product_sum,
                                       .relative = part.relative_error_sum};
    add_sums(c, &sums);
    ets_comparison_merge(&c->comparison, &part);
}

/* Finds the places of maxima that exceed those so far. */
static void find_maxima(struct ets_comparison *c, const struct ets_pairs *pairs)
{
    struct ets_pair_numbers numbers;
    ets_pairs_decode(pairs, &numbers);
    for (size_t i = 0; i < numbers.count; i++) {
        const double left = numbers.left[i], right = numbers.right[i];
        const double error = error_of(left, right);
        const double relative = relative_error_of(left, right);
        if (error < c->max_error && relative < c->max_relative_error) continue;
        const uint64_t index = ets_pairs_index(pairs, i / pairs->component_count);
        if (ets_is_first_largest(error, index, c->max_error, c->max_error_index)) {
            c->max_error = error;
            c->max_error_index = index;
        }
        if (ets_is_first_largest(relative, index, c->max_relative_error,
                                 c->max_relative_error_index)) {
            c->max_relative_error = relative;
            c->max_relative_error_index = index;
        }
    }
}

/* A maximum that occurs again may have its first place in a later block. */
static bool may_have_maxima(const struct ets_comparison *c, const struct ets_pairs *pairs,
                            const struct ets_pair_sums *sums)
{
    if (sums->max_error > c->max_error || sums->max_relative > c->max_relative_error) return true;
    return pairs->is_reordered && sums->max_error > 0 &&
           (sums->max_error == c->max_error || sums->max_relative == c->max_relative_error);
}

static void sum_block(const struct comparing *c, const struct ets_pairs *pairs,
                      struct ets_pair_sums *sums_out)
{
    struct ets_pair_numbers numbers;
    if (c->sums_in_place != NULL) {
        c->sums_in_place(pairs->left_bytes, pairs->right_bytes,
                         pairs->count * pairs->component_count, sums_out);
        return;
    }
    ets_pairs_decode(pairs, &numbers);
#if ETS_HAS_AVX2
    if (c->has_avx2) {
        ets_avx2_pair_sums(ETS_SCALAR_DOUBLE)(
            (const uint8_t *)numbers.left, (const uint8_t *)numbers.right, numbers.count, sums_out);
        return;
    }
#endif
    ets_pair_sums_of_doubles(numbers.left, numbers.right, numbers.count, sums_out);
}

static void add_block(struct comparing *c, const struct ets_pairs *pairs)
{
    struct ets_comparison *comparison = &c->comparison;
    struct ets_pair_sums sums;
    sum_block(c, pairs, &sums);
    if (sums.absolute - sums.absolute != 0) {
        add_single(c, pairs);
        return;
    }
    const uint64_t count = pairs->count * (uint64_t)pairs->component_count;
    comparison->count += count;
    comparison->finite_count += count;
    comparison->unequal_count += (uint64_t)sums.unequal;
    add_sums(c, &sums);
    if (may_have_maxima(comparison, pairs, &sums)) find_maxima(comparison, pairs);
}

/* The loop over pairs in place, if there is one. */
static ets_pair_sums_function *choose_sums(const struct ets_tensor *a, const struct ets_tensor *b)
{
#if ETS_HAS_AVX2
    const int type = ets_plain_type(a->scalar_type);
    if (type != ets_plain_type(b->scalar_type)) return NULL;
    if (type == ETS_SCALAR_HALF ? ets_has_f16c() : ets_has_avx2()) return ets_avx2_pair_sums(type);
#endif
    (void)a;
    (void)b;
    return NULL;
}

/* Strides of dimensions with one element do not matter. */
static bool is_same_layout(const struct ets_tensor *a, const struct ets_tensor *b)
{
    if (ets_tensor_count(a) == 0) return true;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->sizes[i] > 1 && a->strides[i] != b->strides[i]) return false;
    }
    return true;
}

enum ets_status ets_comparison_of(const struct ets_tensor *reference,
                                  const struct ets_tensor *other,
                                  struct ets_comparison *comparison_out, struct ets_error *error)
{
    struct ets_pairs pairs;
    const enum ets_status status = ets_pairs_init(&pairs, reference, other, error);
    if (status != ETS_OK) return status;
    struct comparing c = {.has_avx2 = ets_has_avx2(),
                          .sums_in_place = choose_sums(reference, other)};
    while (ets_pairs_next(&pairs)) add_block(&c, &pairs);
    *comparison_out = c.comparison;
    comparison_out->error_square_sum = take(&c.square);
    comparison_out->error_absolute_sum = take(&c.absolute);
    comparison_out->reference_square_sum = take(&c.reference_square);
    comparison_out->other_square_sum = take(&c.other_square);
    comparison_out->product_sum = take(&c.product);
    comparison_out->relative_error_sum = take(&c.relative);
    comparison_out->types_differ = reference->scalar_type != other->scalar_type;
    comparison_out->layouts_differ = !is_same_layout(reference, other);
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

double ets_comparison_mean_relative(const struct ets_comparison *comparison)
{
    return mean(comparison, comparison->relative_error_sum);
}

/*
 * Statistics of a tensor, computed from blocks of numbers: a block's bytes go into the hash, its
 * numbers into sums of the block, which are added to the total. Blocks keep types and strides out
 * of the inner loops, and keep small terms from being lost in large sums. Within a block, numbers
 * are taken as differences from the first one, so that a large mean does not hide the deviation;
 * blocks are merged by the formula of Chan, Golub and LeVeque.
 */
#include "etscope/numerics.h"
#include "numerics/element.h"

#include "base/load.h"
#include "base/xxh64.h"
#include "numerics/decode.h"
#include "numerics/element_blocks.h"
#include "numerics/tensor_statistics_sums.h"

/* Numbers in a block: a multiple of 32, so that a full block of any type has whole stripes. */
enum { BLOCK = 64 };
enum { LANES = ETS_TENSOR_STATISTICS_LANES };

static double from_bits(uint64_t bits)
{
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* The sums of a block in lanes, which are merged at the end. */
struct lanes {
    double min[LANES], max[LANES], absolute[LANES], difference[LANES], difference_square[LANES],
        zeros[LANES];
};

static struct ets_block_sums merge(struct ets_block_sums a, struct ets_block_sums b)
{
    return (struct ets_block_sums){.min = b.min < a.min ? b.min : a.min,
                                   .max = b.max > a.max ? b.max : a.max,
                                   .absolute = a.absolute + b.absolute,
                                   .difference = a.difference + b.difference,
                                   .difference_square = a.difference_square + b.difference_square,
                                   .zeros = a.zeros + b.zeros};
}

static inline void add_number(struct lanes *lanes, size_t lane, double x, double pivot)
{
    const double difference = x - pivot;
    lanes->min[lane] = x < lanes->min[lane] ? x : lanes->min[lane];
    lanes->max[lane] = x > lanes->max[lane] ? x : lanes->max[lane];
    lanes->absolute[lane] += __builtin_fabs(x);
    lanes->difference[lane] += difference;
    lanes->difference_square[lane] += difference * difference;
    lanes->zeros[lane] += x == 0 ? 1.0 : 0.0;
}

static void add_numbers(struct lanes *restrict lanes, const double *restrict numbers, size_t count,
                        double pivot)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            add_number(lanes, lane, numbers[i + lane], pivot);
        }
    }
    for (; i < count; i++) add_number(lanes, 0, numbers[i], pivot);
}

static struct ets_block_sums take_lane(const struct lanes *lanes, size_t lane)
{
    return (struct ets_block_sums){lanes->min[lane],
                                   lanes->max[lane],
                                   lanes->absolute[lane],
                                   lanes->difference[lane],
                                   lanes->difference_square[lane],
                                   lanes->zeros[lane]};
}

/* Sums of `count` (at least 1) numbers; `difference` is NaN or infinite if one of them is. */
static struct ets_block_sums sum_numbers(const double *numbers, size_t count, double pivot)
{
#if ETS_HAS_AVX2
    struct ets_block_sums sums;
    if (count % LANES == 0 && ets_has_avx2()) {
        ets_avx2_block_sums(numbers, count, pivot, &sums);
        return sums;
    }
#endif
    struct lanes lanes = {.min = {0}};
    for (size_t lane = 0; lane < LANES; lane++) lanes.min[lane] = lanes.max[lane] = numbers[0];
    add_numbers(&lanes, numbers, count, pivot);
    return merge(merge(take_lane(&lanes, 0), take_lane(&lanes, 1)),
                 merge(take_lane(&lanes, 2), take_lane(&lanes, 3)));
}

struct summing {
    struct ets_tensor_statistics statistics;
    struct ets_xxh64 hash;
    uint64_t finite_count;
    uint32_t first_wanted;
};

/* Counts numbers that are not finite, and keeps the others in `kept_out`; returns their number. */
static size_t take_finite(struct ets_tensor_statistics *statistics, const double *numbers,
                          size_t count, double *kept_out)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const double x = numbers[i];
        if (x != x) statistics->nan_count++;
        else if (x - x != 0) statistics->infinite_count++;
        else kept_out[kept++] = x;
    }
    return kept;
}

/* Adds a block of `block_count` numbers to `statistics`, which has `count` finite ones so far. */
static void add_sums(struct ets_tensor_statistics *statistics, uint64_t count,
                     const struct ets_block_sums *sums, double pivot, double block_count)
{
    const double offset = sums->difference / block_count; /* the block's mean - pivot */
    const double block_sum = block_count * pivot + sums->difference;
    double deviation = sums->difference_square - sums->difference * offset;
    if (deviation < 0) deviation = 0;
    if (count > 0) {
        const double before = (double)count;
        const double apart = pivot + offset - statistics->sum / before; /* of the two means */
        deviation += apart * apart * (before / (before + block_count)) * block_count;
    }
    if (count == 0 || sums->min < statistics->min) statistics->min = sums->min;
    if (count == 0 || sums->max > statistics->max) statistics->max = sums->max;
    statistics->sum += block_sum;
    statistics->absolute_sum += sums->absolute;
    statistics->square_sum += sums->difference_square + pivot * (sums->difference + block_sum);
    statistics->deviation_square_sum += deviation;
    statistics->zero_count += (uint64_t)sums->zeros;
}

static void add_block(struct summing *summing, const uint8_t *bytes, int scalar_type,
                      size_t elements)
{
    double room[BLOCK];
    const double *numbers = ets_decoded(bytes, scalar_type, elements, room);
    struct ets_tensor_statistics *statistics = &summing->statistics;
    size_t count = elements * ets_scalar_component_count(scalar_type);
    statistics->count += count;
    for (size_t i = 0; i < count && statistics->first_count < summing->first_wanted; i++) {
        statistics->first[statistics->first_count++] = numbers[i];
    }
    /* Nearly all blocks are finite; the sums show it. */
    struct ets_block_sums sums = sum_numbers(numbers, count, numbers[0]);
    if (sums.difference - sums.difference != 0) {
        count = take_finite(statistics, numbers, count, room);
        numbers = room;
        if (count == 0) return;
        sums = sum_numbers(numbers, count, numbers[0]);
    }
    add_sums(statistics, summing->finite_count, &sums, numbers[0], (double)count);
    summing->finite_count += count;
}

static void finish_range(struct ets_tensor_statistics *statistics)
{
    if (ets_tensor_statistics_finite_count(statistics) == 0) {
        statistics->min = statistics->max = from_bits(UINT64_C(0x7ff8000000000000));
    }
    statistics->absolute_max =
        -statistics->min > statistics->max ? -statistics->min : statistics->max;
}

static enum ets_status summarize(const struct ets_tensor *tensor, uint32_t first_count,
                                 bool is_hashed, struct ets_tensor_statistics *statistics_out)
{
    const enum ets_status status = ets_blocks_check(tensor);
    if (status != ETS_OK) return status;
    if (first_count > ETS_TENSOR_STATISTICS_FIRST_LIMIT) return ETS_INVALID_ARGUMENT;
    const size_t element_bytes = ets_scalar_type_bytes(tensor->scalar_type);
    const size_t block = BLOCK / ets_scalar_component_count(tensor->scalar_type);
    struct summing summing = {.first_wanted = first_count};
    struct ets_blocks blocks;
    uint8_t gathered[BLOCK * sizeof(double)];
    const uint8_t *end = gathered; /* of the last block's whole stripes */
    size_t tail = 0;               /* bytes after them */
    ets_blocks_init(&blocks, tensor);
    ets_xxh64_init(&summing.hash);
    for (uint64_t left = ets_tensor_count(tensor), count; left > 0; left -= count) {
        count = left < block ? left : block;
        const uint8_t *bytes = ets_blocks_next(&blocks, (size_t)count, gathered);
        add_block(&summing, bytes, tensor->scalar_type, (size_t)count);
        if (!is_hashed) continue;
        const size_t size = (size_t)count * element_bytes;
        tail = size % ETS_XXH64_STRIPE_BYTES;
        ets_xxh64_add_stripes(&summing.hash, bytes, size / ETS_XXH64_STRIPE_BYTES);
        end = bytes + size - tail;
    }
    if (is_hashed) summing.statistics.hash = ets_xxh64_finish(&summing.hash, end, tail);
    finish_range(&summing.statistics);
    *statistics_out = summing.statistics;
    return ETS_OK;
}

enum ets_status ets_tensor_statistics_of(const struct ets_tensor *tensor, uint32_t first_count,
                                         struct ets_tensor_statistics *statistics_out)
{
    return summarize(tensor, first_count, true, statistics_out);
}

enum ets_status ets_tensor_sums_of(const struct ets_tensor *tensor,
                                   struct ets_tensor_statistics *statistics_out)
{
    return summarize(tensor, 0, false, statistics_out);
}

uint64_t ets_tensor_statistics_finite_count(const struct ets_tensor_statistics *statistics)
{
    return statistics->count - statistics->nan_count - statistics->infinite_count;
}

double ets_tensor_statistics_mean(const struct ets_tensor_statistics *statistics)
{
    return statistics->sum / (double)ets_tensor_statistics_finite_count(statistics);
}

/* The portable loop over pairs of doubles: sums and largest errors of a block. */
#include "numerics/pair_sums.h"

/* Lanes of the sums, which compilers can keep in vector registers. */
enum { LANES = 4 };

struct lanes {
    double square[LANES], absolute[LANES], reference_square[LANES], other_square[LANES],
        product[LANES], relative[LANES], max_error[LANES], max_relative[LANES], unequal[LANES];
};

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline void add_pair(struct lanes *lanes, size_t lane, double x, double y)
{
    const double difference = y - x, size = __builtin_fabs(difference);
    const double magnitude = greater(__builtin_fabs(x), __builtin_fabs(y));
    const double relative = size / greater(magnitude, ETS_LEAST_MAGNITUDE);
    lanes->square[lane] += difference * difference;
    lanes->absolute[lane] += size;
    lanes->reference_square[lane] += x * x;
    lanes->other_square[lane] += y * y;
    lanes->product[lane] += x * y;
    lanes->relative[lane] += relative;
    lanes->max_error[lane] = greater(size, lanes->max_error[lane]);
    lanes->max_relative[lane] = greater(relative, lanes->max_relative[lane]);
    lanes->unequal[lane] += x != y ? 1.0 : 0.0;
}

static double sum(const double lanes[LANES])
{
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

static double greatest(const double lanes[LANES])
{
    return greater(greater(lanes[0], lanes[1]), greater(lanes[2], lanes[3]));
}

void ets_pair_sums_of_doubles(const double *reference, const double *other, size_t count,
                              struct ets_pair_sums *sums_out)
{
    struct lanes lanes = {.square = {0}};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            add_pair(&lanes, lane, reference[i + lane], other[i + lane]);
        }
    }
    for (; i < count; i++) add_pair(&lanes, 0, reference[i], other[i]);
    *sums_out = (struct ets_pair_sums){
        .square = sum(lanes.square),
        .absolute = sum(lanes.absolute),
        .reference_square = sum(lanes.reference_square),
        .other_square = sum(lanes.other_square),
        .product = sum(lanes.product),
        .relative = sum(lanes.relative),
        .max_error = greatest(lanes.max_error),
        .max_relative = greatest(lanes.max_relative),
        .unequal = sum(lanes.unequal),
    };
}

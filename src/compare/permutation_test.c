/*
 * Exchanges recordings between two sides. A way to divide them is a list of those that stand after;
 * the first is the true one. Of each line and way only the sum of the listed values is needed: the
 * squares within the sides are all squares less those between the sides.
 */
#include "compare/permutation_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLED = 10000, LEAST_SAMPLED = 1000, MOST_WORK = 400 * 1000 * 1000 };

static const double TAIL = 0.025; /* of a 95 % interval */
static const double EQUAL = 1e-9; /* relative rounding of sums */

/* Ways to divide the recordings. */
struct ways {
    uint32_t before, after, count;
    uint32_t *lists; /* [way][after] */
    uint32_t *moved; /* [way] how many of those before stand after */
    bool is_exact;
};

/* The number of ways, or more than `most`. */
static double count_ways(uint32_t before, uint32_t after, double most)
{
    double ways = 1;
    for (uint32_t i = 1; i <= after && ways <= most; i++) ways *= (double)(before + i) / i;
    return round(ways);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* The next combination in order; the last is followed by nothing. */
static void next_list(uint32_t *list, uint32_t after, uint32_t all)
{
    uint32_t i = after;
    while (i-- > 0 && list[i] == all - after + i) continue;
    if (i == UINT32_MAX) return;
    list[i]++;
    for (uint32_t k = i + 1; k < after; k++) list[k] = list[k - 1] + 1;
}

static void draw_list(uint32_t *order, uint32_t all, uint32_t after, uint64_t *state,
                      uint32_t *list)
{
    for (uint32_t i = 0; i < after; i++) {
        const uint32_t k = i + next_random(state) % (all - i), chosen = order[k];
        order[k] = order[i];
        order[i] = list[i] = chosen;
    }
}

static bool list_ways(struct ets_arena *arena, const struct ets_family *family, struct ways *ways)
{
    const uint32_t after = family->after, all = family->before + after;
    const double lines = fmax(family->line_count, 1);
    const double most =
        fmin(ETS_PERMUTATIONS_EXACT, fmax(MOST_WORK / lines / after, LEAST_SAMPLED));
    const double count = count_ways(family->before, after, most);
    uint64_t state = 1;
    *ways = (struct ways){.before = family->before, .after = after, .is_exact = count <= most};
    ways->count = (uint32_t)(ways->is_exact ? count : fmin(most, SAMPLED));
    ways->lists = ets_arena_alloc_array(arena, (size_t)ways->count * after, sizeof(uint32_t));
    ways->moved = ets_arena_alloc_array(arena, ways->count, sizeof(uint32_t));
    uint32_t *order = ets_arena_alloc_array(arena, all, sizeof *order);
    if (ways->lists == NULL || ways->moved == NULL || order == NULL) return false;
    for (uint32_t i = 0; i < all; i++) order[i] = i;
    for (uint32_t w = 0; w < ways->count; w++) {
        uint32_t *list = ways->lists + (size_t)w * after;
        if (!ways->is_exact && w > 0) {
            draw_list(order, all, after, &state, list);
        } else if (w == 0) { /* the sampled ones begin with the true one */
            for (uint32_t i = 0; i < after; i++) list[i] = ways->is_exact ? i : all - after + i;
        } else {
            memcpy(list, list - after, after * sizeof *list);
            next_list(list, after, all);
        }
        for (uint32_t i = 0; i < after; i++) ways->moved[w] += list[i] < family->before;
    }
    return true;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* One line, shifted so that its mean is 0. */
struct line {
    const struct ways *ways;
    double *values; /* [before + after] */
    double squares; /* of all */
    double after;   /* the sum of those after */
};

static double sum_of(const struct line *line, uint32_t way)
{
    const uint32_t *list = line->ways->lists + (size_t)way * line->ways->after;
    double sum = 0;
    for (uint32_t i = 0; i < line->ways->after; i++) sum += line->values[list[i]];
    return sum;
}

/* The difference of means, where the sum after is `sum` and that of all is 0. */
static double change_of(const struct ways *ways, double sum)
{
    return sum / ways->after + sum / ways->before;
}

/* The squared t statistic, but for a factor that all lines share. */
static double statistic_of(const struct line *line, double sum)
{
    const double n = line->ways->before, m = line->ways->after, change = change_of(line->ways, sum);
    const double between = n * m / (n + m) * change * change;
    const double within = fmax(line->squares - between, line->squares * EQUAL);
    return within > 0 ? between / within : 0;
}

static void load(struct line *line, const double *values)
{
    const uint32_t before = line->ways->before, all = before + line->ways->after;
    double mean = 0;
    for (uint32_t i = 0; i < all; i++) mean += values[i] / all;
    line->squares = line->after = 0;
    for (uint32_t i = 0; i < all; i++) {
        const double value = values[i] - mean;
        /* what rounding leaves of equal values */
        line->values[i] = fabs(value) > fabs(mean) * 1e-12 ? value : 0;
        line->squares += line->values[i] * line->values[i];
        if (i >= before) line->after += line->values[i];
    }
}

/* A change is rejected if at most TAIL of all ways show less, or more, than the true one. */
static struct ets_interval interval_of(const struct line *line, const double *sums, double *changes)
{
    const struct ways *ways = line->ways;
    const uint32_t rank = (uint32_t)floor(TAIL * ways->count + EQUAL);
    uint32_t count = 0;
    for (uint32_t w = 0; w < ways->count; w++) {
        if (ways->moved[w] > 0) changes[count++] = (line->after - sums[w]) / ways->moved[w];
    }
    if (rank == 0 || rank > count) return (struct ets_interval){NAN, NAN};
    qsort(changes, count, sizeof *changes, by_value);
    return (struct ets_interval){changes[rank - 1], changes[count - rank]};
}

/* The range without the tenth at each end, and the squared deviations from the mean. */
static double spread_of(double *values, uint32_t count, double *squares)
{
    struct ets_statistics s;
    double mean = 0;
    for (uint32_t i = 0; i < count; i++) mean += values[i] / count;
    for (uint32_t i = 0; i < count; i++) *squares += (values[i] - mean) * (values[i] - mean);
    ets_statistics_compute(values, count, &s); /* sorts them */
    return values[count - 1 - count / 10] - values[count / 10];
}

static void test_line(struct line *line, double *sums, double *changes, double *largest,
                      struct ets_line_test *test)
{
    const struct ways *ways = line->ways;
    const double change = change_of(ways, line->after), least = fabs(change) * (1 - EQUAL);
    uint32_t extreme = 0;
    for (uint32_t w = 0; w < ways->count; w++) {
        sums[w] = sum_of(line, w);
        extreme += fabs(change_of(ways, sums[w])) >= least;
        largest[w] = fmax(largest[w], statistic_of(line, sums[w]));
    }
    *test = (struct ets_line_test){.change = change,
                                   .p = (double)extreme / ways->count,
                                   .is_exact = ways->is_exact,
                                   .spread = NAN,
                                   .deviation = NAN};
    test->interval = interval_of(line, sums, changes);
    const uint32_t freedom = ways->before + ways->after - 2;
    double squares = 0;
    if (freedom == 0) return;
    test->spread = spread_of(line->values, ways->before, &squares);
    test->spread =
        fmax(test->spread, spread_of(line->values + ways->before, ways->after, &squares));
    test->deviation = sqrt(squares / freedom);
}

static double adjust(const double *largest, uint32_t count, double statistic)
{
    uint32_t extreme = 0;
    for (uint32_t w = 0; w < count; w++) extreme += largest[w] >= statistic * (1 - EQUAL);
    return (double)extreme / count;
}

bool ets_family_test(struct ets_arena *scratch, const struct ets_family *family,
                     struct ets_line_test *tests_out)
{
    const uint32_t all = family->before + family->after;
    struct ways ways;
    if (!list_ways(scratch, family, &ways)) return false;
    struct line line = {.ways = &ways,
                        .values = ets_arena_alloc_array(scratch, all, sizeof(double))};
    double *room = ets_arena_alloc_array(scratch, (size_t)ways.count * 4, sizeof *room);
    double *statistics = ets_arena_alloc_array(scratch, family->line_count, sizeof *statistics);
    if (line.values == NULL || room == NULL || statistics == NULL) return false;
    double *sums = room, *changes = room + ways.count, *largest = changes + ways.count;
    double *largest_apart = largest + ways.count;
    for (uint32_t i = 0; i < family->line_count; i++) {
        const bool is_apart = family->is_apart != NULL && family->is_apart[i] != 0;
        load(&line, family->values + (size_t)i * all);
        statistics[i] = statistic_of(&line, line.after);
        test_line(&line, sums, changes, is_apart ? largest_apart : largest, &tests_out[i]);
    }
    for (uint32_t i = 0; i < family->line_count; i++) {
        const bool is_apart = family->is_apart != NULL && family->is_apart[i] != 0;
        tests_out[i].adjusted_p =
            adjust(is_apart ? largest_apart : largest, ways.count, statistics[i]);
    }
    return true;
}

uint32_t ets_recordings_needed(double change, double deviation, uint32_t now, uint32_t least)
{
    const double quantiles = 1.96 + 0.84; /* of 5 % two-sided, and of 80 % */
    const double part = quantiles * deviation / fabs(change);
    const double needed = fmax(fmax(ceil(2 * part * part), now + 1), least);
    return needed <= ETS_MOST_RECORDINGS ? (uint32_t)needed : 0; /* not of NaN, either */
}

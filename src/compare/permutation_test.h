/*
 * permutation_test.h - tests lines of values of two sides by exchanging recordings between them.
 *
 *     // values[line * (before + after) + recording]: those before, then those after
 *     struct ets_family family = {.before = 5, .after = 5, .line_count = lines, .values = values};
 *     struct ets_line_test *tests = ets_arena_alloc_array(&arena, lines, sizeof *tests);
 *     if (!ets_family_test(&arena, &family, tests)) return no_memory;
 *
 * If the sides do not differ, every way to divide the recordings is equally likely. A line's p is
 * the part of all ways whose difference of means is at least as large. The adjusted p compares the
 * line's statistic with the largest of all lines in each way (Westfall and Young), so that with a
 * probability of 95 % no line is below 0.05 by chance. There are C(10, 5) = 252 ways for 5 and 5
 * recordings; of more than ETS_PERMUTATIONS_EXACT ways a fixed sample is drawn. Any thread may
 * call.
 */
#ifndef ETSCOPE_COMPARE_PERMUTATION_TEST_H
#define ETSCOPE_COMPARE_PERMUTATION_TEST_H

#include <stdbool.h>

#include "etscope/experimental/difference.h"
#include "host/arena.h"

enum { ETS_PERMUTATIONS_EXACT = 12870 }; /* C(16, 8) */

struct ets_family {
    uint32_t before, after; /* recordings of each side; at least 1 */
    uint32_t line_count;
    const double *values;    /* [line][before + after] */
    const uint8_t *is_apart; /* [line] 1: adjusted among such lines only; NULL: none */
};

struct ets_line_test {
    double change;                /* mean after - mean before */
    struct ets_interval interval; /* of the change: changes that the test does not reject */
    double spread; /* range of a side's values without the tenth at each end, the larger one; NaN: 1
                      and 1 */
    double deviation; /* standard deviation of the values of one side; NaN: 1 and 1 */
    double p, adjusted_p;
    int is_exact;
};

/* `scratch` is reset by the caller. False: no memory. */
bool ets_family_test(struct ets_arena *scratch, const struct ets_family *family,
                     struct ets_line_test *tests_out);

/*
 * Recordings of each side, now `now`, that would show a change of `change` against a deviation of
 * `deviation` between recordings with a probability of about 80 %. At least `least`, and more than
 * now; 0: more than ETS_MOST_RECORDINGS.
 */
uint32_t ets_recordings_needed(double change, double deviation, uint32_t now, uint32_t least);

#endif

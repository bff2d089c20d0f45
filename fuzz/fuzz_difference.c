/*
 * Reads the intact part of any bytes as an ETDump, and compares it with itself and with its own
 * first half: lines must be complete, and parts must add up.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "compare/pool_parts.h"
#include "etscope/experimental/difference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
    if (!condition) abort();
}

static void check_side(const struct ets_difference_side *side)
{
    for (uint32_t i = 0; i < side->operator_count; i++) {
        check(side->operators[i] < side->block->operator_count);
    }
    for (uint32_t r = 0; side->per_run != NULL && r < side->block->run_count; r++) {
        double sum = 0;
        for (uint32_t i = 0; i < side->operator_count; i++) {
            sum += side->block->operators[side->operators[i]].per_run[r];
        }
        check(sum == side->per_run[r]);
    }
}

static void check_lines(const struct ets_difference *difference)
{
    for (uint32_t i = 0; i < ets_difference_line_count(difference); i++) {
        const struct ets_difference_line *line = ets_difference_line(difference, i);
        check(line->before.operator_count + line->after.operator_count > 0);
        check(line->parent == ETS_NO_INDEX || line->parent < i);
        check(!(line->adjusted_p < line->p * 0.999999));
        check(!(line->interval.low > line->interval.high));
        check_side(&line->before);
        check_side(&line->after);
    }
}

static void compare(const struct ets_inspection *before, const struct ets_inspection *after)
{
    const struct ets_inspection *both[] = {before, after};
    const struct ets_difference_options options = {0};
    struct ets_pool *left = NULL, *right = NULL;
    struct ets_difference *difference = NULL;
    if (ets_pool_open(both, 1, NULL, &left, NULL) == ETS_OK &&
        ets_pool_open(both, 2, NULL, &right, NULL) == ETS_OK &&
        ets_difference_open(left, right, &options, &difference, NULL) == ETS_OK) {
        check_lines(difference);
    }
    ets_difference_close(difference);
    ets_pool_close(left);
    ets_pool_close(right);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_inspect_options options = {.partial = 1};
    struct ets_inspection *whole = NULL, *half = NULL;
    if (ets_inspection_open((struct ets_bytes){data, size}, &options, &whole, NULL) != ETS_OK) {
        return 0;
    }
    compare(whole, whole);
    if (ets_inspection_open((struct ets_bytes){data, size / 2}, &options, &half, NULL) == ETS_OK) {
        compare(whole, half);
        compare(half, whole);
    }
    ets_inspection_close(half);
    ets_inspection_close(whole);
    return 0;
}

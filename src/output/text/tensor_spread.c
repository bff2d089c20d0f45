/* Prints quantiles and a histogram of a tensor's elements, as two lines of text. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/quantile.h"
#include "etscope/numerics.h"
#include "host/arena.h"
#include "host/output.h"
#include "numerics/value_bins.h"
#include "output/text/tensor_text.h"

enum { LEVELS = 8, LINE_BYTES = 512 };

static void write_line(struct ets_output *output, const char *line, int size)
{
    if (size > 0 && size < LINE_BYTES) ets_output_write(output, line, (size_t)size);
}

static void write_quantiles(const double *sorted, uint32_t count, struct ets_output *output)
{
    static const int percents[] = {5, 25, 50, 75, 95};
    char line[LINE_BYTES];
    int used = snprintf(line, sizeof line, "quantiles ");
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        used += snprintf(line + used, sizeof line - (size_t)used, "%s%d%% %.5g", i > 0 ? ", " : "",
                         percents[i], ets_quantile(sorted, count, percents[i] / 100.0));
    }
    used += snprintf(line + used, sizeof line - (size_t)used, "\n");
    write_line(output, line, used);
}

static uint32_t count_bins(const double *sorted, uint32_t count, uint32_t counts[ETS_VALUE_BINS])
{
    uint32_t most = 0;
    memset(counts, 0, ETS_VALUE_BINS * sizeof *counts);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t here = ++counts[ets_value_bin(sorted[0], sorted[count - 1], sorted[i])];
        if (here > most) most = here;
    }
    return most;
}

static void write_histogram(const double *sorted, uint32_t count, bool ascii,
                            struct ets_output *output)
{
    /* Space for none, then eight heights: U+2581 to U+2588. */
    static const char plain[LEVELS + 1] = {' ', '.', ':', '-', '=', '+', '*', '#', '@'};
    uint32_t counts[ETS_VALUE_BINS];
    char line[LINE_BYTES];
    const uint32_t most = count_bins(sorted, count, counts);
    int used = snprintf(line, sizeof line, "histogram %.6g [", sorted[0]);
    for (int i = 0; i < ETS_VALUE_BINS; i++) {
        const uint64_t level = ((uint64_t)counts[i] * LEVELS + most - 1) / most;
        if (ascii || level == 0) {
            line[used++] = plain[level];
        } else {
            line[used++] = '\xe2';
            line[used++] = '\x96';
            line[used++] = (char)(0x80 + level);
        }
    }
    used += snprintf(line + used, sizeof line - (size_t)used, "] %.6g, at most %u in a bin\n",
                     sorted[count - 1], most);
    write_line(output, line, used);
}

enum ets_status ets_tensor_spread_write(const struct ets_tensor *tensor, int ascii,
                                        const struct ets_allocator *allocator,
                                        struct ets_output *output, struct ets_error *error)
{
    struct ets_elements elements;
    double value;
    ETS_TRY(ets_elements_init(&elements, tensor, error));
    const uint64_t numbers = elements.remaining * elements.component_count;
    if (numbers > UINT32_MAX) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "too many numbers for quantiles");
    }
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    double *sorted = ets_arena_alloc_array(&arena, (size_t)numbers, sizeof *sorted);
    if (sorted == NULL) return ets_fail_memory(error, "the quantiles of a tensor");
    uint32_t count = 0;
    while (ets_elements_next(&elements, &value)) {
        if (isfinite(value)) sorted[count++] = value;
    }
    ets_sort_doubles(sorted, count);
    if (count > 1 && sorted[0] < sorted[count - 1]) {
        write_quantiles(sorted, count, output);
        write_histogram(sorted, count, ascii != 0, output);
    }
    ets_arena_reset(&arena);
    return ETS_OK;
}

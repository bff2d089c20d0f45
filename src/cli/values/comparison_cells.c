/* Puts the cells of a comparison, for `tensors` and `verify`. */
#include "cli/values/comparison_cells.h"
#include "etscope/experimental/comparators.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

void cli_put_nothing(struct ets_table *table, int count)
{
    while (count-- > 0) ets_table_put_nothing(table);
}

void cli_put_real(struct ets_table *table, double value)
{
    if (isnan(value)) ets_table_put_nothing(table);
    else ets_table_put_real(table, value);
}

void cli_put_sizes(struct ets_table *table, const int64_t *sizes, uint32_t count)
{
    char digits[ETS_TENSOR_MAX_RANK][24];
    struct ets_text items[ETS_TENSOR_MAX_RANK];
    for (uint32_t i = 0; i < count; i++) {
        const int size = snprintf(digits[i], sizeof digits[i], "%lld", (long long)sizes[i]);
        items[i] = (struct ets_text){digits[i], size > 0 ? (size_t)size : 0};
    }
    ets_table_put_list(table, items, count);
}

void cli_put_comparison(struct ets_table *table, const struct ets_output_verdict *verdict,
                        const struct ets_ulps *ulps)
{
    const struct ets_comparison *sums = &verdict->comparison;
    const struct ets_closeness *closeness = &verdict->closeness;
    const bool is_finite = sums->finite_count > 0;
    ets_table_put_integer(table, (int64_t)closeness->outside_count);
    cli_put_real(table, is_finite ? sums->max_error : (double)NAN);
    ets_table_put_integer(table, (int64_t)sums->max_error_index);
    cli_put_real(table, is_finite ? sums->max_relative_error : (double)NAN);
    ets_table_put_integer(table, (int64_t)sums->max_relative_error_index);
    cli_put_real(table, ets_comparison_l1(sums));
    cli_put_real(table, ets_comparison_mean_relative(sums));
    cli_put_real(table, ets_comparison_mse(sums));
    cli_put_real(table, ets_comparison_snr(sums));
    cli_put_real(table, ets_comparison_cosine(sums));
    if (ulps != NULL && ulps->max <= INT64_MAX) ets_table_put_integer(table, (int64_t)ulps->max);
    else ets_table_put_nothing(table);
    ets_table_put_integer(table, (int64_t)sums->other_nan_count);
    ets_table_put_integer(table, (int64_t)sums->reference_nan_count);
    if (closeness->outside_count > 0) {
        ets_table_put_integer(table, (int64_t)closeness->first_index);
        ets_table_put_integer(table, (int64_t)closeness->worst_index);
    } else {
        cli_put_nothing(table, 2);
    }
    ets_table_put_integer(table, sums->layouts_differ);
}

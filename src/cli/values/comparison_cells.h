/* Columns for the difference of two tensors, shared by `verify` and `tensors --compare`. */
#ifndef ETSCOPE_CLI_VALUES_COMPARISON_CELLS_H
#define ETSCOPE_CLI_VALUES_COMPARISON_CELLS_H

#include "etscope/experimental/comparators.h"
#include "etscope/verify.h"
#include "output/table/table.h"

/* clang-format off */
#define CLI_COMPARISON_COLUMNS                                                                    \
    {.name = "outside", .title = "over tolerance", .kind = ETS_COLUMN_INTEGER},                   \
    {.name = "max_abs_error", .title = "max error", .kind = ETS_COLUMN_REAL},                     \
    {.name = "max_abs_error_index", .title = "worst index", .kind = ETS_COLUMN_INTEGER},          \
    {.name = "max_rel_error", .title = "max relative", .kind = ETS_COLUMN_REAL, .priority = 2},   \
    {.name = "max_rel_error_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},               \
    {.name = "mean_abs_error", .kind = ETS_COLUMN_REAL, .machine_only = 1},                       \
    {.name = "mean_rel_error", .kind = ETS_COLUMN_REAL, .machine_only = 1},                       \
    {.name = "mse", .kind = ETS_COLUMN_REAL, .priority = 6},                                      \
    {.name = "snr_db", .title = "snr dB", .kind = ETS_COLUMN_REAL, .priority = 1},                \
    {.name = "cosine_similarity", .title = "cosine", .kind = ETS_COLUMN_REAL, .priority = 7},     \
    {.name = "max_ulps", .title = "max ulps", .kind = ETS_COLUMN_INTEGER, .priority = 8},         \
    {.name = "nan_count", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},                         \
    {.name = "expected_nan_count", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},                \
    {.name = "first_outside_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},               \
    {.name = "worst_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},                       \
    {.name = "layouts_differ", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}
/* clang-format on */
enum { CLI_COMPARISON_COLUMN_COUNT = 16 };

/* Puts the cells of these columns; `ulps` NULL: not defined for the type. */
void cli_put_comparison(struct ets_table *table, const struct ets_output_verdict *verdict,
                        const struct ets_ulps *ulps);
/* Puts `count` empty cells. */
void cli_put_nothing(struct ets_table *table, int count);
/* Puts a number; nothing for NaN, which means undefined. */
void cli_put_real(struct ets_table *table, double value);
/* Puts a list of sizes. */
void cli_put_sizes(struct ets_table *table, const int64_t *sizes, uint32_t count);

#endif

/* The table of `verify`, and its JUnit file. */
#include "cli/verify/verify_table.h"
#include "host/output.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/values/comparison_cells.h"
#include "output/text/junit.h"

enum { METHOD }; /* the column that is kept where it tells rows apart */
static const struct ets_column columns[] = {
    {.name = "method", .kind = ETS_COLUMN_TEXT, .least_width = 7, .priority = 9},
    {.name = "case", .kind = ETS_COLUMN_INTEGER},
    {.name = "output", .kind = ETS_COLUMN_INTEGER},
    {.name = "verdict", .kind = ETS_COLUMN_TEXT},
    {.name = "dtype", .kind = ETS_COLUMN_TEXT, .priority = 3},
    {.name = "shape", .kind = ETS_COLUMN_NUMBERS, .priority = 4, .least_width = 8},
    CLI_COMPARISON_COLUMNS,
    {.name = "rtol", .kind = ETS_COLUMN_REAL, .priority = 5},
    {.name = "atol", .kind = ETS_COLUMN_REAL, .priority = 5},
    {.name = "rms", .kind = ETS_COLUMN_REAL, .priority = 5},
    {.name = "seconds", .kind = ETS_COLUMN_REAL, .machine_only = 1},
    {.name = "message", .kind = ETS_COLUMN_TEXT, .machine_only = 1},
};

static void add_row(struct ets_table *table, const struct cli_checked *each,
                    const struct cli_comparators *comparators)
{
    ets_table_add_row(table, 0);
    ets_table_put_string(table, each->method);
    ets_table_put_integer(table, each->test_case);
    if (each->output >= 0) ets_table_put_integer(table, each->output);
    else ets_table_put_nothing(table);
    ets_table_put_string(table, each->verdict);
    ets_table_mark_cell(table, each->is_failure ? ETS_MEANS_WORSE : ETS_MEANS_BETTER);
    if (each->has_output) {
        ets_table_put_string(table, ets_scalar_type_name(each->scalar_type));
        cli_put_sizes(table, each->sizes, each->rank);
    } else {
        cli_put_nothing(table, 2);
    }
    if (each->result.has_statistics) {
        cli_put_comparison(table, &each->result, each->has_ulps ? &each->ulps : NULL);
    } else {
        cli_put_nothing(table, CLI_COMPARISON_COLUMN_COUNT);
    }
    if (each->has_output) {
        ets_table_put_real(table, each->result.tolerance.relative);
        ets_table_put_real(table, each->result.tolerance.absolute);
        ets_table_put_real(table, each->result.tolerance.of_rms);
    } else {
        cli_put_nothing(table, 3);
    }
    ets_table_put_real(table, each->seconds);
    ets_table_put_string(table, each->message[0] != '\0' ? each->message : NULL);
    cli_comparators_put(comparators, each->has_compared ? &each->compared : NULL, table);
}

static bool has_several_methods(const struct cli_checked *checked, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (strcmp(checked[i].method, checked[0].method) != 0) return true;
    }
    return false;
}

enum ets_status cli_verify_table(const struct cli_checked *checked, size_t count,
                                 const struct cli_comparators *comparators,
                                 struct ets_table **table_out, struct ets_error *error)
{
    enum ets_status status = cli_table_open(table_out, error);
    if (status != ETS_OK) return status;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct ets_column column = columns[i];
        if (i == METHOD && has_several_methods(checked, count)) column.priority = 0;
        ets_table_add_column(*table_out, &column);
    }
    status = cli_comparators_add_columns(comparators, *table_out, error);
    if (status != ETS_OK) {
        ets_table_close(*table_out);
        return status;
    }
    for (size_t i = 0; i < count; i++) add_row(*table_out, &checked[i], comparators);
    return ETS_OK;
}

static void fill_junit(const struct cli_checked *each, char *name, size_t capacity,
                       struct ets_junit_case *out)
{
    if (each->output >= 0) {
        snprintf(name, capacity, "case %u, output %lld", each->test_case, (long long)each->output);
    } else {
        snprintf(name, capacity, "case %u", each->test_case);
    }
    const bool is_error = strcmp(each->verdict, "error") == 0;
    *out = (struct ets_junit_case){
        .class_name = each->method,
        .name = name,
        .result = is_error           ? ETS_JUNIT_ERROR
                  : each->is_failure ? ETS_JUNIT_FAILURE
                                     : ETS_JUNIT_PASS,
        .message = each->message,
        .seconds = each->output <= 0 ? each->seconds : 0, /* a case's time counts once */
    };
}

int cli_verify_junit(const char *path, const char *model, const struct cli_checked *checked,
                     size_t count)
{
    enum { NAME_BYTES = 64 };
    struct ets_error error;
    struct ets_output *output;
    struct ets_junit_case *cases = calloc(count + 1, sizeof *cases);
    char *names = calloc(count + 1, NAME_BYTES);
    if (cases == NULL || names == NULL) {
        free(cases);
        free(names);
        return cli_complain(CLI_INTERNAL, "no memory for %s", path);
    }
    int code = CLI_OK;
    for (size_t i = 0; i < count; i++) {
        fill_junit(&checked[i], names + i * NAME_BYTES, NAME_BYTES, &cases[i]);
    }
    if (ets_output_open(path, &output, &error) != ETS_OK) {
        code = cli_fail_output(path, &error);
    } else {
        ets_junit_write(model, cases, count, output);
        if (ets_output_commit(output, &error) != ETS_OK) code = cli_fail_output(path, &error);
    }
    free(cases);
    free(names);
    return code;
}

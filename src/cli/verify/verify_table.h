/* The results of `verify`, as a table and as JUnit XML. */
#ifndef ETSCOPE_CLI_VERIFY_VERIFY_TABLE_H
#define ETSCOPE_CLI_VERIFY_VERIFY_TABLE_H

#include "cli/core/command.h"
#include "cli/values/comparator_option.h"
#include "etscope/experimental/comparators.h"
#include "etscope/verify.h"
#include "output/table/table.h"

/* One output of a test case, or the reason why the case could not be checked. */
struct cli_checked {
    char method[256];
    uint32_t test_case;
    int64_t output;      /* -1: the case as a whole */
    const char *verdict; /* also "error" and "unchecked" */
    bool is_failure;     /* the output is not as expected */
    char message[400];   /* in words; "" if it is close */
    bool has_output; /* type and shape below are those of the output, otherwise those expected */
    int scalar_type;
    uint32_t rank;
    int64_t sizes[ETS_TENSOR_MAX_RANK];
    struct ets_output_verdict result;
    bool has_ulps;
    struct ets_ulps ulps;
    bool has_compared;
    struct cli_compared compared; /* by --comparator */
    double seconds;               /* of the case's run */
};

/*
 * A table of all results; the caller closes it. Statuses include those of
 * cli_comparators_add_columns.
 */
enum ets_status cli_verify_table(const struct cli_checked *checked, size_t count,
                                 const struct cli_comparators *comparators,
                                 struct ets_table **table_out, struct ets_error *error);

/* Writes --junit's file. Returns an exit code. */
int cli_verify_junit(const char *path, const char *model, const struct cli_checked *checked,
                     size_t count);

#endif

/* What `verify` found, as a table for people and programs and as JUnit's XML. */
#ifndef ETSCOPE_CLI_VERIFY_VERIFY_TABLE_H
#define ETSCOPE_CLI_VERIFY_VERIFY_TABLE_H

#include "cli/core/command.h"
#include "cli/open/comparator_option.h"
#include "etscope/experimental/comparators.h"
#include "etscope/verify.h"
#include "output/table/table.h"

/* One output of a test case, or what kept the case from being checked. */
struct cli_checked {
    char method[256];
    uint32_t test_case;
    int64_t output;      /* -1: the case as a whole */
    const char *verdict; /* also "error" and "unchecked" */
    bool is_failure;     /* the outputs are not as expected */
    char message[400];   /* in words; "" for what is close */
    bool has_output;     /* type and shape below are the output's, or the expected one's */
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

/* A table of all; closed by the caller. Statuses: those of cli_comparators_add_columns too. */
enum ets_status cli_verify_table(const struct cli_checked *checked, size_t count,
                                 const struct cli_comparators *comparators,
                                 struct ets_table **table_out, struct ets_error *error);

/* Writes --junit's file. Returns an exit code. */
int cli_verify_junit(const char *path, const char *model, const struct cli_checked *checked,
                     size_t count);

#endif

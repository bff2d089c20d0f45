/* The test cases that `bundle` was asked to write. */
#ifndef ETSCOPE_CLI_BUNDLE_NEW_CASES_H
#define ETSCOPE_CLI_BUNDLE_NEW_CASES_H

#include "cli/open/arrays.h"
#include "cli/open/inputs.h"
#include "etscope/bundle.h"

/* A suite that grows; its cases are as the writer takes them. */
struct cli_new_suite {
    char *method;
    struct ets_new_case *cases;
    uint32_t case_count;
};

struct cli_new_cases {
    const struct cli_program *model;
    struct cli_new_suite *suites; /* sorted by method after cli_new_cases_open */
    uint32_t suite_count;
    struct ets_new_suite *views; /* the same for the writer */
    struct ets_file **files;     /* other bundles */
    size_t file_count;
    struct cli_arrays *arrays; /* .npy and .npz files */
    size_t array_count;
    void **buffers; /* of values and of data that were copied */
    size_t buffer_count;
};

/* Reads what the arguments name. Returns an exit code; close in any case. */
int cli_new_cases_open(const struct cli_arguments *arguments, const struct cli_program *model,
                       struct cli_new_cases *cases);
void cli_new_cases_close(struct cli_new_cases *cases);

/* Zeroed memory that lives as long as the cases; NULL: complained. */
void *cli_new_cases_alloc(struct cli_new_cases *cases, size_t size);

/* Copies `value`, whose data may go then. Returns an exit code. */
int cli_new_cases_copy(struct cli_new_cases *cases, struct ets_value *value);

/* Brings tensors into the order of dimensions that the program declares. Returns an exit code. */
int cli_new_cases_lay_out(struct cli_new_cases *cases);

#endif

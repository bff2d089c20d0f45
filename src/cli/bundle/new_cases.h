/* The test cases that `bundle` writes. */
#ifndef ETSCOPE_CLI_BUNDLE_NEW_CASES_H
#define ETSCOPE_CLI_BUNDLE_NEW_CASES_H

#include "cli/files/arrays.h"
#include "cli/files/inputs.h"
#include "etscope/bundle.h"

/* A growing suite, with its cases in the form that the writer takes. */
struct cli_new_suite {
    char *method;
    struct ets_new_case *cases;
    uint32_t case_count;
};

struct cli_new_cases {
    const struct cli_program *model;
    struct cli_new_suite *suites; /* sorted by method after cli_new_cases_open */
    uint32_t suite_count;
    struct ets_new_suite *views; /* the same, for the writer */
    struct ets_file **files;     /* other bundles */
    size_t file_count;
    struct cli_arrays *arrays; /* .npy and .npz files */
    size_t array_count;
    void **buffers; /* memory of copied values and data */
    size_t buffer_count;
};

/* Reads the test cases from the arguments. Returns an exit code; close it even after a failure. */
int cli_new_cases_open(const struct cli_arguments *arguments, const struct cli_program *model,
                       struct cli_new_cases *cases);
void cli_new_cases_close(struct cli_new_cases *cases);

/* Zeroed memory that lives as long as the cases; NULL after reporting an error. */
void *cli_new_cases_alloc(struct cli_new_cases *cases, size_t size);

/* Copies `value`, whose data may then be released. Returns an exit code. */
int cli_new_cases_copy(struct cli_new_cases *cases, struct ets_value *value);

/* Converts tensors to the dimension order that the program declares. Returns an exit code. */
int cli_new_cases_lay_out(struct cli_new_cases *cases);

#endif

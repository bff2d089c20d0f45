/* Opens the inspection that a command works on, by the options that commands share. */
#ifndef ETSCOPE_CLI_TRACES_INSPECTED_H
#define ETSCOPE_CLI_TRACES_INSPECTED_H

#include "cli/core/command.h"
#include "etscope/inspect.h"

/* A trace and its model; record and program may be NULL. */
struct cli_subject {
    const char *path; /* for messages */
    struct ets_bytes dump;
    const struct ets_file *file;   /* that holds the dump; NULL: none */
    struct ets_bytes debug_buffer; /* data NULL: none given */
    const char *debug_buffer_path;
    struct ets_etrecord *record;
    const struct ets_program *program;
    const char *method;
    struct ets_inspection
        *inspection; /* already open, with the options of cli_inspection_options; or NULL */
};

/*
 * Opens the inspection, or takes the subject's, and reports errors. After CLI_OK the caller closes
 * `inspection_out`.
 */
int cli_open_inspection(struct cli_subject *subject, const struct ets_inspect_options *options,
                        struct ets_inspection **inspection_out);

/* The block of --block (name or number) and the run of --run; ETS_NO_INDEX: all. */
int cli_choose_rows(const struct cli_arguments *arguments, const struct ets_inspection *inspection,
                    uint32_t *block_out, uint32_t *run_out);

/* Checks that --run and --steady are not both given. Returns an exit code. */
int cli_check_steady(const struct cli_arguments *arguments);

/* Prints notes about what was skipped, corrected or not joined. */
void cli_print_notes(const struct ets_inspection *inspection);

/* Reads the options of `inspect` and `annotate` for reading and joining the subject. */
struct ets_inspect_options cli_inspection_options(const struct cli_arguments *arguments,
                                                  const struct cli_subject *subject);

#endif

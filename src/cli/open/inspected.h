/* The inspection that a command works on, by the options that commands share. */
#ifndef ETSCOPE_CLI_OPEN_INSPECTED_H
#define ETSCOPE_CLI_OPEN_INSPECTED_H

#include "cli/core/command.h"
#include "etscope/inspect.h"

/* A trace and what explains it; record and program may be NULL. */
struct cli_subject {
    const char *path; /* for messages */
    struct ets_bytes dump;
    struct ets_bytes debug_buffer; /* data NULL: none given */
    const char *debug_buffer_path;
    struct ets_etrecord *record;
    const struct ets_program *program;
    const char *method;
    struct ets_inspection *inspection; /* made already, as cli_inspection_options has it; or NULL */
};

/*
 * Opens the inspection, or takes the subject's, saying what is wrong. `inspection_out` is the
 * caller's to close where CLI_OK comes back.
 */
int cli_open_inspection(struct cli_subject *subject, const struct ets_inspect_options *options,
                        struct ets_inspection **inspection_out);

/* What --block (by name or number) and --run ask for; ETS_NO_INDEX: all. */
int cli_choose_rows(const struct cli_arguments *arguments, const struct ets_inspection *inspection,
                    uint32_t *block_out, uint32_t *run_out);

/* --run names one run, --steady several. Returns an exit code. */
int cli_check_steady(const struct cli_arguments *arguments);

/* What was skipped, odd or not joined, as notes. */
void cli_print_notes(const struct ets_inspection *inspection);

/* How the subject is read and joined, by the options that `inspect` and `annotate` share. */
struct ets_inspect_options cli_inspection_options(const struct cli_arguments *arguments,
                                                  const struct cli_subject *subject);

#endif

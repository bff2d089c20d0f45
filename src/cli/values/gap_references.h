/* References that are given instead of computed: another trace, or .npy files. */
#ifndef ETSCOPE_CLI_VALUES_GAP_REFERENCES_H
#define ETSCOPE_CLI_VALUES_GAP_REFERENCES_H

#include "cli/core/command.h"
#include "etscope/experimental/gap.h"

/*
 * Opens --reference-trace with --reference-debug-buffer, joined with --reference-etrecord or
 * otherwise with `record`. Returns an exit code.
 */
int cli_gap_compare_trace(const struct cli_arguments *arguments, struct ets_etrecord *record,
                          struct ets_gap_report *report);

/*
 * Reads FOLDER/NODE.npy, or FOLDER/NODE.N.npy for a node with several outputs. Returns an exit
 * code.
 */
int cli_gap_compare_files(const char *folder, struct ets_gap_report *report);

#endif

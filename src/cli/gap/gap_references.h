/* References of a gap that are given, not computed: another trace, and .npy files. */
#ifndef ETSCOPE_CLI_GAP_GAP_REFERENCES_H
#define ETSCOPE_CLI_GAP_GAP_REFERENCES_H

#include "cli/core/command.h"
#include "etscope/experimental/gap.h"

/*
 * --reference-trace with --reference-debug-buffer, joined with --reference-etrecord or else with
 * `record`. Returns an exit code.
 */
int cli_gap_compare_trace(const struct cli_arguments *arguments, struct ets_etrecord *record,
                          struct ets_gap_report *report);

/* FOLDER/NODE.npy, of a node with several outputs FOLDER/NODE.N.npy. Returns an exit code. */
int cli_gap_compare_files(const char *folder, struct ets_gap_report *report);

#endif

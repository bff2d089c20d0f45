/* Compares captured values with a reference, for `report` and `advise`. */
#ifndef ETSCOPE_CLI_VALUES_CAPTURED_GAPS_H
#define ETSCOPE_CLI_VALUES_CAPTURED_GAPS_H

#include "cli/core/command.h"
#include "cli/files/inputs.h"
#include "etscope/experimental/gap.h"
#include "output/sql/sql.h"

/* clang-format off */
#define CLI_REFERENCE_RECORD_OPTION                                                               \
    {"--reference-etrecord",                                                                      \
     .help = "The ETRecord of another model that captured tensors are compared with, such as"     \
             " the float original of a quantized model"}
/* clang-format on */

struct cli_captured_gaps {
    struct ets_gap_report **reports; /* [trace]; NULL: none. Some are without rows */
    uint32_t count;
    struct ets_engine_library *library;
    const struct ets_engine *engine;
    struct cli_record other;                    /* --reference-etrecord */
    struct ets_error error;                     /* of the first trace that could not be compared */
    char reason[sizeof(struct ets_error) + 64]; /* "": all captured values were compared */
    const char *option;                         /* that would help; with a reason */
};

/*
 * Compares the values of each trace that has a debug buffer, with its own model or with that of
 * --reference-etrecord. What cannot be compared is no error, but has a reason. Returns an exit
 * code; close it even after a failure.
 */
int cli_captured_gaps_open(const struct cli_arguments *arguments,
                           const struct ets_study_sources *sources, struct cli_captured_gaps *gaps);
void cli_captured_gaps_close(struct cli_captured_gaps *gaps);

#endif

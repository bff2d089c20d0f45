/* A gap report and its reference, by the options of `gap` and `annotate`. */
#ifndef ETSCOPE_CLI_VALUES_GAP_REPORT_H
#define ETSCOPE_CLI_VALUES_GAP_REPORT_H

#include "cli/session/session.h"
#include "cli/traces/subject.h"
#include "cli/values/comparator_option.h"
#include "cli/values/tolerances.h"
#include "etscope/experimental/gap.h"

/* clang-format off */
#define CLI_REFERENCE_OPTIONS                                                                     \
    {"--reference"},                                                                              \
    {"--reference-etrecord",                                                                      \
     .help = "The ETRecord of another model as the reference, such as the float original of "     \
             "a quantized model; to make it: exported = torch.export.export(model, inputs); "     \
             "edge = to_edge_transform_and_lower(exported, generate_etrecord=True); "             \
             "edge.to_executorch().get_etrecord().save(FILE)"},                                   \
    {"--reference-trace"}, {"--reference-debug-buffer"}, {"--reference-npy"},                     \
    {"--reference-dtype"},                                                                        \
    {"--input",                                                                                   \
     .help = "Inputs as .npy or .npz files, in the method's order; default: what the run was"     \
             " given, if the trace keeps it"},                                                    \
    {"--case", .help = "Take the inputs from this test case of the --program .bpte"},             \
    {"--load-library", .help = "A shared library with kernels of your own"},                      \
    {"--python"}, {"--engine"}
/* clang-format on */

struct cli_gap {
    const struct cli_arguments *arguments;
    const struct cli_subject *subject;
    const struct cli_program *program;
    struct ets_inspection *inspection;
    struct ets_gap_report *report; /* NULL: none is open */
    struct ets_engine_library *library;
    const struct ets_engine *engine;
    struct cli_record other;            /* --reference-etrecord */
    struct cli_comparators comparators; /* opened by `gap`; empty for `annotate` */
    struct cli_tolerances tolerances;   /* likewise */
};

/* Checks that reference options do not contradict each other. Returns an exit code. */
int cli_gap_check(const struct cli_arguments *arguments);
/*
 * Aligns the values captured in `run`, or in the first run of `block`, or (both ETS_NO_INDEX) in
 * the first run with captured values, of --method if given. Returns an exit code; close it even
 * after a failure.
 */
int cli_gap_open(struct cli_gap *gap, uint32_t block, uint32_t run);
/*
 * Fills the report's rows, and notes what the reference could not evaluate. Returns an exit code.
 */
int cli_gap_evaluate(struct cli_gap *gap);
/*
 * Reports values whose bytes are not in the debug buffer because it is cut off or belongs to
 * another trace.
 */
int cli_gap_check_buffer(const struct cli_gap *gap);
void cli_gap_close(struct cli_gap *gap);

#endif

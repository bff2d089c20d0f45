/* Draws the errors of captured values along the execution. */
#include "cli/plot/plot_error.h"

#include "cli/core/what_to_type.h"
#include "cli/plot/write_plot.h"
#include "cli/values/gap_report.h"
#include "output/picture/gap_picture.h"

static enum ets_status draw(const struct cli_arguments *arguments, const void *subject,
                            struct ets_output *output, struct ets_error *error)
{
    (void)arguments;
    (void)error;
    ets_gap_picture_write(subject, &cli_advice, output);
    return ETS_OK;
}

static int check_compared(const struct ets_gap_report *report)
{
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        if (ets_gap_row(report, i)->has_total) return CLI_OK;
    }
    return cli_complain(CLI_NEGATIVE,
                        "none of %u captured values could be compared: there is "
                        "nothing to draw; `etscope gap` tells why",
                        ets_gap_value_count(report));
}

static int compare(const struct cli_arguments *arguments, const struct cli_subject *subject,
                   const struct cli_program *program, struct ets_inspection *inspection)
{
    struct cli_gap gap = {
        .arguments = arguments, .subject = subject, .program = program, .inspection = inspection};
    uint32_t block, run;
    if (subject->record == NULL || subject->debug_buffer.data == NULL) {
        return cli_complain(
            CLI_USAGE,
            "plot error needs --etrecord, which contains the graph to compare with, "
            "and --debug-buffer, which contains the captured tensors");
    }
    int code = cli_choose_rows(arguments, inspection, &block, &run);
    if (code != CLI_OK) return code;
    cli_print_notes(inspection);
    code = cli_gap_open(&gap, block, run);
    if (code == CLI_OK) code = cli_gap_evaluate(&gap);
    if (code == CLI_OK) code = cli_gap_check_buffer(&gap);
    if (code == CLI_OK) code = check_compared(gap.report);
    if (code == CLI_OK) code = cli_plot_write(arguments, subject->path, draw, gap.report);
    cli_gap_close(&gap);
    return code;
}

int cli_plot_error(const struct cli_arguments *arguments)
{
    return cli_subject_inspect_values(arguments, compare);
}

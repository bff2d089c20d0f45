/* The command `summary`: summarizes several traces of one program. */
#include <stdlib.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/sides/show_sides.h"
#include "cli/traces/inspected.h"
#include "cli/traces/traces.h"
#include "output/table/pool_table.h"
#include "output/table/table.h"
#include "views/pool_headline.h"

static const struct cli_command_option option_list[] = {
    {"--etrecord", .is_repeatable = true,
     .help = "An ETRecord; each trace is joined with the first that agrees with it"},
    {"--program", .is_repeatable = true,
     .help = "The .pte or .bpte that ran; each trace is joined with the first that agrees with it"},
    {"--method", .help = "The method that ran, if the traces fit several"},
    {"--sort", .help = "Order of the rows: by execution (default), or longest first"},
    {"--top", .help = "Only the first N rows of each block, by time unless --sort is given"},
    CLI_TRACES_OPTIONS,
    {NULL},
};

/*
 * Pairs the first ETRecord with the first program and so on, because together they explain most;
 * then lists each alone, because they may not belong together.
 */
static int open_models(const struct cli_arguments *arguments, struct cli_model *models,
                       unsigned *count)
{
    int code = CLI_OK;
    for (unsigned i = 0; code == CLI_OK; i++) {
        const char *record = cli_value_at(arguments, "--etrecord", i);
        const char *program = cli_value_at(arguments, "--program", i);
        if (record == NULL || program == NULL) break;
        code = cli_model_open(record, program, &models[(*count)++]);
    }
    for (unsigned i = 0; code == CLI_OK; i++) {
        const char *record = cli_value_at(arguments, "--etrecord", i);
        if (record == NULL) break;
        code = cli_model_open(record, NULL, &models[(*count)++]);
    }
    for (unsigned i = 0; code == CLI_OK; i++) {
        const char *program = cli_value_at(arguments, "--program", i);
        if (program == NULL) break;
        code = cli_model_open(NULL, program, &models[(*count)++]);
    }
    return code;
}

static int summarise(const struct cli_arguments *arguments, struct cli_model *models,
                     const struct ets_pool_table_options *options)
{
    struct cli_traces traces;
    unsigned count = 0;
    int code = open_models(arguments, models, &count);
    if (code == CLI_OK) {
        const struct cli_traces_request request = {.words = arguments->words,
                                                   .word_count = arguments->word_count,
                                                   .models = models,
                                                   .model_count = count};
        code = cli_traces_open(arguments, &request, &traces);
        if (code == CLI_OK) {
            struct ets_pool_table_options shown = *options;
            for (unsigned i = 0; i < traces.paths.count; i++) {
                traces.paths.items[i] = cli_path_name(traces.paths.items[i]);
            }
            shown.files = traces.paths.items;
            code = cli_write_summary(arguments, traces.pool, &shown);
        }
        cli_traces_close(&traces);
    }
    for (unsigned i = 0; i < count; i++) cli_model_close(&models[i]);
    return code;
}

static int cmd_summary(const struct cli_arguments *arguments)
{
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE,
                            "summary needs traces: etscope summary *.etdp, a folder or @LIST");
    }
    const struct ets_pool_table_options options = {
        .by_time = cli_choice(arguments, "--sort", cli_has(arguments, "--top")),
        .top = (uint32_t)cli_number(arguments, "--top", 0),
    };
    const int code = cli_check_stdin(arguments);
    if (code != CLI_OK) return code;
    const size_t most = 2 * (size_t)arguments->value_count + 1; /* alone and in pairs */
    struct cli_model *models = calloc(most, sizeof *models);
    if (models == NULL) return cli_complain(CLI_INTERNAL, "no memory for the records");
    const int result = summarise(arguments, models, &options);
    free(models);
    return result;
}

const struct cli_command cli_summary_command = {
    .name = "summary",
    .task = CLI_TASK_COMPARE,
    .summary = "summarize several traces of one program",
    .arguments = "TRACE...",
    .description =
        "Pools the runs of several ETDumps of one program: shows quantiles over all runs, and how "
        "far the medians of the files differ. Traces of different programs are shown one after the "
        "other. TRACE may be a folder, for the ETDumps in it, or @LIST, a file with one name per "
        "line. The number of traces is not limited: only one trace is open at a time, and eight "
        "bytes are kept for each run of each operator, twice that at the end. diff and gate accept "
        "the same names.",
    .options = option_list,
    .examples =
        "etscope summary monday.etdp tuesday.etdp\n"
        "etscope summary *.etdp --etrecord portable.etrecord --etrecord xnnpack.etrecord --top 10",
    .guide = "diff.md#summary",
    .run = cmd_summary,
};

/* The command `summary`: summarizes several traces of one program. */
#include <stdlib.h>

#include "cli/compare/show_sides.h"
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/open/inspected.h"
#include "cli/open/traces.h"
#include "output/table/pool_table.h"
#include "output/table/table.h"
#include "views/pool_headline.h"

const struct cli_option cli_summary_options[] = {
    {"--etrecord", NULL, "FILE",
     "An ETRecord; each trace is joined with the first that agrees with it", NULL, true},
    {"--program", NULL, "FILE",
     "The .pte or .bpte that ran; each trace is joined with the first that agrees with it", NULL,
     true},
    {"--method", "-m", "NAME", "The method that ran, if the traces fit several", NULL, false},
    {"--sort", "-s", "order|time", "Order of the rows: by execution (default), or longest first",
     NULL, false},
    {"--top", "-n", "N", "Only the first N rows of each block, by time unless --sort is given",
     NULL, false},
    CLI_TRACES_OPTIONS,
    {NULL, NULL, NULL, NULL, NULL, false},
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

int cmd_summary(const struct cli_arguments *arguments)
{
    static const char *const inputs[] = {"--etrecord", "--program", NULL};
    bool ok = true;
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE,
                            "summary needs traces: etscope summary *.etdp, a folder or @LIST");
    }
    const struct ets_pool_table_options options = {
        .by_time = cli_choice(arguments, "--sort", cli_has(arguments, "--top")),
        .top = (uint32_t)cli_number(arguments, "--top", 0, 1, 1000000000, &ok),
    };
    (void)cli_number(arguments, "--width", 0, 20, 10000, &ok); /* read by cli_style */
    if (!ok) return CLI_USAGE;
    const int code = cli_check_stdin(arguments, inputs);
    if (code != CLI_OK) return code;
    const size_t most = 2 * (size_t)arguments->value_count + 1; /* alone and in pairs */
    struct cli_model *models = calloc(most, sizeof *models);
    if (models == NULL) return cli_complain(CLI_INTERNAL, "no memory for the records");
    const int result = summarise(arguments, models, &options);
    free(models);
    return result;
}

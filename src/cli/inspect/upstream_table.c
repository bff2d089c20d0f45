/* Writes the table of upstream's Inspector. */
#include "cli/inspect/upstream_table.h"
#include "host/output.h"
#include "inspect/upstream/upstream_view.h"

#include <string.h>

#include "etscope/inspect.h"
#include "output/table/upstream_tsv.h"

bool cli_wants_upstream(const struct cli_arguments *arguments)
{
    const char *format = cli_value(arguments, "--format");
    return format != NULL && strcmp(format, "upstream") == 0;
}

int cli_check_upstream(const struct cli_arguments *arguments)
{
    static const char *const others[] = {
        "--block",  "--run",     "--group-by",          "--depth", "--tokens", "--name", "--module",
        "--handle", "--source",  "--backend",           "--sort",  "--top",    "--all",  "--tree",
        "--steady", "--columns", "--subtract-overhead", "--unit",  "--cost"};
    char list[256];
    size_t used = 0;
    if (!cli_wants_upstream(arguments)) return CLI_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!cli_has(arguments, others[i])) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                                 others[i]);
    }
    if (used == 0) return CLI_OK;
    return cli_complain(
        CLI_USAGE,
        "--format upstream always prints the complete table: leave out %s%s, or use --format tsv",
        list, cli_has(arguments, "--unit") ? " (its unit is --target-time-scale)" : "");
}

int cli_write_upstream(struct ets_inspection *inspection, enum ets_time_unit target,
                       const char *path)
{
    const struct ets_upstream_view *view;
    struct ets_error error;
    struct ets_output *output;
    if (ets_inspection_upstream_view(inspection, ets_inspection_tick_unit(inspection, NULL), target,
                                     &view, &error) != ETS_OK) {
        return cli_fail(NULL, &error);
    }
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    ets_upstream_write_tsv(view, output);
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
}

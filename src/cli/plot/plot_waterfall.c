/* Draws what changed between two traces. */
#include "cli/plot/plot_waterfall.h"

#include "cli/plot/write_plot.h"
#include "cli/sides/sides.h"
#include "output/picture/waterfall_picture.h"

static enum ets_status draw(const struct cli_arguments *arguments, const void *subject,
                            struct ets_output *output, struct ets_error *error)
{
    const struct ets_picture_options options = cli_plot_look(arguments);
    return ets_waterfall_picture_write(subject, &options, NULL, output, error);
}

int cli_plot_waterfall(const struct cli_arguments *arguments)
{
    static const struct ets_difference_options options = {.least_change = 0.01};
    const char *const *before = &arguments->words[0], *const *after = &arguments->words[1];
    const struct cli_side_paths paths[] = {{.items = {*before}, .count = 1},
                                           {.items = {*after}, .count = 1}};
    struct cli_sides sides;
    int code = cli_check_stdin(arguments);
    if (code != CLI_OK) return code;
    code = cli_sides_open(arguments, &paths[0], &paths[1], &options, &sides);
    if (code == CLI_OK) code = cli_sides_check(arguments, *before, *after, sides.difference);
    if (code == CLI_OK) code = cli_plot_write(arguments, *after, draw, sides.difference);
    cli_sides_close(&sides);
    return code;
}

/* Writes a picture to --output, whole or not at all. */
#include "cli/plot/write_plot.h"

#include "cli/core/cli_text.h"
#include "host/output.h"

struct ets_picture_options cli_plot_look(const struct cli_arguments *arguments)
{
    return (struct ets_picture_options){
        .format = cli_ends_with(cli_value(arguments, "--output"), ".png") ? ETS_PICTURE_PNG
                                                                          : ETS_PICTURE_SVG,
        .width = (int)cli_number(arguments, "--pixels", ETS_PICTURE_WIDTH)};
}

int cli_plot_write(const struct cli_arguments *arguments, const char *path, cli_plot_drawer *draw,
                   const void *subject)
{
    struct ets_output *output;
    struct ets_error error;
    const char *target = cli_value(arguments, "--output");
    if (ets_output_open(target, &output, &error) != ETS_OK) return cli_fail_output(target, &error);
    if (draw(arguments, subject, output, &error) != ETS_OK) {
        ets_output_discard(output);
        return cli_fail(path, &error);
    }
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(target, &error);
}

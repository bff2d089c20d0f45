/* Draws what `plot` shows of a trace. */
#include "cli/plot/plot_trace.h"

#include "cli/plot/write_plot.h"
#include "cli/traces/subject.h"
#include "output/picture/icicle_picture.h"
#include "output/picture/runs_picture.h"
#include "output/picture/timeline_picture.h"

/* An inspected trace, and which part of it is drawn. */
struct source {
    const struct cli_subject *subject;
    const struct ets_inspection *inspection;
    uint32_t block, run;
};

static struct ets_plot_options options_of(const struct cli_arguments *arguments,
                                          const struct source *source)
{
    return (struct ets_plot_options){.picture = cli_plot_look(arguments),
                                     .block = source->block,
                                     .run = source->run,
                                     .steady = cli_has(arguments, "--steady")};
}

static enum ets_status draw_icicle(const struct cli_arguments *arguments, const void *subject,
                                   struct ets_output *output, struct ets_error *error)
{
    enum { BY_MODULE, BY_CALL };
    const struct source *source = subject;
    const struct ets_plot_options options = options_of(arguments, source);
    const int by_default = source->subject->record != NULL ? BY_MODULE : BY_CALL;
    return ets_icicle_picture_write(source->inspection, &options,
                                    cli_choice(arguments, "--group-by", by_default) == BY_MODULE,
                                    NULL, output, error);
}

static enum ets_status draw_runs(const struct cli_arguments *arguments, const void *subject,
                                 struct ets_output *output, struct ets_error *error)
{
    const struct source *source = subject;
    const struct ets_plot_options options = options_of(arguments, source);
    return ets_runs_picture_write(source->inspection, &options, NULL, output, error);
}

static enum ets_status draw_timeline(const struct cli_arguments *arguments, const void *subject,
                                     struct ets_output *output, struct ets_error *error)
{
    const struct source *source = subject;
    const struct ets_plot_options options = options_of(arguments, source);
    return ets_timeline_picture_write(source->inspection, &options, NULL, output, error);
}

static int draw(const struct cli_arguments *arguments, const struct cli_subject *subject,
                const struct ets_inspection *inspection, cli_plot_drawer *drawer)
{
    struct source source = {.subject = subject, .inspection = inspection};
    const int code = cli_choose_rows(arguments, inspection, &source.block, &source.run);
    if (code != CLI_OK) return code;
    cli_print_notes(inspection);
    return cli_plot_write(arguments, subject->path, drawer, &source);
}

static int use_for_icicle(const struct cli_arguments *arguments, const struct cli_subject *subject,
                          const struct cli_program *program, struct ets_inspection *inspection)
{
    (void)program;
    return draw(arguments, subject, inspection, draw_icicle);
}

static int use_for_runs(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct cli_program *program, struct ets_inspection *inspection)
{
    (void)program;
    return draw(arguments, subject, inspection, draw_runs);
}

static int use_for_timeline(const struct cli_arguments *arguments,
                            const struct cli_subject *subject, const struct cli_program *program,
                            struct ets_inspection *inspection)
{
    (void)program;
    return draw(arguments, subject, inspection, draw_timeline);
}

int cli_plot_icicle(const struct cli_arguments *arguments)
{
    const int code = cli_check_steady(arguments);
    return code == CLI_OK ? cli_subject_inspect(arguments, use_for_icicle) : code;
}

int cli_plot_runs(const struct cli_arguments *arguments)
{
    return cli_subject_inspect(arguments, use_for_runs);
}

int cli_plot_timeline(const struct cli_arguments *arguments)
{
    const int code = cli_check_steady(arguments);
    return code == CLI_OK ? cli_subject_inspect(arguments, use_for_timeline) : code;
}
